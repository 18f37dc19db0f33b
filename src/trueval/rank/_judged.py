"""What a threshold is chosen on: cross-fitted values, and counts under a choice.

Every object is valued by a ranker that never saw its labels, and judged under thresholds chosen
without its fold.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.errors import InputError
from trueval.core.groups import group_numbers
from trueval.core.labels import Labels
from trueval.core.scores import Scores, check_pair
from trueval.rank._bayes import check_probabilities
from trueval.rank._crossfit import fitted_on, fold_numbers, valued, values_by_fold
from trueval.rank._curves import member_mask
from trueval.rank._cuts import best_of_each_row
from trueval.rank._insample import repeats_labels, warn_in_sample
from trueval.rank._pairs import RankedPairs
from trueval.rank._rules import Rule
from trueval.rank._weights import row_weights

__all__ = ["CrossFitted", "honest_counts", "read_data"]

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CrossFitted:
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
        given = self.pairs
        n_calls = given.calls(np.array([(given.value >= calibrated).sum()]))
        fitted = valued(self.ranker, self.scores)
        pairs = RankedPairs.of(fitted, self.labels, weight=given.weight)
        ends = np.concatenate([[0], pairs.ends()])
        return pairs.threshold(int(ends[np.argmin(np.abs(pairs.calls(ends) - n_calls))]))

    def best_counts(self, k: int) -> tuple[Float, Float]:
        """Hits and calls of each object where its k best classes are called."""
        best = best_of_each_row(self.values, k)
        rows, n_rows = self.values.stored[0], self.values.n_rows
        hit = best & member_mask(self.values, self.labels)
        hits, calls = (np.bincount(rows[some], minlength=n_rows) for some in (hit, best))
        return hits.astype(np.float64), calls.astype(np.float64)


def read_data(
    scores: Any,
    y: Any,
    ranker: Any,
    cv: Any,
    groups: Any,
    rule: Rule,
    generator: np.random.Generator,
    progress: Callable[[int, int], None] | None = None,
    sample_weight: Any = None,
) -> CrossFitted:
    """Check what was given, and value every object by a ranker that never saw its labels."""
    checked, labels = check_pair(scores, y)
    if labels.nnz == 0:
        raise InputError("y has no positives, so no target has a meaning.")
    if checked.n_stored == 0:
        raise InputError("scores stores no score at all, so there is nothing to call.")
    folds = fold_numbers(cv, labels, generator, groups)
    group = None if groups is None else group_numbers(groups, labels.n_rows)
    weights = row_weights(sample_weight, labels.n_rows, labels.index)
    values, fitted = checked, None
    if ranker is not None:
        fitted = fitted_on(clone(ranker), checked, labels, weights)  # says what is rare
        values, _ = values_by_fold(ranker, checked, labels, folds, progress, weights)
    if rule.cut is not None:
        check_probabilities(values, ranker, "map=True" if rule.name == "map" else "cost_ratio")
    repeats = repeats_labels(values, labels)
    pairs = RankedPairs.of(values, labels, group)
    warn_in_sample(repeats, pairs.area(labels.n_rows * labels.n_classes))
    if weights is not None:
        pairs = pairs.weighted(weights)
        if not pairs.positives.any():
            raise InputError("all positives of y are of objects with weight 0.")
    return CrossFitted(checked, labels, values, pairs, folds, fitted)


def honest_counts(
    pairs: RankedPairs, folds: NDArray[np.int32], rule: Rule, generator: np.random.Generator
) -> tuple[Float, Float]:
    """Hits and calls of each object under thresholds chosen without its fold."""
    thresholds = np.empty(len(folds))
    for number in np.unique(folds):
        judged_rows = folds == number
        thresholds[judged_rows] = rule.choose(pairs, generator, ~judged_rows).threshold
    return pairs.counts(thresholds)
