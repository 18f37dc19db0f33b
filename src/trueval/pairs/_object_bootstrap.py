"""AUCs of many resamples of objects at once.

A resample only changes how often each object counts, and a pair counts as often as its
distinct objects do, multiplied: the pigeonhole bootstrap for columns of different kinds, the
vertex bootstrap for one kind. Scores keep their order, so rows are sorted once.

Such resamples spread too far where pairs vary by themselves: the counts of two pairs that share
an object have covariance 1, those of a pair with itself 3, though it shares two objects only.
With d the influence of a pair on an AUC, the sum of d² is taken off the variance of the
resamples, which leaves the sum over objects of the squared influence of all their pairs. That
counts a pair twice, and so is still more than needed; what would count it once (the variance of
dyadic clusters) is too small for few objects.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.ids import PairIndex, number_rows
from trueval.core.intervals import draw_counts
from trueval.core.random import draw_seed

__all__ = ["Comparison", "ObjectResamples", "pair_variance", "shrinkage"]

_Floats = NDArray[np.float64]
_CELLS = 1 << 21  # weights held at a time


class Comparison:
    """Positives and negatives of rows to compare, in the order of their scores.

    Parameters
    ----------
    members : ndarray of int of shape (n_rows, arity)
        Numbers of the objects of each row, as :meth:`ObjectResamples.members` gives them.
    positive : ndarray of bool
    score : ndarray of float
    """

    def __init__(
        self, members: NDArray[np.int64], positive: NDArray[np.bool_], score: _Floats
    ) -> None:
        order = np.argsort(score[~positive], kind="stable")
        below = score[~positive][order]
        self.negatives = members[~positive][order]
        self.positives = members[positive]
        # Negatives before `low` are below a positive, those before `high` are not above it.
        self.low = np.searchsorted(below, score[positive], "left")
        self.high = np.searchsorted(below, score[positive], "right")

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.positives) + len(self.negatives)

    def aucs(self, counts: _Floats) -> _Floats:
        """AUC of each column of counts of objects; NaN where a class has no weight."""
        weight = _products(counts, self.positives)
        sums = np.zeros((len(self.negatives) + 1, counts.shape[1]))
        np.cumsum(_products(counts, self.negatives), axis=0, out=sums[1:])
        doubled = np.einsum("pb,pb->b", weight, sums[self.low] + sums[self.high])
        total = 2 * weight.sum(axis=0) * sums[-1]
        return np.divide(doubled, total, out=np.full(len(total), np.nan), where=total > 0)

    def influence(self) -> tuple[NDArray[np.int64], _Floats]:
        """Members of the rows, and the derivative of the AUC by the weight of each."""
        n_up, n_down = len(self.positives), len(self.negatives)
        below = (self.low + self.high) / (2 * n_down)
        auc = below.mean()
        # Positives that are not above each negative: all of them, and those that do not tie.
        not_above = np.cumsum(np.bincount(self.low, minlength=n_down + 1))[:n_down]
        smaller = np.cumsum(np.bincount(self.high, minlength=n_down + 1))[:n_down]
        above = 1 - (not_above + smaller) / (2 * n_up)
        values = np.concatenate([(below - auc) / n_up, (above - auc) / n_down])
        return np.concatenate([self.positives, self.negatives]), values


def pair_variance(comparisons: Sequence[Comparison], last: int) -> float:
    """Variance of the mean AUC of comparisons that pairs have by themselves.

    Rows of one pair vary together. A pair of one object, whose other is the number ``last``,
    counts as often as this object, and so nothing too often.
    """
    parts = [one.influence() for one in comparisons]
    members = np.concatenate([part[0] for part in parts])
    values = np.concatenate([part[1] for part in parts]) / len(parts)
    of_pair = np.bincount(number_rows(members), values)
    once = np.zeros(len(of_pair), dtype=bool)
    once[number_rows(members)] = (members < last).all(axis=1)
    return float((of_pair[once] ** 2).sum())


def shrinkage(draws: _Floats, by_pairs: float) -> float:
    """Share of their spread that resamples keep where pairs by themselves vary so much."""
    variance = float(np.nanvar(draws))
    return (
        float(np.sqrt(min(1.0, max(variance - by_pairs, by_pairs) / variance))) if variance else 1.0
    )


def _products(counts: _Floats, members: NDArray[np.int64]) -> _Floats:
    """How often each row counts: the product of its members' counts."""
    product = counts[members[:, 0]]
    for column in members.T[1:]:
        product *= counts[column]
    return product


class ObjectResamples:
    """Resamples of the objects of some rows, each kind drawn separately.

    Parameters
    ----------
    index : PairIndex
    rows : ndarray of int
        Rows whose objects are drawn; other objects count nothing.
    generator : numpy.random.Generator
    """

    def __init__(
        self, index: PairIndex, rows: NDArray[np.intp], generator: np.random.Generator
    ) -> None:
        objects = np.unique(index.codes[rows])
        kinds = [objects[index.kind[objects] == kind] for kind in range(index.n_kinds)]
        self._index = index
        self._kinds = [
            (objects_of_kind, draw_seed(generator))
            for objects_of_kind in kinds
            if len(objects_of_kind)
        ]
        self.n_objects = len(objects)
        #: Objects of the kind that has fewest.
        self.n_smallest = min(
            (len(objects_of_kind) for objects_of_kind, _ in self._kinds), default=0
        )

    def members(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Objects of rows; one that a row repeats is a last object, which always counts one."""
        codes = np.sort(self._index.codes[rows], axis=1)
        codes[:, 1:][codes[:, 1:] == codes[:, :-1]] = self._index.n_objects
        return codes

    def aucs(
        self,
        comparisons: Sequence[Comparison],
        n_resamples: int,
        progress: Callable[[int], None] | None = None,
    ) -> _Floats:
        """AUC of each comparison in each resample, of shape (n_resamples, n_comparisons)."""
        largest = max((one.size for one in comparisons), default=1)
        step = max(1, _CELLS // max(largest, self._index.n_objects, 1))
        parts = [np.empty((0, len(comparisons)))]
        for counts in self._counts(n_resamples, step):
            # Of one fold, its own comparison is that of all rows.
            by_one = {one: one.aucs(counts) for one in dict.fromkeys(comparisons)}
            parts.append(np.column_stack([by_one[one] for one in comparisons]))
            if progress is not None:
                progress(counts.shape[1])
        return np.concatenate(parts)

    def _counts(self, n_resamples: int, step: int) -> Iterator[_Floats]:
        """Counts of all objects, some resamples at a time; the same whatever the step."""
        generators = [np.random.default_rng(seed) for _, seed in self._kinds]
        for first in range(0, n_resamples, step):
            some = min(step, n_resamples - first)
            counts = np.zeros((self._index.n_objects + 1, some))
            counts[-1] = 1.0
            for (objects_of_kind, _), generator in zip(self._kinds, generators, strict=True):
                counts[objects_of_kind] = draw_counts(len(objects_of_kind), some, generator).T
            yield counts
