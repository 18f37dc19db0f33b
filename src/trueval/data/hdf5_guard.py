"""HDF5 files that would keep the library busy for ever.

The HDF5 library walks the objects of a global heap (where texts of any length live) by
their declared sizes. A damaged size can lead it to an object of size 0, where it stays
for good, out of reach of signals and exceptions. All it reads comes through here, so
every heap is walked first; what would not end is refused. So is reading many times
the file, as loops in damaged trees do.
"""

import io
from typing import Any, BinaryIO

from trueval.data.source import Source

__all__ = ["GuardedStream"]

_MARK = b"GCOL\x01\0\0\0"
_HEADER = 16


class GuardedStream(io.RawIOBase):
    """A file for the HDF5 library to read, checked on the way.

    Parameters
    ----------
    source : Source
    stream : binary file, seekable
    """

    def __init__(self, source: Source, stream: BinaryIO) -> None:
        self._source = source
        self._stream = stream
        self._given = 0
        self._size = stream.seek(0, 2)
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
        self._given += len(data)
        if self._given > self._source.cap + 2 * self._size:
            raise self._source.fail(
                f"the parts of the file refer to each other in a circle: {self._given:,} bytes "
                f"were read of {self._size:,}.",
                fix="It is damaged: write it again.",
            )
        if data.startswith(_MARK):
            self._check_heap(start, data)
        view[: len(data)] = data
        return len(data)

    def _check_heap(self, start: int, data: bytes) -> None:
        size = int.from_bytes(data[8:16], "little")
        if size > self._size - start:
            raise self._source.fail(
                f"a heap of texts at {start:,} declares {size:,} bytes, more than follow in the "
                "file.",
                fix="It is damaged: write it again.",
            )
        if size > len(data):  # the library reads the rest later, and apart
            behind = self._stream.tell()
            self._stream.seek(start)
            data = self._stream.read(size)
            self._stream.seek(behind)
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
