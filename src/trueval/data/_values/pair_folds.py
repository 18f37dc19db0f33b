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
from trueval.data._values.columns import read_table

__all__ = ["read_pair_folds", "write_pair_folds"]

_ROLES = np.array(["drop", "train", "test"])
_Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


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


def read_pair_folds(path: Any, n_rows: int) -> list[_Fold] | None:
    r"""Read folds as :func:`write_pair_folds` writes them; None for a table without such columns.

    >>> read_pair_folds(b"row,a,b,fold_0\n0,a,b,train\n1,c,d,test\n", 2)
    [(array([0]), array([1]))]
    """
    table = read_table(path)
    columns = [at for at, name in enumerate(table.names) if name.startswith("fold_")]
    if not columns:
        return None
    wants: dict[str, Any] = {str(at): AsCodes(at) for at in columns}
    data = table.read(**wants)
    folds = []
    for at in columns:
        roles: Codes = data[str(at)]
        if len(roles.codes) != n_rows:
            raise table.source.fail(f"{len(roles.codes):,} rows of folds for {n_rows:,} pairs.")
        for code, name in enumerate(roles.names.tolist()):
            if name not in _ROLES:
                raise table.fail(
                    f"the role {shorten(str(name))!r} is none of train, test and drop.",
                    row=int(np.argmax(roles.codes == code)),
                    column=at,
                )
        train, test = (
            np.flatnonzero(np.isin(roles.codes, np.flatnonzero(roles.names == role)))
            for role in ("train", "test")
        )
        folds.append((train, test))
    return folds
