"""Rows and targets of an audit, from any container: one matrix, and what its columns are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.arrays import is_missing, missing_in, plain, refuse_masked
from trueval.core.errors import InputError, Place
from trueval.core.groups import group_numbers
from trueval.core.label_forms import as_frame
from trueval.core.labels import Labels, as_labels
from trueval.core.sparse import checked
from trueval.core.table import Table

__all__ = ["Rows", "Target", "as_target", "read_rows", "sampled", "times_of"]

_EXACT = 2**53  # whole numbers up to here are exact as floats


@dataclass(frozen=True, eq=False)
class Rows:
    """Features of rows: a dense matrix of floats, or CSR; or ids alone.

    Attributes
    ----------
    matrix : ndarray or csr_array of shape (n_rows, n_columns), or None
        Categories are codes; a missing value is NaN.
    columns : list of str
    is_category : ndarray of bool of shape (n_columns,)
    ids : ndarray or None
    n_rows : int
    """

    matrix: Any
    columns: list[str]
    is_category: NDArray[np.bool_]
    ids: NDArray[Any] | None
    n_rows: int

    @property
    def is_sparse(self) -> bool:
        """Whether the matrix is CSR."""
        return sp.issparse(self.matrix)

    def take(self, columns: NDArray[np.intp]) -> "Rows":
        """Some columns of a dense matrix."""
        names = [self.columns[at] for at in columns]
        return Rows(
            self.matrix[:, columns], names, self.is_category[columns], self.ids, self.n_rows
        )


@dataclass(frozen=True, eq=False)
class Target:
    """What is predicted: a 0/1 matrix of classes, or a number for each row.

    Attributes
    ----------
    classes : list of str
        Empty for numbers.
    matrix : csr_array of shape (n_rows, n_classes) or None
    numbers : ndarray of shape (n_rows,) or None
    """

    classes: list[str]
    matrix: sp.csr_array | None
    numbers: NDArray[np.float64] | None


def read_rows(X: Any) -> Rows:
    """Rows of any container; one dimension holds ids, two hold features.

    >>> read_rows([[1, "a"], [2, "b"]]).is_category.tolist()
    [False, True]
    >>> read_rows(["p1", "p2"]).ids.tolist()
    ['p1', 'p2']
    """
    if sp.issparse(X):
        return _from_sparse(X)
    if isinstance(X, Table):
        return _from_columns([X[name] for name in X], X.columns, X.n_rows)
    frame = as_frame(X, "X")
    if frame is not None and hasattr(frame, "columns"):
        names = [str(name) for name in frame.columns]
        values = [column.to_numpy() for column in frame.iter_columns()]
        return _from_columns(values, names, len(frame))
    array = plain(X, "X") if hasattr(X, "__array__") else _listed(X)
    if array.ndim == 1:
        if array.dtype.kind == "f":
            raise InputError(
                "X has one dimension of floats: ids of rows, or one column of features?",
                fix="For one feature give X.reshape(-1, 1); ids are text or whole numbers.",
            )
        return Rows(None, [], np.zeros(0, bool), array, len(array))
    if array.ndim != 2 or not array.size:
        raise InputError(
            f"X must have rows and columns, or be one id for each row. Got shape {array.shape}."
        )
    names = [str(number) for number in range(array.shape[1])]
    if array.dtype.kind in "OUSmM":
        return _from_columns(list(array.T), names, len(array))
    if array.dtype.kind == "c":
        raise InputError("X must be real numbers. Got complex ones.")
    if array.dtype not in (np.float32, np.float64):
        array = _exact(array, "X").astype(np.float64)
    _refuse_infinite(array, names)
    return Rows(array, names, np.zeros(array.shape[1], bool), None, len(array))


def _listed(X: Any) -> NDArray[Any]:
    """A list of rows; text beside numbers must not turn them into text."""
    try:
        array = np.asarray(X)
    except ValueError:
        raise InputError("the rows of X differ in length.") from None
    return np.asarray(X, dtype=object) if array.dtype.kind == "U" and array.ndim == 2 else array


def _from_sparse(X: Any) -> Rows:
    try:
        matrix = sp.csr_array(checked(X)).astype(np.float64)
    except ValueError as error:
        raise InputError(f"the matrix X is broken: {error}.") from None
    if matrix is X or np.shares_memory(matrix.data, X.data):
        matrix = matrix.copy()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad):
        row = int(np.searchsorted(matrix.indptr, bad[0], "right")) - 1
        raise InputError(
            f"a sparse X must have finite values. Got {matrix.data[bad[0]]}.",
            place=Place(row=row, column=int(matrix.indices[bad[0]])),
        )
    names = [str(number) for number in range(matrix.shape[1])]
    return Rows(matrix, names, np.zeros(len(names), bool), None, matrix.shape[0])


def _from_columns(columns: list[Any], names: list[str], n_rows: int) -> Rows:
    if not columns:
        raise InputError("X has no columns.")
    matrix = np.empty((n_rows, len(columns)))
    is_category = np.zeros(len(columns), bool)
    for at, values in enumerate(columns):
        matrix[:, at], is_category[at] = _as_floats(np.asarray(values), names[at])
    _refuse_infinite(matrix, names)
    return Rows(matrix, names, is_category, None, n_rows)


def _as_floats(values: NDArray[Any], name: str) -> tuple[NDArray[np.float64], bool]:
    """A column as floats, and whether these are codes of categories."""
    if values.dtype.kind in "mM":
        numbers = values.astype("int64").astype(np.float64)
        numbers[np.isnat(values)] = np.nan
        return numbers, False
    if values.dtype.kind in "iufb":
        return _exact(values, name).astype(np.float64), False
    cells = values.tolist()
    missing = np.array([is_missing(cell) for cell in cells])
    present = [cell for cell, gone in zip(cells, missing, strict=True) if not gone]
    out = np.full(len(cells), np.nan)
    if all(isinstance(cell, int | float | np.number | np.bool_) for cell in present):
        out[~missing] = np.asarray(present, dtype=np.float64)
        return out, False
    # In the order of the words: numbers by first appearance would tell where a row stands.
    words = [str(cell) for cell in present]
    number = {word: at for at, word in enumerate(sorted(set(words)))}
    out[~missing] = [number[word] for word in words]
    return out, True


def _exact(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Refuse whole numbers that floats cannot tell apart."""
    if (
        values.dtype.kind in "iu"
        and values.size
        and max(-int(values.min()), int(values.max())) > (_EXACT)
    ):
        raise InputError(
            f"{name} has whole numbers above 2**53, which floats cannot tell apart.",
            fix="If they are ids, give them as ids or as text.",
        )
    return values


def _refuse_infinite(matrix: NDArray[Any], names: list[str]) -> None:
    for at, name in enumerate(names):  # by column: no mask of the size of the matrix
        bad = np.flatnonzero(np.isinf(matrix[:, at]))
        if len(bad):
            raise InputError(
                "X has an infinite value.",
                place=Place(row=int(bad[0]), column=name),
                fix="Replace it by a number, or by NaN for a missing value.",
            )


def as_target(y: Any, n_rows: int) -> Target:
    """Classes of a label matrix, label sets or one class for each row; numbers for fractions.

    >>> as_target(["a", "b", "a"], 3).classes
    ['a', 'b']
    >>> as_target([0.5, 1.25, 2.0], 3).numbers
    array([0.5 , 1.25, 2.  ])
    """
    values = None if isinstance(y, Labels) or sp.issparse(y) else _one_dimension(y)
    if values is None:
        labels = as_labels(y)
        matrix, names = sp.csr_array(labels.matrix), [str(name) for name in labels.classes]
    elif _are_numbers(values):
        matrix, names = None, []
    else:
        codes = group_numbers(values, len(values), "y")
        first = np.unique(codes, return_index=True)[1]
        names = [str(values[row]) for row in first]
        shape = (len(values), len(names))
        matrix = sp.csr_array((np.ones(len(values)), (np.arange(len(values)), codes)), shape=shape)
    n = len(values) if values is not None else matrix.shape[0]
    if n != n_rows:
        raise InputError(f"y has {n:,} rows but X has {n_rows:,}.")
    if matrix is None:
        assert values is not None
        return Target([], None, values.astype(np.float64))
    return Target(names, matrix.astype(np.float64), None)


def _are_numbers(values: NDArray[Any]) -> bool:
    """Whether a target is a number for each row, and no class code; refused if it is infinite."""
    missing = missing_in(values)
    bad = np.flatnonzero(missing if values.dtype.kind != "f" else ~np.isfinite(values))
    if len(bad):
        raise InputError(
            f"y has {'a missing' if missing[bad[0]] else 'an infinite'} value.",
            place=Place(row=int(bad[0])),
            fix="Leave out the rows without a target.",
        )
    if values.dtype.kind != "f":
        return False
    low, high = values.min(initial=0), values.max(initial=0)
    if high / 2 - low / 2 > np.finfo(np.float64).max / 2:
        raise InputError(
            f"y has numbers from {low:g} to {high:g}; their difference is too large for a float.",
            fix="Divide them by a power of ten.",
        )
    # Beyond 2**53 all floats are whole, and no class codes.
    return bool((values != np.rint(values)).any() or max(-low, high) > _EXACT)


def _one_dimension(y: Any) -> NDArray[Any] | None:
    """One class or number for each row; None where rows have several labels."""
    if as_frame(y) is not None and getattr(as_frame(y), "ndim", 1) == 2:
        return None
    values = y.to_numpy() if hasattr(y, "to_numpy") else y
    refuse_masked(values, "y")
    if isinstance(values, list | tuple) and values and isinstance(values[0], list | tuple | set):
        return None
    values = np.asarray(values)
    if values.ndim != 1 or (
        values.dtype == object
        and any(isinstance(c, list | tuple | set | frozenset) for c in values)
    ):
        return None
    return values


def times_of(time: Any, n_rows: int) -> NDArray[Any]:
    """Times that can be compared: numbers, dates, or ISO text."""
    values = plain(time.to_numpy() if hasattr(time, "to_numpy") else time, "time")
    if values.shape != (n_rows,):
        raise InputError(f"time has shape {values.shape} but there are {n_rows:,} rows.")
    if values.dtype.kind in "OU":
        try:
            values = values.astype("datetime64[us]")
        except (ValueError, TypeError, OverflowError):
            raise InputError(
                "time must be numbers, dates or text in ISO form, such as 2024-01-31.",
                fix="Convert it to datetimes, or to numbers of 64 bits.",
            ) from None
    if values.dtype.kind not in "iufmM":
        raise InputError(f"time must be numbers or dates. Got {values.dtype}.")
    missing = np.flatnonzero(values != values)
    if len(missing):
        raise InputError("time has a missing value.", place=Place(row=int(missing[0])))
    return values


def sampled(rows: NDArray[np.intp], most: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """At most so many of the rows, drawn at random, in order."""
    if len(rows) <= most:
        return rows
    return np.sort(generator.choice(rows, most, replace=False))
