"""Groups of rows that stay together, wherever their rows are stored.

Rows meet their groups by a hash of the row id. Every bucket then adds up its rows of one group, and
only these counts, and the pairs of row and group, are shuffled by a hash of the group.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError, Place, quote
from trueval.distributed._flow import Input, Split, cut_by_id, n_buckets, place_items
from trueval.distributed._match import places_of
from trueval.distributed._plan import Plan, Totals
from trueval.distributed._rows import Rows, arrow, cut, cut_table, id_keys, join, sparse, stacked
from trueval.distributed._source import Dataset, Fragment, records
from trueval.stratify._items import Dealt

__all__ = ["split_groups"]


@dataclass(frozen=True, eq=False)
class _Grouped:
    """Rows, and the group of each."""

    rows: Rows
    groups: Any


def split_groups(engine: Any, rows: Input, groups: Dataset, plan: Plan) -> Split:
    """Groups as items, placed by the stages of rows; records of ``groups`` are row and group."""
    if not groups.long:
        raise InputError("the groups are lists.", fix="Each row is in one group.")
    n, n_blocks = n_buckets(max(plan.parts.n_rows, groups.n_records)), plan.n_blocks
    labels = engine.shuffle(cut_by_id, rows.items, n, join, engine.share(rows.numbering), n)
    pairs = engine.shuffle(_cut_pairs, groups.fragments, n, stacked, n)
    grouped = engine.map(_grouped, labels, pairs)
    for handles in (labels, pairs):
        engine.release(handles)
    n_classes = len(plan.class_size)
    counts = engine.shuffle(_cut_counts, grouped, n_blocks, join, n_classes, n_blocks)
    members = engine.shuffle(_cut_members, grouped, n_blocks, stacked, n_blocks)
    engine.release(grouped)
    merged = engine.map(partial(_merged, n_classes=n_classes), counts)
    engine.release(counts)
    n_groups = engine.total(len, merged)
    if n_groups < plan.parts.n_parts:
        raise InputError(
            f"cannot divide {n_groups} groups into {plan.parts.n_parts} parts.",
            fix=f"Ask for at most {n_groups} parts, or make smaller groups.",
        )
    items = engine.map(_items, merged, [engine.share(plan)] * n_blocks)
    in_items = engine.total(partial(_entries, n_classes=n_classes), merged)
    shape = (n_classes, plan.parts.n_parts)
    base = Totals(np.zeros(shape, np.int64), np.zeros(shape[1], np.int64))
    item_parts, totals = place_items(engine, items, base, in_items, plan)
    folds = engine.map(_fold_table, members, merged, item_parts)
    for handles in (members, merged, items, item_parts):
        engine.release(handles)
    return Split(folds, Totals(totals.counts[1:], totals.sizes))


def _cut_pairs(fragment: Fragment, n: int) -> Iterator[list[Any]]:
    """Row and group, cut by a hash of the row ids."""
    for ids, indptr, groups in records(fragment):
        if len(groups) < len(ids):
            row = int(np.flatnonzero(np.diff(indptr) == 0)[0])
            raise InputError(
                f"the row {quote(ids[row].as_py())} has no group (null).",
                place=Place(fragment.name, column=fragment.classes),
                fix="Give the row a group of its own.",
            )
        table = arrow().table({"row": ids, "group": groups})
        yield cut_table(table, id_keys(ids) % np.uint64(n), n)


def _grouped(rows: Rows, pairs: Any) -> _Grouped:
    """Rows with their groups; a row that is repeated must have one group."""
    distinct = pairs.group_by(["row", "group"], use_threads=False).aggregate([])
    ids = distinct["row"].combine_chunks()
    if len(ids.unique()) < len(ids):
        counted = ids.value_counts().to_pylist()
        row = next(entry["values"] for entry in counted if entry["counts"] > 1)
        raise InputError(f"the row {quote(row)} is in several groups.", fix="Give it one group.")
    places = arrow().array(places_of(rows.ids, ids, "group"))
    return _Grouped(rows, distinct["group"].combine_chunks().take(places))


def _summed(groups: Any, matrix: sp.csr_array) -> Rows:
    """Sum of the rows of each group."""
    coded = groups.dictionary_encode()
    number = coded.indices.to_numpy(zero_copy_only=False)
    membership = sp.csr_array(
        (np.ones(len(number), np.int32), (number, np.arange(len(number)))),
        shape=(len(coded.dictionary), len(number)),
    )
    total = sp.csr_array(membership @ matrix)
    total.sort_indices()
    indptr, indices = total.indptr.astype(np.int64), total.indices.astype(np.int32)
    return Rows(coded.dictionary, indptr, indices, total.data.astype(np.int32))


def _cut_counts(grouped: _Grouped, n_classes: int, n: int) -> Iterator[list[Rows]]:
    """Positives of each group, after its rows, cut by a hash of the group."""
    one = sp.csr_array(np.ones((len(grouped.rows), 1), np.int32))
    matrix = sp.hstack([one, sparse(grouped.rows, n_classes - 1)], format="csr")
    sums = _summed(grouped.groups, sp.csr_array(matrix))
    yield cut(sums, id_keys(sums.ids) % np.uint64(n), n)


def _cut_members(grouped: _Grouped, n: int) -> Iterator[list[Any]]:
    """Row and group, cut by a hash of the group."""
    table = arrow().table({"row": grouped.rows.ids, "group": grouped.groups})
    yield cut_table(table, id_keys(grouped.groups) % np.uint64(n), n)


def _merged(counts: Rows, n_classes: int) -> Rows:
    """Sums of all buckets, groups in an order that no storage decides."""
    sums = _summed(counts.ids, sparse(counts, n_classes))
    keyed = arrow().table({"key": id_keys(sums.ids), "group": sums.ids})
    order = arrow(".compute").sort_indices(keyed, [("key", "ascending"), ("group", "ascending")])
    matrix = sparse(sums, n_classes)[order.to_numpy()]
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
    return Rows(sums.ids.take(order), indptr, indices, matrix.data)


def _items(groups: Rows, plan: Plan) -> Dealt:
    """Every group is an item with a list of its own."""
    n = len(groups)
    return Dealt(
        order=np.arange(n),
        lists=sparse(groups, len(plan.class_size)),
        copies=np.ones(n, np.int64),
        counts=np.zeros((n, plan.parts.n_parts), np.int64),
        list_of_item=np.arange(n, dtype=np.int32),
        start=np.full(n, -1, np.int32),
    )


def _entries(groups: Rows, n_classes: int) -> NDArray[np.int64]:
    """Groups that have each class."""
    return np.bincount(groups.indices, minlength=n_classes)


def _fold_table(members: Any, groups: Rows, item_parts: NDArray[np.int32]) -> Any:
    """Row and fold, in an order that no storage decides."""
    place = arrow(".compute").index_in(members["group"], value_set=groups.ids)
    item = place.combine_chunks().to_numpy(zero_copy_only=False)
    rows = members["row"].combine_chunks()
    keyed = arrow().table({"item": item, "key": id_keys(rows), "row": rows})
    order = keyed.sort_by([(name, "ascending") for name in keyed.column_names])
    return arrow().table({"row": order["row"], "fold": item_parts[order["item"].to_numpy()]})
