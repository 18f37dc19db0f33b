"""``read_pairs``: two id columns, and a label and a weight if there are any."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import Fix, InputWarning, Place, quote, quote_names, warn_user
from trueval.core.pairs import Pairs, side_by_side
from trueval.core.params import BOOL, NONE, Where, constrained
from trueval.core.reading import PairReading
from trueval.data._columns import Codes
from trueval.data._formats._first_lines import of_two
from trueval.data._lines import FILE_OPTIONS, READING
from trueval.data._raw import AsCodes, AsNumbers, RawTable
from trueval.data._source import Source
from trueval.data._values._ids import unnamed
from trueval.data._values._pair_columns import PairColumns, pair_columns
from trueval.data._values._view import without
from trueval.data._values._words import (
    COLUMN,
    DELIMITER,
    NO,
    OPPOSITES,
    YES,
    is_number,
    warn_of_no_header,
)
from trueval.data._values.columns import read_table

__all__ = ["pairs_table", "read_pairs", "read_pairs_with_reading"]


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
        The id columns, by name or number; by default the first two that are not named as labels,
        weights or folds are, after the row numbers that pandas writes in a first column without
        a name, or a column such as ``pair_id``. Of ``Drug_ID`` and ``Drug`` the id is taken. A
        warning names other columns that may hold objects; if one of the two is not named as
        objects are and another column is, as in ``drug,smiles,target,y``, the file is refused.
    label_column, weight_column : str or int, optional
        By default the columns named so (``y`` or ``label``, else ``interaction``, ``affinity``,
        ``Ki (nM)``, ``is_duplicate``, …, else ``target``; ``weight``), and the third and fourth
        column of a table without a header, or of one whose columns are named 0, 1, 2. Labels are
        numbers, or words such as True and False, yes and no.
    delimiter : str, optional
        What separates the columns: a tab, comma, semicolon or space is found. Lines that could
        be separated by a comma or a semicolon are refused.
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

    Warns
    -----
    InputWarning
        If columns are not read, unless both ``columns`` and ``label_column`` are given, and
        where the names of the columns do not say which are the objects.

    Raises
    ------
    InputError
        For an empty id, a label or weight that is not a finite number, a negative weight,
        several columns that could be the label, columns of which it cannot be told which are the
        objects, and anything else wrong.

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
    source = Source.of(path, max_bytes)
    pairs, reading, places = _read(
        source,
        format,
        columns=columns,
        label_column=label_column,
        weight_column=weight_column,
        delimiter=delimiter,
        header=header,
        symmetric=symmetric,
        encoding=encoding,
    )
    if columns is None or label_column is None:
        _warn_of_unread(source, reading, places)
    return pairs


def read_pairs_with_reading(path: Any, **options: Any) -> tuple[Pairs, PairReading]:
    """Pairs as :func:`read_pairs` reads them, and how the file was understood.

    What is not read is in the reading alone, for the caller to say.
    """
    return _read(Source.of(path), **options)[:2]


def _read(
    source: Source,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    columns: Any = None,
    label_column: Any = None,
    weight_column: Any = None,
    delimiter: str | None = None,
    header: bool | None = None,
    symmetric: bool = True,
    encoding: str = "utf-8",
) -> tuple[Pairs, PairReading, PairColumns]:
    table = pairs_table(source, format, delimiter=delimiter, header=header, encoding=encoding)
    if not table.typed and header is not False:
        table = without(table, [at for at in unnamed(table) if at])  # an index that was saved twice
    with source.placing():
        places = pair_columns(table, columns, label_column, weight_column, header)
        pairs = _pairs_of_table(table, places, symmetric)
    if places.header is None:
        warn_of_no_header(table)
    if pairs.y is not None:
        _warn_of_conflicts(source, pairs, symmetric)
    return pairs, places.reading(table), places


def _warn_of_unread(source: Source, reading: PairReading, places: PairColumns) -> None:
    """Name the columns that are not read, and those that are, where the names do not say it."""
    unread = [name for name in reading.unused if name not in places.in_doubt]
    if not unread and not places.guessed:
        return
    a, b = (quote(name, 40) for name in reading.columns)
    taken = ["no label" if reading.label is None else f"the label {quote(reading.label, 40)}"]
    if reading.weight is not None:
        taken.append(f"the weight {quote(reading.weight, 40)}")
    text = f"not read: {quote_names(unread)}. " if unread else ""
    warn_user(
        f"{text}The objects are {a} and {b}, {' and '.join(taken)}.",
        InputWarning,
        place=Place(source.name),
        fix=Fix(
            "If others are meant, pass {} and {}.",
            "columns",
            more=(("label_column", None),),
        ),
    )


def pairs_table(
    source: Source,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
) -> RawTable:
    """The table of a file of pairs, whose columns a space may separate as STRING writes them."""
    table = read_table(source, format, delimiter=delimiter, header=header, encoding=encoding)
    if delimiter is None and not table.typed and _apart_by_spaces(table):
        table = read_table(source, format, delimiter=" ", header=header, encoding=encoding)
    return table


def _apart_by_spaces(table: RawTable) -> bool:
    """Whether a space separates: no other sign does, or commas are those of decimal numbers."""
    if " " not in table.names[0].strip():
        return False
    if table.width == 1:
        return True
    lines = [",".join(cells) for cells in zip(*map(table.cells, range(table.width)), strict=True)]
    comma = getattr(table, "delimiter", None) == ","
    return comma and of_two([",".join(table.names), *lines], " ", least=3) == " "


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


def _pairs_of_table(table: RawTable, columns: PairColumns, symmetric: bool) -> Pairs:
    a, b = columns.ids
    places = {"label": columns.label, "weight": columns.weight}
    fix = None if columns.header else Fix("Correct it, or pass {}.", "header", True)
    numbers: dict[str, Any] = {
        what: AsNumbers((at,), what, first_fix=fix) for what, at in places.items() if at is not None
    }
    words_at = columns.label
    if words_at is not None and not _holds_words(table, words_at, columns.header):
        words_at = None
    if words_at is not None:
        numbers["label"] = AsCodes(words_at, "the label is missing.")
    empty = "an id is empty.", "Name both objects."
    data = table.read(
        header=bool(columns.header), a=AsCodes(a, *empty), b=AsCodes(b, *empty), **numbers
    )
    ids = [data["a"].expand(), data["b"].expand()]
    if columns.header_unknown and not numbers and len(ids[0]) == 1:
        fix = Fix("Pass {} for a pair.", "header", False)
        raise table.fail("the only line may be a pair, or a header of no rows.", fix=fix)
    if symmetric and len({values.dtype.kind == "U" for values in ids}) > 1:
        raise table.fail(
            f"the columns {table.names[a]!r} ({ids[0].dtype}) and {table.names[b]!r} "
            f"({ids[1].dtype}) must hold ids of one kind.",
            fix=Fix("Convert one, or pass {} if they are of different kinds.", "symmetric", False),
        )
    if words_at is not None:
        if columns.header_unknown:
            _check_first_word(table, words_at)
        data["label"] = _numbers_of_words(table, data["label"], words_at, fix)
    y, w = (data[what][:, 0] if what in data else None for what in places)
    return Pairs(side_by_side(ids), y, w)


def _holds_words(table: RawTable, at: int, header: bool | None) -> bool:
    """Whether labels are words such as True and no, by the first cells of text."""
    cells = table.cells(at) if header else [table.names[at], *table.cells(at)]
    words = {cell.strip().lower() for cell in cells}
    return table.kind(at) == "text" and any(not is_number(word) for word in words & (YES | NO))


def _check_first_word(table: RawTable, at: int) -> None:
    """Refuse a first line whose label is another word, as present is above yes and no."""
    word = table.names[at].strip().lower()
    cells = {cell.strip().lower() for cell in table.cells(at)}
    if word in YES | NO and cells and not cells & {word, OPPOSITES.get(word)}:
        raise table.fail(
            f"the first line may be a header or a pair: its label is {quote(word, 40)}, which no "
            "other line has.",
            fix=Fix(
                "Pass {} if it names the columns, {} if it does not.",
                "header",
                True,
                more=(("header", False),),
            ),
        )


def _numbers_of_words(
    table: RawTable, column: Codes, at: int, first_fix: Fix | None
) -> NDArray[np.float64]:
    """Labels 1 and 0 of words, as tables of labels have them."""
    words = [str(name).strip().lower() for name in column.names.tolist()]
    wrong = np.array([word not in YES | NO for word in words])
    bad = np.flatnonzero(wrong[column.codes])
    if len(bad):
        row = int(bad[0])
        name = quote(str(column.names[column.codes[row]]), 60)
        raise table.fail(
            f"the label is {name} where others are words such as true, false, yes, no; all must "
            "be such words, or numbers.",
            fix=first_fix if first_fix is not None and row == 0 else "Correct it.",
            row=row,
            column=at,
        )
    return np.array([word in YES for word in words], float)[column.codes][:, None]
