"""Options of commands that know which rows are similar."""

from typing import TYPE_CHECKING

import click

from trueval.cli import read
from trueval.cli.files import FILE
from trueval.cli.parameters import with_options
from trueval.cli.run import Outcome, Run
from trueval.cli.types import Fields, Function, Graph, Options, Parts

if TYPE_CHECKING:
    from trueval.core.labels import Labels

__all__ = ["Similar", "leak_options", "similarity_options"]

_MEASURE = ("similarity", "threshold", "similarity_column", "similarity_unit")
_SPLIT = ("oversized", "tolerance", "cut_weight")


def similarity_options(function: Function) -> Function:
    """Options for a graph of similar rows."""
    return with_options(
        function,
        click.option(
            "--similarity",
            type=FILE,
            metavar="HITS",
            help="Similar rows (hits .m8 of MMseqs2, DIAMOND, BLAST; a table; .npz).",
        ),
        click.option("--threshold", type=click.FloatRange(0), help="Least similarity that counts."),
        click.option(
            "--similarity-column", metavar="NAME", help="Column of HITS with the similarity."
        ),
        click.option(
            "--similarity-unit",
            type=click.Choice(["fraction", "percent", "as given"]),
            help="Unit of that column, if not found by itself.",
        ),
    )


def leak_options(function: Function) -> Function:
    """Options for a split that keeps similar rows together."""
    return with_options(
        function,
        similarity_options,
        click.option(
            "--oversized",
            type=click.Choice(["drop", "cut"]),
            help="Similar rows that fit into no fold: drop a few [drop], or cut their similarity.",
        ),
        click.option(
            "--tolerance", type=click.FloatRange(0, 1), help="Excess size of a fold [0.05]."
        ),
        click.option(
            "--cut-weight",
            type=click.FloatRange(0),
            metavar="WEIGHT",
            help="Similar rows may be apart: lower rLD + WEIGHT · share of similarity between"
            " folds.",
        ),
        click.option(
            "--trade-off",
            metavar="0,0.1,1",
            callback=_weights,
            help="Also print rLD and similarity between folds for these weights.",
        ),
    )


def _weights(ctx: click.Context, param: click.Parameter, text: str | None) -> list[float] | None:
    """Weights such as ``0,0.1,1``."""
    if text is None:
        return None
    try:
        weights = [float(weight) for weight in text.split(",")]
    except ValueError:
        weights = []
    if not weights or not all(0 <= weight < float("inf") for weight in weights):
        raise click.BadParameter(f"must be numbers from 0, such as 0,0.1,1. Got {text!r}.")
    return weights


class Similar:
    """The options of one call: taken out of all its options, and refused without a graph."""

    def __init__(self, values: Options) -> None:
        names = (*_MEASURE, *_SPLIT, "trade_off")
        chosen = {name: values.pop(name, None) for name in names}
        chosen = {name: value for name, value in chosen.items() if value is not None}
        if "similarity" not in chosen:
            for name in chosen:
                raise click.UsageError(f"--{name.replace('_', '-')} needs --similarity.")
        self._chosen = chosen
        #: The graph and the threshold, as the library takes them.
        self.near: Graph = {}

    @property
    def parameters(self) -> Fields:
        """What was chosen, for the provenance of folds."""
        return {name: self._chosen[name] for name in self._chosen if name != "trade_off"}

    def read(self, run: Run, labels: "Labels | list[object]") -> Options:
        """Options for :func:`trueval.stratify.stratified_folds`."""
        if self._chosen:
            column, unit = (self._chosen.get(f"similarity_{part}") for part in ("column", "unit"))
            graph = read.similarity(run, self._chosen["similarity"], labels, column, unit)
            self.near = {"similarity": graph, "threshold": self._chosen.get("threshold")}
        return {**self.near} | {name: self._chosen[name] for name in _SPLIT if name in self._chosen}

    def add_trade_off(
        self, run: Run, result: Outcome, y: "Labels", wanted: Parts, options: Options
    ) -> None:
        """Splits of several weights below the one that was asked for, if that is wished."""
        if "trade_off" not in self._chosen:
            return
        from trueval.cli.show import grid, heading
        from trueval.show._core import table_block
        from trueval.stratify import leakage_trade_off

        options = {name: value for name, value in options.items() if name != "cut_weight"}
        with run.meter("Splitting by other weights"):
            curve = leakage_trade_off(
                y, wanted, cut_weights=self._chosen["trade_off"], random_state=run.seed, **options
            )
        result.data["trade_off"] = {name: curve[name] for name in curve}
        title = heading("rLD and similarity between folds by weight")
        result.lines = (*result.lines, title, grid(table_block(curve)))
