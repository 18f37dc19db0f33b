"""Labels in the three layouts of a table, once it is known which column is what."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputWarning, Place, quote_names, shorten, warn_user
from trueval.core.labels import Labels
from trueval.data._cells import LISTED, list_as_text
from trueval.data._columns import Lists, ones
from trueval.data._entries import labels_of_entries, labels_of_lists
from trueval.data._names import as_array, check_unique
from trueval.data._raw import AsCodes, AsFlags, AsLists, RawTable
from trueval.data._values._ids import as_ids, row_ids
from trueval.data._values._presence import presence_of, presence_wants, present_labels
from trueval.data._values._separators import SEPARATORS
from trueval.data._values._words import BINARY, is_missing

__all__ = ["CLASSES_KEY", "Places", "read_lists", "read_lists_of_text", "read_long", "read_wide"]

#: Where a table says the order of its classes, if it is not the sorted one.
CLASSES_KEY = "trueval_classes"
_BLOCK = 2**16


class Places(NamedTuple):
    """Columns of a table of labels."""

    id_at: int | None
    label_at: int
    others: list[int]
    value_at: int | None = None  # the one that the user says to tell whether a label is there


def read_wide(table: RawTable, id_at: int | None, columns: list[int], header: bool) -> Labels:
    """One column of 0 and 1 for each class."""
    if not columns:
        raise table.fail("there is no class column.", fix="Add one.")
    names = [table.names[at] if header else str(at) for at in columns]
    if not table.typed and not all(name.strip() for name in names):
        at = next(at for at, name in zip(columns, names, strict=True) if not name.strip())
        raise table.fail(f"class column {at} has no name.", fix="Name it in the header.")
    classes = as_array(table.source, names, "class names")
    check_unique(table.source, classes, "class")
    wants: dict[str, Any] = {"flags": AsFlags(tuple(columns))}
    if id_at is not None:
        wants["ids"] = as_ids(id_at)
    data = table.read(header=header, **wants)
    index = row_ids(table, data["ids"]) if "ids" in data else None
    return Labels._trusted(data["flags"], classes, index)


def read_long(
    table: RawTable, places: Places, *, guessed: bool, header: bool
) -> tuple[Labels, int | None]:
    """One label a line; and the column that says whether it is there, if one does."""
    assert places.id_at is not None
    wants = presence_wants(table, places.others, places.value_at, header)
    data = table.read(
        header=header, ids=as_ids(places.id_at), labels=AsCodes(places.label_at, None), **wants
    )
    labels, ids = data["labels"], data["ids"]
    if guessed and labels.names.dtype.kind == "U":
        _check_names(table, labels.names, lambda code: np.flatnonzero(labels.codes == code)[0])
    _tell_missing(table, labels.names, labels.codes, places.label_at)
    presence = presence_of(table, data, places.value_at, header)
    if presence is not None:
        labels = present_labels(table, ids, labels, presence)
    classes = _stored_classes(table, labels.names)
    read = labels_of_entries(table.source, ids, labels, natural=not table.typed, classes=classes)
    return read, None if presence is None else presence.at


def read_lists_of_text(
    table: RawTable, places: Places, separator: str, *, guessed: bool, header: bool
) -> Labels:
    """The labels of a row in one cell of text."""
    lists, index = _lists(table, places, AsLists(places.label_at, separator), header)
    if guessed:
        _refuse_multi_hot(table, lists, places.label_at)
    other = SEPARATORS.replace(separator, "")
    if guessed and len(other) == 1 and lists.names.dtype.kind == "U":

        def row_of(code: int) -> Any:
            entry = np.flatnonzero(lists.codes == code)[0]
            return np.searchsorted(lists.offsets, entry, side="right") - 1

        _check_names(table, lists.names, row_of, separator)
    alone = np.flatnonzero(np.diff(lists.offsets) == 1)
    cells = np.full(len(lists.offsets) - 1, -1)
    cells[alone] = lists.codes[lists.offsets[alone]]
    _tell_missing(table, lists.names, cells, places.label_at)
    return _labels_of_lists(table, lists, index)


def _lists(
    table: RawTable, places: Places, want: AsLists, header: bool = True
) -> tuple[Lists, NDArray[Any] | None]:
    wants: dict[str, Any] = {} if places.id_at is None else {"ids": as_ids(places.id_at)}
    data = table.read(header=header, labels=want, **wants)
    return data["labels"], row_ids(table, data["ids"]) if "ids" in data else None


def _labels_of_lists(table: RawTable, lists: Lists, index: NDArray[Any] | None) -> Labels:
    classes = _stored_classes(table, lists.names)
    return labels_of_lists(table.source, lists, index, natural=not table.typed, classes=classes)


# --- columns of lists -----------------------------------------------------------------------


def read_lists(table: RawTable, places: Places, layout: str | None) -> tuple[Labels, bool]:
    """A column of lists; and whether they are rows of a 0/1 matrix rather than labels."""
    lists, index = _lists(table, places, AsLists(places.label_at))
    if _are_rows_of_a_matrix(table, lists, places.label_at, layout):
        return _matrix_of(table, lists, index, places.label_at), True
    return _labels_of_lists(table, lists, index), False


def _are_rows_of_a_matrix(table: RawTable, lists: Lists, at: int, layout: str | None) -> bool:
    """Whether lists of numbers are rows of 0 and 1, as ``as_labels`` takes lists in memory.

    Labels of a row are different, so a list with a number twice is no set of labels. Where no list
    of 0 and 1 has one twice, both are possible.
    """
    if layout == "wide":
        return True
    if layout == "list" or lists.names.dtype.kind not in "iu" or CLASSES_KEY in table.metadata:
        return False
    lengths = np.diff(lists.offsets)
    binary = set(lists.names.tolist()) <= {0, 1}
    even = len(lengths) > 0 and bool((lengths == lengths[0]).all()) and lengths[0] > 0
    if table.kind_of_lists(at) != "int" or (even and lengths[0] > 1 and _has_twice(lists)):
        return True
    if even and binary:
        raise table.fail(
            f"lists of {lengths[0]} with 0 and 1 alone: rows of a 0/1 matrix, or the labels 0 and "
            "1?",
            fix=Fix("Pass {} or {}.", "layout", "wide", more=(("layout", "list"),)),
            column=at,
        )
    return binary and int(lengths.max(initial=0)) > 2  # of several lengths, which is refused


def _has_twice(lists: Lists) -> bool:
    """Whether one of the lists, all of one length, has a number twice."""
    rows = lists.codes.reshape(len(lists.offsets) - 1, -1)
    return any(
        bool((np.diff(np.sort(rows[start : start + _BLOCK], axis=1), axis=1) == 0).any())
        for start in range(0, len(rows), _BLOCK)
    )


def _matrix_of(table: RawTable, lists: Lists, index: NDArray[Any] | None, at: int) -> Labels:
    """Rows of 0 and 1 as labels whose classes are numbered."""
    lengths = np.diff(lists.offsets)
    other = np.flatnonzero(lengths != lengths[0])
    if len(other):
        row = int(other[0])
        raise table.fail(
            f"the list has {lengths[row]} numbers where that of row 0 has {lengths[0]}; rows of a "
            "0/1 matrix have one length.",
            fix=Fix("Correct it, or pass {} if the lists hold labels.", "layout", "list"),
            row=row,
            column=at,
        )
    if lists.names.dtype.kind not in "iu" or lengths[0] == 0:
        raise table.fail("the lists do not hold 0 and 1.", column=at)
    values = lists.names[lists.codes]
    bad = np.flatnonzero((values != 0) & (values != 1))
    if len(bad):
        raise table.fail(
            f"the value {values[bad[0]]} is not 0 or 1, and the lists, all of one length, have "
            "numbers twice, as rows of a 0/1 matrix do and labels do not.",
            fix=Fix("Correct it, or pass {} if the lists hold labels.", "layout", "list"),
            row=int(bad[0] // lengths[0]),
            column=at,
        )
    n = int(lengths[0])
    rows, columns = np.divmod(np.flatnonzero(values), n)
    indptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=len(lengths)), out=indptr[1:])
    matrix = ones(indptr, columns, (len(lengths), n))
    return Labels._trusted(matrix, np.arange(n), index)


def _refuse_multi_hot(table: RawTable, lists: Lists, at: int) -> None:
    """Refuse rows of 0 and 1 in text, such as 0;1;0, which would be labels called 0 and 1."""
    if not {str(name) for name in lists.names.tolist()} <= BINARY or not len(lists.codes):
        return
    lengths = np.diff(lists.offsets)
    longest = int(lengths.max())
    if longest > 2 or (longest > 1 and (lengths == longest).all()):
        raise table.fail(
            f"cells of {longest} values that are all 0 or 1: rows of a 0/1 matrix, or labels named "
            "so?",
            fix=Fix(
                "Write one column for each class, or pass {} if they are labels.", "layout", "list"
            ),
            column=at,
        )


# --- names ------------------------------------------------------------------------------------


def _tell_missing(table: RawTable, names: NDArray[Any], cells: NDArray[Any], at: int) -> None:
    """Say that whole cells such as NA are read as a class; ``cells`` has the code of each."""
    if names.dtype.kind != "U":
        return
    odd = [code for code, name in enumerate(names.tolist()) if name and is_missing(name)]
    odd_rows = np.flatnonzero(np.isin(cells, odd)) if odd else np.empty(0, np.int64)
    if len(odd_rows):
        said = {str(names[code]) for code in cells[odd_rows].tolist()}
        which = quote_names(sorted(said))
        row = int(odd_rows[0])
        warn_user(
            f"{which} is read as a class ({len(odd_rows):,} cells): is the label missing there?",
            InputWarning,
            place=Place(table.source.name, column=table.column_name(at), **table.place(row)),
            fix="Leave the cell empty if the row has no label; if it is a class, all is well.",
        )


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
