"""Counts of classes and of rows, which add up over fragments."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.distributed._rows import arrow, canonical
from trueval.distributed._source import Fragment, records

__all__ = ["Census", "census_of", "count"]


@dataclass(frozen=True, eq=False)
class Census:
    """Counts that add up.

    Attributes
    ----------
    table : pyarrow.Table
        Each class and its positives.
    lengths : ndarray of int64
        Rows by the number of their labels.
    """

    table: Any
    lengths: NDArray[np.int64]

    def __add__(self, other: "Census") -> "Census":
        joint = arrow().concat_tables([self.table, other.table]).combine_chunks()
        coded = joint["class"].combine_chunks().dictionary_encode()
        sizes = np.zeros(len(coded.dictionary), np.int64)
        np.add.at(sizes, coded.indices.to_numpy(), joint["size"].to_numpy())
        table = arrow().table({"class": coded.dictionary, "size": sizes})
        lengths = np.zeros(max(len(self.lengths), len(other.lengths)), np.int64)
        for part in (self, other):
            lengths[: len(part.lengths)] += part.lengths
        return Census(table, lengths)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.lengths.sum())

    @property
    def n_blank(self) -> int:
        """Rows without a label."""
        return int(self.lengths[0])

    def ranked(self) -> tuple[Any, NDArray[np.int64]]:
        """Classes from the smallest to the largest, those of one size by name; their sizes."""
        ordered = self.table.sort_by([("size", "ascending"), ("class", "ascending")])
        return ordered["class"].combine_chunks(), ordered["size"].to_numpy()


def count(fragment: Fragment) -> Census:
    """Positives of each class in a fragment; a class that a list repeats counts once."""
    total: Census | None = None
    for _, indptr, values in records(fragment):
        coded = values.dictionary_encode()
        codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
        part = census_of(coded.dictionary, *canonical(indptr, codes))
        total = part if total is None else total + part
    assert total is not None, "fragments have at least one record"
    return total


def census_of(classes: Any, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> Census:
    """Count class numbers, places in ``classes``."""
    sizes = np.bincount(indices, minlength=len(classes))
    present = np.flatnonzero(sizes)
    names = classes.take(arrow().array(present))
    table = arrow().table({"class": names, "size": sizes[present].astype(np.int64)})
    return Census(table, np.bincount(np.diff(indptr), minlength=1))
