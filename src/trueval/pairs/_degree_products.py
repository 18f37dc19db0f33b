"""Products of the degrees of pairs: what degrees alone say about the label."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Products", "degrees"]

Codes = NDArray[np.int64]


class Products:
    """Products of the degrees of pairs, ranked among those of the positives."""

    def __init__(self, positives: Codes, negatives: Codes, n: int) -> None:
        self.degree = degrees(positives, n) + degrees(negatives, n)
        self._ranked = np.sort(self.degree[positives].prod(axis=1))

    def place(self, pairs: Codes) -> NDArray[np.float64]:
        """Share of positives below each pair, ties by half, less one half."""
        product = self.degree[pairs].prod(axis=1)
        both = np.searchsorted(self._ranked, product)
        both += np.searchsorted(self._ranked, product, "right")
        return np.asarray(both / (2 * len(self._ranked)) - 0.5)

    def auc(self, negatives: Codes) -> float:
        """AUC of the degrees alone."""
        return float(0.5 - self.place(negatives).mean())


def degrees(codes: Codes, n: int) -> NDArray[np.float64]:
    """Pairs of each object; one that a pair has twice counts once."""
    first = np.bincount(codes[:, 0], minlength=n)
    return (first + np.bincount(codes[codes[:, 0] != codes[:, 1], 1], minlength=n)).astype(float)
