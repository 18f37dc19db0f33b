"""Modes, evidence and prior against general optimisers and integration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.optimize import minimize

from trueval.rank import _prior as module
from trueval.rank._prior import Prior, Problem, evidence, fit_prior, modes

QUICK = settings(derandomize=True, deadline=None, max_examples=15, database=None)


def problem(seed, n_classes=5, n_groups=7, n_coef=3, spread=0.5):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_classes, n_groups, n_coef))
    x[:, :, 0] = 1
    size = rng.integers(0, 30, size=(n_classes, n_groups)).astype(float)
    coef = np.array([-1.5, 1.0, 0.5])[:n_coef] + spread * rng.normal(size=(n_classes, n_coef))
    chance = 1 / (1 + np.exp(-np.einsum("kbp,kp->kb", x, coef)))
    positives = rng.binomial(size.astype(int), chance).astype(float)
    x[-1, -2:], size[-1, -2:], positives[-1, -2:] = 0, 0, 0  # padding
    return Problem(x, size, positives, np.ones((n_classes, 1)))


def minus_log_posterior(coef, x, size, positives, centre, covariance):
    log_odds = x @ coef
    likelihood = (positives * log_odds - size * np.logaddexp(0, log_odds)).sum()
    away = coef - centre
    return -(likelihood - 0.5 * away @ np.linalg.solve(covariance, away))


@QUICK
@given(seed=st.integers(0, 10**6), spread=st.sampled_from([0.1, 3.0]))
def test_modes_are_those_of_a_general_optimiser(seed, spread):
    given_ = problem(seed)
    root = np.random.default_rng(seed).normal(size=(3, 3))
    prior = Prior(np.array([[-1.0, 0.5, 0.0]]), spread * (root @ root.T + 0.05 * np.eye(3)))
    found = modes(given_, prior)
    for k in range(5):
        args = (given_.x[k], given_.size[k], given_.positives[k], prior.mean[0], prior.covariance)
        best = minimize(minus_log_posterior, prior.mean[0], args=args, tol=1e-10)
        assert minus_log_posterior(found.coef[k], *args) <= best.fun + 1e-5
        assert -found.log_posterior[k] == pytest.approx(
            minus_log_posterior(found.coef[k], *args), rel=1e-9
        )
        chance = 1 / (1 + np.exp(-given_.x[k] @ found.coef[k]))
        weight = given_.size[k] * chance * (1 - chance)
        curvature = given_.x[k].T @ (weight[:, None] * given_.x[k])
        expected = np.linalg.inv(curvature + np.linalg.inv(prior.covariance))
        np.testing.assert_allclose(found.covariance[k], expected, rtol=1e-7)


def test_separated_labels_and_far_starts_converge():
    x = np.stack([np.ones(10), np.linspace(-40, 40, 10)], axis=1)[None]
    positives = (x[:, :, 1] > 0).astype(float) * 50
    given_ = Problem(x, np.full((1, 10), 50.0), positives, np.ones((1, 1)))
    prior = Prior(np.array([[0.0, 0.0]]), 4 * np.eye(2))
    near = modes(given_, prior)
    far = modes(given_, prior, np.array([[30.0, -30.0]]))
    np.testing.assert_allclose(far.coef, near.coef, atol=1e-4)
    assert np.isfinite(near.covariance).all()


def test_a_class_without_data_has_the_prior():
    given_ = problem(0)
    empty = Problem(given_.x[:1], 0 * given_.size[:1], 0 * given_.size[:1], given_.design[:1])
    prior = Prior(np.array([[-1.0, 0.5, 0.2]]), np.diag([1.0, 0.5, 0.1]))
    found = modes(empty, prior)
    np.testing.assert_allclose(found.coef[0], prior.mean[0])
    np.testing.assert_allclose(found.covariance[0], prior.covariance)


def test_evidence_is_near_the_integral():
    # One coefficient, so that the marginal likelihood can be integrated.
    rng = np.random.default_rng(0)
    size = np.full((4, 1), 40.0)
    positives = rng.binomial(40, 0.2, size=(4, 1)).astype(float)
    given_ = Problem(np.ones((4, 1, 1)), size, positives, np.ones((4, 1)))
    prior = Prior(np.array([[-1.2]]), np.array([[0.3]]))
    total = 0.0
    for m in positives.ravel():

        def density(b, m=m):
            likelihood = np.exp(m * b - 40 * np.logaddexp(0, b) + 20)
            return likelihood * stats.norm.pdf(b, -1.2, np.sqrt(0.3))

        total += np.log(integrate.quad(density, -6, 4)[0]) - 20
    spread = module.SCATTER_WEIGHT * np.log(0.3) + module.SCATTER / 0.3
    assert evidence(modes(given_, prior), prior) == pytest.approx(total - 0.5 * spread, abs=0.02)


@QUICK
@given(seed=st.integers(0, 10**6))
def test_the_prior_has_more_evidence_than_a_general_optimiser_finds(seed):
    given_ = problem(seed, n_classes=12, n_coef=2)

    def minus_evidence(theta):
        root = np.array([[np.exp(theta[2]), 0.0], [theta[3], np.exp(theta[4])]])
        prior = Prior(theta[None, :2], root @ root.T)
        return -evidence(modes(given_, prior), prior)

    start = Prior(np.array([[-1.0, 0.3]]), 0.25 * np.eye(2))
    found = fit_prior(given_, start)
    root = np.linalg.cholesky(found.covariance)
    at = np.array([*found.mean[0], np.log(root[0, 0]), root[1, 0], np.log(root[1, 1])])
    best = minimize(minus_evidence, at, method="Nelder-Mead", options={"maxiter": 400})
    # EM by Laplace's approximation is near the top of that approximation, not on it.
    assert minus_evidence(at) <= best.fun + 3 * module.ENOUGH
    assert -minus_evidence(at) >= evidence(modes(given_, start), start) - 1e-9


def test_the_distribution_of_coefficients_is_recovered():
    rng = np.random.default_rng(0)
    truth = Prior(np.array([[-2.0, 1.0]]), np.array([[0.6, 0.2], [0.2, 0.3]]))
    coef = rng.multivariate_normal(truth.mean[0], truth.covariance, size=400)
    x = np.stack([np.ones((400, 20)), rng.normal(size=(400, 20))], axis=2)
    chance = 1 / (1 + np.exp(-np.einsum("kbp,kp->kb", x, coef)))
    positives = rng.binomial(40, chance).astype(float)
    given_ = Problem(x, np.full((400, 20), 40.0), positives, np.ones((400, 1)))
    found = fit_prior(given_, Prior(np.zeros((1, 2)), np.eye(2)))
    np.testing.assert_allclose(found.mean, truth.mean, atol=0.1)
    np.testing.assert_allclose(found.covariance, truth.covariance, atol=0.08)


def test_what_is_known_of_classes_moves_their_centre():
    rng = np.random.default_rng(1)
    known = np.column_stack([np.ones(300), rng.normal(size=300)])
    coef = known @ np.array([[-2.0, 1.0], [0.8, -0.4]]) + 0.1 * rng.normal(size=(300, 2))
    x = np.stack([np.ones((300, 15)), rng.normal(size=(300, 15))], axis=2)
    chance = 1 / (1 + np.exp(-np.einsum("kbp,kp->kb", x, coef)))
    positives = rng.binomial(30, chance).astype(float)
    given_ = Problem(x, np.full((300, 15), 30.0), positives, known)
    found = fit_prior(given_, Prior(np.zeros((2, 2)), np.eye(2)))
    np.testing.assert_allclose(found.mean, [[-2.0, 1.0], [0.8, -0.4]], atol=0.12)
