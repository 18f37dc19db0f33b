"""Precision and rate of a class of Simulation I or II as functions of rank, without sampling."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from trueval.data.simulate._scores import ATOM, MEMBER, NULL

__all__ = ["Population", "third_derivative"]

Float = NDArray[np.float64]


class Population:
    """One class with infinitely many objects.

    >>> import numpy as np
    >>> from trueval.study._rank_population import Population
    >>> class_1 = Population(0, 0.1)
    >>> class_1.precision(np.array([0.0])).round(6).tolist()
    [0.1]
    >>> bool(class_1.rate(np.array([0.99]))[0] > 0.5)
    True
    """

    def __init__(self, k: int, prevalence: float, atom_prevalence: float = 0.0) -> None:
        self.k = k
        self.shares = (1 - prevalence - atom_prevalence, prevalence, atom_prevalence)
        self.null, self.member = stats.beta(*NULL[k]), stats.beta(*MEMBER[k])
        self.atom = ATOM[k]

    def below(self, score: Float) -> Float:
        """Share of the objects at or below a score, F."""
        null, first, second = self.shares
        total = null * self.null.cdf(1.25 * score) + first * self.member.cdf(score)
        return total + second * (score >= self.atom)

    def members_above(self, u: Float) -> Float:
        """Share of the objects that are members among the highest 1 − u.

        All that are above a rank less the non-members above its score: many scores of
        members are too near to 1 to be told apart, those of non-members are not.
        """
        return (1 - u) - self.shares[0] * self.null.sf(1.25 * self.score(u))

    def score(self, u: Float) -> Float:
        """Score at a rank, by bisection."""
        low, high = np.zeros(len(u)), np.ones(len(u))
        for _ in range(60):
            middle = (low + high) / 2
            under = self.below(middle) < u
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return high

    def precision(self, u: Float) -> Float:
        """G(u): share of members among the objects above a rank."""
        return self.members_above(u) / (1 - u)

    def rate(self, u: Float) -> Float:
        """LPR(u) = P(class | score); without an atom."""
        score = self.score(u)
        null = self.shares[0] * 1.25 * self.null.pdf(1.25 * score)
        member = self.shares[1] * self.member.pdf(score)
        return np.where(null > 0, member / np.where(null > 0, member + null, 1.0), 1.0)

    def cells(self, n: int) -> Float:
        """Members in each of n cells of equal size, by rising score, as a share of the cell.

        Objects with one score lie in several cells; they are divided evenly.
        """
        above = np.append(self.members_above(np.arange(n) / n), 0.0)
        above[0] = sum(self.shares[1:])
        return np.clip(-np.diff(above) * n, 0.0, 1.0)


def third_derivative(population: Population, u: float, step: float = 0.004) -> float:
    """G‴ at a rank, by central differences of the fourth order.

    >>> from trueval.study._rank_population import Population, third_derivative
    >>> abs(third_derivative(Population(1, 0.1), 0.3)) < 2
    True
    """
    places = np.asarray(u + step * np.arange(-3, 4), dtype=np.float64)
    weights = np.array([1, -8, 13, 0, -13, 8, -1]) / (8 * step**3)
    return float(weights @ population.precision(places))
