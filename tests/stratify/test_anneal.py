import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_multilabel_classification

from tests import naive
from tests.strategies import label_arrays, labels_and_parts
from trueval import InputError, _kernels, split_quality, stratified_folds
from trueval.core.labels import as_labels
from trueval.data import simulate
from trueval.stratify import anneal, measures
from trueval.stratify._parts import as_parts

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")


@st.composite
def searches(draw, single=False):
    """A random search problem: the kernel and its naive twin on the same data."""
    n, q = draw(st.integers(2, 25)), draw(st.integers(1, 6))
    k = draw(st.sampled_from([2, 3, 5, 9, 17]))  # one for each number of lanes, and any
    weighted = not single and draw(st.booleans())
    return search_and_twin(n, q, k, weighted, draw(st.integers(0, 2**32 - 1)))


def search_and_twin(n, q, k, weighted, seed):
    rng = np.random.default_rng(seed)
    vectors = (rng.random((n, q)) < 0.4) * (rng.integers(1, 4, (n, q)) if weighted else 1)
    sizes = rng.integers(1, 4, n) if weighted else np.ones(n, dtype=int)
    base = rng.integers(0, 3, (q, k))
    base_sizes = rng.integers(0, 5, k)
    class_size = np.sort(vectors.sum(axis=0) + base.sum(axis=1) + 1).astype(float)
    # In 64ths, so that count - target is exact and ties are ties.
    shares = (1 + rng.multinomial(64 - k, np.full(k, 1 / k))) / 64
    wanted = shares * (sizes.sum() + base_sizes.sum())
    low, high = np.floor(wanted).astype(np.int64), np.ceil(wanted).astype(np.int64)
    lists = sp.csr_array(vectors.astype(np.int32))
    start = rng.integers(k, size=n).astype(np.int32)
    seed = int(rng.integers(2**63))
    part = start.copy()
    kernel = _kernels.AnnealSearch(
        lists.indptr.astype(np.int64),
        lists.indices.astype(np.int32),
        lists.data if weighted else None,
        np.arange(n, dtype=np.int32),
        sizes.astype(np.int32) if weighted else None,
        class_size,
        shares,
        base.astype(np.int32).ravel(),
        base_sizes,
        low,
        high,
        anneal._NOISE,
        part,
        seed,
    )
    twin = naive.AnnealSearch(
        vectors, sizes, class_size, shares, base, base_sizes, low, high, anneal._NOISE
    )
    twin.begin(start.copy(), seed)
    return kernel, part, twin, rng


@given(searches())
def test_sweeps_equal_the_twin(problem):
    kernel, part, twin, rng = problem
    for temperature in (0.3, 0.05, 0.0, 0.0):
        active = int(rng.integers(1, twin.q + 1))
        moves = kernel.sweep(temperature, 0.1, active)
        assert moves == twin.sweep(temperature, 0.1, active)
        np.testing.assert_array_equal(part, twin.part)
        assert kernel.sizes() == twin.sizes().tolist()


@given(searches(single=True), st.sampled_from([0, 3]))
def test_exchanges_equal_the_twin(problem, partners):
    kernel, part, twin, _ = problem
    sizes = kernel.sizes()
    for _ in range(3):
        before = twin.cost()
        made = kernel.exchange(partners)
        assert made == twin.exchange(partners)
        np.testing.assert_array_equal(part, twin.part)
        assert kernel.sizes() == sizes
        assert twin.cost() < before if made else twin.cost() == before


def test_blocks_of_items_equal_the_twin():
    """More than 1,024 items are visited in blocks of neighbours."""
    kernel, part, twin, _ = search_and_twin(2100, 3, 3, False, 0)
    assert twin.block == 2
    for temperature in (0.01, 0.0):
        assert kernel.sweep(temperature, 0.1, 3) == twin.sweep(temperature, 0.1, 3)
        np.testing.assert_array_equal(part, twin.part)
    assert kernel.exchange(1) == twin.exchange(1)
    np.testing.assert_array_equal(part, twin.part)


@given(searches())
def test_greedy_equals_the_twin(problem):
    kernel, part, twin, rng = problem
    order = rng.permutation(twin.n)
    kernel.greedy(order)
    twin.greedy(order)
    np.testing.assert_array_equal(part, twin.part)


@given(labels_and_parts(), st.integers(0, 2**32 - 1))
def test_settle_makes_sizes_exact(problem, seed):
    y, parts = problem
    start = np.random.default_rng(seed).integers(as_parts(parts, len(y)).n_parts, size=len(y))
    wanted = as_parts(parts, len(y))
    sizes = np.bincount(
        stratified_folds(y, parts, initial=start, random_state=seed), minlength=wanted.n_parts
    )
    assert ((wanted.low <= sizes) & (sizes <= wanted.high)).all()


def test_strict_sweeps_never_raise_the_cost():
    y = simulate.label_matrix(500, 40, random_state=0)
    start = stratified_folds(y, 5, method="random", random_state=1)
    before = split_quality(y, start).rld_wanted
    after = split_quality(y, stratified_folds(y, 5, initial=start, random_state=0)).rld_wanted
    assert after < 0.5 * before


@given(label_arrays(), st.integers(0, 2**64 - 1))
def test_equal_rows_stand_together(y, seed):
    labels = as_labels(y)
    order, starts = _kernels.equal_rows(
        labels.indptr, labels.indices, labels.class_signatures, seed
    )
    assert sorted(order.tolist()) == list(range(len(y)))
    runs = [order[a:b] for a, b in itertools.pairwise(starts)]
    for run in runs:
        assert (y[run] == y[run[0]]).all()
    assert len(runs) == len({tuple(row) for row in y.tolist()})


@given(label_arrays())
def test_class_signatures_tell_sets_of_rows(y):
    labels = as_labels(y)
    np.testing.assert_array_equal(labels.class_sizes, y.sum(axis=0))
    same = labels.class_signatures[:, None] == labels.class_signatures
    np.testing.assert_array_equal(same, (y.T[:, None] == y.T).all(axis=2))


def test_duplicates_are_dealt_out_evenly():
    y = np.repeat(np.eye(3, dtype=int), [50, 20, 30], axis=0)
    folds = stratified_folds(y, 5, random_state=0)
    counts = measures.class_part_counts(as_labels(y), folds, 5)
    assert counts.tolist() == [[10] * 5, [4] * 5, [6] * 5]
    assert not np.array_equal(folds[:50], stratified_folds(y, 5, random_state=1)[:50])


@pytest.mark.parametrize("parts", [5, [0.9, 0.1], [0.7, 0.3], [0.8, 0.1, 0.1]])
@pytest.mark.parametrize(("n_rows", "n_classes"), [(3000, 10), (1000, 10), (2400, 14)])
def test_dense_classes_reach_the_bound(n_rows, n_classes, parts):
    """Few label sets with many rows each: classes pull, sizes must not give way."""
    _, y = make_multilabel_classification(n_rows, n_classes=n_classes, random_state=0)
    folds = stratified_folds(y, parts, random_state=0)
    quality = split_quality(y, folds, parts=parts)
    wanted = as_parts(parts, n_rows)
    assert ((wanted.low <= quality.sizes) & (quality.sizes <= wanted.high)).all()
    assert quality.rld_ratio < 1.1
    for rival in ("iterative", "random"):
        other = stratified_folds(y, parts, method=rival, random_state=0)
        assert quality.rld_ratio <= split_quality(y, other, parts=parts).rld_ratio + 1e-9


def test_optimal_on_small_problems():
    """The search finds the best of all splits with exact sizes."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        y = (rng.random((8, 4)) < 0.4).astype(int)
        y[0] = 1
        best = min(
            split_quality(y, np.isin(np.arange(8), half).astype(int)).rld_wanted
            for half in itertools.combinations(range(8), 4)
        )
        found = split_quality(y, stratified_folds(y, 2, random_state=0, n_starts=4)).rld_wanted
        assert found == pytest.approx(best)


# --- groups --------------------------------------------------------------------------


@given(labels_and_parts(min_rows=12), st.integers(0, 2**32 - 1))
def test_groups_are_kept_together(problem, seed):
    y, parts = problem
    k = as_parts(parts, len(y)).n_parts
    groups = np.random.default_rng(seed).integers(0, max(k, len(y) // 3), size=len(y))
    groups[:k] = np.arange(k)  # at least as many groups as parts
    for method in ("anneal", "random"):
        folds = stratified_folds(y, parts, method=method, groups=groups, random_state=seed)
        for group in set(groups.tolist()):
            assert len(set(folds[groups == group].tolist())) == 1


def test_groups_stay_balanced():
    y = simulate.label_matrix(4000, 100, random_state=0)
    groups = np.random.default_rng(0).integers(800, size=4000)
    ours = split_quality(y, stratified_folds(y, 5, groups=groups, random_state=0))
    plain = split_quality(y, stratified_folds(y, 5, method="random", groups=groups, random_state=0))
    assert ours.rld_wanted < 0.4 * plain.rld_wanted
    assert ours.sizes.max() - ours.sizes.min() <= 10


def test_groups_of_one_row_are_rows():
    y = simulate.label_matrix(300, 20, random_state=0)
    folds = stratified_folds(y, 5, groups=np.arange(300), random_state=0)
    assert np.bincount(folds).tolist() == [60] * 5


def test_one_huge_group():
    y = simulate.label_matrix(300, 20, random_state=0)
    groups = np.r_[np.zeros(200, dtype=int), np.arange(1, 101)]
    folds = stratified_folds(y, 3, groups=groups, random_state=0)
    sizes = np.sort(np.bincount(folds, minlength=3))
    assert sizes.tolist() == [50, 50, 200]


def test_no_part_is_left_empty():
    y = (np.random.default_rng(0).random((100, 5)) < 0.3).astype(int)
    groups = np.arange(100) // 10
    for shares in ([0.9, 0.05, 0.05], [0.94, 0.03, 0.03], [0.97, 0.03]):
        folds = stratified_folds(y, shares, groups=groups, random_state=0)
        assert (np.bincount(folds, minlength=len(shares)) > 0).all()


def test_containers_of_groups_do_not_matter():
    y = simulate.label_matrix(120, 6, random_state=0)
    names = [f"p{i % 30}" for i in range(120)]
    reference = stratified_folds(y, 3, groups=names, random_state=0)
    for same in (np.array(names), np.array(names, dtype=object), pd.Series(names)):
        np.testing.assert_array_equal(
            reference, stratified_folds(y, 3, groups=same, random_state=0)
        )


@pytest.mark.parametrize("method", ["random", "anneal"])
def test_a_start_by_name_keeps_the_groups(method):
    y = simulate.label_matrix(120, 6, random_state=0)
    groups = np.arange(120) // 4
    folds = stratified_folds(y, 3, groups=groups, initial=method, random_state=0)
    assert (folds.reshape(30, 4) == folds.reshape(30, 4)[:, :1]).all()


# --- fixed rows -----------------------------------------------------------------------


@given(labels_and_parts(min_rows=6), st.integers(0, 2**32 - 1))
def test_fixed_rows_stay(problem, seed):
    y, parts = problem
    rng = np.random.default_rng(seed)
    k = as_parts(parts, len(y)).n_parts
    fixed = np.where(rng.random(len(y)) < 0.5, rng.integers(k, size=len(y)), -1)
    folds = stratified_folds(y, parts, fixed=fixed, random_state=seed)
    np.testing.assert_array_equal(folds[fixed >= 0], fixed[fixed >= 0])
    assert ((folds >= 0) & (folds < k)).all()


def test_a_grown_data_set_keeps_its_folds_and_sizes():
    y = simulate.label_matrix(2000, 60, random_state=0)
    old = stratified_folds(y[:1500], 5, random_state=0)
    fixed = np.r_[old, np.full(500, -1)]
    folds = stratified_folds(y, 5, fixed=fixed, random_state=0)
    np.testing.assert_array_equal(folds[:1500], old)
    quality = split_quality(y, folds)
    assert quality.sizes.tolist() == [400] * 5
    assert quality.rld_ratio < 1.2


def test_all_rows_fixed():
    y = simulate.label_matrix(50, 5, random_state=0)
    fixed = np.arange(50) % 3
    np.testing.assert_array_equal(stratified_folds(y, 3, fixed=fixed, random_state=0), fixed)


def test_an_overfull_part_takes_no_more():
    y = simulate.label_matrix(100, 10, random_state=0)
    fixed = np.full(100, -1)
    fixed[:60] = 0
    folds = stratified_folds(y, 4, fixed=fixed, random_state=0)
    assert np.sort(np.bincount(folds)).tolist() == [13, 13, 14, 60]


def test_fixed_groups():
    y = simulate.label_matrix(90, 10, random_state=0)
    groups = np.arange(90) // 3
    fixed = np.full(90, -1)
    fixed[0], fixed[30] = 2, 1  # one row is enough to fix its group
    folds = stratified_folds(y, 3, groups=groups, fixed=fixed, random_state=0)
    assert folds[:3].tolist() == [2, 2, 2]
    assert folds[30:33].tolist() == [1, 1, 1]
    fixed[1] = 0
    with pytest.raises(InputError, match="a group can only be in one part"):
        stratified_folds(y, 3, groups=groups, fixed=fixed, random_state=0)
    with pytest.raises(InputError, match="initial folds separate rows of one group"):
        stratified_folds(y, 3, groups=groups, initial=np.arange(90) % 3)


# --- seeds, threads, effort, progress ----------------------------------------------------


def test_n_jobs_does_not_change_the_result():
    y = simulate.label_matrix(1000, 50, random_state=0)
    folds = [
        stratified_folds(y, 5, n_starts=4, n_jobs=jobs, random_state=3) for jobs in (None, 1, 2, 4)
    ]
    for other in folds[1:]:
        np.testing.assert_array_equal(folds[0], other)


def test_more_starts_and_more_effort_are_no_worse():
    y = simulate.label_matrix(3000, 200, random_state=0)

    def cost(**options):
        return split_quality(y, stratified_folds(y, 5, random_state=0, **options)).rld_wanted

    assert cost(effort=3) <= cost(effort=0.02) * 1.001
    assert cost(effort=0.1, n_starts=5) <= cost(effort=0.1) * 1.01


def test_progress_is_told_and_ends_at_the_total():
    y = simulate.label_matrix(500, 20, random_state=0)
    for options in ({}, {"n_starts": 3, "n_jobs": 2}, {"initial": "random"}, {"effort": 0}):
        calls = []
        stratified_folds(
            y, 5, random_state=0, progress=lambda *call, c=calls: c.append(call), **options
        )
        done = [d for d, _ in calls]
        assert done == sorted(done)
        assert calls[-1][0] == calls[-1][1]


@pytest.mark.parametrize("method", ["optisplit", "sampling"])
def test_progress_of_the_other_slow_methods(method):
    calls = []
    y = simulate.label_matrix(500, 20, random_state=0)
    stratified_folds(y, 5, method=method, random_state=0, progress=lambda *c: calls.append(c))
    assert calls[-1][0] == calls[-1][1]


@given(label_arrays(), st.booleans(), st.integers(0, 2**32 - 1))
def test_row_sums(y, weighted, seed):
    rng = np.random.default_rng(seed)
    y = y * rng.integers(1, 5, y.shape) if weighted else y
    lists = sp.csr_array(y.astype(np.int32))
    value = rng.normal(size=y.shape[1])
    sums = _kernels.row_sums(
        lists.indptr.astype(np.int64),
        lists.indices.astype(np.int32),
        lists.data if weighted else None,
        value,
    )
    np.testing.assert_allclose(sums, y @ value, rtol=1e-12, atol=1e-12)


def test_an_interrupt_comes_through():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stratified_folds(simulate.label_matrix(500, 20, random_state=0), 5, progress=stop)


def test_unequal_parts_are_balanced():
    y = simulate.label_matrix(5000, 100, random_state=0)
    folds = stratified_folds(y, [0.8, 0.1, 0.1], random_state=0)
    quality = split_quality(y, folds, parts=[0.8, 0.1, 0.1])
    assert quality.sizes.tolist() == [4000, 500, 500]
    assert quality.rld_ratio < 1.1


def test_labels_without_any_member():
    folds = stratified_folds(np.zeros((20, 2), dtype=int), 4, random_state=0)
    assert np.bincount(folds).tolist() == [5] * 4
