"""The wanted values of the cells of a text table, collected block by block."""

import re
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import Fix, InputError, shorten
from trueval.data._cells import Cells, NameCodes, NameLists
from trueval.data._columns import ones
from trueval.data._formats._first_lines import (
    DECIMAL_COMMA,
)
from trueval.data._raw import AsCodes, AsFlags, AsLists, AsNumbers, RawTable

__all__ = ["COLLECTORS", "Block"]


_WHOLE = re.compile(rb"-?\d{1,9}(?:\.0*)?")  # pandas writes 1.0 beside missing cells


class Block:
    """Fields of some columns of a block of lines: bytes, and ranges in them by row."""

    def __init__(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int32],
        stops: NDArray[np.int32],
    ) -> None:
        self.data, self.starts, self.stops = data, starts, stops

    def choose(self, columns: list[int]) -> Cells:
        """Cells of some of the columns, row after row."""
        starts, stops = self.starts[:, columns], self.stops[:, columns]
        return Cells(self.data, starts.reshape(-1), stops.reshape(-1))


class _CodesCollector:
    def __init__(self, table: RawTable, want: AsCodes) -> None:
        self._table, self._want, self._names = table, want, NameCodes()

    def add(self, cells: Cells, row: int) -> None:
        self._names.add(cells.stripped() if self._want.strip else cells.without_blank())

    def finish(self) -> Any:
        return self._names.finish(self._table.source, "names")


class _ListsCollector:
    def __init__(self, table: RawTable, want: AsLists) -> None:
        self._table, self._want, self._names = table, want, NameLists()

    def add(self, cells: Cells, row: int) -> None:
        self._names.split(cells, self._want, self._table, row)

    def finish(self) -> Any:
        return self._names.finish_lists(self._table.source, "class names")


class _NumbersCollector:
    def __init__(self, table: RawTable, want: AsNumbers) -> None:
        self._table, self._want, self._values = table, want, bytearray()

    def add(self, cells: Cells, row: int) -> None:
        data = cells.data.tobytes()
        spans = zip(cells.starts.tolist(), cells.stops.tolist(), strict=True)
        fields = [data[start:stop] for start, stop in spans]
        if self._want.lowest is None:
            plain = b"_" not in data or not any(b"_" in field for field in fields)
        else:
            plain = all(map(_WHOLE.fullmatch, fields))
        try:
            values = np.array(array("d", map(float, fields)) if plain else [np.nan])
        except ValueError:
            values = np.array([np.nan])
        lowest = -np.inf if self._want.lowest is None else self._want.lowest
        if not np.isfinite(values).all() or (values < lowest).any():
            raise self._bad(fields, row)
        self._values += values.data

    def _bad(self, fields: list[bytes], row: int) -> InputError:
        want, width = self._want, len(self._want.at)
        at = next(at for at, field in enumerate(fields) if not _is_right(field, want.lowest))
        text = fields[at].decode("utf-8")
        quoted = repr(shorten(text)) if text.strip() else "missing"
        kind = "finite" if want.lowest is None else f"whole, from {want.lowest}"
        fix = want.first_fix if want.first_fix and row + at < width else None
        if DECIMAL_COMMA.fullmatch(text):
            fix = Fix("Write decimals with a point.")
        return self._table.fail(
            f"the {want.what} is {quoted}; it must be a number, {kind}.",
            fix=fix or "Correct it.",
            row=row + at // width,
            column=want.at[at % width],
        )

    def finish(self) -> NDArray[np.float64]:
        return np.frombuffer(self._values, np.float64).reshape(-1, len(self._want.at))


def _is_right(field: bytes, lowest: int | None) -> bool:
    if lowest is not None:
        return _WHOLE.fullmatch(field) is not None and float(field) >= lowest
    try:
        return b"_" not in field and bool(np.isfinite(float(field)))
    except ValueError:
        return False


class _FlagsCollector:
    def __init__(self, table: RawTable, want: AsFlags) -> None:
        self._table, self._want = table, want
        self._counts, self._columns = bytearray(), bytearray()

    def add(self, cells: Cells, row: int) -> None:
        width = len(self._want.at)
        counts, columns, bad = _kernels.find_flags(*cells, width)
        if bad >= 0:
            text = cells.text(bad)
            what = (
                f"the value {shorten(text)!r} is not 0 or 1"
                if text.strip()
                else "the value is missing"
            )
            raise self._table.fail(
                f"{what}; labels must be 0 or 1.",
                fix="Correct it, or drop the row.",
                row=row + bad // width,
                column=self._want.at[bad % width],
            )
        self._counts += counts.data
        self._columns += columns.data

    def finish(self) -> Any:
        counts = np.frombuffer(self._counts, np.int32)
        indptr = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=indptr[1:])
        columns = np.frombuffer(self._columns, np.int32)
        return ones(indptr, columns, (len(counts), len(self._want.at)))


COLLECTORS: dict[type, Any] = {
    AsCodes: _CodesCollector,
    AsLists: _ListsCollector,
    AsNumbers: _NumbersCollector,
    AsFlags: _FlagsCollector,
}
