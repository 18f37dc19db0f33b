"""Arrays from outside: binary labels, real numbers, row numbers, missing values, lengths."""

from collections.abc import Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, Place, quote

__all__ = [
    "as_binary",
    "as_numbers",
    "as_rows",
    "finite_mean",
    "is_binary",
    "is_missing",
    "is_text",
    "missing_in",
    "n_rows_of",
    "plain",
    "refuse_masked",
    "refuse_missing",
    "row_numbers",
    "scaled",
]


def is_text(value: Any) -> bool:
    """Whether a value is text or bytes, which Python takes for a sequence."""
    return isinstance(value, str | bytes | bytearray)


def refuse_masked(values: Any, what: str) -> None:
    """Refuse what a mask hides; NumPy's own conversion takes it for data."""
    if np.ma.is_masked(values):
        row = int(np.argwhere(np.ma.getmaskarray(values))[0][0])
        raise InputError(
            f"{what} has a masked value.",
            place=Place(row=row),
            fix="Leave out what is masked, or fill it in.",
        )


def plain(values: Any, what: str) -> NDArray[Any]:
    """An array; refused with masked values, or lists of unequal length."""
    refuse_masked(values, what)
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(f"{what} is no array: its entries are of different shapes.") from None


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas.NA."""
    if value is None:
        return True
    same = value == value
    return not isinstance(same, bool | np.bool_) or not same


def missing_in(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values of an array of any type are missing.

    >>> missing_in(np.array([1.0, np.nan])).tolist(), missing_in(np.array([None, "a"])).tolist()
    ([False, True], [True, False])
    """
    if values.dtype.kind in "OT":  # NumPy's own text of any length has a missing value of its own
        cells = values.astype(object).tolist()
        return np.fromiter(map(is_missing, cells), dtype=bool, count=len(cells))
    return np.asarray(values != values)  # NaN and NaT are the values unequal to themselves


def refuse_missing(names: Any, what: str) -> None:
    """Refuse names of which one is missing; as text it would be a name such as 'nan'."""
    if isinstance(names, list | tuple):
        bad = next((row for row, name in enumerate(names) if is_missing(name)), None)
    else:
        array = np.asarray(names)
        missing = missing_in(array) if array.ndim == 1 else np.zeros(1, bool)
        bad = int(np.argmax(missing)) if missing.any() else None
    if bad is not None:
        raise InputError(
            f"{what}: name {bad} is missing.",
            fix="Leave out what has no name, or name it.",
        )


def n_rows_of(array: Any, name: str) -> int:
    """Length of an array, frame, sparse matrix or list."""
    shape = getattr(array, "shape", None)
    if shape:
        return int(shape[0])
    if is_text(array) or not isinstance(array, Sized) or shape == ():
        raise InputError(f"{name} must have rows. Got {quote(array)} instead.")
    return len(array)


def as_binary(y: Any, name: str = "y") -> NDArray[np.bool_]:
    """Labels 0/1, -1/1 or booleans as booleans."""
    values = plain(y, name)
    if values.dtype == object:
        values = np.asarray(values.tolist())
    if values.ndim != 1:
        raise InputError(
            f"{name} must be one label for each row. Got shape {values.shape} instead."
        )
    if values.dtype == bool:
        return values
    if values.dtype.kind not in "iuf" or not _is_binary(values):
        distinct = np.unique(values)[:5].tolist()
        raise InputError(
            f"{name} must have the labels 0 and 1, -1 and 1, or False and True. Got {distinct} "
            "instead; turn your positive class into 1 first."
        )
    return values > 0


def is_binary(y: Any) -> bool:
    """Whether labels are 0/1, -1/1 or booleans."""
    values = plain(y, "y")
    return values.ndim == 1 and (
        values.dtype == bool or (values.dtype.kind in "iuf" and _is_binary(values))
    )


def _is_binary(values: NDArray[Any]) -> bool:
    """Hold for two labels at most, 1 for positive and one of 0 and -1 for negative."""
    return bool(np.isin(values, [0, 1]).all() or np.isin(values, [-1, 1]).all())


def as_numbers(values: Any, what: str) -> NDArray[np.float64]:
    """Read real numbers, or say what is in their place; text is no number, whatever it says."""
    refuse_masked(values, what)
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise ValueError("complex numbers have no order")
        maybe = array.ravel().tolist() if array.dtype.kind in "OUST" else []
        text = next(filter(is_text, maybe), None)
        if text is not None or is_text(values):
            raise ValueError(f"{quote(values if text is None else text)} is text")
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what} must be real numbers: {str(error).rstrip('.')}.") from None


def scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers times a power of two, the largest 0.5 … 1, so that sums are finite.

    Ratios stay exact, but for numbers of less than 1e-307 of the largest: these lose digits, or
    become 0.

    >>> scaled(np.array([1.5e308, 1e308])).round(3).tolist()
    [0.834, 0.556]
    >>> scaled(np.array([1e308, 1e-300])).round(3).tolist()
    [0.556, 0.0]
    """
    return np.ldexp(values, -_exponent(values))


def finite_mean(values: NDArray[np.float64]) -> float:
    """Mean of finite numbers, whose sum may be more than a float holds.

    >>> finite_mean(np.array([1.5e308, 1e308]))
    1.25e+308
    """
    exponent = _exponent(values)
    return float(np.ldexp(np.ldexp(values, -exponent).mean(), exponent))


def _exponent(values: NDArray[np.float64]) -> int:
    return int(np.frexp(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))[1])


def row_numbers(rows: Any, n_rows: int, name: str) -> NDArray[np.intp]:
    """Row numbers from numbers, which may repeat, a mask or a slice."""
    if isinstance(rows, slice):
        return np.arange(n_rows)[rows]
    values = plain(rows, name)
    if values.dtype == bool:
        if values.shape != (n_rows,):
            raise InputError(
                f"{name} is a mask of shape {values.shape} but there are {n_rows} rows."
            )
        return np.flatnonzero(values)
    if values.size == 0 and values.ndim == 1:
        return np.zeros(0, dtype=np.intp)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise InputError(
            f"{name} must be row numbers, or a boolean mask of {n_rows} rows. Got {quote(rows)} "
            "instead."
        )
    if values.min() < 0 or values.max() >= n_rows:
        raise InputError(
            f"{name} names row {values.max() if values.max() >= n_rows else values.min()}, outside "
            f"the rows 0 … {n_rows - 1}."
        )
    return values.astype(np.intp)


def as_rows(rows: Any, n_rows: int, name: str, *, repeats: bool = False) -> NDArray[np.intp]:
    """Row numbers from numbers or a mask; each once, but for training sets that draw again."""
    values = row_numbers(rows, n_rows, name)
    if len(values) == 0 or np.asarray(rows).dtype == bool:
        return values
    like_a_mask = len(values) == n_rows and values.max() < 2
    if like_a_mask or not repeats:
        times = np.bincount(values)
        if times.max() > 1:
            row = int(np.argmax(times > 1))
            raise InputError(
                f"{name} names row {row} {times[row]:,} times; give each row number once. Is "
                "this a mask?",
                fix="Give booleans: mask.astype(bool).",
            )
    return values
