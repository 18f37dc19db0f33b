"""``read_scores``: dense or top-k scores, put beside labels by name and never by luck."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.data.names import places
from trueval.data.npz import read_npy
from trueval.data.parquet import open_parquet
from trueval.data.score_formats import (
    FoundScores,
    scores_of_npz,
    scores_of_parquet,
    scores_of_text,
)
from trueval.data.sniff import find_format
from trueval.data.source import Source
from trueval.data.text import Table
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
        id, label and score (sparse, for top-k scores). Found by the header, or by lines of
        an id, a name and a number.
    id_column, label_column, score_column : str or int, optional
        Columns of a table.
    delimiter : str, optional
    allow_missing : bool, default=False
        For sparse scores: rows of ``labels`` without any score are empty instead
        of an error. Right where only scores above a cut are stored, so that a row may
        have none; wrong where predictions were lost. Classes without a score are
        always allowed in sparse scores.
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
        found = scores_of_npz(source)
    elif form == "npy":
        found = FoundScores(read_npy(source), None, None)
    elif form == "parquet":
        with open_parquet(source) as parquet:
            found = scores_of_parquet(parquet, layout, columns)
    else:
        found = scores_of_text(Table(source, encoding, delimiter), layout, columns)
    with source.guard("scores"):
        found.check(source)
    found.name(source, classes, index)
    if labels is not None:
        return _beside(source, found, as_labels(labels), allow_missing)
    names = np.arange(found.matrix.shape[1]) if found.classes is None else found.classes
    return Scores(found.matrix, names, found.index)


def _beside(source: Source, found: FoundScores, labels: Labels, allow_missing: bool) -> Scores:
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
    source: Source, found: FoundScores, labels: Labels, *, complete: bool
) -> NDArray[np.int64]:
    if found.index is not None and labels.index is not None:
        hint = (
            "Where an object may rightly have no score, as when only scores above a cut are "
            "stored, pass allow_missing=True: its scores are then all absent, below every stored "
            "one. If its predictions were lost, add them."
        )
        return places(
            source,
            found.index,
            labels.index,
            "row id",
            complete=complete,
            if_missing=hint if sp.issparse(found.matrix) else "",
        )
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
    source: Source, found: FoundScores, labels: Labels, *, complete: bool
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
