"""Streams of bytes over others: from some place on, and decompressed up to a cap."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from trueval.core.errors import Fix, need_extra

if TYPE_CHECKING:
    from trueval.data._source import Source

__all__ = ["Capped", "View"]

_BITE = 1024
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)


class View(io.RawIOBase):
    """An open file from some place on, with a position of its own; closing leaves it open."""

    def __init__(self, stream: Any, start: int) -> None:
        self._stream, self._start, self._at = stream, start, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == 2:
            self._at = self._stream.seek(offset, 2) - self._start
        else:
            self._at = offset + (self._at if whence == 1 else 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        self._stream.seek(self._start + self._at)
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class Capped(io.RawIOBase):
    """The decompressed bytes of a source, up to its cap."""

    def __init__(self, source: "Source", raw: BinaryIO) -> None:
        self._source = source
        self._n_read = 0
        self._stream = _OPENERS[source.compression or ""](raw)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        source = self._source
        try:
            data = self._stream.read(len(buffer))
        except _BROKEN as error:
            raise source.fail(
                f"the {source.compression} data are broken after {self._n_read:,} decompressed "
                f"bytes: {error}.",
                fix="The file is truncated or damaged: fetch or compress it again.",
            ) from None
        self._n_read += len(data)
        if self._n_read > source.cap:
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


class _Streams:
    """Compressed streams one after another.

    Unlike the readers of the libraries, it sees that the last one is cut, and refuses what is not
    the beginning of another: they take damage there for the end of the data.
    """

    def __init__(
        self,
        raw: BinaryIO,
        new: Callable[[], Any],
        *,
        padding: int = 0,
        error: type[Exception] = ValueError,
    ) -> None:
        self._raw, self._new, self._error = raw, new, error
        self._stream = new()
        self._padding = padding  # zero bytes come in multiples of so many behind a stream
        self._n_zeros = 0
        self._between = False
        self._ready, self._at = b"", 0

    def read(self, n_bytes: int) -> bytes:
        while self._at == len(self._ready):
            # Small bites: a few bytes may stand for many kilobytes.
            bite = self._raw.read(_BITE)
            if not bite:
                self._check_end()
                return b""
            try:
                self._ready, self._at = self._feed(bite), 0
            except self._error as error:
                raise ValueError(error) from None
        data = self._ready[self._at : self._at + n_bytes]
        self._at += len(data)
        return data

    def _feed(self, bite: bytes) -> bytes:
        parts = []
        while bite:
            if self._between:
                bite = self._behind_padding(bite)
                if not bite:
                    break
                self._stream, self._between = self._new(), False
            parts.append(self._stream.decompress(bite))
            bite = b""
            if self._stream.eof:
                bite = self._stream.unused_data
                self._between, self._n_zeros = True, 0
        return b"".join(parts)

    def _behind_padding(self, bite: bytes) -> bytes:
        """What of a bite between two streams is not padding."""
        if not self._padding:
            return bite
        rest = bite.lstrip(b"\0")
        self._n_zeros += len(bite) - len(rest)
        if rest:
            self._check_padding()
        return rest

    def _check_padding(self) -> None:
        if self._padding and self._n_zeros % self._padding:
            raise EOFError(f"{self._n_zeros} zero bytes behind a stream are no padding")

    def _check_end(self) -> None:
        if not self._between:
            raise EOFError("the last stream has no end")
        self._check_padding()


def _bzip2(raw: BinaryIO) -> _Streams:
    return _Streams(raw, bz2.BZ2Decompressor)


def _xz(raw: BinaryIO) -> _Streams:
    return _Streams(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), padding=4)


def _zstd(raw: BinaryIO) -> _Streams:
    library = need_extra("zstandard", "zst", "Reading .zst files")
    new = library.ZstdDecompressor
    return _Streams(raw, lambda: new().decompressobj(), error=library.ZstdError)


_OPENERS: dict[str, Callable[[BinaryIO], Any]] = {
    "gzip": lambda raw: gzip.GzipFile(fileobj=raw),
    "bzip2": _bzip2,
    "xz": _xz,
    "zstd": _zstd,
}
