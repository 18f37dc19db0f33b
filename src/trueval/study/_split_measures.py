"""Figures 2 and 3 of the OptiSplit paper: what LD, rLD and DCP do with class size."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.table import Table
from trueval.data import simulate
from trueval.show._vega._study import lines_figure
from trueval.stratify import measures
from trueval.study import _published_000 as published
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work
from trueval.study._tables import columns_of

__all__ = ["STUDIES"]

# --- Figure 2: one fold of 20 %, with more or fewer members than its share -------

_RATIOS = (0.10, 0.15, 0.20, 0.25, 0.30)
_N_ROWS = 100_000


def one_fold(seed: int, ratio: float, n_sizes: int) -> dict[str, Any]:
    """LD and rLD of one fold that has a given share of each class, by class size."""
    sizes = np.linspace(500, 50_000, n_sizes)
    overall, in_fold = sizes / _N_ROWS, ratio * sizes / (0.2 * _N_ROWS)
    return {
        "size": sizes.tolist(),
        "LD": np.abs(in_fold / (1 - in_fold) - overall / (1 - overall)).tolist(),
        "rLD": np.abs((overall - in_fold) / overall).tolist(),
    }


def figure_2_work(plan: Plan) -> Work:
    n = 12 if plan.quick else 60
    return Work(
        [Cell(one_fold, {"ratio": ratio, "n_sizes": n}) for ratio in _RATIOS],
        data=[{"name": "none", "from": "the formulas of eqs. 3.1 and 3.3"}],
    )


_RISES, _FLAT, _ZERO = "rises with class size", "the same for every size", "0"


def figure_2(done: Sequence[Done]) -> Outcome:
    sizes = done[0].result["size"]
    curves: list[tuple[str, str, NDArray[np.float64], str]] = []
    for upper, lower, name, expected in (("A", "C", "LD", _RISES), ("B", "D", "rLD", _FLAT)):
        by_ratio = {c.parameters["ratio"]: np.array(c.result[name]) for c in done}
        curves += [
            (f"{upper}: {name}", f"{ratio:g}", values, _ZERO if ratio == 0.2 else expected)
            for ratio, values in by_ratio.items()
        ]
        curves += [
            (
                f"{lower}: step of {name}",
                f"{a:g} to {b:g}",
                np.abs(by_ratio[b] - by_ratio[a]),
                expected,
            )
            for a, b in pairwise(by_ratio)
        ]
    lines = [
        {
            "panel": panel,
            "share of the fold": share,
            "smallest class": values[0],
            "largest class": values[-1],
            "says": _trend(values),
            "says paper": expected,
        }
        for panel, share, values, expected in sorted(curves, key=lambda curve: curve[0])
    ]
    rows = [
        {"class size": size, "score": float(value), "share of the fold": share, "panel": panel}
        for panel, share, values, _ in sorted(curves, key=lambda curve: curve[0])
        for size, value in zip(sizes, values, strict=True)
    ]
    table = Table(columns_of(lines))
    figure = lines_figure(
        rows, "class size", "score", colour="share of the fold", panel="panel", points=False,
        title="One fold of 20 %: LD and rLD against class size",
    )  # fmt: skip
    return Outcome(table, figure, [_agreement(table)])


def _agreement(table: Table) -> str:
    agree = int((table["says"] == table["says paper"]).sum())
    return (
        "The figure has no numbers in print; its statement is compared. "
        f"{agree} of {table.n_rows} curves do as it says."
    )


def _trend(values: NDArray[np.float64]) -> str:
    if np.allclose(values, 0, atol=1e-12):
        return _ZERO
    # Whole members cannot be shared out exactly, so a few small classes may be off.
    middle = np.median(values)
    if np.mean(np.abs(values - middle) <= 0.05 * middle) >= 0.9:
        return _FLAT
    return _RISES if np.all(np.diff(values) > 0) else "neither"


# --- Figure 3: three splits of SYNTHETIC -----------------------------------------

# What the design gives for every class: rLD and DCP, 10 folds.
_EXACT = {"equal": (0.0, 0.0), "difference": (0.04, 0.02), "one missing": (0.2, 1 / 9 - 0.1)}


def synthetic_split(seed: int, kind: str, n_rows: int) -> dict[str, Any]:
    """Class sizes and scores of one split of SYNTHETIC."""
    counts, sizes = simulate.synthetic_folds(kind, n_rows)
    shares = np.full(len(sizes), 1 / len(sizes))
    return {
        "size": counts.sum(axis=1).tolist(),
        "LD": measures.ld(counts, sizes).tolist(),
        "rLD": measures.rld(counts, sizes).tolist(),
        "DCP": measures.dcp(counts, shares).tolist(),
    }


def figure_3_work(plan: Plan) -> Work:
    n_rows = 20_000 if plan.quick else 100_000
    return Work(
        [Cell(synthetic_split, {"kind": kind, "n_rows": n_rows}) for kind in _EXACT],
        data=[{"name": "SYNTHETIC", "from": "trueval.data.simulate.synthetic_folds"}],
    )


def figure_3(done: Sequence[Done]) -> Outcome:
    lines, rows = [], []
    for cell in done:
        kind, result = cell.parameters["kind"], cell.result
        for name in ("LD", "rLD", "DCP"):
            values = np.array(result[name])
            rows += [
                {"class size": size, "score": value, "split": kind, "measure": name}
                for size, value in zip(result["size"], result[name], strict=True)
            ]
            exact = {"rLD": _EXACT[kind][0], "DCP": _EXACT[kind][1], "LD": np.nan}[name]
            expected = _ZERO if kind == "equal" else _RISES if name == "LD" else _FLAT
            lines.append(
                {
                    "split": kind,
                    "measure": name,
                    "by design": exact if kind != "equal" else 0.0,
                    "smallest class": values[0],
                    "median": float(np.median(values)),
                    "largest class": values[-1],
                    "says": _trend(values),
                    "says paper": expected,
                }
            )
    table = Table(columns_of(lines))
    notes = [
        _agreement(table),
        "The smallest class has 20 members, too few to be 20 % off or shared by nine folds "
        "exactly.",
    ]
    figure = lines_figure(
        rows, "class size", "score", colour="split", panel="measure", points=False,
        title="Three splits of SYNTHETIC",
    )  # fmt: skip
    return Outcome(table, figure, notes)


_study = partial(Study, paper=published.CITATION)
STUDIES = (
    _study(
        name="000-figure2",
        title="LD and rLD of one fold against class size",
        data="none: formulas",
        about="LD weighs large classes more; rLD weighs all classes alike.",
        work=figure_2_work,
        conclude=figure_2,
    ),
    _study(
        name="000-figure3",
        title="LD, rLD and DCP on three splits of SYNTHETIC",
        data="SYNTHETIC (simulated)",
        about="Folds that are equal, 20 % off in two, or without members in one.",
        work=figure_3_work,
        conclude=figure_3,
    ),
)
