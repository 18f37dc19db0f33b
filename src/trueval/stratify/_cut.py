"""Divide components of similar items that are too large for a part.

Two ways. *Cut* gives every item a part with as little similarity between parts as possible: items
are joined to clusters, these to larger ones, the largest are placed, and on the way back every
level is improved (label propagation under the sizes of the parts). *Drop* starts there, leaves out
items until no edge is between parts, and then searches for fewer: an item that is out may return
if those of its neighbours that are in other parts go instead.

A pass takes time in proportion to the edges; there are some tens of them.
"""

import heapq
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.random import draw_seed
from trueval.core.sparse import without_diagonal

__all__ = ["Network", "cut_parts", "separated_parts"]

_COARSE = 60  # clusters for each part at which they are placed
_CLUSTER = 0.02  # largest cluster, of the smallest part
_ROUNDS = 3  # sweeps of label propagation at a level
_HOT, _COLD = 0.7, 0.12  # temperatures of the search, in prices of a typical item
_PASSES, _SMALL_PASSES, _SMALL_WORK = 1, 4000, 4e7  # passes over the edges; more on small graphs
_LONG = 500  # passes from which a search also makes room
_STARTS, _START_PASSES = 4, 10  # starts at most; passes that each is worth


@dataclass(frozen=True, eq=False)
class Network:
    """Items that may be similar."""

    matrix: sp.csr_array  # symmetric similarities of items
    size: NDArray[np.int64]  # rows of each item
    price: NDArray[np.float64]  # what it costs to leave the item out
    fixed: NDArray[np.int32]  # part of the item, −1 where it is free

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Pointers, neighbours and weights as the kernels take them."""
        m = self.matrix
        return m.indptr.astype(np.int64), m.indices.astype(np.int32, copy=False), m.data

    @property
    def pinned(self) -> NDArray[np.uint8]:
        """Which items have a part already."""
        return (self.fixed >= 0).astype(np.uint8)

    def take(self, items: NDArray[np.intp]) -> "Network":
        """Some items, in order, with all of their neighbours."""
        number = np.full(len(self.size), -1, np.int32)
        number[items] = np.arange(len(items), dtype=np.int32)
        rows = self.matrix[items]
        # Pointers as short as the indices, where they can be: SciPy makes both of one type.
        pointers = rows.indptr.astype(np.int32 if rows.nnz < 2**31 else np.int64)
        parts = (rows.data, number[rows.indices], pointers)
        matrix = sp.csr_array(parts, shape=(len(items), len(items)))
        return Network(matrix, self.size[items], self.price[items], self.fixed[items])

    def joined(self, cluster: NDArray[np.int64], n_clusters: int) -> "Network":
        """Clusters as items; the similarity of two is that of all their items together."""
        n = len(cluster)
        of_cluster = sp.csr_array((np.ones(n), (cluster, np.arange(n))), shape=(n_clusters, n))
        matrix = without_diagonal(sp.csr_array(of_cluster @ self.matrix @ of_cluster.T))
        matrix.eliminate_zeros()
        fixed = np.full(n_clusters, -1, np.int32)
        np.maximum.at(fixed, cluster, self.fixed)
        size = np.bincount(cluster, self.size, n_clusters).astype(np.int64)
        price = np.bincount(cluster, self.price, n_clusters).astype(np.float64)
        return Network(matrix, size, price, fixed)


def cut_parts(
    network: Network, capacity: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int32]:
    """Part of each item, with little similarity between parts."""
    n, k = len(network.size), len(capacity)
    smallest = int(capacity[capacity > 0].min(initial=capacity.max()))
    limit = max(int(_CLUSTER * smallest), int(network.size.max(initial=1)), 2)
    if n > _COARSE * k:
        label = np.arange(n, dtype=np.int32)
        limits = np.full(n, limit, np.int64)
        _propagate(network, limits, label, generator)
        _, cluster = np.unique(label, return_inverse=True)
        n_clusters = int(cluster.max()) + 1
        if n_clusters < 0.9 * n:
            part = cut_parts(network.joined(cluster, n_clusters), capacity, generator)[cluster]
            _make_room(network, capacity, part)
            _propagate(network, capacity, part, generator)
            return part
    part = _grown(network, capacity)
    _propagate(network, capacity, part, generator)
    return part


def separated_parts(
    network: Network, capacity: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int32]:
    """Part of each item, −1 for those left out; no edge is between two parts."""
    nnz = network.matrix.nnz
    work = max(_PASSES * nnz, min(_SMALL_PASSES * nnz, _SMALL_WORK))
    n_starts = int(np.clip(work / (_START_PASSES * max(nnz, 1)), 1, _STARTS))
    typical = float(np.median(network.price[network.price > 0])) if network.price.any() else 1.0
    best, least = np.zeros(0, np.int32), np.inf
    for number in range(n_starts):
        part = cut_parts(network, _fewer_parts(network, capacity, number), generator)
        price = _kernels.separate(
            *network.arrays,
            network.size,
            network.price,
            network.pinned,
            capacity,
            part,
            _HOT * typical,
            _COLD * typical,
            int(work / n_starts),
            work >= _LONG * n_starts * nnz,
            draw_seed(generator),
        )
        if price < least:
            best, least = part, price
    return best


def _fewer_parts(network: Network, capacity: NDArray[np.int64], spare: int) -> NDArray[np.int64]:
    """Capacity in the largest parts that hold all items, and in some to spare; 0 in the others.

    The fewer the parts, the fewer the edges between them.
    """
    order = np.argsort(-capacity, kind="stable")
    needed = int(np.searchsorted(np.cumsum(capacity[order]), network.size.sum())) + 1 + spare
    used = np.zeros(len(capacity), dtype=bool)
    used[order[:needed]] = used[network.fixed[network.fixed >= 0]] = True
    return np.where(used, capacity, 0)


def _propagate(
    network: Network,
    capacity: NDArray[np.int64],
    label: NDArray[np.int32],
    generator: np.random.Generator,
) -> None:
    """Move items to labels they are similar to, in place."""
    load = np.bincount(label, network.size, len(capacity)).astype(np.int64)
    _kernels.propagate(
        *network.arrays,
        network.size,
        network.pinned,
        capacity,
        load,
        label,
        _ROUNDS,
        draw_seed(generator),
    )


def _grown(network: Network, capacity: NDArray[np.int64]) -> NDArray[np.int32]:
    """Fill one part after the other with the items most similar to what it has."""
    n, k = len(network.size), len(capacity)
    part = network.fixed.copy()
    load = np.bincount(part[part >= 0], network.size[part >= 0], k)
    wanted = capacity * (network.size.sum() / capacity.sum())
    matrix = network.matrix
    by_size = np.argsort(-network.size, kind="stable")
    for j in np.argsort(-capacity, kind="stable").tolist():
        pull = np.zeros(n)
        for item in np.flatnonzero(part == j).tolist():
            _add_pull(matrix, item, pull)
        heap = [(-pull[i], int(i)) for i in np.flatnonzero(pull > 0)]
        heapq.heapify(heap)
        seeds = iter(by_size.tolist())
        while load[j] < wanted[j]:
            item = heapq.heappop(heap)[1] if heap else next(seeds, -1)
            if item < 0:
                break
            if part[item] >= 0 or load[j] + network.size[item] > capacity[j]:
                continue
            part[item] = j
            load[j] += network.size[item]
            for i in _add_pull(matrix, item, pull):
                heapq.heappush(heap, (-pull[i], int(i)))
    for item in by_size[part[by_size] < 0]:
        j = int(np.argmax(capacity - load))
        part[item] = j
        load[j] += network.size[item]
    return part


def _add_pull(matrix: sp.csr_array, item: int, pull: NDArray[np.float64]) -> NDArray[np.int32]:
    """Count the similarity to one more item; gives its neighbours."""
    span = slice(matrix.indptr[item], matrix.indptr[item + 1])
    pull[matrix.indices[span]] += matrix.data[span]
    neighbours: NDArray[np.int32] = matrix.indices[span]
    return neighbours


def _make_room(network: Network, capacity: NDArray[np.int64], part: NDArray[np.int32]) -> None:
    """Move the least connected items out of parts that hold too much, in place."""
    load = np.bincount(part, network.size, len(capacity))
    for j in np.flatnonzero(load > capacity):
        mine = np.flatnonzero((part == j) & (network.fixed < 0))
        inside = network.matrix[mine] @ (part == j)
        for item in mine[np.argsort(inside, kind="stable")]:
            to = int(np.argmax(capacity - load))
            if load[j] <= capacity[j] or load[to] + network.size[item] > capacity[to]:
                break
            part[item] = to
            load[j] -= network.size[item]
            load[to] += network.size[item]
