"""Ids of any kind into numbers, once: which objects each row is made of.

Everything in this room speaks of *rows* (one per instance), of *objects* (their
members) and of *kinds* of objects: one kind for symmetric pairs, one for each
column for (drug, target).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from trueval import html
from trueval.errors import InputError

__all__ = [
    "PairIndex",
    "as_binary",
    "as_numbers",
    "as_pairs",
    "as_rows",
    "cluster_codes",
    "n_rows_of",
]


@dataclass(frozen=True, eq=False, repr=False)
class PairIndex:
    """Factorised pairs.

    Attributes
    ----------
    codes : ndarray of int64 of shape (n_rows, arity)
        Object number of each member. Numbers run through all kinds: objects of
        kind 1 follow those of kind 0.
    ids : list
        Id of each object, in the order of the numbers.
    kind_of_column : tuple of int
        Which kind of object each column holds.
    first_of_kind : ndarray
        Number of the first object of each kind, and the number of objects last.
    """

    codes: NDArray[np.int64]
    ids: list[Any]
    kind_of_column: tuple[int, ...]
    first_of_kind: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        """Number of instances."""
        return len(self.codes)

    @property
    def arity(self) -> int:
        """Objects in one row: 2 for pairs."""
        return int(self.codes.shape[1])

    @property
    def n_objects(self) -> int:
        """Number of objects of all kinds."""
        return len(self.ids)

    @property
    def n_kinds(self) -> int:
        """Number of kinds of objects."""
        return len(self.first_of_kind) - 1

    @cached_property
    def kind(self) -> NDArray[np.int64]:
        """Kind of each object."""
        return np.repeat(np.arange(self.n_kinds), np.diff(self.first_of_kind))

    @cached_property
    def canonical(self) -> NDArray[np.int64]:
        """Members of each row, sorted inside a kind, so that (b, a) equals (a, b)."""
        return canonical_members(self.codes, self.kind_of_column)

    @cached_property
    def pair_number(self) -> NDArray[np.int64]:
        """Number of the distinct pair each row is an instance of."""
        return number_rows(self.canonical)

    @property
    def n_pairs(self) -> int:
        """Number of distinct pairs, mirrored ones taken together."""
        return int(self.pair_number.max()) + 1 if self.n_rows else 0

    @cached_property
    def n_duplicates(self) -> int:
        """Rows that repeat an earlier row with the members in the same order."""
        ordered = number_rows(self.codes)
        return self.n_rows - (int(ordered.max()) + 1 if self.n_rows else 0)

    @cached_property
    def n_mirrored(self) -> int:
        """Distinct ordered pairs that repeat another one with the members exchanged."""
        return self.n_rows - self.n_duplicates - self.n_pairs

    @cached_property
    def n_self(self) -> int:
        """Rows that have one object twice."""
        twice = np.zeros(self.n_rows, dtype=bool)
        for i in range(self.arity):
            for j in range(i):
                twice |= self.codes[:, i] == self.codes[:, j]
        return int(twice.sum())

    def touched(self, mark: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each row, how many of its members are marked objects."""
        return mark[self.codes].sum(axis=1)

    def _facts(self) -> list[str]:
        sides = " + ".join(f"{n:,}" for n in np.diff(self.first_of_kind))
        facts = [f"{self.n_rows:,} rows, {self.n_pairs:,} distinct pairs of {sides} objects"]
        if self.n_duplicates:
            facts.append(f"{self.n_duplicates:,} rows repeat an earlier one")
        if self.n_mirrored:
            facts.append(f"{self.n_mirrored:,} pairs also occur mirrored, (b, a) beside (a, b)")
        if self.n_self:
            facts.append(f"{self.n_self:,} self pairs (o, o)")
        return facts

    def __repr__(self) -> str:
        first, *rest = self._facts()
        return "\n".join([f"PairIndex: {first}", *(f"  {fact}" for fact in rest)])

    def _repr_html_(self) -> str:
        return html.card("PairIndex", notes=self._facts())


def as_pairs(
    pairs: Any,
    *,
    symmetric: bool | Sequence[Any] = True,
    X: Any = None,
    y: Any = None,
) -> PairIndex:
    """Factorise the ids of pairs.

    Parameters
    ----------
    pairs : array-like or DataFrame of shape (n_rows, 2) or wider
        Object ids of any hashable type; numbers and text do not mix inside a kind.
    symmetric : bool or sequence, default=True
        True: all columns hold objects of one kind, and (b, a) is (a, b). False:
        each column has its own kind, so that equal ids in two columns are
        different objects. A sequence names the kind of each column:
        ``("drug", "drug", "cell line")``.
    X, y : array-like, optional
        Their lengths are compared with that of ``pairs``.

    Returns
    -------
    PairIndex

    Examples
    --------
    >>> from trueval.pairs import as_pairs
    >>> as_pairs([("a", "b"), ("b", "a"), ("c", "c"), ("a", "c")])
    PairIndex: 4 rows, 3 distinct pairs of 3 objects
      1 pairs also occur mirrored, (b, a) beside (a, b)
      1 self pairs (o, o)
    >>> as_pairs([("a", "b"), ("b", "a")], symmetric=False).n_pairs
    2
    """
    if isinstance(pairs, PairIndex):
        _check_lengths(pairs.n_rows, X, y)
        return pairs
    columns = _id_columns(pairs)
    _check_lengths(len(columns[0]), X, y)
    kinds = _column_kinds(symmetric, len(columns))
    codes = np.empty((len(columns[0]), len(columns)), dtype=np.int64)
    ids: list[Any] = []
    first = [0]
    for kind in range(max(kinds) + 1):
        own = [c for c, k in enumerate(kinds) if k == kind]
        values = _joined([columns[c] for c in own])
        names, numbers = _factorise(values)
        for place, c in enumerate(own):
            n = len(columns[c])
            codes[:, c] = numbers[place * n : (place + 1) * n] + len(ids)
        ids.extend(names)
        first.append(len(ids))
    return PairIndex(codes, ids, kinds, np.asarray(first, dtype=np.int64))


def canonical_members(codes: NDArray[np.int64], kind_of_column: Sequence[int]) -> NDArray[np.int64]:
    """Sort the columns that hold one kind, row by row."""
    out = codes.copy()
    for kind in set(kind_of_column):
        own = [c for c, k in enumerate(kind_of_column) if k == kind]
        if len(own) > 1:
            out[:, own] = np.sort(codes[:, own], axis=1)
    return out


def number_rows(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give equal rows one number, in lexicographic order, from 0."""
    if not len(codes):
        return np.zeros(0, dtype=np.int64)
    number = codes[:, 0]
    for column in codes.T[1:]:
        # Renumbered after each column, so that the product cannot overflow.
        number = np.unique(number, return_inverse=True)[1].reshape(-1)
        number = number * (int(column.max()) + 1) + column
    return np.unique(number, return_inverse=True)[1].reshape(-1)


def cluster_codes(clusters: Any, index: PairIndex, name: str = "clusters") -> NDArray[np.int64]:
    """Cluster number of each object; clusters of different kinds stay apart.

    Parameters
    ----------
    clusters : mapping, sequence of mappings, or array
        ``{object id: cluster}``, or one such mapping for each column when the
        columns hold different kinds; or an array of the shape of the pairs with
        the cluster of each member; or, when ids are the integers 0, 1, …, an
        array with the cluster of object i at position i. None may be missing.
    index : PairIndex
    name : str
        What to call it in messages.

    Returns
    -------
    ndarray of int64 of shape (n_objects,)
    """
    values: list[Any] = [None] * index.n_objects
    if (
        isinstance(clusters, list | tuple)
        and clusters
        and all(isinstance(c, Mapping) for c in clusters)
    ):
        if len(clusters) != index.arity:
            raise InputError(
                f"{name} has {len(clusters)} mappings but rows have {index.arity} members; give "
                "one mapping for each column, or a single one."
            )
        by_kind = {k: clusters[c] for c, k in reversed(list(enumerate(index.kind_of_column)))}
        for number, object_id in enumerate(index.ids):
            values[number] = _lookup(by_kind[int(index.kind[number])], object_id, name)
        _refuse_missing(values, range(index.n_objects), index, name)
    elif isinstance(clusters, Mapping) or hasattr(clusters, "to_dict"):
        mapping = clusters if isinstance(clusters, Mapping) else clusters.to_dict()
        for number, object_id in enumerate(index.ids):
            values[number] = _lookup(mapping, object_id, name)
        _refuse_missing(values, range(index.n_objects), index, name)
    else:
        values = _clusters_from_array(clusters, index, name)
    out = np.empty(index.n_objects, dtype=np.int64)
    numbers: dict[Any, int] = {}
    for number, value in enumerate(values):
        out[number] = numbers.setdefault((int(index.kind[number]), value), len(numbers))
    return out


def as_binary(y: Any, name: str = "y") -> NDArray[np.bool_]:
    """Labels 0/1, -1/1 or booleans as booleans."""
    values = np.asarray(y)
    if values.dtype == object:
        values = np.asarray(values.tolist())
    if values.ndim != 1:
        raise InputError(
            f"{name} must be one label for each row. Got shape {values.shape} instead."
        )
    if values.dtype == bool:
        return values
    if values.dtype.kind not in "iuf" or not _is_binary(values):
        found = np.unique(values)[:5].tolist()
        raise InputError(
            f"{name} must have the labels 0 and 1, -1 and 1, or False and True. Got {found} "
            "instead; turn your positive class into 1 first."
        )
    return values > 0


def is_binary(y: Any) -> bool:
    """Whether labels are 0/1, -1/1 or booleans."""
    values = np.asarray(y)
    return values.ndim == 1 and (
        values.dtype == bool or (values.dtype.kind in "iuf" and _is_binary(values))
    )


def _is_binary(values: NDArray[Any]) -> bool:
    """Hold for two labels at most, 1 for positive and one of 0 and -1 for negative."""
    return bool(np.isin(values, [0, 1]).all() or np.isin(values, [-1, 1]).all())


def as_rows(rows: Any, n_rows: int, name: str, *, repeats: bool = False) -> NDArray[np.intp]:
    """Row numbers from numbers or a mask; each once, but for training sets that draw again."""
    values = np.asarray(rows)
    if values.dtype == bool:
        if values.shape != (n_rows,):
            raise InputError(
                f"{name} is a mask of shape {values.shape} but there are {n_rows} pairs."
            )
        return np.flatnonzero(values)
    if values.size == 0:
        return np.zeros(0, dtype=np.intp)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise InputError(
            f"{name} must be row numbers of pairs, or a boolean mask. Got shape {values.shape} "
            f"of dtype {values.dtype} instead."
        )
    if values.min() < 0 or values.max() >= n_rows:
        raise InputError(
            f"{name} names row {values.max() if values.max() >= n_rows else values.min()}, but "
            f"pairs has the rows 0 … {n_rows - 1}."
        )
    values = values.astype(np.intp)
    like_a_mask = len(values) == n_rows and values.max() < 2
    if like_a_mask or not repeats:
        times = np.bincount(values)
        if times.max() > 1:
            row = int(np.argmax(times > 1))
            raise InputError(
                f"{name} names row {row} {times[row]:,} times; give each row number once. Is this "
                "a mask? Give booleans: mask.astype(bool)."
            )
    return values


def as_numbers(values: Any, what: str) -> NDArray[np.float64]:
    """Read real numbers, or say what is in their place."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise ValueError("complex numbers have no order")
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be real numbers: {error}.") from None


def n_rows_of(array: Any) -> int:
    """Length of an array, frame, sparse matrix or list."""
    shape = getattr(array, "shape", None)
    return int(shape[0]) if shape else len(array)


# --- helpers ---------------------------------------------------------------------


def _check_lengths(n_rows: int, X: Any, y: Any) -> None:
    for name, array in (("X", X), ("y", y)):
        if array is not None and (n := n_rows_of(array)) != n_rows:
            raise InputError(
                f"{name} has {n} rows but groups has {n_rows} pairs; groups needs the object ids "
                "of each row, in the same order."
            )


def _id_columns(pairs: Any) -> list[NDArray[Any]]:
    if pairs is None:
        raise InputError(
            "groups is missing; pass the object ids of each row as groups=pairs, an array of "
            "shape (n_rows, 2)."
        )
    columns = _frame_columns(pairs)
    if columns is None:
        array = np.asarray(pairs) if hasattr(pairs, "dtype") else _from_rows(list(pairs))
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
    for c, column in enumerate(columns):
        missing = _missing(column)
        if missing.any():
            row = int(np.flatnonzero(missing)[0])
            raise InputError(
                f"pairs has {int(missing.sum())} missing ids in column {c}, the first in row "
                f"{row} ({column[row]!r}); drop these rows or name their objects."
            )
    return columns


def _frame_columns(pairs: Any) -> list[NDArray[Any]] | None:
    """Columns of a frame, one by one: a common type could round long integer ids."""
    if hasattr(pairs, "iloc") and hasattr(pairs, "columns"):  # by place: names may stand twice
        return [pairs.iloc[:, c].to_numpy() for c in range(pairs.shape[1])]
    frame = nw.from_native(pairs, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        return [column.to_numpy() for column in frame.iter_columns()]
    return None


def _joined(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Columns below one another; of different types as they are, for NumPy would convert."""
    kinds = {column.dtype.kind for column in columns}
    whole = kinds == {"i", "u"} and np.result_type(*columns).kind in "iu"  # not float64
    if len(kinds) == 1 or whole:
        return np.concatenate(columns)
    values = [value for column in columns for value in column.tolist()]
    joined = np.empty(len(values), dtype=object)
    joined[:] = values
    return joined


def _from_rows(rows: list[Any]) -> NDArray[Any]:
    """A list of tuples as an array that leaves the ids as they are."""
    lengths = {len(row) if hasattr(row, "__len__") else 0 for row in rows}
    if len(lengths) != 1 or lengths == {0} or isinstance(rows[0], str):
        raise InputError(
            "pairs must be of shape (n_rows, 2), the ids of the two objects of each row. Got "
            + (
                f"rows of {min(lengths)} to {max(lengths)} members instead."
                if len(lengths) > 1
                else "one id for each row instead."
            )
            if rows
            else "pairs is empty; at least one row is needed."
        )
    array = np.empty((len(rows), lengths.pop()), dtype=object)
    for i, row in enumerate(rows):
        for c, value in enumerate(row):
            array[i, c] = value
    return array


def _missing(column: NDArray[Any]) -> NDArray[np.bool_]:
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind in "mM":
        return np.isnat(column)
    if column.dtype.kind in "US":
        return np.char.str_len(column) == 0
    if column.dtype.kind == "O":
        return np.fromiter((_is_missing(v) for v in column), dtype=bool, count=len(column))
    return np.zeros(len(column), dtype=bool)


def _is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, str) and not value):
        return True
    same = value == value
    return not isinstance(same, bool | np.bool_) or not same  # NaN, NaT and pandas.NA


def _factorise(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Distinct ids, sorted where they can be, and the number of each value."""
    if values.dtype.kind != "O":
        names, numbers = np.unique(values, return_inverse=True)
        return names.tolist(), numbers.reshape(-1).astype(np.int64)
    try:
        distinct = dict.fromkeys(values.tolist())
    except TypeError:
        bad = next(v for v in values if getattr(type(v), "__hash__", None) is None)
        raise InputError(
            f"pairs has the id {bad!r}, which cannot be hashed; use strings, numbers or tuples."
        ) from None
    _refuse_mixture(distinct)
    try:
        names_ = sorted(distinct)
    except TypeError:  # ids of mixed types: the order in which they come
        names_ = list(distinct)
    number = {name: i for i, name in enumerate(names_)}
    return names_, np.fromiter((number[v] for v in values), dtype=np.int64, count=len(values))


def _refuse_mixture(ids: Mapping[Any, None]) -> None:
    """Refuse numbers beside text, for 7 and "7" would be two objects."""
    number = next((i for i in ids if isinstance(i, int | float | np.number)), None)
    text = next((i for i in ids if isinstance(i, str)), None)
    if number is None or text is None:
        return
    alike = next((i for i in ids if not isinstance(i, str) and str(i) in ids), None)
    if alike is not None:
        number, text = alike, str(alike)
    raise InputError(
        f"pairs mixes numbers and text as ids of one kind of object, such as {number!r} and "
        f"{text!r}, which would be different objects. Use one type in all columns, such as text; "
        "if the columns hold different kinds, pass symmetric=False."
    )


def _column_kinds(symmetric: Any, arity: int) -> tuple[int, ...]:
    if symmetric is True or symmetric is np.True_:
        return (0,) * arity
    if symmetric is False or symmetric is np.False_:
        return tuple(range(arity))
    if isinstance(symmetric, Sequence) and not isinstance(symmetric, str):
        if len(symmetric) != arity:
            raise InputError(
                f"symmetric names the kinds of {len(symmetric)} columns but pairs has {arity}."
            )
        numbers: dict[Any, int] = {}
        return tuple(numbers.setdefault(name, len(numbers)) for name in symmetric)
    raise ValueError(
        "The 'symmetric' parameter must be True, False or the kind of each column, such as "
        f"('drug', 'drug', 'cell line'). Got {symmetric!r} instead."
    )


def _lookup(mapping: Mapping[Any, Any], object_id: Any, name: str) -> Any:
    try:
        return mapping[object_id]
    except KeyError:
        raise InputError(
            f"{name} has no entry for object {object_id!r}; every object needs a cluster, be it "
            "one of its own."
        ) from None


def _refuse_missing(
    values: Sequence[Any], numbers: Sequence[int], index: PairIndex, name: str
) -> None:
    """Refuse NaN and None, which would be one cluster or many, as the container has it."""
    missing = {n: v for n, v in zip(numbers, values, strict=True) if _is_missing(v)}
    if missing:
        first = min(missing)
        raise InputError(
            f"{name} is missing for {len(missing):,} of {index.n_objects:,} objects, the first "
            f"{index.ids[first]!r} ({missing[first]!r}). Give each a cluster, be it one of its "
            "own, or drop the rows of these objects."
        )


def _clusters_from_array(clusters: Any, index: PairIndex, name: str) -> list[Any]:
    array = clusters.to_numpy() if hasattr(clusters, "to_numpy") else np.asarray(clusters)
    values: list[Any] = [None] * index.n_objects
    if array.ndim == 1 and all(isinstance(i, int) and 0 <= i < len(array) for i in index.ids):
        values = [array[i] if array.dtype == object else array[i].item() for i in index.ids]
        _refuse_missing(values, range(index.n_objects), index, name)
        return values
    if array.shape == index.codes.shape:
        flat, numbers = array.reshape(-1).tolist(), index.codes.reshape(-1).tolist()
        _refuse_missing(flat, numbers, index, name)
        for number, value in zip(numbers, flat, strict=True):
            if values[number] is None:
                values[number] = value
            elif values[number] != value:
                raise InputError(
                    f"{name} puts object {index.ids[number]!r} into {values[number]!r} and into "
                    f"{value!r}; an object belongs to one cluster."
                )
        return values
    raise InputError(
        f"{name} must map object ids to clusters, or have the shape {index.codes.shape} of the "
        f"pairs, or one entry for each object when ids are 0, 1, …. Got shape {array.shape} "
        "instead."
    )
