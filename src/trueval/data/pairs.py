"""``read_pairs``: two id columns, and a label and a weight if there are any."""

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.data.names import as_array
from trueval.data.npz import Archive, open_npz
from trueval.data.parquet import ParquetTable, open_parquet
from trueval.data.sniff import find_format
from trueval.data.source import Source, show
from trueval.data.text import ID_LIKE, INDEX_LIKE, Table, is_number
from trueval.errors import InputWarning, warn_user

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


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Pairs of objects, as the splitters for pairs take them.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2)
        Ids of the two objects.
    y : ndarray of shape (n_pairs,) or None
        Label of each pair; whole numbers where all are.
    weight : ndarray of shape (n_pairs,) or None
    """

    pairs: NDArray[Any]
    y: NDArray[Any] | None = field(default=None)
    weight: NDArray[np.float64] | None = field(default=None)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        also = [name for name in ("y", "weight") if getattr(self, name) is not None]
        return f"Pairs({len(self):,} pairs{''.join(', ' + name for name in also)})"


def read_pairs(
    path: Any,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    columns: tuple[str | int, str | int] | None = None,
    label_column: str | int | None = None,
    weight_column: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
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
    """Pairs of a source; the body of :func:`read_pairs`.

    With ``mirrored=False``, (b, a) is another pair than (a, b), as for (drug, target).
    """
    if columns is not None and (isinstance(columns, str) or len(columns) != 2):
        raise ValueError(f"The 'columns' parameter must name two columns. Got {columns!r} instead.")
    form = find_format(source, form, _FORMATS)
    if form == "npz":
        with open_npz(source) as archive:
            made = _of_npz(archive)
    elif form == "parquet":
        with open_parquet(source) as parquet:
            made = _of_parquet(parquet, columns, label_column, weight_column)
    else:
        table = Table(source, encoding, delimiter)
        if delimiter is None and table.width == 1 and " " in table.first[0]:
            table = Table(source, encoding, " ")  # as STRING writes its links
        made = _of_text(table, columns, label_column, weight_column, header)
    return _checked(source, made, mirrored)


def _checked(source: Source, made: Pairs, mirrored: bool) -> Pairs:
    if len(made.pairs) == 0:
        raise source.fail("there are no pairs. At least one is needed.")
    y, weight = made.y, made.weight
    for what, values in (("label", y), ("weight", weight)):
        if values is None:
            continue
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise source.fail(
                f"the {what} is {values[bad[0]]}; it must be a finite number. Replace it.",
                row=int(bad[0]),
            )
    if weight is not None and (weight < 0).any():
        at = int(np.flatnonzero(weight < 0)[0])
        raise source.fail(f"the weight {weight[at]} is negative. Use 0 or more.", row=at)
    if y is not None:
        if y.dtype.kind == "f" and (y == np.rint(y)).all() and (np.abs(y) < 2**53).all():
            y = y.astype(np.int64)
        _warn_of_conflicts(source, made.pairs, y, mirrored)
    return Pairs(made.pairs, y, weight)


def _warn_of_conflicts(
    source: Source, pairs: NDArray[Any], y: NDArray[Any], mirrored: bool
) -> None:
    """Count the pairs whose rows have different labels; replicates may."""
    flat, codes = np.unique(pairs, return_inverse=True)
    codes = codes.reshape(pairs.shape)
    as_they_are = codes[:, 0] * len(flat) + codes[:, 1]
    either_way = codes.min(axis=1) * len(flat) + codes.max(axis=1)
    rows = _conflicts(either_way if mirrored else as_they_are, y)
    if not len(rows):
        return
    two = int(rows.min())
    keys = either_way if mirrored else as_they_are
    one = int(np.flatnonzero(keys == keys[two])[0])
    n = len(np.unique(keys[rows]))
    only_mirrored = n - len(np.unique(keys[_conflicts(as_they_are, y)]))
    a, b = (show(str(name)) for name in pairs[two])
    text = (
        f"{source.name}: {n:,} pairs have rows with different labels, the first {a!r}, {b!r}: "
        f"{y[one]} in row {one} and {y[two]} in row {two}. All rows are kept."
    )
    if only_mirrored:
        text += (
            f" {only_mirrored:,} of them only mirrored, (b, a) beside (a, b), which is no conflict "
            "if the columns hold different kinds of objects."
        )
    warn_user(text, InputWarning)


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
            f"arrays 'a' ({a.dtype}) and 'b' ({b.dtype}) must hold ids of one kind. Convert one."
        )
    optional = {}
    for name in ("y", "weight"):
        if name in archive:
            values = archive.column(name, len(a))
            if values.dtype.kind not in "biuf":
                raise archive.source.fail(f"array {name!r} must hold numbers. Got {values.dtype}.")
            optional[name] = values.astype(float) if name == "weight" else values
    return Pairs(_side_by_side(a, b), optional.get("y"), optional.get("weight"))


def _side_by_side(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Two columns of ids; int64 beside uint64 would be float64, which lacks digits."""
    if a.dtype.kind in "iu" and b.dtype.kind in "iu" and np.result_type(a, b).kind == "f":
        low = min(int(ids.min(initial=0)) for ids in (a, b))
        high = max(int(ids.max(initial=0)) for ids in (a, b))
        exact: Any = np.int64 if high < 2**63 else np.uint64 if low >= 0 else object
        a, b = a.astype(exact), b.astype(exact)
    return np.column_stack([a, b])


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
    return Pairs(_side_by_side(ids[0], ids[1]), y, w)


def _only(names: Sequence[str], wanted: re.Pattern[str]) -> int | None:
    """Place of the one name that is as wanted."""
    found = [place for place, name in enumerate(names) if wanted.fullmatch(name)]
    return found[0] if len(found) == 1 else None


def _label_place(source: Source, names: Sequence[str]) -> int | None:
    """Place of the label among names, by the surest word that occurs."""
    for words in _LABELS:
        found = [name for name in names if words.fullmatch(name)]
        if len(found) > 1:
            several = " and ".join(repr(show(name)) for name in found)
            raise source.fail(
                f"the columns {several} could both be the label. Choose one: pass label_column=."
            )
        if found:
            return names.index(found[0])
    return None


def _of_text(table: Table, columns: Any, label: Any, weight: Any, header: bool | None) -> Pairs:
    source = table.source
    if table.width < 2:
        raise source.fail(
            f"pairs need two id columns; there is one ({show(table.first[0])!r}, delimiter "
            f"{table.delimiter!r}). Pass delimiter=.",
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
                raise source.fail("an id is empty. Name both objects.", line=number)
            ids.append(name)
        for at, values, what in ((y_at, y, "label"), (w_at, w, "weight")):
            if at is None:
                continue
            text = fields[at]
            if not is_number(text) or not np.isfinite(float(text)) or "_" in text:
                shown = "missing" if not text.strip() else repr(show(text))
                raise source.fail(
                    f"the {what} is {shown}; it must be a finite number. Correct it"
                    f"{', or pass header=True' if number == table.first_line else ''}.",
                    line=number,
                    column=table.first[at] if header else at,
                )
            values.append(float(text))
    if told is None:
        table.warn_of_no_header()
    ids_ = as_array(source, [*first, *second], "ids")
    pairs = np.column_stack([ids_[: len(first)], ids_[len(first) :]])
    return Pairs(
        pairs,
        None if y_at is None else np.array(y),
        None if w_at is None else np.array(w),
    )


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
            "the first column has no name: it is taken as row numbers, and then there are no two "
            "id columns. Name the columns, as in a,b,y.",
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
