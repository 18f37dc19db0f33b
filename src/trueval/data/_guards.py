"""Guards for hostile Parquet and HDF5 files, until the libraries that read them have their own.

Parquet: Arrow's own look at the metadata of a column can end the process if they are damaged
(an exception of C++ that Python never gets), so the sizes that a file declares are read
here from its footer, one structure in Thrift's compact protocol, before Arrow sees it.

HDF5: the library walks the objects of a global heap (where texts of any length live) by
their declared sizes. A damaged size can lead it to an object of size 0, where it stays for good,
out of reach of signals and exceptions. All it reads comes through :class:`GuardedStream`, so
every heap is walked first, and what would not end is refused. So is reading many times the file,
as loops in damaged trees do.
"""

import io
from typing import Any, BinaryIO

from trueval.data._source import Source

__all__ = ["GuardedStream", "declared_bytes"]

_DEEPEST = 32


def declared_bytes(stream: BinaryIO) -> int:
    """Bytes that the columns of a Parquet file say they need, decoded."""
    size = stream.seek(0, 2)
    if size < 12:
        raise ValueError(f"a file of {size} bytes has no footer")
    stream.seek(size - 8)
    tail = stream.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != b"PAR1" or length > size - 12:
        raise ValueError(f"the last 8 bytes {tail!r} do not point to a footer")
    stream.seek(size - 8 - length)
    footer = _Compact(stream.read(length)).struct()
    needed = 0
    for group in _structs(footer.get(4)):
        for chunk in _structs(group.get(1)):
            column = chunk.get(3)
            if not isinstance(column, dict):
                raise ValueError("a column has no metadata")
            n_values, n_bytes = column.get(5), column.get(6)
            if not isinstance(n_values, int) or not isinstance(n_bytes, int):
                raise ValueError("a column does not declare its size")
            if n_values < 0 or n_bytes < 0:
                raise ValueError(f"a column declares {n_values} values in {n_bytes} bytes")
            needed += max(n_bytes, 4 * n_values)
    stream.seek(0)
    return needed


def _structs(value: Any) -> list[dict[int, Any]]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError("the footer lacks its row groups")
    return value


class _Compact:
    """Thrift's compact protocol: structures as ``{field number: value}``."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _byte(self) -> int:
        if self._at >= len(self._data):
            raise ValueError("the footer ends too early")
        self._at += 1
        return self._data[self._at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number of the footer does not end")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, n_bytes: int) -> None:
        if n_bytes > len(self._data) - self._at:
            raise ValueError("the footer ends too early")
        self._at += n_bytes

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (4, 5, 6):
            return self._zigzag()
        if kind == 12:
            return self.struct(depth + 1)
        if kind in (9, 10):
            return self._list(depth + 1)
        if kind == 8:
            self._skip(self._varint())
        elif kind == 7:
            self._skip(8)
        elif kind == 3:
            self._skip(1)
        else:
            raise ValueError(f"the footer holds a value of unknown kind {kind}")
        return None

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 0x0F
        if size == 15:
            size = self._varint()
        if size > len(self._data) - self._at:
            raise ValueError(f"a list of {size} values does not fit into the footer")
        if kind in (1, 2):  # one byte for each truth value
            self._skip(size)
            return []
        # Invariant: every value takes a byte at least, so this ends with the footer.
        return [self._value(kind, depth) for _ in range(size)]

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read one structure."""
        if depth > _DEEPEST:
            raise ValueError("the footer is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 0x0F
            number = number + step if step else self._zigzag()
            if kind not in (1, 2):  # truth values are in the kind
                fields[number] = self._value(kind, depth)
        return fields


_MARK = b"GCOL\x01\0\0\0"
_HEADER = 16


class GuardedStream(io.RawIOBase):
    """A file for the HDF5 library to read, checked on the way."""

    def __init__(self, source: Source, stream: BinaryIO) -> None:
        self._source = source
        self._stream = stream
        self._n_read = 0
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
        self._n_read += len(data)
        if self._n_read > self._source.cap + 2 * self._size:
            raise self._source.fail(
                f"the parts of the file refer to each other in a circle: {self._n_read:,} bytes "
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
