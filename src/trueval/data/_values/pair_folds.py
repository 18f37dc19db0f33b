"""Folds of pairs in a table: what each row is in each fold.

Holding out objects makes no partition of the rows: a row may be validated by several
folds, and dropped by others. So the file has a column for each fold, with ``train``,
``test`` or ``drop`` in every row.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import shorten
from trueval.core.named import as_text
from trueval.core.pairs import Pairs
from trueval.data._columns import Codes, Column
from trueval.data._formats import output_format, write_raw
from trueval.data._raw import AsCodes, RawTable
from trueval.data._values._split_words import Sides, sides_of_folds
from trueval.data._values.columns import read_table
from trueval.data._values.folds import read_fold_column
from trueval.data._values.pair_rows import codes_of_rows

__all__ = ["read_pair_folds", "write_pair_folds"]

_ROLES = np.array(["drop", "train", "test"])


def write_pair_folds(path: Any, pairs: Any, folds: Sequence[tuple[Any, Any]]) -> None:
    """Write folds of pairs, (train, test) rows each, with the ids; complete or not there.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "folds.csv")
    ...     write_pair_folds(file, [("a", "b"), ("c", "d")], [([0], [1])])
    ...     print(file.read_text())
    row,a,b,fold_0
    0,a,b,train
    1,c,d,test
    """
    form = output_format(path, None, ("table",))
    ids = (pairs if isinstance(pairs, Pairs) else Pairs(pairs)).pairs
    ids = as_text(ids) if ids.dtype.kind == "O" else ids
    columns: dict[str, Column] = {"row": np.arange(len(ids)), "a": ids[:, 0], "b": ids[:, 1]}
    for number, (train, test) in enumerate(folds):
        roles = np.zeros(len(ids), np.int32)
        roles[train], roles[test] = 1, 2
        columns[f"fold_{number}"] = Codes(_ROLES, roles)
    write_raw(path, form, RawTable(columns))


def read_pair_folds(
    path: Any,
    pairs: Pairs,
    names: tuple[str | int, str | int] = ("a", "b"),
    *,
    symmetric: bool = True,
) -> Sides:
    r"""Training and test rows of pairs by the name of the fold.

    The table has columns as :func:`write_pair_folds` writes them, or one column ``fold``. Lines are
    matched to the pairs by their ids, which are looked for under ``names`` first, or by a column
    ``row``; line by line where the folds are alone.

    >>> pairs = Pairs([("c", "d"), ("a", "b")])
    >>> read_pair_folds(b"row,a,b,fold_0\n0,a,b,train\n1,c,d,test\n", pairs)
    {'fold 0': (array([1]), array([0]))}
    >>> read_pair_folds(b"a,b,fold\nb,a,train\nc,d,test\n", pairs)
    {'test': (array([1]), array([0]))}
    """
    table = read_table(path)
    columns = [at for at, name in enumerate(table.names) if name.startswith("fold_")]
    if not columns:
        numbers, words, at = read_fold_column(table)
        codes = codes_of_rows(table, numbers[:, None], {at}, pairs, names, symmetric)
        return sides_of_folds(codes[:, 0], words, table.source)
    wants: dict[str, Any] = {str(at): AsCodes(at) for at in columns}
    data = table.read(**wants)
    lines = np.stack([_roles(table, data[str(at)], at) for at in columns], axis=1)
    roles = codes_of_rows(table, lines, columns, pairs, names, symmetric)
    return {
        f"fold {number}": (np.flatnonzero(of == 1), np.flatnonzero(of == 2))
        for number, of in enumerate(roles.T)
    }


def _roles(table: RawTable, column: Codes, at: int) -> NDArray[np.int32]:
    """Number of the role of each line, as in ``_ROLES``."""
    known = _ROLES.tolist()
    for code, name in enumerate(column.names.tolist()):
        if name not in known:
            raise table.fail(
                f"the role {shorten(str(name))!r} is none of train, test and drop.",
                row=int(np.argmax(column.codes == code)),
                column=at,
            )
    place = np.array([known.index(name) for name in column.names.tolist()], np.int32)
    return place[column.codes]
