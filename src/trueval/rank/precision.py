"""The default ranker: P(class | score) by what the class's own data can carry."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import beta, binom, norm

from trueval.core.params import N_JOBS, Constraints, Interval, constrained
from trueval.rank.base import TIE_BREAK, Curve, Ranker
from trueval.rank.isotonic import isotonic_blocks, shrunken_isotonic
from trueval.rank.sample import Sample, per_class
from trueval.rank.spline import (
    PooledCurve,
    SplineFit,
    fit_spline,
    pooled_curve,
    rank_depth,
    spline_bins,
)

__all__ = ["PrecisionRanker"]

Float = NDArray[np.float64]

LEAST_ATOM = 2  # a score value repeated this often may be estimated by itself
ATOM_LEVEL = 0.2  # two-sided binomial level, divided by the number of values tested
CLEARLY_BETTER = 12.0  # AIC by which another curve must beat a rising spline
WIDER = 1.2  # errors of the spline, for its penalty was chosen on the same data
ISOTONIC_FROM = 200  # members from which isotonic regression competes with the spline


class PrecisionRanker(Ranker):
    """P(class | score), estimated class by class as the data allow; the default ranker.

    The local precision rate is the probability of the class at the score, so labels are
    regressed on ranks directly, which converges faster than differentiating a smoothed
    precision curve. For each class:

    - a penalised logistic spline of membership on rank, kept rising, its penalty by
      AIC; a curve that may fall where the data clearly prefer it;
    - isotonic regression with shrunken block rates for large classes, where AIC
      prefers it;
    - score values that repeat ("atoms") are estimated by themselves where a binomial
      test says that they differ from the curve;
    - classes with few members are drawn towards the curve of all classes together,
      with the weight of ``shrink`` members.

    Nothing is to be tuned by hand.

    Parameters
    ----------
    shrink : float, default=0.25
        Weight of the pooled curve, in members; 0 fits each class alone.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    methods_ : ndarray of str, shape (n_classes,)
        ``"spline"``, ``"free spline"``, ``"isotonic"`` or ``"flat"`` (cannot be ranked).
    n_atoms_ : ndarray of int, shape (n_classes,)
        Score values estimated by themselves.
    degrees_of_freedom_ : ndarray of shape (n_classes,)
        Effective number of parameters.
    classes_ : ndarray
    absent_values_ : ndarray of shape (n_classes,)
        Share of members among objects without a stored score.

    See Also
    --------
    LocalPrecisionRate : The published estimator.
    IsotonicRanker : The fastest, and exact for thresholds of F-beta.

    Examples
    --------
    >>> from trueval.data.simulate_scores import simulation_one
    >>> from trueval.rank import PrecisionRanker, average_precision
    >>> scores, y = simulation_one(500, 0.1, random_state=0)
    >>> new_scores, new_y = simulation_one(500, 0.1, random_state=1)
    >>> ranker = PrecisionRanker().fit(scores, y)
    >>> average_precision(new_scores, new_y) < 0.7
    True
    >>> average_precision(ranker.transform(new_scores), new_y) > 0.9
    True
    >>> low, high = ranker.interval(new_scores, confidence=0.9)
    >>> bool((low <= ranker.transform(new_scores)).all())
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "shrink": Interval(float, 0),
        "n_jobs": N_JOBS,
    }

    def __init__(self, shrink: float = 0.25, n_jobs: int | None = None) -> None:
        self.shrink = shrink
        self.n_jobs = n_jobs

    @constrained(confidence=Interval(float, 0, 1, "neither"))
    def interval(self, scores: Any, confidence: float = 0.9) -> tuple[Any, Any]:
        """Interval for P(class | score) at each score.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        confidence : float, default=0.9
            Share of intervals that are to hold the true probability, over scores
            and classes together.

        Returns
        -------
        low, high : ndarray or scipy.sparse.csr_array

        Notes
        -----
        Standard errors of the spline's log-odds, a fifth wider because its penalty is
        chosen on the same data; and, where the curve rises, never beyond the exact
        binomial bounds of the objects just above and below a score. An end nearer to
        0 or 1 than half an object of the class's data is 0 or 1.
        """
        checked = self._check_new(scores)
        curves: Any = self._curves
        both = per_class(
            lambda k: curves[k].interval(checked.column(k)[0], float(confidence)),
            checked.n_classes,
            self.n_jobs,
        )
        return checked.like([low for low, _ in both]), checked.like([high for _, high in both])

    def _before(self, samples: list[Sample]) -> None:
        self._pooled = pooled_curve(samples) if self.shrink > 0 and len(samples) > 1 else None

    def _fit_class(self, sample: Sample) -> "ProbabilityCurve":
        if sample.trouble:
            return _flat(sample)
        return _ClassFit(sample, self._pooled, float(self.shrink)).curve()

    def _after(self, samples: list[Sample]) -> None:
        curves: Any = self._curves
        self.methods_ = np.array([c.method for c in curves])
        self.n_atoms_ = np.array([len(c.atom_score) for c in curves])
        self.degrees_of_freedom_ = np.array([c.freedom for c in curves])
        del self._pooled


def _none() -> Float:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class ProbabilityCurve(Curve):
    """Values with standard errors on the scale of log-odds, and atoms beside the curve."""

    log_odds: Float | None = None
    error: Float | None = None
    atom_score: Float = field(default_factory=_none)
    atom_positives: Float = field(default_factory=_none)
    atom_size: Float = field(default_factory=_none)
    neighbours: Float | None = None  # members and objects just below, then just above
    grain: float = 0.0
    method: str = "spline"
    freedom: float = 1.0

    def at(self, scores: Float, values: Float | None = None) -> Float:
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
        low, high = expit(self.log_odds - z * self.error), expit(self.log_odds + z * self.error)
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
            middle, error = _count_log_odds(self.atom_positives, self.atom_size)
            low[hit] = expit(middle - z * error)[place[hit]]
            high[hit] = expit(middle + z * error)[place[hit]]
        values = self.at(scores)
        return np.minimum(low, values), np.maximum(high, values)

    def _atoms(self, scores: Float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        place = np.minimum(np.searchsorted(self.atom_score, scores), len(self.atom_score) - 1)
        return place, self.atom_score[place] == scores


def _count_log_odds(positives: Float, size: Float) -> tuple[Float, Float]:
    """Log-odds of a count and their standard error, half an object on either side."""
    a, b = positives + 0.5, size - positives + 0.5
    return np.log(a / b), np.sqrt(1 / a + 1 / b)


def _neighbours(positives: Float, size: Float) -> Float:
    """Members and objects in a window below each score, and in one above, itself included.

    Below: a quarter of the class's members; above: a sixth of the others.
    """
    members, objects = (np.concatenate([[0.0], np.cumsum(a)]) for a in (positives, size))
    end = np.arange(1, len(size) + 1)
    below = max(members[-1] / 4, 3.0)
    above = max((objects[-1] - members[-1]) / 6, 3.0)
    first = np.maximum(np.searchsorted(objects, objects[end] - below, side="right") - 1, 0)
    last = np.minimum(np.searchsorted(objects, objects[end - 1] + above), len(size))
    return np.stack(
        [
            members[end] - members[first],
            objects[end] - objects[first],
            members[last] - members[end - 1],
            objects[last] - objects[end - 1],
        ]
    )


def _binomial_bounds(neighbours: Float, tail: float) -> tuple[Float, Float]:
    """Clopper-Pearson: a rising curve is at least its mean below, at most its mean above."""
    x, n = neighbours[0], neighbours[1]
    floor = np.where(x > 0, beta.ppf(tail, np.maximum(x, 1), n - x + 1), 0.0)
    x, n = neighbours[2], neighbours[3]
    ceiling = np.where(x < n, beta.ppf(1 - tail, x + 1, np.maximum(n - x, 1)), 1.0)
    return floor, ceiling


def _flat(sample: Sample) -> ProbabilityCurve:
    positives, size = np.array([sample.n_positives]), np.array([sample.n])
    if sample.n == 0:
        positives = np.array([float(sample.absent_positives)])
        size = np.array([float(sample.n_absent)])
    log_odds, error = _count_log_odds(positives, size)
    rate = float(((positives + 0.25) / (size + 0.5))[0])
    return ProbabilityCurve(
        np.empty(0), np.empty(0), rate, log_odds=log_odds, error=error, method="flat"
    )


class _ClassFit:
    """The choices of one class, in order: atoms, rising or not, spline or isotonic."""

    def __init__(self, sample: Sample, pooled: PooledCurve | None, shrink: float) -> None:
        self.sample = sample
        depth = rank_depth(sample)
        self.x = 1 - depth / depth[0]
        self.on_curve = np.ones(len(self.x), dtype=bool)
        self.extra = np.zeros(len(self.x))
        self.share = 0.0
        if pooled is not None:
            # Pseudo-objects beside the real ones, `shrink` members among them.
            rates = pooled.at(depth)
            self.share = shrink / float((sample.size * rates).sum())
            self.extra = self.share * sample.size * rates

    def curve(self) -> ProbabilityCurve:
        sample = self.sample
        self._set_atoms_apart()
        kept, apart = self.on_curve, ~self.on_curve
        fit, method = self._rising_or_not()
        log_odds, error = fit.at(self.x[kept])
        values, error, freedom = expit(log_odds), WIDER * error, fit.freedom
        if sample.n_positives >= ISOTONIC_FROM:
            blocks = isotonic_blocks(sample.positives[kept], sample.size[kept])
            isotonic = _deviance(blocks.rate, blocks.positives, blocks.size)
            spline = _deviance(values, sample.positives[kept], sample.size[kept])
            if isotonic + 2 * len(blocks.rate) + CLEARLY_BETTER < spline + 2 * fit.freedom:
                values = shrunken_isotonic(blocks)
                counts = _count_log_odds(blocks.positives, blocks.size)
                log_odds, error = blocks.spread(counts[0]), blocks.spread(counts[1])
                method, freedom = "isotonic", float(len(blocks.rate))
        rank = (np.cumsum(sample.size) - sample.size / 2) / sample.n
        near = None
        if method != "free spline":
            near = _neighbours(sample.positives[kept], sample.size[kept])
        return ProbabilityCurve(
            sample.score[kept],
            (1 - TIE_BREAK) * values + TIE_BREAK * rank[kept],
            log_odds=log_odds,
            error=error,
            atom_score=sample.score[apart],
            atom_positives=sample.positives[apart],
            atom_size=sample.size[apart],
            neighbours=near,
            grain=0.5 / sample.n,
            method=method,
            freedom=freedom + float(apart.sum()),
        )

    def _fit(self, which: NDArray[np.bool_], *, monotone: bool) -> SplineFit:
        size = self.sample.size[which] * (1 + self.share)
        positives = self.sample.positives[which] + self.extra[which]
        return fit_spline(*spline_bins(self.x[which], size, positives), monotone=monotone)

    def _set_atoms_apart(self) -> None:
        """Find the repeated values that differ from the curve of the others."""
        sample = self.sample
        repeated = sample.size >= LEAST_ATOM
        if not repeated.any() or repeated.all():
            others = np.ones(len(self.x), dtype=bool)
        else:
            # Where most scores repeat (rounding), the repeated ones are the curve.
            few = sample.size[repeated].sum() < 0.5 * sample.n
            others = ~repeated if few else np.ones(len(self.x), dtype=bool)
        if not repeated.any():
            return
        expected = expit(self._fit(others, monotone=True).at(self.x[repeated])[0])
        members, size = sample.positives[repeated], sample.size[repeated]
        tail = np.minimum(binom.cdf(members, size, expected), binom.sf(members - 1, size, expected))
        differs = np.flatnonzero(repeated)[2 * tail < ATOM_LEVEL / repeated.sum()]
        if len(self.x) - len(differs) >= 2:
            self.on_curve[differs] = False

    def _rising_or_not(self) -> tuple[SplineFit, str]:
        rising = self._fit(self.on_curve, monotone=True)
        free = self._fit(self.on_curve, monotone=False)
        if free.aic + CLEARLY_BETTER < rising.aic:
            return free, "free spline"
        return rising, "spline"


def _deviance(rate: Float, positives: Float, size: Float) -> float:
    p = np.clip(rate, 1e-12, 1 - 1e-12)
    return float(-2 * (positives * np.log(p) + (size - positives) * np.log1p(-p)).sum())
