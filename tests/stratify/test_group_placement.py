"""The search over placements of large groups beside all placements, and beside a plain search."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.stratify.placements import placements, problem_of
from trueval.stratify import _group_bound, _group_programme
from trueval.stratify._group_bound import _by_placement, _mean_bound, _open_parts
from trueval.stratify._group_problem import Problem


def of_placement(placement):
    members, rows, shares, limits, _, _ = placement
    return problem_of(rows, members, shares, limits)


def large_groups(problem, share, most):
    """The largest groups first, of equal ones the first."""
    total = problem.rows.sum()
    order = sorted(range(len(problem.rows)), key=lambda g: (-problem.rows[g], g))
    return np.array([g for g in order[:most] if problem.rows[g] >= share * total], np.int64)


def fits(problem, large, parts):
    used = np.zeros(len(problem.limits), int)
    for part, group in zip(parts, large, strict=False):
        used[part] += problem.rows[group]
    return (used <= problem.limits).all()


def settings(patch, **values):
    for name, value in values.items():
        patch.setattr(_group_bound, name, value)


@given(placements(), st.integers(0, 4), st.sampled_from([0.0, 0.15, 0.25]), st.booleans())
def test_the_best_of_all_placements(placement, most, share, relaxed):
    """With time for everything: the least over placements of the largest bound on the way."""
    problem = of_placement(placement)
    assume(np.isfinite(problem.single).all() and problem.single.mean() > 0)
    large = large_groups(problem, share, most)
    best = np.inf
    for parts in product(range(len(problem.shares)), repeat=len(large)):
        bound = problem.single.mean()
        for n in range(1, len(parts) + 1):
            if not fits(problem, large, parts[:n]):
                bound = np.inf
                break
            lower = problem.placed(parts[:n], large)
            bound = max(bound, lower.mean())
            if relaxed and np.isfinite(bound):
                bound = max(bound, relaxed_mean(problem, parts[:n], large))
        best = min(best, bound)
    with pytest.MonkeyPatch.context() as patch:
        settings(patch, _LARGE=share, _MOST_PLACED=most, _MOST_TRIED=10**6, _WORK=1e300, _GAIN=-9.0)
        settings(patch, _RELAXED=1e300 if relaxed else 0.0)
        assert _by_placement(problem) == pytest.approx(best, abs=1e-9)


def relaxed_mean(problem, parts, large):
    return _group_programme.relaxed_mean(problem, parts, large, problem.placed(parts, large))


def plain_search(problem, large, tried, work, gain):
    """Open placements in a list, the smallest looked for each time."""
    tried_so_far, open_ones = 0, [(problem.single.mean(), "relaxed", ())]
    while open_ones:
        smallest = min(open_ones)
        open_ones.remove(smallest)
        bound, state, parts = smallest
        cost = _group_programme.relaxed_work(problem, parts)
        if state == "new" and cost <= work:
            mean = relaxed_mean(problem, parts, large)
            work -= cost
            if mean <= bound + gain * bound:
                work = 0
            open_ones.append((max(bound, mean), "relaxed", parts))
            continue
        if len(parts) == len(large) or tried_so_far >= tried:
            return bound
        alike = len(set(problem.shares.tolist())) == 1 == len(set(problem.limits.tolist()))
        for part in range(len(problem.shares)):
            if alike and part > len(set(parts)):
                continue  # an empty part like the one before it
            if fits(problem, large, (*parts, part)):
                tried_so_far += 1
                mean = problem.placed((*parts, part), large).mean()
                if mean < np.inf:
                    open_ones.append((max(bound, mean), "new", (*parts, part)))
    return np.inf


@given(
    placements(),
    st.integers(0, 12),
    st.sampled_from([0.0, 2.0, 1e9]),
    st.sampled_from([0, 20, 60, 200, 10**6]),
    st.sampled_from([0.0, 0.002, 0.2]),
)
def test_a_search_that_stops_early(placement, tried, steps, work, gain):
    problem = of_placement(placement)
    assume(np.isfinite(problem.single).all())
    large = large_groups(problem, 0.01, 12)
    most = min(tried, int(steps / max(problem.work, 1)))
    expected = plain_search(problem, large, most, work, gain)
    with pytest.MonkeyPatch.context() as patch:
        settings(patch, _MOST_TRIED=tried, _WORK=steps, _RELAXED=work, _GAIN=gain)
        assert _by_placement(problem) == pytest.approx(expected, abs=1e-9)


@pytest.fixture
def eight_groups():
    """Eight groups of one class in four parts that have little room."""
    rows = np.array([9, 8, 7, 6, 5, 4, 3, 2])
    members = np.array([[7, 5, 3, 1, 1, 1, 1, 1]]).T  # 7 are more than the five of a fourth
    sizes = members.sum(axis=0)
    return Problem(sp.csc_array(members), rows, sizes, np.full(4, 0.25), np.full(4, 14))


def asked_programmes(problem, factor, monkeypatch, **values):
    """Work of each relaxation that is asked for; each raises the bound by a factor."""
    asked = []

    def relaxed(problem, parts, large, lower):
        asked.append(_group_programme.relaxed_work(problem, parts))
        return float(factor ** len(asked) * lower.mean())

    monkeypatch.setattr(_group_bound, "relaxed_mean", relaxed)
    settings(monkeypatch, **values)
    _by_placement(problem)
    return asked


def test_each_programme_is_paid_for(eight_groups, monkeypatch):
    starts = [(0,), (0, 1), (0, 1, 2)]
    first, *others = [_group_programme.relaxed_work(eight_groups, start) for start in starts]
    for work in (0.0, first - 1, first, first + sum(others) - 1, first + sum(others)):
        asked = asked_programmes(eight_groups, 1.1, monkeypatch, _RELAXED=work)
        assert sum(asked) <= work
        assert bool(asked) is (work >= first)
    assert asked == [first, *others]


@pytest.mark.parametrize(("factor", "alone"), [(1.0, True), (1.25, True), (1.26, False)])
def test_a_programme_that_gains_too_little_is_the_last(factor, alone, eight_groups, monkeypatch):
    asked = asked_programmes(eight_groups, factor, monkeypatch, _GAIN=0.25)
    assert (len(asked) == 1) is alone


@pytest.mark.parametrize(("factor", "alone"), [(1.001, True), (1.003, False)])
def test_a_gain_of_two_thousandths_is_worth_another(factor, alone, eight_groups, monkeypatch):
    assert (len(asked_programmes(eight_groups, factor, monkeypatch)) == 1) is alone


@pytest.mark.parametrize(("work", "asked"), [(5e6, True), (5e6 + 1, False)])
def test_programmes_have_five_million_units_of_work(work, asked, eight_groups, monkeypatch):
    monkeypatch.setattr(_group_bound, "relaxed_work", lambda *_: work)
    assert bool(asked_programmes(eight_groups, 1.1, monkeypatch)) is asked


def n_tried(rows, monkeypatch, shares=(0.5, 0.5), work=None, **values):
    """How many placements are tried of groups that are all of one class, without programmes."""
    tried = []

    class Counted(Problem):
        def placed(self, assignment, groups):
            tried.append(assignment)
            return super().placed(assignment, groups)

        @property
        def work(self):
            return super().work if work is None else work

    members, total = sp.csc_array(np.array(rows)[:, None]), sum(rows)
    problem = Counted(
        members, np.array(rows), np.array([total]), np.array(shares), np.full(2, total)
    )
    settings(monkeypatch, _RELAXED=0.0, **values)
    _by_placement(problem)
    return len(tried)


@pytest.mark.parametrize(("most", "expected"), [(0, 0), (1, 1), (2, 3), (3, 3), (4, 5)])
def test_placements_are_counted(most, expected, monkeypatch):
    """Two equal parts: one way for the first group, two for each group after it."""
    assert n_tried([5, 4, 3, 2, 2], monkeypatch, _MOST_TRIED=most) == expected


@pytest.mark.parametrize(("shares", "expected"), [((0.5, 0.5), 151), ((0.51, 0.49), 150)])
def test_at_most_150_placements_are_tried(shares, expected, monkeypatch):
    """Twelve groups whose sums are not those of the parts, which shows late; tried two by two.

    Of equal parts the first group has one alone. No class is small enough for other work.
    """
    assert n_tried([150, *[100] * 11], monkeypatch, shares) == expected


@pytest.mark.parametrize(("work", "expected"), [(2e8, 3), (2e8 + 0.4, 1), (4e8, 1), (4e8 + 0.5, 0)])
def test_work_is_for_so_many_placements(work, expected, monkeypatch):
    """Of 400 million steps: for two placements, which end with the third, for one or none."""
    assert n_tried([5, 4, 3, 2, 2], monkeypatch, work=work) == expected


def test_large_groups_come_first():
    def of(rows):
        members = sp.csc_array(np.array(rows)[:, None])
        problem = Problem(members, np.array(rows), np.array([sum(rows)]), *[np.ones(1)] * 2)
        return _group_bound._large_groups(problem).tolist()

    assert of([1, 3, 2, 3, 91]) == [4, 1, 3, 2, 0]  # one of a hundred rows is large
    assert of([1, 3, 2, 3, 92]) == [4, 1, 3, 2]
    assert of([1] * 15) == list(range(12))


@pytest.mark.parametrize(
    ("n_groups", "n_classes", "n_parts", "programme"),
    [
        (50, 1, 2, True),
        (51, 1, 2, False),
        (2, 100, 2, True),
        (2, 101, 2, False),
        (50, 100, 2, True),
        (101, 1, 1, False),
        (2, 201, 1, False),
    ],
)
def test_few_groups_and_classes_have_the_integer_programme(
    n_groups, n_classes, n_parts, programme, monkeypatch
):
    """Up to 100 variables of groups and 200 of classes."""
    members = sp.csc_array(np.ones((n_groups, n_classes), int))
    sizes, limits = np.full(n_classes, n_groups), np.full(n_parts, n_groups)
    shares = np.full(n_parts, 1 / n_parts)
    problem = Problem(members, np.ones(n_groups, int), sizes, shares, limits)
    monkeypatch.setattr(_group_bound, "least_mean", lambda _: 7.0)
    monkeypatch.setattr(_group_bound, "_by_placement", lambda _: 8.0)
    assert _mean_bound(problem) == (7.0 if programme else 8.0)


def test_parts_that_are_open():
    rows = np.array([5, 3, 2])
    members, sizes = sp.csc_array(rows[:, None]), np.array([10])
    equal = Problem(members, rows, sizes, np.full(4, 0.25), np.full(4, 7))
    order = np.arange(3)
    assert _open_parts(equal, order, ()) == [0]  # empty parts are alike
    assert _open_parts(equal, order, (0,)) == [1]  # 3 do not fit beside 5, and 1, 2 and 3 are alike
    assert _open_parts(equal, order, (0, 1)) == [0, 1, 2]
    other = Problem(members, rows, sizes, np.array([0.1, 0.2, 0.3, 0.4]), np.array([1, 2, 5, 9]))
    assert _open_parts(other, order, ()) == [2, 3]
    assert _open_parts(other, order, (3,)) == [2, 3]
    assert _open_parts(other, order, (3, 3)) == [1, 2]
