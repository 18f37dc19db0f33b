"""What ``anneal`` lowers, as integers: the cost of a class in a part by its members there.

The mean rLD against the wanted sizes is a sum over classes and parts of
abs(c − D·w) / (k·w·D), c the members of a class of D in a part of share w. Scaled and
rounded it becomes, with d = c − ⌊D·w⌋,

    slope · abs(d) − dip · [d > 0]

with slope ∝ 1 / (k·w·D) and dip = 2·slope·φ, φ the fractional part of D·w. DCP is of the same
form: the positives of a class sum to D, so slope · abs(d) differs from 2 · slope · max(d, 0) by a
constant, and dip = 2 · slope makes the first positive above ⌊D·w⌋ free (of a part that the least
possible maximum allows it). LD is rLD with other weights (:mod:`._objectives`). All prices of the
search are differences of this function: exact, the same on every processor, and blind to the size
of the counts. A large class keeps a slope of at least the number of parts, however large it is,
so that every class steers.

Groups also pay a little for the squared deviation: where a large group overfills its part, the
others cannot reach their targets, and should miss them alike.

Two wishes change the dip, the gain of a part's crossing its target:

- *Ties*: with unequal parts two roundings of a class may have the same rLD but different DCP. The
  dip of the parts that would make DCP larger is lowered by a quarter of the slope at most.
- *Cover*: a part whose share of a class is less than one member gets one, if there are enough.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.stratify._items import Edges, Items
from trueval.stratify._parts import Parts

__all__ = ["Costs", "class_costs"]

_ROW_LIMIT, _GROUP_LIMIT = 2.0**26, 2.0**49  # of the prices of one item, by the kernels
_BEND = 0.25  # of a class with all its members in one part, in slopes
_TIE = 0.25  # what the worse of two equal choices costs, in slopes


@dataclass(frozen=True, eq=False)
class Costs:
    """Integer costs; arrays are (n_classes, n_parts) flattened, or one value a class."""

    by_part: bool  # whether there is a value for each part
    slope: NDArray[np.int64]
    dip: NDArray[np.int64]
    whole: NDArray[np.int32]  # ⌊D·w⌋
    bend: NDArray[np.float64]  # price of the squared deviation, for groups; 0 for single rows
    fraction: NDArray[np.float32]  # D·w − whole
    least: NDArray[np.int64]  # shape (n_classes,): The least a class can cost in all parts together
    # shape (n_classes,): Price of a typical move of each class, never rising
    reach: NDArray[np.float64]
    # shape (n_classes,): The same for the mean item, which large groups do not raise
    step: NDArray[np.float64]
    # shape (n_classes,): Price of moving a typical group, of a class and all that follow it
    group: NDArray[np.float64]
    edge: NDArray[np.int64] | None = None  # price of each edge between similar items


def class_costs(items: Items, *, cover: bool = False) -> Costs:
    """Cost of rLD against the wanted sizes, of DCP, or of both, by the weights of the items.

    With ``cover``, parts get at least one member of a class where that is possible.
    """
    parts = items.parts
    by_part = cover or not parts.equal
    shares = parts.shares if by_part else parts.shares[:1]
    k = parts.n_parts
    whole, fraction = _targets(items.class_size, parts, by_part)
    size = np.maximum(items.class_size, 1)[:, None]  # closed parts may hold a whole class
    price = items.class_weight[:, None] / (k * shares * size)
    crossing = 2 * fraction  # what the dip is of the slope
    if items.dcp_weight.any():
        of_dcp = items.dcp_weight[:, None] / (2 * size)
        free = 2.0 * _above_the_target(items.class_size, whole, fraction, k)
        total = np.maximum(price + of_dcp, 1e-300)
        crossing = (price * crossing + of_dcp * free) / total
        price = price + of_dcp
    slope, scale = _scaled(items, price, k)
    reach, step = _reach(items, slope.mean(axis=1))
    dip = np.rint(slope * crossing).astype(np.int64)
    if by_part:
        dearer = _dearer_of_ties(items.class_size, whole, fraction, price, price * (1 - crossing))
        dip = np.maximum(dip - np.rint(scale * dearer).astype(np.int64), 0)
    if cover:
        dip += np.where(whole == 0, 2 * (slope + slope.max(axis=1, keepdims=True)), 0)
        dip[: items.n_leading] = np.rint(2 * slope * fraction)[: items.n_leading]
    return Costs(
        by_part=by_part,
        slope=slope.ravel(),
        dip=dip.ravel(),
        whole=whole.astype(np.int32).ravel(),
        bend=(slope * (0.0 if items.unit else _BEND) / size).ravel(),
        fraction=fraction.astype(np.float32).ravel(),
        least=_least(items.class_size, slope, dip, whole, k),
        reach=reach,
        step=step,
        group=_group_price(items, slope.mean(axis=1)),
        edge=None if items.edges is None else _edge_prices(items.edges, scale),
    )


def _targets(
    class_size: NDArray[np.float64], parts: Parts, by_part: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Whole members and fraction of a class's share of each part."""
    size = class_size[:, None]
    if not by_part:
        whole = (size // parts.n_parts).astype(np.int64)
        return whole, (size - whole * parts.n_parts) / parts.n_parts
    target = size * parts.shares
    whole = np.floor(target + 1e-9).astype(np.int64)  # 0.1 · 10 is meant to be 1
    return whole, np.maximum(target - whole, 0.0)


def _above_the_target(
    class_size: NDArray[np.float64],
    whole: NDArray[np.int64],
    fraction: NDArray[np.float64],
    n_parts: int,
) -> NDArray[np.bool_]:
    """Whether one positive more than the whole ones is within the least possible DCP.

    With r positives left after rounding down, those with the r largest fractions get one, and so
    may every part with as large a fraction.
    """
    left = np.rint(class_size).astype(np.int64) - whole.sum(axis=1) * (n_parts // whole.shape[1])
    descending = -np.sort(-fraction, axis=1)
    last = np.clip(left - 1, 0, fraction.shape[1] - 1)
    limit = np.take_along_axis(descending, last[:, None], axis=1)
    return (left > 0)[:, None] & (fraction >= limit - 1e-12)


def _dearer_of_ties(
    class_size: NDArray[np.float64],
    whole: NDArray[np.int64],
    fraction: NDArray[np.float64],
    slope: NDArray[np.float64],
    price: NDArray[np.float64],
) -> NDArray[np.float64]:
    """What to add to the price of crossing a target, where it is one of several that are equal.

    With r positives left after rounding down, the parts with the r lowest prices cross their
    targets. Where the choice is open, parts whose fraction is too small for the least DCP among
    these choices get dearer, by less than the distance to the next price.
    """
    left = np.rint(class_size).astype(np.int64) - whole.sum(axis=1)
    ascending = np.sort(price, axis=1)
    last = np.clip(left - 1, 0, price.shape[1] - 1)[:, None]
    equal = np.take_along_axis(ascending, last, axis=1)
    near = 1e-9 * slope.max(axis=1, keepdims=True)
    tied, sure = np.abs(price - equal) <= near, price < equal - near
    wanted = np.clip(left - sure.sum(axis=1), 1, price.shape[1])[:, None]
    largest_first = -np.sort(-np.where(tied, fraction, -1.0), axis=1)
    limit = np.take_along_axis(largest_first, wanted - 1, axis=1)
    limit = np.minimum(limit, np.where(sure, fraction, 1.0).min(axis=1, keepdims=True))
    following = np.where(price > equal + near, price, np.inf).min(axis=1, keepdims=True)
    more = np.minimum(_TIE * slope.mean(axis=1, keepdims=True), (following - equal) / 2)
    return np.where(tied & (fraction < limit - 1e-12) & (left > 0)[:, None], more, 0.0)


def _edge_prices(edges: Edges, scale: float) -> NDArray[np.int64]:
    return np.maximum(np.rint(edges.price * scale), 1).astype(np.int64)


def _scaled(
    items: Items, price: NDArray[np.float64], n_parts: int
) -> tuple[NDArray[np.int64], float]:
    """Prices as integers, as large as the sums over an item's classes allow; and their scale."""
    if len(price) == 0:
        return np.zeros(price.shape, np.int64), 1.0
    sums = _kernels.row_sums(items.indptr, items.indices, items.counts, price.max(axis=1))
    # slope + dip, with the dip of cover, is at most 7 slopes of the dearest part
    limit = _ROW_LIMIT if items.counts is None else _GROUP_LIMIT
    if items.edges is not None:
        sums = sums + items.edges.sums
    longest = int(np.diff(items.indptr).max(initial=1))
    scale = limit / 8 / max(float(sums.max(initial=0.0)), 1e-300)
    least = min(float(max(n_parts, 16)), max(limit // (8 * longest), 1.0))
    scale = min(scale, limit)
    return np.maximum(np.rint(price * scale), least).astype(np.int64), scale


def _reach(
    items: Items, slope: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Price of moving an item's positives of a class between two parts.

    As many as come together with a positive, and as many as an item has in the mean.
    """
    reach, step = slope.copy(), slope.copy()
    if items.counts is not None and len(reach):
        counts = items.counts.astype(float)
        ones = np.bincount(items.indices, counts, len(reach))
        reach *= np.bincount(items.indices, counts**2, len(reach)) / np.maximum(ones, 1)
        n_items = np.maximum(np.bincount(items.indices, minlength=len(step)), 1)
        step *= np.exp(np.bincount(items.indices, np.log(counts), len(step)) / n_items)
    reach = np.where(reach > 0, reach, reach[reach > 0].min(initial=1.0))
    reach[: items.n_leading] = np.inf
    return np.minimum.accumulate(reach), np.minimum(step, reach)


def _group_price(items: Items, slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """Root of the sum of a group's squared prices, from each class on, and its mean over groups.

    Some of the classes gain by a move what others lose, so prices do not just add up. The mean is
    that of squares. Single rows have none.
    """
    if items.counts is None or not items.n_items:
        return np.zeros(len(slope))
    of_class = np.bincount(items.indices, items.counts.astype(float) ** 2, len(slope))
    of_class[: items.n_leading] = 0.0  # sizes
    from_class_on = np.cumsum((slope**2 * of_class)[::-1])[::-1]
    return np.asarray(np.sqrt(from_class_on / items.n_items), dtype=np.float64)


def _least(
    class_size: NDArray[np.float64],
    slope: NDArray[np.int64],
    dip: NDArray[np.int64],
    whole: NDArray[np.int64],
    n_parts: int,
) -> NDArray[np.int64]:
    """Hand out the members of each class in order of price, which never falls in a part."""
    size = class_size.astype(np.int64)[:, None]
    if slope.shape[1] == 1:
        left = size - n_parts * whole
        return (left * (slope - dip))[:, 0]
    prices = np.concatenate([-slope, slope - dip, slope], axis=1)
    room = np.concatenate([whole, np.ones_like(whole), np.broadcast_to(size, whole.shape)], axis=1)
    order = np.argsort(prices, axis=1, kind="stable")
    room = np.take_along_axis(room, order, axis=1)
    taken = np.clip(size - (np.cumsum(room, axis=1) - room), 0, room)
    start = (slope * whole).sum(axis=1)
    return start + (np.take_along_axis(prices, order, axis=1) * taken).sum(axis=1)
