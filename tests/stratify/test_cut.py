"""Dividing components: nothing crosses, nothing overfills, and little is left out."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stratify import naive_graph as naive
from trueval import _kernels
from trueval.stratify._cut import Network, cut_parts, separated_parts


@st.composite
def networks(draw, n_most=7, fixed=False):
    n = draw(st.integers(2, n_most))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    dense = np.triu(generator.random((n, n)) < draw(st.sampled_from([0.2, 0.5])), 1)
    dense = dense * generator.integers(1, 4, (n, n)).astype(float)
    dense = dense + dense.T
    part = np.full(n, -1, np.int32)
    if fixed:
        part[0] = 1
    price = generator.integers(1, 4, n).astype(float)
    network = Network(sp.csr_array(dense), generator.integers(1, 3, n), price, part)
    capacity = np.full(2, int(network.size.sum() * 0.6) + 2, np.int64)
    return dense, network, capacity


@given(networks(), st.integers(0, 100))
def test_separation_is_one(problem, seed):
    dense, network, capacity = problem
    part = separated_parts(network, capacity, np.random.default_rng(seed))
    assert not naive.crossing(dense, part)
    assert all(np.array(naive.loads(part, network.size, 2)) <= capacity)


def test_separation_is_cheap_on_tiny_graphs():
    """Against every assignment: a heuristic may miss the best, but not by much on the whole."""
    ours = best = 0.0
    for seed in range(60):
        generator = np.random.default_rng(seed)
        dense = np.triu(generator.random((6, 6)) < 0.4, 1).astype(float)
        dense += dense.T
        size, price = np.ones(6, np.int64), generator.integers(1, 4, 6).astype(float)
        network = Network(sp.csr_array(dense), size, price, np.full(6, -1, np.int32))
        capacity = np.full(2, 4, np.int64)
        part = separated_parts(network, capacity, generator)
        ours += price[part < 0].sum()
        best += naive.cheapest_separation(dense, size, price, capacity, network.fixed)
    assert 0 < best <= ours <= 1.02 * best


@given(networks(fixed=True), st.integers(0, 100))
def test_fixed_items_stay(problem, seed):
    dense, network, capacity = problem
    for divide in (cut_parts, separated_parts):
        part = divide(network, capacity, np.random.default_rng(seed))
        assert part[0] == 1
    assert not naive.crossing(dense, part)


@given(networks(), st.integers(0, 100))
def test_cut_places_all_within_the_sizes(problem, seed):
    _, network, capacity = problem
    part = cut_parts(network, capacity, np.random.default_rng(seed))
    assert (part >= 0).all()
    assert all(np.array(naive.loads(part, network.size, 2)) <= capacity)


def planted(n_blocks, size, generator, bridges):
    """Dense blocks, and rows that are similar to rows of two blocks."""
    n = n_blocks * size + bridges
    dense = np.zeros((n, n))
    for b in range(n_blocks):
        block = slice(b * size, (b + 1) * size)
        dense[block, block] = generator.random((size, size)) < 0.3
    for x in range(bridges):
        row = n_blocks * size + x
        for b in generator.choice(n_blocks, 2, replace=False):
            dense[row, b * size + generator.integers(size, size=4)] = 1
    dense = np.maximum(dense, dense.T)
    np.fill_diagonal(dense, 0)
    return dense


@pytest.mark.parametrize("seed", range(3))
def test_planted_separator_is_found(seed):
    """Eight blocks that twelve rows connect: no more than these rows need to go."""
    generator = np.random.default_rng(seed)
    dense = planted(8, 60, generator, 12)
    n = len(dense)
    network = Network(
        sp.csr_array(dense), np.ones(n, np.int64), np.ones(n), np.full(n, -1, np.int32)
    )
    capacity = np.full(4, int(1.05 * n / 4), np.int64)
    part = separated_parts(network, capacity, generator)
    assert not naive.crossing(dense, part)
    assert (part < 0).sum() <= 12
    assert len(naive.crossing(dense, cut_parts(network, capacity, generator))) <= 12 * 8


@settings(max_examples=25)
@given(networks(n_most=9), st.integers(0, 100))
def test_propagation_never_cuts_more(problem, seed):
    dense, network, _ = problem
    n = len(dense)
    label = np.random.default_rng(seed).integers(0, 2, n).astype(np.int32)
    before = sum(dense[i, j] for i, j in naive.crossing(dense, label))
    load = np.array(naive.loads(label, network.size, 2), np.int64)
    capacity = np.maximum(load, int(network.size.sum()) // 2 + 2)
    unpinned = np.zeros(n, np.uint8)
    _kernels.propagate(*network.arrays, network.size, unpinned, capacity, load, label, 5, seed)
    assert sum(dense[i, j] for i, j in naive.crossing(dense, label)) <= before
    assert naive.loads(label, network.size, 2) == load.tolist()
    assert (load <= capacity).all()
