"""One split into train and test, and the sizes of its two sides."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval._compat import safe_indexing
from trueval.core.arrays import n_rows_of
from trueval.core.errors import InputError
from trueval.core.labels import Labels, as_labels
from trueval.core.params import (
    NONE,
    RANDOM_STATE,
    Interval,
    constrained,
)
from trueval.stratify._folds import folds_by_method, warn_of_rare_classes
from trueval.stratify._inputs import METHOD
from trueval.stratify._parts import as_parts

__all__ = ["SIZE", "train_test_sizes", "train_test_split"]

SIZE = (
    NONE,
    Interval(float, 0, 1, "neither"),
    Interval(int, 1),
)


@constrained(test_size=SIZE, train_size=SIZE, method=METHOD, random_state=RANDOM_STATE)
def train_test_split(
    *arrays: Any,
    y: Any,
    test_size: float | int | None = None,
    train_size: float | int | None = None,
    groups: Any = None,
    method: str = "anneal",
    random_state: Any = None,
) -> list[Any]:
    """Split arrays and their labels into train and test, stratified by all classes.

    Parameters
    ----------
    *arrays : sequences of the same length as y
        Arrays, sparse matrices, data frames or lists.
    y : array, sparse matrix, DataFrame or sequence of label sets
        Labels, in any form :func:`trueval.as_labels` takes.
    test_size, train_size : float, int or None, default=None
        A share, a number of rows, or what the other leaves; without both, 25 %
        are tested. If they do not add up to all rows, the rest is unused.
    groups : array-like of shape (n_rows,), optional
        Rows of one group stay on one side; sizes are then only approximate.
    method : str, default="anneal"
        One of :data:`trueval.stratify.METHODS`.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    list
        Train and test part of each array, then of y, of the types they came in.

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
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y=y, random_state=0)
    >>> X_train.shape, y_test.shape
    ((375, 3), (125, 20))
    """
    labels = as_labels(y)
    everything = [*arrays, y]
    for i, array in enumerate(arrays):
        if (n_rows := n_rows_of(array)) != labels.n_rows:
            raise InputError(f"array {i} has {n_rows} rows but y has {labels.n_rows}.")
    sizes = train_test_sizes(labels.n_rows, test_size, train_size, default=0.25)
    warn_of_rare_classes(labels.class_sizes, 2)  # unused rows are no part
    options = {} if groups is None else {"groups": groups}
    parts = as_parts(sizes, labels.n_rows)
    folds = folds_by_method(method, labels, parts, random_state, options)
    train, test = np.flatnonzero(folds == 0), np.flatnonzero(folds == 1)
    return [_take(array, rows) for array in everything for rows in (train, test)]


def _take(array: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(array, Labels):
        return array.take(rows)
    if hasattr(array, "tocsr"):
        array = array.tocsr()  # other sparse formats cannot be indexed by rows
    return safe_indexing(array, rows)


def train_test_sizes(n_rows: int, test_size: Any, train_size: Any, default: float) -> list[int]:
    """Row counts [train, test] or [train, test, unused]."""
    if test_size is None and train_size is None:
        test_size = default
    n_test = None if test_size is None else _rows_in(test_size, n_rows, np.ceil)
    n_train = None if train_size is None else _rows_in(train_size, n_rows, np.floor)
    if n_test is None:
        n_test = n_rows - (n_train or 0)
    if n_train is None:
        n_train = n_rows - n_test
    if n_train < 1 or n_test < 1 or n_train + n_test > n_rows:
        raise InputError(
            f"test_size={test_size!r} and train_size={train_size!r} ask for {n_train} train and "
            f"{n_test} test rows, which {n_rows} rows do not give; both must be at least 1."
        )
    unused = n_rows - n_train - n_test
    return [n_train, n_test, unused] if unused else [n_train, n_test]


def _rows_in(size: Any, n_rows: int, rounding: Any) -> int:
    """Number of rows that a size, a number of rows or a share of them, stands for."""
    if isinstance(size, Integral):
        return int(size)
    return int(rounding(round(float(size) * n_rows, 9)))
