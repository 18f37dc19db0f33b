"""The local precision rate of one class as a linear map of its labels.

A precision is a mean of labels, a local fit is linear in the precisions, so each rate is a
weighted sum of labels. Labels of different objects are independent, errors of precisions
at neighbouring ranks are not: cross-validation and variances work on the labels.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.rank._sample import Sample
from trueval.rank._smoother import KERNELS

__all__ = ["RateData", "Smoothing", "Term", "label_grid", "precision_curve"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
N_BANDWIDTHS = 24
LEAST_WINDOW = 3.0  # ranks; below about five no label can be left out at the ends
KEPT_UP_TO = 20_000  # objects for which weights of classes without ties are kept
FEWEST = 5.0  # ranks that a bandwidth of the bias correction must have


class Term(NamedTuple):
    """A part of a rate: shares of the precision and of its slope from one local fit."""

    kernel: str
    bandwidth: float
    value: float
    slope: float


@dataclass(frozen=True)
class Smoothing:
    """Kernels and bandwidths of the precision and of its slope."""

    kernel: str
    # bandwidth, slope_bandwidth: in units of u, from 0 to 1
    bandwidth: float
    slope_kernel: str
    slope_bandwidth: float

    @property
    def is_joint(self) -> bool:
        """Whether one fit gives both."""
        return (self.kernel, self.bandwidth) == (self.slope_kernel, self.slope_bandwidth)

    def terms(self) -> list[Term]:
        """The fits that the rate is made of."""
        if self.is_joint:
            return [Term(self.kernel, self.bandwidth, 1.0, 1.0)]
        return [
            Term(self.kernel, self.bandwidth, 1.0, 0.0),
            Term(self.slope_kernel, self.slope_bandwidth, 0.0, 1.0),
        ]

    def corrected_terms(self, n: int) -> list[Term]:
        """The same with the leading bias removed, 2·rate(h/√2) − rate(h).

        The bias grows with h², so that it cancels. A bandwidth of a few ranks cannot be
        made smaller, and its bias is small beside its variance: it is left as it is.
        """
        out = []
        for term in self.terms():
            smaller = term.bandwidth / np.sqrt(2.0)
            if smaller * n < FEWEST:
                out.append(term)
                continue
            out.append(Term(term.kernel, smaller, 2 * term.value, 2 * term.slope))
            out.append(Term(term.kernel, term.bandwidth, -term.value, -term.slope))
        return out


class RateData:
    """One class, ready to be smoothed: precisions by rank, ties, and the cuts between pieces.

    ``cuts`` are the first ranks of the pieces after the first, each the first of a tie; no window
    reaches over them. ``u`` and ``v`` are rank (empirical cdf) and precision of each object,
    ``first`` the first rank of each distinct score, ``pieces`` the first rank of each piece and the
    rank behind its last.

    >>> import numpy as np
    >>> from trueval.rank._rate import RateData, Term
    >>> from trueval.rank._sample import Sample
    >>> label = np.array([0, 0, 0, 1, 0, 1, 1, 0, 1, 1.0])
    >>> data = RateData(Sample(np.arange(10.0), np.ones(10), label, 0, 0))
    >>> rates = data.rates([Term("epanechnikov", 0.8, 1.0, 1.0)])
    >>> bool(rates[0] < 0.2 < 0.7 < rates[-1])
    True
    """

    def __init__(self, sample: Sample, cuts: Sequence[int] = ()) -> None:
        self.sample = sample
        self.cuts = tuple(cuts)
        self.u, self.v = precision_curve(sample)
        self.n = len(self.u)
        self.first = np.concatenate([[0], np.cumsum(sample.size)[:-1]]).astype(np.int64)
        ends = [0, *cuts, self.n]
        self.pieces = list(itertools.pairwise(ends))

    def fit(self, kernel: str, bandwidth: float) -> tuple[Float, Float]:
        """Smooth precision at every rank, and its slope times 1 − u."""
        value, slope = np.empty(self.n), np.empty(self.n)
        for begin, end in self.pieces:
            m = end - begin
            # Ranks of a piece are even again in its own unit.
            ranks = self.u if m == self.n else np.arange(1, m + 1) / m
            h = bandwidth * self.n / m
            both = _kernels.local_quadratic(ranks, self.v[begin:end], h, KERNELS[kernel], True)
            value[begin:end] = both[0]
            slope[begin:end] = both[1] * (self.n / m)
        return value, (1 - self.u) * slope

    def hat(self, kernel: str, bandwidth: float) -> tuple[Float, Float]:
        """Weight of an object's own label in both, at its rank."""
        value, slope = np.empty(self.n), np.empty(self.n)
        for begin, end in self.pieces:
            m = end - begin
            starts = self.first[np.searchsorted(self.first, begin) :]
            starts = starts[: np.searchsorted(starts, end)] - begin
            h = bandwidth * self.n / m
            both = _kernels.label_hat(starts, m, self.n - begin, h, KERNELS[kernel])
            value[begin:end] = both[0]
            slope[begin:end] = both[1] * (self.n / m)
        return value, (1 - self.u) * slope

    def by_rank(self, terms: Sequence[Term]) -> Float:
        """Rate at every rank, not clipped."""
        return self._combined([(t, self.fit(t.kernel, t.bandwidth)) for t in terms])

    def rates(self, terms: Sequence[Term], *, clip: bool = True) -> Float:
        """Rate of each distinct score: the mean over its ranks, clipped to [0, 1] first."""
        rates = self.by_rank(terms)
        return self.mean(np.clip(rates, 0.0, 1.0) if clip else rates)

    def own_weights(self, terms: Sequence[Term]) -> Float:
        """Weight of an object's own label in the rate of its score, by distinct score."""
        joint = len(terms) == 1 and terms[0].value == terms[0].slope == 1.0
        if joint and self._is_plain and self.n <= KEPT_UP_TO:
            return _plain_weights(self.n, terms[0].kernel, terms[0].bandwidth)
        return self.mean(self._combined([(t, self.hat(t.kernel, t.bandwidth)) for t in terms]))

    def label_errors(self, rates: Float, leverage: Float) -> tuple[Float, Float]:
        """Squared errors of rates made without one label, for members and for others.

        Takes the rate of each distinct score, not clipped, and :meth:`own_weights`. Infinite where
        a label decides its own rate.

        A label that equals its own prediction changes nothing, so that the rate without
        label y is (rate − own·y)/(1 − own): exact, and no fit is repeated.
        """
        rest = 1.0 - leverage
        rest[rest < 1e-9] = np.nan
        both = ((rates - 1.0) / rest) ** 2, (rates / rest) ** 2
        return tuple(np.where(np.isnan(e), np.inf, e) for e in both)  # type: ignore[return-value]

    def loo_error(self, terms: Sequence[Term]) -> float:
        """Mean squared leave-one-label-out error."""
        return self._mean_error(self.rates(terms, clip=False), self.own_weights(terms))

    def choose(self, kernel: str, bandwidths: Float) -> tuple[float, Float]:
        """Bandwidth of least leave-one-label-out error, and the errors of all."""
        errors = np.array([self.loo_error([Term(kernel, float(h), 1.0, 1.0)]) for h in bandwidths])
        return _best(bandwidths, errors), errors

    def choose_slope(self, smoothing: Smoothing, bandwidths: Float) -> float:
        """Bandwidth of the slope of least error, that of the precision kept."""
        kernel = smoothing.slope_kernel
        value = self.mean(self.fit(smoothing.kernel, smoothing.bandwidth)[0])
        leverage = self.mean(self.hat(smoothing.kernel, smoothing.bandwidth)[0])
        errors = [
            self._mean_error(
                value - self.mean(self.fit(kernel, float(h))[1]),
                leverage - self.mean(self.hat(kernel, float(h))[1]),
            )
            for h in bandwidths
        ]
        return _best(bandwidths, np.array(errors))

    def effective_sizes(self, terms: Sequence[Term], at: Int) -> Float:
        """Labels whose plain mean would vary as much as the rate, 1/Σ weight².

        ``at`` are places of distinct scores, rising.
        """
        kernels = np.array([KERNELS[t.kernel] for t in terms], dtype=np.int64)
        width = np.array([t.bandwidth * self.n for t in terms])
        value, slope = np.array([t.value for t in terms]), np.array([t.slope for t in terms])
        squares = np.empty(len(at))
        for begin, end in self.pieces:
            low, high = np.searchsorted(self.first, [begin, end])
            mine = (at >= low) & (at < high)
            ranks = [self._some_ranks(int(k)) - begin for k in at[mine]]
            bounds = np.cumsum([0, *(len(r) for r in ranks)]).astype(np.int64)
            squares[mine] = _kernels.squared_label_weights(
                self.first[low:high] - begin,
                end - begin,
                self.n - begin,
                np.concatenate([*ranks, np.empty(0, np.int64)]),
                bounds,
                kernels,
                width,
                value,
                slope,
            )
        return 1.0 / squares

    def mean(self, by_rank: Float) -> Float:
        """Mean over the ranks of each distinct score."""
        if len(self.first) == self.n:
            return by_rank
        return np.add.reduceat(by_rank, self.first) / self.sample.size

    @property
    def _is_plain(self) -> bool:
        """Whether weights depend on nothing but the number of objects."""
        return len(self.first) == self.n and not self.cuts

    def _some_ranks(self, k: int) -> Int:
        """Ranks of a tie, at most eight of them, evenly."""
        size = int(self.sample.size[k])
        if size == 1:
            return self.first[k : k + 1]
        return self.first[k] + np.unique(np.linspace(0, size - 1, min(size, 8)).astype(np.int64))

    def _combined(self, parts: Sequence[tuple[Term, tuple[Float, Float]]]) -> Float:
        total = np.zeros(self.n)
        for term, (value, slope) in parts:
            total += term.value * value - term.slope * slope
        return total

    def _mean_error(self, rates: Float, leverage: Float) -> float:
        of_members, of_others = self.label_errors(rates, leverage)
        members, others = self.sample.positives, self.sample.size - self.sample.positives
        # An infinite error of nobody is no error.
        total = np.where(members > 0, members * np.where(members > 0, of_members, 0.0), 0.0)
        total += np.where(others > 0, others * np.where(others > 0, of_others, 0.0), 0.0)
        return float(total.sum() / self.n)


@lru_cache(maxsize=4 * N_BANDWIDTHS)
def _plain_weights(n: int, kernel: str, bandwidth: float) -> Float:
    """Own weights without ties or cuts, kept: classes of one matrix share them."""
    value, slope = _kernels.label_hat(np.arange(n), n, n, bandwidth, KERNELS[kernel])
    weights: Float = value - (1 - np.arange(1, n + 1) / n) * slope
    weights.flags.writeable = False
    return weights


def _best(bandwidths: Float, errors: Float) -> float:
    if not np.isfinite(errors).any():
        return float(bandwidths.max())
    return float(bandwidths[int(np.argmin(errors))])


def label_grid(n: int) -> Float:
    """Bandwidths to choose from for n objects, from three ranks to all of them.

    >>> from trueval.rank._rate import label_grid
    >>> label_grid(1000)[[0, 1, -1]].round(4).tolist()
    [0.003, 0.0039, 1.0]
    """
    return np.geomspace(min(LEAST_WINDOW / n, 1.0), 1.0, N_BANDWIDTHS)


def precision_curve(sample: Sample) -> tuple[Float, Float]:
    """Empirical cdf and precision at each stored object, ties spread over their ranks.

    The cdf is (1, …, n)/n, the precision that of calling this rank and all above it.

    >>> import numpy as np
    >>> from trueval.rank._rate import precision_curve
    >>> from trueval.rank._sample import Sample
    >>> tied = Sample(np.array([0.2, 0.7]), np.array([2.0, 2.0]), np.array([0.0, 1.0]), 0, 0)
    >>> u, v = precision_curve(tied)
    >>> u.tolist(), v.round(3).tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.25, 0.333, 0.5, 0.5])
    """
    n = int(sample.n)
    label = np.repeat(sample.positives / sample.size, sample.size.astype(np.int64))
    above = np.cumsum(label[::-1])[::-1]
    return np.arange(1, n + 1) / n, above / np.arange(n, 0, -1)
