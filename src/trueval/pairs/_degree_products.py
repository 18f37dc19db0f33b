"""Products of the degrees of pairs: what degrees alone say about the label."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Products", "degrees"]

Codes = NDArray[np.int64]


class Products:
    """Products of the degrees of pairs, ranked among those of the positives."""

    def __init__(self, positives: Codes, negatives: Codes, n: int) -> None:
        self.degree = degrees(positives, n) + degrees(negatives, n)
        ranked = np.sort(self.degree[positives].prod(axis=1))
        first = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        self._values = ranked[first]
        self._below = np.append(first, len(ranked))  # positives below each value

    def place(self, pairs: Codes) -> NDArray[np.float64]:
        """Share of positives below each pair, ties by half, less one half."""
        product = self.degree[pairs].prod(axis=1)
        at = np.searchsorted(self._values, product)
        tied = self._values[np.minimum(at, len(self._values) - 1)] == product
        both = self._below[at] + self._below[at + tied]
        return np.asarray(both / (2 * self._below[-1]) - 0.5)

    def auc(self, negatives: Codes) -> float:
        """AUC of the degrees alone."""
        return float(0.5 - self.place(negatives).mean())


def degrees(codes: Codes, n: int) -> NDArray[np.float64]:
    """Pairs of each object; one that a pair has twice counts once."""
    first = np.bincount(codes[:, 0], minlength=n)
    return (first + np.bincount(codes[codes[:, 0] != codes[:, 1], 1], minlength=n)).astype(float)
