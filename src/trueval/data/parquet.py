"""Parquet: labels wide, long or as a list column, straight from Arrow's offsets.

Needs the extra ``parquet`` (pyarrow).
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, need_extra, shorten
from trueval.core.labels import Labels
from trueval.core.names import places
from trueval.data.footer import declared_bytes
from trueval.data.lines import csr_of, distinct
from trueval.data.names import as_array, check_unique, pattern
from trueval.data.source import Source
from trueval.data.text import ID_LIKE, LABEL_LIKE, choose_column

__all__ = ["CLASSES_KEY", "ParquetTable", "open_parquet", "read_parquet_labels"]

#: Where the file says the order of the classes, if it is not the sorted one.
CLASSES_KEY = b"trueval_classes"


class ParquetTable:
    """Columns of a Parquet file, read by name.

    Attributes
    ----------
    columns : list of str
    kinds : dict of str to str
        ``"list"``, ``"text"``, ``"int"``, ``"float"``, ``"bool"`` or ``"other"``.
    n_rows : int
    metadata : dict of bytes to bytes
    """

    def __init__(self, source: Source, file: Any, arrow: Any) -> None:
        self.source = source
        self._file = file
        self._arrow = arrow
        schema = file.schema_arrow
        self.columns = list(schema.names)
        self.n_rows = int(file.metadata.num_rows)
        self.metadata = dict(schema.metadata or {})
        if len(set(self.columns)) < len(self.columns):
            twice = next(c for c in self.columns if self.columns.count(c) > 1)
            raise source.fail(
                f"several columns are named {twice!r}.", fix="Rename one.", column=twice
            )
        self.kinds = {field.name: self._kind(field.type) for field in schema}

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
        if t.is_floating(type_):
            return "float"
        return "other"

    def find(self, wanted: Any, parameter: str | None) -> str:
        """Name of a column given by name or number; an error says which parameter chose it."""
        if isinstance(wanted, int) and 0 <= wanted < len(self.columns):
            return self.columns[wanted]
        if wanted not in self.columns:
            raise self.source.fail(
                f"no column is named {wanted!r}. The columns: "
                f"{shorten(', '.join(self.columns), 200)}.",
                fix=choose_column(parameter),
                parameter=parameter,
            )
        return str(wanted)

    def read(self, name: str) -> Any:
        """One column as a single Arrow array without nulls."""
        chunks: list[Any] = []
        # Group by group: Arrow cannot keep coded names in lists over several groups.
        for group in range(self._file.num_row_groups):
            table = self._file.read_row_group(group, columns=[name], use_threads=False)
            chunks.extend(table.column(name).chunks)
        if len(chunks) == 1:
            chunk = chunks[0]
        elif chunks:
            chunk = self._arrow.concat_arrays(chunks)
        else:
            raise self.source.fail("there are no rows.", fix="At least one is needed.", column=name)
        if chunk.null_count:
            at = int(np.flatnonzero(chunk.is_null().to_numpy(zero_copy_only=False))[0])
            raise self.source.fail(
                "the value is missing (null).",
                fix="Fill it in, or drop the row.",
                row=at,
                column=name,
            )
        return chunk

    def codes(self, values: Any, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Distinct names in order, and the place of each value among them."""
        kind = self._kind(values.type)
        if values.null_count:
            raise self.source.fail("a label is missing (null).", fix="Remove it.", column=name)
        if kind == "int":
            if not self._arrow.types.is_dictionary(values.type):
                numbers = values.to_numpy(zero_copy_only=False)
                wide = numbers.dtype.itemsize == 4 and numbers.dtype.kind == "i"
                return distinct(numbers if wide else numbers.astype(np.int64, copy=False))
            return distinct(np.asarray(values.to_pylist(), dtype=np.int64))
        if kind != "text":
            raise self.source.fail(
                f"names must be text or whole numbers. Got {values.type}.",
                fix="Convert them.",
                column=name,
            )
        if not self._arrow.types.is_dictionary(values.type):
            values = values.dictionary_encode()
        names = self.names_of(values.dictionary, name)
        found = values.indices.to_numpy(zero_copy_only=False)
        # Only what occurs: a dictionary may hold more, and twice.
        sorted_names, place = np.unique(names, return_inverse=True)
        used, columns = distinct(place[found])
        return sorted_names[used], columns

    def names_of(self, values: Any, name: str) -> NDArray[Any]:
        """Names as an array."""
        if self._arrow.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        kind = self._kind(values.type)
        if kind == "int":
            return np.asarray(values.to_numpy(zero_copy_only=False))
        if kind != "text":
            raise self.source.fail(
                f"ids and labels must be text or whole numbers. Got {values.type}.", column=name
            )
        compute = need_extra("pyarrow.compute", "parquet", "Parquet")
        longest = compute.max(compute.utf8_length(values)).as_py() or 0
        self.source.need(4 * longest * len(values), f"{len(values):,} names of column {name!r}")
        if len(values) == 0:
            return np.empty(0, np.str_)
        return values.to_numpy(zero_copy_only=False).astype(np.str_)

    def numbers(self, name: str) -> NDArray[Any]:
        """One numeric column."""
        if self.kinds[name] not in ("int", "float", "bool"):
            raise self.source.fail(
                f"the column must hold numbers. Got {self.kinds[name]}.",
                fix="Drop it, or name it as the id column.",
                column=name,
            )
        return np.asarray(self.read(name).to_numpy(zero_copy_only=False))

    def id_column(self, given: Any, others: list[str]) -> str | None:
        """The column of row ids: given, or the one that looks like it."""
        if given is not None:
            return self.find(given, "id_column")
        texts = [c for c in others if self.kinds[c] == "text"]
        named = [
            c for c in others if c and ID_LIKE.fullmatch(c) and self.kinds[c] in ("text", "int")
        ]
        for candidates in (texts, named):
            if len(candidates) == 1:
                return candidates[0]
        if len(texts) > 1:
            raise self.source.fail(
                f"several columns could be the row ids: {shorten(', '.join(texts), 200)}.",
                fix=Fix("Pass {}.", "id_column"),
            )
        return None

    def ids(self, name: str | None) -> NDArray[Any] | None:
        """Row ids, checked to be unique."""
        if name is None:
            return None
        names = self.names_of(self.read(name), name)
        check_unique(self.source, names, "row id")
        return names


@contextmanager
def open_parquet(source: Source) -> Iterator[ParquetTable]:
    """Open a Parquet file."""
    arrow = need_extra("pyarrow", "parquet", "Parquet")
    parquet = need_extra("pyarrow.parquet", "parquet", "Parquet")
    with source.guard("Parquet"), source.seekable() as stream:
        source.need(declared_bytes(stream), "the columns")
        file = parquet.ParquetFile(stream)
        leaves = [file.schema.column(i) for i in range(len(file.schema))]
        coded = [c.path for c in leaves if "." in c.path and c.physical_type == "BYTE_ARRAY"]
        if coded:  # names in lists stay as the file has them: numbers and a dictionary
            stream.seek(0)
            file = parquet.ParquetFile(stream, read_dictionary=coded)
        yield ParquetTable(source, file, arrow)


def read_parquet_labels(
    source: Source,
    *,
    layout: str | None = None,
    id_column: Any = None,
    label_column: Any = None,
) -> Labels:
    """Labels of a Parquet file; see :func:`trueval.data.read_labels`."""
    with open_parquet(source) as table:
        if table.n_rows == 0:
            raise source.fail("there are no rows.", fix="At least one is needed.")
        layout = layout or _layout(table, label_column)
        if layout == "list":
            return _read_list(table, id_column, label_column)
        if layout == "long":
            return _read_long(table, id_column, label_column)
        return _read_wide(table, id_column)


def _layout(table: ParquetTable, label_column: Any) -> str:
    if label_column is not None:
        name = table.find(label_column, "label_column")
        return "list" if table.kinds[name] == "list" else "long"
    if "list" in table.kinds.values():
        return "list"
    texts = [c for c in table.columns if table.kinds[c] == "text"]
    labelled = [c for c in table.columns if LABEL_LIKE.fullmatch(c)]
    if len(texts) == 2 == len(table.columns):
        return "long"
    if len(labelled) == 1 and len(table.columns) == 2:
        other = next(c for c in table.columns if c != labelled[0])
        if ID_LIKE.fullmatch(other) and table.kinds[labelled[0]] in ("text", "int"):
            return "long"
    return "wide"


def _read_list(table: ParquetTable, id_column: Any, label_column: Any) -> Labels:
    lists = [c for c in table.columns if table.kinds[c] == "list"]
    if label_column is not None:
        name = table.find(label_column, "label_column")
    elif len(lists) == 1:
        name = lists[0]
    else:
        raise table.source.fail(
            f"{len(lists)} columns hold lists ({shorten(', '.join(lists), 200)}).",
            fix=Fix("Pass {}.", "label_column"),
        )
    if table.kinds[name] != "list":
        raise table.source.fail(
            "the column does not hold lists.", fix=Fix("Pass {}.", "layout"), column=name
        )
    index = table.ids(table.id_column(id_column, [c for c in table.columns if c != name]))
    cells = table.read(name)
    values = cells.flatten()
    if hasattr(cells, "offsets"):
        counts = np.diff(cells.offsets.to_numpy(zero_copy_only=False)).astype(np.int64)
    else:
        counts = np.full(len(cells), cells.type.list_size, np.int64)
    classes, columns = table.codes(values, name)
    if len(classes) == 0:
        raise table.source.fail(
            "no row has a label.", fix="At least one class is needed.", column=name
        )
    if CLASSES_KEY in table.metadata:
        told = _told_classes(table, classes)
        with table.source.placing():
            columns = places(classes, told, "class", missing="empty")[columns]
        classes = told
    return Labels._trusted(csr_of(counts, columns, len(classes)), classes, index)


def _told_classes(table: ParquetTable, found: NDArray[Any]) -> NDArray[Any]:
    """Classes in the order the metadata have."""
    source = table.source
    kind = int if found.dtype.kind in "iu" else str
    try:
        told = json.loads(table.metadata[CLASSES_KEY])
    except (ValueError, RecursionError) as error:
        raise source.fail(
            f"the list of classes is not JSON ({error}).", fix="Write it again."
        ) from None
    if not isinstance(told, list) or not all(type(name) is kind for name in told):
        raise source.fail(
            f"the list of classes must hold {kind.__name__} only.", fix="Write it again."
        )
    if kind is int:
        if not all(-(2**63) <= name < 2**63 for name in told):
            raise source.fail("a class number is beyond 64 bits.", fix="Write the file again.")
        names = np.array(told, dtype=np.int64)
    else:
        names = as_array(source, told, "class names")
    check_unique(source, names, "class")
    return names


def _read_long(table: ParquetTable, id_column: Any, label_column: Any) -> Labels:
    if label_column is not None:
        label = table.find(label_column, "label_column")
        rest = [c for c in table.columns if c != label]
        name = table.find(id_column, "id_column") if id_column is not None else None
        if name is None:
            name = rest[0] if len(rest) == 1 else table.id_column(None, rest)
    else:
        name = table.find(0 if id_column is None else id_column, "id_column")
        rest = [c for c in table.columns if c != name]
        named = [c for c in rest if LABEL_LIKE.fullmatch(c)]
        label = rest[0] if len(rest) == 1 else named[0] if len(named) == 1 else ""
    if not name or not label:
        raise table.source.fail(
            "which columns hold ids and labels? There are "
            f"{shorten(', '.join(table.columns), 200)}.",
            fix=Fix("Pass {} and {}.", "id_column", more=(("label_column", None),)),
        )
    ids, rows = table.codes(table.read(name), name)
    classes, columns = table.codes(table.read(label), label)
    entries = (np.ones(len(rows), bool), (rows, columns))
    matrix = sp.csr_array(entries, shape=(len(ids), len(classes)))
    return Labels._trusted(pattern(matrix), classes, ids)


def _read_wide(table: ParquetTable, id_column: Any) -> Labels:
    name = table.id_column(id_column, table.columns)
    classes = [c for c in table.columns if c != name]
    if not classes:
        raise table.source.fail("there is no class column.", fix="Add one.")
    index = table.ids(name)
    found = []
    for column in classes:
        values = table.numbers(column)
        nonzero = np.flatnonzero(values)
        bad = np.flatnonzero(values[nonzero] != 1)
        if len(bad):
            at = int(nonzero[bad[0]])
            raise table.source.fail(
                f"the value {values[at]} is not 0 or 1; labels must be.",
                fix="Correct it, drop the column, or name it as the id column.",
                row=at,
                column=column,
            )
        found.append(nonzero)
    indptr = np.concatenate([[0], np.cumsum([len(rows) for rows in found])])
    rows = np.concatenate(found)
    by_class = sp.csc_array(
        (np.ones(len(rows), np.int32), rows, indptr), shape=(table.n_rows, len(classes))
    )
    return Labels._trusted(by_class.tocsr(), np.asarray(classes), index)
