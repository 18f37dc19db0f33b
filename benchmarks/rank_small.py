"""Simulated classes with few positives, whose true rates are known.

Every family has 60 classes whose positives lie higher than the others on some scale; families
differ in what a score is, and in how far it means the same in every class.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit

__all__ = ["FAMILIES", "Drawn", "Family"]

N_CLASSES, N_FIT, N_NEW = 60, 500, 2000


@dataclass(frozen=True)
class Drawn:
    """Scores and labels to fit on and to judge on, and the true rates of the latter."""

    scores: Any
    y: Any
    new: Any
    new_y: Any
    rates: Any


@dataclass(frozen=True)
class Family:
    """What a score is: from the generator and standard scores with log-odds to scores."""

    about: str
    turn: Callable[[np.random.Generator, Any, Any], Any]
    varied: float = 0.0  # of the logarithm of the number of positives

    def draw(self, rng: np.random.Generator, expected: float) -> Drawn:
        """Draw one problem with so many positives expected in a class."""
        rate = np.exp(self.varied * rng.normal(size=N_CLASSES) - self.varied**2 / 2)
        rate = np.minimum(rate * expected / N_FIT, 0.5)
        away = np.maximum(rng.normal(2.8, 0.3, N_CLASSES), 0.5)
        y = rng.random((N_FIT + N_NEW, N_CLASSES)) < rate
        standard = rng.normal(size=y.shape) + away * y
        log_odds = logit(rate) + away * standard - away**2 / 2
        scores, y = self.turn(rng, standard, log_odds), y.astype(np.int8)
        return Drawn(scores[:N_FIT], y[:N_FIT], scores[N_FIT:], y[N_FIT:], expit(log_odds[N_FIT:]))


def _shifted(shift: float, unit: float) -> Callable[[np.random.Generator, Any, Any], Any]:
    def turn(rng: np.random.Generator, standard: Any, log_odds: Any) -> Any:
        units = np.exp(unit * rng.normal(size=N_CLASSES))
        return shift * rng.normal(size=N_CLASSES) + units * standard

    return turn


def _powers(rng: np.random.Generator, standard: Any, log_odds: Any) -> Any:
    power = np.exp(rng.normal(0, 0.7, N_CLASSES))
    unit = 10.0 ** rng.normal(0, 2, N_CLASSES)
    return np.sign(standard) * np.abs(standard) ** power * unit


def _reversed(rng: np.random.Generator, standard: Any, log_odds: Any) -> Any:
    return np.where(np.arange(N_CLASSES) % 6 == 0, -standard, standard)


FAMILIES = {
    "shift and unit differ a little": Family("Normal scores.", _shifted(0.3, 0.15)),
    "shift and unit differ much": Family("Normal scores.", _shifted(1.0, 0.5)),
    "another transform in every class": Family("Powers of normal scores in any unit.", _powers),
    "probabilities": Family(
        "Probabilities that are right but for a shift of the log-odds.",
        lambda rng, standard, log_odds: expit(log_odds + rng.normal(0, 0.5, N_CLASSES)),
        varied=1.0,
    ),
    "counts": Family(
        "Poisson counts, heavily tied; the true rates know what the counts hide.",
        lambda rng, standard, log_odds: rng.poisson(np.exp(0.6 * standard)).astype(float),
    ),
    "one class in six is reversed": Family("Normal scores.", _reversed),
}
