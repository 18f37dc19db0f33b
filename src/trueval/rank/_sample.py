"""One class's scores sorted with its labels, and work on all classes in threads."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from joblib import delayed
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.core.threads import n_workers, threads

__all__ = ["Sample", "Samples", "class_sample", "each_class", "per_class"]

Float = NDArray[np.float64]
_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Sample:
    """One class: its distinct scores, rising, with objects and positives at each."""

    # score, size, positives: distinct stored scores, how many objects have each, how many are
    # members
    score: Float
    size: Float
    positives: Float
    # n_absent, absent_positives: objects without a stored score, and members among them
    n_absent: float
    absent_positives: float

    @cached_property
    def n(self) -> float:
        """Stored objects."""
        return float(self.size.sum())

    @cached_property
    def n_positives(self) -> float:
        """Members among the stored objects."""
        return float(self.positives.sum())

    @property
    def absent_rate(self) -> float:
        """Share of members among the absent objects; 0 if there are none."""
        return self.absent_positives / self.n_absent if self.n_absent else 0.0

    @property
    def trouble(self) -> str | None:
        """Why the class cannot be ranked, or None."""
        if self.n == 0:
            return "no stored scores"
        if self.n_positives == 0:
            return "no positives"
        if self.n_positives == self.n:
            return "no negatives"
        if len(self.score) == 1:
            return "constant scores"
        return None


def class_sample(
    scores: Scores, members: sp.csc_array, k: int, weights: Float | None = None
) -> Sample:
    """Sort one class.

    ``members`` are labels by class, row numbers sorted; ``weights`` of the rows are above 0.
    """
    values, rows = scores.column(k)
    positive_rows = members.indices[members.indptr[k] : members.indptr[k + 1]]
    if rows is None:
        label = np.zeros(len(values), dtype=np.float64)
        label[positive_rows] = 1.0
    else:
        at = np.searchsorted(positive_rows, rows)
        at[at == len(positive_rows)] = max(len(positive_rows) - 1, 0)
        is_positive = positive_rows[at] == rows if len(positive_rows) else np.zeros(len(rows), bool)
        label = is_positive.astype(np.float64)
    order = np.argsort(values, kind="stable")
    values, label = values[order], label[order]
    first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])
    if weights is None:
        size = np.diff(np.concatenate([first, [len(values)]])).astype(np.float64)
        positives = np.add.reduceat(label, first) if len(first) else np.empty(0)
        absent = scores.n_rows - len(values), int(len(positive_rows) - positives.sum())
        return Sample(values[first], size, positives, *absent)
    stored = weights if rows is None else weights[rows]
    sums = np.add.reduceat(np.column_stack([stored[order], stored[order] * label]), first)
    without = np.ones(scores.n_rows, dtype=bool)
    without[slice(None) if rows is None else rows] = False
    absent_positives = weights[positive_rows][without[positive_rows]].sum()
    n_absent = weights[without].sum()
    return Sample(values[first], sums[:, 0], sums[:, 1], float(n_absent), float(absent_positives))


class Samples:
    """The sorted sample of each class, made when it is asked for and not kept.

    Sorting twice takes less than keeping what is sorted: three numbers for each score.

    Of each class asked for, ``troubles`` says why it cannot be ranked and ``absent_rates`` has the
    share of members among its absent objects.
    """

    def __init__(self, scores: Scores, labels: Labels, weights: Float | None = None) -> None:
        if weights is not None:
            rows = np.flatnonzero(weights > 0)
            scores, labels, weights = scores.take(rows), labels.take(rows), weights[rows]
        self._scores, self._weights = scores, weights
        self._members = labels.by_class
        self.troubles: list[str | None] = [None] * scores.n_classes
        self.absent_rates = np.zeros(scores.n_classes)

    def __len__(self) -> int:
        return self._scores.n_classes

    def __getitem__(self, k: int) -> Sample:
        sample = class_sample(self._scores, self._members, k, self._weights)
        self.troubles[k] = sample.trouble
        self.absent_rates[k] = sample.absent_rate
        return sample


def per_class(work: Callable[[int], _T], n_classes: int, n_jobs: int | None) -> list[_T]:
    """Do the work of each class, in threads; the order of results is that of the classes."""
    return list(each_class(work, n_classes, n_jobs))


def each_class(work: Callable[[int], _T], n_classes: int, n_jobs: int | None) -> Iterator[_T]:
    """Results of all classes in order, as soon as they are there, so that none need be kept."""
    if n_workers(n_jobs, n_classes) == 1:
        yield from map(work, range(n_classes))
        return
    chunks = np.array_split(np.arange(n_classes), min(n_classes, 64))

    def some(numbers: NDArray[Any]) -> list[_T]:
        return [work(int(k)) for k in numbers]

    parts = threads(n_jobs, len(chunks), return_as="generator")
    for part in parts(delayed(some)(c) for c in chunks):
        yield from part
