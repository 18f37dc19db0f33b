"""What separates the labels of one cell.

``;`` and ``|`` are separators wherever they occur. Commas and spaces occur inside names too
("transport, lipid"), so three rules decide, in this order:

- Where an id comes again, the table has one label a line, and commas are part of the names.
- The labels of a list change places: ``a,b`` here, ``b,c`` there. The parts of a name with a comma
  keep theirs. So a comma separates if at least half of the parts that occur in several cells are
  first (or alone) in one cell and later in another one. Words between spaces change places in
  names as well, so a space is never guessed.
- Other marks (``/``, ``+``, ``&``, ``:``) are part of a name, unless their parts change places.
- Anything else is refused, and the error names both ways to say what is meant.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from trueval.core.errors import Fix, InputError, shorten
from trueval.data._cells import LISTED
from trueval.data._raw import AsCodes, RawTable
from trueval.data._values._words import first_cells

__all__ = ["SEPARATORS", "find_separator", "possible_list"]

#: What separates labels wherever it occurs in a cell.
SEPARATORS = ";|"
#: What may separate them, or be part of a name: refused wherever it occurs.
_WEAK = ", "
#: What is part of a name as a rule: refused where the parts between it change places.
_RARE = "/+&:"
_FEWEST = 5  # parts that must have changed places: one or two may do so in names


def find_separator(
    table: RawTable, id_at: int, label_at: int, layout: str | None, header: bool
) -> str | None:
    """What separates labels in a cell; None where each cell is one label."""
    if table.kind(label_at) != "text":
        return None
    strong = _known_separator(table, first_cells(table, label_at), label_at)
    ids = table.cells(id_at)
    if strong or (layout is None and len(set(ids)) < len(ids)):
        return strong  # an id that comes again: one label a line
    data = table.read(
        header=header,
        ids=AsCodes(id_at, "the row has no id.", "Name it, or drop the row.", strip=False),
        labels=AsCodes(label_at, None),
    )
    labels, names = data["labels"], data["labels"].names.tolist()
    if any(mark in name for name in names for mark in SEPARATORS):
        return _known_separator(table, names, label_at) if layout == "list" else None
    repeated = layout is None and len(data["ids"].names) < len(data["ids"].codes)
    if repeated or any(map(LISTED.fullmatch, names)):
        return None  # one label a line; or lists as Python writes them, which the reader refuses
    return _weak_separator(
        table, names, lambda code: np.flatnonzero(labels.codes == code)[0], label_at
    )


def _known_separator(table: RawTable, cells: Sequence[str], label_at: int) -> str | None:
    """The one of ``;`` and ``|`` that occurs; both are refused."""
    used = [s for s in SEPARATORS if any(s in cell for cell in cells)]
    if len(used) > 1:
        raise table.fail(
            "the labels contain both ';' and '|', so what separates them is not clear.",
            fix=Fix("Pass {}, or {}.", "separator", more=(("layout", "long"),)),
            column=label_at,
        )
    return used[0] if used else None


def _weak_separator(
    table: RawTable, names: Sequence[str], row_of: Callable[[int], Any], label_at: int
) -> str | None:
    """The comma that separates labels; None where each cell is one name.

    ``names`` are the distinct cells. What may be a list or a name is refused.
    """
    if changes_places(names, ","):
        return ","
    unclear = possible_list(names)
    if unclear is None:
        return None
    name, mark = unclear
    raise _not_clear(table, name, mark, int(row_of(names.index(name))), label_at)


def possible_list(names: Sequence[str]) -> tuple[str, str] | None:
    """The first name that may be a list of labels, and what would separate them."""
    marks = [mark for mark in _RARE if changes_places(names, mark)] + list(_WEAK)
    return next(((name, mark) for mark in marks for name in names if mark in name.strip()), None)


def changes_places(cells: Sequence[str], separator: str) -> bool:
    """Whether the parts between separators come in any order, as the members of sets do.

    >>> cells = ["a,b", "b,c", "c,d", "d,e", "e,a", "b"]
    >>> changes_places(cells, ","), changes_places(["fat, free", "fat, whole", "fat"], ",")
    (True, False)
    """
    times: dict[str, int] = {}
    first, later = set(), set()
    for cell in cells:
        parts = [part.strip() for part in cell.split(separator)]
        if len(set(parts)) < len(parts) or (len(parts) > 1 and "" in parts):
            return False  # a set holds nothing twice
        first.update(parts[:1])
        later.update(parts[1:])
        for part in parts:
            times[part] = times.get(part, 0) + 1
    again = {part for part, n in times.items() if n > 1}
    moved = first & later
    return len(moved) >= _FEWEST and 2 * len(moved) >= len(again)


def _not_clear(table: RawTable, name: str, separator: str, row: int, label_at: int) -> InputError:
    what = {",": "a comma", " ": "spaces"}.get(separator, repr(separator))
    return table.fail(
        f"the label {shorten(name)!r} contains {what}: it may be one class with that name or a "
        "list of several.",
        fix=Fix(
            "Pass {} if it is a list, {} if it is one class.",
            "separator",
            separator,
            more=(("layout", "long"),),
        ),
        row=row,
        column=label_at,
    )
