"""Columns of ids of any container, each as it is: what ``ids.py`` numbers."""

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import is_missing, is_text, missing_in, plain
from trueval.core.errors import InputError, quote
from trueval.core.named import listed

__all__ = ["id_columns"]


def id_columns(pairs: Any) -> list[NDArray[Any]]:
    """Columns of ids of an array, a frame or a list of tuples; none may be missing."""
    if pairs is None:
        raise InputError(
            "groups is missing; pass the object ids of each row as groups=pairs, an array of "
            "shape (n_rows, 2)."
        )
    columns = _frame_columns(pairs)
    if columns is None:
        array = (
            plain(pairs, "pairs") if hasattr(pairs, "dtype") else _from_rows(listed(pairs, "pairs"))
        )
        shape = array.shape
        columns = [array[:, c] for c in range(shape[1])] if array.ndim == 2 else []
    else:
        shape = (len(columns[0]) if columns else 0, len(columns))
    if len(columns) < 2:
        raise InputError(
            "pairs must be of shape (n_rows, 2), the ids of the two objects of each row (or "
            f"(n_rows, 3) for triples). Got shape {shape} instead."
        )
    if not shape[0]:
        raise InputError("pairs is empty; at least one row is needed.")
    columns = [_as_text(column) for column in columns]
    for c, column in enumerate(columns):
        missing = _missing(column)
        if missing.any():
            row = int(np.flatnonzero(missing)[0])
            raise InputError(
                f"pairs has {int(missing.sum())} missing ids in column {c}, the first in row "
                f"{row} ({column[row]!r}); drop these rows or name their objects."
            )
    return columns


def _as_text(column: NDArray[Any]) -> NDArray[Any]:
    """Ids that are bytes as text, so that b"P1" and "P1" are one object."""
    try:
        if column.dtype.kind == "S":
            return np.char.decode(column, "utf-8")
        if column.dtype.kind == "O" and _has_bytes(column):
            decoded = np.empty(len(column), dtype=object)
            decoded[:] = [v.decode() if isinstance(v, bytes) else v for v in column]
            return decoded
    except UnicodeDecodeError as error:
        raise InputError(
            f"pairs has the id {quote(error.object)}, bytes that are not UTF-8.",
            fix="Decode the ids first.",
        ) from None
    return column


def _has_bytes(column: NDArray[Any]) -> bool:
    return any(issubclass(kind, bytes) for kind in set(map(type, column.tolist())))


def _frame_columns(pairs: Any) -> list[NDArray[Any]] | None:
    """Columns of a frame, one by one: a common type could round long integer ids."""
    if hasattr(pairs, "iloc") and hasattr(pairs, "columns"):  # by place: names may repeat
        return [pairs.iloc[:, c].to_numpy() for c in range(pairs.shape[1])]
    frame = nw.from_native(pairs, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        return [column.to_numpy() for column in frame.iter_columns()]
    return None


def _from_rows(rows: list[Any]) -> NDArray[Any]:
    """A list of tuples as an array that leaves the ids as they are."""
    # Text has a length too, but is one id.
    lengths = {0 if is_text(row) or not hasattr(row, "__len__") else len(row) for row in rows}
    if not rows:
        raise InputError("pairs is empty; at least one row is needed.")
    if len(lengths) != 1 or lengths == {0}:
        unequal = f"rows of {min(lengths)} to {max(lengths)} ids"
        raise InputError(
            "pairs must be of shape (n_rows, 2), the ids of the two objects of each row. Got "
            f"{unequal if len(lengths) > 1 else 'one id for each row'} instead."
        )
    ids = [value for row in rows for value in row]
    return np.fromiter(ids, dtype=object, count=len(ids)).reshape(len(rows), -1)


def _missing(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Missing ids, empty text among them."""
    if column.dtype.kind == "O":
        missing = (not v if isinstance(v, str) else is_missing(v) for v in column.tolist())
        return np.fromiter(missing, bool, len(column))
    empty = column == "" if column.dtype.kind in "UST" else np.zeros(len(column), bool)
    return missing_in(column) | empty
