"""Intervals from resamples: percentiles, corrected for bias and for few units."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

__all__ = ["percentile_interval"]

Float = NDArray[np.float64]


def percentile_interval(
    draws: ArrayLike,
    value: ArrayLike,
    level: float,
    *,
    corrected: bool = True,
    n_units: ArrayLike | None = None,
) -> tuple[Float, Float]:
    """Both ends of the interval of each value, from its resamples along the first axis.

    Draws are NaN where the value does not exist; the ends are NaN if all are. Plain percentiles
    are moved in two ways:

    - ``corrected``: by the share of draws below the value (Efron's bias-corrected percentiles),
      because a maximum or an area is too large in a sample, and more so in a resample of it;
    - ``n_units``: outwards, as a t interval of so many units is wider than a normal one
      (Hesterberg's expanded percentiles). Of one unit there is no interval.

    >>> import numpy as np
    >>> draws = np.arange(101.0)[:, None]
    >>> low, high = percentile_interval(draws, [50.0], 0.9, corrected=False)
    >>> low.round(9).tolist(), high.round(9).tolist()
    ([5.0], [95.0])
    """
    ordered = np.sort(np.asarray(draws, dtype=np.float64), axis=0)  # NaN last
    known = (~np.isnan(ordered)).sum(axis=0)
    tail = (1 - level) / 2
    reach = np.full(known.shape, -ndtri(tail))
    if n_units is not None:
        n = np.broadcast_to(np.asarray(n_units, dtype=np.float64), known.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(n > 1, -stdtrit(n - 1, tail) * np.sqrt(n / (n - 1)), np.nan)
    shift = np.zeros(known.shape)
    if corrected:
        at = np.asarray(value, dtype=np.float64)
        below = (ordered < at).sum(axis=0) + (ordered == at).sum(axis=0) / 2
        shift = 2 * ndtri((below + 0.5) / (known + 1))
    low, high = (_quantile(ordered, known, ndtr(shift + side * reach)) for side in (-1, 1))
    return low, high


def _quantile(ordered: Float, known: NDArray[np.int64], share: Float) -> Float:
    """Quantile of each column of sorted draws, linear between them; NaN of none."""
    place = np.nan_to_num(share) * np.maximum(known - 1, 0)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(known - 1, 0))
    first, second = (np.take_along_axis(ordered, at[None], axis=0)[0] for at in (below, above))
    quantile: Float = first + (second - first) * (place - below)
    return np.where((known == 0) | np.isnan(share), np.nan, quantile)
