"""Small steps that all tables share."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["columns_of", "gaps", "mean_and_error"]


def columns_of(lines: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Columns from rows; NaN where a row has no such value.

    >>> from trueval.study._tables import columns_of
    >>> columns_of([{"a": 1, "b": 2}, {"a": 3}])
    {'a': [1, 3], 'b': [2, nan]}
    """
    names = dict.fromkeys(name for line in lines for name in line)
    return {name: [line.get(name, np.nan) for line in lines] for name in names}


def mean_and_error(values: Any) -> tuple[float, float]:
    """Mean and its standard error, NaN left out; the error of one value is NaN.

    >>> from trueval.study._tables import mean_and_error
    >>> mean_and_error([1.0, 3.0])
    (2.0, 1.0)
    """
    array = np.asarray(values, dtype=float)
    array = array[np.isfinite(array)]
    if not len(array):
        return np.nan, np.nan
    error = array.std(ddof=1) / np.sqrt(len(array)) if len(array) > 1 else np.nan
    return float(array.mean()), float(error)


def gaps(lines: Sequence[Mapping[str, Any]], column: str, *rows: str) -> str:
    """How far the named rows are from the paper, in words.

    >>> from trueval.study._tables import gaps
    >>> gaps([{"method": "random", "F": 0.5, "F paper": 0.4}], "F", "random")
    ' F of random differs from the paper by +0.1000.'
    """
    words = ""
    for line in lines:
        if line["method"] in rows and np.isfinite(line[f"{column} paper"]):
            gap = line[column] - line[f"{column} paper"]
            words += f" {column} of {line['method']} differs from the paper by {gap:+.4f}."
    return words
