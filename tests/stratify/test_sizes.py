"""Groups are moved until sizes are within the tolerance, where single groups can do it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval import InputWarning, split_quality, stratified_folds
from trueval.core.labels import as_labels
from trueval.core.similarity import Similarity
from trueval.stratify import measures
from trueval.stratify._parts import as_parts
from trueval.stratify._sizes import fit_sizes, size_excess


def excess_by_hand(sizes, shares, tolerance):
    total = sum(sizes)
    off = [
        abs(s - w * total) - max(tolerance * w * total, 1)
        for s, w in zip(sizes, shares, strict=True)
    ]
    return sum(max(0.0, value) for value in off)


@st.composite
def problems(draw):
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_groups = draw(st.integers(3, 12))
    groups = np.repeat(np.arange(n_groups), generator.integers(1, 9, n_groups))
    y = (generator.random((len(groups), 4)) < 0.4).astype(int)
    shares = draw(st.sampled_from([[0.5, 0.5], [0.6, 0.3, 0.1], [1 / 3] * 3]))
    folds = generator.integers(0, len(shares), n_groups).astype(np.int32)[groups]
    fixed = np.where(np.isin(groups, generator.integers(0, n_groups, 2)), folds, -1)
    return y, groups, shares, folds, fixed.astype(np.int32), draw(st.sampled_from([0.0, 0.05, 0.3]))


@settings(max_examples=80, deadline=None)
@given(problems())
def test_never_farther_and_stuck_only_where_no_move_helps(problem):
    y, groups, shares, folds, fixed, tolerance = problem
    parts = as_parts(shares, len(y))
    result = fit_sizes(as_labels(y), parts, groups, folds, tolerance, fixed)

    def excess(folds):
        return excess_by_hand(np.bincount(folds, minlength=len(shares)), parts.shares, tolerance)

    assert size_excess(np.bincount(folds, minlength=len(shares)), parts, tolerance).sum() == (
        pytest.approx(excess(folds), abs=1e-6)
    )
    assert excess(result) <= excess(folds) + 1e-9
    assert all(len(set(result[groups == g])) == 1 for g in set(groups))
    assert (result[fixed >= 0] == folds[fixed >= 0]).all()
    if excess(folds) == 0:
        assert np.array_equal(result, folds)
    if excess(result) > 1e-6:  # every group of the fullest part, moved to the emptiest
        sizes = np.bincount(result, minlength=len(shares))
        full, empty = np.argmax(sizes / parts.shares), np.argmin(sizes / parts.shares)
        for g in {g for g in set(groups) if (fixed[groups == g] < 0).all()}:
            if result[groups == g][0] == full:
                moved = np.where(groups == g, empty, result)
                assert excess(moved) >= excess(result) - 1e-6


def test_the_group_that_raises_rld_least_is_moved():
    """Four groups in part 0 and one in part 1; two of them may go, one has the rare class."""
    groups = np.repeat([0, 1, 2, 3, 4], [4, 2, 2, 4, 8])
    y = np.zeros((20, 2), int)
    y[groups == 1, 0] = 1  # class 0: group 1 and half as many in part 1
    y[groups == 4, 0] = 1
    folds = np.where(groups < 4, 0, 1).astype(np.int32)
    free = np.full(20, -1, np.int32)
    parts = as_parts(2, 20)
    moved = fit_sizes(as_labels(y), parts, groups, folds, 0.0, free)
    rld = {}
    for g in (1, 2):
        other = np.where(groups == g, 1, folds)
        rld[g] = measures.rld_wanted(
            measures.class_part_counts(as_labels(y), other, 2), parts.shares
        )[0]
    assert rld[2] < rld[1]
    assert set(groups[moved != folds]) == {2}


def chains(sizes):
    """A graph with components of these sizes."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.flatnonzero(group[1:] == group[:-1])
    return Similarity.from_edges(rows, rows + 1, n_rows=len(group)), group


def test_large_components_of_one_class_stay_within_the_tolerance():
    generator = np.random.default_rng(0)
    graph, group = chains(generator.integers(5, 40, 60))
    y = np.eye(6, dtype=int)[generator.integers(0, 6, 60)][group]
    folds = stratified_folds(y, 4, similarity=graph, random_state=0)
    quality = split_quality(y, folds, parts=4, similarity=graph)
    assert quality.crossing_edges == 0
    assert np.abs(quality.sizes / quality.wanted_sizes - 1).max() <= 0.05


def test_what_cannot_be_reached_is_said():
    graph, group = chains([8] * 10)  # all are equal, and none is above a quarter of a part
    y = np.eye(2, dtype=int)[group % 2]
    with pytest.warns(InputWarning, match=r"off with a tolerance of 5%: components"):
        stratified_folds(y, [0.55, 0.45], similarity=graph, random_state=0)
