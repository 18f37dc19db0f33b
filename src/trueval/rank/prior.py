"""A logistic model of each class whose coefficients share a normal distribution.

Class k has log-odds ``x @ b_k`` at covariates x, and ``b_k ~ N(design_k @ mean, covariance)``.
Mean and covariance are those of greatest marginal likelihood, by EM with Laplace's
approximation (the coefficients of a class given its data are taken as normal around their
mode). The modes of many classes are found at once, by Newton's method on padded arrays.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = ["Modes", "Prior", "Problem", "fit_prior", "modes"]

Float = NDArray[np.float64]

MOST_ROUNDS = 50  # of EM
ENOUGH = 0.1  # nats of evidence, all classes together, below which EM ends
SCATTER, SCATTER_WEIGHT = 0.1, 2.0  # squared distance that two imagined classes have seen
NEWTON_STEPS, SETTLED = 50, 1e-6  # steps at most, and Newton decrement that ends them


@dataclass(frozen=True, eq=False)
class Problem:
    """Covariates and counts of some classes, padded to the same number of groups.

    Attributes
    ----------
    x : ndarray of shape (n_classes, n_groups, n_coef)
        Zero where a class has no such group.
    size, positives : ndarray of shape (n_classes, n_groups)
    design : ndarray of shape (n_classes, n_features)
        What is known of each class beside its scores; a column of ones if nothing.
    """

    x: Float
    size: Float
    positives: Float
    design: Float


@dataclass(frozen=True, eq=False)
class Prior:
    """Distribution of the coefficients over classes.

    Attributes
    ----------
    mean : ndarray of shape (n_features, n_coef)
        ``design_k @ mean`` is the centre of class k.
    covariance : ndarray of shape (n_coef, n_coef)
    evidence : float
        Logarithm of the marginal likelihood, by Laplace's approximation.
    """

    mean: Float
    covariance: Float
    evidence: float = -np.inf


@dataclass(frozen=True, eq=False)
class Modes:
    """Coefficients of each class given its data: mode and covariance around it.

    Attributes
    ----------
    coef : ndarray of shape (n_classes, n_coef)
    covariance : ndarray of shape (n_classes, n_coef, n_coef)
    log_posterior : ndarray of shape (n_classes,)
        At the mode, without the prior's constant.
    """

    coef: Float
    covariance: Float
    log_posterior: Float


def fit_prior(problem: Problem, start: Prior) -> Prior:
    """Mean and covariance of greatest marginal likelihood.

    Parameters
    ----------
    problem : Problem
    start : Prior
        Where to begin.

    Returns
    -------
    Prior

    Notes
    -----
    The covariance has a weak prior itself, two classes at a squared distance of 0.1 in
    every direction, so that a single class has a covariance too.
    """
    n_classes, _, n_coef = problem.x.shape
    design, prior, coef = problem.design, start, None
    seen = SCATTER * np.eye(n_coef)
    for _ in range(MOST_ROUNDS):
        found = modes(problem, prior, coef)
        coef, before = found.coef, prior.evidence
        normal = design.T @ design + 1e-9 * np.eye(design.shape[1])
        mean = np.linalg.solve(normal, design.T @ coef)
        away = coef - design @ mean
        scatter = found.covariance.sum(axis=0) + away.T @ away + seen
        evidence = float(
            found.log_posterior.sum()
            + 0.5 * np.linalg.slogdet(found.covariance)[1].sum()
            - 0.5 * n_classes * np.linalg.slogdet(prior.covariance)[1]
        )
        prior = Prior(mean, scatter / (n_classes + SCATTER_WEIGHT), evidence)
        if abs(evidence - before) < ENOUGH:
            break
    return prior


def modes(problem: Problem, prior: Prior, start: Float | None = None) -> Modes:
    """Coefficients of greatest posterior density for each class, by Newton's method.

    Parameters
    ----------
    problem : Problem
    prior : Prior
    start : ndarray of shape (n_classes, n_coef), optional
        Where to begin; at the prior's mean if not given.

    Returns
    -------
    Modes
    """
    precision = np.linalg.inv(prior.covariance)
    centre = problem.design @ prior.mean
    coef = centre.copy() if start is None else start.copy()
    open_ = np.arange(len(coef))
    log_posterior = _log_posterior(problem, coef, centre, precision)
    # Invariant: `log_posterior` is that of `coef` and has never fallen; classes not in
    # `open_` are at their mode.
    for _ in range(NEWTON_STEPS):
        part = Problem(*(a[open_] for a in vars(problem).values()))
        slope, curvature = _derivatives(part, coef[open_], centre[open_], precision)
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        gain = (slope * step).sum(axis=1)
        share, least = np.ones(len(open_)), log_posterior[open_]
        for _ in range(30):
            tried = coef[open_] + share[:, None] * step
            reached = _log_posterior(part, tried, centre[open_], precision)
            worse = reached < least + 1e-4 * share * gain - 1e-10 * (1 + np.abs(least))
            if not worse.any():
                break
            share[worse] *= 0.5
        better = reached > least
        coef[open_[better]], log_posterior[open_[better]] = tried[better], reached[better]
        open_ = open_[(gain > SETTLED) & better]
        if len(open_) == 0:
            break
    _, curvature = _derivatives(problem, coef, centre, precision)
    return Modes(coef, np.linalg.inv(curvature), log_posterior)


def _log_posterior(problem: Problem, coef: Float, centre: Float, precision: Float) -> Float:
    log_odds = np.matmul(problem.x, coef[:, :, None])[:, :, 0]
    away = coef - centre
    likelihood = problem.positives * log_odds - problem.size * np.logaddexp(0.0, log_odds)
    value: Float = likelihood.sum(axis=1) - 0.5 * ((away @ precision) * away).sum(axis=1)
    return value


def _derivatives(
    problem: Problem, coef: Float, centre: Float, precision: Float
) -> tuple[Float, Float]:
    """Gradient and minus the second derivatives of the log posterior."""
    chance = expit(np.matmul(problem.x, coef[:, :, None])[:, :, 0])
    turned = problem.x.transpose(0, 2, 1)
    rest = problem.positives - problem.size * chance
    slope = np.matmul(turned, rest[:, :, None])[:, :, 0] - (coef - centre) @ precision
    weight = problem.size * chance * (1 - chance)
    return slope, np.matmul(turned * weight[:, None, :], problem.x) + precision
