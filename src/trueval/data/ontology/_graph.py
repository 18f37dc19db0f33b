"""Directed graphs of terms as plain arrays: order, cycles, closure, depth.

An edge goes from ``child[i]`` to ``parent[i]``. Nothing here knows of names.
"""

from collections import deque

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError

__all__ = ["MAX_CLOSURE", "ancestor_closure", "depths", "find_cycles", "parents_first"]

Ints = NDArray[np.int64]

MAX_CLOSURE = 200_000_000
"""Most ancestor pairs held; the Gene Ontology has about a million."""


def adjacency(child: Ints, parent: Ints, n: int) -> sp.csr_array:
    """Parents of each node, sorted, each once."""
    entries = (np.ones(len(child), dtype=bool), (child, parent))
    matrix = sp.csr_array(entries, shape=(n, n))
    matrix.sum_duplicates()
    matrix.sort_indices()
    return matrix


def find_cycles(child: Ints, parent: Ints, n: int) -> list[list[int]]:
    """Give one shortest cycle through the first node of each cyclic component.

    >>> import numpy as np
    >>> find_cycles(np.array([0, 1, 2, 3]), np.array([1, 2, 0, 0]), 4)
    [[0, 1, 2]]
    """
    from scipy.sparse.csgraph import connected_components  # slow to import, rarely needed

    graph = adjacency(child, parent, n)
    _, component = connected_components(graph, directed=True, connection="strong")
    size = np.bincount(component, minlength=1)
    cyclic = size[component] > 1
    cyclic[child[child == parent]] = True
    seen: set[int] = set()
    cycles = []
    for node in np.flatnonzero(cyclic).tolist():
        if int(component[node]) not in seen:
            seen.add(int(component[node]))
            cycles.append(_shortest_cycle(graph, node))
    return cycles


def _shortest_cycle(graph: sp.csr_array, start: int) -> list[int]:
    came_from: dict[int, int] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for parent in graph.indices[graph.indptr[node] : graph.indptr[node + 1]].tolist():
            if parent == start:
                path = [node]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return path[::-1]
            if parent not in came_from:
                came_from[parent] = node
                queue.append(parent)
    raise AssertionError("a node of a cyclic component lies on a cycle")


def parents_first(child: Ints, parent: Ints, n: int) -> list[int]:
    """Order the nodes of an acyclic graph so that parents come before children.

    >>> import numpy as np
    >>> parents_first(np.array([0, 1]), np.array([1, 2]), 3)
    [2, 1, 0]
    """
    children = adjacency(parent, child, n)
    waiting = np.bincount(children.indices, minlength=n).tolist()
    indptr, indices = children.indptr.tolist(), children.indices.tolist()
    order = [node for node in range(n) if waiting[node] == 0]
    # Invariant: every node of `order` has all its parents before it; `waiting`
    # counts the parents of a node that have not been visited.
    for node in order:
        for below in indices[indptr[node] : indptr[node + 1]]:
            waiting[below] -= 1
            if waiting[below] == 0:
                order.append(below)
    return order


def ancestor_closure(child: Ints, parent: Ints, n: int) -> sp.csr_array:
    """Ancestors of each node of an acyclic graph, the node itself included.

    >>> import numpy as np
    >>> ancestor_closure(np.array([0, 1]), np.array([1, 2]), 3).toarray().astype(int)
    array([[1, 1, 1],
           [0, 1, 1],
           [0, 0, 1]])
    """
    graph = adjacency(child, parent, n)
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    reached: list[Ints] = [np.empty(0, np.int64)] * n
    total = 0
    for node in parents_first(child, parent, n):
        above = indices[indptr[node] : indptr[node + 1]]
        sets = [reached[p] for p in above]
        if len(sets) == 1:
            # Stays sorted: one ancestor set and one node more.
            mine = np.insert(sets[0], np.searchsorted(sets[0], node), node)
        else:
            mine = np.unique(np.concatenate([[node], *sets])).astype(np.int64)
        reached[node] = mine
        total += len(mine)
        if total > MAX_CLOSURE:
            raise InputError(
                f"the ontology has more than {MAX_CLOSURE:,} pairs of term and ancestor. Real "
                "ontologies have about thirty ancestors a term; use fewer relations."
            )
    starts = np.concatenate([[0], np.cumsum([len(r) for r in reached])])
    flat = np.concatenate([*reached, np.empty(0, np.int64)]).astype(np.int64)
    return sp.csr_array((np.ones(len(flat), bool), flat, starts), shape=(n, n))


def depths(child: Ints, parent: Ints, n: int, *, longest: bool) -> Ints:
    """Steps from a root to each node of an acyclic graph.

    >>> import numpy as np
    >>> edges = np.array([0, 1, 0]), np.array([1, 2, 2])
    >>> depths(*edges, 3, longest=True), depths(*edges, 3, longest=False)
    (array([2, 1, 0]), array([1, 1, 0]))
    """
    graph = adjacency(child, parent, n)
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    best = max if longest else min
    depth = [0] * n
    for node in parents_first(child, parent, n):
        above = indices[indptr[node] : indptr[node + 1]]
        if above:
            depth[node] = 1 + best(depth[p] for p in above)
    return np.asarray(depth, dtype=np.int64)
