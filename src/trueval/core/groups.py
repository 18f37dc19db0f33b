"""Groups of rows that belong together, as numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import missing_in, plain
from trueval.core.errors import InputError

__all__ = ["group_numbers"]


def group_numbers(groups: Any, n_rows: int, name: str = "groups") -> NDArray[np.int64]:
    """Number groups of any hashable values 0, 1, … in order of appearance.

    >>> group_numbers(["b", "a", "b"], 3)
    array([0, 1, 0])
    """
    values = _one_by_one(groups) if isinstance(groups, list | tuple) else plain(groups, name)
    if values.ndim != 1:
        raise InputError(
            f"{name} must be one-dimensional, one value for each row. Got shape {values.shape} "
            "instead."
        )
    if len(values) != n_rows:
        raise InputError(f"{name} has {len(values)} entries but y has {n_rows} rows.")
    missing = np.flatnonzero(missing_in(values))
    if len(missing):
        raise InputError(
            f"{name} has a missing value at row {missing[0]}.",
            fix=f"Leave the row out, or give it one of its own in {name}.",
        )
    if values.dtype.kind == "O":
        number: dict[Any, int] = {}
        try:
            return np.array([number.setdefault(v, len(number)) for v in values], dtype=np.int64)
        except TypeError as error:
            raise InputError(
                f"{name} cannot be told apart: {error}.", fix="Use strings or ints."
            ) from None
    _, first, sorted_number = np.unique(values, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return place[sorted_number]


def _one_by_one(values: Any) -> NDArray[Any]:
    """Keep every entry as it is: NumPy would turn mixed ones into text."""
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array
