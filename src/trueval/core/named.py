"""Matrices whose rows and classes have names: what ``Labels`` and ``Scores`` share."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.arrays import is_text, refuse_missing, row_numbers
from trueval.core.errors import InputError, quote
from trueval.core.presentable import HtmlCard
from trueval.core.sparse import freeze, read_only, shell_of

__all__ = [
    "Frozen",
    "Named",
    "as_names",
    "as_text",
    "check_row_order",
    "is_numbered",
    "listed",
    "name_array",
]


class Frozen(HtmlCard):
    """A value whose attributes are set once, when it is made."""

    _fields: tuple[str, ...]

    def _set(self, **fields: Any) -> None:
        self.__dict__.update(_fields=tuple(fields), **fields)

    @classmethod
    def _of_fields(cls, **fields: Any) -> Self:
        """Without checks; arrays become read-only."""
        self = object.__new__(cls)
        self._set(**_sealed(fields))
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(_sealed(state))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"{type(self).__name__} cannot be changed; make another one with other {name!r}."
        )


class Named(Frozen):
    """A matrix with names of its rows and classes."""

    classes: NDArray[Any]
    index: NDArray[Any] | None

    # Without a docstring: the attribute is described by each class, and its own would replace that.
    @property
    def matrix(self) -> Any:  # noqa: D102
        # Of a sparse matrix another shell each time, see `shell_of`.
        return shell_of(self.__dict__["matrix"])

    @classmethod
    def _trusted(
        cls, matrix: Any, classes: NDArray[Any], index: NDArray[Any] | None = None, **more: Any
    ) -> Self:
        """Without checks, for what trueval itself has made or checked; takes the matrix over."""
        self = object.__new__(cls)
        matrix = freeze(matrix) if sp.issparse(matrix) else matrix
        index = None if index is None else read_only(index)
        self._set(matrix=matrix, classes=read_only(classes), index=index, **more)
        return self

    def __reduce__(self) -> Any:
        # Through _trusted, which freezes the matrix.
        return _rebuild, (type(self), {name: getattr(self, name) for name in self._fields})

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and classes."""
        return self.matrix.shape

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes, those without entries included."""
        return int(self.matrix.shape[1])

    @property
    def names(self) -> NDArray[Any] | None:
        """Names of the classes; None where they are just numbered."""
        return None if is_numbered(self.classes) else self.classes

    def __len__(self) -> int:
        return self.n_rows

    def _of_rows(self, rows: Any) -> tuple[Any, NDArray[Any] | None]:
        """Matrix and index of some rows, at least one, by number or mask."""
        numbers = row_numbers(rows, self.n_rows, "rows")
        if not len(numbers):
            raise InputError("rows names no row; at least one is needed.")
        return self.matrix[numbers], None if self.index is None else read_only(self.index[numbers])


def _rebuild(cls: type[Named], fields: dict[str, Any]) -> Named:
    return cls._trusted(**_sealed(fields))


def _sealed(fields: dict[str, Any]) -> dict[str, Any]:
    """The same with read-only arrays, which unpickled ones are not."""
    return {
        name: read_only(value) if isinstance(value, np.ndarray) else value
        for name, value in fields.items()
    }


def is_numbered(names: NDArray[Any]) -> bool:
    """Whether names are 0, 1, …, as of a matrix without names or pandas' default index."""
    return names.dtype.kind in "iu" and bool(np.array_equal(names, np.arange(len(names))))


def check_row_order(values: Any, index: NDArray[Any] | None, what: str) -> None:
    """Refuse a pandas Series, or folds with names, that have the rows of y in another order.

    Values are taken by position. A default index says nothing of the order, and neither does a
    Series whose names are not those of y; folds with other names are those of other rows.
    """
    ours = isinstance(values, Frozen)
    names = getattr(values, "index", None) if ours or hasattr(values, "iloc") else None
    if index is None or names is None:
        return
    names = np.asarray(names)
    if len(names) != len(index) or is_numbered(names):
        return
    names_here, names_of_y = (list(map(str, each.tolist())) for each in (names, index))
    if names_here == names_of_y:
        return
    same = set(names_here) == set(names_of_y)
    if same or ours:
        row = next(row for row, name in enumerate(names_here) if name != names_of_y[row])
        # Only folds have names of their own among the values that are taken by position.
        by_name, places = f"{what}.loc[y.index]", f"{what}.to_numpy()"
        if ours:
            by_name, places = "read_folds(path, y)", f"{what}.folds"
        raise InputError(
            f"{what} has {'the rows of y in another order' if same else 'other rows than y'}: row "
            f"{row} is {quote(names_here[row])}, in y {quote(names_of_y[row])}.",
            fix=f"Use {by_name}, or {places} if only the names are wrong.",
        )


def as_text(names: Iterable[Any]) -> NDArray[np.str_]:
    """Names as text; refused where NumPy would drop a NUL at the end, so that two names are one."""
    if isinstance(names, np.ndarray) and names.dtype.kind != "O":
        return names.astype(np.str_)
    shape = names.shape if isinstance(names, np.ndarray) else (-1,)
    texts = [str(name) for name in (names.flat if isinstance(names, np.ndarray) else names)]
    bad = next((text for text in texts if text.endswith("\0")), None)
    if bad is not None:
        raise InputError(
            f"the name {quote(bad, 60)} ends in a NUL character, which arrays of text cannot hold.",
            fix="Rename it.",
        )
    return np.array(texts, np.str_).reshape(shape)


def listed(values: Any, what: str) -> list[Any]:
    """The entries of a list or other iterable; text is one value, no list of letters.

    >>> listed(("a", "b"), "terms")
    ['a', 'b']
    """
    if is_text(values):
        raise InputError(f"{what} are {quote(values)}, one string.", fix="Give a list of them.")
    if not isinstance(values, Iterable):
        raise InputError(f"{what} must be a list. Got {quote(values)} instead.")
    return list(values)


def name_array(names: Any) -> NDArray[Any]:
    """Names as an array in which each stays what it is, where NumPy would round or merge some.

    Of different types they are objects, but text beside others makes all of them text. Tuples,
    as of a MultiIndex, are names too.

    >>> name_array([2**53 + 1, 0.5]).tolist(), name_array([("a", 1), ("a", 2)]).tolist()
    ([9007199254740993, 0.5], [('a', 1), ('a', 2)])
    """
    if not isinstance(names, Sequence) or is_text(names):
        return np.asarray(names)
    types = {_plain(of_name) for of_name in set(map(type, names))}
    if tuple in types:
        lists = [name.tolist() if isinstance(name, np.ndarray) else name for name in names]
        return _objects([tuple(n) if isinstance(n, list) else n for n in lists])
    if str in types and types <= {str, bool, int, float}:
        return as_text(names)
    array = np.asarray(names)
    rounded = int in types and array.dtype.kind not in "iu"
    cut = types == {bytes} and any(name.endswith(b"\0") for name in names)
    return _objects(names) if len(types) > 1 or rounded or cut else array


_PLAIN = {
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (float, np.floating),
    str: (str,),
    bytes: (bytes,),
    tuple: (tuple, list, np.ndarray),
}


def _plain(kind: type) -> type:
    """The type of names that a type counts as."""
    return next((plain for plain, same in _PLAIN.items() if issubclass(kind, same)), kind)


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def as_names(names: Any, n: int, what: str, *, unique: bool = False) -> NDArray[Any]:
    """Names of ``n`` rows or classes as an array of their own; numbers where there are none."""
    if names is None:
        return read_only(np.arange(n))
    refuse_missing(names, what)
    array = name_array(names)
    if array.ndim != 1 or len(array) != n:
        raise InputError(
            f"{what} must be {n:,} names, one for each {'row' if what == 'index' else 'class'}. "
            f"Got shape {array.shape} instead."
        )
    if unique:
        _refuse_repeated(array.tolist(), what)
    return read_only(array.copy() if array is names or array.base is not None else array)


def _refuse_repeated(names: list[Any], what: str) -> None:
    try:
        counts = Counter(names)
    except TypeError as error:
        raise InputError(f"{what} cannot be names: {error}.", fix="Use text or numbers.") from None
    if len(counts) < len(names):
        raise InputError(
            f"{what} has {quote(counts.most_common(1)[0][0])} more than once "
            f"({len(names) - len(counts):,} names repeat); rename or merge these columns."
        )
