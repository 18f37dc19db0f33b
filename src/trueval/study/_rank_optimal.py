"""Theorem 1 of the local-precision-rate paper: top rates are best at every call rate.

On populations instead of samples, so that nothing is left to chance: each class is cut into
cells of equal size, and the calls that Theorem 1 names are compared with the best of all
thresholds, found by dynamic programming over every combination.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.show._vega._study import lines_figure
from trueval.study import _published_002 as published
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work
from trueval.study._rank_population import Population
from trueval.study._tables import columns_of
from trueval.table import Table

__all__ = ["STUDIES", "best_hits"]

Float = NDArray[np.float64]
_SETTINGS = {"I": (0.1, 0.0), "II": (0.07, 0.03)}
_CALLS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.5)  # of five classes, for an object
_PAIRS = ((0, 1), (1, 3), (0, 2), (0, 3), (1, 2), (2, 3))  # class 5 does not quite rise


def best_hits(cells: Sequence[Float]) -> Float:
    """Most members that any thresholds of the classes reach, for each number of calls.

    ``cells`` are the members in each cell of a class, by rising score; the result is for 0, 1, 2, …
    cells called over all classes.

    >>> import numpy as np
    >>> from trueval.study._rank_optimal import best_hits
    >>> best_hits([np.array([0.0, 0.9]), np.array([0.5, 0.4])]).round(6).tolist()
    [0.0, 0.9, 1.3, 1.8, 1.8]
    """
    best = np.zeros(1)
    for members in cells:
        members_above = np.concatenate([[0.0], np.cumsum(members[::-1])])
        joined = np.full(len(best) + len(members_above) - 1, -np.inf)
        # Invariant: best[i] is the most of the classes before with i calls.
        for calls, hits in enumerate(members_above):
            part = slice(calls, calls + len(best))
            joined[part] = np.maximum(joined[part], best + hits)
        best = joined
    return best


def pooled(seed: int, simulation: str, n: int) -> dict[str, Any]:
    """Pooled precision at some call rates: best thresholds, rates, raw scores, p-values."""
    classes = [Population(k, *_SETTINGS[simulation]) for k in range(5)]
    cells = [c.cells(n) for c in classes]
    best = best_hits(cells)
    by_rate = np.concatenate([[0.0], np.cumsum(np.sort(np.concatenate(cells))[::-1])])
    out: dict[str, Any] = {"calls": [], "best": [], "LPR": [], "raw": [], "p-value": []}
    for calls in _CALLS:
        number = round(calls * n)
        out["calls"].append(number / n)
        out["best"].append(best[number] / number)
        out["LPR"].append(by_rate[number] / number)
        out["raw"].append(_common_cut(classes, number / n, raw=True))
        out["p-value"].append(_common_cut(classes, number / n, raw=False))
    gap = (by_rate - best)[1:] / np.arange(1, len(best))
    out["least gap"], out["largest gap"] = float(gap.min()), float(gap.max())
    out["falls"] = [float((np.maximum.accumulate(c) - c).max()) for c in cells]
    return {
        name: [round(float(v), 9) for v in values] if name in ("best", "LPR", "raw") else values
        for name, values in out.items()
    }


def _common_cut(classes: Sequence[Population], calls: float, *, raw: bool) -> float:
    """Pooled precision of one threshold on raw scores, or on p-values, by bisection."""

    def cuts(threshold: float) -> list[Float]:
        if raw:
            return [np.array([threshold])] * len(classes)
        return [np.array([c.null.isf(threshold) / 1.25]) for c in classes]

    low, high = 0.0, 1.0
    for _ in range(45):
        middle = (low + high) / 2
        total = sum(1 - c.below(s)[0] for c, s in zip(classes, cuts(middle), strict=True))
        # More calls at lower scores, and at higher p-values.
        if (total > calls) == raw:
            low = middle
        else:
            high = middle
    where = list(zip(classes, cuts(high if raw else low), strict=True))
    n_calls = float(sum(1 - c.below(s)[0] for c, s in where))
    if abs(n_calls - calls) > 1e-5:
        return np.nan  # equal scores are called together: no threshold makes so many calls
    return float(sum(c.members_above(c.below(s))[0] for c, s in where)) / n_calls


def two_classes(seed: int, first: int, second: int, calls: float, n: int) -> dict[str, Any]:
    """u1 as Theorem 1 gives it and by trying every rank, for u1 + u2 = c."""
    one, two = Population(first, 0.1), Population(second, 0.1)
    c = 2.0 - calls
    u = np.linspace(max(0.0, c - 1), min(1.0, c), n + 1)
    inner = np.clip(u, 1e-9, 1 - 1e-9), np.clip(c - u, 1e-9, 1 - 1e-9)
    top = [float(p.rate(np.array([1 - 1e-9]))[0]) for p in (one, two)]
    if top[0] < top[1]:  # the theorem names the class with the higher rate at the top first
        return two_classes(seed, second, first, calls, n)
    enough = np.flatnonzero(one.rate(inner[0]) >= two.rate(inner[1]))
    hits = one.members_above(inner[0]) + two.members_above(inner[1])
    best = int(np.argmax(hits))
    at = int(enough[0]) if len(enough) else n
    return {
        "classes": f"{first + 1} and {second + 1}",
        "u1": float(u[at]),
        "u1 best": float(u[best]),
        "ppr": float(hits[at] / calls),
        "ppr best": float(hits[best] / calls),
        "step": float((u[1] - u[0]) / calls),  # what one rank of the grid can be worth
    }


def work(plan: Plan) -> Work:
    n = 200 if plan.quick else 500
    cells = [Cell(pooled, {"simulation": which, "n": n}) for which in _SETTINGS]
    cells += [
        Cell(
            two_classes, {"first": a, "second": b, "calls": calls, "n": 500 if plan.quick else 4000}
        )
        for a, b in (_PAIRS[:2] if plan.quick else _PAIRS)
        for calls in (0.1, 0.2, 0.5, 1.0)
    ]
    data = [{"name": "Simulations I and II as populations", "from": "trueval.study"}]
    return Work(cells, data, [])


def theorem_1(done: Sequence[Done]) -> Outcome:
    lines: list[dict[str, Any]] = []
    notes, rows = [], []
    for cell in (c for c in done if "simulation" in c.parameters):
        which, r = cell.parameters["simulation"], cell.result
        for i, calls in enumerate(r["calls"]):
            line = {"data": f"Simulation {which}", "classes": "1 to 5", "calls": calls}
            line |= {"best thresholds": r["best"][i], "LPR": r["LPR"][i]}
            line |= {"raw scores": r["raw"][i], "p-value": r["p-value"][i]}
            lines.append(line)
            rows += [
                {"calls": calls, "precision": line[m], "ranked by": m, "data": line["data"]}
                for m in ("best thresholds", "LPR", "raw scores", "p-value")
            ]
        notes.append(_note(which, r))
    pairs = [c for c in done if "first" in c.parameters]
    for cell in pairs:
        r = cell.result
        line = {"data": "Simulation I", "classes": r["classes"], "calls": cell.parameters["calls"]}
        line |= {"best thresholds": r["ppr best"], "LPR": r["ppr"]}
        lines.append(line | {"u1 best": r["u1 best"], "u1 of LPR": r["u1"]})
    gap = max(c.result["ppr best"] - c.result["ppr"] for c in pairs)
    exact = all(c.result["ppr best"] - c.result["ppr"] <= c.result["step"] for c in pairs)
    place = max(abs(c.result["u1"] - c.result["u1 best"]) for c in pairs)
    notes.append(
        "K = 2, “ppr is maximized at u1 = min{u: LPR1(u) ≥ LPR2(c − u)}”: "
        f"{'yes' if exact else 'no'}, in {len(pairs)} cases ppr falls short of the best u1 of a "
        f"grid by at most {gap:.1e}, never by more than a step of it, and u1 differs by at "
        f"most {place:.4f}."
    )
    notes.append(
        "calls: classes called for an object, Σ(1 − u_k); the other columns are pooled precisions. "
        "Best thresholds: every combination of thresholds on a grid of equal cells, by dynamic "
        "programming. – : equal values are called together, so that no threshold makes so few "
        "calls; p-values of all scores above 0.8 are 0, which may be how Table 6 comes to “N.A.”."
    )
    figure = lines_figure(
        rows, "calls", "precision", colour="ranked by", panel="data",
        title="Pooled precision by call rate",
    )  # fmt: skip
    return Outcome(Table(columns_of(lines)), figure, notes)


def _note(which: str, r: Any) -> str:
    """Whether top rates reach, or beat, the best thresholds at every call rate."""
    fall = max(r["falls"])
    if fall < 0.01:
        verdict = "yes" if max(abs(r["least gap"]), abs(r["largest gap"])) < 1e-4 else "no"
        return (
            f"Simulation {which}, rates that rise (class 5 falls by {fall:.4f} at most): top rates "
            f"give the largest pooled precision at any call rate: {verdict}, LPR − best thresholds "
            f"from {r['least gap']:.1e} to {r['largest gap']:.1e} over all call rates."
        )
    falls = ", ".join(str(k + 1) for k, drop in enumerate(r["falls"]) if drop >= 0.01)
    return (
        f"Simulation {which}: the rates of classes {falls} do not rise, which Theorem 1 asks for. "
        f"Top rates then beat the best thresholds: {'yes' if r['least gap'] > -1e-9 else 'no'}, by "
        f"up to {r['largest gap']:.4f} of pooled precision, because a threshold has to call what "
        "lies above a group of sure members too."
    )


STUDIES = (
    Study(
        name="002-theorem1",
        paper=published.CITATION,
        title="Theorem 1: ranking by LPR is optimal at every call rate",
        data="simulated",
        about="Populations of Simulations I and II; top rates beside the best of all thresholds.",
        work=work,
        conclude=theorem_1,
    ),
)
