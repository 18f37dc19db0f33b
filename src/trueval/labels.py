"""``as_labels``: anything a user has, into one validated sparse 0/1 matrix.

The one door for labels. Behind it every function may rely on: canonical CSR
(sorted, no duplicates, no stored zeros, all values 1), at least one row and one
class, a name for each class. The caller's memory is never changed, and shared
where it is already clean.
"""

import contextlib
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.errors import InputError

__all__ = ["Labels", "as_labels"]


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """A validated multi-label target, as :func:`as_labels` makes it.

    Attributes
    ----------
    matrix : scipy.sparse.csr_array of int32, shape (n_rows, n_classes)
        Canonical: sorted, no duplicates, no explicit zeros, all values 1.
    classes : ndarray of shape (n_classes,)
        Names of the columns; their numbers where the input had no names.
    index : ndarray of shape (n_rows,) or None
        Names of the rows where the input had them.

    Notes
    -----
    One byte for each positive would be enough here, but scikit-learn 1.9 counts the classes
    of ``y`` in the type of its values: ``LabelBinarizer``, hence ``OneVsRestClassifier``,
    silently takes wrong columns of int8 labels with more than 127 classes. So the values
    are int32.
    """

    matrix: sp.csr_array
    classes: NDArray[Any]
    index: NDArray[Any] | None = field(default=None)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and classes."""
        return self.matrix.shape

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes, empty ones included."""
        return int(self.matrix.shape[1])

    @property
    def nnz(self) -> int:
        """Number of positives."""
        return int(self.matrix.nnz)

    def take(self, rows: NDArray[Any]) -> "Labels":
        """The same classes, some of the rows."""
        return Labels(
            self.matrix[rows], self.classes, None if self.index is None else self.index[rows]
        )

    @cached_property
    def indptr(self) -> NDArray[np.int64]:
        """Row starts as the kernels take them."""
        return np.ascontiguousarray(self.matrix.indptr, dtype=np.int64)

    @cached_property
    def indices(self) -> NDArray[np.int32]:
        """Class numbers as the kernels take them."""
        return np.ascontiguousarray(self.matrix.indices, dtype=np.int32)

    @cached_property
    def _class_summary(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        return _kernels.class_signatures(self.indptr, self.indices, self.n_classes)

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Members of each class."""
        return self._class_summary[0].view(np.int64)

    @property
    def class_signatures(self) -> NDArray[np.uint64]:
        """Fingerprint of each class's set of rows, wherever its column stands."""
        return self._class_summary[1]

    def toarray(self) -> NDArray[np.int64]:
        """Return a dense copy, for small data; int64, see the notes."""
        return self.matrix.toarray().astype(np.int64)

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"Labels({self.n_rows:,} rows × {self.n_classes:,} classes, {self.nnz:,} positives)"


def as_labels(y: Any) -> Labels:
    """Validate labels of any common form and return them sparse.

    Parameters
    ----------
    y : array, sparse matrix or array, DataFrame, or sequence of label sets
        One of

        - a dense 0/1 or bool array of shape (n_rows, n_classes);
        - any SciPy sparse matrix or array of that shape (int32 or int64 indices,
          read-only memory, explicit zeros and duplicates are all fine);
        - a pandas, polars or pyarrow frame with one 0/1 column for each class;
        - a sequence with the labels of each row: sets, or lists of names;
        - a :class:`Labels`, returned as it is.

    Returns
    -------
    Labels

    Raises
    ------
    InputError
        For values other than 0 and 1 (class codes, negative numbers, NaN), a
        one-dimensional or ragged input, no rows, no classes, or a sparse matrix
        whose indices are broken. The message names the place and the fix.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval import as_labels
    >>> as_labels(np.array([[1, 0, 1], [0, 0, 1]]))
    Labels(2 rows × 3 classes, 3 positives)
    >>> labels = as_labels([{"kinase", "membrane"}, {"kinase"}, set()])
    >>> labels.classes
    array(['kinase', 'membrane'], dtype='<U8')
    >>> labels.toarray()
    array([[1, 1],
           [1, 0],
           [0, 0]])
    """
    if isinstance(y, Labels):
        return y
    if sp.issparse(y):
        labels = _from_sparse(y)
    elif isinstance(y, np.ndarray):
        if np.ma.is_masked(y):
            at = tuple(int(place[0]) for place in np.nonzero(np.ma.getmaskarray(y)))
            raise _bad_value(np.nan, f"{at}, which is masked")
        labels = _from_array(np.asarray(y))
    elif (frame := _as_narwhals(y)) is not None:
        labels = _from_frame(frame) if isinstance(frame, nw.DataFrame) else _from_series(frame)
    elif isinstance(y, str | bytes) or not isinstance(y, Iterable):
        raise TypeError(
            "y must be a 0/1 array, a sparse matrix, a DataFrame, or a sequence of label sets. "
            f"Got {type(y).__name__} instead."
        )
    elif hasattr(y, "__array__"):
        labels = _from_array(np.asarray(y))
    else:
        labels = _from_sequence(list(y))
    if labels.n_rows == 0:
        raise InputError("y has no rows; at least one is needed.")
    if labels.n_classes == 0:
        raise InputError("y has no classes (no columns, or no row has a label).")
    return labels


def _labels(matrix: sp.csr_array, classes: Any = None, index: NDArray[Any] | None = None) -> Labels:
    names = np.arange(matrix.shape[1]) if classes is None else np.asarray(classes)
    if names.ndim != 1:  # names that are tuples, as of pandas' MultiIndex
        names = np.empty(matrix.shape[1], dtype=object)
        names[:] = [tuple(name) for name in classes]
    return Labels(matrix, names, index)


def _pattern(indptr: Any, indices: Any, shape: tuple[int, int]) -> sp.csr_array:
    return sp.csr_array((np.ones(len(indices), np.int32), indices, indptr), shape=shape)


def _bad_value(value: Any, where: str) -> InputError:
    if isinstance(value, float | np.floating) and np.isnan(value):
        return InputError(
            f"y has a missing value (NaN) at {where}; labels must be 0 or 1. "
            "Drop the row or decide its label first."
        )
    kind = (
        "a negative value"
        if isinstance(value, int | float | np.number) and value < 0
        else ("a value other than 0 and 1")
    )
    return InputError(
        f"y has {kind}, {value!s}, at {where}; labels must be 0 or 1. "
        "Class codes must be binarised first (sklearn.preprocessing.MultiLabelBinarizer), "
        "or passed as sets of labels."
    )


def _one_dimensional(shape: tuple[int, ...]) -> InputError:
    return InputError(
        f"y must be two-dimensional (rows × classes). Got shape {shape} instead. For a single "
        "0/1 label use y.reshape(-1, 1); for class codes binarise first; for one class per row "
        "sklearn.model_selection.StratifiedKFold does the job."
    )


# --- sparse ------------------------------------------------------------------


def _from_sparse(y: Any) -> Labels:
    if y.ndim != 2:
        raise _one_dimensional(y.shape)
    y = _checked(y)
    _check_sparse_values(y)
    if y.format == "csr" and y.data.all():
        clean = _pattern(y.indptr, y.indices, y.shape)  # a fresh object: no stale flags
        if clean.has_canonical_format:
            return _labels(clean)  # already clean: the caller's indices are shared
    coo = y.tocoo(copy=False)
    keep = coo.data.astype(bool)
    # As bool, duplicates cannot add up to more than one.
    entries = (np.ones(int(keep.sum()), dtype=bool), (coo.row[keep], coo.col[keep]))
    clean = sp.csr_array(entries, shape=coo.shape)
    clean.sum_duplicates()
    clean.sort_indices()
    return _labels(_pattern(clean.indptr, clean.indices, clean.shape))


def _checked(y: Any) -> Any:
    try:
        return as_checked(y)
    except ValueError as error:
        raise InputError(
            f"y is a broken sparse matrix: {error}. Its {y.format} indices must agree with its "
            f"shape {y.shape}; rebuild it from rows and columns."
        ) from None


def as_checked(y: Any) -> Any:
    """Return a CSR, CSC or COO matrix whose indices fit, or raise ValueError.

    SciPy converts and sums without looking, and would read or write outside.
    """
    if y.format == "coo":
        for axis, (name, coords) in enumerate((("row", y.row), ("column", y.col))):
            if len(coords) == 0:
                continue
            worst = coords.min() if coords.min() < 0 else coords.max()
            if not 0 <= worst < y.shape[axis]:
                raise ValueError(f"{name} index {worst} is outside its shape {y.shape}")
        return y
    if y.format in ("csr", "csc", "bsr"):
        check_indices(y)
    if y.format not in ("csr", "csc"):
        y = y.tocsr()
        check_indices(y)
    return y


def check_indices(y: Any) -> None:
    """Raise ValueError for a CSR, CSC or BSR matrix whose indices do not fit."""
    # SciPy's own check stops at a last pointer below 0, and it would read outside.
    if (y.indptr[1:] < y.indptr[:-1]).any():
        raise ValueError("its pointers must not decrease")
    y.check_format(full_check=True)


def _check_sparse_values(y: Any) -> None:
    if y.dtype.kind not in "biuf":
        raise InputError(
            f"y is a sparse matrix of dtype {y.dtype}; labels must be 0 or 1 (int, float or bool)."
        )
    if y.dtype.kind == "b":
        return
    bad = np.flatnonzero((y.data != 0) & (y.data != 1))
    if len(bad):
        first = bad[0]
        coo = y.tocoo(copy=False)
        raise _bad_value(y.data[first], f"row {coo.row[first]}, column {coo.col[first]}")


# --- dense -------------------------------------------------------------------


def _from_array(y: NDArray[Any]) -> Labels:
    if y.dtype.kind == "O" and y.ndim == 1:
        return _from_sequence(list(y))
    if y.ndim != 2:
        raise _one_dimensional(y.shape)
    if y.dtype.kind not in "biuf":
        try:
            numbers = y.astype(float) if y.dtype.kind in "OUS" else None
        except (TypeError, ValueError):
            numbers = None
        if numbers is None:
            raise InputError(
                f"y is an array of dtype {y.dtype} that does not hold numbers; labels must be "
                "0 or 1. Names of labels go in as one set for each row."
            )
        y = numbers
    rows, columns = np.nonzero(y)
    values = y[rows, columns]
    bad = np.flatnonzero(values != 1)
    if len(bad):
        first = bad[0]
        raise _bad_value(values[first], f"row {rows[first]}, column {columns[first]}")
    indptr = np.zeros(y.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=y.shape[0]), out=indptr[1:])
    return _labels(_pattern(indptr, columns, y.shape))


# --- frames ------------------------------------------------------------------


def _as_narwhals(y: Any) -> Any:
    try:
        native = nw.from_native(y, pass_through=True, eager_only=True, allow_series=True)
        if isinstance(native, nw.DataFrame):
            native.columns  # noqa: B018, names are checked when first asked for
    except nw.exceptions.DuplicateError:
        raise InputError(
            "y has several columns of one name; give every class a name of its own."
        ) from None
    return native if isinstance(native, nw.DataFrame | nw.Series) else None


def _from_frame(frame: Any) -> Labels:
    n_rows = len(frame)
    rows: list[NDArray[Any]] = []
    for name, column in zip(frame.columns, frame.iter_columns(), strict=True):
        if column.null_count():
            at = int(np.flatnonzero(column.is_null().to_numpy())[0])
            raise _bad_value(np.nan, f"row {at}, column {name!r}")
        values = column.to_numpy()
        if column.dtype == nw.Object:  # as an array of objects: numbers, if they are
            with contextlib.suppress(TypeError, ValueError):
                values = values.astype(float)
        if values.dtype.kind not in "biuf":
            raise InputError(
                f"column {name!r} of y has type {column.dtype}; every column must be a 0/1 label. "
                "Drop it, or make it the index."
            )
        nonzero = np.flatnonzero(values)
        bad = np.flatnonzero(values[nonzero] != 1)
        if len(bad):
            at = int(nonzero[bad[0]])
            raise _bad_value(values[at], f"row {at}, column {name!r}")
        rows.append(nonzero)
    indptr = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    indices = np.concatenate([*rows, np.empty(0, np.int64)]).astype(np.int64)
    by_class = sp.csc_array(
        (np.ones(len(indices), np.int32), indices, indptr), shape=(n_rows, len(rows))
    )
    csr = by_class.tocsr()
    return _labels(_pattern(csr.indptr, csr.indices, csr.shape), frame.columns, row_names(frame))


def row_names(frame: Any) -> NDArray[Any] | None:
    """Index of a frame of narwhals as an array; None where frames have none, as in polars."""
    index = getattr(frame.to_native(), "index", None)
    return None if index is None else np.asarray(index)


def _from_series(series: Any) -> Labels:
    if series.dtype.is_numeric() or series.dtype in (nw.Boolean, nw.String, nw.Categorical):
        raise _one_dimensional((len(series),))
    return _from_sequence(series.to_list())


# --- sequences of labels -------------------------------------------------------


def _from_sequence(rows: list[Any]) -> Labels:
    for i, row in enumerate(rows):
        if isinstance(row, str | bytes) or not isinstance(row, Sequence | AbstractSet | np.ndarray):
            if i == 0:
                raise _one_dimensional((len(rows),))
            raise InputError(
                f"y is ragged: row {i} is {row!r}, not a list or set of labels as row 0 is."
            )
    if not any(isinstance(row, AbstractSet) for row in rows) and _looks_like_matrix(rows):
        return _from_array(np.asarray([list(row) for row in rows]).reshape(len(rows), -1))
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


def _from_label_lists(rows: list[Any]) -> Labels:
    lengths = [len(row) for row in rows]
    flat = [label for row in rows for label in row]
    for i, row in enumerate(rows):
        for label in row:
            if label is None or (isinstance(label, float) and np.isnan(label)):
                raise _bad_value(np.nan, f"row {i}")
    try:
        distinct = sorted(set(flat))
    except TypeError:
        try:
            distinct = sorted(set(flat), key=str)
        except TypeError as error:
            raise InputError(
                f"the labels of y cannot be used as names: {error}. Labels must be hashable, "
                "such as strings or integers."
            ) from None
    number = {label: c for c, label in enumerate(distinct)}
    columns = np.fromiter((number[label] for label in flat), dtype=np.int64, count=len(flat))
    row_of = np.repeat(np.arange(len(rows)), lengths)
    entries = (np.ones(len(flat), dtype=bool), (row_of, columns))
    csr = sp.csr_array(entries, shape=(len(rows), len(distinct)))
    csr.sum_duplicates()
    csr.sort_indices()
    names = np.empty(len(distinct), dtype=object)
    names[:] = distinct
    if all(isinstance(label, str) for label in distinct):
        names = names.astype(str)
    elif all(isinstance(label, int | np.integer) for label in distinct):
        names = names.astype(np.int64)
    return _labels(_pattern(csr.indptr, csr.indices, csr.shape), names)
