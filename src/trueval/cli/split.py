"""``trueval split``: stratified folds and their quality."""

import contextlib
from typing import Any

import click

from trueval.cli import read
from trueval.cli.files import FILE
from trueval.cli.options import command, exactly_one, label_options, output_option
from trueval.cli.run import Outcome, Run

__all__ = ["METHODS", "TAKES", "split"]

#: The methods of :data:`trueval.METHODS`, named here so that --help imports nothing.
METHODS = ("anneal", "optisplit", "iterative", "iterative2", "sampling", "pmbsrs", "random")

#: Methods that take an option; the others cannot.
TAKES = {"groups": ("anneal", "random")} | dict.fromkeys(
    ("fixed", "effort", "seconds", "cover"), ("anneal",)
)


class _Effort(click.FloatRange):
    """A factor, or ``best``."""

    name = "effort"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Read the option."""
        return value if value == "best" else super().convert(value, param, ctx)


@command(
    "split",
    short="Make stratified folds.",
    stage=True,
    examples=(
        "trueval split trueval-demo/labels.csv -k 5 -o folds.csv",
        "trueval split trueval-demo/labels.csv --parts 80,10,10 --compare random",
        "trueval split trueval-demo/labels.csv --groups trueval-demo/families.csv -o - | head -4",
    ),
)
@click.argument("labels", type=FILE)
@click.option("-k", "--folds", "k", type=click.IntRange(2), help="Number of equal folds [5].")
@click.option("--parts", metavar="80,10,10", help="Shares of unequal parts instead.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="anneal",
    show_default=True,
    help="How to split.",
)
@click.option(
    "--compare",
    type=click.Choice(METHODS),
    multiple=True,
    help="Measure this method beside; may be repeated.",
)
@click.option("--groups", type=FILE, help="Table of id and group; groups stay together.")
@click.option("--fixed", type=FILE, help="Table of id and part for rows already assigned.")
@click.option(
    "--effort",
    type=_Effort(0, min_open=True),
    metavar="NUMBER|best",
    default=1.0,
    help="Factor on the work; best searches until --seconds are over.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help="Time limit [60 with --effort best]; Ctrl-C keeps the best folds so far.",
)
@click.option(
    "--cover", is_flag=True, help="Every part gets every class that has enough positives."
)
@output_option("Write the folds (.csv, .tsv, .npz, .parquet).")
@label_options
def split(
    run: Run,
    *,
    labels: str,
    k: int | None,
    parts: str | None,
    method: str,
    compare: tuple[str, ...],
    groups: str | None,
    fixed: str | None,
    effort: Any,
    seconds: float | None,
    cover: bool,
    output: str | None,
    **reading: Any,
) -> Outcome:
    """Divide the rows of LABELS into folds in which every class has its share.

    Prints how far the folds are from the bound that no split can pass: 1 is perfect.
    """
    exactly_one(False, folds=k, parts=parts)
    wanted: Any = read_parts(parts) if parts else (k or 5)
    search = {
        "effort": None if effort == 1.0 else effort,
        "seconds": seconds,
        "cover": cover or None,
    }
    for name, value in ({"groups": groups, "fixed": fixed} | search).items():
        if value is not None and method not in TAKES[name]:
            able = " or ".join(TAKES[name])
            raise click.UsageError(f"--{name} needs --method {able}; {method} cannot.")

    from trueval.data.folds import write_folds
    from trueval.data.tables import output_format

    if output not in (None, "-"):
        output_format(output, None)
    y = read.labels(run, labels, **reading)
    options = {name: value for name, value in search.items() if value is not None}
    if groups is not None:
        options["groups"] = read.groups(run, groups, y)
    if fixed is not None:
        options["fixed"] = read.fixed(run, fixed, y)

    made, took = {}, {}
    for name in dict.fromkeys((method, *compare)):
        made[name], took[name] = _folds(run, y, wanted, name, options if name == method else {})
    parameters = {"method": method, "parts": wanted, "groups": groups, "fixed": fixed} | {
        name: value for name, value in search.items() if value is not None
    }
    run.write(
        output,
        lambda path: write_folds(
            path, made[method], labels=y, parameters=parameters, seed=run.seed
        ),
    )
    found = outcome(y, made, took, wanted, keep=output is None)
    if compare and (groups or fixed):
        found.shown.insert(2, "The methods beside it were free of groups and fixed rows.")
    return found


def read_parts(text: str) -> list[float]:
    """Shares of parts, such as ``80,10,10``."""
    try:
        shares = [float(part) for part in text.split(",")]
    except ValueError:
        shares = []
    if len(shares) < 2 or not all(0 < share < float("inf") for share in shares):
        raise click.BadParameter(
            f"must be positive shares, at least two, such as 80,10,10. Got {text!r}.",
            param_hint="--parts",
        )
    return shares


def _folds(run: Run, y: Any, wanted: Any, method: str, options: dict[str, Any]) -> Any:
    import time

    from trueval.cli.interrupt import left_to_the_search
    from trueval.stratify import stratified_folds

    started = time.perf_counter()
    timed = "seconds" in options or options.get("effort") == "best"
    answer = left_to_the_search() if timed else contextlib.nullcontext()
    with answer, run.meter(f"Splitting by {method}") as meter:
        folds = stratified_folds(
            y,
            wanted,
            method=method,
            n_jobs=run.jobs,
            random_state=run.seed,
            progress=meter,
            **options,
        )
    return folds, time.perf_counter() - started


def outcome(
    y: Any, made: dict[str, Any], seconds: dict[str, float], wanted: Any, *, keep: bool = False
) -> Outcome:
    """Measures of one or more splits of the same labels, the first one ours."""
    from trueval.cli.show import heading, table
    from trueval.stratify import split_quality

    quality = {name: split_quality(y, folds, parts=wanted) for name, folds in made.items()}
    first, *others = made
    best = quality[first]
    rows = [
        [
            name,
            q.rld_ratio,
            q.dcp_ratio,
            q.avoidable,
            f"{q.sizes.min():,} to {q.sizes.max():,}",
            f"{seconds[name]:.2f}" if name in seconds else None,
        ]
        for name, q in quality.items()
    ]
    columns = [
        "method",
        "rLD × bound",
        "DCP × bound",
        "avoidable gaps",
        "rows in a part",
        "seconds",
    ]
    shown = [
        heading(
            f"{y.n_rows:,} rows, {y.n_classes:,} classes, {y.nnz:,} positives in "
            f"{best.n_parts} parts"
        ),
        table(columns, rows, strong=(0,)),
        _verdict(first, best, {name: quality[name] for name in others}),
    ]
    data: dict[str, Any] = {
        "rows": y.n_rows,
        "classes": y.n_classes,
        "positives": y.nnz,
        "parts": best.n_parts,
        "method": first,
        "methods": {
            name: measures(q) | {"seconds": seconds.get(name)} for name, q in quality.items()
        },
    }
    if keep:
        data["folds"] = made[first]
        shown.append("The folds were not kept: -o folds.csv writes them.")

    def stage(facts: dict[str, Any]) -> Any:
        from trueval.report import split_stage

        beside = {name: made[name] for name in others}
        return split_stage(
            y, made[first], parts=wanted, method=first, others=beside, provenance=facts
        )

    return Outcome(data, shown, stage)


def measures(quality: Any) -> dict[str, Any]:
    """Measures of a split for ``--json``."""
    names = ("rld_wanted", "rld_bound", "rld_ratio", "rld", "dcp", "dcp_bound", "dcp_ratio", "ld")
    rest = ("ed", "sizes", "missing", "avoidable", "n_rare", "n_empty")
    return {name: getattr(quality, name) for name in (*names, *rest)}


def _verdict(first: str, best: Any, others: dict[str, Any]) -> str:
    text = (
        f"By {first}, class counts deviate {best.rld_ratio:.3f} times the bound that no split "
        "can pass"
    )
    if others:
        worst = max(others, key=lambda name: others[name].rld_ratio)
        text += f"; by {worst} {others[worst].rld_ratio:.3f} times"
    gaps = (
        f"{best.avoidable:,} class-part cells lack a member they could have"
        if best.avoidable
        else "every class that can be is in every part"
    )
    return f"{text}. {gaps[0].upper()}{gaps[1:]}."
