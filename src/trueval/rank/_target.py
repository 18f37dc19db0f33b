"""``pick_threshold``: one threshold for a wanted precision, recall, F-beta, number or cost.

A threshold chosen and judged on the same data promises too much. Here the values are
cross-fitted (a ranker never sees the labels of the objects it values), the promise comes
from thresholds chosen without the objects they are judged on, and its interval from
resampling objects, or groups of them, not pairs. ``_guarantee.py`` has the bounds that a
promise with a confidence needs, ``_conformal.py`` the selection among new objects.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import ParameterError, warn_user
from trueval.core.params import CALLABLE, NONE, RANDOM_STATE, constrained
from trueval.core.random import as_generator
from trueval.rank._choice import ThresholdChoice, abstaining
from trueval.rank._conformal import Selection
from trueval.rank._crossfit import CV, RANKER
from trueval.rank._judged import CrossFitted, honest_counts, read_data
from trueval.rank._outcome import Expected, expected_of, fdr_promise, judged, promise_of
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
    top_k: int | None = None,
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
    sample_weight: Any = None,
    random_state: Any = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Pick one threshold for all classes, with an honest word on what it will do.

    Parameters
    ----------
    scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        Scores of objects the model was *not* trained on.
    y : labels in any form :func:`trueval.as_labels` takes
    precision, recall, beta, n_calls, top_k : float or int
        The target, exactly one: as many calls as this pooled precision allows, as
        few as this recall allows, the best F-beta, this number of calls on a set
        as large as the given one, or the k best classes of every object. Several precisions,
        or recalls, in a sequence get one choice each, and their promises hold together.
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
    sample_weight : array-like of shape (n_rows,), optional
        How much each object counts, in the ranker, the choice and what is expected: one of
        weight 2 as two equal objects. Bounds and intervals know that it is one object.
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
        precision from the threshold at which the test most likely passes if calibrated scores
        are probabilities (no labels decide it), then at lower ones. With ``for_new``, the tests
        are of the population, and the bound for the new set must reach the target as well; that
        this keeps the confidence was checked by simulation, not proven. Where the
        values expect no success or are no probabilities, and for the best F with ``beta``, all
        thresholds are bounded at once: standard errors are counted by the multiplier bootstrap
        of their largest deviation, and the exact bound is at that level.
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
        top_k=top_k,
        by_map=map,
        cost_ratio=cost_ratio,
        confidence=confidence,
        guarantee=guarantee,
        for_new=for_new,
        average=average,
    )
    generator = as_generator(random_state)
    if guarantee == "fdr":
        for name, value in {"groups": groups, "sample_weight": sample_weight}.items():
            if value is not None:
                expected = "left out with {}, which takes objects as exchangeable"
                beside = ("guarantee", guarantee)
                raise ParameterError(name, expected, name, "pick_threshold", beside)
    data = read_data(scores, y, ranker, cv, groups, rules[0], generator, progress, sample_weight)
    if guarantee == "fdr":
        choices = [_selected(data, rule, allow_unmet, generator) for rule in rules]
    else:
        choices = [_chosen(data, rule, allow_unmet, len(rules), generator) for rule in rules]
    return tuple(choices) if several else choices[0]


def _chosen(
    data: CrossFitted,
    rule: Rule,
    allow_unmet: bool,
    n_targets: int,
    generator: np.random.Generator,
) -> ThresholdChoice:
    """One threshold for one target, with what it promises and may be expected to do."""
    pairs = data.pairs
    asked = rule.wanted
    if rule.name == "n_calls":  # as a rate, so that it has a meaning on part of the objects
        rule = replace(rule, wanted=rule.wanted / pairs.size)
    if rule.name == "top_k":
        chosen = Chosen(np.nan, True)
        hits, calls = data.best_counts(int(rule.wanted))
    else:
        chosen = rule.choose(pairs, generator)
        hits, calls = honest_counts(pairs, data.folds, rule, generator)
    level = 0.9 if rule.guarantee is None else rule.guarantee.confidence
    expected = expected_of(rule, hits, calls, pairs, level, generator)
    met, remark = judged(rule, chosen, expected, pairs)
    threshold = data.threshold(chosen.threshold) if rule.cut is None else chosen.threshold
    choice = _choice_of(data, rule, asked, chosen, expected, threshold, met)
    choice = replace(choice, promise=promise_of(rule, chosen, n_targets))
    if rule.guarantee is not None:
        choice = replace(
            choice,
            guarantee=rule.guarantee.kind,
            confidence=rule.guarantee.confidence,
            for_new=rule.guarantee.for_new,
        )
    return _said(choice, remark, expected, allow_unmet)


def _selected(
    data: CrossFitted, rule: Rule, allow_unmet: bool, generator: np.random.Generator
) -> ThresholdChoice:
    """The choice that selects among new objects, tried on each fold by the others."""
    pairs, rate = data.pairs, 1.0 - rule.wanted
    thresholds = np.empty(pairs.n_rows)
    for number in np.unique(data.folds):
        judged_rows = data.folds == number
        others = pairs.of_rows(~judged_rows)
        selection = Selection(others.value, ~others.hit, others.n_rows, rate)
        fold = pairs.of_rows(judged_rows)
        thresholds[judged_rows] = selection.threshold_of(fold.row, fold.value, fold.n_rows)
    hits, calls = pairs.counts(thresholds)
    selection = Selection(pairs.value, ~pairs.hit, pairs.n_rows, rate)
    calibrated = selection.threshold_of(pairs.row, pairs.value, pairs.n_rows)
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
        nearest = f"{lead}nothing is called. At the nearest threshold, {expected}"
        choice = abstaining(choice, nearest)
    warn_user(choice.message, TargetWarning)
    return choice


def _choice_of(
    data: CrossFitted,
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
