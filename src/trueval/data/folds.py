"""Fold files that can be cited and re-made: what was split, how, by which version.

Text carries one line ``# trueval folds {…}`` before the header; Parquet and npz
carry the same facts as metadata.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, shorten
from trueval.core.folds import Folds, as_folds, fingerprint
from trueval.core.labels import Labels, as_labels
from trueval.core.names import with_rows
from trueval.core.params import NONE, PATH, Choice, Instance, Interval, constrained
from trueval.core.provenance import record
from trueval.data.names import as_array, check_unique
from trueval.data.npz import Archive, open_npz
from trueval.data.parquet import ParquetTable, open_parquet
from trueval.data.sniff import find_format
from trueval.data.source import Source
from trueval.data.tables import output_format, plain_names, write_arrays, write_parquet, write_rows
from trueval.data.text import ENCODING, Table

__all__ = ["FoldFile", "fingerprint", "read_folds", "write_folds"]

_FORMATS = ("npz", "csv", "tsv", "parquet")
_MARK = "trueval folds "
_KEY = b"trueval_folds"


#: The name that folds from a file had before; the same class.
FoldFile = Folds


@constrained(
    path=PATH,
    format=Choice((None, *_FORMATS)),
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
        Ends in ``.csv``, ``.tsv``, ``.parquet`` or ``.npz``.
    folds : array-like of int of shape (n_rows,), or iterable of (train, test) pairs
        Part number of each row, as :func:`trueval.stratified_folds` gives it; or the
        rows of each split, as the ``split`` of a splitter yields them, if every row is
        in exactly one test part and trains all the others.
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
    form = output_format(path, format)
    target = None if labels is None else as_labels(labels)
    numbers = as_folds(folds, None if target is None else target.n_rows, partition=True)
    index = None if target is None else target.index
    facts = json.dumps(
        record(
            input=None if target is None else fingerprint(target),
            rows=len(numbers),
            parameters=parameters or {},
            seed=seed,
        ),
        sort_keys=True,
        allow_nan=False,
    )
    if form == "npz":
        arrays = {"folds": numbers, "provenance": np.array(facts)}
        if index is not None:
            arrays["index"] = index if index.dtype.kind in "iuU" else index.astype(np.str_)
        write_arrays(path, arrays)
        return
    head = "row" if index is None else "id"
    ids = np.arange(len(numbers)) if index is None else index
    if form == "parquet":
        names = ids if ids.dtype.kind in "iu" else ids.astype(np.str_)
        write_parquet(path, {head: names, "fold": numbers}, {_KEY: facts.encode()})
        return
    rows = zip(plain_names(ids, "row id"), numbers.tolist(), strict=True)
    write_rows(
        path, "," if form == "csv" else "\t", [[head, "fold"], *rows], comments=[_MARK + facts]
    )


@constrained(
    path=PATH,
    format=Choice((None, *_FORMATS)),
    encoding=ENCODING,
    max_bytes=(NONE, Interval(int, 1)),
)
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
    path : str or path-like
        A file of :func:`write_folds`, or any table with the columns ``id`` (or
        ``row``) and ``fold``.
    labels : Labels, or anything :func:`trueval.as_labels` takes, optional
        Folds come back in their order, matched by row id. Ids that do not match,
        or a fingerprint of other labels, are an error.
    format : {"csv", "tsv", "parquet", "npz"}, optional
    encoding : str, default="utf-8"
    max_bytes : int, optional
        As in :func:`read_labels`.

    Returns
    -------
    Folds

    Raises
    ------
    InputError
        For anything wrong in the file, and for labels other than those split.

    Examples
    --------
    See :func:`write_folds`.
    """
    return folds_of(Source(path, max_bytes=max_bytes), labels, format, encoding=encoding)


def folds_of(
    source: Source, labels: Any = None, form: str | None = None, *, encoding: str = "utf-8"
) -> Folds:
    """Folds of a source; the body of :func:`read_folds`."""
    form = find_format(source, form, _FORMATS)
    if form == "npz":
        with open_npz(source) as archive:
            made = _of_npz(archive)
    elif form == "parquet":
        with open_parquet(source) as parquet:
            made = _of_parquet(parquet)
    else:
        made = _of_text(Table(source, encoding))
    if made.index is not None:
        check_unique(source, made.index, "row id")
    return made if labels is None else _beside(source, made, as_labels(labels))


def _beside(source: Source, made: Folds, labels: Labels) -> Folds:
    if made.index is not None and labels.index is not None:
        with source.placing():
            folds = with_rows(made, labels.index).folds
    elif len(made.folds) == labels.n_rows:
        if (made.index is None) != (labels.index is None) and not made.provenance.get("input"):
            raise source.fail(
                "only one of folds and labels has row ids, and the file has no fingerprint, so "
                "their order is not known to agree.",
                fix=Fix("Write the folds with {}.", "labels"),
            )
        folds = made.folds
    else:
        raise source.fail(f"{len(made.folds):,} folds for {labels.n_rows:,} rows of labels.")
    wanted = made.provenance.get("input")
    found = fingerprint(labels) if wanted else None
    if wanted != found:
        raise source.fail(
            f"the folds were made for other labels (fingerprint {shorten(str(wanted)[:12])}; these "
            f"have {str(found)[:12]}).",
            fix="Read the labels that were split, or split these.",
        )
    return Folds(folds, labels.index, made.provenance)


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


def _numbers(source: Source, values: NDArray[Any]) -> NDArray[np.int32]:
    with source.placing():
        return as_folds(values)


def _of_npz(archive: Archive) -> Folds:
    folds = _numbers(archive.source, archive.column("folds"))
    facts = _facts(archive.source, archive.text("provenance")) if "provenance" in archive else {}
    return Folds(folds, archive.name_array("index", len(folds)), facts)


def _of_parquet(table: ParquetTable) -> Folds:
    source = table.source
    name = table.find("fold", None)
    folds = _numbers(source, table.numbers(name))
    index = table.ids("id") if "id" in table.columns else None
    if index is None and "row" in table.columns:
        _check_rows(source, table.numbers("row"))
    try:
        text = table.metadata.get(_KEY, b"{}").decode("utf-8")
    except UnicodeDecodeError:
        raise source.fail("the provenance is not UTF-8.", fix="Write the file again.") from None
    return Folds(folds, index, _facts(source, text))


def _check_rows(source: Source, rows: NDArray[Any]) -> None:
    wrong = np.flatnonzero(rows != np.arange(len(rows)))
    if len(wrong):
        raise source.fail(
            f"rows must be numbered 0, 1, 2, … in order; {rows[wrong[0]]} stands in place "
            f"{wrong[0]}.",
            fix="Sort the file, or name the column id.",
            column="row",
        )


def _of_text(table: Table) -> Folds:
    source = table.source
    fold_at = table.position("fold", None)
    marked = [text.removeprefix(_MARK) for text in table.comments if text.startswith(_MARK)]
    facts = _facts(source, marked[0]) if marked else {}
    key = next((name for name in ("id", "row") if name in table.first), None)
    id_at = None if key is None else table.position(key, None)
    ids: list[str] = []
    folds: list[int] = []
    for number, fields in table.rows(with_first=False):
        text = fields[fold_at]
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise source.fail(
                f"the fold {shorten(text)!r} is not a number from 0.",
                fix="Correct it.",
                line=number,
                column="fold",
            )
        folds.append(int(text))
        if id_at is not None:
            name = fields[id_at]
            if key == "row" and name != str(len(folds) - 1):
                raise source.fail(
                    f"rows must be numbered 0, 1, 2, … in order. Got {shorten(name)!r} where "
                    f"{len(folds) - 1} should be.",
                    fix="Sort the file, or name the column id.",
                    line=number,
                    column="row",
                )
            if not name.strip():
                raise source.fail("the row has no id.", fix="Name it.", line=number, column="id")
            ids.append(name)
    if not folds:
        raise source.fail("there is a header but no rows.", fix="At least one is needed.")
    expected = facts.get("rows", len(folds))
    if expected != len(folds):
        raise source.fail(
            f"the provenance says {shorten(str(expected))} rows, but {len(folds):,} follow.",
            fix="The file is truncated: write it again.",
        )
    index = as_array(source, ids, "row ids") if key == "id" else None
    return Folds(np.asarray(folds, np.int32), index, facts)
