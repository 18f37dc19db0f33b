"""The default ranker: P(class | score) by what the class's own data can carry."""

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binom, norm

from trueval.rank.base import TIE_BREAK, Curve, Ranker
from trueval.rank.isotonic import isotonic_blocks, shrunken_isotonic
from trueval.rank.scores import Sample, per_class
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
CLEARLY_BETTER = 12.0  # AIC by which a curve that falls must beat one that rises
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

    def __init__(self, shrink: float = 0.25, n_jobs: int | None = None) -> None:
        self.shrink = shrink
        self.n_jobs = n_jobs

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
        """
        if not isinstance(confidence, Real) or not 0 < float(confidence) < 1:
            raise ValueError(
                "The 'confidence' parameter of interval must be between 0 and 1. "
                f"Got {confidence!r} instead."
            )
        checked = self._check_new(scores)
        z = float(norm.ppf(0.5 + float(confidence) / 2))
        both = per_class(
            lambda k: self._curves[k].interval(checked.column(k)[0], z),
            checked.n_classes,
            self.n_jobs,
        )
        return checked.like([low for low, _ in both]), checked.like([high for _, high in both])

    def _check_params(self) -> None:
        if not isinstance(self.shrink, Real) or isinstance(self.shrink, bool) or self.shrink < 0:
            raise ValueError(
                "The 'shrink' parameter of PrecisionRanker must be a number of members, at least "
                f"0. Got {self.shrink!r} instead."
            )

    def _before(self, samples: list[Sample]) -> None:
        self._pooled = pooled_curve(samples) if self.shrink > 0 and len(samples) > 1 else None

    def _fit_class(self, sample: Sample) -> "ProbabilityCurve":
        if sample.trouble:
            return _flat(sample)
        return _ClassFit(sample, self._pooled, float(self.shrink)).curve()

    def _after(self, samples: list[Sample]) -> None:
        curves: list[ProbabilityCurve] = self._curves
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
    method: str = "spline"
    freedom: float = 1.0

    def at(self, scores: Float, values: Float | None = None) -> Float:
        result = super().at(scores, values)
        if len(self.atom_score):
            place, hit = self._atoms(scores)
            rate = (self.atom_positives + 0.25) / (self.atom_size + 0.5)
            result[hit] = rate[place[hit]]
        return result

    def interval(self, scores: Float, z: float) -> tuple[Float, Float]:
        """Lower and upper end, z standard errors away in log-odds."""
        assert self.log_odds is not None and self.error is not None
        if len(self.score):
            middle, error = super().at(scores, self.log_odds), super().at(scores, self.error)
        else:
            middle = np.full(len(scores), self.log_odds[0])
            error = np.full(len(scores), self.error[0])
        if len(self.atom_score):
            place, hit = self._atoms(scores)
            log_odds, errors = _count_log_odds(self.atom_positives, self.atom_size)
            middle[hit], error[hit] = log_odds[place[hit]], errors[place[hit]]
        values = self.at(scores)
        low, high = expit(middle - z * error), expit(middle + z * error)
        return np.minimum(low, values), np.maximum(high, values)

    def _atoms(self, scores: Float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        place = np.minimum(np.searchsorted(self.atom_score, scores), len(self.atom_score) - 1)
        return place, self.atom_score[place] == scores


def _count_log_odds(positives: Float, size: Float) -> tuple[Float, Float]:
    """Log-odds of a count and their standard error, half an object on either side."""
    a, b = positives + 0.5, size - positives + 0.5
    return np.log(a / b), np.sqrt(1 / a + 1 / b)


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
        values, freedom = expit(log_odds), fit.freedom
        if sample.n_positives >= ISOTONIC_FROM:
            blocks = isotonic_blocks(sample.positives[kept], sample.size[kept])
            if _deviance(blocks.rate, blocks.positives, blocks.size) + 2 * len(blocks.rate) < (
                _deviance(values, sample.positives[kept], sample.size[kept]) + 2 * fit.freedom
            ):
                values = shrunken_isotonic(blocks)
                counts = _count_log_odds(blocks.positives, blocks.size)
                log_odds, error = blocks.spread(counts[0]), blocks.spread(counts[1])
                method, freedom = "isotonic", float(len(blocks.rate))
        rank = (np.cumsum(sample.size) - sample.size / 2) / sample.n
        return ProbabilityCurve(
            sample.score[kept],
            (1 - TIE_BREAK) * values + TIE_BREAK * rank[kept],
            log_odds=log_odds,
            error=error,
            atom_score=sample.score[apart],
            atom_positives=sample.positives[apart],
            atom_size=sample.size[apart],
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
        tail = np.minimum(
            binom.cdf(members, size, expected), binom.sf(members - 1, size, expected)
        )
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


