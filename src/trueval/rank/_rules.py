"""Targets as rules: given pairs with values and labels, how many of them to call."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import norm

from trueval.core.errors import ParameterError
from trueval.core.labels import Labels
from trueval.core.params import BOOL, NONE, Constraints, Interval
from trueval.core.scores import Scores
from trueval.rank._bayes import bayes_cut
from trueval.rank._curves import BETA, f_beta, member_mask
from trueval.rank._resample import resampled_sums
from trueval.rank._thresholds import midpoint_below

__all__ = ["TARGETS", "RankedPairs", "Rule", "read_target"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
N_CANDIDATES = 256

#: What the targets and the confidence may be.
TARGETS: Constraints = {
    "precision": (NONE, Interval(float, 0, 1, "right")),
    "recall": (NONE, Interval(float, 0, 1, "right")),
    "beta": (NONE, BETA),
    "n_calls": (NONE, Interval(int, 1)),
    "map": BOOL,
    "cost_ratio": (NONE, Interval(float, 0, closed="neither")),
    "confidence": (NONE, Interval(float, 0.5, 1, "left")),
}


@dataclass(frozen=True, eq=False)
class RankedPairs:
    """Stored pairs, the highest value first, with their objects and labels.

    Attributes
    ----------
    value : ndarray of float64
    row : ndarray of int64
    hit : ndarray of bool
    positives : ndarray of float64
        Of each object, stored or not.
    n_rows : int
    group : ndarray of int64 or None
        Number of each object's group, where objects belong together.
    """

    value: Float
    row: Int
    hit: NDArray[np.bool_]
    positives: Float
    n_rows: int
    group: Int | None = None

    @classmethod
    def of(cls, values: Scores, labels: Labels, group: Int | None = None) -> "RankedPairs":
        """Sort all stored pairs."""
        rows, _, value = values.stored
        order = np.argsort(-value, kind="stable")
        hit = member_mask(values, labels)
        positives = np.diff(labels.indptr).astype(np.float64)
        return cls(value[order], rows[order], hit[order], positives, values.n_rows, group)

    def of_rows(self, keep: NDArray[np.bool_]) -> "RankedPairs":
        """The pairs of some objects."""
        mine = keep[self.row]
        positives = np.where(keep, self.positives, 0.0)
        n_kept = int(keep.sum())
        return RankedPairs(
            self.value[mine], self.row[mine], self.hit[mine], positives, n_kept, self.group
        )

    def by_unit(self, column: Float) -> Float:
        """Sums of a column of objects over what is resampled: groups, or the objects."""
        if self.group is None:
            return column
        return np.bincount(self.group, weights=column).astype(np.float64, copy=False)

    def ends(self) -> Int:
        """Number of calls at each distinct value."""
        if len(self.value) == 0:
            return np.empty(0, np.int64)
        return 1 + np.flatnonzero(np.append(self.value[1:] != self.value[:-1], True))

    def threshold(self, n_calls: int) -> float:
        """Value that calls exactly the first n_calls pairs."""
        if n_calls == 0:
            return np.inf
        if n_calls == len(self.value):
            return -np.inf
        return midpoint_below(self.value[[n_calls, n_calls - 1]], 1)


@dataclass(frozen=True)
class Rule:
    """A target: which number of calls to make on given pairs.

    Attributes
    ----------
    name : {"precision", "recall", "beta", "n_calls", "map", "cost_ratio"}
    wanted : float
        For ``"n_calls"``, calls for each object; for ``"map"``, 1: equal costs.
    confidence : float or None
    """

    name: str
    wanted: float
    confidence: float | None

    @property
    def cut(self) -> float | None:
        """The threshold, where no labels are needed to know it."""
        return bayes_cut(self.wanted) if self.name in ("map", "cost_ratio") else None

    def choose(self, pairs: RankedPairs, generator: np.random.Generator) -> tuple[float, bool]:
        """Threshold, and whether the target is met."""
        if self.cut is not None:
            return self.cut, True
        ends = pairs.ends()
        total = float(pairs.positives.sum())
        if len(ends) == 0 or (total == 0 and self.name != "n_calls"):
            return np.inf, False
        hits = np.cumsum(pairs.hit)[ends - 1].astype(np.float64)
        if self.name == "beta":
            at = int(np.argmax(f_beta(hits, ends.astype(float), total, self.wanted)))
            return pairs.threshold(int(ends[at])), True
        if self.name == "n_calls":
            wanted = self.wanted * pairs.n_rows
            enough = np.flatnonzero(ends <= wanted + 1e-9)
            n_calls = int(ends[enough[-1]]) if len(enough) else 0
            return pairs.threshold(n_calls), n_calls == round(wanted)
        n = ends.astype(np.float64) if self.name == "precision" else np.full(len(ends), total)
        if self.confidence is not None:
            ends, reached = self._bounds(pairs, ends, hits / n, n, generator)
        else:
            reached = hits / n
        at, met = self._best(reached)
        return pairs.threshold(int(ends[at])), met

    def _best(self, reached: Float) -> tuple[int, bool]:
        """As many calls as a precision allows, as few as a recall takes."""
        good = np.flatnonzero(reached >= self.wanted - 1e-12)
        if self.name == "precision":
            at = int(good[-1]) if len(good) else int(len(reached) - 1 - np.argmax(reached[::-1]))
        else:
            at = int(good[0]) if len(good) else int(np.argmax(reached))
        return at, bool(len(good))

    def _bounds(
        self,
        pairs: RankedPairs,
        ends: Int,
        reached: Float,
        n: Float,
        generator: np.random.Generator,
    ) -> tuple[Int, Float]:
        """Lower confidence bounds at the numbers of calls where they decide."""
        assert self.confidence is not None
        wilson = _wilson(reached, n, self.confidence)
        # No bound exceeds Wilson's, so that only these can be good enough; and if none
        # can, the best is among the best of these.
        able = np.flatnonzero(wilson >= self.wanted - 1e-12)
        if len(able) == 0:
            able = np.sort(np.argsort(-wilson, kind="stable")[:N_CANDIDATES])
        tried = _spread(able)
        bound = np.minimum(self._resampled(pairs, ends[tried], generator), wilson[tried])
        at, met = self._best(bound)
        if met and len(tried) < len(able):  # look closer, between this and the next worse
            step = 1 if self.name == "precision" else -1
            beyond = (
                tried[at + step] if 0 <= at + step < len(tried) else able[0 if step < 0 else -1]
            )
            low, high = sorted((tried[at], beyond))
            closer = _spread(able[(able >= low) & (able <= high)])
            more = np.minimum(self._resampled(pairs, ends[closer], generator), wilson[closer])
            tried, bound = np.append(tried, closer), np.append(bound, more)
            order = np.argsort(tried, kind="stable")
            tried, bound = tried[order], bound[order]
        return ends[tried], bound

    def _resampled(self, pairs: RankedPairs, ends: Int, generator: np.random.Generator) -> Float:
        """The bound by resampling objects or groups, at some numbers of calls."""
        assert self.confidence is not None
        row, hit = pairs.row[: ends[-1]], pairs.hit[: ends[-1]]
        unit = row if pairs.group is None else pairs.group[row]
        bins = np.searchsorted(ends, np.arange(1, ends[-1] + 1))
        size = len(ends)
        positives = pairs.by_unit(pairs.positives)
        found = _table(unit[hit], bins[hit], (len(positives), size))
        if self.name == "precision":
            other = _table(unit, bins, (len(positives), size))
        else:
            other = sp.csr_array(positives[:, None])
        both = sp.hstack([found, other], format="csr")
        sums = resampled_sums(both[np.flatnonzero(np.diff(both.indptr))], generator)
        hits, total = np.cumsum(sums[:, :size], axis=1), np.cumsum(sums[:, size:], axis=1)
        share = np.where(total > 0, hits / np.where(total > 0, total, 1.0), 0.0)
        return np.quantile(share, 1 - self.confidence, axis=0)


def read_target(
    precision: Any,
    recall: Any,
    beta: Any,
    n_calls: Any,
    confidence: Any,
    by_map: Any = False,
    cost_ratio: Any = None,
) -> Rule:
    """The one target that was asked for, each as its constraint in ``TARGETS`` allows."""
    targets = {
        "precision": precision,
        "recall": recall,
        "beta": beta,
        "n_calls": n_calls,
        "map": 1.0 if by_map else None,
        "cost_ratio": cost_ratio,
    }
    chosen = [name for name, value in targets.items() if value is not None]
    if len(chosen) != 1:
        raise ParameterError(
            "precision",
            "given, or exactly one of recall, beta, n_calls, map and cost_ratio in its place",
            " and ".join(chosen) or None,
            "pick_threshold",
        )
    name = chosen[0]
    value = targets[name]
    if confidence is None:
        return Rule(name, float(value), None)
    if name not in ("precision", "recall"):
        raise ParameterError(
            "confidence",
            f"left out with {name}={value!r}; it belongs to a wanted precision or recall",
            confidence,
            "pick_threshold",
        )
    return Rule(name, float(value), float(confidence))


def _spread(able: Int) -> Int:
    """Some of the candidates: all if few, else evenly and, for the small ones, by ratio."""
    if len(able) <= N_CANDIDATES:
        return able
    even = np.linspace(0, len(able) - 1, N_CANDIDATES // 2)
    by_ratio = np.geomspace(1, len(able), N_CANDIDATES // 2) - 1
    return able[np.unique(np.concatenate([even, by_ratio]).astype(np.int64))]


def _table(row: Int, bins: Int, shape: tuple[int, int]) -> sp.csr_array:
    """How many pairs of each object lie between one candidate and the next."""
    return sp.csr_array(sp.coo_array((np.ones(len(row)), (row, bins)), shape=shape))


def _wilson(share: Float, n: Float, confidence: float) -> Float:
    """Lower bound of a share: a resample of nothing but hits knows no doubt, this does."""
    z = float(norm.ppf(confidence))
    middle = share + z * z / (2 * n)
    spread = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n)
