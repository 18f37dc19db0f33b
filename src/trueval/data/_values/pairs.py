"""``read_pairs``: two id columns, and a label and a weight if there are any."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import Fix, InputWarning, Place, quote, shorten, warn_user
from trueval.core.pairs import Pairs, side_by_side
from trueval.core.params import BOOL, NONE, Where, constrained
from trueval.core.reading import PairReading
from trueval.data._lines import FILE_OPTIONS, READING
from trueval.data._raw import AsCodes, AsNumbers, RawTable
from trueval.data._source import Source
from trueval.data._values._words import (
    COLUMN,
    DELIMITER,
    ID_LIKE,
    INDEX_LIKE,
    header_by_types,
    warn_of_no_header,
)
from trueval.data._values.columns import read_table

__all__ = ["pairs_table", "read_pairs", "read_pairs_with_reading"]

# The surest words first; 'target' may as well name an object.
_LABELS = tuple(
    re.compile(words, re.IGNORECASE)
    for words in ("y|label", "interaction|interacts|class|affinity|value", "target")
)
_WEIGHT = re.compile(r"(?:sample_)?weights?", re.IGNORECASE)
_OBJECT = re.compile(
    r"[abuv]|source|head|tail"
    r"|(?:.*[_ .-])?(?:id|object|protein|gene|drug|target|compound|ligand|molecule|peptide"
    r"|receptor|node|user|item)s?[_ .-]?[ab12]?",
    re.IGNORECASE,
)
# Columns that name rows: never objects, whatever their values.
_ROW_ID = re.compile(
    r"(?:pairs?|rows?|edges?|interactions?|records?|examples?|instances?|lines?)"
    r"[_ .-]?(?:ids?|idx|index|numbers?|no|nr)",
    re.IGNORECASE,
)
# And those that may: not where an id comes again.
_ID = re.compile(r"ids?|idx|no|nr|#", re.IGNORECASE)
_NUMBERED = re.compile(r"index|rows?|level_0", re.IGNORECASE)


@constrained(
    **READING,
    columns=(
        NONE,
        Where(lambda two: not isinstance(two, str) and len(two) == 2, "the names of two columns"),
    ),
    label_column=COLUMN,
    weight_column=COLUMN,
    delimiter=DELIMITER,
    header=(NONE, BOOL),
    symmetric=BOOL,
)
@shared_sections(reading=FILE_OPTIONS)
def read_pairs(
    path: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    columns: tuple[str | int, str | int] | None = None,
    label_column: str | int | None = None,
    weight_column: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    symmetric: bool = True,
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> Pairs:
    r"""Read pairs of ids with an optional label and weight.

    Parameters
    ----------
    path : str, path-like, bytes, or binary file
        CSV, TSV, Parquet, or ``.npz`` with arrays such as ``a``, ``b``, ``y`` and
        ``weight``; compressed or not.
    format : {"npz", "csv", "tsv", "parquet"}, optional
    columns : two of str or int, optional
        The id columns, by name or number; by default the first two, after the row
        numbers that pandas writes in a first column without a name, or a column such as
        ``pair_id``. A warning names other columns that may hold objects.
    label_column, weight_column : str or int, optional
        By default the columns named so (``y`` or ``label``, else ``interaction``,
        ``affinity``, …, else ``target``; ``weight``), and the third column of a table
        without a header.
    delimiter : str, optional
        What separates the columns: a tab, comma, semicolon or space is found.
    header : bool, optional
        Whether the first line is a header. Found by its words, or by a column of
        numbers that begins with a word; where neither tells, the line is data and an
        ``InputWarning`` says so.
    symmetric : bool, default=True
        Whether the columns hold objects of one kind, so that (b, a) is the same pair as (a, b).
        False for columns of different kinds, such as (drug, target).
    {reading}

    Returns
    -------
    Pairs
        One for each row. Pairs whose rows (replicates, mirror images) have different
        labels are kept, with one ``InputWarning`` that says how many there are.

    Raises
    ------
    InputError
        For an empty id, a label or weight that is not a finite number, a negative
        weight, several columns that could be the label, and anything else wrong.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from trueval.data import read_pairs
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "ppi.tsv")
    >>> _ = file.write_text("protein_a\tprotein_b\ty\nP1\tP2\t1\nP1\tP3\t0\n")
    >>> found = read_pairs(file)
    >>> found.pairs.tolist(), found.y.tolist()
    ([['P1', 'P2'], ['P1', 'P3']], [1, 0])
    >>> folder.cleanup()
    """
    pairs, _ = read_pairs_with_reading(
        path,
        format,
        columns=columns,
        label_column=label_column,
        weight_column=weight_column,
        delimiter=delimiter,
        header=header,
        symmetric=symmetric,
        encoding=encoding,
        max_bytes=max_bytes,
    )
    return pairs


def read_pairs_with_reading(
    path: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    columns: Any = None,
    label_column: Any = None,
    weight_column: Any = None,
    delimiter: str | None = None,
    header: bool | None = None,
    symmetric: bool = True,
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> tuple[Pairs, PairReading]:
    """Pairs as :func:`read_pairs` reads them, and how the file was understood."""
    source = Source.of(path, max_bytes)
    table = pairs_table(source, format, delimiter=delimiter, encoding=encoding)
    with source.placing():
        pairs, known, reading = _pairs_of_table(
            table, columns, label_column, weight_column, header, symmetric
        )
    if known is None:
        warn_of_no_header(table)
    if columns is None and known:
        _warn_of_objects(source, reading)
    if pairs.y is not None:
        _warn_of_conflicts(source, pairs, symmetric)
    return pairs, reading


def pairs_table(
    source: Source,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> RawTable:
    """The table of a file of pairs, whose columns a space may separate as STRING writes them."""
    table = read_table(source, format, delimiter=delimiter, encoding=encoding)
    if delimiter is None and table.width == 1 and " " in table.names[0].strip():
        table = read_table(source, format, delimiter=" ", encoding=encoding)
    return table


def _warn_of_objects(source: Source, reading: PairReading) -> None:
    """Say that a column is named as objects are but not used, as in triples."""
    named = [name for name in map(str, reading.unused) if _OBJECT.fullmatch(name)]
    # A column such as "target" beside the label is one more label, not an object.
    named = [name for name in named if not any(words.fullmatch(name) for words in _LABELS)]
    if not named:
        return
    several = " and ".join(quote(name, 40) for name in named)
    a, b = (quote(name, 40) for name in reading.columns)
    warn_user(
        f"{several} may hold objects too, but pairs have two: {a} and {b} are used.",
        InputWarning,
        place=Place(source.name),
        fix=Fix("If others are meant, pass {}.", "columns"),
    )


def _warn_of_conflicts(source: Source, pairs: Pairs, symmetric: bool) -> None:
    """Count the pairs whose rows have different labels; replicates may."""
    assert pairs.y is not None
    index, y = pairs.numbered(symmetric), pairs.y
    keys = index.pair_number
    rows = _conflicts(keys, y)
    if not len(rows):
        return
    two = int(rows.min())
    one = int(np.flatnonzero(keys == keys[two])[0])
    n = len(np.unique(keys[rows]))
    only_mirrored = n - len(np.unique(keys[_conflicts(index.ordered_number, y)]))
    a, b = (quote(str(name), 60) for name in pairs.pairs[two])
    text = (
        f"{n:,} pairs have rows with different labels, the first {a}, {b}: {y[one]} in row {one} "
        f"and {y[two]} in row {two}. All rows are kept."
    )
    fix = None
    if only_mirrored:
        text += f" {only_mirrored:,} of them only mirrored, (b, a) beside (a, b)."
        fix = Fix("If the columns hold different kinds of objects, pass {}.", "symmetric", False)
    warn_user(text, InputWarning, place=Place(source.name), fix=fix)


def _conflicts(keys: NDArray[np.int64], y: NDArray[Any]) -> NDArray[np.intp]:
    """Rows with another label than the first row of the same key."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return np.flatnonzero(y != y[first[group.reshape(-1)]])


def _only(names: Sequence[str], wanted: re.Pattern[str]) -> int | None:
    """Place of the one name that is as wanted."""
    matches = [place for place, name in enumerate(names) if wanted.fullmatch(name)]
    return matches[0] if len(matches) == 1 else None


def _label_place(source: Source, names: Sequence[str]) -> int | None:
    """Place of the label among names, by the surest word that occurs."""
    for words in _LABELS:
        matches = [name for name in names if words.fullmatch(name)]
        if len(matches) > 1:
            several = " and ".join(repr(shorten(name)) for name in matches)
            raise source.fail(
                f"the columns {several} could both be the label.",
                fix=Fix("Choose one: pass {}.", "label_column"),
            )
        if matches:
            return names.index(matches[0])
    return None


def _pairs_of_table(
    table: RawTable, columns: Any, label: Any, weight: Any, header: bool | None, symmetric: bool
) -> tuple[Pairs, bool | None, PairReading]:
    """Pairs, whether the first line is known to be a header, and what the columns are."""
    usable = list(range(table.width))
    if table.typed:
        usable = [at for at in usable if not INDEX_LIKE.fullmatch(table.names[at])]
    if table.width < 2 or (columns is None and len(usable) < 2):
        raise table.fail(
            f"pairs need two id columns; there is one ({shorten(table.names[0])!r}).",
            fix=Fix("Pass {}.", "delimiter"),
        )
    header = True if table.has_header else header
    numbered = columns is None and header is not False and not table.typed
    if numbered and _begins_with_row_numbers(table):
        usable, header = usable[1:], True
    if columns is None and header is not False and _begins_with_row_ids(table, usable):
        usable, header = usable[1:], True
    a, b = (table.position(c, "columns") for c in (columns or usable[:2]))
    rest = [at for at in usable if at not in (a, b)]
    known = header
    if header is None:
        by_name = any(isinstance(c, str) for c in (*(columns or ()), label, weight))
        known = True if by_name else _is_header(table, (a, b), rest)
    places = {
        "label": _place(table, label, "label_column", rest, bool(known), 0),
        "weight": _place(table, weight, "weight_column", rest, bool(known), 1),
    }
    fix = None if known else Fix("Correct it, or pass {}.", "header", True)
    numbers = {
        what: AsNumbers((at,), what, first_fix=fix) for what, at in places.items() if at is not None
    }
    empty = "an id is empty.", "Name both objects."
    data = table.read(header=bool(known), a=AsCodes(a, *empty), b=AsCodes(b, *empty), **numbers)
    ids = [data["a"].expand(), data["b"].expand()]
    if header is None and not known and not numbers and len(ids[0]) == 1:
        fix = Fix("Pass {} for a pair.", "header", False)
        raise table.fail("the only line may be a pair, or a header of no rows.", fix=fix)
    if symmetric and len({values.dtype.kind == "U" for values in ids}) > 1:
        raise table.fail(
            f"the columns {table.names[a]!r} ({ids[0].dtype}) and {table.names[b]!r} "
            f"({ids[1].dtype}) must hold ids of one kind.",
            fix=Fix("Convert one, or pass {} if they are of different kinds.", "symmetric", False),
        )
    y, w = (data[what][:, 0] if what in data else None for what in places)
    return Pairs(side_by_side(ids), y, w), known, _reading(table, (a, b), places, bool(known))


def _reading(
    table: RawTable, ids: tuple[int, int], places: dict[str, int | None], header: bool
) -> PairReading:
    used = {*ids, *places.values()}
    unused = [at for at in range(table.width) if at not in used]

    def name(at: int | None) -> Any:
        return None if at is None else table.names[at] if header else at

    return PairReading(
        (name(ids[0]), name(ids[1])),
        name(places["label"]),
        name(places["weight"]),
        tuple(name(at) for at in unused),
        header,
    )


def _begins_with_row_ids(table: RawTable, usable: list[int]) -> bool:
    """Whether the first column names the rows, as pair_id does, and two others the objects."""
    first = usable[0]
    name = table.names[first].strip()
    surely = bool(_ROW_ID.fullmatch(name))
    if not surely:
        values = table.cells(first)
        surely = bool(_ID.fullmatch(name)) and len(values) == len(set(values)) > 1
        if not surely or len(usable) < 3:
            return False
    others = [table.names[at] for at in usable[1:]]
    objects = [n for n in others[:2] if not _is_value(n)]
    if len(objects) == 2:
        return True
    if not _ROW_ID.fullmatch(name):
        return False  # of (id, target, y) both are objects
    raise table.fail(
        f"the column {name!r} names rows, not objects, and then there are no two id columns.",
        fix=Fix("Choose two: pass {}.", "columns"),
    )


def _is_value(name: str) -> bool:
    return any(words.fullmatch(name) for words in (*_LABELS[:2], _WEIGHT))


def _begins_with_row_numbers(table: RawTable) -> bool:
    """Whether the first column numbers the rows, as pandas writes its index."""
    name, values = table.names[0].strip(), [cell.strip() for cell in table.cells(0)]
    numbers = all(value.isascii() and value.isdigit() for value in values)
    # Of (target, y), one column is left for ids.
    enough = table.width > 2 and not any(
        words.fullmatch(table.names[2]) for words in (*_LABELS[:2], _WEIGHT)
    )
    if not INDEX_LIKE.fullmatch(name):
        in_order = any(values == [str(n + i) for i in range(len(values))] for n in (0, 1))
        return bool(_NUMBERED.fullmatch(name) and values and in_order and enough)
    if not values:
        return False
    if not enough or not table.names[1].strip() or not (numbers or len(set(values)) == len(values)):
        raise table.fail(
            "the first column has no name: it is taken as row numbers, and then there are no "
            "two id columns.",
            fix="Name the columns, as in a,b,y.",
        )
    return True


def _is_header(table: RawTable, ids: tuple[int, int], rest: list[int]) -> bool | None:
    """Whether the first line is a header; None if it cannot be told."""
    names = [table.names[c] for c in ids]
    known = [n for n in names if n and (_OBJECT.fullmatch(n) or ID_LIKE.fullmatch(n))]
    by_types = header_by_types(table, [*ids, *rest])
    # An object may be called a; a column is not, where the line has a number or comes again.
    if len(known) == 2 and (by_types is not False or any(len(name) > 1 for name in known)):
        return True
    if by_types is None and (
        any(len(name) > 1 for name in known)
        or any(words.fullmatch(table.names[c]) for words in (*_LABELS, _WEIGHT) for c in rest)
    ):
        return True
    return by_types


def _place(
    table: RawTable, column: Any, what: str, rest: list[int], header: bool, default: int
) -> int | None:
    if column is not None:
        return table.position(column, what)
    if header:
        names = [table.names[c] for c in rest]
        labels = what == "label_column"
        at = _label_place(table.source, names) if labels else _only(names, _WEIGHT)
        return None if at is None else rest[at]
    return rest[default] if len(rest) > default else None
