"""One search of ``anneal``: a greedy start, rounds of cooling, the best folds so far."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.stratify._budget import Stopped, sweep_work
from trueval.stratify._costs import Costs
from trueval.stratify._items import Items

__all__ = ["Search"]

_HOT, _HOT_SHARE = 0.8, 0.1  # temperatures are in prices of the classes that hold ...
_COLD, _COLD_SHARE = 2.0, 0.9  # ... these shares of what can still be gained
_LEAST_HOT = 0.25  # in prices of the median class
_GROUP_HOT = 1.5  # of groups: in prices of all classes of a typical one, from that share on ...
_GROUP_GAIN = 20.0  # ... but at most so many times what each can gain
_EDGE_HOT = 0.5  # in prices of all edges of the median item that has any
_TAIL, _TAIL_COLD = 0.1, 0.1  # last share of the work, and how much colder it gets in it
_STEPS = 64  # temperatures in a round
_NEARLY = 0.8  # share of a round after which its end is worth having
_CHUNK = 100_000_000  # label visits after which the caller is asked at the latest
_SIZE_WEIGHT = 0.2  # price of a row out of place, in units of T
_STRICT_SWEEPS = 10
_EXCHANGES, _PARTNERS = 10, 4  # passes at most; random partners of a row, on small data
_SMALL = 300_000  # positives
_MEND, _REWARD = 20, 2  # work of mending small data, and more for each exchange, in sweeps
_MENDABLE = 4  # most that folds may have to gain, beside the best, to be mended
_ALL_PAIRS = 400  # groups up to which all pairs are tried

# The kernel draws its Gumbel noise from these quantiles, in 1/65536.
_NOISE = np.rint(-65536 * np.log(-np.log((np.arange(1024) + 0.5) / 1024))).astype(np.int32)


class Search:
    """A state of the kernel and the best folds found."""

    def __init__(self, items: Items, costs: Costs, seed: int) -> None:
        parts = items.parts
        self._items, self._costs, self._seed = items, costs, seed
        unplaced = np.full(items.n_items, -1, np.int32)
        self._part_of_item = unplaced if items.start is None else items.start.copy()
        kernel = _kernels.RowSearch if items.unit else _kernels.GroupSearch
        self._kernel = kernel(
            items.indptr,
            items.indices,
            items.counts,
            items.list_of_item,
            items.item_size,
            costs.by_part,
            costs.slope,
            costs.dip,
            costs.whole,
            costs.bend,
            costs.fraction,
            _weights(items).astype(np.float32),
            (1 / (parts.n_parts * parts.shares)).astype(np.float32),
            np.log(parts.n_parts * parts.shares),
            costs.reach,
            items.base_counts.ravel(),
            items.base_sizes,
            parts.low,
            parts.high,
            _NOISE,
            None if items.edges is None else items.edges.indptr,
            None if items.edges is None else items.edges.to,
            costs.edge,
            self._part_of_item,
            seed,
        )
        self._cold = float(costs.reach.min(initial=1.0))
        self._excess = np.zeros(0, np.int64)
        #: Cost and parts of the best folds; None before there are any.
        self.best: tuple[int, NDArray[np.int32]] | None = None
        #: Whether every class costs the least it can.
        self.perfect = False
        #: Rounds in a row that ended at exactly the best cost.
        self.ties = 0

    def begin(self) -> None:
        """Place what has no part, and improve strictly."""
        if (self._part_of_item < 0).any():
            self._kernel.greedy(_rarity_order(self._items, self._seed))
        self._polish()

    def cool(self, work: int, step: Callable[[int], None]) -> None:
        """Cool once from hot to cold, so slowly that it takes ``work`` label visits.

        Temperatures come from where the best folds leave something to gain: hot enough to
        rearrange the small classes of those, cold enough to settle the large ones. Groups have
        many classes each, so theirs is in prices of a whole group, unless there is little to gain
        for each of them.
        """
        hot, cold = self._window()
        done = 0
        try:
            while done < work:
                number = done * _STEPS // work
                temperature = _temperature((number + 0.5) / _STEPS, hot, cold)
                until = -(-(number + 1) * work // _STEPS)
                visits = min(until - done, _CHUNK)
                spent = self._kernel.anneal(temperature, _SIZE_WEIGHT * temperature, visits)
                counted = min(spent, work - done)
                done += spent
                step(counted)
        except Stopped:
            if done >= _NEARLY * work:  # else what it has is worse than the folds before
                self._finish(cold)
            raise
        self._finish(cold)

    def _finish(self, cold: float) -> None:
        self._cold = cold
        self._polish()

    def _window(self) -> tuple[float, float]:
        """Hottest and coldest temperature."""
        lead = self._items.n_leading
        reach, step = self._costs.reach[lead:], self._costs.step[lead:]
        excess = self._excess[lead:]
        if len(reach) == 0:  # nothing but the sizes of groups
            return 1.0, 0.1
        cumulative = np.cumsum(excess) / max(excess.sum(), 1)
        at = np.searchsorted(cumulative, [_HOT_SHARE, _COLD_SHARE])
        at = np.minimum(at, len(reach) - 1)
        first, last = reach[at[0]], step[at[1]]  # a large group settles early, the others late
        typical = reach[len(reach) // 2]
        hot = max(_HOT * first, _LEAST_HOT * typical, 1.0)
        if not self._items.unit:
            of_group = _GROUP_HOT * self._costs.group[lead + at[0]]
            hot = max(hot, min(of_group, _GROUP_GAIN * excess.sum() / self._items.n_items))
        cold = max(min(_COLD * last, hot / 3), 0.1)
        return max(hot, self._edge_heat()), cold

    def _edge_heat(self) -> float:
        """Temperature at which items leave others that are similar to them."""
        if self._items.edges is None or self._costs.edge is None:
            return 0.0
        before = np.concatenate([[0], np.cumsum(self._costs.edge, dtype=np.int64)])
        sums = np.diff(before[self._items.edges.indptr])
        return _EDGE_HOT * float(np.median(sums[sums > 0])) if sums.any() else 0.0

    def _polish(self) -> None:
        """Strict improvements, exact sizes, exchanges; keep the folds if they are the best."""
        size_weight = _SIZE_WEIGHT * self._cold
        for _ in range(_STRICT_SWEEPS):
            if self._kernel.improve(size_weight) == 0:
                break
        if self._items.unit:
            self._exchange_rows()
        else:
            self._exchange_groups(size_weight)
        # Before classes are mended: temperatures are for all that cooling leaves to gain.
        self._excess = self._kernel.costs() - self._costs.least
        if self._small and self._items.edges is None:
            self._mend()
        self._keep_the_best()

    @property
    def _small(self) -> bool:
        """Whether there are few positives, of rows."""
        return self._items.unit and len(self._items.indices) <= _SMALL

    def _exchange_rows(self) -> None:
        self._kernel.settle()
        for _ in range(_EXCHANGES):
            # The last few are not worth a visit to every row.
            n_exchanges = self._kernel.exchange(_PARTNERS if self._small else 0)
            if n_exchanges <= self._items.n_items // 1000:
                break

    def _exchange_groups(self, size_weight: float) -> None:
        for _ in range(_EXCHANGES):
            if self._items.n_items <= _ALL_PAIRS:
                n_exchanges = self._kernel.exchange_all()
            else:
                n_exchanges = self._kernel.exchange(_PARTNERS)
            if n_exchanges + self._kernel.improve(size_weight) == 0:
                break

    def _mend(self) -> None:
        """Exchanges for single classes, unless the folds are too far from the best."""
        if self.best is not None:
            best = self.best[0] - int(self._costs.least.sum())
            if self._excess.sum() > _MENDABLE * best:
                return
        sweep = sweep_work(self._items)
        self._kernel.mend(_MEND * sweep, _REWARD * sweep)

    def _keep_the_best(self) -> None:
        costs, cut = self._kernel.costs(), self._kernel.cut()
        # Of groups, sizes are among the costs: the best of many rounds in rLD alone would be
        # one with uneven sizes.
        total = int(costs.sum()) + cut
        if self.best is None or total < self.best[0]:
            self.best = (total, self._part_of_item.copy())  # at once, whenever Ctrl-C comes
            self.perfect = cut == 0 and bool((costs == self._costs.least).all())
            self.ties = 0
        else:
            self.ties = self.ties + 1 if total == self.best[0] else 0


def _weights(items: Items) -> NDArray[np.float64]:
    return (items.class_weight + items.dcp_weight) / np.maximum(items.class_size, 1)


def _temperature(share: float, hot: float, cold: float) -> float:
    """Temperature after this share of the work: its root falls evenly, then a cold tail."""
    if share > 1 - _TAIL:
        return cold * _TAIL_COLD ** ((share - 1) / _TAIL + 1)
    root = np.sqrt(hot) + (np.sqrt(cold) - np.sqrt(hot)) * share / (1 - _TAIL)
    return float(root * root)


def _rarity_order(items: Items, seed: int) -> NDArray[np.int64]:
    """Items with many rare labels first; equal ones in random order."""
    of_list = _kernels.row_sums(items.indptr, items.indices, items.counts, _weights(items))
    rarity = of_list[items.list_of_item]
    order = np.random.default_rng(seed).permutation(len(rarity))
    return order[np.argsort(-rarity[order], kind="stable")]
