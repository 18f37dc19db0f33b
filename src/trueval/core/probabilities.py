"""Lists of probabilities, one array a class, as MultiOutputClassifier gives them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, warn_user

__all__ = ["are_probabilities", "positive_probabilities"]

_TOLERANCE = 1e-4  # of sums of float32
_FROM = "Scores.from_probabilities(scores, model.classes_)"


def are_probabilities(scores: Any) -> bool:
    """Whether scores are a list of two-dimensional arrays, one for each class."""
    return (
        isinstance(scores, list | tuple)
        and len(scores) > 0
        and all(isinstance(part, np.ndarray) and part.ndim == 2 for part in scores)
    )


def positive_probabilities(
    scores: Sequence[NDArray[Any]], known: Any = None
) -> NDArray[np.float64]:
    """Probability of label 1 of each row and class, of shape (n_rows, n_classes).

    ``known`` are the labels of the columns of each array, as ``classes_`` of the estimator has
    them; without it, columns must be those of 0 and 1.

    >>> first = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> positive_probabilities([first, first[:, ::-1]])
    array([[0.1, 0.9],
           [0.8, 0.2]])
    >>> positive_probabilities([first], [[1, 0]]).ravel()
    array([0.9, 0.2])
    """
    if known is not None and len(known) != len(scores):
        raise InputError(f"{len(scores):,} arrays of scores, but labels of {len(known):,} classes.")
    lengths = {len(part) for part in scores}
    if len(lengths) > 1:
        raise InputError(
            f"the arrays of scores have {min(lengths):,} to {max(lengths):,} rows; each class "
            "needs one for every row."
        )
    labels = [None] * len(scores) if known is None else [np.ravel(k).tolist() for k in known]
    columns, constant = [], []
    for place, (part, values) in enumerate(zip(scores, labels, strict=True)):
        column = _column(part, values, place)
        if column is None:
            constant.append(place)
            column = np.full(len(part), float(values[0] == 1))  # type: ignore[index]
        columns.append(column)
    if constant:
        first = constant[0]
        warn_user(
            f"{len(constant):,} of {len(scores):,} classes have one label only in training, the "
            f"first class {first} ({labels[first][0]!s}); their scores are constant.",  # type: ignore[index]
            UserWarning,
        )
    return np.column_stack(columns).astype(np.float64, copy=False)


def _column(part: NDArray[Any], labels: Any, place: int) -> NDArray[Any] | None:
    """Probabilities of label 1 in one array; None where training had one label only."""
    where = f"array {place} of scores"
    if part.shape[1] == 1 and labels is None:
        raise InputError(
            f"{where} has one column, as a class has that was all 0 or all 1 in training; which of "
            "the two is not known.",
            fix=Fix(f"Use {_FROM}, or leave the class out."),
        )
    n_labels = 2 if labels is None else len(labels)
    if part.shape[1] != n_labels or n_labels > 2:
        raise InputError(
            f"{where} has shape {part.shape}; a list needs an array (n_rows, 2) for each class, "
            "the probabilities of 0 and 1.",
            fix="For one array of scores give shape (n_rows, n_classes), not in a list.",
        )
    if labels is not None and not set(labels) <= {0, 1, -1}:
        raise InputError(f"class {place} has the labels {labels}; they must be 0 and 1.")
    if not (part.min(initial=0) >= 0 and np.allclose(part.sum(axis=1), 1, atol=_TOLERANCE)):
        raise InputError(
            f"the columns of {where} are no probabilities of 0 and 1: they do not sum to 1.",
            fix="Give one array of shape (n_rows, n_classes).",
        )
    if n_labels == 1:
        return None
    return part[:, 1 if labels is None else labels.index(1)]
