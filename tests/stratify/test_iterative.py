"""IS equals iterative-stratification 0.1.9; SOIS equals IS over label pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iterstrat import ml_stratifiers as peer

from tests.strategies import label_arrays
from trueval import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
    stratified_folds,
)
from trueval.data import simulate

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")


def same_splits(ours, theirs):
    for (train, test), (train_peer, test_peer) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(train, train_peer)
        np.testing.assert_array_equal(test, test_peer)


def two_columns(y):
    """The peer refuses a single column."""
    return y if y.shape[1] > 1 else np.hstack([y, y])


@given(label_arrays(max_rows=60, max_classes=12), st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_identical_folds(y, k, seed):
    y = two_columns(y)
    if len(y) < k:
        return
    theirs = peer.MultilabelStratifiedKFold(k, shuffle=True, random_state=seed)
    ours = MultilabelStratifiedKFold(k, method="iterative", random_state=seed)
    same_splits(ours.split(y, y), theirs.split(y, y))


@pytest.mark.parametrize("seed", range(3))
def test_identical_folds_on_many_rare_classes(seed):
    # More than a thousand classes with the same few members: ties everywhere.
    y = simulate.label_matrix(800, 1500, cardinality=6, tail=0.3, random_state=seed).toarray()
    theirs = peer.MultilabelStratifiedKFold(5, shuffle=True, random_state=seed)
    ours = MultilabelStratifiedKFold(5, method="iterative", random_state=seed)
    same_splits(ours.split(y, y), theirs.split(y, y))


@given(label_arrays(min_rows=10), st.integers(0, 2**32 - 1))
def test_identical_repeats(y, seed):
    y = two_columns(y)
    theirs = peer.RepeatedMultilabelStratifiedKFold(n_splits=3, n_repeats=3, random_state=seed)
    ours = RepeatedMultilabelStratifiedKFold(3, 3, method="iterative", random_state=seed)
    same_splits(ours.split(y, y), theirs.split(y, y))


@given(label_arrays(min_rows=10), st.integers(0, 2**32 - 1), st.sampled_from([0.2, 0.5, 4]))
def test_identical_shuffle_splits(y, seed, test_size):
    y = two_columns(y)
    theirs = peer.MultilabelStratifiedShuffleSplit(3, test_size=test_size, random_state=seed)
    ours = MultilabelStratifiedShuffleSplit(
        3, test_size=test_size, method="iterative", random_state=seed
    )
    same_splits(ours.split(y, y), theirs.split(y, y))


def test_the_callers_random_state_goes_on():
    y = simulate.label_matrix(100, 20, random_state=0).toarray()
    ours, theirs = np.random.RandomState(3), np.random.RandomState(3)
    same_splits(
        MultilabelStratifiedKFold(4, method="iterative", random_state=ours).split(y, y),
        peer.MultilabelStratifiedKFold(4, shuffle=True, random_state=theirs).split(y, y),
    )
    assert ours.random_sample() == theirs.random_sample()


@given(label_arrays(max_classes=5), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_second_order_is_first_order_over_pairs(y, k, seed):
    if len(y) < k:
        return
    pairs = [
        y[:, a] & y[:, b]
        for a in range(y.shape[1])
        for b in range(a, y.shape[1])
        if (y[:, a] & y[:, b]).any()
    ]
    expanded = np.stack([*pairs, np.zeros(len(y), dtype=y.dtype)], axis=1)
    np.testing.assert_array_equal(
        stratified_folds(y, k, method="iterative2", random_state=seed),
        stratified_folds(expanded, k, method="iterative", random_state=seed),
    )


def test_the_rarest_label_comes_first():
    # Label 1 is in rows 0 and 1 only. Taken first, its rows part; then label 0's.
    y = np.array([[1, 1], [1, 1], [1, 0], [1, 0], [1, 0], [1, 0]])
    for seed in range(20):
        folds = stratified_folds(y, 2, method="iterative", random_state=seed)
        assert folds[0] != folds[1]
        assert np.bincount(folds).tolist() == [3, 3]


def test_without_shuffling_the_folds_are_always_the_same():
    y = simulate.label_matrix(100, 20, random_state=0)
    for method in ("iterative", "anneal"):
        cv = MultilabelStratifiedKFold(4, method=method, shuffle=False)
        same_splits(cv.split(y=y), cv.split(y=y))
