"""Entries between two kinds of names, by their numbers: what predictions and hits share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_numbers, plain, refuse_missing
from trueval.core.errors import InputError, Place, quote
from trueval.core.named import as_text, name_array
from trueval.core.sparse import read_only

__all__ = ["as_codes", "as_values", "distinct_names"]


def distinct_names(names: Any, what: str) -> NDArray[np.str_]:
    """Names as text of their own, each once.

    >>> distinct_names(["P1", "P2"], "targets")
    array(['P1', 'P2'], dtype='<U2')
    """
    refuse_missing(names, what)
    array = name_array(names)
    if array.ndim != 1:
        raise InputError(f"{what} must be a list of names. Got {quote(names)} instead.")
    texts = as_text(array)
    distinct, times = np.unique(texts, return_counts=True)
    if len(distinct) < len(texts):
        raise InputError(
            f"{what} has {quote(str(distinct[np.argmax(times)]))} more than once.",
            fix="Give each name once; entries refer to it by its number.",
        )
    return read_only(texts)


def as_codes(codes: Any, n_names: int, what: str, names: str) -> NDArray[np.int32]:
    """Numbers of names, as many as there are entries."""
    numbers = plain(codes, what)
    if numbers.ndim != 1 or (len(numbers) and numbers.dtype.kind not in "iu"):
        raise InputError(
            f"{what} must be whole numbers, one for each entry. Got {quote(codes)} instead."
        )
    outside = np.flatnonzero((numbers < 0) | (numbers >= n_names))
    if len(outside):
        at = int(outside[0])
        raise InputError(
            f"{what} has {numbers[at]}, but there are {n_names:,} {names}, numbered from 0.",
            place=Place(row=at),
        )
    return read_only(numbers.astype(np.int32))


def as_values(values: Any, n: int, what: str) -> NDArray[np.float64]:
    """Numbers, one for each of ``n`` entries."""
    numbers = as_numbers(values, what)
    if numbers.shape != (n,):
        raise InputError(f"{what} have shape {numbers.shape}, but there are {n:,} rows.")
    return read_only(numbers.copy())
