"""Weights of objects: one of weight 2 counts as two equal objects."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_numbers
from trueval.core.errors import InputError, ParameterError, exact
from trueval.core.named import is_numbered

__all__ = ["row_weights", "whole_weights"]

Float = NDArray[np.float64]
#: Weights beyond these cannot be counts of objects, and sums of them would lose the small ones.
_SMALLEST, _LARGEST = 1e-9, 1e9
#: Objects that whole weights may stand for: as many as rows may be, or this many times the rows.
_REPEATED, _TIMES = 10**7, 10


def row_weights(sample_weight: Any, n_rows: int, index: NDArray[Any] | None = None) -> Float | None:
    """Weights as an array; None where all objects count alike by default.

    ``index`` has the names of the rows: those of a pandas Series must be the same.

    >>> row_weights([1, 0.5], 2)
    array([1. , 0.5])
    """
    if sample_weight is None:
        return None
    weights = as_numbers(sample_weight, "sample_weight")
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
            f"sample_weight is {exact(weights[wrong[0]])} at row {wrong[0]}; weights are finite "
            "and not negative."
        )
    if not weights.any():
        raise InputError("sample_weight is 0 at all rows, so that no row counts.")
    extreme = np.flatnonzero((weights > _LARGEST) | ((weights > 0) & (weights < _SMALLEST)))
    if len(extreme):
        raise InputError(
            f"sample_weight is {exact(weights[extreme[0]])} at row {extreme[0]}; a weight of 2 "
            f"counts as two objects, so that weights are 0, or from {_SMALLEST:g} to {_LARGEST:g}.",
            fix="Multiply all weights by one number.",
        )
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
    if weights is None:
        return
    if (weights != np.floor(weights)).any():
        fraction = float(weights[weights != np.floor(weights)][0])
        raise ParameterError("sample_weight", "whole numbers (repeated objects)", fraction, owner)
    total = float(weights.sum())
    if total > max(_REPEATED, _TIMES * len(weights)):
        raise InputError(
            f"sample_weight stands for {total:,.0f} objects, and {owner} takes each by itself.",
            fix="Divide the weights, or use PrecisionRanker or IsotonicRanker, which do not.",
        )
