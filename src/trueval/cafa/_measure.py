"""The measures of one aspect: on the grid, exactly, and in resamples of the proteins."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trueval.cafa._curve import NORMALIZATIONS, Curve, average_precision, best_place, make_curve
from trueval.cafa._entries import Entries, exact_sums, grid_of
from trueval.cafa._resample import resampled_sums
from trueval.cafa._result import AspectEvaluation, Context
from trueval.core.intervals import draw_counts
from trueval.core.params import Choice, Constraints, Interval, check_params

__all__ = ["Setting", "measured"]

Floats = NDArray[np.float64]

_Curves = Callable[[dict[str, dict[str, Floats]], Floats], dict[str, Curve]]

_COUNTS = 2**27
"""Most counts of resamples held at once."""
_THRESHOLDS = 2**20
"""Most thresholds of an exact curve measured at once."""


@dataclass(frozen=True)
class Setting:
    """How to measure.

    Attributes
    ----------
    grid : float
        Step of the thresholds.
    normalization : {"cafa", "pred", "gt"}
    n_resamples : int
    confidence : float
    """

    grid: float = 0.01
    normalization: str = "cafa"
    n_resamples: int = 1000
    confidence: float = 0.95

    _parameter_constraints: ClassVar[Constraints] = {
        "grid": Interval(float, 1e-5, 1, "left"),
        "normalization": Choice(NORMALIZATIONS),
        "n_resamples": Interval(int, 0),
        "confidence": Interval(float, 0, 1, "neither"),
    }

    def __post_init__(self) -> None:
        check_params("Setting", vars(self), self._parameter_constraints)


def measured(
    name: str,
    entries: dict[str, Entries],
    setting: Setting,
    generator: np.random.Generator,
    context: Context,
) -> AspectEvaluation:
    """Evaluate one aspect.

    ``entries`` has the key ``""`` unweighted, and ``"w"`` weighted where information accretion is
    given.
    """
    thresholds = grid_of(setting.grid)
    n_proteins = entries[""].n_rows
    bins = entries[""].bins(thresholds)

    def curves(sums: dict[str, dict[str, Floats]], at: Floats) -> dict[str, Curve]:
        return {
            key: make_curve(at, by_name, n_proteins, setting.normalization)
            for key, by_name in sums.items()
        }

    on_grid = curves({k: e.sums(thresholds, bins) for k, e in entries.items()}, thresholds)
    values = _values(on_grid, setting.normalization)
    exact = _exact_values(entries, curves, setting.normalization)
    resamples: dict[str, Floats] = {}
    if setting.n_resamples:
        resamples = _resampled(entries, thresholds, bins, setting, generator, curves)
    return AspectEvaluation(
        name,
        n_proteins,
        len(np.unique(entries[""].row[entries[""].weight > 0])),
        {measure: _number(value) for measure, value in values.items()},
        {measure: _number(value) for measure, value in exact.items()},
        resamples,
        setting.confidence,
        on_grid,
        entries,
        context,
    )


def _values(curves: dict[str, Curve], normalization: str) -> dict[str, Any]:
    """All measures of curves, along the axes before the thresholds.

    Smin takes the weighted curve where there is one: misinformation and remaining uncertainty
    are amounts of information.
    """
    plain = curves[""]
    covered = plain.n > 0
    some = covered.any(axis=-1)
    values: dict[str, Any] = {}
    for key, curve in curves.items():
        for suffix, f in (("", curve.f), ("_micro", curve.f_micro)):
            at = best_place(f, covered)
            values[f"{key}fmax{suffix}"] = np.where(some, _at(f, at), 0.0)
            values[f"{key}threshold{suffix}"] = np.where(some, curve.thresholds[at], np.nan)
            if not suffix:
                for name in ("precision", "recall", "coverage"):
                    values[key + name] = np.where(some, _at(getattr(curve, name), at), 0.0)
        area = average_precision(curve.precision, curve.recall)
        values[f"{key}aupr"] = area if normalization != "pred" else np.full_like(area, np.nan)
        values[f"{key}aupr_micro"] = average_precision(curve.precision_micro, curve.recall_micro)
    for key, curve in curves.items():
        suffix = "" if key == list(curves)[-1] else "_unweighted"
        at = best_place(curve.s, covered, smallest=True)
        values |= {
            f"smin{suffix}": np.where(some, _at(curve.s, at), np.nan),
            f"smin{suffix}_threshold": np.where(some, curve.thresholds[at], np.nan),
        }
        if not suffix:
            values["misinformation"] = np.where(some, _at(curve.misinformation, at), np.nan)
            values["remaining_uncertainty"] = np.where(
                some, _at(curve.remaining_uncertainty, at), np.nan
            )
    values["coverage_max"] = plain.coverage.max(axis=-1)
    return values


def _exact_values(entries: dict[str, Entries], curves: _Curves, normalization: str) -> Any:
    """The same with every score as a threshold, some of them at a time.

    The best thresholds are found first and measured again alone; only the areas need all.
    """
    thresholds, sums = exact_sums(entries)
    best: dict[tuple[str, str], tuple[float, int]] = {}
    areas: dict[str, float] = {}
    for start in range(0, len(thresholds), _THRESHOLDS):
        stop = start + _THRESHOLDS
        part = curves(_part(sums, slice(start, stop + 1)), thresholds[start : stop + 1])
        last = stop >= len(thresholds)
        covered = part[""].n > 0
        for key, curve in part.items():
            for name, sign in (("f", 1), ("f_micro", 1), ("s", -1)):
                values = sign * getattr(curve, name)
                at = int(best_place(values, covered))
                if covered[at] and values[at] > best.get((key, name), (-np.inf, 0))[0]:
                    best[key, name] = values[at], start + at
            for name, suffix in (("aupr", ""), ("aupr_micro", "_micro")):
                precision, recall = (
                    getattr(curve, f"{what}{suffix}") for what in ("precision", "recall")
                )
                area = average_precision(precision, recall)
                if not last:  # the step below the first threshold of the next part is its own
                    area -= recall[-1] * precision[-1]
                areas[key + name] = areas.get(key + name, 0.0) + float(area)
    places = np.unique([0, *(at for _, at in best.values())])
    values = _values(curves(_part(sums, places), thresholds[places]), normalization)
    if normalization == "pred":
        areas = {name: np.nan if not name.endswith("_micro") else a for name, a in areas.items()}
    return values | areas


def _part(sums: dict[str, dict[str, Floats]], at: Any) -> dict[str, dict[str, Floats]]:
    return {
        key: {name: values[at] for name, values in by_name.items()} for key, by_name in sums.items()
    }


def _resampled(
    entries: dict[str, Entries],
    thresholds: Floats,
    bins: NDArray[np.int64],
    setting: Setting,
    generator: np.random.Generator,
    curves: _Curves,
) -> dict[str, Floats]:
    """Every measure of every resample."""
    n_rows = entries[""].n_rows
    parts: list[dict[str, Any]] = []
    left = setting.n_resamples
    while left:
        size = min(left, max(1, _COUNTS // n_rows))
        counts = draw_counts(n_rows, size, generator)
        sums = {k: resampled_sums(e, thresholds, bins, counts) for k, e in entries.items()}
        parts.append(_values(curves(sums, thresholds), setting.normalization))
        left -= size
    return {measure: np.concatenate([part[measure] for part in parts]) for measure in parts[0]}


def _at(values: Floats, places: NDArray[np.int64]) -> Floats:
    """The value at a place along the last axis."""
    return np.take_along_axis(values, np.asarray(places)[..., None], axis=-1)[..., 0]


def _number(value: Any) -> float | None:
    number = float(value)
    return None if np.isnan(number) else number
