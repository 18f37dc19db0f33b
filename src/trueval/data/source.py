"""One input file: its name for messages, its bytes decompressed, and a cap on them.

Every reader takes a :class:`Source`. It finds gzip, bzip2, xz and Zstandard by
their first bytes, never hands out more than the cap, and turns whatever goes
wrong below into one :class:`~trueval.core.errors.InputError`.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from trueval.core.errors import Fix, InputError, MissingExtra, ParameterError, Place, need_extra
from trueval.core.files import COMPRESSIONS

__all__ = ["Source"]

_MAGIC = {
    "gzip": b"\x1f\x8b",
    "bzip2": b"BZh",
    "xz": b"\xfd7zXZ\x00",
    "zstd": b"\x28\xb5\x2f\xfd",
}
_FLOOR = 256 * 2**20
_RATIO = 100
_BLOCK = 2**20
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)


class Source:
    """A file to read, with its decompressed size capped.

    Parameters
    ----------
    path : str or path-like
        The file; with ``data``, only a name for messages.
    max_bytes : int, optional
        Most bytes to decompress or to allocate for a declared size. By default
        100 times the size of the file, and at least 256 MiB.
    data : bytes, optional
        The content, where it is not in a file.

    Examples
    --------
    >>> from trueval.data.source import Source
    >>> Source("letters.txt", data=b"abc").head()
    b'abc'
    """

    def __init__(
        self, path: Any, *, max_bytes: int | None = None, data: bytes | None = None
    ) -> None:
        try:
            self.path = Path(os.fsdecode(path))
        except TypeError:
            raise ParameterError("path", "a path", path) from None
        if max_bytes is not None and (isinstance(max_bytes, bool) or not max_bytes > 0):
            raise ParameterError("max_bytes", "a positive number of bytes", max_bytes)
        self.name = self.path.name or str(self.path)
        self._data = data
        if data is None:
            self.name = str(self.path)
            self.size = self._size_on_disk()
        else:
            self.size = len(data)
        if self.size == 0:
            raise self.fail("the file is empty.", fix="Write it again, or give another file.")
        self.cap = int(max_bytes) if max_bytes is not None else max(_FLOOR, _RATIO * self.size)
        self.compression = self._compression()

    def _size_on_disk(self) -> int:
        try:
            if self.path.is_dir():
                raise self.fail("this is a folder, not a file.", fix="Name a file inside it.")
            return self.path.stat().st_size
        except InputError:
            raise
        except FileNotFoundError:
            raise self.fail(
                f"no such file (looked from {Path.cwd()}).", fix="Check the path."
            ) from None
        except (OSError, ValueError) as error:
            raise self.fail(f"the file cannot be opened: {error}.") from None

    def _compression(self) -> str | None:
        with self._raw() as raw:
            start = raw.read(6)
        found = next((name for name, magic in _MAGIC.items() if start.startswith(magic)), None)
        suffix = self.path.suffix.lower()
        promised = COMPRESSIONS.get(suffix)
        if promised is not None and found != promised:
            raise self.fail(
                f"the name ends in {suffix} but the file does not begin as {promised} does "
                f"(first bytes {start!r}).",
                fix="Rename it, or compress it again.",
            )
        if found == "bzip2" and promised is None and start[3:4] not in b"123456789":
            found = None  # text that happens to begin with BZh
        return found

    @property
    def suffix(self) -> str:
        """Suffix of the name below that of the compression, in lower case."""
        path = self.path
        if path.suffix.lower() in COMPRESSIONS:
            path = path.with_suffix("")
        return path.suffix.lower()

    # --- messages --------------------------------------------------------------

    def fail(
        self,
        problem: str,
        *,
        fix: Fix | str | None = None,
        line: int | None = None,
        row: int | None = None,
        column: Any = None,
        parameter: str | None = None,
    ) -> InputError:
        """Make the error to raise, placed in this file."""
        place = Place(self.name, line, row, column)
        return InputError(problem, place=place, fix=fix, parameter=parameter)

    def need(self, n_bytes: int, what: str) -> None:
        """Refuse a declared size before anything is allocated for it."""
        if n_bytes > self.cap:
            raise self.fail(
                f"{what} would take {n_bytes:,} bytes, more than the cap of {self.cap:,}.",
                fix=Fix(
                    "If the file is what you think it is, pass {} or more.", "max_bytes", n_bytes
                ),
            )

    @contextlib.contextmanager
    def placing(self) -> Iterator[None]:
        """Say of which file an InputError is."""
        try:
            yield
        except InputError as error:
            raise error.in_file(self.name) from None

    @contextlib.contextmanager
    def guard(self, what: str) -> Iterator[None]:
        """Turn whatever another library raises on a broken file into one InputError."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        except InputError as error:
            raise error.in_file(self.name) from None
        except (MissingExtra, ParameterError):
            raise
        except Exception as error:
            raise self._unreadable(what, error) from None

    def _unreadable(self, what: str, error: Exception) -> InputError:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        return self.fail(
            f"the file cannot be read as {what}: {type(error).__name__}: {reason}.",
            fix="It is truncated, damaged or of another format: write it again, or name its "
            "format.",
        )

    # --- bytes -----------------------------------------------------------------

    def _raw(self) -> BinaryIO:
        if self._data is not None:
            return io.BytesIO(self._data)
        try:
            return self.path.open("rb")
        except OSError as error:
            raise self.fail(f"the file cannot be opened: {error}.") from None

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open for reading from start to end, decompressed and capped."""
        with self._raw() as raw:
            if self.compression is None:
                yield raw
            else:
                yield io.BufferedReader(_Capped(self, raw), _BLOCK)

    @contextlib.contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """Open for reading in any order; what is compressed is first held in memory."""
        if self.compression is None:
            with self._raw() as raw:
                yield raw
            return
        with self.open() as stream:
            content = stream.read()
        yield io.BytesIO(content)

    def head(self, n_bytes: int = 65_536) -> bytes:
        """First bytes, decompressed."""
        with self.open() as stream:
            return stream.read(n_bytes)


class _Capped(io.RawIOBase):
    """The decompressed bytes of a source, up to its cap."""

    def __init__(self, source: Source, raw: BinaryIO) -> None:
        self._source = source
        self._given = 0
        self._stream: Any
        if source.compression == "gzip":
            self._stream = gzip.GzipFile(fileobj=raw)
        elif source.compression == "bzip2":
            self._stream = bz2.BZ2File(raw)
        elif source.compression == "xz":
            self._stream = lzma.LZMAFile(raw)  # noqa: SIM115, closed with raw
        else:
            self._stream = _Zstd(raw)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        source = self._source
        try:
            data = self._stream.read(len(buffer))
        except _BROKEN as error:
            raise source.fail(
                f"the {source.compression} data are broken after {self._given:,} decompressed "
                f"bytes: {error}.",
                fix="The file is truncated or damaged: fetch or compress it again.",
            ) from None
        self._given += len(data)
        if self._given > source.cap:
            raise source.fail(
                f"{source.size:,} compressed bytes expand to more than the cap of "
                f"{source.cap:,} bytes.",
                fix=Fix(
                    "If the file is what you think it is, pass a larger cap, for example {}.",
                    "max_bytes",
                    10 * source.cap,
                ),
            )
        buffer[: len(data)] = data
        return len(data)


class _Zstd:
    """Zstandard frames one after another; unlike the library's reader, it sees truncation."""

    def __init__(self, raw: BinaryIO) -> None:
        self._library = need_extra("zstandard", "zst", "Reading .zst files")
        self._raw = raw
        self._frame = self._library.ZstdDecompressor().decompressobj()
        self._fresh = True
        self._ready = b""

    def read(self, n_bytes: int) -> bytes:
        try:
            while not self._ready:
                # Small bites: a few bytes may stand for a block of 128 KiB.
                bite = self._raw.read(1024)
                if not bite:
                    if not self._fresh:
                        raise EOFError("the last frame has no end")
                    return b""
                self._ready = self._feed(bite)
        except self._library.ZstdError as error:
            raise ValueError(error) from None
        given, self._ready = self._ready[:n_bytes], self._ready[n_bytes:]
        return given

    def _feed(self, bite: bytes) -> bytes:
        parts = []
        while bite:
            parts.append(self._frame.decompress(bite))
            self._fresh = False
            bite = b""
            if self._frame.eof:
                bite = self._frame.unused_data
                self._frame = self._library.ZstdDecompressor().decompressobj()
                self._fresh = True
        return b"".join(parts)
