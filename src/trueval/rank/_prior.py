"""A logistic model of each class whose coefficients share a normal distribution.

Class k has log-odds ``x @ b_k`` at covariates x, and ``b_k ~ N(design_k @ mean, covariance)``.
Mean and covariance are those of greatest marginal likelihood, by EM with Laplace's
approximation (the coefficients of a class given its data are taken as normal around their
mode).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels

__all__ = ["Modes", "Prior", "Problem", "evidence", "fit_prior", "modes"]

Float = NDArray[np.float64]

MOST_ROUNDS = 60  # of EM
FURTHEST = 32.0  # rounds that one longer step may stand for
LOG_VARIANCES = -14.0, 7.0  # bounds of such a step
ENOUGH = 0.5  # nats of evidence, all classes together, below which EM ends
SCATTER, SCATTER_WEIGHT = 0.1, 2.0  # squared distance that two imagined classes have seen


@dataclass(frozen=True, eq=False)
class Problem:
    """Covariates and counts of some classes, padded to the same number of groups."""

    x: Float  # shape (n_classes, n_groups, n_coef); zero where a class has no such group
    # size, positives: shape (n_classes, n_groups)
    size: Float
    positives: Float
    # shape (n_classes, n_features); what is known of each class beside its scores; a column of ones
    # if nothing
    design: Float


@dataclass(frozen=True, eq=False)
class Prior:
    """Distribution of the coefficients over classes."""

    mean: Float  # shape (n_features, n_coef); ``design_k @ mean`` is the centre of class k
    covariance: Float  # shape (n_coef, n_coef)


@dataclass(frozen=True, eq=False)
class Modes:
    """Coefficients of each class given its data: mode and covariance around it."""

    coef: Float  # shape (n_classes, n_coef)
    covariance: Float  # shape (n_classes, n_coef, n_coef)
    log_posterior: Float  # shape (n_classes,); at the mode, without the prior's constant


def fit_prior(problem: Problem, start: Prior) -> Prior:
    """Mean and covariance of greatest marginal likelihood.

    Rounds of EM go by threes: two rounds show the direction, along which a longer step is
    taken (Varadhan and Roland, 2008) unless it lowers the evidence; a third follows from there.

    The covariance has a weak prior itself, two classes at a squared distance of 0.1 in
    every direction, so that a single class has a covariance too.
    """
    prior, coef = start, None
    for _ in range(MOST_ROUNDS // 3):
        one, coef, before = _round(problem, prior, coef)
        two, coef, evidence = _round(problem, one, coef)
        three, coef, reached = _round(problem, _further(prior, one, two), coef)
        if reached < evidence:
            three, coef, reached = _round(problem, two, coef)
        prior = three
        if reached - before < ENOUGH:
            break
    return prior


def _round(problem: Problem, prior: Prior, coef: Float | None) -> tuple[Prior, Float, float]:
    """One round of EM: the next prior, the modes, and the evidence of the given prior."""
    n_classes, _, n_coef = problem.x.shape
    design, posterior = problem.design, modes(problem, prior, coef)
    normal = design.T @ design + 1e-9 * np.eye(design.shape[1])
    mean = np.asarray(np.linalg.solve(normal, design.T @ posterior.coef), dtype=np.float64)
    away = posterior.coef - design @ mean
    scatter = posterior.covariance.sum(axis=0) + away.T @ away + SCATTER * np.eye(n_coef)
    following = Prior(mean, scatter / (n_classes + SCATTER_WEIGHT))
    return following, posterior.coef, evidence(posterior, prior)


def _further(zero: Prior, one: Prior, two: Prior) -> Prior:
    """Where three priors in a row are heading; covariances by their logarithms."""
    at = [np.concatenate([p.mean.ravel(), _log(p.covariance).ravel()]) for p in (zero, one, two)]
    step, bend = at[1] - at[0], at[2] - 2 * at[1] + at[0]
    length = float(np.sqrt((step @ step) / max(float(bend @ bend), 1e-300)))
    length = min(max(length, 1.0), FURTHEST)
    mean, log = np.split(at[0] + 2 * length * step + length**2 * bend, [zero.mean.size])
    values, vectors = np.linalg.eigh(log.reshape(zero.covariance.shape))
    covariance = (vectors * np.exp(np.clip(values, *LOG_VARIANCES))) @ vectors.T
    return Prior(mean.reshape(zero.mean.shape), covariance)


def _inverse(matrix: Float) -> Float:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _log(matrix: Float) -> Float:
    values, vectors = np.linalg.eigh(matrix)
    logarithm: Float = (vectors * np.log(np.maximum(values, 1e-12))) @ vectors.T
    return logarithm


def evidence(posterior: Modes, prior: Prior) -> float:
    """Logarithm of the marginal likelihood, by Laplace's approximation.

    Of all classes together under this prior, with the weak prior of the covariance.
    """
    size = np.linalg.slogdet(prior.covariance)[1]
    spread = SCATTER_WEIGHT * size + SCATTER * np.trace(_inverse(prior.covariance))
    each = posterior.log_posterior + 0.5 * (np.linalg.slogdet(posterior.covariance)[1] - size)
    return float(each.sum() - 0.5 * spread)


def modes(problem: Problem, prior: Prior, start: Float | None = None) -> Modes:
    """Coefficients of greatest posterior density for each class, by Newton's method.

    Begins at ``start``, of shape (n_classes, n_coef), or at the prior's mean.
    """
    centre = problem.design @ prior.mean
    coef, covariance, log_posterior = _kernels.posterior_modes(
        problem.x.ravel(),
        problem.size.ravel(),
        problem.positives.ravel(),
        centre.ravel(),
        _inverse(prior.covariance).ravel(),
        (centre if start is None else start).ravel(),
        centre.shape[1],
    )
    shape = centre.shape
    return Modes(coef.reshape(shape), covariance.reshape(*shape, shape[1]), log_posterior)
