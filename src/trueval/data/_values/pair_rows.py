"""Which line of a table belongs to which row of pairs: by ids, by row number, or line by line.

:func:`key_columns` decides it, for folds and scores alike.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import quote
from trueval.core.ids import canonical_members, column_kinds, number_ids, number_rows
from trueval.core.named import as_text
from trueval.core.pairs import Pairs
from trueval.data._raw import AsCodes, AsNumbers, RawTable

__all__ = ["ROW", "KeyColumns", "Keys", "codes_of_rows", "key_columns", "keys_of_lines"]

#: Names of a column of row numbers; pandas writes its index without a name, or so into Parquet.
ROW = re.compile(r"rows?|index|unnamed: 0|__index_level_0__|", re.IGNORECASE)
# Of these, what somebody has written to number the pairs. An index may number other rows.
_SAYS_ROW = re.compile(r"rows?", re.IGNORECASE)
_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Keys:
    """Numbers of lines and of rows; a line belongs to the rows of its number."""

    lines: _Ints
    rows: _Ints


@dataclass(frozen=True)
class KeyColumns:
    """The columns that say which pair a line is of; neither where the order says it."""

    row: int | None = None
    ids: tuple[int, int] | None = None

    @property
    def wants(self) -> dict[str, Any]:
        """What to read of the table, under names that :func:`keys_of_lines` takes."""
        wants: dict[str, Any] = {}
        if self.row is not None:
            wants["row"] = AsNumbers((self.row,), "row", 0)
        for n, at in enumerate(self.ids or ()):
            wants[f"id {n}"] = AsCodes(at, "an id is empty.")
        return wants


def key_columns(
    table: RawTable,
    used: Collection[int],
    pairs: Pairs,
    names: tuple[str | int, str | int],
    *,
    symmetric: bool,
    header: bool = True,
    what: str,
) -> KeyColumns:
    """Which columns match lines to pairs: the ids, or a row number where no ids are beside it.

    ``names`` are the id columns of the pairs, which are looked for first, then ``a`` and ``b``,
    then two columns that are left. Row numbers beside ids only tell repeated pairs apart: an index
    of pandas may number the rows of another table. ``used`` are the columns with what is
    matched, such as folds: ``what`` is for messages.
    """
    rest = [at for at in range(table.width) if at not in used]
    ids = _named_ids(table, names) if header else None
    rest = [at for at in rest if ids is None or at not in ids]
    numbered = [at for at in rest if header and _is_row(table, at)]
    if not header and len(rest) == 1:
        numbered = rest  # nothing else could say which pair it is
    said = [at for at in numbered if _SAYS_ROW.fullmatch(table.names[at].strip())]
    row = next(iter(said or numbered), None)
    left = [at for at in rest if at not in numbered]
    if ids is None and len(left) == 2:
        ids = left[0], left[1]
    others = [at for at in rest if at != row]
    if ids is None and others and not said:
        called = (table.names[at] if header else str(at) for at in others[:3])
        raise table.fail(
            f"the columns beside the {what} ({', '.join(quote(name, 40) for name in called)}) are "
            "neither the ids of the pairs nor their row.",
            fix=f"Name the id columns as in the pairs ({names[0]!s}, {names[1]!s}), or add a "
            "column 'row', numbered from 0.",
        )
    if ids is not None and pairs.numbered(symmetric).n_pairs == len(pairs):
        row = None
    return KeyColumns(row, ids)


def keys_of_lines(
    table: RawTable,
    columns: KeyColumns,
    data: Mapping[str, Any],
    pairs: Pairs,
    *,
    symmetric: bool,
    n_lines: int,
    what: str,
) -> Keys:
    """Keys by the columns, which have been read: by ids, by row number, or line by line."""
    if columns.ids is None and columns.row is None:
        if n_lines != len(pairs):
            raise table.source.fail(
                f"{n_lines:,} {what} for {len(pairs):,} pairs, and no ids to match them by.",
                fix="Add the two id columns, or a column 'row', numbered from 0.",
            )
        return Keys(np.arange(n_lines), np.arange(n_lines))
    if columns.ids is None:
        assert columns.row is not None
        return _row_keys(table, data["row"][:, 0], len(pairs), columns.row)
    ids = [as_text(data[f"id {n}"].expand()) for n in range(2)]
    if columns.row is not None:
        rows = data["row"][:, 0]
        if (rows < len(pairs)).all():
            by_row = _row_keys(table, rows, len(pairs), columns.row)
            known = as_text(pairs.pairs)[by_row.lines]
            if all((ids[c] == known[:, c]).all() for c in range(2)):
                return by_row
    return _pair_keys(table, ids, pairs, symmetric)


def _row_keys(table: RawTable, rows: NDArray[np.float64], n_rows: int, at: int) -> Keys:
    """Keys of a column of row numbers."""
    beyond = np.flatnonzero(rows >= n_rows)
    if len(beyond):
        raise table.fail(
            f"row {rows[beyond[0]]:.0f} is beyond the {n_rows:,} pairs, numbered from 0.",
            row=int(beyond[0]),
            column=at,
        )
    return Keys(rows.astype(np.int64), np.arange(n_rows))


def _pair_keys(table: RawTable, ids: list[NDArray[Any]], pairs: Pairs, symmetric: bool) -> Keys:
    """Keys of two columns of ids, whose order means nothing for objects of one kind."""
    n = len(pairs)
    known = as_text(pairs.pairs)
    if len(ids[0]) == n and all((ids[c] == known[:, c]).all() for c in range(2)):
        return Keys(np.arange(n), np.arange(n))  # line by line, so replicates keep their own
    kinds = column_kinds(symmetric, 2)
    columns = [np.concatenate([known[:, c], ids[c]]) for c in range(2)]
    numbers = number_rows(canonical_members(number_ids(columns, kinds).codes, kinds))
    listed = np.zeros(int(numbers.max()) + 1, dtype=bool)
    listed[numbers[:n]] = True
    unknown = np.flatnonzero(~listed[numbers[n:]])
    if len(unknown):
        first = int(unknown[0])
        raise table.fail(
            f"{len(unknown):,} of {len(ids[0]):,} lines are not among the pairs, the first "
            f"{quote(str(ids[0][first]), 60)}, {quote(str(ids[1][first]), 60)}.",
            row=first,
            fix="Correct the ids, or drop the line.",
        )
    return Keys(numbers[n:], numbers[:n])


def codes_of_rows(
    table: RawTable,
    codes: NDArray[Any],
    used: Collection[int],
    pairs: Pairs,
    names: tuple[str | int, str | int],
    symmetric: bool,
) -> NDArray[Any]:
    """Put codes of lines, of shape (n_lines, n_columns), into the order of the pairs.

    ``used`` are the columns that they come from, ``names`` the id columns of the pairs.
    """
    columns = key_columns(table, used, pairs, names, symmetric=symmetric, what="folds")
    data = table.read(**columns.wants) if columns.wants else {}
    keys = keys_of_lines(
        table, columns, data, pairs, symmetric=symmetric, n_lines=len(codes), what="folds"
    )
    line_of = np.full(int(max(keys.lines.max(initial=0), keys.rows.max())) + 1, -1)
    line_of[keys.lines[::-1]] = np.arange(len(codes))[::-1]  # the first line of each
    differ = np.flatnonzero((codes != codes[line_of[keys.lines]]).any(axis=1))
    if len(differ):
        raise table.fail(
            "this pair is in another line with another fold.",
            row=int(differ[0]),
            fix="Keep one, or add a column 'row' with the row of PAIRS, numbered from 0.",
        )
    lines = line_of[keys.rows]
    lacking = np.flatnonzero(lines < 0)
    if len(lacking):
        ids = " and ".join(quote(str(name), 60) for name in pairs.pairs[lacking[0]])
        raise table.source.fail(
            f"{len(lacking):,} of {len(pairs):,} pairs have no fold, the first row {lacking[0]} "
            f"({ids}).",
            fix="Add them; a fold of -1, or the role drop, leaves a pair out.",
        )
    return codes[lines]


def _is_row(table: RawTable, at: int) -> bool:
    """Whether a column has row numbers, by its name and its first cells."""
    named = ROW.fullmatch(table.names[at].strip()) is not None
    return named and all(cell.strip().isdigit() for cell in table.cells(at))


def _named_ids(table: RawTable, names: tuple[str | int, str | int]) -> tuple[int, int] | None:
    for two in (names, ("a", "b")):
        if all(name in table.names for name in two):
            return table.names.index(str(two[0])), table.names.index(str(two[1]))
    return None
