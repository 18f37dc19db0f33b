"""Local precision rates as published (Jiang, Liu, Zhou and Huang 2014)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from trueval import _kernels
from trueval.core.errors import ParameterError
from trueval.core.params import (
    BOOL,
    N_JOBS,
    NONE,
    Choice,
    Constraints,
    Interval,
)
from trueval.rank._base import MAPPING, Curve, IntervalRanker, flat_curve
from trueval.rank._jumps import detect_jumps
from trueval.rank._rate import N_BANDWIDTHS, RateData, Smoothing, label_grid, precision_curve
from trueval.rank._sample import Sample, Samples
from trueval.rank._smoother import KERNEL, choose_bandwidth, local_quadratic

__all__ = ["LocalPrecisionRate", "precision_curve"]

Float = NDArray[np.float64]
RULES = ("loo", "loo-precision")
PAPER_GRID = np.geomspace(0.03, 0.2, 8)
WIDER = 1.1  # errors of an interval, for its bandwidth was chosen on the same labels
N_PLACES = 256  # of a curve, where the variance is computed; between them it is smooth


class LocalPrecisionRate(IntervalRanker):
    """Local precision rate: the precision gained by one more call, from a smooth curve.

    LPR(u) = G(u) − (1 − u)·G′(u), where u is the empirical cdf of a score and G(u) the
    precision of calling everything at or above it. G and its slope come from a local
    quadratic fit of the empirical precisions (Section 2.4 and Algorithm 1 of the
    paper). LPR is P(class | score), so its values compare across classes.

    Parameters
    ----------
    bandwidth : {"loo", "loo-precision"} or float, default="loo"
        Half the window in units of u, from 0 to 1, chosen class by class:

        - ``"loo"`` leaves out one *label* at a time and takes the bandwidth of least
          squared error of the rate, of 24 from 3/M to 1 for M objects;
        - ``"loo-precision"`` is the paper's rule to the letter: it leaves out one
          empirical *precision* at a time, of 8 bandwidths from 0.03 to 0.2 whatever M.

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
    derivative_bandwidth : "loo" or float, optional
        Bandwidth of G′ where it differs from that of G; ``"loo"`` chooses it by labels
        left out, with that of G as it is.
    derivative_kernel : str, optional
        Kernel of G′ where it differs from that of G.
    jumps : None or "detect", default=None
        ``"detect"`` looks for ranks at which the rate jumps and smooths each side by
        itself, where that lowers the leave-one-label-out error beyond its noise.

    Attributes
    ----------
    bandwidths_, derivative_bandwidths_ : ndarray of shape (n_classes,)
        Chosen bandwidths of G and of G′; NaN for classes that cannot be ranked.
    degrees_of_freedom_ : ndarray of shape (n_classes,)
        Effective number of parameters of the fit of G.
    bandwidth_grid_, loo_errors_ : ndarray of shape (n_classes, n_bandwidths)
        The bandwidths tried and their leave-one-out errors.
    jumps_ : list of ndarray, one for each class
        Lowest score above each jump.
    classes_ : ndarray
    absent_values_ : ndarray of shape (n_classes,)
        Share of members among objects without a stored score.

    Notes
    -----
    Tied scores are spread over their ranks: each tied object has its own u and the
    mean label of the tie, and the tie gets the mean of their values. The order of rows
    does not matter. Absent objects are one tie below; the smoother runs over stored
    ones, which leaves the formula as it is.

    The default rule is ours. Precisions at neighbouring ranks are means of nearly the
    same labels, so that a precision left out is known from its neighbours whatever the
    bandwidth: the literal rule takes the smallest it is offered. Labels of different
    objects are independent. The rate is linear in them, so that leaving one out is
    exact from one fit, in time proportional to M.

    The rate is a weighted sum of labels, so its variance is p(1 − p)·Σ weight²: that
    of a share of 1/Σ weight² labels. The interval is Wilson's for such a share. It is
    centred on 2·rate(h/√2) − rate(h), whose leading bias cancels, with the weights
    of that difference (robust bias correction), a tenth wider because the bandwidth is
    chosen on the same labels, and widened to hold the value that ``transform`` gives.

    Within a bandwidth of a jump no smooth curve is near, and intervals miss;
    ``jumps="detect"`` helps where the jump is found. The study ``002-corollary1``
    measures the coverage, also of the variance that the paper's Corollary 1 states.

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
    >>> from trueval.rank import LocalPrecisionRate, average_precision
    >>> scores, y = simulation_one(500, 0.1, random_state=0)
    >>> new_scores, new_y = simulation_one(500, 0.1, random_state=1)
    >>> ranker = LocalPrecisionRate().fit(scores, y)
    >>> values = ranker.transform(new_scores)
    >>> average_precision(new_scores, new_y) < 0.7 < 0.85 < average_precision(values, new_y)
    True
    >>> low, high = ranker.interval(new_scores, confidence=0.9)
    >>> bool(((low <= values) & (values <= high)).all())
    True
    """

    _by_objects = True
    _parameter_constraints: ClassVar[Constraints] = {
        "bandwidth": (Choice(("loo", "loo-precision")), Interval(float, 0, 1, "right")),
        "kernel": KERNEL,
        "monotone": BOOL,
        "n_jobs": N_JOBS,
        "mapping": MAPPING,
        "derivative_bandwidth": (NONE, Choice(("loo",)), Interval(float, 0, 1, "right")),
        "derivative_kernel": (NONE, KERNEL),
        "jumps": (NONE, Choice(("detect",))),
    }

    def __init__(
        self,
        bandwidth: Any = "loo",
        kernel: str = "epanechnikov",
        monotone: bool = False,
        n_jobs: int | None = None,
        mapping: str = "interpolate",
        derivative_bandwidth: Any = None,
        derivative_kernel: str | None = None,
        jumps: str | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.monotone = monotone
        self.n_jobs = n_jobs
        self.mapping = mapping
        self.derivative_bandwidth = derivative_bandwidth
        self.derivative_kernel = derivative_kernel
        self.jumps = jumps

    def _fit_classes(self, samples: Samples) -> list[Curve]:
        if self.jumps is not None and self.bandwidth == "loo-precision":
            # Jumps are accepted by their leave-one-label-out error.
            expected = "None with bandwidth='loo-precision'; jumps go with 'loo' or a number"
            raise ParameterError("jumps", expected, self.jumps, type(self).__name__)
        return super()._fit_classes(samples)

    def _fit_class(self, sample: Sample) -> "_LprCurve":
        if sample.trouble:
            rate = flat_curve(sample).rate
            return _LprCurve(np.empty(0), np.empty(0), rate, sample=sample)
        data = RateData(sample)
        grid, errors = None, None
        if isinstance(self.bandwidth, Real):
            h = float(self.bandwidth)
        elif self.bandwidth == "loo-precision":
            # A window needs a few points: five of them set the least bandwidth.
            grid = np.maximum(PAPER_GRID, min(5.0 / data.n, 1.0))
            h, errors, _ = choose_bandwidth(data.u, data.v, grid, kernel=self.kernel, even=True)
        else:
            grid = label_grid(data.n)
            h, errors = data.choose(self.kernel, grid)
        if self.jumps is not None:
            data, h = detect_jumps(
                data, self.kernel, np.array([h]) if grid is None else grid, bandwidth=h
            )
        smoothing = self._smoothing(data, h)
        values = data.rates(smoothing.terms())
        if self.monotone:
            values = _rising(values, sample.size)
        fit = local_quadratic(data.u, data.v, h, kernel=self.kernel, even=True)
        return _LprCurve(
            sample.score,
            np.clip(values, 0.0, 1.0),
            mapping=self.mapping,
            sample=sample,
            smoothing=smoothing,
            cuts=data.cuts,
            freedom=fit.degrees_of_freedom,
            grid=grid,
            errors=errors,
        )

    def _smoothing(self, data: RateData, h: float) -> Smoothing:
        """Bandwidths and kernels of G and G′."""
        kernel = self.derivative_kernel or self.kernel
        other = self.derivative_bandwidth
        if other is None:
            return Smoothing(self.kernel, h, kernel, h)
        if isinstance(other, Real):
            return Smoothing(self.kernel, h, kernel, float(other))
        joint = Smoothing(self.kernel, h, kernel, h)
        return Smoothing(self.kernel, h, kernel, data.choose_slope(joint, label_grid(data.n)))

    def _after(self) -> None:
        fits: Any = self.curves_
        n_tried = len(PAPER_GRID) if self.bandwidth == "loo-precision" else N_BANDWIDTHS
        none = np.full(n_tried, np.nan)
        chosen = [
            (f.smoothing.bandwidth, f.smoothing.slope_bandwidth) if f.smoothing else (np.nan,) * 2
            for f in fits
        ]
        self.bandwidths_, self.derivative_bandwidths_ = np.array(chosen).T
        self.degrees_of_freedom_ = np.array([f.freedom for f in fits])
        self.bandwidth_grid_ = np.array([none if f.grid is None else f.grid for f in fits])
        self.loo_errors_ = np.array([none if f.errors is None else f.errors for f in fits])
        self.jumps_ = [f.jump_scores() for f in fits]


@dataclass(frozen=True, eq=False)
class _LprCurve(Curve):
    """A curve with what made it, so that its variance can be had later."""

    sample: Sample | None = None
    smoothing: Smoothing | None = None
    cuts: Sequence[int] = ()
    freedom: float = np.nan
    grid: Float | None = None
    errors: Float | None = None

    def jump_scores(self) -> Float:
        """Lowest score above each jump."""
        if self.sample is None or not self.cuts:
            return np.empty(0)
        first = np.cumsum(self.sample.size) - self.sample.size
        return self.sample.score[np.searchsorted(first, self.cuts)]

    def interval(self, scores: Float, confidence: float) -> tuple[Float, Float]:
        """Lower and upper end at each score."""
        centre, size = self._corrected
        wider = 1.0 if self.smoothing is None else WIDER
        low, high = _wilson(centre, size, wider * float(norm.ppf(0.5 + confidence / 2)))
        assert self.sample is not None
        # Half an object of the class is less than the data can tell from none.
        grain = 0.5 / (self.sample.n or self.sample.n_absent)
        low, high = np.where(low < grain, 0.0, low), np.where(high > 1 - grain, 1.0, high)
        if len(self.score) == 0:
            return np.full(len(scores), low[0]), np.full(len(scores), high[0])
        values = self.at(scores)
        return np.minimum(self.at(scores, low), values), np.maximum(self.at(scores, high), values)

    @cached_property
    def _corrected(self) -> tuple[Float, Float]:
        """Rates without their leading bias, and how many labels they are worth."""
        sample = self.sample
        assert sample is not None
        if self.smoothing is None:
            n = sample.n if sample.n else float(sample.n_absent)
            return np.array([self.rate]), np.array([n])
        data = RateData(sample, self.cuts)
        terms = self.smoothing.corrected_terms(data.n)
        at = _places(data, max(self.smoothing.bandwidth, self.smoothing.slope_bandwidth))
        sizes = data.effective_sizes(terms, at)
        size = np.exp(np.interp(np.arange(len(sample.score)), at, np.log(sizes)))
        return np.clip(data.rates(terms, clip=False), 0.0, 1.0), size


def _places(data: RateData, h: float) -> NDArray[np.int64]:
    """Distinct scores at which to compute a variance: evenly, and denser at the ends of pieces."""
    n_distinct = len(data.first)
    if n_distinct <= N_PLACES:
        return np.arange(n_distinct)
    ranks = [np.linspace(0, data.n - 1, N_PLACES)]
    near = np.concatenate([[0.0], np.geomspace(1.0, max(2.0, 2 * h * data.n), 24)])
    for begin, end in data.pieces:
        ranks += [begin + near[near < end - begin], end - 1 - near[near < end - begin]]
    places = np.searchsorted(data.first, np.concatenate(ranks), side="right") - 1
    return np.unique(np.clip(places, 0, n_distinct - 1))


def _wilson(share: Float, size: Float, z: float) -> tuple[Float, Float]:
    """Score interval of a share: shares that differ from it by z of their own errors."""
    middle = share + z * z / (2 * size)
    spread = z * np.sqrt(share * (1 - share) / size + (z / (2 * size)) ** 2)
    below = 1 + z * z / size
    return (middle - spread) / below, (middle + spread) / below


def _rising(values: Float, size: Float) -> Float:
    """Nearest rising values, by weighted squares."""
    starts = _kernels.pool_adjacent(values * size, size)
    means = np.add.reduceat(values * size, starts) / np.add.reduceat(size, starts)
    return np.repeat(means, np.diff(np.append(starts, len(values))))
