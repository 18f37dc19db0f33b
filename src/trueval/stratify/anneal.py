"""``anneal``, the default and ours: simulated annealing over single-row moves.

What is minimised is the mean rLD against the wanted sizes, so classes of all
sizes count alike. Four things make it fast and good:

1. *Equal rows are dealt out first.* Of m rows with one label set every part gets
   its whole share; only the remainder has to be searched.
2. *A greedy start*: rows by falling Σ 1/D over their labels, each to the part
   where it helps most.
3. *Heat-bath sweeps*: each visit prices all parts in one pass over the row's
   labels and draws the part with probability exp(−cost/T), T falling from sweep
   to sweep; strict sweeps at the end.
4. *Large classes join late*: while T is far above 1/D a class of size D cannot
   steer anything, so it is not even looked at. On heavy-tailed data most
   positives belong to a few large classes.

Time is O(sweeps · positives · parts / lanes), memory a few arrays of the size of
the distinct rows. The search is serial and depends on the seed alone.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from numpy.typing import NDArray

from trueval import _kernels
from trueval.errors import InputError
from trueval.labels import Labels
from trueval.random import as_generator, draw_seed
from trueval.stratify import measures
from trueval.stratify.parts import Parts

__all__ = ["anneal_folds"]

_SWEEPS = 120  # at effort 1; more on small data, where they cost nothing
_SMALL, _MOST = 300_000, 8.0  # positives below which there are more, and how many times
_STRICT_SWEEPS = 10
# Found by trials on bibtex, delicious, wiki10 and Swiss-Prot: temperatures in
# units of the price of one member, taken at a small and at a typical class.
_HOT, _HOT_QUANTILE = 0.4, 0.1
_COLD = 0.1
_LOOK_AHEAD = 16.0  # a class takes part once its price is above T / this
_STAGES = 12
_SIZE_WEIGHT = 0.2  # price of an item out of place, in units of T
_CLOSING = (4, 16, 64, 256)  # how much dearer it gets in the end, for groups

# The kernel draws its Gumbel noise from these quantiles.
_U = (np.arange(4096) + 0.5) / 4096
_NOISE = (-np.log(-np.log(_U))).astype(np.float32)


@dataclass(frozen=True, eq=False)
class _Items:
    """What the search moves: remainders of equal rows, free rows, or groups."""

    lists: sp.csr_array  # classes ascending by size; values are member counts
    weighted: bool  # whether some value is not 1
    list_of_item: NDArray[np.int32]
    item_size: NDArray[np.int32] | None
    base_counts: NDArray[np.int32]
    base_sizes: NDArray[np.int64]
    start: NDArray[np.int32] | None
    to_rows: Callable[[NDArray[np.int32]], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class _Schedule:
    temperatures: NDArray[np.float64]
    active: NDArray[np.int64]
    coldest: float


def anneal_folds(
    labels: Labels,
    parts: Parts,
    *,
    random_state: object = None,
    groups: NDArray[np.int64] | None = None,
    fixed: NDArray[np.int32] | None = None,
    initial: NDArray[np.int32] | None = None,
    effort: float = 1.0,
    n_starts: int = 1,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.int32]:
    """Fold by annealing.

    Parameters
    ----------
    labels : Labels
    parts : Parts
    random_state : None, int, Generator or RandomState
    groups : ndarray of int, optional
        Group number of each row; groups are moved as a whole.
    fixed : ndarray of int, optional
        Part number of rows that are already assigned, −1 for free ones.
    initial : ndarray of int, optional
        Folds to start from. The search then only improves strictly, so the
        result is never worse than the start but for exact sizes.
    effort : float, default=1.0
        Factor on the number of sweeps; 0 leaves the greedy start and strict
        sweeps.
    n_starts : int, default=1
        Independent searches, of which the best is kept.
    n_jobs : int, optional
        Threads for the searches; does not change the result.
    progress : callable, optional
        Called as ``progress(done, total)`` after each sweep.

    Returns
    -------
    ndarray of int32
        Part number of each row. Sizes are exact unless groups or fixed rows
        forbid it.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.labels import as_labels
    >>> from trueval.stratify.anneal import anneal_folds
    >>> from trueval.stratify.parts import as_parts
    >>> labels = as_labels(np.repeat([[1, 0, 0], [1, 1, 0], [0, 1, 1]], 4, axis=0))
    >>> folds = anneal_folds(labels, as_parts(2, 12), random_state=0)
    >>> np.bincount(folds), np.bincount(folds[8:])
    (array([6, 6]), array([2, 2]))
    """
    if not effort >= 0:
        raise ValueError(f"The 'effort' parameter must not be negative. Got {effort!r} instead.")
    if n_starts < 1:
        raise ValueError(f"The 'n_starts' parameter must be at least 1. Got {n_starts!r} instead.")
    generator = as_generator(random_state)
    # Classes by size; equal sizes by content, so that column order is forgotten.
    order = np.lexsort((labels.class_signatures, labels.class_sizes))
    order = order[labels.class_sizes[order] > 0]
    rank = np.full(labels.n_classes, -1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    class_size = labels.class_sizes[order].astype(np.float64)

    if groups is not None:
        items = _group_items(labels, parts, rank, len(order), groups, fixed, initial)
    elif fixed is None and initial is None:
        items = _distinct_items(labels, parts, rank, len(order), draw_seed(generator))
    else:
        items = _row_items(labels, parts, rank, len(order), fixed, initial)
    parts = _parts_given(parts, items.base_sizes)
    small = (_SMALL / max(items.lists.nnz, 1)) ** 0.5
    sweeps = 0 if initial is not None else round(_SWEEPS * effort * min(max(small, 1.0), _MOST))
    schedule = _schedule(items, parts, class_size, sweeps)

    total = n_starts * (sweeps + _STRICT_SWEEPS)
    seeds = [draw_seed(generator) for _ in range(n_starts)]
    report = _Reporter(progress, total)

    def search(seed: int) -> NDArray[np.int32]:
        return _search(items, parts, class_size, schedule, seed, report)

    if n_starts == 1:
        found = [search(seeds[0])]
    else:
        with ThreadPoolExecutor(effective_n_jobs(n_jobs)) as pool:
            found = list(pool.map(search, seeds))
    report.finish()
    candidates = [items.to_rows(parts_of_items) for parts_of_items in found]
    if n_starts == 1:
        return candidates[0]
    return min(candidates, key=lambda folds: _cost(labels, folds, parts))


def _search(
    items: _Items,
    parts: Parts,
    class_size: NDArray[np.float64],
    schedule: _Schedule,
    seed: int,
    report: "_Reporter",
) -> NDArray[np.int32]:
    n_items = len(items.list_of_item)
    found = np.full(n_items, -1, np.int32) if items.start is None else items.start.copy()
    search = _kernels.AnnealSearch(
        items.lists.indptr.astype(np.int64),
        items.lists.indices.astype(np.int32, copy=False),
        items.lists.data.astype(np.int32) if items.weighted else None,
        items.list_of_item,
        items.item_size,
        class_size,
        parts.shares,
        items.base_counts.ravel(),
        items.base_sizes,
        parts.low,
        parts.high,
        _NOISE,
        found,
        seed,
    )
    if items.start is None:
        search.greedy(_rarity_order(items, class_size, seed))
    for temperature, active in zip(schedule.temperatures, schedule.active, strict=True):
        search.sweep(temperature, _SIZE_WEIGHT * temperature, int(active))
        report.step()
    size_weight = _SIZE_WEIGHT * schedule.coldest
    for _ in range(_STRICT_SWEEPS):
        moves = search.sweep(0.0, size_weight, len(class_size))
        report.step()
        if moves == 0:
            break
    if items.item_size is None:
        search.settle()
    else:
        # Groups cannot always have exact sizes; they get close as rows out of
        # place become dear.
        for dearer in _CLOSING:
            search.sweep(0.0, size_weight * dearer, len(class_size))
    return found


def _rarity_order(items: _Items, class_size: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
    """Items with many rare labels first; equal ones in random order."""
    rarity = (items.lists @ (1 / class_size))[items.list_of_item]
    order = np.random.default_rng(seed).permutation(len(rarity))
    return order[np.argsort(-rarity[order], kind="stable")]


def _schedule(
    items: _Items, parts: Parts, class_size: NDArray[np.float64], sweeps: int
) -> _Schedule:
    """Temperatures from the prices at which classes of this data change parts."""
    if len(class_size) == 0:
        return _Schedule(np.zeros(0), np.zeros(0, np.int64), 1.0)
    # The price of moving one item's members of a class between two parts.
    price = np.mean(1 / (parts.n_parts * parts.shares)) / class_size
    if items.weighted or items.item_size is not None:
        ones = np.bincount(items.lists.indices, items.lists.data, len(class_size))
        squares = np.bincount(
            items.lists.indices, items.lists.data.astype(float) ** 2, len(class_size)
        )
        price = price * squares / np.maximum(ones, 1)
    price = np.where(price > 0, price, price[price > 0].min(initial=1.0))
    hot = _HOT * float(np.quantile(price, 1 - _HOT_QUANTILE))
    cold = min(_COLD * float(np.median(price)), hot / 3)
    temperatures = np.geomspace(hot, cold, sweeps) if sweeps > 1 else np.full(sweeps, cold)
    # price need not fall exactly with class size when items are groups
    least_ahead = np.minimum.accumulate(price)
    active = np.searchsorted(-least_ahead, -temperatures / _LOOK_AHEAD, side="right")
    # Classes join in a few stages: each costs a pass over all labels.
    stage = -(-sweeps // _STAGES)
    last_of_stage = np.minimum(np.arange(sweeps) // max(stage, 1) * stage + stage, sweeps) - 1
    return _Schedule(temperatures, np.maximum(active[last_of_stage], 1), cold)


# --- what is moved -------------------------------------------------------------


def _ranked(matrix: sp.csr_array, rank: NDArray[np.int32], n_ranks: int) -> sp.csr_array:
    """Renumber the columns and sort each row by the new numbers."""
    renamed = sp.csr_array(
        (matrix.data, rank[matrix.indices], matrix.indptr), shape=(matrix.shape[0], n_ranks)
    )
    renamed.sort_indices()
    return renamed


def _distinct_items(
    labels: Labels, parts: Parts, rank: NDArray[np.int32], n_ranks: int, seed: int
) -> _Items:
    order, starts = _kernels.equal_rows(
        labels.indptr, labels.indices, labels.class_signatures, seed
    )
    copies = np.diff(starts)
    lists = _ranked(labels.matrix[order[starts[:-1]]], rank, n_ranks)
    some = np.flatnonzero(copies > 1)
    dealt = np.floor(copies[some, None] * parts.shares + 1e-9).astype(np.int64)
    left = copies.copy()
    left[some] -= dealt.sum(axis=1)
    base_counts = (lists[some].T.astype(np.int64) @ dealt).astype(np.int32)
    list_of_item = np.repeat(np.arange(len(copies), dtype=np.int32), left)

    def to_rows(found: NDArray[np.int32]) -> NDArray[np.int32]:
        # Rows stand run by run in random order; each run takes its part numbers.
        numbers = np.arange(parts.n_parts, dtype=np.int32)
        from_dealt = np.repeat(np.tile(numbers, len(some)), dealt.ravel())
        run_of_dealt = np.repeat(some, dealt.sum(axis=1))
        run = np.concatenate([run_of_dealt, list_of_item])
        sorted_by_run = np.argsort(run, kind="stable")
        folds = np.empty(labels.n_rows, dtype=np.int32)
        folds[order] = np.concatenate([from_dealt, found])[sorted_by_run]
        return folds

    return _Items(lists, False, list_of_item, None, base_counts, dealt.sum(axis=0), None, to_rows)


def _row_items(
    labels: Labels,
    parts: Parts,
    rank: NDArray[np.int32],
    n_ranks: int,
    fixed: NDArray[np.int32] | None,
    initial: NDArray[np.int32] | None,
) -> _Items:
    placed = np.full(labels.n_rows, -1, np.int32) if fixed is None else fixed
    free = np.flatnonzero(placed < 0)
    by_class = measures.class_part_counts(labels, placed, parts.n_parts)
    base_counts = np.zeros((n_ranks, parts.n_parts), dtype=np.int32)
    base_counts[rank[rank >= 0]] = by_class[rank >= 0]

    def to_rows(found: NDArray[np.int32]) -> NDArray[np.int32]:
        folds = placed.astype(np.int32, copy=True)
        folds[free] = found
        return folds

    return _Items(
        lists=_ranked(labels.matrix[free], rank, n_ranks),
        weighted=False,
        list_of_item=np.arange(len(free), dtype=np.int32),
        item_size=None,
        base_counts=base_counts,
        base_sizes=np.bincount(placed[placed >= 0], minlength=parts.n_parts),
        start=None if initial is None else initial[free].astype(np.int32),
        to_rows=to_rows,
    )


def _group_items(
    labels: Labels,
    parts: Parts,
    rank: NDArray[np.int32],
    n_ranks: int,
    groups: NDArray[np.int64],
    fixed: NDArray[np.int32] | None,
    initial: NDArray[np.int32] | None,
) -> _Items:
    n_groups = int(groups.max()) + 1
    if n_groups < parts.n_parts:
        raise InputError(
            f"cannot divide {n_groups} groups into {parts.n_parts} parts; ask for at most "
            f"{n_groups} parts, or make smaller groups."
        )
    placed = np.full(n_groups, -1, np.int32)
    if fixed is not None:
        rows = np.flatnonzero(fixed >= 0)
        placed[groups[rows]] = fixed[rows]
        clash = rows[placed[groups[rows]] != fixed[rows]]
        if len(clash):
            raise InputError(
                f"row {clash[0]} is fixed to part {fixed[clash[0]]}, another row of its group to "
                f"part {placed[groups[clash[0]]]}; a group can only be in one part."
            )
    membership = sp.csr_array(
        (np.ones(labels.n_rows, np.int32), (groups, np.arange(labels.n_rows))),
        shape=(n_groups, labels.n_rows),
    )
    vectors = sp.csr_array(membership @ labels.matrix.astype(np.int32))
    sizes = np.bincount(groups, minlength=n_groups)
    free = np.flatnonzero(placed < 0)
    base_counts = np.zeros((n_ranks, parts.n_parts), dtype=np.int32)
    base_sizes = np.zeros(parts.n_parts, dtype=np.int64)
    if len(free) < n_groups:
        rows_placed = placed[groups]
        by_class = measures.class_part_counts(labels, rows_placed, parts.n_parts)
        base_counts[rank[rank >= 0]] = by_class[rank >= 0]
        base_sizes = np.bincount(rows_placed[rows_placed >= 0], minlength=parts.n_parts)
    start = None
    if initial is not None:
        start_of_group = np.empty(n_groups, np.int32)
        start_of_group[groups] = initial
        if (start_of_group[groups] != initial).any():
            raise InputError("the initial folds separate rows of one group.")
        start = start_of_group[free]

    def to_rows(found: NDArray[np.int32]) -> NDArray[np.int32]:
        part_of_group = placed.copy()
        part_of_group[free] = found
        return part_of_group[groups]

    single = bool((sizes == 1).all())
    return _Items(
        lists=_ranked(vectors[free], rank, n_ranks),
        weighted=not single,
        list_of_item=np.arange(len(free), dtype=np.int32),
        item_size=None if single else sizes[free].astype(np.int32),
        base_counts=base_counts,
        base_sizes=base_sizes,
        start=start,
        to_rows=to_rows,
    )


def _parts_given(parts: Parts, placed: NDArray[np.int64]) -> Parts:
    """Parts that can still be had when some rows are placed already.

    A part that is over-full keeps its rows, the others share what is left, and
    class targets follow the sizes that come out.
    """
    if (placed <= parts.low).all():
        return parts
    free = parts.n_rows - int(placed.sum())
    room = np.maximum(parts.shares * parts.n_rows - placed, 0)
    exact = placed + (free * room / room.sum() if free else 0)
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    odd = np.argsort(-(exact - sizes), kind="stable")[: parts.n_rows - int(sizes.sum())]
    sizes[odd] += 1
    return Parts(parts.n_rows, np.maximum(sizes, 1) / parts.n_rows, sizes, sizes)


# --- small helpers ---------------------------------------------------------------


def _cost(labels: Labels, folds: NDArray[np.int32], parts: Parts) -> float:
    counts = measures.class_part_counts(labels, folds, parts.n_parts)
    return float(np.nansum(measures.rld_wanted(counts, parts.shares)))


class _Reporter:
    """Counts steps of all searches and tells the caller, one thread at a time."""

    def __init__(self, progress: Callable[[int, int], None] | None, total: int) -> None:
        self._progress, self._total = progress, total
        self._done, self._lock = 0, Lock()

    def step(self) -> None:
        if self._progress is not None:
            with self._lock:
                self._done += 1
                self._progress(self._done, self._total)

    def finish(self) -> None:
        if self._progress is not None and self._done < self._total:
            self._progress(self._total, self._total)
