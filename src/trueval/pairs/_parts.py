"""Objects into parts: equal numbers of objects, of pairs and of positives."""

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.arrays import as_binary, is_binary
from trueval.core.errors import Fix, InputError
from trueval.core.ids import PairIndex
from trueval.core.random import draw_seed

__all__ = ["object_parts"]

_SWEEPS, _TRIES = 30, 8
_HOT, _COLD = 3.0, 0.15  # temperatures of annealing, in prices of a pair inside a part
_ANNEAL_WORK, _ANNEAL_SWEEPS = 4e8, (30, 10_000)  # visits to pairs; fewest and most sweeps


def object_parts(
    index: PairIndex,
    shares: NDArray[np.float64],
    generator: np.random.Generator,
    *,
    y: Any = None,
    clusters: NDArray[np.int64] | None = None,
    weights: Any = None,
    balance: str = "degrees",
    stratify: bool = False,
) -> NDArray[np.int32]:
    """Part number of each object.

    ``shares`` add up to 1. Positives of ``y`` are balanced when it is binary, rows by
    ``weights``; ``clusters`` (a number for each object) stay together; ``balance="objects"``
    keeps the random start, the paper's parts; ``stratify`` also balances positives and
    negatives among the pairs inside each part.

    Without clusters every part gets its share of the objects of each kind, to one
    object. From a random start, objects are then exchanged between parts: with "degrees" while
    that brings the parts closer to equal numbers of pairs and of positives, with "pairs" by
    annealing, to many pairs inside every part, positives and negatives in proportion.
    """
    item, first_of_kind = _items(index, clusters)
    n_items = int(first_of_kind[-1])
    _check_numbers(first_of_kind, len(shares), "objects" if clusters is None else "clusters")
    size = np.bincount(item, minlength=n_items).astype(np.float64)
    part = _random_start(size, first_of_kind, shares, generator)
    if balance == "pairs" and stratify:
        raise InputError(
            "balance='pairs' balances the classes inside every part already.",
            fix=Fix("Use it with {}.", "stratify", False),
        )
    if balance == "objects" and not stratify:
        return part[item]

    row_items = item[index.codes]
    weight = np.ones(index.n_rows) if weights is None else _as_weights(weights, index.n_rows)
    positive = np.zeros(index.n_rows, dtype=bool)
    if stratify:
        if y is None:
            raise InputError("stratify=True needs y, the labels of the pairs, in split(X, y, …).")
        positive = as_binary(y)
    elif y is not None and is_binary(y):
        positive = as_binary(y)
    touch = _incidence(row_items, n_items)
    spread = balance == "degrees"
    degree = touch @ weight if spread else np.zeros(n_items)
    carried = touch @ (weight * positive) if spread else np.zeros(n_items)
    keep, sweeps = balance == "pairs", _SWEEPS
    if keep:
        sweeps = int(np.clip(_ANNEAL_WORK / (4 * touch.nnz), *_ANNEAL_SWEEPS))
    _kernels.balance_parts(
        touch.indptr.astype(np.int64),
        touch.indices.astype(np.int32),
        np.ascontiguousarray(row_items, dtype=np.int32).reshape(-1),
        weight,
        positive.astype(np.uint8),
        first_of_kind,
        size,
        degree,
        carried,
        np.asarray(shares, dtype=np.float64),
        stratify,
        keep,
        bool((size != size[0]).any()),
        sweeps,
        _TRIES,
        _HOT * _unevenness(touch, first_of_kind) if keep else _HOT,
        _COLD,
        draw_seed(generator),
        part,
    )
    return part[item]


def _check_numbers(first_of_kind: NDArray[np.int64], n_parts: int, what: str) -> None:
    """Refuse more parts than objects or clusters of a kind."""
    for kind, n_objects in enumerate(np.diff(first_of_kind).tolist()):
        if n_objects < n_parts:
            side = f" of kind {kind}" if len(first_of_kind) > 2 else ""
            fix = Fix("Use {} or fewer.", "n_splits", n_objects)
            raise InputError(
                f"there are {n_objects} {what}{side} but {n_parts} parts; at least 2 are needed.",
                fix=fix if n_objects > 1 else None,
            )


def _items(
    index: PairIndex, clusters: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Item (object or cluster) of each object, numbered kind after kind."""
    if clusters is None:
        return np.arange(index.n_objects), index.first_of_kind
    item = np.empty(index.n_objects, dtype=np.int64)
    first = [0]
    for kind in range(index.n_kinds):
        of_kind = index.kind == kind
        item[of_kind] = np.unique(clusters[of_kind], return_inverse=True)[1].reshape(-1) + first[-1]
        first.append(int(item[of_kind].max()) + 1)
    return item, np.asarray(first, dtype=np.int64)


def _random_start(
    size: NDArray[np.float64],
    first_of_kind: NDArray[np.int64],
    shares: NDArray[np.float64],
    generator: np.random.Generator,
) -> NDArray[np.int32]:
    part = np.empty(len(size), dtype=np.int32)
    for low, high in itertools.pairwise(first_of_kind):
        order = low + generator.permutation(high - low)
        if (size[low:high] == 1).all():
            part[order] = np.repeat(np.arange(len(shares)), _whole_sizes(high - low, shares))
            continue
        # Large clusters first, each into the part with the most room left; the
        # first ones go one to each part so that no part stays empty.
        order = order[np.argsort(-size[order], kind="stable")]
        room = shares * size[low:high].sum()
        empty = np.ones(len(shares), dtype=bool)
        for place, one in enumerate(order):
            left = len(order) - place
            must = empty if left <= empty.sum() else np.ones(len(shares), dtype=bool)
            target = int(np.argmax(np.where(must, room, -np.inf)))
            part[one] = target
            room[target] -= size[one]
            empty[target] = False
    return part


def _whole_sizes(n: int, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole numbers near n times the shares, at least one each, adding up to n."""
    exact = n * shares
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    order = np.argsort(-(exact - sizes), kind="stable")
    sizes[order[: n - sizes.sum()]] += 1
    while (sizes == 0).any():
        sizes[np.argmax(sizes)] -= 1
        sizes[np.argmin(sizes)] += 1
    return sizes


def _unevenness(touch: sp.csr_array, first_of_kind: NDArray[np.int64]) -> float:
    """Root of how many times as many pairs an item of one kind has as one of another, in the mean.

    Few targets of many drugs have many pairs each: what they gain by a move is many prices of a
    pair, and at the temperature of the drugs they would never move.

    >>> touch = sp.csr_array(np.repeat([[1, 1, 1, 1], [1, 0, 0, 0]], [1, 4], axis=0))
    >>> _unevenness(touch, np.array([0, 1, 5]))
    2.0
    """
    mean = np.diff(touch.indptr[first_of_kind]) / np.maximum(np.diff(first_of_kind), 1)
    return float(np.sqrt(mean.max() / max(mean.min(), 1e-9)))


def _incidence(row_items: NDArray[np.int64], n_items: int) -> sp.csr_array:
    """Items by rows: which rows touch an item, a row with an item twice counted once."""
    n_rows, arity = row_items.shape
    rows = np.repeat(np.arange(n_rows), arity)
    touch = sp.csr_array(
        (np.ones(len(rows)), (row_items.reshape(-1), rows)), shape=(n_items, n_rows)
    )
    touch.sum_duplicates()
    touch.data[:] = 1.0
    return touch


def _as_weights(weights: Any, n_rows: int) -> NDArray[np.float64]:
    values = np.ascontiguousarray(weights, dtype=np.float64)
    if values.shape != (n_rows,):
        raise InputError(
            f"weights has shape {values.shape} but there are {n_rows} pairs; give one weight for "
            "each."
        )
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise InputError(
            f"weights has {values[bad[0]]} at row {bad[0]}; weights must be finite and not "
            "negative."
        )
    return values
