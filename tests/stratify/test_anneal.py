"""Annealed folds: sizes, bounds, seeds, effort, progress."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_multilabel_classification

from tests.strategies import label_arrays, labels_and_parts
from trueval import _kernels, split_quality, stratified_folds
from trueval.core.labels import as_labels
from trueval.data import simulate
from trueval.stratify import _budget, measures
from trueval.stratify._costs import class_costs
from trueval.stratify._groups import group_items
from trueval.stratify._items import rank_classes, row_items
from trueval.stratify._parts import as_parts
from trueval.stratify._search import Search

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")


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
    ten = _budget.plan(items, 10.0)
    assert sum(ten) == pytest.approx(10 * sum(one), rel=0.01)
    assert ten[:-1] == one[:-1]  # the last round is the longer one


def test_few_groups_get_many_equal_rounds():
    labels = as_labels(simulate.label_matrix(500, 5, random_state=0))
    ranks, groups = rank_classes(labels), np.arange(500) % 50
    items = group_items(labels, as_parts(5, 500), ranks, groups, None, None)
    one = _budget.plan(items, 1.0)
    assert len(set(one)) == 1
    assert 4 < len(one) <= 120
    assert _budget.plan(items, 3.0) == 3 * one
    assert _budget.plan(items, 0.0) == []
    assert sum(_budget.plan(items, 0.504)) == pytest.approx(0.504 * sum(one), rel=0.01)
    many = _budget.plan(items, 1e300)  # neither memory nor an overflow
    assert len(many) == 10_000
    assert sum(many) == pytest.approx(1e12 * sum(one), rel=0.01)


def test_effort_best_ends_with_one_long_round(monkeypatch):
    """Rounds of 10 and 30, then three times as long, 1,000 label visits a second."""
    clock = Clock()
    monkeypatch.setattr(_budget, "time", clock)
    budget = _budget.Budget([10, 30], 1, 1.0, True, None)
    lengths = []
    for work in budget.rounds():
        lengths.append(work)
        clock.now += work / 1000
    # After 10 + 30 + 90 there are 0.87 s, 826 visits by 95 %: less than 270 + 810.
    assert lengths == [10, 30, 90, 826]


@pytest.mark.parametrize(("share", "kept"), [(0.5, False), (0.95, True)])
def test_a_round_that_the_time_cuts_near_its_end_counts(share, kept):
    labels = as_labels((np.random.default_rng(0).random((300, 60)) < 0.4).astype(int))
    items = row_items(labels, as_parts(5, 300), rank_classes(labels), None, None)
    search = Search(items, class_costs(items), 0)
    search.begin()
    greedy, done, work = search.best[0], [0], 20_000_000

    def step(spent):
        done[0] += spent
        if done[0] >= share * work:
            raise _budget.Stopped

    with pytest.raises(_budget.Stopped):
        search.cool(work, step)
    assert (search.best[0] < greedy) == kept


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def monotonic(self):
        return self.now


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
