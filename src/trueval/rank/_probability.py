"""Calibrated scores of one class with standard errors, and score values apart from the curve."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import beta, norm

from trueval.rank._base import Curve
from trueval.rank._counts import ClassCounts

__all__ = ["NONE", "ProbabilityCurve", "atom_reach", "count_log_odds", "neighbours"]

Float = NDArray[np.float64]
SAME_SCORE = 1.2e-7  # share of a score by which one in single precision may differ from it


NONE: Float = np.empty(0)


@dataclass(frozen=True, eq=False)
class ProbabilityCurve(Curve):
    """Calibrated scores with standard errors on the scale of log-odds, and atoms beside them."""

    # log_odds, error: at each score of the curve
    log_odds: NDArray[Any] | None = None
    error: NDArray[Any] | None = None
    # atom_score, atom_positives, atom_size, atom_reach: score values estimated by themselves:
    # objects and positives there, and the distance within which another score counts as the same
    atom_score: Float = field(default_factory=lambda: NONE)
    atom_positives: Float = field(default_factory=lambda: NONE)
    atom_size: Float = field(default_factory=lambda: NONE)
    atom_reach: Float = field(default_factory=lambda: NONE)
    # shape (4, n); positives and objects just below each score of the curve, then just above it
    neighbours: NDArray[np.float32] | None = None
    grain: float = 0.0  # half an object of the class's data, as a share
    method: str = "spline"
    freedom: float = 1.0  # effective number of parameters

    def at(self, scores: Float, values: Float | None = None) -> Float:
        """Values at any scores; those of an atom at its score."""
        result = super().at(scores, values)
        if len(self.atom_score):
            place, hit = self._atoms(scores)
            rate = (self.atom_positives + 0.25) / (self.atom_size + 0.5)
            result[hit] = rate[place[hit]]
        return result

    def interval(self, scores: Float, confidence: float) -> tuple[Float, Float]:
        """Lower and upper end at each score."""
        assert self.log_odds is not None
        assert self.error is not None
        z = float(norm.ppf(0.5 + confidence / 2))
        middle, reach = self.log_odds.astype(np.float64), z * self.error.astype(np.float64)
        low, high = expit(middle - reach), expit(middle + reach)
        if self.neighbours is not None:
            floor, ceiling = _binomial_bounds(self.neighbours, (1 - confidence) / 2)
            low, high = np.maximum(low, floor), np.minimum(high, ceiling)
        low = np.where(low < self.grain, 0.0, low)
        high = np.where(high > 1 - self.grain, 1.0, high)
        if len(self.score):
            low, high = super().at(scores, low), super().at(scores, high)
        else:
            low, high = np.full(len(scores), low[0]), np.full(len(scores), high[0])
        if len(self.atom_score):
            place, hit = self._atoms(scores)
            middle, error = count_log_odds(self.atom_positives, self.atom_size)
            low[hit] = expit(middle - z * error)[place[hit]]
            high[hit] = expit(middle + z * error)[place[hit]]
        values = self.at(scores)
        return np.minimum(low, values), np.maximum(high, values)

    def finished(self, groups: ClassCounts) -> "ProbabilityCurve":
        """With bounds by the class's groups, and in single precision what intervals need."""
        assert self.log_odds is not None
        assert self.error is not None
        single = self.log_odds.astype(np.float32), self.error.astype(np.float32)
        bounds = None
        if self.method != "free spline" and len(self.score):
            bounds = neighbours(groups, self.score)
        return replace(self, log_odds=single[0], error=single[1], neighbours=bounds)

    def _atoms(self, scores: Float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Nearest atom of each score, and whether the score is on it."""
        after = np.minimum(np.searchsorted(self.atom_score, scores), len(self.atom_score) - 1)
        before = np.maximum(after - 1, 0)
        with np.errstate(over="ignore"):  # an infinite distance is one to none
            below, above = (np.abs(self.atom_score[side] - scores) for side in (before, after))
        place = np.where(below < above, before, after)
        return place, np.minimum(below, above) <= self.atom_reach[place]


def atom_reach(score: Float, atoms: NDArray[np.bool_]) -> Float:
    """Distance within which a score counts as the atom's: rounding to single precision.

    Scores are distinct and rise; the reach is less than half of the way to the next one.

    >>> import numpy as np
    >>> from trueval.rank._probability import atom_reach
    >>> reach = atom_reach(np.array([0.1, 0.3, 0.7]), np.array([False, True, False]))
    >>> bool(abs(np.float32(0.3) - 0.3) < reach[0] < 1e-7)
    True
    """
    with np.errstate(over="ignore"):
        gap = np.diff(score, prepend=-np.inf, append=np.inf)
    nearest = np.minimum(gap[:-1], gap[1:])[atoms]
    return np.minimum(SAME_SCORE * np.abs(score[atoms]), 0.49 * nearest)


def count_log_odds(positives: Float, size: Float) -> tuple[Float, Float]:
    """Log-odds of a count and their standard error, half an object on either side."""
    a, b = positives + 0.5, size - positives + 0.5
    return np.log(a / b), np.sqrt(1 / a + 1 / b)


def neighbours(groups: ClassCounts, at: Float) -> NDArray[np.float32]:
    """Positives and objects in a window below some scores, and in one above.

    Below: a quarter of the class's positives; above: a sixth of the others; whole groups, at
    least three objects. A score in a group is in its window; one between two groups is next to
    them.

    Scores rise, those of the groups and those asked for; the result has the shape (4, n).
    """
    score, size, positives = groups
    positives_below, objects_below = (
        np.concatenate([[0.0], np.cumsum(a)]) for a in (positives, size)
    )
    below = max(positives_below[-1] / 4, 3.0)
    above = max((objects_below[-1] - positives_below[-1]) / 6, 3.0)
    end = np.searchsorted(score, at, side="right")  # groups up to each score
    begin = np.searchsorted(score, at, side="left")  # groups before it
    first = np.maximum(
        np.searchsorted(objects_below, objects_below[end] - below, side="right") - 1, 0
    )
    last = np.minimum(np.searchsorted(objects_below, objects_below[begin] + above), len(size))
    return np.stack(
        [
            positives_below[end] - positives_below[first],
            objects_below[end] - objects_below[first],
            positives_below[last] - positives_below[begin],
            objects_below[last] - objects_below[begin],
        ]
    ).astype(np.float32)


def _binomial_bounds(around: NDArray[np.float32], tail: float) -> tuple[Float, Float]:
    """Clopper-Pearson: a rising curve is at least its mean below, at most its mean above."""
    x, n = around[0].astype(np.float64), around[1].astype(np.float64)
    floor = np.where(x > 0, beta.ppf(tail, np.maximum(x, 1), n - x + 1), 0.0)
    x, n = around[2].astype(np.float64), around[3].astype(np.float64)
    ceiling = np.where(x < n, beta.ppf(1 - tail, x + 1, np.maximum(n - x, 1)), 1.0)
    return floor, ceiling
