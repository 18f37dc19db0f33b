"""What a file holds before it is a value: a table of columns, or a matrix with names.

A format gives one of these, or takes one to write it; which columns mean what is decided
in :mod:`trueval.data._values`, for all formats alike. Names travel as numbers into a list
of distinct names, so that no cell of a large file becomes a Python object.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, quote, shorten
from trueval.data._cells import Cells, NameLists
from trueval.data._columns import Codes, Column, Flags, Lists, number_values, ones
from trueval.data._source import Source

__all__ = [
    "AsCodes",
    "AsFlags",
    "AsLists",
    "AsNumbers",
    "RawMatrix",
    "RawTable",
    "unique_names",
]

_SAMPLE = 1000
_BLOCK = 10_000
_KINDS = {"U": "text", "i": "int", "u": "int", "f": "float", "b": "bool"}


@dataclass(frozen=True)
class AsCodes:
    """Ask for a column of names.

    ``empty`` is the problem that an empty cell is, None for a cell that may be.
    """

    at: int
    empty: str | None = "the cell is empty."
    fix: str = "Fill it in, or drop the row."
    strip: bool = True


@dataclass(frozen=True)
class AsLists:
    """Ask for a column of lists of names.

    Text is split at the separator; cells that look like lists of Python or JSON are refused.
    """

    at: int
    separator: str = ";"


@dataclass(frozen=True)
class AsNumbers:
    """Ask for columns of finite numbers, or of whole ones from the lowest on.

    ``what`` they are is for messages, and what may mend it if the first row has none.
    """

    at: tuple[int, ...]
    what: str = "value"
    lowest: int | None = None
    first_fix: Fix | None = None


@dataclass(frozen=True)
class AsFlags:
    """Ask for columns of 0 and 1, as a sparse matrix."""

    at: tuple[int, ...]


Want = AsCodes | AsLists | AsNumbers | AsFlags


@dataclass(frozen=True)
class RawMatrix:
    """A matrix of numbers, with the names of its columns and rows where there are any."""

    matrix: Any
    classes: NDArray[Any] | None = None
    index: NDArray[Any] | None = None

    def as_table(self) -> "RawTable":
        """One column for each class, after the ids."""
        index = np.arange(self.matrix.shape[0]) if self.index is None else self.index
        assert self.classes is not None
        columns: list[tuple[str, Column]] = [("id", index)]
        by_class = self.matrix.tocsc() if sp.issparse(self.matrix) else None
        for c, name in enumerate(self.classes.tolist()):
            if by_class is None:
                columns.append((str(name), self.matrix[:, c]))
            else:
                rows = by_class.indices[by_class.indptr[c] : by_class.indptr[c + 1]]
                columns.append((str(name), Flags(rows, len(index))))
        return RawTable(columns)


class RawTable:
    """Columns with names.

    A column is an array of numbers or text, :class:`Codes`, :class:`Lists` or :class:`Flags`.
    """

    #: Whether the names are names for sure; None where the first line may be data.
    has_header: bool | None = True
    #: Whether the reader of the value lets the user say whether the first line is a header.
    takes_header = True
    #: Whether cells have types. Text has none, so that all its names are text.
    typed = True

    def __init__(
        self,
        columns: Mapping[str, Column] | Iterable[tuple[str, Column]] = (),
        metadata: Mapping[str, str] | None = None,
        source: Source | None = None,
    ) -> None:
        pairs = list(columns.items() if isinstance(columns, Mapping) else columns)
        self.names = [name for name, _ in pairs]
        self.columns = [column for _, column in pairs]
        self.metadata = dict(metadata or {})
        self._source = source

    @property
    def source(self) -> Source:
        """Where the table was read."""
        assert self._source is not None
        return self._source

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        first = self.columns[0]
        if isinstance(first, Codes):
            return len(first.codes)
        if isinstance(first, Lists):
            return len(first.offsets) - 1
        return first.n_rows if isinstance(first, Flags) else len(first)

    # --- for guesses ---------------------------------------------------------------

    def kind(self, at: int) -> str:
        """Of a column: "list", "text", "int", "float", "bool" or "other"."""
        column = self.columns[at]
        if isinstance(column, Lists):
            return "list"
        if isinstance(column, Flags):
            return "int"
        array = column.names if isinstance(column, Codes) else column
        return _KINDS.get(array.dtype.kind, "other")

    def kind_of_lists(self, at: int) -> str:
        """What the lists of a column hold: "text", "int", "float", "bool" or "other"."""
        column = self.columns[at]
        assert isinstance(column, Lists)
        return _KINDS.get(column.names.dtype.kind, "other")

    def is_numeric(self, at: int) -> bool:
        """Whether a column has a type of numbers."""
        return self.kind(at) in ("int", "float", "bool")

    def cells(self, at: int) -> list[str]:
        """The first cells of a column as text, to look at."""
        return [str(value) for value in self._expand(at, 0, min(_SAMPLE, self.n_rows))]

    def position(self, wanted: Any, parameter: str | None) -> int:
        """Place of a column by its name or its number.

        An error says which parameter chose it; None for one that the file must have.
        """
        fix = Fix("Name one of them so.")
        if parameter is not None:
            fix = Fix("Choose one of them by {}, its name or number.", parameter)
        if isinstance(wanted, int):
            if not 0 <= wanted < self.width:
                raise self.fail(
                    f"there is no column {wanted}; there are {self.width}, numbered from 0.",
                    fix=fix,
                    parameter=parameter,
                )
            return wanted
        if self.names.count(wanted) != 1:
            several = "several columns are" if wanted in self.names else "no column is"
            raise self.fail(
                f"{several} named {wanted!r}. The columns: {shorten(', '.join(self.names), 200)}.",
                fix=fix,
                parameter=parameter,
            )
        return self.names.index(wanted)

    # --- messages --------------------------------------------------------------------

    def place(self, row: int | None) -> dict[str, int]:
        """Where a row is: its number here, its line in text. None for the header."""
        return {} if row is None else {"row": row}

    def column_name(self, at: int) -> str | int:
        """How a message calls a column."""
        return self.names[at]

    def fail(
        self,
        problem: str,
        *,
        row: int | None = None,
        column: Any = None,
        fix: Fix | str | None = None,
        parameter: str | None = None,
    ) -> InputError:
        """Make the error to raise, placed in the file; a column may be its number."""
        name = self.column_name(column) if isinstance(column, int) else column
        return self.source.fail(
            problem, fix=fix, column=name, parameter=parameter, **self.place(row)
        )

    # --- reading -----------------------------------------------------------------------

    def read(self, *, header: bool = True, **wants: Want) -> dict[str, Any]:
        """Columns in the forms wanted, by the names of the arguments, in one pass.

        Each is :class:`Codes`, :class:`Lists`, a float array of shape (n_rows, n_columns), or a CSR
        matrix of ones. Without ``header`` the first line of text is a row.
        """
        data = self._load(wants, header)
        for key, want in wants.items():
            if isinstance(want, AsCodes) and want.empty is not None:
                empty = np.flatnonzero(data[key].codes < 0)
                if len(empty):
                    raise self.fail(want.empty, row=int(empty[0]), column=want.at, fix=want.fix)
        return data

    def _load(self, wants: Mapping[str, Want], header: bool) -> dict[str, Any]:
        if self.n_rows == 0:
            raise self.fail("there are no rows.", fix="At least one is needed.")
        return {key: self._one(want) for key, want in wants.items()}

    def _one(self, want: Want) -> Any:
        if isinstance(want, AsCodes):
            return self.codes(want.at, may_be_empty=want.empty is None)
        if isinstance(want, AsLists):
            return self.lists(want)
        if isinstance(want, AsNumbers):
            self.source.need(8 * self.n_rows * len(want.at), f"the {want.what}s")
            return np.column_stack([self.numbers(at) for at in want.at])
        return self._flags(want.at)

    def codes(self, at: int, *, may_be_empty: bool = False) -> Codes:
        """A column of names as numbers; what is missing is refused, unless it may be."""
        column = self.columns[at]
        if isinstance(column, Codes):
            return column
        if self.kind(at) not in ("text", "int"):
            raise self._not_names(at)
        assert isinstance(column, np.ndarray)
        return number_values(column)

    def lists(self, want: AsLists) -> Lists:
        """A column of lists of names as numbers; text is split at the separator."""
        column = self.columns[want.at]
        if self.kind(want.at) == "text":
            names = NameLists()
            for start in range(0, self.n_rows, _BLOCK):
                cells = self._expand(want.at, start, min(start + _BLOCK, self.n_rows))
                names.split(Cells.of(cells), want, self, start)
            return names.finish_lists(self.source, f"names of column {self.names[want.at]!r}")
        if not isinstance(column, Lists):
            raise self.fail(
                "the column does not hold lists.", fix=Fix("Pass {}.", "layout"), column=want.at
            )
        return column

    def numbers(self, at: int) -> NDArray[Any]:
        """A column of numbers."""
        column = self.columns[at]
        if not self.is_numeric(at) or not isinstance(column, np.ndarray):
            raise self._not_numbers(at)
        return column

    def _not_names(self, at: int) -> InputError:
        return self.fail(
            f"names must be text or whole numbers. Got {self._type(at)}.",
            fix="Convert them.",
            column=at,
        )

    def _not_numbers(self, at: int) -> InputError:
        return self.fail(
            f"the column must hold numbers. Got {self._type(at)}.",
            fix="Drop it, or name it as the id column.",
            column=at,
        )

    def _type(self, at: int) -> str:
        return self.kind(at)

    def _flags(self, columns: tuple[int, ...]) -> sp.csr_array:
        rows = [self._ones(at) for at in columns]
        indptr = np.concatenate([[0], np.cumsum([len(r) for r in rows])])
        shape = (self.n_rows, len(columns))
        flags = np.ones(int(indptr[-1]), bool)
        matrix = sp.csc_array((flags, np.concatenate(rows), indptr), shape=shape).tocsr()
        return ones(matrix.indptr, matrix.indices, shape)

    def _ones(self, at: int) -> NDArray[np.intp]:
        """Rows of a column with 1; the others must have 0."""
        values = self.numbers(at)
        nonzero = np.flatnonzero(values)
        bad = np.flatnonzero(values[nonzero] != 1)
        if len(bad):
            row = int(nonzero[bad[0]])
            raise self.fail(
                f"the value {values[row]} is not 0 or 1; labels must be.",
                fix="Correct it, drop the column, or name it as the id column.",
                row=row,
                column=at,
            )
        return nonzero

    # --- writing -------------------------------------------------------------------------

    def _expand(self, at: int, start: int, stop: int) -> list[Any]:
        column = self.columns[at]
        if isinstance(column, np.ndarray):
            return column[start:stop].tolist()
        part = column.expand(start, stop)
        return part.tolist() if isinstance(part, np.ndarray) else part

    def rows(self) -> Iterator[Sequence[Any]]:
        """Rows of plain values, lists for cells that hold several."""
        for start in range(0, self.n_rows, _BLOCK):
            stop = min(start + _BLOCK, self.n_rows)
            yield from zip(
                *(self._expand(at, start, stop) for at in range(self.width)), strict=True
            )


def unique_names(table: RawTable, ids: Codes, problem: str, fix: Fix | str) -> NDArray[Any]:
    """Names of rows that are all different; an error says where one comes again."""
    n = len(ids.codes)
    if len(ids.names) == n:
        in_order = bool((ids.codes == np.arange(n)).all())
        return ids.names if in_order else ids.expand()
    again = np.ones(n, bool)
    again[np.unique(ids.codes, return_index=True)[1]] = False
    row = int(np.argmax(again))
    name = quote(str(ids.names[ids.codes[row]]), 60)
    raise table.fail(problem.format(name), row=row, fix=fix)
