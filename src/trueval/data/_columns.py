"""Columns of tables, with names as numbers into a list of distinct names."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.label_forms import pattern

__all__ = ["Codes", "Column", "Flags", "Lists", "number_ints", "number_values", "ones"]

_INTS = 2**17


class Codes:
    """A column of names: the distinct ones, and their numbers by row; -1 for an empty cell.

    Names that a function makes are made when first asked for.
    """

    def __init__(
        self, names: NDArray[Any] | Callable[[], NDArray[Any]], codes: NDArray[np.int32]
    ) -> None:
        self._names, self.codes = names, codes

    @property
    def names(self) -> NDArray[Any]:
        """Distinct names."""
        if callable(self._names):
            self._names = self._names()
        return self._names

    def take(self) -> NDArray[np.int32]:
        """The numbers, to be owned by the caller."""
        codes, self.codes = self.codes, np.empty(0, np.int32)
        return codes

    def expand(self, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """The names of some rows."""
        return self.names[self.codes[start:stop]]


class Lists(NamedTuple):
    """A column of lists of names: the distinct ones, the numbers of all, where rows begin."""

    names: NDArray[Any]
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def expand(self, start: int, stop: int) -> list[list[Any]]:
        """The lists of some rows."""
        at = self.offsets[start : stop + 1].tolist()
        names = self.names[self.codes[at[0] : at[-1]]].tolist()
        return [names[a - at[0] : b - at[0]] for a, b in pairwise(at)]


class Flags(NamedTuple):
    """A column of 0 and 1: the rows with 1, in order."""

    rows: NDArray[Any]
    n_rows: int

    def expand(self, start: int, stop: int) -> list[int]:
        """The flags of some rows."""
        first, last = np.searchsorted(self.rows, (start, stop))
        out = np.zeros(stop - start, np.int8)
        out[self.rows[first:last] - start] = 1
        return out.tolist()


Column = NDArray[Any] | Codes | Lists | Flags


def ones(indptr: NDArray[Any], indices: NDArray[Any], shape: tuple[int, int]) -> sp.csr_array:
    """CSR of ones on these indices, 32 bits wide wherever they fit."""
    small = np.int32 if len(indices) < 2**31 else np.int64
    return pattern(indptr.astype(small, copy=False), indices.astype(small, copy=False), shape)


def number_values(values: NDArray[Any]) -> Codes:
    """Number values in order of their first appearance.

    >>> number_values(np.array(["b", "a", "b"])).codes
    array([0, 1, 0], dtype=int32)
    """
    distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Codes(distinct[order], place[inverse.reshape(-1)])


def number_ints(values: NDArray[Any]) -> Codes:
    """Number whole numbers in their order; int32 that can be written to are made their codes."""
    if values.dtype.itemsize < 4:  # differences might not fit
        values = values.astype(np.int32)
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low > 4 * len(values) + 1000:
        distinct, inverse = np.unique(values, return_inverse=True)
        return Codes(distinct, inverse.reshape(-1).astype(np.int32))
    present = np.zeros(high - low + 1, bool)
    blocks = [slice(start, start + _INTS) for start in range(0, len(values), _INTS)]
    for block in blocks:
        present[values[block] - values.dtype.type(low)] = True
        if present.all():  # most often after a few blocks: there is no need for the rest
            break
    place = np.cumsum(present, dtype=np.int32) - np.int32(1)
    reuse = values.dtype == np.int32 and values.flags.writeable
    codes = values if reuse else np.empty(len(values), np.int32)
    for block in blocks:
        codes[block] = place[values[block] - values.dtype.type(low)]
    names = np.flatnonzero(present).astype(values.dtype) + values.dtype.type(low)
    return Codes(names, codes)
