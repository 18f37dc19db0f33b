"""What the choice of the bandwidth, and the options of LPR, do to rates and to areas.

Two studies that the paper has not: its bandwidth "is a function of sample size" (Section 2.4)
and "selected via leave-one-out cross-validation", and Section 6 and Appendix C.2 name change
points and separate kernels without trying them.
"""

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import LocalPrecisionRate, OneClassWarning, average_precision
from trueval.show._vega._study import lines_figure
from trueval.study import _published_002 as published
from trueval.study._cells import Cell, Done, Outcome, Plan, Study, Work, stream
from trueval.study._rank_measures import runs_of_two
from trueval.study._tables import columns_of, mean_and_error
from trueval.table import Table

__all__ = ["STUDIES", "log_slope"]

_PREVALENCE = 0.1
_N_NEW = 5000
_SMOOTH = (0, 2, 3)  # classes of Simulation I whose true rate has no jump
_SLOW_FROM = 10_000  # objects from which the slower kernel is left out

RULES: dict[str, dict[str, Any]] = {
    "loo-precision": {"bandwidth": "loo-precision"},
    "loo": {},
    "jumps": {"jumps": "detect"},
    "separate h": {"derivative_bandwidth": "loo"},
    "separate kernel": {"derivative_bandwidth": "loo", "derivative_kernel": "tricube"},
}


# --- errors of the rates ---------------------------------------------------------


def rate_errors(seed: int, M: int, first: int, n: int) -> dict[str, Any]:
    """Error to the true rate and bandwidth of each class, by rule and run."""
    out: dict[str, Any] = {"error": {}, "h": {}, "inside": {}, "jumps": []}
    for run in range(first, first + n):
        random = stream(seed, "rates", M, run)
        scores, y = simulation_one(M, _PREVALENCE, random_state=random)
        new, _ = simulation_one(_N_NEW, _PREVALENCE, random_state=random)
        truth = true_rates(new, _PREVALENCE)
        for name, parameters in RULES.items():
            if name == "separate kernel" and M >= _SLOW_FROM:
                continue
            ranker = LocalPrecisionRate(**parameters).fit(scores, y)
            error = np.sqrt(((ranker.transform(new) - truth) ** 2).mean(axis=0))
            h, grid = ranker.bandwidths_, ranker.bandwidth_grid_
            inside = (h > grid.min(axis=1)) & (h < grid.max(axis=1))
            out["error"].setdefault(name, []).append(error.round(7).tolist())
            out["h"].setdefault(name, []).append(h.round(7).tolist())
            out["inside"].setdefault(name, []).append(inside.astype(int).tolist())
            if name == "jumps":
                out["jumps"].append([len(places) for places in ranker.jumps_])
    return out


def bandwidth_work(plan: Plan) -> Work:
    runs = plan.n(20, 3)
    sizes = (500, 2000, 8000) if plan.quick else (500, 2000, 8000, 32_000, 128_000)
    block = {32_000: 2, 128_000: 1}
    fewer = {128_000: max(runs // 4, 2)}  # errors of large samples vary little
    cells = [
        Cell(rate_errors, {"M": M, "first": first, "n": min(block.get(M, 5), n - first)})
        for M in sizes
        for n in (fewer.get(M, runs),)
        for first in range(0, n, block.get(M, 5))
    ]
    data = [{"name": "Simulation I", "from": "trueval.data.simulate"}]
    notes = (
        ["Quick: M up to 8,000."]
        if plan.quick
        else [f"At M = 128,000 {fewer[128_000]} of the {runs} runs."]
    )
    return Work(cells, data, notes, runs)


def bandwidths(done: Sequence[Done]) -> Outcome:
    """Errors by class, M and rule, with the slopes of their logarithms."""
    sizes = sorted({cell.parameters["M"] for cell in done})
    errors: dict[tuple[int, str], np.ndarray] = {}
    h: dict[tuple[int, str], np.ndarray] = {}
    inside: dict[str, list[Any]] = {}
    jumps: dict[int, np.ndarray] = {}
    for M in sizes:
        results = [cell.result for cell in done if cell.parameters["M"] == M]
        for name in results[0]["error"]:
            errors[M, name] = np.array([e for r in results for e in r["error"][name]])
            h[M, name] = np.array([e for r in results for e in r["h"][name]])
            inside.setdefault(name, []).extend(e for r in results for e in r["inside"][name])
        jumps[M] = np.array([e for r in results for e in r["jumps"]])
    lines = []
    for label, classes in [*((str(k + 1), (k,)) for k in range(5)), ("1, 3, 4", _SMOOTH)]:
        for M in sizes:
            line: dict[str, Any] = {"class": label, "M": M}
            for name in RULES:
                if (M, name) in errors:
                    mean_errors = errors[M, name][:, classes].mean(axis=1)
                    line[name], line[f"{name} se"] = mean_and_error(mean_errors)
                if name in ("loo-precision", "loo") and len(classes) == 1:
                    line[f"h of {name}"] = float(np.median(h[M, name][:, classes[0]]))
            if len(classes) == 1:
                line["jumps found"] = float(jumps[M][:, classes[0]].mean())
            lines.append(line)
    return Outcome(
        Table(columns_of(lines)), _error_figure(lines), _bandwidth_notes(lines, sizes, inside)
    )


def log_slope(sizes: Sequence[float], errors: Sequence[float]) -> float:
    """How fast errors fall: minus the slope of log error on log size.

    NaN where an error is zero.

    >>> from trueval.study._rank_bandwidth import log_slope
    >>> round(log_slope([100, 400, 1600], [0.4, 0.2, 0.1]), 6)
    0.5
    """
    if min(errors) <= 0:
        return np.nan
    return -float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


def _bandwidth_notes(
    lines: Sequence[dict[str, Any]], sizes: Sequence[int], inside: dict[str, list[Any]]
) -> list[str]:
    large = [M for M in sizes if M >= 2000]

    def slope(label: str, rule: str) -> float:
        points = [n for n in lines if n["class"] == label and n["M"] in large]
        return log_slope([n["M"] for n in points], [n[rule] for n in points])

    span = f"from M = {large[0]:,} to {large[-1]:,}"
    labels = ["1", "2", "3", "4", "5"]
    slopes = {
        rule: {k: slope(k, rule) for k in labels} for rule in ("loo-precision", "loo", "jumps")
    }
    together = {rule: slope("1, 3, 4", rule) for rule in ("loo-precision", "loo")}
    shares = {name: np.array(values).mean(axis=0) for name, values in inside.items()}
    middle = [n for n in lines if n["M"] == large[-1] and n["class"] in labels]
    return [
        "Error: root mean square of rate − true rate over new objects, π1 = 0.1. Rules: "
        "loo-precision leaves out one precision at a time, 8 bandwidths from 0.03 to 0.2 (the "
        "paper's rule; its grid is not given); loo leaves out one label at a time, 24 bandwidths "
        "from 3/M to 1 (ours); jumps, separate h and separate kernel are options beside loo.",
        f"Errors fall like M^(−2/7) or faster in the classes without a jump (1, 3, 4), {span}: "
        f"{'yes' if together['loo'] >= 2 / 7 else 'no'} by loo, slope {together['loo']:.3f} of "
        "their mean ("
        + ", ".join(f"class {k} {slopes['loo'][k]:.3f}" for k in ("1", "3", "4"))
        + f"); {'yes' if together['loo-precision'] >= 2 / 7 else 'no'} by the paper's rule, "
        f"{together['loo-precision']:.3f}.",
        "Classes 2 and 5 jump at 0.8: a smoother of bandwidth h is wrong within h of the jump, so "
        "that with noise around it (class 2) no rate above M^(−1/4) is to be had; class 5 has next "
        f"to none, and the smallest windows are best. Slopes by loo {slopes['loo']['2']:.3f} and "
        f"{slopes['loo']['5']:.3f}; each side smoothed by itself {slopes['jumps']['2']:.3f} and "
        f"{slopes['jumps']['5']:.3f}. At M = {large[-1]:,} jumps='detect' changes the errors of "
        "classes 1 to 5 by factors of "
        + ", ".join(f"{n['jumps'] / n['loo']:.2f}" for n in middle)
        + ".",
        "The chosen bandwidth is inside its grid: by loo in "
        + ", ".join(f"{share:.0%}" for share in shares["loo"])
        + " of the fits of classes 1 to 5, by the paper's rule in "
        + ", ".join(f"{share:.0%}" for share in shares["loo-precision"])
        + ".",
        "A bandwidth of its own for G′ changes errors by factors from "
        + _factors(lines, "separate h")
        + "; a tricube kernel with it, from "
        + _factors(lines, "separate kernel")
        + ": Appendix C.2's remark that kernels of different orders can reduce the bias gains "
        "little, because both come from the same labels.",
    ]


def _factors(lines: Sequence[dict[str, Any]], rule: str) -> str:
    factors = [n[rule] / n["loo"] for n in lines if rule in n]
    return f"{min(factors):.2f} to {max(factors):.2f}"


def _error_figure(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    rows = [
        {"M": n["M"], "error": n[rule], "rule": rule, "class": f"class {n['class']}"}
        for n in lines
        for rule in RULES
        if rule in n
    ]
    return lines_figure(
        rows, "M", "error", colour="rule", panel="class", log_x=True, log_y=True,
        title="Error of the local precision rate",
    )  # fmt: skip


# --- areas -----------------------------------------------------------------------

_AREAS: dict[str, dict[str, Any]] = {
    "loo-precision, step": {"bandwidth": "loo-precision", "mapping": "step"},
    "loo-precision": {"bandwidth": "loo-precision"},
    "loo, step": {"mapping": "step"},
    "loo": {},
    "jumps": {"jumps": "detect"},
    "separate h": {"derivative_bandwidth": "loo"},
}
_BLOCK = 10
_QUICK = ((100, 0.05, 0.0), (500, 0.2, 0.0), (100, 0.05, 0.05), (500, 0.07, 0.03))


def area_runs(seed: int, M: int, pi1: float, pi2: float, first: int, n: int) -> dict[str, Any]:
    """Pooled average precision on test data, by variant and run."""
    out: dict[str, list[float]] = {}
    for scores, y, new, new_y in runs_of_two(seed, "areas", M, pi1, pi2, first, n):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)
            for name, parameters in _AREAS.items():
                values = LocalPrecisionRate(**parameters).fit(scores, y).transform(new)
                out.setdefault(name, []).append(round(average_precision(values, new_y), 7))
    return out


def area_work(plan: Plan) -> Work:
    runs = plan.n(40, 3)
    settings = [
        (int(key[0]), float(key[1]), float(key[2]) if len(key) > 2 else 0.0)
        for key in (*published.TABLE_3, *published.TABLE_5)
    ]
    cells = [
        Cell(
            area_runs,
            {"M": M, "pi1": a, "pi2": b, "first": first, "n": min(_BLOCK, runs - first)},
        )
        for M, a, b in settings
        if not plan.quick or (M, a, b) in _QUICK
        for first in range(0, runs, _BLOCK)
    ]
    data = [{"name": "Simulations I and II", "from": "trueval.data.simulate"}]
    notes = ["Quick: only some of the settings."] if plan.quick else []
    return Work(cells, data, notes, runs)


def options(done: Sequence[Done]) -> Outcome:
    """Areas of the variants in every setting of Tables 2 and 4."""
    runs: dict[tuple[int, float, float], dict[str, list[float]]] = {}
    for cell in done:
        p = cell.parameters
        areas = runs.setdefault((p["M"], p["pi1"], p["pi2"]), {})
        for name, values in cell.result.items():
            areas.setdefault(name, []).extend(values)
    lines = []
    for (M, pi1, pi2), results in runs.items():
        line: dict[str, Any] = {"M": M, "π1": pi1, "π2": pi2}
        for name in _AREAS:
            line[name], line[f"{name} se"] = mean_and_error(results[name])
        gain = np.array(results["loo"]) - np.array(results["loo-precision"])
        line["gain"], line["gain se"] = mean_and_error(gain)
        lines.append(line)
    notes = [
        "Average precision on test data, means over runs; gain: loo − loo-precision on the same "
        "data, both interpolated."
    ]
    for which in ("I", "II"):
        of = [line for line in lines if (line["π2"] > 0) == (which == "II")]
        notes += [_gain_note(which, M, of) for M in sorted({line["M"] for line in of})]
    return Outcome(Table(columns_of(lines)), None, notes)


def _gain_note(which: str, M: int, lines: Sequence[dict[str, Any]]) -> str:
    """Whether our rule is no worse than the paper's at one M, and what the options do."""
    of_size = [line for line in lines if line["M"] == M]

    def mean(name: str, other: str) -> float:
        return float(np.mean([line[name] - line[other] for line in of_size]))

    gain = mean("loo", "loo-precision")
    error = float(np.sqrt(np.sum([line["gain se"] ** 2 for line in of_size])) / len(of_size))
    return (
        f"Simulation {which}, M = {M}: our rule is no worse: "
        f"{'yes' if gain >= -2 * error else 'no'}, gain {gain:+.4f} ± {error:.4f} "
        f"({mean('loo, step', 'loo-precision, step'):+.4f} with steps); jumps='detect' "
        f"{mean('jumps', 'loo'):+.4f}, a bandwidth of its own for G′ "
        f"{mean('separate h', 'loo'):+.4f} beside it."
    )


_study = partial(Study, paper=published.CITATION, data="simulated")
STUDIES = (
    _study(
        name="002-bandwidth",
        title="Bandwidth of LPR: error to the true rate by M",
        about="Section 2.4 and condition C2: the bandwidth as a function of M, by two rules; "
        "change points and separate bandwidths for G and G′ (Section 6, Appendix C.2).",
        work=bandwidth_work,
        conclude=bandwidths,
    ),
    _study(
        name="002-options",
        title="Bandwidth rules and options of LPR: areas in the settings of Tables 2 and 4",
        about="Leaving out labels or precisions, jumps, separate bandwidths; 40 runs.",
        work=area_work,
        conclude=options,
    ),
)
