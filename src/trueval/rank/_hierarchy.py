"""The true-path rule: a parent is at least as likely as each of its children.

``make_consistent`` changes values as little as possible (least squares) so that one
threshold gives calls that never contain a class without its ancestors.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse as sp
from joblib import delayed
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from trueval import _kernels
from trueval.core.arrays import is_text
from trueval.core.errors import InputError, ParameterError, quote, warn_user
from trueval.core.named import listed
from trueval.core.params import BOOL, N_JOBS, Choice, constrained
from trueval.core.scores import as_scores
from trueval.core.sparse import freeze, read_only
from trueval.core.threads import n_workers, threads

__all__ = ["CHUNK", "Hierarchy", "apply_rule", "as_hierarchy", "make_consistent", "read_hierarchy"]

Float = NDArray[np.float64]
RULES = ("project", "max", "min")
CHUNK = 1 << 22  # values of sparse rows opened at a time
LARGE_GAP = 1e-6  # from which rounding is spoken of
FORMS = (
    "the hierarchy must be {child: parents}, (child, parent) pairs, or one whole parent number for "
    "each column, -1 for a root."
)


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Edges from child to parent between the columns of a matrix, checked for cycles."""

    # child, parent: the edges, a child's edges together
    child: NDArray[np.int32]
    parent: NDArray[np.int32]
    order: NDArray[np.int32]  # all columns, children before their parents
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

    @cached_property
    def ancestors(self) -> sp.csr_array:
        """Ancestors of each column, the column itself included, as a 0/1 matrix."""
        n, one = self.n_classes, np.ones(len(self.child))
        step = sp.csr_array((one, (self.child, self.parent)), shape=(n, n)) + sp.eye_array(n)
        reached = sp.csr_array(step)
        # Invariant: `reached` has the ancestors at most 2^i steps away after i rounds.
        while True:
            further = sp.csr_array(reached @ reached)
            further.data[:] = 1.0
            if further.nnz == reached.nnz:
                return freeze(further)
            reached = further

    def __deepcopy__(self, memo: Any) -> "Hierarchy":
        return self  # nothing of it changes, and scikit-learn's clone copies parameters

    def violation(self, values: Float) -> float:
        """Largest excess of a child over its parent."""
        if len(self.child) == 0:
            return 0.0
        return float(max((values[:, self.child] - values[:, self.parent]).max(initial=0.0), 0.0))


@constrained(rule=Choice(RULES), return_gap=BOOL, n_jobs=N_JOBS)
def make_consistent(
    values: Any,
    hierarchy: Any,
    *,
    rule: str = "project",
    classes: Any = None,
    return_gap: bool = False,
    n_jobs: int | None = None,
) -> Any:
    """Make values obey the true-path rule: parent ≥ child everywhere.

    Parameters
    ----------
    values : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        Comparable values, such as a ranker's; absent entries of a sparse matrix are 0.
    hierarchy : mapping, sequence of pairs, array or Ontology
        ``{child: parent}`` or ``{child: [parents]}``; or (child, parent) pairs; or one
        parent number for each column, −1 for a root. Columns by number, or by the
        names in ``classes`` or of a DataFrame. Of an :class:`~trueval.data.Ontology` the
        nearest ancestors that have a column are the parents.
    rule : {"project", "max", "min"}, default="project"
        The nearest consistent values by least squares; or raise every class to its
        highest descendant; or lower it to its lowest ancestor.
    classes : sequence, optional
        Names of the columns, where the hierarchy uses names; a DataFrame has its own.
    return_gap : bool, default=False
        Return a bound on the error of each object's projection, too.
    n_jobs : int, optional
        Threads over the objects.

    Returns
    -------
    values : ndarray, scipy.sparse.csr_array or DataFrame
        Consistent exactly, whatever the rule; a frame of the same kind and names for a frame.
    gap : ndarray of shape (n_rows,)
        Only with ``return_gap=True`` and ``rule="project"``: the squared distance to the
        given values is at most 1/(1 − gap) times the least possible.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If rounding leaves a gap above 10⁻⁶.

    Notes
    -----
    With at most one parent each (a forest) the projection is exact, by merging blocks in
    O(K log K) for an object (Pardalos and Xue 1999).

    With several parents it is exact, too, up to rounding. The multipliers of the edges
    are a flow from children to parents; a few sweeps of coordinate ascent (Hildreth 1957)
    start it, on the part of the graph that violations touch. Each group of classes tied by
    flow is then divided at a level: the classes whose projection lies above it are the
    closure of largest weight, which a maximum flow finds (Hochbaum and Queyranne 2003). A
    group that does not divide at its mean takes it. The gap is proven by weak duality
    from the flow that is left, whatever happened on the way.

    The projection lets parent and child meet halfway; ``"max"`` only raises values and
    ``"min"`` only lowers them, both in one pass.

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
    >>> dag = {"kinase": ["enzyme", "binder"]}
    >>> names = ["enzyme", "kinase", "binder"]
    >>> values, gap = make_consistent(values, dag, classes=names, return_gap=True)
    >>> values.round(6).tolist(), bool(gap[0] < 1e-12)
    ([[0.3, 0.3, 0.3]], True)
    """
    if return_gap and rule != "project":
        expected = f"left out with rule={rule!r}; only a projection has a gap"
        raise ParameterError("return_gap", expected, return_gap, "make_consistent")
    checked = as_scores(values)
    names = checked.names if classes is None else classes
    graph = read_hierarchy(hierarchy, checked.n_classes, names, optional=classes is None)
    if not checked.is_sparse:
        result = np.array(checked.matrix, dtype=np.float64, order="C")
        gap = apply_rule(result, graph, rule, n_jobs)
    else:
        rows = checked.matrix.tocsr()
        step = max(1, CHUNK // checked.n_classes)
        parts, gaps = [], []
        for i in range(0, checked.n_rows, step):
            dense = rows[i : i + step].toarray()
            gaps.append(apply_rule(dense, graph, rule, n_jobs))
            parts.append(sp.csr_array(dense))
        result, gap = sp.vstack(parts, format="csr"), np.concatenate(gaps)
    if (gap > LARGE_GAP).any():
        warn_user(
            f"rounding left {int((gap > LARGE_GAP).sum())} of {len(gap)} projections farther from "
            f"the nearest consistent values than needed, by up to {gap.max():.1e} of the squared "
            "distance; they are consistent. Values of very different sizes may be the cause.",
            ConvergenceWarning,
        )
    result = _like(values, result)
    return (result, gap) if return_gap else result


def _like(values: Any, result: Any) -> Any:
    """The result as a frame with the names of the given one, where that was a frame."""
    frame = nw.from_native(values, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        return result
    if hasattr(values, "iloc"):
        return type(values)(result, index=values.index, columns=values.columns)
    columns = dict(zip(frame.columns, result.T, strict=True))
    return nw.from_dict(columns, native_namespace=nw.get_native_namespace(frame)).to_native()


def apply_rule(values: Float, graph: Hierarchy, rule: str, n_jobs: int | None) -> Float:
    """One rule on rows of values, in place, in threads; returns the gap of each row."""
    if len(graph.child) == 0:
        return np.zeros(len(values))
    exact = rule == "project" and graph.is_forest

    def some(part: Float) -> Float:
        if exact:
            flat = _kernels.project_forest(part.ravel(), graph.order, graph.parents())
            part[:] = flat.reshape(part.shape)
            return np.zeros(len(part))
        return _kernels.consistent_rows(
            part.reshape(-1), graph.order, graph.child, graph.parent, RULES.index(rule)
        )

    n_parts = 1 if n_workers(n_jobs) == 1 else min(len(values), 64)
    parts = np.array_split(values, n_parts)
    return np.concatenate(threads(n_jobs, n_parts)(map(delayed(some), parts)))


def read_hierarchy(
    hierarchy: Any, n_classes: int, names: Any = None, *, optional: bool = True
) -> Hierarchy:
    """A hierarchy over columns that have names; ``optional`` ones yield to numbers."""
    if hasattr(hierarchy, "parent_edges"):  # an Ontology, whose terms are the names
        if names is None:
            raise InputError(
                "an ontology needs names of the classes, which the columns do not have.",
                fix="Give a DataFrame, or Scores or Labels with names.",
            )
        return as_hierarchy(hierarchy.parent_edges(names), n_classes, names)
    if isinstance(hierarchy, Iterator):  # read twice
        hierarchy = list(hierarchy)
    if optional and names is not None and _by_number(hierarchy):
        names = None
    return as_hierarchy(hierarchy, n_classes, None if names is None else list(names))


def as_hierarchy(hierarchy: Any, n_classes: int, classes: Any = None) -> Hierarchy:
    """Read a hierarchy over columns and refuse cycles.

    >>> from trueval.rank._hierarchy import as_hierarchy
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
    order = _order(child, parent, n_classes)
    return Hierarchy(read_only(child), read_only(parent), read_only(order), n_classes)


def _numbers(n_classes: int, classes: Any) -> Any:
    names = None
    if classes is not None:
        all_names = listed(classes, "classes")
        if len(all_names) != n_classes:
            raise InputError(
                f"classes has {len(all_names)} names but values has {n_classes} columns."
            )
        names = {name: k for k, name in enumerate(all_names)}
        if len(names) < n_classes:
            twice = next(name for k, name in enumerate(all_names) if names[name] != k)
            raise InputError(
                f"classes has {twice!r} more than once; each column needs a name of its own."
            )

    def number(name: Any) -> int:
        if names is not None and isinstance(name, Hashable) and name in names:
            return names[name]
        if names is None and isinstance(name, Integral) and 0 <= int(name) < n_classes:
            return int(name)
        where = "in classes" if names is not None else f"a column number from 0 to {n_classes - 1}"
        raise InputError(
            f"the hierarchy names {name!r}, which is not {where}.",
            fix="Leave out what has no column, joining its children to its parents.",
        )

    return number


def _by_number(hierarchy: Any) -> bool:
    """Whether the columns go by their numbers, as in all forms but those with names."""
    if isinstance(hierarchy, Hierarchy):
        return True
    keys = hierarchy if isinstance(hierarchy, Iterable) else []
    if not isinstance(hierarchy, Mapping):
        keys = [k[0] if isinstance(k, tuple | list | np.ndarray) and len(k) else k for k in keys]
    return all(isinstance(k, Integral) for k in keys)


def _edges(hierarchy: Any, n_classes: int) -> list[tuple[Any, Any]]:
    if isinstance(hierarchy, Mapping):
        edges = []
        for child, parents in hierarchy.items():
            many = isinstance(parents, list | tuple | set | frozenset | np.ndarray)
            edges += [(child, p) for p in (parents if many else [parents])]
        return edges
    if is_text(hierarchy) or not isinstance(hierarchy, Iterable):
        raise InputError(f"{FORMS} Got {quote(hierarchy)} instead.")
    entries = hierarchy if isinstance(hierarchy, np.ndarray) else list(hierarchy)
    if len(entries) and all(isinstance(p, Integral) for p in entries):
        if len(entries) != n_classes:
            raise InputError(
                f"the hierarchy has {len(entries)} parents but values has {n_classes} columns; "
                "give one parent for each column, -1 for a root."
            )
        return [(child, int(p)) for child, p in enumerate(entries) if p != -1]
    edges = []
    for edge in entries:
        pair = isinstance(edge, Sequence | np.ndarray) and not is_text(edge)
        if not pair or np.ndim(edge) != 1 or len(edge) != 2:
            raise InputError(f"{FORMS} Got {quote(edge)} in it instead.")
        edges.append((edge[0], edge[1]))
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
