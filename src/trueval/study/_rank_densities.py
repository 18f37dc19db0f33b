"""Corollary 2 of the local-precision-rate paper: how fast the density ratio ltdr converges."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import LocalPrecisionRate, LocalTrueDiscoveryRate
from trueval.study import _published_002 as published
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work, stream
from trueval.study._rank_bandwidth import log_slope
from trueval.study._tables import columns_of, mean_and_error
from trueval.table import Table

__all__ = ["STUDIES"]

_PREVALENCE = 0.1
_N_NEW = 4000
# Scores where both densities are smooth in every class, and where one has a pole or an end.
_ZONES = {
    "all": (0.0, 1.0),
    "pole at 0": (0.0, 0.05),
    "smooth": (0.2, 0.7),
    "end at 0.8": (0.75, 0.85),
}
# Class and score: inside smooth densities, and beside the jump of class 2.
_POINTS = ((1, 0.3), (1, 0.5), (2, 0.5), (2, 0.79), (2, 0.81), (4, 0.5))
_METHODS = {"ltdr": LocalTrueDiscoveryRate, "LPR": LocalPrecisionRate}


def density_errors(seed: int, M: int, first: int, n: int) -> dict[str, Any]:
    """Errors by class and zone, and values at some scores, of ltdr and LPR."""
    errors: dict[str, list[list[list[float | None]]]] = {name: [] for name in _METHODS}
    values: dict[str, list[list[float]]] = {name: [] for name in _METHODS}
    places = np.zeros((len(_POINTS), 5))
    for i, (_, score) in enumerate(_POINTS):
        places[i] = score
    for run in range(first, first + n):
        random = stream(seed, "densities", M, run)
        scores, y = simulation_one(M, _PREVALENCE, random_state=random)
        new, _ = simulation_one(_N_NEW, _PREVALENCE, random_state=random)
        truth = true_rates(new, _PREVALENCE)
        for name, make in _METHODS.items():
            ranker = make().fit(scores, y)
            squares = (ranker.transform(new) - truth) ** 2
            errors[name].append([_by_zone(new[:, k], squares[:, k]) for k in range(5)])
            at = ranker.transform(places)
            values[name].append([round(float(at[i, k - 1]), 7) for i, (k, _) in enumerate(_POINTS)])
    return {"errors": errors, "values": values}


def _by_zone(score: NDArray[np.float64], squares: NDArray[np.float64]) -> list[float | None]:
    """Mean squared error of each zone, None where it has hardly any score."""
    out: list[float | None] = []
    for low, high in _ZONES.values():
        inside = (score >= low) & (score <= high)
        out.append(round(float(squares[inside].mean()), 10) if inside.sum() >= 10 else None)
    return out


def work(plan: Plan) -> Work:
    runs = plan.n(40, 8)
    sizes = (500, 2000, 8000) if plan.quick else (500, 2000, 8000, 32_000, 128_000)
    block = {32_000: 5, 128_000: 2}
    cells = [
        Cell(density_errors, {"M": M, "first": first, "n": min(block.get(M, 20), runs - first)})
        for M in sizes
        for first in range(0, runs, block.get(M, 20))
    ]
    data = [{"name": "Simulation I", "from": "trueval.data.simulate"}]
    notes = ["Quick: M up to 8,000."] if plan.quick else []
    return Work(cells, data, notes, runs)


def corollary_2(done: Sequence[Done]) -> Outcome:
    sizes = sorted({cell.parameters["M"] for cell in done})
    lines = [*_zone_lines(done, sizes), *_point_lines(done, sizes)]
    return Outcome(Table(columns_of(lines)), None, _notes(lines, sizes))


def _zone_lines(done: Sequence[Done], sizes: Sequence[int]) -> list[dict[str, Any]]:
    lines = []
    for k in range(5):
        for z, zone in enumerate(_ZONES):
            line: dict[str, Any] = {"class": k + 1, "what": f"error, {zone}"}
            for name in _METHODS:
                by_zone: dict[int, float] = {}
                for M in sizes:
                    runs = [
                        e[k][z]
                        for cell in done
                        if cell.parameters["M"] == M
                        for e in cell.result["errors"][name]
                    ]
                    squares = [e for e in runs if e is not None]
                    if squares:
                        by_zone[M] = float(np.sqrt(np.mean(squares)))
                        if name == "ltdr":
                            line[f"M={M}"] = by_zone[M]
                if len(by_zone) == len(sizes):
                    slope = log_slope(list(by_zone), list(by_zone.values()))
                    line["slope" if name == "ltdr" else "slope of LPR"] = slope
                    line[f"{name} at M={sizes[0]}"] = by_zone[sizes[0]]
            line["slope paper"] = 2 / 5
            if "slope" in line:
                lines.append(line)
    return lines


def _point_lines(done: Sequence[Done], sizes: Sequence[int]) -> list[dict[str, Any]]:
    lines = []
    for i, (k, score) in enumerate(_POINTS):
        truth = true_rates(np.full((1, 5), score), _PREVALENCE)[0, k - 1]
        kinds: dict[str, dict[int, float]] = {"bias": {}, "standard deviation": {}}
        for M in sizes:
            values = np.array(
                [
                    v[i]
                    for cell in done
                    if cell.parameters["M"] == M
                    for v in cell.result["values"]["ltdr"]
                ]
            )
            kinds["bias"][M] = float(values.mean() - truth)
            kinds["standard deviation"][M] = float(values.std(ddof=1))
        for kind, points in kinds.items():
            line: dict[str, Any] = {"class": k, "what": f"{kind} at {score:g}"}
            line |= {f"M={M}": value for M, value in points.items()}
            line["slope"] = log_slope(list(points), [abs(v) for v in points.values()])
            line["slope paper"] = 2 / 5
            lines.append(line)
    return lines


def _notes(lines: Sequence[dict[str, Any]], sizes: Sequence[int]) -> list[str]:
    def slopes(what: str, classes: Sequence[int], column: str = "slope") -> list[float]:
        return [n[column] for n in lines if n["what"] == what and n["class"] in classes]

    smooth = slopes("error, smooth", (1, 2, 3, 4))
    overall = slopes("error, all", (1, 2, 3, 4, 5))
    of_lpr = slopes("error, all", (1, 2, 3, 4, 5), "slope of LPR")
    first = sizes[0]
    better = [
        n["class"]
        for n in lines
        if n["what"] == "error, all" and n[f"LPR at M={first}"] < n[f"ltdr at M={first}"]
    ]
    mean = mean_and_error(smooth)[0]
    jump = next(n for n in lines if n["what"] == "bias at 0.79")
    pole = slopes("error, pole at 0", (3, 4))
    span = f"M = {first:,} to {sizes[-1]:,}"
    return [
        "“The convergence rate of ltdr is O_p(M^(−2/5))” where densities are smooth (scores 0.2 "
        f"to 0.7 of classes 1 to 4), {span}: {'yes' if mean > 0.3 else 'no'}, slope "
        f"{min(smooth):.3f} to {max(smooth):.3f}, mean {mean:.3f}.",
        "Over all scores the slopes are "
        + ", ".join(f"{s:.3f}" for s in overall)
        + " in classes 1 to 5. Condition C4 excludes what the simulation has: the density of "
        "negatives ends at 0.8 with a jump (class 2) or a pole (class 5), and has a pole at 0 (all "
        "but class 2). A kernel estimate is wrong by a constant within a bandwidth h ∝ M^(−1/5) of "
        "a jump, so that the error over all scores falls like √h, M^(−1/10), there; at 0.79 in "
        "class 2 the bias is "
        + ", ".join(f"{jump[f'M={M}']:+.3f}" for M in sizes)
        + f" for {', '.join(f'{M:,}' for M in sizes)} objects. At the pole the two densities have "
        "different bandwidths, and their ratio does not converge: slopes "
        + " and ".join(f"{s:.3f}" for s in pole)
        + " in classes 3 and 4.",
        "“Theoretically, ltdr should perform better” than LPR, in its rate: "
        f"{'yes' if np.mean(overall) > np.mean(of_lpr) else 'no'}, LPR (bandwidth by labels left "
        "out) falls with "
        + ", ".join(f"{s:.3f}" for s in of_lpr)
        + ". “We find it better to estimate through LPR than through ltdr”: LPR has the smaller "
        f"error at M = {first:,} in classes {', '.join(map(str, better)) or 'none'}.",
        "Errors are root mean squares of value − true rate over new scores, π1 = 0.1; the M "
        "columns are those of ltdr.",
    ]


STUDIES = (
    Study(
        name="002-corollary2",
        paper=published.CITATION,
        title="Corollary 2: rate of convergence of ltdr",
        data="simulated",
        about="Bias, standard deviation and error of the density ratio by M, where densities are "
        "smooth and where they end or have a pole.",
        work=work,
        conclude=corollary_2,
    ),
)
