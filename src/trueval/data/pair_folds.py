"""Folds of pairs in a table: what each row is in each fold.

Holding out objects makes no partition of the rows: a row may be validated by several
folds, and dropped by others. So the file has a column for each fold, with ``train``,
``test`` or ``drop`` in every row.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, ParameterError, Place, shorten
from trueval.core.pairs import Pairs
from trueval.data.sniff import find_format
from trueval.data.source import Source
from trueval.data.tables import output_format, write_rows
from trueval.data.text import Table

__all__ = ["pair_folds_of", "write_pair_folds"]

_ROLES = np.array(["drop", "train", "test"])
_NUMBER = {str(name): number for number, name in enumerate(_ROLES)}


def write_pair_folds(path: Any, pairs: Any, folds: Sequence[tuple[Any, Any]]) -> None:
    """Write folds of pairs; the file is complete or not there.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from trueval.data.pair_folds import write_pair_folds
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "folds.csv")
    ...     write_pair_folds(file, [("a", "b"), ("c", "d")], [([0], [1])])
    ...     print(file.read_text())
    row,a,b,fold_0
    0,a,b,train
    1,c,d,test
    """
    form = output_format(path, None)
    if form not in ("csv", "tsv"):
        raise ParameterError("path", "a name that ends in .csv or .tsv", path, "write_pair_folds")
    ids = pairs.pairs if isinstance(pairs, Pairs) else np.asarray(pairs)
    roles = np.zeros((len(ids), len(folds)), dtype=np.int8)
    for number, (train, test) in enumerate(folds):
        roles[train, number] = 1
        roles[test, number] = 2

    def rows() -> Iterator[list[Any]]:
        yield ["row", "a", "b", *(f"fold_{number}" for number in range(len(folds)))]
        for row, (first, second) in enumerate(ids.tolist()):
            yield [row, first, second, *_ROLES[roles[row]].tolist()]

    write_rows(path, "," if form == "csv" else "\t", rows())


def pair_folds_of(
    source: Source, n_rows: int
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]] | None:
    r"""Read folds as :func:`write_pair_folds` writes them.

    >>> from trueval.data.pair_folds import pair_folds_of
    >>> from trueval.data.source import Source
    >>> file = Source("folds.csv", data=b"row,a,b,fold_0\n0,a,b,train\n1,c,d,test\n")
    >>> pair_folds_of(file, 2)
    [(array([0]), array([1]))]
    """
    if find_format(source) not in ("csv", "tsv"):
        return None
    table = Table(source, "utf-8")
    columns = [place for place, name in enumerate(table.first) if name.startswith("fold_")]
    if not columns:
        return None
    roles = np.zeros((n_rows, len(columns)), dtype=np.int8)
    row = -1
    for row, (number, fields) in enumerate(table.rows(with_first=False)):
        if row >= n_rows:
            break
        for at, place in enumerate(columns):
            try:
                roles[row, at] = _NUMBER[fields[place]]
            except KeyError:
                raise source.fail(
                    f"the role {shorten(fields[place])!r} is none of train, test and drop.",
                    line=number,
                    column=table.first[place],
                ) from None
    if row + 1 != n_rows:
        found = f"more than {n_rows:,}" if row >= n_rows else f"{row + 1:,}"
        raise InputError(f"{found} rows of folds for {n_rows:,} pairs.", place=Place(source.name))
    return [
        (np.flatnonzero(roles[:, at] == 1), np.flatnonzero(roles[:, at] == 2))
        for at in range(len(columns))
    ]
