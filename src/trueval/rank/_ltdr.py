"""Local true discovery rate: one minus a ratio of kernel densities (eq. 2.6)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.rank._base import BASELINE, Curve, Ranker, flat_curve
from trueval.rank._sample import Sample

__all__ = ["LocalTrueDiscoveryRate"]

Float = NDArray[np.float64]
FAR = 16.0  # largest scores, beyond the reach of every kernel (at most 1 + √5·2/0.6745·(4/3)^0.2)
NEAR = 1e-150  # smallest reach, in units of the largest score, whose square can be divided by


@shared_sections(sections=BASELINE)
class LocalTrueDiscoveryRate(Ranker):
    """Local true discovery rate, 1 − π0·f0(s)/f(s), by kernel densities.

    Both densities are Epanechnikov estimates with the bandwidth of Matlab's
    ``ksdensity``, MAD/0.6745·(4/3n)^0.2, taken separately for the negatives and for
    all; the kernel is scaled to variance 1. Where both are zero the value is the label
    of the nearest training score (their mean at a tie). A baseline: the densities
    suffer where scores are skewed or discrete.

    {sections}

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
    >>> from trueval.rank import LocalTrueDiscoveryRate
    >>> scores, y = simulation_one(200, 0.1, random_state=0)
    >>> LocalTrueDiscoveryRate().fit_transform(scores, y).shape
    (200, 5)
    """

    def _fit_class(self, sample: Sample) -> Curve:
        if sample.trouble:
            return flat_curve(sample)
        unit = float(np.abs(sample.score).max())  # squares of scores must stay finite
        score = sample.score / unit
        return _DensityRatio(
            score,
            sample.positives / sample.size,
            null_share=1 - sample.n_positives / sample.n,
            null=_Density.of(score, sample.size - sample.positives),
            all=_Density.of(score, sample.size),
            unit=unit,
        )


@dataclass(frozen=True, eq=False)
class _Density:
    """Epanechnikov density of weighted points, read off sums of powers."""

    point: Float
    reach: float  # √5 bandwidths: where the kernel ends
    sums: Float  # (3, n + 1): of weight, weight·x, weight·x², x about the median
    middle: float

    @classmethod
    def of(cls, point: Float, weight: Float) -> "_Density":
        point, weight = point[weight > 0], weight[weight > 0]
        n = weight.sum()
        middle = _median(point, weight)
        deviation = np.abs(point - middle)
        order = np.argsort(deviation, kind="stable")
        spread = _median(deviation[order], weight[order]) / 0.6745
        if spread <= 0:
            spread = point[-1] - point[0] or 1.0
        x = point - middle
        powers = np.stack([weight, weight * x, weight * x * x])
        sums = np.concatenate([np.zeros((3, 1)), np.cumsum(powers, axis=1)], axis=1)
        return cls(point, np.sqrt(5.0) * spread * (4 / (3 * n)) ** 0.2, sums, middle)

    def at(self, scores: Float) -> Float:
        if self.reach < NEAR:  # of equal scores only: the label of the nearest says as much
            return np.zeros(len(scores))
        low = np.searchsorted(self.point, scores - self.reach, side="right")
        high = np.searchsorted(self.point, scores + self.reach, side="left")
        s0, s1, s2 = self.sums[:, np.maximum(high, low)] - self.sums[:, low]
        x = scores - self.middle
        height = s0 - (s2 - 2 * x * s1 + x * x * s0) / self.reach**2
        height[(high <= low) | (height < 0)] = 0.0
        return 0.75 * height / (self.reach * self.sums[0, -1])


@dataclass(frozen=True, eq=False)
class _DensityRatio(Curve):
    """One minus π0·f0/f, computed at each new score; training scores in units of the largest."""

    null_share: float = 0.0
    null: _Density | None = None
    all: _Density | None = None
    unit: float = 1.0

    def at(self, scores: Float, values: Float | None = None) -> Float:
        assert self.null is not None
        assert self.all is not None
        with np.errstate(over="ignore"):
            scores = np.clip(scores / self.unit, -FAR, FAR)
        f0, f = self.null.at(scores), self.all.at(scores)
        nearest = np.clip(np.searchsorted(self.score, scores), 1, len(self.score) - 1)
        left = scores - self.score[nearest - 1] <= self.score[nearest] - scores
        result = self.value[nearest - left]
        some = (f > 0) | (f0 > 0)
        with np.errstate(divide="ignore"):
            ratio = self.null_share * f0[some] / f[some]
        result[some] = np.clip(1 - ratio, 0.0, 1.0)
        return result


def _median(point: Float, weight: Float) -> float:
    """Median of sorted points that stand for several objects each."""
    ends = np.cumsum(weight)
    half = ends[-1] / 2
    k = int(np.searchsorted(ends, half))
    if ends[k] == half:
        return float((point[k] + point[k + 1]) / 2)
    return float(point[k])
