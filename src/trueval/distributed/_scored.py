"""Scores meet labels by row, then all scores of a class meet: samples that add up exactly."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import Fix, InputError, Place, quote
from trueval.distributed._census import count
from trueval.distributed._flow import Input, collect, cut_by_id, n_buckets
from trueval.distributed._match import places_of, refuse_repeated
from trueval.distributed._plan import Totals
from trueval.distributed._quality import cut_folds
from trueval.distributed._rows import Rows, arrow, cut_table, id_keys, join, stacked
from trueval.distributed._source import (
    NAMING,
    Dataset,
    Fragment,
    open_dataset,
    open_folds,
    scored_records,
)

__all__ = ["Scored", "cut_by_class", "gather_scores", "open_scores", "read_scores"]

_BUCKET = 2**23  # scores of some classes that are held in memory


@dataclass(frozen=True, eq=False)
class Scored:
    """All scores with their labels, by class.

    Attributes
    ----------
    tables : list of handles
        Of row, class (its number), score, hit (whether it is a positive) and fold, each
        with all scores of some classes that follow each other.
    bounds : ndarray of int64
        First class of each table, and the number of classes.
    classes : pyarrow.Array
        Names, sorted.
    positives : Totals
        Positives of each class, and rows, in each fold.
    n_scores : int
    rows : list of handles
        Of row, fold and positives, where they were asked for.
    """

    tables: list[Any]
    bounds: NDArray[np.int64]
    classes: Any
    positives: Totals
    n_scores: int
    rows: list[Any]


def gather_scores(
    engine: Any,
    scores: Any,
    labels: Any,
    folds: Any,
    names: tuple[str | None, str | None, str],
    *,
    with_rows: bool = False,
) -> Scored:
    """Shuffle scores by row to meet their labels and folds, then by class.

    The first three are paths, the folds optional; ``names`` are the columns of rows, classes and
    scores.
    """
    score_files = open_scores(scores, *names)
    label_files = open_dataset(labels, names[0], names[1])
    fold_files = None if folds is None else open_folds(folds)
    engine.expect(4 * (len(score_files.fragments) + len(label_files.fragments)))
    return _gathered(engine, score_files, label_files, fold_files, with_rows)


def _gathered(
    engine: Any, scores: Dataset, labels: Dataset, folds: Dataset | None, with_rows: bool
) -> Scored:
    rows = collect(engine, labels)
    stored = engine.total(count, [replace(part, score=None) for part in scores.fragments])
    classes, sizes = _all_classes(rows, stored)
    n, n_folds = n_buckets(max(scores.n_records, rows.census.n_rows)), 1
    by_id = engine.shuffle(cut_by_id, rows.items, n, join, engine.share(rows.numbering), n)
    named = engine.share(classes)
    scored = engine.shuffle(_cut_scores, scores.fragments, n, stacked, named, n)
    numbers = arrow(".compute").index_in(rows.census.ranked()[0], value_set=classes)
    entries_of = partial(
        _entries, numbers=numbers.to_numpy(zero_copy_only=False), n_classes=len(classes)
    )
    if folds is None:
        entries = engine.map(entries_of, by_id, scored)
    else:
        by_fold = engine.shuffle(cut_folds, folds.fragments, n, join, n)
        n_folds = 1 + max(engine.values(engine.map(_largest, by_fold)))
        entries = engine.map(entries_of, by_id, scored, by_fold)
        engine.release(by_fold)
    in_folds = partial(_positives, n_classes=len(classes), n_folds=n_folds)
    positives = engine.total(in_folds, entries)
    bounds = _class_bounds(sizes)
    tables = engine.shuffle(_cut_entries, entries, len(bounds) - 1, stacked, bounds)
    of_rows = engine.map(_row_table, entries) if with_rows else []
    for handles in (by_id, scored, entries):
        engine.release(handles)
    return Scored(tables, bounds, classes, positives, int(sizes.sum()), of_rows)


def _all_classes(rows: Input, stored: Any) -> tuple[Any, NDArray[np.int64]]:
    """Names of all classes with a label or a score, sorted; scores of each."""
    known, (scored, sizes) = rows.census.ranked()[0], stored.ranked()
    if len(known) and known.type != scored.type:
        raise InputError(
            f"classes are {known.type} in the labels and {scored.type} in the scores.",
            fix="Write both as text, or both as whole numbers.",
        )
    place = arrow(".compute").index_in(known, value_set=scored)
    if len(known) and place.null_count == len(known):
        raise InputError(
            f"no class of the labels, such as {quote(known[0].as_py())}, is among those of the "
            f"scores, such as {quote(scored[0].as_py())}.",
            fix="Use the same names; several labels of a row are a list, or a record each.",
        )
    classes = arrow().concat_arrays([known, scored]).unique()
    classes = classes.take(arrow(".compute").sort_indices(classes))
    of_class = np.zeros(len(classes), np.int64)
    place = arrow(".compute").index_in(scored, value_set=classes)
    of_class[place.to_numpy(zero_copy_only=False)] = sizes
    return classes, of_class


def _class_bounds(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """First class of each table, so that tables have about as many scores."""
    through = np.cumsum(sizes) - sizes
    table = through // _BUCKET
    return np.append(np.flatnonzero(np.diff(table, prepend=-1)), len(sizes))


def open_scores(source: Any, row: str | None, classes: str | None, score: str) -> Dataset:
    """A dataset of row, class and score, one of each a record, or lists of classes and scores."""
    dataset = open_dataset(source, row, classes, NAMING._replace(positives=False))
    for path in dict.fromkeys(fragment.place for fragment in dataset.fragments):
        schema = arrow(".parquet").read_schema(path)
        t = arrow().types
        type_ = schema.field(score).type if score in schema.names else None
        if type_ is not None and (t.is_list(type_) or t.is_large_list(type_)):
            type_ = type_.value_type
        if type_ is None or not (t.is_floating(type_) or t.is_integer(type_)):
            what = "there is no such column" if type_ is None else f"the column has type {type_}"
            raise InputError(
                f"{what}; scores are numbers.",
                place=Place(path, column=score),
                fix=Fix("Pass {} with the name of the column of scores.", "score"),
                parameter="score",
            )
    fragments = [replace(fragment, score=score) for fragment in dataset.fragments]
    return replace(dataset, fragments=fragments)


def _cut_scores(fragment: Fragment, classes: Any, n: int) -> Iterator[list[Any]]:
    """Row, class number and score, cut by a hash of the row ids."""
    for table in read_scores(fragment, classes):
        yield cut_table(table, id_keys(table["row"].combine_chunks()) % np.uint64(n), n)


def read_scores(fragment: Fragment, classes: Any) -> Iterator[Any]:
    """Tables of row, class number and score."""
    for ids, indptr, values, cells in scored_records(fragment):
        row = np.repeat(np.arange(len(ids)), np.diff(indptr))
        scores = cells.cast(arrow().float64()).to_numpy(zero_copy_only=False)
        if not np.isfinite(scores).all():
            first = int(row[np.flatnonzero(~np.isfinite(scores))[0]])
            raise InputError(
                f"a score of the row {quote(ids[first].as_py())} is missing or infinite.",
                place=Place(fragment.name, column=fragment.score),
                fix="Leave the record out: an absent score is below all others.",
            )
        number = arrow(".compute").index_in(values, value_set=classes)
        if number.null_count:
            first = int(np.flatnonzero(number.is_null().to_numpy(zero_copy_only=False))[0])
            raise InputError(
                f"the class {quote(values[first].as_py())} was not ranked.",
                place=Place(fragment.name, column=fragment.classes),
                fix="Leave its scores out.",
            )
        yield arrow().table({"row": ids.take(arrow().array(row)), "class": number, "score": scores})


@dataclass(frozen=True, eq=False)
class _Entries:
    """Scores of some rows, and the positives of each class and the rows in each fold."""

    table: Any
    rows: Rows
    folds: NDArray[np.int32]


def _entries(
    rows: Rows,
    scores: Any,
    folds: Rows | None = None,
    *,
    numbers: NDArray[np.int32],
    n_classes: int,
) -> _Entries:
    """Scores with their labels and folds; ``numbers`` are those of the classes of the labels."""
    refuse_repeated(rows.ids, "labels")
    if rows.ids.type != scores["row"].type:
        raise InputError(
            f"row ids are {rows.ids.type} in the labels and {scores['row'].type} in the scores.",
            fix="Write both as text, or both as whole numbers.",
        )
    ids = scores["row"].combine_chunks()
    place = arrow(".compute").index_in(ids, value_set=rows.ids)
    if place.null_count:
        first = int(np.flatnonzero(place.is_null().to_numpy(zero_copy_only=False))[0])
        raise InputError(
            f"the row {quote(ids[first].as_py())} has a score but no labels "
            f"({place.null_count:,} such scores).",
            fix="A row without positives is a record with an empty list, or with a null class.",
        )
    row = place.to_numpy(zero_copy_only=False).astype(np.int64)
    key = row * n_classes + scores["class"].to_numpy()
    order = np.sort(key)
    twice = order[1:][order[1:] == order[:-1]]
    if len(twice):
        name = rows.ids[int(twice[0] // n_classes)].as_py()
        raise InputError(
            f"the row {quote(name)} has two scores of one class.", fix="Give one score of each."
        )
    of_class = numbers[rows.indices]
    known = np.repeat(np.arange(len(rows)), np.diff(rows.indptr)) * n_classes + of_class
    of_row = np.zeros(len(rows), np.int32)
    if folds is not None:
        of_row = folds.indices[places_of(rows.ids, folds.ids, "fold")]
    table = scores.append_column("hit", arrow().array(np.isin(key, known)))
    table = table.append_column("fold", arrow().array(of_row[row]))
    return _Entries(table, Rows(rows.ids, rows.indptr, of_class.astype(np.int32)), of_row)


def _row_table(entries: _Entries) -> Any:
    positives = np.diff(entries.rows.indptr)
    columns = {"row": entries.rows.ids, "fold": entries.folds, "positives": positives}
    return arrow().table(columns)


def _largest(folds: Rows) -> int:
    return int(folds.indices.max(initial=0))


def _positives(entries: _Entries, n_classes: int, n_folds: int) -> Totals:
    rows = entries.rows
    counts = _kernels.part_counts(rows.indptr, rows.indices, entries.folds, n_classes, n_folds)
    sizes = np.bincount(entries.folds, minlength=n_folds)
    return Totals(counts.view(np.int64).reshape(n_classes, n_folds), sizes)


def _cut_entries(entries: _Entries, bounds: NDArray[np.int64]) -> Iterator[list[Any]]:
    yield cut_by_class(entries.table, bounds)


def cut_by_class(table: Any, bounds: NDArray[np.int64]) -> list[Any]:
    """Scores of the classes from each bound to the next."""
    number = np.searchsorted(bounds, table["class"].to_numpy(), side="right") - 1
    return cut_table(table, number, len(bounds) - 1)
