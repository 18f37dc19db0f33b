"""Rankers fitted to samples that are spread over tables, and the values they give."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.errors import InputError, quote
from trueval.core.named import name_array
from trueval.distributed._plan import Totals
from trueval.distributed._rows import arrow, id_keys, stacked
from trueval.distributed._scored import Scored, cut_by_class, read_scores
from trueval.distributed._source import Dataset, Fragment
from trueval.rank._base import Ranker
from trueval.rank._sample import Sample
from trueval.rank._warn import OneClassWarning

__all__ = ["average_precision", "cut_new", "fitted_rankers", "valued_tables"]


@dataclass(frozen=True, eq=False)
class _Counts:
    """Distinct (class, score, fold), rising, with their objects and positives."""

    number: NDArray[np.int32]
    score: NDArray[np.float64]
    fold: NDArray[np.int32]
    size: NDArray[np.float64]
    positives: NDArray[np.float64]

    @classmethod
    def of(cls, table: Any) -> "_Counts":
        """Count a table of all scores of some classes."""
        number, score, fold, hit = (
            table[name].to_numpy(zero_copy_only=False) for name in ("class", "score", "fold", "hit")
        )
        order = np.lexsort((fold, score, number))
        number, score, fold, hit = number[order], score[order], fold[order], hit[order]
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(number) != 0) | (score[1:] != score[:-1]) | (np.diff(fold) != 0)
        first = np.flatnonzero(new)
        size = np.diff(np.append(first, len(order))).astype(np.float64)
        hits = np.add.reduceat(hit.astype(np.float64), first) if len(first) else np.empty(0)
        return cls(number[first], score[first], fold[first], size, hits)

    def sample(self, k: int, without: int | None, totals: Totals) -> Sample:
        """The sample of one class, without one fold."""
        # The type of the numbers: others would be converted each time.
        start, end = np.searchsorted(self.number, np.array([k, k + 1], self.number.dtype))
        keep = np.arange(start, end)
        rows, positives = totals.sizes, totals.counts[k]
        if without is not None:
            keep = keep[self.fold[keep] != without]
            rows, positives = np.delete(rows, without), np.delete(positives, without)
        score = self.score[keep]
        first = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]])[: len(score)])
        size, hits = (
            np.add.reduceat(column[keep], first) if len(first) else np.empty(0)
            for column in (self.size, self.positives)
        )
        n_absent = int(rows.sum() - size.sum())
        return Sample(score[first], size, hits, n_absent, int(positives.sum() - hits.sum()))


class _Store:
    """The sample of each class, read where the engine has it; the last table is kept.

    Parameters
    ----------
    engine : engine
    scored : Scored
    counts : list of handles
        Of the counts of each table.
    without : int or None
        Fold that is left out.
    """

    def __init__(self, engine: Any, scored: Scored, counts: list[Any], without: int | None) -> None:
        self._engine, self._scored, self._handles = engine, scored, counts
        self._without = without
        self.names = name_array(scored.classes.to_pylist())
        self._last: tuple[int, Any] = (-1, None)
        self.troubles: list[str | None] = [None] * len(self)
        self.absent_rates = np.zeros(len(self))

    def __len__(self) -> int:
        return len(self._scored.classes)

    def __getitem__(self, k: int) -> Sample:
        table = int(np.searchsorted(self._scored.bounds, k, side="right")) - 1
        at, counts = self._last
        if at != table:
            counts = next(iter(self._engine.values([self._handles[table]])))
            self._last = (table, counts)
        sample: Sample = counts.sample(k, self._without, self._scored.positives)
        self.troubles[k] = sample.trouble
        self.absent_rates[k] = sample.absent_rate
        return sample


def fitted_rankers(engine: Any, scored: Scored, ranker: Ranker) -> tuple[Any, list[Any]]:
    """The ranker of all rows, and for each fold that of the others; just the first for one fold."""
    counts = engine.map(_Counts.of, scored.tables)
    everything = _fitted(ranker, _Store(engine, scored, counts, None))
    by_fold = []
    if len(scored.positives.sizes) > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)  # what is rare was said of all rows
            for fold, n_rows in enumerate(scored.positives.sizes):
                # A fold without rows has none to value.
                store = _Store(engine, scored, counts, fold if n_rows else None)
                by_fold.append(_fitted(ranker, store) if n_rows else everything)
    engine.release(counts)
    return everything, by_fold


def _fitted(ranker: Ranker, samples: Any) -> Any:
    fitted: Any = clone(ranker)
    names = samples.names
    fitted._learn(samples, names)
    fitted.classes_, fitted.n_features_in_ = names, len(names)
    if names.dtype.kind == "U":
        fitted.feature_names_in_ = names.astype(object)
    fitted._after()
    return fitted


# --- values --------------------------------------------------------------------------------------


def cut_new(engine: Any, scores: Dataset, scored: Scored) -> list[Any]:
    """Tables of scores of new rows, by class."""
    shared = engine.share(scored.classes)
    n = len(scored.bounds) - 1
    tables: list[Any] = engine.shuffle(
        _cut_new, scores.fragments, n, stacked, shared, scored.bounds
    )
    return tables


def _cut_new(fragment: Fragment, classes: Any, bounds: NDArray[np.int64]) -> Iterator[list[Any]]:
    for table in read_scores(fragment, classes):
        none = arrow().array(np.zeros(len(table), np.int32))
        flags = table.append_column("hit", none.cast(arrow().bool_()))
        yield cut_by_class(flags.append_column("fold", none), bounds)


def valued_tables(
    engine: Any, tables: list[Any], scored: Scored, rankers: list[Any], confidence: float | None
) -> list[Any]:
    """Handles of tables of row, class and value, each row by the ranker of its fold."""
    starts, ends = scored.bounds[:-1], scored.bounds[1:]
    curves = [
        [ranker.curves_[start:end] for ranker in rankers]
        for start, end in zip(starts, ends, strict=True)
    ]
    value = partial(_valued, classes=scored.classes, confidence=confidence)
    handles: list[Any] = engine.map(value, tables, curves, starts)
    return handles


def _valued(
    table: Any, curves: list[Any], first: int, classes: Any, confidence: float | None
) -> Any:
    """Values of a table, in an order that no storage decides."""
    rows = table["row"].combine_chunks()
    keyed = table.append_column("key", arrow().array(id_keys(rows)))
    keyed = keyed.sort_by([(name, "ascending") for name in ("class", "key", "row")])
    number, key, score, fold = (
        keyed[name].to_numpy() for name in ("class", "key", "score", "fold")
    )
    same = np.flatnonzero((np.diff(number) == 0) & (np.diff(key.view(np.int64)) == 0))
    for at in same.tolist():
        if keyed["row"][at] == keyed["row"][at + 1]:
            raise InputError(
                f"the row {quote(keyed['row'][at].as_py())} has two scores of the class "
                f"{quote(classes[int(number[at])].as_py())}.",
                fix="Give one score of each.",
            )
    columns = np.zeros((1 if confidence is None else 3, len(score)))
    bounds = np.flatnonzero(np.diff(number, prepend=-1, append=-1))
    for start, end in pairwise(bounds.tolist()):
        for which, of_fold in enumerate(curves):
            mine = fold[start:end] == which if len(curves) > 1 else np.ones(end - start, bool)
            places = start + np.flatnonzero(mine)
            curve = of_fold[int(number[start]) - first]
            columns[0, places] = curve.at(score[places])
            if confidence is not None:
                columns[1:, places] = curve.interval(score[places], float(confidence))
    result = {
        "row": keyed["row"],
        "class": classes.take(keyed["class"].combine_chunks()),
        **dict(zip(("value", "low", "high"), columns, strict=False)),
    }
    return arrow().table({**result, "hit": keyed["hit"], "fold": keyed["fold"]})


def average_precision(engine: Any, tables: list[Any], scored: Scored) -> float:
    """That of all pairs, from the values of positives and how many others are above each."""
    hits = np.sort(np.concatenate(list(engine.values(engine.map(_hit_values, tables)))))
    n_positives = int(scored.positives.counts.sum())
    if n_positives == 0:
        raise InputError("no row has a class, so the average precision is undefined.")
    distinct, first, count = np.unique(hits, return_index=True, return_counts=True)
    calls = engine.total(partial(_calls, thresholds=distinct), tables)
    area = float(np.sum(count * ((len(hits) - first) / calls)))
    if len(hits) < n_positives:
        n_pairs = int(scored.positives.sizes.sum()) * len(scored.classes)
        area += (n_positives - len(hits)) * n_positives / n_pairs
    return area / n_positives


def _hit_values(table: Any) -> NDArray[np.float64]:
    values: NDArray[np.float64] = table["value"].to_numpy()
    return values[table["hit"].to_numpy(zero_copy_only=False)]


def _calls(table: Any, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    values = np.sort(table["value"].to_numpy())
    return len(values) - np.searchsorted(values, thresholds)
