"""``trueval split``: stratified folds and their quality."""

import contextlib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueval.cli import read
from trueval.cli.columns import column_options
from trueval.cli.dataset import Carrier, engine_options, split_dataset
from trueval.cli.files import FILE, Input
from trueval.cli.options import ChoiceOf, command, exactly_one, label_options, output_option
from trueval.cli.run import Outcome, Run
from trueval.cli.similar import Similar, leak_options
from trueval.cli.types import Fields, FoldNumbers, Graph, Options, Parts
from trueval.stratify._methods import METHODS, methods_that_take

if TYPE_CHECKING:
    from trueval.core.labels import Labels
    from trueval.data import Ontology
    from trueval.report import Stage
    from trueval.show._stratify import SplitComparison
    from trueval.stratify import SplitQuality

__all__ = ["split"]


class _Effort(click.ParamType):
    """A factor, or ``best``."""

    name = "effort"
    _factor = click.FloatRange(0, min_open=True)

    def convert(
        self, value: float | str, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Read the option."""
        return "best" if value == "best" else self._factor(value, param, ctx)


class _Measure(click.ParamType):
    """A measure, or measures with weights."""

    name = "measure"

    def convert(
        self,
        value: str | dict[str, float],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | dict[str, float]:
        """``ld``, or ``rld=1,ld=10`` as a mapping."""
        if not isinstance(value, str) or "=" not in value:
            return value
        weights: dict[str, float] = {}
        for entry in value.split(","):
            name, _, weight = entry.partition("=")
            try:
                weights[name.strip()] = float(weight)
            except ValueError:
                self.fail(f"{entry!r} is no measure with a weight, such as ld=10.", param, ctx)
        return weights


@command(
    "split",
    short="Make stratified folds.",
    stage=True,
    examples=(
        "trueval split trueval-demo/labels.csv -k 5 -o folds.csv",
        "trueval split trueval-demo/labels.csv --parts 80,10,10 --compare random",
        "trueval split trueval-demo/labels.csv --groups trueval-demo/families.csv -o - | head -4",
        "trueval split trueval-demo/labels.csv --similarity trueval-demo/hits.m8 --threshold 0.3",
    ),
)
@click.argument("labels", type=FILE)
@click.option("-k", "--folds", "k", type=click.IntRange(2), help="Number of equal folds [5].")
@click.option("--parts", metavar="80,10,10", help="Shares of unequal parts instead.")
@click.option(
    "--method",
    type=ChoiceOf(METHODS),
    default="anneal",
    show_default=True,
    help="How to split.",
)
@click.option(
    "--compare",
    type=ChoiceOf(METHODS),
    multiple=True,
    help="Also measure this method (repeatable).",
)
@click.option("--groups", type=FILE, help="Table of id and group; groups stay together.")
@click.option(
    "--fixed",
    type=FILE,
    help="Table of id and part (0, 1, …, or train, valid, test) for rows already assigned.",
)
@leak_options
@click.option(
    "--effort",
    type=_Effort(),
    metavar="NUMBER|best",
    default=1.0,
    help="Search effort, above 0; 2 takes twice as long [1], best until --seconds are over.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help="Time limit [60 with --effort best]; Ctrl-C keeps the best folds so far.",
)
@click.option(
    "--measure",
    type=_Measure(),
    metavar="rld|dcp|ld|lpd|rld=1,ld=10",
    help="What to lower (anneal, optisplit) [rld]; weights make a sum.",
)
@click.option("--max-epochs", type=click.IntRange(1), help="Passes of optisplit [3].")
@click.option(
    "--initial",
    type=Input(names=METHODS),
    metavar="FILE|METHOD",
    help="Folds to start from, or the method that makes them (anneal, optisplit).",
)
@click.option(
    "--cover", is_flag=True, help="Every part gets every class that has enough positives."
)
@engine_options
@output_option("Write the folds (.csv, .tsv, .npz, .parquet).", beside=True)
@label_options
@column_options
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
    effort: float | str,
    seconds: float | None,
    measure: str | dict[str, float] | None,
    max_epochs: int | None,
    initial: str | None,
    cover: bool,
    output: str | None,
    **reading: Any,
) -> Outcome:
    """Divide the rows of LABELS into folds in which every class has its share.

    Prints how far the folds are from the lower bound of any split: 1 is best.
    """
    exactly_one(False, folds=k, parts=parts)
    wanted: Parts = read_parts(parts) if parts else (k or 5)
    search: Options = {
        "effort": None if effort == 1.0 else effort,
        "seconds": seconds,
        "measure": measure,
        "max_epochs": max_epochs,
        "cover": cover or None,
    }
    similar = Similar(reading)
    files = {"groups": groups, "fixed": fixed, "initial": initial}
    _refuse_options(method, files | search)
    carrier = Carrier.of(reading, labels)
    if not carrier.in_memory:
        return split_dataset(
            run,
            labels,
            wanted,
            carrier,
            output=output,
            groups=files.pop("groups"),
            others=search
            | files
            | similar.parameters
            | {"compare": compare, "method": method != "anneal"},
            reading=reading,
        )
    options = files | search
    return _in_memory(run, labels, wanted, method, compare, options, similar, output, reading)


def _in_memory(
    run: Run,
    labels: str,
    wanted: Parts,
    method: str,
    compare: tuple[str, ...],
    options: Options,
    similar: Similar,
    output: str | None,
    reading: Options,
) -> Outcome:
    """Split labels that are read whole; ``options`` are those of the method."""
    from trueval.data import write_folds
    from trueval.data._formats import output_format

    if output not in (None, "-"):
        output_format(output, None)
    y = read.labels(run, labels, **reading)
    options = {name: value for name, value in options.items() if value is not None}
    parameters: Fields = {"method": method, "parts": wanted, "groups": None, "fixed": None}
    parameters |= options | similar.parameters
    if "groups" in options:
        options["groups"] = read.groups(run, options["groups"], y)
    if "fixed" in options:
        n_parts = None if isinstance(wanted, int) else len(wanted)
        options["fixed"] = read.fixed(run, options["fixed"], y, n_parts)
    if "initial" in options and options["initial"] not in METHODS:
        options["initial"] = _initial(run, options["initial"], y)
    options |= similar.read(run, y)

    folds_by_method, elapsed = {}, {}
    for name in dict.fromkeys((method, *compare)):
        folds_by_method[name], elapsed[name] = _folds(
            run, y, wanted, name, options if name == method else {}
        )
    run.write(
        output,
        lambda path: write_folds(
            path, folds_by_method[method], labels=y, parameters=parameters, seed=run.seed
        ),
    )
    free = compare and (parameters["groups"] or parameters["fixed"] or similar.near)
    notes = ("The other splits ignore groups, fixed rows and similarity.",) if free else ()
    if "groups" in options:
        similar.near["groups"] = options["groups"]
    splits = compared(y, folds_by_method, wanted, elapsed, notes, similar.near)
    result = outcome(y, folds_by_method, splits, run.ontology)
    if output is None:
        result.data["folds"] = folds_by_method[method]
        result.lines = ("Folds not saved (use -o folds.csv).",)
    similar.add_trade_off(run, result, y, wanted, options)
    return result


def _refuse_options(method: str, options: Options) -> None:
    for name, value in options.items():
        if value is not None and name not in METHODS[method].takes:
            able = " or ".join(methods_that_take(name))
            option = name.replace("_", "-")
            raise click.UsageError(f"--{option} needs --method {able}; {method} cannot.")


def _initial(run: Run, path: str, y: "Labels") -> FoldNumbers:
    """Folds of a file to start from."""
    if path != "-" and not Path(path).exists():
        raise click.BadParameter(
            f"{path!r} is neither a file nor one of {', '.join(METHODS)}.", param_hint="--initial"
        )
    return read.folds(run, path, y).folds


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


def _folds(
    run: Run, y: "Labels", wanted: Parts, method: str, options: Options
) -> tuple[FoldNumbers, float]:
    """Folds by a method, and the seconds they took."""
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


def compared(
    y: "Labels",
    folds: dict[str, FoldNumbers],
    wanted: Parts | None,
    seconds: dict[str, float],
    notes: tuple[str, ...] = (),
    near: Graph | None = None,
) -> "SplitComparison":
    """Measure one or more splits of the same labels, once each."""
    from trueval.show._stratify import SplitComparison
    from trueval.stratify import split_quality

    qualities = {
        name: split_quality(y, numbers, parts=wanted, **(near or {}))
        for name, numbers in folds.items()
    }
    return SplitComparison(qualities, y.nnz, seconds, notes)


def outcome(
    y: "Labels",
    folds: dict[str, FoldNumbers],
    splits: "SplitComparison",
    ontology: "Ontology | None" = None,
) -> Outcome:
    """What splits of the same labels are worth, the first one in question."""
    from trueval.show import summary

    def stage(facts: Fields) -> "Stage":
        from trueval.report.sections.split import comparison_stage

        return comparison_stage(y, folds[splits.method], splits, facts, ontology)

    return Outcome(comparison_data(splits), stage=stage, summary=summary(splits))


def comparison_data(splits: "SplitComparison") -> Fields:
    """Splits of the same labels for ``--json``."""
    return {
        "rows": splits.quality.n_rows,
        "classes": splits.quality.n_classes,
        "positives": splits.n_positives,
        "parts": splits.quality.n_parts,
        "method": splits.method,
        "methods": {
            name: measures(q) | {"seconds": splits.seconds.get(name)}
            for name, q in splits.qualities.items()
        },
    }


#: Measures of a split that keeps groups or similar rows together.
_TOGETHER = ("groups_split", "group_bound", "group_ratio")


def measures(quality: "SplitQuality") -> Fields:
    """Measures of a split for ``--json``."""
    names = ("rld_wanted", "rld_bound", "rld_ratio", "rld", "dcp", "dcp_bound", "dcp_ratio", "ld")
    rest = ("ed", "sizes", "missing", "avoidable", "n_rare", "n_empty", "n_full")
    values = {name: getattr(quality, name) for name in (*names, *rest, "n_dropped")}
    if quality.group_bound is not None:
        values |= {name: getattr(quality, name) for name in _TOGETHER}
    if quality.leakage is not None:
        values |= {"leakage": asdict(quality.leakage) | {"rld_ratio": quality.group_ratio}}
    return values
