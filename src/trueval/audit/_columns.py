"""Columns that give the target away, and columns that number the rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import rankdata

from trueval.audit._inputs import Rows, Target, sampled
from trueval.core.arrays import scaled

__all__ = ["Derived", "numbering_columns", "target_columns"]

#: AUC from which a column alone predicts a class, and from which it is one of several that do.
PERFECT, STRONG = 0.995, 0.95
_SAMPLE = 20_000
_CELLS = 2e7  # of AUCs held at a time
_FEW = 50  # distinct values of a column that is looked at value by value


@dataclass(frozen=True)
class Derived:
    """A column that predicts a class, or the number, nearly perfectly.

    Attributes
    ----------
    column : int
    class_name : str
        Empty where the target is a number.
    auc : float
        Of the column alone, above one half in either direction; for a number the rank
        correlation.
    """

    column: int
    class_name: str
    auc: float


def target_columns(
    rows: Rows, target: Target, used: NDArray[np.intp], generator: np.random.Generator, alpha: float
) -> tuple[list[Derived], float]:
    """Columns that alone predict a class nearly perfectly; and the largest AUC of any.

    A class counts where chance brings no column of this AUC: by Hoeffding's inequality for
    two-sample statistics, for all columns and classes together. If other columns are strong too,
    the class is easy, and a column that predicts it is no sign of a leak; one that has two values
    and equals the class always is.
    """
    used = sampled(used, _SAMPLE, generator)
    dense, numbers = _dense_columns(rows, used)
    if target.matrix is None:
        assert target.numbers is not None
        return _of_numbers(dense, numbers, target.numbers[used], alpha)
    y = sp.csr_array(target.matrix[used])
    positives = np.asarray(y.sum(axis=0)).reshape(-1)
    tests = 2.0 * rows.matrix.shape[1] * y.shape[1]
    fewest = np.log(tests / alpha) / (2 * (PERFECT - 0.5) ** 2)
    enough = np.flatnonzero(np.minimum(positives, len(used) - positives) >= fewest)
    derived: list[Derived] = []
    highest = 0.5
    for some in np.array_split(enough, max(1, int(len(enough) * rows.matrix.shape[1] // _CELLS))):
        if not len(some):
            continue
        of_some = sp.csc_array(y)[:, some]
        auc = _aucs(rows, used, dense, numbers, of_some)
        exact = _two_values(rows, used, dense, numbers)
        highest = max(highest, float(auc.max()))
        for c, name in enumerate(target.classes[at] for at in some):
            perfect = auc[:, c] >= PERFECT
            easy = _is_easy(perfect, auc[:, c])
            copies = perfect if not easy else (auc[:, c] == 1) & exact
            derived += [Derived(int(at), name, float(auc[at, c])) for at in np.flatnonzero(copies)]
    return derived, highest


def _is_easy(perfect: NDArray[np.bool_], auc: NDArray[np.float64]) -> bool:
    """Whether a target is easy: other columns are strong, or many are perfect."""
    many = int(perfect.sum()) > max(2, len(perfect) // 10)
    return many or bool((auc[~perfect] >= STRONG).any())


def _dense_columns(rows: Rows, used: NDArray[np.intp]) -> tuple[Any, NDArray[np.intp]]:
    """Columns to look at value by value, and their numbers; of sparse rows those mostly filled."""
    if not rows.is_sparse:
        values = rows.matrix[used].astype(np.float64)
        return np.where(np.isnan(values), -np.inf, values), np.arange(rows.matrix.shape[1])
    part = sp.csc_array(rows.matrix[used])
    full = np.flatnonzero(np.diff(part.indptr) > len(used) / 2)[:500]
    return part[:, full].toarray(), full


def _aucs(
    rows: Rows, used: NDArray[np.intp], dense: Any, numbers: NDArray[np.intp], y: Any
) -> NDArray[np.float64]:
    """AUC of every column alone for every class, in the better direction."""
    n, n_pos = len(used), np.asarray(y.sum(axis=0)).reshape(-1)
    n_neg = n - n_pos
    auc = np.full((rows.matrix.shape[1], y.shape[1]), 0.5)
    if rows.is_sparse:  # whether there is a value
        present = sp.csr_array(rows.matrix[used])
        present.data = np.ones_like(present.data)
        both = np.asarray((present.T @ y).todense())
        count = np.bincount(present.indices, minlength=present.shape[1])[:, None]
        auc = 0.5 + (both / n_pos - (count - both) / n_neg) / 2
    if len(numbers):
        ranks = rankdata(dense, axis=0)
        sums = np.asarray(y.T @ ranks).T
        by_rank = (sums / n_pos - (n_pos + 1) / 2) / n_neg
        auc[numbers] = by_rank
    auc = np.maximum(auc, 1 - auc)
    for place, at in enumerate(numbers):
        values, codes = np.unique(dense[:, place], return_inverse=True)
        if rows.is_category[at] or 2 < len(values) <= _FEW:
            auc[at] = np.maximum(auc[at], _by_value(codes, len(values), y))
    return auc


def _by_value(codes: NDArray[np.intp], n_values: int, y: Any) -> NDArray[np.float64]:
    """AUC of predicting classes by which values they have in one half, in the other half."""
    counts, sizes = [], []
    for half in (slice(0, None, 2), slice(1, None, 2)):
        n = len(codes[half])
        value = sp.csr_array((np.ones(n), (codes[half], np.arange(n))), shape=(n_values, n))
        counts.append(np.asarray((value @ sp.csr_array(y)[half]).todense()))
        sizes.append(np.bincount(codes[half], minlength=n_values)[:, None])
    positive = counts[0] > sizes[0] / 2
    hits, misses = counts[1], sizes[1] - counts[1]
    with np.errstate(invalid="ignore"):
        rates = [(part * positive).sum(axis=0) / part.sum(axis=0) for part in (hits, misses)]
    return np.nan_to_num((1 + rates[0] - rates[1]) / 2, nan=0.5)


def _two_values(
    rows: Rows, used: NDArray[np.intp], dense: Any, numbers: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Columns with two values."""
    two = np.zeros(rows.matrix.shape[1], bool)
    if rows.is_sparse:
        part = sp.csc_array(rows.matrix[used])
        filled = np.flatnonzero(np.diff(part.indptr))
        start = part.indptr[filled]
        equal = np.maximum.reduceat(part.data, start) == np.minimum.reduceat(part.data, start)
        two[filled] = equal
    for place, at in enumerate(numbers):
        two[at] = len(np.unique(dense[:, place])) == 2
    return two


def _of_numbers(
    dense: Any, numbers: NDArray[np.intp], y: NDArray[np.float64], alpha: float
) -> tuple[list[Derived], float]:
    """Columns in the order of the numbers to predict."""
    if not len(numbers) or len(y) < 10:
        return [], 0.0
    ranks, of_y = rankdata(dense, axis=0), rankdata(y)
    ranks -= ranks.mean(axis=0)
    of_y -= of_y.mean()
    scale = np.sqrt((ranks**2).sum(axis=0) * (of_y**2).sum())
    rho = np.abs(np.divide(of_y @ ranks, scale, out=np.zeros(len(scale)), where=scale > 0))
    # Normal approximation of the rank correlation: 1.5 * PERFECT * sqrt(n) is far in its tail.
    likely = 2 * len(numbers) * np.exp(-(PERFECT**2) * (len(y) - 1) / 2)
    perfect = (rho >= PERFECT) & (likely < alpha)
    named = [Derived(int(numbers[at]), "", float(rho[at])) for at in np.flatnonzero(perfect)]
    return ([] if _is_easy(perfect, rho) else named), float(rho.max())


def numbering_columns(rows: Rows, ids: Any, alpha: float) -> list[int]:
    """Columns that number the rows: whole numbers all different and dense, in steps, or the ids.

    Of n values drawn independently from 2n, all differ with a probability below exp(-0.3 n).
    """
    n = rows.n_rows
    if rows.is_sparse or np.exp(-0.3 * n) * rows.matrix.shape[1] >= alpha:
        return []
    numbers = []
    numeric_ids = _numeric(ids)
    for at in np.flatnonzero(~rows.is_category):
        head = rows.matrix[:100, at]
        if len(np.unique(head)) < len(head) or np.isnan(head).any():
            continue
        values = rows.matrix[:, at].astype(np.float64)
        step = np.diff(scaled(values))
        if (
            (len(step) and step[0] != 0 and np.allclose(step, step[0], rtol=1e-6, atol=0))
            or _numbers_rows(values)
            or (numeric_ids is not None and np.array_equal(values, numeric_ids))
        ):
            numbers.append(int(at))
    return numbers


def _numbers_rows(values: NDArray[np.float64]) -> bool:
    """Whole numbers, all different, at least half of their range."""
    low, high = float(values.min()), float(values.max())
    if not high - low < 2 * len(values) or (values != np.rint(values)).any():
        return False
    return bool(np.bincount((values - low).astype(np.int64)).max() == 1)


def _numeric(ids: Any) -> NDArray[np.float64] | None:
    try:
        return None if ids is None else np.asarray(ids).astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
