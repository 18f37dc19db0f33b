"""Arrays from ``.npz`` files that nobody vouches for.

Sizes are read from the headers and refused before anything is allocated; pickled
objects are never loaded.
"""

import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, Place
from trueval.core.sparse import check_indices

__all__ = ["MAX_ARRAYS", "load_arrays", "load_csr"]

MAX_ARRAYS = 16 * 2**30
"""Most bytes of arrays loaded by default."""


def load_arrays(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_ARRAYS
) -> dict[str, NDArray[Any]]:
    """Load all arrays of an ``.npz`` file.

    >>> import os, tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.npz")
    ...     np.savez(path, a=np.arange(3))
    ...     load_arrays(path)
    {'a': array([0, 1, 2])}
    """
    where = Path(path).name
    try:
        with zipfile.ZipFile(path) as archive:
            _check_members(archive, where, max_bytes)
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(
            "there is no such file.", place=Place(str(path)), fix="Check the path."
        ) from None
    except (
        OSError, EOFError, KeyError, ValueError, TypeError, SyntaxError, OverflowError,
        MemoryError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error,
    ) as error:  # fmt: skip
        raise InputError(
            f"the file is not a whole .npz file of plain arrays: {error}.",
            place=Place(where),
            fix="Fetch it or write it again, without pickled objects.",
        ) from None


def _check_members(archive: zipfile.ZipFile, where: str, max_bytes: int) -> None:
    total = 0
    for member in archive.infolist():
        total += member.file_size
        if total > max_bytes:
            raise InputError(
                f"the arrays have more than max_bytes={max_bytes:,} bytes ({total:,} "
                f"up to {member.filename!r}).",
                place=Place(where),
                fix=Fix("If that is meant, pass a larger {}.", "max_bytes"),
            )
        if not member.filename.endswith(".npy"):
            raise InputError(
                f"{member.filename!r} is no array. Is this an .npz file?", place=Place(where)
            )
        with archive.open(member) as file:
            version = npy.read_magic(file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, _, dtype = read(file)
        if dtype.hasobject:
            raise InputError(
                f"the array {member.filename!r} holds pickled objects, which can run programs.",
                place=Place(where),
                fix="It is not loaded; write it again with plain numbers or text.",
            )
        needed = dtype.itemsize * int(np.prod(shape, dtype=object))
        if needed < 0 or needed > member.file_size:
            raise InputError(
                f"the array {member.filename!r} declares shape {shape}, {needed:,} "
                f"bytes, but has {member.file_size:,}.",
                place=Place(where),
                fix="The file is broken; fetch it again.",
            )


def load_csr(path: str | os.PathLike[str], *, max_bytes: int = MAX_ARRAYS) -> sp.csr_array:
    """Load a CSR matrix as ``scipy.sparse.save_npz`` writes it.

    >>> import os, tempfile
    >>> import scipy.sparse as sp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.npz")
    ...     sp.save_npz(path, sp.csr_array([[0, 1]]))
    ...     load_csr(path).toarray()
    array([[0, 1]])
    """
    where = Path(path).name
    arrays = load_arrays(path, max_bytes=max_bytes)
    if "format" in arrays and (
        arrays["format"].ndim or arrays["format"].item() not in (b"csr", "csr")
    ):
        raise InputError(
            f"the matrix is of format {arrays['format']!r}.",
            place=Place(where),
            fix="Write it as CSR, with scipy.sparse.save_npz(path, y.tocsr()).",
        )
    missing = {"data", "indices", "indptr", "shape", "format"} - arrays.keys()
    if missing:
        raise InputError(
            f"the sparse matrix lacks {', '.join(sorted(missing))}.",
            place=Place(where),
            fix="Write it with scipy.sparse.save_npz.",
        )
    try:
        shape = tuple(int(n) for n in arrays["shape"])
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        matrix = sp.csr_array(parts, shape=shape)
        check_indices(matrix)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(
            f"the sparse matrix is broken: {error}.",
            place=Place(where),
            fix="Fetch it or write it again.",
        ) from None
    return matrix
