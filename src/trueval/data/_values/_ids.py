"""Which column has the ids of the rows, and which only numbers them.

Pandas and R write an index without a name beside the columns. Where it has whole numbers alone, in
any order and with gaps as filtering leaves them, another column goes before it: one called id, one
named as ids are (protein, sample_id), or the only one of different texts, which is said. An index
of texts is not left out: beside a column called id it is refused.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from numpy.typing import NDArray

from trueval.core.errors import (
    Fix,
    InputError,
    InputWarning,
    Place,
    quote,
    quote_names,
    shorten,
    warn_user,
)
from trueval.data._columns import Codes
from trueval.data._raw import AsCodes, RawTable, unique_names
from trueval.data._values._view import without
from trueval.data._values._words import (
    FOLD_LIKE,
    ID_LIKE,
    first_cells,
    id_places,
    is_number,
    label_places,
)

__all__ = [
    "Settled",
    "as_ids",
    "id_place",
    "ids_of_wide",
    "index_beside",
    "is_id_column",
    "may_name_rows",
    "numbers_rows",
    "only_numbers",
    "row_ids",
    "say_doubt",
    "settle_ids",
    "unnamed",
]

# Surely ids, whatever stands in front of them.
_ID = re.compile(r"(?:.*[_ .-])?id|(?-i:.*[a-z]I[dD])", re.IGNORECASE)
_LEVEL = re.compile(r"__index_level_\d+__")  # as pandas marks an index in Parquet
_UNNAMED = re.compile(rf"unnamed: ?\d+|{_LEVEL.pattern}", re.IGNORECASE)
_CHOOSE = Fix("Drop one, or choose by {}, its name or number.", "id_column")
_CHOOSE_ID = Fix("Name it id, or choose by {}, its name or number.", "id_column")


def unnamed(table: RawTable) -> list[int]:
    """Columns that pandas and R write for an index without a name, or make of one."""
    columns = [
        at
        for at, name in enumerate(table.names)
        if _UNNAMED.fullmatch(name.strip()) and any(map(str.strip, first_cells(table, at)))
    ]
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


def may_name_rows(table: RawTable, at: int) -> bool:
    """Whether the first cells of a column are different, and texts or whole numbers."""
    cells = [cell.strip() for cell in table.cells(at)]
    plain = all(cell.isdigit() for cell in cells) or not all(map(is_number, cells))
    return table.kind(at) in ("text", "int") and plain and len(set(cells)) == len(cells)


def only_numbers(table: RawTable, at: int, *, any_order: bool) -> bool:
    """Whether an index numbers the rows; in any order, it has whole numbers alone."""
    whole = all(cell.strip().isdigit() for cell in table.cells(at))
    return whole if any_order else numbers_rows(table, at)


class Settled(NamedTuple):
    """A table without an index that has no name, where another column has the ids."""

    table: RawTable
    id_at: int | None = None
    # What is to be said where ids stand in a column of their own: an index that is left out could
    # have them, or it looks as one that was filtered or shuffled.
    doubt: InputError | None = None
    remark: str | None = None

    def check(self) -> None:
        """Raise or say what is in doubt."""
        say_doubt(self.table, self.doubt, self.remark)


def say_doubt(
    table: RawTable, doubt: InputError | None, remark: str | None, fix: Fix = _CHOOSE
) -> None:
    """Raise the error, or say the remark."""
    if doubt is not None:
        raise doubt
    if remark is not None:
        warn_user(remark, InputWarning, place=Place(table.source.name), fix=fix)


def settle_ids(table: RawTable, chosen: Any, header: bool | None) -> Settled:
    """Find the column of ids where its name, or an index without a name beside it, tells."""
    if header is False and not table.typed:
        return Settled(table, None if chosen is None else table.position(chosen, "id_column"))
    index = unnamed(table)
    if chosen is not None:
        id_at: int | None = table.position(chosen, "id_column")
        return _without_index(table, index, id_at, None, None)
    id_at = _named_id(table, index)
    if id_at is None and index and not table.typed:
        settled = _beside_numbers(table, index)
        if settled is not None:
            return settled
    if id_at is None:
        return _without_numbers(table, index)
    return _without_index(table, index, id_at, *index_beside(table, index, id_at))


def index_beside(
    table: RawTable, index: list[int], id_at: int, fix: Fix = _CHOOSE
) -> tuple[InputError | None, str | None]:
    """Say what is in doubt where columns without a name stand beside one that is named as ids are.

    Numbers in any order are what filtering and shuffling leave of an index; other columns are
    named id, or hold texts, for a reason.
    """
    name = quote(table.names[id_at], 40)
    exact = table.names[id_at].strip().lower() == "id"
    any_order = exact or not all(map(is_number, table.cells(id_at)))
    other = [at for at in index if at != id_at and not numbers_rows(table, at)]
    if not all(only_numbers(table, at, any_order=any_order) for at in other):
        problem = f"the column without a name and {name} could both be the row ids."
        return table.fail(problem, fix=fix), None
    if all(table.typed and _LEVEL.fullmatch(table.names[at]) for at in other):
        return None, None
    return None, f"the row ids are those of {name}; the column without a name is left out."


def _without_index(
    table: RawTable,
    index: list[int],
    id_at: int | None,
    doubt: InputError | None,
    remark: str | None,
) -> Settled:
    """Settle on a column of ids."""
    left_out = [at for at in index if at != id_at]
    moved = None if id_at is None else id_at - sum(other < id_at for other in left_out)
    return Settled(without(table, left_out), moved, doubt, remark)


def _beside_numbers(table: RawTable, index: list[int]) -> Settled | None:
    """Look for the column of ids beside an index of whole numbers: by its name, or by its texts.

    A name such as protein is enough beside labels, as in lines of an id and a label; else the ids
    must be different texts, as a class of numbers may have such a name. Without one they are the
    only different texts, which is said.
    """
    if not all(only_numbers(table, at, any_order=True) for at in index):
        return None
    labels = label_places(table.names)
    texts = [at for at in range(table.width) if at not in index and _are_texts(table, at)]
    named = [at for at in id_places(table.names) if labels or at in texts]
    if len(named) == 1:
        return _without_index(table, index, named[0], *index_beside(table, index, named[0]))
    if named and labels:
        return None  # several, which is refused once the layout is known
    unclear = named or [
        at
        for at in id_places(table.names)
        if may_name_rows(table, at) and not set(table.cells(at)) <= {"0", "1"}
    ]
    if unclear:
        names = quote_names([table.names[at] for at in unclear])
        which = "" if named else " or the one without a name"
        fix = Fix("Pass {}.", "id_column")
        raise table.fail(f"which column has the row ids? {names}{which} may.", fix=fix)
    # A column such as go_id may have labels or ids.
    texts = [at for at in texts if at not in labels] or [
        at for at in texts if ID_LIKE.fullmatch(table.names[at].strip())
    ]
    if len(texts) != 1:
        return None
    warn_user(
        f"the row ids are taken from {quote(table.names[texts[0]], 40)}, the only column of "
        "different texts, not from the column of numbers without a name.",
        InputWarning,
        place=Place(table.source.name),
        fix=_CHOOSE_ID,
    )
    return _without_index(table, index, texts[0], None, None)


def _are_texts(table: RawTable, at: int) -> bool:
    """Whether a column could have ids that are no numbers."""
    fold = FOLD_LIKE.fullmatch(table.names[at].strip())
    return not fold and may_name_rows(table, at) and not all(map(is_number, table.cells(at)))


def _without_numbers(table: RawTable, index: list[int]) -> Settled:
    """Where no column is called id: without those of an index that only number the rows."""
    if table.typed:
        others = [at for at in range(table.width) if at not in index]
        if any(table.kind(at) == "text" for at in others):  # it has the ids
            return Settled(without(table, [at for at in index if table.kind(at) != "text"]))
    telling = [at for at in index if not numbers_rows(table, at)]
    if len(index) < 2 or len(telling) > 1:
        return Settled(table)
    return _without_index(table, index, telling[0] if telling else index[0], None, None)


def _named_id(table: RawTable, index: list[int]) -> int | None:
    """A column called id; beside an index without a name also one such as protein_id."""
    ids = [at for at in id_places(table.names) if _ID.fullmatch(table.names[at].strip())]
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
    levels = [at for at in whole if _LEVEL.fullmatch(table.names[at])]
    named = [at for at in whole if at in levels or not set(first_cells(table, at)) <= {"0", "1"}]
    if levels and len(named) > 1:  # an index is no class
        raise table.fail(
            "several columns could be the row ids: "
            f"{quote_names([table.names[at] for at in named])}.",
            fix=Fix("Pass {}.", "id_column"),
        )
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
