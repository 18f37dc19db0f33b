"""``trueval cafa --before``: benchmarks of no, limited and partial knowledge."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueval.cli.cafa_output import data_of, lines_of
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Fields, Options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from trueval.cafa import Benchmark, Evaluation
    from trueval.show._summary import Cell

__all__ = ["Knowledge", "knowledge_benchmarks", "written_benchmarks"]


@dataclass
class Knowledge:
    """What two releases make, for the output."""

    data: Fields  # for ``--json``: proteins by type and aspect, and the files written
    lines: "list[RenderableType]"

    def outcome(
        self,
        evaluations: "dict[str, dict[str, Evaluation]]",
        baselines: "dict[str, dict[str, Evaluation]]",
    ) -> Outcome:
        """The evaluations by type of knowledge."""
        from trueval.cli.show import heading

        lines, by_kind = list(self.lines), {}
        for kind, methods in evaluations.items():
            by_kind[kind] = data_of(methods, baselines[kind])
            lines.append(heading(f"{kind.capitalize()} knowledge"))
            lines += lines_of(methods, baselines[kind])
        return Outcome(self.data | {"knowledge": by_kind}, lines)


def knowledge_benchmarks(
    run: Run,
    before: str,
    after: str,
    ontology: str,
    folder: str | None,
    options: Options,
) -> "tuple[dict[str, Benchmark], Knowledge]":
    """A benchmark for each type of knowledge that has proteins.

    GAF files count by their experimental evidence, unless ``--evidence`` says otherwise.
    """
    from trueval.cafa import Benchmark, knowledge_split
    from trueval.cafa._index import TermIndex
    from trueval.core.errors import InputError, Place

    index = TermIndex.of(run.source(ontology))
    evidence = options["evidence"] or "experimental"
    split = knowledge_split(run.source(before), run.source(after), index, evidence=evidence)
    for path in (before, after):
        run.note_input(path)
    run.note_input(ontology, (len(index),))
    written = [] if folder is None else [str(path) for path in split.write(folder)]
    run.outputs += written
    kinds = {
        kind: Benchmark(
            proteins.truth, index, known=proteins.known if kind == "partial" else None, **options
        )
        for kind, proteins in split.items()
        if proteins.truth is not None
    }
    if not kinds:
        raise InputError(
            "no protein has a new annotation in the later release.",
            place=Place(after),
            fix="Check that --before is the earlier release, and the evidence.",
        )
    counts = {kind: proteins.counts for kind, proteins in split.items()}
    return kinds, Knowledge({"proteins": counts, "benchmarks": written}, _lines(counts))


def written_benchmarks(folder: str | None) -> list[str]:
    """Files that ``--benchmarks`` may write."""
    from trueval.cafa._knowledge import benchmark_files

    return [] if folder is None else [str(path) for path in benchmark_files(folder).values()]


def _lines(counts: dict[str, dict[str, int]]) -> "list[RenderableType]":
    from trueval.cli.show import heading, table

    aspects = list(next(iter(counts.values())))
    rows: list[list[Cell]] = [
        [kind, *(of_kind[aspect] for aspect in aspects)] for kind, of_kind in counts.items()
    ]
    return [
        heading("Proteins with new annotations, by what was known before"),
        table(["knowledge", *aspects], rows),
    ]
