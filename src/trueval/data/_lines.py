"""Lines of text in blocks, decoded, with the place of whatever is wrong."""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

from trueval.core.errors import Fix
from trueval.core.params import NONE, STRING, Constraints, Where
from trueval.data._source import FILE, MAX_BYTES, Source

__all__ = [
    "ENCODING",
    "FILE_OPTIONS",
    "READING",
    "byte_blocks",
    "check_lines",
    "text_blocks",
    "text_lines",
]

_BLOCK = 2**20
_LONGEST_LINE = 64 * 2**20
_MISPLACED = re.compile(rb"\0|\r(?!\n|\Z)")


def _keeps_ascii(encoding: str) -> bool:
    try:
        return "\n".encode(encoding) == b"\n" and codecs.lookup(encoding)._is_text_encoding
    except LookupError:
        return False


#: What the parameter ``encoding`` of readers may be.
ENCODING = Where(_keeps_ascii, "an encoding that keeps ASCII, such as 'utf-8' or 'latin-1'")
#: Parameters of every function that reads a value from a file.
READING: Constraints = {
    "path": FILE,
    "format": (NONE, STRING),
    "encoding": ENCODING,
    "max_bytes": MAX_BYTES,
}
#: Two of them in docstrings.
FILE_OPTIONS = """
encoding : str, default="utf-8"
max_bytes : int, optional
    As in :func:`read_labels`.
"""


def text_lines(
    source: Source, encoding: str | None = None, longest: int = _LONGEST_LINE
) -> Iterator[tuple[int, str]]:
    r"""Lines with their numbers from 1; a byte-order mark and CRLF are taken off.

    >>> list(text_lines(Source(b"\xef\xbb\xbfa\r\nb")))
    [(1, 'a'), (2, 'b')]
    """
    for number, text in text_blocks(source, encoding, longest):
        yield from enumerate(text.removesuffix("\n").split("\n"), number)


def text_blocks(
    source: Source, encoding: str | None = None, longest: int = _LONGEST_LINE
) -> Iterator[tuple[int, str]]:
    """Whole lines in blocks, each with the number of its first line.

    ``encoding`` is one that the user can choose; None for UTF-8 by definition. That of the
    source goes first.
    """
    encoding = source.encoding or encoding
    with source.open() as stream:
        for number, data in byte_blocks(source, stream, 1, longest):
            yield from _decoded(source, number, data, encoding)


def byte_blocks(
    source: Source, stream: BinaryIO, number: int, longest: int = _LONGEST_LINE
) -> Iterator[tuple[int, bytes]]:
    """Whole lines of a stream in blocks, each with the number of its first line."""
    rest = b""
    while block := stream.read(_BLOCK):
        source.advance()
        cut = block.rfind(b"\n") + 1
        if not cut:
            rest += block
            if len(rest) > longest:
                raise source.fail(
                    f"the line is longer than {longest:,} bytes.",
                    fix="This is not a table of lines; check the file, or use Parquet or npz.",
                    line=number,
                )
            continue
        data, rest = rest + block[:cut], block[cut:]
        yield number, data
        number += data.count(b"\n")
    if rest:
        yield number, rest


def _decoded(
    source: Source, number: int, data: bytes, encoding: str | None
) -> Iterator[tuple[int, str]]:
    if number == 1:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise source.fail("the file is UTF-16.", fix="Save it as UTF-8.", line=1)
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        # What comes before the line goes first: it may have an error of its own.
        start = data.rfind(b"\n", 0, error.start) + 1
        if start:
            yield from _decoded(source, number, data[:start], encoding)
        at = number + data.count(b"\n", 0, start)
        raise _not_decoded(source, at, data, start, error, encoding) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    bad = min((at for at in (text.find("\0"), text.find("\r")) if at >= 0), default=None)
    if bad is None:
        if text:
            yield number, text
        return
    start = text.rfind("\n", 0, bad) + 1
    if start:
        yield number, text[:start]
    raise _misplaced(source, text[bad], bad - start + 1, number + text.count("\n", 0, start))


def check_lines(source: Source, data: bytes, number: int) -> None:
    r"""Refuse whole lines with a NUL byte, or with a carriage return that does not end a line.

    For readers of bytes, which take ``\r`` for a blank: without line feeds, a file would be one
    line of which only the beginning is read. ``number`` is that of the first line.
    """
    if b"\0" not in data and b"\r" not in data:
        return
    bad = _MISPLACED.search(data)
    if bad is not None:
        start = data.rfind(b"\n", 0, bad.start()) + 1
        at = len(data[start : bad.start()].decode("utf-8", "replace")) + 1
        raise _misplaced(source, bad[0].decode(), at, number + data.count(b"\n", 0, start))


def _misplaced(source: Source, character: str, at: int, line: int) -> Exception:
    """The error for a character that no line of text has."""
    if character == "\0":
        return source.fail(
            f"a NUL byte at {at}: the file is binary, damaged, or UTF-16.",
            fix="Check that it is the right file, or save it as UTF-8.",
            line=line,
        )
    return source.fail(
        f"a carriage return inside the line, at {at}.",
        fix="Save the file with line ends LF or CRLF.",
        line=line,
    )


def _not_decoded(
    source: Source,
    line: int,
    data: bytes,
    start: int,
    error: UnicodeDecodeError,
    encoding: str | None,
) -> Exception:
    around = data[max(start, error.start - 10) : error.end + 10].split(b"\n")[0]
    problem = (
        f"byte {data[error.start]:#04x} at {error.start - start + 1} is not {encoding or 'UTF-8'}; "
        f"as Latin-1 the text is {around.decode('latin-1')!r}."
    )
    if encoding is None:
        fix: Fix | str = "Convert the file first, for example iconv -f LATIN1 -t UTF-8 FILE > NEW."
    else:
        fix = Fix("Pass {}, or save the file as UTF-8.", "encoding", "latin-1")
    return source.fail(problem, fix=fix, line=line)
