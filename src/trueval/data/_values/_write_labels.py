"""``write_labels``: read back the same, or refused."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, InputWarning, ParameterError, Place, warn_user
from trueval.core.labels import Labels, as_labels
from trueval.core.params import NONE, PATH, STRING, constrained
from trueval.data._cells import LISTED
from trueval.data._columns import Codes, Column, Lists
from trueval.data._formats import Format, output_format, write_raw
from trueval.data._raw import RawMatrix, RawTable
from trueval.data._values._layouts import CLASSES_KEY, LAYOUT, unclear_class
from trueval.data._values._separators import SEPARATORS, possible_list
from trueval.data._values._words import BINARY
from trueval.data._writers import file_names

__all__ = ["write_labels"]


@constrained(path=PATH, format=(NONE, STRING), layout=LAYOUT)
def write_labels(
    path: Any,
    labels: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    layout: str | None = None,
) -> None:
    """Write labels with their names; the file is complete or not there.

    Parameters
    ----------
    path : str or path-like
        Ends in ``.npz``, ``.csv``, ``.tsv`` or ``.parquet``; text also in ``.gz``,
        ``.bz2``, ``.xz`` or ``.zst`` after that.
    labels : Labels or anything :func:`trueval.as_labels` takes
        Rows without ids get their numbers in text and Parquet.
    format : {"npz", "csv", "tsv", "parquet"}, optional
        If the name does not say it.
    layout : {"wide", "long", "list"}, optional
        Of a table; ``"list"`` by default. Parquet is always a list column.

    Notes
    -----
    What is written is read back the same by :func:`read_labels`, or refused:

    - npz, Parquet and wide text keep the order of the classes and classes without
      positives. Long and list text hold neither: a class without positives is refused,
      and the classes come back sorted (by value if all are numbers).
    - Text cannot hold every name: tabs, line ends and space around a name are
      refused, in long and list text ``;`` and ``|`` too, and if no row has two labels also
      what could be read as a list (commas, spaces). npz and Parquet can.
    - Text reads names that are numbers back as text, npz and Parquet as numbers.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from trueval.data import read_labels, write_labels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "labels.csv")
    ...     write_labels(file, [{"a", "b"}, {"b"}])
    ...     print(file.read_text(), read_labels(file))
    id,labels
    0,a;b
    1,b
    Labels(2 rows × 2 classes, 3 positives)
    """
    labels = as_labels(labels)
    form = output_format(path, format)
    if "matrix" in form.holds:
        classes = file_names(form, labels.classes, "class")
        index = None if labels.index is None else file_names(form, labels.index, "row id")
        write_raw(path, form, RawMatrix(labels.matrix, classes, index))
        return
    index = np.arange(labels.n_rows) if labels.index is None else labels.index
    if form.typed:
        if layout not in (None, "list"):
            expected = f"'list' for {form.name}, which holds any number of classes so; leave it out"
            raise ParameterError("layout", expected, layout, "write_labels")
        write_raw(path, form, _list_table(form, labels, index))
        return
    layout = layout or "list"
    separators = "" if layout == "wide" else SEPARATORS
    instead = "write npz, Parquet" + (" or layout='wide'" if separators else "")
    if separators:
        _refuse_lost(labels, instead)
    elif (unclear := unclear_class(list(map(str, labels.classes.tolist())))) is not None:
        raise InputError(
            f"a column named {unclear!r} would not be read back as a class.",
            fix="Rename it, or write npz, Parquet or layout='list'.",
        )
    names = file_names(form, labels.classes, "class", forbidden=separators, instead=instead)
    ids = file_names(form, index, "row id")
    if separators:
        _say_order(labels, path)
    if layout == "wide":
        write_raw(path, form, RawMatrix(labels.matrix, names, ids))
    elif layout == "list":
        columns: dict[str, Column] = {"id": ids}
        columns["labels"] = Lists(names, labels.indices, labels.indptr)
        write_raw(path, form, RawTable(columns))
    else:
        write_raw(path, form, _long_table(labels, ids, names))


def _refuse_lost(labels: Labels, instead: str) -> None:
    """Refuse classes that a long or list layout cannot hold."""
    empty = np.flatnonzero(labels.class_sizes == 0)
    if len(empty):
        raise InputError(
            f"{len(empty):,} classes have no positive, the first "
            f"{str(labels.classes[empty[0]])!r}, and would be lost in a long or list layout.",
            fix=Fix("Write npz or Parquet, pass {}, or drop them.", "layout", "wide"),
        )
    names = list(map(str, labels.classes.tolist()))
    if {*names} <= BINARY:
        named = " and ".join(map(repr, sorted(names)))
        raise InputError(
            f"the only classes are named {named}, so that a column of them could be read back as "
            "one class.",
            fix=f"Rename them, or {instead}.",
        )
    listed = [name for name in names if LISTED.fullmatch(name)]
    if listed:
        raise InputError(
            f"the class {listed[0]!r} looks like a list and would not be read back.",
            fix=f"Rename it, or {instead}.",
        )
    if np.diff(labels.indptr).max(initial=0) < 2:  # neither a separator nor an id that comes again
        doubtful = possible_list(names)
        if doubtful is not None:
            raise InputError(
                f"the class {doubtful[0]!r} could be read back as a list separated by "
                f"{doubtful[1]!r}: no row has two labels to show what separates them.",
                fix=f"Rename it, or {instead}.",
            )


def _say_order(labels: Labels, path: Any) -> None:
    """Say that classes come back sorted where theirs is another order."""
    names = list(map(str, labels.classes.tolist()))
    if labels.classes.dtype.kind not in "iu" and names != sorted(names):
        warn_user(
            "the classes are not in sorted order, in which a list or long layout is read back.",
            InputWarning,
            place=Place(str(path)),
            fix=Fix(
                "Match scores by the names of classes, not by their order; to keep the order "
                "write npz or Parquet, or pass {}.",
                "layout",
                "wide",
            ),
        )


def _list_table(form: Format, labels: Labels, index: NDArray[Any]) -> RawTable:
    names = file_names(form, labels.classes, "class")
    if names.dtype.kind == "u" and len(names) and int(names.max()) >= 2**63:
        raise InputError(
            f"the class number {names.max()} is beyond 64 bits with a sign and would not be read "
            "back.",
            fix="Name the classes by text, or write npz.",
        )
    # Lists alone would be read back sorted, and without the classes nobody has.
    in_order = bool((names[1:] > names[:-1]).all()) and bool((labels.class_sizes > 0).all())
    # And lists of 0 and 1 could be rows of a matrix.
    unclear = names.dtype.kind in "iu" and set(names.tolist()) <= {0, 1}
    metadata = {} if in_order and not unclear else {CLASSES_KEY: json.dumps(names.tolist())}
    lists = Lists(names, labels.indices, labels.indptr)
    columns: dict[str, Column] = {"id": file_names(form, index, "row id"), "labels": lists}
    return RawTable(columns, metadata)


def _long_table(labels: Labels, ids: NDArray[Any], names: NDArray[Any]) -> RawTable:
    """One row for each label; a row without labels has an empty one."""
    counts = np.diff(labels.indptr)
    rows = np.repeat(np.arange(labels.n_rows, dtype=np.int32), np.maximum(counts, 1))
    codes = np.full(len(rows), -1, np.int32)
    codes[np.repeat(counts > 0, np.maximum(counts, 1))] = labels.indices
    # Number -1 is the last name.
    columns = {"id": Codes(ids, rows), "label": Codes(np.append(names, ""), codes)}
    return RawTable(columns)
