"""``cross_fit``: values of objects by rankers that never saw their labels."""

import warnings
from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv

from trueval.errors import InputError, shown
from trueval.labels import Labels
from trueval.random import as_generator
from trueval.rank.base import Ranker
from trueval.rank.scores import Scores, check_pair
from trueval.rank.warn import OneClassWarning
from trueval.stratify import MultilabelStratifiedGroupKFold, MultilabelStratifiedKFold
from trueval.stratify.parts import group_numbers

__all__ = [
    "as_splitter",
    "cross_fit",
    "fold_numbers",
    "folds_of_pairs",
    "for_ranker",
    "index_pairs",
    "values_by_fold",
]


def cross_fit(
    ranker: Any, scores: Any, y: Any, *, cv: Any = 5, groups: Any = None, random_state: Any = 0
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
            f"PrecisionRanker(). Got {shown(ranker)} instead."
        )
    checked, labels = check_pair(scores, y)
    folds = fold_numbers(cv, labels, as_generator(random_state), groups)
    values, troubles = values_by_fold(ranker, checked, labels, folds)
    if troubles:
        number, said = next(iter(troubles.items()))
        more = f"; {len(troubles) - 1} more folds likewise" if len(troubles) > 1 else ""
        text = f"without fold {number}, {said.removesuffix('.')}{more}."
        warnings.warn(text, OneClassWarning, stacklevel=2)
    return values


def fold_numbers(
    cv: Any, labels: Labels, generator: np.random.Generator, groups: Any = None
) -> NDArray[np.int32]:
    """Fold of each object, from a number of folds, a splitter or (train, test) pairs.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
    labels : Labels
    generator : numpy.random.Generator
        Of the folds that an int makes.
    groups : array-like of shape (n_rows,), optional
        Objects that must not be separated.

    Returns
    -------
    ndarray of int32
        From 0, one for each object.
    """
    splitter = as_splitter(cv, labels.n_rows, generator, groups)
    given = {} if groups is None else {"groups": groups}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rare classes are said once, by the ranker
        pairs = list(splitter.split(np.zeros((labels.n_rows, 1)), labels.matrix, **given))
    return folds_of_pairs(index_pairs(pairs, labels.n_rows), labels.n_rows, groups)


def as_splitter(cv: Any, n_rows: int, generator: np.random.Generator, groups: Any = None) -> Any:
    """What ``cv`` stands for, as a splitter.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None
        None for five folds.
    n_rows : int
    generator : numpy.random.Generator
        Of the folds that an int makes.
    groups : array-like of shape (n_rows,), optional
        Whether the folds that an int makes must keep groups together.

    Returns
    -------
    splitter
    """
    cv = 5 if cv is None else cv
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        if not 2 <= int(cv) <= n_rows:
            raise ValueError(
                f"The 'cv' parameter must be a splitter or from 2 to the {n_rows} objects. "
                f"Got {cv!r} instead."
            )
        kind = MultilabelStratifiedKFold if groups is None else MultilabelStratifiedGroupKFold
        return kind(int(cv), random_state=generator)
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    if isinstance(cv, Iterable) and not isinstance(cv, str):
        return check_cv(index_pairs(list(cv), n_rows))  # which makes a splitter of them
    raise TypeError(
        "The 'cv' parameter must be an int, a splitter or an iterable of (train, test). "
        f"Got {shown(cv)} instead."
    )


def index_pairs(pairs: list[Any], n_rows: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Row numbers of what a splitter gave, which may be masks or anything if a user made it.

    Parameters
    ----------
    pairs : list of (train, test)
    n_rows : int

    Returns
    -------
    list of (train, test)
        As arrays of row numbers.
    """
    made = []
    for number, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(
                f"cv must give (train, test) pairs of row numbers; number {number} is "
                f"{shown(pair)}."
            )
        train, test = (_row_numbers(part, n_rows, number) for part in pair)
        made.append((train, test))
    return made


def _row_numbers(part: Any, n_rows: int, number: int) -> NDArray[np.intp]:
    rows = np.asarray(part)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or (len(rows) and rows.dtype.kind not in "iu"):
        raise InputError(
            f"pair {number} of cv must hold row numbers or masks of {n_rows} rows. Got "
            f"{shown(part)} instead."
        )
    if len(rows) and (rows.min() < 0 or rows.max() >= n_rows):
        raise InputError(f"pair {number} of cv names rows outside 0 … {n_rows - 1}.")
    return rows.astype(np.intp)


def folds_of_pairs(
    pairs: list[tuple[NDArray[np.intp], NDArray[np.intp]]], n_rows: int, groups: Any = None
) -> NDArray[np.int32]:
    """Fold of each object; refuse pairs that are no partition, or that separate a group.

    Parameters
    ----------
    pairs : list of (train, test)
        Row numbers.
    n_rows : int
    groups : array-like of shape (n_rows,), optional

    Returns
    -------
    ndarray of int32

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank.crossfit import folds_of_pairs
    >>> one, two = np.array([0, 2]), np.array([1, 3])
    >>> folds_of_pairs([(one, two), (two, one)], 4)
    array([1, 0, 1, 0], dtype=int32)
    """
    folds = np.full(n_rows, -1, dtype=np.int32)
    times = np.zeros(n_rows, dtype=np.int64)
    for number, (_, test) in enumerate(pairs):
        folds[test] = number
        np.add.at(times, test, 1)
    if (times != 1).any():
        raise InputError(
            f"cv never tests {int((times == 0).sum())} of {n_rows} objects and "
            f"tests {int((times > 1).sum())} more than once; cross-fitting needs folds that test "
            "every object exactly once."
        )
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
            f"cv separates rows {other} and {row}, which are of one group; a model would be judged "
            "on a group that it has seen. Use MultilabelStratifiedGroupKFold, or an int, or leave "
            "groups out."
        )


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
