"""Local false discovery rates without labels: a half-normal null and a falling density.

The approach of fdrtool (Strimmer 2008), which the local-precision-rate paper tried and left
out of its tables. Written from the published description.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.stats import halfnorm

from trueval import _kernels
from trueval.core.params import N_JOBS, Constraints, Interval
from trueval.rank._base import Curve, Ranker, flat_curve
from trueval.rank._sample import Sample

__all__ = ["HalfNormalRanker"]

Float = NDArray[np.float64]


class HalfNormalRanker(Ranker):
    """One minus the local false discovery rate of scores taken as z-scores; needs no labels.

    Absolute scores below a cut-off are taken as negatives, and a half-normal distribution is
    fitted to them by maximum likelihood; the share η0 of negatives follows. All scores become
    p-values, their falling density f is the slope of the least concave majorant of their
    distribution (Grenander), held at η0 or more, and the value is 1 − η0/f. A baseline:
    classes differ in their shares of members and in the shape of their scores, and nothing here
    looks at labels.

    Parameters
    ----------
    null_share : float, default=0.75
        Share of the smallest absolute scores that the null is fitted to.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    scales_ : ndarray of shape (n_classes,)
        Scale of the half-normal distribution of the negatives.
    null_shares_ : ndarray of shape (n_classes,)
        Estimated share η0 of negatives.
    classes_ : ndarray
    absent_values_ : ndarray of shape (n_classes,)
        Share of members among objects without a stored score.

    Notes
    -----
    Scores are two-sided z-scores around zero here: large negative ones count like large
    positive ones. Classes that other rankers cannot rank get one value here too.

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
    >>> from trueval.rank import HalfNormalRanker, average_precision
    >>> scores, y = simulation_one(500, 0.1, random_state=0)
    >>> values = HalfNormalRanker().fit_transform(scores, y)
    >>> average_precision(values, y) < 0.7
    True
    """

    _by_objects = True
    _parameter_constraints: ClassVar[Constraints] = {
        "null_share": Interval(float, 0, 1, "neither"),
        "n_jobs": N_JOBS,
    }

    def __init__(self, null_share: float = 0.75, n_jobs: int | None = None) -> None:
        self.null_share = null_share
        self.n_jobs = n_jobs

    def _fit_class(self, sample: Sample) -> Curve:
        if sample.trouble:
            return flat_curve(sample)
        size = np.abs(sample.score)
        unit = float(size.max())  # squares of scores must stay finite
        score = np.repeat(size / unit, sample.size.astype(np.int64))
        scale, null = _fit_null(score, float(self.null_share))
        step, density = _grenander(score, scale, null)
        return _TailCurve(
            sample.score,
            np.empty(0),
            scale=scale * unit,
            null=null,
            unit=unit,
            step=step,
            density=density,
        )

    def _after(self) -> None:
        self.scales_ = np.array([getattr(c, "scale", np.nan) for c in self.curves_])
        self.null_shares_ = np.array([getattr(c, "null", np.nan) for c in self.curves_])


@dataclass(frozen=True, eq=False)
class _TailCurve(Curve):
    """1 − η0/f of a score; f is constant between absolute scores, the lower value at each."""

    scale: float = 1.0
    null: float = 1.0
    unit: float = 1.0
    step: Float | None = None
    density: Float | None = None

    def at(self, scores: Float, values: Float | None = None) -> Float:
        assert self.step is not None
        assert self.density is not None
        with np.errstate(over="ignore"):
            below = np.searchsorted(self.step, np.abs(scores) / self.unit)
        return np.clip(1 - self.null / self.density[below], 0.0, 1.0)


def _fit_null(size: Float, share: float) -> tuple[float, float]:
    """Scale of a half-normal distribution cut off at a quantile, and the share of negatives."""
    cut = float(np.quantile(size, share))
    below = size[size <= cut]
    square = float((below**2).mean())
    if cut == 0 or square == 0:
        return max(float(size.mean()), 1e-300), 1.0

    def negative_likelihood(log_scale: float) -> float:
        scale = np.exp(log_scale)
        inside = halfnorm.logcdf(cut, scale=scale)
        return float(log_scale + square / (2 * scale**2) + inside)

    # A flat truncated density means a scale that is large beside the cut: 100 cuts are flat.
    low, high = np.log(np.sqrt(square)) - 1, np.log(100 * cut)
    scale = float(np.exp(minimize_scalar(negative_likelihood, bounds=(low, high)).x))
    return scale, min(1.0, len(below) / len(size) / float(halfnorm.cdf(cut, scale=scale)))


def _grenander(size: Float, scale: float, null: float) -> tuple[Float, Float]:
    """Falling density of p-values, at least that of the negatives.

    Returns the distinct absolute scores, rising, and the density from each up to the next
    higher one, the one below all of them first.
    """
    step, count = np.unique(size, return_counts=True)
    p = halfnorm.sf(step, scale=scale)[::-1]
    # Below 1 the distribution leaves room for the negatives, η0 for each unit of p.
    share = np.minimum(np.cumsum(count[::-1]) / len(size), 1 - null * (1 - p))
    ends, share = np.append(p, 1.0), np.append(share, 1.0)
    # Widths that rounding makes zero belong to p-values of zero: a very large density.
    width = np.maximum(np.diff(ends, prepend=0.0), 1e-300)
    mass = np.diff(share, prepend=0.0)
    # The least concave majorant pools slopes that rise: isotonic regression from the end.
    starts = _kernels.pool_adjacent(mass[::-1].copy(), width[::-1].copy())
    slope = np.add.reduceat(mass[::-1], starts) / np.add.reduceat(width[::-1], starts)
    slope = np.repeat(slope, np.diff(np.append(starts, len(mass))))
    return step, np.maximum(slope, null)
