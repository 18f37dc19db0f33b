"""``read_scores``: dense or top-k scores, matched to labels by name."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import Fix, InputWarning, Place, quote, quote_names, warn_user
from trueval.core.labels import as_labels
from trueval.core.params import BOOL, Choice, constrained
from trueval.core.scores import Scores
from trueval.data._formats import find_format, read_raw
from trueval.data._lines import FILE_OPTIONS, READING
from trueval.data._names import as_array, check_unique
from trueval.data._raw import AsCodes, AsNumbers, RawMatrix, RawTable
from trueval.data._source import Source
from trueval.data._values._beside import matched, with_names
from trueval.data._values._ids import (
    as_ids,
    ids_of_wide,
    only_numbers,
    row_ids,
    settle_ids,
    unnamed,
)
from trueval.data._values._score_columns import (
    SCORE_COLUMNS,
    is_long,
    looks_long,
    score_table_places,
)
from trueval.data._values._view import without
from trueval.data._values._words import (
    COLUMN,
    DELIMITER,
    FOLD_LIKE,
    ID_LIKE,
    first_cells,
    is_number,
)

__all__ = ["looks_long", "read_scores"]


@constrained(
    **READING,
    layout=Choice((None, "wide", "long")),
    id_column=COLUMN,
    label_column=COLUMN,
    score_column=COLUMN,
    delimiter=DELIMITER,
    allow_missing=BOOL,
    allow_unlabelled=BOOL,
    same_order=BOOL,
    duplicates=Choice(("error", "max", "mean")),
)
@shared_sections(reading=FILE_OPTIONS)
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
    duplicates: str = "error",
    classes: Any = None,
    index: Any = None,
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> Scores:
    r"""Read scores, in the order of the labels if these are given.

    Parameters
    ----------
    path : str, path-like, bytes, or binary file
        ``.npz`` (sparse or dense, with arrays ``classes`` and ``index`` for the
        names), ``.npy``, CSV, TSV or Parquet, compressed or not.
    labels : Labels, or anything :func:`trueval.as_labels` takes, optional
        Rows and columns come back in their order, matched by name. Row ids or
        classes that do not match are an error that says which.
    format : {"npz", "npy", "csv", "tsv", "parquet"}, optional
    layout : {"wide", "long"}, optional
        Of a table: one column of scores for each class (dense), or the columns
        id, label and score (sparse, for top-k scores). Found by the header, or by lines of
        an id, a name and a number. Further columns of the latter are named in a warning.
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
        What has names is matched by name all the same; row numbers and classes 0, 1, …, as
        pandas writes them, are no names where the labels have others. Text needs no header then.
    duplicates : {"error", "max", "mean"}, default="error"
        What becomes of several scores of one row and class in the long layout.
    classes, index : sequence or path, optional
        Names for a file that has none, in order.
    {reading}

    Returns
    -------
    Scores
        In the order of the labels if they are given.

    Raises
    ------
    InputError
        For NaN and infinite scores, unknown or missing names, duplicates, and
        anything else wrong in the file.

    Warns
    -----
    InputWarning
        Where a first line of 0, 1, … may be the header or scores.

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
    source = Source.of(path, max_bytes)
    form = find_format(source, format, ("matrix", "table"), delimiter=delimiter)
    raw = read_raw(source, form, delimiter=delimiter, encoding=encoding)
    with source.placing():
        if isinstance(raw, RawTable):
            columns = id_column, label_column, score_column
            raw.takes_header = False
            scores = _scores_of_table(raw, layout, columns, duplicates, same_order)
        else:
            assert isinstance(raw, RawMatrix)
            scores = Scores(raw.matrix, raw.classes, raw.index)
        scores = with_names(scores, classes, index)
        if labels is None:
            return scores
        return matched(
            scores,
            as_labels(labels),
            allow_missing=allow_missing,
            allow_unlabelled=allow_unlabelled,
            same_order=same_order,
        )


# --- tables -------------------------------------------------------------------------------


def _scores_of_table(
    table: RawTable,
    layout: str | None,
    columns: tuple[Any, Any, Any],
    duplicates: str,
    same_order: bool,
) -> Scores:
    lines = _without_index(table, columns)
    if layout is None:
        named = columns[1] is not None or columns[2] is not None
        layout = "long" if named or is_long(lines) else "wide"
    if layout == "long":
        return _long(lines, columns, duplicates)
    return _wide(table, columns[0], same_order)


def _without_index(table: RawTable, columns: tuple[Any, Any, Any]) -> RawTable:
    """Lines of an id, a label and a score without an index of numbers beside them."""
    chosen = {table.position(at, name) for at, name in zip(columns, SCORE_COLUMNS, strict=True)
              if at is not None}  # fmt: skip
    index = [
        at
        for at in unnamed(table)
        if at not in chosen and only_numbers(table, at, any_order=True) and table.cells(at)
    ]
    return without(table, index if table.width - len(index) >= len(SCORE_COLUMNS) else [])


def _wide(table: RawTable, id_column: Any, same_order: bool) -> Scores:
    """One column of scores for each class; without names where the order is that of the labels."""
    settled = settle_ids(table, id_column, None)
    settled.check()
    table, id_at = settled.table, settled.id_at
    if id_at is None:
        id_at = ids_of_wide(table, lambda at: all(map(is_number, first_cells(table, at))))
    headed = table.has_header or (id_at is not None and ID_LIKE.fullmatch(table.names[id_at]))
    columns = tuple(at for at in range(table.width) if at != id_at)
    names = [table.names[at] for at in columns]
    if not names:
        raise table.fail(
            "there is no column of scores; scores have two dimensions, rows × classes.",
            fix=Fix("If blanks separate the columns, pass {}.", "delimiter", " ")
            if " " in table.names[0].strip()
            else "Add one.",
        )
    bare = not headed and all(map(is_number, names))
    if bare and not same_order:
        raise table.fail(
            "the first line must name the classes; it holds only numbers.",
            fix=Fix(
                "Add a header, or pass {} if the columns are id, label and score, {} if rows and "
                "classes are in the order of the labels.",
                "layout",
                "long",
                more=(("same_order", True),),
            ),
        )
    if not bare and not table.typed and "" in (name.strip() for name in names):
        raise table.fail("a class column has no name.", fix="Name it.")
    classes = None
    if not bare:
        classes = as_array(table.source, names, "class names")
        check_unique(table.source, classes, "class")
        _tell_folds(table, columns)
    wants: dict[str, Any] = {"scores": AsNumbers(columns, "score")}
    if id_at is not None:
        wants["ids"] = as_ids(id_at)
    data = table.read(header=not bare, **wants)
    index = row_ids(table, data["ids"]) if id_at is not None else None
    return Scores(data["scores"].astype(np.float64, copy=False), classes, index)


def _tell_folds(table: RawTable, columns: Sequence[int]) -> None:
    """Say that a column of whole numbers that is named as folds are is taken as scores."""
    named = [at for at in columns if FOLD_LIKE.fullmatch(table.names[at].strip())]
    folds = [at for at in named if all(cell.strip().isdigit() for cell in table.cells(at))]
    if folds:
        warn_user(
            f"{quote_names([table.names[at] for at in folds])}, named as folds are, is read as "
            "scores of a class.",
            InputWarning,
            place=Place(table.source.name),
            fix="Drop it if it is none.",
        )


def _long(table: RawTable, columns: tuple[Any, Any, Any], duplicates: str) -> Scores:
    if table.width < 3:
        raise table.fail(
            f"the long layout needs the columns id, label and score. Got {table.width}."
        )
    id_at, label_at, score_at = score_table_places(table, columns)
    if len({id_at, label_at, score_at}) < len(SCORE_COLUMNS):
        raise table.fail("id, label and score must be three columns.", fix="Choose three.")
    unused = [at for at in range(table.width) if at not in (id_at, label_at, score_at)]
    if unused and [table.names[at] for at in unused] != ["name"]:  # as predictions have it
        warn_user(
            f"not read: {quote_names([table.column_name(at) for at in unused])}.",
            InputWarning,
            place=Place(table.source.name),
            fix=f"The scores are those of the column {quote(table.names[score_at], 40)}.",
        )
    data = table.read(
        header=bool(table.has_header) or not is_number(table.names[score_at]),
        ids=AsCodes(id_at, "the id is empty.", strip=False),
        labels=AsCodes(label_at, "the label is empty."),
        scores=AsNumbers((score_at,), "score"),
    )
    ids, labels = data["ids"], data["labels"]
    rows, columns_ = ids.codes, labels.codes
    values = data.pop("scores").reshape(-1).astype(np.float64, copy=False)
    shape = (len(ids.names), len(labels.names))
    matrix = sp.csr_array((values, (rows, columns_)), shape=shape)
    if matrix.nnz < len(rows):  # SciPy has added some up
        place = rows * np.int64(shape[1]) + columns_
        distinct, first, inverse = np.unique(place, return_index=True, return_inverse=True)
        if duplicates != "error":
            merged = _merged(values, inverse, len(distinct), duplicates)
            return Scores(
                sp.csr_array((merged, np.divmod(distinct, shape[1])), shape=shape),
                labels.names,
                ids.names,
            )
        again = np.ones(len(rows), bool)
        again[first] = False
        at = int(np.argmax(again))
        raise table.fail(
            f"{quote(str(ids.names[rows[at]]), 60)} has two scores for "
            f"{quote(str(labels.names[columns_[at]]), 60)}.",
            fix=Fix("Keep one of them, or pass {}.", "duplicates", "max"),
            row=at,
        )
    return Scores(matrix, labels.names, ids.names)


def _merged(
    values: NDArray[np.float64], place: NDArray[np.int64], n_places: int, how: str
) -> NDArray[np.float64]:
    """Largest score at each place, or their mean."""
    if how == "mean":
        total = np.bincount(place, values, n_places)
        return np.asarray(total / np.bincount(place, minlength=n_places), dtype=np.float64)
    largest = np.full(n_places, -np.inf)
    np.maximum.at(largest, place, values)
    return largest
