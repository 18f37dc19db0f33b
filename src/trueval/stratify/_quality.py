"""``split_quality``: how good folds are, and how good they could be."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import InputError, ParameterError
from trueval.core.folds import as_folds
from trueval.core.groups import group_numbers
from trueval.core.labels import as_labels
from trueval.core.named import check_row_order
from trueval.core.params import NONE, constrained
from trueval.core.presentable import AX, Presentable, draw
from trueval.core.similarity import THRESHOLD, as_similarity
from trueval.core.table import Table
from trueval.stratify import measures
from trueval.stratify._group_bound import mean_group_bound, part_limits
from trueval.stratify._groups import members_of_groups
from trueval.stratify._leakage import Leakage, measure_leakage
from trueval.stratify._parts import PARTS, Parts, as_parts

__all__ = ["SplitQuality", "quality_of_counts", "split_quality"]


@dataclass(frozen=True, eq=False, repr=False)
class SplitQuality(Presentable):
    """Measures of a split, with the bounds no split can pass.

    Means are over classes with at least one positive and one negative, as in the OptiSplit
    paper (section 5.3).

    Attributes
    ----------
    ld, rld, dcp : float
        Eqs. 3.1, 3.3 and 3.4 of the OptiSplit paper.
    ed : float
        Eq. 3.2: mean distance of the part sizes from the wanted sizes.
    rld_wanted : float
        rLD against the wanted sizes, which unequal parts cannot flatter.
    rld_bound, dcp_bound : float
        The least that ``rld_wanted`` and ``dcp`` can be, as counts are integers. If the
        parts have the wanted sizes, ``rld_bound`` includes what unequal sizes force
        (:func:`~trueval.stratify.measures.forced_rld`); bounds of single classes do not.
    sizes, wanted_sizes : ndarray
        Rows of each part.
    missing : int
        Pairs of a class and a part without a member of it.
    avoidable : int
        Those of them whose class has at least as many members as there are parts; where groups
        were given, members in as many groups.
    n_rows, n_parts, n_classes : int
        The shape of the problem; ``n_classes`` includes empty classes.
    n_empty, n_full : int
        Classes without positives and without negatives, left out of all means.
    n_rare : int
        Classes with fewer members than parts.
    per_class : Table
        All measures for each class, in column order.
    n_dropped : int
        Rows in no part (−1), which are counted nowhere else.
    leakage : Leakage or None
        Similar rows in different parts, where a similarity was given.
    groups_split : int or None
        Groups with rows in several parts, where groups were given.
    group_bound : float or None
        The least that ``rld_wanted`` can be where groups, or similar rows, stay together and no
        part is farther above its wanted size than here, or than 5 %.
    """

    ld: float
    ed: float
    rld: float
    dcp: float
    rld_wanted: float
    rld_bound: float
    dcp_bound: float
    sizes: NDArray[np.int64]
    wanted_sizes: NDArray[np.float64]
    missing: int
    avoidable: int
    n_rows: int
    n_parts: int
    n_classes: int
    n_empty: int
    n_full: int
    n_rare: int
    per_class: Table
    n_dropped: int = 0
    leakage: Leakage | None = None
    groups_split: int | None = None
    group_bound: float | None = None

    @property
    def crossing_edges(self) -> int | None:
        """Pairs of similar rows in different parts; None without a similarity."""
        return None if self.leakage is None else self.leakage.crossing_edges

    @property
    def group_ratio(self) -> float | None:
        """How far ``rld_wanted`` is from ``group_bound``; None if a group is split."""
        if self.group_bound is None or self.groups_split:
            return None
        return _ratio(self.rld_wanted, self.group_bound)

    @property
    def rld_ratio(self) -> float:
        """How far ``rld_wanted`` is from its bound: 1 is perfect."""
        return _ratio(self.rld_wanted, self.rld_bound)

    @property
    def dcp_ratio(self) -> float:
        """How far ``dcp`` is from its bound: 1 is perfect."""
        return _ratio(self.dcp, self.dcp_bound)

    @shared_sections(ax=AX)
    def plot(self, ax: Any = None) -> Any:
        """Draw the size of each class against its rLD, with the lower bound.

        {ax}

        Returns
        -------
        trueval.displays.SplitQualityDisplay
        """
        return draw("SplitQualityDisplay.from_quality", self, ax=ax)


@constrained(parts=(NONE, *PARTS), threshold=THRESHOLD)
def split_quality(
    y: Any,
    folds: Any,
    *,
    parts: Any = None,
    groups: Any = None,
    similarity: Any = None,
    threshold: float | None = None,
) -> SplitQuality:
    """Measure a split of multi-label data.

    Parameters
    ----------
    y : array, sparse matrix, DataFrame or sequence of label sets
        Labels, in any form :func:`trueval.as_labels` takes.
    folds : array of int of shape (n_rows,), or sequence of (train, test)
        Part number of each row, −1 for rows that are in no part; or index pairs as a splitter
        yields them, whose test sets must be disjoint and cover all rows.
    parts : int or sequence of numbers, optional
        The parts that were wanted, as in
        :func:`~trueval.stratify.stratified_folds`; equal parts, as many as
        there are part numbers, if not given.
    groups : array-like of shape (n_rows,), optional
        Groups that should stay together, as in
        :func:`~trueval.stratify.stratified_folds`: how many are split, and the bound for splits
        that keep them.
    similarity : Similarity, sparse matrix or list of edges, optional
        Similar rows, as in :func:`~trueval.stratify.stratified_folds`.
    threshold : float, optional
        Least similarity of an edge that counts; all edges count if not given.

    Returns
    -------
    SplitQuality

    Examples
    --------
    >>> import numpy as np
    >>> from trueval import split_quality
    >>> y = np.repeat([[1, 0], [1, 1], [0, 1]], 4, axis=0)
    >>> good = split_quality(y, [0, 1] * 6)
    >>> good.rld, good.rld_bound, good.missing
    (0.0, 0.0, 0)
    >>> bad = split_quality(y, [0] * 6 + [1] * 6)
    >>> bad.rld
    0.5
    """
    labels = as_labels(y)
    check_row_order(groups, labels.index, "groups")
    numbers = as_folds(folds, labels.n_rows, index=labels.index, free=True)
    graph = None
    if similarity is not None:
        graph = as_similarity(similarity, labels.n_rows, labels.index)
    elif threshold is not None:
        raise ParameterError("similarity", "given where threshold is", None, "split_quality")
    numbered = None if groups is None else group_numbers(groups, labels.n_rows)
    n_dropped = int((numbers < 0).sum())
    if n_dropped:
        assigned = _in_a_part(numbers)
        labels, numbers = labels.take(assigned), numbers[assigned]
        graph = None if graph is None else graph.take(assigned)
        if numbered is not None:
            numbered = np.unique(numbered[assigned], return_inverse=True)[1]
    n_numbered = int(numbers.max()) + 1
    wanted = as_parts(max(n_numbered, 2) if parts is None else parts, labels.n_rows)
    if n_numbered > wanted.n_parts:
        raise InputError(
            f"folds has part numbers up to {n_numbered - 1}, but only {wanted.n_parts} parts are "
            "wanted."
        )
    sizes = np.bincount(numbers, minlength=wanted.n_parts)
    counts = measures.class_part_counts(labels, numbers, wanted.n_parts)
    lengths = np.diff(labels.indptr)
    quality = quality_of_counts(counts, sizes, wanted, labels.classes, lengths, n_dropped)
    bounds = []
    if numbered is not None:
        limits = part_limits(sizes, wanted.shares)
        bounds.append(mean_group_bound(labels, numbered, wanted.shares, limits))
        in_groups = members_of_groups(labels, numbered, int(numbered.max()) + 1)
        spread = np.bincount(in_groups.indices, minlength=labels.n_classes)  # groups of a class
        avoidable = int(quality.per_class["missing"][spread >= wanted.n_parts].sum())
        split = _split_groups(numbered, numbers)
        quality = replace(quality, groups_split=split, avoidable=avoidable)
    if graph is not None:
        leakage = measure_leakage(labels, numbers, wanted, graph, threshold)
        bounds.append(leakage.rld_bound)
        quality = replace(quality, leakage=leakage)
    return replace(quality, group_bound=max(bounds)) if bounds else quality


def quality_of_counts(
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    wanted: Parts,
    classes: NDArray[Any],
    row_lengths: NDArray[np.int64],
    n_dropped: int = 0,
) -> SplitQuality:
    """Measure a split by the positives of each class and the rows in each part.

    ``row_lengths`` are the labels of each row; only unequal parts need them.
    """
    k, shares = wanted.n_parts, wanted.shares
    totals = counts.sum(axis=1)
    columns = {
        "class": classes,
        "size": totals,
        "ld": measures.ld(counts, sizes),
        "rld": measures.rld(counts, sizes),
        "rld_wanted": measures.rld_wanted(counts, shares),
        "rld_bound": measures.rld_bound(totals, shares),
        "dcp": measures.dcp(counts, shares),
        "dcp_bound": measures.dcp_bound(totals, shares),
        "missing": np.where(totals > 0, (counts == 0).sum(axis=1), 0),
    }
    has, full = totals > 0, totals == wanted.n_rows
    counted = has & ~full
    mean = {
        name: float(values[counted].mean()) if counted.any() else float("nan")
        for name, values in columns.items()
        if name in ("ld", "rld", "rld_wanted", "rld_bound", "dcp", "dcp_bound")
    }
    if counted.any() and ((wanted.low <= sizes) & (sizes <= wanted.high)).all():
        lengths = row_lengths - int(full.sum())
        forced = measures.forced_rld(totals[counted], lengths, shares, sizes)
        mean["rld_bound"] += forced / int(counted.sum())
    return SplitQuality(
        **mean,
        ed=measures.ed(sizes, shares),
        sizes=sizes,
        wanted_sizes=shares * wanted.n_rows,
        missing=int(columns["missing"].sum()),
        avoidable=int(columns["missing"][totals >= k].sum()),
        n_rows=wanted.n_rows,
        n_parts=k,
        n_classes=len(counts),
        n_empty=int((~has).sum()),
        n_full=int(full.sum()),
        n_rare=int((has & (totals < k)).sum()),
        per_class=Table(columns),
        n_dropped=n_dropped,
        leakage=None,
        groups_split=None,
    )


def _in_a_part(numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """Rows that are in a part."""
    assigned = np.flatnonzero(numbers >= 0)
    if not len(assigned):
        raise InputError("every row is in no part (-1).", fix="Give some rows a part from 0.")
    return assigned


def _split_groups(groups: NDArray[np.int64], numbers: NDArray[np.int32]) -> int:
    """How many groups have rows in several parts."""
    first = np.zeros(int(groups.max()) + 1, numbers.dtype)
    first[groups] = numbers  # one row of each group
    return len(np.unique(groups[first[groups] != numbers]))


def _ratio(value: float, bound: float) -> float:
    if bound > 0 or np.isnan(bound):
        return value / bound
    return 1.0 if value < 1e-12 else float("inf")  # 300 · 4/15 is not quite 80
