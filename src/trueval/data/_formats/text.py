"""CSV and TSV: lines of fields, read in blocks in one pass, with the line of every error."""

import csv
import io
import re
from array import array
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import Fix, InputError, InputWarning, Place, quote, shorten, warn_user
from trueval.data._cells import Cells, NameCodes, NameLists
from trueval.data._columns import ones
from trueval.data._formats._first_lines import (
    DECIMAL_COMMA,
    choose_delimiter,
    header_in_comment,
    quoted_fields,
    split_line,
)
from trueval.data._formats._format import Format
from trueval.data._lines import text_blocks, text_lines
from trueval.data._raw import AsCodes, AsFlags, AsLists, AsNumbers, RawTable, Want
from trueval.data._source import Source

__all__ = ["FORMATS", "TextTable"]

_ROWS, _BYTES = 1000, 2**20  # looked at before reading
_MARK = "trueval"
_BLOCK = 2**20
_WHOLE = re.compile(rb"-?\d{1,9}")


class TextTable(RawTable):
    """A delimited file.

    ``names`` are the fields of the first line, whether it is a header or not, or those of a
    comment above it that is one. The delimiter, if not given, is found by the first lines.
    """

    has_header = None
    typed = False

    def __init__(
        self, source: Source, encoding: str = "utf-8", delimiter: str | None = None
    ) -> None:
        super().__init__(source=source)
        self._encoding = encoding
        self._start, self._without_header = 0, False
        comment, lines = self._first_lines()
        if not lines:
            raise source.fail("the file has no rows.", fix="Write it again, or give another file.")
        self.delimiter = delimiter or self._delimiter(lines)
        self._first_row, line = lines.pop(0)
        self.first_line = self._first_row
        self.names = self._fields(self._first_row, line)
        self._blanks: list[tuple[int, int]] = []
        self._sample: list[list[str]] = []
        self._sample_lines: list[int] = []
        self._comment: str | None = None
        if comment is not None:
            self._take_comment(*comment)
        for number, line in lines:
            self._add_to_sample(number, line)

    def _first_lines(self) -> tuple[tuple[int, str] | None, list[tuple[int, str]]]:
        """The last comment above the first row, and the lines to look at, with their numbers."""
        comment: tuple[int, str] | None = None
        first: list[tuple[int, str]] = []
        seen = 0
        for number, line in text_lines(self.source, self._encoding):
            if not first and line.startswith("# "):
                comment = None if self._note(line[2:]) else (number, line)
            elif line.strip() if not first else line:
                first.append((number, line))
                seen += len(line)
                if len(first) > _ROWS or seen > _BYTES:
                    break
        return comment, first

    def _delimiter(self, numbered: list[tuple[int, str]]) -> str:
        """What separates the columns; refused where it may be a comma or a semicolon."""
        lines = [line for _, line in numbered]
        chosen = choose_delimiter(lines)
        if chosen is None:
            both = [f"{len(split_line(lines[0], d))} columns by {d!r}" for d in ",;"]
            raise self.source.fail(
                f"what separates the columns? {' or '.join(both)}: {shorten(lines[0])!r}.",
                fix=Fix(
                    "Name the columns in a first line, write decimals with a point, or pass {} "
                    "or {}.",
                    "delimiter",
                    ";",
                    more=(("delimiter", ","),),
                ),
                line=numbered[0][0],
            )
        return chosen

    def _take_comment(self, number: int, line: str) -> None:
        """Take the comment above the first row for the header, if it is one."""
        names = header_in_comment(line[2:], self.names, self.delimiter)
        if names is not None:
            self._sample.append(self.names)
            self._sample_lines.append(self._first_row)
            self.names, self.has_header = names, True
            self.first_line, self._comment = number, line

    def _note(self, comment: str) -> bool:
        """Note metadata of ours; whether the comment has some."""
        mark, _, rest = comment.partition(" ")
        word, _, text = rest.partition(" ")
        if mark != _MARK or not word:
            return False
        self.metadata.setdefault(f"{_MARK}_{word}", text)
        return True

    def _add_to_sample(self, number: int, line: str) -> None:
        fields = self._fields(number, line)
        if len(fields) != self.width:
            raise self._ragged(number, line, len(fields))
        self._sample.append(fields)
        self._sample_lines.append(number)

    @property
    def n_rows(self) -> int:
        """Rows after the first that have been looked at; how many follow is not known yet."""
        return len(self._sample)

    def kind(self, at: int) -> str:
        """All is text."""
        return "text"

    def cells(self, at: int) -> list[str]:
        """The first cells of a column, below the first line."""
        return [fields[at] for fields in self._sample]

    def place(self, row: int | None) -> dict[str, int]:
        """The line of a row, counted as it was read last; before that, below the first line."""
        if row is None:
            return {"line": self.first_line}
        if not self._start:
            return {"line": self._sample_lines[row]}
        return {"line": self._start + row + sum(n for at, n in self._blanks if at <= row)}

    def column_name(self, at: int) -> str | int:
        """The name of a column, its number where the first line was data."""
        return at if self._without_header else self.names[at]

    def _fields(self, number: int, line: str) -> list[str]:
        if '"' not in line:
            return line.split(self.delimiter)
        try:
            return quoted_fields(line, self.delimiter)
        except ValueError as error:
            raise self.source.fail(
                f"the quotes do not match ({error}) in {quote(line, 60)}.",
                fix="A quoted field must end on its line and double its inner quotes.",
                line=number,
            ) from None

    def _ragged(self, number: int, line: str, n_fields: int) -> InputError:
        problem = (
            f"{n_fields} fields where line {self.first_line} has {self.width} "
            f"(delimiter {self.delimiter!r}): {shorten(line)!r}."
        )
        fix = "Complete the line, or quote fields that contain the delimiter."
        other = next((d for d in "\t,;" if d != self.delimiter and d in line), None)
        if other is not None and n_fields < self.width:
            problem, fix = (
                f"{problem} The line seems to use {other!r}.",
                "Use one separator throughout.",
            )
        return self.source.fail(problem, fix=fix, line=number)

    # --- one pass -----------------------------------------------------------------------

    def _load(self, wants: Mapping[str, Want], header: bool) -> dict[str, Any]:
        columns = sorted({at for want in wants.values() for at in _places(want)})
        collectors = {key: _COLLECTORS[type(want)](self, want) for key, want in wants.items()}
        place = {at: number for number, at in enumerate(columns)}
        chosen = np.array(columns, np.int32)
        self._start = self.first_line + 1 if header else self._first_row
        self._without_header, self._blanks = not header, []
        if header and self._comment is not None:
            comment, self._comment = self._comment, None
            warn_user(
                f"the comment {shorten(comment)!r} is taken as the header.",
                InputWarning,
                place=Place(self.source.name, **self.place(None)),
                fix="If it is none, remove it; if it is, remove its '# '.",
            )
        row = 0
        for number, text in self._blocks():
            block = _Block(*self._split(number, text, chosen, row))
            for key, collector in collectors.items():
                collector.add(block.choose([place[at] for at in _places(wants[key])]), row)
            row += len(block.starts)
        if not row:
            raise self.source.fail("there is a header but no rows.", fix="At least one is needed.")
        return {key: collector.finish() for key, collector in collectors.items()}

    def _blocks(self) -> Iterator[tuple[int, str]]:
        """Blocks of lines from that of the first row on."""
        for number, text in text_blocks(self.source, self._encoding):
            skip = self._start - number
            if skip > 0:
                parts = text.split("\n", skip)
                number, text = number + skip, parts[skip] if len(parts) > skip else ""
            if text:
                # A delimiter of several bytes takes the place of NUL, which no text holds.
                ascii_ = self.delimiter.isascii()
                yield number, text if ascii_ else text.replace(self.delimiter, "\0")

    def _split(
        self, number: int, text: str, columns: NDArray[np.int32], row: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32]]:
        data = np.frombuffer(bytearray(text, "utf-8"), np.uint8)
        delimiter = ord(self.delimiter) if self.delimiter.isascii() else 0
        starts, stops, rows, counts, error, at = _kernels.split_fields(
            data, delimiter, self.width, columns
        )
        if error:
            line = text.split("\n", at + 1)[at].replace("\0", self.delimiter)
            raise self._ragged(number + at, line, len(self._fields(number + at, line)))
        self._blanks += zip((rows + row).tolist(), counts.tolist(), strict=True)
        shape = (-1, len(columns))
        return data, starts.reshape(shape), stops.reshape(shape)


def _places(want: Want) -> tuple[int, ...]:
    return want.at if isinstance(want.at, tuple) else (want.at,)


class _Block:
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
    def __init__(self, table: TextTable, want: AsCodes) -> None:
        self._table, self._want, self._names = table, want, NameCodes()

    def add(self, cells: Cells, row: int) -> None:
        self._names.add(cells.stripped() if self._want.strip else cells.without_blank())

    def finish(self) -> Any:
        return self._names.finish(self._table.source, "names")


class _ListsCollector:
    def __init__(self, table: TextTable, want: AsLists) -> None:
        self._table, self._want, self._names = table, want, NameLists()

    def add(self, cells: Cells, row: int) -> None:
        self._names.split(cells, self._want, self._table, row)

    def finish(self) -> Any:
        return self._names.finish_lists(self._table.source, "class names")


class _NumbersCollector:
    def __init__(self, table: TextTable, want: AsNumbers) -> None:
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
        return _WHOLE.fullmatch(field) is not None and int(field) >= lowest
    try:
        return b"_" not in field and bool(np.isfinite(float(field)))
    except ValueError:
        return False


class _FlagsCollector:
    def __init__(self, table: TextTable, want: AsFlags) -> None:
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


_COLLECTORS: dict[type, Any] = {
    AsCodes: _CodesCollector,
    AsLists: _ListsCollector,
    AsNumbers: _NumbersCollector,
    AsFlags: _FlagsCollector,
}


def _write(file: BinaryIO, table: RawTable, delimiter: str) -> None:
    block = io.StringIO()
    writer = csv.writer(block, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.names)
    for row in table.rows():
        writer.writerow([";".join(cell) if isinstance(cell, list) else cell for cell in row])
        if block.tell() > _BLOCK:
            file.write(block.getvalue().encode())
            block.seek(0)
            block.truncate()
    file.write(block.getvalue().encode())


def _format(name: str, suffixes: tuple[str, ...], delimiter: str) -> Format:
    return Format(
        name,
        holds=("table",),
        read=TextTable,
        options=("encoding", "delimiter"),
        suffixes=suffixes,
        sniff=lambda head: b"\0" not in head and (b"\t" in head.split(b"\n")[0]) == (name == "tsv"),
        last=True,
        write=lambda file, table: _write(file, table, delimiter),
        typed=False,
        beside=True,
    )


FORMATS = (_format("csv", (".csv",), ","), _format("tsv", (".tsv", ".tab"), "\t"))
