"""The bound of whole groups is below every assignment; tight where it claims to be."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueval.core.labels import as_labels
from trueval.stratify import _group_bound, measures
from trueval.stratify._group_bound import group_rld_bound, mean_group_bound

SHARES = st.sampled_from([[0.5, 0.5], [0.8, 0.2], [1 / 3] * 3, [0.6, 0.3, 0.1]])


@st.composite
def problems(draw):
    n_groups = draw(st.integers(1, 5))
    sizes = draw(st.lists(st.integers(1, 4), min_size=n_groups, max_size=n_groups))
    groups = np.repeat(np.arange(n_groups), sizes)
    seed = draw(st.integers(0, 10_000))
    y = np.random.default_rng(seed).random((len(groups), 3)) < draw(st.sampled_from([0.3, 0.7]))
    return y.astype(int), groups, np.array(draw(SHARES))


def every_assignment(y, groups, shares):
    """rLD of each class for each way to put whole groups into parts."""
    labels, k = as_labels(y), len(shares)
    for parts in product(range(k), repeat=int(groups.max()) + 1):
        folds = np.array(parts)[groups]
        yield measures.rld_wanted(measures.class_part_counts(labels, folds, k), shares)


@given(problems())
def test_below_every_assignment(problem):
    y, groups, shares = problem
    has = (y.sum(axis=0) > 0) & (y.sum(axis=0) < len(y))
    values = np.array(list(every_assignment(y, groups, shares)))[:, has]
    if not has.any():
        assert np.isnan(mean_group_bound(as_labels(y), groups, shares))
        return
    bound = group_rld_bound(as_labels(y), groups, shares)[has]
    assert (bound <= values.min(axis=0) + 1e-9).all()
    best = values.mean(axis=1).min()
    # Few groups: the least mean itself, but for the slack of the solver.
    assert best - 1e-5 <= mean_group_bound(as_labels(y), groups, shares) <= best + 1e-9
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_group_bound, "_PROGRAMME", (0, 0))
        mean = mean_group_bound(as_labels(y), groups, shares)
        assert bound.mean() - 1e-9 <= mean <= best + 1e-9


@pytest.mark.parametrize("nodes", [1, 10])
def test_a_solver_that_stops_early_still_gives_a_bound(nodes, monkeypatch):
    generator = np.random.default_rng(0)
    groups = np.repeat(np.arange(9), generator.integers(1, 12, 9))
    y = (generator.random((len(groups), 5)) < 0.4).astype(int)
    shares = np.array([0.5, 0.5])
    best = min(values.mean() for values in every_assignment(y, groups, shares))
    monkeypatch.setattr(_group_bound, "_NODES", nodes)
    bound = mean_group_bound(as_labels(y), groups, shares)
    assert group_rld_bound(as_labels(y), groups, shares).mean() - 1e-9 <= bound <= best + 1e-9


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), SHARES)
def test_one_class_with_large_groups(sizes, shares):
    """More than 60 positives: the formula instead of the programme; still below the best."""
    sizes = [*sizes, 70]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    y, w = np.ones((len(groups), 1), int), np.array(shares)
    best = min(values[0] for values in every_assignment(y, groups, w))
    bound = group_rld_bound(as_labels(y), groups, w)[0]
    assert bound <= best + 1e-9
    assert bound > 0 or len(groups) * w.max() >= 70  # where it fits, nothing may be forced


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((3, 1), 0.5),  # 3 and 1 of 4: (1 + 1) / (2 · 2)
        ((2, 2), 0.0),
        ((3, 3, 2), 0.25),  # 5 and 3 of 8
        ((80, 20), 0.6),  # (30 + 30) / (2 · 50)
    ],
)
def test_by_hand(sizes, expected):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    y = as_labels(np.ones((len(groups), 1), int))
    assert group_rld_bound(y, groups, np.array([0.5, 0.5]))[0] == pytest.approx(expected)


def test_two_classes_that_cannot_both_have_their_best():
    """One group has both classes and another one of them: the mean is more than each alone."""
    groups = np.repeat([0, 1, 2], [4, 2, 2])
    y = np.zeros((8, 2), int)
    y[groups == 0] = y[groups == 1, :] = 1
    y[groups == 2, 0] = 1
    values = np.array(list(every_assignment(y, groups, np.array([0.5, 0.5]))))[:, 1:]
    mean = mean_group_bound(as_labels(y), groups, np.array([0.5, 0.5]))
    assert mean == pytest.approx(values.mean(axis=1).min(), abs=1e-5)
