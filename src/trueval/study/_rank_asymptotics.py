"""Corollary 1 of the local-precision-rate paper: bias, variance, rate and intervals of LPR."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import LocalPrecisionRate
from trueval.rank._rate import RateData, Smoothing, Term
from trueval.rank._sample import Sample
from trueval.study import _published_002 as published
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work, stream
from trueval.study._rank_bandwidth import log_slope
from trueval.study._rank_population import Population, third_derivative
from trueval.study._tables import columns_of
from trueval.table import Table

__all__ = ["STUDIES"]

Float = NDArray[np.float64]
_KERNEL = "epanechnikov"
_PREVALENCE = 0.2
_PLACES = (0.5, 0.7, 0.8, 0.9)  # ranks in class 1, whose rate there is 0.00 to 0.83
# Of K(t) = 3/4·(1 − t²): ∫K t², ∫K t⁴, ∫K², ∫K² t², and ∫Q² of the kernel that labels see.
_MU2, _MU4, _NORM, _K2T2, _Q2 = 1 / 5, 3 / 35, 3 / 5, 3 / 35, 5 / 7
_CONFIDENCE = 0.9


def _data(label: Float) -> RateData:
    n = len(label)
    return RateData(Sample(np.arange(float(n)), np.ones(n), label, 0, 0))


def _rates_at(data: RateData, h: float, places: Sequence[float]) -> Float:
    """Rates at some ranks, not clipped: Corollary 1 has no clipping."""
    at = [round(u * data.n) - 1 for u in places]
    return data.by_rank([Term(_KERNEL, h, 1.0, 1.0)])[at]


# --- bias and variance -----------------------------------------------------------


def bias(seed: int, M: int, h: float) -> dict[str, Any]:
    """Smoothed exact precision less the true rate, beside what Corollary 1 says."""
    population = Population(0, _PREVALENCE)
    u = np.arange(1, M + 1) / M
    data = _data(np.zeros(M))
    data.v = population.precision(np.minimum(u, 1 - 1e-12))
    at = np.array(_PLACES)
    measured = _rates_at(data, h, _PLACES) - population.rate(at)
    third = np.array([third_derivative(population, float(x)) for x in at])
    leading = -(1 - at) * h**2 * third * _MU4 / 6
    return {
        "measured": measured.tolist(),
        "printed": (leading / _NORM).tolist(),
        "theory": (leading / _MU2).tolist(),
    }


def spread(seed: int, M: int, h: float, first: int, n: int) -> dict[str, Any]:
    """Rates of drawn labels at some ranks, and the variance Corollary 1 would state."""
    population = Population(0, _PREVALENCE)
    u = (np.arange(M) + 0.5) / M
    chance = population.rate(u)
    rates, stated = [], []
    at = [round(x * M) - 1 for x in _PLACES]
    for run in range(first, first + n):
        label = (stream(seed, "spread", M, h, run).random(M) < chance).astype(np.float64)
        data = _data(label)
        value, slope = data.fit(_KERNEL, h)
        rates.append((value - slope)[at].tolist())
        stated.append(_stated_variance(data, value, h)[at].tolist())
    return {"rates": rates, "stated": stated}


def _stated_variance(data: RateData, value: Float, h: float) -> Float:
    """(1 − u)²·var(V | u)·∫K²t²/(∫Kt²)²/(M·h³), with the residuals' own variance."""
    squares = np.concatenate([[0.0], np.cumsum((data.v - value) ** 2)])
    reach = max(int(h * data.n), 1)
    low = np.maximum(np.arange(data.n) - reach, 0)
    high = np.minimum(np.arange(data.n) + reach + 1, data.n)
    residual = (squares[high] - squares[low]) / (high - low)
    return (1 - data.u) ** 2 * residual * _K2T2 / _MU2**2 / (data.n * h**3)


def converge(seed: int, M: int, power: int, first: int, n: int) -> dict[str, Any]:
    """Errors at some ranks with h = c·M^(−1/power), h = 0.15 at M = 2,000."""
    population = Population(0, _PREVALENCE)
    chance = population.rate((np.arange(M) + 0.5) / M)
    truth = population.rate(np.array(_PLACES))
    h = 0.15 * (2000 / M) ** (1 / power)
    errors = []
    for run in range(first, first + n):
        label = (stream(seed, "converge", M, run).random(M) < chance).astype(np.float64)
        errors.append((_rates_at(_data(label), h, _PLACES) - truth).round(9).tolist())
    return {"errors": errors}


def edges(seed: int, M: int, h: float) -> dict[str, Any]:
    """Variance and bias by distance from the ends of the ranks, in bandwidths."""
    population = Population(0, _PREVALENCE)
    u = np.arange(1, M + 1) / M
    data = _data(np.zeros(M))
    data.v = population.precision(np.minimum(u, 1 - 1e-12))
    terms = Smoothing(_KERNEL, h, _KERNEL, h).terms()
    away = data.by_rank(terms) - population.rate(np.minimum(u, 1 - 1e-9))
    distances = (0.0, 0.25, 0.5, 1.0, 1.5)
    out: dict[str, Any] = {"distance": distances, "top": [], "bottom": []}
    for distance in distances:
        step = min(round(distance * h * M), M - 1)
        for end, rank in (("bottom", step), ("top", M - 1 - step)):
            size = float(data.effective_sizes(terms, np.array([rank]))[0])
            out[end].append([M * h / size, float(away[rank])])
    return out


# --- intervals -------------------------------------------------------------------

_ZONES = ("all", "rate between 0.05 and 0.95", "top edge", "near a jump")


def coverage(seed: int, M: int, first: int, n: int) -> dict[str, Any]:
    """Intervals that hold the true rate, by kind, class and zone: hits and numbers."""
    z = float(norm.ppf(0.5 + _CONFIDENCE / 2))
    counts: dict[str, list[list[float]]] = {}
    for run in range(first, first + n):
        random = stream(seed, "coverage", M, run)
        scores, y = simulation_one(M, _PREVALENCE, random_state=random)
        new, _ = simulation_one(1000, _PREVALENCE, random_state=random)
        truth = true_rates(new, _PREVALENCE)
        ranker = LocalPrecisionRate().fit(scores, y)
        both = ranker.interval(new, _CONFIDENCE)
        for k in range(5):
            kinds = {"interval": (both[0][:, k], both[1][:, k])}
            kinds |= _other_intervals(ranker.curves_[k], new[:, k], z)
            for zone, mask in _zones(ranker, scores[:, k], new[:, k], truth[:, k], k).items():
                for kind, (low, high) in kinds.items():
                    covered = (low <= truth[:, k] + 1e-12) & (truth[:, k] - 1e-12 <= high)
                    cell = counts.setdefault(f"{kind}|{k + 1}|{zone}", [])
                    cell.append([float(covered[mask].sum()), float(mask.sum()),
                                 float((high - low)[mask].sum())])  # fmt: skip
    return {key: np.sum(rows, axis=0).round(6).tolist() for key, rows in counts.items()}


def _other_intervals(curve: Any, new: Float, z: float) -> dict[str, tuple[Float, Float]]:
    """Without bias correction, and as Corollary 1 states it."""
    data = RateData(curve.sample)
    h = curve.smoothing.bandwidth
    terms = curve.smoothing.terms()
    rates = data.rates(terms)
    at = np.unique(np.linspace(0, len(rates) - 1, 200).astype(np.int64))
    size = np.interp(np.arange(len(rates)), at, data.effective_sizes(terms, at))
    plain = z * np.sqrt(rates * (1 - rates) / size)
    stated = z * np.sqrt(data.mean(_stated_variance(data, data.fit(_KERNEL, h)[0], h)))
    return {
        name: (
            curve.at(new, np.maximum(rates - half, 0)),
            curve.at(new, np.minimum(rates + half, 1)),
        )
        for name, half in (("plain", plain), ("Corollary 1", stated))
    }


def _zones(
    ranker: Any, scores: Float, new: Float, truth: Float, k: int
) -> dict[str, NDArray[np.bool_]]:
    h = float(ranker.bandwidths_[k])
    ordered = np.sort(scores)
    u = np.searchsorted(ordered, new, side="right") / len(ordered)
    jump = np.searchsorted(ordered, 0.8) / len(ordered) if k in (1, 4) else -1.0
    return {
        "all": np.ones(len(new), dtype=bool),
        "rate between 0.05 and 0.95": (truth > 0.05) & (truth < 0.95),
        "top edge": u > 1 - h,
        "near a jump": np.abs(u - jump) < h,
    }


# --- the study -------------------------------------------------------------------


def work(plan: Plan) -> Work:
    runs = plan.n(400, 60)
    sizes = (500, 2000) if plan.quick else (500, 2000, 8000)
    large = (2000, 8000) if plan.quick else (2000, 8000, 32_000, 128_000)
    cells = [Cell(bias, {"M": 20_000, "h": h}) for h in (0.02, 0.04, 0.08)]
    cells += [
        Cell(spread, {"M": 4000, "h": h, "first": 0, "n": runs}) for h in (0.02, 0.04, 0.08, 0.16)
    ]
    cells += [
        Cell(converge, {"M": M, "power": power, "first": 0, "n": max(runs // 2, 2)})
        for power in (5, 7)
        for M in large
    ]
    cells.append(Cell(edges, {"M": 4000, "h": 0.1}))
    cells += [
        Cell(coverage, {"M": M, "first": first, "n": min(5, max(runs // 10, 1) - first)})
        for M in sizes
        for first in range(0, max(runs // 10, 1), 5)
    ]
    data = [{"name": "Simulation I", "from": "trueval.data.simulate"}]
    return Work(cells, data, [], runs)


def corollary_1(done: Sequence[Done]) -> Outcome:
    lines: list[dict[str, Any]] = []
    notes: list[str] = []
    for part in (_bias_part, _variance_part, _rate_part, _edge_part, _coverage_part):
        part_lines, remarks = part(done)
        lines += part_lines
        notes += remarks
    notes.append(
        "Class 1 of Simulation I with π1 = 0.2, Epanechnikov kernel. The column paper is what "
        "Corollary 1 states; ours is what follows from the labels."
    )
    return Outcome(Table(columns_of(lines)), None, notes)


def _of(done: Sequence[Done], *names: str) -> list[Done]:
    """Cells with exactly these parameters."""
    return [cell for cell in done if set(cell.parameters) == set(names)]


Part = tuple[list[dict[str, Any]], list[str]]


def _bias_part(done: Sequence[Done]) -> Part:
    lines, ratios = [], []
    for cell in _of(done, "M", "h"):
        if "printed" not in cell.result:
            continue
        r, h = cell.result, cell.parameters["h"]
        for i, u in enumerate(_PLACES):
            line = {"what": "bias", "class": "1", "M": cell.parameters["M"], "h": h, "u": u}
            line |= {"measured": r["measured"][i], "measured paper": r["printed"][i]}
            lines.append(line | {"ours": r["theory"][i]})
            if h == 0.02 and abs(r["theory"][i]) > 1e-4:
                ratios.append(r["measured"][i] / r["theory"][i])
    verdict = "yes" if ratios and max(abs(np.array(ratios) - 1)) < 0.2 else "no"
    return lines, [
        "Bias −(1 − u)·h²·G‴/6 times a constant of the kernel: "
        f"{verdict} with ∫Kt⁴/∫Kt² (Fan and Gijbels), measured/stated {min(ratios):.2f} to "
        f"{max(ratios):.2f} at h = 0.02; the corollary prints ∫Kt⁴/‖K‖², which is a third of it "
        "for this kernel."
    ]


def _variance_part(done: Sequence[Done]) -> Part:
    population = Population(0, _PREVALENCE)
    p = population.rate(np.array(_PLACES))
    lines, ratios = [], []
    by_h: dict[float, Float] = {}
    for cell in (c for c in _of(done, "M", "h", "first", "n")):
        h, M = cell.parameters["h"], cell.parameters["M"]
        rates = np.array(cell.result["rates"])
        variance, n = rates.var(axis=0, ddof=1), len(rates)
        by_h[h] = variance
        ours = p * (1 - p) * _Q2 / (M * h)
        stated = np.mean(cell.result["stated"], axis=0)
        for i, u in enumerate(_PLACES):
            line = {"what": "variance", "class": "1", "M": M, "h": h, "u": u}
            line |= {"measured": variance[i], "measured se": variance[i] * np.sqrt(2 / (n - 1))}
            lines.append(line | {"measured paper": stated[i], "ours": ours[i]})
            if p[i] > 0.05 and h <= 0.08:
                ratios.append((variance[i] / ours[i], variance[i] / stated[i]))
    slopes = [
        -log_slope(list(by_h), [by_h[h][i] for h in by_h]) for i in range(len(p)) if p[i] > 0.05
    ]
    measured, stated_ratio = np.array(ratios).T
    steep = float(np.mean(slopes))
    return lines, [
        "Variance (1 − u)²·δ²/(M·h³): "
        f"{'yes' if steep < -2 else 'no'}, it grows like h^({steep:.2f}), not h^(−3), and is "
        f"{stated_ratio.min():.1f} to {stated_ratio.max():.1f} times what the corollary gives with "
        "the variance of the residuals: errors of precisions at neighbouring ranks are means of "
        "the same labels, not independent as the corollary assumes. It is "
        f"{measured.min():.2f} to {measured.max():.2f} times p(1 − p)·(5/7)/(M·h), "
        "the variance of a mean of "
        "labels with the biweight kernel, which LPR amounts to.",
    ]


def _rate_part(done: Sequence[Done]) -> Part:
    lines, slopes = [], {}
    for power in (5, 7):
        cells = [c for c in _of(done, "M", "power", "first", "n") if c.parameters["power"] == power]
        errors = {}
        for cell in cells:
            M = cell.parameters["M"]
            squares = np.array(cell.result["errors"]) ** 2
            errors[M] = float(np.sqrt(squares.mean()))
            line = {"what": f"error, h ∝ M^(−1/{power})", "class": "1", "M": M}
            line |= {"h": 0.15 * (2000 / M) ** (1 / power), "measured": errors[M]}
            lines.append(line)
        slopes[power] = log_slope(list(errors), list(errors.values()))
        line = {"what": f"slope, h ∝ M^(−1/{power})", "class": "1", "measured": slopes[power]}
        lines.append(line | {"measured paper": 2 / 7, "ours": 2 / power})
    return lines, [
        "“The convergence rate is O_p(M^(−2/7))”: "
        f"{'yes' if slopes[7] >= 2 / 7 - 0.03 else 'no'}, errors fall with {slopes[7]:.3f} at "
        f"h ∝ M^(−1/7) (2/7 = 0.286); but it is not the best: h ∝ M^(−1/5) gives "
        f"{slopes[5]:.3f} (2/5 = 0.4), the rate that Corollary 2 has for the density ratio, "
        "because the variance is of order 1/(Mh)."
    ]


def _edge_part(done: Sequence[Done]) -> Part:
    lines = []
    (cell,) = (c for c in done if "top" in c.result)
    r = cell.result
    for end in ("bottom", "top"):
        for distance, (variance, away) in zip(r["distance"], r[end], strict=True):
            line = {"what": f"edge, {end}, {distance:g} h", "class": "1"}
            line |= {"M": cell.parameters["M"], "h": cell.parameters["h"]}
            lines.append(line | {"measured": variance, "ours": _Q2, "bias": away})
    top, inner = r["top"][0], r["top"][-1]
    return lines, [
        "“A boundary effect exists”: yes. Lines “edge” give M·h·Σ weight² (5/7 inside) and the "
        f"bias: at the highest rank the variance is {top[0] / inner[0]:.1f} times that inside, at "
        f"the lowest, where a precision is a mean of nearly all labels, "
        f"{r['bottom'][0][0] / inner[0]:.1f} times; the bias is {top[1]:+.4f} at the top against "
        f"{inner[1]:+.4f} 1.5 bandwidths inside."
    ]


def _coverage_part(done: Sequence[Done]) -> Part:
    totals: dict[tuple[int, str, str, str], Float] = {}
    for cell in (c for c in _of(done, "M", "first", "n") if "interval|1|all" in c.result):
        for key, numbers in cell.result.items():
            kind, k, zone = key.split("|")
            place = (cell.parameters["M"], kind, k, zone)
            totals[place] = totals.get(place, np.zeros(3)) + np.array(numbers)
    lines = []
    sizes = sorted({place[0] for place in totals})
    for M in sizes:
        for k in ("1", "2", "3", "4", "5"):
            for zone in _ZONES:
                hits, n, width = totals[M, "interval", k, zone]
                if n < 100:
                    continue
                line = {"what": f"coverage, {zone}", "class": k, "M": M}
                line |= {"measured": hits / n, "width": width / n}
                other = {kind: totals[M, kind, k, zone] for kind in ("plain", "Corollary 1")}
                line["without bias correction"] = other["plain"][0] / n
                line["measured paper"] = other["Corollary 1"][0] / n
                lines.append(line)

    def share(kind: str, zone: str, classes: str) -> float:
        counts = [
            v for (_, a, k, b), v in totals.items() if (a, b) == (kind, zone) and k in classes
        ]
        hits, n, _ = np.sum(counts, axis=0)
        return float(hits / n)

    between = _ZONES[1]
    smooth = share("interval", between, "134")
    return lines, [
        f"Intervals at {_CONFIDENCE:.0%}: `interval` holds the true rate in "
        f"{share('interval', 'all', '12345'):.1%} of all new scores, and in {smooth:.1%} where "
        "the rate lies between 0.05 and 0.95 in classes 1, 3 and 4 (promise kept: "
        f"{'yes' if smooth >= _CONFIDENCE else 'no'}); without bias correction and by a normal "
        f"approximation {share('plain', between, '134'):.1%}, with the variance of Corollary 1 "
        f"{share('Corollary 1', between, '134'):.1%} (column paper). Within a bandwidth of a jump "
        f"(classes 2 and 5) `interval` holds it in {share('interval', _ZONES[3], '25'):.1%}, at "
        f"the top edge in {share('interval', _ZONES[2], '12345'):.1%}.",
    ]


STUDIES = (
    Study(
        name="002-corollary1",
        paper=published.CITATION,
        title="Corollary 1: bias, variance, rate and intervals of LPR",
        data="simulated",
        about="Each statement measured on Simulation I, with the boundary effect and the coverage "
        "of intervals.",
        work=work,
        conclude=corollary_1,
    ),
)
