"""``pick_threshold``: one threshold for a wanted precision, recall, F-beta, number or cost.

A threshold chosen and judged on the same data promises too much. Here the values are
cross-fitted (a ranker never sees the labels of the objects it values), the promise comes
from thresholds chosen without the objects they are judged on, and its interval from
resampling objects, or groups of them, not pairs. ``_guarantee.py`` has the bounds that a
promise with a confidence needs, ``_conformal.py`` the selection among new objects.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.errors import InputError, ParameterError, warn_user
from trueval.core.groups import group_numbers
from trueval.core.labels import Labels
from trueval.core.params import CALLABLE, NONE, RANDOM_STATE, constrained
from trueval.core.random import as_generator
from trueval.core.scores import Scores, check_pair
from trueval.rank._bayes import check_probabilities
from trueval.rank._choice import ThresholdChoice
from trueval.rank._conformal import Selection
from trueval.rank._crossfit import CV, RANKER, fitted_on, fold_numbers, valued, values_by_fold
from trueval.rank._insample import repeats_labels, warn_in_sample
from trueval.rank._outcome import Expected, expected_of, fdr_promise, judged, promise_of
from trueval.rank._pairs import RankedPairs
from trueval.rank._rules import TARGETS, Chosen, Rule, read_targets
from trueval.rank._warn import TargetWarning

__all__ = ["pick_threshold"]

Float = NDArray[np.float64]


@constrained(
    **TARGETS, ranker=(NONE, RANKER), cv=CV, random_state=RANDOM_STATE, progress=(NONE, CALLABLE)
)
def pick_threshold(
    scores: Any,
    y: Any,
    *,
    precision: Any = None,
    recall: Any = None,
    beta: float | None = None,
    n_calls: int | None = None,
    map: bool = False,  # noqa: A002 - the rule's name
    cost_ratio: float | None = None,
    confidence: float | None = None,
    guarantee: str | None = None,
    for_new: int | None = None,
    allow_unmet: bool = False,
    average: str = "pairs",
    ranker: Any = None,
    cv: Any = 5,
    groups: Any = None,
    random_state: Any = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Pick one threshold for all classes, with an honest word on what it will do.

    Parameters
    ----------
    scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        Scores of objects the model was *not* trained on.
    y : labels in any form :func:`trueval.as_labels` takes
    precision, recall, beta, n_calls : float or int
        The target, exactly one: as many calls as this pooled precision allows, as
        few as this recall allows, the best F-beta, or this number of calls on a set
        as large as the given one. Several precisions, or recalls, in a sequence get one
        choice each, and their promises hold together.
    map : bool, default=False
        As a target: call the pairs that are more likely positive than not, from a
        probability of 1/2 on (maximum a posteriori).
    cost_ratio : float, optional
        As a target: least cost, where a false call costs this much in units of a missed
        positive; calls from a probability of c/(1 + c) on. Both cut probabilities, so
        that they refuse rankers, or scores, that are none.
    confidence : float, optional
        Ask that precision (or recall) be reached with this confidence: its lower bound must
        reach the target, not only its estimate. 0.9 where a guarantee is asked for.
    guarantee : {"exact", "simultaneous", "fdr"}, optional
        What is promised; see Notes. ``"exact"`` where a confidence is given.
    for_new : int, optional
        Promise the measure on one new set of this many objects, rather than in the
        population that the objects are from: a new set may fall below by chance.
    allow_unmet : bool, default=False
        Where the target is not met, take the threshold that comes nearest. Otherwise an
        unmet precision or recall calls nothing: the threshold is ∞.
    average : {"pairs", "objects"}, default="pairs"
        With ``beta``: F-beta of all pairs together, or the mean over objects of that of each
        (as in CAFA, protein-centric; 0 for an object without positives).
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
    progress : callable, optional
        Called as ``progress(done, n_folds)`` after each fold of ``cv`` that a ranker is fitted
        without.

    Returns
    -------
    ThresholdChoice, or tuple of them
        A tuple where the target is a sequence.

    Warns
    -----
    TargetWarning
        If the target cannot be met, with what can be reached.
    InSampleWarning
        If the scores look as if the model, or a ranker, had seen these labels.

    Notes
    -----
    The threshold lies midway between two neighbouring values, and never below all of them.
    Estimates keep what was asked on average: about half of new data sets of the same size
    fall below a target of precision, unless ``confidence`` is given.

    ``"exact"``
        At each threshold on its own, the measure is at least its bound with the confidence.
        The bound is the smaller one of Clopper and Pearson's, at the effective number of
        pairs, and of a t interval between objects (or groups). For .9 at confidence .9,
        22 calls that are all right suffice. That the best of many thresholds is chosen is
        not paid for.
    ``"simultaneous"``
        The same for the threshold that is chosen. Thresholds are tested one after the other
        by the bound above, until the first that fails: recall from the most predictions on,
        precision from the threshold at which the calibrated scores expect the clearest
        success (no labels decide it), then at lower ones. Where the values expect no success
        or are no probabilities, and for the best F with ``beta``, all thresholds are bounded
        at once: standard errors are counted by the multiplier bootstrap of their largest
        deviation, and the exact bound is at that level.
    ``"fdr"``
        On average over data sets, at most 1 − ``precision`` of the calls of a new set are
        false (conformal selection), for any number of objects that are exchangeable with the
        given ones, whatever the dependence between pairs of an object. The calls depend on
        all new objects together. With a ranker this is approximate: the given objects have
        cross-fitted values.

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
    >>> sure = pick_threshold(
    ...     scores, y, precision=0.9, guarantee="simultaneous", ranker=PrecisionRanker()
    ... )
    >>> sure.threshold > choice.threshold, sure.reached >= 0.9
    (True, True)
    """
    rules, several = read_targets(
        precision=precision,
        recall=recall,
        beta=beta,
        n_calls=n_calls,
        by_map=map,
        cost_ratio=cost_ratio,
        confidence=confidence,
        guarantee=guarantee,
        for_new=for_new,
        average=average,
    )
    generator = as_generator(random_state)
    data = _read(scores, y, ranker, cv, groups, rules[0], generator, progress)
    if guarantee == "fdr":
        if groups is not None:
            expected = "left out with guarantee='fdr', which takes objects as exchangeable"
            raise ParameterError("groups", expected, "groups", "pick_threshold")
        choices = [_selected(data, rule, allow_unmet, generator) for rule in rules]
    else:
        choices = [_chosen(data, rule, allow_unmet, len(rules), generator) for rule in rules]
    return tuple(choices) if several else choices[0]


@dataclass(frozen=True, eq=False)
class _Calibrated:
    """Scores, labels and cross-fitted values of the given objects."""

    scores: Scores
    labels: Labels
    values: Scores
    pairs: RankedPairs
    folds: NDArray[np.int32]
    ranker: Any

    def threshold(self, calibrated: float) -> float:
        """For other objects: what carries over to the ranker of all rows is the number of calls.

        Its values differ from the cross-fitted ones, so where these were cut does not.
        """
        if self.ranker is None or not np.isfinite(calibrated):
            return calibrated
        n_calls = int((self.pairs.value >= calibrated).sum())
        pairs = RankedPairs.of(valued(self.ranker, self.scores), self.labels)
        ends = np.concatenate([[0], pairs.ends()])
        return pairs.threshold(int(ends[np.argmin(np.abs(ends - n_calls))]))


def _read(
    scores: Any,
    y: Any,
    ranker: Any,
    cv: Any,
    groups: Any,
    rule: Rule,
    generator: np.random.Generator,
    progress: Callable[[int, int], None] | None,
) -> _Calibrated:
    """Check what was given, and value every object by a ranker that never saw its labels."""
    checked, labels = check_pair(scores, y)
    if labels.nnz == 0:
        raise InputError("y has no positives, so no target has a meaning.")
    if checked.n_stored == 0:
        raise InputError("scores stores no score at all, so there is nothing to call.")
    folds = fold_numbers(cv, labels, generator, groups)
    group = None if groups is None else group_numbers(groups, labels.n_rows)
    values, fitted = checked, None
    if ranker is not None:
        fitted = fitted_on(clone(ranker), checked, labels)  # says what is rare
        values, _ = values_by_fold(ranker, checked, labels, folds, progress)
    if rule.cut is not None:
        check_probabilities(values, ranker, "map=True" if rule.name == "map" else "cost_ratio")
    repeats = repeats_labels(values, labels)
    pairs = RankedPairs.of(values, labels, group)
    warn_in_sample(repeats, pairs.area(labels.n_rows * labels.n_classes))
    return _Calibrated(checked, labels, values, pairs, folds, fitted)


def _chosen(
    data: _Calibrated,
    rule: Rule,
    allow_unmet: bool,
    n_targets: int,
    generator: np.random.Generator,
) -> ThresholdChoice:
    """One threshold for one target, with what it promises and may be expected to do."""
    pairs = data.pairs
    asked = rule.wanted
    if rule.name == "n_calls":  # as a rate, so that it has a meaning on part of the objects
        rule = replace(rule, wanted=rule.wanted / pairs.n_rows)
    chosen = rule.choose(pairs, generator)
    hits, calls = _honest_counts(pairs, data.folds, rule, generator)
    level = 0.9 if rule.guarantee is None else rule.guarantee.confidence
    expected = expected_of(rule, hits, calls, pairs, level, generator)
    met, remark = judged(rule, chosen, expected, pairs)
    threshold = data.threshold(chosen.threshold) if rule.cut is None else chosen.threshold
    choice = _choice_of(data, rule, asked, chosen, expected, threshold, met)
    choice = replace(choice, promise=promise_of(rule, chosen.reached, n_targets))
    if rule.guarantee is not None:
        choice = replace(
            choice,
            guarantee=rule.guarantee.kind,
            confidence=rule.guarantee.confidence,
            for_new=rule.guarantee.for_new,
        )
    return _said(choice, remark, expected, allow_unmet)


def _selected(
    data: _Calibrated, rule: Rule, allow_unmet: bool, generator: np.random.Generator
) -> ThresholdChoice:
    """The choice that selects among new objects, tried on each fold by the others."""
    pairs, rate = data.pairs, 1.0 - rule.wanted
    hits, calls = np.zeros(pairs.n_rows), np.zeros(pairs.n_rows)
    for number in np.unique(data.folds):
        judged_rows = data.folds == number
        others = pairs.of_rows(~judged_rows)
        selection = Selection(others.value, ~others.hit, others.n_rows, rate)
        fold = data.values.take(np.flatnonzero(judged_rows))
        _count(pairs, judged_rows, selection.threshold(fold), hits, calls)
    selection = Selection(pairs.value, ~pairs.hit, pairs.n_rows, rate)
    calibrated = selection.threshold(data.values)
    chosen = Chosen(calibrated, bool(np.isfinite(calibrated)))
    expected = expected_of(rule, hits, calls, pairs, 0.9, generator)
    remark = ""
    if not chosen.met:
        remark = (
            f"a precision of {rule.wanted:g} cannot be promised for any selection from a new set "
            "like the given one"
        )
    threshold = data.threshold(calibrated)
    choice = _choice_of(data, rule, rule.wanted, chosen, expected, threshold, chosen.met)
    choice = replace(choice, promise=fdr_promise(rate), guarantee="fdr", _selection=selection)
    return _said(choice, remark, expected, allow_unmet)


def _said(
    choice: ThresholdChoice, remark: str, expected: Expected, allow_unmet: bool
) -> ThresholdChoice:
    """The choice with its message; one that calls nothing where the target is not met."""
    lead = f"{remark}; " if remark else ""
    if choice.target_reached:
        return replace(choice, message=f"{lead}{expected}. {choice.promise}")
    if allow_unmet or choice.target not in ("precision", "recall"):
        choice = replace(choice, message=f"{lead}{expected}")
    else:
        choice = replace(
            choice,
            precision=np.nan,
            recall=0.0,
            f=0.0,
            calls_per_object=0.0,
            intervals={},
            threshold=np.inf,
            calibrated_threshold_=np.inf,
            abstains=True,
            promise="Nothing is promised, since nothing is called.",
            message=f"{lead}nothing is called. At the nearest threshold, {expected}",
        )
    warn_user(choice.message, TargetWarning)
    return choice


def _choice_of(
    data: _Calibrated,
    rule: Rule,
    asked: float,
    chosen: Chosen,
    expected: Expected,
    threshold: float,
    met: bool,
) -> ThresholdChoice:
    """The choice as it is where the target is met."""
    measures = expected.measures
    return ThresholdChoice(
        threshold,
        rule.name,
        asked,
        precision=measures["precision"],
        recall=measures["recall"],
        f=measures["f"],
        calls_per_object=measures["calls_per_object"],
        intervals=expected.intervals,
        level=expected.level,
        target_reached=met,
        message="",
        n_classes=data.scores.n_classes,
        names=data.scores.names,
        ranker=data.ranker,
        calibrated_=data.values,
        calibrated_threshold_=chosen.threshold,
        cost=measures.get("cost", np.nan),
        reached=chosen.reached,
        average=rule.average,
    )


def _honest_counts(
    pairs: RankedPairs, folds: NDArray[np.int32], rule: Rule, generator: np.random.Generator
) -> tuple[Float, Float]:
    """Hits and calls of each object under thresholds chosen without its fold."""
    hits, calls = np.zeros(pairs.n_rows), np.zeros(pairs.n_rows)
    for number in np.unique(folds):
        judged_rows = folds == number
        threshold = rule.choose(pairs.of_rows(~judged_rows), generator).threshold
        _count(pairs, judged_rows, threshold, hits, calls)
    return hits, calls


def _count(
    pairs: RankedPairs, rows: NDArray[np.bool_], threshold: float, hits: Float, calls: Float
) -> None:
    """Add the hits and calls of some objects."""
    called = rows[pairs.row] & (pairs.value >= threshold)
    calls += np.bincount(pairs.row[called], minlength=pairs.n_rows)
    hits += np.bincount(pairs.row[called & pairs.hit], minlength=pairs.n_rows)
