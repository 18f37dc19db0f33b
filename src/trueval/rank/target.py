"""``pick_threshold``: one threshold for a wanted precision, recall, F-beta or number.

A threshold chosen and judged on the same data promises too much. Here the values are
cross-fitted (a ranker never sees the labels of the objects it values), the promise comes
from thresholds chosen without the objects they are judged on, and its interval from
resampling objects, or groups of them, not pairs.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.errors import InputError, warn_user
from trueval.core.groups import group_numbers
from trueval.core.labels import Labels
from trueval.core.params import NONE, RANDOM_STATE, constrained
from trueval.core.presentable import Card, CardTable, Presentable
from trueval.core.random import as_generator
from trueval.core.scores import Scores, as_scores, check_pair, check_same_classes
from trueval.rank.crossfit import CV, RANKER, fitted_on, fold_numbers, valued, values_by_fold
from trueval.rank.curves import f_beta
from trueval.rank.insample import warn_in_sample
from trueval.rank.resample import resampled_sums
from trueval.rank.rules import TARGETS, RankedPairs, Rule, read_target
from trueval.rank.thresholds import calls_above
from trueval.rank.warn import TargetWarning

__all__ = ["ThresholdChoice", "pick_threshold"]

Float = NDArray[np.float64]
_SHOWN = {
    "precision": "precision",
    "recall": "recall",
    "f": "F",
    "calls_per_object": "calls per object",
}


@dataclass(frozen=True, eq=False)
class ThresholdChoice(Presentable):
    """A threshold and what it may be expected to do on new objects.

    Attributes
    ----------
    threshold : float
        Call the pairs whose value is at least this; ∞ calls none.
    target : str
        What was asked for, such as ``"precision"``.
    wanted : float
        How much of it (β for F-beta).
    precision, recall, f, calls_per_object : float
        Expected on new objects, by cross-fitting.
    intervals : dict of str to (float, float)
        Interval of each of these, at ``level``.
    level : float
        Confidence of the intervals.
    met : bool
        Whether the target was met on the given data, and the interval on new objects
        does not lie below it. Where the estimate alone does, ``message`` says so.
    message : str
        One sentence that says all this.
    ranker : fitted ranker or None
        Turns new scores into the values that the threshold cuts.
    """

    threshold: float
    target: str
    wanted: float
    precision: float
    recall: float
    f: float
    calls_per_object: float
    intervals: dict[str, tuple[float, float]]
    level: float
    met: bool
    message: str
    n_classes: int
    names: NDArray[Any] | None = None
    ranker: Any = None

    def __float__(self) -> float:
        return self.threshold

    def __repr__(self) -> str:
        return f"ThresholdChoice({self.threshold:.6g}: {self.message})"

    def _card(self) -> Card:
        rows = []
        for key, name in _SHOWN.items():
            low, high = self.intervals.get(key, (np.nan, np.nan))
            interval = "" if np.isnan(low) else f"{low:.3f} to {high:.3f}"
            rows.append((name, f"{getattr(self, key):.3f}", interval))
        values = "the scores" if self.ranker is None else f"values of {type(self.ranker).__name__}"
        verdict = self.message[:1].upper() + self.message[1:]
        table = CardTable(("on new objects", "expected", f"{self.level:.0%} interval"), rows)
        return Card(f"Threshold {self.threshold:.6g} on {values}", verdict, self.met, [table])

    def predict(self, scores: Any) -> sp.csr_array:
        """Call the pairs at or above the threshold, through the ranker if there is one.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)

        Returns
        -------
        scipy.sparse.csr_array of int64
        """
        checked = as_scores(scores)
        check_same_classes(checked, self.n_classes, self.names, "the threshold")
        if self.ranker is not None:
            checked = valued(self.ranker, checked)
        return calls_above(checked, self.threshold)


@constrained(**TARGETS, ranker=(NONE, RANKER), cv=CV, random_state=RANDOM_STATE)
def pick_threshold(
    scores: Any,
    y: Any,
    *,
    precision: float | None = None,
    recall: float | None = None,
    beta: float | None = None,
    n_calls: int | None = None,
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
    >>> from trueval.data.simulate_scores import simulation_one
    >>> from trueval.rank import PrecisionRanker, pick_threshold
    >>> scores, y = simulation_one(500, 0.2, random_state=0)
    >>> choice = pick_threshold(scores, y, precision=0.9, ranker=PrecisionRanker())
    >>> choice.met, 0.85 < choice.precision < 0.95
    (True, True)
    >>> new_scores, new_y = simulation_one(500, 0.2, random_state=1)
    >>> choice.predict(new_scores).shape
    (500, 5)
    """
    rule = read_target(precision, recall, beta, n_calls, confidence)
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
    warn_in_sample(values, labels)
    pairs = RankedPairs.of(values, labels, group)
    threshold, met = rule.choose(pairs, generator)
    hits, calls = _honest_counts(pairs, folds, rule, generator)
    if fitted is not None:
        # The ranker of all rows has values of its own: what carries over from the
        # cross-fitted ones is how many calls to make, not where they were cut.
        all_values = valued(fitted, checked)
        n_calls = int((pairs.value >= threshold).sum())
        threshold = _with_as_many_calls(all_values, labels, n_calls)
    level = 0.9 if confidence is None else float(confidence)
    weight = 1.0 if rule.name != "beta" else rule.wanted
    choice = _report(rule, threshold, met, hits, calls, pairs, level, weight, generator, fitted)
    return replace(choice, n_classes=checked.n_classes, names=checked.names)


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
    expected = {name: float(v) for name, v in _measures(table.sum(axis=0), beta).items()}
    tails = [(1 - level) / 2, (1 + level) / 2]
    intervals = {}
    for name, drawn in _measures(resampled_sums(table, generator).T, beta).items():
        low, high = np.quantile(drawn, tails)
        intervals[name] = (float(low), float(high))
    reached = met
    if rule.name in intervals and intervals[rule.name][1] < rule.wanted - 1e-12:
        met = False  # reached where it was chosen, perhaps, and clearly not elsewhere
    message = _message(rule, reached, met, expected, intervals, level, beta, pairs)
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
        met=met,
        message=message,
        n_classes=0,
        ranker=ranker,
    )


def _measures(sums: Float, beta: float) -> dict[str, Float]:
    """From sums of hits, calls, positives and objects."""
    hits, calls, positives, objects = sums
    return {
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
