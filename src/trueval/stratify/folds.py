"""``stratified_folds``: one function in front of all methods."""

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.errors import InputError, RareClassWarning, warn_user
from trueval.labels import Labels, as_labels
from trueval.stratify.anneal import anneal_folds
from trueval.stratify.iterative import iterative2_folds, iterative_folds
from trueval.stratify.optisplit import optisplit_folds
from trueval.stratify.parts import Parts, as_parts, group_numbers
from trueval.stratify.pmbsrs import pmbsrs_folds
from trueval.stratify.quality import as_folds
from trueval.stratify.random import random_folds
from trueval.stratify.sampling import sampling_folds

__all__ = [
    "METHODS",
    "check_method",
    "folds_by_method",
    "stratified_folds",
    "warn_of_rare_classes",
]

#: Every method by name: ``function(labels, parts, *, random_state, …) -> part numbers``.
#: What else a method takes (groups, fixed rows, its own options) is what its
#: function takes.
METHODS: Mapping[str, Callable[..., NDArray[np.int32]]] = MappingProxyType(
    {
        "anneal": anneal_folds,
        "optisplit": optisplit_folds,
        "iterative": iterative_folds,
        "iterative2": iterative2_folds,
        "sampling": sampling_folds,
        "pmbsrs": pmbsrs_folds,
        "random": random_folds,
    }
)


def stratified_folds(
    y: Any,
    parts: Any = 5,
    *,
    method: str = "anneal",
    groups: Any = None,
    fixed: Any = None,
    effort: float = 1.0,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> NDArray[np.int32]:
    """Divide rows into parts in which every class has its share.

    Parameters
    ----------
    y : array, sparse matrix, DataFrame or sequence of label sets
        Labels, in any form :func:`trueval.as_labels` takes.
    parts : int or sequence of numbers, default=5
        A number of equal parts; or shares such as ``[0.8, 0.1, 0.1]``, scaled to
        sum 1; or row counts that add up to the number of rows. Row counts that do
        not are shares too, with a warning.
    method : str, default="anneal"
        One of :data:`METHODS`.
    groups : array-like of shape (n_rows,), optional
        Rows of one group stay together ("anneal" and "random").
    fixed : array-like of int of shape (n_rows,), optional
        The part number of rows that are already assigned, −1 for free rows: grow
        a data set without reshuffling, or keep a given test set ("anneal").
    effort : float, default=1.0
        Factor on the time "anneal" may take; quality grows slowly with it.
    n_jobs : int, optional
        Threads, where a method can use them. Never changes the result.
    random_state : None, int, Generator or RandomState
    progress : callable, optional
        Called as ``progress(done, total)`` from time to time by the methods that
        can take long ("anneal", "optisplit", "sampling").
    **options
        The method's own options, such as ``measure="dcp"`` for "optisplit" or
        ``n_starts=4`` for "anneal". ``initial`` ("anneal", "optisplit") takes
        folds to start from, or the name of a method that makes them.

    Returns
    -------
    ndarray of int32 of shape (n_rows,)
        Part number of each row.

    Warns
    -----
    RareClassWarning
        Once, if some classes have fewer members than there are parts.
    UserWarning
        If ``parts`` look like row counts but do not add up to the rows.

    Examples
    --------
    >>> from trueval import stratified_folds, split_quality
    >>> from trueval.data import simulate
    >>> y = simulate.label_matrix(2000, 100, random_state=0)
    >>> folds = stratified_folds(y, 5, random_state=0)
    >>> quality = split_quality(y, folds)
    >>> quality.sizes
    array([400, 400, 400, 400, 400])
    >>> quality.rld_ratio < split_quality(
    ...     y, stratified_folds(y, 5, method="iterative", random_state=0)
    ... ).rld_ratio
    True

    Train, validation and test in one call:

    >>> import numpy as np
    >>> np.bincount(stratified_folds(y, [0.8, 0.1, 0.1], random_state=0))
    array([1600,  200,  200])
    """
    check_method(method)
    labels = as_labels(y)
    wanted = as_parts(parts, labels.n_rows)
    warn_of_rare_classes(labels, wanted.n_parts)
    given: dict[str, Any] = dict(options)
    if groups is not None:
        given["groups"] = groups
    if fixed is not None:
        given["fixed"] = fixed
    if effort != 1.0:
        given["effort"] = effort
    silent = {"n_jobs": n_jobs, "progress": progress}
    accepted = _options_of(METHODS[method])
    given |= {name: value for name, value in silent.items() if name in accepted}
    return folds_by_method(method, labels, wanted, random_state, given)


def folds_by_method(
    method: str, labels: Labels, parts: Parts, random_state: Any, options: dict[str, Any]
) -> NDArray[np.int32]:
    """Run a method on validated labels and parts, refusing options it does not take.

    Parameters
    ----------
    method : str
        One of :data:`METHODS`.
    labels : Labels
    parts : Parts
    random_state : None, int, Generator or RandomState
    options : dict
        What the method's function takes; ``initial`` may be folds or the name of
        a method.

    Returns
    -------
    ndarray of int32

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.labels import as_labels
    >>> from trueval.stratify.folds import folds_by_method
    >>> from trueval.stratify.parts import as_parts
    >>> labels = as_labels(np.eye(4, dtype=int))
    >>> np.bincount(folds_by_method("anneal", labels, as_parts(2, 4), 0, {}))
    array([2, 2])
    """
    function = METHODS[method]
    _refuse_unknown(method, options, _options_of(function))
    checked = dict(options)
    if checked.get("groups") is not None:
        checked["groups"] = group_numbers(checked["groups"], labels.n_rows)
    if checked.get("fixed") is not None:
        checked["fixed"] = _part_numbers("fixed", checked["fixed"], parts, lowest=-1)
    if checked.get("initial") is not None:
        checked["initial"] = _initial(checked, labels, parts, random_state)
    return function(labels, parts, random_state=random_state, **checked)


def check_method(method: Any, name: str = "method") -> None:
    """Refuse a method that does not exist.

    Parameters
    ----------
    method : str
    name : str
        What the parameter is called.

    Examples
    --------
    >>> from trueval.stratify.folds import check_method
    >>> check_method("anneal")
    """
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(
            f"The '{name}' parameter must be one of {list(METHODS)}. Got {method!r} instead."
        )


def _options_of(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY} - {"random_state"}


def _refuse_unknown(method: str, given: dict[str, Any], accepted: set[str]) -> None:
    for name in given:
        if name in accepted:
            continue
        others = [m for m, function in METHODS.items() if name in _options_of(function)]
        if others:
            raise ValueError(
                f"method {method!r} does not take {name!r}, which is for "
                f"{' and '.join(map(repr, others))}."
            )
        options = sorted(accepted)
        raise TypeError(
            f"stratified_folds got an unexpected option {name!r}; method {method!r} takes "
            f"{options or 'none'}."
        )


def warn_of_rare_classes(labels: Labels, n_parts: int) -> None:
    """Warn once, with their number, of classes that cannot be in every part.

    Parameters
    ----------
    labels : Labels
    n_parts : int

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.labels import as_labels
    >>> from trueval.stratify.folds import warn_of_rare_classes
    >>> warn_of_rare_classes(as_labels(np.ones((9, 2), dtype=int)), 3)
    """
    sizes = labels.class_sizes
    rare = int(((sizes > 0) & (sizes < n_parts)).sum())
    if rare:
        warn_user(
            f"{rare:,} of {labels.n_classes:,} classes have fewer members than the "
            f"{n_parts} parts, so some parts must lack them.",
            RareClassWarning,
        )


def _part_numbers(name: str, values: Any, parts: Parts, lowest: int) -> NDArray[np.int32]:
    numbers = np.asarray(values)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise InputError(
            f"{name} must be one integer for each row. Got shape {numbers.shape} of dtype "
            f"{numbers.dtype} instead."
        )
    if len(numbers) != parts.n_rows:
        raise InputError(f"{name} has {len(numbers)} entries but y has {parts.n_rows} rows.")
    bad = np.flatnonzero((numbers < lowest) | (numbers >= parts.n_parts))
    if len(bad):
        raise InputError(
            f"{name} has {numbers[bad[0]]} at row {bad[0]}; it must be "
            f"{'−1 (free) or ' if lowest < 0 else ''}a part number from 0 to {parts.n_parts - 1}."
        )
    return numbers.astype(np.int32)


def _initial(
    options: dict[str, Any], labels: Labels, parts: Parts, random_state: Any
) -> NDArray[np.int32]:
    initial = options["initial"]
    if isinstance(initial, str):
        check_method(initial, "initial")
        kept = {"groups", "fixed"} & _options_of(METHODS[initial]) & set(options)
        own = {name: options[name] for name in kept}
        return METHODS[initial](labels, parts, random_state=random_state, **own)
    return _part_numbers("initial", as_folds(initial, labels.n_rows), parts, lowest=0)
