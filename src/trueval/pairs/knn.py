"""K nearest neighbours of pairs, and their cross-validation, from a Gram matrix.

A pair is the sum of its two object vectors, so the distance of two pairs needs
inner products of objects only: no matrix of pair features, and O(1) a distance.
In cross-validation, each pair's neighbours are found and sorted once, among all
pairs; the folds, the schemes and all values of K are masks and prefixes of that one
list.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from trueval import _kernels
from trueval.core.arrays import as_binary, as_numbers, is_binary, n_rows_of
from trueval.core.errors import Fix, InputError
from trueval.core.ids import PairIndex
from trueval.core.pairs import Pairs
from trueval.core.params import (
    Choice,
    Constraints,
    Interval,
    Methods,
    Where,
    check_self,
    constrained,
)
from trueval.pairs.folding import any_split
from trueval.pairs.tasks import Tasks, fold_tasks

__all__ = [
    "N_NEIGHBORS",
    "PairKNNClassifier",
    "as_values",
    "as_vectors",
    "cross_val_scores_knn",
    "masked_scores",
    "query_scores",
]

_DEFAULT_K = tuple(range(10, 101, 10))
_ONE_K = Interval(int, 1)
#: What ``n_neighbors`` may be where several are computed at once.
N_NEIGHBORS = (
    _ONE_K,
    Where(
        lambda values: len(values) > 0 and all(_ONE_K.accepts(k) for k in list(values)),
        "a sequence of them",
    ),
)


class PairKNNClassifier(ClassifierMixin, BaseEstimator):
    """Inverse-distance-weighted K nearest neighbours on sums of object vectors.

    The same as ``KNeighborsClassifier(n_neighbors, weights="distance")`` on the
    features ``objects[i] + objects[j]``, without making them.

    Parameters
    ----------
    objects : array-like of shape (n_objects, n_features)
        Vectors of all objects, those of later queries included.
    n_neighbors : int, default=50

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    n_features_in_ : int
        2, the members of a pair.

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from sklearn.model_selection import cross_validate
    >>> from trueval.pairs import ObjectKFold, PairKNNClassifier
    >>> objects = np.random.default_rng(0).normal(size=(40, 2))
    >>> pairs = np.array(list(combinations(range(40), 2)))
    >>> y = objects[pairs].sum(axis=(1, 2)) > 0
    >>> model = PairKNNClassifier(objects, n_neighbors=10)
    >>> cv = ObjectKFold(4, random_state=0)
    >>> result = cross_validate(model, pairs, y, groups=pairs, cv=cv)
    >>> bool(result["test_score"].mean() > 0.9)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {"n_neighbors": _ONE_K}

    def __init__(self, objects: Any, n_neighbors: int = 50) -> None:
        self.objects = objects
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any) -> "PairKNNClassifier":
        """Remember the training pairs.

        Parameters
        ----------
        X : array-like of int of shape (n_pairs, 2)
            Pairs, as row numbers of ``objects``.
        y : array-like of shape (n_pairs,)
            Their labels.

        Returns
        -------
        PairKNNClassifier
        """
        check_self(self)
        vectors = as_vectors(self.objects)
        pairs = _row_numbers(X, len(vectors))
        labels = np.asarray(y)
        if len(labels) != len(pairs):
            raise InputError(f"X has {len(pairs)} pairs but y has {len(labels)} labels.")
        values = as_values(self.n_neighbors)
        if values[0] > len(pairs):
            raise InputError(
                f"n_neighbors={values[0]} but there are {len(pairs)} training pairs; use a "
                "smaller n_neighbors."
            )
        self.classes_, self._codes = np.unique(labels, return_inverse=True)
        self._vectors, self._pairs, self._values = vectors, pairs, values
        self.n_features_in_ = 2
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Weighted share of each class among the neighbours.

        Parameters
        ----------
        X : array-like of int of shape (n_pairs, 2)

        Returns
        -------
        ndarray of shape (n_pairs, n_classes)
        """
        check_is_fitted(self, "classes_")
        pairs = _row_numbers(X, len(self._vectors))
        n_classes = len(self.classes_)
        shares = np.empty((len(pairs), n_classes))
        # The last class is what the others leave when there are two.
        for code in range(n_classes):
            if n_classes == 2 and code == 0:
                continue
            target = (self._codes == code).astype(np.float64)
            shares[:, code] = query_scores(
                self._vectors, self._pairs, target, self._vectors, pairs, self._values
            )[:, 0]
        if n_classes == 2:
            shares[:, 0] = 1.0 - shares[:, 1]
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """Class with the largest share.

        Parameters
        ----------
        X : array-like of int of shape (n_pairs, 2)

        Returns
        -------
        ndarray of shape (n_pairs,)
        """
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


@overload
def cross_val_scores_knn(
    objects: Any,
    pairs: Any,
    y: Any,
    cv: Any,
    n_neighbors: int | Sequence[int] = ...,
    *,
    scheme: Literal["strict", "relaxed"] | None = None,
) -> NDArray[np.float64]: ...
@overload
def cross_val_scores_knn(
    objects: Any,
    pairs: Any,
    y: Any,
    cv: Any,
    n_neighbors: int | Sequence[int] = ...,
    *,
    scheme: Literal["both"],
) -> dict[str, NDArray[np.float64]]: ...
@constrained(
    cv=Methods(("split",), "a splitter"),
    n_neighbors=N_NEIGHBORS,
    scheme=Choice((None, "strict", "relaxed", "both")),
)
def cross_val_scores_knn(
    objects: Any,
    pairs: Any,
    y: Any,
    cv: Any,
    n_neighbors: int | Sequence[int] = _DEFAULT_K,
    *,
    scheme: str | None = None,
) -> Any:
    """Out-of-fold KNN scores for many K at once, equal to refitting on every fold.

    Equal to ``KNeighborsRegressor(K, weights="distance")`` of scikit-learn, fitted
    on the summed vectors of each fold's training pairs, up to rounding; with its
    rule that neighbours at distance zero count alone. Of neighbours at the very
    same distance, those of earlier rows come first.

    Parameters
    ----------
    objects : array-like of shape (n_objects, n_features)
        Vectors of the objects.
    pairs : Pairs, PairIndex or array-like of int of shape (n_pairs, 2)
        Pairs, as row numbers of ``objects``.
    y : array-like of shape (n_pairs,)
        Labels 0/1 or -1/1 (scored as 0/1), bool, or numbers.
    cv : ObjectLeaveTwoOut, ObjectKFold or another splitter
        For the first two with setting BB, all folds come from one neighbour list
        a pair; others are scored fold by fold, as exactly.
    n_neighbors : int or sequence of int
        Values of K.
    scheme : {"strict", "relaxed", "both"}, optional
        In place of that of ``cv``; "both" gives a dict with the two, in one pass.

    Returns
    -------
    ndarray of shape (n_pairs, n_values), or dict of two
        NaN where a pair is never validated; the mean where several folds validate
        it.

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from trueval.pairs import ObjectLeaveTwoOut, cross_val_scores_knn, pooled_auc
    >>> objects = np.random.default_rng(0).normal(size=(40, 2))
    >>> pairs = np.array(list(combinations(range(40), 2)))
    >>> y = objects[pairs].sum(axis=(1, 2)) > 0
    >>> scores = cross_val_scores_knn(objects, pairs, y, ObjectLeaveTwoOut(), [5, 10])
    >>> scores.shape
    (780, 2)
    >>> bool(pooled_auc([(y, scores[:, 1])]) > 0.95)
    True
    """
    vectors = as_vectors(objects)
    numbers = _row_numbers(pairs, len(vectors))
    target = _as_target(y, len(numbers))
    values = as_values(n_neighbors)
    wanted = getattr(cv, "scheme", "strict") if scheme is None else scheme
    tasks = fold_tasks(cv, pairs, y)
    if tasks is None:
        if scheme is not None:
            raise InputError(
                f"scheme={scheme!r} needs ObjectLeaveTwoOut or ObjectKFold with setting 'BB'; set "
                "the scheme of the splitter instead."
            )
        return _fold_by_fold(vectors, numbers, target, y, cv, values, pairs)
    strict, relaxed = masked_scores(
        vectors, numbers, target, tasks, values, wanted != "relaxed", wanted != "strict"
    )
    if wanted == "both":
        return {"strict": tasks.mean(strict), "relaxed": tasks.mean(relaxed)}
    return tasks.mean(strict if wanted == "strict" else relaxed)


def masked_scores(
    vectors: NDArray[np.float64],
    pairs: NDArray[np.int64],
    target: NDArray[np.float64],
    tasks: Tasks,
    values: NDArray[np.int64],
    strict: bool,
    relaxed: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores of all tasks under either scheme, (n_tasks, n_values) each; empty if not asked for."""
    vectors, pairs = _used(vectors, pairs)
    cross, norm, _ = _about_the_mean(vectors, pairs, vectors, pairs)
    kernel_values, back = _ascending(values)
    a, b = _columns(pairs)
    label_a, label_b = _columns(tasks.labels)
    first, second, fewest = _kernels.pair_knn(
        vectors.shape[1],
        vectors.reshape(-1),
        vectors.reshape(-1),
        cross,
        norm,
        norm,
        a,
        b,
        a,
        b,
        target,
        label_a,
        label_b,
        tasks.start,
        tasks.p,
        tasks.q,
        kernel_values,
        strict,
        relaxed,
    )
    if len(tasks.p) and fewest < kernel_values[-1]:
        raise InputError(
            f"n_neighbors goes up to {kernel_values[-1]} but the smallest training set has "
            f"{fewest} pairs.",
            fix=Fix("Use smaller n_neighbors, more parts or {}.", "scheme", "relaxed")
            if strict
            else "Use smaller n_neighbors or more parts.",
        )
    n = len(kernel_values)
    return first.reshape(-1, n)[:, back], second.reshape(-1, n)[:, back]


def query_scores(
    train_vectors: NDArray[np.float64],
    train_pairs: NDArray[np.int64],
    target: NDArray[np.float64],
    query_vectors: NDArray[np.float64],
    query_pairs: NDArray[np.int64],
    values: NDArray[np.int64],
) -> NDArray[np.float64]:
    """KNN scores of query pairs, for all K: nothing masked."""
    train_vectors, train_pairs = _used(train_vectors, train_pairs)
    query_vectors, query_pairs = _used(query_vectors, query_pairs)
    cross, query_norm, train_norm = _about_the_mean(
        query_vectors, query_pairs, train_vectors, train_pairs
    )
    kernel_values, back = _ascending(values)
    a, b = _columns(query_pairs)
    ta, tb = _columns(train_pairs)
    n = len(a)
    nothing = np.full(n, -1, dtype=np.int32)
    own = np.zeros(len(ta), dtype=np.int32)
    scores, _, fewest = _kernels.pair_knn(
        query_vectors.shape[1],
        query_vectors.reshape(-1),
        train_vectors.reshape(-1),
        cross,
        query_norm,
        train_norm,
        a,
        b,
        ta,
        tb,
        target,
        own,
        own,
        np.arange(n + 1, dtype=np.int64),
        nothing,
        nothing,
        kernel_values,
        True,
        False,
    )
    if n and fewest < kernel_values[-1]:
        raise InputError(
            f"n_neighbors goes up to {kernel_values[-1]} but there are {fewest} training pairs; "
            "use smaller n_neighbors."
        )
    return scores.reshape(-1, len(kernel_values))[:, back]


# --- helpers ---------------------------------------------------------------------


def _used(
    vectors: NDArray[np.float64], pairs: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Only the objects that occur in pairs: the Gram matrix is of these."""
    occurring, numbers = np.unique(pairs, return_inverse=True)
    if len(occurring) == len(vectors):
        return np.ascontiguousarray(vectors), pairs
    return np.ascontiguousarray(vectors[occurring]), numbers.reshape(pairs.shape)


def _about_the_mean(
    query: NDArray[np.float64],
    query_pairs: NDArray[np.int64],
    train: NDArray[np.float64],
    train_pairs: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Inner products and squared norms of pairs about the training mean: less to cancel."""
    mean = train.mean(axis=0)
    if (train == np.rint(train)).all() and (query == np.rint(query)).all():
        mean = np.rint(mean)  # counts and fingerprints stay whole, and equal distances equal
    own, other = query - mean, train - mean
    cross = np.ascontiguousarray(own @ other.T).reshape(-1)
    norms = []
    for vectors, pairs in ((own, query_pairs), (other, train_pairs)):
        # |a + b|² = |a|² + |b|² + 2ab, one column at a time in place of a table of pairs.
        square = np.einsum("ij,ij->i", vectors, vectors)
        inner = np.zeros(len(pairs))
        for column in np.ascontiguousarray(vectors.T):
            inner += column[pairs[:, 0]] * column[pairs[:, 1]]
        norms.append(square[pairs[:, 0]] + square[pairs[:, 1]] + 2 * inner)
    return cross, norms[0], norms[1]


def _ascending(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """K in ascending order, and the way back to the order asked for."""
    distinct, back = np.unique(values, return_inverse=True)
    return distinct, back.reshape(-1)


def _columns(pairs: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return (
        np.ascontiguousarray(pairs[:, 0], dtype=np.int32),
        np.ascontiguousarray(pairs[:, 1], dtype=np.int32),
    )


def _fold_by_fold(
    vectors: NDArray[np.float64],
    pairs: NDArray[np.int64],
    target: NDArray[np.float64],
    y: Any,
    cv: Any,
    values: NDArray[np.int64],
    groups: Any,
) -> NDArray[np.float64]:
    total = np.zeros((len(pairs), len(values)))
    times = np.zeros(len(pairs), dtype=np.int64)
    for train, test in any_split(cv, pairs, y, groups):
        if len(test):
            total[test] += query_scores(
                vectors, pairs[train], target[train], vectors, pairs[test], values
            )
            times[test] += 1
    total[times == 0] = np.nan
    return total / np.maximum(times, 1)[:, None]


def as_vectors(objects: Any) -> NDArray[np.float64]:
    """Vectors of objects as finite numbers."""
    vectors = as_numbers(objects, "objects")
    if vectors.ndim != 2 or not vectors.size:
        raise InputError(
            f"objects must be of shape (n_objects, n_features). Got shape {vectors.shape} instead."
        )
    bad = ~np.isfinite(vectors).all(axis=1)
    if bad.any():
        raise InputError(
            f"objects has NaN or infinite values, first in row {int(np.flatnonzero(bad)[0])}; "
            "impute or drop them."
        )
    return vectors


def _row_numbers(pairs: Any, n_objects: int) -> NDArray[np.int64]:
    if isinstance(pairs, PairIndex):
        pairs = np.asarray(pairs.ids)[pairs.codes]
    elif isinstance(pairs, Pairs):
        pairs = pairs.pairs
    numbers = pairs.to_numpy() if hasattr(pairs, "to_numpy") else np.asarray(pairs)
    if numbers.ndim != 2 or numbers.shape[1] != 2:
        raise InputError(f"pairs must be of shape (n_pairs, 2). Got shape {numbers.shape} instead.")
    if numbers.dtype.kind not in "iu":
        raise InputError(
            f"pairs must be row numbers of objects. Got dtype {numbers.dtype} instead; number "
            "your ids first."
        )
    if not len(numbers):
        raise InputError("pairs is empty; at least one row is needed.")
    if numbers.min() < 0 or numbers.max() >= n_objects:
        raise InputError(
            f"pairs names object {numbers.max() if numbers.max() >= n_objects else numbers.min()}, "
            f"but objects has the rows 0 … {n_objects - 1}."
        )
    return numbers.astype(np.int64)


def _as_target(y: Any, n_rows: int) -> NDArray[np.float64]:
    if np.ndim(y) == 0:
        raise InputError(f"y must be one number for each pair. Got {y!r} instead.")
    if n_rows_of(y) != n_rows:
        raise InputError(f"y has {n_rows_of(y)} labels but pairs has {n_rows} rows.")
    if is_binary(y):
        return as_binary(y).astype(np.float64)
    target = as_numbers(y, "labels y")
    if target.ndim != 1 or not np.isfinite(target).all():
        raise InputError("y must be one finite number for each pair.")
    return target


def as_values(n_neighbors: Any) -> NDArray[np.int64]:
    """Values of K as an array."""
    return np.atleast_1d(np.asarray(n_neighbors)).astype(np.int64)
