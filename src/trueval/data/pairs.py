"""``read_pairs``: two id columns, and a label and a weight if there are any."""

import re
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputWarning, Place, quote, shorten, warn_user
from trueval.core.pairs import Pairs, side_by_side
from trueval.core.params import BOOL, NONE, PATH, Choice, Interval, Where, constrained
from trueval.data.names import as_array
from trueval.data.npz import Archive, open_npz
from trueval.data.parquet import ParquetTable, open_parquet
from trueval.data.sniff import find_format
from trueval.data.source import Source
from trueval.data.text import (
    COLUMN,
    DELIMITER,
    ENCODING,
    ID_LIKE,
    INDEX_LIKE,
    Table,
    is_number,
)

__all__ = ["Pairs", "read_pairs"]

_FORMATS = ("npz", "csv", "tsv", "parquet")
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
_NUMBERED = re.compile(r"index|rows?|level_0", re.IGNORECASE)


@constrained(
    path=PATH,
    format=Choice((None, *_FORMATS)),
    columns=(
        NONE,
        Where(lambda two: not isinstance(two, str) and len(two) == 2, "the names of two columns"),
    ),
    label_column=COLUMN,
    weight_column=COLUMN,
    delimiter=DELIMITER,
    header=(NONE, BOOL),
    mirrored=BOOL,
    encoding=ENCODING,
    max_bytes=(NONE, Interval(int, 1)),
)
def read_pairs(
    path: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    columns: tuple[str | int, str | int] | None = None,
    label_column: str | int | None = None,
    weight_column: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    mirrored: bool = True,
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> Pairs:
    r"""Read pairs of ids with an optional label and weight.

    Parameters
    ----------
    path : str or path-like
        CSV, TSV, Parquet, or ``.npz`` with arrays ``a``, ``b`` and perhaps ``y``
        and ``weight``; compressed or not.
    format : {"npz", "csv", "tsv", "parquet"}, optional
    columns : two of str or int, optional
        The id columns, by name or number; by default the first two, after the row
        numbers that pandas writes in a first column without a name.
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
    mirrored : bool, default=True
        Whether (b, a) is the same pair as (a, b). False for columns of different kinds, such
        as (drug, target).
    encoding : str, default="utf-8"
    max_bytes : int, optional
        As in :func:`read_labels`.

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
    return pairs_of(
        Source(path, max_bytes=max_bytes),
        format,
        columns=columns,
        label_column=label_column,
        weight_column=weight_column,
        delimiter=delimiter,
        header=header,
        mirrored=mirrored,
        encoding=encoding,
    )


def pairs_of(
    source: Source,
    form: str | None = None,
    *,
    columns: Any = None,
    label_column: Any = None,
    weight_column: Any = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    mirrored: bool = True,
) -> Pairs:
    """Pairs of a source; the body of :func:`read_pairs`."""
    form = find_format(source, form, _FORMATS)
    with source.placing():
        if form == "npz":
            with open_npz(source) as archive:
                pairs = _of_npz(archive)
        elif form == "parquet":
            with open_parquet(source) as parquet:
                pairs = _of_parquet(parquet, columns, label_column, weight_column)
        else:
            table = Table(source, encoding, delimiter)
            if delimiter is None and table.width == 1 and " " in table.first[0]:
                table = Table(source, encoding, " ")  # as STRING writes its links
            pairs, told = _of_text(table, columns, label_column, weight_column, header)
    if form not in ("npz", "parquet") and told is None:
        table.warn_of_no_header()
    if pairs.y is not None:
        _warn_of_conflicts(source, pairs, mirrored)
    return pairs


def _warn_of_conflicts(source: Source, pairs: Pairs, mirrored: bool) -> None:
    """Count the pairs whose rows have different labels; replicates may."""
    assert pairs.y is not None
    index, y = pairs.numbered(mirrored), pairs.y
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
        fix = Fix("If the columns hold different kinds of objects, pass {}.", "mirrored", False)
    warn_user(text, InputWarning, place=Place(source.name), fix=fix)


def _conflicts(keys: NDArray[np.int64], y: NDArray[Any]) -> NDArray[np.intp]:
    """Rows with another label than the first row of the same key."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return np.flatnonzero(y != y[first[group.reshape(-1)]])


def _of_npz(archive: Archive) -> Pairs:
    a = archive.column("a")
    b = archive.column("b", len(a))
    for name, ids in (("a", a), ("b", b)):
        if ids.dtype.kind not in "iuU":
            raise archive.source.fail(
                f"array {name!r} must hold ids, whole numbers or text. Got {ids.dtype}."
            )
    if (a.dtype.kind == "U") != (b.dtype.kind == "U"):
        raise archive.source.fail(
            f"arrays 'a' ({a.dtype}) and 'b' ({b.dtype}) must hold ids of one kind.",
            fix="Convert one.",
        )
    optional = {}
    for name in ("y", "weight"):
        if name in archive:
            values = archive.column(name, len(a))
            if values.dtype.kind not in "biuf":
                raise archive.source.fail(f"array {name!r} must hold numbers. Got {values.dtype}.")
            optional[name] = values.astype(float) if name == "weight" else values
    return Pairs(side_by_side([a, b]), optional.get("y"), optional.get("weight"))


def _of_parquet(table: ParquetTable, columns: Any, label: Any, weight: Any) -> Pairs:
    usable = [c for c in table.columns if not INDEX_LIKE.fullmatch(c)]
    if columns is None and len(usable) < 2:
        raise table.source.fail("pairs need two id columns; there is one column.")
    a, b = (table.find(c, "columns") for c in (columns or usable[:2]))
    rest = [c for c in usable if c not in (a, b)]
    y_name = table.find(label, "label_column") if label is not None else None
    if y_name is None and (at := _label_place(table.source, rest)) is not None:
        y_name = rest[at]
    w_name = table.find(weight, "weight_column") if weight is not None else None
    if w_name is None and (at := _only(rest, _WEIGHT)) is not None:
        w_name = rest[at]
    ids = [table.names_of(table.read(name), name) for name in (a, b)]
    y = None if y_name is None else table.numbers(y_name)
    w = None if w_name is None else table.numbers(w_name).astype(float)
    return Pairs(side_by_side(ids), y, w)


def _only(names: Sequence[str], wanted: re.Pattern[str]) -> int | None:
    """Place of the one name that is as wanted."""
    found = [place for place, name in enumerate(names) if wanted.fullmatch(name)]
    return found[0] if len(found) == 1 else None


def _label_place(source: Source, names: Sequence[str]) -> int | None:
    """Place of the label among names, by the surest word that occurs."""
    for words in _LABELS:
        found = [name for name in names if words.fullmatch(name)]
        if len(found) > 1:
            several = " and ".join(repr(shorten(name)) for name in found)
            raise source.fail(
                f"the columns {several} could both be the label.",
                fix=Fix("Choose one: pass {}.", "label_column"),
            )
        if found:
            return names.index(found[0])
    return None


def _of_text(
    table: Table, columns: Any, label: Any, weight: Any, header: bool | None
) -> tuple[Pairs, bool | None]:
    """Pairs, and whether the first line is known to be a header."""
    source = table.source
    if table.width < 2:
        raise source.fail(
            f"pairs need two id columns; there is one ({shorten(table.first[0])!r}, delimiter "
            f"{table.delimiter!r}).",
            fix=Fix("Pass {}.", "delimiter"),
            line=table.first_line,
        )
    skipped = 0
    if columns is None and header is not False and _begins_with_row_numbers(table):
        skipped, header = 1, True
    a, b = (table.position(c, "columns") for c in (columns or (skipped, skipped + 1)))
    rest = [c for c in range(skipped, table.width) if c not in (a, b)]
    told = header
    if header is None:
        by_name = any(isinstance(c, str) for c in (*(columns or ()), label, weight))
        told = True if by_name else _is_header(table, (a, b), rest)
        header = bool(told)
    y_at = _place(table, label, "label_column", rest, header, 0)
    w_at = _place(table, weight, "weight_column", rest, header, 1)
    first: list[str] = []
    second: list[str] = []
    y, w = array("d"), array("d")
    for number, fields in table.rows(with_first=not header):
        for place, ids in ((a, first), (b, second)):
            name = fields[place].strip()
            if not name:
                raise source.fail("an id is empty.", fix="Name both objects.", line=number)
            ids.append(name)
        for at, values, what in ((y_at, y, "label"), (w_at, w, "weight")):
            if at is None:
                continue
            text = fields[at]
            if not is_number(text) or not np.isfinite(float(text)) or "_" in text:
                shown = "missing" if not text.strip() else repr(shorten(text))
                raise source.fail(
                    f"the {what} is {shown}; it must be a finite number.",
                    fix=Fix("Correct it, or pass {}.", "header", True)
                    if number == table.first_line
                    else "Correct it.",
                    line=number,
                    column=table.first[at] if header else at,
                )
            values.append(float(text))
    ids_ = as_array(source, [*first, *second], "ids")
    if not first:
        raise source.fail("there are no pairs.", fix="At least one is needed.")
    pairs = np.column_stack([ids_[: len(first)], ids_[len(first) :]])
    labels = None if y_at is None else np.array(y)
    return Pairs(pairs, labels, None if w_at is None else np.array(w)), told


def _begins_with_row_numbers(table: Table) -> bool:
    """Whether the first column numbers the rows, as pandas writes its index."""
    name, values = table.first[0].strip(), [fields[0].strip() for _, fields in table.sample]
    numbers = all(value.isascii() and value.isdigit() for value in values)
    # Of (target, y), one column is left for ids.
    enough = table.width > 2 and not any(
        words.fullmatch(table.first[2]) for words in (*_LABELS[:2], _WEIGHT)
    )
    if not INDEX_LIKE.fullmatch(name):
        in_order = any(values == [str(n + i) for i in range(len(values))] for n in (0, 1))
        return bool(_NUMBERED.fullmatch(name) and values and in_order and enough)
    if not values:
        return False
    if not enough or not table.first[1].strip() or not (numbers or len(set(values)) == len(values)):
        raise table.source.fail(
            "the first column has no name: it is taken as row numbers, and then there are no "
            "two id columns.",
            fix="Name the columns, as in a,b,y.",
            line=table.first_line,
        )
    return True


def _is_header(table: Table, ids: tuple[int, int], rest: list[int]) -> bool | None:
    """Whether the first line is a header; None if it cannot be told."""
    known = [
        name
        for name in (table.first[c] for c in ids)
        if name and (_OBJECT.fullmatch(name) or ID_LIKE.fullmatch(name))
    ]
    if len(known) == 2:
        return True
    told = table.told_header([*ids, *rest])
    if told is None and (
        any(len(name) > 1 for name in known)
        or any(words.fullmatch(table.first[c]) for words in (*_LABELS, _WEIGHT) for c in rest)
    ):
        return True
    return told


def _place(
    table: Table, given: Any, what: str, rest: list[int], header: bool, default: int
) -> int | None:
    if given is not None:
        return table.position(given, what)
    if header:
        names = [table.first[c] for c in rest]
        labels = what == "label_column"
        at = _label_place(table.source, names) if labels else _only(names, _WEIGHT)
        return None if at is None else rest[at]
    return rest[default] if len(rest) > default else None
