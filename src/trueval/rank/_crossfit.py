"""``cross_fit``: values of objects by rankers that never saw their labels."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils.validation import has_fit_parameter

from trueval.core.arrays import is_text
from trueval.core.errors import InputError, ParameterError, warn_user
from trueval.core.folds import as_folds, index_pairs
from trueval.core.groups import group_numbers
from trueval.core.labels import Labels
from trueval.core.params import (
    CALLABLE,
    NONE,
    RANDOM_STATE,
    Interval,
    Methods,
    Where,
    constrained,
)
from trueval.core.random import as_generator
from trueval.core.scores import Scores, as_scores, check_pair
from trueval.rank._base import Ranker
from trueval.rank._warn import OneClassWarning
from trueval.rank._weights import row_weights
from trueval.stratify import MultilabelStratifiedGroupKFold, MultilabelStratifiedKFold

__all__ = [
    "CV",
    "RANKER",
    "as_splitter",
    "cross_fit",
    "fitted_on",
    "fold_numbers",
    "folds_of_pairs",
    "valued",
    "values_by_fold",
]

#: What ``ranker`` and ``cv`` may be, wherever they are parameters.
RANKER = Methods(
    ("fit", "transform"), "an object with fit and transform, such as PrecisionRanker()"
)
CV = (
    NONE,
    Interval(int, 2),
    Methods(("split",), "a splitter"),
    Where(
        lambda cv: isinstance(cv, Iterable) and not is_text(cv),
        "an iterable of (train, test)",
    ),
)


@constrained(ranker=RANKER, cv=CV, random_state=RANDOM_STATE, progress=(NONE, CALLABLE))
def cross_fit(
    ranker: Any,
    scores: Any,
    y: Any,
    *,
    cv: Any = 5,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
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
    cv : int, splitter or iterable of (train, test), default=5
        An int makes a :class:`~trueval.stratify.MultilabelStratifiedKFold`, or with
        groups a :class:`~trueval.stratify.MultilabelStratifiedGroupKFold`; other folds
        must test every object exactly once.
    groups : array-like of shape (n_rows,), optional
        Objects that belong together, such as the samples of one patient: none is valued
        by a ranker that saw labels of its group.
    sample_weight : array-like of shape (n_rows,), optional
        How much each object counts in the fits; folds do not depend on it.
    random_state : None, int, Generator or RandomState, default=0
        Of the folds that an int makes.
    progress : callable, optional
        Called as ``progress(done, n_folds)`` after each fold.

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
    >>> from trueval.data.simulate import simulation_one
    >>> from trueval.rank import IsotonicRanker, average_precision, cross_fit
    >>> scores, y = simulation_one(300, 0.2, random_state=0)
    >>> honest = cross_fit(IsotonicRanker(), scores, y)
    >>> flattering = IsotonicRanker().fit_transform(scores, y)
    >>> average_precision(honest, y) < average_precision(flattering, y)
    True
    """
    checked, labels = check_pair(scores, y)
    folds = fold_numbers(cv, labels, as_generator(random_state), groups)
    weights = row_weights(sample_weight, labels.n_rows, labels.index)
    values, troubles = values_by_fold(ranker, checked, labels, folds, progress, weights)
    if troubles:
        number, first = next(iter(troubles.items()))
        more = f"; {len(troubles) - 1} more folds likewise" if len(troubles) > 1 else ""
        text = f"without fold {number}, {first.removesuffix('.')}{more}."
        warn_user(text, OneClassWarning)
    return values.matrix


def fold_numbers(
    cv: Any, labels: Labels, generator: np.random.Generator, groups: Any = None
) -> NDArray[np.int32]:
    """Fold of each object, from a number of folds, a splitter or (train, test) pairs."""
    splitter = as_splitter(cv, labels.n_rows, generator, groups)
    arguments = {} if groups is None else {"groups": groups}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rare classes are said once, by the ranker
        pairs = list(splitter.split(np.zeros((labels.n_rows, 1)), labels.matrix, **arguments))
    return folds_of_pairs(pairs, labels.n_rows, groups)


def as_splitter(cv: Any, n_rows: int, generator: np.random.Generator, groups: Any = None) -> Any:
    """What ``cv`` stands for, as a splitter; an int makes folds that keep groups together."""
    cv = 5 if cv is None else cv
    if Interval(int).accepts(cv):
        if n_rows < 2:
            raise InputError("there is one object only, and folds need at least two.")
        if not 2 <= int(cv) <= n_rows:
            raise ParameterError("cv", f"a splitter or from 2 to the {n_rows} objects", cv)
        kind = MultilabelStratifiedKFold if groups is None else MultilabelStratifiedGroupKFold
        return kind(int(cv), random_state=generator)
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    return check_cv(index_pairs(cv, n_rows, "cv"))  # which makes a splitter of them


def folds_of_pairs(pairs: Any, n_rows: int, groups: Any = None) -> NDArray[np.int32]:
    """Fold of each object; refuse pairs that are no partition, or that separate a group."""
    folds = as_folds(pairs, n_rows, name="cv")
    if len(np.unique(folds)) < 2:
        raise InputError("cv makes one fold only, which leaves nothing to train on.")
    if groups is not None:
        _check_groups(folds, groups)
    return folds


def _check_groups(folds: NDArray[np.int32], groups: Any) -> None:
    numbers = group_numbers(groups, len(folds))
    _, first = np.unique(numbers, return_index=True)
    apart = np.flatnonzero(folds != folds[first[numbers]])
    if len(apart):
        row, other = int(apart[0]), int(first[numbers[apart[0]]])
        raise InputError(
            f"cv separates rows {other} and {row}, which are of one group; a model would be "
            "judged on a group that it has seen.",
            fix="Use MultilabelStratifiedGroupKFold, or an int, or leave groups out.",
        )


def values_by_fold(
    ranker: Any,
    scores: Scores,
    labels: Labels,
    folds: NDArray[np.int32],
    progress: Callable[[int, int], None] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> tuple[Scores, dict[int, str]]:
    """Values of each object by a clone fitted on the other folds.

    And what the clones said of classes that cannot be ranked, by fold.
    """
    index, scores = scores.index, Scores._trusted(scores.matrix, scores.classes)
    parts, rows = [], []  # of rows without names, which were compared before
    troubles: dict[int, str] = {}
    numbers = np.unique(folds)
    for number in numbers:
        test = np.flatnonzero(folds == number)
        train = np.flatnonzero(folds != number)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", OneClassWarning)
            some = None if weights is None else weights[train]
            try:
                fitted = fitted_on(clone(ranker), scores.take(train), labels.take(train), some)
            except InputError as error:
                raise InputError(
                    f"without fold {number}, which cross-fitting leaves out, {error.problem}",
                    fix="More objects are needed, or no ranker.",
                ) from error
        for warning in caught:
            if issubclass(warning.category, OneClassWarning):
                troubles[int(number)] = str(warning.message)
            else:
                warnings.warn_explicit(
                    warning.message, warning.category, warning.filename, warning.lineno
                )
        parts.append(valued(fitted, scores.take(test)).matrix)
        rows.append(test)
        if progress is not None:
            progress(len(parts), len(numbers))
    back = np.argsort(np.concatenate(rows))
    stacked = sp.vstack(parts, format="csr") if scores.is_sparse else np.vstack(parts)
    return Scores._trusted(stacked[back], scores.classes, index), troubles


def fitted_on(
    ranker: Any, scores: Scores, labels: Labels, weights: NDArray[np.float64] | None = None
) -> Any:
    """The ranker fitted; names go along to ours, others get what scikit-learn's take."""
    more = {}
    if weights is not None:
        more["sample_weight"] = weights
        if not has_fit_parameter(ranker, "sample_weight"):
            name = type(ranker).__name__
            expected = f"left out with {name}, which fits all objects alike"
            raise ParameterError("sample_weight", expected, "weights")
    if isinstance(ranker, Ranker):
        return ranker.fit(scores, labels, **more)
    return ranker.fit(scores.matrix, labels.matrix, **more)


def valued(ranker: Any, scores: Scores) -> Scores:
    """What a fitted ranker makes of scores; only the values of others' rankers are checked."""
    if not isinstance(ranker, Ranker):
        return as_scores(ranker.transform(scores.matrix))
    return Scores._trusted(ranker.transform(scores), scores.classes, scores.index)
