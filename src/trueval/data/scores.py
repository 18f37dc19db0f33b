"""``read_scores``: dense or top-k scores, put beside labels by name and never by luck."""

from array import array
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.data.names import as_array, check_unique, given_names, places
from trueval.data.npz import open_npz, read_npy
from trueval.data.parquet import ParquetTable, open_parquet
from trueval.data.sniff import find_format
from trueval.data.source import Source, show
from trueval.data.text import ID_LIKE, LABEL_LIKE, SCORE_LIKE, Table
from trueval.labels import Labels, as_labels

__all__ = ["Scores", "read_scores"]

_FORMATS = ("npz", "npy", "csv", "tsv", "parquet")


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Scores with the names of their rows and classes.

    Attributes
    ----------
    matrix : ndarray or scipy.sparse.csr_array, shape (n_rows, n_classes)
        Sparse for top-k scores: what is not stored was not scored.
    classes : ndarray of shape (n_classes,)
        Names of the columns; their numbers where the file had none.
    index : ndarray of shape (n_rows,) or None
        Names of the rows where the file had them.
    """

    matrix: Any
    classes: NDArray[Any]
    index: NDArray[Any] | None = field(default=None)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and classes."""
        return self.matrix.shape

    def __repr__(self) -> str:
        n_rows, n_classes = self.shape
        kind = f"{self.matrix.nnz:,} scores" if sp.issparse(self.matrix) else "dense"
        return f"Scores({n_rows:,} rows × {n_classes:,} classes, {kind})"


def read_scores(
    path: Any,
    labels: Any = None,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    layout: str | None = None,
    id_column: str | int | None = None,
    label_column: str | int | None = None,
    score_column: str | int | None = None,
    delimiter: str | None = None,
    allow_missing: bool = False,
    classes: Any = None,
    index: Any = None,
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> Scores:
    r"""Read scores, in the order of the labels if these are given.

    Parameters
    ----------
    path : str or path-like
        ``.npz`` (sparse or dense, with arrays ``classes`` and ``index`` for the
        names), ``.npy``, CSV, TSV or Parquet, compressed or not.
    labels : Labels, or anything :func:`trueval.as_labels` takes, optional
        Rows and columns come back in their order, matched by name. Row ids or
        classes that do not match are an error that says which.
    format : {"npz", "npy", "csv", "tsv", "parquet"}, optional
    layout : {"wide", "long"}, optional
        Of a table: one column of scores for each class (dense), or the columns
        id, label and score (sparse, for top-k scores). Found by the header.
    id_column, label_column, score_column : str or int, optional
        Columns of a table.
    delimiter : str, optional
    allow_missing : bool, default=False
        For sparse scores: rows of ``labels`` without any score are empty instead
        of an error. Classes without a score are always allowed in sparse scores.
    classes, index : sequence or path, optional
        Names for a file that has none, in order. Passing ``classes=labels.classes``
        and ``index=labels.index`` says that the order is the same.
    encoding : str, default="utf-8"
    max_bytes : int, optional
        As in :func:`read_labels`.

    Returns
    -------
    Scores

    Raises
    ------
    InputError
        For NaN and infinite scores, unknown or missing names, duplicates, and
        anything else wrong in the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from trueval.data import read_labels, read_scores
    >>> folder = tempfile.TemporaryDirectory()
    >>> truth, guess = Path(folder.name, "labels.csv"), Path(folder.name, "scores.csv")
    >>> _ = truth.write_text("id,ion,kinase\np1,1,0\np2,0,1\n")
    >>> _ = guess.write_text("id,kinase,ion\np2,0.9,0.2\np1,0.1,0.8\n")
    >>> read_scores(guess, read_labels(truth)).matrix
    array([[0.8, 0.1],
           [0.2, 0.9]])
    >>> folder.cleanup()
    """
    return scores_of(
        Source(path, max_bytes=max_bytes),
        labels,
        format,
        layout=layout,
        columns=(id_column, label_column, score_column),
        delimiter=delimiter,
        allow_missing=allow_missing,
        classes=classes,
        index=index,
        encoding=encoding,
    )


def scores_of(
    source: Source,
    labels: Any = None,
    form: str | None = None,
    *,
    layout: str | None = None,
    columns: tuple[Any, Any, Any] = (None, None, None),
    delimiter: str | None = None,
    allow_missing: bool = False,
    classes: Any = None,
    index: Any = None,
    encoding: str = "utf-8",
) -> Scores:
    """Scores of a source; the body of :func:`read_scores`."""
    if layout not in (None, "wide", "long"):
        raise ValueError(f"The 'layout' parameter must be wide or long. Got {layout!r} instead.")
    form = find_format(source, form, _FORMATS)
    if form == "npz":
        found = _of_npz(source)
    elif form == "npy":
        found = _Found(read_npy(source), None, None)
    elif form == "parquet":
        with open_parquet(source) as parquet:
            found = _of_parquet(parquet, layout, columns)
    else:
        found = _of_text(Table(source, encoding, delimiter), layout, columns)
    with source.guard("scores"):
        found.check(source)
    found.name(source, classes, index)
    if labels is not None:
        return _beside(source, found, as_labels(labels), allow_missing)
    names = np.arange(found.matrix.shape[1]) if found.classes is None else found.classes
    return Scores(found.matrix, names, found.index)


@dataclass
class _Found:
    """What a file holds: a matrix, and names if it has them."""

    matrix: Any
    classes: NDArray[Any] | None
    index: NDArray[Any] | None

    def check(self, source: Source) -> None:
        matrix = self.matrix
        if matrix.ndim != 2 or matrix.dtype.kind not in "biuf" or 0 in matrix.shape:
            raise source.fail(
                "scores must be numbers in two dimensions, rows × classes, and not empty. Got "
                f"shape {matrix.shape} of {matrix.dtype}."
            )
        sparse = sp.issparse(matrix)
        if sparse:
            if matrix.format in ("csr", "csc"):
                matrix.check_format(full_check=True)
            matrix = matrix.tocsr()
            if not matrix.has_canonical_format:
                n = matrix.nnz
                matrix.sum_duplicates()
                if matrix.nnz < n:
                    raise source.fail("a row scores a class twice. Keep one score of them.")
        values = matrix.data if sparse else matrix
        if not np.isfinite(values).all():
            bad = np.argwhere(~np.isfinite(values))[0]
            coo = matrix.tocoo() if sparse else None
            row, column = (coo.row[bad[0]], coo.col[bad[0]]) if coo is not None else bad
            name = int(column) if self.classes is None else str(self.classes[column])
            value = values[tuple(bad)]
            raise source.fail(
                f"the score is {value}; scores must be finite. Replace it, or leave it out of a "
                "sparse file.",
                row=int(row),
                column=name,
            )
        self.matrix = matrix

    def name(self, source: Source, classes: Any, index: Any) -> None:
        for what, given, axis in (("index", index, 0), ("classes", classes, 1)):
            if given is None:
                continue
            if getattr(self, what) is not None:
                raise source.fail(
                    f"the file has names of its own, so {what}= cannot name them. Leave it out, or "
                    "pass labels= to order them."
                )
            names = given_names(given, what)
            if len(names) != self.matrix.shape[axis]:
                raise source.fail(
                    f"scores of shape {self.matrix.shape}, but {what}= gives {len(names):,} names."
                )
            setattr(self, what, names)


def _beside(source: Source, found: _Found, labels: Labels, allow_missing: bool) -> Scores:
    sparse = sp.issparse(found.matrix)
    rows = _row_places(source, found, labels, complete=not (sparse and allow_missing))
    columns = _class_places(source, found, labels, complete=not sparse)
    if not sparse:
        matrix: Any = np.empty(labels.shape, found.matrix.dtype)
        matrix[np.ix_(rows, columns)] = found.matrix
    else:
        coo = found.matrix.tocoo()
        matrix = sp.csr_array((coo.data, (rows[coo.row], columns[coo.col])), shape=labels.shape)
        matrix.sort_indices()
    return Scores(matrix, labels.classes, labels.index)


def _row_places(
    source: Source, found: _Found, labels: Labels, *, complete: bool
) -> NDArray[np.int64]:
    if found.index is not None and labels.index is not None:
        return places(source, found.index, labels.index, "row id", complete=complete)
    if found.index is None and labels.index is None:
        if found.matrix.shape[0] != labels.n_rows:
            raise source.fail(
                f"{found.matrix.shape[0]:,} rows of scores for {labels.n_rows:,} rows of labels. "
                "They must be the same rows."
            )
        return np.arange(labels.n_rows)
    if found.index is None:
        raise source.fail(
            "the scores have no row ids and the labels have, so their order is not known to "
            "agree. Pass index=labels.index if it does, or write the scores with ids."
        )
    raise source.fail(
        "the scores have row ids and the labels have none, so they cannot be matched. Read the "
        "labels with ids (index=)."
    )


def _class_places(
    source: Source, found: _Found, labels: Labels, *, complete: bool
) -> NDArray[np.int64]:
    if found.classes is not None:
        return places(source, found.classes, labels.classes, "class", complete=complete)
    n_classes = found.matrix.shape[1]
    if n_classes != labels.n_classes:
        raise source.fail(
            f"scores for {n_classes:,} classes, labels of {labels.n_classes:,}. They must be the "
            "same classes."
        )
    if labels.classes.dtype.kind not in "iu":
        raise source.fail(
            "the scores have no class names and the labels have, so their order is not known to "
            "agree. Pass classes=labels.classes if it does, or write the scores with names."
        )
    return np.arange(n_classes)


# --- formats -------------------------------------------------------------------


def _of_npz(source: Source) -> _Found:
    with open_npz(source) as archive:
        matrix = archive.matrix()
        if matrix.ndim != 2:
            raise source.fail(f"scores must have two dimensions. Got shape {matrix.shape}.")
        return _Found(
            matrix,
            archive.name_array("classes", matrix.shape[1]),
            archive.name_array("index", matrix.shape[0]),
        )


def _is_long(names: list[str], layout: str | None, columns: tuple[Any, Any, Any]) -> bool:
    if layout is not None:
        return layout == "long"
    if columns[1] is not None or columns[2] is not None:
        return True
    return (
        len(names) == 3
        and bool(LABEL_LIKE.fullmatch(names[1]))
        and bool(SCORE_LIKE.fullmatch(names[2]))
    )


def _of_parquet(table: ParquetTable, layout: str | None, columns: tuple[Any, Any, Any]) -> _Found:
    if table.n_rows == 0:
        raise table.source.fail("there are no rows. At least one is needed.")
    if _is_long(table.columns, layout, columns):
        id_, label, score = (
            table.find(at if given is None else given, "a column")
            for at, given in enumerate(columns)
        )
        ids, rows = table.codes(table.read(id_), id_)
        classes, places_ = table.codes(table.read(label), label)
        return _sparse(table.source, rows, places_, table.numbers(score), ids, classes)
    name = table.id_column(columns[0], table.columns)
    names = [c for c in table.columns if c != name]
    if not names:
        raise table.source.fail("there is no column of scores. Add one.")
    table.source.need(8 * table.n_rows * len(names), "the scores")
    matrix = np.column_stack([table.numbers(c) for c in names]).astype(float, copy=False)
    return _Found(matrix, np.asarray(names), table.ids(name))


def _of_text(table: Table, layout: str | None, columns: tuple[Any, Any, Any]) -> _Found:
    if _is_long(table.first, layout, columns):
        return _long_text(table, columns)
    source = table.source
    if columns[0] is not None:
        id_at: int | None = table.position(columns[0], "id_column")
    else:
        seen = [fields[0] for _, fields in table.sample] or [table.first[0]]
        named = bool(ID_LIKE.fullmatch(table.first[0]))
        id_at = 0 if named or not all(_is_number(field) for field in seen) else None
    names = [name for at, name in enumerate(table.first) if at != id_at]
    headed = id_at == 0 and bool(ID_LIKE.fullmatch(table.first[0]))
    if not names or (not headed and all(_is_number(name) for name in names)):
        raise source.fail(
            "the first line must name the classes; it holds only numbers. Add a header.",
            line=table.first_line,
        )
    if "" in (name.strip() for name in names):
        raise source.fail("a class column has no name. Name it.", line=table.first_line)
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
                    f"the id {show(name)!r} is empty or stands a second time. Name each row once.",
                    line=number,
                )
            ids[name] = n_rows
        values.extend(
            _number(source, field, number, column)
            for field, column in zip(fields, names, strict=True)
        )
        n_rows += 1
    if not n_rows:
        raise source.fail("there is a header but no rows. At least one is needed.")
    matrix = np.frombuffer(values, float).reshape(n_rows, len(names))
    return _Found(matrix, classes, as_array(source, list(ids), "row ids") if ids else None)


def _long_text(table: Table, columns: tuple[Any, Any, Any]) -> _Found:
    source = table.source
    if table.width < 3:
        raise source.fail(
            f"the long layout needs the columns id, label and score. Got {table.width}.",
            line=table.first_line,
        )
    id_at, label_at, score_at = (
        table.position(at if given is None else given, "a column")
        for at, given in enumerate(columns)
    )
    ids: dict[str, int] = {}
    names: dict[str, int] = {}
    rows, places_, values = array("q"), array("q"), array("d")
    for number, fields in table.rows(with_first=_is_number(table.first[score_at])):
        name, label = fields[id_at], fields[label_at].strip()
        if not name.strip() or not label:
            raise source.fail("the id or the label is empty. Name it.", line=number)
        rows.append(ids.setdefault(name, len(ids)))
        places_.append(names.setdefault(label, len(names)))
        values.append(_number(source, fields[score_at], number, table.first[score_at]))
    if not rows:
        raise source.fail("there is a header but no rows. At least one is needed.")
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
) -> _Found:
    keys = np.asarray(rows, np.int64) * len(names) + columns
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(twice):
        at = int(order[twice[0] + 1])
        raise source.fail(
            f"{show(str(ids[rows[at]]))!r} has two scores for {show(str(names[columns[at]]))!r}. "
            "Keep one of them.",
            row=at,
        )
    matrix = sp.csr_array(
        (np.asarray(values, float), (rows, columns)), shape=(len(ids), len(names))
    )
    matrix.sort_indices()
    return _Found(matrix, names, ids)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _number(source: Source, field: str, line: int, column: str) -> float:
    try:
        value = float(field)
    except ValueError:
        value = np.nan
    if not np.isfinite(value) or "_" in field:
        what = "missing" if not field.strip() else f"{show(field)!r}"
        raise source.fail(
            f"the score is {what}; scores must be finite numbers. Replace it, or leave the line "
            "out of a long file.",
            line=line,
            column=column,
        )
    return value
