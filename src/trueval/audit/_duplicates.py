"""Test rows that equal a training row: by hashes of rows, and compared with chance.

Equal rows are no leak where rows have few distinct values: six columns of 0 and 1 repeat in any
split. Two comparisons tell such coincidences from copies. If columns were independent, the number
of equal pairs would be that of :func:`expected_pairs`. And where columns depend on each other,
coincidences come with pairs that agree in one half of the columns and not in the other; copies
agree in all of them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import poisson

from trueval.audit._inputs import Rows, sampled

__all__ = ["Duplicates", "count_equal", "equal_rows", "row_hashes"]

_BLOCK = 1 << 19  # entries hashed at a time, so that they stay in the cache
_SAMPLE = 20_000
_U = np.uint64


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Test rows with an equal training row.

    Attributes
    ----------
    test, train : ndarray of int
        The test rows, and one training row that each equals.
    n_pairs : int
        Pairs of a test and a training row that are equal.
    expected : float
        How many pairs would be if columns were independent.
    half_pairs : int
        Pairs that agree in one half of the columns and differ in the other; of two halves that
        repeat about as often, the one with fewer such pairs.
    p_value : float
        Probability of as many pairs by chance if columns are independent.
    n_empty : int
        Test rows without any value, which equal each other and are not counted.
    """

    test: NDArray[np.intp]
    train: NDArray[np.intp]
    n_pairs: int
    expected: float
    half_pairs: int
    p_value: float
    n_empty: int

    def beyond_chance(self, alpha: float) -> bool:
        """Whether chance explains the pairs neither by frequencies nor by halves of rows."""
        return self.n_pairs > self.half_pairs and self.p_value < alpha


def equal_rows(
    rows: Rows, train: NDArray[np.intp], test: NDArray[np.intp], generator: np.random.Generator
) -> Duplicates:
    """Test rows that equal a training row, and what chance would give."""
    same = _repeat_rates(rows, train, test, generator)
    order = np.argsort(same, kind="stable")
    half = np.zeros(len(order), bool)
    half[order[0::4]] = half[order[3::4]] = True  # 0110 0110 …: both halves repeat alike
    in_half, elsewhere = row_hashes(rows.matrix, half, generator)
    whole = in_half + elsewhere
    empty = _empty(rows.matrix)
    n_empty = int(empty[test].sum())
    train, test = train[~empty[train]], test[~empty[test]]
    partner = _partners(whole, train, test)
    hit = partner >= 0
    hit[hit] = _verified(rows.matrix, test[hit], partner[hit])
    n_pairs = count_equal(whole[train], whole[test]) if hit.any() else 0
    near = [count_equal(h[train], h[test]) - n_pairs for h in (in_half, elsewhere)]
    expected = float(len(train)) * len(test) * float(np.exp(np.log(same).sum()))
    return Duplicates(
        test[hit],
        partner[hit],
        n_pairs,
        expected,
        min(near) if rows.matrix.shape[1] > 1 else 0,
        float(poisson.sf(n_pairs - 1, expected)) if n_pairs else 1.0,
        n_empty,
    )


def row_hashes(
    matrix: Any, half: NDArray[np.bool_], generator: np.random.Generator
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Hash of each row over the columns of one half, and over the others; their sum is the row's.

    Equal rows have equal hashes; others do with a probability of 2**-64 a pair. Zero has no sign,
    and one missing value equals another.
    """
    salt = generator.integers(2**63, size=matrix.shape[1], dtype=np.int64).astype(_U)
    if sp.issparse(matrix):
        tokens = _mixed(matrix.data, salt[matrix.indices])
        of_half = half[matrix.indices]
        before = [
            np.concatenate([[_U(0)], np.cumsum(np.where(keep, tokens, _U(0)), dtype=_U)])
            for keep in (of_half, ~of_half)
        ]
        start, stop = matrix.indptr[:-1], matrix.indptr[1:]
        return before[0][stop] - before[0][start], before[1][stop] - before[1][start]
    n, d = matrix.shape
    sums = np.zeros((2, n), _U)
    step = max(1, _BLOCK // d)
    for first in range(0, n, step):
        block = slice(first, first + step)
        tokens = _mixed(matrix[block].astype(np.float64), salt)
        sums[0, block] = tokens[:, half].sum(axis=1, dtype=_U)
        sums[1, block] = tokens.sum(axis=1, dtype=_U) - sums[0, block]
    return sums[0], sums[1]


def _mixed(values: NDArray[np.float64], salt: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bits of numbers with those of their column, mixed as in MurmurHash3."""
    clean = values + 0.0  # -0.0 becomes 0.0
    clean[np.isnan(clean)] = np.nan  # one of its many bit patterns
    bits = clean.view(_U)
    bits ^= salt
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        bits ^= bits >> _U(33)
        bits *= _U(factor)
    bits ^= bits >> _U(33)
    return bits


def count_equal(a: NDArray[Any], b: NDArray[Any]) -> int:
    """Pairs (i, j) with ``a[i] == b[j]``.

    >>> count_equal(np.array([1, 1, 2]), np.array([1, 3, 1, 1]))
    6
    """
    values, of_a = np.unique(a, return_counts=True)
    first, last = (np.searchsorted(np.sort(b), values, side) for side in ("left", "right"))
    return int((of_a * (last - first)).sum())


def _partners(
    hashes: NDArray[np.uint64], train: NDArray[np.intp], test: NDArray[np.intp]
) -> NDArray[np.intp]:
    """The first training row with the hash of each test row; -1 where there is none."""
    if not len(train) or not len(test):
        return np.full(len(test), -1, np.intp)
    order = np.argsort(hashes[train], kind="stable")
    ordered = hashes[train][order]
    place = np.minimum(np.searchsorted(ordered, hashes[test]), len(train) - 1)
    return np.where(ordered[place] == hashes[test], train[order[place]], -1)


def _verified(matrix: Any, a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which pairs of rows are equal, cell by cell."""
    if sp.issparse(matrix):
        return np.asarray(abs(matrix[a] - matrix[b]).sum(axis=1)).reshape(-1) == 0
    same = np.empty(len(a), bool)
    step = max(1, _BLOCK // matrix.shape[1])
    for first in range(0, len(a), step):
        block = slice(first, first + step)
        left, right = matrix[a[block]], matrix[b[block]]
        same[block] = ((left == right) | ((left != left) & (right != right))).all(axis=1)
    return same


def _empty(matrix: Any) -> NDArray[np.bool_]:
    """Sparse rows without any value; dense rows always have values."""
    if sp.issparse(matrix):
        return np.diff(matrix.indptr) == 0
    return np.zeros(len(matrix), bool)


def _repeat_rates(
    rows: Rows, train: NDArray[np.intp], test: NDArray[np.intp], generator: np.random.Generator
) -> NDArray[np.float64]:
    """How often a column has the same value in a training and a test row, on a sample."""
    matrix = rows.matrix
    if sp.issparse(matrix):  # at most: both have some value, or both none
        shares = [
            np.bincount(part.indices, minlength=matrix.shape[1]) / max(part.shape[0], 1)
            for part in (matrix[train], matrix[test])
        ]
        rate = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
        return np.minimum(np.maximum(rate, 1e-12), 1.0)
    a = sampled(train, _SAMPLE, generator)
    b = sampled(test, _SAMPLE, generator)
    pairs = float(len(a)) * len(b)
    same = [
        (count_equal(_codes(matrix[a, at]), _codes(matrix[b, at])) + 1) / (pairs + 1)
        for at in range(matrix.shape[1])
    ]
    return np.array(same)


def _codes(values: NDArray[Any]) -> NDArray[Any]:
    """Missing values as a number that compares equal to itself."""
    return np.where(np.isnan(values), -np.inf, values)
