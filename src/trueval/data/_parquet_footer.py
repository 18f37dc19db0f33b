"""Sizes that a Parquet file declares, before Arrow sees it.

Arrow's own look at the metadata of a column can end the process if they are damaged (an exception
of C++ that Python never gets), so the sizes are read here from the footer, one structure in
Thrift's compact protocol.
"""

from typing import Any, BinaryIO

__all__ = ["declared_bytes"]

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
