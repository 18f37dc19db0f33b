"""Streams of bytes over others: from some place on, and decompressed up to a cap."""

import bz2
import gzip
import io
import lzma
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

from trueval.core.errors import Fix, need_extra

if TYPE_CHECKING:
    from trueval.data._source import Source

__all__ = ["Capped", "View"]

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
        self._stream: Any
        if source.compression == "gzip":
            self._stream = gzip.GzipFile(fileobj=raw)
        elif source.compression == "bzip2":
            self._stream = bz2.BZ2File(raw)
        elif source.compression == "xz":
            self._stream = lzma.LZMAFile(raw)  # noqa: SIM115, closed with raw
        else:
            self._stream = Zstd(raw)

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


class Zstd:
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
        data, self._ready = self._ready[:n_bytes], self._ready[n_bytes:]
        return data

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
