import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import StratifiedGroupKFold

from tests import naive
from tests.strategies import label_arrays, labels_and_parts
from trueval import InputError, _kernels, split_quality, stratified_folds
from trueval.core.labels import as_labels
from trueval.data import simulate
from trueval.stratify import _budget, _search, measures
from trueval.stratify._items import rank_classes, row_items
from trueval.stratify._parts import as_parts

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


@pytest.mark.parametrize("seed", range(4))
def test_uneven_groups_reach_the_bound(seed):
    """100 groups and two classes: only exchanges of groups get there."""
    rng = np.random.default_rng(7)
    groups = rng.choice(100, size=2000, p=rng.dirichlet(np.full(100, 0.5)))
    classes = np.where(rng.random(2000) < 0.6, groups % 2, rng.integers(2, size=2000))
    y = np.eye(2, dtype=int)[classes]
    folds = stratified_folds(y, 5, groups=groups, random_state=seed)
    assert split_quality(y, folds).rld_ratio == pytest.approx(1.0)


def test_parts_beside_a_giant_group_are_alike():
    rng = np.random.default_rng(0)
    classes = rng.integers(3, size=3000)
    groups = np.r_[np.zeros(900, int), 1 + rng.integers(300, size=2100)]
    folds = stratified_folds(np.eye(3, dtype=int)[classes], 5, groups=groups, random_state=0)
    peer = np.empty(3000, dtype=int)
    splits = StratifiedGroupKFold(5).split(classes, classes, groups)
    for part, (_, test) in enumerate(splits):
        peer[test] = part
    y = np.eye(3, dtype=int)[classes]
    assert sorted(np.bincount(folds)) == [525, 525, 525, 525, 900]
    assert split_quality(y, folds).rld <= split_quality(y, peer).rld


def test_copies_that_divide_are_exact():
    y = (np.random.default_rng(1).random((100, 30)) < 0.15).astype(int).repeat(50, axis=0)
    folds = stratified_folds(y, [0.8, 0.1, 0.1], random_state=0)
    assert split_quality(y, folds, parts=[0.8, 0.1, 0.1]).rld_wanted == pytest.approx(0, abs=1e-12)


def test_rows_without_a_label_make_room():
    """Dealt out by shares they would force labelled rows into the small part."""
    rng = np.random.default_rng(3)
    y = np.zeros((2000, 150), dtype=int)
    for c in range(150):
        y[rng.choice(2000, rng.integers(2, 5), replace=False), c] = 1
    quality = split_quality(y, stratified_folds(y, [0.9, 0.1], random_state=0), parts=[0.9, 0.1])
    assert quality.rld_ratio == pytest.approx(1.0)
    assert quality.sizes.tolist() == [1800, 200]
    assert quality.avoidable == 150
    folds = stratified_folds(y, [0.9, 0.1], cover=True, random_state=0)
    covered = split_quality(y, folds, parts=[0.9, 0.1])
    assert covered.avoidable == 0
    assert covered.sizes.tolist() == [1800, 200]


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


@pytest.mark.parametrize("options", [{}, {"n_starts": 3, "n_jobs": 2}])
def test_an_interrupt_of_a_timed_search_keeps_the_best_folds(options):
    """Ctrl-C comes at the third step, long before the time is over."""
    y = (np.random.default_rng(0).random((300, 60)) < 0.4).astype(int)
    steps = []

    def stop(done, total):
        steps.append(done)
        if len(steps) == 3:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted: these are the best folds found so far"):
        folds = stratified_folds(
            y, 5, effort="best", seconds=300, random_state=0, progress=stop, **options
        )
    start = stratified_folds(y, 5, effort=0, random_state=0)
    assert np.bincount(folds).tolist() == [60] * 5
    assert split_quality(y, folds).rld_wanted <= split_quality(y, start).rld_wanted * 1.0001


def test_effort_best_ends_with_the_time_or_the_bound():
    y = (np.random.default_rng(0).random((300, 60)) < 0.4).astype(int)
    calls = []
    folds = stratified_folds(
        y, 5, effort="best", seconds=0.3, random_state=0, progress=lambda *c: calls.append(c)
    )
    assert calls[-1] == (300, 300)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    start = stratified_folds(y, 5, effort=0, random_state=0)
    assert split_quality(y, folds).rld_wanted <= split_quality(y, start).rld_wanted * 1.0001
    easy = np.repeat(np.eye(4, dtype=int), 25, axis=0)
    perfect = stratified_folds(easy, 5, effort="best", seconds=1e6, random_state=0)
    assert split_quality(easy, perfect).rld_ratio == 1.0


def test_rounds_grow_and_add_up():
    labels = as_labels(simulate.label_matrix(500, 20, random_state=0))
    items = row_items(labels, as_parts(5, 500), rank_classes(labels), None, None)
    one = _budget.plan(items, 1.0)
    assert _budget.plan(items, 0.0) == []
    assert one == sorted(one)
    assert sum(_budget.plan(items, 10.0)) == pytest.approx(10 * sum(one), rel=0.01)


@pytest.mark.parametrize("k", [5, 20, 50])
def test_more_effort_is_never_worse_than_the_greedy_start(k):
    y = (np.random.default_rng(5).random((2000, 40)) < np.geomspace(0.5, 0.005, 40)).astype(int)
    costs = [
        split_quality(y, stratified_folds(y, k, effort=effort, random_state=0)).rld_wanted
        for effort in (0, 0.02, 0.3)
    ]
    assert costs[1] <= costs[0] * 1.0001
    assert costs[2] <= costs[0] * 1.0001


def test_unequal_parts_are_balanced():
    y = simulate.label_matrix(5000, 100, random_state=0)
    folds = stratified_folds(y, [0.8, 0.1, 0.1], random_state=0)
    quality = split_quality(y, folds, parts=[0.8, 0.1, 0.1])
    assert quality.sizes.tolist() == [4000, 500, 500]
    assert quality.rld_ratio < 1.1


def test_labels_without_any_member():
    folds = stratified_folds(np.zeros((20, 2), dtype=int), 4, random_state=0)
    assert np.bincount(folds).tolist() == [5] * 4
