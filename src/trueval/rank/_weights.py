"""Weights of objects: one of weight 2 counts as two equal objects."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, ParameterError
from trueval.core.named import is_numbered

__all__ = ["row_weights", "whole_weights"]

Float = NDArray[np.float64]


def row_weights(sample_weight: Any, n_rows: int, index: NDArray[Any] | None = None) -> Float | None:
    """Weights as an array; None where all objects count alike by default.

    ``index`` has the names of the rows: those of a pandas Series must be the same.

    >>> row_weights([1, 0.5], 2)
    array([1. , 0.5])
    """
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight must be numbers, one for each row.") from None
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample_weight has shape {weights.shape}; it must have one number for each of the "
            f"{n_rows} rows."
        )
    if hasattr(sample_weight, "iloc") and index is not None:
        _check_names(np.asarray(sample_weight.index), index)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise InputError(
            f"sample_weight is {weights[wrong[0]]:g} at row {wrong[0]}; weights are finite and not "
            "negative."
        )
    if not weights.any():
        raise InputError("sample_weight is 0 at all rows, so that no row counts.")
    return weights


def _check_names(names: NDArray[Any], index: NDArray[Any]) -> None:
    """Refuse a pandas Series whose rows are named otherwise; default names mean nothing."""
    if is_numbered(names) or is_numbered(index):
        return
    differs = np.flatnonzero(names.astype(str) != index.astype(str))
    if len(differs):
        row = int(differs[0])
        raise InputError(
            f"row {row} is {str(names[row])!r} in sample_weight but {str(index[row])!r} in y.",
            fix="Give sample_weight.loc[y.index], or an array if the names mean nothing.",
        )


def whole_weights(weights: Float | None, owner: str) -> None:
    """Refuse fractions where objects are counted by rank."""
    if weights is not None and (weights != np.floor(weights)).any():
        fraction = float(weights[weights != np.floor(weights)][0])
        raise ParameterError("sample_weight", "whole numbers (repeated objects)", fraction, owner)
