"""Orders under a hierarchy against every order, and predictions against every set."""

from itertools import chain, combinations, permutations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval.core.errors import InputError, ParameterError
from trueval.rank import hierarchical_fdr, hierarchical_order, hit_curve, make_consistent

QUICK = settings(derandomize=True, deadline=None, max_examples=40, database=None)


def forest(rng, n):
    return [-1, *(int(rng.integers(-1, k)) for k in range(1, n))]


def pairs_of(parent, n_rows):
    """All pairs, and the pair that must come before each."""
    pairs = [(row, k) for row in range(n_rows) for k in range(len(parent))]
    return pairs, {(row, k): (row, parent[k]) for row, k in pairs if parent[k] >= 0}


def obeys(order, before):
    place = {pair: i for i, pair in enumerate(order)}
    return all(place[up] < place[pair] for pair, up in before.items())


@QUICK
@given(seed=st.integers(0, 10**6), shape=st.sampled_from([(1, 6), (2, 3), (3, 2), (1, 1)]))
def test_no_order_of_a_forest_has_a_larger_area(seed, shape):
    rng = np.random.default_rng(seed)
    n_rows, n = shape
    parent, values = forest(rng, n), rng.random(shape).round(1)
    pairs, before = pairs_of(parent, n_rows)
    best = max(
        np.cumsum([values[pair] for pair in order]).sum()
        for order in permutations(pairs)
        if obeys(order, before)
    )
    rows, classes = hierarchical_order(values, parent)
    got = list(zip(rows.tolist(), classes.tolist(), strict=True))
    assert sorted(got) == pairs
    assert obeys(got, before)
    assert hit_curve((rows, classes), values).sum() == pytest.approx(best)


@QUICK
@given(seed=st.integers(0, 10**6), level=st.sampled_from([0.1, 0.3, 0.5]))
def test_predictions_are_the_most_but_for_the_group_at_the_cut(seed, level):
    rng = np.random.default_rng(seed)
    n_rows, n = 2, 4
    parent, values = forest(rng, n), rng.random((n_rows, n)) ** 0.5
    pairs, before = pairs_of(parent, n_rows)
    most = 0
    for chosen in chain.from_iterable(combinations(pairs, m) for m in range(1, 9)):
        consistent = all(before[pair] in chosen for pair in chosen if pair in before)
        if consistent and np.mean([values[pair] for pair in chosen]) >= 1 - level:
            most = max(most, len(chosen))
    calls = hierarchical_fdr(values, parent, fdr=level).toarray()
    selected = [pair for pair in pairs if calls[pair]]
    assert all(before[pair] in selected for pair in selected if pair in before)
    if selected:
        assert np.mean([values[pair] for pair in selected]) >= 1 - level - 1e-12
    _, sizes = np.unique(make_consistent(values, parent).round(12), return_counts=True)
    assert most - sizes.max() < len(selected) <= most or most == len(selected) == 0


@QUICK
@given(seed=st.integers(0, 10**6))
def test_several_parents_come_first_and_groups_fall(seed):
    rng = np.random.default_rng(seed)
    edges = [(c, int(p)) for c in range(1, 9) for p in rng.choice(c, min(c, 2), replace=False)]
    values = rng.random((3, 9))
    rows, classes = hierarchical_order(values, edges)
    place = np.empty((3, 9), int)
    place[rows, classes] = np.arange(27)
    assert all((place[:, p] < place[:, c]).all() for c, p in edges)
    assert (np.diff(make_consistent(values, edges)[rows, classes]) <= 1e-12).all()


def test_the_expected_share_is_kept_where_values_are_true():
    rng = np.random.default_rng(0)
    parent = forest(rng, 30)
    given_parent = rng.uniform(0.3, 1.0, (2000, 30))
    truth = given_parent.copy()
    y = rng.random(truth.shape) < given_parent
    for k in range(1, 30):
        if parent[k] >= 0:
            truth[:, k] *= truth[:, parent[k]]
            y[:, k] &= y[:, parent[k]]
    calls = hierarchical_fdr(truth, parent, fdr=0.2).toarray() > 0
    assert calls.sum() > 1000
    # Pairs of an object depend on each other; 2,000 objects do not.
    wrong, n = (calls & ~y).sum(axis=1), calls.sum(axis=1)
    error = np.std(wrong - 0.2 * n) * np.sqrt(2000) / n.sum()
    assert abs(wrong.sum() / n.sum() - 0.2) < 4 * error


def test_sparse_and_named_values():
    values = np.array([[0.2, 0.9, 0.0], [0.0, 0.0, 0.0]])
    rows, classes = hierarchical_order(sp.csr_array(values), [-1, 0, 0])
    assert list(zip(rows.tolist(), classes.tolist(), strict=True)) == [(0, 0), (0, 1)]
    frame = pd.DataFrame(values, columns=list("abc"))
    named = hierarchical_order(frame, {"b": "a", "c": "a"})
    numbered = hierarchical_order(values, [-1, 0, 0])
    np.testing.assert_array_equal(named, numbered)
    assert hit_curve(numbered, sp.csr_array(values))[-1] == pytest.approx(1.1)


def test_refuses_clearly():
    with pytest.raises(InputError, match=r"must be probabilities; they go from 0\.1 to 2"):
        hierarchical_fdr(np.array([[0.1, 2.0]]), [-1, 0])
    with pytest.raises(ParameterError, match="fdr"):
        hierarchical_fdr(np.array([[0.1, 0.2]]), [-1, 0], fdr=1.0)
    with pytest.raises(InputError, match="order has class 5, but y has 2"):
        hit_curve(([0], [5]), [[1, 0]])
    with pytest.raises(InputError, match="two arrays of whole numbers"):
        hit_curve(([0, 1], [1]), [[1, 0]])
