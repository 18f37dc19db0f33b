"""Each stage against its definition, written naively."""

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from trueval import _kernels
from trueval.distributed import _stages as stages
from trueval.distributed._plan import Plan, Totals, totals_of
from trueval.distributed._rows import Rows, cut, id_keys, join, merge
from trueval.stratify._parts import as_parts
from trueval.stratify._search import Search

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    """SplitMix64, from its publication (Steele, Lea and Flood 2014)."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


@st.composite
def matrices(draw):
    """Few distinct label sets, some rows without a label; classes by rising size."""
    n_classes = draw(st.integers(1, 6))
    rows = draw(
        st.lists(
            st.lists(st.booleans(), min_size=n_classes, max_size=n_classes), min_size=8, max_size=60
        )
    )
    y = np.array(rows, dtype=np.int32)
    y = y[:, y.any(axis=0)]
    if y.shape[1] == 0:
        y = np.ones((len(rows), 1), np.int32)
    return y[:, np.argsort(y.sum(axis=0), kind="stable")]


def arrays(y):
    matrix = sp.csr_array(y)
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)


def plan_of(y, n_parts=3, n_blocks=4, core=10):
    blank = int((y.sum(axis=1) == 0).sum())
    return Plan(as_parts(n_parts, len(y)), y.sum(axis=0) * 1.0, blank, n_blocks, core, 5)


def keys_of(n):
    return id_keys(pa.array(range(n)))


@given(st.lists(st.text(max_size=20)))
def test_hash_of_text(texts):
    def naive(text):
        data = text.encode()
        state = mix((len(data) + GOLDEN) & MASK)
        for at in range(0, len(data), 8):
            word = int.from_bytes(data[at : at + 8], "little")
            state = mix(((state ^ word) + GOLDEN) & MASK)
        return state

    keys = id_keys(pa.array(texts, pa.large_string()))
    assert keys.tolist() == [naive(text) for text in texts]


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_hash_of_numbers(numbers):
    keys = id_keys(pa.array(numbers, pa.int64()))
    assert keys.tolist() == [mix((number + GOLDEN) & MASK) for number in numbers]


@given(st.lists(st.text(max_size=3), min_size=1), st.integers(0, 3))
def test_hashes_of_a_slice(texts, start):
    whole = pa.array(texts, pa.large_string())
    assert id_keys(whole[start:]).tolist() == id_keys(whole).tolist()[start:]


@given(matrices())
def test_equal_rows_meet(y):
    plan = plan_of(y)
    blocks = stages.block_of_rows(*arrays(y), keys_of(len(y)), plan)
    assert ((blocks >= 0) & (blocks < plan.n_blocks)).all()
    share = 2 * len(y) / plan.n_blocks
    for row in range(len(y)):
        has = np.flatnonzero(y[row])
        rarest = y.sum(axis=0)[has[0]] if len(has) else plan.n_blank
        if rarest <= share:  # a small set is in one block
            same = (y == y[row]).all(axis=1)
            assert len(set(blocks[same].tolist())) == 1


def test_rows_of_a_huge_set_are_spread():
    y = np.ones((4000, 1), np.int32)
    plan = plan_of(y, n_blocks=8)
    sizes = np.bincount(stages.block_of_rows(*arrays(y), keys_of(4000), plan), minlength=8)
    assert sizes.max() <= 1.2 * 2 * 4000 / 8


@given(matrices(), st.randoms(use_true_random=False))
def test_deal_forgets_the_order_of_rows(y, random):
    plan, keys = plan_of(y), keys_of(len(y))
    order = list(range(len(y)))
    random.shuffle(order)
    one = stages.deal(*arrays(y), keys, plan)
    other = stages.deal(*arrays(y[order]), keys[order], plan)
    assert keys[one.order].tolist() == keys[order][other.order].tolist()
    assert (one.lists != other.lists).nnz == 0
    assert one.counts.tolist() == other.counts.tolist()
    # Of m equal rows with labels every part gets floor(m / k).
    sets, copies = np.unique(y, axis=0, return_counts=True)
    whole = {tuple(s): m // 3 for s, m in zip(sets.tolist(), copies, strict=True) if any(s)}
    for labels, counts in zip(one.lists.toarray().tolist(), one.counts.tolist(), strict=True):
        if any(labels):
            assert counts == [whole[tuple(labels)]] * 3


@given(matrices(), st.integers(0, 100))
def test_counts_of_items(y, seed):
    plan = plan_of(y)
    dealt = stages.deal(*arrays(y), keys_of(len(y)), plan)
    item_parts = (
        np.random.default_rng(seed).integers(-1, 3, len(dealt.list_of_item)).astype(np.int32)
    )
    totals = stages.class_counts(dealt, item_parts, plan)
    counts = np.zeros((y.shape[1], 3), int)
    for which, part in zip(dealt.list_of_item, item_parts, strict=True):
        if part >= 0:
            counts[:, part] += dealt.lists.toarray()[which]
    assert totals.counts.tolist() == counts.tolist()
    assert totals.sizes.tolist() == [int((item_parts == part).sum()) for part in range(3)]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.sampled_from([3, [0.7, 0.2, 0.1]]))
def test_sizes_of_free_rows_add_up(n_free, parts):
    n_rows = sum(n_free) + 30
    plan = Plan(as_parts(parts, n_rows), np.ones(1), 0, len(n_free), 10, 0)
    placed = np.floor(30 * plan.parts.shares).astype(int)
    placed[0] += 30 - placed.sum()
    placed = np.minimum(placed, plan.parts.sizes())
    n_free[0] += 30 - int(placed.sum())
    sizes = stages.free_sizes(np.array(n_free), placed, plan)
    assert (sizes >= 0).all()
    assert sizes.sum(axis=1).tolist() == n_free
    assert (placed + sizes.sum(axis=0)).tolist() == plan.parts.sizes().tolist()


@given(matrices(), st.integers(1, 200))
def test_core_classes_fit_the_budget(y, budget):
    sizes = y.sum(axis=0)
    n_core = stages.n_core_classes(sizes, budget)
    assert 1 <= n_core <= len(sizes)
    if sizes.sum() <= budget:
        assert n_core == len(sizes)
    else:
        assert n_core == 1 or sizes[:n_core].sum() <= budget // 8
        assert sizes[: n_core + 1].sum() > budget // 8


@given(matrices(), st.integers(1, 6))
def test_pieces_of_the_core_and_the_finish(y, bound):
    plan = plan_of(y)
    dealt = stages.deal(*arrays(y), keys_of(len(y)), plan)
    lists = dealt.lists.toarray()[dealt.list_of_item]
    n_core = min(bound, y.shape[1])
    piece = stages.core_piece(dealt, n_core, 0)
    assert piece.items.tolist() == np.flatnonzero(lists[:, :n_core].any(axis=1)).tolist()
    assert (piece.lists.toarray()[piece.list_of_item] == lists[piece.items, :n_core]).all()
    last = stages.finish_piece(dealt, bound, 0)
    lengths = lists.sum(axis=1)
    assert last.items.tolist() == np.flatnonzero((lengths > 0) & (lengths <= bound)).tolist()
    histogram = stages.item_lengths(dealt, plan)
    longest = stages.longest_list(histogram, 3 * bound)
    assert lengths[lengths <= longest].sum() <= 3 * bound
    assert longest == y.shape[1] or lengths[lengths <= longest + 1].sum() > 3 * bound


@given(matrices(), st.integers(0, 3))
def test_chain_and_finish_never_do_worse(y, seed):
    """The cost is the sum of rLD over classes; totals stay those of the folds."""
    if len(y) < 3:
        return
    plan = plan_of(y)
    dealt = stages.deal(*arrays(y), keys_of(len(y)), plan)
    item_parts = _exact(dealt, plan, seed)
    base = Totals(dealt.class_counts().astype(np.int64), dealt.counts.sum(axis=0))
    totals = base + stages.class_counts(dealt, item_parts, plan)
    better, after = stages.chain(dealt, item_parts, totals, plan, 0)
    assert (
        after.counts.tolist() == (base + stages.class_counts(dealt, better, plan)).counts.tolist()
    )
    assert after.sizes.sum() == len(y)
    assert _cost(after, plan) <= _cost(totals, plan) + 1e-6
    piece = stages.finish_piece(dealt, y.shape[1], 0)
    (last,), finished = stages.finish_search([piece], [better[piece.items]], after, plan)
    better[piece.items] = last
    assert (
        finished.counts.tolist()
        == (base + stages.class_counts(dealt, better, plan)).counts.tolist()
    )
    assert _cost(finished, plan) <= _cost(after, plan) + 1e-6


@given(matrices(), st.integers(0, 9), st.sampled_from([2, 3, [0.6, 0.3, 0.1]]))
def test_the_excess_of_totals(y, seed, parts):
    """The mean of abs(c / (D·w) − 1) over classes and parts, above its least, by hand."""
    if len(y) < 10:
        return
    plan = plan_of(y, parts)
    folds = np.random.default_rng(seed).integers(plan.parts.n_parts, size=len(y))
    counts = np.array([y[folds == part].sum(axis=0) for part in range(plan.parts.n_parts)]).T
    shares, sizes = plan.parts.shares, y.sum(axis=0)
    rld = np.mean(np.abs(counts / (sizes[:, None] * shares) - 1))
    least = np.mean([naive.least_rld(int(size), shares) for size in sizes])
    excess = Totals(counts, np.bincount(folds, minlength=plan.parts.n_parts)).excess(plan)
    if least > 1e-12:
        assert excess == pytest.approx(rld / least - 1)
    else:
        assert excess == (np.inf if rld > 0 else 0)


def test_a_finish_that_is_good_enough_ends(monkeypatch):
    """Rounds follow only where the rLD is too far above its bound."""
    y = (np.random.default_rng(0).random((60, 40)) < 0.3).astype(np.int32)
    y = y[:, np.argsort(y.sum(axis=0), kind="stable")]
    plan = plan_of(y)
    dealt = stages.deal(*arrays(y), keys_of(len(y)), plan)
    piece = stages.finish_piece(dealt, y.shape[1], 0)
    start = np.zeros(len(piece.items), np.int32)
    base = Totals(dealt.class_counts().astype(np.int64), dealt.counts.sum(axis=0))
    totals = base + totals_of(piece.lists, piece.list_of_item, start, plan)
    rounds = []
    monkeypatch.setattr(Search, "cool", lambda self, work, step: rounds.append(work))
    for first, second, n_rounds in ((np.inf, 0.0, 0), (-1.0, np.inf, 1), (-1.0, -1.0, 2)):
        monkeypatch.setattr(stages, "_FINISH", ((0.1, first), (0.7, second)))
        rounds.clear()
        stages.finish_search([piece], [start], totals, plan)
        assert len(rounds) == n_rounds


def _exact(dealt, plan, seed):
    """Random parts of the items that make the sizes right."""
    need = plan.parts.sizes() - dealt.counts.sum(axis=0)
    parts = np.repeat(np.arange(3, dtype=np.int32), need)
    return np.random.default_rng(seed).permutation(parts)


def _cost(totals, plan):
    target = plan.class_size[:, None] * plan.parts.shares
    return (np.abs(totals.counts - target) / plan.class_size[:, None]).sum()


@given(matrices(), st.integers(1, 5), st.integers(0, 9))
def test_rows_cut_and_joined(y, n, seed):
    number = np.random.default_rng(seed).integers(0, n, len(y))
    rows = Rows(pa.array(range(len(y))), *arrays(y))
    pieces = cut(rows, number, n)
    for which, piece in enumerate(pieces):
        there = np.flatnonzero(number == which)
        assert piece.ids.to_pylist() == there.tolist()
        got = [
            piece.indices[a:b].tolist()
            for a, b in zip(piece.indptr, piece.indptr[1:], strict=False)
        ]
        assert got == [np.flatnonzero(y[row]).tolist() for row in there]
    whole = join(pieces)
    assert len(whole) == len(y)
    assert whole.indptr[-1] == y.sum()


def test_merge_unites_rows_of_one_id():
    rows = Rows(
        pa.array(["a", "b", "a", "c"], pa.large_string()),
        np.array([0, 1, 2, 4, 4]),
        np.array([3, 1, 2, 3], np.int32),
    )
    merged = merge(rows)
    assert merged.ids.to_pylist() == ["a", "b", "c"]
    assert merged.indptr.tolist() == [0, 2, 3, 3]
    assert merged.indices.tolist() == [2, 3, 1]


@pytest.mark.parametrize("n", [1, 5])
def test_row_keys_decide_the_order_of_equal_rows(n):
    indptr = np.zeros(n + 1, np.int64)
    indices = np.zeros(0, np.int32)
    keys = keys_of(n)
    order, starts = _kernels.equal_rows(indptr, indices, np.zeros(0, np.uint64), 9, keys)
    ties = [mix(9 ^ mix((int(key) + 1) & MASK)) for key in keys]
    assert order.tolist() == sorted(range(n), key=ties.__getitem__)
    assert starts.tolist() == [0, n]
