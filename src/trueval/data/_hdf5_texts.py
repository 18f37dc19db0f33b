"""How long the texts in an HDF5 file say they are, before HDF5 takes memory for them.

A text of any length is stored as its length, four bytes, and its place in a global heap. HDF5
clears so many bytes before it looks at that place, so that four damaged bytes take up to 4 GiB.
The lengths are in the headers of objects (of attributes) and in the data of datasets, and are read
here as they are in the file: HDF5 itself has no way to tell them.
"""

import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

__all__ = ["StoredTexts"]

#: Types of messages in a header.
_TYPE, _LAYOUT, _ATTRIBUTE, _CONTINUATION = 0x03, 0x08, 0x0C, 0x10
_OF_ANY_LENGTH = 9  # class of a type


class StoredTexts:
    """Lengths of texts in an open file; ``stream`` has its bytes."""

    def __init__(self, file: Any, h5py: Any, stream: BinaryIO) -> None:
        self._h5py = h5py
        self._stream = stream
        self._base = int(file.userblock_size)
        self._address_bytes, self._length_bytes = file.id.get_create_plist().get_sizes()

    def is_text(self, kind: Any) -> bool:
        """Whether a type of HDF5 is that of texts of any length."""
        return isinstance(kind, self._h5py.h5t.TypeStringID) and kind.is_variable_str()

    def of_attributes(self, item: Any) -> int:
        """Bytes that the texts in attributes of a group or dataset claim."""
        texts = [name for name in item.attrs if self.is_text(item.attrs.get_id(name).get_type())]
        if not texts:
            return 0
        stored = dict(self._attributes(item))
        if missing := set(texts) - set(stored):
            raise ValueError(f"the attribute {min(missing)!r} is apart from its object's header")
        return sum(self._in_attribute(item.attrs.get_id(name), stored[name]) for name in texts)

    def _in_attribute(self, attribute: Any, data: bytes) -> int:
        n = attribute.get_space().get_simple_extent_npoints()
        if (
            n and attribute.get_storage_size() != n * self._width
        ):  # HDF5 would read behind what it has
            raise ValueError(f"{n} texts in {attribute.get_storage_size()} bytes")
        return self._claimed(data, n)

    def of_dataset(self, dataset: Any) -> int:
        """Bytes that the texts in a dataset claim."""
        if not self.is_text(dataset.id.get_type()):
            return 0
        kind = next(data for kind, data in self._messages(dataset) if kind == _TYPE)
        if kind[0] & 0x0F != _OF_ANY_LENGTH or int.from_bytes(kind[4:8], "little") != self._width:
            raise ValueError("the type of its texts is damaged, or apart from its object's header")
        plist = dataset.id.get_create_plist()
        n = int(dataset.size or 0)
        if plist.get_layout() == self._h5py.h5d.CHUNKED:
            in_chunk = int(np.prod(plist.get_chunk(), dtype=object))
            return sum(self._claimed(data, in_chunk) for data in self._chunks(dataset, plist))
        if plist.get_layout() == self._h5py.h5d.COMPACT:
            inside = [data for kind, data in self._messages(dataset) if kind == _LAYOUT]
            return self._claimed(inside[0][4:], n)
        offset = dataset.id.get_offset()  # none: nothing was written, all texts are empty
        return 0 if offset is None else self._claimed(self._read(offset, n * self._width), n)

    @property
    def _width(self) -> int:
        """Bytes of a length, the address of a heap and a number in it."""
        return 4 + self._address_bytes + 4

    def _claimed(self, data: bytes, n: int) -> int:
        if len(data) < n * self._width:
            raise ValueError(f"{n} texts in {len(data)} bytes")
        table: NDArray[np.uint8] = np.frombuffer(data, np.uint8, n * self._width)
        lengths = np.ascontiguousarray(table.reshape(n, self._width)[:, :4]).view("<u4")
        return int(lengths.sum(dtype=np.uint64))

    def _read(self, at: int, n: int) -> bytes:
        self._stream.seek(at)
        data = self._stream.read(n)
        if len(data) < n:
            raise ValueError(f"{n} bytes at {at} are behind the end of the file")
        return data

    def _chunks(self, dataset: Any, plist: Any) -> Iterator[bytes]:
        """Chunks as they were before their filters; those of unknown filters are left out."""
        filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
        known = {self._h5py.h5z.FILTER_DEFLATE, self._h5py.h5z.FILTER_SHUFFLE}
        if not known.issuperset(filters):
            return
        limit = int(np.prod(plist.get_chunk(), dtype=object)) * self._width
        for number in range(dataset.id.get_num_chunks()):
            place = dataset.id.get_chunk_info(number)
            data = self._read(place.byte_offset, place.size)
            for at, name in reversed([*enumerate(filters)]):
                if place.filter_mask >> at & 1:
                    continue
                if name == self._h5py.h5z.FILTER_DEFLATE:
                    data = zlib.decompressobj().decompress(data, limit)
                else:
                    bytes_of = np.frombuffer(data, np.uint8).reshape(self._width, -1)
                    data = bytes_of.T.tobytes()
            yield data

    def _attributes(self, item: Any) -> Iterator[tuple[str, bytes]]:
        """Names of attributes, and what is stored in them."""
        for kind, data in self._messages(item):
            if kind != _ATTRIBUTE:
                continue
            sizes = [int.from_bytes(data[at : at + 2], "little") for at in (2, 4, 6)]
            start = at = 9 if data[0] == 3 else 8
            for size in sizes:  # name, type, dimensions; the oldest version aligns each
                at += -(-size // 8) * 8 if data[0] == 1 else size
            name = data[start : start + sizes[0]].partition(b"\0")[0]
            yield name.decode("utf-8", "surrogateescape"), data[at:]

    def _messages(self, item: Any) -> Iterator[tuple[int, bytes]]:
        """Types and contents of the messages in the header of an object."""
        start = self._base + self._h5py.h5o.get_info(item.id).addr
        head = self._read(start, 12)
        newer = head[:4] == b"OHDR"
        if newer:
            flags = head[5]
            at = start + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
            width = 1 << (flags & 3)
            size = int.from_bytes(self._read(at, width), "little")
            blocks, head_size = [(at + width, size)], 6 if flags & 4 else 4
        else:
            blocks, head_size = [(start + 16, int.from_bytes(head[8:12], "little"))], 8
        seen = set[int]()
        while blocks:
            at, size = blocks.pop()
            if at in seen:
                raise ValueError("the header of an object leads back to itself")
            seen.add(at)
            data, place = self._read(at, size), 0
            while place + head_size <= len(data):
                kind_bytes = 1 if newer else 2
                kind = int.from_bytes(data[place : place + kind_bytes], "little")
                length = int.from_bytes(data[place + kind_bytes :][:2], "little")
                content = data[place + head_size : place + head_size + length]
                place += head_size + length
                if kind == _CONTINUATION:
                    address = int.from_bytes(content[: self._address_bytes], "little")
                    extent = content[self._address_bytes :][: self._length_bytes]
                    n = int.from_bytes(extent, "little")
                    # Newer blocks have a signature and a checksum around their messages.
                    blocks.append((self._base + address + 4 * newer, n - 8 * newer))
                else:
                    yield kind, content
