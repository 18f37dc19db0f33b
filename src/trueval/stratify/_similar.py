"""Folds that keep similar rows together.

*Strict*: no edge at or above the threshold is between two parts. Connected components are groups,
which ``anneal`` (or ``random``) places as a whole. Components that do not fit are divided first
(:mod:`trueval.stratify._cut`): by leaving rows out, which then have part −1, or with edges between
parts. *Soft*: ``anneal`` lowers rLD plus a weight times the share of similarity between parts.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_numbers, scaled
from trueval.core.errors import Fix, InputError, InputWarning, quote, warn_user
from trueval.core.folds import as_folds
from trueval.core.groups import group_numbers
from trueval.core.labels import Labels
from trueval.core.params import NONE, Choice, Constraints, Interval
from trueval.core.random import as_generator
from trueval.core.similarity import THRESHOLD, Similarity, close_edges, connected, selected
from trueval.stratify._cut import Network, cut_parts, separated_parts
from trueval.stratify._inputs import WEIGHT
from trueval.stratify._leakage import soft_cost
from trueval.stratify._methods import METHODS, methods_that_take
from trueval.stratify._parts import Parts, as_parts
from trueval.stratify._sizes import fit_sizes, size_excess

__all__ = ["LEAK_OPTIONS", "LeakOptions", "similar_folds"]

_ROUNDS = 5  # of dividing, as what is left out makes the parts smaller
_SPARE, _DEAR = 0.5, 1e6  # of the tolerance, for rows left out, where edges are so many
_LARGE = 0.25  # components up to this share of the smallest part are never divided

#: Constraints of the parameters of :class:`LeakOptions`.
LEAK_OPTIONS: Constraints = {
    "threshold": THRESHOLD,
    "oversized": Choice(("drop", "cut")),
    "tolerance": Interval(float, 0, 1),
    "cut_weight": (NONE, WEIGHT),
}


@dataclass(frozen=True)
class LeakOptions:
    """What similar rows mean for a split; see :func:`~trueval.stratify.stratified_folds`."""

    threshold: float | None = None
    oversized: str = "drop"
    tolerance: float = 0.05
    cut_weight: float | None = None
    row_weight: Any = None


def similar_folds(
    labels: Labels,
    parts: Parts,
    graph: Similarity,
    leak: LeakOptions,
    method: str,
    random_state: Any,
    options: dict[str, Any],
) -> NDArray[np.int32]:
    """Part of each row, −1 for rows left out."""
    wanted = "similarity" if leak.cut_weight is not None else "groups"
    if wanted not in METHODS[method].takes:
        able = " and ".join(map(repr, methods_that_take(wanted)))
        raise ValueError(f"method {method!r} does not take a similarity, which is for {able}.")
    close = close_edges(graph, leak.threshold)
    generator = as_generator(random_state)
    if leak.cut_weight is not None:
        leak = replace(leak, oversized="cut")  # rows may be apart, so none is left out
        return _soft(labels, parts, close, leak, method, generator, options)
    folds = _Strict(labels, parts, close, leak, options).folds(method, generator)
    _tell(labels, parts, folds, leak)
    return folds


class _Strict:
    """Groups of rows that no edge leaves, and rows that are left out to have them."""

    def __init__(
        self,
        labels: Labels,
        parts: Parts,
        close: Similarity,
        leak: LeakOptions,
        options: dict[str, Any],
    ) -> None:
        self._labels, self._parts, self._close, self._leak = labels, parts, close, leak
        self._options = {name: options[name] for name in options if name not in ("groups", "fixed")}
        n = labels.n_rows
        groups, fixed = options.get("groups"), options.get("fixed")
        self._item = np.arange(n) if groups is None else group_numbers(groups, n)
        self._fixed = np.full(n, -1, np.int32)
        if fixed is not None:
            self._fixed = as_folds(fixed, n, name="fixed", n_parts=parts.n_parts, free=True)
        self._refuse_fixed_edges()
        self._weight = _row_weights(leak.row_weight, n)
        network = Network(close._weights, np.ones(n, np.int64), self._weight, self._fixed)
        if groups is not None:
            network = network.joined(self._item, int(self._item.max()) + 1)
        self._network = network

    def folds(self, method: str, generator: np.random.Generator) -> NDArray[np.int32]:
        """Divide what is too large, place the groups, take back what can be."""
        group_of_item, out = self._groups(generator)
        rows = np.flatnonzero(~out[self._item])
        if not len(rows):
            raise InputError("no row can be kept.", fix="Raise the threshold.")
        options = dict(self._options)
        numbers = group_of_item[self._item[rows]]
        options["groups"] = np.unique(numbers, return_inverse=True)[1].reshape(-1)
        if (self._fixed >= 0).any():
            options["fixed"] = self._fixed[rows]
        folds = np.full(self._labels.n_rows, -1, np.int32)
        labels = self._labels if len(rows) == len(folds) else self._labels.take(rows)
        parts = _parts_of(self._parts, len(rows))
        placed = METHODS[method](labels, parts, random_state=generator, **options)
        folds[rows] = fit_sizes(
            labels, parts, options["groups"], placed, self._leak.tolerance, self._fixed[rows]
        )
        if len(rows) < len(folds):
            self._take_back(folds)
        return folds

    def _groups(
        self, generator: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Group of each item, and which items are left out."""
        network, parts = self._network, self._parts
        component = connected(network.matrix)
        out = np.zeros(len(component), dtype=bool)
        n_rows, drop = parts.n_rows, self._leak.oversized == "drop"
        for number in range(_ROUNDS):
            capacity = np.floor((1 + self._leak.tolerance) * parts.shares * n_rows + 1e-9)
            items, room = _misfits(network, component, np.maximum(capacity, 1).astype(np.int64))
            if not len(items):
                return component, out
            if number == 0 and drop and network.matrix.nnz > _DEAR:
                # Rows will be left out, so parts will be smaller: a second division is rare then.
                n_rows -= int(_SPARE * self._leak.tolerance * n_rows)
                continue
            divide = separated_parts if drop else cut_parts
            part = divide(network.take(items), room, generator)
            out[:] = False
            out[items] = part < 0
            n_left = parts.n_rows - int(network.size[out].sum())
            largest = np.bincount(part[part >= 0], network.size[items][part >= 0]).max(initial=0)
            if largest <= (1 + self._leak.tolerance) * parts.shares.max() * n_left:
                break
            n_rows = n_left
        part_of_item = np.full(len(component), -1, np.int32)
        part_of_item[items] = part
        part_of_item[out] = -2 - np.flatnonzero(out)  # each by itself
        whole = part_of_item[network.matrix.indices] == np.repeat(
            part_of_item, np.diff(network.matrix.indptr)
        )
        return connected(selected(network.matrix, whole)), out

    def _take_back(self, folds: NDArray[np.int32]) -> None:
        """Return items whose neighbours all are in one part with room for them, in place."""
        matrix, size = self._network.matrix, self._network.size
        order = np.argsort(self._item, kind="stable")
        first = np.concatenate([[0], np.cumsum(np.bincount(self._item))])
        part = folds[order[first[:-1]]].copy()
        load = np.bincount(folds[folds >= 0], minlength=self._parts.n_parts)
        capacity = (1 + self._leak.tolerance) * self._parts.shares * load.sum()
        out = np.flatnonzero(part < 0)
        for item in out[np.argsort(-self._network.price[out], kind="stable")].tolist():
            near = part[matrix.indices[matrix.indptr[item] : matrix.indptr[item + 1]]]
            near = near[near >= 0]
            to = int(near[0]) if len(near) else int(np.argmin(load / self._parts.shares))
            if (near == to).all() and load[to] + size[item] <= capacity[to]:
                part[item] = to
                load[to] += size[item]
        folds[:] = part[self._item]

    def _refuse_fixed_edges(self) -> None:
        """Refuse similar rows that are fixed to different parts."""
        if (self._fixed < 0).all():
            return
        a, b, values = self._close.edges()
        fa, fb = self._fixed[a], self._fixed[b]
        bad = np.flatnonzero((fa >= 0) & (fb >= 0) & (fa != fb))
        if len(bad) and self._leak.oversized == "drop":
            first = bad[0]
            raise InputError(
                f"{len(bad):,} edges are between rows fixed to different parts, the first between "
                f"row {a[first]} (part {fa[first]}) and row {b[first]} (part {fb[first]}), "
                f"similarity {values[first]:g}.",
                fix=Fix("Free one of them (-1 in fixed), raise the threshold, or pass {}.",
                        "oversized", "cut"),
            )  # fmt: skip


def _misfits(
    network: Network, component: NDArray[np.int64], capacity: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Items of components that fit into no part, and the room that the others leave.

    Large components are placed one by one, the largest first, each where there is most room.
    Components with items that are fixed to several parts fit nowhere.
    """
    n = int(component.max()) + 1
    size = np.bincount(component, network.size, n)
    lowest, highest = np.full(n, capacity.size), np.full(n, -1)
    pinned = np.flatnonzero(network.fixed >= 0)
    np.minimum.at(lowest, component[pinned], network.fixed[pinned])
    np.maximum.at(highest, component[pinned], network.fixed[pinned])
    large = np.flatnonzero((size > max(1.0, _LARGE * capacity.min())) | (highest > lowest))
    free = capacity.astype(np.float64)
    bad = np.zeros(n, dtype=bool)
    for c in large[np.argsort(-size[large], kind="stable")].tolist():
        if highest[c] > lowest[c]:
            bad[c] = True
            continue
        to = int(highest[c]) if highest[c] >= 0 else int(np.argmax(free))
        if highest[c] < 0 and size[c] > free[to]:
            bad[c] = True
            continue
        free[to] -= size[c]
    return np.flatnonzero(bad[component]), np.maximum(free, 0).astype(np.int64)


def _soft(
    labels: Labels,
    parts: Parts,
    close: Similarity,
    leak: LeakOptions,
    method: str,
    generator: np.random.Generator,
    options: dict[str, Any],
) -> NDArray[np.int32]:
    """The better of two: rows searched from the start, and whole components improved row by row."""
    whole = _Strict(labels, parts, close, leak, options).folds(method, generator)
    options = {**options, "similarity": close, "cut_weight": leak.cut_weight}
    candidates = [METHODS[method](labels, parts, random_state=generator, **options)]
    options["initial"] = whole
    candidates.append(METHODS[method](labels, parts, random_state=generator, **options))
    costs = [
        soft_cost(labels, folds, parts, close, float(leak.cut_weight or 0)) for folds in candidates
    ]
    best: NDArray[np.int32] = candidates[int(np.argmin(costs))]
    return best


def _parts_of(parts: Parts, n_rows: int) -> Parts:
    """The same shares of fewer rows."""
    if n_rows == parts.n_rows:
        return parts
    return as_parts(parts.n_parts if parts.equal else parts.shares.tolist(), n_rows)


def _row_weights(weight: Any, n: int) -> NDArray[np.float64]:
    if weight is None:
        return np.ones(n)
    weights = as_numbers(weight, "row_weight")
    if weights.shape != (n,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError(
            f"row_weight must be {n:,} finite numbers from 0, one for each row. Got shape "
            f"{weights.shape}."
        )
    return scaled(weights)  # only their ratios count, and their sums stay finite


def _tell(labels: Labels, parts: Parts, folds: NDArray[np.int32], leak: LeakOptions) -> None:
    """Warn of rows left out, and of sizes that components forbid."""
    out = np.flatnonzero(folds < 0)
    if len(out):
        names = out if labels.index is None else labels.index[out]
        some = ", ".join(quote(str(name), 40) for name in names[:5])
        warn_user(
            f"{len(out):,} of {len(folds):,} rows are in no part (-1), as a component of similar "
            f"rows is too large for a part: {some}{', …' if len(out) > 5 else ''}.",
            InputWarning,
            fix=Fix("Leave them out, raise the threshold, or pass {} to keep them, with similar "
                    "rows in different parts.", "oversized", "cut"),
        )  # fmt: skip
    sizes = np.bincount(folds[folds >= 0], minlength=parts.n_parts)
    if size_excess(sizes, parts, leak.tolerance).any():
        wanted = parts.shares * sizes.sum()
        part = int(np.argmax(np.abs(sizes / wanted - 1)))
        warn_user(
            f"part {part} has {sizes[part]:,} rows where {wanted[part]:,.0f} were wanted, "
            f"{abs(sizes[part] / wanted[part] - 1):.0%} off with a tolerance of "
            f"{leak.tolerance:.0%}: components of similar rows stay together, and moving no single "
            "one helps.",
            InputWarning,
            fix="Raise the tolerance or the threshold, or ask for fewer parts.",
        )
