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

__all__ = ["Coincidence", "Duplicates", "equal_rows", "row_hashes", "times_equal"]

_BLOCK = 1 << 19  # entries hashed at a time, so that they stay in the cache
_SAMPLE = 20_000
#: Values of a sparse row: short texts are equal by chance when long ones are not, and those with
#: fewer than four values always may be.
_SIZES = ((4, 16), (16, np.inf))
_COMMON = 20  # equal training rows of a row that is common, not copied
_AS_RARE = 4.0  # times as frequent as the values of copies: a missing value is no rare number
_U = np.uint64


@dataclass(frozen=True)
class Coincidence:
    """Equal pairs of a test and a training row, next to what chance explains.

    Attributes
    ----------
    n_pairs : int
        Pairs that are equal, but for rows that more than 20, or 4 %, of the training rows equal:
        those have common values.
    expected : float
        How many would be if columns were independent.
    half_pairs : int
        Pairs that agree in one half of the columns and differ in the other, of test rows whose
        half occurs no more often than that of most test rows with an equal row, and whose values
        are not much more frequent; of two halves that repeat about as often, the one with fewer
        such pairs.
    p_value : float
        Probability of as many equal pairs if columns are independent.
    """

    n_pairs: int
    expected: float
    half_pairs: int
    p_value: float


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Test rows with an equal training row.

    Attributes
    ----------
    test, train : ndarray of int
        The test rows, and one training row that each equals.
    by_size : list of Coincidence
        Of sparse rows with some and with many values; one of dense rows.
    n_empty : int
        Test rows without any value, which equal each other and are not counted.
    """

    test: NDArray[np.intp]
    train: NDArray[np.intp]
    by_size: list[Coincidence]
    n_empty: int

    def beyond_chance(self, alpha: float) -> Coincidence | None:
        """Rows of a size whose equality neither frequencies nor halves of rows explain."""
        level = alpha / max(len(self.by_size), 1)
        unlikely = (c for c in self.by_size if c.n_pairs > c.half_pairs and c.p_value < level)
        return next(unlikely, None)


def equal_rows(
    rows: Rows, train: NDArray[np.intp], test: NDArray[np.intp], generator: np.random.Generator
) -> Duplicates:
    """Test rows that equal a training row, and what chance would give."""
    same = _repeat_rates(rows, train, test, generator)
    order = np.argsort(same, kind="stable")
    half = np.zeros(len(order), bool)
    half[order[0::4]] = half[order[3::4]] = True  # 0110 0110 …: both halves repeat alike
    halves = row_hashes(rows.matrix, half, generator)
    whole = halves[0] + halves[1]
    sizes = _sizes(rows.matrix)
    n_empty = int((sizes[test] == 0).sum())
    train, test = train[sizes[train] > 0], test[sizes[test] > 0]
    partner = _partners(whole, train, test)
    hit = partner >= 0
    hit[hit] = _verified(rows.matrix, test[hit], partner[hit])
    chance = float(np.exp(np.log(same).sum()))
    columns = (np.flatnonzero(half), np.flatnonzero(~half))
    reference = sampled(train, _SAMPLE, generator)
    by_size = []
    for low, high in _SIZES if rows.is_sparse else _SIZES[:1]:
        some = test[(sizes[test] >= low) & (sizes[test] < high)] if rows.is_sparse else test
        if len(some) and hit.any():
            frequencies = [
                None if rows.is_sparse else _LogFrequency(rows.matrix, reference, some, at)
                for at in columns
            ]
            by_size.append(_coincidence(whole, halves, train, some, chance, frequencies))
    return Duplicates(test[hit], partner[hit], by_size, n_empty)


def _coincidence(
    whole: NDArray[np.uint64],
    halves: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    chance: float,
    frequencies: "list[_LogFrequency | None]",
) -> Coincidence:
    equal = times_equal(whole[train], whole[test])
    copied = (equal > 0) & (equal <= min(_COMMON, max(len(train) // 25, 1)))
    n_pairs = int(equal[copied].sum())
    near = []
    if n_pairs:
        near = [
            _half_pairs(half[train], half[test], equal, copied, frequency)
            for half, frequency in zip(halves, frequencies, strict=True)
        ]
    expected = float(len(train)) * len(test) * chance
    p_value = float(poisson.sf(n_pairs - 1, expected)) if n_pairs else 1.0
    return Coincidence(n_pairs, expected, min(near, default=0), p_value)


def _half_pairs(
    train: NDArray[np.uint64],
    test: NDArray[np.uint64],
    equal: NDArray[np.int64],
    copied: NDArray[np.bool_],
    frequency: "_LogFrequency | None",
) -> int:
    """Pairs that agree in a half only, of test rows whose half is as rare as that of copies."""
    agree = times_equal(train, test)
    agree[test == 0] = 0  # a half without any value says nothing
    as_rare = agree <= np.median(agree[copied])
    only_half = np.maximum(agree - equal, 0)
    if frequency is not None:
        limit = np.median(frequency.of(np.flatnonzero(copied))) + np.log(_AS_RARE)
        some = np.flatnonzero(as_rare & (only_half > 0))
        as_rare[some] = frequency.of(some) <= limit
    return int(only_half[as_rare].sum())


@dataclass(frozen=True, eq=False)
class _LogFrequency:
    """How frequent the values of dense rows are, column by column, among reference rows."""

    matrix: Any
    reference: NDArray[np.intp]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    def of(self, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        """Sum over the columns of the logarithms, for some of the rows."""
        total = np.zeros(len(chosen))
        for at in self.columns:
            known = _codes(self.matrix[self.reference, at])
            count = times_equal(known, _codes(self.matrix[self.rows[chosen], at]))
            total += np.log((count + 1) / (len(known) + 1))
        return total


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


def times_equal(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.int64]:
    """How many of ``a`` equal each of ``b``.

    >>> times_equal(np.array([1, 1, 2]), np.array([1, 3, 1]))
    array([2, 0, 2])
    """
    ordered = np.sort(a)
    return np.searchsorted(ordered, b, "right") - np.searchsorted(ordered, b, "left")


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


def _sizes(matrix: Any) -> NDArray[np.intp]:
    """Values of each sparse row; all columns of a dense one."""
    if sp.issparse(matrix):
        return np.diff(matrix.indptr)
    return np.full(matrix.shape[0], matrix.shape[1])


def _repeat_rates(
    rows: Rows, train: NDArray[np.intp], test: NDArray[np.intp], generator: np.random.Generator
) -> NDArray[np.float64]:
    """How often a column has the same value in a training and a test row, on a sample."""
    matrix = rows.matrix
    a, b = (sampled(side, _SAMPLE, generator) for side in (train, test))
    if sp.issparse(matrix):
        return _sparse_repeat_rates(matrix[a], matrix[b])
    pairs = float(len(a)) * len(b)
    same = [
        (times_equal(_codes(matrix[a, at]), _codes(matrix[b, at])).sum() + 1) / (pairs + 1)
        for at in range(matrix.shape[1])
    ]
    return np.array(same)


def _sparse_repeat_rates(a: Any, b: Any) -> NDArray[np.float64]:
    """The same for columns of which most values are 0: both 0, or both the same other value."""
    d = a.shape[1]
    salt = np.arange(1, d + 1, dtype=np.int64).astype(_U) << _U(20)
    tokens = [_mixed(side.data, salt[side.indices]) for side in (a, b)]
    same = np.bincount(b.indices, times_equal(tokens[0], tokens[1]), minlength=d)
    zeros = [side.shape[0] - np.bincount(side.indices, minlength=d) for side in (a, b)]
    pairs = float(a.shape[0]) * b.shape[0]
    return (same + zeros[0] * zeros[1] + 1) / (pairs + 1)


def _codes(values: NDArray[Any]) -> NDArray[Any]:
    """Missing values as a number that compares equal to itself."""
    return np.where(np.isnan(values), -np.inf, values)
