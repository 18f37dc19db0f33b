"""``trueval quality``: measure anybody's split."""

from typing import Any

import click

from trueval.cli import read
from trueval.cli.files import FILE
from trueval.cli.options import command, label_options
from trueval.cli.run import Outcome, Run
from trueval.cli.split import outcome, read_parts

__all__ = ["quality"]


@command(
    "quality",
    short="Measure any split against its bound.",
    stage=True,
    examples=(
        "trueval quality trueval-demo/labels.csv trueval-demo/folds.csv",
        "trueval quality trueval-demo/labels.csv trueval-demo/folds.csv --json",
    ),
)
@click.argument("labels", type=FILE)
@click.argument("folds", type=FILE, nargs=-1, required=True)
@click.option("--parts", metavar="80,10,10", help="Shares that were wanted, if not equal ones.")
@click.option(
    "--worst", type=click.IntRange(0), default=5, show_default=True, help="Classes to list."
)
@label_options
def quality(
    run: Run,
    *,
    labels: str,
    folds: tuple[str, ...],
    parts: str | None,
    worst: int,
    **reading: Any,
) -> Outcome:
    """Measure splits of LABELS, whoever made them, against the bound.

    FOLDS are files with the columns id (or row) and fold, or as 'trueval split' writes them;
    several are measured beside each other.
    """
    wanted = read_parts(parts) if parts else None
    y = read.labels(run, labels, **reading)
    made = {}
    for name in folds:
        found = read.folds(run, name, y)
        stored = found.provenance.get("parameters", {}).get("parts")
        wanted = stored if wanted is None else wanted
        n_parts = int(found.folds.max()) + 1
        if parts and len(wanted) < n_parts:
            raise click.BadParameter(
                f"names {len(wanted)} parts, but {name} has {n_parts}.", param_hint="--parts"
            )
        made[name] = found.folds
    found_outcome = outcome(y, made, {}, wanted)
    if worst:
        found_outcome.shown += _worst(y, made[folds[0]], wanted, worst)
    return found_outcome


def _worst(y: Any, folds: Any, wanted: Any, n: int) -> list[Any]:
    from trueval.cli.show import heading, table
    from trueval.core.table import Table
    from trueval.stratify import split_quality

    per_class = split_quality(y, folds, parts=wanted).per_class
    excess = per_class["rld_wanted"] - per_class["rld_bound"]
    ordered = Table({**per_class, "excess": excess}).take(per_class["size"] > 0)
    top = ordered.sort_by("excess", descending=True).head(n)
    names = ("class", "size", "rld_wanted", "rld_bound", "missing")
    rows = list(zip(*(top[name].tolist() for name in names), strict=True))
    titles = ["class", "members", "rLD", "bound", "parts without it"]
    return [heading("Classes furthest from their bound"), table(titles, rows)]
