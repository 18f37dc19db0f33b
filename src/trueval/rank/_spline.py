"""P(class | rank) by penalised logistic splines: places, bins, the pooled curve.

Ranks are counted from the top, in units of the class's number of members, on a
logarithmic scale: the ranks where a class is decided get most of the knots, whether one
object in five or in five thousand is a member.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from trueval import _kernels
from trueval.rank._counts import rank_groups
from trueval.rank._sample import Sample

__all__ = [
    "PooledCurve",
    "PooledPart",
    "SplineFit",
    "fit_spline",
    "pooled_curve",
    "pooled_part",
    "rank_depth",
    "spline_bins",
]

Float = NDArray[np.float64]
N_SEGMENTS = 20
N_BINS = 256  # more distinct scores than this are gathered into bins of equal depth
RIDGE = 1e-6  # keeps the fit finite where members and others part completely
PENALTIES = 10.0 ** np.arange(4.0, -3.5, -1.0)
POOL_POSITIVES = 20.0  # no class weighs more than this many members in the pooled curve
POOL_GROUPS = 128  # more distinct scores of a class are gathered, by rank
POOL_RANKS = (16.0, 12.0)  # ranks that are a group each, and groups a factor of e


def rank_depth(sample: Sample) -> Float:
    """Depth of each score: log(1 + rank from the top / number of members).

    Falls with the score; tied objects share their middle rank. There must be a member.
    """
    from_top = sample.n - np.cumsum(sample.size) + sample.size / 2
    return np.log1p(from_top / sample.n_positives)


@dataclass(frozen=True, eq=False)
class SplineFit:
    """A fitted spline: coefficients, their covariance, and what it cost."""

    coef: Float
    covariance: Float
    # deviance, freedom: fit and effective number of parameters
    deviance: float
    freedom: float
    penalty: float  # the one of least AIC

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return self.deviance + 2 * self.freedom

    def at(self, x: Float) -> tuple[Float, Float]:
        """Log-odds and their standard error at places in [0, 1]."""
        return _kernels.eval_spline(np.ascontiguousarray(x), self.coef, self.covariance)


def fit_spline(
    x: Float, size: Float, positives: Float, *, monotone: bool, penalty: float | None = None
) -> SplineFit:
    """Fit log-odds over [0, 1]; the penalty of least AIC is taken unless one is given.

    Objects and members at each place need not be whole numbers; ``monotone`` fits rising curves
    only.

    >>> import numpy as np
    >>> from trueval.rank._spline import fit_spline
    >>> x = np.linspace(0, 1, 200)
    >>> fit = fit_spline(x, np.full(200, 50.0), 50 / (1 + np.exp(2 - 4 * x)), monotone=True)
    >>> log_odds, error = fit.at(np.array([0.25, 0.5, 0.75]))
    >>> log_odds.round(2).tolist()
    [-1.0, 0.0, 1.0]
    """
    level = float(logit((positives.sum() + 0.5) / (size.sum() + 1.0)))
    prior = np.full(N_SEGMENTS + 3, level)
    penalties = PENALTIES if penalty is None else np.array([penalty])
    coef, covariance, chosen, deviance, freedom = _kernels.fit_spline(
        np.ascontiguousarray(x), size, positives, prior, RIDGE, penalties, monotone
    )
    return SplineFit(coef, covariance, deviance, freedom, chosen)


def spline_bins(x: Float, size: Float, positives: Float) -> tuple[Float, Float, Float]:
    """Gather many places into at most 256 bins; few stay as they are.

    The place of a bin is the mean of its objects.
    """
    if len(x) <= N_BINS:
        return x, size, positives
    bins = np.minimum((x * N_BINS).astype(np.int64), N_BINS - 1)
    total = np.bincount(bins, weights=size, minlength=N_BINS)
    used = total > 0
    centre = np.bincount(bins, weights=x * size, minlength=N_BINS)[used] / total[used]
    members = np.bincount(bins, weights=positives, minlength=N_BINS)[used]
    return centre.astype(float), total[used].astype(float), members.astype(float)


@dataclass(frozen=True, eq=False)
class PooledCurve:
    """P(member | depth) over all classes together."""

    fit: SplineFit
    deepest: float  # depth at the low end of the curve

    def at(self, depth: Float) -> Float:
        """Rates at depths; below the deepest, the last one."""
        return expit(self.fit.at(1 - np.minimum(depth / self.deepest, 1.0))[0])


@dataclass(frozen=True, eq=False)
class PooledPart:
    """What one class adds to the pooled curve: objects and positives by depth."""

    depth: Float
    size: Float
    positives: Float


def pooled_part(sample: Sample) -> PooledPart | None:
    """Objects and positives of one class by depth, gathered; None if it cannot be ranked."""
    if sample.trouble is not None:
        return None
    depth, size = rank_depth(sample), sample.size
    if len(size) <= POOL_GROUPS:
        return PooledPart(depth, size, sample.positives)
    start = rank_groups(size, *POOL_RANKS)
    total = np.add.reduceat(size, start)
    middle = np.add.reduceat(depth * size, start) / total
    return PooledPart(middle, total, np.add.reduceat(sample.positives, start))


def pooled_curve(parts: Sequence[PooledPart | None]) -> PooledCurve | None:
    """Fit one curve to all classes that can be ranked; None if there are none."""
    usable = [part for part in parts if part is not None]
    if not usable:
        return None
    deepest = max(float(part.depth[0]) for part in usable)
    pieces = []
    for part in usable:
        weight = min(1.0, POOL_POSITIVES / float(part.positives.sum()))
        pieces.append((1 - part.depth / deepest, weight * part.size, weight * part.positives))
    x, size, positives = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return PooledCurve(fit_spline(*spline_bins(x, size, positives), monotone=True), deepest)
