"""Sums over proteins for many resamples of the proteins at once.

A resample only changes how often each protein counts, so its sums are one product of these
counts with what each protein contributes. Everything is added as whole numbers below 2⁵³, in
which floating point is exact: the result does not depend on the order, the blocks or the threads.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.cafa._entries import SUMS, Entries

__all__ = ["draw_counts", "resampled_sums"]

Floats = NDArray[np.float64]

_RATIO_BITS, _WEIGHT_BITS = 30, 20
_BITS = dict.fromkeys(("pr", "rc"), _RATIO_BITS) | dict.fromkeys(("tp", "fp", "fn"), _WEIGHT_BITS)
MAX_ROWS = 2**22
"""Most proteins for which the sums stay exact."""


def draw_counts(n_rows: int, n_resamples: int, generator: np.random.Generator) -> NDArray[Any]:
    """How often each row is in each resample: as many as there are, with replacement.

    Parameters
    ----------
    n_rows, n_resamples : int
    generator : numpy.random.Generator

    Returns
    -------
    ndarray of uint16, shape (n_resamples, n_rows)
    """
    counts = np.empty((n_resamples, n_rows), dtype=np.uint16)
    for one in counts:
        one[:] = np.bincount(generator.integers(n_rows, size=n_rows), minlength=n_rows)
    return counts


def resampled_sums(
    entries: Entries, thresholds: Floats, bins: NDArray[np.int64], counts: NDArray[Any]
) -> dict[str, Floats]:
    """Sums of each resample at each threshold.

    Parameters
    ----------
    entries : Entries
    thresholds : ndarray
    bins : ndarray of int
        Of :meth:`Entries.bins`.
    counts : ndarray, shape (n_resamples, n_rows)

    Returns
    -------
    dict of str to ndarray, shape (n_resamples, n_thresholds)
    """
    if entries.n_rows > MAX_ROWS:
        raise ValueError(
            f"The 'n_resamples' parameter must be 0 for more than {MAX_ROWS:,} proteins. "
            f"There are {entries.n_rows:,}."
        )
    sums = {name: np.zeros((len(counts), len(thresholds))) for name in SUMS}
    for rows, block in entries.blocks(thresholds, bins):
        often = counts[:, rows].astype(np.float64)
        for name, values in block.items():
            scale = 2.0 ** _BITS.get(name, 0)
            sums[name] += often @ np.rint(values * scale)
    return {name: values / 2.0 ** _BITS.get(name, 0) for name, values in sums.items()}
