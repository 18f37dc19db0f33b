"""``trueval cafa --before``: benchmarks of no, limited and partial knowledge."""

from dataclasses import dataclass
from typing import Any

from trueval.cli.cafa_output import data_of, shown_of
from trueval.cli.run import Outcome, Run

__all__ = ["Knowledge", "knowledge_benchmarks"]


@dataclass
class Knowledge:
    """What two releases make, for the output.

    Attributes
    ----------
    data : dict
        For ``--json``: proteins by type and aspect, and the files written.
    shown : list
    """

    data: dict[str, Any]
    shown: list[Any]

    def outcome(self, evaluations: dict[str, Any], baselines: dict[str, Any]) -> Outcome:
        """The evaluations by type of knowledge."""
        from trueval.cli.show import heading

        shown = list(self.shown)
        by_kind = {}
        for kind, own in evaluations.items():
            by_kind[kind] = data_of(own, baselines[kind])
            shown += [heading(f"{kind.capitalize()} knowledge"), *shown_of(own, baselines[kind])]
        return Outcome(self.data | {"knowledge": by_kind}, shown)


def knowledge_benchmarks(
    run: Run,
    before: str,
    after: str,
    ontology: str,
    folder: str | None,
    options: dict[str, Any],
) -> tuple[dict[str, Any], Knowledge]:
    """A benchmark for each type of knowledge that has proteins.

    GAF files count by their experimental evidence, unless ``--evidence`` says otherwise.
    """
    from trueval.cafa import Benchmark, knowledge_split
    from trueval.cafa._index import TermIndex
    from trueval.core.errors import InputError, Place

    index = TermIndex.of(ontology)
    evidence = options["evidence"] or "experimental"
    split = knowledge_split(before, after, index, evidence=evidence)
    for path in (before, after):
        run.note_input(path)
    run.note_input(ontology, (len(index),))
    written = [] if folder is None else [str(path) for path in split.write(folder)]
    run.outputs += written
    kinds = {
        kind: Benchmark(own.truth, index, known=own.known if kind == "partial" else None, **options)
        for kind, own in split.items()
        if own.truth is not None
    }
    if not kinds:
        raise InputError(
            "no protein has a new annotation in the later release.",
            place=Place(after),
            fix="Check that --before is the earlier release, and the evidence.",
        )
    counts = {kind: own.counts for kind, own in split.items()}
    return kinds, Knowledge({"proteins": counts, "benchmarks": written}, _shown(counts))


def _shown(counts: dict[str, dict[str, int]]) -> list[Any]:
    from trueval.cli.show import heading, table

    aspects = list(next(iter(counts.values())))
    rows: list[list[Any]] = [
        [kind, *(own[aspect] for aspect in aspects)] for kind, own in counts.items()
    ]
    return [
        heading("Proteins with new annotations, by what was known before"),
        table(["knowledge", *aspects], rows),
    ]
