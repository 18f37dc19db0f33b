"""The curve of one class by its own data: atoms apart, rising or not, spline or isotonic."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, expit, logit

from trueval.rank._base import TIE_BREAK
from trueval.rank._counts import ClassCounts, class_counts, rank_groups
from trueval.rank._isotonic import Blocks, isotonic_blocks, shrunken_isotonic
from trueval.rank._probability import (
    NONE,
    ProbabilityCurve,
    atom_reach,
    count_log_odds,
)
from trueval.rank._sample import Sample
from trueval.rank._spline import PooledCurve, SplineFit, fit_spline, rank_depth, spline_bins

__all__ = ["OwnFit", "deviance", "flat_probability", "own_fit"]

Float = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEAST_ATOM = 2  # a score value repeated this often may be estimated by itself
ATOM_LEVEL = 0.2  # two-sided binomial level, divided by the number of values tested
ROUNDED_LEVEL = 0.01  # the same where most scores repeat, so that repeating says nothing
CLEARLY_BETTER = 12.0  # AIC by which another curve must beat a rising spline
WIDER = 1.2  # errors of the spline, for its penalty was chosen on the same data
ISOTONIC_FROM = 200  # positives from which isotonic regression competes with the spline
MOST_KNOTS = 128  # more distinct scores than this are thinned, by rank
ONE_BY_ONE, PER_FACTOR_E = 48.0, 24.0


@dataclass(frozen=True, eq=False)
class OwnFit:
    """What the data of one class say."""

    curve: ProbabilityCurve
    counts: ClassCounts  # groups of scores with objects and positives, atoms left out


def own_fit(sample: Sample, pooled: PooledCurve | None, shrink: float) -> OwnFit:
    """Fit one class.

    ``pooled`` is the curve of all classes by rank to draw this one towards, ``shrink`` its weight
    in positives.
    """
    if sample.trouble:
        return OwnFit(
            flat_probability(sample), class_counts(sample.score, sample.size, sample.positives)
        )
    work = _ClassFit(sample, pooled, shrink)
    work.set_atoms_apart()
    on_curve = work.on_curve
    counts = class_counts(sample.score[on_curve], sample.size[on_curve], sample.positives[on_curve])
    return OwnFit(work.curve(), counts)


def flat_probability(sample: Sample) -> ProbabilityCurve:
    """One value for a class that cannot be ranked by itself: its share of positives."""
    positives, size = np.array([sample.n_positives]), np.array([sample.n])
    if sample.n == 0:
        positives = np.array([float(sample.absent_positives)])
        size = np.array([float(sample.n_absent)])
    log_odds, error = count_log_odds(positives, size)
    rate = float(((positives + 0.25) / (size + 0.5))[0])
    return ProbabilityCurve(NONE, NONE, rate, log_odds=log_odds, error=error, method="flat")


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
            # Pseudo-objects beside the real ones, `shrink` positives among them.
            rates = pooled.at(depth)
            self.share = shrink / float((sample.size * rates).sum())
            self.extra = self.share * sample.size * rates

    def curve(self) -> ProbabilityCurve:
        sample, on_curve = self.sample, self.on_curve
        fit, method = self._rising_or_not()
        blocks = self._better_blocks(fit)
        at = _knots(sample.size[on_curve], blocks)
        if blocks is None:
            log_odds, error = fit.at(self.x[on_curve][at])
            if method == "spline":  # penalties keep it rising up to a millionth
                log_odds = np.maximum.accumulate(log_odds)
            values, error, freedom = expit(log_odds), WIDER * error, fit.freedom
        else:
            values, method = shrunken_isotonic(blocks)[at], "isotonic"
            middle, spread = count_log_odds(blocks.positives, blocks.size)
            log_odds, error = blocks.spread(middle)[at], blocks.spread(spread)[at]
            freedom = float(len(blocks.rate))
        rank = (np.cumsum(sample.size) - sample.size / 2) / sample.n
        curve = ProbabilityCurve(
            sample.score[on_curve][at],
            (1 - TIE_BREAK) * values + TIE_BREAK * rank[on_curve][at],
            log_odds=log_odds,
            error=error,
            grain=0.5 / sample.n,
            method=method,
            freedom=freedom,
        )
        apart = ~on_curve
        if not apart.any():
            return curve
        return replace(
            curve,
            atom_score=sample.score[apart],
            atom_positives=sample.positives[apart],
            atom_size=sample.size[apart],
            atom_reach=atom_reach(sample.score, apart),
            freedom=freedom + float(apart.sum()),
        )

    def set_atoms_apart(self) -> None:
        """Find the repeated values that differ from the curve of the others."""
        sample = self.sample
        repeated = sample.size >= LEAST_ATOM
        if not repeated.any():
            return
        others, level = np.ones(len(self.x), dtype=bool), ROUNDED_LEVEL
        # Where most scores repeat (rounding, votes), the repeated ones are the curve.
        if not repeated.all() and sample.size[repeated].sum() < 0.5 * sample.n:
            others, level = ~repeated, ATOM_LEVEL
        expected = expit(self._fit(others, monotone=True).at(self.x[repeated])[0])
        positives, size = sample.positives[repeated], sample.size[repeated]
        tail = np.minimum(
            _at_least(positives, size, expected), _at_least(size - positives, size, 1 - expected)
        )
        differs = np.flatnonzero(repeated)[2 * tail < level / repeated.sum()]
        if len(self.x) - len(differs) >= 2:
            self.on_curve[differs] = False

    def _fit(self, which: Mask, *, monotone: bool) -> SplineFit:
        size = self.sample.size[which] * (1 + self.share)
        positives = self.sample.positives[which] + self.extra[which]
        return fit_spline(*spline_bins(self.x[which], size, positives), monotone=monotone)

    def _rising_or_not(self) -> tuple[SplineFit, str]:
        rising = self._fit(self.on_curve, monotone=True)
        free = self._fit(self.on_curve, monotone=False)
        if self._corrected_aic(free) + CLEARLY_BETTER < self._corrected_aic(rising):
            return free, "free spline"
        return rising, "spline"

    def _corrected_aic(self, fit: SplineFit) -> float:
        """Akaike's criterion for few objects (Hurvich and Tsai 1989), infinite for too few."""
        n, m = self.sample.n, self.sample.n_positives
        remaining = 4 * m * (n - m) / n - fit.freedom - 1
        if remaining <= 0:
            return np.inf
        return fit.aic + 2 * fit.freedom * (fit.freedom + 1) / remaining

    def _better_blocks(self, fit: SplineFit) -> Blocks | None:
        """Isotonic regression of a large class, where it is clearly better than the spline."""
        sample, on_curve = self.sample, self.on_curve
        if sample.n_positives < ISOTONIC_FROM:
            return None
        size, positives = sample.size[on_curve], sample.positives[on_curve]
        blocks = isotonic_blocks(positives, size)
        isotonic = deviance(logit(blocks.rate), blocks.positives, blocks.size)
        spline = deviance(fit.at(self.x[on_curve])[0], positives, size)
        better = isotonic + 2 * len(blocks.rate) + CLEARLY_BETTER < spline + 2 * fit.freedom
        return blocks if better else None


def _knots(size: Float, blocks: Blocks | None) -> NDArray[np.int64]:
    """Scores at which a curve is kept: all if they are few, else by rank; ends of steps too."""
    if len(size) <= MOST_KNOTS:
        return np.arange(len(size))
    start = rank_groups(size, ONE_BY_ONE, PER_FACTOR_E)
    ends = [start, np.array([len(size) - 1])]
    if blocks is not None:
        ends += [blocks.start, np.append(blocks.start[1:], blocks.n) - 1]
    return np.unique(np.concatenate(ends))


def _at_least(hits: Float, trials: Float, chance: Float) -> Float:
    """Binomial chance of as many hits or more, continued to weights that are not whole."""
    some = np.maximum(hits, 1e-300)
    return np.where(hits > 0, betainc(some, trials - hits + 1, chance), 1.0)


def deviance(log_odds: Float, positives: Float, size: Float) -> float:
    """Minus twice the log likelihood.

    Log-odds may be infinite.
    """
    bounded = np.clip(log_odds, -28.0, 28.0)  # a probability of 1e-12
    return float(2 * (size * np.logaddexp(0.0, bounded) - positives * bounded).sum())
