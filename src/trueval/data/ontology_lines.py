"""Lines of a text file, plain or packed, that may be broken or hostile.

Opened as every other file is, by :class:`~trueval.data.source.Source`. What is read is
counted, so that a small packed file cannot grow without end, and a line has a
longest length, so that a file without line ends is never held whole.
"""

import os
from collections.abc import Iterable, Iterator
from typing import IO, Any

from trueval.core.errors import Fix, InputError, Place
from trueval.data.source import Source

__all__ = ["MAX_BYTES", "MAX_LINE", "bad_line", "numbered_lines", "read_lines"]

MAX_BYTES = 8 * 2**30
"""Largest text read by default, in bytes after unpacking."""

MAX_LINE = 2**20
"""Longest line read, in bytes."""


def read_lines(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Iterator[bytes]:
    r"""Yield the lines of a file, unpacked, without their ends.

    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "two.txt.gz")
    ...     with gzip.open(path, "wb") as file:
    ...         _ = file.write(b"one\r\ntwo")
    ...     list(read_lines(path))
    [b'one', b'two']
    """
    source = Source(path, max_bytes=max_bytes)
    with source.open() as stream:
        yield from _counted(stream, source.name, max_bytes)


def _counted(stream: IO[bytes], where: str, max_bytes: int) -> Iterator[bytes]:
    done = 0
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        done += len(line)
        if len(line) > MAX_LINE:
            raise InputError(
                f"the line is longer than {MAX_LINE:,} bytes. This is not "
                "a text file of the kind expected, or its line ends are lost.",
                place=Place(where, number),
            )
        if done > max_bytes:
            raise InputError(
                f"the text is larger than max_bytes={max_bytes:,} bytes after unpacking.",
                place=Place(where, number),
                fix=Fix("If that is meant, pass a larger {}.", "max_bytes"),
            )
        yield line.rstrip(b"\r\n")


def numbered_lines(lines: Iterable[Any], where: str) -> Iterator[tuple[int, str]]:
    r"""Number lines from 1 and decode them, byte-order mark and line ends removed.

    >>> list(numbered_lines([b"\xef\xbb\xbfid: 1\n", "name: x"], "a.obo"))
    [(1, 'id: 1'), (2, 'name: x')]
    """
    for number, line in enumerate(lines, start=1):
        if isinstance(line, bytes):
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = line[error.start]
                raise InputError(
                    f"byte 0x{byte:02x} at place {error.start + 1} is not UTF-8.",
                    place=Place(where, number),
                    fix="Convert the file first, for example iconv -f LATIN1 -t UTF-8 FILE > NEW.",
                ) from None
        else:
            text = line
        if number == 1:
            text = text.removeprefix("\ufeff")
        text = text.rstrip("\r\n")
        if "\x00" in text:
            raise InputError(
                "the line holds a NUL byte, so this is not a text file in UTF-8.",
                place=Place(where, number),
                fix="UTF-16 must be converted first; a binary file is another format.",
            )
        yield number, text


def bad_line(where: str, number: int, what: str, fix: Fix | str) -> InputError:
    """Make the error for one line.

    >>> str(bad_line("a.obo", 3, "the id is empty", "Give the term an id."))
    'a.obo, line 3: the id is empty. Give the term an id.'
    """
    return InputError(f"{what}.", place=Place(where, number), fix=fix)
