"""(train, test) pairs as part numbers, where they are a partition."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.errors import InputError

__all__ = ["part_numbers"]


def part_numbers(folds: Any, n_rows: int | None) -> Any:
    """Part number of each row from (train, test) pairs; anything else as it is.

    Parameters
    ----------
    folds : iterable of (train, test), or array-like of int
    n_rows : int or None
        None if only the pairs tell it.

    Returns
    -------
    array-like of int

    Raises
    ------
    InputError
        If the pairs do not test every row once and train all the others.

    Examples
    --------
    >>> from trueval.data.fold_pairs import part_numbers
    >>> part_numbers([([1, 2], [0]), ([0], [1, 2])], None)
    array([0, 1, 1])
    """
    if hasattr(folds, "__array__") or not isinstance(folds, Iterable):
        return folds
    parts = list(folds)
    if not all(isinstance(p, tuple | list) and len(p) == 2 and np.ndim(p[1]) == 1 for p in parts):
        return parts
    pairs = [(_rows(train, "train"), _rows(test, "test")) for train, test in parts]
    if not pairs:
        return parts
    n = n_rows if n_rows is not None else 1 + max(int(r.max(initial=-1)) for p in pairs for r in p)
    numbers = np.full(n, -1, np.int64)
    for part, (train, test) in enumerate(pairs):
        where = f"The pair {part} (train, test) of write_folds"
        for rows in (train, test):
            if len(rows) and (rows.min() < 0 or rows.max() >= n):
                bad = rows.min() if rows.min() < 0 else rows.max()
                raise InputError(f"{where} has row {bad}, outside 0 … {n - 1}.")
        if (numbers[test] >= 0).any() or len(np.unique(test)) < len(test):
            raise InputError(
                f"{where} tests a row that was tested before. A fold file holds one part for each "
                "row, so only splits that test every row once can be written; write repeats and "
                "random splits to files of their own."
            )
        numbers[test] = part
        trained = np.zeros(n, bool)
        trained[train] = True
        if (
            trained[test].any()
            or int(trained.sum()) != n - len(test)
            or len(train) != n - len(test)
        ):
            raise InputError(
                f"{where} does not train exactly the rows it does not test: {len(train):,} train "
                f"and {len(test):,} test of {n:,}. A fold file cannot hold rows that are left out."
            )
    if (numbers < 0).any():
        raise InputError(
            f"row {int(np.argmin(numbers))} is in no test part. A fold file holds one part for "
            "each row: give all the pairs of a partition, or part numbers."
        )
    return numbers


def _rows(rows: Any, what: str) -> NDArray[np.int64]:
    numbers = np.asarray(rows)
    if numbers.ndim != 1 or (len(numbers) and numbers.dtype.kind not in "iu"):
        raise InputError(
            f"the {what} rows of a pair must be whole numbers. Got shape {numbers.shape} of "
            f"{numbers.dtype}; for a mask pass numpy.flatnonzero(mask)."
        )
    return numbers.astype(np.int64)
