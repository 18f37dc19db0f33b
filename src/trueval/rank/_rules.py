"""Targets as rules: given pairs with values and labels, how many of them to call."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import ParameterError
from trueval.core.params import BOOL, NONE, Choice, Constraints, Interval, Where
from trueval.rank._bayes import bayes_cut
from trueval.rank._curves import BETA, f_beta
from trueval.rank._guarantee import GUARANTEES, Guarantee
from trueval.rank._moments import before
from trueval.rank._pairs import RankedPairs, Steps

__all__ = ["TARGETS", "Chosen", "Rule", "read_targets"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
DEFAULT_CONFIDENCE = 0.9
OF_SHARES = "left out with {}; it belongs to a wanted precision or recall"

#: Several targets at once.
SHARES = Where(
    lambda values: (
        isinstance(values, list | tuple | np.ndarray)
        and len(values) > 0
        and all(Interval(float, 0, 1, "right").accepts(value) for value in values)
    ),
    "several such",
)

#: What the targets and the confidence may be.
TARGETS: Constraints = {
    "precision": (NONE, Interval(float, 0, 1, "right"), SHARES),
    "recall": (NONE, Interval(float, 0, 1, "right"), SHARES),
    "beta": (NONE, BETA),
    "n_calls": (NONE, Interval(int, 1)),
    "top_k": (NONE, Interval(int, 1)),
    "map": BOOL,
    "cost_ratio": (NONE, Interval(float, 0, closed="neither")),
    "confidence": (NONE, Interval(float, 0.5, 1, "left")),
    "guarantee": (NONE, Choice(GUARANTEES)),
    "for_new": (NONE, Interval(int, 1)),
    "allow_unmet": BOOL,
    "average": Choice(("pairs", "objects")),
}


@dataclass(frozen=True)
class Rule:
    """A target: which number of calls to make on given pairs.

    Attributes
    ----------
    name : {"precision", "recall", "beta", "n_calls", "top_k", "map", "cost_ratio"}
    wanted : float
        For ``"n_calls"``, calls for each object on average, for ``"top_k"`` at most; for
        ``"map"``, 1: equal costs.
    guarantee : Guarantee or None
        What must reach the target: a lower bound, or without one the estimate.
    average : {"pairs", "objects"}
        Whether F-beta is that of all pairs, or the mean of those of the objects.
    """

    name: str
    wanted: float
    guarantee: Guarantee | None = None
    average: str = "pairs"

    @property
    def cut(self) -> float | None:
        """The threshold, where no labels are needed to know it."""
        return bayes_cut(self.wanted) if self.name in ("map", "cost_ratio") else None

    def choose(
        self,
        pairs: RankedPairs,
        generator: np.random.Generator,
        keep: NDArray[np.bool_] | None = None,
    ) -> "Chosen":
        """Threshold, whether the target is met there, and what is reached.

        Where it is not met anywhere, the threshold comes as near as possible. ``keep`` says on
        which objects the choice is made; on all by default.
        """
        if self.cut is not None:
            return Chosen(self.cut, True)
        if self.guarantee is None and self.average == "pairs":
            return self._along(pairs, keep)
        if keep is not None:
            most = None if self.guarantee is None else self.guarantee.most_calls(pairs, self.name)
            pairs = pairs.of_rows(keep, most)
        if len(pairs.value) == 0 or pairs.positives.sum() == 0:
            return Chosen(np.inf, False)
        if self.guarantee is not None:
            bounded = self.guarantee.bounds(pairs, self.name, self.wanted, generator)
            ends, reached = bounded.ends, bounded.bound
        else:
            ends = pairs.ends()
            reached = self._of_objects(pairs, ends)
        if len(ends) == 0:
            return Chosen(np.inf, False)
        at, met = self._best(reached)
        return Chosen(pairs.threshold(int(ends[at])), met, float(reached[at]))

    def _along(self, pairs: RankedPairs, keep: NDArray[np.bool_] | None) -> "Chosen":
        """The choice by estimates, down the list as far as it may still change."""
        positives = pairs.positives if keep is None else np.where(keep, pairs.positives, 0.0)
        total = float(positives.sum())
        if self.name == "n_calls":
            return self._of_number(pairs, keep)
        best = Chosen(np.inf, False)
        if total == 0:
            return best
        for some in pairs.steps(keep):
            if len(some.value) == 0:
                continue
            reached = self._estimates(some, total)
            at, met = self._best(reached)
            if self._better(met, float(reached[at]), best):
                best = Chosen(some.threshold(at), met, float(reached[at]))
            if self._decided(best, float(some.calls[-1]), total):
                break
        return best

    def _of_number(self, pairs: RankedPairs, keep: NDArray[np.bool_] | None) -> "Chosen":
        """As many calls as do not exceed a number."""
        size = pairs.size if keep is None else pairs.size_of(keep)
        wanted, count, threshold = self.wanted * size, 0.0, np.inf
        for some in pairs.steps(keep):
            enough = np.flatnonzero(some.calls <= wanted + 1e-9)
            if len(enough):
                count, threshold = float(some.calls[enough[-1]]), some.threshold(enough[-1])
            if len(enough) < len(some.calls):
                break
        return Chosen(threshold, abs(count - wanted) < 0.5)

    def _estimates(self, some: Steps, total: float) -> Float:
        """The measure at some numbers of calls."""
        if self.name == "beta":
            return np.asarray(f_beta(some.hits, some.calls, total, self.wanted))
        return some.hits / (some.calls if self.name == "precision" else total)

    def _better(self, met: bool, reached: float, best: "Chosen") -> bool:
        """Whether more calls are to be made than for the best so far."""
        if np.isnan(best.reached):
            return True
        if self.name == "precision":
            return met or (not best.met and reached >= best.reached)
        return not (best.met and self.name == "recall") and reached > best.reached

    def _decided(self, best: "Chosen", calls: float, total: float) -> bool:
        """Whether no larger number of calls can be better, even if all positives are hits."""
        if self.name == "recall":
            return best.met
        if self.name == "beta":
            at_most = float(f_beta(total, calls, total, self.wanted))
        else:
            at_most = total / calls
        wanted = self.wanted - 1e-12 if self.name == "precision" and best.met else best.reached
        return at_most * (1 + 1e-9) < wanted

    def _of_objects(self, pairs: RankedPairs, ends: Int) -> Float:
        """Mean F-beta of the objects: one pair more changes that of its object alone."""
        calls, hits = before(pairs.row, pairs.hit)
        positives, weight = pairs.positives[pairs.row], 1.0
        if pairs.weight is not None:
            weight = pairs.weight[pairs.row]
            positives = positives / np.where(weight > 0, weight, 1.0)
        growth = f_beta(hits + pairs.hit, calls + 1, positives, self.wanted)
        growth -= f_beta(hits, calls, positives, self.wanted)
        return np.cumsum(weight * growth)[ends - 1] / pairs.size

    def _best(self, reached: Float) -> tuple[int, bool]:
        """As many calls as a precision allows, as few as a recall takes, or the best F."""
        if self.name == "beta":
            return int(np.argmax(reached)), True
        good = np.flatnonzero(reached >= self.wanted - 1e-12)
        if self.name == "precision":
            at = int(good[-1]) if len(good) else int(len(reached) - 1 - np.argmax(reached[::-1]))
        else:
            at = int(good[0]) if len(good) else int(np.argmax(reached))
        return at, bool(len(good))


@dataclass(frozen=True)
class Chosen:
    """A threshold, whether the target is met there, and what is reached.

    ``reached`` is the lower bound with a guarantee, else the estimate on the given pairs; NaN
    for targets that need neither.
    """

    threshold: float
    met: bool
    reached: float = np.nan


def read_targets(
    *,
    precision: Any = None,
    recall: Any = None,
    beta: Any = None,
    n_calls: Any = None,
    top_k: Any = None,
    by_map: Any = False,
    cost_ratio: Any = None,
    confidence: Any = None,
    guarantee: Any = None,
    for_new: Any = None,
    average: str = "pairs",
) -> tuple[list[Rule], bool]:
    """The target that was asked for, or several of one kind; and whether it was a sequence."""
    targets = {
        "precision": precision,
        "recall": recall,
        "beta": beta,
        "n_calls": n_calls,
        "top_k": top_k,
        "map": 1.0 if by_map else None,
        "cost_ratio": cost_ratio,
    }
    asked = [name for name, value in targets.items() if value is not None]
    if len(asked) != 1:
        raise ParameterError(
            "precision",
            "given, or exactly one of recall, beta, n_calls, top_k, map and cost_ratio",
            " and ".join(asked) or None,
            "pick_threshold",
        )
    name = asked[0]
    wanted = [float(value) for value in np.atleast_1d(targets[name])]
    _check_guarantee(name, targets[name], confidence, guarantee, for_new)
    if average == "objects" and (name != "beta" or guarantee is not None):
        beside = (name, True if name == "map" else targets[name])
        if name == "beta":
            beside = ("guarantee", guarantee)
        raise ParameterError("average", "'pairs' with {}", average, "pick_threshold", beside)
    if guarantee == "fdr" or (confidence is None and guarantee is None):
        rules = [Rule(name, value, average=average) for value in wanted]
    else:
        sure = DEFAULT_CONFIDENCE if confidence is None else float(confidence)
        kind = "exact" if guarantee is None else str(guarantee)
        sure = 1 - (1 - sure) / len(wanted)
        promise = Guarantee(kind, sure, for_new, min(wanted))
        rules = [Rule(name, value, promise) for value in wanted]
    return rules, np.ndim(targets[name]) > 0


def _check_guarantee(name: str, value: Any, confidence: Any, guarantee: Any, for_new: Any) -> None:
    """Refuse what does not belong together."""
    target = (name, True if name == "map" else value)

    def refuse(parameter: str, expected: str, got: Any, beside: Any = target) -> None:
        raise ParameterError(parameter, expected, got, "pick_threshold", beside)

    simultaneous = name == "beta" and guarantee == "simultaneous"
    promised = name in ("precision", "recall") or simultaneous
    if confidence is not None and not promised:
        refuse("confidence", OF_SHARES, confidence)
    if guarantee is not None and not promised:
        belongs = "'simultaneous' or left out" if name == "beta" else "left out"
        refuse("guarantee", f"{belongs} with {{}}", guarantee)
    if guarantee == "fdr":
        if name != "precision":
            refuse("guarantee", "'exact' or 'simultaneous' with {}", guarantee)
        if confidence is not None:
            expected = "left out with {}, which holds on average over data sets"
            refuse("confidence", expected, confidence, ("guarantee", guarantee))
        if for_new is not None:
            expected = "left out with {}, which is of the new set in any case"
            refuse("for_new", expected, for_new, ("guarantee", guarantee))
    if for_new is not None and not promised:
        refuse("for_new", OF_SHARES, for_new)
    if for_new is not None and confidence is None and guarantee is None:
        expected = "given with a confidence or a guarantee"
        refuse("for_new", expected, for_new)
