"""``anneal``, the default and ours: simulated annealing over single-row moves.

What is minimised is by default the mean rLD against the wanted sizes, so classes of
all sizes count alike; ``measure`` takes others. Four things make it fast and good:

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
4. *Cheap classes join late*, for rLD the large ones: while T is far above 1/D a class of
   size D cannot steer anything, so it is not even looked at. On heavy-tailed data most
   positives belong to a few large classes.

Time is O(sweeps · positives · parts / lanes), memory a few arrays of the size of
the distinct rows. The search is serial and depends on the seed alone.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import ParameterError, warn_user
from trueval.core.labels import Labels
from trueval.core.params import (
    BOOL,
    CALLABLE,
    NONE,
    Choice,
    Interval,
    constrained,
)
from trueval.core.random import as_generator, draw_seed
from trueval.core.similarity import Similarity
from trueval.core.threads import n_workers
from trueval.stratify._budget import BEST, Budget, Stopped, plan
from trueval.stratify._costs import class_costs
from trueval.stratify._groups import group_items
from trueval.stratify._inputs import WEIGHT, reads_inputs
from trueval.stratify._items import Items, distinct_items, row_items
from trueval.stratify._objectives import MEASURE, objective
from trueval.stratify._parts import Parts
from trueval.stratify._search import Search

__all__ = ["anneal_folds"]

_SMALL = 300_000  # positives
_SPARE = 20  # equal rows not dealt out then
_SECONDS = 60.0  # of effort "best"


@reads_inputs
@constrained(
    measure=(*MEASURE, CALLABLE),
    effort=(Interval(float, 0), Choice((BEST,))),
    seconds=(NONE, Interval(float, 0, closed="right")),
    cover=BOOL,
    cut_weight=WEIGHT,
    n_starts=Interval(int, 1),
)
def anneal_folds(
    labels: Labels,
    parts: Parts,
    *,
    random_state: object = None,
    groups: NDArray[np.int64] | None = None,
    fixed: NDArray[np.int32] | None = None,
    initial: NDArray[np.int32] | None = None,
    similarity: Similarity | None = None,
    cut_weight: float = 0.0,
    measure: str | Mapping[str, float] = "rld",
    effort: float | str = 1.0,
    seconds: float | None = None,
    cover: bool = False,
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
    similarity : Similarity, optional
        Similar rows, which need not stay together.
    cut_weight : float, default=0
        What is lowered is the mean rLD plus this times the share of the similarity that is
        between parts.
    measure : {"rld", "dcp", "ld", "lpd"} or mapping to weights, default="rld"
        What to lower, against the wanted sizes: rLD, DCP, LD, the label pair distribution,
        or a weighted sum such as ``{"rld": 1, "ld": 10}``.
    effort : float or "best", default=1.0
        Factor on the work; 0 leaves the greedy start and strict sweeps. "best"
        searches on until the time is over.
    seconds : float, optional
        Time limit; 60 for effort "best". With a time limit the folds depend on the
        machine, and Ctrl-C ends the search with the best folds so far.
    cover : bool, default=False
        Whether a part whose share of a class is less than one positive gets one
        nevertheless, where there are enough; costs rLD.
    n_starts : int, default=1
        Independent searches, of which the best is kept.
    n_jobs : int, optional
        Threads for the searches; does not change the result.
    progress : callable, optional
        Called as ``progress(done, total)`` from time to time.

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
    labels, ranks = objective(labels, measure)
    weight = cut_weight * max(len(ranks.size), 1)  # costs are sums over classes
    if weight and measure != "rld":
        raise ParameterError("measure", "'rld' where cut_weight is given", measure, "anneal_folds")
    if groups is not None:
        items = group_items(labels, parts, ranks, groups, fixed, initial, similarity, weight)
    elif fixed is None and initial is None and similarity is None:
        spare = _SPARE if labels.nnz <= _SMALL else 0
        items = distinct_items(labels, parts, ranks, draw_seed(generator), spare)
    else:
        items = row_items(labels, parts, ranks, fixed, initial, similarity, weight)
    costs = class_costs(items, cover=cover)
    endless = effort == BEST
    rounds = [] if initial is not None else plan(items, 1.0 if endless else float(effort))
    limit = _SECONDS if endless and seconds is None else seconds
    budget = Budget(rounds, n_starts, limit, endless, progress)
    searches = [Search(items, costs, draw_seed(generator)) for _ in range(n_starts)]
    try:
        _run(searches, budget, n_jobs)
    except KeyboardInterrupt:
        if limit is None or all(search.best is None for search in searches):
            raise
        warn_user("interrupted: these are the best folds found so far.", UserWarning)
    budget.finish()
    _, best = min((s.best for s in searches if s.best is not None), key=lambda pair: pair[0])
    if items.item_size is not None:
        _fill_empty_parts(best, items)
    return items.to_rows(best)


def _run(searches: list[Search], budget: Budget, n_jobs: int | None) -> None:
    """Run all searches to their end, or to that of the time."""

    def run(search: Search) -> None:
        search.begin()
        try:
            for work in budget.rounds():
                if search.perfect or search.ties >= budget.ties:
                    return
                search.cool(work, budget.step)
        except Stopped:
            pass
        except BaseException:  # of one ends the others, wherever it came from
            budget.stop()
            raise

    if len(searches) == 1:
        run(searches[0])
        return
    with ThreadPoolExecutor(n_workers(n_jobs, len(searches))) as pool:
        try:
            list(pool.map(run, searches))
        except BaseException:  # the threads must not go on behind Ctrl-C
            budget.stop()
            raise


def _fill_empty_parts(part_of_item: NDArray[np.int32], items: Items) -> None:
    """Give a part without any row the smallest group that another part can spare."""
    assert items.item_size is not None
    sizes = np.bincount(part_of_item, minlength=items.parts.n_parts) + (items.base_sizes > 0)
    for part in np.flatnonzero(sizes == 0):
        spare = np.flatnonzero(sizes[part_of_item] > 1)
        if len(spare) == 0:
            return
        item = spare[np.argmin(items.item_size[spare])]
        sizes[part_of_item[item]] -= 1
        sizes[part] += 1
        part_of_item[item] = part
