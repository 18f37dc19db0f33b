"""Measures of ranked lists on resampled rows: average precision, AUC, precision at a recall.

A list is what one class ranks, or all classes pooled. A resample only changes how often each
row counts, so a list needs few sums of these counts: at each score that a positive has, the
pairs since the last such score, the pairs of this score, and the positives among them. One
sparse product gives the sums of many resamples, all of them whole numbers; the measures of
a resample are exactly those of the list with its rows repeated.

The sense: what the measures would be on other rows drawn like these, for fixed scores. Training
and calibration are not repeated.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.intervals import percentile_interval
from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.rank._curves import member_mask
from trueval.rank._resample import CHUNK, drawn_weights

__all__ = ["LEVEL", "N_DRAWS", "RECALLS", "ListMeasures", "RankedLists"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]

N_DRAWS = 200
LEVEL = 0.9  # that of the intervals of thresholds
#: Where precision is measured.
RECALLS = np.linspace(0.025, 1.0, 40)


@dataclass(frozen=True, eq=False)
class ListMeasures:
    """Measures of lists, draw by draw; NaN where a list has no positive or, for AUC, no negative.

    Attributes
    ----------
    average_precision, auc : ndarray of shape (n_draws, n_lists)
    precision : ndarray of shape (n_draws, n_lists, n_recalls)
        Of the fewest predictions, equal scores together, that reach each recall; of all pairs
        where the scored ones do not reach it.
    """

    average_precision: Float
    auc: Float
    precision: Float

    @classmethod
    def joined(cls, parts: "Iterable[ListMeasures]") -> "ListMeasures":
        """All draws of some."""
        fields = zip(*((p.average_precision, p.auc, p.precision) for p in parts), strict=True)
        return cls(*(np.concatenate(arrays) for arrays in fields))


class RankedLists:
    """Lists of (row, class) pairs by falling score: one for each class, or one for all.

    Parameters
    ----------
    scores : Scores
    labels : Labels
    classes : sequence of int, optional
        Classes that are a list each. All classes pooled are one list if not given.
    """

    def __init__(self, scores: Scores, labels: Labels, classes: Any = None) -> None:
        n_classes = scores.n_classes
        place = np.zeros(n_classes, dtype=np.int64)
        self.n_lists, self.pairs_per_row = 1, n_classes
        if classes is not None:
            place[:] = -1
            place[classes] = np.arange(len(classes))
            self.n_lists, self.pairs_per_row = len(classes), 1
        rows, column, value = scores.stored
        owner, hit = place[column], member_mask(scores, labels)
        listed_pairs = np.flatnonzero(owner >= 0)
        listed_pairs = listed_pairs[np.lexsort((-value[listed_pairs], owner[listed_pairs]))]
        labelled = labels.matrix.tocoo()
        listed = place[labelled.col] >= 0
        self.n_rows = scores.n_rows
        self._positives = (labelled.row[listed], place[labelled.col[listed]])
        self._table, self._owner = self._sums(
            rows[listed_pairs], owner[listed_pairs], value[listed_pairs], hit[listed_pairs]
        )
        n_scores = len(self._owner)
        ones = np.ones(n_scores)
        at = (ones, (self._owner, np.arange(n_scores)))
        self._by_list = sp.csr_array(at, shape=(self.n_lists, n_scores))

    @property
    def n_units(self) -> Int:
        """Rows with a positive, or with a negative, in each list, whichever are fewer."""
        rows, owner = self._positives
        key, count = np.unique(owner * self.n_rows + rows, return_counts=True)
        owner = key // self.n_rows
        full = np.bincount(owner, count == self.pairs_per_row, minlength=self.n_lists)
        with_positive = np.bincount(owner, minlength=self.n_lists)
        return np.minimum(with_positive, self.n_rows - full.astype(np.int64))

    def _sums(
        self, rows: Int, owner: Int, value: Float, hit: NDArray[np.bool_]
    ) -> tuple[sp.csr_array, Int]:
        """The sums that the measures need, as a table of sums × rows.

        For each score that a positive of its list has: the pairs above it and below the one
        before, its pairs, its positives. Then for each list: positives, and pairs with a score.
        """
        new = np.append(True, (np.diff(owner) != 0) | (np.diff(value) != 0))[: len(owner)]
        group = np.cumsum(new) - 1  # pairs of one list and one score
        has_hit = np.bincount(group, hit, minlength=int(new.sum())) > 0
        number = np.cumsum(has_hit) - 1  # of the groups that have a positive
        mine = has_hit[group]
        n = int(has_hit.sum())
        # A pair between two such groups belongs to the next one, if that is of its list.
        following = np.where(mine, number[group], number[group] + 1)
        list_of = owner[new][has_hit]
        between = ~mine & (following < n)
        between[between] = list_of[following[between]] == owner[between]
        last = 3 * n + self.n_lists
        parts = (
            (following[between], rows[between]),
            (n + following[mine], rows[mine]),
            (2 * n + following[hit], rows[hit]),
            (3 * n + self._positives[1], self._positives[0]),
            (last + owner, rows),
        )
        column = np.concatenate([column for column, _ in parts])
        row = np.concatenate([row for _, row in parts])
        shape = (last + self.n_lists, self.n_rows)
        return sp.csr_array((np.ones(len(column)), (column, row)), shape=shape), list_of

    # --- measures ----------------------------------------------------------------------

    def measures(self, weights: Float, recalls: Float = RECALLS) -> ListMeasures:
        """The measures where each row counts as often as the weights of a draw say.

        ``weights`` has the shape (n_draws, n_rows).
        """
        sums = self._table @ np.ascontiguousarray(weights.T)
        n = len(self._owner)
        before, tied, gained = sums[:n], sums[n : 2 * n], sums[2 * n : 3 * n]
        positives, scored = sums[3 * n : 3 * n + self.n_lists], sums[3 * n + self.n_lists :]
        pairs = np.broadcast_to(self.pairs_per_row * weights.sum(axis=1), positives.shape)
        through, calls = self._running(gained), self._running(before + tied)
        ratio = np.divide(through, calls, out=np.zeros_like(calls), where=calls > 0)
        missed = positives - self._by_list @ gained
        area = self._by_list @ (gained * ratio) + missed * positives / pairs
        negatives = pairs - positives
        below = negatives[self._owner] - (calls - through)
        wins = self._by_list @ (gained * (below + (tied - gained) / 2))
        wins += missed * (pairs - scored - missed) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = np.where(positives > 0, area / positives, np.nan)
            auc = np.where(positives * negatives > 0, wins / (positives * negatives), np.nan)
        at_recall = self._at_recall(through, ratio, positives, positives / pairs, recalls)
        return ListMeasures(precision.T, auc.T, at_recall)

    def draws(
        self, n_draws: int, generator: np.random.Generator, recalls: Float = RECALLS
    ) -> ListMeasures:
        """The measures of resamples of the rows."""
        step = max(1, CHUNK // max(self._table.shape))
        weights = drawn_weights(self.n_rows, n_draws, generator, step)
        return ListMeasures.joined(self.measures(some, recalls) for some in weights)

    def interval(self, draws: ListMeasures, value: ListMeasures, name: str) -> tuple[Float, Float]:
        """Both ends of the interval of a measure of each list, at :data:`LEVEL`."""
        # Precision at a recall is no area: there is no bias to correct.
        areas = name != "precision"
        return percentile_interval(
            getattr(draws, name),
            getattr(value, name)[0],
            LEVEL,
            corrected=areas,
            n_units=self.n_units if areas else self.n_units[:, None],
        )

    def _running(self, gained: Float) -> Float:
        """Sums through each score from the top of its list; whole numbers, so exact."""
        total = np.cumsum(gained, axis=0)
        first = np.searchsorted(self._owner, self._owner)
        return total - (total[first] - gained[first])

    def _at_recall(
        self, through: Float, ratio: Float, positives: Float, rate: Float, recalls: Float
    ) -> Float:
        n_draws = positives.shape[1]
        out = np.full((n_draws, self.n_lists, len(recalls)), np.nan)
        if len(recalls) == 0:
            return out
        start = np.searchsorted(self._owner, np.arange(self.n_lists + 1))
        for k in range(self.n_lists):
            mine = slice(start[k], start[k + 1])
            # One search for all draws: each has its own range of numbers.
            shift = (positives[k].max(initial=0) + 2) * np.arange(n_draws)
            wanted = (recalls * positives[k][:, None] - 1e-9).clip(min=0) + shift[:, None]
            counts = (through[mine] + shift).T
            length = counts.shape[1]
            at = np.searchsorted(counts.ravel(), wanted.ravel()).reshape(wanted.shape)
            at -= length * np.arange(n_draws)[:, None]
            reached = at < length
            padded = np.vstack([ratio[mine], rate[k]])
            out[:, k] = padded.T[np.arange(n_draws)[:, None], np.where(reached, at, length)]
            out[positives[k] == 0, k] = np.nan
        return out
