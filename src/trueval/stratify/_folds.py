"""``stratified_folds``: one function in front of all methods."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputWarning, ParameterError, RareClassWarning, warn_user
from trueval.core.labels import Labels, as_labels
from trueval.core.params import (
    BOOL,
    NONE,
    Choice,
    Interval,
    constrained,
)
from trueval.core.similarity import as_similarity
from trueval.stratify._inputs import METHOD
from trueval.stratify._methods import METHODS, methods_that_take
from trueval.stratify._parts import PARTS, Parts, as_parts
from trueval.stratify._similar import LEAK_OPTIONS, LeakOptions, similar_folds

__all__ = ["folds_by_method", "stratified_folds", "warn_of_rare_classes"]


@constrained(
    parts=PARTS,
    method=METHOD,
    effort=(Interval(float, 0), Choice(("best",))),
    seconds=(NONE, Interval(float, 0, closed="right")),
    cover=BOOL,
    **LEAK_OPTIONS,
)
def stratified_folds(
    y: Any,
    parts: Any = 5,
    *,
    method: str = "anneal",
    groups: Any = None,
    fixed: Any = None,
    similarity: Any = None,
    threshold: float | None = None,
    oversized: str = "drop",
    tolerance: float = 0.05,
    row_weight: Any = None,
    cut_weight: float | None = None,
    effort: float | str = 1.0,
    seconds: float | None = None,
    cover: bool = False,
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
    similarity : Similarity, sparse matrix or list of edges, optional
        Similar rows: a :class:`~trueval.data.Similarity`, a sparse symmetric matrix, or an array
        with the columns row, row and similarity ("anneal" and "random"). Rows that edges connect
        stay together, so no similar rows are in different parts.
    threshold : float, optional
        Least similarity of an edge that counts; all edges count if not given.
    oversized : {"drop", "cut"}, default="drop"
        What happens to a component of similar rows that fits into no part: "drop" leaves out few
        rows, which get part −1, so that what remains fits; "cut" keeps all rows and leaves
        edges with little similarity between parts.
    tolerance : float, default=0.05
        How much larger than wanted a part may be before a component does not fit.
    row_weight : array-like of shape (n_rows,), optional
        What it costs to leave out each row; 1 if not given.
    cut_weight : float, optional
        Rows that are similar need not stay together: "anneal" lowers the mean rLD plus this times
        the share of the similarity (of edges that count) that is between parts. No row is left out.
    effort : float or "best", default=1.0
        Factor on the work of "anneal"; quality grows slowly with it. "best" searches
        until no class can be divided better, two rounds in a row bring nothing new or
        the time is over.
    seconds : float, optional
        Time limit of "anneal"; 60 for effort "best". With a time limit the folds depend
        on the speed of the machine as well as on the seed, and Ctrl-C ends the search
        with the best folds so far and a warning.
    cover : bool, default=False
        Whether a part gets at least one positive of every class with enough of them,
        even if its share is less than one ("anneal"). Class shares deviate more then.
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
        Part number of each row; −1 for rows that ``similarity`` leaves out.

    Warns
    -----
    InputWarning
        If rows are left out, components of similar rows do not allow the wanted sizes, or a
        part has no rows.
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

    Rows 0 and 1 are alike, and so are 1 and 2:

    >>> edges = [(0, 1, 0.9), (1, 2, 0.5), (3, 4, 0.1)]
    >>> folds = stratified_folds(y, 5, similarity=edges, threshold=0.3, random_state=0)
    >>> len(set(folds[:3]))
    1
    """
    labels = as_labels(y)
    wanted = as_parts(parts, labels.n_rows)
    warn_of_rare_classes(labels.class_sizes, wanted.n_parts)
    if groups is not None:
        options["groups"] = groups
    if fixed is not None:
        options["fixed"] = fixed
    if effort != 1.0:
        options["effort"] = effort
    if seconds is not None:
        options["seconds"] = seconds
    if cover:
        options["cover"] = cover
    # Methods that use one thread, or little time, need not know of these.
    silent = {"n_jobs": n_jobs, "progress": progress}
    options |= {name: silent[name] for name in silent if name in METHODS[method].takes}
    leak = LeakOptions(threshold, oversized, tolerance, cut_weight, row_weight)
    if similarity is not None:
        graph = as_similarity(similarity, labels.n_rows, labels.index)
        check_options(method, options)
        return similar_folds(labels, wanted, graph, leak, method, random_state, options)
    if leak != LeakOptions():
        raise ParameterError("similarity", "given where threshold or its other options are", None)
    return folds_by_method(method, labels, wanted, random_state, options)


def folds_by_method(
    method: str, labels: Labels, parts: Parts, random_state: Any, options: dict[str, Any]
) -> NDArray[np.int32]:
    """Run a method on validated labels and parts, refusing options it does not take."""
    check_options(method, options)
    folds: NDArray[np.int32] = METHODS[method](labels, parts, random_state=random_state, **options)
    empty = np.flatnonzero(np.bincount(folds[folds >= 0], minlength=parts.n_parts) == 0)
    if len(empty):
        warn_user(
            f"part {empty[0]} has no rows ({len(empty):,} of {parts.n_parts:,} parts are empty)"
            + (": the fixed rows leave too few free ones." if "fixed" in options else "."),
            InputWarning,
        )
    return folds


def check_options(method: str, options: dict[str, Any]) -> None:
    """Refuse options that the method does not take."""
    takes = METHODS[method].takes
    for name in options:
        if name in takes:
            continue
        others = methods_that_take(name)
        if others:
            raise ValueError(
                f"method {method!r} does not take {name!r}, which is for "
                f"{' and '.join(map(repr, others))}."
            )
        raise TypeError(
            f"stratified_folds got an unexpected option {name!r}; method {method!r} takes "
            f"{sorted(takes) or 'none'}."
        )


def warn_of_rare_classes(sizes: NDArray[np.int64], n_parts: int) -> None:
    """Warn once, with their number, of classes of these sizes that cannot be in every part."""
    rare = int(((sizes > 0) & (sizes < n_parts)).sum())
    if rare:
        warn_user(
            f"{rare:,} of {len(sizes):,} classes have fewer members than the "
            f"{n_parts} parts, so some parts must lack them.",
            RareClassWarning,
        )
