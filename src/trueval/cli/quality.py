"""``trueval quality``: measure any split."""

from typing import Any

import click

from trueval.cli import read
from trueval.cli.columns import column_options
from trueval.cli.dataset import Carrier, engine_options, measure_dataset
from trueval.cli.files import FILE
from trueval.cli.options import command, label_options
from trueval.cli.ranked import term_names
from trueval.cli.run import Outcome, Run
from trueval.cli.similar import Similar, similarity_options
from trueval.cli.split import compared, outcome, read_parts

__all__ = ["quality"]


@command(
    "quality",
    short="Measure any split against the lower bound.",
    stage=True,
    examples=(
        "trueval quality trueval-demo/labels.csv trueval-demo/folds.csv",
        "trueval quality trueval-demo/labels.csv trueval-demo/folds.csv --json",
    ),
)
@click.argument("labels", type=FILE)
@click.argument("folds", type=FILE, nargs=-1, required=True)
@click.option("--parts", metavar="80,10,10", help="Wanted shares, if not equal.")
@click.option(
    "--worst", type=click.IntRange(0), default=5, show_default=True, help="Classes to list."
)
@click.option("--groups", type=FILE, help="Table of id and group that should be together.")
@similarity_options
@engine_options
@label_options
@column_options
def quality(
    run: Run,
    *,
    labels: str,
    folds: tuple[str, ...],
    parts: str | None,
    worst: int,
    groups: str | None,
    **reading: Any,
) -> Outcome:
    """Measure splits of LABELS, made by any tool, against the lower bound.

    FOLDS are files with the columns id (or row) and fold, or as 'trueval split' writes them;
    several are compared with each other. LABELS may be a folder of Parquet files.
    """
    wanted = read_parts(parts) if parts else None
    similar = Similar(reading)
    carrier = Carrier.of(reading, labels)
    if not carrier.in_memory:
        carrier.refuse(similar.parameters | {"groups": groups})
        return measure_dataset(run, labels, folds, wanted, carrier, reading)
    y = read.labels(run, labels, **reading)
    folds_by_name = {}
    for name in folds:
        of_file = read.folds(run, name, y)
        stored = of_file.provenance.get("parameters", {}).get("parts")
        wanted = stored if wanted is None else wanted
        n_parts = int(of_file.folds.max()) + 1
        if parts and len(wanted) < n_parts:
            raise click.BadParameter(
                f"names {len(wanted)} parts, but {name} has {n_parts}.", param_hint="--parts"
            )
        folds_by_name[name] = of_file.folds
    similar.read(run, y)
    if groups:
        similar.near["groups"] = read.groups(run, groups, y)
    splits = compared(y, folds_by_name, wanted, {}, near=similar.near)
    result = outcome(y, folds_by_name, splits, run.ontology)
    if worst:
        from trueval.cli.show import grid, heading
        from trueval.show._stratify import worst_classes

        names = None
        if run.ontology is not None:
            names = dict(zip(y.classes, term_names(y.classes.tolist(), run.ontology), strict=True))
        table = worst_classes(splits.quality, worst, names)
        result.lines = (heading(table.caption), grid(table))
    return result
