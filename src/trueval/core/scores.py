"""``as_scores`` and ``Scores``: anything a model gave, checked once.

Dense scores stay dense, sparse scores stay sparse: a stored entry is a score (zeros
too), an absent one lies below everything stored. Every function that gets ``Scores``
may rely on finite float64 values, on indices inside the shape, and on one score for
each (row, class).
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError, ParameterError, Place
from trueval.core.label_forms import as_frame, row_names
from trueval.core.labels import Labels, as_labels
from trueval.core.named import Named, as_names, is_numbered
from trueval.core.params import Interval
from trueval.core.probabilities import are_probabilities, positive_probabilities
from trueval.core.sparse import checked, freeze, read_only, shell_of, uncombined

__all__ = ["Scores", "as_scores", "check_pair", "check_same_classes"]

Float = NDArray[np.float64]


class Scores(Named):
    """Scores of rows and classes.

    Parameters
    ----------
    matrix : array, sparse matrix or sparse array of shape (n_rows, n_classes)
        Finite numbers; larger means more likely. A list with an array (n_rows, 2) for each class,
        as ``MultiOutputClassifier.predict_proba`` gives it, is also taken, its second columns. In a
        sparse matrix an absent entry lies below everything stored, and a stored zero is a score.
    classes : sequence, optional
        Distinct names of the columns; their numbers if not given.
    index : sequence, optional
        Names of the rows.

    Attributes
    ----------
    matrix : ndarray or scipy.sparse.csr_array of float64, shape (n_rows, n_classes)
        Dense values may be the caller's memory; sparse indices are a copy, read-only.
    classes : ndarray of shape (n_classes,)
    index : ndarray of shape (n_rows,) or None

    Raises
    ------
    InputError
        For NaN or infinite scores, text, another number of dimensions, no rows or classes,
        indices that do not fit, two scores in one place, or another number of names.

    Examples
    --------
    >>> from trueval.data import Scores
    >>> Scores([[0.1, 2.0], [0.3, -1.0]], ["kinase", "membrane"])
    Scores(2 rows × 2 classes, dense)
    """

    def __init__(self, matrix: Any, classes: Any = None, index: Any = None) -> None:
        clean = _from_sparse(matrix) if sp.issparse(matrix) else _from_dense(matrix)
        n_rows, n_classes = clean.shape
        names = as_names(classes, n_classes, "classes", unique=True)
        _check_finite(clean, names)
        index = None if index is None else as_names(index, n_rows, "index")
        self._set(matrix=clean, classes=names, index=index)

    @classmethod
    def from_probabilities(
        cls, scores: Any, labels: Any = None, classes: Any = None, index: Any = None
    ) -> "Scores":
        """Scores from a list of probabilities, an array for each class.

        Parameters
        ----------
        scores : list of ndarray of shape (n_rows, 2)
            As ``MultiOutputClassifier.predict_proba`` gives it. An array of one column, of a
            class that had one label only in training, needs ``labels``.
        labels : list of array-like, optional
            What the columns of each array stand for: ``classes_`` of the estimator. Without it,
            columns are those of 0 and 1.
        classes, index : sequence, optional
            Names of the classes and rows.

        Returns
        -------
        Scores
            Probability of the label 1 of each class.

        Examples
        --------
        >>> import numpy as np
        >>> from trueval.data import Scores
        >>> scores = [np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.4, 0.6], [1.0, 0.0]])]
        >>> Scores.from_probabilities(scores, [[0, 1], [0, 1]], ["kinase", "membrane"]).matrix
        array([[0.1, 0.6],
               [0.8, 0. ]])
        """
        if not are_probabilities(scores):
            raise InputError(
                "scores must be a list of two-dimensional arrays, one for each class. Got "
                f"{type(scores).__name__}."
            )
        return cls(positive_probabilities(scores, labels), classes, index)

    @property
    def is_sparse(self) -> bool:
        """Whether absent entries are possible."""
        return bool(sp.issparse(self.matrix))

    @property
    def n_stored(self) -> int:
        """Number of (row, class) entries that have a score."""
        return int(self.matrix.nnz) if self.is_sparse else int(self.matrix.size)

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest stored score; there must be one."""
        values = self.matrix.data if self.is_sparse else self.matrix
        return float(values.min()), float(values.max())

    @property
    def by_class(self) -> sp.csc_array:
        """Sparse scores class by class, rows in order."""
        return shell_of(self._by_class)

    @cached_property
    def _by_class(self) -> sp.csc_array:
        return freeze(sp.csc_array(self.matrix))

    def column(self, k: int) -> tuple[Float, NDArray[np.int64] | None]:
        """Scores of class k and their rows (None for all rows in order)."""
        if not Interval(int, 0, self.n_classes - 1).accepts(k):
            raise ParameterError("k", f"a class number from 0 to {self.n_classes - 1}", k, "column")
        if not self.is_sparse:
            return np.ascontiguousarray(self.matrix[:, k]), None
        span = slice(self._by_class.indptr[k], self._by_class.indptr[k + 1])
        return self._by_class.data[span], self._by_class.indices[span].astype(np.int64, copy=False)

    def take(self, rows: Any) -> "Scores":
        """The same classes, some of the rows: their numbers, which may repeat, or a mask."""
        matrix, index = self._of_rows(rows)
        return Scores._trusted(matrix, self.classes, index)

    @cached_property
    def stored(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Float]:
        """Rows, classes and values of all stored entries, class by class."""
        if self.is_sparse:
            classes = np.repeat(np.arange(self.n_classes), np.diff(self._by_class.indptr))
            rows = self._by_class.indices.astype(np.int64)
            return read_only(rows), read_only(classes), self._by_class.data
        rows = np.tile(np.arange(self.n_rows), self.n_classes)
        classes = np.repeat(np.arange(self.n_classes), self.n_rows)
        return read_only(rows), read_only(classes), self.matrix.ravel(order="F")

    def like(self, columns: Iterable[Float]) -> Any:
        """Array or CSR matrix of this shape from one column of values for each class."""
        if not self.is_sparse:
            out = np.empty(self.matrix.shape, dtype=np.float64)
            for k, values in enumerate(columns):
                out[:, k] = values
            return out
        # Classes come in order, as they are in each row: the next place of a row is the one to
        # fill, and no copy of the matrix class by class is needed.
        following = self.matrix.indptr[:-1].copy()
        data, ends = np.empty(self.matrix.nnz), self._by_class.indptr
        for k, values in enumerate(columns):
            rows = self._by_class.indices[ends[k] : ends[k + 1]]
            data[following[rows]] = values
            following[rows] += 1
        parts = (data, self.matrix.indices.copy(), self.matrix.indptr.copy())
        return sp.csr_array(parts, shape=self.matrix.shape)

    def __repr__(self) -> str:
        kind = f"{self.matrix.nnz:,} scores" if self.is_sparse else "dense"
        return f"Scores({self.n_rows:,} rows × {self.n_classes:,} classes, {kind})"


def as_scores(scores: Any) -> Scores:
    """Validate scores: a dense array, a frame, or a sparse matrix of the top scores.

    >>> import numpy as np
    >>> from trueval.core.scores import as_scores
    >>> as_scores(np.array([[0.1, 2.0], [0.3, -1.0]])).n_stored
    4
    """
    if isinstance(scores, Scores):
        return scores
    if sp.issparse(scores) or isinstance(scores, np.ndarray):
        return Scores(scores)
    frame = as_frame(scores, "scores")
    if not isinstance(frame, nw.DataFrame):
        return Scores(scores)
    # As pandas' MultiIndex gives them, tuples; an array of names has one dimension.
    names = [str(name) if isinstance(name, tuple) else name for name in frame.columns]
    return Scores(frame.to_numpy(), names, row_names(frame))


def _from_dense(scores: Any) -> Float:
    if are_probabilities(scores):
        return positive_probabilities(scores)
    if np.ma.is_masked(scores):
        row, column = (int(i[0]) for i in np.nonzero(np.atleast_2d(np.ma.getmaskarray(scores))))
        raise _not_finite(np.nan, row, column)
    try:
        matrix = np.asarray(scores)
        if matrix.dtype.kind in "cmMUS":
            kind = {"c": "complex numbers", "U": "text", "S": "text"}.get(
                matrix.dtype.kind, "times"
            )
            raise InputError(f"scores are {kind}; they must be real numbers.")
        matrix = matrix.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"scores cannot be read as numbers: {error}.") from None
    _check_shape(matrix.shape)
    return matrix


def _from_sparse(scores: Any) -> sp.csr_array:
    _check_shape(scores.shape)
    if scores.dtype.kind not in "biuf":
        raise InputError(
            f"scores is a sparse matrix of dtype {scores.dtype}; it must hold numbers."
        )
    try:
        scores = checked(scores)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"scores is a broken sparse matrix: {error}.", fix="Rebuild it from rows and columns."
        ) from None
    # Values may be shared; indices are ours, as SciPy trusts them when it converts.
    if scores.format == "csr":  # fresh: no stale flags
        matrix = sp.csr_array((scores.data, scores.indices, scores.indptr), shape=scores.shape)
    else:
        matrix = sp.csr_array(uncombined(scores))
    return freeze(_sorted_once(matrix.astype(np.float64, copy=False)))


def _check_finite(matrix: Any, names: NDArray[Any]) -> None:
    values = matrix.data if sp.issparse(matrix) else matrix
    finite = np.isfinite(values)
    if finite.all():
        return
    if sp.issparse(matrix):
        row, column = _at(matrix, int(np.argmin(finite)))
    else:
        row, column = (int(i[0]) for i in np.nonzero(~finite))
    name = column if is_numbered(names) else str(names[column])
    raise _not_finite(values[tuple(np.argwhere(~finite)[0])], row, name)


def _sorted_once(matrix: sp.csr_array) -> sp.csr_array:
    """Classes in order within each row; a place stored twice is refused, not added up."""
    if not matrix.has_sorted_indices:
        matrix = matrix.sorted_indices()
    step = np.diff(matrix.indices)
    inside = np.ones(len(step), dtype=bool)
    ends = matrix.indptr[1:-1]
    inside[ends[(ends > 0) & (ends < matrix.nnz)] - 1] = False
    twice = np.flatnonzero((step == 0) & inside)
    if len(twice):
        row, column = _at(matrix, twice[0])
        raise InputError(
            "scores stores two values here; one score for each (row, class) is needed.",
            place=Place(row=row, column=column),
        )
    return matrix


def _at(matrix: sp.csr_array, entry: int) -> tuple[int, int]:
    """Row and column of a stored entry."""
    row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
    return row, int(matrix.indices[entry])


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        fix = "For a single class use scores.reshape(-1, 1)."
        if len(shape) == 3:
            fix = "Give probabilities of 0 and 1 as a list with an array (n_rows, 2) a class."
        raise InputError(
            f"scores must be two-dimensional (rows × classes). Got shape {shape} instead.", fix=fix
        )
    if 0 in shape:
        raise InputError(f"scores has shape {tuple(shape)}; at least one row and class are needed.")


def _not_finite(value: float, row: int, column: int | str) -> InputError:
    what = "a missing value (NaN)" if np.isnan(value) else f"an infinite value ({value})"
    return InputError(
        f"scores has {what}; scores must be finite.",
        place=Place(row=row, column=column),
        fix="Drop the row, or leave the entry out of a sparse matrix: absent means below "
        "everything stored.",
    )


def check_same_classes(
    scores: Scores, n_classes: int, names: NDArray[Any] | None, who: str
) -> None:
    """Refuse new scores whose classes are not those ``who`` was fitted on."""
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

    >>> scores, labels = check_pair(np.array([[0.1], [0.4]]), np.array([[0], [1]]))
    >>> labels.nnz
    1
    """
    if y is None:
        raise InputError("y is missing: labels are needed to learn what a score is worth.")
    values, labels = as_scores(scores), as_labels(y)
    if labels.n_rows != values.n_rows:
        raise InputError(
            f"scores has {values.n_rows} rows but y has {labels.n_rows}; they must be the same "
            "objects in the same order."
        )
    if labels.n_classes != values.n_classes:
        raise InputError(
            f"scores has {values.n_classes} columns but y has {labels.n_classes} classes; they "
            "must be the same classes in the same order."
        )
    _check_rows(values.index, labels.index)
    if values.names is not None and labels.names is not None:
        k = _first_difference(values.names, labels.names)
        if k is not None:
            raise InputError(
                f"column {k} is {str(values.names[k])!r} in scores but {str(labels.names[k])!r} in "
                "y; bring the columns of both into one order."
            )
    return values, labels


def _check_rows(mine: NDArray[Any] | None, theirs: NDArray[Any] | None) -> None:
    """Refuse scores and labels whose row names, where both have some, differ."""
    if mine is None or theirs is None or is_numbered(mine) or is_numbered(theirs):
        return
    row = _first_difference(mine, theirs)
    if row is None:
        return
    where = f"row {row} is {str(mine[row])!r} in scores but {str(theirs[row])!r} in y"
    if sorted(map(str, mine.tolist())) == sorted(map(str, theirs.tolist())):
        raise InputError(
            f"{where}: the same objects in another order.",
            fix="Give scores.loc[y.index], or read the scores with read_scores(path, labels), "
            "which puts them in the order of the labels.",
        )
    raise InputError(
        f"{where}; they must be the same objects in the same order.",
        fix="If the names mean nothing, leave one of them out (reset_index(drop=True)).",
    )


def _first_difference(mine: NDArray[Any], theirs: NDArray[Any]) -> int | None:
    """Place of the first name that differs, compared as text."""
    if mine is theirs or (mine.dtype.kind == theirs.dtype.kind != "O" and (mine == theirs).all()):
        return None
    # Names may be tuples, of a MultiIndex, which NumPy does not turn into text.
    pairs = zip(mine.tolist(), theirs.tolist(), strict=True)
    return next((k for k, (a, b) in enumerate(pairs) if str(a) != str(b)), None)
