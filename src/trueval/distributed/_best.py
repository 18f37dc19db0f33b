"""The best classes of each row: all values of a row meet, then the highest are chosen."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.distributed._flow import n_buckets
from trueval.distributed._rows import arrow, cut_table, id_keys, stacked
from trueval.distributed._scored import Scored

__all__ = ["best_tables", "counts_of_rows"]


def best_tables(engine: Any, tables: list[Any], scored: Scored, k: int) -> list[Any]:
    """Handles of tables of the k highest values of each row; of equal ones the earlier class."""
    n = n_buckets(scored.n_scores)
    by_row = engine.shuffle(_cut_by_row, tables, n, stacked, n)
    best: list[Any] = engine.map(partial(_best_of_rows, classes=scored.classes, k=k), by_row)
    engine.release(by_row)
    return best


def _cut_by_row(table: Any, n: int) -> Iterator[list[Any]]:
    yield cut_table(table, id_keys(table["row"].combine_chunks()) % np.uint64(n), n)


def _best_of_rows(table: Any, classes: Any, k: int) -> Any:
    """The k best of each row, rows in an order that no storage decides."""
    rows = table["row"].combine_chunks()
    row = rows.dictionary_encode().indices.to_numpy()
    number = arrow(".compute").index_in(table["class"], value_set=classes).to_numpy()
    order = np.lexsort((number, -table["value"].to_numpy(), row))
    first = np.flatnonzero(np.diff(row[order], prepend=-1))
    place = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    best = order[place < k]
    chosen = table.take(arrow().array(best))
    chosen = chosen.append_column("key", arrow().array(id_keys(rows)[best]))
    chosen = chosen.append_column("number", arrow().array(number[best]))
    return chosen.sort_by([(name, "ascending") for name in ("key", "row", "number")])


def counts_of_rows(
    engine: Any, tables: list[Any], ids: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Hits and calls of each of some rows, if all of these tables are called."""
    hits, calls = np.zeros((2, len(ids)))
    for table in engine.values(tables):
        row = arrow(".compute").index_in(table["row"], value_set=ids).to_numpy()
        hit = table["hit"].to_numpy(zero_copy_only=False)
        calls += np.bincount(row, minlength=len(ids))
        hits += np.bincount(row[hit], minlength=len(ids))
    return hits, calls
