"""Simulations I and II of the local-precision-rate paper: Tables 2 to 5, and a Figure 1.

The paper's F of raw scores and of LPR is the best on the *test* data, that of its OT column uses
thresholds from training. Both are repeated, next to all methods with thresholds from training.
"""

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import auc

from trueval.core.table import Table
from trueval.data.simulate import simulation_two, true_rates
from trueval.rank import (
    OneClassWarning,
    OptimalThresholds,
    average_precision,
    f_measure,
    pooled_precision_recall_curve,
)
from trueval.show._vega._study import lines_figure
from trueval.study import _published_002 as published
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work, stream
from trueval.study._rank_measures import OURS, RANKERS, best_threshold
from trueval.study._tables import columns_of, mean_and_error

__all__ = ["STUDIES"]

_BLOCK = 10  # runs in a cell
_ENOUGH = 10  # runs below which a standard error says nothing
_QUICK = (("100", "0.05"), ("500", "0.2"), ("100", "0.05", "0.05"), ("500", "0.07", "0.03"))


# --- one run ---------------------------------------------------------------------


def _values(M: int, pi1: float, pi2: float, random: Any) -> tuple[dict[str, Any], Any, Any] | None:
    """Values of all rankers on training and test data; None if a side has no member."""
    scores, y = simulation_two(M, pi1, pi2, random_state=random)
    new, new_y = simulation_two(M, pi1, pi2, random_state=random)
    if y.nnz == 0 or new_y.nnz == 0:
        return None
    values = {"raw": (scores, new)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        for name, make in RANKERS.items():
            ranker = make().fit(scores, y)
            values[name] = (ranker.transform(scores), ranker.transform(new))
    values["oracle"] = (true_rates(scores, pi1, pi2), true_rates(new, pi1, pi2))
    return values, y, new_y


def simulate_runs(seed: int, M: int, pi1: float, pi2: float, first: int, n: int) -> dict[str, Any]:
    """Areas, best F on test, and F at the threshold from training, by ranker and run.

    Two areas: average precision, and that below the points joined by lines.
    """
    out: dict[str, dict[str, list[float]]] = {"area": {}, "lines": {}, "best": {}, "honest": {}}
    for run in range(first, first + n):
        draw = _values(M, pi1, pi2, stream(seed, "simulation", M, pi1, pi2, run))
        if draw is None:
            continue
        values, y, new_y = draw
        for name, (train, test) in values.items():
            limit = best_threshold(train, y)[0]
            curve = pooled_precision_recall_curve(test, new_y)
            measures = {
                "area": average_precision(test, new_y),
                "lines": auc(curve.recall, curve.precision),
                "best": best_threshold(test, new_y)[1],
                "honest": f_measure(test, new_y, threshold=limit),
            }
            for kind, value in measures.items():
                out[kind].setdefault(name, []).append(round(float(value), 7))
        scores, new = values["raw"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)
            calls = OptimalThresholds().fit(scores, y).predict(new)
        out["honest"].setdefault("OT", []).append(round(float(f_measure(calls, new_y)), 7))
    return out


_OPEN = (
    "The paper's brackets are read as the standard deviation of one run. It leaves open how LPR "
    "treats ties, bandwidths and values beyond 0 and 1; the choices here were searched for to "
    "come close to its figures."
)


# --- Tables 2 to 5 ---------------------------------------------------------------


def _work(plan: Plan, keys: Sequence[tuple[str, ...]]) -> Work:
    runs = plan.n(100, 5, least=1)
    settings = [key for key in keys if not plan.quick or key in _QUICK]
    cells = [
        Cell(
            simulate_runs,
            {
                "M": int(key[0]),
                "pi1": float(key[1]),
                "pi2": float(key[2]) if len(key) > 2 else 0.0,
                "first": first,
                "n": min(_BLOCK, runs - first),
            },
        )
        for key in settings
        for first in range(0, runs, _BLOCK)
    ]
    which = "II" if len(keys[0]) > 2 else "I"
    data = [{"name": f"Simulation {which}", "from": "trueval.data.simulate"}]
    notes = ["Quick: only some of the settings."] if plan.quick else []
    return Work(cells, data, notes, runs)


def work_one(plan: Plan) -> Work:
    return _work(plan, list(published.TABLE_3))


def work_two(plan: Plan) -> Work:
    return _work(plan, list(published.TABLE_5))


def _joined(
    done: Sequence[Done],
) -> dict[tuple[int, float, float], dict[str, dict[str, list[float]]]]:
    """All runs of each setting."""
    out: dict[Any, dict[str, dict[str, list[float]]]] = {}
    for cell in done:
        p = cell.parameters
        setting = out.setdefault((p["M"], p["pi1"], p["pi2"]), {})
        for kind, by_name in cell.result.items():
            for name, values in by_name.items():
                setting.setdefault(kind, {}).setdefault(name, []).extend(values)
    return out


def _numbers(
    table: Mapping[tuple[str, ...], Mapping[str, float]],
) -> dict[tuple[int, float, float], Mapping[str, float]]:
    return {
        (int(key[0]), float(key[1]), float(key[2]) if len(key) > 2 else 0.0): row
        for key, row in table.items()
    }


def _setting(key: tuple[int, float, float]) -> dict[str, Any]:
    return {"M": key[0], "π1": key[1], **({"π2": key[2]} if key[2] else {})}


def areas(done: Sequence[Done], paper: Mapping[tuple[str, ...], Mapping[str, float]]) -> Outcome:
    """Table 2 or 4."""
    numbers, runs, lines = _numbers(paper), _joined(done), []
    for key, measures in runs.items():
        line = _setting(key)
        for name in published.AREAS:
            line[f"{name} paper"] = numbers.get(key, {}).get(name, np.nan)
            line[name], line[f"{name} se"] = mean_and_error(measures["area"][name])
        for name in (*OURS, "oracle"):
            line[name], line[f"{name} se"] = mean_and_error(measures["area"][name])
        lines.append(line)
    table = Table(columns_of(lines))
    n_runs = min(len(measures["area"]["raw"]) for measures in runs.values())
    notes = [_gap(table, name, numbers, lines, n_runs) for name in published.AREAS]
    means = {name: float(np.mean(table[name])) for name in published.AREAS}
    order = sorted(means, key=lambda name: -means[name])
    notes.append("Order by mean area: " + " > ".join(f"{n} {means[n]:.3f}" for n in order) + ".")
    notes.append(
        f"Mean area of ours {np.mean(table['ours']):.3f}, of LPR with our bandwidth and "
        f"interpolation {np.mean(table['LPR ours']):.3f}, of the true rates (oracle) "
        f"{np.mean(table['oracle']):.3f}."
    )
    by_lines = {
        name: np.mean(
            [
                np.mean(measures["lines"][name]) - numbers[key][name]
                for key, measures in runs.items()
                if np.isfinite(numbers.get(key, {}).get(name, np.nan))
            ]
        )
        for name in published.AREAS
    }
    notes.append(
        "Areas are average precisions; the paper does not say how it takes them. With points "
        "joined by lines, measured − paper would be on average "
        + ", ".join(f"{name} {gap:+.4f}" for name, gap in by_lines.items())
        + "."
    )
    notes.append(_OPEN)
    if np.isnan(table["raw paper"]).any():
        notes.append("Table 4 has no figures for (0.14, 0.06) and (0.1, 0.1) at M = 100 and 200.")
    return Outcome(table, None, notes)


def f_values(done: Sequence[Done], paper: Mapping[tuple[str, ...], Mapping[str, float]]) -> Outcome:
    """Table 3 or 5."""
    numbers, runs, lines = _numbers(paper), _joined(done), []
    for key, measures in runs.items():
        line = _setting(key)
        for kind, name in (("best", "raw"), ("best", "LPR"), ("honest", "OT")):
            line[f"{name} paper"] = numbers.get(key, {}).get(name, np.nan)
            line[name], line[f"{name} se"] = mean_and_error(measures[kind][name])
        for name in ("raw", "LPR", "ours", "oracle"):
            honest = f"{name} honest"
            line[honest], line[f"{honest} se"] = mean_and_error(measures["honest"][name])
        lines.append(line)
    table = Table(columns_of(lines))
    n_runs = min(len(measures["area"]["raw"]) for measures in runs.values())
    notes = [_gap(table, name, numbers, lines, n_runs) for name in published.F_MEASURES]
    notes.append(
        "raw and LPR are, as in the paper, the best F on the test data; OT has its thresholds from "
        "training. The honest columns have all thresholds from training: mean "
        + ", ".join(
            f"{name} {np.mean(table[column]):.3f}"
            for name, column in (
                ("raw", "raw honest"),
                ("LPR", "LPR honest"),
                ("OT", "OT"),
                ("ours", "ours honest"),
            )
        )
        + "."
    )
    notes.append(_OPEN)
    return Outcome(table, None, notes)


def _gap(
    table: Table,
    name: str,
    numbers: Mapping[tuple[int, float, float], Mapping[str, float]],
    lines: Sequence[Mapping[str, Any]],
    n_runs: int,
) -> str:
    """Mean and largest difference, and the largest in standard errors of both."""
    gap = table[name] - table[f"{name} paper"]
    finite = np.isfinite(gap)
    if not finite.any():
        return f"{name}: no published figure to compare with."
    sd = np.array(
        [
            numbers.get((line["M"], line["π1"], line.get("π2", 0.0)), {}).get(f"{name} sd", np.nan)
            for line in lines
        ]
    )
    error = np.sqrt(np.nan_to_num(table[f"{name} se"]) ** 2 + sd**2 / 100)
    beyond = np.abs(gap) / error
    worst, surest = int(np.nanargmax(np.abs(gap))), int(np.nanargmax(beyond))

    def where(row: int) -> str:
        return ", ".join(f"{k} = {v:g}" for k, v in lines[row].items() if k in ("M", "π1", "π2"))

    summary = (
        f"{name}: measured − paper {gap[finite].mean():+.4f} on average, at most {gap[worst]:+.4f} "
        f"({where(worst)})"
    )
    if n_runs < _ENOUGH:
        return f"{summary}; {n_runs} runs are too few for standard errors."
    return (
        f"{summary}; in standard errors at most {gap[surest] / error[surest]:+.1f} "
        f"({where(surest)}); {int((beyond[finite] <= 2).sum())} of {int(finite.sum())} settings "
        "within two."
    )


# --- Figure 1 --------------------------------------------------------------------

_GRID = [round(0.02 * i, 2) for i in range(1, 51)]
_SHOWN = ("raw", "LPR", "ltdr", "p-value", "FDR", "ours", "oracle")


def simulate_curves(
    seed: int, M: int, pi1: float, pi2: float, first: int, n: int
) -> dict[str, Any]:
    """Pooled precision at each recall of a grid, and its square, summed over runs."""
    total = {name: np.zeros(len(_GRID)) for name in _SHOWN}
    squares = {name: np.zeros(len(_GRID)) for name in _SHOWN}
    n_done = 0
    for run in range(first, first + n):
        draw = _values(M, pi1, pi2, stream(seed, "curve", M, pi1, pi2, run))
        if draw is None:
            continue
        values, _, new_y = draw
        n_done += 1
        for name in _SHOWN:
            curve = pooled_precision_recall_curve(values[name][1], new_y)
            # Recall falls along the curve: the last point that still has the recall.
            at = np.searchsorted(-curve.recall, -np.array(_GRID), side="right") - 1
            total[name] += curve.precision[at]
            squares[name] += curve.precision[at] ** 2
    sums = {"sum": total, "squares": squares}
    rounded = {
        kind: {name: np.round(t, 9).tolist() for name, t in by_name.items()}
        for kind, by_name in sums.items()
    }
    return {"runs": n_done, **rounded}


_FIGURE_SETTINGS = ((500, 0.1, 0.0), (500, 0.07, 0.03))


def figure_work(plan: Plan) -> Work:
    runs = plan.n(100, 5, least=1)
    cells = [
        Cell(
            simulate_curves,
            {"M": M, "pi1": a, "pi2": b, "first": first, "n": min(_BLOCK, runs - first)},
        )
        for M, a, b in _FIGURE_SETTINGS
        for first in range(0, runs, _BLOCK)
    ]
    data = [{"name": "Simulations I and II", "from": "trueval.data.simulate"}]
    return Work(cells, data, [], runs)


def figure_1(done: Sequence[Done]) -> Outcome:
    cells: dict[float, list[Done]] = {}
    for cell in done:
        cells.setdefault(cell.parameters["pi2"], []).append(cell)
    lines, rows = [], []
    for key, parts in cells.items():
        which = "Simulation II" if key else "Simulation I"
        runs = sum(cell.result["runs"] for cell in parts)
        precision, errors = {}, {}
        for name in _SHOWN:
            mean, square = (
                sum(np.array(cell.result[kind][name]) for cell in parts) / runs
                for kind in ("sum", "squares")
            )
            precision[name] = mean
            errors[name] = np.sqrt(np.maximum(square - mean**2, 0) / max(runs - 1, 1))
        for recall in ("0.2", "0.3", "0.4", "0.5", "0.6", "0.8"):
            at = _GRID.index(float(recall))
            line: dict[str, Any] = {"data": which, "recall": float(recall)}
            for name in _SHOWN:
                line[name], line[f"{name} se"] = precision[name][at], errors[name][at]
            for name, value in published.GEO_PRECISION.get((recall,), {}).items():
                line[f"{name}, GEO (Table 6)"] = value
            lines.append(line)
        rows += [
            {"recall": recall, "precision": round(float(p), 4), "method": name, "data": which}
            for name in _SHOWN
            for recall, p in zip(_GRID, precision[name], strict=True)
        ]
    notes = [
        "Figure 1 and Tables 6 and 7 are on NCBI GEO data that are not public. The same kind of "
        "plot is made of Simulations I and II (M = 500), mean precision at each recall; the GEO "
        "columns are the paper's Table 6 and can be compared in order only, not in level.",
    ]
    figure = lines_figure(
        rows, "recall", "precision", colour="method", panel="data", points=False,
        title="Pooled precision and recall",
    )  # fmt: skip
    return Outcome(Table(columns_of(lines)), figure, notes)


_study = partial(Study, paper=published.CITATION, data="simulated")
_one, _two = (partial(_study, work=work) for work in (work_one, work_two))
STUDIES = (
    _one(
        name="002-table2",
        title="Area under the pooled precision-recall curve, Simulation I",
        about="Five classes; train and test sets of M objects; means of 100 runs.",
        conclude=partial(areas, paper=published.TABLE_2),
    ),
    _one(
        name="002-table3",
        title="F, Simulation I",
        about="The same runs as 002-table2.",
        conclude=partial(f_values, paper=published.TABLE_3),
    ),
    _two(
        name="002-table4",
        title="Area under the pooled precision-recall curve, Simulation II",
        about="Some members of each class sit on one score.",
        conclude=partial(areas, paper=published.TABLE_4),
    ),
    _two(
        name="002-table5",
        title="F, Simulation II",
        about="The same runs as 002-table4.",
        conclude=partial(f_values, paper=published.TABLE_5),
    ),
    _study(
        name="002-figure1",
        title="Pooled precision-recall curves",
        about="The kind of plot of Figure 1, on data that are public.",
        work=figure_work, conclude=figure_1,
    ),
)  # fmt: skip
