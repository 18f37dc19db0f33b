"""``write_labels`` and ``write_scores``: atomic, and read back as they were."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, ParameterError, need_extra
from trueval.core.labels import Labels, as_labels
from trueval.core.params import PATH, Choice, constrained
from trueval.core.scores import Scores, as_scores
from trueval.data.delimited import LAYOUT, LISTED
from trueval.data.parquet import CLASSES_KEY
from trueval.data.score_formats import looks_long
from trueval.data.tables import (
    OUTPUTS,
    distinct_names,
    output_format,
    plain_names,
    write_arrays,
    write_parquet,
    write_rows,
)

__all__ = ["write_labels", "write_scores"]

_DELIMITER = {"csv": ",", "tsv": "\t"}


@constrained(path=PATH, format=Choice((None, *OUTPUTS)), layout=LAYOUT)
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
      members. Long and list text hold neither: a class without members is refused,
      and the classes come back sorted (by value if all are numbers).
    - Text cannot hold every name: tabs, line ends and space around a name are
      refused, in long and list text ``;`` and ``|`` too. npz and Parquet can.
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
    if form == "npz":
        write_arrays(path, _sparse_arrays(labels.matrix, labels.classes, labels.index))
        return
    index = np.arange(labels.n_rows) if labels.index is None else labels.index
    if form == "parquet":
        if layout not in (None, "list"):
            expected = "'list' for Parquet, which holds any number of classes so; leave it out"
            raise ParameterError("layout", expected, layout, "write_labels")
        _write_lists(path, labels, index)
        return
    layout = layout or "list"
    if layout != "wide":
        _refuse_empty_classes(labels)
    separators = "" if layout == "wide" else ";|"
    instead = "write npz, Parquet" + (" or layout='wide'" if separators else "")
    names_ = plain_names(labels.classes, "class", separators, instead)
    listed = [name for name in names_ if separators and LISTED.fullmatch(name)]
    if listed:
        raise InputError(
            f"the class {listed[0]!r} looks like a list and would not be read back.",
            fix=f"Rename it, or {instead}.",
        )
    ids = plain_names(index, "row id")
    write_rows(path, _DELIMITER[form], _label_rows(labels, layout, ids, names_))


def _write_lists(path: Any, labels: Labels, index: NDArray[Any]) -> None:
    names = labels.classes
    numbers = names.dtype.kind in "iu"
    if numbers:
        distinct_names(names, "class")
        small = int(names.min()) >= -(2**31) and int(names.max()) < 2**31
        values = (names.astype(np.int32) if small else names)[labels.indices]
        order: Any = names
    else:
        arrow = need_extra("pyarrow", "parquet", "Parquet")
        texts = distinct_names(names, "class")
        order = np.array(texts)
        coded = arrow.DictionaryArray.from_arrays(arrow.array(labels.indices), arrow.array(texts))
        values = coded.dictionary_decode()
    # Lists alone would be read back sorted, and without the classes nobody has.
    sorted_ = bool((order[1:] > order[:-1]).all()) and bool((labels.class_sizes > 0).all())
    facts = None if sorted_ else {CLASSES_KEY: json.dumps(order.tolist()).encode()}
    ids = index if index.dtype.kind in "iu" else np.array(distinct_names(index, "row id"))
    write_parquet(path, {"id": ids, "labels": (labels.indptr, values)}, facts)


def _refuse_empty_classes(labels: Labels) -> None:
    empty = np.flatnonzero(labels.class_sizes == 0)
    if len(empty):
        raise InputError(
            f"{len(empty):,} classes have no member, the first "
            f"{str(labels.classes[empty[0]])!r}, and would be lost in a long or list layout.",
            fix=Fix("Write npz or Parquet, pass {}, or drop them.", "layout", "wide"),
        )


def _label_rows(
    labels: Labels, layout: str, ids: Sequence[str], names: Sequence[str]
) -> Iterator[Sequence[Any]]:
    indptr, indices = labels.indptr.tolist(), labels.indices
    if layout == "wide":
        yield ["id", *names]
    else:
        yield ["id", "labels" if layout == "list" else "label"]
    for row, name in enumerate(ids):
        own = indices[indptr[row] : indptr[row + 1]].tolist()
        if layout == "wide":
            cells = ["0"] * len(names)
            for column in own:
                cells[column] = "1"
            yield [name, *cells]
        elif layout == "list":
            yield [name, ";".join(names[column] for column in own)]
        else:
            if not own:
                yield [name, ""]
            for column in own:
                yield [name, names[column]]


@constrained(path=PATH, format=Choice((None, *OUTPUTS)))
def write_scores(
    path: Any,
    scores: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    labels: Any = None,
) -> None:
    """Write scores with their names: dense ones wide, sparse ones as id, label, score.

    Parameters
    ----------
    path : str or path-like
        As :func:`write_labels` takes it.
    scores : Scores, ndarray or sparse matrix of shape (n_rows, n_classes)
    format : {"npz", "csv", "tsv", "parquet"}, optional
    labels : Labels, optional
        Gives the names where ``scores`` has none.

    Notes
    -----
    Sparse scores in text or Parquet are lines of id, label and score, so a row or a
    class without any score is not in the file: read with ``labels=`` (and
    ``allow_missing=True`` for rows) to have it back. npz holds both. Names are
    refused as :func:`write_labels` does.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from trueval import as_labels
    >>> from trueval.data import write_scores
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.csv")
    ...     write_scores(file, np.array([[0.5, 1.0]]), labels=as_labels([{"a", "b"}]))
    ...     print(file.read_text())
    id,a,b
    0,0.5,1.0
    """
    made = _named_scores(scores, labels)
    form = output_format(path, format)
    matrix, classes = made.matrix, made.classes
    index = np.arange(matrix.shape[0]) if made.index is None else made.index
    dense = not sp.issparse(matrix)
    if form == "npz":
        if dense:
            arrays = {"scores": matrix, "classes": _storable(classes)}
            if made.index is not None:
                arrays["index"] = _storable(made.index)
        else:
            arrays = _sparse_arrays(matrix, classes, made.index)
        write_arrays(path, arrays)
    elif form == "parquet":
        names = distinct_names(classes, "class")
        ids_ = distinct_names(index, "row id")
        if dense:
            if "id" in names:
                raise InputError(
                    "a class is named 'id', as the ids are.", fix="Rename it, or write npz."
                )
            _refuse_long_header(names)
            columns = {name: matrix[:, c] for c, name in enumerate(names)}
            write_parquet(path, {"id": np.array(ids_), **columns})
        else:
            coo = matrix.tocoo()
            ids, labels_ = np.array(ids_)[coo.row], np.array(names)[coo.col]
            write_parquet(path, {"id": ids, "label": labels_, "score": coo.data})
    else:
        names = plain_names(classes, "class")
        ids_ = plain_names(index, "row id")
        if dense:
            _refuse_long_header(names)
        rows = _wide_rows(matrix, ids_, names) if dense else _long_rows(matrix, ids_, names)
        write_rows(path, _DELIMITER[form], rows)


def _refuse_long_header(names: Sequence[str]) -> None:
    if looks_long(["id", *names]):
        raise InputError(
            f"two classes named {names[0]!r} and {names[1]!r} would be read back as the columns "
            "of a long file.",
            fix="Rename one, or write npz.",
        )


def _wide_rows(matrix: Any, ids: Sequence[str], names: Sequence[str]) -> Iterator[Sequence[Any]]:
    yield ["id", *names]
    for name, row in zip(ids, matrix, strict=True):
        yield [name, *row.tolist()]


def _long_rows(matrix: Any, ids: Sequence[str], names: Sequence[str]) -> Iterator[Sequence[Any]]:
    yield ["id", "label", "score"]
    csr = matrix.tocsr()
    for row, name in enumerate(ids):
        own = slice(csr.indptr[row], csr.indptr[row + 1])
        for column, score in zip(csr.indices[own].tolist(), csr.data[own].tolist(), strict=True):
            yield [name, names[column], score]


def _named_scores(scores: Any, labels: Any) -> Scores:
    if isinstance(scores, Scores):
        return scores
    values = as_scores(scores)
    if labels is None:
        return values
    names = as_labels(labels)
    if names.shape != values.shape:
        raise InputError(
            f"scores have shape {values.shape}, labels {names.shape}. They must agree."
        )
    return Scores._trusted(values.matrix, names.classes, names.index)


def _sparse_arrays(
    matrix: Any, classes: NDArray[Any], index: NDArray[Any] | None
) -> dict[str, Any]:
    csr = matrix.tocsr()
    arrays = {
        "format": np.array("csr".encode("ascii")),
        "shape": np.array(csr.shape),
        "data": csr.data,
        "indices": csr.indices,
        "indptr": csr.indptr,
        "classes": _storable(classes),
    }
    if index is not None:
        arrays["index"] = _storable(index)
    return arrays


def _storable(names: NDArray[Any]) -> NDArray[Any]:
    return names if names.dtype.kind in "iuU" else np.array([str(n) for n in names.tolist()])
