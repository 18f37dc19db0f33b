"""``read_pairs``: two id columns, and a label and a weight if there are any."""

import re
from array import array
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.data.names import as_array
from trueval.data.npz import Archive, open_npz
from trueval.data.parquet import ParquetTable, open_parquet
from trueval.data.score_formats import is_number
from trueval.data.sniff import find_format
from trueval.data.source import Source, show
from trueval.data.text import ID_LIKE, Table

__all__ = ["Pairs", "read_pairs"]

_FORMATS = ("npz", "csv", "tsv", "parquet")
_LABEL = re.compile(r"y|label|interaction|interacts|class|target|affinity|value", re.IGNORECASE)
_WEIGHT = re.compile(r"(?:sample_)?weights?", re.IGNORECASE)
_OBJECT = re.compile(
    r"[abuv]|source|head|tail"
    r"|(?:.*[_ .-])?(?:id|object|protein|gene|drug|target)s?[_ .-]?[ab12]?",
    re.IGNORECASE,
)


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
        The id columns, by name or number; the first two by default.
    label_column, weight_column : str or int, optional
        By default the columns named so (``y``, ``label``, ``interaction``, …;
        ``weight``), and the third column of a table without a header.
    delimiter : str, optional
        What separates the columns: a tab, comma, semicolon or space is found.
    header : bool, optional
        Whether the first line is a header. Found by its words.
    encoding : str, default="utf-8"
    max_bytes : int, optional
        As in :func:`read_labels`.

    Returns
    -------
    Pairs

    Raises
    ------
    InputError
        For an empty id, a label or weight that is not a finite number, a negative
        weight, one pair with two different labels, and anything else wrong.

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
) -> Pairs:
    """Pairs of a source; the body of :func:`read_pairs`."""
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
    return _checked(source, made)


def _checked(source: Source, made: Pairs) -> Pairs:
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
        _check_conflicts(source, made.pairs, y)
    return Pairs(made.pairs, y, weight)


def _check_conflicts(source: Source, pairs: NDArray[Any], y: NDArray[Any]) -> None:
    flat, codes = np.unique(pairs, return_inverse=True)
    codes = codes.reshape(pairs.shape)
    keys = codes[:, 0] * len(flat) + codes[:, 1]
    order = np.argsort(keys, kind="stable")
    same = np.diff(keys[order]) == 0
    bad = np.flatnonzero(same & (y[order][1:] != y[order][:-1]))
    if len(bad):
        one, two = int(order[bad[0]]), int(order[bad[0] + 1])
        a, b = (show(str(name)) for name in pairs[two])
        raise source.fail(
            f"the pair {a!r}, {b!r} has label {y[two]}, but {y[one]} in row {one}. Keep one.",
            row=two,
        )


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
    return Pairs(np.column_stack([a, b]), optional.get("y"), optional.get("weight"))


def _of_parquet(table: ParquetTable, columns: Any, label: Any, weight: Any) -> Pairs:
    if columns is None and len(table.columns) < 2:
        raise table.source.fail("pairs need two id columns; there is one column.")
    a, b = (table.find(c, "columns") for c in (columns or (0, 1)))
    rest = [c for c in table.columns if c not in (a, b)]
    y_name = table.find(label, "label_column") if label is not None else _named(rest, _LABEL)
    w_name = table.find(weight, "weight_column") if weight is not None else _named(rest, _WEIGHT)
    ids = [table.names_of(table.read(name), name) for name in (a, b)]
    y = None if y_name is None else table.numbers(y_name)
    w = None if w_name is None else table.numbers(w_name).astype(float)
    return Pairs(np.column_stack(ids), y, w)


def _named(names: list[str], wanted: re.Pattern[str]) -> str | None:
    found = [name for name in names if wanted.fullmatch(name)]
    return found[0] if len(found) == 1 else None


def _of_text(table: Table, columns: Any, label: Any, weight: Any, header: bool | None) -> Pairs:
    source = table.source
    if table.width < 2:
        raise source.fail(
            f"pairs need two id columns; there is one ({show(table.first[0])!r}, delimiter "
            f"{table.delimiter!r}). Pass delimiter=.",
            line=table.first_line,
        )
    a, b = (table.position(c, "columns") for c in (columns or (0, 1)))
    if header is None:
        by_name = any(isinstance(c, str) for c in (*(columns or ()), label, weight))
        header = by_name or all(
            _OBJECT.fullmatch(table.first[c]) or ID_LIKE.fullmatch(table.first[c]) for c in (a, b)
        )
    rest = [c for c in range(table.width) if c not in (a, b)]
    y_at = _place(table, label, "label_column", _LABEL, rest, header, 0)
    w_at = _place(table, weight, "weight_column", _WEIGHT, rest, header, 1)
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
    ids_ = as_array(source, [*first, *second], "ids")
    pairs = np.column_stack([ids_[: len(first)], ids_[len(first) :]])
    return Pairs(
        pairs,
        None if y_at is None else np.array(y),
        None if w_at is None else np.array(w),
    )


def _place(
    table: Table,
    given: Any,
    what: str,
    wanted: re.Pattern[str],
    rest: list[int],
    header: bool,
    default: int,
) -> int | None:
    if given is not None:
        return table.position(given, what)
    if header:
        found = [c for c in rest if wanted.fullmatch(table.first[c])]
        return found[0] if len(found) == 1 else None
    return rest[default] if len(rest) > default else None
