"""The integer costs of the search against the measures they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from trueval.core.labels import as_labels
from trueval.stratify._costs import class_costs
from trueval.stratify._groups import group_items
from trueval.stratify._items import rank_classes, row_items
from trueval.stratify._parts import as_parts

PARTS = st.sampled_from(
    [
        2,
        3,
        4,
        [0.9, 0.1],
        [0.7, 0.3],
        [0.8, 0.1, 0.1],
        [0.5, 0.3, 0.2],
        [0.6, 0.2, 0.2],
        [0.4, 0.3, 0.2, 0.1],
    ]
)


def priced(size, parts, **options):
    """Parts, costs, and the price of every division of a class of this size."""
    y = np.zeros((40, 1), dtype=int)
    y[:size] = 1
    labels, wanted = as_labels(y), as_parts(parts, 40)
    costs = class_costs(row_items(labels, wanted, rank_classes(labels), None, None), **options)
    k = wanted.n_parts
    slope, dip, whole = (
        np.broadcast_to(x, k).tolist() for x in (costs.slope, costs.dip, costs.whole)
    )
    price = {}
    for division in naive.all_divisions(size, k):
        above = [n - w for n, w in zip(division, whole, strict=True)]
        price[tuple(division)] = sum(
            s * abs(d) - (g if d > 0 else 0) for s, g, d in zip(slope, dip, above, strict=True)
        )
    return wanted, costs, price


def rld(division, shares):
    size = sum(division)
    return np.mean([abs(n / (size * w) - 1) for n, w in zip(division, shares, strict=True)])


def dcp(division, shares):
    return max(n / sum(division) - w for n, w in zip(division, shares, strict=True))


@given(st.integers(1, 12), PARTS)
def test_the_cheapest_division_is_the_best_in_rld_then_in_dcp(size, parts):
    wanted, costs, price = priced(size, parts)
    least = min(price.values())
    assert costs.least.tolist() == [least]
    best_rld = naive.least_rld(size, wanted.shares)
    best_dcp = min(dcp(d, wanted.shares) for d in price if rld(d, wanted.shares) < best_rld + 1e-9)
    for division in (d for d in price if price[d] == least):
        assert rld(division, wanted.shares) == pytest.approx(best_rld, abs=1e-9)
        assert dcp(division, wanted.shares) == pytest.approx(best_dcp, abs=1e-9)


@given(st.integers(1, 12), PARTS)
def test_costs_follow_rld(size, parts):
    """Differences of prices are differences of rLD; ties may cost a quarter of a slope more."""
    wanted, costs, price = priced(size, parts)
    slopes = 1 / (wanted.n_parts * wanted.shares * size)  # of rLD
    unit = costs.slope[0] / slopes[0]
    least, bound = min(price.values()), naive.least_rld(size, wanted.shares)
    for division, value in price.items():
        more = (value - least) / unit - (rld(division, wanted.shares) - bound)
        crossed = sum(n > size * w for n, w in zip(division, wanted.shares, strict=True))
        assert -1e-5 <= more / slopes.mean() <= 0.25 * crossed + 1e-5
        if wanted.equal:
            assert more == pytest.approx(0, abs=1e-5)


@given(st.integers(1, 12), PARTS)
def test_cover_gives_every_part_one_positive_if_there_are_enough(size, parts):
    wanted, costs, price = priced(size, parts, cover=True)
    least = min(price.values())
    assert costs.least.tolist() == [least]
    for division in (d for d in price if price[d] == least):
        assert sum(n > 0 for n in division) == min(size, wanted.n_parts)


@pytest.mark.parametrize("size", [10**3, 2 * 10**7, 10**9])
def test_a_class_of_any_size_steers(size):
    """Its slope never vanishes, so one more positive in a full part always costs something."""
    labels = as_labels(np.eye(4, dtype=int))
    items = row_items(labels, as_parts(2, 4), rank_classes(labels), None, None)
    items.class_size[-1] = size
    assert (class_costs(items).slope >= 16).all()


@given(st.integers(0, 10_000), PARTS)
def test_price_of_a_group_beside_a_loop_over_groups(seed, parts):
    """From each class on: the mean of squares over groups of (positives · slope), and its root."""
    generator = np.random.default_rng(seed)
    groups = np.concatenate([np.arange(5), generator.integers(0, 5, 35)])
    y = (generator.random((40, 6)) < 0.3).astype(int)
    y[:3, 0] = 1  # at least one class
    labels, wanted = as_labels(y), as_parts(parts, 40)
    items = group_items(labels, wanted, rank_classes(labels), groups, None, None)
    costs = class_costs(items)
    slope = costs.slope.reshape(len(items.class_size), -1).mean(axis=1)
    lead, squares = items.n_leading, np.zeros((5, len(slope)))
    lists = items.lists.toarray()
    for group in range(5):
        for c in range(lead, len(slope)):
            squares[group, c] = (lists[items.list_of_item[group], c] * slope[c]) ** 2
    for c in range(lead, len(slope)):
        expected = np.sqrt(squares[:, c:].sum(axis=1).mean())
        assert costs.group[c] == pytest.approx(expected)
    rows = row_items(labels, wanted, rank_classes(labels), None, None)
    assert not class_costs(rows).group.any()
