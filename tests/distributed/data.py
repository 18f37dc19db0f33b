"""Small datasets as Parquet, in every layout."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from trueval.data import simulate


def labels(n_rows=600, n_classes=40, seed=0):
    """A heavy-tailed matrix with rows that are equal and rows without a label."""
    y = simulate.label_matrix(n_rows, n_classes, random_state=seed).toarray()
    y[::7] = y[0]
    y[::11] = 0
    return y


def ids_of(n_rows, text=True):
    return (
        [f"P{i * 37:05d}" for i in range(n_rows)] if text else [i * 37 - 100 for i in range(n_rows)]
    )


def table(y, text=True, names=("row", "class")):
    """A row a record, with the list of its classes."""
    lists = [[f"c{c}" for c in np.flatnonzero(row)] for row in y]
    return pa.table({names[0]: ids_of(len(y), text), names[1]: lists})


def write(folder, records, n_files=1, order=None, row_group_size=None):
    """Records in some order, in some files."""
    folder.mkdir()
    if order is not None:
        records = records.take(order)
    bounds = np.linspace(0, len(records), n_files + 1).astype(int)
    for number, (start, end) in enumerate(pairwise(bounds)):
        part = records.slice(start, end - start)
        pq.write_table(part, folder / f"part-{number}.parquet", row_group_size=row_group_size)
    return folder


def long(records):
    """One (row, class) pair a record; rows without a label have a null class."""
    pairs = [
        (row, name)
        for row, names in zip(records["row"].to_pylist(), records["class"].to_pylist(), strict=True)
        for name in (names or [None])
    ]
    return pa.table({"row": [p[0] for p in pairs], "class": [p[1] for p in pairs]})


def folds_of(path):
    """Fold of each row id."""
    read = pq.read_table(path)
    return dict(zip(read["row"].to_pylist(), read["fold"].to_pylist(), strict=True))
