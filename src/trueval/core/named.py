"""Matrices whose rows and classes have names: what ``Labels`` and ``Scores`` share."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError, quote
from trueval.core.presentable import HtmlCard
from trueval.core.sparse import freeze, read_only, shell_of

__all__ = ["Frozen", "Named", "as_names", "as_text", "check_row_order", "is_numbered"]


class Frozen(HtmlCard):
    """A value whose attributes are set once, when it is made."""

    _fields: tuple[str, ...]

    def _set(self, **fields: Any) -> None:
        self.__dict__.update(_fields=tuple(fields), **fields)

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
        self._set(matrix=matrix, classes=classes, index=index, **more)
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
    """Refuse a pandas Series that has the rows of y (``index``) in another order.

    Values are taken by position. A default index says nothing of the order, and neither do names
    that are not those of y.
    """
    if index is None or not hasattr(values, "iloc"):
        return
    names = np.asarray(values.index)
    if len(names) != len(index) or is_numbered(names):
        return
    other = [a != b for a, b in zip(names.tolist(), index.tolist(), strict=True)]
    if any(other) and set(names.tolist()) == set(index.tolist()):
        row = other.index(True)
        raise InputError(
            f"{what} has the rows of y in another order: row {row} is {quote(names[row])}, in y "
            f"{quote(index[row])}.",
            fix=f"Use {what}.loc[y.index], or {what}.to_numpy() if only the index is wrong.",
        )


def as_text(names: Iterable[Any]) -> NDArray[np.str_]:
    """Names as text; refused where NumPy would drop a NUL at the end, so that two names are one."""
    if isinstance(names, np.ndarray):
        if names.dtype.kind != "O":
            return names.astype(np.str_)
        names = names.tolist()
    texts = [str(name) for name in names]
    bad = next((text for text in texts if text.endswith("\0")), None)
    if bad is not None:
        raise InputError(
            f"the name {quote(bad, 60)} ends in a NUL character, which arrays of text cannot hold.",
            fix="Rename it.",
        )
    return np.array(texts, np.str_)


def as_names(names: Any, n: int, what: str, *, unique: bool = False) -> NDArray[Any]:
    """Names of ``n`` rows or classes as an array of their own; numbers where there are none."""
    if names is None:
        return read_only(np.arange(n))
    array = np.asarray(names)
    if array.dtype.kind == "U" and array.ndim == 1 and not isinstance(names, np.ndarray):
        array = as_text(names)
    if array.ndim == 2 and not isinstance(names, np.ndarray):  # tuples, as of a MultiIndex
        array = np.empty(len(names), dtype=object)
        array[:] = [tuple(name) for name in names]
    if array.ndim != 1 or len(array) != n:
        raise InputError(
            f"{what} must be {n:,} names, one for each {'row' if what == 'index' else 'class'}. "
            f"Got shape {array.shape} instead."
        )
    if unique and len(distinct := set(array.tolist())) < n:
        twice = Counter(array.tolist()).most_common(1)[0][0]
        raise InputError(
            f"{what} has {quote(twice)} more than once ({n - len(distinct):,} names repeat); "
            "rename or merge these columns."
        )
    return read_only(array.copy() if array is names or array.base is not None else array)
