"""Folds that hold out whole labels, as masks: which labels each validated row is without.

Exact fast cross-validation (KNN, ridge) answers every row once for each of its folds; a task is
one such answer.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval.core.pairs import as_pairs
from trueval.core.params import check_self
from trueval.core.random import as_generator
from trueval.pairs._folding import part_choices
from trueval.pairs._kfold import ObjectKFold, kfold_parts
from trueval.pairs._leave_two_out import ObjectLeaveTwoOut, held_out_labels, labels_of

__all__ = ["Tasks", "fold_tasks"]


class Tasks(NamedTuple):
    """Which two labels are held out whenever a row is validated."""

    # shape (n_rows, 2); part (or object, for leave-two-out) of each member
    labels: NDArray[np.int32]
    start: NDArray[np.int64]  # shape (n_rows + 1,); where the tasks of each row begin
    # p, q: the labels that a task holds out; equal when it holds out one
    p: NDArray[np.int32]
    q: NDArray[np.int32]
    fold: NDArray[np.int64]  # number of the fold a task belongs to
    n_folds: int  # number of folds

    @property
    def row(self) -> NDArray[np.int64]:
        """Row of each task."""
        return np.repeat(np.arange(len(self.labels)), np.diff(self.start))

    def mean(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean over the tasks of each row, NaN where there are none."""
        n = np.diff(self.start)
        if (n == 1).all():
            return scores
        out = np.full((len(n), scores.shape[1]), np.nan)
        some = n > 0
        if some.any():
            out[some] = np.add.reduceat(scores, self.start[:-1][some]) / n[some, None]
        return out

    def train_rates(self, y: NDArray[np.bool_], *, strict: bool) -> NDArray[np.float64]:
        """Positive rate of each fold's training set, from sums for each label."""
        n_labels = int(self.labels.max()) + 1
        a, b = self.labels[:, 0].astype(np.int64), self.labels[:, 1].astype(np.int64)
        # A fold that validates nothing has no tasks, and its rate is of no use.
        fold_p = np.zeros(self.n_folds, dtype=np.int64)
        fold_q = np.zeros(self.n_folds, dtype=np.int64)
        fold_p[self.fold], fold_q[self.fold] = self.p, self.q
        two = fold_p != fold_q

        def held(weight: NDArray[np.float64]) -> NDArray[Any]:
            inside = np.bincount(self.fold, weight[self.row], minlength=self.n_folds)
            if not strict:
                return inside
            same = a == b
            touch = np.bincount(a, weight, n_labels) + np.bincount(
                b[~same], weight[~same], n_labels
            )
            inside_one = np.bincount(a[same], weight[same], n_labels)
            # Rows with one label of each are counted with both; take them off once.
            crossing = inside - inside_one[fold_p] - np.where(two, inside_one[fold_q], 0)
            return touch[fold_p] + np.where(two, touch[fold_q] - crossing, 0)

        rows = len(y) - held(np.ones(len(y)))
        return (y.sum() - held(y.astype(np.float64))) / np.maximum(rows, 1)


def fold_tasks(cv: Any, pairs: Any, y: Any) -> Tasks | None:
    """Folds that hold out whole labels, as masks; None for other folds."""
    if isinstance(cv, ObjectLeaveTwoOut):
        check_self(cv)
        index = as_pairs(pairs, symmetric=cv.symmetric)
        labels = labels_of(cv, index)
        return _tasks(labels[index.codes], held_out_labels(index, labels))
    if isinstance(cv, ObjectKFold) and cv.setting_name == "BB" and cv.cold is None:
        check_self(cv)
        index = as_pairs(pairs, symmetric=cv.symmetric)
        n = int(cv.n_splits)
        parts = kfold_parts(cv, index, y, as_generator(cv.random_state)) + n * index.kind
        chosen = []
        for choice in part_choices(n, index.kind_of_column, cv.overlapping):
            held = [kind * n + part for kind, parts_ in choice.items() for part in parts_]
            chosen.append((held[0], held[-1]))
        return _tasks(parts[index.codes], np.asarray(chosen))
    return None


def _tasks(labels: NDArray[np.int64], chosen: NDArray[np.int64]) -> Tasks:
    """For each fold, the rows inside its labels."""
    n_labels = int(max(labels.max(), chosen.max())) + 1
    low, high = labels.min(axis=1), labels.max(axis=1)
    key = low * n_labels + high
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    p, q = chosen.min(axis=1), chosen.max(axis=1)
    wanted = [p * n_labels + q]
    folds = [np.arange(len(chosen))]
    two = np.flatnonzero(p != q)  # rows with one label twice are inside as well
    for label in (p[two], q[two]):
        wanted.append(label * n_labels + label)
        folds.append(two)
    keys, fold_of = np.concatenate(wanted), np.concatenate(folds)
    first = np.searchsorted(ranked, keys, side="left")
    n_found = np.searchsorted(ranked, keys, side="right") - first
    fold = np.repeat(fold_of, n_found)
    offset = np.arange(len(fold)) - np.repeat(np.cumsum(n_found) - n_found, n_found)
    row = order[np.repeat(first, n_found) + offset]
    by_row = np.lexsort((fold, row))
    row, fold = row[by_row], fold[by_row]
    start = np.searchsorted(row, np.arange(len(labels) + 1)).astype(np.int64)
    return Tasks(
        np.ascontiguousarray(labels, dtype=np.int32),
        start,
        np.ascontiguousarray(p[fold], dtype=np.int32),
        np.ascontiguousarray(q[fold], dtype=np.int32),
        fold.astype(np.int64),
        len(chosen),
    )
