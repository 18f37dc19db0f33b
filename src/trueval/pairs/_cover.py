"""What a splitter validates, what it never does, and what each fold loses."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_binary, is_binary
from trueval.core.docs import shared_sections
from trueval.core.ids import PairIndex
from trueval.core.pairs import as_pairs
from trueval.core.params import check_self
from trueval.core.presentable import AX, Presentable, draw
from trueval.core.table import Table
from trueval.pairs._each_fold import each_fold
from trueval.pairs._folding import n_distinct
from trueval.pairs._leave_two_out import ObjectLeaveTwoOut, held_out_labels, labels_of

__all__ = ["Coverage", "coverage"]


@dataclass(frozen=True, eq=False, repr=False)
class Coverage(Presentable):
    """How often each row is validated.

    Attributes
    ----------
    counts : ndarray of int
        Number of validation sets each row is in.
    folds : Table
        For each fold: rows trained on, validated and dropped, the share of all
        rows that is trained on, and, if y is known, the positives validated and
        whether both classes are.
    n_unscorable : int or None
        Folds that have no AUC because their validation set is empty or of one
        class; None if y is not known.
    index : PairIndex
        The pairs, with their duplicates, mirror images and self pairs counted.
    """

    counts: NDArray[np.int64]
    folds: Table
    n_unscorable: int | None
    index: PairIndex

    @property
    def never(self) -> NDArray[np.intp]:
        """Rows that no fold validates."""
        return np.flatnonzero(self.counts == 0)

    @property
    def share_never(self) -> float:
        """Share of the rows that no fold validates."""
        return float((self.counts == 0).mean())

    @property
    def share_dropped(self) -> float:
        """Mean share of the rows that a fold neither trains on nor validates."""
        return float(self.folds["dropped"].mean() / len(self.counts))

    @property
    def weights(self) -> NDArray[np.float64]:
        """One over the number of times a row is validated, 0 where it never is."""
        return np.divide(1.0, self.counts, out=np.zeros(len(self.counts)), where=self.counts > 0)

    @shared_sections(ax=AX)
    def plot(self, ax: Any = None) -> Any:
        """Draw what each fold trains on, validates and leaves out.

        {ax}

        Returns
        -------
        trueval.displays.CoverageDisplay
            Of at most 100 folds, the first ones.
        """
        return draw("CoverageDisplay.from_coverage", self, ax=ax)


def coverage(cv: Any, pairs: Any, y: Any = None) -> Coverage:
    """Count how often each pair is validated, and what each fold loses.

    Parameters
    ----------
    cv : splitter, or iterable of (train, test)
        A splitter of this package, any scikit-learn splitter, or index arrays.
    pairs : Pairs, PairIndex or array-like of shape (n_rows, 2)
        Object ids of each row.
    y : array-like, optional
        Labels; they say which folds have both classes. Splitters that balance
        positives make other parts with y than without: give it here if ``split``
        gets it.

    Returns
    -------
    Coverage

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from trueval.pairs import ObjectKFold, coverage
    >>> pairs = np.array(list(combinations(range(30), 2)))
    >>> coverage(ObjectKFold(5, random_state=0), pairs)
    Coverage of 435 rows, 435 distinct pairs of 30 objects by 5 folds
      82.8 % of the pairs are never validated: no fold holds out their objects together.
      validated: 75 pairs (17.2 %)
      never validated: 360 pairs (82.8 %)
      validated more than once: 0 pairs (at most 1 time)
      trained on in a fold: 63.4 %
      left out of a fold: 33.1 % on average
    >>> coverage(ObjectKFold(5, overlapping=True, random_state=0), pairs).share_never
    0.0
    """
    index = as_pairs(pairs, symmetric=getattr(cv, "symmetric", True), y=y)
    positive = as_binary(y) if y is not None and is_binary(y) else None
    counts = np.zeros(index.n_rows, dtype=np.int64)
    rows: list[tuple[int, int, int, int]] = []
    if isinstance(cv, ObjectLeaveTwoOut):
        rows = _leave_two_out(cv, index, positive, counts)
    else:
        for fold in each_fold(cv, pairs, y, index):
            n_train, test = n_distinct(fold.train, index.n_rows), fold.test
            counts[test] += 1
            n_positive = 0 if positive is None else int(positive[test].sum())
            rows.append((n_train, len(test), index.n_rows - n_train - len(test), n_positive))
    table = np.asarray(rows, dtype=np.int64).reshape(-1, 4)
    columns: dict[str, Any] = {
        "fold": np.arange(len(table)),
        "train": table[:, 0],
        "validated": table[:, 1],
        "dropped": table[:, 2],
        "share_trained": table[:, 0] / index.n_rows,
    }
    n_unscorable = None
    if positive is not None:
        scorable = (table[:, 3] > 0) & (table[:, 3] < table[:, 1])
        columns |= {"positives": table[:, 3], "scorable": scorable}
        n_unscorable = int((~scorable).sum())
    return Coverage(counts, Table(columns), n_unscorable, index)


def _leave_two_out(
    cv: ObjectLeaveTwoOut,
    index: PairIndex,
    positive: NDArray[np.bool_] | None,
    counts: NDArray[np.int64],
) -> list[tuple[int, int, int, int]]:
    """The same from the rows of each object, without an index array for each fold."""
    check_self(cv)
    labels = labels_of(cv, index)
    members = labels[index.codes]
    rows_of = _rows_of_label(members, int(labels.max()) + 1)
    out = []
    for chosen in held_out_labels(index, labels):
        touched = np.unique(np.concatenate([rows_of[label] for label in set(chosen.tolist())]))
        inside = touched[np.isin(members[touched], chosen).all(axis=1)]
        counts[inside] += 1
        n_train = index.n_rows - (len(touched) if cv.scheme == "strict" else len(inside))
        n_positive = 0 if positive is None else int(positive[inside].sum())
        out.append((n_train, len(inside), index.n_rows - n_train - len(inside), n_positive))
    return out


def _rows_of_label(members: NDArray[np.int64], n_labels: int) -> list[NDArray[np.intp]]:
    flat = members.reshape(-1)
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], np.arange(n_labels + 1))
    rows = order // members.shape[1]
    return [np.unique(rows[low:high]) for low, high in itertools.pairwise(starts)]
