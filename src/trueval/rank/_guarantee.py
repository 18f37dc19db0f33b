"""Lower bounds along a list of pairs, for each kind of guarantee.

``"exact"`` bounds each number of predictions on its own. ``"simultaneous"`` pays for the choice:
numbers of predictions are tested one after the other, in an order that does not depend on the
labels, until the first that fails; where the values do not say where to begin, and for F-beta,
all are bounded at once by a band. For one new set, the numbers that passed in the population are
bounded once more, each on its own.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueval.rank._bounds import lower_bounds, studentised_deviations
from trueval.rank._moments import Measure, Moments, measure_of, moments

if TYPE_CHECKING:
    from trueval.rank._pairs import RankedPairs

__all__ = ["GUARANTEES", "Bounded", "Guarantee", "order_of_tests"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
GUARANTEES = ("exact", "simultaneous", "fdr")
N_CANDIDATES = 512
MOST_ENDS = 1 << 20  # numbers of predictions with sums of their own, for recall and F-beta
FIRST_CALLS = 100  # always in the range of a precision
LEAST_CALLS = 10  # a band of recall or F-beta begins here


@dataclass(frozen=True)
class Guarantee:
    """What is promised of a measure.

    Attributes
    ----------
    kind : {"exact", "simultaneous"}
    confidence : float
    for_new : int or None
        Objects of the one new set that is meant; None for the population.
    lowest : float
        The least of all targets asked for at once.
    """

    kind: str
    confidence: float
    for_new: int | None = None
    lowest: float = 1.0

    def bounds(
        self, pairs: "RankedPairs", name: str, wanted: float, generator: np.random.Generator
    ) -> "Bounded":
        """Lower bounds of a target's measure at the numbers of predictions to choose from."""
        along = _Along(pairs, measure_of(name, wanted), self._range(pairs, name))
        new_share = None if self.for_new is None else self.for_new / max(pairs.n_effective, 1)
        if len(along.ends) == 0:
            return Bounded(along.ends, np.empty(0))
        critical = float(special.ndtri(self.confidence))
        if self.kind == "exact":
            return self._each(along, name, wanted, critical, new_share)
        grid = _spread(np.arange(len(along.ends)))
        order = order_of_tests(along.ends[grid], pairs.value, name, wanted, self.confidence)
        if order is None:
            critical, first = self._critical(along, grid, name, new_share, generator)
            grid = grid[first:]
            return Bounded(along.ends[grid], along.bound(grid, critical, new_share))
        # The choice is tested in the population. A new set adds an error that does not know which
        # of the numbers that passed is chosen, so that its bound is of each on its own.
        grid = grid[order]
        failed = np.flatnonzero(along.bound(grid, critical, None) < wanted - 1e-12)
        n_passed = failed[0] if len(failed) else len(grid)
        passed = np.sort(grid[: max(n_passed, 1)])  # if none has, the first says what is reached
        return Bounded(along.ends[passed], along.bound(passed, critical, new_share))

    def _range(self, pairs: "RankedPairs", name: str) -> Int:
        """Numbers of predictions that a choice may fall on, whatever the labels of the pairs."""
        ends = pairs.ends(self.most_calls(pairs, name))
        if name == "precision":
            most = pairs.positives.sum() / self.lowest
            least = 1 if self.kind == "exact" else self._least_hits(1 - self.confidence)
            return ends[(ends >= least) & ((ends <= FIRST_CALLS) | (pairs.calls(ends) <= most))]
        ends = _spread(ends, MOST_ENDS)
        if self.kind == "exact" or len(ends) == 0:
            return ends
        return ends[ends >= min(LEAST_CALLS, ends[-1])]

    def most_calls(self, pairs: "RankedPairs", name: str) -> int | None:
        """Predictions beyond which a choice cannot fall; None if it may anywhere.

        More have too low a precision even if all positives are hits; the first hundred are for
        what can be reached, where the target cannot.
        """
        if name != "precision" or pairs.weight is not None:
            return None
        return max(FIRST_CALLS, int(pairs.positives.sum() / self.lowest))

    def _least_hits(self, tail: float) -> int:
        """Hits without a miss that the exact bound of a precision takes to pass."""
        return math.ceil(math.log(tail) / math.log(min(self.lowest, 0.999)) - 1e-9)

    def _critical(
        self,
        along: "_Along",
        grid: Int,
        name: str,
        new_share: float | None,
        generator: np.random.Generator,
    ) -> tuple[float, int]:
        """Standard errors by which all estimates are at most too high, with the confidence.

        And where on the grid the band begins: before that, no precision could pass.
        """
        ends = along.ends[grid]
        deviation = studentised_deviations(
            along.unit,
            along.hit,
            along.positives,
            ends,
            along.moments.take(grid),
            along.measure,
            generator,
            along.weight,
        )
        new_set = generator.standard_normal(len(deviation))

        def quantile(first: int) -> float:
            # Minus infinity where nothing varies, such as hits alone: no error to pay for.
            largest = np.maximum(deviation[:, first:].max(axis=1), -1e9)
            if new_share is not None:
                # The new set's own error does not know which threshold was chosen.
                error = np.sqrt(1 / new_share)
                largest = (largest + error * new_set) / np.sqrt(1 + error**2)
            return float(max(np.quantile(largest, self.confidence), special.ndtri(self.confidence)))

        critical = quantile(0)
        if name != "precision":
            return critical, 0
        least = self._least_hits(float(special.ndtr(-critical)))
        first = min(int(np.searchsorted(ends, least)), len(ends) - 1)
        return quantile(first), first

    def _each(
        self,
        along: "_Along",
        name: str,
        wanted: float,
        critical: float,
        new_share: float | None,
    ) -> "Bounded":
        """Bounds on their own: at some of the numbers, and closer around the best of them."""
        everywhere = np.arange(len(along.ends))
        able = everywhere
        if name != "beta":
            spread = 1.0 if new_share is None else np.sqrt(1 + 1 / new_share)
            error = along.moments.standard_error(along.measure)
            at_most = along.moments.ratio(along.measure) - critical * spread * error
            able = np.flatnonzero(at_most >= wanted - 1e-12)  # no bound exceeds this one
        tried = _spread(able if len(able) else everywhere)
        bound = along.bound(tried, critical, new_share)
        good = np.flatnonzero(bound >= wanted - 1e-12)
        if name == "beta" or len(good) == 0 or len(tried) == len(able):
            return Bounded(along.ends[tried], bound)
        at = good[-1] if name == "precision" else good[0]
        step = 1 if name == "precision" else -1
        beyond = tried[min(max(at + step, 0), len(tried) - 1)]
        low, high = sorted((tried[at], beyond))
        closer = _spread(able[(able >= low) & (able <= high)])
        return Bounded(along.ends[closer], along.bound(closer, critical, new_share))


@dataclass(frozen=True, eq=False)
class Bounded:
    """Numbers of predictions, and the lower bound at each."""

    ends: Int
    bound: Float


class _Along:
    """Pairs by unit along the list, with what bounds need."""

    def __init__(self, pairs: "RankedPairs", measure: Measure, ends: Int) -> None:
        self.unit = pairs.row if pairs.group is None else pairs.group[pairs.row]
        self.hit = pairs.hit
        self.positives = pairs.by_unit(pairs.positives)
        self.measure, self.ends = measure, ends
        self._grouped = pairs.group is not None
        self.weight = self._squares = None
        if pairs.weight is not None:
            self.weight = pairs.weight[pairs.row]
            self._squares = float(pairs.weight @ pairs.positives)

    @cached_property
    def moments(self) -> Moments:
        return moments(
            self.unit,
            self.hit,
            self.positives,
            self.ends,
            grouped=self._grouped,
            weight=self.weight,
            wn=self._squares,
        )

    @cached_property
    def effect(self) -> Float:
        return self.moments.design_effect(self.measure)

    def bound(self, which: Int, critical: float, new_share: float | None) -> Float:
        """Lower bounds at some of the numbers of predictions."""
        some = self.moments.take(which)
        return lower_bounds(some, self.measure, self.effect[which], critical, new_share)


def order_of_tests(
    ends: Int, value: Float, name: str, wanted: float, confidence: float
) -> Int | None:
    """Order in which numbers of predictions are tested, by the values alone; None if they say none.

    Fewer predictions have a lower recall, so that recall is tested from the most predictions on.
    Precision is tested from where the exact bound most likely passes if calibrated scores are
    the chances of hits, then at more predictions. Each test is at the full level: the first target
    that is not met in truth is the only one whose test can err (fixed-sequence testing, Maurer,
    Hothorn and Lehmacher 1995).

    >>> import numpy as np
    >>> from trueval.rank._guarantee import order_of_tests
    >>> ends, value = np.array([10, 20, 30]), np.repeat([0.9, 0.1], [20, 10])
    >>> order_of_tests(ends, value, "precision", 0.7, 0.9).tolist()
    [1, 2]
    >>> order_of_tests(ends, value, "recall", 0.7, 0.9).tolist()
    [2, 1, 0]
    """
    if name == "recall":
        return np.arange(len(ends))[::-1]
    if name == "beta" or value[0] > 1 or value[ends[-1] - 1] < 0:
        return None
    expected = (np.cumsum(value[: ends[-1]])[ends - 1] + 0.5) / (ends + 1)
    clear = (expected - wanted) * np.sqrt(ends / (expected * (1 - expected)))
    if clear.max() <= 0:
        return None
    failure = _chance_of_failure(ends.astype(np.float64), expected, wanted, 1 - confidence)
    failure[clear <= 0] = 1.0
    first = int(np.lexsort((-clear, failure))[0])  # the clearest where none is likely to fail
    return np.arange(first, len(ends))


def _chance_of_failure(trials: Float, expected: Float, wanted: float, tail: float) -> Float:
    """Chance that the exact bound of a share is below the wanted one, where hits have a chance.

    >>> import numpy as np
    >>> from trueval.rank._guarantee import _chance_of_failure
    >>> trials = np.array([21.0, 22.0, 37.0, 38.0])  # of which 0, 0, 0 and 1 may be misses
    >>> _chance_of_failure(trials, np.full(4, 0.95), 0.9, 0.1).round(3).tolist()
    [1.0, 0.676, 0.85, 0.573]
    """
    able = trials * math.log(wanted) <= math.log(tail)  # if all are hits
    misses = np.floor(special.bdtrik(tail, trials, 1 - wanted) + 1e-9)
    misses = np.where(able, misses, 0.0)
    # A binomial number exceeds a whole number of misses.
    chance = special.betainc(misses + 1, trials - misses, 1 - expected)
    return np.where(able, chance, 1.0)


def _spread(able: Int, most: int | None = None) -> Int:
    """Some of the candidates: all if few, else evenly and, for the small ones, by ratio."""
    most = N_CANDIDATES if most is None else most
    if len(able) <= most:
        return able
    even = np.linspace(0, len(able) - 1, most // 2)
    by_ratio = np.geomspace(1, len(able), most // 2) - 1
    return able[np.unique(np.concatenate([even, by_ratio]).astype(np.int64))]
