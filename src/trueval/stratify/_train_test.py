"""One split into train and test, and the sizes of its two sides."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval._compat import safe_indexing
from trueval.core.arrays import n_rows_of
from trueval.core.errors import InputError
from trueval.core.ids import PairIndex
from trueval.core.labels import Labels, as_labels
from trueval.core.pairs import Pairs
from trueval.core.params import (
    NONE,
    Interval,
    constrained,
)
from trueval.core.scores import Scores
from trueval.core.similarity import Similarity
from trueval.core.table import Table
from trueval.stratify._folds import folds_by_method, warn_of_rare_classes
from trueval.stratify._inputs import METHOD
from trueval.stratify._parts import as_parts

__all__ = ["SIZE", "train_test_sizes", "train_test_split"]

SIZE = (
    NONE,
    Interval(float, 0, 1, "neither"),
    Interval(int, 1),
)


@constrained(
    test_size=SIZE,
    train_size=SIZE,
    validation_size=SIZE,
    method=METHOD,
)
def train_test_split(
    *arrays: Any,
    y: Any = None,
    test_size: float | int | None = None,
    train_size: float | int | None = None,
    validation_size: float | int | None = None,
    groups: Any = None,
    method: str = "anneal",
    random_state: Any = None,
) -> list[Any]:
    """Split arrays and their labels into train and test, stratified by all classes.

    As in scikit-learn, ``train_test_split(X, Y)``; or with the labels by name, ``y=Y``.

    Parameters
    ----------
    *arrays : sequences of the same length
        Arrays, sparse matrices, data frames or lists. Without ``y``, one of them is the labels:
        the only one that can be labels of several classes. Where several can, as with features
        of 0 and 1, pass ``y``.
    y : array, sparse matrix, DataFrame or sequence of label sets, optional
        Labels, in any form :func:`trueval.as_labels` takes.
    test_size, train_size : float, int or None, default=None
        A share, a number of rows, or what the other leaves; without both, 25 %
        are tested. If they do not add up to all rows, the rest is unused.
    validation_size : float, int or None, default=None
        A share of all rows, or a number of rows, for a third part between train and test.
    groups : array-like of shape (n_rows,), optional
        Rows of one group stay on one side; sizes are then only approximate.
    method : str, default="anneal"
        One of :data:`trueval.stratify.METHODS`.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    list
        Train and test part of each array, then of y if it was given by name, of the types they
        came in; with ``validation_size``, train, validation and test part.

    See Also
    --------
    trueval.stratify.stratified_folds : More than two parts, such as 80/10/10.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval import train_test_split
    >>> from trueval.data import simulate
    >>> y = simulate.label_matrix(500, 20, random_state=0)
    >>> X = np.zeros((500, 3))
    >>> X_train, X_test, y_train, y_test = train_test_split(X + 0.5, y, random_state=0)
    >>> X_train.shape, y_test.shape
    ((375, 3), (125, 20))
    >>> y_train, y_validation, y_test = train_test_split(y=y, validation_size=0.1, test_size=0.2)
    >>> y_train.shape, y_validation.shape, y_test.shape
    ((350, 20), (50, 20), (100, 20))
    """
    everything = [*arrays] if y is None else [*arrays, y]
    labels = as_labels(_labels_among(arrays) if y is None else y)
    for i, array in enumerate(arrays):
        if (n_rows := n_rows_of(array, f"array {i}")) != labels.n_rows:
            raise InputError(f"array {i} has {n_rows} rows but y has {labels.n_rows}.")
    sizes = train_test_sizes(
        labels.n_rows, test_size, train_size, default=0.25, validation_size=validation_size
    )
    n_sides = 2 if validation_size is None else 3
    warn_of_rare_classes(labels.class_sizes, n_sides)  # unused rows are no part
    options = {} if groups is None else {"groups": groups}
    parts = as_parts(sizes, labels.n_rows)
    folds = folds_by_method(method, labels, parts, random_state, options)
    sides = [np.flatnonzero(folds == side) for side in range(n_sides)]
    return [_take(array, rows, i) for i, array in enumerate(everything) for rows in sides]


def _labels_among(arrays: tuple[Any, ...]) -> Any:
    """The one array that can be labels of several classes."""
    possible = [place for place, array in enumerate(arrays) if _may_be_labels(array)]
    if len(possible) == 1:
        return arrays[possible[0]]
    if not possible:
        raise InputError(
            "none of the arrays can be labels: rows of 0 and 1 for several classes, or sets of "
            "labels.",
            fix="Pass the labels as y=…, to see what is wrong with them; for a single label a row, "
            "use train_test_split of scikit-learn with stratify=y.",
        )
    several = " and ".join(str(place) for place in possible)
    raise InputError(
        f"the arrays {several} (counted from 0) can all be labels, so it is not known by which to "
        "stratify.",
        fix="Pass the labels by name: train_test_split(X, y=Y).",
    )


def _may_be_labels(array: Any) -> bool:
    """Whether an array can be read as labels of several classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            as_labels(array)
        except (ValueError, TypeError):
            return False
    return True


def _take(array: Any, rows: NDArray[np.intp], number: int) -> Any:
    if isinstance(array, Labels | Scores | Similarity | Table):
        return array.take(rows)
    if isinstance(array, Pairs | PairIndex):
        return array[rows]
    if hasattr(array, "tocsr"):
        array = array.tocsr()  # other sparse formats cannot be indexed by rows
    try:
        return safe_indexing(array, rows)
    except (TypeError, ValueError, LookupError) as error:
        raise InputError(
            f"rows of array {number}, of type {type(array).__name__}, cannot be taken: "
            f"{str(error).rstrip('.')}.",
            fix="Give an array, a data frame or a list.",
        ) from None


def train_test_sizes(
    n_rows: int, test_size: Any, train_size: Any, default: float, validation_size: Any = None
) -> list[int]:
    """Row counts of train, validation if there is one, test, and unused rows if there are any."""
    if test_size is None and train_size is None:
        test_size = default
    validation = [] if validation_size is None else [_rows_in(validation_size, n_rows, np.ceil)]
    n_test = None if test_size is None else _rows_in(test_size, n_rows, np.ceil)
    n_train = None if train_size is None else _rows_in(train_size, n_rows, np.floor)
    if n_test is None:
        n_test = n_rows - (n_train or 0) - sum(validation)
    if n_train is None:
        n_train = n_rows - n_test - sum(validation)
    sizes = [n_train, *validation, n_test]
    unused = n_rows - sum(sizes)
    if min(sizes) < 1 or unused < 0:
        between = f", validation_size={validation_size!r}" if validation else ""
        rows = f"{n_train} train, {validation[0]} validation" if validation else f"{n_train} train"
        raise InputError(
            f"test_size={test_size!r}{between} and train_size={train_size!r} ask for {rows} and "
            f"{n_test} test rows, which {n_rows} rows do not give; each must be at least 1."
        )
    return [*sizes, unused] if unused else sizes


def _rows_in(size: Any, n_rows: int, rounding: Any) -> int:
    """Number of rows that a size, a number of rows or a share of them, stands for."""
    if isinstance(size, Integral):
        return int(size)
    return int(rounding(round(float(size) * n_rows, 9)))
