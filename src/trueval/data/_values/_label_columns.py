"""Which columns of a table hold the ids and the labels, and what is wrong if none do."""

from typing import Any

from trueval.core.errors import (
    Fix,
    InputError,
    quote,
    quote_names,
    shorten,
)
from trueval.data._raw import RawTable
from trueval.data._values._words import (
    BINARY,
    FOLD_LIKE,
    first_cells,
    id_places,
    is_missing,
    is_number,
    label_places,
)

__all__ = ["id_and_label", "is_binary", "not_binary"]


_WHICH = Fix("Pass {} and {}.", "id_column", more=(("label_column", None),))


def not_binary(table: RawTable, cell: str, row: int, at: int, fix: Fix) -> InputError:
    """The error for a cell that is missing or not 0 or 1 in a column of these."""
    what = "the value is missing"
    if cell.strip():
        what = f"the value {quote(cell, 40)} is not 0 or 1"
        what += ", as if it were missing" if is_missing(cell) else ""
    return table.fail(f"{what}; labels must be 0 or 1.", fix=fix, row=row, column=at)


def is_binary(table: RawTable, at: int) -> bool:
    return all(cell in BINARY for cell in first_cells(table, at))


def id_and_label(table: RawTable, id_at: int | None, label_column: Any) -> tuple[int, int]:
    label_at = None if label_column is None else table.position(label_column, "label_column")
    if table.width == 1:
        raise table.fail(
            f"one column only ({shorten(table.names[0])!r}); an id and a label are needed.",
            fix=Fix("Add the ids, or pass {}.", "delimiter"),
        )
    if table.width > 2 and (id_at is None or label_at is None):
        ids = [at for at in id_places(table.names) if at != label_at]
        names = [at for at in label_places(table.names) if at != id_at]
        if id_at is None and len(ids) == 1:
            id_at = ids[0]
        if label_at is None and len(names) == 1:
            label_at = names[0]
        if id_at is None or label_at is None:
            raise _not_both_known(table, (id_at, label_at), (ids, names))
    if id_at is None and label_at is None and _are_swapped(table):
        id_at = 1
    if id_at is None:
        id_at = 1 if label_at == 0 else 0
    if label_at is None:
        label_at = 1 if id_at == 0 else 0
    if id_at == label_at:
        raise table.fail(
            f"column {table.names[id_at]!r} cannot be both id and label.", fix="Choose two."
        )
    return id_at, label_at


def _are_swapped(table: RawTable) -> bool:
    """Whether the first of two columns is named as labels are, and the second as ids."""
    return label_places(table.names) == [0] and id_places(table.names) == [1]


def _not_both_known(
    table: RawTable, known: tuple[int | None, int | None], named: tuple[list[int], list[int]]
) -> InputError:
    """The error for a table whose columns of ids and labels are not both known."""
    (id_at, label_at), (ids, labels) = known, named
    if label_at is None and len(labels) > 1:
        what, parameter, several = "labels", "label_column", labels
    elif label_at is not None and id_at is None:
        what, parameter, several = "ids", "id_column", ids
    else:
        return _neither(table, 0 if id_at is None else id_at)
    fix = Fix("Pass {}.", parameter)
    if not several:
        return table.fail(f"which column holds the {what}? No name tells.", fix=fix)
    names = quote_names([table.names[at] for at in several])
    return table.fail(f"several columns are named as {what} are: {names}.", fix=fix)


def _neither(table: RawTable, id_at: int) -> InputError:
    """The error for a table that is neither wide nor has columns named as ids and labels are."""
    nearly = _nearly_binary(table, id_at)
    if nearly is not None:
        cells = first_cells(table, nearly)
        row = next(row for row, cell in enumerate(cells) if cell not in BINARY)
        name = table.column_name(nearly)
        fix = Fix("Correct it, or pass {} if the column is no class.", "ignore", name)
        return not_binary(table, cells[row], row, nearly, fix)
    for at in range(1, table.width):
        cells = first_cells(table, at)
        row = next((row for row, cell in enumerate(cells) if cell not in BINARY), -1)
        if row >= 0:
            return table.fail(
                f"which columns hold ids and labels? None is named as labels are, and the value "
                f"{shorten(cells[row])!r} is not 0 or 1.",
                fix=Fix(
                    f"{_WHICH.text[:-1]}, or {{}} if this column is no class.",
                    "id_column",
                    more=(*_WHICH.more, ("ignore", table.column_name(at))),
                ),
                row=row if table.typed or table.n_rows else None,
                column=at,
            )
    return table.fail("which columns hold ids and labels?", fix=_WHICH)


def _nearly_binary(table: RawTable, id_at: int) -> int | None:
    """The first column of 0 and 1 with other cells, where all others are such or texts."""
    nearly: int | None = None
    for at in range(table.width):
        if at == id_at:
            continue
        cells = [cell for cell in first_cells(table, at) if not is_missing(cell)]
        binary = sum(cell in BINARY for cell in cells)
        if 2 * binary < max(len(cells), 1) or FOLD_LIKE.fullmatch(table.names[at].strip()):
            if any(map(is_number, cells)):
                return None
        elif nearly is None and not is_binary(table, at):
            nearly = at
    return nearly
