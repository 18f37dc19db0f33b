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

from trueval.core.arrays import missing_in, plain
from trueval.core.errors import InputError, Place, quote
from trueval.core.pairs import as_pairs
from trueval.core.params import (
    Choice,
    Constraints,
    Interval,
    Methods,
    check_self,
    constrained,
)
from trueval.pairs._each_fold import each_fold
from trueval.pairs._knn_scores import (
    N_NEIGHBORS,
    as_target,
    as_values,
    as_vectors,
    masked_scores,
    query_scores,
    row_numbers,
)
from trueval.pairs._tasks import fold_tasks

__all__ = ["PairKNNClassifier", "cross_val_scores_knn"]

_DEFAULT_K = tuple(range(10, 101, 10))


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

    _parameter_constraints: ClassVar[Constraints] = {"n_neighbors": Interval(int, 1)}

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
        pairs = row_numbers(X, len(vectors))
        labels = _class_labels(y, len(pairs))
        values = as_values(self.n_neighbors)
        if values[0] > len(pairs):
            raise InputError(
                f"n_neighbors={values[0]} but there are {len(pairs)} training pairs; use a "
                "smaller n_neighbors."
            )
        try:
            self.classes_, self._codes = np.unique(labels, return_inverse=True)
        except TypeError as error:
            raise InputError(
                f"the labels y cannot be put in order: {error}.", fix="Use labels of one type."
            ) from None
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
        pairs = row_numbers(X, len(self._vectors))
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
    numbers = row_numbers(pairs, len(vectors))
    target = as_target(y, len(numbers))
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


# --- helpers ---------------------------------------------------------------------


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
    index = as_pairs(groups, symmetric=getattr(cv, "symmetric", True))
    for fold in each_fold(cv, groups, y, index, pairs):
        train, test = fold.train, fold.test
        if len(test):
            total[test] += query_scores(
                vectors, pairs[train], target[train], vectors, pairs[test], values
            )
            times[test] += 1
    total[times == 0] = np.nan
    return total / np.maximum(times, 1)[:, None]


def _class_labels(y: Any, n_pairs: int) -> NDArray[Any]:
    """One class label for each pair, none missing."""
    labels = plain(y, "y")
    if labels.ndim != 1:
        raise InputError(f"y must be one label for each pair. Got {quote(y)} instead.")
    if len(labels) != n_pairs:
        raise InputError(f"X has {n_pairs} pairs but y has {len(labels)} labels.")
    missing = np.flatnonzero(missing_in(labels))
    if len(missing):
        raise InputError(
            "y has a missing label.", place=Place(row=int(missing[0])), fix="Leave the pair out."
        )
    return labels
