"""Labels as arrays, frames and lists: each form into a canonical CSR matrix."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.arrays import is_missing, is_text
from trueval.core.errors import InputError, Place, quote
from trueval.core.named import as_text

__all__ = [
    "as_frame",
    "bad_value",
    "from_array",
    "from_frame",
    "from_sequence",
    "from_series",
    "not_two_dimensional",
    "pattern",
    "row_names",
]

#: A matrix, names of its columns and of its rows, None where there are none.
Parts = tuple[sp.csr_array, Any, NDArray[Any] | None]


def pattern(indptr: Any, indices: Any, shape: tuple[int, int]) -> sp.csr_array:
    """CSR of ones."""
    return sp.csr_array((np.ones(len(indices), np.int32), indices, indptr), shape=shape)


def bad_value(value: Any, place: Place) -> InputError:
    """The error for a value other than 0 and 1."""
    if isinstance(value, float | np.floating) and np.isnan(value):
        return InputError(
            "y has a missing value (NaN); labels must be 0 or 1.",
            place=place,
            fix="Drop the row or decide its label first.",
        )
    negative = isinstance(value, int | float | np.number) and value < 0
    kind = "a negative value" if negative else "a value other than 0 and 1"
    return InputError(
        f"y has {kind}, {value!s}; labels must be 0 or 1.",
        place=place,
        fix="Class codes must be binarised first (sklearn.preprocessing.MultiLabelBinarizer), or "
        "passed as sets of labels.",
    )


def not_two_dimensional(shape: tuple[int, ...]) -> InputError:
    """The error for anything that is no table of rows and classes."""
    return InputError(
        f"y must be two-dimensional (rows × classes). Got shape {shape} instead.",
        fix="For a single 0/1 label use y.reshape(-1, 1); for class codes binarise first; for one "
        "class per row sklearn.model_selection.StratifiedKFold does the job.",
    )


def from_array(y: NDArray[Any]) -> sp.csr_array:
    """Of a dense 0/1 array."""
    if np.ma.is_masked(y):
        at = [int(place[0]) for place in np.nonzero(np.atleast_2d(np.ma.getmaskarray(y)))]
        raise InputError(
            "y has a masked value; labels must be 0 or 1.",
            place=Place(row=at[0], column=at[1]),
            fix="Drop the row or decide its label first.",
        )
    y = np.asarray(y)
    if y.ndim != 2:
        raise not_two_dimensional(y.shape)
    if y.dtype.kind not in "biuf":
        try:
            numbers = y.astype(float) if y.dtype.kind in "OUS" else None
        except (TypeError, ValueError):
            numbers = None
        if numbers is None:
            raise InputError(
                f"y is an array of dtype {y.dtype} that does not hold numbers; labels must be 0 "
                "or 1.",
                fix="Names of labels go in as one set for each row.",
            )
        y = numbers
    rows, columns = np.nonzero(y)
    values = y[rows, columns]
    bad = np.flatnonzero(values != 1)
    if len(bad):
        first = bad[0]
        raise bad_value(values[first], Place(row=int(rows[first]), column=int(columns[first])))
    indptr = np.zeros(y.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=y.shape[0]), out=indptr[1:])
    return pattern(indptr, columns, y.shape)


def as_frame(y: Any, name: str = "y") -> Any:
    """A frame or series of narwhals; None for anything else."""
    try:
        native = nw.from_native(y, pass_through=True, eager_only=True, allow_series=True)
        if isinstance(native, nw.DataFrame):
            native.columns  # noqa: B018, names are checked when first asked for
    except nw.exceptions.DuplicateError:
        raise InputError(
            f"{name} has several columns of one name; give every column a name of its own."
        ) from None
    return native if isinstance(native, nw.DataFrame | nw.Series) else None


def from_frame(frame: Any) -> Parts:
    """Of a data frame with one 0/1 column for each class."""
    n_rows = len(frame)
    rows: list[NDArray[Any]] = []
    for name, column in zip(frame.columns, frame.iter_columns(), strict=True):
        if column.null_count():
            at = int(np.flatnonzero(column.is_null().to_numpy())[0])
            raise bad_value(np.nan, Place(row=at, column=str(name)))
        values = column.to_numpy()
        if column.dtype == nw.Object:  # as an array of objects: numbers, if they are
            with contextlib.suppress(TypeError, ValueError):
                values = values.astype(float)
        if values.dtype.kind not in "biuf":
            raise InputError(
                f"column {name!r} of y has type {column.dtype}; every column must be a 0/1 label.",
                fix="Drop it, or make it the index.",
            )
        nonzero = np.flatnonzero(values)
        bad = np.flatnonzero(values[nonzero] != 1)
        if len(bad):
            at = int(nonzero[bad[0]])
            raise bad_value(values[at], Place(row=at, column=str(name)))
        rows.append(nonzero)
    indptr = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    indices = np.concatenate([*rows, np.empty(0, np.int64)]).astype(np.int64)
    by_class = sp.csc_array(
        (np.ones(len(indices), np.int32), indices, indptr), shape=(n_rows, len(rows))
    )
    csr = by_class.tocsr()
    return pattern(csr.indptr, csr.indices, csr.shape), frame.columns, row_names(frame)


def row_names(frame: Any) -> NDArray[Any] | None:
    """Index of a frame of narwhals as an array; None where frames have none, as in polars."""
    index = getattr(frame.to_native(), "index", None)
    return None if index is None else np.asarray(index)


def from_series(series: Any) -> Parts:
    """Of a series of label sets."""
    if series.dtype.is_numeric() or series.dtype in (nw.Boolean, nw.String, nw.Categorical):
        raise not_two_dimensional((len(series),))
    return from_sequence(series.to_list())


def from_sequence(rows: list[Any]) -> Parts:
    """Of label sets, or of the rows of a 0/1 matrix."""
    for i, row in enumerate(rows):
        if is_text(row) or not isinstance(row, Sequence | AbstractSet | np.ndarray):
            if i == 0:
                raise not_two_dimensional((len(rows),))
            raise InputError(
                f"y is ragged: row {i} is {quote(row)}, not a list or set of labels as row 0 is."
            )
    if not any(isinstance(row, AbstractSet) for row in rows) and _looks_like_matrix(rows):
        matrix = np.asarray([list(row) for row in rows]).reshape(len(rows), -1)
        return from_array(matrix), None, None
    return _from_label_lists(rows)


def _looks_like_matrix(rows: list[Any]) -> bool:
    """Tell 0/1 rows from lists of labels; refuse what could be either."""
    numbers = all(
        isinstance(value, int | float | np.number | np.bool_) for row in rows for value in row
    )
    if not numbers or not any(len(row) for row in rows):
        return False
    binary = all(value in (0, 1) for row in rows for value in row)
    lengths = [len(row) for row in rows]
    if len(set(lengths)) == 1:
        return True  # a matrix, of class codes perhaps: the value check names them
    if binary or not all(isinstance(v, int | np.integer) for row in rows for v in row):
        odd = next(i for i, length in enumerate(lengths) if length != lengths[0])
        raise InputError(
            f"y is ragged: row 0 has {lengths[0]} values and row {odd} has {lengths[odd]}. "
            "A 0/1 matrix needs rows of one length; lists of numeric labels go in as sets."
        )
    return False


def _from_label_lists(rows: list[Any]) -> Parts:
    lengths = [len(row) for row in rows]
    flat = [label for row in rows for label in row]
    distinct = _in_order(rows, flat)
    number = {label: c for c, label in enumerate(distinct)}
    columns = np.fromiter((number[label] for label in flat), dtype=np.int64, count=len(flat))
    row_of = np.repeat(np.arange(len(rows)), lengths)
    entries = (np.ones(len(flat), dtype=bool), (row_of, columns))
    csr = sp.csr_array(entries, shape=(len(rows), len(distinct)))
    csr.sum_duplicates()
    csr.sort_indices()
    names = np.fromiter(distinct, dtype=object, count=len(distinct))  # a label may be a tuple
    if all(isinstance(label, str) for label in distinct):
        names = as_text(distinct)
    elif all(isinstance(label, int | np.integer) for label in distinct):
        try:
            names = names.astype(np.int64)
        except OverflowError:
            large = max(distinct, key=abs)
            raise InputError(
                f"the label {large} is larger than an integer of 64 bits.",
                fix="Use text for labels, for example with str().",
            ) from None
    return pattern(csr.indptr, csr.indices, csr.shape), names, None


def _in_order(rows: list[Any], flat: list[Any]) -> list[Any]:
    """Distinct labels of rows, in an order that does not depend on hashes.

    Each distinct label is checked, not each one of a row; the row is looked up for the message.
    """
    try:
        distinct = set(flat)
    except TypeError as error:
        _refuse_sets(rows, flat)
        raise InputError(
            f"the labels of y cannot be used as names: {error}. Labels must be hashable, such as "
            "strings or integers."
        ) from None
    _refuse_sets(rows, distinct)
    if any(map(is_missing, distinct)):
        raise bad_value(np.nan, Place(row=_row_with(rows, is_missing)))
    try:
        return sorted(distinct)
    except TypeError:  # of several types: by their text, and 1 beside "1" by type
        return sorted(distinct, key=lambda label: (str(label), type(label).__name__))


def _refuse_sets(rows: list[Any], labels: Iterable[Any]) -> None:
    """Sets have no order, and the classes need one."""
    if any(map(_is_set, labels)):
        raise InputError(
            "a label of y is itself a set.",
            place=Place(row=_row_with(rows, _is_set)),
            fix="Flatten it.",
        )


def _is_set(label: Any) -> bool:
    return isinstance(label, AbstractSet)


def _row_with(rows: list[Any], bad: Callable[[Any], bool]) -> int:
    return next(row for row, labels in enumerate(rows) if any(map(bad, labels)))
