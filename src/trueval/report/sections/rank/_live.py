"""The data of the live threshold: exact counts at a grid of thresholds, class by class.

A page cannot hold every value of every class, so the thresholds are a grid: all distinct
values where they are few, else a choice of them. At each, calls and hits are exact, pooled
and for each class. A class's counts change at few thresholds only; so each class is a list
of steps, each saying how many thresholds on it lies and what it gains. Nearly all gain one
call; so a step is one variable-length integer, four times the distance plus

====  ==================================================
0     one call gained, no hit
1     one call gained, a hit
2     two more integers follow: calls gained, hits gained
====  ==================================================
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.rank._curves import f_beta, member_mask, pooled_values
from trueval.report._section import Data

__all__ = ["LiveData", "live_data", "pooled_counts", "varints"]

MAX_BYTES = 300_000  # of steps and raw scores, before base64
# Calls for each positive that the grid reaches, and its thresholds: the first plan that fits
# the page is taken; with raw scores only if the grid stays fine.
PLANS = ((20, 2000), (20, 1000), (5, 1000), (5, 500), (2, 500), (2, 250), (1, 250), (1, 100),
         (0.5, 100), (0.5, 30), (0.5, 10))  # fmt: skip
_ANCHORS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99)

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LiveData:
    """Thresholds, falling, with exact counts."""

    thresholds: Float  # A pair is called when its value is at least this
    # calls, hits: Pooled, at each threshold
    calls: Int
    hits: Int
    n_distinct: int  # distinct values there are; the grid is all of them if as long
    steps: bytes  # for each class its number of steps, then the steps
    # For each step, the lowest raw score called so far in its class
    lows: NDArray[np.float32] | None

    def to_dict(self) -> Data:
        """As the page takes it."""
        lows = None
        if self.lows is not None:
            lows = base64.b64encode(self.lows.astype("<f4").tobytes()).decode()
        return {
            "thresholds": self.thresholds,
            "calls": self.calls,
            "hits": self.hits,
            "n_distinct": self.n_distinct,
            "steps": base64.b64encode(self.steps).decode(),
            "lows": lows,
        }


def pooled_counts(values: Scores, labels: Labels) -> tuple[Float, Int, Int]:
    """Distinct values, falling, with calls and hits of calling each and all above."""
    stored, members = pooled_values(values, labels)
    distinct, first = np.unique(stored, return_index=True)
    calls = len(stored) - first
    hits = len(members) - np.searchsorted(members, distinct)
    return distinct[::-1], calls[::-1].astype(np.int64), hits[::-1].astype(np.int64)


def live_data(
    values: Scores, labels: Labels, raw: Scores | None, chosen: Sequence[float] = ()
) -> tuple[LiveData, list[int | None]]:
    """Condense values for the page, and say where on the grid chosen thresholds are.

    ``raw`` are scores of the model at the same places, to say where each class's calls begin.
    A threshold above all values is nowhere on the grid.
    """
    thresholds, calls, hits = pooled_counts(values, labels)
    places = np.array([int((thresholds >= t).sum()) - 1 for t in chosen], dtype=np.int64)
    _, classes, stored = values.stored
    hit = member_mask(values, labels)
    low_scores = _aligned(values, raw)
    trials: list[tuple[tuple[float, int], Float | None]] = [(plan, None) for plan in PLANS]
    if low_scores is not None:
        trials = [*((plan, low_scores) for plan in PLANS[:6]), *trials]
    for (reach, budget), scores in trials:
        grid = np.union1d(_grid(calls, hits, labels.nnz, reach, budget), places[places >= 0])
        bins = len(grid) - np.searchsorted(thresholds[grid][::-1], stored, side="right")
        steps, order = _steps(classes, bins, hit, len(grid), labels.n_classes)
        if len(steps) + (0 if scores is None else 4 * len(order[0])) <= MAX_BYTES:
            break
    lows = None
    if scores is not None:
        lows = _lows(scores, classes, bins, len(grid), order)
    cuts = thresholds[grid]
    on_grid = np.searchsorted(grid, places)
    # A threshold between two values calls the same pairs as the value above it.
    for place, threshold in zip(on_grid[places >= 0], np.asarray(chosen)[places >= 0], strict=True):
        cuts[place] = threshold if np.isfinite(threshold) else cuts[place]
    where = [int(g) if place >= 0 else None for g, place in zip(on_grid, places, strict=True)]
    return LiveData(cuts, calls[grid], hits[grid], len(thresholds), steps, lows), where


def _aligned(values: Scores, raw: Scores | None) -> Float | None:
    """Raw scores in the order of the stored values; None if not at the same places."""
    if raw is None or raw.is_sparse != values.is_sparse:
        return None
    if values.is_sparse and not (
        np.array_equal(raw.matrix.indptr, values.matrix.indptr)
        and np.array_equal(raw.matrix.indices, values.matrix.indices)
    ):
        return None
    return raw.stored[2]


def _grid(calls: Int, hits: Int, n_positives: int, reach: float, budget: int) -> Int:
    """Places of the thresholds: all, or dense where calls are few and near common targets.

    Beyond ``reach`` calls for each positive there is only the threshold that calls all.
    """
    if len(calls) <= budget:
        return np.arange(len(calls))
    most = max(min(reach * n_positives, float(calls[-1])), 1.0)
    f1 = f_beta(hits.astype(float), calls.astype(float), float(n_positives), 1.0)
    wanted = [int(np.argmax(f1))]
    for share in _ANCHORS:
        wanted += np.flatnonzero(hits >= share * calls)[-1:].tolist()
        wanted += np.flatnonzero(hits >= share * n_positives)[:1].tolist()
    anchors = [0, *(place for place in wanted if calls[place] <= most), len(calls) - 1]
    half = max((budget - len(anchors)) // 2, 1)
    even = np.linspace(1, min(2 * n_positives, most), half)
    wide = np.geomspace(1, most, half)
    chosen = np.searchsorted(calls, np.concatenate([even, wide])).clip(max=len(calls) - 1)
    return np.unique(np.concatenate([chosen, anchors])).astype(np.int64)


def _steps(
    classes: Int, bins: Int, hit: NDArray[np.bool_], n_bins: int, n_classes: int
) -> tuple[bytes, tuple[Int, Int]]:
    called = bins < n_bins
    key = classes[called] * n_bins + bins[called]
    keys, inverse, gained = np.unique(key, return_inverse=True, return_counts=True)
    right = np.bincount(inverse, weights=hit[called], minlength=len(keys)).astype(np.int64)
    owner, at = keys // n_bins, keys % n_bins
    n_steps = np.bincount(owner, minlength=n_classes)
    on = np.diff(at, prepend=0)
    first = (np.cumsum(n_steps) - n_steps)[n_steps > 0]
    on[first] = at[first]
    # Each class: its number of steps, then one number a step or three.
    single = gained == 1
    length = np.where(single, 1, 3)
    place = np.cumsum(length) - length + owner + 1
    out = np.empty(int(length.sum()) + n_classes, dtype=np.int64)
    steps_before = np.concatenate([[0], np.cumsum(length)])[np.cumsum(n_steps) - n_steps]
    out[steps_before + np.arange(n_classes)] = n_steps
    out[place] = 4 * on + np.where(single, right, 2)
    out[place[~single] + 1] = gained[~single]
    out[place[~single] + 2] = right[~single]
    return varints(out), (keys, n_steps)


def _lows(
    raw: Float, classes: Int, bins: Int, n_bins: int, order: tuple[Int, Int]
) -> NDArray[np.float32]:
    keys, n_steps = order
    called = bins < n_bins
    place = np.searchsorted(keys, classes[called] * n_bins + bins[called])
    lows = np.full(len(keys), np.inf)
    np.minimum.at(lows, place, raw[called])
    start = 0
    for n in n_steps:  # the lowest so far, class by class
        np.minimum.accumulate(lows[start : start + n], out=lows[start : start + n])
        start += n
    return lows.astype(np.float32)


def varints(numbers: Int) -> bytes:
    """Seven bits a byte, the lowest first, the high bit saying that more follow.

    >>> list(varints(np.array([5, 300])))
    [5, 172, 2]
    """
    left = np.asarray(numbers, dtype=np.int64)
    length = np.ones(len(left), dtype=np.int64)
    for bits in range(7, 63, 7):
        length += (left >> bits) > 0
    end = np.cumsum(length)
    out = np.zeros(int(end[-1]) if len(end) else 0, dtype=np.uint8)
    start = end - length
    for place in range(int(length.max()) if len(length) else 0):
        mine = length > place
        more = (length[mine] > place + 1) * 128
        out[start[mine] + place] = ((left[mine] >> (7 * place)) & 127) + more
    return out.tobytes()
