"""The flow of a split, written once: any engine carries it, and gives the same folds."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, quote
from trueval.distributed import _stages as stages
from trueval.distributed._rows import Rows, arrow, canonical, cut, id_keys, join, merge
from trueval.distributed._source import Census, Dataset, Fragment, census_of, count, read
from trueval.stratify._items import Dealt

__all__ = ["Input", "Split", "collect", "cut_by_id", "n_buckets", "rows_of", "split_rows"]

_BUCKET = 2**22  # records of a bucket that is held in memory
_SHOWN = 5  # repeated ids to name


@dataclass(frozen=True, eq=False)
class Input:
    """Rows to split, wherever they are, and their classes from the smallest to the largest."""

    items: list[Any]
    numbering: Any  # classes for fragments, new class numbers for gathered rows
    census: Census
    unique: bool  # whether no id can come twice


@dataclass(frozen=True, eq=False)
class Split:
    """Handles of tables of row and fold, in the order of the blocks, and their totals."""

    folds: list[Any]
    totals: stages.Totals


def n_buckets(n_records: int) -> int:
    """Buckets of ids so small that each fits in memory."""
    return max(1, -(-n_records // _BUCKET))


def collect(engine: Any, dataset: Dataset) -> Input:
    """Count the classes of a dataset; records of a long one are first gathered by row."""
    census = engine.total(count, dataset.fragments)
    classes, _ = census.ranked()
    if not dataset.long:
        return Input(dataset.fragments, classes, census, unique=False)
    n = n_buckets(dataset.n_records)
    shared = engine.share(classes)
    entries = engine.shuffle(cut_by_id, dataset.fragments, n, join, shared, n)
    gathered = engine.map(merge, entries)
    engine.release(entries)
    census = engine.total(partial(_census_of_rows, classes=classes), gathered)
    numbers = arrow(".compute").index_in(classes, value_set=census.ranked()[0])
    return Input(gathered, numbers.to_numpy(zero_copy_only=False), census, unique=True)


def rows_of(item: Any, numbering: Any) -> Iterator[Rows]:
    """Rows of an input, classes numbered from the smallest to the largest."""
    if isinstance(item, Fragment):
        yield from read(item, numbering)
    else:
        indices = numbering[item.indices].astype(np.int32)
        yield Rows(item.ids, *canonical(item.indptr.copy(), indices))


def cut_by_id(item: Any, numbering: Any, n: int) -> Iterator[list[Rows]]:
    """Rows of an input, cut by a hash of their ids."""
    for rows in rows_of(item, numbering):
        yield cut(rows, id_keys(rows.ids) % np.uint64(n), n)


def _census_of_rows(rows: Rows, classes: Any) -> Census:
    return census_of(classes, rows.indptr, rows.indices)


def split_rows(engine: Any, rows: Input, plan: stages.Plan) -> Split:
    """Block, deal, core, fill, chain, finish."""
    shared = engine.share(plan)
    numbering = engine.share(rows.numbering)
    blocks = engine.shuffle(_cut_by_block, rows.items, plan.n_blocks, join, numbering, shared)
    if not rows.unique:
        _refuse_repeats(engine, blocks, plan.parts.n_rows)
    of_all = [shared] * plan.n_blocks
    dealt = engine.map(_deal, blocks, of_all)
    base = engine.total(_dealt_totals, dealt)
    n_items = list(engine.values(engine.map(_n_items, dealt)))
    item_positives = plan.class_size.astype(np.int64) - base.counts.sum(axis=1)
    n_core = stages.n_core_classes(item_positives, plan.core)

    pieces = engine.map(partial(stages.core_piece, n_core=n_core), dealt)
    search = partial(_core, n_items=sum(n_items))
    item_parts = engine.apply(search, plan.n_blocks, pieces, [engine.share(base)], [shared])
    in_core = np.array(list(engine.values(engine.map(_sizes, item_parts, of_all))))
    n_free = np.array(n_items) - in_core.sum(axis=1)
    sizes = stages.free_sizes(n_free, base.sizes + in_core.sum(axis=0), plan)
    numbers = range(plan.n_blocks)
    filled = engine.map(
        partial(_fill, n_core=n_core), dealt, pieces, item_parts, list(sizes), of_all, numbers
    )
    engine.release(pieces)
    totals = base + engine.total(stages.class_counts, dealt, filled)
    chained, totals = engine.chain(_chain, totals, dealt, filled, of_all, numbers)
    engine.release(filled)
    longest = 0  # a core of all classes is finished
    if n_core < len(plan.class_size):
        longest = stages.longest_list(engine.total(stages.item_lengths, dealt, of_all), plan.core)
    last = engine.map(partial(stages.finish_piece, longest=longest), dealt)
    before = engine.map(_of_piece, chained, last)
    state = [engine.share(totals)]
    *after, totals = engine.apply(_finish, plan.n_blocks + 1, last, before, state, [shared])
    folds = engine.map(_fold_table, blocks, dealt, chained, last, after)
    for handles in (blocks, dealt, chained, last, before):
        engine.release(handles)
    return Split(folds, next(iter(engine.values([totals]))))


def _cut_by_block(item: Any, numbering: Any, plan: stages.Plan) -> Iterator[list[Rows]]:
    for rows in rows_of(item, numbering):
        keys = id_keys(rows.ids)
        block = stages.block_of_rows(rows.indptr, rows.indices, keys, plan)
        yield cut(rows, block, plan.n_blocks)


def _deal(rows: Rows, plan: stages.Plan) -> Dealt:
    return stages.deal(rows.indptr, rows.indices, id_keys(rows.ids), plan)


def _dealt_totals(dealt: Dealt) -> stages.Totals:
    return stages.Totals(dealt.class_counts().astype(np.int64), dealt.counts.sum(axis=0))


def _n_items(dealt: Dealt) -> int:
    return len(dealt.list_of_item)


def _core(
    pieces: list[stages.Piece],
    dealt: list[stages.Totals],
    plans: list[stages.Plan],
    n_items: int,
) -> list[NDArray[np.int32]]:
    return stages.core_search(pieces, dealt[0], n_items, plans[0])


def _sizes(item_parts: NDArray[np.int32], plan: stages.Plan) -> NDArray[np.int64]:
    return np.bincount(item_parts, minlength=plan.parts.n_parts)


def _fill(
    dealt: Dealt,
    piece: stages.Piece,
    item_parts: NDArray[np.int32],
    sizes: NDArray[np.int64],
    plan: stages.Plan,
    block: int,
    n_core: int,
) -> NDArray[np.int32]:
    of_items = np.full(len(dealt.list_of_item), -1, np.int32)
    of_items[piece.items] = item_parts
    return stages.fill(dealt, of_items, n_core, sizes, plan, block)


def _chain(
    dealt: Dealt,
    item_parts: NDArray[np.int32],
    plan: stages.Plan,
    block: int,
    totals: stages.Totals,
) -> tuple[NDArray[np.int32], stages.Totals]:
    return stages.chain(dealt, item_parts, totals, plan, block)


def _of_piece(item_parts: NDArray[np.int32], piece: stages.Piece) -> NDArray[np.int32]:
    return item_parts[piece.items]


def _finish(
    pieces: list[stages.Piece],
    item_parts: list[NDArray[np.int32]],
    totals: list[stages.Totals],
    plans: list[stages.Plan],
) -> list[Any]:
    better, new = stages.finish_search(pieces, item_parts, totals[0], plans[0])
    return [*better, new]


def _fold_table(
    rows: Rows,
    dealt: Dealt,
    item_parts: NDArray[np.int32],
    piece: stages.Piece,
    finished: NDArray[np.int32],
) -> Any:
    """Row and fold, in an order that no storage decides."""
    item_parts = item_parts.copy()
    item_parts[piece.items] = finished
    folds = dealt.to_rows(item_parts)[dealt.order]
    return arrow().table({"row": rows.ids.take(arrow().array(dealt.order)), "fold": folds})


# --- repeated ids ------------------------------------------------------------------------------


def _refuse_repeats(engine: Any, blocks: list[Any], n_rows: int) -> None:
    n = n_buckets(n_rows)
    ranges = engine.shuffle(_cut_keys, blocks, n, np.concatenate, n)
    keys = engine.total(_repeated, ranges)
    engine.release(ranges)
    if not keys:
        return
    # Texts may share a hash: only ids that are equal count.
    ids = Counter(engine.total(partial(_ids_of_keys, keys=keys), blocks))
    twice = [name for name, times in ids.items() if times > 1]
    if twice:
        named = ", ".join(quote(name, 60) for name in sorted(twice)[:_SHOWN])
        more = " and others" if len(twice) > _SHOWN or len(keys) > _SHOWN else ""
        raise InputError(
            f"the row ids {named}{more} occur more than once."
            if len(twice) > 1
            else f"the row id {named} occurs {ids[twice[0]]} times.",
            fix="Each row needs an id of its own; merge the rows, or rename them.",
        )


def _cut_keys(rows: Rows, n: int) -> Iterator[list[NDArray[np.uint64]]]:
    keys = id_keys(rows.ids)
    keys = keys[np.argsort(keys % np.uint64(n), kind="stable")]
    ends = np.cumsum(np.bincount((keys % np.uint64(n)).astype(np.int64), minlength=n))
    yield np.split(keys, ends[:-1])


def _repeated(keys: NDArray[np.uint64]) -> list[int]:
    keys = np.sort(keys)
    return [int(key) for key in np.unique(keys[1:][keys[1:] == keys[:-1]])[: _SHOWN + 1]]


def _ids_of_keys(rows: Rows, keys: list[int]) -> list[Any]:
    at = np.flatnonzero(np.isin(id_keys(rows.ids), np.array(keys, np.uint64)))
    ids: list[Any] = rows.ids.take(arrow().array(at)).to_pylist()
    return ids
