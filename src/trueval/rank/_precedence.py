"""Orders of (object, class) pairs that obey a hierarchy and find most positives first."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import InputError
from trueval.core.labels import as_labels
from trueval.core.params import Interval, constrained
from trueval.core.scores import Scores, as_scores
from trueval.rank._hierarchy import CHUNK, Hierarchy, apply_rule, read_hierarchy

__all__ = ["hierarchical_fdr", "hierarchical_order", "hit_curve"]

Float = NDArray[np.float64]
Order = tuple[NDArray[np.int64], NDArray[np.int32]]


def hierarchical_order(values: Any, hierarchy: Any, *, classes: Any = None) -> Order:
    """Order all (object, class) pairs, ancestors first, so that positives come early.

    Of all orders that name no class of an object before its parents, the one with the largest
    area under the expected hit curve (CATCH, or eAUC): exactly, if no class has two parents.

    Parameters
    ----------
    values : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        P(class | scores), such as a ranker's values; pairs of value 0 in the consistent values
        of a sparse matrix are left out.
    hierarchy : Ontology, mapping, sequence of pairs, or array
        As :func:`make_consistent` takes it.
    classes : sequence, optional
        Names of the columns, where the hierarchy uses names; a DataFrame has its own.

    Returns
    -------
    rows, classes : ndarray of int
        The pairs, best first, by their numbers.

    See Also
    --------
    hit_curve : Positives among the first pairs.
    hierarchical_fdr : Where to stop.

    Notes
    -----
    The HierRank algorithm (Ye et al. 2022): the class to be named next is the one at the top of
    connected classes of largest mean value, over all classes whose parents were named. In
    scheduling it is known as Horn's rule, and the means are those of the projection of
    :func:`make_consistent`. With several parents the best order is hard to find; the groups of
    classes that the projection ties come in the right order then (Sidney 1975), and inside a
    group the class of largest value comes first that may.

    References
    ----------
    Ye, Ho, Jiang, Lee and Huang, "Ranking hierarchical multi-label classification results
    with mLPRs", arXiv:2205.07833. Horn, "Single-machine job sequencing with treelike
    precedence ordering and linear delay penalties", SIAM J. Appl. Math. 23 (1972).

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import hierarchical_order
    >>> values = np.array([[0.2, 0.9, 0.1], [0.5, 0.3, 0.4]])
    >>> rows, classes = hierarchical_order(values, [-1, 0, 0])
    >>> list(zip(rows.tolist(), classes.tolist()))
    [(0, 0), (0, 1), (1, 0), (1, 2), (1, 1), (0, 2)]
    """
    checked, graph = _read(values, hierarchy, classes)
    return _ordered(checked, graph)


def hit_curve(order: Any, y: Any) -> Float:
    """Positives among the first pairs of an order.

    Parameters
    ----------
    order : (rows, classes)
        Numbers of the pairs, as :func:`hierarchical_order` gives them.
    y : labels in any form :func:`trueval.as_labels` takes, or probabilities
        With probabilities, an array or sparse matrix of them, the curve is the expected one.

    Returns
    -------
    ndarray of shape (n_pairs + 1,)
        Entry i is the number of positives among the first i pairs. The sum is the area under
        the curve; that of the expected curve is the CATCH of the order.

    Examples
    --------
    >>> from trueval.rank import hit_curve
    >>> hit_curve(([0, 1, 0], [0, 0, 1]), [[1, 0], [1, 0]]).tolist()
    [0.0, 1.0, 2.0, 2.0]
    """
    rows, columns = (np.asarray(part) for part in order)
    numbers = isinstance(y, np.ndarray | Scores) or sp.issparse(y)
    matrix = as_scores(y).matrix if numbers else as_labels(y).matrix
    for what, part, n in (("row", rows, matrix.shape[0]), ("class", columns, matrix.shape[1])):
        if part.ndim != 1 or part.dtype.kind not in "iu" or len(rows) != len(columns):
            raise InputError("order must be two arrays of whole numbers, as long as each other.")
        if len(part) and not 0 <= part.min() <= part.max() < n:
            raise InputError(f"order has {what} {int(part.max())}, but y has {n}.")
    return np.concatenate([[0.0], np.cumsum(_at(matrix, rows, columns))])


@constrained(fdr=Interval(float, 0, 1, "neither"))
def hierarchical_fdr(
    values: Any, hierarchy: Any, *, fdr: float = 0.1, classes: Any = None
) -> sp.csr_array:
    """Predictions that obey the hierarchy with a given expected false discovery rate.

    The longest beginning of :func:`hierarchical_order` whose mean value is at least 1 − ``fdr``.

    Parameters
    ----------
    values : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        P(class | scores), in [0, 1].
    hierarchy : Ontology, mapping, sequence of pairs, or array
        As :func:`make_consistent` takes it.
    fdr : float, default=0.1
        Expected share of wrong predictions.
    classes : sequence, optional
        Names of the columns, where the hierarchy uses names; a DataFrame has its own.

    Returns
    -------
    scipy.sparse.csr_array of int32, shape (n_rows, n_classes)
        1 where the class is predicted; no class without its ancestors.

    See Also
    --------
    pick_threshold : Precision from labels, with a guarantee.

    Notes
    -----
    The rule of HierLPR (Ho et al. 2018), which is that of local false discovery rates. What is
    expected holds as far as the values are probabilities; for a promise by labels use
    :func:`pick_threshold`. On a forest no other consistent predictions of the
    same expected rate are more, but by less than the group of tied classes at the cut.

    References
    ----------
    Ho, Ye, Jiang, Lee and Huang, "HierLPR: Decision making in hierarchical multi-label
    classification with local precision rates", arXiv:1810.07954.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import hierarchical_fdr
    >>> values = np.array([[0.7, 0.95, 0.1], [0.9, 0.3, 0.4]])
    >>> hierarchical_fdr(values, [-1, 0, 0], fdr=0.2).toarray()
    array([[1, 1, 0],
           [1, 0, 0]], dtype=int32)
    """
    checked, graph = _read(values, hierarchy, classes)
    low, high = (float(end) for end in (checked.matrix.min(), checked.matrix.max()))
    if low < 0 or high > 1:
        raise InputError(
            f"values must be probabilities; they go from {low:.4g} to {high:.4g}.",
            fix="Give the values of a ranker, such as PrecisionRanker().",
        )
    rows, columns = _ordered(checked, graph)
    total = np.cumsum(_at(checked.matrix, rows, columns))
    enough = np.flatnonzero(total >= (1.0 - fdr) * np.arange(1, len(total) + 1))
    n = int(enough[-1]) + 1 if len(enough) else 0
    ones = np.ones(n, dtype=np.int32)
    return sp.csr_array((ones, (rows[:n], columns[:n])), shape=checked.shape)


def _read(values: Any, hierarchy: Any, classes: Any) -> tuple[Scores, Hierarchy]:
    checked = as_scores(values)
    names = checked.names if classes is None else classes
    return checked, read_hierarchy(hierarchy, checked.n_classes, names, optional=classes is None)


def _ordered(values: Scores, graph: Hierarchy) -> Order:
    """Order of all pairs: within each object, then over objects by the projection."""
    step = max(1, CHUNK // values.n_classes)
    parts = []
    for i in range(0, values.n_rows, step):
        part = values.matrix[i : i + step]
        dense = np.ascontiguousarray(part.toarray() if values.is_sparse else part)
        tied = dense.copy()
        apply_rule(tied, graph, "project", None)
        second = dense.ravel()
        if graph.is_forest:
            second = _kernels.best_means(second, graph.order, graph.parents())
        order = _kernels.precedence_order(
            tied.ravel(), second, graph.child, graph.parent, values.n_classes
        )
        rows = np.repeat(np.arange(i, i + len(dense)), values.n_classes)
        level = tied[rows - i, order]
        some = level > 0 if values.is_sparse else slice(None)
        parts.append((rows[some], order[some], level[some]))
    rows, columns, level = (np.concatenate(column) for column in zip(*parts, strict=True))
    # Levels fall along the order of an object, so a stable sort keeps ancestors first.
    by_level = np.argsort(-level, kind="stable")
    return rows[by_level], columns[by_level]


def _at(matrix: Any, rows: NDArray[Any], columns: NDArray[Any]) -> Float:
    entries = matrix[rows, columns]
    return np.asarray(entries, dtype=np.float64).ravel()
