"""Sums over objects, or groups, at every number of predictions: what a standard error needs.

The predictions are the first pairs of a list. While the list grows by one pair, the sums of
squares and products over units (objects, or groups of them) grow by what the pair's unit has
so far, so that one pass gives them at every length.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels

__all__ = ["Measure", "Moments", "before", "measure_of", "moments"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
_ALONG = ("hits", "calls", "hh", "hc", "cc", "hn", "cn", "ww")
FEW_MISSES = 10  # fewer say nothing of how misses gather in units


@dataclass(frozen=True)
class Measure:
    """A ratio of sums over pairs: weight × hits / (of_calls × calls + of_positives × positives).

    Precision is (1, 1, 0), recall (1, 0, 1), F-beta (1 + β², 1, β²).
    """

    weight: float
    of_calls: float
    of_positives: float

    @property
    def is_share(self) -> bool:
        """Whether it is a share of hits among pairs, hence binomial if pairs are independent."""
        return self.of_calls * self.of_positives == 0


def measure_of(name: str, wanted: float) -> Measure:
    """Measure of a target.

    >>> from trueval.rank._moments import measure_of
    >>> measure_of("beta", 2.0)
    Measure(weight=5.0, of_calls=1.0, of_positives=4.0)
    """
    if name == "precision":
        return Measure(1.0, 1.0, 0.0)
    if name == "recall":
        return Measure(1.0, 0.0, 1.0)
    return Measure(1.0 + wanted**2, 1.0, wanted**2)


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over units at some numbers of predictions.

    Attributes
    ----------
    hits, calls : ndarray of float64
    hh, hc, cc, hn, cn : ndarray of float64
        Sums over units of products of a unit's hits, calls and positives.
    ww : ndarray of float64
        Sum of the squared weights of the predictions; their number without weights.
    positives, nn, wn : float
        Sum, and sum of squares, of the units' positives; sum of the squared weights of the
        positives.
    grouped : bool
        Whether units are groups of objects.
    """

    hits: Float
    calls: Float
    hh: Float
    hc: Float
    cc: Float
    hn: Float
    cn: Float
    ww: Float
    positives: float
    nn: float
    wn: float
    grouped: bool

    def take(self, which: Int) -> "Moments":
        """At some of the numbers of predictions."""
        sums = {name: getattr(self, name)[which] for name in _ALONG}
        return replace(self, **sums)

    def ratio(self, measure: Measure) -> Float:
        """The measure itself."""
        return measure.weight * self.hits / np.maximum(self._size(measure), 1e-300)

    def standard_error(self, measure: Measure) -> Float:
        """Of the measure, between units (linearised)."""
        return np.sqrt(self._between(measure)) / np.maximum(self._size(measure), 1e-300)

    def units(self, measure: Measure) -> Float:
        """Number of units that weigh as these do, if they weighed alike."""
        b, d = measure.of_calls, measure.of_positives
        squares = b * b * self.cc + 2 * b * d * self.cn + d * d * self.nn
        return self._size(measure) ** 2 / np.maximum(squares, 1e-300)

    def trials(self, measure: Measure) -> Float:
        """Pairs the hits are a share of: calls, positives, or both together for F-beta."""
        if not measure.of_positives:
            return self.calls
        if not measure.of_calls:
            return np.full(len(self.hits), self.positives)
        return self.calls + self.positives - self.hits

    def design_effect(self, measure: Measure) -> Float:
        """By how much fewer independent pairs would know as much (Korn and Graubard 1998)."""
        b, d = measure.of_calls, measure.of_positives
        ratio = self.ratio(measure)
        false, missed = self.calls - self.hits, self.positives - self.hits
        between_pairs = self.hits * (measure.weight - ratio * (b + d)) ** 2 + ratio**2 * (
            false * b * b + missed * d * d
        )
        effect = self._between(measure) / np.maximum(between_pairs, 1e-300)
        in_calls, in_positives = float(b > 0), float(d > 0)
        squares = in_calls * self.cc + 2 * in_calls * in_positives * self.cn
        size = in_calls * self.calls + in_positives * self.positives
        most = (squares + in_positives * self.nn) / np.maximum(size, 1e-300)
        # What unequal weights cost, 1 without weights; pairs know no more than this.
        least = (in_calls * self.ww + in_positives * self.wn) / np.maximum(size, 1e-300)
        few = self.trials(measure) - self.hits < FEW_MISSES * least
        known = np.flatnonzero(~few)
        # Too few misses to see how they gather: groups are taken to be of one piece, objects
        # as they are further down the list.
        unknown = most if self.grouped else effect[known[0]] if len(known) else least
        return np.clip(np.where(few, unknown, effect), least, np.maximum(most, least))

    def _size(self, measure: Measure) -> Float:
        return measure.of_calls * self.calls + measure.of_positives * self.positives

    def _between(self, measure: Measure) -> Float:
        """Sum over units of the squared residual of the ratio."""
        a, b, d = measure.weight, measure.of_calls, measure.of_positives
        ratio = self.ratio(measure)
        squares = b * b * self.cc + 2 * b * d * self.cn + d * d * self.nn
        products = a * (b * self.hc + d * self.hn)
        return np.maximum(a * a * self.hh - 2 * ratio * products + ratio**2 * squares, 0.0)


def before(unit: NDArray[np.integer], hit: NDArray[np.bool_]) -> tuple[Float, Float]:
    """Pairs, and hits, that each pair's unit has before it in the list.

    >>> import numpy as np
    >>> from trueval.rank._moments import before
    >>> [a.tolist() for a in before(np.array([0, 1, 0, 0]), np.array([True, True, False, True]))]
    [[0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 1.0, 1.0]]
    """
    n = len(unit)
    order = np.argsort(unit, kind="stable")
    sorted_unit, sorted_hit = unit[order], hit[order].astype(np.float64)
    first = np.flatnonzero(np.diff(sorted_unit, prepend=-1))
    size = np.diff(np.append(first, n))
    calls, hits = np.empty(n), np.empty(n)
    calls[order] = np.arange(n) - np.repeat(first, size)
    through = np.cumsum(sorted_hit) - sorted_hit
    hits[order] = through - np.repeat(through[first], size)
    return calls, hits


def moments(
    unit: NDArray[np.integer],
    hit: NDArray[np.bool_],
    positives: Float,
    ends: Int,
    *,
    grouped: bool = False,
    weight: Float | None = None,
    wn: float | None = None,
) -> Moments:
    """Sums over units of the first pairs, at each of the lengths ``ends``.

    Parameters
    ----------
    unit : ndarray of int32 or int64
        Unit of each pair, the first pair first.
    hit : ndarray of bool
    positives : ndarray of float64
        Of each unit.
    ends : ndarray of int64
        Rising lengths of at least 1.
    grouped : bool, default=False
    weight : ndarray of float64, optional
        Of each pair.
    wn : float, optional
        Sum of the squared weights of all positives, where there are weights.

    Returns
    -------
    Moments
    """
    weights = np.empty(0) if weight is None else weight
    pairs = np.ascontiguousarray(unit), np.ascontiguousarray(hit).view(np.uint8)
    sums = _kernels.unit_moments(*pairs, weights, positives, ends).reshape(len(_ALONG), -1)
    return Moments(
        **dict(zip(_ALONG, sums, strict=True)),
        positives=float(positives.sum()),
        nn=float((positives**2).sum()),
        wn=float(positives.sum()) if wn is None else wn,
        grouped=grouped,
    )
