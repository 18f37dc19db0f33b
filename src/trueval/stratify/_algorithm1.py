"""Algorithm 1 of the OptiSplit paper for any measure of the classes, step by step.

The measures that trueval knows have a faster form in the kernel, which looks only at the classes
that a step touches.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError
from trueval.core.labels import Labels, as_labels
from trueval.stratify import measures
from trueval.stratify._parts import Parts

__all__ = ["Balancer", "PublishedRows", "algorithm_1", "scores_of"]

_Rows = NDArray[np.int32]
_LEAST_GAIN = 1e-12  # rounding is no improvement


class Balancer(Protocol):
    """Moves rows so that each part gets its share of a class."""

    def rebalance(self, worst: int) -> tuple[_Rows, _Rows]:
        """Rows moved, and the parts they left."""

    def put(self, rows: _Rows, parts: _Rows) -> None:
        """Rows to these parts: what undoes a balancing."""


def algorithm_1(
    score: Callable[[], NDArray[np.float64]],
    balancer: Balancer,
    classes: NDArray[np.intp],
    max_epochs: int,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Balance the worst class, keep the change if the sum of scores falls, else try the next.

    ``score`` gives the scores of all classes for the folds as they are, ``balancer`` changes the
    folds; classes other than ``classes`` only count in the sum.
    """
    scores = score()
    for epoch in range(max_epochs):
        n_moves = offset = 0
        worst_first = classes[np.argsort(-scores[classes], kind="stable")]
        # Invariant: the first `offset` classes were tried in vain since the order last changed.
        for _ in range(len(classes)):
            if offset >= len(classes):
                break
            rows, before = balancer.rebalance(int(worst_first[offset]))
            after = score() if len(rows) else scores
            if after.sum() < scores.sum() - _LEAST_GAIN:
                scores, n_moves = after, n_moves + 1
                worst_first = classes[np.argsort(-scores[classes], kind="stable")]
            else:
                balancer.put(rows, before)
                offset += 1
        if progress is not None:
            progress(epoch + 1 if n_moves else max_epochs, max_epochs)
        if n_moves == 0:
            return


def scores_of(
    measure: Callable[[Labels, NDArray[np.int32]], Any], labels: Labels, folds: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Scores of a caller's measure, checked; NaN, of classes that it leaves out, counts as 0."""
    scores = np.asarray(measure(labels, folds.copy()), dtype=float)
    if scores.shape != (labels.n_classes,):
        raise InputError(
            f"measure must give one score for each of the {labels.n_classes} classes. Got shape "
            f"{scores.shape} instead."
        )
    if np.isinf(scores).any():
        at = int(np.flatnonzero(np.isinf(scores))[0])
        raise InputError(f"measure gave class {at} the score {scores[at]}; scores must be finite.")
    return np.nan_to_num(scores)


class PublishedRows:
    """The row choice of the published program, and scores against the actual part sizes.

    Parts with too many positives of the class give up rows with the fewest labels, in the order
    of parts; parts with too few take them, the first part first, and what cannot be divided goes to
    the first parts.

    Parameters
    ----------
    matrix : csr_array of shape (n_rows, n_classes)
    parts : Parts
    folds : ndarray of int32
        Changed in place.
    """

    def __init__(self, matrix: sp.csr_array, parts: Parts, folds: NDArray[np.int32]) -> None:
        self._rows, self._columns = matrix, matrix.tocsc()
        self._parts, self._folds = parts, folds
        self._n_labels = np.diff(matrix.indptr)
        self._counts = measures.class_part_counts(as_labels(matrix), folds, parts.n_parts)
        self._sizes = np.bincount(folds, minlength=parts.n_parts)

    def scores(self, measure: str) -> NDArray[np.float64]:
        """LD, rLD or DCP as printed, 0 for classes without members."""
        second = self._parts.shares if measure == "dcp" else self._sizes
        return np.nan_to_num(getattr(measures, measure)(self._counts, second))

    def rebalance(self, worst: int) -> tuple[_Rows, _Rows]:
        """Move rows as the published program does."""
        start, stop = self._columns.indptr[worst : worst + 2]
        members = self._columns.indices[start:stop]
        members = members[np.argsort(self._n_labels[members], kind="stable")]
        wanted = np.floor(len(members) * self._parts.shares + 1e-9).astype(np.int64)
        wanted[: len(members) - int(wanted.sum())] += 1
        missing = wanted - self._counts[worst]
        of_member = self._folds[members]
        donors = [members[of_member == j][: -missing[j]] for j in np.flatnonzero(missing < 0)]
        if not donors:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        excess = np.concatenate(donors)
        rows, targets = [], []
        for j in np.flatnonzero(missing > 0):
            taken, excess = excess[: missing[j]], np.sort(excess[missing[j] :])
            rows.append(taken)
            targets.append(np.full(len(taken), j, np.int32))
        moved = np.concatenate(rows).astype(np.int32)
        before = self._folds[moved]
        self.put(moved, np.concatenate(targets))
        return moved, before

    def put(self, rows: _Rows, parts: _Rows) -> None:
        """Rows to these parts, and the counts with them."""
        lists = self._rows[rows]
        of_entry = np.repeat(np.arange(len(rows)), np.diff(lists.indptr))
        for sign, part in ((-1, self._folds[rows]), (1, parts)):
            np.add.at(self._counts, (lists.indices, part[of_entry]), sign)
            np.add.at(self._sizes, part, sign)
        self._folds[rows] = parts
