"""The true-path rule: a parent is at least as likely as each of its children.

``make_consistent`` changes values as little as possible (least squares) so that one
threshold gives calls that never contain a class without its ancestors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.errors import InputError
from trueval.rank.scores import as_scores

__all__ = ["Hierarchy", "as_hierarchy", "make_consistent"]

Float = NDArray[np.float64]
RULES = ("project", "max", "min")
CHUNK = 1 << 22  # values of sparse rows opened at a time


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Edges from child to parent between the columns of a matrix, checked for cycles.

    Attributes
    ----------
    child, parent : ndarray of int32
        The edges, a child's edges together.
    order : ndarray of int32
        All columns, children before their parents.
    n_classes : int
    """

    child: NDArray[np.int32]
    parent: NDArray[np.int32]
    order: NDArray[np.int32]
    n_classes: int

    @property
    def is_forest(self) -> bool:
        """Whether no column has more than one parent."""
        return len(np.unique(self.child)) == len(self.child)

    def parents(self) -> NDArray[np.int32]:
        """Parent of each column of a forest, −1 for none."""
        parent = np.full(self.n_classes, -1, dtype=np.int32)
        parent[self.child] = self.parent
        return parent

    def upward(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Edges (child, parent) from the bottom up."""
        place = np.empty(self.n_classes, dtype=np.int64)
        place[self.order] = np.arange(self.n_classes)
        edges = np.argsort(place[self.child], kind="stable")
        return self.child[edges], self.parent[edges]

    def violation(self, values: Float) -> float:
        """Largest excess of a child over its parent."""
        if len(self.child) == 0:
            return 0.0
        return float(max((values[:, self.child] - values[:, self.parent]).max(initial=0.0), 0.0))


def make_consistent(
    values: Any,
    hierarchy: Any,
    *,
    rule: str = "project",
    classes: Any = None,
    tol: float = 1e-4,
    max_iter: int = 200,
) -> Any:
    """Make values obey the true-path rule: parent ≥ child everywhere.

    Parameters
    ----------
    values : array or sparse matrix of shape (n_rows, n_classes)
        Comparable values, such as a ranker's; absent entries of a sparse matrix are 0.
    hierarchy : mapping, sequence of pairs, or array
        ``{child: parent}`` or ``{child: [parents]}``; or (child, parent) pairs; or one
        parent number for each column, −1 for a root. Columns by number, or by the
        names in ``classes``.
    rule : {"project", "max", "min"}, default="project"
        The nearest consistent values by least squares; or raise every class to its
        highest descendant; or lower it to its lowest ancestor.
    classes : sequence, optional
        Names of the columns, where the hierarchy uses names.
    tol : float, default=1e-4
        With several parents: largest change in a sweep at which the projection stops.
    max_iter : int, default=200
        With several parents: most sweeps for one object.

    Returns
    -------
    ndarray or scipy.sparse.csr_array
        Consistent exactly, whatever the rule.

    Notes
    -----
    With at most one parent each (a forest) the projection is exact, by merging blocks in
    O(K log K) for an object (Pardalos and Xue 1999). With several parents it is found by
    ascent on the multipliers of the edges (Hildreth 1957), which converges to the
    projection; a sweep costs O(edges). When a sweep changes nothing by more than ``tol``,
    or after ``max_iter`` sweeps, what violations are left are removed by raising
    parents. The projection lets parent and child meet halfway; ``"max"`` only raises
    values and ``"min"`` only lowers them, both in one pass.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import make_consistent
    >>> values = np.array([[0.2, 0.6, 0.1]])
    >>> tree = {"kinase": "enzyme", "ligase": "enzyme"}
    >>> names = ["enzyme", "kinase", "ligase"]
    >>> make_consistent(values, tree, classes=names)
    array([[0.4, 0.4, 0.1]])
    >>> make_consistent(values, tree, classes=names, rule="max")
    array([[0.6, 0.6, 0.1]])
    >>> make_consistent(values, tree, classes=names, rule="min")
    array([[0.2, 0.2, 0.1]])
    """
    if rule not in RULES:
        raise ValueError(
            f"The 'rule' parameter of make_consistent must be one of {set(RULES)}. "
            f"Got {rule!r} instead."
        )
    if not tol > 0 or not isinstance(max_iter, Integral) or max_iter < 1:
        raise ValueError(
            "The 'tol' parameter of make_consistent must be positive and 'max_iter' an int of at "
            f"least 1. Got {tol!r} and {max_iter!r} instead."
        )
    checked = as_scores(values)
    graph = as_hierarchy(hierarchy, checked.n_classes, classes)

    def work(dense: Float) -> Float:
        if rule == "max":
            return _raise(dense.copy(), graph)
        if rule == "min":
            return _lower(dense.copy(), graph)
        return _project(dense, graph, tol, int(max_iter))

    if not checked.is_sparse:
        return work(np.ascontiguousarray(checked.matrix))
    rows = checked.matrix.tocsr()
    step = max(1, CHUNK // checked.n_classes)
    parts = [
        sp.csr_array(work(rows[i : i + step].toarray())) for i in range(0, checked.n_rows, step)
    ]
    return sp.vstack(parts, format="csr")


def as_hierarchy(hierarchy: Any, n_classes: int, classes: Any = None) -> Hierarchy:
    """Read a hierarchy over columns and refuse cycles.

    Parameters
    ----------
    hierarchy : Hierarchy, mapping, sequence of pairs, or array
        As in :func:`make_consistent`.
    n_classes : int
        Number of columns.
    classes : sequence, optional
        Names of the columns.

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> from trueval.rank.hierarchy import as_hierarchy
    >>> as_hierarchy([-1, 0, 0, 1], 4).order.tolist()
    [3, 1, 2, 0]
    """
    if isinstance(hierarchy, Hierarchy):
        if hierarchy.n_classes != n_classes:
            raise InputError(
                f"the hierarchy has {hierarchy.n_classes} classes but values has {n_classes}."
            )
        return hierarchy
    number = _numbers(n_classes, classes)
    edges = _edges(hierarchy, n_classes)
    child = np.array([number(c) for c, _ in edges], dtype=np.int32)
    parent = np.array([number(p) for _, p in edges], dtype=np.int32)
    if len(edges):
        both = np.unique(np.stack([child, parent], axis=1), axis=0)
        child, parent = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
    return Hierarchy(child, parent, _order(child, parent, n_classes), n_classes)


def _numbers(n_classes: int, classes: Any) -> Any:
    names = None
    if classes is not None:
        names = {name: k for k, name in enumerate(classes)}
        if len(classes) != n_classes:
            raise InputError(
                f"classes has {len(classes)} names but values has {n_classes} columns."
            )

    def number(name: Any) -> int:
        if names is not None and name in names:
            return names[name]
        if names is None and isinstance(name, Integral) and 0 <= int(name) < n_classes:
            return int(name)
        where = "in classes" if names is not None else f"a column number from 0 to {n_classes - 1}"
        raise InputError(
            f"the hierarchy names {name!r}, which is not {where}. Leave out what has no column, "
            "joining its children to its parents."
        )

    return number


def _edges(hierarchy: Any, n_classes: int) -> list[tuple[Any, Any]]:
    if isinstance(hierarchy, Mapping):
        edges = []
        for child, parents in hierarchy.items():
            many = isinstance(parents, list | tuple | set | frozenset | np.ndarray)
            edges += [(child, p) for p in (parents if many else [parents])]
        return edges
    given = hierarchy if isinstance(hierarchy, np.ndarray) else list(hierarchy)
    if len(given) and all(isinstance(p, Integral) for p in given):
        if len(given) != n_classes:
            raise InputError(
                f"the hierarchy has {len(given)} parents but values has {n_classes} columns; give "
                "one parent for each column, -1 for a root."
            )
        return [(child, int(p)) for child, p in enumerate(given) if p != -1]
    edges = [tuple(edge) for edge in given]
    if any(len(edge) != 2 for edge in edges):
        raise InputError(
            "the hierarchy must be {child: parents}, (child, parent) pairs, or one parent number "
            "for each column."
        )
    return edges


def _order(child: NDArray[np.int32], parent: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    """Children before parents, by taking away columns without children left."""
    waiting = np.bincount(parent, minlength=n)
    start = np.searchsorted(child, np.arange(n + 1))
    ready = [int(k) for k in np.flatnonzero(waiting == 0)]
    order = np.empty(n, dtype=np.int32)
    done = 0
    # Invariant: order[:done] have all their children before them; `ready` holds the
    # other columns whose children are all in it.
    while ready:
        k = ready.pop()
        order[done] = k
        done += 1
        for p in parent[start[k] : start[k + 1]]:
            waiting[p] -= 1
            if waiting[p] == 0:
                ready.append(int(p))
    if done < n:
        stuck = int(np.flatnonzero(waiting > 0)[0])
        raise InputError(f"the hierarchy has a cycle, through or above column {stuck}.")
    return order


def _raise(values: Float, graph: Hierarchy) -> Float:
    """Every class to its highest descendant, in place."""
    start = np.searchsorted(graph.child, np.arange(graph.n_classes + 1))
    for k in graph.order:
        for p in graph.parent[start[k] : start[k + 1]]:
            np.maximum(values[:, p], values[:, k], out=values[:, p])
    return values


def _lower(values: Float, graph: Hierarchy) -> Float:
    """Every class to its lowest ancestor, in place."""
    start = np.searchsorted(graph.child, np.arange(graph.n_classes + 1))
    for k in graph.order[::-1]:
        for p in graph.parent[start[k] : start[k + 1]]:
            np.minimum(values[:, k], values[:, p], out=values[:, k])
    return values


def _project(values: Float, graph: Hierarchy, tol: float, max_iter: int) -> Float:
    """Least squares: exact on a forest, else by dual ascent over the edges."""
    if len(graph.child) == 0:
        return values.copy()
    if graph.is_forest:
        return _on_forest(values, graph.order, graph.parents())
    result = np.array(values, dtype=np.float64)
    wrong = np.flatnonzero(_worst(result, graph) > 0)
    open_rows = np.ascontiguousarray(result[wrong])
    _kernels.project_edges(open_rows.ravel(), graph.n_classes, *graph.upward(), tol, max_iter)
    result[wrong] = open_rows
    return _raise(result, graph)


def _worst(values: Float, graph: Hierarchy) -> Float:
    """Largest excess of a child over a parent, object by object."""
    return (values[:, graph.child] - values[:, graph.parent]).max(axis=1, initial=0.0)


def _on_forest(values: Float, order: NDArray[np.int32], parent: NDArray[np.int32]) -> Float:
    flat = _kernels.project_forest(np.ascontiguousarray(values).ravel(), order, parent)
    return flat.reshape(values.shape)
