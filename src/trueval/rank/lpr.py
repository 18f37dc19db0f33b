"""Local precision rates as published (Jiang, Liu, Zhou and Huang 2014)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.params import BOOL, N_JOBS, Choice, Constraints, Interval
from trueval.rank.base import MAPPING, Curve, Ranker, flat_curve
from trueval.rank.sample import Sample
from trueval.rank.smoother import KERNEL, choose_bandwidth, local_quadratic

__all__ = ["LocalPrecisionRate", "precision_curve"]

Float = NDArray[np.float64]
GRID = np.geomspace(0.03, 0.2, 8)


class LocalPrecisionRate(Ranker):
    """Local precision rate: the precision gained by one more call, from a smooth curve.

    LPR(u) = G(u) − (1 − u)·G′(u), where u is the empirical cdf of a score and G(u) the
    precision of calling everything at or above it. G and its slope come from a local
    quadratic fit of the empirical precisions (Section 2.4 and Algorithm 1 of the
    paper). LPR is P(class | score), so its values compare across classes.

    Parameters
    ----------
    bandwidth : "loo" or float, default="loo"
        Half the window in units of u, from 0 to 1; ``"loo"`` takes the best of a
        grid from 0.03 to 0.2 by leave-one-out error, class by class.
    kernel : {"epanechnikov", "gaussian", "tricube"}, default="epanechnikov"
        The Gaussian one is not compact: its time grows with the square of the number
        of objects.
    monotone : bool, default=False
        Project on rising curves, after clipping to [0, 1].
    n_jobs : int, optional
        Threads.
    mapping : {"interpolate", "step"}, default="interpolate"
        How a new score enters through the training cdf: on the line between two
        training scores, or with the value of the next lower one, which reproduces
        the paper.

    Attributes
    ----------
    bandwidths_ : ndarray of shape (n_classes,)
        Chosen bandwidth; NaN for classes that cannot be ranked.
    degrees_of_freedom_ : ndarray of shape (n_classes,)
        Effective number of parameters of the fit.
    bandwidth_grid_, loo_errors_ : ndarray of shape (n_classes, n_bandwidths)
        The bandwidths tried and their leave-one-out errors.
    classes_ : ndarray
    absent_values_ : ndarray of shape (n_classes,)
        Share of members among objects without a stored score.

    Notes
    -----
    Tied scores are spread over their ranks: each tied object has its own u and the
    mean label of the tie, and the tie gets the mean of their values. The order of rows
    does not matter. Absent objects are one tie below; the smoother runs over stored
    ones, which leaves the formula as it is.

    Examples
    --------
    >>> from trueval.data.simulate_scores import simulation_one
    >>> from trueval.rank import LocalPrecisionRate, average_precision
    >>> scores, y = simulation_one(500, 0.1, random_state=0)
    >>> new_scores, new_y = simulation_one(500, 0.1, random_state=1)
    >>> values = LocalPrecisionRate().fit(scores, y).transform(new_scores)
    >>> average_precision(new_scores, new_y) < 0.7 < 0.85 < average_precision(values, new_y)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "bandwidth": (Choice(("loo",)), Interval(float, 0, 1, "right")),
        "kernel": KERNEL,
        "monotone": BOOL,
        "n_jobs": N_JOBS,
        "mapping": MAPPING,
    }

    def __init__(
        self,
        bandwidth: Any = "loo",
        kernel: str = "epanechnikov",
        monotone: bool = False,
        n_jobs: int | None = None,
        mapping: str = "interpolate",
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.monotone = monotone
        self.n_jobs = n_jobs
        self.mapping = mapping

    def _fit_class(self, sample: Sample) -> "_LprCurve":
        nothing = np.full(len(GRID), np.nan)
        if sample.trouble:
            rate = flat_curve(sample).rate
            return _LprCurve(np.empty(0), np.empty(0), rate, grid=nothing, errors=nothing)
        u, v = precision_curve(sample)
        grid, errors = nothing, nothing
        if isinstance(self.bandwidth, str):
            # A window needs a few points: five of them set the least bandwidth.
            grid = np.maximum(GRID, min(5.0 / len(u), 1.0))
            h, errors, _ = choose_bandwidth(u, v, grid, kernel=self.kernel, even=True)
        else:
            h = float(self.bandwidth)
        fit = local_quadratic(u, v, h, kernel=self.kernel, even=True)
        rates = np.clip(fit.value - (1 - u) * fit.slope, 0.0, 1.0)
        first = np.concatenate([[0], np.cumsum(sample.size)[:-1]]).astype(np.int64)
        values = np.add.reduceat(rates, first) / sample.size
        if self.monotone:
            starts = _kernels.pool_adjacent(values * sample.size, sample.size)
            means = np.add.reduceat(values * sample.size, starts) / np.add.reduceat(
                sample.size, starts
            )
            values = np.repeat(means, np.diff(np.append(starts, len(values))))
        values = np.clip(values, 0.0, 1.0)
        return _LprCurve(
            sample.score,
            values,
            mapping=self.mapping,
            bandwidth=h,
            freedom=fit.degrees_of_freedom,
            grid=grid,
            errors=errors,
        )

    def _after(self, samples: list[Sample]) -> None:
        fits: Any = self._curves
        self.bandwidths_ = np.array([f.bandwidth for f in fits])
        self.degrees_of_freedom_ = np.array([f.freedom for f in fits])
        self.bandwidth_grid_ = np.array([f.grid for f in fits])
        self.loo_errors_ = np.array([f.errors for f in fits])


@dataclass(frozen=True, eq=False)
class _LprCurve(Curve):
    """A curve with what the choice of its bandwidth left behind."""

    bandwidth: float = np.nan
    freedom: float = np.nan
    grid: Float | None = None
    errors: Float | None = None


def precision_curve(sample: Sample) -> tuple[Float, Float]:
    """Empirical cdf and precision at each stored object, ties spread over their ranks.

    >>> import numpy as np
    >>> from trueval.rank.lpr import precision_curve
    >>> from trueval.rank.sample import Sample
    >>> tied = Sample(np.array([0.2, 0.7]), np.array([2.0, 2.0]), np.array([0.0, 1.0]), 0, 0)
    >>> u, v = precision_curve(tied)
    >>> u.tolist(), v.round(3).tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.25, 0.333, 0.5, 0.5])
    """
    n = int(sample.n)
    label = np.repeat(sample.positives / sample.size, sample.size.astype(np.int64))
    above = np.cumsum(label[::-1])[::-1]
    return np.arange(1, n + 1) / n, above / np.arange(n, 0, -1)
