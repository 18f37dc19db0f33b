"""The default ranker: P(class | score) by the class's own data and by all classes together."""

from typing import Any, ClassVar

import numpy as np

from trueval.core.params import N_JOBS, Choice, Constraints, Interval
from trueval.rank._base import Curve, IntervalRanker
from trueval.rank._blend import blend
from trueval.rank._direction import ClassSummary, Direction, directions, summary
from trueval.rank._own import OwnFit, own_fit
from trueval.rank._probability import ProbabilityCurve
from trueval.rank._sample import Samples, per_class
from trueval.rank._spline import PooledCurve, PooledPart, pooled_curve, pooled_part

__all__ = ["PrecisionRanker"]


class PrecisionRanker(IntervalRanker):
    """P(class | score), learned from each class and from all classes together; the default.

    The local precision rate is the probability of the class at the score, so labels are
    regressed on scores directly, which converges faster than differentiating a smoothed
    precision curve. Two curves are fitted for each class.

    Its own, by rank:

    - a penalised logistic spline, kept rising, its penalty by AIC; a curve that may fall
      where the data clearly prefer it;
    - isotonic regression with shrunken block rates for large classes, where AIC prefers it;
    - score values that repeat ("atoms") are estimated by themselves where a binomial test
      says that they differ from the curve (more strictly where most scores repeat).

    The shared one: a logistic model of the score, of its rank in the class and of its
    distance from the mean of the class, whose coefficients differ between classes as
    far as the data of all classes say (empirical Bayes). A class without positives is valued
    by it alone, so that its calibrated scores compare with those of the others.

    The log-odds of the two are averaged. The own curve of a class with m positives has the
    weight m / (m + ``shared_positives_``); that number is chosen by the log loss on objects
    that were left out, each in turn. A class whose data clearly contradict the shared curve,
    by the same log loss, keeps its own. Classes whose positives have the lower scores
    (``falling_``) share with each other, and so do those that clearly have more positives than
    negatives. Nothing is to be tuned by hand.

    Parameters
    ----------
    shrink : float, default=0.25
        Weight, in positives, with which the own curve is drawn towards one curve by rank of
        all classes; 0 fits it to the class alone.
    n_jobs : int, optional
        Threads.
    share : {"auto", "none"}, default="auto"
        ``"none"`` leaves the shared curve out: classes have nothing in common but what
        ``shrink`` says, and one without positives gets one value.

    Attributes
    ----------
    methods_ : ndarray of str, shape (n_classes,)
        The own curve: ``"spline"``, ``"free spline"`` or ``"isotonic"``; ``"shared"`` for a
        class that has none, ``"flat"`` for one value.
    own_weight_ : ndarray of shape (n_classes,)
        Weight of the own curve; 1 if nothing is shared.
    shared_positives_ : float
        Positives that the shared curve counts for; 0 if nothing is shared, infinite if
        no class has a curve of its own. Where classes share in several groups, that of the largest.
    falling_ : ndarray of bool, shape (n_classes,)
        Classes whose positives clearly have the lower scores, by the ranks of their positives and
        by the other classes: their curves fall.
    n_atoms_ : ndarray of int, shape (n_classes,)
        Score values estimated by themselves.
    degrees_of_freedom_ : ndarray of shape (n_classes,)
        Effective number of parameters.
    classes_ : ndarray
    absent_values_ : ndarray of shape (n_classes,)
        Share of positives among objects without a stored score.

    See Also
    --------
    LocalPrecisionRate : The published estimator.
    IsotonicRanker : The fastest, and exact for thresholds of F-beta.

    Notes
    -----
    A transform of all scores by one increasing function, such as from log-odds to
    probabilities, changes nothing at the scores of the fit (up to rounding where a class has
    more than 128 distinct scores): only their order, within a class and over all classes, is
    used. A transform that differs between classes changes what the score itself says, which is
    learned to count for less; it changes nothing with ``share="none"``.

    Intervals are made of standard errors of log-odds: those of the own curve, a fifth
    wider because its penalty is chosen on the same data, and the posterior ones of the
    shared curve, in the same average as the curves, as if both erred in the same
    direction. Where the curve rises, never beyond the exact binomial bounds of the
    objects just above and below a score. An end nearer to 0 or 1 than half an object of
    the class's data is 0 or 1.

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
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
        "shrink": Interval(float, 0, 1e100),  # added up over classes
        "n_jobs": N_JOBS,
        "share": Choice(("auto", "none")),
    }

    def __init__(
        self, shrink: float = 0.25, n_jobs: int | None = None, *, share: str = "auto"
    ) -> None:
        self.shrink = shrink
        self.n_jobs = n_jobs
        self.share = share

    @property
    def _fate(self) -> str:
        if self.share == "none":
            return super()._fate
        return "cannot be ranked by themselves and are valued by the other classes"

    def _fit_classes(self, samples: Samples) -> list[Curve]:
        shrink, n = float(self.shrink), len(samples)
        turns, pooled = self._turns(samples, shrink)
        fits = per_class(
            lambda k: own_fit(turns[k].turn(samples[k]), pooled, shrink), n, self.n_jobs
        )
        self.falling_ = np.array([turn.falls for turn in turns])
        self.own_weight_, self.shared_positives_ = np.ones(n), 0.0
        if self.share == "none" or all(samples.troubles):
            curves = [fit.curve.finished(fit.counts) for fit in fits]
        else:
            curves = self._blended(fits, turns)
        return [turn.turn_back(curve) for turn, curve in zip(turns, curves, strict=True)]

    def _blended(self, fits: list[OwnFit], turns: list[Direction]) -> list[ProbabilityCurve]:
        """Curves that share with those of classes that are read in the same way."""
        curves: list[Any] = [None] * len(fits)
        alike: dict[Direction, list[int]] = {}
        for k, turn in enumerate(turns):
            alike.setdefault(turn, []).append(k)
        groups = sorted(alike.values(), key=len)  # what is said of the ranker is of the most
        members = [[fits[k] for k in classes] for classes in groups]
        fits.clear()
        for classes, group in zip(groups, members, strict=True):
            blended = blend(group)
            self.own_weight_[classes] = blended.own_weight
            self.shared_positives_ = blended.positives
            for k, curve in zip(classes, blended.curves, strict=True):
                curves[k] = curve
        return curves

    def _turns(self, samples: Samples, shrink: float) -> tuple[list[Direction], PooledCurve | None]:
        """How each class is read, and the curve by rank of all classes."""
        n, usual = len(samples), Direction()

        def part(k: int, turn: Direction) -> tuple[ClassSummary, PooledPart | None]:
            sample = samples[k]
            return summary(sample), pooled_part(turn.turn(sample)) if shrink > 0 else None

        both = per_class(lambda k: part(k, usual), n, self.n_jobs)
        turns = directions([about for about, _ in both])
        if shrink <= 0 or n == 1:
            return turns, None
        parts = per_class(
            lambda k: (both[k] if turns[k] == usual else part(k, turns[k]))[1], n, self.n_jobs
        )
        return turns, pooled_curve(parts)

    def _after(self) -> None:
        curves: Any = self.curves_
        self.methods_ = np.array([c.method for c in curves])
        self.n_atoms_ = np.array([len(c.atom_score) for c in curves])
        self.degrees_of_freedom_ = np.array([c.freedom for c in curves])
