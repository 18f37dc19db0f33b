"""Objects and positives of every class in about a hundred groups of neighbouring scores.

What all classes have in common is learned from these groups: they hold what a logistic
model needs of a class, whatever its number of objects. Groups are narrow at the top, where
a class is decided, and grow with the rank; they depend on the order of the scores alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClassCounts", "Counts", "class_counts", "rank_groups", "sums"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
ClassCounts = tuple[Float, Float, Float]
"""Scores, objects and positives of one class, scores rising."""

MOST_GROUPS = 128  # a class with at most this many distinct scores keeps them all
ONE_BY_ONE = 16.0  # ranks from the top that are a group each
PER_FACTOR_E = 12.0  # groups while the rank grows by a factor of e


def rank_groups(size: Float, one_by_one: float, per_factor_e: float) -> Int:
    """First score of each group, groups of equal width in the logarithm of the rank.

    ``size`` has the objects at each score, scores rising. The first ``one_by_one`` ranks from the
    top are a group each, then there are ``per_factor_e`` groups while the rank grows by a factor of
    e.

    >>> import numpy as np
    >>> from trueval.rank._counts import rank_groups
    >>> rank_groups(np.ones(12), 3.0, 1.0).tolist()
    [0, 4, 9, 10, 11]
    """
    rank = size.sum() - np.cumsum(size) + size / 2
    far = one_by_one + np.floor(per_factor_e * np.log(np.maximum(rank / one_by_one, 1.0)))
    group = np.where(rank < one_by_one, np.floor(rank), far)
    return np.flatnonzero(np.diff(group, prepend=np.inf)).astype(np.int64)


def class_counts(score: Float, size: Float, positives: Float) -> ClassCounts:
    """Gather the scores of one class into groups; few stay as they are.

    Scores are distinct and rise. The score of a group is that of its middle object, so that
    increasing transforms of the scores leave the groups alone.

    >>> import numpy as np
    >>> from trueval.rank._counts import class_counts
    >>> score, size, positives = class_counts(np.arange(1e4), np.ones(10_000), np.ones(10_000))
    >>> len(score), float(size.sum())
    (94, 10000.0)
    """
    if len(score) <= MOST_GROUPS:
        return score, size, positives
    start = rank_groups(size, ONE_BY_ONE, PER_FACTOR_E)
    total = np.add.reduceat(size, start)
    ends = np.cumsum(size)
    middle = np.searchsorted(ends, ends[start] - size[start] + total / 2)
    return score[middle], total, np.add.reduceat(positives, start)


def sums(place: Int, values: Float, n: int = 0) -> Float:
    """Sum of the values at each place.

    >>> import numpy as np
    >>> from trueval.rank._counts import sums
    >>> sums(np.array([0, 2, 0]), np.array([1.0, 5.0, 2.0])).tolist()
    [3.0, 0.0, 5.0]
    """
    return np.asarray(np.bincount(place, weights=values, minlength=n), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Counts:
    """The groups of all classes, one class after the other."""

    # score, size, positives: of each group; scores rise within a class
    score: Float
    size: Float
    positives: Float
    start: Int  # shape (n_classes + 1,); first group of each class, and the number of groups

    @classmethod
    def of(cls, classes: Sequence[ClassCounts]) -> "Counts":
        """From the groups of each class."""
        start = np.cumsum([0, *(len(c[0]) for c in classes)]).astype(np.int64)
        empty = np.empty(0)
        parts = [np.concatenate([empty, *(c[i] for c in classes)]) for i in range(3)]
        return cls(parts[0], parts[1], parts[2], start)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.start) - 1

    @cached_property
    def class_of(self) -> Int:
        """Class of each group."""
        return np.repeat(np.arange(self.n_classes), np.diff(self.start))

    @cached_property
    def log_rank(self) -> Float:
        """Logarithm of the rank of each group's middle, from the top of its class."""
        through = np.cumsum(self.size)
        end = np.concatenate([[0.0], through])[self.start[1:]]
        rank: Float = np.log(np.maximum(end[self.class_of] - through + self.size / 2, 0.25))
        return rank

    def total(self, of_groups: Float) -> Float:
        """Sums over the groups of each class."""
        return sums(self.class_of, of_groups, self.n_classes)

    def part(self, k: int) -> slice:
        """Groups of one class."""
        return slice(int(self.start[k]), int(self.start[k + 1]))

    def groups(self, k: int) -> ClassCounts:
        """Scores, objects and positives of one class."""
        part = self.part(k)
        return self.score[part], self.size[part], self.positives[part]

    def take(self, classes: Int) -> "Counts":
        """Some of the classes, in the given order."""
        return Counts.of([self.groups(int(k)) for k in classes])

    def padded(self, of_groups: Float) -> Float:
        """One row for each class, filled up with zeros; trailing axes stay."""
        length = np.diff(self.start)
        widest = int(length.max(initial=1))
        out = np.zeros((self.n_classes, widest, *of_groups.shape[1:]))
        out[np.arange(widest) < length[:, None]] = of_groups
        return out
