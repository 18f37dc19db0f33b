"""One value for each name: groups of rows, clusters of objects, parts already fixed."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, shorten
from trueval.core.named import as_text
from trueval.core.names import places
from trueval.data._formats import find_format, read_raw
from trueval.data._raw import AsCodes, RawTable, unique_names
from trueval.data._source import Source
from trueval.data._values._ids import index_beside, numbers_rows, say_doubt, unnamed
from trueval.data._values._words import header_by_types, id_places

_POINT = re.compile(r"\.0*\Z")

__all__ = ["Column", "read_column", "read_table"]


class Column:
    """A column of a table with the names beside it.

    Names are None where the file has the one column only: values are then in row order.
    ``first`` is a first line that may be a header or data: it is data if it begins with an id.
    """

    def __init__(
        self,
        source: Source,
        values: NDArray[Any],
        names: NDArray[Any] | None,
        first: tuple[str, str] | None = None,
    ) -> None:
        self.source, self.values, self.names, self._first = source, values, names, first

    def __len__(self) -> int:
        return len(self.values)

    def by_name(self, ids: NDArray[Any]) -> dict[Any, str]:
        """Values by those ids that the file has, compared as text."""
        if self.names is None:
            raise self.source.fail(
                "the file has one column only, so it does not say whose the values are.",
                fix="Add a first column with the ids.",
            )
        distinct = dict.fromkeys(np.asarray(ids).reshape(-1).tolist())
        self._take_first(map(str, distinct))
        value_of = dict(zip(self.names.tolist(), self.values.tolist(), strict=True))
        return {name: value_of[str(name)] for name in distinct if str(name) in value_of}

    def in_order(
        self, index: NDArray[Any] | None, n_rows: int, *, missing: str | None = None
    ) -> NDArray[Any]:
        """Values in the order of the rows, which are numbered if they have no ids.

        ``missing`` is the value of rows that the file does not have; None for an error.
        """
        if self.names is None:
            if len(self) != n_rows:
                raise self.source.fail(
                    f"{len(self):,} values for {n_rows:,} rows.",
                    fix="Give one for each row, or a first column with the ids.",
                )
            return self.values
        wanted = as_text(np.arange(n_rows) if index is None else index)
        self._take_first(wanted.tolist())
        policy = "error" if missing is None else "empty"
        with self.source.placing():
            rows = places(self.names, wanted, "row id", missing=policy)
        out = np.full(n_rows, "" if missing is None else missing, dtype=object)
        out[rows] = self.values
        return as_text(out)

    def _take_first(self, wanted: Iterable[str]) -> None:
        """Take the first line for data if it begins with an id that is wanted."""
        if self._first is not None and self._first[0] in set(wanted):
            assert self.names is not None
            name, value = self._first
            self.names, self.values = np.append([name], self.names), np.append([value], self.values)
            self._first = None

    def numbers(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Values as finite numbers."""
        numbers = np.empty(len(values))
        for place, text in enumerate(values.tolist()):
            try:
                numbers[place] = float(text)
            except ValueError:
                raise self.source.fail(f"the value {shorten(text)!r} is not a number.") from None
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            raise self.source.fail(f"the value {values[wrong[0]]!s} is not a finite number.")
        return numbers

    def whole_numbers(self, values: NDArray[Any], lowest: int) -> NDArray[np.int64]:
        """Values as whole numbers from ``lowest``."""
        numbers = np.empty(len(values), dtype=np.int64)
        for place, text in enumerate(values.tolist()):
            whole = _POINT.sub("", text)  # pandas writes 1.0 beside missing cells
            digits = whole.removeprefix("-")
            if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
                raise self.source.fail(f"the value {shorten(text)!r} is not a whole number.")
            numbers[place] = int(whole)
            if numbers[place] < lowest:
                raise self.source.fail(f"the value {text} is below {lowest}.")
        return numbers


def read_table(path: Any, format: str | None = None, **options: Any) -> RawTable:  # noqa: A002
    """The table of a file of any format that holds one."""
    source = Source.of(path)
    form = find_format(source, format, ("table",), delimiter=options.get("delimiter"))
    table = read_raw(source, form, **options)
    if not isinstance(table, RawTable):
        raise source.fail("the file holds a matrix, not a table.", fix="Give columns with names.")
    # R leaves out the name of the row names, which is the first.
    if options.get("delimiter") == " " and "" in table.names[1:]:
        raise table.fail(
            "several spaces separate columns, or one ends the line.",
            fix="Use one space, a tab or a comma, none at the end.",
        )
    return table


def read_column(
    path: Any, wanted: tuple[str, ...], what: str, header: bool | None = None
) -> Column:
    r"""Read a column, and the ids beside it if there are several columns.

    ``wanted`` are names it may have; of two columns without such a name it is the second.
    ``what`` it is is for messages, such as "the groups". The ids are in the column called id,
    else in the first that is no index. A first line with a number, or with a value that comes
    again, is data unless ``header`` says otherwise.

    >>> file = Source(b"id,group\na,1\nb,1\n")
    >>> read_column(file, ("group",), "the groups").by_name(["a", "b"])
    {'a': '1', 'b': '1'}
    """
    table = read_table(path, header=header)
    table.takes_header = False
    at = _position(table, wanted, what, header)
    ids_at = _place_of_ids(table, at, header)
    first = None
    if header is None:
        named = table.names[at].strip().lower() in wanted
        header = True if named else header_by_types(table, sorted({ids_at, at}))
        if header is None:
            header, first = True, (table.names[ids_at], table.names[at].strip())
    if at == ids_at:
        values = table.read(header=header, values=AsCodes(0))["values"]
        return Column(table.source, _text(values.expand()), None)
    data = table.read(header=header, ids=AsCodes(ids_at, strip=False), values=AsCodes(at))
    ids = unique_names(table, data["ids"], "id {} occurs a second time.", "Keep one of them.")
    return Column(table.source, _text(data["values"].expand()), _text(ids), first)


def _text(values: NDArray[Any]) -> NDArray[Any]:
    return values if values.dtype.kind == "U" else as_text(values)


def _position(table: RawTable, wanted: tuple[str, ...], what: str, header: bool | None) -> int:
    """Where the column is: by its name, or the last of no more than two beside an index."""
    names = [name.strip().lower() for name in table.names]
    matches = [at for at, name in enumerate(names) if name in wanted and header is not False]
    index = [] if header is False else [at for at in unnamed(table) if numbers_rows(table, at)]
    if table.width - len(index) <= 2 and len(matches) != 1:
        return max(set(range(table.width)) - {*index}, default=table.width - 1)
    if len(matches) != 1:
        raise table.fail(
            f"{table.width} columns, and not one of them named {' or '.join(wanted)} ({what}).",
            fix="Keep the ids and that column.",
        )
    return matches[0]


def _place_of_ids(table: RawTable, at: int, header: bool | None) -> int:
    """Where the ids are beside a column: an index without a name is left out as beside labels."""
    others = [other for other in range(table.width) if other != at]
    if header is False or len(others) < 2:
        return others[0] if others else at
    index = [other for other in unnamed(table) if other in others]
    rows = [other for other in others if other in index or _is_index(table.names[other])]
    named = [c for c in id_places(table.names) if c in others and c not in rows]
    exact = [c for c in named if table.names[c].strip().lower() == "id"]
    # An index in front is not the ids where another column has them.
    chosen = exact or (named if others[0] in rows else [])
    if len(chosen) == 1:
        fix = Fix("Drop the one that is not.")
        say_doubt(table, *index_beside(table, index, chosen[0], fix), fix)
        return chosen[0]
    left = [other for other in others if not (other in index and numbers_rows(table, other))]
    return (left or others)[0]


def _is_index(name: str) -> bool:
    return name.strip().lower() in ("index", "row", "level_0")
