"""Labels in delimited text: wide (0/1 columns), long (id, label), or a label column.

::

    wide            long           list
    id,kinase,ion   id,label       id,labels
    p1,1,0          p1,kinase      p1,kinase;ion
    p2,0,1          p2,ion         p2,ion
"""

import re
from array import array
from typing import Any

import numpy as np

from trueval.core.errors import Fix, shorten
from trueval.core.labels import Labels
from trueval.core.params import Choice
from trueval.data.lines import csr_of
from trueval.data.names import as_array, check_unique, from_entries
from trueval.data.source import Source
from trueval.data.text import ID_LIKE, INDEX_LIKE, LABEL_LIKE, Table, is_number

__all__ = ["LAYOUT", "LAYOUTS", "read_delimited_labels"]

#: How labels may be laid out in a table.
LAYOUTS = ("wide", "long", "list")

_ONE = frozenset({"1", "1.0", "true", "True", "TRUE"})
_ZERO = frozenset({"0", "0.0", "false", "False", "FALSE"})
_BINARY = _ONE | _ZERO
_SEPARATORS = ";|"
LISTED = re.compile(r"[\[{]\s*(?:['\"].*|[\d,\s]*)[\]}]")  # a list as Python or JSON writes it


#: What ``layout`` may be, wherever labels are read or written.
LAYOUT = Choice((None, *LAYOUTS))


def read_delimited_labels(
    source: Source,
    *,
    layout: str | None = None,
    id_column: Any = None,
    label_column: Any = None,
    separator: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
) -> Labels:
    """Labels of a CSV or TSV file; see :func:`trueval.data.read_labels`."""
    table = Table(source, encoding, delimiter)
    if not table.sample and (header or (header is None and _only_names(table))):
        raise source.fail("there is a header but no rows.", fix="At least one is needed.")
    if layout is None and label_column is None and _is_wide(table):
        layout = "wide"
    if layout == "wide":
        return _read_wide(table, id_column, header)
    id_at, label_at = _id_and_label(table, id_column, label_column)
    told = header
    if header is None:
        told = _has_header(table, id_at, label_at, id_column, label_column)
        header = bool(told)
    sure = layout is not None
    if layout is None:
        layout, separator = _long_or_list(table, id_at, label_at, separator)
    rows = _Rows(table, id_at, label_at, header)
    labels = rows.long(sure) if layout == "long" else rows.lists(separator or ";", sure)
    if told is None:
        table.warn_of_no_header()
    return labels


def _only_names(table: Table) -> bool:
    """Whether a line reads as the header of a table: an id and names, no numbers."""
    if table.width > 2:
        return not any(is_number(name) for name in table.first[1:])
    return all(
        words.fullmatch(n) for words, n in zip((ID_LIKE, LABEL_LIKE), table.first, strict=False)
    )


def _is_binary(fields: list[str]) -> bool:
    return all(field in _BINARY for field in fields)


def _is_wide(table: Table) -> bool:
    """Tell 0/1 columns from names; refuse what could be either."""
    rows = [fields for _, fields in table.sample] or [table.first]
    if not all(_is_binary(fields[1:]) for fields in rows):
        return False
    if table.width == 1:
        return all(_is_binary(fields) for fields in rows)
    if table.width == 2 and LABEL_LIKE.fullmatch(table.first[1]):
        raise table.source.fail(
            f"column {table.first[1]!r} holds only 0 and 1: either one class with that name or "
            "labels named 0 and 1.",
            fix=Fix("Pass {} or {}.", "layout", "wide", more=(("layout", "long"),)),
            line=table.first_line,
        )
    return True


def _id_and_label(table: Table, id_column: Any, label_column: Any) -> tuple[int, int]:
    id_at = None if id_column is None else table.position(id_column, "id_column")
    label_at = None if label_column is None else table.position(label_column, "label_column")
    if table.width == 1:
        raise table.source.fail(
            f"one column only ({shorten(table.first[0])!r}, delimiter {table.delimiter!r}); an id "
            "and a label are needed.",
            fix=Fix("Add the ids, or pass {}.", "delimiter"),
            line=table.first_line,
        )
    if table.width > 2 and (id_at is None or label_at is None):
        ids = [
            i
            for i, name in enumerate(table.first)
            if ID_LIKE.fullmatch(name) and not INDEX_LIKE.fullmatch(name)
        ]
        names = [i for i, name in enumerate(table.first) if LABEL_LIKE.fullmatch(name)]
        if id_at is None and len(ids) == 1:
            id_at = ids[0]
        if label_at is None and len(names) == 1:
            label_at = names[0]
        if id_at is None or label_at is None:
            raise _neither(table)
    if id_at is None:
        id_at = 1 if label_at == 0 else 0
    if label_at is None:
        label_at = 1 if id_at == 0 else 0
    if id_at == label_at:
        raise table.source.fail(
            f"column {table.first[id_at]!r} cannot be both id and label.",
            fix="Choose two.",
            line=table.first_line,
        )
    return id_at, label_at


def _neither(table: Table) -> Any:
    for number, fields in table.sample or [(table.first_line, table.first)]:
        for name, field in zip(table.first[1:], fields[1:], strict=True):
            if field not in _BINARY:
                return table.source.fail(
                    f"the value {shorten(field)!r} is not 0 or 1, and no column is named as labels "
                    "are.",
                    fix=Fix(
                        "Correct it, or pass {} and {}.",
                        "id_column",
                        more=(("label_column", None),),
                    ),
                    line=number,
                    column=name,
                )
    return table.source.fail(
        "which columns hold ids and labels?",
        fix=Fix("Pass {} and {}.", "id_column", more=(("label_column", None),)),
        line=table.first_line,
    )


def _has_header(
    table: Table, id_at: int, label_at: int, id_column: Any, label_column: Any
) -> bool | None:
    """Whether the first line is a header; None if it cannot be told."""
    if isinstance(id_column, str) or isinstance(label_column, str):
        return True
    name, label = table.first[id_at], table.first[label_at]
    if ID_LIKE.fullmatch(name) or LABEL_LIKE.fullmatch(label):
        return True
    if any(separator in label for separator in _SEPARATORS):
        return False
    return table.told_header([id_at, label_at])


def _long_or_list(
    table: Table, id_at: int, label_at: int, separator: str | None
) -> tuple[str, str | None]:
    if separator is not None:
        return "list", separator
    fields = [fields[label_at] for _, fields in table.sample] or [table.first[label_at]]
    used = [s for s in _SEPARATORS if any(s in field for field in fields)]
    if len(used) > 1:
        raise table.source.fail(
            "the labels contain both ';' and '|', so what separates them is not clear.",
            fix=Fix("Pass {}, or {}.", "separator", more=(("layout", "long"),)),
            column=table.first[label_at],
        )
    if used:
        return "list", used[0]
    name = table.first[label_at]
    plural = LABEL_LIKE.fullmatch(name) and name.lower().endswith("s") and name.lower() != "class"
    ids = [fields[id_at] for _, fields in table.sample]
    return ("list", ";") if plural and len(set(ids)) == len(ids) else ("long", None)


def binary(source: Source, field: str, line: int, column: str) -> bool:
    """Read a 0/1 cell."""
    if field in _ONE:
        return True
    if field in _ZERO:
        return False
    stripped = field.strip()
    if stripped != field and stripped in _BINARY:
        return stripped in _ONE
    what = "the value is missing" if not stripped else f"the value {shorten(field)!r} is not 0 or 1"
    raise source.fail(
        f"{what}; labels must be 0 or 1.",
        fix="Correct it, or drop the row.",
        line=line,
        column=column,
    )


def _read_wide(table: Table, id_column: Any, header: bool | None) -> Labels:
    source = table.source
    if header is None:
        named_first = bool(ID_LIKE.fullmatch(table.first[0])) and table.width > 1
        header = named_first or not _is_binary(table.first[1:] or table.first)
    if id_column is not None:
        id_at: int | None = table.position(id_column, "id_column")
    else:
        seen = [fields[0] for _, fields in table.sample] or [table.first[0]]
        named = header and bool(ID_LIKE.fullmatch(table.first[0]))
        id_at = 0 if named or not _is_binary(seen) else None
    columns = [i for i in range(table.width) if i != id_at]
    names = [table.first[i] if header else str(i) for i in columns]
    if not columns:
        raise source.fail("there is no class column.", fix="Add one.", line=table.first_line)
    classes = as_array(source, names, "class names")
    for at, name in zip(columns, names, strict=True):
        if not name.strip():
            raise source.fail(
                f"class column {at} has no name.",
                fix="Name it in the header.",
                line=table.first_line,
            )
    check_unique(source, classes, "class")
    ids: dict[str, int] = {}
    indices, counts = array("i"), array("q")
    for number, fields in table.rows(with_first=not header):
        if id_at is not None:
            _new_id(source, ids, fields[id_at], number)
            del fields[id_at]
        before = len(indices)
        for column, field in enumerate(fields):
            if field != "0" and binary(source, field, number, names[column]):
                indices.append(column)
        counts.append(len(indices) - before)
    if not counts:
        raise source.fail("there is a header but no rows.", fix="At least one is needed.")
    matrix = csr_of(np.asarray(counts), np.asarray(indices), len(names))
    return Labels._trusted(matrix, classes, as_array(source, list(ids), "row ids") if ids else None)


def _new_id(source: Source, ids: dict[str, int], name: str, line: int) -> int:
    if not name.strip():
        raise source.fail("the row has no id.", fix="Name it, or drop the row.", line=line)
    if name in ids:
        raise source.fail(
            f"the id {shorten(name)!r} stands a second time; rows must have ids of their own.",
            fix=Fix(
                "Merge the rows or rename one; for one label a line pass {}.", "layout", "long"
            ),
            line=line,
        )
    ids[name] = len(ids)
    return ids[name]


def _no_list(source: Source, cell: str, line: int) -> None:
    """Refuse a list as Python or JSON writes it, which is no name."""
    if LISTED.fullmatch(cell):
        raise source.fail(
            f"the label {shorten(cell)!r} is a list written as text.",
            fix="Join its labels by ';', write one of them a line, or use Parquet; pass "
            "layout='long' if it is one name.",
            line=line,
        )


class _Rows:
    """Rows with an id and one or more labels."""

    def __init__(self, table: Table, id_at: int, label_at: int, header: bool) -> None:
        self._table = table
        self._source = table.source
        self._id_at = id_at
        self._label_at = label_at
        self._header = header

    def long(self, sure: bool) -> Labels:
        ids: dict[str, int] = {}
        names: dict[str, int] = {}
        rows, columns = array("q"), array("q")
        for number, fields in self._table.rows(with_first=not self._header):
            name, label = fields[self._id_at], fields[self._label_at].strip()
            if not name.strip():
                raise self._source.fail(
                    "the row has no id.", fix="Name it, or drop it.", line=number
                )
            row = ids.setdefault(name, len(ids))
            if not label:
                continue  # a row without labels
            if not sure:
                _no_list(self._source, label, number)
            if not sure and any(s in label for s in _SEPARATORS):
                raise self._source.fail(
                    f"the label {shorten(label)!r} contains a separator that no label before did.",
                    fix=Fix(
                        "Pass {} if it is several labels, {} if it is one.",
                        "layout",
                        "list",
                        more=(("layout", "long"),),
                    ),
                    line=number,
                )
            rows.append(row)
            columns.append(names.setdefault(label, len(names)))
        return from_entries(self._source, rows, columns, list(ids), list(names), len(ids))

    def lists(self, separator: str, sure: bool) -> Labels:
        ids: dict[str, int] = {}
        names: dict[str, int] = {}
        rows, columns = array("q"), array("q")
        other = _SEPARATORS.replace(separator, "")
        for number, fields in self._table.rows(with_first=not self._header):
            row = _new_id(self._source, ids, fields[self._id_at], number)
            cell = fields[self._label_at].strip()
            if not cell:
                continue
            if not sure:
                _no_list(self._source, cell, number)
            if not sure and len(other) == 1 and other in cell:
                raise self._source.fail(
                    f"the labels {shorten(cell)!r} contain {other!r} where others are separated by "
                    f"{separator!r}.",
                    fix=Fix(
                        "Use one separator, or pass {} and {}.",
                        "separator",
                        more=(("layout", "list"),),
                    ),
                    line=number,
                )
            for label in cell.split(separator):
                label = label.strip()
                if not label:
                    raise self._source.fail(
                        f"an empty label between separators in {shorten(cell)!r}.",
                        fix="Remove it.",
                        line=number,
                        column=self._table.first[self._label_at] if self._header else None,
                    )
                rows.append(row)
                columns.append(names.setdefault(label, len(names)))
        return from_entries(self._source, rows, columns, list(ids), list(names), len(ids))
