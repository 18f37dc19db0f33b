"""Resamples of rows or objects, and intervals from them."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

__all__ = ["draw_counts", "interval_of"]

Floats = NDArray[np.float64]


def draw_counts(n_rows: int, n_resamples: int, generator: np.random.Generator) -> NDArray[Any]:
    """How often each row is in each resample: as many as there are, with replacement.

    Shape (n_resamples, n_rows).
    """
    counts = np.empty((n_resamples, n_rows), dtype=np.uint16)
    for one in counts:
        one[:] = np.bincount(generator.integers(n_rows, size=n_rows), minlength=n_rows)
    return counts


def interval_of(
    draws: Floats,
    value: float,
    confidence: float,
    *,
    corrected: bool,
    n_drawn: int | None = None,
) -> tuple[float, float] | None:
    """Interval of a value from its resamples.

    ``draws`` are NaN where the value does not exist; None if all are. A maximum is too large in the
    sample, and more so in a resample: ``corrected`` moves both ends by the share of resamples below
    the value (Efron's bias-corrected percentiles). With ``n_drawn``, tails are narrowed as a
    t interval of so many is wider than a normal one (Hesterberg's expanded percentiles).
    """
    known = draws[~np.isnan(draws)]
    if len(known) == 0:
        return None
    normal = NormalDist()
    tail = (1 - confidence) / 2
    reach = -normal.inv_cdf(tail)
    if n_drawn is not None and n_drawn > 1:
        wider = math.sqrt(n_drawn / (n_drawn - 1))
        reach = -float(stdtrit(n_drawn - 1, tail)) * wider
    shift = 0.0
    if corrected:
        below = (known < value).sum() + (known == value).sum() / 2
        shift = 2 * normal.inv_cdf(float((below + 0.5) / (len(known) + 1)))
    ends = [normal.cdf(shift - reach), normal.cdf(shift + reach)]
    low, high = np.quantile(known, ends)
    return float(low), float(high)
