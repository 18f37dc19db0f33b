"""A small table: named columns of equal length, shown well, turned into any frame.

The core install has no data-frame library; results still come as tables.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from trueval.core.arrays import row_numbers
from trueval.core.params import BOOL, STRING, Interval, constrained
from trueval.core.presentable import Presentable

__all__ = ["Table"]


class Table(Presentable, Mapping[str, np.ndarray]):
    """Columns by name, rows by position.

    Parameters
    ----------
    columns : mapping of str to array
        One-dimensional, all of one length.

    Examples
    --------
    >>> from trueval.table import Table
    >>> table = Table({"class": ["a", "b", "c"], "size": [5, 1, 3]})
    >>> table["size"].sum()
    np.int64(9)
    >>> table.sort_by("size").head(2)
    class  size
    b         1
    c         3
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = {name: np.asarray(values) for name, values in columns.items()}
        lengths = {name: len(values) for name, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"The columns of a table must have one length. Got {lengths} instead.")

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._columns.values()), ()))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, len(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return self.n_rows

    def __bool__(self) -> bool:
        return True

    def take(self, rows: Any) -> "Table":
        """Rows by position, slice or mask."""
        numbers = row_numbers(rows, self.n_rows, "rows")
        return Table({name: values[numbers] for name, values in self._columns.items()})

    @constrained(n=Interval(int, 0))
    def head(self, n: int = 5) -> "Table":
        """First rows."""
        return self.take(slice(n))

    @constrained(column=STRING, descending=BOOL)
    def sort_by(self, column: str, *, descending: bool = False) -> "Table":
        """Rows ordered by one column; equal values keep their order."""
        values = self[column]
        if descending:
            order = len(values) - 1 - np.argsort(values[::-1], kind="stable")[::-1]
        else:
            order = np.argsort(values, kind="stable")
        return self.take(order)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as plain Python lists."""
        return {name: values.tolist() for name, values in self._columns.items()}

    def to_pandas(self) -> Any:
        """As a pandas DataFrame (pandas must be installed)."""
        import pandas as pd

        return pd.DataFrame(self._columns)

    def to_polars(self) -> Any:
        """As a polars DataFrame (polars must be installed)."""
        import polars as pl

        return pl.DataFrame(self.to_dict())
