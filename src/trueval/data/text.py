"""Lines and fields of delimited text, with the place of whatever is wrong."""

import codecs
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from math import isfinite
from typing import Any

from trueval.core.errors import Fix, InputWarning, Place, quote, shorten, warn_user
from trueval.core.params import NONE, STRING, Interval, Where
from trueval.data.source import Source

__all__ = ["COLUMN", "DELIMITER", "ENCODING", "Table", "is_number", "text_lines"]

_LONGEST_LINE = 64 * 2**20


def _keeps_ascii(encoding: str) -> bool:
    try:
        return "\n".encode(encoding) == b"\n" and codecs.lookup(encoding)._is_text_encoding
    except LookupError:
        return False


#: What parameters of readers may be.
COLUMN = (NONE, STRING, Interval(int, 0))
DELIMITER = (NONE, Where(lambda d: isinstance(d, str) and len(d) == 1, "one character"))
ENCODING = Where(_keeps_ascii, "an encoding that keeps ASCII, such as 'utf-8' or 'latin-1'")
_SAMPLE = 1000


def text_lines(source: Source, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    r"""Lines with their numbers from 1; a byte-order mark and CRLF are taken off.

    >>> list(text_lines(Source("two.txt", data=b"\xef\xbb\xbfa\r\nb")))
    [(1, 'a'), (2, 'b')]
    """
    with source.open() as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
                raise source.fail(
                    f"the line is longer than {_LONGEST_LINE:,} bytes.",
                    fix="This is not a table of lines; check the file, or use Parquet or npz.",
                    line=number,
                )
            if number == 1:
                line = _without_mark(source, line)
            yield number, _decoded(source, number, line, encoding)


def _without_mark(source: Source, line: bytes) -> bytes:
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise source.fail("the file is UTF-16.", fix="Save it as UTF-8.", line=1)
    return line.removeprefix(codecs.BOM_UTF8)


def _decoded(source: Source, number: int, line: bytes, encoding: str) -> str:
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError as error:
        around = line[max(0, error.start - 10) : error.end + 10].decode("latin-1")
        raise source.fail(
            f"byte {line[error.start]:#04x} at {error.start + 1} is not {encoding}; as Latin-1 "
            f"the text is {around!r}.",
            fix=Fix("Pass {}, or save the file as UTF-8.", "encoding", "latin-1"),
            line=number,
        ) from None
    if "\0" in text:
        raise source.fail(
            f"a NUL byte at {text.index(chr(0)) + 1}: the file is binary, damaged, or UTF-16.",
            fix="Name its format, or save it as UTF-8.",
            line=number,
        )
    if "\r" in text:
        raise source.fail(
            f"a carriage return inside the line, at {text.index(chr(13)) + 1}.",
            fix="Save the file with line ends LF or CRLF.",
            line=number,
        )
    return text


class Table:
    """Rows of a delimited file: the header, and fields with line numbers.

    Parameters
    ----------
    source : Source
    encoding : str
    delimiter : str, optional
        Found in the first line if not given: a tab, else a comma, else a semicolon.

    Attributes
    ----------
    first : list of str
        Fields of the first line.
    first_line : int
    sample : list of (int, list of str)
        The next rows, up to a thousand, to look at before reading on.
    comments : list of str
        Lines before the first that begin with ``# ``.
    """

    def __init__(self, source: Source, encoding: str, delimiter: str | None = None) -> None:
        self.source = source
        self._lines = text_lines(source, encoding)
        self.comments: list[str] = []
        for number, line in self._lines:  # noqa: B007, used below
            if line.startswith("# "):
                self.comments.append(line[2:])
            elif line.strip():
                break
        else:
            raise source.fail("the file has no rows.", fix="Write it again, or give another file.")
        self.delimiter = delimiter or _find_delimiter(line)
        self.first_line = number
        self.first = self._fields(number, line)
        self.width = len(self.first)
        self.sample: list[tuple[int, list[str]]] = []
        for row in self._split():
            self.sample.append(row)
            if len(self.sample) == _SAMPLE:
                break

    def _fields(self, number: int, line: str) -> list[str]:
        if '"' not in line:
            return line.split(self.delimiter)
        try:
            return _quoted_fields(line, self.delimiter)
        except ValueError as error:
            raise self.source.fail(
                f"the quotes do not match ({error}) in {quote(line, 60)}.",
                fix="A quoted field must end on its line and double its inner quotes.",
                line=number,
            ) from None

    def _split(self) -> Iterator[tuple[int, list[str]]]:
        for number, line in self._lines:
            if not line:
                continue
            fields = self._fields(number, line)
            if len(fields) != self.width:
                raise self._ragged(number, line, fields)
            yield number, fields

    def _ragged(self, number: int, line: str, fields: list[str]) -> Any:
        problem = (
            f"{len(fields)} fields where line {self.first_line} has {self.width} "
            f"(delimiter {self.delimiter!r}): {shorten(line)!r}. "
        )
        other = next((d for d in "\t,;" if d != self.delimiter and d in line), None)
        if other is not None and len(fields) < self.width:
            return self.source.fail(
                f"{problem}The line seems to use {other!r}: use one separator throughout.",
                line=number,
            )
        return self.source.fail(
            f"{problem}Complete the line, or quote fields that contain the delimiter.", line=number
        )

    def rows(self, *, with_first: bool) -> Iterator[tuple[int, list[str]]]:
        """All rows, the first line among them if it is no header."""
        first = [(self.first_line, self.first)] if with_first else []
        return chain(first, self.sample, self._split())

    def told_header(self, columns: Sequence[int]) -> bool | None:
        """Whether the first line is a header by its cells, whatever their words.

        A column with numbers in all rows but the first has its name there. A number in
        the first line, or a cell that occurs again below, makes it data, and so does
        being the only line. None if it cannot be told.
        """
        first = [self.first[c] for c in columns if self.first[c].strip()]
        if any(is_number(cell) and isfinite(float(cell)) for cell in first):
            return False
        below = [fields for _, fields in self.sample]
        if not below:
            return False
        if any(all(is_number(fields[c]) for fields in below) for c in columns):
            return True
        seen = {fields[c] for fields in below for c in columns}
        return False if any(cell in seen for cell in first) else None

    def warn_of_no_header(self) -> None:
        """Say that the first line is taken as data, though it might be a header."""
        warn_user(
            f"no known header, so the first line, {shorten(self.delimiter.join(self.first))!r}, is "
            "taken as data.",
            InputWarning,
            place=Place(self.source.name, self.first_line),
            fix=Fix(
                "If it names the columns, pass {}; if it does not, pass {}.",
                "header",
                True,
                more=(("header", False),),
            ),
        )

    def position(self, wanted: Any, parameter: str | None) -> int:
        """Place of a column by its name in the first line, or by its number.

        An error says which parameter chose it; None for one that the file must have.
        """
        if isinstance(wanted, int):
            if not 0 <= wanted < self.width:
                raise self.source.fail(
                    f"there is no column {wanted}; there are {self.width}, numbered from 0.",
                    fix=choose_column(parameter),
                    line=self.first_line,
                    parameter=parameter,
                )
            return wanted
        if self.first.count(wanted) != 1:
            several = "several columns are" if wanted in self.first else "no column is"
            raise self.source.fail(
                f"{several} named {wanted!r}. The columns: {shorten(', '.join(self.first), 200)}.",
                fix=choose_column(parameter),
                line=self.first_line,
                parameter=parameter,
            )
        return self.first.index(wanted)


def choose_column(parameter: str | None) -> Fix:
    """What to do about a column that is not there."""
    if parameter is None:
        return Fix("Name one of them so.")
    return Fix("Choose one of them by {}, its name or number.", parameter)


def is_number(field: str) -> bool:
    """Whether a field reads as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def _quoted_fields(line: str, delimiter: str) -> list[str]:
    """Fields of a line with quotes; unlike the csv module's, of any length."""
    fields = []
    at = 0
    while True:
        if line.startswith('"', at):
            close = line.find('"', at + 1)
            while line.startswith('""', close):
                close = line.find('"', close + 2)
            if close < 0:
                raise ValueError(f"the one at {at + 1} is not closed")
            fields.append(line[at + 1 : close].replace('""', '"'))
            at = close + 1
            if at < len(line) and line[at] != delimiter:
                raise ValueError(f"text follows the one at {close + 1}")
        else:
            end = line.find(delimiter, at)
            end = len(line) if end < 0 else end
            fields.append(line[at:end])
            at = end
        if at == len(line):
            return fields
        at += 1


def _find_delimiter(line: str) -> str:
    return next((d for d in "\t,;" if d in line), ",")


ID_LIKE = re.compile(
    r"(?:.*[_ .-])?(?:ids?|names?|index|rows?|objects?|proteins?|genes?|accessions?|keys?|samples?"
    r"|items?|doc|documents?|entry|entries|identifiers?)|__index_level_0__|unnamed: ?\d+|",
    re.IGNORECASE,
)
#: How pandas names a column of row numbers that has no name.
INDEX_LIKE = re.compile(r"|unnamed: ?\d+|__index_level_\d+__", re.IGNORECASE)
LABEL_LIKE = re.compile(
    r"(?:.*[_ .-])?(?:labels?|class|classes|terms?|tags?|category|categories|targets?|go"
    r"|annotations?)|go_?ids?",
    re.IGNORECASE,
)
SCORE_LIKE = re.compile(
    r"(?:.*[_ .-])?(?:scores?|prob|probability|probabilities|values?|confidence|predictions?)",
    re.IGNORECASE,
)
