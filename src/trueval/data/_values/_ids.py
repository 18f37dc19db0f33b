"""Which column has the ids of the rows, and which only numbers them."""

import re
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, quote, shorten
from trueval.data._columns import Codes
from trueval.data._raw import AsCodes, RawTable, unique_names
from trueval.data._values._view import without
from trueval.data._values._words import ID_LIKE, first_cells

__all__ = [
    "as_ids",
    "id_place",
    "ids_of_wide",
    "is_id_column",
    "numbers_rows",
    "row_ids",
    "settle_ids",
    "unnamed",
]

# Surely ids, whatever stands in front of them.
_ID = re.compile(r"(?:.*[_ .-])?id|(?-i:.*[a-z]I[dD])", re.IGNORECASE)
_UNNAMED = re.compile(r"unnamed: ?\d+|__index_level_\d+__", re.IGNORECASE)


def unnamed(table: RawTable) -> list[int]:
    """Columns that pandas and R write for an index without a name, or make of one."""
    columns = [at for at, name in enumerate(table.names) if _UNNAMED.fullmatch(name.strip())]
    if not table.typed and not table.names[0].strip():
        columns.insert(0, 0)
    return columns


def is_id_column(name: str, *, typed: bool) -> bool:
    """Whether a column of a table with ids would be taken for ids or an index, not for a class."""
    return (typed and name.strip().lower() == "id") or _UNNAMED.fullmatch(name) is not None


def numbers_rows(table: RawTable, at: int) -> bool:
    """Whether the first cells of a column are 0, 1, 2, … or 1, 2, 3, … as text."""
    cells = [cell.strip() for cell in table.cells(at)]
    return any(cells == [str(start + n) for n in range(len(cells))] for start in (0, 1))


def settle_ids(
    table: RawTable, chosen: Any, header: bool | None
) -> tuple[RawTable, int | None, InputError | None]:
    """The table without an index that has no name, where another column has the ids; and that one.

    The error is to be raised where an index that does not number the rows could have the ids.
    """
    if header is False and not table.typed:
        return table, None if chosen is None else table.position(chosen, "id_column"), None
    index = unnamed(table)
    id_at = _named_id(table, index) if chosen is None else table.position(chosen, "id_column")
    if id_at is None:
        return _without_numbers(table, index)
    left_out = [at for at in index if at != id_at]
    doubt = None
    if chosen is None and not all(numbers_rows(table, at) for at in left_out):
        doubt = table.fail(
            f"the column without a name and {quote(table.names[id_at], 40)} could both be the row "
            "ids.",
            fix=Fix("Drop one, or choose by {}, its name or number.", "id_column"),
        )
    return without(table, left_out), _moved(id_at, left_out), doubt


def _moved(at: int, left_out: list[int]) -> int:
    return at - sum(other < at for other in left_out)


def _without_numbers(
    table: RawTable, index: list[int]
) -> tuple[RawTable, int | None, InputError | None]:
    """Where no column is called id: without those of an index that only number the rows."""
    if table.typed:
        others = [at for at in range(table.width) if at not in index]
        if any(table.kind(at) == "text" for at in others):  # it has the ids
            return without(table, [at for at in index if table.kind(at) != "text"]), None, None
    telling = [at for at in index if not numbers_rows(table, at)]
    if len(index) < 2 or len(telling) > 1:
        return table, None, None
    id_at = telling[0] if telling else index[0]
    left_out = [at for at in index if at != id_at]
    return without(table, left_out), _moved(id_at, left_out), None


def _named_id(table: RawTable, index: list[int]) -> int | None:
    """A column called id; beside an index without a name also one such as protein_id."""
    ids = [at for at, n in enumerate(table.names) if _ID.fullmatch(n.strip()) and at not in index]
    exact = [at for at in ids if table.names[at].strip().lower() == "id"]
    chosen = exact if exact or not index else ids
    if len(chosen) != 1:
        return None
    others = [at for at in range(table.width) if at not in index and at != chosen[0]]
    if table.typed and any(table.kind(at) == "text" for at in others):
        return None  # which may be the ids as well
    return chosen[0]


def id_place(table: RawTable, others: list[int]) -> int | None:
    """The column of row ids where cells have types: the one of text, or named so."""
    texts = [at for at in others if table.kind(at) == "text"]
    named = [at for at in others if table.names[at] and ID_LIKE.fullmatch(table.names[at])]
    if len(texts) > 1 and len(set(texts) & set(named)) == 1:
        return next(at for at in texts if at in named)
    if len(texts) > 1:
        names = ", ".join(table.names[at] for at in texts)
        raise table.fail(
            f"several columns could be the row ids: {shorten(names, 200)}.",
            fix=Fix("Pass {}.", "id_column"),
        )
    if texts:
        return texts[0]
    whole = [at for at in named if table.kind(at) == "int"]
    named = [at for at in whole if not set(first_cells(table, at)) <= {"0", "1"}]
    return named[0] if len(named) == 1 else None


def ids_of_wide(
    table: RawTable, holds_values: Callable[[int], bool], *, header: bool = True
) -> int | None:
    """The column of row ids beside columns of classes: in text the first, if it is no class."""
    if table.typed:
        return id_place(table, list(range(table.width)))
    named = header and ID_LIKE.fullmatch(table.names[0])
    return 0 if named or not holds_values(0) else None


def row_ids(table: RawTable, ids: Codes) -> NDArray[Any]:
    """Row ids, each once."""
    return unique_names(
        table,
        ids,
        "row id {} occurs a second time; each row needs an id of its own.",
        Fix("Merge the rows or rename one; for one label a line pass {}.", "layout", "long"),
    )


def as_ids(at: int) -> AsCodes:
    """Ask for a column of row ids."""
    return AsCodes(at, "the row has no id.", "Name it, or drop the row.", strip=False)
