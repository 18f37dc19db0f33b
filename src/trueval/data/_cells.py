"""Cells of text as ranges of bytes, and their names as numbers, by the compiled kernels."""

import re
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import Fix, InputError, shorten
from trueval.data._columns import Codes, Lists
from trueval.data._source import Source

if TYPE_CHECKING:
    from trueval.data._raw import AsLists, RawTable

__all__ = ["LISTED", "Cells", "NameCodes", "NameLists", "list_as_text", "name_array"]

#: A list as Python, JSON or a data base writes it: ['a', 'b'], {a,b}, {a|b}, or tags <a><b>.
LISTED = re.compile(
    r"[\[{]\s*(?:['\"].*|[\d,\s]*)[\]}]|\(\s*['\"].*\)"
    r"|\{[^{}]*[,;|][^{}]*\}|\[[^\[\]]*[;|][^\[\]]*\]|(?:<[^<>]+>){2,}"
)
_BRACKETS = np.frombuffer(b"[{(<", np.uint8)


class Cells(NamedTuple):
    """Cells of one column: bytes in UTF-8, and where each begins and ends in them."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int32]
    stops: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Cells":
        """Cells of texts."""
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([0, *map(len, parts)], dtype=np.int32)
        return cls(np.frombuffer(b"".join(parts) or b"\0", np.uint8), ends[:-1], ends[1:])

    def __len__(self) -> int:
        return len(self.starts)

    def text(self, at: int) -> str:
        """One cell."""
        return bytes(self.data[self.starts[at] : self.stops[at]]).decode("utf-8", "replace")

    def stripped(self) -> "Cells":
        """Without the white space around the cells."""
        cells = Cells(self.data, self.starts.copy(), self.stops.copy())
        _kernels.strip_fields(*cells)
        return cells

    def without_last(self, separator: str) -> "Cells":
        """Without one separator at the end of a cell that has something in front of it."""
        mark = np.frombuffer(separator.encode("utf-8"), np.uint8)
        ends = self.stops - self.starts > len(mark)
        for back in range(1, len(mark) + 1):
            last = self.data[np.where(ends, self.stops - back, 0)]
            ends = ends & (last == mark[-back])
        stops = np.where(ends, self.stops - len(mark), self.stops).astype(np.int32)
        return Cells(self.data, self.starts, stops)

    def without_blank(self) -> "Cells":
        """Cells of white space only made empty, the others as they are."""
        inside = self.stripped()
        blank = inside.starts == inside.stops
        return Cells(self.data, self.starts, np.where(blank, self.starts, self.stops))


def name_array(source: Source, names: Any, what: str) -> NDArray[Any]:
    """Distinct names as an array; refused if the longest one would blow it up."""
    if names.invalid >= 0:
        raise source.fail(
            f"the name {names.name(names.invalid)[:40]!r} is not UTF-8, or ends in NUL.",
            fix="Write the file again.",
        )
    n, width = len(names), max(names.longest, 1)
    source.need(4 * n * width, f"{n:,} {what} of up to {width:,} characters")
    out = np.zeros(n * width, np.uint32)
    names.fill(out, width)
    return out.view(f"U{width}")


class NameCodes:
    """Collects a column of names, batch by batch."""

    def __init__(self) -> None:
        self._names = _kernels.Names(secrets.randbits(64))
        self._codes = bytearray()

    def add(self, cells: Cells, *, empty_too: bool = False) -> None:
        """Number the next cells; an empty one has no name, unless that is a name too."""
        self._codes += self._names.numbers(*cells, empty_too).data

    def add_coded(
        self, dictionary: Cells, indices: NDArray[Any], *, empty_too: bool = True
    ) -> None:
        """Number cells that are given as numbers into a dictionary; its length for no name."""
        # Only what occurs: a dictionary may hold more, and twice.
        used = np.zeros(len(dictionary) + 1, bool)
        used[indices] = True
        used = used[:-1]
        number = np.full(len(dictionary) + 1, -1, np.int32)
        chosen = Cells(dictionary.data, dictionary.starts[used], dictionary.stops[used])
        number[:-1][used] = self._names.numbers(*chosen, empty_too)
        self._codes += number[indices].data

    def finish(self, source: Source, what: str) -> Codes:
        """The column."""
        names = self._names
        return Codes(lambda: name_array(source, names, what), np.frombuffer(self._codes, np.int32))


class NameLists(NameCodes):
    """Collects a column of lists of names."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = bytearray()

    def add_counts(self, counts: NDArray[Any]) -> None:
        """Note how many names the next cells have."""
        self._counts += counts.astype(np.int32, copy=False).data

    def split(self, cells: Cells, want: "AsLists", table: "RawTable", row: int) -> None:
        """Number the names of cells that hold several; ``row`` is that of the first cell."""
        cells = cells.stripped()
        if (at := _listed(cells)) is not None:
            raise list_as_text(table, cells.text(at), row + at)
        # UniProt ends lists with one.
        lists = cells.without_last(want.separator)
        counts, codes, whole = self._names.split(*lists, want.separator)
        if not whole:
            raise table.fail(
                f"an empty label between separators in {shorten(cells.text(len(counts)))!r}.",
                fix="Remove it.",
                row=row + len(counts),
            )
        self._codes += codes.data
        self.add_counts(counts)

    def finish_lists(self, source: Source, what: str) -> Lists:
        """The column."""
        counts = np.frombuffer(self._counts, np.int32)
        offsets = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        codes = self.finish(source, what)
        return Lists(codes.names, codes.take(), offsets)


def _listed(cells: Cells) -> int | None:
    """Place of the first cell that is a list as Python or JSON writes it, which is no name."""
    first = cells.data[np.minimum(cells.starts, len(cells.data) - 1)]
    for at in np.flatnonzero(np.isin(first, _BRACKETS)).tolist():
        if LISTED.fullmatch(cells.text(at)):
            return at
    return None


def list_as_text(table: "RawTable", cell: str, row: int) -> InputError:
    """The error for a list as Python or JSON writes it."""
    return table.fail(
        f"the label {shorten(cell)!r} is a list written as text.",
        fix=Fix(
            "Join its labels by ';', write one of them a line, or use Parquet; pass {} if it is "
            "one name.",
            "layout",
            "long",
        ),
        row=row,
    )
