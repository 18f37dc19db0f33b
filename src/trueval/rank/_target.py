"""``pick_threshold``: one threshold for a wanted precision, recall, F-beta, number or cost.

A threshold chosen and judged on the same data promises too much. Here the values are
cross-fitted (a ranker never sees the labels of the objects it values), the promise comes
from thresholds chosen without the objects they are judged on, and its interval from
resampling objects, or groups of them, not pairs.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.errors import InputError, warn_user
from trueval.core.groups import group_numbers
from trueval.core.labels import Labels
from trueval.core.params import NONE, RANDOM_STATE, constrained
from trueval.core.random import as_generator
from trueval.core.scores import Scores, check_pair
from trueval.rank._bayes import check_probabilities, judged_cost
from trueval.rank._choice import ThresholdChoice
from trueval.rank._crossfit import CV, RANKER, fitted_on, fold_numbers, valued, values_by_fold
from trueval.rank._curves import f_beta
from trueval.rank._insample import warn_in_sample
from trueval.rank._resample import resampled_sums
from trueval.rank._rules import TARGETS, RankedPairs, Rule, read_target
from trueval.rank._warn import TargetWarning

__all__ = ["pick_threshold"]

Float = NDArray[np.float64]


@constrained(**TARGETS, ranker=(NONE, RANKER), cv=CV, random_state=RANDOM_STATE)
def pick_threshold(
    scores: Any,
    y: Any,
    *,
    precision: float | None = None,
    recall: float | None = None,
    beta: float | None = None,
    n_calls: int | None = None,
    map: bool = False,  # noqa: A002 - the rule's name
    cost_ratio: float | None = None,
    confidence: float | None = None,
    ranker: Any = None,
    cv: Any = 5,
    groups: Any = None,
    random_state: Any = 0,
) -> ThresholdChoice:
    """Pick one threshold for all classes, with an honest word on what it will do.

    Parameters
    ----------
    scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        Scores of objects the model was *not* trained on.
    y : labels in any form :func:`trueval.as_labels` takes
    precision, recall, beta, n_calls : float or int
        The target, exactly one: as many calls as this pooled precision allows, as
        few as this recall allows, the best F-beta, or this number of calls on a set
        as large as the given one.
    map : bool, default=False
        As a target: call the pairs that are more likely positive than not, from a
        probability of 1/2 on (maximum a posteriori).
    cost_ratio : float, optional
        As a target: least cost, where a false call costs this much in units of a missed
        positive; calls from a probability of c/(1 + c) on. Both cut probabilities, so
        that they refuse rankers, or scores, that are none.
    confidence : float, optional
        Ask that precision (or recall) be reached with this confidence: its lower bound,
        by resampling objects (or groups), must reach the target, not only its estimate.
    ranker : ranker, optional
        Makes the scores of the classes comparable, such as
        :class:`~trueval.rank.PrecisionRanker`; cross-fitted here, so give it unfitted,
        with raw scores. Without one the scores are taken as comparable already.
    cv : int, splitter or iterable of (train, test), default=5
        Folds of the cross-fitting; an int makes a
        :class:`~trueval.stratify.MultilabelStratifiedKFold`, or with groups a
        :class:`~trueval.stratify.MultilabelStratifiedGroupKFold`.
    groups : array-like of shape (n_rows,), optional
        Objects that belong together, such as the samples of one patient: folds keep them
        together, and intervals resample whole groups. Without groups, objects are taken
        as independent.
    random_state : None, int, Generator or RandomState, default=0

    Returns
    -------
    ThresholdChoice

    Warns
    -----
    TargetWarning
        If the target cannot be met; the threshold then comes as near as possible.
    InSampleWarning
        If the scores look as if the model, or a ranker, had seen these labels.

    Notes
    -----
    The threshold lies midway between two neighbouring values. Estimates keep what was
    asked on average: about half of new data sets of the same size fall below a target
    of precision, unless ``confidence`` is given.

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
    >>> from trueval.rank import PrecisionRanker, pick_threshold
    >>> scores, y = simulation_one(500, 0.2, random_state=0)
    >>> choice = pick_threshold(scores, y, precision=0.9, ranker=PrecisionRanker())
    >>> choice.target_reached, 0.85 < choice.precision < 0.95
    (True, True)
    >>> new_scores, new_y = simulation_one(500, 0.2, random_state=1)
    >>> choice.predict(new_scores).shape
    (500, 5)
    >>> by_map = pick_threshold(scores, y, map=True, ranker=PrecisionRanker())
    >>> by_map.threshold, by_map.cost < float(y.sum()) / 500  # as if nothing were called
    (0.5, True)
    """
    rule = read_target(precision, recall, beta, n_calls, confidence, map, cost_ratio)
    checked, labels = check_pair(scores, y)
    if labels.nnz == 0:
        raise InputError("y has no positives, so no target has a meaning.")
    if checked.n_stored == 0:
        raise InputError("scores stores no score at all, so there is nothing to call.")
    if rule.name == "n_calls":  # as a rate, so that it has a meaning on part of the objects
        rule = replace(rule, wanted=rule.wanted / checked.n_rows)
    generator = as_generator(random_state)
    folds = fold_numbers(cv, labels, generator, groups)
    group = None if groups is None else group_numbers(groups, labels.n_rows)
    values, fitted = checked, None
    if ranker is not None:
        fitted = fitted_on(clone(ranker), checked, labels)  # says what is rare
        values, _ = values_by_fold(ranker, checked, labels, folds)
    if rule.cut is not None:
        check_probabilities(values, ranker, "map=True" if rule.name == "map" else "cost_ratio")
    warn_in_sample(values, labels)
    pairs = RankedPairs.of(values, labels, group)
    threshold, met = rule.choose(pairs, generator)
    calibrated_threshold = threshold
    hits, calls = _honest_counts(pairs, folds, rule, generator)
    if fitted is not None and rule.cut is None:
        # The ranker of all rows has values of its own: what carries over from the
        # cross-fitted ones is how many calls to make, not where they were cut.
        all_values = valued(fitted, checked)
        n_calls = int((pairs.value >= threshold).sum())
        threshold = _with_as_many_calls(all_values, labels, n_calls)
    level = 0.9 if confidence is None else float(confidence)
    weight = 1.0 if rule.name != "beta" else rule.wanted
    choice = _report(rule, threshold, met, hits, calls, pairs, level, weight, generator, fitted)
    return replace(
        choice,
        n_classes=checked.n_classes,
        names=checked.names,
        calibrated_=values,
        calibrated_threshold_=calibrated_threshold,
    )


def _with_as_many_calls(values: Scores, labels: Labels, n_calls: int) -> float:
    """Threshold on these values that calls as many pairs, up to ties."""
    pairs = RankedPairs.of(values, labels)
    ends = np.concatenate([[0], pairs.ends()])
    return pairs.threshold(int(ends[np.argmin(np.abs(ends - n_calls))]))


def _honest_counts(
    pairs: RankedPairs, folds: NDArray[np.int32], rule: Rule, generator: np.random.Generator
) -> tuple[Float, Float]:
    """Hits and calls of each object under thresholds chosen without its fold."""
    hits = np.zeros(pairs.n_rows)
    calls = np.zeros(pairs.n_rows)
    for number in np.unique(folds):
        judged = folds == number
        threshold, _ = rule.choose(pairs.of_rows(~judged), generator)
        called = judged[pairs.row] & (pairs.value >= threshold)
        calls += np.bincount(pairs.row[called], minlength=pairs.n_rows)
        hits += np.bincount(pairs.row[called & pairs.hit], minlength=pairs.n_rows)
    return hits, calls


def _report(
    rule: Rule,
    threshold: float,
    met: bool,
    hits: Float,
    calls: Float,
    pairs: RankedPairs,
    level: float,
    beta: float,
    generator: np.random.Generator,
    ranker: Any,
) -> ThresholdChoice:
    columns = (hits, calls, pairs.positives, np.ones(pairs.n_rows))
    table = np.column_stack([pairs.by_unit(column) for column in columns])
    cost = None if rule.cut is None else rule.wanted
    expected = {name: float(v) for name, v in _measures(table.sum(axis=0), beta, cost).items()}
    tails = [(1 - level) / 2, (1 + level) / 2]
    intervals = {}
    for name, drawn in _measures(resampled_sums(table, generator).T, beta, cost).items():
        low, high = np.quantile(drawn, tails)
        intervals[name] = (float(low), float(high))
    reached = met
    if rule.name in intervals and intervals[rule.name][1] < rule.wanted - 1e-12:
        met = False  # reached where it was chosen, perhaps, and clearly not elsewhere
    message = _message(rule, reached, met, expected, intervals, level, beta, pairs)
    if rule.cut is not None:
        nothing = float(pairs.positives.sum()) / pairs.n_rows
        claimed = pairs.value[pairs.value >= rule.cut]
        met, said = judged_cost(rule.cut, claimed, nothing, expected, intervals, level)
        message = f"{said}; {message}"
    if not met:
        warn_user(message, TargetWarning)
    wanted = rule.wanted * pairs.n_rows if rule.name == "n_calls" else rule.wanted
    return ThresholdChoice(
        threshold,
        rule.name,
        wanted,
        precision=expected["precision"],
        recall=expected["recall"],
        f=expected["f"],
        calls_per_object=expected["calls_per_object"],
        intervals=intervals,
        level=level,
        target_reached=met,
        message=message,
        n_classes=0,
        ranker=ranker,
        cost=expected.get("cost", np.nan),
    )


def _measures(sums: Float, beta: float, cost_ratio: float | None) -> dict[str, Float]:
    """From sums of hits, calls, positives and objects."""
    hits, calls, positives, objects = sums
    costs = {}
    if cost_ratio is not None:
        costs["cost"] = (cost_ratio * (calls - hits) + positives - hits) / objects
    return costs | {
        "precision": np.where(calls > 0, hits / np.where(calls > 0, calls, 1.0), 0.0),
        "recall": np.where(positives > 0, hits / np.where(positives > 0, positives, 1.0), 0.0),
        "f": f_beta(hits, calls, positives, beta),
        "calls_per_object": calls / objects,
    }


def _message(
    rule: Rule,
    reached: bool,
    met: bool,
    expected: dict[str, float],
    intervals: dict[str, tuple[float, float]],
    level: float,
    beta: float,
    pairs: RankedPairs,
) -> str:
    def show(name: str) -> str:
        low, high = intervals[name]
        return f"{expected[name]:.3f} ({low:.3f} to {high:.3f})"

    said = (
        f"on new objects expect precision {show('precision')}, recall {show('recall')}, "
        f"F{beta:g} {show('f')}, {expected['calls_per_object']:.3g} calls for each object; "
        f"intervals at {level:.0%}"
    )
    if reached and rule.name in expected and expected[rule.name] < rule.wanted - 1e-12:
        how = "less is" if met else "clearly less is"
        return (
            f"a {rule.name} of {rule.wanted:g} is reached on the given objects but {how} expected "
            f"on new ones; {said}"
        )
    if reached:
        return said
    if rule.name == "n_calls":
        wanted = round(rule.wanted * pairs.n_rows)
        return (
            f"exactly {wanted:,} calls cannot be made: only {len(pairs.value):,} pairs have a "
            f"score, or equal scores straddle the cut; {said}"
        )
    sure = f" with confidence {rule.confidence:g}" if rule.confidence is not None else ""
    best = "highest" if rule.name == "precision" else "largest"
    return (
        f"a {rule.name} of {rule.wanted:g}{sure} cannot be met at any threshold; the {best} that "
        f"can be had was taken; {said}"
    )
