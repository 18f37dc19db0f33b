"""Names of rows and classes: numbered once, unique where they must be, sorted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.data.source import Source, show
from trueval.data.text import text_lines
from trueval.labels import Labels

__all__ = ["as_array", "check_unique", "from_entries", "given_names", "renamed"]


def as_array(source: Source, names: Sequence[Any], what: str) -> NDArray[Any]:
    """Names as an array; refused if the longest one would blow it up.

    Parameters
    ----------
    source : Source
    names : sequence of str
    what : str
        For messages: "class names" or "row ids".

    Returns
    -------
    ndarray

    Examples
    --------
    >>> from trueval.data.names import as_array
    >>> from trueval.data.source import Source
    >>> as_array(Source("x", data=b"x"), ["b", "a"], "row ids")
    array(['b', 'a'], dtype='<U1')
    """
    longest = max((len(name) for name in names), default=0)
    source.need(4 * longest * len(names), f"{len(names):,} {what} of up to {longest:,} characters")
    return np.array(list(names), dtype=np.str_) if len(names) else np.empty(0, np.str_)


def check_unique(source: Source, names: NDArray[Any], what: str) -> None:
    """Refuse a name that stands twice."""
    if (names[1:] > names[:-1]).all():
        return  # in order already, as numbered rows are
    distinct, first, counts = np.unique(names, return_index=True, return_counts=True)
    if len(distinct) < len(names):
        twice = first[counts > 1].min()
        places = np.flatnonzero(names == names[twice])
        raise source.fail(
            f"{what} {show(str(names[twice]))!r} stands at {places[0]} and again at {places[1]} "
            "(counted from 0); every one must be unique. Rename or merge them."
        )


def from_entries(
    source: Source,
    rows: Any,
    columns: Any,
    ids: Sequence[str] | None,
    names: Sequence[str],
    n_rows: int,
) -> Labels:
    """Labels from (row, column) entries; classes are sorted by name, numbers by value."""
    if n_rows == 0:
        raise source.fail("there are no rows. At least one is needed.")
    if len(names) == 0:
        raise source.fail("no row has a label. At least one class is needed.")
    classes = as_array(source, names, "class names")
    numbered = classes.dtype.kind == "U" and bool(np.char.isdecimal(classes).all())
    lengths = np.char.str_len(classes) if numbered else np.zeros(len(classes), dtype=np.int64)
    order = np.lexsort((classes, lengths))  # 9 comes before 10
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    columns = place[np.asarray(columns, dtype=np.int64)]
    entries = (np.ones(len(columns), bool), (np.asarray(rows, dtype=np.int64), columns))
    matrix = sp.csr_array(entries, shape=(n_rows, len(names)))
    index = None if ids is None else as_array(source, ids, "row ids")
    return Labels(pattern(matrix), classes[order], index)


def pattern(matrix: Any) -> sp.csr_array:
    """Canonical CSR of ones."""
    matrix.sum_duplicates()
    ones = np.ones(matrix.nnz, np.int32)
    return sp.csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape)


def given_names(value: Any, what: str) -> NDArray[Any]:
    """Names a user passed: a sequence, or a text file with one on a line."""
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        source = Source(value)
        names = as_array(source, [line for _, line in text_lines(source)], what)
        check_unique(source, names, what)
        return names
    names = np.asarray(value)
    if names.dtype.kind == "O" and all(isinstance(name, str) for name in names.flat):
        names = names.astype(np.str_)  # as pandas keeps them
    if names.ndim != 1 or names.dtype.kind not in "iuUST" or len(np.unique(names)) < len(names):
        raise ValueError(
            f"The '{what}' parameter must be distinct names, one-dimensional, or a text file "
            f"with one on a line. Got {show(repr(value))} instead."
        )
    return names


def renamed(source: Source, labels: Labels, classes: Any, index: Any) -> Labels:
    """Labels with the names the user gave: for what has none, in order; else by name."""
    if index is not None:
        ids = given_names(index, "index")
        if labels.index is not None:
            rows = places(source, labels.index, ids, "row id", complete=True)
            matrix = labels.matrix[np.argsort(rows)]
            labels = Labels(pattern(matrix), labels.classes, ids)
        elif len(ids) == labels.n_rows:
            labels = Labels(labels.matrix, labels.classes, ids)
        else:
            raise source.fail(
                f"{labels.n_rows:,} rows, but index= gives {len(ids):,} names. Give one a row."
            )
    if classes is not None:
        names = given_names(classes, "classes")
        if labels.classes.dtype.kind in "iu" and names.dtype.kind not in "iu":
            if len(names) != labels.n_classes:
                raise source.fail(
                    f"{labels.n_classes:,} classes without names, but classes= gives "
                    f"{len(names):,}. Give one a column."
                )
            return Labels(labels.matrix, names, labels.index)
        columns = places(source, labels.classes, names, "class", complete=False)
        coo = labels.matrix.tocoo()
        entries = (coo.data.astype(bool), (coo.row, columns[coo.col]))
        matrix = sp.csr_array(entries, shape=(labels.n_rows, len(names)))
        labels = Labels(pattern(matrix), names, labels.index)
    return labels


def places(
    source: Source,
    found: NDArray[Any],
    wanted: NDArray[Any],
    what: str,
    *,
    complete: bool,
    if_missing: str = "",
) -> NDArray[np.int64]:
    """Place in ``wanted`` of every name found; a mismatch is an error that says which."""
    if found.dtype.kind != wanted.dtype.kind and "U" in (found.dtype.kind, wanted.dtype.kind):
        found, wanted = found.astype(np.str_), wanted.astype(np.str_)
    order = np.argsort(wanted, kind="stable")
    ranks = np.searchsorted(wanted[order], found)
    place = order[np.minimum(ranks, len(order) - 1)] if len(order) else ranks
    plural = "classes" if what == "class" else f"{what}s"
    unknown = found[wanted[place] != found] if len(order) else found
    missing = wanted[:0]
    if complete and len(found) - len(unknown) < len(wanted):
        missing = np.setdiff1d(wanted, found)
    problems = []
    if len(unknown):
        problems.append(
            f"{len(unknown):,} {plural} in the file that are not among the {len(wanted):,} "
            f"expected: {_some(unknown)}"
        )
    if len(missing):
        problems.append(f"{len(missing):,} {plural} expected are not in the file: {_some(missing)}")
    if problems:
        hint = f" {if_missing}" if len(missing) and not len(unknown) else ""
        raise source.fail(
            f"{'; '.join(problems)}. The names must agree: correct one of the two.{hint}"
        )
    return np.asarray(place, dtype=np.int64)


def _some(names: NDArray[Any]) -> str:
    shown = ", ".join(repr(show(str(name))) for name in names[:5])
    return shown + (", …" if len(names) > 5 else "")
