"""The kernels of the search against their naive twins."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from trueval import _kernels
from trueval.stratify import _search

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")


@st.composite
def searches(draw, groups=None):
    """A random search problem: the kernel and its naive twin on the same data."""
    n, q = draw(st.integers(2, 25)), draw(st.integers(1, 6))
    k = draw(st.sampled_from([2, 3, 5, 9, 17]))  # one pack of 8 lanes, two, three
    groups = draw(st.booleans()) if groups is None else groups
    by_part = draw(st.booleans())
    return search_and_twin(n, q, k, groups, by_part, draw(st.integers(0, 2**32 - 1)))


def search_and_twin(n, q, k, groups, by_part, seed, unplaced=0.0):
    rng = np.random.default_rng(seed)
    vectors = (rng.random((n, q)) < 0.4) * (rng.integers(1, 4, (n, q)) if groups else 1)
    sizes = rng.integers(1, 4, n) if groups else np.ones(n, dtype=int)
    base = rng.integers(0, 3, (q, k))
    base_sizes = rng.integers(0, 5, k)
    width = k if by_part else 1
    slope = np.sort(rng.integers(20, 1000, (q, width)), axis=0)[::-1].astype(np.int64)
    fraction = rng.integers(0, 8, (q, width)) / 8
    dip = np.rint(2 * slope * fraction).astype(np.int64)
    whole = rng.integers(0, 3, (q, width)).astype(np.int32)
    bend = rng.random((q, width)) * 30 * groups
    reach = slope.max(axis=1).astype(float)
    weight = (1 / rng.integers(1, 9, q)).astype(np.float32)
    shares = (1 + rng.multinomial(64 - k, np.full(k, 1 / k))) / 64
    wanted = shares * (sizes.sum() + base_sizes.sum())
    low, high = np.floor(wanted).astype(np.int64), np.ceil(wanted).astype(np.int64)
    lists = sp.csr_array(vectors.astype(np.int32))
    start = np.where(rng.random(n) < unplaced, -1, rng.integers(k, size=n)).astype(np.int32)
    seed = int(rng.integers(2**63))
    part = start.copy()
    factor = (1 / (k * shares)).astype(np.float32)
    kernel = (_kernels.GroupSearch if groups else _kernels.RowSearch)(
        lists.indptr.astype(np.int64),
        lists.indices.astype(np.int32),
        lists.data if groups else None,
        np.arange(n, dtype=np.int32),
        sizes.astype(np.int32) if groups else None,
        by_part,
        slope.ravel(),
        dip.ravel(),
        whole.ravel(),
        bend.ravel(),
        fraction.astype(np.float32).ravel(),
        weight,
        factor,
        np.log(k * shares),
        reach,
        base.astype(np.int32).ravel(),
        base_sizes,
        low,
        high,
        _search._NOISE,
        None,  # no edges
        None,
        None,
        part,
        seed,
    )
    costs = [np.broadcast_to(x, (q, k)) for x in (slope, dip, whole, bend, fraction)]
    twin = naive.AnnealSearch(
        vectors, sizes, groups, costs, weight, factor, np.log(k * shares), reach, base,
        base_sizes, low, high, _search._NOISE,
    )  # fmt: skip
    twin.begin(start.copy(), seed, by_part)
    return kernel, part, twin, rng


@given(searches())
def test_sweeps_equal_the_twin(problem):
    kernel, part, twin, _ = problem
    for temperature in (900.0, 300.0, 40.0, 40.0):
        assert kernel.anneal(temperature, 0.2 * temperature, 1500) == twin.anneal(
            temperature, 0.2 * temperature, 1500
        )
        np.testing.assert_array_equal(part, twin.part)
        assert kernel.sizes() == twin.sizes().tolist()
    for _ in range(2):
        assert kernel.improve(8.0) == twin.improve(8.0)
        np.testing.assert_array_equal(part, twin.part)
    assert kernel.costs().tolist() == twin.costs()


@given(searches(), st.sampled_from([0, 3]))
def test_exchanges_equal_the_twin(problem, partners):
    kernel, part, twin, _ = problem
    for _ in range(3):
        before = sum(twin.costs())
        made = kernel.exchange(partners)
        assert made == twin.exchange(partners)
        np.testing.assert_array_equal(part, twin.part)
        assert sum(twin.costs()) < before if made else sum(twin.costs()) == before
    made = kernel.exchange_all()
    assert made == twin.exchange_all()
    np.testing.assert_array_equal(part, twin.part)


@given(searches(groups=False), st.sampled_from([0, 2000, 10**6]), st.sampled_from([0, 500]))
def test_mending_equals_the_twin(problem, work, reward):
    kernel, part, twin, _ = problem
    before, sizes = sum(twin.costs()), kernel.sizes()
    made = kernel.mend(work, reward)
    assert made == twin.mend(work, reward)
    np.testing.assert_array_equal(part, twin.part)
    assert kernel.sizes() == sizes
    assert sum(twin.costs()) < before if made else sum(twin.costs()) == before


def test_mending_leaves_no_exchange_that_mends_a_class():
    """With few rows all are tried: none that gains for a broken class is left."""
    for seed in range(20):
        kernel, part, twin, _ = search_and_twin(14, 3, 3, False, True, seed)
        kernel.mend(10**7, 0)
        twin.part = part.copy()
        for c in range(twin.q):
            for i, other in np.argwhere(part[:, None] != part):
                a, b = part[i], part[other]
                if twin.vectors[i, c] > twin.vectors[other, c] and twin.gains(c, a, b):
                    assert not twin.tried(i, b, twin.own(i)[b], other)


@given(searches(groups=False))
def test_exchanges_of_rows_keep_the_sizes(problem):
    kernel, _, _, _ = problem
    sizes = kernel.sizes()
    kernel.exchange(2)
    kernel.exchange_all()
    assert kernel.sizes() == sizes


def test_blocks_of_items_equal_the_twin():
    """More than 1,024 items are visited in blocks of neighbours."""
    kernel, part, twin, _ = search_and_twin(2100, 3, 3, False, False, 0)
    twin = FastCounts.of(twin)
    assert twin.block == 2
    assert kernel.anneal(100.0, 20.0, 1) == twin.anneal(100.0, 20.0, 1)
    np.testing.assert_array_equal(part, twin.part)
    assert kernel.improve(5.0) == twin.improve(5.0)
    np.testing.assert_array_equal(part, twin.part)


class FastCounts(naive.AnnealSearch):
    """The twin with counts by NumPy, for thousands of items."""

    @classmethod
    def of(cls, twin):
        twin.__class__ = cls
        return twin

    def counts(self):
        table = self.base.astype(int).T.copy()
        np.add.at(table, self.part, self.vectors)
        return table.T

    def sizes(self):
        return self.base_sizes + np.bincount(self.part, minlength=self.k)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans(), st.sampled_from([0.4, 1.0]))
def test_greedy_equals_the_twin(seed, groups, by_part, unplaced):
    kernel, part, twin, rng = search_and_twin(20, 5, 5, groups, by_part, seed, unplaced)
    order = rng.permutation(twin.n)
    kernel.greedy(order)
    twin.greedy(order)
    np.testing.assert_array_equal(part, twin.part)
    assert kernel.sizes() == twin.sizes().tolist()


@given(searches())
def test_a_restart_reads_the_parts_anew(problem):
    kernel, part, twin, rng = problem
    kernel.improve(1.0)
    part[:] = rng.integers(twin.k, size=twin.n)
    kernel.restart()
    twin.part[:] = part
    assert kernel.costs().tolist() == twin.costs()
    assert kernel.sizes() == twin.sizes().tolist()
