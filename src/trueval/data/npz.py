"""NumPy ``.npy`` and ``.npz``, SciPy's sparse ones among them; never with pickle.

Every header is read first: an array of objects, a size that does not fit what the
file holds, or one above the cap is refused before anything is allocated.
"""

import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import shorten
from trueval.core.labels import Labels, as_labels
from trueval.data.names import as_array, check_unique
from trueval.data.source import Source

__all__ = ["Archive", "open_npz", "read_npy_labels", "read_npz_labels"]

_PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}


def read_array(source: Source, stream: BinaryIO, size: int, what: str) -> NDArray[Any]:
    """Read one ``.npy`` of ``size`` bytes."""
    dtype, count = _header(source, stream, size, what)
    source.need(count * dtype.itemsize, what)
    return np.lib.format.read_array(stream, allow_pickle=False)


def _header(source: Source, stream: BinaryIO, size: int, what: str) -> tuple[np.dtype[Any], int]:
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
    count = math.prod(shape)
    body = size - (stream.tell() - start)
    if count * dtype.itemsize != body:
        source.need(count * dtype.itemsize, f"{what}, declared with shape {shape} of {dtype},")
        raise source.fail(
            f"{what} declares shape {shape} of {dtype}, {count * dtype.itemsize:,} bytes, but "
            f"{body:,} bytes follow.",
            fix="The file is truncated or damaged: save it again.",
        )
    stream.seek(start)
    return dtype, count


class Archive:
    """The arrays of an ``.npz``, read one by one."""

    def __init__(self, source: Source, file: zipfile.ZipFile) -> None:
        self.source = source
        self._file = file
        self._members = {info.filename: info for info in file.infolist()}
        total = sum(info.file_size for info in self._members.values())
        source.need(total, f"the {len(self._members)} arrays of the archive")

    @property
    def names(self) -> list[str]:
        """Names of the arrays."""
        return [name.removesuffix(".npy") for name in self._members if name.endswith(".npy")]

    def __contains__(self, name: str) -> bool:
        return f"{name}.npy" in self._members

    def __getitem__(self, name: str) -> NDArray[Any]:
        info = self._members.get(f"{name}.npy")
        if info is None:
            raise self.source.fail(
                f"there is no array {name!r}; there are {shorten(', '.join(self.names), 200)}.",
                fix="Save it again.",
            )
        with self._file.open(info) as stream:
            return read_array(self.source, stream, info.file_size, f"array {name!r}")  # type: ignore[arg-type]

    def text(self, name: str) -> str:
        """A single text, such as the format of a sparse matrix."""
        value = self[name]
        if value.ndim != 0 or value.dtype.kind not in "US":
            raise self.source.fail(
                f"array {name!r} must be one text. Got shape {value.shape} of {value.dtype}."
            )
        text = value.item()
        return text.decode("utf-8") if isinstance(text, bytes) else str(text)

    def column(self, name: str, n: int | None = None) -> NDArray[Any]:
        """A one-dimensional array, of ``n`` values if given."""
        values = self[name]
        if values.ndim != 1 or (n is not None and len(values) != n):
            wanted = "one dimension" if n is None else f"shape ({n},)"
            raise self.source.fail(f"array {name!r} must have {wanted}. Got {values.shape}.")
        return values

    def name_array(self, name: str, n: int) -> NDArray[Any] | None:
        """Names kept beside a matrix, if there are any."""
        if name not in self:
            return None
        values = self.column(name, n)
        if values.dtype.kind not in "iuUS":
            raise self.source.fail(f"array {name!r} must hold names. Got {values.dtype}.")
        if values.dtype.kind == "S":
            values = as_array(self.source, [v.decode("utf-8") for v in values], name)
        check_unique(self.source, values, "row id" if name == "index" else "class")
        return values

    def matrix(self) -> Any:
        """The one matrix of the archive: SciPy's sparse, or a dense array."""
        if "format" in self:
            return self._sparse()
        others = [n for n in self.names if n not in ("classes", "index")]
        if len(others) != 1:
            raise self.source.fail(
                "expected a sparse matrix of scipy.sparse.save_npz or one array; there are "
                f"{shorten(', '.join(self.names) or 'none', 200)}.",
                fix="Save the labels alone.",
            )
        return self[others[0]]

    def _sparse(self) -> Any:
        form = self.text("format")
        if form not in _PARTS:
            raise self.source.fail(
                f"sparse format {form!r} is not known ({', '.join(_PARTS)}).", fix="Save it as CSR."
            )
        shape = self.column("shape", 2)
        if shape.dtype.kind not in "iu" or (shape < 0).any():
            raise self.source.fail(f"the shape {shape.tolist()} is not one.", fix="Save it again.")
        n_rows, n_columns = (int(n) for n in shape)
        self.source.need(8 * (n_rows + n_columns), f"a matrix of shape ({n_rows}, {n_columns})")
        parts = [self[name] for name in _PARTS[form]]
        for name, part in zip(_PARTS[form][1:], parts[1:], strict=True):
            if part.dtype.kind not in "iu" or part.ndim != 1:
                raise self.source.fail(
                    f"array {name!r} must hold integers in one dimension. Got shape "
                    f"{part.shape} of {part.dtype}.",
                    fix="Save it again.",
                )
        data = parts[0]
        if form == "coo":
            return sp.coo_array((data, (parts[1], parts[2])), shape=(n_rows, n_columns))
        if form == "dia":
            return sp.dia_array((data, parts[1]), shape=(n_rows, n_columns))
        made = {"csr": sp.csr_array, "csc": sp.csc_array, "bsr": sp.bsr_array}[form]
        return made((data, parts[1], parts[2]), shape=(n_rows, n_columns))


@contextmanager
def open_npz(source: Source) -> Iterator[Archive]:
    """Open an ``.npz`` archive."""
    with source.guard("npz"), source.seekable() as stream, zipfile.ZipFile(stream) as file:
        yield Archive(source, file)


def read_npz_labels(source: Source) -> Labels:
    """Labels of a sparse or dense ``.npz``; arrays ``classes`` and ``index`` are the names."""
    with open_npz(source) as archive:
        labels = as_labels(_two_dimensional(source, archive.matrix()))
        classes = archive.name_array("classes", labels.n_classes)
        index = archive.name_array("index", labels.n_rows)
        return Labels._trusted(labels.matrix, labels.classes if classes is None else classes, index)


def read_npy(source: Source) -> NDArray[Any]:
    """Read the array of an ``.npy``."""
    with source.guard("npy"), source.seekable() as stream:
        stream.seek(0, 2)
        size = stream.tell()
        stream.seek(0)
        return read_array(source, stream, size, "the array")


def read_npy_labels(source: Source) -> Labels:
    """Labels of a dense 0/1 ``.npy``."""
    array = read_npy(source)
    with source.guard("labels"):
        return as_labels(_two_dimensional(source, array))


def _two_dimensional(source: Source, matrix: Any) -> Any:
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise source.fail(
            f"the labels must be 0/1 numbers in two dimensions, rows × classes. Got shape "
            f"{matrix.shape} of {matrix.dtype}."
        )
    return matrix
