"""Labels in a table: wide (0/1 columns), long (id, label), or one column of lists.

::

    wide            long           list
    id,kinase,ion   id,label       id,labels
    p1,1,0          p1,kinase      p1,kinase;ion
    p2,0,1          p2,ion         p2,ion

What the table is told is not guessed. What could be either is refused.

- Columns of text between ids and two or more 0/1 columns are left out with a warning.
- Columns to ignore, and an index without a name where another column has the ids, are left out
  before anything else (see :mod:`._ids`).
- A column of lists is a list, or rows of a 0/1 matrix. Otherwise, a table whose columns are all 0
  and 1 (in text) or numbers (where cells have types), but for one of ids, is wide, unless its one
  other column is named as labels are: of text this could be either, of numbers other than 0 and 1
  it is long. A 0/1 column that is named as folds are is refused, and so is a file of folds, whose
  parts would be classes.
- Otherwise two columns are named as ids and labels are, or are the only two. It is a list where
  labels hold ``;`` or ``|``, or a comma or space that separates (see :mod:`._separators`), or where
  the column has a plural and ids are unique; else it is long. Of a long table, a column such as
  ``value`` says whether a label is there (see :mod:`._presence`); all others are named.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from trueval.core.errors import (
    Fix,
    InputError,
    InputWarning,
    Place,
    quote,
    shorten,
    warn_user,
)
from trueval.core.labels import Labels
from trueval.core.params import Choice
from trueval.core.reading import Reading
from trueval.data._raw import RawTable
from trueval.data._values._ids import Settled, id_place, ids_of_wide, is_id_column, settle_ids
from trueval.data._values._label_columns import id_and_label, is_binary, not_binary
from trueval.data._values._layout_readers import (
    CLASSES_KEY,
    Places,
    read_lists,
    read_lists_of_text,
    read_long,
    read_wide,
)
from trueval.data._values._presence import VALUE_LIKE, says_it
from trueval.data._values._separators import SEPARATORS, find_separator
from trueval.data._values._view import without
from trueval.data._values._words import (
    BINARY,
    FOLD_LIKE,
    ID_LIKE,
    LABEL_LIKE,
    first_cells,
    header_by_types,
    is_missing,
    is_number,
    warn_of_no_header,
)

__all__ = ["CLASSES_KEY", "LAYOUT", "labels_of_table", "unclear_class"]

#: What ``layout`` may be, wherever labels are read or written.
LAYOUT = Choice((None, "wide", "long", "list"))


class _Options(NamedTuple):
    """What the user says, and the column of ids where it is sure."""

    layout: str | None
    id_at: int | None
    label_column: Any
    value_column: Any
    separator: str | None
    header: bool | None
    named: bool  # whether a column is chosen by its name, so that there is a header
    settled: Settled  # to be checked where ids stand in a column of their own


def labels_of_table(
    table: RawTable,
    *,
    layout: str | None = None,
    id_column: Any = None,
    label_column: Any = None,
    value_column: Any = None,
    ignore: Sequence[Any] = (),
    separator: str | None = None,
    header: bool | None = None,
) -> tuple[Labels, Reading]:
    """Labels of a table, and how it was read; options as of :func:`trueval.data.read_labels`."""
    header = table.has_header if header is None else header
    if not table.n_rows and (header or (header is None and _only_names(table))):
        raise table.source.fail("there is a header but no rows.", fix="At least one is needed.")
    chosen = (id_column, label_column, value_column, *ignore)
    table = without(table, {table.position(name, "ignore") for name in ignore})
    settled = settle_ids(table, id_column, header)
    table, id_at = settled.table, settled.id_at
    named = any(isinstance(column, str) for column in chosen)
    options = _Options(layout, id_at, label_column, value_column, separator, header, named, settled)
    lists = [at for at in range(table.width) if table.kind(at) == "list"]
    if lists or (label_column is not None and layout != "wide"):
        label_at = _label_place(table, label_column, lists)
        if table.kind(label_at) == "list":
            return _of_lists(table, options, label_at)
    guessed = layout is None and label_column is None and value_column is None
    if layout == "wide" or (guessed and _is_wide(table, id_at)):
        return _of_wide(table, options), Reading("wide")
    return _of_lines(table, options)


def _label_place(table: RawTable, label_column: Any, lists: list[int]) -> int:
    if label_column is not None:
        return table.position(label_column, "label_column")
    if len(lists) > 1:
        names = ", ".join(table.names[at] for at in lists)
        raise table.fail(
            f"{len(lists)} columns hold lists ({shorten(names, 200)}).",
            fix=Fix("Pass {}.", "label_column"),
        )
    return lists[0]


# --- layouts ---------------------------------------------------------------------------


def _of_lists(table: RawTable, options: _Options, label_at: int) -> tuple[Labels, Reading]:
    """Labels of a column of lists."""
    others = [at for at in range(table.width) if at != label_at]
    id_at = id_place(table, others) if options.id_at is None else options.id_at
    _refuse_value(table, options, label_at)
    options.settled.check()
    labels, flags = read_lists(table, Places(id_at, label_at, others), options.layout)
    unused = tuple(table.column_name(at) for at in others if at != id_at)
    name = table.column_name(label_at)
    return labels, Reading("wide" if flags else "list", None, name, unused=unused)


def _of_wide(table: RawTable, options: _Options) -> Labels:
    """Labels of columns of 0 and 1; those of text are left out."""
    header, id_at = options.header, options.id_at
    if header is None:
        named_first = bool(ID_LIKE.fullmatch(table.names[0])) and table.width > 1
        cells = table.names[1:] or table.names
        header = named_first or id_at is not None or not all(cell in BINARY for cell in cells)
    options.settled.check()
    if id_at is None:
        id_at = ids_of_wide(table, lambda at: is_binary(table, at), header=header)
    text = [] if table.typed else _text_columns(table, id_at)
    if text:
        left_out = ", ".join(repr(shorten(table.names[at])) for at in text)
        warn_user(
            f"text, not 0 and 1, is in {left_out}: not read as classes.",
            InputWarning,
            place=Place(table.source.name),
        )
    columns = [at for at in range(table.width) if at != id_at and at not in text]
    folds = [at for at in columns if header and FOLD_LIKE.fullmatch(table.names[at].strip())]
    if folds and options.layout is None:
        name = table.column_name(folds[0])
        raise table.fail(
            f"the column {quote(name, 40)} is named as folds are: is it a class?",
            fix=Fix(
                "Pass {} if it is not, {} if all columns are classes.",
                "ignore",
                name if len(folds) == 1 else None,
                more=(("layout", "wide"),),
            ),
        )
    return read_wide(table, id_at, columns, header)


def _of_lines(table: RawTable, options: _Options) -> tuple[Labels, Reading]:
    """Labels of a table of text or numbers with one label a line, or several in a cell."""
    id_at, label_at = id_and_label(table, options.id_at, options.label_column)
    known = options.header
    if known is None:
        known = True if options.named else _has_header(table, id_at, label_at)
    if known and options.label_column is None:
        _refuse_folds(table, id_at, label_at)
    if known and options.layout is None and options.label_column is None and table.width == 2:
        _refuse_incomplete(table, label_at)
    layout, separator = options.layout, options.separator
    value_at = None
    if options.value_column is not None:
        value_at = table.position(options.value_column, "value_column")
    others = [at for at in range(table.width) if at not in (id_at, label_at)]
    if layout != "long" and separator is None:
        separator = find_separator(table, id_at, label_at, layout, bool(known))
    if layout is None:
        plural = _is_plural(table, id_at, label_at) and value_at is None
        plural = plural and not says_it(table, others, bool(known))
        layout = "list" if separator or plural else "long"
    if layout == "list":
        options.settled.check()
    places = Places(id_at, label_at, others, value_at)
    guessed, header = options.layout is None, bool(known)
    if layout == "long":
        labels, value_at = read_long(table, places, guessed=guessed, header=header)
    else:
        if value_at is not None or says_it(table, others, header):
            _refuse_value(table, options, label_at, others)
        separator = separator or ";"
        labels = read_lists_of_text(table, places, separator, guessed=guessed, header=header)
    if known is None:
        warn_of_no_header(table)
    unused = tuple(table.column_name(at) for at in others if at != value_at)
    value = None if value_at is None else table.column_name(value_at)
    separator = separator if layout == "list" else None
    return labels, Reading(
        layout, separator, table.column_name(label_at), value=value, unused=unused
    )


def _refuse_value(
    table: RawTable, options: _Options, label_at: int, others: Sequence[int] | None = None
) -> None:
    """Refuse a column that says whether labels are there beside lists of labels."""
    if options.value_column is None and others is None:
        return
    label = quote(table.column_name(label_at), 40)
    raise table.fail(
        f"a column of 0 and 1 for the labels needs one label a line, but {label} holds lists.",
        fix=Fix("Write one label a line, or pass {} if the column means something else.", "ignore"),
    )


def _refuse_folds(table: RawTable, id_at: int, label_at: int) -> None:
    """Refuse a file of folds, whose parts would be classes."""
    for at in (label_at, id_at):
        if FOLD_LIKE.fullmatch(table.names[at].strip()):
            raise table.fail(
                f"the column {quote(table.names[at], 40)} is named as folds are: does it hold "
                "labels?",
                fix=Fix(
                    "Pass {} if it does; folds are read by read_folds.",
                    "label_column",
                    table.column_name(at),
                ),
            )


def _refuse_incomplete(table: RawTable, at: int) -> None:
    """Refuse a single class of 0 and 1 with cells that are missing or -1, which are no labels."""
    cells = [cell.strip() for cell in first_cells(table, at)]
    odd = {cell for cell in cells if cell not in BINARY}
    if not odd or len(odd) == len(set(cells)):
        return
    named = LABEL_LIKE.fullmatch(table.names[at].strip())
    if named and all(map(is_missing, odd)):
        raise _either(table, at)
    if not named and all(is_missing(cell) or cell in ("-1", "-1.0") for cell in odd):
        row = next(row for row, cell in enumerate(cells) if cell in odd)
        fix = Fix("Correct it, or pass {} if the cells are labels.", "layout", "long")
        raise not_binary(table, cells[row], row, at, fix)


def _either(table: RawTable, at: int) -> InputError:
    return table.fail(
        f"column {table.names[at]!r} holds only 0 and 1: either one class with that name "
        "or labels named 0 and 1.",
        fix=Fix("Pass {} or {}.", "layout", "wide", more=(("layout", "long"),)),
    )


# --- guesses ---------------------------------------------------------------------------


def _only_names(table: RawTable) -> bool:
    """Whether a line reads as the header of a table: an id and names, no numbers."""
    if table.width > 2:
        return not any(is_number(name) for name in table.names[1:])
    return all(
        words.fullmatch(n) for words, n in zip((ID_LIKE, LABEL_LIKE), table.names, strict=False)
    )


def _is_wide(table: RawTable, id_at: int | None) -> bool:
    """Tell 0/1 columns from names; refuse what could be either."""
    first = 0 if id_at is None else id_at
    if table.typed:
        kinds = [table.kind(at) for at in range(table.width)]
        if sum(kind not in ("int", "float", "bool") for kind in kinds) > 1:
            return False
    elif not all(is_binary(table, at) for at in range(table.width) if at != first):
        return bool(_text_columns(table, first))
    if table.width == 1:
        return table.typed or is_binary(table, 0)
    at = _may_be_labels(table, first)
    if at is None:
        return True
    if not is_binary(table, at):
        return False
    raise _either(table, at)


def _may_be_labels(table: RawTable, first: int) -> int | None:
    """The column that is named as labels are, beside ids and at most values of labels."""
    for at in reversed(range(table.width)):
        rest = [n for n in range(table.width) if n != at]
        ids = [n for n in rest if ID_LIKE.fullmatch(table.names[n])] if table.typed else [first]
        typed_so = table.kind(at) == "int" if table.typed else at != first
        if not typed_so or not LABEL_LIKE.fullmatch(table.names[at]) or len(ids) != 1:
            continue
        if all(VALUE_LIKE.fullmatch(table.names[n]) for n in rest if n not in ids):
            return at
    return None


def unclear_class(names: Sequence[str]) -> str | None:
    """The class that a column of 0 and 1 in a table with ids would not be read back as, if any."""
    odd = [n for n in names if FOLD_LIKE.fullmatch(n) or is_id_column(n, typed=False)]
    labels = [name for name in names if LABEL_LIKE.fullmatch(name)]
    values = [name for name in names if VALUE_LIKE.fullmatch(name)]
    if odd:
        return odd[0]
    return labels[0] if len(labels) == 1 and len(values) == len(names) - 1 else None


def _text_columns(table: RawTable, first: int | None) -> list[int]:
    """Columns of free text beside ids and columns of 0 and 1, such as the text to classify."""
    if first is None or not ID_LIKE.fullmatch(table.names[first]):
        return []
    columns = [at for at in range(table.width) if at != first]
    others = [at for at in columns if not is_binary(table, at)]
    text = [
        at
        for at in others
        if not LABEL_LIKE.fullmatch(table.names[at]) and not any(map(is_number, table.cells(at)))
    ]
    enough = len(columns) - len(others) > 1
    return others if text == others and enough else []


def _has_header(table: RawTable, id_at: int, label_at: int) -> bool | None:
    """Whether the first line is a header; None if it cannot be told."""
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
