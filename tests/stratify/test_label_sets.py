"""Sets of labels against itertools."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import label_arrays
from trueval import InputError, stratified_folds
from trueval.core.labels import as_labels
from trueval.stratify._label_sets import label_sets

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")


def naive_sets(y, order):
    """Every set of at most ``order`` labels that a row has, in lexicographic order."""
    sets = set()
    for row in y:
        held = np.flatnonzero(row).tolist()
        for size in range(1, order + 1):
            sets.update(itertools.combinations(held, size))
    return sorted(sets)


@given(label_arrays(max_classes=6), st.integers(1, 4))
def test_sets_are_those_of_itertools(y, order):
    found = label_sets(as_labels(y), order, 10**6, "the test")
    expected = naive_sets(y, order)
    assert found.order.tolist() == [len(s) for s in expected]
    for column, members in enumerate(expected):
        has = found.labels.matrix[:, [column]].toarray().ravel()
        np.testing.assert_array_equal(has, y[:, list(members)].all(axis=1))


@given(label_arrays(max_classes=5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_iterative_stratification_of_any_order(y, order, seed):
    if len(y) < 2:
        return
    columns = [y[:, list(members)].all(axis=1).astype(int) for members in naive_sets(y, order)]
    expanded = np.stack([*columns, np.zeros(len(y), dtype=int)], axis=1)
    np.testing.assert_array_equal(
        stratified_folds(y, 2, method="iterative2", order=order, random_state=seed),
        stratified_folds(expanded, 2, method="iterative", random_state=seed),
    )


def test_too_many_sets_are_counted_and_refused():
    with pytest.raises(InputError, match=r"would need 50 label pairs, more than max_pairs=49"):
        label_sets(as_labels(np.ones((5, 4), dtype=int)), 2, 49, "the test")  # 5 · (4 + 6)
    label_sets(as_labels(np.ones((5, 4), dtype=int)), 2, 50, "the test")
    with pytest.raises(InputError, match="70 label sets"):
        label_sets(as_labels(np.ones((5, 4), dtype=int)), 3, 1, "the test")  # 5 · (4 + 6 + 4)
