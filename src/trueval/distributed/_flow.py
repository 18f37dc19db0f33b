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
from trueval.distributed._census import Census, census_of, count
from trueval.distributed._names import check_names
from trueval.distributed._plan import Plan, Totals, totals_of
from trueval.distributed._rows import Rows, arrow, canonical, cut, id_keys, join, merge
from trueval.distributed._source import Dataset, Fragment, read
from trueval.stratify._items import Dealt

__all__ = [
    "Input",
    "Split",
    "collect",
    "cut_by_id",
    "n_buckets",
    "place_items",
    "rows_of",
    "split_rows",
]

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
    totals: Totals


def n_buckets(n_records: int) -> int:
    """Buckets of ids so small that each fits in memory."""
    return max(1, -(-n_records // _BUCKET))


def collect(engine: Any, dataset: Dataset, *, one_class: bool = True) -> Input:
    """Count the classes of a dataset; records of a long one are first gathered by row.

    Unless a record of that is known to have ``one_class``, names that may be lists are refused.
    """
    census = engine.total(count, dataset.fragments)
    classes, _ = census.ranked()
    if not dataset.long:
        return Input(dataset.fragments, classes, census, unique=False)
    if not one_class:
        check_names(classes, once=False)
    n = n_buckets(dataset.n_records)
    shared = engine.share(classes)
    entries = engine.shuffle(cut_by_id, dataset.fragments, n, join, shared, n)
    gathered = engine.map(merge, entries)
    engine.release(entries)
    census = engine.total(partial(_census_of_rows, classes=classes), gathered)
    if not one_class and census.n_rows == dataset.n_records:
        check_names(classes, once=True)
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


def split_rows(engine: Any, rows: Input, plan: Plan) -> Split:
    """Block and deal; then all stages that place items."""
    shared = engine.share(plan)
    numbering = engine.share(rows.numbering)
    blocks = engine.shuffle(_cut_by_block, rows.items, plan.n_blocks, join, numbering, shared)
    if not rows.unique:
        _refuse_repeats(engine, blocks, plan.parts.n_rows)
    dealt = engine.map(_deal, blocks, [shared] * plan.n_blocks)
    base = engine.total(_dealt_totals, dealt)
    in_items = plan.class_size.astype(np.int64) - base.counts.sum(axis=1)
    item_parts, totals = place_items(engine, dealt, base, in_items, plan)
    folds = engine.map(_fold_table, blocks, dealt, item_parts)
    for handles in (blocks, dealt, item_parts):
        engine.release(handles)
    return Split(folds, totals)


def place_items(
    engine: Any, dealt: list[Any], base: Totals, in_items: NDArray[np.int64], plan: Plan
) -> tuple[list[Any], Totals]:
    """Core, fill, chain, finish: handles of the parts of each block's items, and all totals.

    ``base`` has the rows that are dealt out, ``in_items`` the list entries of each class.
    """
    shared = engine.share(plan)
    of_all, lead = [shared] * plan.n_blocks, plan.n_leading
    n_rows = list(engine.values(engine.map(_item_rows, dealt, of_all)))
    n_core = lead + stages.n_core_classes(in_items[lead:], plan.core)

    pieces = engine.map(partial(stages.core_piece, n_core=n_core, n_leading=lead), dealt)
    search = partial(_core, n_rows=sum(n_rows))
    item_parts = engine.apply(search, plan.n_blocks, pieces, [engine.share(base)], [shared])
    in_core = np.array(list(engine.values(engine.map(_sizes, pieces, item_parts, of_all))))
    n_free = np.array(n_rows) - in_core.sum(axis=1)
    sizes = stages.free_sizes(n_free, base.sizes + in_core.sum(axis=0), plan)
    numbers = range(plan.n_blocks)
    filled = engine.map(
        partial(_fill, n_core=n_core), dealt, pieces, item_parts, list(sizes), of_all, numbers
    )
    engine.release(pieces)
    totals = base + engine.total(stages.class_counts, dealt, filled, of_all)
    chained, totals = engine.chain(_chain, totals, dealt, filled, of_all, numbers)
    engine.release(filled)
    longest = 0  # a core of all classes is finished
    if n_core < len(plan.class_size):
        longest = stages.longest_list(engine.total(stages.item_lengths, dealt, of_all), plan.core)
    last = engine.map(partial(stages.finish_piece, longest=longest, n_leading=lead), dealt)
    before = engine.map(_of_piece, chained, last)
    state = [engine.share(totals)]
    *after, totals = engine.apply(_finish, plan.n_blocks + 1, last, before, state, [shared])
    finished = engine.map(_finished, chained, last, after)
    for handles in (chained, last, before):
        engine.release(handles)
    return finished, next(iter(engine.values([totals])))


def _cut_by_block(item: Any, numbering: Any, plan: Plan) -> Iterator[list[Rows]]:
    for rows in rows_of(item, numbering):
        keys = id_keys(rows.ids)
        block = stages.block_of_rows(rows.indptr, rows.indices, keys, plan)
        yield cut(rows, block, plan.n_blocks)


def _deal(rows: Rows, plan: Plan) -> Dealt:
    return stages.deal(rows.indptr, rows.indices, id_keys(rows.ids), plan)


def _dealt_totals(dealt: Dealt) -> Totals:
    return Totals(dealt.class_counts().astype(np.int64), dealt.counts.sum(axis=0))


def _item_rows(dealt: Dealt, plan: Plan) -> int:
    return stages.item_rows(dealt.lists, dealt.list_of_item, plan)


def _core(
    pieces: list[stages.Piece],
    dealt: list[Totals],
    plans: list[Plan],
    n_rows: int,
) -> list[NDArray[np.int32]]:
    return stages.core_search(pieces, dealt[0], n_rows, plans[0])


def _sizes(piece: stages.Piece, item_parts: NDArray[np.int32], plan: Plan) -> NDArray[np.int64]:
    return totals_of(piece.lists, piece.list_of_item, item_parts, plan).sizes


def _fill(
    dealt: Dealt,
    piece: stages.Piece,
    item_parts: NDArray[np.int32],
    sizes: NDArray[np.int64],
    plan: Plan,
    block: int,
    n_core: int,
) -> NDArray[np.int32]:
    of_items = np.full(len(dealt.list_of_item), -1, np.int32)
    of_items[piece.items] = item_parts
    return stages.fill(dealt, of_items, n_core, sizes, plan, block)


def _chain(
    dealt: Dealt,
    item_parts: NDArray[np.int32],
    plan: Plan,
    block: int,
    totals: Totals,
) -> tuple[NDArray[np.int32], Totals]:
    return stages.chain(dealt, item_parts, totals, plan, block)


def _of_piece(item_parts: NDArray[np.int32], piece: stages.Piece) -> NDArray[np.int32]:
    return item_parts[piece.items]


def _finish(
    pieces: list[stages.Piece],
    item_parts: list[NDArray[np.int32]],
    totals: list[Totals],
    plans: list[Plan],
) -> list[Any]:
    better, new = stages.finish_search(pieces, item_parts, totals[0], plans[0])
    return [*better, new]


def _finished(
    item_parts: NDArray[np.int32], piece: stages.Piece, finished: NDArray[np.int32]
) -> NDArray[np.int32]:
    item_parts = item_parts.copy()
    item_parts[piece.items] = finished
    return item_parts


def _fold_table(rows: Rows, dealt: Dealt, item_parts: NDArray[np.int32]) -> Any:
    """Row and fold, in an order that no storage decides."""
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
