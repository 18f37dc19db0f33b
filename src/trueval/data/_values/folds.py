"""Fold files that can be cited and made again: what was split, how, by which version.

Parquet and npz carry these facts as metadata. Text is plain, with the facts beside it in
``folds.csv.json``; the line ``# trueval folds {…}`` of earlier versions is still read.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import (
    Fix,
    InputWarning,
    Place,
    quote,
    quote_names,
    shorten,
    warn_user,
)
from trueval.core.folds import Folds, as_folds, fingerprint
from trueval.core.labels import Labels, as_labels
from trueval.core.names import with_rows
from trueval.core.params import NONE, PATH, STRING, Instance, Interval, constrained
from trueval.core.provenance import record
from trueval.data._columns import Codes
from trueval.data._formats import output_format, write_raw
from trueval.data._lines import FILE_OPTIONS, READING
from trueval.data._raw import AsCodes, AsNumbers, RawTable, unique_names
from trueval.data._source import Source
from trueval.data._values._ids import may_name_rows, only_numbers
from trueval.data._values._split_words import role_of, word_order
from trueval.data._values._words import ID_LIKE, is_number
from trueval.data._values.columns import read_table
from trueval.data._values.pair_rows import ROW
from trueval.data._writers import file_names

__all__ = ["FoldFile", "read_fold_column", "read_folds", "write_folds"]

_KEY = "trueval_folds"

#: The name that folds from a file had before; the same class.
FoldFile = Folds


@constrained(
    path=PATH,
    format=(NONE, STRING),
    parameters=(NONE, Instance(Mapping, "a mapping")),
    seed=(NONE, Interval(int)),
)
def write_folds(
    path: Any,
    folds: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    labels: Any = None,
    parameters: Mapping[str, Any] | None = None,
    seed: int | None = None,
) -> None:
    """Write folds with the facts needed to make them again; complete or not there.

    Parameters
    ----------
    path : str or path-like
        Ends in ``.csv``, ``.tsv``, ``.parquet`` or ``.npz``. Text is plain CSV or TSV; what is
        known of how the folds were made goes into a file beside it, ``folds.csv.json``.
    folds : array-like of int of shape (n_rows,), or iterable of (train, test) pairs
        Part number of each row, as :func:`trueval.stratified_folds` gives it (−1 for a row in no
        part); or the
        rows of each split, as the ``split`` of a splitter yields them, if every row is
        in exactly one test part and trains all the others. What :class:`Folds` have of ids
        and provenance is written too, unless it is given.
    format : {"csv", "tsv", "parquet", "npz"}, optional
    labels : Labels, or anything :func:`trueval.as_labels` takes, optional
        What was split: gives the row ids and the fingerprint.
    parameters : mapping, optional
        How it was split, as JSON can hold it.
    seed : int, optional

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from trueval.data import read_folds, write_folds
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "folds.csv")
    ...     write_folds(file, [0, 1, 0], parameters={"method": "random"}, seed=7)
    ...     found = read_folds(file)
    >>> found.folds, found.provenance["seed"], found.provenance["parameters"]
    (array([0, 1, 0], dtype=int32), 7, {'method': 'random'})
    """
    form = output_format(path, format, ("table",))
    target = None if labels is None else as_labels(labels)
    n_rows = None if target is None else target.n_rows
    index = None if target is None else target.index
    numbers = as_folds(folds, n_rows, index=index, partition=True, free=True)
    known = folds.provenance if isinstance(folds, Folds) else {}
    if isinstance(folds, Folds) and index is None:
        index = folds.index
    facts = json.dumps(
        record(
            input=known.get("input") if target is None else fingerprint(target),
            rows=len(numbers),
            parameters=known.get("parameters", {}) if parameters is None else parameters,
            seed=known.get("seed") if seed is None else seed,
        ),
        sort_keys=True,
        allow_nan=False,
    )
    head = "row" if index is None else "id"
    ids = np.arange(len(numbers)) if index is None else index
    columns = {head: file_names(form, ids, "row id"), "fold": numbers}
    write_raw(path, form, RawTable(columns, {_KEY: facts}))


@constrained(**READING)
@shared_sections(reading=FILE_OPTIONS)
def read_folds(
    path: Any,
    labels: Any = None,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> Folds:
    """Read folds, in the order of the labels if these are given.

    Parameters
    ----------
    path : str, path-like, bytes, or binary file
        A file of :func:`write_folds`, or any table with the columns ``id`` (or
        ``row``) and ``fold`` (in any case), a whole number from 0 (also as 1.0; −1 for a row
        in no part) or a word: train, valid and test are 0, 1 and 2 where all three occur, and
        ``provenance["fold_names"]`` lists them. Without ``id`` and ``row``, a column such as
        ``protein`` or ``sample_id`` has the ids, else an index without a name, as pandas writes it
        (row numbers if it has 0, 1, 2, … in any order), else the only column of distinct texts.
    labels : Labels, or anything :func:`trueval.as_labels` takes, optional
        Folds come back in their order, matched by row id. Ids that do not match,
        or a fingerprint of other labels, are an error.
    format : {"csv", "tsv", "parquet", "npz"}, optional
    {reading}

    Returns
    -------
    Folds
        With the names of the rows if the file has them.

    Raises
    ------
    InputError
        For anything wrong in the file, for labels other than those split, and where several
        columns may be the row ids.

    Warns
    -----
    InputWarning
        Where ids are in a column that is not named so, or no column has any.

    Examples
    --------
    See :func:`write_folds`.
    """
    table = read_table(Source.of(path, max_bytes), format, encoding=encoding)
    target = None if labels is None else as_labels(labels)
    folds = _folds_of_table(table, target is not None and target.index is not None)
    return folds if target is None else _matched(table.source, folds, target)


def _folds_of_table(table: RawTable, for_ids: bool) -> Folds:
    """Folds of the rows; ``for_ids`` if row numbers of an index are to be matched to ids."""
    source = table.source
    at = _fold_column(table)
    in_words = _is_in_words(table, at)
    wants: dict[str, Any] = {"fold": AsCodes(at) if in_words else AsNumbers((at,), "fold", -1)}
    facts = _facts(source, table.metadata.get(_KEY, "{}"))
    kind, rows_at = _row_column(table, at, facts)
    if kind == "row" and rows_at is not None:
        wants["row"] = AsNumbers((rows_at,), "row", 0)
    elif rows_at is not None:
        wants["id"] = AsCodes(rows_at, "the row has no id.", strip=False)
    data = table.read(**wants)
    if "row" in data:
        _check_rows(table, data["row"][:, 0])
    numbers = data["fold"] if in_words else data["fold"][:, 0]
    if in_words:
        numbers, facts["fold_names"] = _word_numbers(table, numbers, at)
    expected = facts.get("rows", len(numbers))
    if expected != len(numbers):
        raise source.fail(
            f"the provenance says {shorten(str(expected))} rows, but {len(numbers):,} follow.",
            fix="The file is truncated: write it again.",
        )
    index = None
    if "id" in data:
        problem = "row id {} occurs a second time; each row needs an id of its own."
        index = unique_names(table, data["id"], problem, "Rename or drop one.")
    if kind == "index" and index is not None and not for_ids:
        order = _row_order(index)
        if order is not None:
            numbers, index = np.asarray(numbers)[order], None
    with source.placing():
        return Folds(numbers, index, facts)


def _fold_column(table: RawTable) -> int:
    """The column called fold, in any case."""
    named = [at for at, name in enumerate(table.names) if name.strip().lower() == "fold"]
    return named[0] if len(named) == 1 else table.position("fold", None)


def _row_column(table: RawTable, fold_at: int, facts: dict[str, Any]) -> tuple[str, int | None]:
    """What names the rows ("id", "row", or "index" without a name), and its column if any."""
    ids = facts.get("ids", "id")  # datasets of several files have ids in the column row
    if isinstance(ids, str) and ids in table.names:
        return "id", table.position(ids, None)
    if "row" in table.names:
        return "row", table.position("row", None)
    rest = [n for n in range(table.width) if n != fold_at]
    index = [n for n in rest if ROW.fullmatch(table.names[n].strip())]
    names = [n for n in rest if n not in index and may_name_rows(table, n)]
    named = [n for n in names if ID_LIKE.fullmatch(table.names[n].strip())]
    texts = [n for n in names if not all(map(is_number, table.cells(n)))]
    if named:
        of_text = named[0] in texts
        possible = named + [n for n in index if not only_numbers(table, n, any_order=of_text)]
    else:
        alike = len({tuple(table.cells(n)) for n in index}) < 2
        possible = index if not alike else [] if index else texts if len(texts) == 1 else names
    if len(possible) > 1 or (possible and not named and possible != texts):
        raise table.fail(
            f"which column has the row ids? {quote_names([table.names[n] for n in possible])} may.",
            fix="Name it id, or row if it numbers the rows from 0, or drop the others.",
        )
    if possible:
        if not named:
            _say(table, f"the row ids are taken from {quote(table.names[possible[0]], 40)}.")
        return "id", possible[0]
    if index:
        return "index", index[0]
    if rest:
        unread = quote_names([table.names[n] for n in rest])
        _say(
            table,
            f"no column has row ids: folds are in the order of the lines. Not read: {unread}.",
        )
    return "row", None


def _row_order(index: NDArray[Any]) -> NDArray[np.intp] | None:
    """Lines in the order of the row numbers 0, 1, 2, … that an index holds; None for others."""
    texts = [str(name).strip() for name in index.tolist()]
    if set(texts) != set(map(str, range(len(texts)))):
        return None
    return np.argsort(np.array(texts, np.int64), kind="stable")


def _say(table: RawTable, problem: str) -> None:
    fix = "Name the column of row ids id."
    warn_user(problem, InputWarning, place=Place(table.source.name), fix=fix)


def read_fold_column(table: RawTable) -> tuple[NDArray[np.int32], list[str] | None, int]:
    """Part number of each line, the words that they stand for or None, and the column."""
    at = _fold_column(table)
    if _is_in_words(table, at):
        return (*_word_numbers(table, table.read(fold=AsCodes(at))["fold"], at), at)
    numbers = table.read(fold=AsNumbers((at,), "fold", -1))["fold"][:, 0]
    with table.source.placing():
        return as_folds(numbers, free=True), None, at


def _is_in_words(table: RawTable, at: int) -> bool:
    """Whether folds are words such as train and test."""
    cells = table.cells(at) if table.kind(at) == "text" else []
    return bool(cells) and role_of(cells[0]) in ("train", "valid", "test")


def _word_numbers(table: RawTable, words: Codes, at: int) -> tuple[NDArray[np.int32], list[str]]:
    """Numbers of words, train first, and the words in this order."""
    names = [str(name) for name in words.names.tolist()]
    order = word_order(names)
    if order is None:
        code = next(c for c, name in enumerate(names) if word_order([name]) is None)
        raise table.fail(
            f"the fold {shorten(names[code])!r} is neither train, valid nor test, as others are.",
            fix="Use these words, or numbers from 0.",
            row=int(np.argmax(words.codes == code)),
            column=at,
        )
    place = np.array([order.index(name) for name in names], np.int32)
    return place[words.codes], order


def _check_rows(table: RawTable, rows: NDArray[Any]) -> None:
    wrong = np.flatnonzero(rows != np.arange(len(rows)))
    if len(wrong):
        raise table.fail(
            f"rows must be numbered 0, 1, 2, … in order. Got {rows[wrong[0]]:g} where {wrong[0]} "
            "should be.",
            fix="Sort the file, or name the column id.",
            row=int(wrong[0]),
            column="row",
        )


def _matched(source: Source, read: Folds, labels: Labels) -> Folds:
    """Folds in the order of the labels, which must be those that were split."""
    if read.index is not None and labels.index is not None:
        with source.placing():
            folds = with_rows(read, labels.index).folds
    elif len(read.folds) == labels.n_rows:
        if (read.index is None) != (labels.index is None) and not read.provenance.get("input"):
            raise source.fail(
                "only one of folds and labels has row ids, and the file has no fingerprint, so "
                "their order is not known to agree.",
                fix=Fix("Write the folds with {}.", "labels"),
            )
        folds = read.folds
    else:
        raise source.fail(f"{len(read.folds):,} folds for {labels.n_rows:,} rows of labels.")
    wanted = read.provenance.get("input")
    actual = fingerprint(labels) if wanted else None
    if wanted != actual:
        raise source.fail(
            f"the folds were made for other labels (fingerprint {shorten(str(wanted)[:12])}; these "
            f"have {str(actual)[:12]}).",
            fix="Read the labels that were split, or split these.",
        )
    return Folds(folds, labels.index, read.provenance)


def _facts(source: Source, text: str) -> dict[str, Any]:
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise source.fail(
            f"the provenance is not JSON ({error}).", fix="Write the file again."
        ) from None
    if not isinstance(facts, dict):
        raise source.fail(
            f"the provenance is {shorten(text)!r}, not an object.", fix="Write it again."
        )
    return facts
