"""Ids of any kind into numbers, once: which objects each row is made of.

*Rows* are instances, *objects* their members, and objects are of one *kind* for
symmetric pairs, or of one for each column for (drug, target).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import is_text
from trueval.core.errors import Fix, InputError, quote
from trueval.core.named import Frozen
from trueval.core.params import Instance, Where, check_params
from trueval.core.presentable import Presentable
from trueval.core.sparse import read_only

__all__ = [
    "SYMMETRIC",
    "PairIndex",
    "canonical_members",
    "column_kinds",
    "names_of",
    "number_ids",
    "number_rows",
]


#: What ``symmetric`` may be, wherever it is a parameter.
SYMMETRIC = (
    Instance((bool, np.bool_), "True, False"),
    Where(
        lambda kinds: isinstance(kinds, Sequence) and not is_text(kinds),
        "the kind of each column, such as ('drug', 'drug', 'cell line')",
    ),
)


class PairIndex(Frozen, Presentable):
    """Factorised pairs, as :func:`~trueval.pairs.as_pairs` makes them.

    Parameters
    ----------
    codes : ndarray of integers of shape (n_rows, arity)
        Object number of each id of a row.
    ids : sequence
        Id of each object, in the order of the numbers.
    kind_of_column : sequence of int
        Which kind of object each column holds, from 0.
    first_of_kind : ndarray of integers
        Number of the first object of each kind, and the number of objects last.

    Attributes
    ----------
    codes : ndarray of int64 of shape (n_rows, arity)
        Object number of each id of a row. Numbers run through all kinds: objects of
        kind 1 follow those of kind 0. Read-only.
    names : tuple
        Id of each object, in the order of the numbers.
    kind_of_column : tuple of int
        Which kind of object each column holds.
    first_of_kind : ndarray
        Number of the first object of each kind, and the number of objects last.
        Read-only.

    Notes
    -----
    The kernels take the numbers unchecked, so nobody else may change them: everything
    is a copy.

    Examples
    --------
    A drug with two targets; targets are numbered after the drugs:

    >>> from trueval.pairs import PairIndex
    >>> index = PairIndex([[0, 1], [0, 2]], ["aspirin", "PTGS1", "PTGS2"], [0, 1], [0, 1, 3])
    >>> index.n_pairs, index.n_objects, index.kind.tolist()
    (2, 3, [0, 1, 1])
    """

    codes: NDArray[np.int64]
    names: tuple[Any, ...]
    kind_of_column: tuple[int, ...]
    first_of_kind: NDArray[np.int64]

    def __init__(self, codes: Any, ids: Any, kind_of_column: Any, first_of_kind: Any) -> None:
        codes, first, names = np.asarray(codes), np.asarray(first_of_kind), tuple(ids)
        kinds = tuple(int(kind) for kind in kind_of_column)
        whole = codes.dtype.kind in "iu" and first.dtype.kind in "iu"
        if not whole or codes.ndim != 2 or codes.shape[1] != len(kinds) or first.ndim != 1:
            raise InputError(
                "codes must be whole numbers of shape (n_rows, arity), with a kind for each "
                f"column. Got shape {codes.shape} of {codes.dtype} and {len(kinds)} kinds."
            )
        codes, first = codes.astype(np.int64), first.astype(np.int64)  # copies, then checked
        in_order = len(first) > 1 and first[0] == 0 and (np.diff(first) >= 0).all()
        if not in_order or first[-1] != len(names):
            raise InputError(
                f"first_of_kind must rise from 0 to the {len(names):,} objects. Got "
                f"{quote(first.tolist())} instead."
            )
        if not all(0 <= kind < len(first) - 1 for kind in kinds):
            raise InputError(f"kind_of_column names a kind that is not there: {kinds}.")
        for column, kind in enumerate(kinds if len(codes) else ()):
            low, high = codes[:, column].min(), codes[:, column].max()
            if low < first[kind] or high >= first[kind + 1]:
                raise InputError(
                    f"column {column} of codes has numbers from {low} to {high}; its objects are "
                    f"numbered {first[kind]} … {first[kind + 1] - 1}."
                )
        self._take(codes, names, kinds, first)

    def _take(self, codes: Any, names: tuple[Any, ...], kinds: tuple[int, ...], first: Any) -> None:
        self._set(
            codes=read_only(codes),
            names=names,
            kind_of_column=kinds,
            first_of_kind=read_only(first),
        )

    @classmethod
    def _trusted(
        cls,
        codes: NDArray[np.int64],
        names: tuple[Any, ...],
        kinds: tuple[int, ...],
        first: NDArray[np.int64],
    ) -> "PairIndex":
        """Without checks, for what trueval itself has numbered; takes the arrays over."""
        self = object.__new__(cls)
        self._take(codes, names, kinds, first)
        return self

    def __reduce__(self) -> Any:
        # Through the checks: unpickled arrays can be written to.
        return PairIndex, (self.codes, self.names, self.kind_of_column, self.first_of_kind)

    @cached_property
    def ids(self) -> list[Any]:
        """Id of each object, as a list of the caller's own."""
        return list(self.names)

    @property
    def n_rows(self) -> int:
        """Number of instances."""
        return len(self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> "PairIndex":
        """The pairs of some rows, objects numbered as before."""
        return PairIndex(self.codes[rows], self.names, self.kind_of_column, self.first_of_kind)

    @property
    def arity(self) -> int:
        """Objects in one row: 2 for pairs."""
        return int(self.codes.shape[1])

    @property
    def n_objects(self) -> int:
        """Number of objects of all kinds."""
        return len(self.names)

    @property
    def n_kinds(self) -> int:
        """Number of kinds of objects."""
        return len(self.first_of_kind) - 1

    @cached_property
    def kind(self) -> NDArray[np.int64]:
        """Kind of each object."""
        return read_only(np.repeat(np.arange(self.n_kinds), np.diff(self.first_of_kind)))

    @cached_property
    def canonical(self) -> NDArray[np.int64]:
        """Members of each row, sorted inside a kind, so that (b, a) equals (a, b)."""
        return read_only(canonical_members(self.codes, self.kind_of_column))

    @cached_property
    def pair_number(self) -> NDArray[np.int64]:
        """Number of the distinct pair each row is an instance of."""
        return read_only(number_rows(self.canonical))

    @cached_property
    def ordered_number(self) -> NDArray[np.int64]:
        """The same with the order of the members kept."""
        return read_only(number_rows(self.codes))

    @property
    def n_pairs(self) -> int:
        """Number of distinct pairs, mirrored ones taken together."""
        return int(self.pair_number.max()) + 1 if self.n_rows else 0

    @cached_property
    def n_duplicates(self) -> int:
        """Rows that repeat an earlier row with the members in the same order."""
        return self.n_rows - (int(self.ordered_number.max()) + 1 if self.n_rows else 0)

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


def names_of(index: PairIndex, codes: NDArray[np.int64]) -> NDArray[Any]:
    """The ids that numbers mean, as objects; an id may be a tuple."""
    return np.fromiter(index.names, dtype=object, count=index.n_objects)[codes]


def number_ids(columns: Sequence[NDArray[Any]], kinds: tuple[int, ...]) -> PairIndex:
    """Number the ids of each kind; the one place where ids are factorised."""
    codes = np.empty((len(columns[0]), len(columns)), dtype=np.int64)
    ids: list[Any] = []
    first = [0]
    for kind in range(max(kinds) + 1):
        places = [c for c, k in enumerate(kinds) if k == kind]
        names, numbers = _factorise(_joined([columns[c] for c in places]))
        _refuse_white_space(names)
        for place, c in enumerate(places):
            n = len(columns[c])
            codes[:, c] = numbers[place * n : (place + 1) * n] + len(ids)
        ids.extend(names)
        first.append(len(ids))
    return PairIndex._trusted(codes, tuple(ids), kinds, np.asarray(first, dtype=np.int64))


def column_kinds(symmetric: Any, arity: int) -> tuple[int, ...]:
    """Kind of object that each column holds."""
    check_params("as_pairs", {"symmetric": symmetric}, {"symmetric": SYMMETRIC})
    if symmetric is True or symmetric is np.True_:
        return (0,) * arity
    if symmetric is False or symmetric is np.False_:
        return tuple(range(arity))
    if len(symmetric) != arity:
        raise InputError(
            f"symmetric names the kinds of {len(symmetric)} columns but pairs has {arity}."
        )
    numbers: dict[Any, int] = {}
    return tuple(numbers.setdefault(name, len(numbers)) for name in symmetric)


def canonical_members(codes: NDArray[np.int64], kind_of_column: Sequence[int]) -> NDArray[np.int64]:
    """Sort the columns that hold one kind, row by row."""
    out = codes.copy()
    for kind in set(kind_of_column):
        places = [c for c, k in enumerate(kind_of_column) if k == kind]
        if len(places) > 1:
            out[:, places] = np.sort(codes[:, places], axis=1)
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
            f"pairs has the id {quote(bad)}, which cannot be hashed; use strings, numbers or "
            "tuples."
        ) from None
    _refuse_mixture(distinct)
    try:
        names_ = sorted(distinct)
    except TypeError:  # ids of mixed types: the order in which they come
        names_ = list(distinct)
    number = {name: i for i, name in enumerate(names_)}
    return names_, np.fromiter(
        map(number.__getitem__, values.tolist()), dtype=np.int64, count=len(values)
    )


def _refuse_white_space(ids: Sequence[Any]) -> None:
    """Refuse "P1" beside "P1 ", which would be two objects and hide a leak."""
    padded = [i for i in ids if isinstance(i, str) and i != i.strip()]
    if not padded:
        return
    known: dict[str, str] = {}
    for name in ids:
        if isinstance(name, str) and known.setdefault(name.strip(), name) != name:
            raise InputError(
                f"pairs has the ids {known[name.strip()]!r} and {name!r}, which differ only in the "
                "white space around them and would be different objects.",
                fix="Strip the ids, as in column.str.strip().",
            )


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
        f"{text!r}, which would be different objects.",
        fix=Fix(
            "Use one type in all columns, such as text; if the columns hold different kinds, pass "
            "{}.",
            "symmetric",
            False,
        ),
    )
