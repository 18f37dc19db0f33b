"""Read tables that were typed from a paper: lines of numbers, keys first."""

import math
from collections.abc import Mapping, Sequence

__all__ = ["NONE", "Published", "read_published"]

Published = Mapping[tuple[str, ...], Mapping[str, float]]

NONE = "-"
"""In a typed table: not in the paper, or not legible in its text."""


def read_published(text: str, n_keys: int, columns: Sequence[str]) -> Published:
    """Rows of a typed table by their keys.

    >>> from trueval.study._published import read_published
    >>> read_published("100 0.5 -", 1, ["area", "F"])
    {('100',): {'area': 0.5, 'F': nan}}
    """
    rows: dict[tuple[str, ...], dict[str, float]] = {}
    for line in text.strip().splitlines():
        cells = line.split()
        key, values = tuple(cells[:n_keys]), cells[n_keys:]
        if len(values) != len(columns) or key in rows:
            raise ValueError(f"a typed table has a wrong or repeated line: {line!r}")
        numbers = [math.nan if v == NONE else float(v) for v in values]
        rows[key] = dict(zip(columns, numbers, strict=True))
    return rows
