"""CSV and TSV: lines of fields, read in blocks in one pass, with the line of every error."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import Fix, InputError, InputWarning, Place, quote, shorten, warn_user
from trueval.data._formats._first_lines import (
    Comment,
    choose_delimiter,
    header_in_comment,
    is_bare,
    is_spaced,
    mark_of,
    numbered_header,
    quoted_fields,
    separator_line,
    split_line,
    what_comment_is,
)
from trueval.data._formats._format import Format
from trueval.data._formats._header_words import lacks_row_names, n_known
from trueval.data._formats._text_cells import COLLECTORS, Block
from trueval.data._lines import text_blocks, text_lines
from trueval.data._raw import RawTable, Want
from trueval.data._source import Source

__all__ = ["FORMATS", "TextTable"]

_ROWS, _BYTES = 1000, 2**20  # looked at before reading
_MARK = "trueval"
_BLOCK = 2**20


class TextTable(RawTable):
    """A delimited file.

    ``names`` are the fields of the first line, whether it is a header or not, or those of a
    comment above it that is one. The delimiter, if not given, is found by the first lines.
    ``header`` is what the user says of the first line, of which there is then no doubt.
    """

    has_header = None
    typed = False

    def __init__(
        self,
        source: Source,
        encoding: str = "utf-8",
        delimiter: str | None = None,
        header: bool | None = None,
    ) -> None:
        super().__init__(source=source)
        self._encoding = encoding
        self._start, self._without_header = 0, False
        self._sure = False  # whether a comment is the header
        self._row_names = False  # whether the header does not name the first column
        comments, lines = self._first_lines()
        if lines and (said := separator_line(lines[0][1])) is not None:
            delimiter = delimiter or said
            del lines[0]
        comment, lines, separator = self._without_comments(comments, lines, delimiter)
        if not lines:
            raise source.fail("the file has no rows.", fix="Write it again, or give another file.")
        self.delimiter = delimiter or separator or self._delimiter(lines)
        self._spaced = is_spaced([line for _, line in lines], self.delimiter)
        self._first_row, line = lines.pop(0)
        self.first_line = self._first_row
        self.names = self._fields(self._first_row, line)
        self._blanks: list[tuple[int, int]] = []
        self._sample: list[list[str]] = []
        self._sample_lines: list[int] = []
        self._comment: str | None = None
        self._doubt: bool | None = None  # how a first line that may be data is taken
        if comment is not None:
            self._take_comment(*comment)
        elif (
            header is not False
            and lines
            and lacks_row_names(self.names, [line for _, line in lines], self.delimiter)
        ):
            self.names.insert(0, "")
            self.has_header = self._row_names = True
        for number, line in lines:
            self._add_to_sample(number, line)
        if self.has_header is None:
            self._look_at_numbers(header)

    def _first_lines(self) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """Lines above the first row that begin with #, and those to look at, with their numbers."""
        comments: list[tuple[int, str]] = []
        first: list[tuple[int, str]] = []
        n, seen = 0, 0
        for number, line in text_lines(self.source, self._encoding):
            if not first and line.startswith("#"):
                comments.append((number, line))
            elif line.strip() if not first else line:
                first.append((number, line))
            if first or is_bare(line):
                n, seen = n + 1, seen + len(line)
                if n > _ROWS or seen > _BYTES:
                    break
        return comments, first

    def _without_comments(
        self, comments: list[tuple[int, str]], lines: list[tuple[int, str]], delimiter: str | None
    ) -> tuple[tuple[int, str] | None, list[tuple[int, str]], str | None]:
        """The comment that may be the header, the lines below it, and their delimiter if found.

        Lines that begin with # and no blank are rows, as hashtags are, where such lines follow.
        """
        bare = [at for at, (_, line) in enumerate(comments) if is_bare(line)]
        rows = [line for _, line in lines]
        kind, separator = (Comment.ROW if not rows or any(map(is_bare, rows)) else None), None
        if kind is None and bare and bare[-1] == len(comments) - 1:
            kind, separator = what_comment_is(comments[-1][1], rows, delimiter, n_known)
            if kind is Comment.EITHER and separator is not None:
                n_fields = {len(split_line(comments[at][1], separator)) for at in bare[-2:]}
                kind = Comment.ROW if len(bare) > 1 and len(n_fields) == 1 else kind
        if kind is Comment.ROW and bare:
            comments, lines = comments[: bare[0]], comments[bare[0] :] + lines
        noted = [not is_bare(line) and self._note(line[2:]) for _, line in comments]
        last = comments[-1] if comments and not noted[-1] else None
        if last is None or not is_bare(last[1]):
            return last, lines, None
        if kind is Comment.COMMENT:
            return None, lines, None
        self._sure = kind is Comment.HEADER
        return last, lines, separator

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
        if is_bare(line):
            names: list[str] | None = self._fields(number, line)
        else:
            names = header_in_comment(line[2:], self.names, self.delimiter)
        if names is not None:
            self._sample.append(self.names)
            self._sample_lines.append(self._first_row)
            self.names, self.has_header = names, True
            self.first_line = number
            self._comment = None if self._sure else line

    def _look_at_numbers(self, header: bool | None) -> None:
        """Take a first line of 0, 1, … for the header where it is one, as pandas writes it."""
        numbered = numbered_header(self.names, [self.cells(at) for at in range(self.width)])
        if numbered is not None and header is None:
            is_header, sure = numbered
            self.has_header = True if is_header else None
            self._doubt = None if sure else is_header

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
        """Fields of a line, without the blank after each delimiter where all have one."""
        if self._spaced:
            line = self._close(line)
        try:
            quoted = '"' in line
            fields = quoted_fields(line, self.delimiter) if quoted else line.split(self.delimiter)
            return [field.lstrip(" ") for field in fields] if self._spaced else fields
        except ValueError as error:
            raise self.source.fail(
                f"the quotes do not match ({error}) in {quote(line, 60)}.",
                fix=self._fix_of_quotes(line),
                line=number,
            ) from None

    def _close(self, text: str) -> str:
        """A text without blanks in front of quotes that begin a field."""
        if '"' not in text:
            return text
        d = re.escape(self.delimiter)
        return re.sub(rf'{d} +(?="[^"{d}\n])', self.delimiter, text)

    def _fix_of_quotes(self, line: str) -> Fix:
        if self.delimiter != " " and all(mark not in line for mark in "\t,;") and '" ' in line:
            return Fix(
                "If blanks separate the columns, as R writes them, pass {}.", "delimiter", " "
            )
        return Fix(
            "A quoted field must end on its line and double its inner quotes. If a cell goes on in "
            "the next line, drop that column, or write Parquet."
        )

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
        collectors = {key: COLLECTORS[type(want)](self, want) for key, want in wants.items()}
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
                fix=f"If it is none, remove it; if it is, remove its {mark_of(comment)!r}.",
            )
        if self._row_names:
            self._row_names = False
            warn_user(
                "the header has a column less than the lines: it has no name for the first, which "
                "is read as row names.",
                InputWarning,
                place=Place(self.source.name, line=self.first_line),
                fix="Name the first column.",
            )
        if self._doubt is header:
            self._doubt = None
            self._warn_of_numbers(header)
        row = 0
        for number, text in self._blocks():
            block = Block(*self._split(number, text, chosen, row))
            for key, collector in collectors.items():
                collector.add(block.choose([place[at] for at in _places(wants[key])]), row)
            row += len(block.starts)
        if not row:
            raise self.source.fail("there is a header but no rows.", fix="At least one is needed.")
        return {key: collector.finish() for key, collector in collectors.items()}

    def _warn_of_numbers(self, header: bool) -> None:
        line = self.delimiter.join(self.names)
        fix = Fix("Name the columns.")
        if self.takes_header:
            more = (("header", not header),)
            fix = Fix("To settle it, name the columns, or pass {} or {}.", "header", header, more)
        warn_user(
            f"the first line, {shorten(line)!r}, may be the header, as pandas writes it, or data: "
            f"it is taken as {'the header' if header else 'data'}.",
            InputWarning,
            place=Place(self.source.name, line=self.first_line),
            fix=fix,
        )

    def _blocks(self) -> Iterator[tuple[int, str]]:
        """Blocks of lines from that of the first row on."""
        for number, text in text_blocks(self.source, self._encoding):
            skip = self._start - number
            if skip > 0:
                parts = text.split("\n", skip)
                number, text = number + skip, parts[skip] if len(parts) > skip else ""
            if text:
                # A delimiter of several bytes takes the place of NUL, which no text holds.
                text = self._close(text) if self._spaced else text
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
        if self._spaced:
            starts = _after_blanks(data, starts, stops)
        shape = (-1, len(columns))
        return data, starts.reshape(shape), stops.reshape(shape)


def _after_blanks(
    data: NDArray[np.uint8], starts: NDArray[np.int32], stops: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Where fields begin without the blanks in front of them."""
    while True:
        blank = (starts < stops) & (data[np.minimum(starts, len(data) - 1)] == ord(" "))
        if not blank.any():
            return starts
        starts = starts + blank.astype(np.int32)


def _places(want: Want) -> tuple[int, ...]:
    return want.at if isinstance(want.at, tuple) else (want.at,)


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
        options=("encoding", "delimiter", "header"),
        suffixes=suffixes,
        sniff=lambda head: b"\0" not in head and (b"\t" in head.split(b"\n")[0]) == (name == "tsv"),
        last=True,
        write=lambda file, table: _write(file, table, delimiter),
        typed=False,
        beside=True,
    )


FORMATS = (_format("csv", (".csv",), ","), _format("tsv", (".tsv", ".tab"), "\t"))
