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
from threading import Lock

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.core.params import CALLABLE, N_JOBS, NONE, RANDOM_STATE, Interval, constrained
from trueval.core.random import as_generator, draw_seed
from trueval.stratify.costs import rld_costs
from trueval.stratify.groups import group_items
from trueval.stratify.items import Items, distinct_items, rank_classes, row_items
from trueval.stratify.parts import Parts
from trueval.stratify.search import Search

__all__ = ["anneal_folds"]

_SWEEPS = 225  # visits to each item at effort 1; more on small data, where they cost nothing
_SMALL_WORK, _SMALL_SWEEP = 6e8, 1.2e5  # label visits that small data may take
_SMALL = 300_000  # positives
_SPARE = 20  # equal rows not dealt out then
_ROUNDS, _GROWTH = 4, 3  # rounds at effort 1, each so many times as long as the one before


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
    >>> from trueval.stratify.parts import as_parts
    >>> labels = as_labels(np.repeat([[1, 0, 0], [1, 1, 0], [0, 1, 1]], 4, axis=0))
    >>> folds = anneal_folds(labels, as_parts(2, 12), random_state=0)
    >>> np.bincount(folds), np.bincount(folds[8:])
    (array([6, 6]), array([2, 2]))
    """
    generator = as_generator(random_state)
    ranks = rank_classes(labels)
    if groups is not None:
        items = group_items(labels, parts, ranks, groups, fixed, initial)
    elif fixed is None and initial is None:
        spare = _SPARE if labels.nnz <= _SMALL else 0
        items = distinct_items(labels, parts, ranks, draw_seed(generator), spare)
    else:
        items = row_items(labels, parts, ranks, fixed, initial)
    costs = rld_costs(items)
    rounds = [] if initial is not None else _rounds(items, effort)
    seeds = [draw_seed(generator) for _ in range(n_starts)]
    report = _Reporter(progress, n_starts * sum(rounds))

    def search(seed: int) -> Search:
        search = Search(items, costs, seed)
        search.begin()
        for work in rounds:
            if search.perfect:
                break
            search.cool(work, report.step)
        return search

    if n_starts == 1:
        found = [search(seeds[0])]
    else:
        with ThreadPoolExecutor(effective_n_jobs(n_jobs)) as pool:
            found = list(pool.map(search, seeds))
    report.finish()
    best = min(found, key=lambda search: search.best_cost).best
    if items.item_size is not None:
        _fill_empty_parts(best, items)
    return items.to_rows(best)


def _rounds(items: Items, effort: float) -> list[int]:
    """Work of each round, in label visits."""
    packs = min(-(-(items.parts.n_parts + 2) // 8), 3)
    labels = int(np.diff(items.indptr)[items.list_of_item].sum())
    sweep = (labels + 20 * (items.n_items + len(items.class_size))) * packs
    patience = 20.0 if items.unit else 200.0
    small = min(_SMALL_WORK / (1 + sweep / _SMALL_SWEEP), patience * items.n_items * sweep)
    work = max(_SWEEPS * sweep, small)
    rounds, total = [], work * effort
    length = work * (_GROWTH - 1) / (_GROWTH**_ROUNDS - 1)
    while total > 0.001 * work:
        last = len(rounds) >= _ROUNDS and total < 2 * length
        rounds.append(int(total if last else min(length, total)))
        total -= rounds[-1]
        length *= _GROWTH
    return rounds


def _fill_empty_parts(found: NDArray[np.int32], items: Items) -> None:
    """Give a part without any row the smallest group that another part can spare."""
    assert items.item_size is not None
    held = np.bincount(found, minlength=items.parts.n_parts) + (items.base_sizes > 0)
    for part in np.flatnonzero(held == 0):
        spare = np.flatnonzero(held[found] > 1)
        if len(spare) == 0:
            return
        item = spare[np.argmin(items.item_size[spare])]
        held[found[item]] -= 1
        held[part] += 1
        found[item] = part


class _Reporter:
    """Counts steps of all searches and tells the caller, one thread at a time."""

    def __init__(self, progress: Callable[[int, int], None] | None, total: int) -> None:
        self._progress, self._total = progress, total
        self._done, self._lock = 0, Lock()

    def step(self, work: int) -> None:
        if self._progress is not None:
            with self._lock:
                self._done += work
                self._progress(self._done, self._total)

    def finish(self) -> None:
        if self._progress is not None and self._done < self._total:
            self._progress(self._total, self._total)
