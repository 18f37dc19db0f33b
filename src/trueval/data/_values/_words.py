"""Columns by their words and cells: what names mean, and whether the first line is a header."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite

from trueval.core.errors import Fix, InputWarning, Place, shorten, warn_user
from trueval.core.params import NONE, STRING, Interval, Where
from trueval.data._formats._first_lines import DECIMAL_COMMA
from trueval.data._raw import RawTable

__all__ = [
    "COLUMN",
    "COLUMNS",
    "DELIMITER",
    "FOLD_LIKE",
    "ID_LIKE",
    "INDEX_LIKE",
    "LABEL_LIKE",
    "SCORE_LIKE",
    "first_cells",
    "header_by_types",
    "is_number",
    "warn_of_no_header",
]

#: What parameters of readers may be.
COLUMN = (NONE, STRING, Interval(int, 0))
COLUMNS = (
    *COLUMN,
    Where(
        lambda names: (
            not isinstance(names, Mapping | bytes | bool)
            and all(any(c.accepts(name) for c in COLUMN[1:]) for name in names)
        ),
        "names or numbers of columns",
    ),
)
DELIMITER = (NONE, Where(lambda d: isinstance(d, str) and len(d) == 1, "one character"))

ID_LIKE = re.compile(
    r"(?:.*[_ .-])?(?:ids?|names?|index|rows?|objects?|proteins?|genes?|accessions?|keys?|samples?"
    r"|items?|doc|documents?|entry|entries|identifiers?)|__index_level_0__|unnamed: ?\d+"
    r"|(?-i:.*[a-z]I[dD])|",  # EntryID, ImageId
    re.IGNORECASE,
)
#: How pandas names a column of row numbers that has no name.
INDEX_LIKE = re.compile(r"|unnamed: ?\d+|__index_level_\d+__", re.IGNORECASE)
LABEL_LIKE = re.compile(
    r"(?:.*[_ .-])?(?:labels?|class|classes|terms?|tags?|category|categories|targets?|go"
    r"|annotations?)|go_?ids?",
    re.IGNORECASE,
)
#: Names of columns that say the fold or part of a row.
FOLD_LIKE = re.compile(
    r"(?:(?:cv|k|outer|inner|test|train|data)[_ .-]?)?(?:folds?|splits?)"
    r"(?:[_ .-]?(?:\d+|ids?|no|nr))?"
    r"|(?:(?:is|in|for)[_ .-]?)?(?:train(?:ing)?|test(?:ing)?|val|valid(?:ation)?|dev"
    r"|hold[_ -]?out)(?:[_ .-]?(?:set|split|mask))?|cv|partition|subset",
    re.IGNORECASE,
)
SCORE_LIKE = re.compile(
    r"(?:.*[_ .-])?(?:scores?|prob|probability|probabilities|values?|confidence|predictions?)",
    re.IGNORECASE,
)


def is_number(field: str) -> bool:
    """Whether a field reads as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def first_cells(table: RawTable, at: int) -> list[str]:
    """The first cells of a column; of a text of one line, that line's."""
    cells = table.cells(at)
    return cells if cells or table.has_header else [table.names[at]]


def header_by_types(table: RawTable, columns: Sequence[int]) -> bool | None:
    """Whether the first line is a header by its cells, whatever their words.

    A number with a decimal comma is one here, so that the error is about the comma.

    A column with numbers in all rows but the first has its name there. A number in the first
    line, or a cell that occurs again below, makes it data, and so does being the only line.
    None if it cannot be told.
    """
    if table.has_header:
        return True
    first = [table.names[at] for at in columns if table.names[at].strip()]
    if any(DECIMAL_COMMA.fullmatch(c) or (is_number(c) and isfinite(float(c))) for c in first):
        return False
    below = [table.cells(at) for at in columns]
    if not any(below):
        return False
    if any(all(is_number(c) or DECIMAL_COMMA.fullmatch(c) for c in cells) for cells in below):
        return True
    seen = {cell for cells in below for cell in cells}
    return False if any(cell in seen for cell in first) else None


def warn_of_no_header(table: RawTable) -> None:
    """Say that the first line is taken as data, though it might be a header."""
    line = getattr(table, "delimiter", ",").join(table.names)
    warn_user(
        f"no known header, so the first line, {shorten(line)!r}, is taken as data.",
        InputWarning,
        place=Place(table.source.name, **table.place(None)),
        fix=Fix(
            "If it names the columns, pass {}; if it does not, pass {}.",
            "header",
            True,
            more=(("header", False),),
        ),
    )
