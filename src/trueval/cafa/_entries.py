"""Predicted pairs of one aspect, and what each protein contributes at each threshold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.cafa._predictions import grouped

__all__ = ["SUMS", "Entries", "exact_sums", "grid_of", "weighted_counts", "whole_scale"]

Floats = NDArray[np.float64]

SUMS = ("n", "tp", "fp", "fn", "pr", "rc")
"""Sums over proteins: with a prediction, right, wrong and missing terms, precision, recall."""

_CELLS = 2**19


def grid_of(step: float) -> Floats:
    """Thresholds of CAFA-evaluator: from the step, by the step, below 1."""
    return np.arange(step, 1, step)


@dataclass(frozen=True, eq=False)
class Entries:
    """Predicted pairs of one aspect after propagation, by protein."""

    row: NDArray[np.int64]  # protein of each pair, ascending
    term: NDArray[np.int32]
    score: Floats
    true: NDArray[np.bool_]
    weight: Floats  # 1, or the information accretion of the term; 0 for a pair that does not count
    total: Floats  # weight of all true terms of each protein

    @property
    def n_rows(self) -> int:
        """Number of proteins."""
        return len(self.total)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.searchsorted(self.row, np.arange(self.n_rows + 1))

    def bins(self, thresholds: Floats) -> NDArray[np.int64]:
        """Thresholds that each pair's score reaches."""
        return np.searchsorted(thresholds, self.score, side="right")

    def blocks(
        self, thresholds: Floats, bins: NDArray[np.int64]
    ) -> Iterator[tuple[slice, dict[str, Floats]]]:
        """What each protein adds to the sums at each threshold, some proteins at a time."""
        width = len(thresholds) + 1
        size = max(1, _CELLS // width)
        for start in range(0, self.n_rows, size):
            stop = min(start + size, self.n_rows)
            part = slice(*self._starts[[start, stop]])
            key = (self.row[part] - start) * width + bins[part]
            shape = (stop - start, width)
            weight, true = self.weight[part], self.true[part]
            tp = _reached(key, weight * true, shape)
            fp = _reached(key, weight * ~true, shape)
            yield slice(start, stop), _contributions(tp, fp, self.total[start:stop, None])

    def sums(self, thresholds: Floats, bins: NDArray[np.int64]) -> dict[str, Floats]:
        """The sums at each threshold."""
        sums = {name: np.zeros(len(thresholds)) for name in SUMS}
        for _, block in self.blocks(thresholds, bins):
            for name, values in block.items():
                sums[name] += values.sum(axis=0)
        return sums


def _reached(key: NDArray[Any], weight: Floats, shape: tuple[int, int]) -> Floats:
    """Weight of the pairs of each protein that reach each threshold."""
    each = weighted_counts(key, weight, shape[0] * shape[1]).reshape(shape)
    return each[:, :0:-1].cumsum(axis=1)[:, ::-1]


def weighted_counts(key: NDArray[Any], weight: NDArray[Any], n: int) -> Floats:
    """Weight of each key; numbers with a fraction even where there is no key."""
    return np.bincount(key, weights=weight, minlength=n).astype(np.float64, copy=False)


def _contributions(tp: Floats, fp: Floats, total: Floats) -> dict[str, Floats]:
    predicted = tp + fp
    return {
        "n": (predicted > 0).astype(np.float64),
        "tp": tp,
        "fp": fp,
        "fn": np.maximum(total - tp, 0.0),
        "pr": _ratio(tp, predicted),
        "rc": _ratio(tp, total),
    }


def _ratio(part: Floats, whole: Floats) -> Floats:
    whole = np.broadcast_to(whole, part.shape)
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def exact_sums(entries: Mapping[str, Entries]) -> tuple[Floats, dict[str, dict[str, Floats]]]:
    """All distinct scores, ascending, and the sums with each as the threshold.

    One pass over pairs sorted by protein and score: where the threshold comes down to a score,
    a protein with that score changes its precision, and the sum changes by the difference.

    The entries are the same pairs with other weights. Without a pair, infinity is the only
    threshold.
    """
    pairs = next(iter(entries.values()))
    thresholds, place = np.unique(pairs.score, return_inverse=True)
    n = len(thresholds)
    if n == 0:
        never = np.array([np.inf])
        return never, {
            key: weighting.sums(never, weighting.bins(never)) for key, weighting in entries.items()
        }
    order, descending, starts, row_of = grouped(pairs.row, n - 1 - place, (pairs.n_rows, n))
    rows, places = row_of[starts], descending[starts]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = rows[1:] != rows[:-1]
    sums = {}
    for key, weighting in entries.items():
        # Whole numbers add up exactly, so running sums of a protein can be told by subtraction.
        scale = whole_scale(float(weighting.weight.sum()), 61)
        weight = np.rint(weighting.weight * scale).astype(np.int64)[order]
        right = np.where(weighting.true[order], weight, 0)
        tp, both = np.add.reduceat(right, starts), np.add.reduceat(weight, starts)
        changes = _changes(tp, both, first, scale)
        changes["rc"] = _ratio(tp / scale, weighting.total[rows])
        sums[key] = {
            name: np.cumsum(weighted_counts(places, change, n))[::-1]
            for name, change in changes.items()
        }
        sums[key]["fn"] = np.maximum(float(weighting.total.sum()) - sums[key]["tp"], 0.0)
    return thresholds, sums


def whole_scale(bound: float, bits: int) -> float:
    """Power of two by which numbers become whole ones that add up to less than 2^bits."""
    return 2.0 ** (bits - int(np.ceil(np.log2(max(bound, 1.0)))) - 1)


def _changes(
    tp: NDArray[np.int64], both: NDArray[np.int64], first: NDArray[np.bool_], scale: float
) -> dict[str, NDArray[Any]]:
    """By how much each score of each protein changes the sums; scores descend in a protein."""
    right, predicted = _running(tp, first), _running(both, first)
    precision = right / np.maximum(predicted, 1)
    covered = predicted > 0
    before = {
        name: np.where(first, 0, np.roll(values, 1))
        for name, values in (("n", covered), ("pr", precision))
    }
    return {
        "n": covered.astype(np.float64) - before["n"],
        "tp": tp / scale,
        "fp": (both - tp) / scale,
        "pr": precision - before["pr"],
    }


def _running(values: NDArray[np.int64], first: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Running sums that start again at each first."""
    total = np.cumsum(values)
    begins = np.flatnonzero(first)
    base = (total - values)[begins]
    return total - np.repeat(base, np.diff(np.append(begins, len(values))))
