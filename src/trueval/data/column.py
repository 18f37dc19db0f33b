"""One value for each name: groups of rows, clusters of objects, parts already fixed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import shorten
from trueval.core.names import places
from trueval.data.names import as_array, check_unique
from trueval.data.sniff import find_format
from trueval.data.source import Source
from trueval.data.text import Table

__all__ = ["Column", "column_of"]


class Column:
    """A column of a table with the names beside it.

    Parameters
    ----------
    source : Source
    values : ndarray of str
    names : ndarray of str or None
        None where the file has the one column only: values are then in row order.
    """

    def __init__(self, source: Source, values: NDArray[Any], names: NDArray[Any] | None) -> None:
        self.source, self.values, self.names = source, values, names

    def __len__(self) -> int:
        return len(self.values)

    def as_dict(self) -> dict[str, str]:
        """Values by name."""
        if self.names is None:
            raise self.source.fail(
                "the file has one column only, so it does not say whose the values are.",
                fix="Add a first column with the ids.",
            )
        return dict(zip(self.names.tolist(), self.values.tolist(), strict=True))

    def beside(
        self, index: NDArray[Any] | None, n_rows: int, *, missing: str | None = None
    ) -> NDArray[Any]:
        """Values in the order of the rows."""
        if self.names is None:
            if len(self) != n_rows:
                raise self.source.fail(
                    f"{len(self):,} values for {n_rows:,} rows.",
                    fix="Give one for each row, or a first column with the ids.",
                )
            return self.values
        wanted = np.arange(n_rows) if index is None else index
        policy = "error" if missing is None else "empty"
        with self.source.placing():
            rows = places(self.names, wanted.astype(np.str_), "row id", missing=policy)
        out = np.full(n_rows, "" if missing is None else missing, dtype=object)
        out[rows] = self.values
        return out.astype(np.str_)

    def whole_numbers(self, values: NDArray[Any], lowest: int) -> NDArray[np.int64]:
        """Values as whole numbers from ``lowest``."""
        numbers = np.empty(len(values), dtype=np.int64)
        for place, text in enumerate(values.tolist()):
            digits = text.removeprefix("-")
            if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
                raise self.source.fail(f"the value {shorten(text)!r} is not a whole number.")
            numbers[place] = int(text)
            if numbers[place] < lowest:
                raise self.source.fail(f"the value {text} is below {lowest}.")
        return numbers


def column_of(source: Source, wanted: tuple[str, ...], what: str) -> Column:
    r"""Read a column of a CSV or TSV file with a header.

    >>> from trueval.data.column import column_of
    >>> from trueval.data.source import Source
    >>> file = Source("groups.csv", data=b"id,group\na,1\nb,1\n")
    >>> column_of(file, ("group",), "the groups").as_dict()
    {'a': '1', 'b': '1'}
    """
    find_format(source, None, ("csv", "tsv"))
    table = Table(source, "utf-8")
    at = _position(table, wanted, what)
    names: list[str] = []
    values: list[str] = []
    for number, fields in table.rows(with_first=False):
        for place in {0, at}:
            if not fields[place].strip():
                raise source.fail("the cell is empty.", line=number, column=table.first[place])
        values.append(fields[at].strip())
        names.append(fields[0])
    if not values:
        raise source.fail("there is a header but no rows.", fix="At least one is needed.")
    if at == 0:
        return Column(source, as_array(source, values, what), None)
    ids = as_array(source, names, "ids")
    check_unique(source, ids, "id")
    return Column(source, as_array(source, values, what), ids)


def _position(table: Table, wanted: tuple[str, ...], what: str) -> int:
    if table.width <= 2:
        return table.width - 1
    found = [place for place, name in enumerate(table.first) if name.lower() in wanted and place]
    if len(found) != 1:
        raise table.source.fail(
            f"{table.width} columns, and not one of them named {' or '.join(wanted)} ({what}).",
            fix="Keep the ids and that column.",
            line=table.first_line,
        )
    return found[0]
