"""``Pairs``: rows of two object ids, with labels and weights, numbered once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_numbers, n_rows_of, plain
from trueval.core.errors import InputError, Place
from trueval.core.id_columns import id_columns
from trueval.core.ids import SYMMETRIC, PairIndex, column_kinds, number_ids
from trueval.core.named import Frozen
from trueval.core.params import constrained
from trueval.core.sparse import read_only

__all__ = ["Pairs", "as_pairs", "side_by_side"]


class Pairs(Frozen):
    """Pairs of objects, as the splitters for pairs take them.

    Their ids are numbered when first needed and never again: give the same ``Pairs``
    to splitters (as ``groups``), :func:`~trueval.pairs.coverage`,
    :func:`~trueval.pairs.audit_pairs` and all others.

    Parameters
    ----------
    pairs : array-like or DataFrame of shape (n_pairs, 2) or wider
        Ids of the objects of each row; numbers and text do not mix inside a kind.
    y : array-like of shape (n_pairs,), optional
        Label of each pair, a finite number.
    weight : array-like of shape (n_pairs,), optional
        Finite and not negative.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2)
        Read-only.
    y : ndarray of shape (n_pairs,) or None
        Whole numbers where all are.
    weight : ndarray of float64 of shape (n_pairs,) or None

    Examples
    --------
    >>> from trueval.data import Pairs
    >>> Pairs([("P1", "P2"), ("P1", "P3")], y=[1, 0])
    Pairs(2 pairs, y)
    """

    pairs: NDArray[Any]
    y: NDArray[Any] | None
    weight: NDArray[np.float64] | None
    _columns: list[NDArray[Any]]
    _numbered: dict[tuple[int, ...], PairIndex]

    def __init__(self, pairs: Any, y: Any = None, weight: Any = None) -> None:
        whole = isinstance(pairs, np.ndarray) and pairs.ndim == 2
        if whole:  # ids are numbered later, and stay the same
            pairs = np.array(plain(pairs, "pairs"))
        columns = id_columns(pairs)
        ids = read_only(pairs if whole else side_by_side(columns))
        self._set(
            pairs=ids,
            y=None if y is None else _labels(y, len(ids)),
            weight=None if weight is None else _weights(weight, len(ids)),
            _columns=columns,
            _numbered={},
        )

    @constrained(symmetric=SYMMETRIC)
    def numbered(self, symmetric: Any = True) -> PairIndex:
        """The ids as numbers, for columns of one kind or of several; made once for each."""
        kinds = column_kinds(symmetric, len(self._columns))
        if kinds not in self._numbered:
            self._numbered[kinds] = number_ids(self._columns, kinds)
        return self._numbered[kinds]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and members of a row."""
        return self.pairs.shape

    def __len__(self) -> int:
        return len(self.pairs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.pairs, dtype=dtype)

    def __getitem__(self, rows: Any) -> "Pairs":
        """The pairs of some rows."""
        y = None if self.y is None else self.y[rows]
        return Pairs(self.pairs[rows], y, None if self.weight is None else self.weight[rows])

    def __repr__(self) -> str:
        also = [name for name in ("y", "weight") if getattr(self, name) is not None]
        return f"Pairs({len(self):,} pairs{''.join(', ' + name for name in also)})"


@constrained(symmetric=SYMMETRIC)
def as_pairs(pairs: Any, *, symmetric: Any = True, X: Any = None, y: Any = None) -> PairIndex:
    """Factorise the ids of pairs.

    Parameters
    ----------
    pairs : array-like or DataFrame of shape (n_rows, 2) or wider, Pairs, or PairIndex
        Object ids of any hashable type; numbers and text do not mix inside a kind.
        ``Pairs`` are factorised once; a ``PairIndex`` is returned as it is.
    symmetric : bool or sequence, default=True
        True: all columns hold objects of one kind, and (b, a) is (a, b). False:
        each column has its own kind, so that equal ids in two columns are
        different objects. A sequence names the kind of each column:
        ``("drug", "drug", "cell line")``. A ``PairIndex`` has its kinds already, and
        another choice than the default must agree with them.
    X, y : array-like, optional
        Their lengths are compared with that of ``pairs``.

    Returns
    -------
    PairIndex
        Numbers of the objects and of the distinct pairs of each row.

    Examples
    --------
    >>> from trueval.pairs import as_pairs
    >>> as_pairs([("a", "b"), ("b", "a"), ("c", "c"), ("a", "c")])
    PairIndex: 4 rows, 3 distinct pairs of 3 objects
      1 mirrored pair, as (b, a) and (a, b)
      1 self pair (o, o)
    >>> as_pairs([("a", "b"), ("b", "a")], symmetric=False).n_pairs
    2
    """
    if isinstance(pairs, PairIndex):
        index = pairs
        chosen = symmetric is not True and symmetric is not np.True_
        if chosen and column_kinds(symmetric, index.arity) != index.kind_of_column:
            raise InputError(
                f"the pairs were numbered with the kinds {index.kind_of_column}, which "
                f"symmetric={symmetric!r} contradicts.",
                fix="Number them again with as_pairs, or pass the ids themselves.",
            )
    elif isinstance(pairs, Pairs):
        index = pairs.numbered(symmetric)
    else:
        columns = id_columns(pairs)
        _check_lengths(len(columns[0]), X, y)
        return number_ids(columns, column_kinds(symmetric, len(columns)))
    _check_lengths(index.n_rows, X, y)
    return index


def _check_lengths(n_rows: int, X: Any, y: Any) -> None:
    for name, array in (("X", X), ("y", y)):
        if array is not None and (n := n_rows_of(array, name)) != n_rows:
            raise InputError(
                f"{name} has {n} rows but groups has {n_rows} pairs; groups needs the object ids "
                "of each row, in the same order."
            )


def side_by_side(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Columns of ids as one array; int64 beside uint64 would be float64, which lacks digits."""
    kinds = {column.dtype.kind for column in columns}
    exact: Any = None
    if kinds == {"i", "u"} and np.result_type(*columns).kind == "f":
        low = min(int(ids.min(initial=0)) for ids in columns)
        high = max(int(ids.max(initial=0)) for ids in columns)
        exact = np.int64 if high < 2**63 else np.uint64 if low >= 0 else object
    elif len(kinds) > 1 and kinds != {"i", "u"}:
        exact = object
    return np.column_stack([c if exact is None else c.astype(exact) for c in columns])


def _labels(y: Any, n: int) -> NDArray[Any]:
    labels = plain(y, "labels y")
    if labels.dtype.kind not in "biu":
        labels = as_numbers(y, "labels y")
    _check_values(labels, n, "label")
    if labels.dtype.kind == "f" and (labels == np.rint(labels)).all():
        labels = labels.astype(np.int64) if (np.abs(labels) < 2**53).all() else labels
    return labels


def _weights(weight: Any, n: int) -> NDArray[np.float64]:
    weights = as_numbers(weight, "weights")
    _check_values(weights, n, "weight")
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise InputError(
            f"the weight {weights[row]} is negative.", fix="Use 0 or more.", place=Place(row=row)
        )
    return weights


def _check_values(values: NDArray[Any], n: int, what: str) -> None:
    if values.shape != (n,):
        raise InputError(f"{n:,} pairs, but {what}s of shape {values.shape}; give one for each.")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise InputError(
            f"the {what} is {values[bad[0]]}; it must be a finite number.",
            fix="Replace it.",
            place=Place(row=int(bad[0])),
        )
