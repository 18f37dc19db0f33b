"""The linear relaxation beside one that is written out entry by entry, and by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tests.stratify.placements import placements, problem_of
from trueval.stratify import _group_programme
from trueval.stratify._group_programme import (
    _blocks,
    _classes,
    _Programme,
    _proven,
    relaxed_mean,
    relaxed_work,
)


def plain_relaxation(problem, parts_of, classes, lower):
    """Least mean when groups without a part are divided; one constraint after the other."""
    members, k = problem.members.toarray(), len(problem.shares)
    free = [g for g in range(len(problem.rows)) if g not in parts_of]
    x = {(g, j): at for at, (g, j) in enumerate((g, j) for g in free for j in range(k))}
    d = {(c, j): len(x) + at for at, (c, j) in enumerate((c, j) for c in classes for j in range(k))}
    above, most, equal, once = [], [], [], []

    def row(entries):
        out = np.zeros(len(x) + len(d))
        for at, value in entries:
            out[at] += value
        return out

    for c in classes:
        size = problem.sizes[c]
        for j, w in enumerate(problem.shares):
            has = sum(members[g, c] for g, part in parts_of.items() if part == j)
            there = [(x[g, j], members[g, c]) for g in free]
            away = (d[c, j], -1.0)
            above += [row([*there, away]), row([*((at, -n) for at, n in there), away])]
            most += [size * w - has, has - size * w]
        above.append(row([(d[c, j], -1 / (k * size * problem.shares[j])) for j in range(k)]))
        most.append(-lower[c])
    for j in range(k):
        above.append(row([(x[g, j], problem.rows[g]) for g in free]))
        most.append(
            problem.limits[j] - sum(problem.rows[g] for g, part in parts_of.items() if part == j)
        )
    for g in free:
        equal.append(row([(x[g, j], 1.0) for j in range(k)]))
        once.append(1.0)
    cost = row([(d[c, j], 1 / (k * problem.sizes[c] * problem.shares[j])) for c, j in d])
    solved = linprog(
        cost, np.array(above), most, np.array(equal) if equal else None, once or None,
        method="highs-ds",
    )  # fmt: skip
    assert solved.status in (0, 2)
    others = sum(lower[c] for c in range(len(lower)) if c not in set(classes))
    return (solved.fun + others) / len(lower) if solved.status == 0 else None


@given(placements(), st.sampled_from([100_000, 24]))
def test_the_relaxation_is_proven_to_its_value(placement, most_entries):
    """Parts of different shares, each a block: what the multipliers prove is the least mean."""
    members, rows, shares, limits, order, assignment = placement
    assume(len(set(shares.tolist())) == len(shares))
    problem = problem_of(rows, members, shares, limits)
    used = np.bincount(assignment, rows[order[: len(assignment)]], len(shares))
    assume((used <= limits).all())
    lower = problem.placed(assignment, order)
    assume(np.isfinite(lower).all())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_group_programme, "_MOST_ENTRIES", most_entries)
        classes = _classes(problem, order[: len(assignment)], len(shares)).tolist()
        bound = relaxed_mean(problem, assignment, order, lower)
    parts_of = dict(zip(order.tolist(), assignment, strict=False))
    expected = plain_relaxation(problem, parts_of, classes, lower)
    assert bound == pytest.approx(lower.mean() if expected is None else expected, abs=1e-6)


def test_divided_groups_by_hand():
    """Five rows of ten are placed in the first part, where six fit.

    One of the other five rows fits beside them, and with it a fifth of the class in them: .2 and .8
    where halves are wanted, while each class by itself may have all its positives on that row.
    """
    problem = problem_of([5, 5], [[0], [5]], [0.5, 0.5], [6, 6])
    assert relaxed_mean(problem, (0,), np.array([0, 1]), np.zeros(1)) == pytest.approx(0.6)
    # What a class costs by itself counts for those that cost less, and for those left out.
    both = problem_of([5, 5], [[0, 2], [5, 2]], [0.5, 0.5], [6, 6])
    alone = relaxed_mean(both, (0,), np.array([0, 1]), np.array([0.0, 0.5]))
    assert alone == pytest.approx((0.6 + 0.5) / 2)


def test_classes_that_are_left_out_have_their_own_bound(monkeypatch):
    """As above with two classes, and room in the programme for one of them."""
    problem = problem_of([5, 5], [[0, 0], [5, 5]], [0.5, 0.5], [6, 6])
    monkeypatch.setattr(_group_programme, "_MOST_ENTRIES", 4)
    mean = relaxed_mean(problem, (0,), np.array([0, 1]), np.array([0.0, 0.25]))
    assert mean == pytest.approx((0.6 + 0.25) / 2)


def test_no_division_leaves_the_bounds_of_classes():
    """Ten rows for room of eight: that there is no solution is not taken from the solver."""
    problem = problem_of([5, 5], [[2], [2]], [0.5, 0.5], [4, 4])
    assert relaxed_mean(problem, (), np.array([0, 1]), np.array([0.25])) == 0.25


def test_what_multipliers_prove_by_hand():
    """Least x + 3 d with −x − d ≤ −1, x + d = 1 and x, d up to 2: it is 1, at x = 1."""
    programme = _Programme(
        cost=np.array([1.0, 3.0]), top=np.array([2.0, 2.0]),
        at_most=sp.csr_array([[-1.0, -1.0]]), limits=np.array([-1.0]),
        once=sp.csr_array([[1.0, 1.0]]), n_groups=1,
    )  # fmt: skip
    for y, z, expected in [
        (-1.0, 0.0, 1.0),  # the best multipliers
        (0.0, 1.0, 1.0),
        (0.0, 2.0, 2.0 - 2.0),  # x costs 1 − 2, twice in its box
        (-2.0, -1.0, 2.0 - 1.0),
        (5.0, 0.0, 0.0),  # of the wrong sign: nothing
        (np.nan, 0.5, 0.5),
        (-0.5, np.nan, 0.5),
        (-2.0, 2.5, 2.0 + 2.5 - 2 * 3.5 - 2 * 1.5),
    ]:
        assert _proven(programme, np.array([y]), np.array([z])) == pytest.approx(expected, abs=1e-8)


def test_alike_parts_are_one_block():
    problem = problem_of([1] * 3, [[1]] * 3, [0.2, 0.2, 0.2, 0.2, 0.2], [3, 3, 4, 3, 4])
    blocks = [block.tolist() for block in _blocks(problem, (3, 3))]
    assert blocks == [[3], [0, 1], [2, 4]]
    # Three entries for two sides in three blocks, times 3².
    assert relaxed_work(problem, (3, 3)) == 2 * 3 * 3 * 9


def test_work_has_a_limit(monkeypatch):
    problem = problem_of([1] * 3, [[1]] * 3, [0.5, 0.5], [3, 3])
    monkeypatch.setattr(_group_programme, "_MOST_ENTRIES", 5)
    assert relaxed_work(problem, (0, 1)) == 5 * 2**2


@pytest.mark.parametrize(("n_classes", "work"), [(49_999, 99_998), (50_001, 100_000)])
def test_work_ends_at_100_000_entries(n_classes, work):
    """One part: two entries for each class of the only group."""
    problem = problem_of([1], np.ones((1, n_classes), int), [1.0], [1])
    assert relaxed_work(problem, ()) == work


@pytest.mark.parametrize(
    ("entries", "n_blocks", "expected"),
    [
        (0, 2, [2]),
        (8, 2, [2]),
        (19, 2, [2]),
        (20, 2, [0, 2]),
        (99, 2, [0, 1, 2]),
        (29, 3, [2]),
        (30, 3, [0, 2]),
    ],
)
def test_classes_that_placed_groups_have_most_of_come_first(
    entries, n_blocks, expected, monkeypatch
):
    """By hand: 3, 3 and 2 groups have a class, 6, 6 and 4 entries in each block.

    The first group has 4 of 8, 5 of 20 and 20 of 30 positives.
    """
    members = [[4, 5, 20], [2, 9, 10], [2, 6, 0]]
    problem = problem_of([20, 20, 20], members, [0.5, 0.5], [60, 60])
    monkeypatch.setattr(_group_programme, "_MOST_ENTRIES", entries)
    assert _classes(problem, np.array([0]), n_blocks).tolist() == expected
