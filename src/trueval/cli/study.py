"""``trueval study``: the tables and figures of the papers, measured here."""

from typing import TYPE_CHECKING

import click

from trueval.cli.files import Folder
from trueval.cli.options import command
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Fields

if TYPE_CHECKING:
    from trueval.report import Stage
    from trueval.study import Study

__all__ = ["study"]

_MOST_KEYS = 3  # columns that name a row and are repeated where a table is cut


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from trueval.study import STUDIES

    called = [study.called for study in STUDIES.values()]
    return [name for name in ("list", *called, *STUDIES) if name.startswith(incomplete)]


@command(
    "study",
    short="Repeat tables and figures of the papers.",
    stage=True,
    examples=(
        "trueval study list",
        "trueval study measures-by-class-size --quick --report study.html",
    ),
)
@click.argument("name", shell_complete=_names)
@click.option("--quick", is_flag=True, help="Less data or fewer repeats: a first look.")
@click.option("--repeats", type=click.IntRange(1), help="Runs of a setting, not the paper's.")
@click.option(
    "--out", type=Folder(), metavar="DIR", help="Write the results there, and resume from there."
)
def study(run: Run, *, name: str, quick: bool, repeats: int | None, out: str | None) -> Outcome:
    """Repeat a study of the papers: NAME of it, or 'list'.

    The result is shown next to the paper's. With --out, an interrupted run continues where
    it stopped.
    """
    from trueval.study import STUDIES

    if name == "list":
        if run.save or run.report:
            raise click.UsageError("--save and --report are for the result of a study.")
        return _list(STUDIES)
    numbers = {study.called: number for number, study in STUDIES.items()}
    if name not in STUDIES and name not in numbers:
        import difflib

        near = difflib.get_close_matches(name, (*numbers, *STUDIES), 1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise click.BadParameter(
            f"there is no study {name!r}.{meant} 'trueval study list' shows all.",
            param_hint="NAME",
        )
    return _run(run, numbers.get(name, name), quick, repeats, out)


def _list(studies: "dict[str, Study]") -> Outcome:
    from trueval.cli.show import table
    from trueval.study._statements import without_study

    # Authors and year tell the papers apart; --json has the whole citation.
    rows = [[s.called, s.name, s.title, s.paper.partition(")")[0] + ")"] for s in studies.values()]
    others = without_study(studies)
    data: Fields = {
        "without_study": [
            dict(zip(("paper", "statement", "reason"), other, strict=True)) for other in others
        ],
        "studies": [
            {key: getattr(s, key) for key in ("name", "called", "paper", "title", "data", "about")}
            for s in studies.values()
        ],
    }
    lines = [f"Paper {paper}, {text}: {reason}." for paper, text, reason in others]
    return Outcome(data, [table(["study", "<or", "<what it shows", "<paper"], rows), *lines])


def _run(run: Run, name: str, quick: bool, repeats: int | None, out: str | None) -> Outcome:
    import json
    from pathlib import Path

    from trueval.cli.show import WideTable, heading
    from trueval.study import run_study

    results = [] if out is None else [str(Path(out, f"{name}.{kind}")) for kind in ("json", "md")]
    for path in results:
        run.files.writes(path)
    with run.meter(f"Study {name}") as meter:
        result = run_study(
            name,
            quick=quick,
            repeats=repeats,
            n_jobs=run.jobs,
            out=out,
            random_state=run.seed,
            progress=meter,
        )
    run.outputs += results
    head, rows, right = result.shown()
    titles = [
        name if of_numbers else f"<{name}" for name, of_numbers in zip(head, right, strict=True)
    ]
    published = [place for place, name in enumerate(head) if name.endswith(" paper")]
    keys = min([*published[:1], len(head), _MOST_KEYS])
    lines = [
        heading(result.title),
        WideTable(titles, rows, keys, together=published),
        *result.notes,
    ]

    def stage(facts: Fields) -> "Stage":
        from dataclasses import replace

        from trueval.report import study_stage

        return study_stage(replace(result, provenance=result.provenance | facts))

    return Outcome(json.loads(result.to_json()), lines, stage)
