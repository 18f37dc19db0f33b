"""``read_scores``: dense or top-k scores, put beside labels by name and never by luck."""

from typing import Any

from trueval.core.errors import Fix, InputError
from trueval.core.labels import Labels, as_labels
from trueval.core.named import as_names
from trueval.core.names import joined_names, with_classes, with_rows
from trueval.core.params import BOOL, NONE, PATH, Choice, Interval, constrained
from trueval.core.scores import Scores
from trueval.data.names import given_names
from trueval.data.npz import read_npy
from trueval.data.parquet import open_parquet
from trueval.data.score_formats import scores_of_npz, scores_of_parquet, scores_of_text
from trueval.data.sniff import find_format
from trueval.data.source import Source
from trueval.data.text import COLUMN, DELIMITER, ENCODING, Table

__all__ = ["Scores", "read_scores"]

_FORMATS = ("npz", "npy", "csv", "tsv", "parquet")
_IF_MISSING = Fix(
    "Where an object may rightly have no score, as when only scores above a cut are stored, pass "
    "{}: its scores are then all absent, below every stored one. If its predictions were lost, "
    "add them.",
    "allow_missing",
    True,
)
_IF_EXTRA = Fix(
    "If the labels lack them because they are negative, pass {}.", "allow_unlabelled", True
)


@constrained(
    path=PATH,
    format=(NONE, Choice(_FORMATS)),
    layout=Choice((None, "wide", "long")),
    id_column=COLUMN,
    label_column=COLUMN,
    score_column=COLUMN,
    delimiter=DELIMITER,
    allow_missing=BOOL,
    allow_unlabelled=BOOL,
    same_order=BOOL,
    encoding=ENCODING,
    max_bytes=(NONE, Interval(int, 1)),
)
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
    allow_unlabelled: bool = False,
    same_order: bool = False,
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
    allow_unlabelled : bool, default=False
        Rows and classes that only the scores have are kept, after those of ``labels``,
        instead of an error. Right where labels list positives only, so that who has none
        is not in them; ``align(labels, rows=scores.index, classes=scores.classes,
        missing="empty")`` then gives the labels of all, see :func:`trueval.align`.
    same_order : bool, default=False
        The rows and classes of a file without names are those of ``labels``, in order.
        What has names is matched by name all the same.
    classes, index : sequence or path, optional
        Names for a file that has none, in order.
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
        allow_unlabelled=allow_unlabelled,
        same_order=same_order,
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
    allow_unlabelled: bool = False,
    same_order: bool = False,
    classes: Any = None,
    index: Any = None,
    encoding: str = "utf-8",
) -> Scores:
    """Scores of a source; the body of :func:`read_scores`."""
    form = find_format(source, form, _FORMATS)
    with source.placing():
        if form == "npz":
            scores = scores_of_npz(source)
        elif form == "npy":
            scores = Scores(read_npy(source))
        elif form == "parquet":
            with open_parquet(source) as parquet:
                scores = scores_of_parquet(parquet, layout, columns)
        else:
            scores = scores_of_text(Table(source, encoding, delimiter), layout, columns)
    with source.placing():
        scores = _with_names(scores, classes, index)
        if labels is None:
            return scores
        return _matched(
            scores,
            as_labels(labels),
            allow_missing=allow_missing,
            allow_unlabelled=allow_unlabelled,
            same_order=same_order,
        )


def _with_names(scores: Scores, classes: Any, index: Any) -> Scores:
    """Scores with the names the user gave, where the file has none."""
    for what, names, own in (("index", index, scores.index), ("classes", classes, scores.names)):
        if names is not None and own is not None:
            raise InputError(
                f"the file has names of its own, so {what}= cannot name them.",
                fix=Fix("Leave it out, or pass {} to order them.", "labels"),
            )
    new_index, new_classes = scores.index, scores.classes
    if index is not None:
        new_index = as_names(given_names(index, "index"), scores.n_rows, "index")
    if classes is not None:
        new_classes = as_names(given_names(classes, "classes"), scores.n_classes, "classes")
    return Scores._trusted(scores.matrix, new_classes, new_index)


def _matched(
    scores: Scores,
    labels: Labels,
    *,
    allow_missing: bool,
    allow_unlabelled: bool,
    same_order: bool,
) -> Scores:
    """Scores in the order of the labels, rows and classes by name."""
    scores = _like_labels(scores, labels, same_order)
    fixes = {"if_extra": _IF_EXTRA}
    if labels.index is not None and scores.index is not None:
        if scores.is_sparse:
            fixes["if_missing"] = _IF_MISSING
        rows = joined_names(labels.index, scores.index) if allow_unlabelled else labels.index
        missing = "empty" if allow_missing and scores.is_sparse else "error"
        scores = with_rows(scores, rows, missing, "error", **fixes)
    classes = joined_names(labels.classes, scores.classes) if allow_unlabelled else labels.classes
    missing = "empty" if scores.is_sparse else "error"
    return with_classes(scores, classes, missing, if_extra=_IF_EXTRA)


def _like_labels(scores: Scores, labels: Labels, same_order: bool) -> Scores:
    """Scores with the names of the labels where they have none and the order is known."""
    index, classes = scores.index, scores.classes
    if index is None:
        if scores.n_rows != labels.n_rows:
            raise InputError(
                f"{scores.n_rows:,} rows of scores for {labels.n_rows:,} rows of labels. They must "
                "be the same rows."
            )
        if labels.index is not None and not same_order:
            raise _order_unknown("row ids", "ids")
        index = labels.index
    elif labels.index is None:
        raise InputError(
            "the scores have row ids and the labels have none, so they cannot be matched.",
            fix=Fix("Read the labels with ids ({}).", "index"),
        )
    if scores.names is None:
        if scores.n_classes != labels.n_classes:
            raise InputError(
                f"scores for {scores.n_classes:,} classes, labels of {labels.n_classes:,}. They "
                "must be the same classes."
            )
        if labels.classes.dtype.kind not in "iu" and not same_order:
            raise _order_unknown("class names", "names")
        classes = labels.classes
    return Scores._trusted(scores.matrix, classes, index)


def _order_unknown(what: str, short: str) -> InputError:
    return InputError(
        f"the scores have no {what} and the labels have, so their order is not known to agree.",
        fix=Fix(f"Pass {{}} if it does, or write the scores with {short}.", "same_order", True),
    )
