"""What a chosen threshold is expected to do, and the sentences that say so."""

import numpy as np
from numpy.typing import NDArray

from trueval.rank._bayes import judged_cost
from trueval.rank._curves import f_beta
from trueval.rank._guarantee import Guarantee
from trueval.rank._pairs import RankedPairs
from trueval.rank._resample import resampled_sums
from trueval.rank._rules import Chosen, Rule

__all__ = ["Expected", "expected_of", "fdr_promise", "judged", "promise_of", "unmet_message"]

Float = NDArray[np.float64]
Interval = tuple[float, float]


class Expected:
    """Measures on new objects, with intervals by resampling objects or groups."""

    def __init__(
        self,
        measures: dict[str, float],
        intervals: dict[str, Interval],
        level: float,
        beta: float,
        average: str = "pairs",
    ) -> None:
        self.measures, self.intervals = measures, intervals
        self.level = level
        self.f_name = f"mean F{beta:g} of objects" if average == "objects" else f"F{beta:g}"

    def __str__(self) -> str:
        def show(name: str) -> str:
            low, high = self.intervals[name]
            return f"{self.measures[name]:.3f} ({low:.3f} to {high:.3f})"

        return (
            f"on new objects expect precision {show('precision')}, recall {show('recall')}, "
            f"{self.f_name} {show('f')}, {self.measures['calls_per_object']:.3g} calls for each "
            f"object; intervals at {self.level:.0%}"
        )


def expected_of(
    rule: Rule,
    hits: Float,
    calls: Float,
    pairs: RankedPairs,
    level: float,
    generator: np.random.Generator,
) -> Expected:
    """From the honest hits and calls of each object."""
    weight = np.ones(pairs.n_rows) if pairs.weight is None else pairs.weight
    columns = [weight * hits, weight * calls, pairs.positives, weight]
    if rule.average == "objects":
        positives = pairs.positives / np.where(weight > 0, weight, 1.0)
        columns.append(weight * f_beta(hits, calls, positives, rule.wanted))
    table = np.column_stack([pairs.by_unit(column) for column in columns])
    beta = 1.0 if rule.name != "beta" else rule.wanted
    cost = None if rule.cut is None else rule.wanted
    measures = {name: float(v) for name, v in _measures(table.sum(axis=0), beta, cost).items()}
    tails = [(1 - level) / 2, (1 + level) / 2]
    intervals = {}
    for name, drawn in _measures(resampled_sums(table, generator).T, beta, cost).items():
        low, high = np.quantile(drawn, tails)
        intervals[name] = (float(low), float(high))
    return Expected(measures, intervals, level, beta, rule.average)


def _measures(sums: Float, beta: float, cost_ratio: float | None) -> dict[str, Float]:
    """From sums of hits, calls, positives, objects and, for their mean, the F of objects."""
    hits, calls, positives, objects, *of_objects = sums
    objects = np.maximum(objects, 1e-300)  # all that were drawn may have weight 0
    costs = {}
    if cost_ratio is not None:
        costs["cost"] = (cost_ratio * (calls - hits) + positives - hits) / objects
    return costs | {
        "precision": np.where(calls > 0, hits / np.where(calls > 0, calls, 1.0), 0.0),
        "recall": np.where(positives > 0, hits / np.where(positives > 0, positives, 1.0), 0.0),
        "f": of_objects[0] / objects if of_objects else f_beta(hits, calls, positives, beta),
        "calls_per_object": calls / objects,
    }


def judged(rule: Rule, chosen: Chosen, expected: Expected, pairs: RankedPairs) -> tuple[bool, str]:
    """Whether the target is met, here and on new objects, and what there is to say of it."""
    met = chosen.met
    if rule.cut is not None:
        nothing = float(pairs.positives.sum()) / pairs.size
        called = pairs.value >= rule.cut
        weight = None if pairs.weight is None else pairs.weight[pairs.row][called]
        some = called.any() if weight is None else weight.any()
        claimed = float(np.average(pairs.value[called], weights=weight)) if some else np.nan
        met, text = judged_cost(
            rule.cut, claimed, nothing, expected.measures, expected.intervals, expected.level
        )
        return met, text
    if not chosen.met:
        return False, unmet_message(rule, chosen, pairs)
    if expected.measures.get(rule.name, np.inf) < rule.wanted - 1e-12:
        # Reached where it was chosen, perhaps, and clearly not elsewhere.
        met = expected.intervals[rule.name][1] >= rule.wanted - 1e-12
        less = "less is" if met else "clearly less is"
        return met, (
            f"a {rule.name} of {rule.wanted:g} is reached on the given objects but {less} expected "
            "on new ones"
        )
    return met, ""


def unmet_message(rule: Rule, chosen: Chosen, pairs: RankedPairs) -> str:
    """Why a target cannot be met, and what can be reached."""
    if rule.name == "n_calls":
        wanted = round(rule.wanted * pairs.size)
        return (
            f"exactly {wanted:,} calls cannot be made: only {len(pairs.value):,} pairs have a "
            "score, or equal scores straddle the cut"
        )
    sure = "" if rule.guarantee is None else f" with confidence {rule.guarantee.confidence:g}"
    where = "cannot be met at any threshold"
    if rule.guarantee is not None and rule.guarantee.kind == "simultaneous":
        where = "cannot be promised for a chosen threshold"
    text = f"a {rule.name} of {rule.wanted:g}{sure} {where}"
    if np.isnan(chosen.reached):
        return f"{text}: there are too few pairs to promise any"
    best = "highest" if rule.name == "precision" else "largest"
    return f"{text}; the {best} that can be reached is {chosen.reached:.3f}"


def promise_of(rule: Rule, chosen: Chosen, n_targets: int = 1) -> str:
    """What is promised: of the population or of one new set, and how surely.

    Where the target is not met, that is the bound at the nearest threshold, not the target.
    """
    measure = f"F{rule.wanted:g}" if rule.name == "beta" else rule.name
    if rule.name not in ("precision", "recall", "beta"):
        return "Nothing is promised: measures are expected values."
    if rule.guarantee is None:
        return (
            f"Nothing is promised: the {measure} is an expected value, and about half of new data "
            "sets fall below it."
        )
    level = rule.wanted
    if rule.name == "beta" or not chosen.met:
        level = np.floor(chosen.reached * 1e4) / 1e4  # a bound is not rounded up
    if np.isnan(level):
        return "Nothing is promised: there are too few pairs."
    return _bounded_promise(rule.guarantee, measure, level, n_targets)


def _bounded_promise(guarantee: Guarantee, measure: str, level: float, n_targets: int) -> str:
    where = "in the population"
    if guarantee.for_new is not None:
        where = f"on one new set of {guarantee.for_new:,} objects"
    text = (
        f"With confidence {guarantee.confidence:g}, the {measure} {where} is at least {level:.4g}; "
    )
    if guarantee.kind == "exact":
        text += "the bound is of each threshold on its own, not of the choice among them"
    elif guarantee.for_new is None:
        text += "the bound accounts for the choice among thresholds"
    else:
        text += (
            "the choice among thresholds is accounted for in the population; that this is enough "
            "for a new set was checked by simulation, not proven"
        )
    if n_targets > 1:
        text += f", and for all {n_targets} targets together"
    return f"{text}."


def fdr_promise(rate: float) -> str:
    """What conformal selection promises."""
    return (
        "Among the predictions for a new set of objects, the expected share of false ones is at "
        f"most {rate:.3g} (averaged over data sets), if given and new objects are exchangeable; "
        "the scores of all new objects are needed at once."
    )
