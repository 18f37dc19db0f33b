"""NumPy ``.npz``: a matrix, SciPy's sparse ones among them, or columns; never with pickle.

A matrix may have its names beside it, in the arrays ``classes`` and ``index``. Arrays of
one dimension and one length are the columns of a table.
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
from trueval.data._columns import Codes
from trueval.data._formats._format import Format
from trueval.data._formats.npy import read_array
from trueval.data._names import as_array, check_unique
from trueval.data._raw import RawMatrix, RawTable
from trueval.data._source import Source

__all__ = ["FORMATS", "Archive", "open_npz"]

_PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
_CLASSES = {"csr": sp.csr_array, "csc": sp.csc_array, "bsr": sp.bsr_array}
#: Names of columns and facts in tables of other formats, and here.
_ARRAYS = {"fold": "folds", "id": "index", "trueval_folds": "provenance"}
_COLUMNS = {array: column for column, array in _ARRAYS.items()}


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

    def column(self, name: str, n: int) -> NDArray[Any]:
        """A one-dimensional array of ``n`` values."""
        values = self[name]
        if values.shape != (n,):
            raise self.source.fail(f"array {name!r} must have shape ({n},). Got {values.shape}.")
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

    def sparse(self) -> Any:
        """The matrix that SciPy's save_npz has written."""
        value = self["format"]
        if value.ndim != 0 or value.dtype.kind not in "US":
            raise self.source.fail(
                f"array 'format' must be one text. Got shape {value.shape} of {value.dtype}."
            )
        form = value.item()
        form = form.decode("utf-8") if isinstance(form, bytes) else str(form)
        if form not in _PARTS:
            raise self.source.fail(
                f"sparse format {form!r} is not known ({', '.join(_PARTS)}).", fix="Save it as CSR."
            )
        shape = self.column("shape", 2)
        if shape.dtype.kind not in "iu" or (shape < 0).any():
            raise self.source.fail(f"the shape {shape.tolist()} is not one.", fix="Save it again.")
        n_rows, n_columns = (int(n) for n in shape)
        self.source.need(8 * (n_rows + n_columns), f"a matrix of shape ({n_rows}, {n_columns})")
        data, *parts = (self[name] for name in _PARTS[form])
        for name, part in zip(_PARTS[form][1:], parts, strict=True):
            if part.dtype.kind not in "iu" or part.ndim != 1:
                raise self.source.fail(
                    f"array {name!r} must hold integers in one dimension. Got shape "
                    f"{part.shape} of {part.dtype}.",
                    fix="Save it again.",
                )
        if form == "bsr":  # SciPy numbers the places of a block, though there be none
            block = data.shape[1:]
            self.source.need(8 * math.prod(block) * max(1, len(data)), f"blocks of shape {block}")
        if form == "coo":
            return sp.coo_array((data, tuple(parts)), shape=(n_rows, n_columns))
        if form == "dia":
            return sp.dia_array((data, parts[0]), shape=(n_rows, n_columns))
        return _CLASSES[form]((data, *parts), shape=(n_rows, n_columns))


@contextmanager
def open_npz(source: Source) -> Iterator[Archive]:
    """Open an ``.npz`` archive."""
    with source.guard("npz"), source.seekable() as stream, zipfile.ZipFile(stream) as file:
        yield Archive(source, file)


def _read(source: Source) -> RawMatrix | RawTable:
    with open_npz(source) as archive:
        if "format" in archive:
            matrix = archive.sparse()
        else:
            arrays = {name: archive[name] for name in archive.names}
            others = [name for name in arrays if name not in ("classes", "index")]
            # Numbers alone are a matrix that lacks a dimension, which readers say.
            alone = len(others) == 1 and arrays[others[0]].dtype.kind == "f"
            alone = alone and others[0] not in _COLUMNS
            if arrays and not alone and all(array.ndim < 2 for array in arrays.values()):
                return _table(source, arrays)
            if len(others) != 1:
                raise source.fail(
                    "expected a sparse matrix of scipy.sparse.save_npz, one array of two "
                    "dimensions, or columns of one length; there are "
                    f"{shorten(', '.join(arrays) or 'none', 200)}.",
                    fix="Save the labels alone.",
                )
            matrix = arrays[others[0]]
        classes, index = (
            archive.name_array(name, matrix.shape[axis]) if matrix.ndim == 2 else None
            for name, axis in (("classes", 1), ("index", 0))
        )
        return RawMatrix(matrix, classes, index)


def _table(source: Source, arrays: dict[str, NDArray[Any]]) -> RawTable:
    """Columns, and single texts as facts beside them."""
    columns, metadata = {}, {}
    first = next((name for name, array in arrays.items() if array.ndim), "")
    for name, array in arrays.items():
        if array.ndim == 0:
            if array.dtype.kind == "U":
                metadata[_COLUMNS.get(name, name)] = str(array)
            continue
        if len(array) != len(arrays[first]):
            raise source.fail(
                f"array {name!r} has {len(array):,} values and {first!r} {len(arrays[first]):,}; "
                "columns must have one length."
            )
        if array.dtype.kind == "S":
            array = as_array(source, [value.decode("utf-8") for value in array], name)
        columns[_COLUMNS.get(name, name)] = array
    if not columns:
        raise source.fail("there is no column, that is an array of one dimension.")
    return RawTable(columns, metadata, source)


def _write(file: BinaryIO, raw: RawMatrix | RawTable) -> None:
    """The same arrays give the same bytes."""
    arrays = _of_matrix(raw) if isinstance(raw, RawMatrix) else _of_table(raw)
    archive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
    try:
        for name, values in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(values), allow_pickle=False)
        archive.close()
    except BaseException:
        # The file is discarded. An archive that still has it would complete it, and complain if
        # a Ctrl-C came when a member was just open.
        archive.fp = None
        raise


def _of_matrix(raw: RawMatrix) -> dict[str, Any]:
    if sp.issparse(raw.matrix):
        csr = raw.matrix.tocsr()
        arrays = {"format": np.array(b"csr"), "shape": np.array(csr.shape)}
        arrays |= {"data": csr.data, "indices": csr.indices, "indptr": csr.indptr}
    else:
        arrays = {"scores": raw.matrix}
    for name, names in (("classes", raw.classes), ("index", raw.index)):
        if names is not None:
            arrays[name] = _storable(names)
    return arrays


def _of_table(table: RawTable) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    for name, column in zip(table.names, table.columns, strict=True):
        if name != "row":  # arrays are in order
            values = column.expand() if isinstance(column, Codes) else column
            arrays[_ARRAYS.get(name, name)] = _storable(np.asarray(values))
    return arrays | {_ARRAYS.get(key, key): np.array(text) for key, text in table.metadata.items()}


def _storable(values: NDArray[Any]) -> NDArray[Any]:
    return np.array([str(v) for v in values.tolist()]) if values.dtype.kind == "O" else values


FORMATS = (
    Format(
        "npz",
        holds=("matrix", "table"),
        read=_read,
        suffixes=(".npz",),
        magic=(b"PK\x03\x04", b"PK\x05\x06"),
        write=_write,
        packed=True,
    ),
)
