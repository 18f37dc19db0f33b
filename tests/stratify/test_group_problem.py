"""Bounds of single classes beside formulas that go class by class and part by part."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests import naive
from tests.stratify.placements import placements, problem_of
from trueval.core.labels import as_labels
from trueval.stratify import _group_problem
from trueval.stratify._group_bound import group_rld_bound


def forced_by_groups(counts, size, shares):
    """Groups with more of a class than a part should have, each in the cheapest part."""
    k = len(shares)
    cost = [
        min(max(g - size * w, 0) * (1 / w + 1 / max(shares)) / (k * size) for w in shares)
        for g in counts
    ]
    return sum(cost) if len(set(shares)) == 1 else max(cost)


def forced_by_placement(brought, size, room, shares):
    """Every part as near to its share as it may be, and the sum mended where that is cheapest."""
    k, cost, total = len(shares), 0.0, 0.0
    for has, most, w in zip(brought, room, shares, strict=True):
        low, high = has, has + min(size - sum(brought), most)
        nearest = min(max(size * w, low), high)
        cost, total = cost + abs(nearest - size * w) / (k * size * w), total + nearest
    return cost + abs(total - size) / (k * size * max(shares))


def class_bound(problem, small, members, assignment, order):
    """The largest of all bounds of one class, some groups being placed."""
    size, shares, rows = int(sum(members)), problem.shares.tolist(), problem.rows.tolist()
    counts = [g for g in members if g]
    bound = max(naive.least_rld(size, shares), forced_by_groups(counts, size, shares))
    for placed in {(), assignment}:  # what holds without the groups holds with them
        brought, room = [0] * len(shares), problem.limits.tolist()
        for part, group in zip(placed, order, strict=False):
            brought[part] += int(members[group])
            room[part] -= rows[group]
        free = set(range(len(rows))) - set(order[: len(placed)].tolist())
        if placed:
            bound = max(bound, forced_by_placement(brought, size, room, shares))
        if size <= small:
            groups = [(int(members[g]), rows[g]) for g in sorted(free) if members[g]]
            bound = max(bound, naive.least_group_cost(groups, brought, room, shares))
    return bound


@given(placements(), st.sampled_from([0, 4, 6, 300]))
def test_every_class_beside_its_naive_bound(placement, small):
    members, rows, shares, limits, order, assignment = placement
    problem = problem_of(rows, members, shares, limits)
    used = np.bincount(assignment, rows[order[: len(assignment)]], len(shares))
    assume((used <= limits).all())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_group_problem, "_SMALL", small)
        single, placed = problem.single, problem.placed(assignment, order)
    for c, column in enumerate(members.T):
        assert single[c] == pytest.approx(class_bound(problem, small, column, (), order), abs=1e-9)
        expected = class_bound(problem, small, column, assignment, order)
        assert placed[c] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("groups", "shares", "limits", "assignment", "expected"),
    [
        # Both groups of six rows are too large for the first part: the class is in the second.
        ([(6, 1), (6, 1)], [0.5, 0.5], [4, 12], (), 1.0),
        # Neither part has room for both, and the first for none: in the second one, all the same.
        ([(6, 1), (6, 1)], [0.5, 0.5], [4, 11], (), 1.0),
        # Three groups of two: four and two where three are wanted, (1 + 1) / (2 · 3).
        ([(2, 2)] * 3, [0.5, 0.5], [6, 6], (), 1 / 3),
        # Two of four are in the second part, where 1.2 are wanted: 2, 2, 0 is the best that is left
        # of 2.4, 1.2, 0.4.
        ([(1, 1)] * 4, [0.6, 0.3, 0.1], [4] * 3, (1, 1), (0.4 / 2.4 + 0.8 / 1.2 + 1) / 3),
    ],
)
def test_small_classes_by_hand(groups, shares, limits, assignment, expected):
    rows, positives = zip(*groups, strict=True)
    problem = problem_of(rows, [[n] for n in positives], shares, limits)
    assert problem.placed(assignment, np.arange(len(rows)))[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("groups", "shares", "limits", "expected"),
    [
        # The first group leaves three rows in its part, where six of the class are wanted.
        ([(7, 0), (4, 4), (4, 4), (4, 4)], [0.5, 0.5], [10, 12], (3 + 3) / 12),
        # One of twelve is left where 3.6 and 1.2 are wanted: 2.6 and 0.2 too few, 3.8 too many, and
        # one more too few, in the part where it costs least.
        ([(11, 11), (1, 1)], [0.6, 0.3, 0.1], [12] * 3,
         (3.8 / 7.2 + 2.6 / 3.6 + 0.2 / 1.2 + 1 / 7.2) / 3),
    ],
)  # fmt: skip
def test_large_classes_by_hand(groups, shares, limits, expected, monkeypatch):
    """The first group is in the first part, and no class is small enough for the programme."""
    monkeypatch.setattr(_group_problem, "_SMALL", 0)
    rows, positives = zip(*groups, strict=True)
    problem = problem_of(rows, [[n] for n in positives], shares, limits)
    assert problem.placed((0,), np.arange(len(rows)))[0] == pytest.approx(expected)


@pytest.mark.parametrize("shares", [[0.4, 0.3, 0.3], [0.3, 0.3, 0.4]])
def test_of_groups_too_large_for_any_unequal_part_one_counts(shares, monkeypatch):
    """Two groups of five: each is one more than four of ten, which the largest part should have.

    Equal parts should have 10/3, and both groups count.
    """
    monkeypatch.setattr(_group_problem, "_SMALL", 0)
    problem = problem_of([5, 5], [[5], [5]], shares, [10, 10, 10])
    assert problem.single[0] == pytest.approx((1 + 1) / (3 * 10 * 0.4))
    equal = problem_of([5, 5], [[5], [5]], [1 / 3] * 3, [10, 10, 10])
    assert equal.single[0] == pytest.approx(2 * (5 / 3 + 5 / 3) / 10)


def test_one_part_has_every_group():
    problem = problem_of([3, 2], [[3], [1]], [1.0], [5])
    assert problem.equal
    assert problem.single.tolist() == [0.0]


def test_groups_that_divide_exactly_have_bounds_of_exactly_zero():
    """40 and 110 of 150 are 4/15 and 11/15, which are no floats."""
    problem = problem_of([40, 110], [[40], [110]], [4 / 15, 11 / 15], [150, 150])
    assert problem.single.tolist() == [0.0]
    assert problem.placed((0, 1), np.arange(2)).tolist() == [0.0]


@pytest.mark.parametrize(
    ("shares", "limits", "equal"),
    [
        ([0.5, 0.5], [3, 3], True),
        ([0.5, 0.5], [3, 4], False),
        ([0.4, 0.6], [3, 3], False),
        ([0.25, 0.25, 0.5], [4, 4, 4], False),
    ],
)
def test_parts_are_alike_if_shares_and_limits_are(shares, limits, equal):
    assert problem_of([2, 2], [[1], [1]], shares, limits).equal is equal


def test_work_counts_the_small_classes_alone():
    """By hand: (3² + 300²) · 2 parts; the class of 301 is not for the programme."""
    members = [[3, 300, 301]]
    assert problem_of([400], members, [0.5, 0.5], [400, 400]).work == 2 * (9 + 90_000)


@pytest.mark.parametrize(("n_groups", "expected"), [(76, 0.0), (75, 4 / 300), (77, 0.0)])
def test_classes_up_to_300_positives_have_the_programme(n_groups, expected):
    """Groups of four: 300 are 148 and 152, two more and two fewer than 150. 308 are too many."""
    problem = problem_of([4] * n_groups, [[4]] * n_groups, [0.5, 0.5], [400, 400])
    assert problem.single[0] == pytest.approx(expected, abs=1e-12)


def test_classes_without_positives_have_no_bound():
    labels = as_labels(np.array([[1, 0], [1, 0], [1, 0], [1, 0]]))
    bound = group_rld_bound(labels, np.array([0, 0, 0, 1]), np.array([0.5, 0.5]))
    assert bound[0] == pytest.approx(0.5)
    assert np.isnan(bound[1])
