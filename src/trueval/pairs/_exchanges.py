"""Exchanges of members between pairs: every object keeps its degree.

Pairs have keys, one number for two objects. What is not allowed is a key among the forbidden ones,
a pair of one object with itself, or a key that is there already. :class:`KeyCounts` knows what is
there after a few changes without sorting again.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codes", "Exchanges", "KeyCounts", "distinct"]

Codes = NDArray[np.int64]
_MANY = 0.2  # changes, as a share of all keys, after which these are sorted again


class KeyCounts:
    """How often each key is there: sorted once, and what was changed since.

    >>> there = KeyCounts(np.array([5, 3, 5]))
    >>> there.replace(np.array([5]), np.array([8]))
    >>> there.count(np.array([5, 8, 4]))
    array([1, 1, 0])
    """

    def __init__(self, keys: Codes) -> None:
        self._sorted = np.sort(keys)
        self._gone = self._added = np.zeros(0, np.int64)

    def count(self, keys: Codes) -> Codes:
        """Times that each of these is there."""
        order = np.argsort(keys)  # in order, a search in a large array is many times as fast
        these, times = keys[order], np.empty(len(keys), np.int64)
        times[order] = (
            _times(self._sorted, these) + _times(self._added, these) - _times(self._gone, these)
        )
        return times

    def replace(self, old: Codes, new: Codes) -> None:
        """Take these keys out, once each, and put others in."""
        self._gone = np.sort(np.concatenate([self._gone, old]))
        self._added = np.sort(np.concatenate([self._added, new]))
        if len(self._gone) > _MANY * len(self._sorted):
            self._merge()

    def _merge(self) -> None:
        every = np.sort(np.concatenate([self._sorted, self._added]))
        # The place of each key that is gone, the second of two equal ones one further on.
        first = np.searchsorted(self._gone, self._gone)
        place = np.searchsorted(every, self._gone) + np.arange(len(self._gone)) - first
        self._sorted = np.delete(every, place)
        self._gone = self._added = np.zeros(0, np.int64)


def _times(ordered: Codes, keys: Codes) -> Codes:
    return np.searchsorted(ordered, keys, "right") - np.searchsorted(ordered, keys)


def distinct(keys: Codes) -> Codes:
    """Each key once, rising; ``np.unique`` of NumPy 2.3 hashes, which is slow for many keys.

    >>> distinct(np.array([5, 3, 5]))
    array([3, 5])
    """
    ordered = np.sort(keys)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]]


class Exchanges:
    """Which pairs of ``n`` objects are allowed, and exchanges that give such pairs.

    ``forbidden`` are the sorted keys of pairs that must not occur, at least one.
    """

    def __init__(
        self, n: int, one_kind: bool, forbidden: Codes, generator: np.random.Generator
    ) -> None:
        self._n, self._one_kind = n, one_kind
        self._forbidden, self._generator = forbidden, generator

    def keys(self, codes: Codes) -> Codes:
        """A number for each pair, the same for (a, b) and (b, a) of one kind."""
        if self._one_kind:
            return codes.min(axis=1) * self._n + codes.max(axis=1)
        return np.asarray(codes[:, 0] * self._n + codes[:, 1])

    def forbid(self, codes: Codes) -> None:
        """Allow these pairs no more."""
        self._forbidden = distinct(np.concatenate([self._forbidden, self.keys(codes)]))

    def free(self, codes: Codes) -> NDArray[np.bool_]:
        """Which pairs are of two objects and not forbidden."""
        keys = self.keys(codes)
        order, free = np.argsort(keys), np.empty(len(keys), dtype=bool)
        these = keys[order]
        at = np.minimum(np.searchsorted(self._forbidden, these), len(self._forbidden) - 1)
        free[order] = self._forbidden[at] != these
        return free & (codes[:, 0] != codes[:, 1])

    def allowed(self, codes: Codes) -> NDArray[np.bool_]:
        """Of these, the first of equal ones."""
        first = np.zeros(len(codes), dtype=bool)
        first[np.unique(self.keys(codes), return_index=True)[1]] = True
        return first & self.free(codes)

    def exchanged(self, codes: Codes, one: Codes, two: Codes) -> Codes:
        """Pairs (a, d) and (c, b) of pairs (a, b) and (c, d), one below the other."""
        a, b, c, d = *codes[one].T, *codes[two].T
        return np.concatenate([np.column_stack([a, d]), np.column_stack([c, b])])

    def accept(self, new: Codes, there: KeyCounts) -> NDArray[np.bool_]:
        """Which exchanges give two pairs that are allowed, and that neither is there already."""
        keys, half = self.keys(new), len(new) // 2
        _, first, times = np.unique(keys, return_inverse=True, return_counts=True)
        good = self.free(new) & (there.count(keys) == 0) & (times[first.reshape(-1)] == 1)
        return good[:half] & good[half:]

    def apply(
        self, codes: Codes, one: Codes, two: Codes, wanted: NDArray[np.bool_], there: KeyCounts
    ) -> NDArray[np.bool_]:
        """Make those of the exchanges that are wanted and possible, in place; gives which."""
        new = self.exchanged(codes, one, two)
        done = wanted & self.accept(new, there)
        rows, pairs = np.concatenate([one[done], two[done]]), new[np.concatenate([done, done])]
        there.replace(self.keys(codes[rows]), self.keys(pairs))
        codes[rows] = pairs
        return done
