"""Checks of what a splitter yields."""

from copy import deepcopy
from typing import Any

import numpy as np

from trueval.testing._problem import (
    N_ROWS,
    call,
    example_groups,
    example_labels,
    folds_of,
    is_partition,
    rounds,
    takes_groups,
)


def check_yields_index_arrays(splitter: Any) -> None:
    """Train and test are one-dimensional integer arrays with indices of rows."""
    for train, test in folds_of(splitter):
        for name, rows in (("train", train), ("test", test)):
            assert isinstance(rows, np.ndarray), f"{name} is a {type(rows).__name__}"
            assert rows.ndim == 1, f"{name} has {rows.ndim} dimensions"
            assert rows.dtype.kind in "iu", f"{name} has dtype {rows.dtype}"
            assert len(rows) > 0, f"{name} is empty"
            assert rows.min() >= 0, f"{name} has negative indices"
            assert rows.max() < N_ROWS, f"{name} has indices beyond the rows"


def check_train_and_test_disjoint(splitter: Any) -> None:
    """No row is in train and test of one split."""
    for train, test in folds_of(splitter):
        assert len(np.intersect1d(train, test)) == 0, "a row is in train and test"


def check_no_row_twice(splitter: Any) -> None:
    """No row is twice in one set."""
    for train, test in folds_of(splitter):
        assert len(np.unique(train)) == len(train), "a row is twice in a training set"
        assert len(np.unique(test)) == len(test), "a row is twice in a test set"


def check_number_of_splits(splitter: Any) -> None:
    """``get_n_splits`` tells how many splits there are."""
    folds, stated = folds_of(splitter), deepcopy(splitter).get_n_splits()
    assert len(folds) == stated, f"get_n_splits says {stated}, there are {len(folds)}"


def check_tests_cover_all_rows_once(splitter: Any) -> None:
    """The test sets of a round are a partition of the rows (K-fold like splitters)."""
    if not is_partition(splitter):
        return
    for folds in rounds(splitter, folds_of(splitter)):
        rows = np.sort(np.concatenate([test for _, test in folds]))
        assert np.array_equal(rows, np.arange(N_ROWS)), "test sets are no partition of the rows"


def check_train_is_complement(splitter: Any) -> None:
    """Training takes all rows that are not tested (K-fold like splitters)."""
    if not is_partition(splitter):
        return
    for train, test in folds_of(splitter):
        assert len(train) + len(test) == N_ROWS, "rows are neither in train nor in test"


def check_splits_are_lazy(splitter: Any) -> None:
    """``split`` gives an iterator, so that not all index arrays exist at once."""
    result = call(deepcopy(splitter), example_labels(), N_ROWS)
    assert iter(result) is iter(result), "split does not return an iterator"


def check_sizes_exact(splitter: Any) -> None:
    """Test sets differ by at most one row, or have the wanted size."""
    folds = folds_of(splitter)
    sizes = [len(test) for _, test in folds]
    if takes_groups(splitter):
        largest = np.bincount(example_groups(N_ROWS)).max()
        assert max(sizes) - min(sizes) <= 2 * largest, f"sizes {sizes} are far from equal"
    elif is_partition(splitter):
        assert max(sizes) - min(sizes) <= 1, f"sizes {sizes} differ by more than one"
    else:
        assert len(set(sizes)) == 1, f"sizes {sizes} differ"
