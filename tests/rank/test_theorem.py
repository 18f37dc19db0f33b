"""Theorem 1 of the local-precision-rate paper on tiny problems, by brute force."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval.study._rank_optimal import best_hits
from trueval.study._rank_population import Population, third_derivative

QUICK = settings(derandomize=True, deadline=None, max_examples=80, database=None)
rates = st.lists(st.floats(0, 1), min_size=1, max_size=4)


def pooled(classes):
    """Expected members when the m pairs of highest rate are called, for every m."""
    flat = np.sort(np.concatenate([np.array(c) for c in classes]))[::-1]
    return np.concatenate([[0.0], np.cumsum(flat)])


@QUICK
@given(classes=st.lists(rates, min_size=1, max_size=3))
def test_no_calls_beat_those_of_highest_rate(classes):
    """All sets of (class, score) pairs, of every size: pooled precision and recall."""
    flat = np.concatenate([np.array(c) for c in classes])
    best = pooled(classes)
    for m in range(1, len(flat) + 1):
        most = max(sum(flat[list(chosen)]) for chosen in combinations(range(len(flat)), m))
        assert best[m] == pytest.approx(most)


@QUICK
@given(classes=st.lists(rates.map(sorted), min_size=1, max_size=4))
def test_rising_rates_need_thresholds_only(classes):
    """All combinations of thresholds: none beats, and some reaches, the highest rates."""
    best = pooled(classes)
    found = np.full(len(best), -np.inf)
    for kept in product(*(range(len(c) + 1) for c in classes)):
        hits = sum(sum(c[len(c) - k :]) for c, k in zip(classes, kept, strict=True))
        found[sum(kept)] = max(found[sum(kept)], hits)
    np.testing.assert_allclose(found, best, atol=1e-12)
    np.testing.assert_allclose(best_hits([np.array(c) for c in classes]), best, atol=1e-12)


@QUICK
@given(classes=st.lists(rates, min_size=1, max_size=4))
def test_other_rates_are_no_worse_than_any_thresholds(classes):
    """Where a rate falls, ranking by it can only gain over thresholds on the score."""
    assert (pooled(classes) >= best_hits([np.array(c) for c in classes]) - 1e-12).all()


@QUICK
@given(
    first=st.lists(st.floats(0, 1), min_size=5, max_size=5).map(sorted),
    second=st.lists(st.floats(0, 1), min_size=5, max_size=5).map(sorted),
    calls=st.integers(0, 10),
)
def test_the_place_that_theorem_1_names(first, second, calls):
    """K = 2 in steps of 1/5: u1 = min{u : LPR1(u) ≥ LPR2(c − u)} has the most members."""
    if first[-1] < second[-1]:
        first, second = second, first
    able = [k for k in range(6) if 0 <= calls - k <= 5]  # objects of class 1 not called: 5 − k

    def hits(k):
        return sum(first[5 - k :]) + sum(second[5 - (calls - k) :])

    # From many calls in class 1 to few: the first step where its next object is not worse.
    for k in sorted(able, reverse=True):
        least_one = first[5 - k] if k > 0 else 1.0
        next_two = second[5 - (calls - k) - 1] if calls - k < 5 else 0.0
        if least_one >= next_two:
            break
    assert hits(k) == pytest.approx(max(hits(j) for j in able))


@pytest.mark.parametrize("k", range(4))
def test_population_is_that_of_the_definition(k):
    """LPR(u) = −d/du (1 − u)·G(u), and G from a large sample."""
    population = Population(k, 0.2)
    u = np.array([0.3, 0.6, 0.77])
    step = 1e-5
    slope = (
        (1 - u - step) * population.precision(u + step)
        - (1 - u + step) * population.precision(u - step)
    ) / (2 * step)
    np.testing.assert_allclose(population.rate(u), -slope, atol=1e-4)
    rng = np.random.default_rng(0)
    n = 400_000
    member = rng.random(n) < 0.2
    score = np.where(member, population.member.rvs(n, random_state=rng),
                     population.null.rvs(n, random_state=rng) / 1.25)  # fmt: skip
    for place, precision in zip(u, population.precision(u), strict=True):
        above = score > np.quantile(score, place)
        assert member[above].mean() == pytest.approx(precision, abs=0.005)


def test_cells_hold_all_members():
    cells = Population(4, 0.07, 0.03).cells(200)
    assert cells.mean() == pytest.approx(0.1)
    assert ((cells >= 0) & (cells <= 1)).all()
    # Sure members at a score of 0.5 lie below others that are none.
    sure = np.flatnonzero(cells > 0.99)
    assert (cells[sure[0] : sure[-1]] < 0.01).any()


def test_third_derivative_of_a_known_curve():
    class Cubic:
        def precision(self, u):
            return 2 * u**3 - u

    assert third_derivative(Cubic(), 0.4) == pytest.approx(12.0, rel=1e-6)
