"""A file for the HDF5 library to read, checked on the way.

The library follows the heaps of a file as long as they lead on, out of reach of signals and
exceptions. All it reads comes through :class:`GuardedStream`, so every heap is walked first, and
what would not end is refused:

- global heaps (where texts of any length live), whose objects follow each other by their declared
  sizes: one of size 0 follows itself;
- local heaps (where names of links live), whose free blocks each name the next: in a circle they
  take memory without end.

So is reading many times the file, as loops in damaged trees do.
"""

import io
from typing import Any, BinaryIO

from trueval.data._source import Source

__all__ = ["GuardedStream"]

_TEXTS, _NAMES = b"GCOL\x01", b"HEAP\0"  # heaps and their versions; what follows is not looked at
_HEADER = 16
_NO_BLOCK = 1  # ends the list of free blocks


class GuardedStream(io.RawIOBase):
    """A file for the HDF5 library to read, checked on the way."""

    def __init__(self, source: Source, stream: BinaryIO) -> None:
        self._source = source
        self._stream = stream
        self._n_read = 0
        self._size = stream.seek(0, 2)
        self._address_bytes, self._length_bytes = _widths(stream)
        stream.seek(0)

    def readable(self) -> bool:
        """Can be read."""
        return True

    def seekable(self) -> bool:
        """Can be read in any order."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place."""
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """Place of the next byte."""
        return self._stream.tell()

    def readinto(self, buffer: Any) -> int:
        """Read, unless it is a heap without end or too much in all."""
        # From the stream itself, as a read of the library begins where its block does.
        view = memoryview(buffer).cast("B")
        start = self._stream.tell()
        data = self._stream.read(len(view))
        self._n_read += len(data)
        if self._n_read > self._source.cap + 2 * self._size:
            raise self._source.fail(
                f"the parts of the file refer to each other in a circle: {self._n_read:,} bytes "
                f"were read of {self._size:,}.",
                fix="It is damaged: write it again.",
            )
        if data.startswith(_TEXTS):
            self._check_texts(start, data)
        elif data.startswith(_NAMES):
            self._check_names(start, data)
        view[: len(data)] = data
        return len(data)

    def _check_texts(self, start: int, data: bytes) -> None:
        size = int.from_bytes(data[8:16], "little")
        if size > self._size - start:
            raise self._source.fail(
                f"a heap of texts at {start:,} declares {size:,} bytes, more than follow in the "
                "file.",
                fix="It is damaged: write it again.",
            )
        if size > len(data):  # the library reads the rest later, and apart
            data = self._at(start, size)
        at = _HEADER
        while at + _HEADER <= size:
            number = int.from_bytes(data[at : at + 2], "little")
            length = int.from_bytes(data[at + 8 : at + 16], "little")
            step = _HEADER + -(-length // 8) * 8 if number else length
            if step < _HEADER or at + step > size:
                raise self._source.fail(
                    f"a heap of texts is damaged: its object at {at:,} declares {length:,} "
                    f"bytes of {size - at:,}.",
                    fix="Write the file again.",
                )
            at += step

    def _check_names(self, start: int, data: bytes) -> None:
        n, end = self._length_bytes, 8 + 2 * self._length_bytes
        size, block = (int.from_bytes(data[at : at + n], "little") for at in (8, 8 + n))
        place = int.from_bytes(data[end : end + self._address_bytes], "little")
        if size > max(self._size - place, 0):
            raise self._source.fail(
                f"a heap of names at {start:,} declares {size:,} bytes at {place:,}, more than "
                "follow in the file.",
                fix="It is damaged: write it again.",
            )
        names, seen = self._at(place, size), set[int]()
        while block != _NO_BLOCK:
            if block in seen or block + 2 * n > size:
                where = "leads back to itself" if block in seen else f"is not in its {size:,} bytes"
                raise self._source.fail(
                    f"a heap of names is damaged: its free block at {block:,} {where}.",
                    fix="Write the file again.",
                )
            seen.add(block)
            block = int.from_bytes(names[block : block + n], "little")

    def _at(self, place: int, n_bytes: int) -> bytes:
        """Bytes of the file; the library goes on where it was."""
        behind = self._stream.tell()
        self._stream.seek(place)
        data = self._stream.read(n_bytes)
        self._stream.seek(behind)
        return data


def _widths(stream: BinaryIO) -> tuple[int, int]:
    """Bytes of addresses and of lengths, by the first block of the file."""
    stream.seek(0)
    head = stream.read(16).ljust(16, b"\0")
    older, newer = head[13:15], head[9:11]
    addresses, lengths = older if head[8] < 2 else newer
    return addresses, lengths
