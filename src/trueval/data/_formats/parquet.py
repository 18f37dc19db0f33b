"""Parquet, by Arrow: columns in batches, names as Arrow has them, in one buffer of bytes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import need_extra
from trueval.data._cells import Cells, NameCodes, NameLists
from trueval.data._columns import Codes, Flags, Lists, number_ints
from trueval.data._formats._format import Format
from trueval.data._parquet_footer import declared_bytes
from trueval.data._raw import AsLists, RawTable, Want
from trueval.data._source import Source

__all__ = ["FORMATS", "ParquetTable"]

_BATCH = 2**14
_GROUP = 2**17  # rows written at a time
_SPARING: dict[str, Any] = {"pre_buffer": False, "buffer_size": 2**16}  # of memory


def _arrow(part: str = "") -> Any:
    return need_extra(f"pyarrow{part}", "parquet", "Parquet")


class ParquetTable(RawTable):
    """A Parquet file; columns are read when they are asked for."""

    def __init__(self, source: Source) -> None:
        super().__init__(source=source)
        self._arrow = _arrow()
        self._file: Any = None
        with self._opened() as file:
            schema = file.schema_arrow
            self.names = list(schema.names)
            self._n_rows = int(file.metadata.num_rows)
            self.metadata = {
                key.decode("utf-8", "surrogateescape"): text.decode("utf-8", "surrogateescape")
                for key, text in (schema.metadata or {}).items()
            }
            self._types = [field.type for field in schema]
        if len(set(self.names)) < self.width:
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise source.fail(
                f"several columns are named {twice!r}.", fix="Rename one.", column=twice
            )

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        parquet = _arrow(".parquet")
        with self.source.guard("Parquet"), self.source.seekable() as stream:
            self.source.need(declared_bytes(stream), "the columns")
            file = parquet.ParquetFile(stream, **_SPARING)
            leaves = [file.schema.column(i) for i in range(len(file.schema))]
            coded = [c.path for c in leaves if "." in c.path and c.physical_type == "BYTE_ARRAY"]
            if coded:  # names in lists stay as the file has them: numbers and a dictionary
                stream.seek(0)
                file = parquet.ParquetFile(stream, read_dictionary=coded, **_SPARING)
            yield file

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._n_rows

    def kind(self, at: int) -> str:
        """Of a column: "list", "text", "int", "float", "bool" or "other"."""
        return self._kind(self._types[at])

    def kind_of_lists(self, at: int) -> str:
        """What the lists of a column hold: "text", "int", "float", "bool" or "other"."""
        return self._kind(self._types[at].value_type)

    def _kind(self, type_: Any) -> str:
        t = self._arrow.types
        if t.is_list(type_) or t.is_large_list(type_) or t.is_fixed_size_list(type_):
            return "list"
        if t.is_dictionary(type_):
            return self._kind(type_.value_type)
        if t.is_string(type_) or t.is_large_string(type_) or t.is_string_view(type_):
            return "text"
        if t.is_boolean(type_):
            return "bool"
        if t.is_integer(type_):
            return "int"
        return "float" if t.is_floating(type_) else "other"

    def _type(self, at: int) -> str:
        return str(self._types[at])

    def cells(self, at: int) -> list[str]:
        """The first cells of a column as text, to look at."""
        with self._opened() as file:
            batches = file.iter_batches(1000, columns=[self.names[at]], use_threads=False)
            values = next(batches).column(0).to_pylist()
            return ["" if value is None else str(value) for value in values]

    # --- columns ----------------------------------------------------------------------------

    def _load(self, wants: Mapping[str, Want], header: bool) -> dict[str, Any]:
        with self._opened() as self._file:
            data = super()._load(wants, header)
        self._arrow.default_memory_pool().release_unused()  # it would keep most of what it had
        return data

    def _batches(self, at: int, *, nulls: bool = False) -> Iterator[Any]:
        """A column as Arrow arrays, none of them large; without nulls unless these are right."""
        row = 0
        # Group by group: Arrow cannot keep coded names in lists over several groups.
        for group in range(self._file.num_row_groups):
            for batch in self._file.iter_batches(
                _BATCH, row_groups=[group], columns=[self.names[at]], use_threads=False
            ):
                array = batch.column(0)
                if array.null_count and not nulls:
                    missing = np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))
                    raise self.fail(
                        "the value is missing (null).",
                        fix="Fill it in, or drop the row.",
                        row=row + int(missing[0]),
                        column=at,
                    )
                row += len(array)
                if row <= self._n_rows:
                    yield array
        if row != self._n_rows:  # some versions of Arrow give other numbers for damaged files
            raise self.source.fail(
                f"the file declares {self._n_rows:,} rows and has others.",
                fix="It is damaged: write it again.",
            )

    def codes(self, at: int, *, may_be_empty: bool = False) -> Codes:
        """A column of names as numbers."""
        if self.kind(at) == "int":
            return self._int_codes(at, may_be_empty=may_be_empty)
        if self.kind(at) != "text":
            raise self._not_names(at)
        names = NameCodes()
        for array in self._batches(at, nulls=may_be_empty):
            self._add(names, array, empty_too=not may_be_empty)  # in text an empty cell is none
        return names.finish(self.source, f"names of column {self.names[at]!r}")

    def _int_codes(self, at: int, *, may_be_empty: bool) -> Codes:
        """A column of whole numbers, some of which may be missing."""
        values, there = self._values(at, nulls=may_be_empty)
        if there is None:
            return number_ints(values)
        coded = number_ints(values[there])
        codes = np.full(len(there), -1, np.int32)
        codes[there] = coded.codes
        return Codes(coded.names, codes)

    def lists(self, want: AsLists) -> Lists:
        """A column of lists of names as numbers; text is split at the separator."""
        names = NameLists()
        if self.kind(want.at) == "text":
            self._split(names, want)
        elif self.kind(want.at) != "list":
            return super().lists(want)
        elif self.kind_of_lists(want.at) != "text":
            return self._int_lists(want.at)
        else:
            for array in self._batches(want.at):
                names.add_counts(_lengths(array))
                self._add(names, self._inner(array, want.at))
        return names.finish_lists(self.source, f"names of column {self.names[want.at]!r}")

    def _split(self, names: NameLists, want: AsLists) -> None:
        row = 0
        for array in self._batches(want.at, nulls=True):
            cells = self._decoded(array)
            names.split(_cells(cells.fill_null("") if cells.null_count else cells), want, self, row)
            row += len(array)

    def _int_lists(self, at: int) -> Lists:
        values, counts = bytearray(), bytearray()
        dtype: np.dtype[Any] = np.dtype(np.int32)
        for array in self._batches(at):
            counts += _lengths(array).data
            inner = self._decoded(self._inner(array, at)).to_numpy(zero_copy_only=False)
            inner = inner if inner.dtype.kind in "iu" else self._flags_of(inner, at)
            if not np.can_cast(inner.dtype, dtype):
                wide = np.dtype(np.int64)
                if inner.dtype == np.uint64 and inner.max(initial=0) >= 2**63:
                    raise self.fail("a label is beyond 64 bits.", fix="Use text.", column=at)
                values = bytearray(np.frombuffer(values, dtype).astype(wide).data)
                dtype = wide
            values += inner.astype(dtype, copy=False).data
        offsets = np.zeros(len(counts) // 8 + 1, np.int64)
        np.cumsum(np.frombuffer(counts, np.int64), out=offsets[1:])
        codes = number_ints(np.frombuffer(values, dtype))
        return Lists(codes.names, codes.codes, offsets)

    def _inner(self, lists: Any, at: int) -> Any:
        values = lists.flatten()
        if values.null_count:
            raise self.fail("a label is missing (null).", fix="Remove it.", column=at)
        if self._kind(values.type) not in ("text", "int", "bool", "float"):
            type_ = values.type
            raise self.fail(
                f"names must be text or whole numbers. Got {type_}.", fix="Convert them.", column=at
            )
        return values

    def _flags_of(self, values: NDArray[Any], at: int) -> NDArray[np.int8]:
        """Values of bool or float as 0 and 1, as which alone they are no labels' names."""
        bad = np.flatnonzero((values != 0) & (values != 1))
        if len(bad):
            raise self.fail(
                f"a list of {self._types[at].value_type} has {values[bad[0]]}; it must have 0 and "
                "1 alone, or names, which are text or whole numbers.",
                fix="Convert it.",
                column=at,
            )
        return values.astype(np.int8)

    def _decoded(self, array: Any) -> Any:
        return array.dictionary_decode() if hasattr(array, "dictionary_decode") else array

    def _add(self, names: NameCodes, array: Any, *, empty_too: bool = True) -> None:
        """Number the names of an array, which may be coded already; null is no name."""
        if self._arrow.types.is_dictionary(array.type):
            indices = array.indices
            if array.null_count:
                indices = indices.cast(self._arrow.int64()).fill_null(len(array.dictionary))
            codes = indices.to_numpy(zero_copy_only=False)
            names.add_coded(_cells(array.dictionary), codes, empty_too=empty_too)
        else:
            filled = array.fill_null("") if array.null_count else array
            names.add(_cells(filled), empty_too=empty_too)

    def numbers(self, at: int) -> NDArray[Any]:
        """A column of numbers."""
        if not self.is_numeric(at):
            raise self._not_numbers(at)
        return self._values(at)[0]

    def _values(self, at: int, *, nulls: bool = False) -> tuple[NDArray[Any], Any]:
        """A column of numbers, and where they are; None if none is missing."""
        out: Any = None
        there: NDArray[np.bool_] | None = None
        row = 0
        for array in self._batches(at, nulls=nulls):
            decoded = self._decoded(array)
            if array.null_count:
                there = np.ones(self._n_rows, bool) if there is None else there
                there[row : row + len(array)] = array.is_valid().to_numpy(zero_copy_only=False)
                decoded = decoded.fill_null(0)
            values = decoded.to_numpy(zero_copy_only=False)
            if out is None:
                out = np.empty(self._n_rows, values.dtype)
            out[row : row + len(values)] = values
            row += len(values)
        return out, there


def _lengths(lists: Any) -> NDArray[np.int64]:
    if hasattr(lists, "offsets"):
        return np.diff(lists.offsets.to_numpy(zero_copy_only=False)).astype(np.int64)
    return np.full(len(lists), lists.type.list_size, np.int64)


def _cells(array: Any) -> Cells:
    """Cells of an array of text, in the memory of Arrow."""
    arrow = _arrow()
    if not arrow.types.is_large_string(array.type):
        array = array.cast(arrow.large_string())
    _, offsets, data = array.buffers()
    bounds = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    first, last = (int(bounds[0]), int(bounds[-1])) if len(bounds) else (0, 0)
    if last - first >= 2**31:
        raise ValueError("cells of a batch have more than 2 GiB of text")
    text = np.frombuffer(data, np.uint8)[first:last] if last > first else np.zeros(1, np.uint8)
    places = (bounds - first).astype(np.int32)
    return Cells(text, places[:-1], places[1:])


def _write(file: BinaryIO, table: RawTable) -> None:
    """Group by group of rows: Arrow's copies are those of one group."""
    arrow, writer = _arrow(), None
    metadata = {key: text.encode() for key, text in table.metadata.items()} or None
    try:
        for start in range(0, max(table.n_rows, 1), _GROUP):
            stop = min(start + _GROUP, table.n_rows)
            arrays = [_arrow_array(arrow, column, start, stop) for column in table.columns]
            group = arrow.table(arrays, table.names).replace_schema_metadata(metadata)
            if writer is None:
                writer = _arrow(".parquet").ParquetWriter(file, group.schema, compression="zstd")
            writer.write_table(group)
    finally:
        if writer is not None:
            writer.close()
        arrow.default_memory_pool().release_unused()


def _arrow_array(arrow: Any, column: Any, start: int, stop: int) -> Any:
    if isinstance(column, Lists):
        offsets = column.offsets[start : stop + 1]
        values = _named(arrow, column.names, column.codes[offsets[0] : offsets[-1]])
        return arrow.LargeListArray.from_arrays(arrow.array(offsets - offsets[0]), values)
    if isinstance(column, Codes):
        return _named(arrow, column.names, column.codes[start:stop])
    if isinstance(column, Flags):
        return arrow.array(column.expand(start, stop), arrow.int8())
    if column.dtype.kind == "U":
        return arrow.array(column[start:stop].tolist(), arrow.string())  # its own ends at a NUL
    return arrow.array(column[start:stop])


def _named(arrow: Any, names: NDArray[Any], codes: NDArray[Any]) -> Any:
    if names.dtype.kind in "iu":
        small = len(names) and int(names.min()) >= -(2**31) and int(names.max()) < 2**31
        return arrow.array((names.astype(np.int32) if small else names)[codes])
    texts = arrow.array(names.tolist(), arrow.string())
    coded = arrow.DictionaryArray.from_arrays(arrow.array(codes), texts)
    return coded.dictionary_decode()


FORMATS = (
    Format(
        "parquet",
        holds=("table",),
        read=ParquetTable,
        suffixes=(".parquet", ".pq"),
        magic=(b"PAR1",),
        write=_write,
        packed=True,
        extra="parquet",
    ),
)
