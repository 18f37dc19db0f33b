"""Scores as the files hold them: npz, Parquet and text, wide or long."""

from array import array
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, quote, shorten
from trueval.core.scores import Scores
from trueval.data.names import as_array, check_unique
from trueval.data.npz import open_npz
from trueval.data.parquet import ParquetTable
from trueval.data.source import Source
from trueval.data.text import ID_LIKE, LABEL_LIKE, SCORE_LIKE, Table, is_number

__all__ = [
    "looks_long",
    "scores_of_npz",
    "scores_of_parquet",
    "scores_of_text",
]

_COLUMNS = ("id_column", "label_column", "score_column")


def scores_of_npz(source: Source) -> Scores:
    """Scores of an ``.npz`` file, sparse or dense."""
    with open_npz(source) as archive:
        matrix = archive.matrix()
        if matrix.ndim != 2:
            raise source.fail(f"scores must have two dimensions. Got shape {matrix.shape}.")
        return Scores(
            matrix,
            archive.name_array("classes", matrix.shape[1]),
            archive.name_array("index", matrix.shape[0]),
        )


def _is_long(names: list[str], layout: str | None, columns: tuple[Any, Any, Any]) -> bool:
    if layout is not None:
        return layout == "long"
    if columns[1] is not None or columns[2] is not None:
        return True
    return looks_long(names)


def looks_long(names: list[str]) -> bool:
    """Whether the columns are named as id, label and score are."""
    return (
        len(names) == 3
        and bool(LABEL_LIKE.fullmatch(names[1]))
        and bool(SCORE_LIKE.fullmatch(names[2]))
    )


def _are_triples(table: Table) -> bool:
    """Whether each line has an id, a name and a number, the first one too."""
    rows = [table.first, *(fields for _, fields in table.sample)]
    return table.width == 3 and all(is_number(f[2]) and not is_number(f[1]) for f in rows)


def scores_of_parquet(
    table: ParquetTable, layout: str | None, columns: tuple[Any, Any, Any]
) -> Scores:
    """Scores of a Parquet table."""
    if table.n_rows == 0:
        raise table.source.fail("there are no rows.", fix="At least one is needed.")
    if _is_long(table.columns, layout, columns):
        id_, label, score = (
            table.find(at if chosen is None else chosen, name)
            for at, (chosen, name) in enumerate(zip(columns, _COLUMNS, strict=True))
        )
        ids, rows = table.codes(table.read(id_), id_)
        classes, places_ = table.codes(table.read(label), label)
        return _sparse(table.source, rows, places_, table.numbers(score), ids, classes)
    name = table.id_column(columns[0], table.columns)
    names = [c for c in table.columns if c != name]
    if not names:
        raise table.source.fail("there is no column of scores.", fix="Add one.")
    table.source.need(8 * table.n_rows * len(names), "the scores")
    matrix = np.column_stack([table.numbers(c) for c in names]).astype(float, copy=False)
    return Scores(matrix, np.asarray(names), table.ids(name))


def scores_of_text(table: Table, layout: str | None, columns: tuple[Any, Any, Any]) -> Scores:
    """Scores of a delimited text."""
    if _is_long(table.first, layout, columns) or (layout is None and _are_triples(table)):
        return _long_text(table, columns)
    source = table.source
    if columns[0] is not None:
        id_at: int | None = table.position(columns[0], "id_column")
    else:
        seen = [fields[0] for _, fields in table.sample] or [table.first[0]]
        named = bool(ID_LIKE.fullmatch(table.first[0]))
        id_at = 0 if named or not all(is_number(field) for field in seen) else None
    names = [name for at, name in enumerate(table.first) if at != id_at]
    headed = id_at == 0 and bool(ID_LIKE.fullmatch(table.first[0]))
    if not names or (not headed and all(is_number(name) for name in names)):
        raise source.fail(
            "the first line must name the classes; it holds only numbers.",
            fix=Fix(
                "Add a header, or pass {} if the columns are id, label and score.",
                "layout",
                "long",
            ),
            line=table.first_line,
        )
    if "" in (name.strip() for name in names):
        raise source.fail("a class column has no name.", fix="Name it.", line=table.first_line)
    classes = as_array(source, names, "class names")
    check_unique(source, classes, "class")
    ids: dict[str, int] = {}
    values = array("d")
    n_rows = 0
    for number, fields in table.rows(with_first=False):
        if id_at is not None:
            name = fields.pop(id_at)
            if name in ids or not name.strip():
                raise source.fail(
                    f"the id {shorten(name)!r} is empty or was there before.",
                    fix="Name each row once.",
                    line=number,
                )
            ids[name] = n_rows
        values.extend(
            _number(source, field, number, column)
            for field, column in zip(fields, names, strict=True)
        )
        n_rows += 1
    if not n_rows:
        raise source.fail("there is a header but no rows.", fix="At least one is needed.")
    matrix = np.frombuffer(values, float).reshape(n_rows, len(names))
    return Scores(matrix, classes, as_array(source, list(ids), "row ids") if ids else None)


def _long_text(table: Table, columns: tuple[Any, Any, Any]) -> Scores:
    source = table.source
    if table.width < 3:
        raise source.fail(
            f"the long layout needs the columns id, label and score. Got {table.width}.",
            line=table.first_line,
        )
    id_at, label_at, score_at = (
        table.position(at if chosen is None else chosen, name)
        for at, (chosen, name) in enumerate(zip(columns, _COLUMNS, strict=True))
    )
    ids: dict[str, int] = {}
    names: dict[str, int] = {}
    rows, places_, values = array("q"), array("q"), array("d")
    for number, fields in table.rows(with_first=is_number(table.first[score_at])):
        name, label = fields[id_at], fields[label_at].strip()
        if not name.strip() or not label:
            raise source.fail("the id or the label is empty.", fix="Name it.", line=number)
        rows.append(ids.setdefault(name, len(ids)))
        places_.append(names.setdefault(label, len(names)))
        values.append(_number(source, fields[score_at], number, table.first[score_at]))
    if not rows:
        raise source.fail("there is a header but no rows.", fix="At least one is needed.")
    return _sparse(
        source,
        np.asarray(rows),
        np.asarray(places_),
        np.asarray(values),
        as_array(source, list(ids), "row ids"),
        as_array(source, list(names), "class names"),
    )


def _sparse(
    source: Source, rows: Any, columns: Any, values: Any, ids: NDArray[Any], names: NDArray[Any]
) -> Scores:
    keys = np.asarray(rows, np.int64) * len(names) + columns
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(twice):
        at = int(order[twice[0] + 1])
        raise source.fail(
            f"{quote(str(ids[rows[at]]), 60)} has two scores for "
            f"{quote(str(names[columns[at]]), 60)}.",
            fix="Keep one of them.",
            row=at,
        )
    matrix = sp.csr_array(
        (np.asarray(values, float), (rows, columns)), shape=(len(ids), len(names))
    )
    matrix.sort_indices()
    return Scores(matrix, names, ids)


def _number(source: Source, field: str, line: int, column: str) -> float:
    try:
        value = float(field)
    except ValueError:
        value = np.nan
    if not np.isfinite(value) or "_" in field:
        what = "missing" if not field.strip() else f"{shorten(field)!r}"
        raise source.fail(
            f"the score is {what}; scores must be finite numbers.",
            fix="Replace it, or leave the line out of a long file.",
            line=line,
            column=column,
        )
    return value
