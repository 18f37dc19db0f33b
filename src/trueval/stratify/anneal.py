"""``anneal``, the default and ours: simulated annealing over single-row moves.

What is minimised is the mean rLD against the wanted sizes, so classes of all
sizes count alike. Four things make it fast and good:

1. *Equal rows are dealt out first.* Of m rows with one label set every part gets
   its whole share; only the remainder has to be searched. Small data keep some of
   the equal rows for the search, which can use them.
2. *A greedy start*: rows by falling Σ 1/D over their labels, each to the part
   where it helps most.
3. *Heat-bath sweeps*: each visit prices all parts in one pass over the row's
   labels and draws the part with probability exp(−cost/T), T falling from sweep
   to sweep; strict sweeps at the end. Parts that are too large get dearer from sweep
   to sweep; what is still out of place then is moved, and exchanges of two rows mend
   what that cost.
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
from joblib import effective_n_jobs
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.labels import Labels
from trueval.core.params import CALLABLE, N_JOBS, NONE, RANDOM_STATE, Interval, constrained
from trueval.core.random import as_generator, draw_seed
from trueval.stratify import measures
from trueval.stratify._inputs import reads_inputs
from trueval.stratify._items import Items, distinct_items, group_items, parts_given, row_items
from trueval.stratify._parts import Parts

__all__ = ["anneal_folds"]

_SWEEPS = 100  # at effort 1; more on small data, where they cost nothing
_SMALL, _MOST = 300_000, 8.0  # positives below which there are more, and how many times
_SPARE = 20  # equal rows not dealt out then
_STRICT_SWEEPS = 10
# Found by trials on bibtex, delicious, wiki10 and Swiss-Prot: temperatures in
# units of the price of one member, taken at a small and at a typical class.
_HOT, _HOT_QUANTILE = 0.4, 0.1
_COLD = 0.1
_LOOK_AHEAD = 16.0  # a class takes part once its price is above T / this
_STAGES = 12
_SIZE_WEIGHT = 0.2  # price of an item out of place, in units of T
_EXCHANGES, _PARTNERS = 10, 4  # passes at most; random partners of a row, on small data
_CLOSING = (4, 16, 64, 256)  # how much dearer it gets in the end, for groups

# The kernel draws its Gumbel noise from these quantiles.
_U = (np.arange(4096) + 0.5) / 4096
_NOISE = (-np.log(-np.log(_U))).astype(np.float32)


@dataclass(frozen=True, eq=False)
class _Schedule:
    temperatures: NDArray[np.float64]
    active: NDArray[np.int64]
    coldest: float


@reads_inputs
@constrained(
    random_state=RANDOM_STATE,
    effort=Interval(float, 0),
    n_starts=Interval(int, 1),
    n_jobs=N_JOBS,
    progress=(NONE, CALLABLE),
)
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
    >>> from trueval.core.labels import as_labels
    >>> from trueval.stratify.anneal import anneal_folds
    >>> from trueval.stratify._parts import as_parts
    >>> labels = as_labels(np.repeat([[1, 0, 0], [1, 1, 0], [0, 1, 1]], 4, axis=0))
    >>> folds = anneal_folds(labels, as_parts(2, 12), random_state=0)
    >>> np.bincount(folds), np.bincount(folds[8:])
    (array([6, 6]), array([2, 2]))
    """
    generator = as_generator(random_state)
    # Classes by size; equal sizes by content, so that column order is forgotten.
    order = np.lexsort((labels.class_signatures, labels.class_sizes))
    order = order[labels.class_sizes[order] > 0]
    rank = np.full(labels.n_classes, -1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    class_size = labels.class_sizes[order].astype(np.float64)

    if groups is not None:
        items = group_items(labels, parts, rank, len(order), groups, fixed, initial)
    elif fixed is None and initial is None:
        spare = _SPARE if labels.nnz <= _SMALL else 0
        items = distinct_items(labels, parts, rank, len(order), draw_seed(generator), spare)
    else:
        items = row_items(labels, parts, rank, len(order), fixed, initial)
    parts = parts_given(parts, items.base_sizes)
    small = (_SMALL / max(len(items.indices), 1)) ** 0.5
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
    items: Items,
    parts: Parts,
    class_size: NDArray[np.float64],
    schedule: _Schedule,
    seed: int,
    report: "_Reporter",
) -> NDArray[np.int32]:
    n_items = len(items.list_of_item)
    found = np.full(n_items, -1, np.int32) if items.start is None else items.start.copy()
    search = _kernels.AnnealSearch(
        items.indptr,
        items.indices,
        items.counts,
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
        partners = _PARTNERS if len(items.indices) <= _SMALL else 0
        for _ in range(_EXCHANGES):
            # The last few are not worth a visit to every row.
            if search.exchange(partners) <= n_items // 1000:
                break
    else:
        # Groups cannot always have exact sizes; they get close as rows out of
        # place become dear.
        for dearer in _CLOSING:
            search.sweep(0.0, size_weight * dearer, len(class_size))
        _fill_empty_parts(found, items, parts.n_parts)
    return found


def _fill_empty_parts(found: NDArray[np.int32], items: Items, n_parts: int) -> None:
    """Give a part without any row the smallest group that another part can spare."""
    assert items.item_size is not None
    held = np.bincount(found, minlength=n_parts) + (items.base_sizes > 0)
    for part in np.flatnonzero(held == 0):
        spare = np.flatnonzero(held[found] > 1)
        if len(spare) == 0:
            return
        item = spare[np.argmin(items.item_size[spare])]
        held[found[item]] -= 1
        held[part] += 1
        found[item] = part


def _rarity_order(items: Items, class_size: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
    """Items with many rare labels first; equal ones in random order."""
    of_list = _kernels.row_sums(items.indptr, items.indices, items.counts, 1 / class_size)
    rarity = of_list[items.list_of_item]
    order = np.random.default_rng(seed).permutation(len(rarity))
    return order[np.argsort(-rarity[order], kind="stable")]


def _schedule(
    items: Items, parts: Parts, class_size: NDArray[np.float64], sweeps: int
) -> _Schedule:
    """Temperatures from the prices at which classes of this data change parts."""
    if len(class_size) == 0:
        return _Schedule(np.zeros(0), np.zeros(0, np.int64), 1.0)
    # The price of moving one item's members of a class between two parts.
    price = np.mean(1 / (parts.n_parts * parts.shares)) / class_size
    if items.counts is not None:
        # Typical number of members that come together.
        ones = np.bincount(items.indices, items.counts, len(class_size))
        squares = np.bincount(items.indices, items.counts.astype(float) ** 2, len(class_size))
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
