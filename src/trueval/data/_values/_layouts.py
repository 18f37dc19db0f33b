"""Labels in a table: wide (0/1 columns), long (id, label), or one column of lists.

::

    wide            long           list
    id,kinase,ion   id,label       id,labels
    p1,1,0          p1,kinase      p1,kinase;ion
    p2,0,1          p2,ion         p2,ion

What the table is told is not guessed. What could be either is refused.

- Columns of text between ids and two or more 0/1 columns are left out with a warning.
- A column of lists is a list. Otherwise, a table whose columns are all 0 and 1 (in text) or numbers
  (where cells have types), but for one of ids, is wide, unless its one other column is named as
  labels are: of text this could be either, of numbers other than 0 and 1 it is long.
- Otherwise two columns are named as ids and labels are, or are the only two. It is a list where
  labels hold ``;`` or ``|``, or a comma or space that separates (see :mod:`._separators`), or where
  the column has a plural and ids are unique; else it is long.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, InputWarning, Place, shorten, warn_user
from trueval.core.labels import Labels
from trueval.core.params import Choice
from trueval.core.reading import Reading
from trueval.data._cells import LISTED, list_as_text
from trueval.data._columns import Codes
from trueval.data._entries import labels_of_entries, labels_of_lists
from trueval.data._names import as_array, check_unique
from trueval.data._raw import AsCodes, AsFlags, AsLists, RawTable, unique_names
from trueval.data._values._separators import SEPARATORS, find_separator
from trueval.data._values._words import (
    ID_LIKE,
    INDEX_LIKE,
    LABEL_LIKE,
    first_cells,
    header_by_types,
    is_number,
    warn_of_no_header,
)

__all__ = ["CLASSES_KEY", "LAYOUT", "id_place", "labels_of_table", "row_ids"]

#: What ``layout`` may be, wherever labels are read or written.
LAYOUT = Choice((None, "wide", "long", "list"))
#: Where a table says the order of its classes, if it is not the sorted one.
CLASSES_KEY = "trueval_classes"
_BINARY = frozenset({"0", "0.0", "false", "False", "FALSE", "1", "1.0", "true", "True", "TRUE"})
_WHICH = Fix("Pass {} and {}.", "id_column", more=(("label_column", None),))


def labels_of_table(
    table: RawTable,
    *,
    layout: str | None = None,
    id_column: Any = None,
    label_column: Any = None,
    separator: str | None = None,
    header: bool | None = None,
) -> tuple[Labels, Reading]:
    """Labels of a table, and how it was read; options as of :func:`trueval.data.read_labels`."""
    header = table.has_header if header is None else header
    if not table.n_rows and (header or (header is None and _only_names(table))):
        raise table.source.fail("there is a header but no rows.", fix="At least one is needed.")
    if layout is None and label_column is None and _is_wide(table):
        layout = "wide"
    if layout == "wide":
        return _read_wide(table, id_column, header), Reading("wide")
    lists = [at for at in range(table.width) if table.kind(at) == "list"]
    if label_column is None and lists:
        if len(lists) > 1:
            names = ", ".join(table.names[at] for at in lists)
            raise table.fail(
                f"{len(lists)} columns hold lists ({shorten(names, 200)}).",
                fix=Fix("Pass {}.", "label_column"),
            )
        label_column = lists[0]
    if label_column is not None:
        label_at = table.position(label_column, "label_column")
        if table.kind(label_at) == "list":
            others = [at for at in range(table.width) if at != label_at]
            id_at = id_place(table, id_column, others)
            labels = _read_lists(table, id_at, label_at, ";", guessed=False, header=True)
            return labels, Reading("list", None, table.column_name(label_at))
    id_at, label_at = _id_and_label(table, id_column, label_column)
    known = header
    if header is None:
        known = _has_header(table, id_at, label_at, id_column, label_column)
    guessed = layout is None
    if layout != "long" and separator is None:
        separator = find_separator(table, id_at, label_at, layout, bool(known))
    if layout is None:
        layout = "list" if separator or _is_plural(table, id_at, label_at) else "long"
    if layout == "long":
        labels = _read_long(table, id_at, label_at, guessed=guessed, header=bool(known))
    else:
        labels = _read_lists(
            table, id_at, label_at, separator or ";", guessed=guessed, header=bool(known)
        )
    if known is None:
        warn_of_no_header(table)
    separator = separator if layout == "list" else None
    return labels, Reading(layout, separator, table.column_name(label_at))


# --- guesses ---------------------------------------------------------------------------


def _only_names(table: RawTable) -> bool:
    """Whether a line reads as the header of a table: an id and names, no numbers."""
    if table.width > 2:
        return not any(is_number(name) for name in table.names[1:])
    return all(
        words.fullmatch(n) for words, n in zip((ID_LIKE, LABEL_LIKE), table.names, strict=False)
    )


def _is_binary(table: RawTable, at: int) -> bool:
    return all(cell in _BINARY for cell in first_cells(table, at))


def _is_wide(table: RawTable) -> bool:
    """Tell 0/1 columns from names; refuse what could be either."""
    if table.typed:
        kinds = [table.kind(at) for at in range(table.width)]
        others = [at for at, kind in enumerate(kinds) if kind not in ("int", "float", "bool")]
        if "list" in kinds or len(others) > 1:
            return False
    elif not all(_is_binary(table, at) for at in range(1, table.width)):
        return bool(_text_columns(table))
    if table.width == 1:
        return table.typed or _is_binary(table, 0)
    if table.width == 2:
        for at in (1, 0) if table.typed else (1,):
            if not LABEL_LIKE.fullmatch(table.names[at]):
                continue
            other = table.names[1 - at]
            if table.typed and not (table.kind(at) == "int" and ID_LIKE.fullmatch(other)):
                continue
            if not _is_binary(table, at):
                return False
            raise table.fail(
                f"column {table.names[at]!r} holds only 0 and 1: either one class with that name "
                "or labels named 0 and 1.",
                fix=Fix("Pass {} or {}.", "layout", "wide", more=(("layout", "long"),)),
            )
    return True


def _text_columns(table: RawTable) -> list[int]:
    """Columns of free text between ids and columns of 0 and 1, such as the text to classify."""
    others = [at for at in range(1, table.width) if not _is_binary(table, at)]
    text = [
        at
        for at in others
        if not LABEL_LIKE.fullmatch(table.names[at]) and not any(map(is_number, table.cells(at)))
    ]
    enough = table.width - 1 - len(others) > 1
    return others if text == others and enough and ID_LIKE.fullmatch(table.names[0]) else []


def id_place(table: RawTable, chosen: Any, others: list[int]) -> int | None:
    """The column of row ids where cells have types: the one of text, or named so."""
    if chosen is not None:
        return table.position(chosen, "id_column")
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
    named = [at for at in named if table.kind(at) == "int" and not _is_binary(table, at)]
    return named[0] if len(named) == 1 else None


def _id_and_label(table: RawTable, id_column: Any, label_column: Any) -> tuple[int, int]:
    id_at = None if id_column is None else table.position(id_column, "id_column")
    label_at = None if label_column is None else table.position(label_column, "label_column")
    if table.width == 1:
        raise table.fail(
            f"one column only ({shorten(table.names[0])!r}); an id and a label are needed.",
            fix=Fix("Add the ids, or pass {}.", "delimiter"),
        )
    if table.width > 2 and (id_at is None or label_at is None):
        ids = [
            at
            for at, name in enumerate(table.names)
            if ID_LIKE.fullmatch(name) and not INDEX_LIKE.fullmatch(name)
        ]
        names = [at for at, name in enumerate(table.names) if LABEL_LIKE.fullmatch(name)]
        if id_at is None and len(ids) == 1:
            id_at = ids[0]
        if label_at is None and len(names) == 1:
            label_at = names[0]
        if id_at is None or label_at is None:
            raise _neither(table)
    if id_at is None:
        id_at = 1 if label_at == 0 else 0
    if label_at is None:
        label_at = 1 if id_at == 0 else 0
    if id_at == label_at:
        raise table.fail(
            f"column {table.names[id_at]!r} cannot be both id and label.", fix="Choose two."
        )
    return id_at, label_at


def _neither(table: RawTable) -> InputError:
    """The error for a table that is neither wide nor has columns named as ids and labels are."""
    for at in range(1, table.width):
        cells = first_cells(table, at)
        row = next((row for row, cell in enumerate(cells) if cell not in _BINARY), None)
        if row is not None:
            return table.fail(
                f"which columns hold ids and labels? None is named as labels are, and the value "
                f"{shorten(cells[row])!r} is not 0 or 1.",
                fix=_WHICH,
                row=row if table.typed or table.n_rows else None,
                column=at,
            )
    return table.fail("which columns hold ids and labels?", fix=_WHICH)


def _has_header(
    table: RawTable, id_at: int, label_at: int, id_column: Any, label_column: Any
) -> bool | None:
    """Whether the first line is a header; None if it cannot be told."""
    if isinstance(id_column, str) or isinstance(label_column, str):
        return True
    name, label = table.names[id_at], table.names[label_at]
    if ID_LIKE.fullmatch(name) or LABEL_LIKE.fullmatch(label):
        return True
    if any(separator in label for separator in SEPARATORS):
        return False
    return header_by_types(table, [id_at, label_at])


def _is_plural(table: RawTable, id_at: int, label_at: int) -> bool:
    """Whether the column is named as several labels are, and each id occurs once."""
    name = table.names[label_at].lower()
    plural = LABEL_LIKE.fullmatch(name) and name.endswith("s") and name != "class"
    ids = table.cells(id_at)
    return bool(plural) and table.kind(label_at) == "text" and len(set(ids)) == len(ids)


# --- the three layouts --------------------------------------------------------------------


def row_ids(table: RawTable, ids: Codes) -> NDArray[Any]:
    """Row ids, each once."""
    return unique_names(
        table,
        ids,
        "row id {} occurs a second time; each row needs an id of its own.",
        Fix("Merge the rows or rename one; for one label a line pass {}.", "layout", "long"),
    )


def _ids(at: int) -> AsCodes:
    return AsCodes(at, "the row has no id.", "Name it, or drop the row.", strip=False)


def _read_wide(table: RawTable, id_column: Any, header: bool | None) -> Labels:
    if header is None:
        named_first = bool(ID_LIKE.fullmatch(table.names[0])) and table.width > 1
        header = named_first or not all(c in _BINARY for c in table.names[1:] or table.names)
    if table.typed or id_column is not None:
        id_at = id_place(table, id_column, list(range(table.width)))
    else:
        named = header and bool(ID_LIKE.fullmatch(table.names[0]))
        id_at = 0 if named or not _is_binary(table, 0) else None
    text = [] if table.typed or id_at != 0 else _text_columns(table)
    if text:
        left_out = ", ".join(repr(shorten(table.names[at])) for at in text)
        warn_user(
            f"text, not 0 and 1, is in {left_out}: not read as classes.",
            InputWarning,
            place=Place(table.source.name),
        )
    columns = tuple(at for at in range(table.width) if at != id_at and at not in text)
    if not columns:
        raise table.fail("there is no class column.", fix="Add one.")
    names = [table.names[at] if header else str(at) for at in columns]
    if not table.typed and not all(name.strip() for name in names):
        at = next(at for at, name in zip(columns, names, strict=True) if not name.strip())
        raise table.fail(f"class column {at} has no name.", fix="Name it in the header.")
    classes = as_array(table.source, names, "class names")
    check_unique(table.source, classes, "class")
    wants: dict[str, Any] = {"flags": AsFlags(columns)}
    if id_at is not None:
        wants["ids"] = _ids(id_at)
    data = table.read(header=header, **wants)
    index = row_ids(table, data["ids"]) if "ids" in data else None
    return Labels._trusted(data["flags"], classes, index)


def _read_long(
    table: RawTable, id_at: int, label_at: int, *, guessed: bool, header: bool
) -> Labels:
    data = table.read(header=header, ids=_ids(id_at), labels=AsCodes(label_at, None))
    labels = data["labels"]
    if guessed and labels.names.dtype.kind == "U":
        _check_names(table, labels.names, lambda code: np.flatnonzero(labels.codes == code)[0])
    classes = _stored_classes(table, labels.names)
    return labels_of_entries(
        table.source, data["ids"], labels, natural=not table.typed, classes=classes
    )


def _read_lists(
    table: RawTable,
    id_at: int | None,
    label_at: int,
    separator: str,
    *,
    guessed: bool,
    header: bool,
) -> Labels:
    wants: dict[str, Any] = {} if id_at is None else {"ids": _ids(id_at)}
    data = table.read(header=header, labels=AsLists(label_at, separator, guessed), **wants)
    index = row_ids(table, data["ids"]) if "ids" in data else None
    lists = data["labels"]
    other = SEPARATORS.replace(separator, "")
    if guessed and len(other) == 1 and lists.names.dtype.kind == "U":

        def row_of(code: int) -> Any:
            entry = np.flatnonzero(lists.codes == code)[0]
            return np.searchsorted(lists.offsets, entry, side="right") - 1

        _check_names(table, lists.names, row_of, separator)
    classes = _stored_classes(table, lists.names)
    return labels_of_lists(table.source, lists, index, natural=not table.typed, classes=classes)


def _check_names(
    table: RawTable,
    names: NDArray[Any],
    row_of: Callable[[int], Any],
    separator: str | None = None,
) -> None:
    """Refuse names that tell that the layout was guessed wrong."""
    others = SEPARATORS if separator is None else SEPARATORS.replace(separator, "")
    for code, name in enumerate(names.tolist()):
        if separator is None and LISTED.fullmatch(name):
            raise list_as_text(table, name, int(row_of(code)))
        other = next((s for s in others if s in name), None)
        if other is None:
            continue
        if separator is None:
            problem = f"the label {shorten(name)!r} contains a separator that no label before did."
            fix = Fix(
                "Pass {} if it is several labels, {} if it is one.",
                "layout",
                "list",
                more=(("layout", "long"),),
            )
        else:
            problem = (
                f"the label {shorten(name)!r} contains {other!r} where others are separated by "
                f"{separator!r}."
            )
            fix = Fix(
                "Use one separator, or pass {} and {}.", "separator", more=(("layout", "list"),)
            )
        raise table.fail(problem, fix=fix, row=int(row_of(code)))


def _stored_classes(table: RawTable, names: NDArray[Any]) -> NDArray[Any] | None:
    """Classes in the order that the file says beside the table."""
    if CLASSES_KEY not in table.metadata:
        return None
    source = table.source
    kind = int if names.dtype.kind in "iu" else str
    try:
        stored = json.loads(table.metadata[CLASSES_KEY])
    except (ValueError, RecursionError) as error:
        raise source.fail(
            f"the list of classes is not JSON ({error}).", fix="Write it again."
        ) from None
    if not isinstance(stored, list) or not stored or not all(type(name) is kind for name in stored):
        raise source.fail(
            f"the list of classes must hold {kind.__name__} only.", fix="Write it again."
        )
    if kind is int and not all(-(2**63) <= name < 2**63 for name in stored):
        raise source.fail("a class number is beyond 64 bits.", fix="Write the file again.")
    classes = np.array(stored, np.int64) if kind is int else as_array(source, stored, "class names")
    check_unique(source, classes, "class")
    return classes
