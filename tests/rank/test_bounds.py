"""Lower bounds from their definitions, object by object, and with SciPy's distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from trueval.rank import _bounds
from trueval.rank._bounds import (
    MOST_TERMS,
    lower_bounds,
    predictive_share,
    share_bound,
    studentised_deviations,
)
from trueval.rank._moments import Measure, Moments

PRECISION, RECALL = Measure(1.0, 1.0, 0.0), Measure(1.0, 0.0, 1.0)
F2, F_HALF = Measure(5.0, 1.0, 4.0), Measure(1.25, 1.0, 0.25)
MEASURES = {"precision": PRECISION, "recall": RECALL, "F2": F2, "F0.5": F_HALF}
CRITICAL = 1.2815515655446004  # one-sided 10 %


def sums_of(hits, calls, positives):
    """Moments at some numbers of predictions, from tables (number, unit)."""
    h, c, n = (np.asarray(x, float) for x in (hits, calls, positives))
    return Moments(
        hits=h.sum(axis=1),
        calls=c.sum(axis=1),
        hh=(h * h).sum(axis=1),
        hc=(h * c).sum(axis=1),
        cc=(c * c).sum(axis=1),
        hn=(h * n).sum(axis=1),
        cn=(c * n).sum(axis=1),
        ww=c.sum(axis=1),
        positives=n.sum(),
        nn=(n * n).sum(),
        wn=n.sum(),
        grouped=False,
    )


def naive_ratio(h, c, n, measure):
    """The measure of some units, its size, and its standard error between them."""
    own = measure.of_calls * c + measure.of_positives * n
    ratio = measure.weight * h.sum() / own.sum()
    residual = measure.weight * h - ratio * own
    return ratio, own, np.sqrt((residual**2).sum()) / own.sum()


def naive_bound(h, c, n, measure, effect, new_share=None):
    ratio, own, error = naive_ratio(h, c, n, measure)
    effective = own.sum() ** 2 / (own**2).sum()
    spread = 1 if new_share is None else np.sqrt(1 + 1 / new_share)
    by_units = ratio - stats.t.ppf(0.9, max(effective - 1, 1)) * spread * error
    hits, false, missed = h.sum(), (c - h).sum(), (n - h).sum()
    trials = {PRECISION: hits + false, RECALL: hits + missed}.get(measure, hits + false + missed)
    hits_, trials_ = hits / effect, trials / effect
    if new_share is None:
        share = stats.beta.ppf(0.1, hits_, trials_ - hits_ + 1)
    else:
        new = round(new_share * trials_)
        share = 1 - stats.betabinom.ppf(0.9, new, trials_ - hits_ + 1, hits_) / new
    if measure in (F2, F_HALF):
        # Of few misses all are taken to be of the kind that costs more.
        square = measure.of_positives  # of beta
        few = false + missed < 10
        cost = max(1, square) if few else (false + square * missed) / (false + missed)
        gain = (1 + square) * share
        share = gain / (gain + cost * (1 - share))
    return max(0, min(by_units, share))


def units(seed, n_units, hit=0.6, false=0.3):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 6, n_units)
    h = rng.binomial(n, hit)
    return h, h + rng.binomial(3, false, n_units), n


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("new_share", [None, 0.5, 2.0])
@pytest.mark.parametrize("size", [(40,), (6,), (12, 0.9, 0.05), (40, 0.2, 0.5)], ids=str)
def test_bounds_are_those_of_the_definition(name, new_share, size):
    for seed in range(6):
        h, c, n = units(seed, *size)
        for effect in (1.0, 1.7):
            made = lower_bounds(
                sums_of([h], [c], n), MEASURES[name], np.array([effect]), CRITICAL, new_share
            )
            expected = naive_bound(h, c, n, MEASURES[name], effect, new_share)
            assert made[0] == pytest.approx(expected, abs=1e-9)


def test_few_units_have_one_degree_of_freedom():
    """One object has most predictions: their effective number is 1.4."""
    h, c, n = np.array([90, 1]), np.array([100, 20]), np.array([95, 2])
    _, own, error = naive_ratio(h, c, n, PRECISION)
    assert 1 < own.sum() ** 2 / (own**2).sum() < 2
    made = lower_bounds(sums_of([h], [c], n), PRECISION, np.ones(1), CRITICAL)
    assert made[0] == pytest.approx(91 / 120 - stats.t.ppf(0.9, 1) * error)


def test_bounds_are_not_below_zero():
    h, c, n = np.array([1, 0]), np.array([1, 30]), np.array([9, 9])
    assert lower_bounds(sums_of([h], [c], n), PRECISION, np.ones(1), CRITICAL).tolist() == [0.0]


def test_few_misses_are_of_the_dear_kind():
    """Nine false predictions could be nine missed positives; ten are known to be what they are."""
    for false, cost in ((9, 4), (10, 1)):
        h = np.full(50, 4)
        c = h + (np.arange(50) < false)
        share = stats.beta.ppf(0.1, 200, false + 1)
        ratio, own, error = naive_ratio(h, c, h, F2)
        by_units = ratio - stats.t.ppf(0.9, own.sum() ** 2 / (own**2).sum() - 1) * error
        made = lower_bounds(sums_of([h], [c], h), F2, np.ones(1), CRITICAL)[0]
        assert made == pytest.approx(min(by_units, 5 * share / (5 * share + cost * (1 - share))))


@given(st.integers(0, 30), st.integers(0, 30), st.sampled_from([0.01, 0.1, 0.3]))
def test_the_share_bound_is_missed_with_its_chance(hits, misses, tail):
    """At the bound, as many hits or more have a chance of exactly ``tail``."""
    bound = share_bound(np.array([hits]), np.array([hits + misses]), tail)[0]
    if hits == 0:
        assert bound == 0
    else:
        assert stats.binom.sf(hits - 1, hits + misses, bound) == pytest.approx(tail)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 60), st.sampled_from([0.01, 0.1]))
def test_the_predicted_share_is_that_of_the_beta_binomial(hits, misses, new, tail):
    made = predictive_share(
        np.array([float(hits)]), np.array([float(hits + misses)]), np.array([float(new)]), tail
    )[0]
    if hits == 0 or new == 0:
        assert made == 0
        return
    chance = stats.betabinom.cdf(np.arange(new + 1), new, misses + 1, hits)
    most = next(k for k, p in enumerate(chance) if p >= 1 - tail - 1e-9)
    assert made == pytest.approx(1 - most / new)


def one_prediction(hits, trials, new, tail):
    return predictive_share(*(np.array([float(x)]) for x in (hits, trials, new)), tail)[0]


def test_predictions_by_hand():
    """Of 9 hits in 9 trials, a new one is missed with chance 1/10: just within the tail."""
    assert one_prediction(9, 9, 1, 0.1) == 1.0
    assert one_prediction(8, 8, 1, 0.1) == 0.0
    assert one_prediction(9, 9, 1.4, 0.1) == 1.0  # a whole number of trials
    assert one_prediction(0, 9, 5, 0.1) == one_prediction(9, 9, 0, 0.1) == 0.0
    assert one_prediction(0, 9, MOST_TERMS + 1, 0.1) == 0.0


def test_many_predictions_are_continuous():
    last = one_prediction(3, 4, MOST_TERMS, 0.1) * MOST_TERMS
    assert last == pytest.approx(round(last), abs=1e-6)  # counted
    for hits, trials in ((3, 4), (1, 1), (60, 90)):
        for new in (MOST_TERMS + 1, 10**5):
            made = one_prediction(hits, trials, new, 0.1)
            exact = 1 - stats.betabinom.ppf(0.9, new, trials - hits + 1, hits) / new
            assert made == pytest.approx(exact, abs=1.5 / new)


def test_up_to_2000_predictions_are_counted():
    """More of them are a beta distribution with the mean and variance of the beta-binomial."""
    share = one_prediction(3, 4, 2000, 0.1)
    assert share == pytest.approx(1 - stats.betabinom.ppf(0.9, 2000, 2, 3) / 2000, abs=1e-9)
    misses = stats.betabinom(2001, 2, 3)
    mean, variance = misses.mean() / 2001, misses.var() / 2001**2
    known = mean * (1 - mean) / variance - 1
    expected = 1 - stats.beta.ppf(0.9, mean * known, (1 - mean) * known)
    assert one_prediction(3, 4, 2001, 0.1) == pytest.approx(expected, abs=1e-9)


def test_shares_are_predicted_one_by_one():
    """No hits, no new trial and too many new trials to count are nothing for those that follow."""
    hits, new = np.array([0.0, 9, 9, 9, 9]), np.array([1.0, 1, 0, 10**6, 1])
    shares = predictive_share(hits, np.full(5, 9.0), new, 0.1)
    assert shares[[0, 1, 2, 4]].tolist() == [0, 1, 0, 1]


class Recorded(np.random.Generator):
    """Generator that records which numbers it was asked for."""

    def standard_normal(self, size):
        self.shapes = [*getattr(self, "shapes", []), size]
        return super().standard_normal(size)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("chunk", "sizes"),
    [(1, [1] * 4), (26, [3, 1]), (_bounds.CHUNK, [4])],
    ids=["one at a time", "some", "all"],  # mutants of CHUNK must find the test by its name
)
def test_deviations_beside_a_loop(name, weighted, chunk, sizes, monkeypatch):
    """The same multipliers, unit by unit, and no more than a chunk of them at a time."""
    monkeypatch.setattr(_bounds, "N_DRAWS", 4)
    monkeypatch.setattr(_bounds, "CHUNK", chunk)
    measure, rng = MEASURES[name], np.random.default_rng(0)
    unit, hit = rng.integers(0, 6, 30), rng.random(30) < 0.6
    unit[7] = 6
    weight = rng.integers(1, 4, 30).astype(float) if weighted else None
    counts = np.ones(30) if weight is None else weight
    positives = np.array([6.0, 9, 5, 8, 7, 6, 0, 1, 0])  # the last three: once, never, nothing
    ends = np.array([1, 4, 9, 20, 27])
    hits, calls = (
        np.array([[counts[:e][some[:e] & (unit[:e] == u)].sum() for u in range(9)] for e in ends])
        for some in (hit, np.ones(30, bool))
    )
    sums = sums_of(hits, calls, positives)
    generator = Recorded(np.random.PCG64(5))
    made = studentised_deviations(unit, hit, positives, ends, sums, measure, generator, weight)
    assert generator.shapes == [(n, 8) for n in sizes]
    some = [u for u in range(9) if calls[-1][u] or positives[u]]
    assert made.shape == (4, len(ends))
    assert len(some) == 8
    drawn = np.zeros((4, 9))
    drawn[:, some] = np.random.default_rng(5).standard_normal((4, len(some)))
    for at in range(len(ends)):
        ratio, own, error = naive_ratio(hits[at], calls[at], positives, measure)
        residual = measure.weight * hits[at] - ratio * own
        if error * own.sum() < 1e-9:
            assert (made[:, at] == -np.inf).all()
        else:
            np.testing.assert_allclose(made[:, at], drawn @ residual / (error * own.sum()))
