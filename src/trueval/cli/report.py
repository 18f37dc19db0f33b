"""``trueval report``: saved results into one page."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueval.cli.files import FILE, Output
from trueval.cli.options import command
from trueval.cli.run import Outcome, Run
from trueval.core.errors import InputError, InputWarning, Place, warn_user
from trueval.core.folders import files_in

if TYPE_CHECKING:
    from trueval.report import Stage

__all__ = ["report"]


@command(
    "report",
    short="Saved results on one page.",
    examples=(
        "trueval report trueval-demo/split.json trueval-demo/calls.json -o page.html",
        "trueval report trueval-demo -o page.html --title 'A simulated proteome'",
    ),
)
@click.argument("results", type=FILE, nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=Output(),
    metavar="FILE",
    default="report.html",
    show_default=True,
    help="The page.",
)
@click.option("--title", default="trueval report", show_default=True, help="Its title.")
def report(run: Run, *, results: tuple[str, ...], output: str, title: str) -> Outcome:
    """Put RESULTS, files that other commands wrote with --save, on one page.

    A folder means all results in it. The page is one HTML file that needs no network.
    """
    from trueval.report import write_report

    with run.meter("Writing the report"):
        pairs = [pair for name in results for pair in _results(run, name)]
        paths, stages = [path for path, _ in pairs], [stage for _, stage in pairs]
        if any(Path(name).is_dir() for name in results):
            stages.sort(key=lambda stage: stage.section.order)
        for path in paths:
            run.note_input(path)
        run.write(output, lambda path: write_report(path, stages, title=title), ".html")
    kinds = [stage.kind for stage in stages]
    size = None if output == "-" else Path(output).stat().st_size
    said = f"{len(stages)} result{'s' if len(stages) > 1 else ''} ({', '.join(kinds)})"
    line = said if size is None else f"{said} in one page of {size / 1000:,.0f} kB."
    return Outcome({"stages": kinds, "title": title, "bytes": size}, [line])


def _results(run: Run, name: str) -> "list[tuple[str, Stage]]":
    """The result of a file, or those of a folder; other JSON files in it are left out."""
    from trueval.data._side import is_side_file

    path = Path(name)
    if not path.is_dir():
        return [(name, _stage(run, name))]
    stages = []
    inside = files_in(path, below=False)
    for inner in sorted(p for p in inside if p.suffix == ".json" and not p.name.startswith(".")):
        run.files.reads(str(inner))
        try:
            if not is_side_file(inner):
                stages.append((str(inner), _stage(run, str(inner))))
        except InputError as error:
            warn_user(f"{inner} is left out: {error.problem}", InputWarning)
        except OSError as error:
            warn_user(f"{inner} is left out: {error.strerror}.", InputWarning)
    if not stages:
        raise InputError(
            "no result in this folder.",
            place=Place(name),
            fix="Save results with --save first, as in 'trueval split labels.csv --save "
            "split.json'.",
        )
    return stages


def _stage(run: Run, path: str) -> "Stage":
    """The result of one file."""
    from trueval.report._stage import stage_in

    source = run.source(path)
    with source.open() as file:
        return stage_in(file, source.name)
