"""Each ranker against an independent computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression

from tests.rank.problems import QUICK, problem
from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import (
    FDRRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    LocalTrueDiscoveryRate,
    PrecisionRanker,
    PValueRanker,
    average_precision,
)


def test_lpr_follows_algorithm_1_by_hand():
    rng = np.random.default_rng(0)
    s = rng.permutation(40).astype(float)
    y = (rng.random(40) < 0.4).astype(int)
    u = np.array([(s <= x).mean() for x in s])
    v = np.array([y[s >= x].mean() for x in s])
    expected = np.empty(40)
    for i in range(40):
        t = u[i] - u  # the paper's (u - u_i): b1 is minus the slope
        w = np.maximum(1 - (t / 0.25) ** 2, 0)
        design = np.stack([np.ones(40), t, t * t], axis=1)
        b = np.linalg.solve(design.T @ (w[:, None] * design), design.T @ (w * v))
        expected[i] = np.clip(b[0] + (1 - u[i]) * b[1], 0, 1)
    ranker = LocalPrecisionRate(bandwidth=0.25).fit(s[:, None], y[:, None])
    np.testing.assert_allclose(ranker.transform(s[:, None])[:, 0], expected, atol=1e-10)


def test_lpr_mappings():
    s = np.arange(10.0)[:, None]
    y = (np.arange(10) > 5).astype(int)[:, None]
    at = LocalPrecisionRate(bandwidth=0.5).fit(s, y).transform(s)[:, 0]
    new = np.array([[-3.0], [4.25], [8.5], [42.0]])
    line = LocalPrecisionRate(bandwidth=0.5).fit(s, y).transform(new)[:, 0]
    step = LocalPrecisionRate(bandwidth=0.5, mapping="step").fit(s, y).transform(new)[:, 0]
    np.testing.assert_allclose(
        line, [at[0], 0.75 * at[4] + 0.25 * at[5], (at[8] + at[9]) / 2, at[9]]
    )
    np.testing.assert_allclose(step, [at[0], at[4], at[8], at[9]])


def test_lpr_spreads_ties():
    # The paper's scores rounded to one decimal: collapsed ties lose half of the area.
    areas = {"tied": [], "plain": []}
    for seed in range(5):
        scores, y = simulation_one(500, 0.1, random_state=seed)
        new, new_y = simulation_one(500, 0.1, random_state=100 + seed)
        for name, decimals in (("tied", 1), ("plain", 15)):
            ranker = LocalPrecisionRate().fit(np.round(scores, decimals), y)
            areas[name].append(average_precision(ranker.transform(np.round(new, decimals)), new_y))
    assert np.mean(areas["tied"]) > np.mean(areas["plain"]) - 0.06


def test_lpr_monotone_is_the_isotonic_projection_of_the_clipped_values():
    scores, y = problem(7, n=60, k=1, decimals=1)
    free = LocalPrecisionRate(bandwidth=0.15).fit(scores, y).transform(scores)[:, 0]
    rising = LocalPrecisionRate(bandwidth=0.15, monotone=True).fit(scores, y)
    expected = IsotonicRegression().fit_transform(scores[:, 0], free)
    np.testing.assert_allclose(rising.transform(scores)[:, 0], expected, atol=1e-9)
    assert (np.diff(free[np.argsort(scores[:, 0])]) < 0).any()


def test_lpr_keeps_its_choice_for_inspection():
    scores, y = simulation_one(300, 0.2, random_state=0)
    ranker = LocalPrecisionRate().fit(scores, y)
    best = ranker.bandwidth_grid_[np.arange(5), ranker.loo_errors_.argmin(axis=1)]
    np.testing.assert_array_equal(ranker.bandwidths_, best)
    assert (ranker.degrees_of_freedom_ > 3).all()


@pytest.mark.parametrize("ranker", [LocalPrecisionRate(), PrecisionRanker(), IsotonicRanker()])
def test_beta_mixtures_are_recovered(ranker):
    # Closed form: P(class | s) of a mixture of two beta densities.
    scores, y = simulation_one(20_000, 0.2, random_state=0)
    truth = true_rates(scores, 0.2)
    values = clone(ranker).fit(scores, y).transform(scores)
    assert np.abs(values - truth).mean() < 0.02
    p = 0.2 * stats.beta.pdf(0.5, 10, 10)
    q = 0.8 * 1.25 * stats.beta.pdf(0.625, 0.5, 3)
    assert true_rates(np.full((1, 5), 0.5), 0.2)[0, 0] == pytest.approx(p / (p + q))


def test_ltdr_against_densities_by_hand():
    rng = np.random.default_rng(0)
    s, y = rng.normal(size=50), (rng.random(50) < 0.4).astype(int)

    def density(sample, x):
        middle = np.median(sample)
        h = np.median(np.abs(sample - middle)) / 0.6745 * (4 / (3 * len(sample))) ** 0.2
        t = (x[:, None] - sample) / h
        inside = np.maximum(1 - t * t / 5, 0) * 3 / (4 * np.sqrt(5))
        return inside.sum(axis=1) / (len(sample) * h)

    x = np.linspace(-2, 2, 41)
    f0, f = density(s[y == 0], x), density(s, x)
    expected = np.clip(1 - (y == 0).mean() * f0 / f, 0, 1)
    ranker = LocalTrueDiscoveryRate().fit(s[:, None], y[:, None])
    np.testing.assert_allclose(ranker.transform(x[:, None])[:, 0], expected, atol=1e-9)
    # Far from everything: the label of the nearest training score.
    far = ranker.transform(np.array([[-50.0], [50.0]]))[:, 0]
    np.testing.assert_array_equal(far, [y[np.argmin(s)], y[np.argmax(s)]])


@QUICK
@given(seed=st.integers(0, 10**6))
def test_p_values_and_fdr_by_counting(seed):
    scores, y = problem(seed, n=30, k=1, decimals=1)
    s, y = scores[:, 0], y[:, 0]
    new = np.round(np.random.default_rng(seed + 1).normal(size=20), 1)
    p = np.array([(s[y == 0] >= x).mean() for x in new])
    got = PValueRanker().fit(scores, y[:, None]).transform(new[:, None])[:, 0]
    np.testing.assert_allclose(got, 1 - p, atol=1e-12)
    top = s.max()
    fdr = np.array([1 - y[s >= min(x, top)].mean() for x in new])
    got = FDRRanker().fit(scores, y[:, None]).transform(new[:, None])[:, 0]
    np.testing.assert_allclose(got, 1 - fdr, atol=1e-12)


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(5, 60), decimals=st.sampled_from([None, 0, 1]))
def test_isotonic_equals_scikit_learn(seed, n, decimals):
    scores, y = problem(seed, n=n, k=1, decimals=decimals)
    new = np.random.default_rng(seed).normal(size=(30, 1))
    if len(np.unique(scores)) == 1:
        return
    ranker = IsotonicRanker(tie_break=False).fit(scores, y)
    expected = IsotonicRegression(out_of_bounds="clip").fit(scores[:, 0], y[:, 0])
    np.testing.assert_allclose(ranker.transform(new)[:, 0], expected.predict(new[:, 0]), atol=1e-9)


def test_isotonic_breaks_ties_by_rank_only():
    scores, y = problem(5, n=100, k=1)
    plain = IsotonicRanker(tie_break=False).fit_transform(scores, y)[:, 0]
    broken = IsotonicRanker().fit_transform(scores, y)[:, 0]
    assert np.abs(plain - broken).max() < 2e-9
    assert (np.diff(broken[np.argsort(scores[:, 0])]) > 0).all()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: LocalPrecisionRate(bandwidth=0), "'bandwidth' parameter of LocalPrecisionRate"),
        (lambda: LocalPrecisionRate(bandwidth="best"), "bandwidth"),
        (lambda: LocalPrecisionRate(kernel="flat"), "'kernel' parameter of LocalPrecisionRate"),
        (lambda: LocalPrecisionRate(mapping="spline"), "mapping"),
        (lambda: IsotonicRanker(mapping="next"), "'mapping' parameter of IsotonicRanker"),
        (lambda: PrecisionRanker(shrink=-1), "'shrink' parameter of PrecisionRanker"),
        (lambda: PrecisionRanker(shrink=np.nan), "number from 0 to 1e.100. Got nan"),
        (lambda: PrecisionRanker(shrink=np.inf), "number from 0 to 1e.100. Got inf"),
        (lambda: PrecisionRanker(share="all"), "'share' parameter of PrecisionRanker"),
    ],
)
def test_wrong_parameters(make, said):
    with pytest.raises(ValueError, match=said):
        make().fit(*problem())
