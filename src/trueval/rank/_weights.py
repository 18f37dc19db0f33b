"""Weights of objects: one of weight 2 counts as two equal objects."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, ParameterError

__all__ = ["row_weights", "whole_weights"]

Float = NDArray[np.float64]


def row_weights(sample_weight: Any, n_rows: int) -> Float | None:
    """Weights as an array; None where all objects count alike by default.

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
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise InputError(
            f"sample_weight is {weights[wrong[0]]:g} at row {wrong[0]}; weights are finite and not "
            "negative."
        )
    if not weights.any():
        raise InputError("sample_weight is 0 at all rows, so that no row counts.")
    return weights


def whole_weights(weights: Float | None, owner: str) -> None:
    """Refuse fractions where objects are counted by rank."""
    if weights is not None and (weights != np.floor(weights)).any():
        fraction = float(weights[weights != np.floor(weights)][0])
        raise ParameterError("sample_weight", "whole numbers (repeated objects)", fraction, owner)
