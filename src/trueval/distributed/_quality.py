"""``quality``: measure a split of a dataset, rows and folds matched by id."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from trueval import _kernels
from trueval.core.errors import InputError, Place
from trueval.core.named import name_array
from trueval.core.params import CALLABLE, NONE, PATH, STRING, Choice, Methods, constrained
from trueval.distributed._engine import ENGINES, engine_of
from trueval.distributed._flow import Input, collect, cut_by_id, n_buckets
from trueval.distributed._match import places_of
from trueval.distributed._names import check_layout
from trueval.distributed._plan import Totals
from trueval.distributed._rows import Rows, arrow, cut, id_keys, join
from trueval.distributed._source import Fragment, open_folds, records
from trueval.stratify._parts import PARTS, Parts, as_parts
from trueval.stratify._quality import SplitQuality, quality_of_counts

__all__ = ["SOURCE", "measured", "quality"]

#: Constraints of the parameters that say what is read, and by what.
SOURCE: dict[str, Any] = {
    "source": (PATH, Methods(("to_delayed",), "a dask.dataframe or dask.array")),
    "row": (NONE, STRING),
    "classes": (NONE, STRING),
    "layout": (NONE, Choice(("list", "long"))),
    "engine": Choice(ENGINES),
    "client": (NONE, Methods(("submit", "gather"), "a distributed.Client")),
    "progress": (NONE, CALLABLE),
}


@constrained(**SOURCE, parts=(NONE, *PARTS))
def quality(
    source: Any,
    folds: Any,
    *,
    parts: Any = None,
    row: str | None = None,
    classes: str | None = None,
    layout: str | None = None,
    engine: str = "stream",
    client: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> SplitQuality:
    """Measure a split of a Parquet dataset; rows and folds are matched by id, in any order.

    Parameters
    ----------
    source : path, dask.dataframe.DataFrame or dask.array.Array
        As for :func:`split`.
    folds : path
        Parquet file or folder with the columns ``row`` and ``fold``.
    parts : int or sequence of numbers, optional
        The parts that were wanted; equal parts if not given.
    row, classes, layout, engine, client, progress
        As for :func:`split`.

    Returns
    -------
    SplitQuality

    Raises
    ------
    InputError
        If a row has no fold or several, or a fold is of no row.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from trueval.distributed import quality
    >>> rows = pa.table({"row": [1, 2, 3, 4], "class": [["a"], ["a"], ["b"], ["b"]]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labels, folds = Path(folder, "labels.parquet"), Path(folder, "folds.parquet")
    ...     pq.write_table(rows, labels)
    ...     pq.write_table(pa.table({"row": [4, 3, 2, 1], "fold": [1, 0, 1, 0]}), folds)
    ...     quality(labels, folds).rld
    0.0
    """
    with (
        tempfile.TemporaryDirectory(prefix="trueval-") as folder,
        engine_of(engine, client, Path(folder, "quality"), progress) as carrier,
    ):
        dataset = carrier.dataset(source, row, classes)
        carrier.expect(4 * len(dataset.fragments))
        check_layout(layout, dataset.long)
        rows = collect(carrier, dataset, one_class=layout == "long")
        fold_files = open_folds(folds)
        n = n_buckets(rows.census.n_rows)
        by_id = carrier.shuffle(cut_by_id, rows.items, n, join, carrier.share(rows.numbering), n)
        of_folds = carrier.shuffle(cut_folds, fold_files.fragments, n, join, n)
        largest = carrier.total(_Largest.of, of_folds).value
        wanted = as_parts(parts or max(largest + 1, 2), rows.census.n_rows)
        if largest >= wanted.n_parts:
            raise InputError(
                f"folds go up to {largest}, but {wanted.n_parts} parts are wanted.",
                place=Place(str(folds)),
            )
        n_classes = len(rows.census.table)
        match = partial(matched, n_classes=n_classes, n_parts=wanted.n_parts)
        totals = carrier.total(match, by_id, of_folds)
        carrier.finish()
    return measured(rows, totals, wanted)


def measured(rows: Input, totals: Totals, parts: Parts) -> SplitQuality:
    """Quality, with classes in the order of their names."""
    classes, _ = rows.census.ranked()
    order = arrow(".compute").sort_indices(classes).to_numpy()
    names = name_array(classes.take(arrow().array(order)).to_pylist())
    lengths = rows.census.lengths
    of_rows = np.zeros(0, np.int64) if parts.equal else np.repeat(np.arange(len(lengths)), lengths)
    return quality_of_counts(totals.counts[order], totals.sizes, parts, names, of_rows)


# --- folds of rows -------------------------------------------------------------------------------


def cut_folds(fragment: Fragment, n: int) -> Iterator[list[Rows]]:
    """Folds as rows with one "class", their fold, cut by a hash of the ids."""
    for ids, indptr, values in records(fragment):
        folds = values.to_numpy(zero_copy_only=False)
        if len(folds) < len(ids) or (folds < 0).any() or (folds >= 2**31).any():
            raise InputError(
                "a fold is missing or negative.",
                place=Place(fragment.place, column="fold"),
                fix="Folds are numbers from 0.",
            )
        rows = Rows(ids, indptr, folds.astype(np.int32))
        yield cut(rows, id_keys(ids) % np.uint64(n), n)


class _Largest:
    """A maximum that adds up."""

    def __init__(self, value: int) -> None:
        self.value = value

    @classmethod
    def of(cls, folds: Rows) -> "_Largest":
        """The largest fold."""
        return cls(int(folds.indices.max(initial=0)))

    def __add__(self, other: "_Largest") -> "_Largest":
        return _Largest(max(self.value, other.value))


def matched(rows: Rows, folds: Rows, n_classes: int, n_parts: int) -> Totals:
    """Totals of rows and folds with the same ids."""
    part = folds.indices[places_of(rows.ids, folds.ids, "fold")]
    counts = _kernels.part_counts(rows.indptr, rows.indices, part, n_classes, n_parts)
    sizes = np.bincount(part, minlength=n_parts)
    return Totals(counts.view(np.int64).reshape(n_classes, n_parts), sizes)
