"""A table without some of its columns, so that nobody who reads it has to leave them out."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from trueval.core.errors import quote
from trueval.data._raw import RawTable, Want

__all__ = ["Without", "without"]


def without(table: RawTable, places: Collection[int]) -> RawTable:
    """The table without these columns; itself if there are none."""
    return Without(table, places) if places else table


class Without(RawTable):
    """The other columns of a table; users number them as in the whole table.

    >>> import numpy as np
    >>> from trueval.data._source import Source
    >>> whole = RawTable({"a": np.array([1]), "b": np.array([2])}, source=Source(b"x"))
    >>> without(whole, [0]).names, without(whole, [0]).position(1, "columns")
    (['b'], 0)
    """

    def __init__(self, table: RawTable, places: Collection[int]) -> None:
        super().__init__(metadata=table.metadata, source=table.source)
        self._table = table
        self._whole_places = [at for at in range(table.width) if at not in places]
        self.names = [table.names[at] for at in self._whole_places]
        self.has_header, self.typed = table.has_header, table.typed
        self.delimiter = getattr(table, "delimiter", ",")

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._table.n_rows

    def kind(self, at: int) -> str:
        """Of a column: "list", "text", "int", "float", "bool" or "other"."""
        return self._table.kind(self._whole_places[at])

    def kind_of_lists(self, at: int) -> str:
        """What the lists of a column hold."""
        return self._table.kind_of_lists(self._whole_places[at])

    def cells(self, at: int) -> list[str]:
        """The first cells of a column as text, to look at."""
        return self._table.cells(self._whole_places[at])

    def place(self, row: int | None) -> dict[str, int]:
        """Where a row is."""
        return self._table.place(row)

    def column_name(self, at: int) -> str | int:
        """How a message calls a column."""
        return self._table.column_name(self._whole_places[at])

    def position(self, wanted: Any, parameter: str | None) -> int:
        """Place of a column by its name or its number in the whole table."""
        at = self._table.position(wanted, parameter)
        if at not in self._whole_places:
            raise self.fail(
                f"the column {quote(self._table.names[at], 40)} is left out.", parameter=parameter
            )
        return self._whole_places.index(at)

    def _load(self, wants: Mapping[str, Want], header: bool) -> dict[str, Any]:
        return self._table._load({key: self._moved(want) for key, want in wants.items()}, header)

    def _moved(self, want: Want) -> Want:
        if isinstance(want.at, tuple):
            return replace(want, at=tuple(self._whole_places[at] for at in want.at))
        return replace(want, at=self._whole_places[want.at])
