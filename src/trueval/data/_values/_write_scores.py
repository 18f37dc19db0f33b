"""``write_scores``: dense ones as a wide table, stored ones as id, label and score."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, InputWarning, warn_user
from trueval.core.labels import as_labels
from trueval.core.params import NONE, PATH, STRING, constrained
from trueval.core.scores import Scores, as_scores
from trueval.data._columns import Codes
from trueval.data._formats import Format, output_format, write_raw
from trueval.data._raw import RawMatrix, RawTable
from trueval.data._values._ids import is_id_column
from trueval.data._values.scores import looks_long
from trueval.data._writers import file_names

__all__ = ["write_predictions", "write_scores"]


@constrained(path=PATH, format=(NONE, STRING))
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
    named = _named_scores(scores, labels)
    form = output_format(path, format)
    if named.is_sparse and "matrix" not in form.holds:
        _warn_of_lost(named)
    _write(path, form, named)


def write_predictions(path: Any, scores: Scores) -> None:
    """Write stored scores that are predictions: rows that have none need no word."""
    form = output_format(path, None)
    if scores.n_stored == 0 and "matrix" not in form.holds:
        none = np.array(["-"])
        _write_triples(path, form, scores.matrix, none, none)
    else:
        _write(path, form, scores)


def _write(path: Any, form: Format, named: Scores) -> None:
    if "matrix" in form.holds:
        classes = file_names(form, named.classes, "class")
        index = None if named.index is None else file_names(form, named.index, "row id")
        write_raw(path, form, RawMatrix(named.matrix, classes, index))
        return
    classes = file_names(form, _texts(named.classes), "class")
    index = _texts(np.arange(named.n_rows) if named.index is None else named.index)
    ids = file_names(form, index, "row id")
    if named.is_sparse:
        _write_triples(path, form, named.matrix, ids, classes)
        return
    for name in classes.tolist():
        if is_id_column(name, typed=form.typed):
            raise InputError(
                f"a class is named {name!r}, as ids are.", fix="Rename it, or write npz."
            )
    if looks_long(["id", *classes.tolist()]):
        raise InputError(
            "two classes are named as the label and the score of a long file are, and would be "
            "read back so.",
            fix="Rename one, or write npz.",
        )
    write_raw(path, form, RawMatrix(named.matrix, classes, ids))


def _write_triples(path: Any, form: Any, matrix: Any, ids: Any, classes: Any) -> None:
    """Write lines of id, label and score."""
    coo = matrix.tocoo()
    columns = {"id": Codes(ids, coo.row), "label": Codes(classes, coo.col), "score": coo.data}
    write_raw(path, form, RawTable(columns))


def _warn_of_lost(scores: Scores) -> None:
    """Say how many rows and classes a table of stored scores has no place for."""
    csr = scores.matrix
    if csr.nnz == 0:
        raise InputError(
            "no score is stored, so a table of them would be empty.",
            fix="Write npz, which holds matrices without a score.",
        )
    rows = int(np.count_nonzero(np.diff(csr.indptr) == 0))
    classes = scores.n_classes - int(np.count_nonzero(np.bincount(csr.indices)))
    if rows or classes:
        warn_user(
            f"{rows:,} of {scores.n_rows:,} rows and {classes:,} of {scores.n_classes:,} classes "
            "have no score and are not in the table; npz keeps them.",
            InputWarning,
        )


def _texts(names: NDArray[Any]) -> NDArray[Any]:
    return names.astype(np.str_) if names.dtype.kind in "iuU" else names


def _named_scores(scores: Any, labels: Any) -> Scores:
    values = as_scores(scores)
    if isinstance(scores, Scores) or labels is None:
        return values
    names = as_labels(labels)
    if names.shape != values.shape:
        raise InputError(
            f"scores have shape {values.shape}, labels {names.shape}. They must agree."
        )
    return Scores._trusted(values.matrix, names.classes, names.index)
