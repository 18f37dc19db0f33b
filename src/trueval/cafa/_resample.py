"""Sums over proteins for many resamples of the proteins at once.

A resample only changes how often each protein counts, so its sums are one product of these
counts with what each protein contributes. Everything is added as whole numbers below 2⁵³, in
which floating point is exact: the result does not depend on the order, the blocks or the threads.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.cafa._entries import SUMS, Entries, weighted_counts, whole_scale
from trueval.core.intervals import percentile_interval

__all__ = ["draw_counts", "interval_of", "resampled_sums"]

Floats = NDArray[np.float64]


def draw_counts(n_rows: int, n_resamples: int, generator: np.random.Generator) -> NDArray[Any]:
    """How often each row is in each resample: as many as there are, with replacement.

    Shape (n_resamples, n_rows).
    """
    counts = np.empty((n_resamples, n_rows), dtype=np.uint16)
    for one in counts:
        one[:] = np.bincount(generator.integers(n_rows, size=n_rows), minlength=n_rows)
    return counts


def resampled_sums(
    entries: Entries, thresholds: Floats, bins: NDArray[np.int64], counts: NDArray[Any]
) -> dict[str, Floats]:
    """Sums of each resample at each threshold.

    ``bins`` are those of :meth:`Entries.bins`, ``counts`` has the shape (n_resamples, n_rows), each
    sum (n_resamples, n_thresholds).
    """
    predicted = weighted_counts(entries.row, entries.weight, entries.n_rows)
    largest = float((predicted + entries.total).max())
    scales = dict.fromkeys(("n", "pr", "rc"), whole_scale(entries.n_rows, 53))
    scales |= dict.fromkeys(("tp", "fp", "fn"), whole_scale(entries.n_rows * largest, 53))
    sums = {name: np.zeros((len(counts), len(thresholds))) for name in SUMS}
    for rows, block in entries.blocks(thresholds, bins):
        often = counts[:, rows].astype(np.float64)
        for name, values in block.items():
            sums[name] += often @ np.rint(values * scales[name])
    return {name: values / scales[name] for name, values in sums.items()}


def interval_of(
    draws: Floats,
    value: float,
    confidence: float,
    *,
    corrected: bool,
    n_proteins: int | None = None,
) -> tuple[float, float] | None:
    """Interval of a value from its resamples, or None where it never exists."""
    ends = percentile_interval(
        draws,
        value,
        confidence,
        corrected=corrected,
        n_units=None if n_proteins is None else max(n_proteins, 2),
    )
    low, high = (float(end) for end in ends)
    return None if np.isnan(low) else (low, high)
