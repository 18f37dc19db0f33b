"""Which line of a table belongs to which row of pairs: by ids, by row number, or line by line."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import quote
from trueval.core.ids import canonical_members, column_kinds, number_ids, number_rows
from trueval.core.named import as_text
from trueval.core.pairs import Pairs
from trueval.data._raw import AsCodes, AsNumbers, RawTable

__all__ = ["ROW", "Keys", "codes_of_rows", "pair_keys", "row_keys"]

#: Names of a column of row numbers; pandas writes its index without a name, or so into Parquet.
ROW = re.compile(r"rows?|index|unnamed: 0|__index_level_0__|", re.IGNORECASE)
_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Keys:
    """Numbers of lines and of rows; a line belongs to the rows of its number."""

    lines: _Ints
    rows: _Ints


def row_keys(table: RawTable, rows: NDArray[np.float64], n_rows: int, at: int) -> Keys:
    """Keys of a column of row numbers."""
    beyond = np.flatnonzero(rows >= n_rows)
    if len(beyond):
        raise table.fail(
            f"row {rows[beyond[0]]:.0f} is beyond the {n_rows:,} pairs, numbered from 0.",
            row=int(beyond[0]),
            column=at,
        )
    return Keys(rows.astype(np.int64), np.arange(n_rows))


def pair_keys(table: RawTable, ids: list[NDArray[Any]], pairs: Pairs, symmetric: bool) -> Keys:
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

    ``used`` are the columns that they come from, ``names`` the id columns of the pairs, which are
    looked for first, then ``a`` and ``b``.
    """
    keys = _keys(table, used, pairs, names, symmetric, len(codes))
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


def _keys(
    table: RawTable,
    used: Collection[int],
    pairs: Pairs,
    names: tuple[str | int, str | int],
    symmetric: bool,
    n_lines: int,
) -> Keys:
    """Keys by row number where the ids agree, else by ids; by order where the table has neither."""
    rest = [at for at in range(table.width) if at not in used]
    row = next((at for at in rest if _is_row(table, at)), None)
    rest = [at for at in rest if at != row]
    places = _id_places(table, names, rest)
    if places is None and rest and row is None:
        others = ", ".join(quote(table.names[at], 40) for at in rest[:3])
        raise table.fail(
            f"the columns beside the folds ({others}) are neither the ids of the pairs nor their "
            "row.",
            fix=f"Name the id columns as in the pairs ({names[0]!s}, {names[1]!s}), or add a "
            "column 'row', numbered from 0.",
        )
    wants: dict[str, Any] = {} if row is None else {"row": AsNumbers((row,), "row", 0)}
    for n, at in enumerate(places or ()):
        wants[str(n)] = AsCodes(at, "an id is empty.")
    data = table.read(**wants) if wants else {}
    ids = [as_text(data[str(n)].expand()) for n in range(2)] if places else None
    if row is not None:
        by_row = row_keys(table, data["row"][:, 0], len(pairs), row)
        known = as_text(pairs.pairs)[by_row.lines]
        if ids is None or all((ids[c] == known[:, c]).all() for c in range(2)):
            return by_row
    if ids is not None:
        return pair_keys(table, ids, pairs, symmetric)
    if n_lines != len(pairs):
        raise table.source.fail(f"{n_lines:,} folds for {len(pairs):,} pairs.")
    return Keys(np.arange(n_lines), np.arange(n_lines))


def _is_row(table: RawTable, at: int) -> bool:
    """Whether a column has row numbers, by its name and its first cells."""
    named = ROW.fullmatch(table.names[at].strip()) is not None
    return named and all(cell.strip().isdigit() for cell in table.cells(at))


def _id_places(
    table: RawTable, names: tuple[str | int, str | int], rest: list[int]
) -> tuple[int, int] | None:
    for two in (names, ("a", "b")):
        if all(name in table.names for name in two):
            one, other = (table.names.index(str(name)) for name in two)
            return one, other
    return (rest[0], rest[1]) if len(rest) == 2 else None
