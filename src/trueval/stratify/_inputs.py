"""What every method gets: labels and parts in any form, read once."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import ParameterError
from trueval.core.folds import as_folds
from trueval.core.groups import group_numbers
from trueval.core.labels import Labels, as_labels
from trueval.core.named import check_row_order
from trueval.core.params import Choice, Interval
from trueval.core.similarity import as_similarity
from trueval.stratify._methods import METHODS
from trueval.stratify._parts import Parts, as_parts

__all__ = ["CLOSE", "FOLDS", "INPUTS", "METHOD", "WEIGHT", "reads_inputs"]

#: What ``method`` may be, wherever it is a parameter.
METHOD = Choice(tuple(METHODS))
#: What the weight of a cost may be: times the number of classes, float32 can still hold it.
WEIGHT = Interval(float, 0, 1e30)
#: Sections of the docstrings of methods.
INPUTS = """
Parameters
----------
labels : labels in any form :func:`trueval.as_labels` takes
parts : int, or sequence of shares or row counts
    As for :func:`~trueval.stratify.stratified_folds`.
random_state : None, int, Generator or RandomState
"""
FOLDS = """
Returns
-------
ndarray of int32
    Part number of each row.
"""
CLOSE = """
Returns
-------
ndarray of int32
    Part number of each row; sizes are close to the wanted, not exact.
"""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def reads_inputs(function: _Function) -> _Function:
    """Let a method take labels and parts in any form; check groups, fixed and initial folds."""

    @functools.wraps(function)
    def read(labels: Any, parts: Any, **options: Any) -> NDArray[np.int32]:
        checked = as_labels(labels)
        wanted = parts if isinstance(parts, Parts) else as_parts(parts, checked.n_rows)
        if options.get("groups") is not None:
            check_row_order(options["groups"], checked.index, "groups")
            options["groups"] = group_numbers(options["groups"], checked.n_rows)
        if options.get("fixed") is not None:
            options["fixed"] = as_folds(
                options["fixed"],
                wanted.n_rows,
                name="fixed",
                n_parts=wanted.n_parts,
                index=checked.index,
                free=True,
            )
        if options.get("similarity") is not None:
            graph = as_similarity(options["similarity"], checked.n_rows, checked.index)
            options["similarity"] = graph
        if options.get("initial") is not None:
            options["initial"] = _initial(options, checked, wanted)
        folds: NDArray[np.int32] = function(checked, wanted, **options)
        return folds

    return read  # type: ignore[return-value]


def _initial(options: dict[str, Any], labels: Labels, parts: Parts) -> NDArray[np.int32]:
    """Folds to start from, made by a method where its name was given."""
    initial = options["initial"]
    if not isinstance(initial, str):
        return as_folds(
            initial, labels.n_rows, name="initial", n_parts=parts.n_parts, index=labels.index
        )
    if not METHOD.accepts(initial):
        raise ParameterError("initial", f"folds, or one of {METHOD}", initial, "stratified_folds")
    method = METHODS[initial]
    limits = {name: options[name] for name in ("groups", "fixed") if name in options}
    limits = {name: value for name, value in limits.items() if name in method.takes}
    folds: NDArray[np.int32] = method(
        labels, parts, random_state=options.get("random_state"), **limits
    )
    return folds
