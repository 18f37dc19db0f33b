"""``cross_fit``: values of objects by rankers that never saw their labels."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.errors import InputError
from trueval.labels import Labels
from trueval.random import as_generator
from trueval.rank.base import Ranker
from trueval.rank.scores import Scores, check_pair
from trueval.rank.warn import OneClassWarning
from trueval.stratify import MultilabelStratifiedKFold

__all__ = ["cross_fit", "fold_numbers", "for_ranker", "values_by_fold"]


def cross_fit(ranker: Any, scores: Any, y: Any, *, cv: Any = 5, random_state: Any = 0) -> Any:
    """Value every object by a copy of the ranker that never saw its labels.

    A ranker's values on its own training scores are fitted to these very labels and
    flatter whatever is measured on them. These do not.

    Parameters
    ----------
    ranker : ranker
        Unfitted, or its fit is not looked at: every fold fits a clone.
    scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        Scores of objects the model was *not* trained on.
    y : labels in any form :func:`trueval.as_labels` takes
    cv : int or splitter, default=5
        An int makes a :class:`~trueval.stratify.MultilabelStratifiedKFold`; the folds of
        a splitter must test every object exactly once.
    random_state : None, int, Generator or RandomState, default=0
        Of the folds that an int makes.

    Returns
    -------
    ndarray or scipy.sparse.csr_array of shape (n_rows, n_classes)
        As from the ranker's ``transform``: sparse for sparse, absent stays absent.

    Warns
    -----
    OneClassWarning
        Once, if some classes cannot be ranked in some fold: they get one value there.

    Examples
    --------
    >>> from trueval.data.simulate_scores import simulation_one
    >>> from trueval.rank import IsotonicRanker, average_precision, cross_fit
    >>> scores, y = simulation_one(300, 0.2, random_state=0)
    >>> honest = cross_fit(IsotonicRanker(), scores, y)
    >>> flattering = IsotonicRanker().fit_transform(scores, y)
    >>> average_precision(honest, y) < average_precision(flattering, y)
    True
    """
    if not (hasattr(ranker, "fit") and hasattr(ranker, "transform")):
        raise TypeError(
            "The 'ranker' parameter of cross_fit must have fit and transform, such as "
            f"PrecisionRanker(). Got {ranker!r} instead."
        )
    checked, labels = check_pair(scores, y)
    folds = fold_numbers(cv, labels, as_generator(random_state))
    values, troubles = values_by_fold(ranker, checked, labels, folds)
    if troubles:
        number, said = next(iter(troubles.items()))
        more = f"; {len(troubles) - 1} more folds likewise" if len(troubles) > 1 else ""
        text = f"without fold {number}, {said.removesuffix('.')}{more}."
        warnings.warn(text, OneClassWarning, stacklevel=2)
    return values


def fold_numbers(cv: Any, labels: Labels, generator: np.random.Generator) -> NDArray[np.int32]:
    """Fold of each object, from a number of folds or a splitter.

    Parameters
    ----------
    cv : int or splitter
    labels : Labels
    generator : numpy.random.Generator
        Of the folds that an int makes.

    Returns
    -------
    ndarray of int32
        From 0, one for each object.
    """
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        n_splits = int(cv)
        if not 2 <= n_splits <= labels.n_rows:
            raise ValueError(
                f"The 'cv' parameter must be a splitter or from 2 to the {labels.n_rows} objects. "
                f"Got {cv!r} instead."
            )
        cv = MultilabelStratifiedKFold(n_splits, random_state=generator)
    if isinstance(cv, str) or not hasattr(cv, "split"):
        raise TypeError(f"The 'cv' parameter must be an int or a splitter. Got {cv!r} instead.")
    folds = np.full(labels.n_rows, -1, dtype=np.int32)
    times = np.zeros(labels.n_rows, dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rare classes are said once, by the ranker
        for number, (_, test) in enumerate(cv.split(np.zeros((labels.n_rows, 1)), labels.matrix)):
            folds[test] = number
            times[test] += 1
    if (times != 1).any():
        raise InputError(
            f"the splitter never tests {int((times == 0).sum())} of {labels.n_rows} objects and "
            f"tests {int((times > 1).sum())} more than once; cross-fitting needs folds that test "
            "every object exactly once."
        )
    if len(np.unique(folds)) < 2:
        raise InputError("the splitter makes one fold only, which leaves nothing to train on.")
    return folds


def values_by_fold(
    ranker: Any, scores: Scores, labels: Labels, folds: NDArray[np.int32]
) -> tuple[Any, dict[int, str]]:
    """Values of each object by a clone fitted on the other folds.

    Parameters
    ----------
    ranker : ranker
    scores : Scores
    labels : Labels
    folds : ndarray of int32
        Fold of each object.

    Returns
    -------
    values : ndarray or scipy.sparse.csr_array
    troubles : dict of int to str
        What the clones said of classes that cannot be ranked, by fold.
    """
    parts, rows = [], []
    troubles: dict[int, str] = {}
    for number in np.unique(folds):
        test = np.flatnonzero(folds == number)
        train = np.flatnonzero(folds != number)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", OneClassWarning)
            own = clone(ranker).fit(
                for_ranker(ranker, scores.take(train)), for_ranker(ranker, labels.take(train))
            )
        for said in caught:
            if issubclass(said.category, OneClassWarning):
                troubles[int(number)] = str(said.message)
            else:
                warnings.warn_explicit(said.message, said.category, said.filename, said.lineno)
        parts.append(own.transform(for_ranker(ranker, scores.take(test))))
        rows.append(test)
    back = np.argsort(np.concatenate(rows))
    if scores.is_sparse:
        return sp.vstack(parts, format="csr")[back], troubles
    return np.vstack(parts)[back], troubles


def for_ranker(ranker: Any, given: Scores | Labels) -> Any:
    """Names go along to our rankers; others get what scikit-learn's take.

    Parameters
    ----------
    ranker : ranker
    given : Scores or Labels

    Returns
    -------
    Scores, Labels, ndarray or sparse matrix
    """
    return given if isinstance(ranker, Ranker) else given.matrix
