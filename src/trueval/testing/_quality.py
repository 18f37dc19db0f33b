"""Checks of how good folds are, and of groups."""

from copy import deepcopy
from typing import Any

import numpy as np

from trueval.stratify import split_quality, stratified_folds
from trueval.testing._problem import (
    N_ROWS,
    example_groups,
    example_labels,
    folds_of,
    is_partition,
    mean_rld,
    takes_groups,
)


def check_better_than_random(splitter: Any) -> None:
    """Classes are spread clearly better than by plain random folds, shuffled or not.

    A splitter that permutes the rows and forgets to map the folds back fails here.
    """
    y = example_labels(1000)
    ours = mean_rld(splitter, folds_of(splitter, y), y)
    n_rows, n_test = y.shape[0], len(folds_of(splitter, y)[0][1])
    parts = int(splitter.n_splits) if is_partition(splitter) else [n_rows - n_test, n_test]
    reference = np.mean(
        [
            split_quality(
                y, stratified_folds(y, parts, method="random", random_state=seed), parts=parts
            ).rld_wanted
            for seed in range(10)
        ]
    )
    assert ours < 0.6 * reference, f"rLD {ours:.4f} against {reference:.4f} of random folds"


def check_classes_in_every_test_set(splitter: Any) -> None:
    """A class with three members for each part, and single-label rows, is in all of them."""
    if not is_partition(splitter):
        return
    k = int(splitter.n_splits)
    y = np.repeat(np.eye(8, dtype=int), 3 * k, axis=0)
    if takes_groups(splitter):
        return  # groups may forbid it
    for _, test in folds_of(splitter, y):
        assert (y[test].sum(axis=0) > 0).all(), "a test set lacks a class that could be in it"


def check_groups_stay_together(splitter: Any) -> None:
    """A splitter that asks for groups never separates one."""
    if not takes_groups(splitter):
        return
    groups = example_groups(N_ROWS)
    for train, test in folds_of(splitter):
        assert not set(groups[train]) & set(groups[test]), "a group is in train and test"


def check_groups_needed(splitter: Any) -> None:
    """A splitter that asks for groups says so when they are missing."""
    if not takes_groups(splitter):
        return
    try:
        list(deepcopy(splitter).split(np.zeros((N_ROWS, 1)), example_labels()))
    except ValueError as error:
        message = str(error)
    else:
        raise AssertionError("missing groups are accepted")
    assert "groups" in message, f"the message does not speak of groups: {message}"
