"""NumPy ``.npy``: one dense matrix; never with pickle.

The header is read first: an array of objects, a size that does not fit what the file
holds, or one above the cap is refused before anything is allocated.
"""

import math
import sys
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from trueval.data._formats._format import Format
from trueval.data._raw import RawMatrix
from trueval.data._source import Source

__all__ = ["FORMATS", "read_array"]


def read_array(source: Source, stream: BinaryIO, size: int, what: str) -> NDArray[Any]:
    """Read one ``.npy`` of ``size`` bytes."""
    start = stream.tell()
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    elif version == (2, 0):
        shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
    else:
        raise source.fail(
            f"{what} is in npy version {version[0]}.{version[1]}; 1.0 and 2.0 are read.",
            fix="Save it again as a plain numeric array.",
        )
    if dtype.hasobject:
        raise source.fail(
            f"{what} holds Python objects (dtype {dtype}), that is a pickle, which can run any "
            "code when opened and is never read.",
            fix="Save numbers, or text as dtype str.",
        )
    if any(n < 0 for n in shape):
        raise source.fail(f"{what} declares the negative shape {shape}.", fix="Save it again.")
    n_bytes = math.prod(shape) * dtype.itemsize
    body = size - (stream.tell() - start)
    # An array of no bytes may still declare many rows, columns or empty texts, each of which takes
    # memory later.
    least = 8 * sum(shape) if len(shape) > 1 else 0
    least = least if dtype.itemsize else max(least, 64 * math.prod(shape))
    source.need(max(n_bytes, least), f"{what} of shape {shape}")
    if n_bytes != body:
        raise source.fail(
            f"{what} declares shape {shape} of {dtype}, {n_bytes:,} bytes, but {body:,} bytes "
            "follow.",
            fix="The file is truncated or damaged: save it again.",
        )
    stream.seek(start)
    array = np.lib.format.read_array(stream, allow_pickle=False)
    _check_text(source, array, what)
    return array


def _check_text(source: Source, array: NDArray[Any], what: str) -> None:
    """Refuse numbers that are no characters: NumPy keeps them, and fails when a text is made."""
    if array.dtype.kind == "V":
        raise source.fail(
            f"{what} holds records (dtype {array.dtype}), not one value in each place.",
            fix="Save each field as an array of its own.",
        )
    if array.dtype.kind != "U" or not array.size or not array.dtype.itemsize:
        return
    codes = np.ascontiguousarray(array).view(np.dtype("u4").newbyteorder(array.dtype.byteorder))
    largest = int(codes.max())
    if largest > sys.maxunicode:
        raise source.fail(
            f"{what} is text with the character code {largest:,}, above {sys.maxunicode:,}, the "
            "largest there is.",
            fix="The file is damaged: save it again.",
        )


def _read(source: Source) -> RawMatrix:
    with source.guard("npy"), source.seekable() as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        return RawMatrix(read_array(source, stream, size, "the array"))


FORMATS = (Format("npy", holds=("matrix",), read=_read, suffixes=(".npy",), magic=(b"\x93NUMPY",)),)
