"""Columns by their words and cells: what names mean, and whether the first line is a header."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite

from trueval.core.errors import Fix, InputWarning, Place, shorten, warn_user
from trueval.core.params import NONE, STRING, Interval, Where
from trueval.data._formats._first_lines import DECIMAL_COMMA
from trueval.data._raw import RawTable

__all__ = [
    "BINARY",
    "COLUMN",
    "COLUMNS",
    "DELIMITER",
    "FOLD_LIKE",
    "ID_LIKE",
    "INDEX_LIKE",
    "LABEL_LIKE",
    "MISSING",
    "NO",
    "OPPOSITES",
    "SCORE_LIKE",
    "YES",
    "first_cells",
    "header_by_types",
    "id_places",
    "is_missing",
    "is_number",
    "label_places",
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
    r"|annotations?)|go[_ ]?ids?|gene ontology(?: ids?| \(.*\))?"  # the latter as in UniProt
    r"|variable",  # pandas.melt
    re.IGNORECASE,
)
#: Names of labels that may be ids as well: where no column is named as labels are, they are labels.
_LABEL_IDS = re.compile(
    r"(?:.*[_ .-])?(?:labels?|class|terms?|tags?|category|go|annotations?)"
    r"[_ .-]?(?:ids?|names?|accessions?)",
    re.IGNORECASE,
)
_BARE_IDS = {"id", "entry", "accession", "identifier"}
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
# What cells say, in small letters, where a label is there, and what others say where it is not.
_NO_OF_YES = {
    "1": "0",
    "1.0": "0.0",
    "true": "false",
    "yes": "no",
    "y": "n",
    "positive": "negative",
    "pos": "neg",
    "present": "absent",
}
#: The words that say that a label is there, those that say that it is not, and the other of each.
YES, NO = frozenset(_NO_OF_YES), frozenset(_NO_OF_YES.values())
OPPOSITES = {**_NO_OF_YES, **{no: yes for yes, no in _NO_OF_YES.items()}}

#: Cells that a column of one class may hold.
BINARY = frozenset({"0", "0.0", "false", "False", "FALSE", "1", "1.0", "true", "True", "TRUE"})
#: Words of programs for a value that is not there, in lower case.
MISSING = frozenset({"n/a", "na", "nan", "none", "null"})
_MISSING_LABEL = MISSING | {"", "-", "?", "<na>", "#n/a"}


def label_places(names: Sequence[str]) -> list[int]:
    """Columns that are named as labels are.

    >>> label_places(["gene_id", "go_id", "evidence"]), label_places(["term_id", "term"])
    ([1], [1])
    """
    named = [at for at, name in enumerate(names) if LABEL_LIKE.fullmatch(name.strip())]
    return named or [at for at, name in enumerate(names) if _LABEL_IDS.fullmatch(name.strip())]


def id_places(names: Sequence[str]) -> list[int]:
    """Columns that are named as ids are, and neither as labels, nor as an index or folds are.

    >>> id_places(["gene_id", "go_id", "evidence"]), id_places(["term_id", "term"])
    ([0], [0])
    """
    labels = label_places(names)
    named = [
        at
        for at, name in enumerate(map(str.strip, names))
        if at not in labels
        and ID_LIKE.fullmatch(name)
        and not INDEX_LIKE.fullmatch(name)
        and not FOLD_LIKE.fullmatch(name)
    ]
    named = [at for at in named if not _LABEL_IDS.fullmatch(names[at].strip())] or named
    # Of Entry, Entry Name and Protein names, as UniProt writes them, the first has the ids.
    bare = [at for at in named if names[at].strip().lower() in _BARE_IDS]
    return bare if len(bare) == 1 else named


def is_missing(cell: str) -> bool:
    """Whether a cell of labels is empty, or a word or sign that programs write into such cells."""
    return cell.strip().lower() in _MISSING_LABEL


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
