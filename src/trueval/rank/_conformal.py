"""Selection among new objects with a bounded false discovery rate (conformal selection).

If given and new objects are exchangeable, the false predictions of a new object are, on
average, a fair share of those of the given objects and itself, at any threshold that does not
tell these objects apart. That makes an e-value of every new pair (Vovk and Wang 2021), and the
e-value version of Benjamini and Hochberg's procedure (Wang and Ramdas 2022) bounds the expected
share of false predictions whatever the dependence between the pairs of an object. The idea of
selecting new cases this way is of Jin and Candès (2023).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueval.core.scores import Scores

__all__ = ["Selection", "share_used"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
LEAST_SHARE, LARGEST_SHARE = 0.5, 0.9


@dataclass(frozen=True, eq=False)
class Selection:
    """Given pairs, and the false discovery rate that is allowed.

    Attributes
    ----------
    value : ndarray of float64
        Of all given pairs.
    is_false : ndarray of bool
        Whether a prediction would be false.
    n_rows : int
    rate : float
        Largest expected share of false predictions among the predictions.
    """

    value: Float
    is_false: NDArray[np.bool_]
    n_rows: int
    rate: float

    def threshold(self, new: Scores) -> float:
        """Least value to predict among all new objects together; ∞ if none can be."""
        rows, _, values = new.stored
        return self.threshold_of(rows, values, new.n_rows)

    def threshold_of(self, rows: NDArray[np.integer], values: Float, n_rows: int) -> float:
        """The same of new pairs in any order: their objects and values.

        ``n_rows`` counts all new objects, with or without a pair.

        Let T be the least value v with (false given + false of one new object) at or above v at
        most (n + 1)·a·(all pairs at or above v)/(n + m), for n given and m new objects. The
        labels of the new object are unknown: T lies between ``low`` (none false) and ``high``
        (all false). From ``high`` on, the e-value of a pair is at least
        classes·(n + m)/(a·pairs above ``low``).
        """
        n, m = self.n_rows, n_rows
        if len(values) == 0:
            return np.inf
        pooled = np.concatenate([self.value, values])
        is_new = np.arange(len(pooled)) >= len(self.value)
        order = np.argsort(-pooled, kind="stable")
        pooled, is_new = pooled[order], is_new[order]
        false = np.zeros(len(pooled))
        false[~is_new] = self.is_false[order[~is_new]]
        of_one = np.zeros(len(pooled))
        of_one[is_new] = _number_in_object(rows[order[is_new] - len(self.value)])
        ends = np.flatnonzero(np.append(pooled[1:] != pooled[:-1], True))
        n_false, pairs = np.cumsum(false)[ends], ends + 1.0
        most, predicted = np.maximum.accumulate(of_one)[ends], np.cumsum(is_new)[ends]
        used = share_used(n, m) * self.rate
        allowed = (n + 1) * used * pairs / (n + m)
        high = np.flatnonzero(n_false + most <= allowed)
        if len(high) == 0:
            return np.inf
        low = np.flatnonzero(n_false <= allowed)[-1]
        e_value = (n + m) / (used * pairs[low])  # in units of the number of classes
        enough = e_value >= m / (self.rate * max(predicted[high[-1]], 1e-300)) * (1 - 1e-12)
        return float(pooled[ends[high[-1]]]) if enough else np.inf


def share_used(n_given: int, n_new: int) -> float:
    """Share of the allowed rate that is aimed at; the rest pays for what chance takes.

    A new set may have fewer predictions than the given one, and the false ones of one new
    object are unknown; both matter less the more objects there are. It may depend on their
    numbers, not on their labels.

    >>> from trueval.rank._conformal import share_used
    >>> share_used(400, 10_000), share_used(20, 20)
    (0.8, 0.5)
    """
    share = 1 - 4 / np.sqrt(max(min(n_given, n_new), 1))
    return float(np.clip(share, LEAST_SHARE, LARGEST_SHARE))


def _number_in_object(rows: NDArray[np.integer]) -> Int:
    """1 for the first pair of an object in this order, 2 for its second, …."""
    order = np.argsort(rows, kind="stable")
    first = np.flatnonzero(np.diff(rows[order], prepend=-1))
    size = np.diff(np.append(first, len(rows)))
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = 1 + np.arange(len(rows)) - np.repeat(first, size)
    return number
