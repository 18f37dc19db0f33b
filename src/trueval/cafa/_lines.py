"""Lines of names and numbers, read in chunks: the form of all text files of CAFA.

One record a line, fields separated by tabs or spaces. The names of a column are kept once,
records refer to them by number, and a line that is no record goes to the caller.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import quote
from trueval.data._lines import check_lines
from trueval.data._source import Source

__all__ = ["BadRecord", "OtherLine", "Records", "read_records"]

_CHUNK = 16 * 2**20
_LONGEST_LINE = 2**20


@dataclass(frozen=True)
class OtherLine:
    """A line that is no record."""

    text: str
    number: int  # from 1
    n_records: int  # records before it


class BadRecord(NamedTuple):
    """A record of a chunk that cannot be used, what is wrong, and the fix."""

    record: int
    problem: str
    fix: str


@dataclass(frozen=True)
class Records:
    """All records of a file, in its order."""

    names: tuple[NDArray[Any], ...]  # distinct names of each name column, by first occurrence
    codes: tuple[NDArray[np.int32], ...]  # name of each record, for each name column
    numbers: NDArray[np.float64]  # shape (n_records, n_numbers)

    def __len__(self) -> int:
        return len(self.numbers)


class _Column:
    """Names of one column over all chunks."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self.codes: list[NDArray[np.int32]] = [np.empty(0, np.int32)]

    def add(self, names: list[str], codes: NDArray[np.int32]) -> None:
        number = self.number
        place = np.array([number.setdefault(name, len(number)) for name in names], np.int32)
        self.codes.append(place[codes])


def read_records(
    source: Source,
    n_names: int,
    number_columns: tuple[int, ...],
    other: Callable[[OtherLine], None],
    *,
    refuse: Callable[[NDArray[np.float64]], BadRecord | None] | None = None,
    keywords: bool = False,
) -> Records:
    """Read every record of a file.

    The first ``n_names`` fields are names, the numbers are at ``number_columns`` (ascending, after
    the names), further fields are ignored. ``other`` is called with each line that is no record and
    raises unless it may be there; ``refuse`` returns the first bad record of a chunk's numbers;
    ``keywords`` says whether words of the CAFA format begin lines that are no records.
    """
    columns = [_Column() for _ in range(n_names)]
    width = len(number_columns)
    numbers: list[NDArray[np.float64]] = [np.empty((0, width))]
    places = np.array(number_columns, dtype=np.int64)
    line, n_records = 1, 0
    for chunk in _chunks(source):
        check_lines(source, chunk, line)
        flat, values, spans, n_new, others, n_lines = _kernels.word_lines(
            np.frombuffer(chunk, np.uint8), n_names, places, keywords
        )
        others = others.reshape(-1, 4)
        for number, start, stop, before in others.tolist():
            text = _decoded(source, chunk, start, stop, line)
            other(OtherLine(text.strip(), line + number, n_records + before))
        codes = flat.reshape(-1, n_names)
        values = values.reshape(len(codes), width)
        problem = None if refuse is None else refuse(values)
        if problem is not None:
            at = line + _line_of(chunk, problem.record, set(others[:, 0].tolist()))
            raise source.fail(problem.problem, fix=problem.fix, line=at)
        ends = np.cumsum(n_new).tolist()
        for k, column in enumerate(columns):
            new_spans = spans.reshape(-1, 2)[ends[k] - int(n_new[k]) : ends[k]].tolist()
            names = [_decoded(source, chunk, start, stop, line) for start, stop in new_spans]
            column.add(names, codes[:, k])
        numbers.append(values)
        line += n_lines
        n_records += len(codes)
    return Records(
        tuple(np.array(list(column.number), dtype=str) for column in columns),
        tuple(np.concatenate(column.codes) for column in columns),
        np.concatenate(numbers),
    )


def _chunks(source: Source) -> Iterator[bytes]:
    """The text in pieces of whole lines, without a byte-order mark."""
    with source.open() as stream:
        rest, first = b"", True
        while block := stream.read(_CHUNK):
            if first:
                if block[:2] in (b"\xff\xfe", b"\xfe\xff"):
                    raise source.fail("the file is UTF-16.", fix="Save it as UTF-8.", line=1)
                block, first = block.removeprefix(b"\xef\xbb\xbf"), False
            source.advance()
            cut = block.rfind(b"\n") + 1
            if cut:
                yield rest + block[:cut]
                rest = block[cut:]
                continue
            rest += block
            if len(rest) > _LONGEST_LINE + _CHUNK:
                raise source.fail(
                    f"a line is longer than {_LONGEST_LINE:,} bytes. This is not a file of short "
                    "lines.",
                    fix="Check that it is the right file.",
                )
        if rest:
            yield rest


def _decoded(source: Source, chunk: bytes, start: int, stop: int, first: int) -> str:
    try:
        return chunk[start:stop].decode()
    except UnicodeDecodeError:
        line = first + chunk[:start].count(b"\n")
        text = quote(chunk[start:stop].decode("latin-1"), 60)
        raise source.fail(
            f"{text} is not UTF-8 text.", fix="Save the file as UTF-8.", line=line
        ) from None


def _line_of(chunk: bytes, record: int, others: set[int]) -> int:
    """Line of a record within its chunk, from 0."""
    seen = -1
    for number, text in enumerate(chunk.split(b"\n")):
        words = text.strip()
        seen += bool(words) and not words.startswith(b"#") and number not in others
        if seen == record:
            return number
    raise AssertionError("every record has a line")
