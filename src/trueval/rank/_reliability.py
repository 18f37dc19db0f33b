"""Reliability: how often pairs of like values are members, in one binning for all uses."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["N_BINS", "reliability_bins"]

Float = NDArray[np.float64]
N_BINS = 10


def reliability_bins(values: Float, member: NDArray[np.bool_], n_bins: int = N_BINS) -> Float:
    """Mean value, share of members and number of pairs of each bin.

    Bins hold equal sums of values, not equal numbers of pairs: where classes are rare
    nearly all values are near zero, and bins of equal numbers would show nothing else.
    Equal values share a bin, so there may be fewer bins.

    Values are in [0, 1], at least one; the result has the shape (n_bins, 3).

    >>> import numpy as np
    >>> from trueval.rank._reliability import reliability_bins
    >>> values, member = np.array([0.3, 0.3, 0.6]), np.array([False, True, True])
    >>> reliability_bins(values, member, 2).tolist()
    [[0.3, 0.5, 2.0], [0.6, 1.0, 1.0]]
    """
    order = np.argsort(values, kind="stable")
    value, member = values[order], member[order]
    total = np.cumsum(value)
    shares = total[-1] * np.arange(1, n_bins + 1) / n_bins * (1 - 1e-12)
    # A bin ends where the value changes.
    ends = np.unique(np.searchsorted(value, value[np.searchsorted(total, shares)], side="right"))
    starts = np.concatenate([[0], ends[:-1]])
    size = (ends - starts).astype(float)
    means = np.add.reduceat(value, starts) / size
    observed = np.add.reduceat(member.astype(float), starts) / size
    return np.stack([means, observed, size], axis=1)
