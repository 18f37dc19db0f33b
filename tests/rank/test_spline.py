"""The spline kernel against SciPy's B-splines and a general optimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import BSpline
from scipy.optimize import minimize

from trueval import _kernels
from trueval.rank._sample import Sample
from trueval.rank._spline import fit_spline, pooled_curve, pooled_part, rank_depth, spline_bins

QUICK = settings(derandomize=True, deadline=None, max_examples=12, database=None)


def design(x, segments):
    knots = np.arange(-3, segments + 4) / segments
    return BSpline.design_matrix(np.clip(x, 0, 1), knots, 3).toarray()


def objective(coef, B, n, y, prior, ridge, penalty, monotone):
    eta = B @ coef
    value = 2 * (n * np.logaddexp(0, eta) - y * eta).sum()
    value += ridge * ((coef - prior) ** 2).sum() + penalty * (np.diff(coef, 2) ** 2).sum()
    if monotone:
        value += 1e6 * (np.minimum(np.diff(coef), 0) ** 2).sum()
    return value


@QUICK
@given(seed=st.integers(0, 10**6), monotone=st.booleans(), penalty=st.sampled_from([0.1, 10.0]))
def test_fit_is_the_minimum(seed, monotone, penalty):
    rng = np.random.default_rng(seed)
    x, n = np.sort(rng.random(60)), np.full(60, 5.0)
    y = rng.binomial(5, 0.1 + 0.6 * x).astype(float)
    prior, ridge = np.full(9, -0.5), 0.01
    coef, covariance, chosen, deviance, freedom = _kernels.fit_spline(
        x, n, y, prior, ridge, np.array([penalty]), monotone
    )
    B = design(x, 6)
    given_ = (B, n, y, prior, ridge, penalty, monotone)
    # From the kernel's answer and from afar, a general optimiser finds nothing better.
    starts = (coef, prior, np.linspace(-2, 1, 9))
    best = min(minimize(objective, s, args=given_, method="BFGS").fun for s in starts)
    assert chosen == penalty
    assert objective(coef, *given_) <= best + 1e-4 * abs(best)
    eta = B @ coef
    assert deviance == pytest.approx(2 * (n * np.logaddexp(0, eta) - y * eta).sum())
    p = 1 / (1 + np.exp(-eta))
    fisher = B.T @ ((n * p * (1 - p))[:, None] * B)
    D2, D1 = np.diff(np.eye(9), 2, axis=0), np.diff(np.eye(9), axis=0)
    falling = D1[np.diff(coef) < 0] if monotone else D1[:0]
    system = fisher + ridge * np.eye(9) + penalty * D2.T @ D2 + 1e6 * falling.T @ falling
    np.testing.assert_allclose(
        covariance.reshape(9, 9), np.linalg.inv(system), atol=1e-6, rtol=1e-5
    )
    assert freedom == pytest.approx(np.trace(np.linalg.solve(system, fisher)), rel=1e-5)


def test_evaluation_is_that_of_scipy():
    rng = np.random.default_rng(0)
    coef, root = rng.normal(size=12), rng.normal(size=(12, 12))
    covariance = root @ root.T
    x = np.concatenate([[0.0, 1.0, -0.5, 1.5], rng.random(50)])
    eta, error = _kernels.eval_spline(x, coef, covariance.ravel())
    B = design(x, 9)
    np.testing.assert_allclose(eta, B @ coef, atol=1e-10)
    np.testing.assert_allclose(error, np.sqrt(np.einsum("ij,jk,ik->i", B, covariance, B)))


def test_penalty_of_least_aic():
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 300)
    y = rng.binomial(20, 0.5 + 0.45 * np.sin(12 * x)).astype(float)
    fits = [
        _kernels.fit_spline(x, np.full(300, 20.0), y, np.zeros(23), 1e-6, np.array([p]), False)
        for p in (1e4, 1.0, 1e-2)
    ]
    aic = [f[3] + 2 * f[4] for f in fits]
    together = _kernels.fit_spline(
        x, np.full(300, 20.0), y, np.zeros(23), 1e-6, np.array([1e4, 1.0, 1e-2]), False
    )
    assert together[3] + 2 * together[4] == pytest.approx(min(aic), rel=1e-4)


def test_monotone_means_rising():
    rng = np.random.default_rng(1)
    x = np.sort(rng.random(400))
    y = (rng.random(400) < 0.5 - 0.4 * x).astype(float)
    fit = fit_spline(x, np.ones(400), y, monotone=True)
    eta = fit.at(np.linspace(0, 1, 200))[0]
    assert np.diff(eta).min() > -0.02


def test_separated_labels_stay_finite():
    x = np.linspace(0, 1, 100)
    fit = fit_spline(x, np.ones(100), (x > 0.5).astype(float), monotone=True)
    eta, error = fit.at(x)
    assert np.isfinite(eta).all()
    assert np.isfinite(error).all()
    assert eta[0] < -5 < 5 < eta[-1]


def test_bins_keep_the_sums():
    rng = np.random.default_rng(0)
    x, size = rng.random(5000), rng.integers(1, 4, 5000).astype(float)
    positives = np.floor(size * rng.random(5000))
    centre, total, members = spline_bins(x, size, positives)
    assert len(centre) <= 256
    assert total.sum() == size.sum()
    assert members.sum() == positives.sum()
    assert (centre * total).sum() == pytest.approx((x * size).sum())


def test_depth_and_the_pooled_curve():
    sample = Sample(np.array([0.1, 0.5, 0.9]), np.array([4.0, 2, 2]), np.array([0.0, 1, 1]), 0, 0)
    np.testing.assert_allclose(rank_depth(sample), np.log1p(np.array([6.0, 3.0, 1.0]) / 2))
    pooled = pooled_curve([pooled_part(sample), pooled_part(sample)])
    rates = pooled.at(rank_depth(sample))
    assert (np.diff(rates) > 0).all()
    nothing = Sample(np.array([0.1]), np.array([4.0]), np.array([0.0]), 0, 0)
    assert pooled_curve([pooled_part(nothing)]) is None
