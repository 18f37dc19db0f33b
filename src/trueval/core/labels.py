"""``as_labels`` and ``Labels``: anything a user has, as one checked sparse 0/1 matrix.

Labels are checked here and nowhere else. Every function that gets them may rely on:
canonical CSR (sorted, no duplicates, no stored zeros, all values 1), indices inside the
shape, at least one row and one class, a name for each class. ``label_forms.py`` reads
frames and lists of label sets.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.arrays import is_text
from trueval.core.errors import InputError, Place
from trueval.core.label_forms import (
    as_frame,
    bad_value,
    from_array,
    from_frame,
    from_sequence,
    from_series,
    not_two_dimensional,
    pattern,
)
from trueval.core.named import Named, as_names
from trueval.core.sparse import checked, freeze, read_only, shell_of

__all__ = ["Labels", "as_labels"]

_MOST_CLASSES = 2**31 - 1


class Labels(Named):
    """A multi-label target: which row has which class.

    Parameters
    ----------
    matrix : sparse matrix, sparse array or dense array of shape (n_rows, n_classes)
        0/1 or bool. Explicit zeros, duplicates and unsorted indices are put in order;
        other values and indices outside the shape are refused.
    classes : sequence, optional
        Distinct names of the columns; their numbers if not given.
    index : sequence, optional
        Names of the rows.

    Attributes
    ----------
    matrix : scipy.sparse.csr_array of int32, shape (n_rows, n_classes)
        Canonical: sorted, no duplicates, no explicit zeros, all values 1. Read-only.
    classes : ndarray of shape (n_classes,)
        Read-only, as is ``index``.
    index : ndarray of shape (n_rows,) or None

    Raises
    ------
    InputError
        For values other than 0 and 1, indices that do not fit, no rows or classes, more
        than 2**31 - 1 classes, or another number of names.

    Notes
    -----
    The kernels take the indices unchecked, so nobody else may change them: they are a
    copy, and read-only, and arrays that are assigned to ``matrix`` have no effect. For 10
    million positives the copy takes 40 MB and a quarter of the time of the checks.

    One byte for each positive would be enough for the values, but scikit-learn 1.9 counts
    the classes of ``y`` in the type of its values: ``LabelBinarizer``, hence
    ``OneVsRestClassifier``, silently takes wrong columns of int8 labels with more than 127
    classes. So the values are int32.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval import Labels
    >>> labels = Labels(np.array([[1, 0], [1, 1]]), ["kinase", "membrane"], ["P1", "P2"])
    >>> labels.class_sizes
    array([2, 1])
    """

    def __init__(self, matrix: Any, classes: Any = None, index: Any = None) -> None:
        clean = from_matrix(matrix)
        n_rows, n_classes = clean.shape
        self._set(
            matrix=freeze(clean),
            classes=as_names(classes, n_classes, "classes", unique=True),
            index=None if index is None else as_names(index, n_rows, "index"),
        )

    @cached_property
    def indptr(self) -> NDArray[np.int64]:
        """Row starts as the kernels take them."""
        return read_only(np.ascontiguousarray(self.matrix.indptr, dtype=np.int64))

    @cached_property
    def indices(self) -> NDArray[np.int32]:
        """Class numbers as the kernels take them."""
        return read_only(np.ascontiguousarray(self.matrix.indices, dtype=np.int32))

    @property
    def by_class(self) -> sp.csc_array:
        """The same class by class, rows in order."""
        return shell_of(self._by_class)

    @cached_property
    def _by_class(self) -> sp.csc_array:
        return freeze(self.matrix.tocsc())

    @property
    def nnz(self) -> int:
        """Number of positives."""
        return int(self.matrix.nnz)

    def take(self, rows: Any) -> "Labels":
        """The same classes, some of the rows: their numbers, which may repeat, or a mask."""
        matrix, index = self._of_rows(rows)
        return Labels._trusted(matrix, self.classes, index)

    @cached_property
    def _class_summary(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        sizes, signatures = _kernels.class_signatures(self.indptr, self.indices, self.n_classes)
        return read_only(sizes.view(np.int64)), read_only(signatures)

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Number of positives of each class. Read-only."""
        return self._class_summary[0]

    @property
    def class_signatures(self) -> NDArray[np.uint64]:
        """Fingerprint of each class's set of rows, wherever its column is."""
        return self._class_summary[1]

    def toarray(self) -> NDArray[np.int64]:
        """Return a dense copy, for small data; int64, see the notes."""
        return self.matrix.toarray().astype(np.int64)

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
    if sp.issparse(y) or isinstance(y, np.ndarray):
        if isinstance(y, np.ndarray) and y.dtype.kind == "O" and y.ndim == 1:
            return _labels(*from_sequence(list(y)))
        return _labels(from_matrix(y))
    if (frame := as_frame(y)) is not None:
        return _labels(*(from_frame(frame) if hasattr(frame, "columns") else from_series(frame)))
    if is_text(y) or not isinstance(y, Iterable):
        raise TypeError(
            "y must be a 0/1 array, a sparse matrix, a DataFrame, or a sequence of label sets. "
            f"Got {type(y).__name__} instead."
        )
    if hasattr(y, "__array__"):
        return as_labels(np.asarray(y))
    return _labels(*from_sequence(list(y)))


def _labels(matrix: sp.csr_array, classes: Any = None, index: Any = None) -> Labels:
    """Labels of a canonical matrix that nobody else holds."""
    _check_shape(matrix.shape)
    names = None if index is None else as_names(index, matrix.shape[0], "index")
    return Labels._trusted(matrix, as_names(classes, matrix.shape[1], "classes"), names)


def _check_shape(shape: tuple[int, int]) -> None:
    if shape[0] == 0:
        raise InputError("y has no rows; at least one is needed.")
    if shape[1] == 0:
        raise InputError("y has no classes (no columns, or no row has a label).")
    if shape[1] > _MOST_CLASSES:
        raise InputError(
            f"y has {shape[1]:,} classes; at most {_MOST_CLASSES:,} can be numbered.",
            fix="Merge classes, or drop those without positives.",
        )


def from_matrix(y: Any) -> sp.csr_array:
    """Canonical CSR of a sparse or dense matrix, on arrays of its own."""
    if not sp.issparse(y):
        clean = from_array(y if isinstance(y, np.ndarray) else np.asarray(y))
        _check_shape(clean.shape)
        return clean
    if y.ndim != 2:
        raise not_two_dimensional(y.shape)
    _check_shape(y.shape)
    try:
        y = checked(y)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"y is a broken sparse matrix: {error}. Its {y.format} indices must agree with its "
            f"shape {y.shape}; rebuild it from rows and columns."
        ) from None
    all_ones = y.dtype.kind in "biuf" and bool((y.data == 1).all())
    if not all_ones:
        _check_values(y)
    if y.format == "csr" and all_ones:
        clean = pattern(y.indptr, y.indices, y.shape)  # fresh: no stale flags
        if clean.has_canonical_format:
            return clean
    coo = y.tocoo(copy=False)
    keep = coo.data.astype(bool)
    # As bool, duplicates cannot add up to more than one.
    entries = (np.ones(int(keep.sum()), dtype=bool), (coo.row[keep], coo.col[keep]))
    merged = sp.csr_array(entries, shape=coo.shape)
    merged.sum_duplicates()
    merged.sort_indices()
    return pattern(merged.indptr, merged.indices, merged.shape)


def _check_values(y: Any) -> None:
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
        place = Place(row=int(coo.row[first]), column=int(coo.col[first]))
        raise bad_value(y.data[first], place)
