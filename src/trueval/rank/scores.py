"""``as_scores``: the one door for scores.

Dense scores stay dense, sparse scores stay sparse: a stored entry is a score (zeros
too), an absent one lies below everything stored. Behind the door every function may
rely on finite float64 values and on one shape with the labels.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.errors import InputError
from trueval.labels import Labels, as_checked, as_labels, row_names

__all__ = ["Scores", "as_scores", "check_pair", "check_same_classes"]

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """Validated scores, as :func:`as_scores` makes them.

    Attributes
    ----------
    matrix : ndarray or scipy.sparse.csc_array, float64, shape (n_rows, n_classes)
    names : ndarray of str or None
        Column names where the input had them.
    index : ndarray or None
        Row names where the input had them, to be compared with those of labels.
    """

    matrix: Any
    names: NDArray[Any] | None = None
    index: NDArray[Any] | None = None

    @property
    def is_sparse(self) -> bool:
        """Whether absent entries are possible."""
        return bool(sp.issparse(self.matrix))

    @property
    def n_rows(self) -> int:
        """Number of objects."""
        return int(self.matrix.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.matrix.shape[1])

    @property
    def n_stored(self) -> int:
        """Number of (object, class) pairs that have a score."""
        return int(self.matrix.nnz) if self.is_sparse else int(self.matrix.size)

    def column(self, k: int) -> tuple[Float, NDArray[np.int64] | None]:
        """Scores of class k and their rows (None for all rows in order)."""
        if not self.is_sparse:
            return np.ascontiguousarray(self.matrix[:, k]), None
        part = slice(self.matrix.indptr[k], self.matrix.indptr[k + 1])
        return self.matrix.data[part], self.matrix.indices[part].astype(np.int64, copy=False)

    def take(self, rows: NDArray[Any]) -> "Scores":
        """The same classes, some of the rows; without their names, which were compared before."""
        if not self.is_sparse:
            return Scores(self.matrix[rows], self.names)
        return Scores(_clean_csc(self.matrix.tocsr()[rows].tocsc()), self.names)

    @cached_property
    def stored(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Float]:
        """Rows, classes and values of all stored pairs, class by class."""
        if self.is_sparse:
            counts = np.diff(self.matrix.indptr)
            classes = np.repeat(np.arange(self.n_classes), counts)
            return self.matrix.indices.astype(np.int64), classes, self.matrix.data
        rows = np.tile(np.arange(self.n_rows), self.n_classes)
        classes = np.repeat(np.arange(self.n_classes), self.n_rows)
        return rows, classes, self.matrix.ravel(order="F")

    def like(self, columns: list[Float]) -> Any:
        """Array or CSR matrix of this shape from one column of values for each class."""
        if not self.is_sparse:
            out = np.empty(self.matrix.shape, dtype=np.float64)
            for k, values in enumerate(columns):
                out[:, k] = values
            return out
        data = np.concatenate([*columns, np.empty(0)])
        parts = (data, self.matrix.indices, self.matrix.indptr)
        return sp.csc_array(parts, shape=self.matrix.shape).tocsr()


def as_scores(scores: Any) -> Scores:
    """Validate scores: a dense array, a frame, or a sparse matrix of the top scores.

    Parameters
    ----------
    scores : array, DataFrame, sparse matrix or array of shape (n_rows, n_classes)
        Or what :func:`trueval.data.read_scores` gives. Larger means more likely. In a
        sparse matrix an absent entry lies below everything stored, and a stored zero is
        a score.

    Returns
    -------
    Scores

    Raises
    ------
    InputError
        For NaN or infinite scores, a wrong number of dimensions, no rows or
        classes, text, or two entries of a sparse matrix in one place.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank.scores import as_scores
    >>> as_scores(np.array([[0.1, 2.0], [0.3, -1.0]])).n_stored
    4
    """
    if isinstance(scores, Scores):
        return scores
    names = index = None
    if hasattr(scores, "matrix") and hasattr(scores, "classes") and not isinstance(scores, Labels):
        # Of trueval.data, by its shape: importing that room for a type would cost time.
        found = as_scores(scores.matrix)
        numbered = np.array_equal(scores.classes, np.arange(found.n_classes))
        names = None if numbered else np.asarray(scores.classes)
        return Scores(found.matrix, names, getattr(scores, "index", None))
    if sp.issparse(scores):
        matrix = _from_sparse(scores)
    else:
        frame, names = _frame(scores)
        index = None if frame is None else row_names(frame)
        scores = scores if frame is None else frame.to_numpy()
        matrix = _from_dense(scores)
    if 0 in matrix.shape:
        raise InputError(
            f"scores has shape {tuple(matrix.shape)}; at least one row and class are needed."
        )
    return Scores(matrix, names, index)


def _frame(scores: Any) -> tuple[Any, NDArray[Any] | None]:
    """A data frame with its column names; None and None for anything else."""
    try:
        frame = nw.from_native(scores, pass_through=True, eager_only=True)
        if not isinstance(frame, nw.DataFrame):
            return None, None
        names = list(frame.columns)
    except nw.exceptions.DuplicateError:
        raise InputError(
            "scores has several columns of one name; give every class a name of its own."
        ) from None
    # As pandas' MultiIndex gives them, tuples; an array of names has one dimension.
    return frame, np.asarray([str(n) if isinstance(n, tuple) else n for n in names])


def _from_dense(scores: Any) -> Float:
    if np.ma.is_masked(scores):
        row, column = (int(i[0]) for i in np.nonzero(np.atleast_2d(np.ma.getmaskarray(scores))))
        raise _not_finite(np.nan, row, column)
    try:
        matrix = np.asarray(scores)
        if matrix.dtype.kind in "cmM":
            kind = "complex numbers" if matrix.dtype.kind == "c" else "times"
            raise InputError(f"scores are {kind}; they must be real numbers.")
        matrix = matrix.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"scores cannot be read as numbers: {error}.") from None
    if matrix.ndim != 2:
        raise InputError(
            f"scores must be two-dimensional (objects × classes). Got shape {matrix.shape} "
            "instead. For a single class use scores.reshape(-1, 1)."
        )
    bad = ~np.isfinite(matrix)
    if bad.any():
        row, column = (int(i[0]) for i in np.nonzero(bad))
        raise _not_finite(matrix[row, column], row, column)
    return matrix


def _from_sparse(scores: Any) -> sp.csc_array:
    if scores.ndim != 2:
        raise InputError(
            f"scores must be two-dimensional (objects × classes). Got shape {scores.shape} instead."
        )
    if scores.dtype.kind not in "biuf":
        raise InputError(
            f"scores is a sparse matrix of dtype {scores.dtype}; it must hold numbers."
        )
    try:
        scores = as_checked(scores)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"scores is a broken sparse matrix: {error}. Rebuild it from rows and columns."
        ) from None
    matrix = _clean_csc(sp.csc_array(scores, dtype=np.float64))
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad):
        column = int(np.searchsorted(matrix.indptr, bad[0], side="right")) - 1
        raise _not_finite(matrix.data[bad[0]], int(matrix.indices[bad[0]]), column)
    return matrix


def _clean_csc(matrix: sp.csc_array) -> sp.csc_array:
    """Rows in order within each column; a place stored twice is refused, not added up."""
    if not matrix.has_sorted_indices:
        matrix = matrix.sorted_indices()
    step = np.diff(matrix.indices)
    inside = np.ones(len(step), dtype=bool)
    ends = matrix.indptr[1:-1]
    inside[ends[(ends > 0) & (ends < matrix.nnz)] - 1] = False
    twice = np.flatnonzero((step == 0) & inside)
    if len(twice):
        column = int(np.searchsorted(matrix.indptr, twice[0], side="right")) - 1
        raise InputError(
            f"scores stores two values at row {int(matrix.indices[twice[0]])}, column {column}; "
            "one score for each (object, class) is needed."
        )
    return matrix


def _not_finite(value: float, row: int, column: int) -> InputError:
    what = "a missing value (NaN)" if np.isnan(value) else f"an infinite value ({value})"
    return InputError(
        f"scores has {what} at row {row}, column {column}; scores must be finite. Drop the row, "
        "or leave the pair out of a sparse matrix: absent means below everything stored."
    )


def check_same_classes(
    scores: Scores, n_classes: int, names: NDArray[Any] | None, who: str
) -> None:
    """Refuse new scores whose classes are not those of the fit.

    Parameters
    ----------
    scores : Scores
        New ones.
    n_classes : int
        Classes of the fit.
    names : ndarray or None
        Their names where they had any.
    who : str
        What was fitted, for the message.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank.scores import as_scores, check_same_classes
    >>> check_same_classes(as_scores(np.zeros((2, 3))), 3, None, "IsotonicRanker")
    """
    if scores.n_classes != n_classes:
        raise InputError(
            f"scores has {scores.n_classes} classes but {who} was fitted on {n_classes}."
        )
    if names is not None and scores.names is not None:
        differ = np.flatnonzero(scores.names.astype(str) != names.astype(str))
        if len(differ):
            k = int(differ[0])
            raise InputError(
                f"column {k} of scores is {str(scores.names[k])!r} but was {str(names[k])!r} when "
                f"{who} was fitted."
            )


def check_pair(scores: Any, y: Any) -> tuple[Scores, Labels]:
    """Validate scores and labels together: one shape, the same class and row names.

    Row names are compared where both have some; a frame's default index is none.

    Parameters
    ----------
    scores : array, DataFrame or sparse matrix
    y : anything :func:`trueval.as_labels` takes

    Returns
    -------
    scores : Scores
    labels : Labels

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank.scores import check_pair
    >>> scores, labels = check_pair(np.array([[0.1], [0.4]]), np.array([[0], [1]]))
    >>> labels.nnz
    1
    """
    if y is None:
        raise InputError("y is missing: labels are needed to learn what a score is worth.")
    checked, labels = as_scores(scores), as_labels(y)
    if labels.n_rows != checked.n_rows:
        raise InputError(
            f"scores has {checked.n_rows} rows but y has {labels.n_rows}; they must be the same "
            "objects in the same order."
        )
    if labels.n_classes != checked.n_classes:
        raise InputError(
            f"scores has {checked.n_classes} columns but y has {labels.n_classes} classes; they "
            "must be the same classes in the same order."
        )
    _check_rows(checked.index, labels.index)
    named = not np.array_equal(labels.classes, np.arange(labels.n_classes))
    if checked.names is not None and named:
        mine, theirs = checked.names.astype(str), labels.classes.astype(str)
        differ = np.flatnonzero(mine != theirs)
        if len(differ):
            k = int(differ[0])
            raise InputError(
                f"column {k} is {str(mine[k])!r} in scores but {str(theirs[k])!r} in y; bring the "
                "columns of both into one order."
            )
    return checked, labels


def _check_rows(mine: NDArray[Any] | None, theirs: NDArray[Any] | None) -> None:
    """Refuse scores and labels whose row names, where both have some, differ."""
    if mine is None or theirs is None or _is_default(mine) or _is_default(theirs):
        return
    mine, theirs = _as_text(mine), _as_text(theirs)
    differ = np.flatnonzero(mine != theirs)
    if len(differ) == 0:
        return
    row = int(differ[0])
    said = f"row {row} is {str(mine[row])!r} in scores but {str(theirs[row])!r} in y"
    if np.array_equal(np.sort(mine), np.sort(theirs)):
        raise InputError(
            f"{said}: the same objects in another order. Give scores.loc[y.index], or read the "
            "scores with read_scores(path, labels), which puts them in the order of the labels."
        )
    raise InputError(
        f"{said}; they must be the same objects in the same order. If the names mean nothing, "
        "leave one of them out (reset_index(drop=True))."
    )


def _is_default(index: NDArray[Any]) -> bool:
    """Whether rows are called 0, 1, …, as pandas calls those of any frame."""
    return index.dtype.kind in "iu" and np.array_equal(index, np.arange(len(index)))


def _as_text(index: NDArray[Any]) -> NDArray[Any]:
    # Names may be tuples, of a MultiIndex, which NumPy does not turn into text.
    return np.array([str(name) for name in index.tolist()])
