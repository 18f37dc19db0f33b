"""The bound of whole groups is below every assignment; tight where it claims to be."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult

from tests import naive
from tests.stratify.placements import SHARES, placements, problem_of
from trueval import _kernels
from trueval.core.labels import as_labels
from trueval.stratify import _group_bound, _group_programme, measures, split_quality
from trueval.stratify._group_bound import group_rld_bound, mean_group_bound, part_limits
from trueval.stratify._group_problem import Problem
from trueval.stratify._group_programme import least_mean, relaxed_mean


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


@given(placements(), st.sampled_from([100_000, 12]))
def test_programmes_beside_every_assignment(placement, most_entries):
    """Bounds of few placed groups, divided others: never above the best way to place the rest."""
    members, rows, shares, limits, order, assignment = placement
    sizes, k = members.sum(axis=0), len(shares)
    problem = Problem(sp.csc_array(members), rows, sizes, shares, limits)
    means, means_of_placement = [], []
    for parts in product(range(k), repeat=len(rows)):
        inside = np.zeros((k, len(rows)), int)
        inside[parts, np.arange(len(rows))] = 1
        if (inside @ rows > limits).any():
            continue
        distance = np.abs((inside @ members).T / sizes[:, None] - shares)
        means.append(float((distance / shares).mean()))
        if all(parts[group] == part for group, part in zip(order, assignment, strict=False)):
            means_of_placement.append(means[-1])
    if means:
        best = min(means)
        assert best - 1e-5 <= least_mean(problem) <= best + 1e-12
    if means_of_placement:
        lower = problem.placed(assignment, order)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_group_programme, "_MOST_ENTRIES", most_entries)
            bound = relaxed_mean(problem, assignment, order, lower)
        assert lower.mean() - 1e-12 <= bound <= min(means_of_placement) + 1e-12
        if len(assignment) == len(rows):
            assert bound == pytest.approx(min(means_of_placement), abs=1e-6)


@given(placements(), st.integers(0, 100))
def test_any_multipliers_prove_no_more_than_the_least(placement, seed):
    """Multipliers far from the solver's: what they prove is still below a division that exists."""
    members, rows, shares, _, _, _ = placement
    sizes, k = members.sum(axis=0), len(shares)
    problem = Problem(sp.csc_array(members), rows, sizes, shares, np.full(k, rows.sum()))
    blocks, every = [np.array([part]) for part in range(k)], np.arange(len(sizes))
    programme = _group_programme._programme(
        problem, (), np.empty(0, np.int64), blocks, every, problem.single
    )
    generator = np.random.default_rng(seed)
    y, z = (
        generator.normal(0, 0.1, n) for n in (programme.at_most.shape[0], programme.once.shape[0])
    )
    parts = generator.integers(k, size=len(rows))
    inside = np.zeros((k, len(rows)))
    inside[parts, np.arange(len(rows))] = 1
    mean = (np.abs((inside @ members).T / sizes[:, None] - shares) / shares).mean()
    assert _group_programme._proven(programme, y, z) <= mean


@st.composite
def class_problems(draw):
    """One class: free groups (positives, rows), what parts have of it, and their room."""
    pairs = st.tuples(st.integers(1, 5), st.integers(0, 4)).map(lambda g: (g[0], g[0] + g[1]))
    groups, shares = draw(st.lists(pairs, max_size=5)), draw(SHARES)
    brought = draw(st.lists(st.integers(0, 4), min_size=len(shares), max_size=len(shares)))
    room = draw(st.lists(st.integers(-2, 14), min_size=len(shares), max_size=len(shares)))
    if not groups and not sum(brought):
        brought[0] = 1
    return groups, brought, room, shares


@given(st.lists(class_problems(), min_size=1, max_size=3))
def test_kernel_beside_the_naive_twin(problems_of_classes):
    for groups, brought, room, shares in problems_of_classes:
        positives, rows = (np.array([g[i] for g in groups], np.int64) for i in (0, 1))
        costs = _kernels.group_costs(
            np.array([0, len(groups)], np.int64), positives, rows,
            np.array(brought, np.int64), np.array(room, np.int64), np.array(shares),
        )  # fmt: skip
        expected = naive.least_group_cost(groups, brought, room, shares)
        assert costs[0] == pytest.approx(expected, abs=1e-12)


@given(problems(), st.integers(0, 4), st.booleans(), st.integers(0, 60))
def test_below_every_assignment_within_the_sizes(problem, spare, programme, tried):
    y, groups, shares = problem
    labels, k = as_labels(y), len(shares)
    has = (y.sum(axis=0) > 0) & (y.sum(axis=0) < len(y))
    limits = np.ceil(shares * len(y)).astype(np.int64) + spare
    if not has.any():
        return
    within = []
    for parts in product(range(k), repeat=int(groups.max()) + 1):
        folds = np.array(parts)[groups]
        values = measures.rld_wanted(measures.class_part_counts(labels, folds, k), shares)[has]
        if (np.bincount(folds, minlength=k) <= limits).all():
            within.append(values.mean())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_group_bound, "_MOST_TRIED", tried)
        if not programme:
            patch.setattr(_group_bound, "_PROGRAMME", (0, 0))
        bound = mean_group_bound(labels, groups, shares, limits)
    assert group_rld_bound(labels, groups, shares)[has].mean() - 1e-9 <= bound < np.inf
    assert not within or bound <= min(within) + 1e-9


def test_a_group_that_fills_its_part_leaves_no_room_for_classes():
    """By hand: 10 rows in one part of two; the class outside of them is wholly in the other."""
    groups = np.concatenate([np.zeros(10, int), np.arange(1, 11)])
    y = np.zeros((20, 101), int)
    y[10:14] = 1  # 101 classes: too many for the integer programme
    shares, labels = np.array([0.5, 0.5]), as_labels(y)
    assert mean_group_bound(labels, groups, shares) == 0.0  # two and two
    assert mean_group_bound(labels, groups, shares, np.array([10, 10])) == 1.0  # none and four
    folds = (np.arange(20) >= 10).astype(int)
    assert split_quality(y, folds, groups=groups).group_bound == pytest.approx(0.5)  # 11 may fit
    assert part_limits(np.array([10, 10]), shares).tolist() == [11, 11]


def test_a_part_of_three_times_its_size_gives_all_parts_that_room():
    """Wanted are 30 and 70: as far above its size as 90 rows, the second part has 210."""
    assert part_limits(np.array([90, 10]), np.array([0.3, 0.7])).tolist() == [90, 210]


def test_a_split_with_other_sizes_is_held_to_its_own_sizes():
    """A part of 15 rows: nothing above 15 of 20 rows is asked of the bound, so it stays below."""
    generator = np.random.default_rng(1)
    groups = np.repeat(np.arange(12), [9, 6, 4, 3, 3, 3, 2, 2, 2, 2, 2, 2])
    y = (generator.random((len(groups), 60)) < 0.3).astype(int)
    for seed in range(7):
        folds = np.random.default_rng(seed).choice(2, 12, p=[0.75, 0.25])[groups]
        if len(np.unique(folds)) == 2:
            quality = split_quality(y, folds, groups=groups)
            assert quality.group_bound <= quality.rld_wanted + 1e-9


@pytest.mark.parametrize("nodes", [1, 10])
def test_a_solver_that_stops_early_still_gives_a_bound(nodes, monkeypatch):
    generator = np.random.default_rng(0)
    groups = np.repeat(np.arange(9), generator.integers(1, 12, 9))
    y = (generator.random((len(groups), 5)) < 0.4).astype(int)
    shares = np.array([0.5, 0.5])
    best = min(values.mean() for values in every_assignment(y, groups, shares))
    monkeypatch.setattr(_group_programme, "_NODES", nodes)
    bound = mean_group_bound(as_labels(y), groups, shares)
    assert group_rld_bound(as_labels(y), groups, shares).mean() - 1e-9 <= bound <= best + 1e-9


@pytest.mark.parametrize(
    ("status", "dual", "expected"),
    [
        (0, 500.0, 0.5),  # thousandths of the mean
        (0, 100.0, 0.25),  # less than classes have by themselves
        (1, 300.0, 0.3),
        (1, None, 0.25),
        (2, None, np.inf),
        (4, None, 0.25),
    ],
)
def test_what_a_solver_knows_when_it_stops(status, dual, expected, monkeypatch):
    """Solved, stopped early with and without a bound, infeasible, and failed."""
    result = OptimizeResult(status=status, mip_dual_bound=dual)
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: result)
    problem = problem_of([5, 3], [[5], [3]], [0.5, 0.5], [8, 8])
    assert problem.single.mean() == pytest.approx((1 + 1) / (2 * 4))
    assert least_mean(problem) == pytest.approx(expected, abs=1e-5)


def test_groups_that_do_not_fit_have_no_mean():
    """Three groups of two rows for two parts of three: each part has room for one of them."""
    assert least_mean(problem_of([2] * 3, [[1]] * 3, [0.5, 0.5], [3, 3])) == np.inf


def test_distances_of_parts_that_are_alike_add_up_to_nearly_two():
    """Three thirds as one block: a class of one group is 2/3 and twice 1/3 away, 4/3 of itself.

    By hand, with the multiplier −10 of what the class costs by itself: 10 · 4/3 and the least of
    (1 − 10) · d, where d is up to 2; with another bound of d it would prove too much or too little.
    """
    problem = problem_of([4], [[4]], [1 / 3] * 3, [4] * 3)
    one_block = [np.arange(3)]
    programme = _group_programme._programme(
        problem, (), np.empty(0, np.int64), one_block, np.arange(1), np.array([4 / 3])
    )
    y = np.zeros(programme.at_most.shape[0])
    y[-1] = -10.0
    proven = _group_programme._proven(programme, y, np.zeros(1))
    assert proven == pytest.approx(10 * 4 / 3 - 9 * 2)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), SHARES)
def test_one_class_with_large_groups(sizes, shares):
    """More than 300 positives: the formula instead of the programme; still below the best."""
    sizes = [*sizes, 310]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    y, w = np.ones((len(groups), 1), int), np.array(shares)
    best = min(values[0] for values in every_assignment(y, groups, w))
    bound = group_rld_bound(as_labels(y), groups, w)[0]
    assert bound <= best + 1e-9
    assert bound > 0 or len(groups) * w.max() >= 310  # where it fits, nothing may be forced


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
