import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pairs import naive
from tests.pairs.pair_sets import kernel_parts
from trueval.pairs._parts import _whole_sizes

quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)


@quick
@given(
    st.integers(0, 10_000), st.integers(2, 4), st.booleans(), st.booleans(), st.sampled_from([2, 3])
)
def test_kernel_lowers_the_cost_it_says_it_has(seed, n_parts, stratify, bipartite, arity):
    if stratify and arity == 3:
        arity = 2
    rng = np.random.default_rng(seed)
    n_items = 14
    kind_start = np.array([0, 8, 14] if bipartite else [0, 14])
    row_items = rng.integers(n_items, size=(40, arity))
    if bipartite:
        row_items = np.column_stack([rng.integers(0, 8, 40), rng.integers(8, 14, 40)])
    weight, positive = rng.integers(1, 4, size=40).astype(float), rng.integers(2, size=40)
    size = rng.integers(1, 4, size=n_items).astype(float)
    moves = bool(rng.integers(2))
    shares = np.full(n_parts, 1 / n_parts)
    start = rng.integers(n_parts, size=n_items).astype(np.int32)

    def run(sweeps):
        problem = (row_items, weight, positive, kind_start, size)
        return kernel_parts(problem, shares, start, sweeps, seed, stratify=stratify, moves=moves)

    def cost_of(part):
        return naive.balance_cost(
            row_items.tolist(), weight, positive, kind_start, size, shares, part, stratify
        )

    before, unmoved = run(0)
    assert (unmoved == start).all()
    assert before == pytest.approx(cost_of(start))
    after, part = run(10)
    assert after == pytest.approx(cost_of(part))
    assert after <= before + 1e-9
    if not moves:
        for low, high in itertools.pairwise(kind_start):
            assert sorted(part[low:high]) == sorted(start[low:high])


@quick
@given(st.integers(2, 200), st.lists(st.floats(0.05, 1.0), min_size=2, max_size=6))
def test_whole_sizes(n, raw):
    shares = np.array(raw) / sum(raw)
    if n < len(shares):
        return
    sizes = _whole_sizes(n, shares)
    assert sizes.sum() == n
    assert sizes.min() >= 1
    assert np.abs(sizes - n * shares).max() < len(shares)
