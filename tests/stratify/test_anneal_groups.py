"""Groups that stay together, and rows that are fixed."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedGroupKFold

from tests.strategies import labels_and_parts
from trueval import InputError, InputWarning, split_quality, stratified_folds
from trueval.data import simulate
from trueval.stratify._parts import as_parts

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")


def test_one_group_cannot_be_divided():
    with pytest.raises(InputError, match="one value for all rows"):
        stratified_folds(np.eye(6, dtype=int), 2, groups=np.zeros(6))


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


@pytest.mark.parametrize("seed", range(8))
def test_few_groups_are_nearly_as_good_as_the_best_of_all_divisions(seed):
    """13 groups in two parts can be divided in 4,096 ways; sizes count half as much as a class."""
    rng = np.random.default_rng(seed)
    groups = np.sort(np.r_[np.arange(13), rng.choice(13, 387, p=rng.dirichlet(np.ones(13)))])
    y = (rng.random((400, 4)) < rng.random((13, 4))[groups]).astype(int)
    columns = np.c_[y, np.ones(400)]  # the last one stands for the sizes
    of_group = np.array([columns[groups == group].sum(axis=0) for group in range(13)])
    weight = np.array([1, 1, 1, 1, 0.5])

    def costs(sides):
        return np.abs(sides @ of_group / (of_group.sum(axis=0) / 2) - 1) @ weight

    everything = np.array(list(itertools.product([0, 1], repeat=12)))[1:]
    least = costs(np.c_[np.zeros(len(everything)), everything]).min()
    folds = stratified_folds(y, 2, groups=groups, random_state=seed)
    part = np.array([folds[groups == group][0] for group in range(13)])
    assert costs(part) <= 1.05 * least  # evenness counts a little, too


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


@pytest.mark.parametrize("groups", [None, np.arange(9)])
def test_a_part_that_fixed_rows_leave_empty_is_named(groups):
    fixed = np.r_[np.zeros(8, int), -1]
    with pytest.warns(InputWarning, match=r"part 2 has no rows \(1 of 3 parts"):
        folds = stratified_folds(np.eye(9, dtype=int), 3, fixed=fixed, groups=groups)
    assert np.bincount(folds, minlength=3).tolist() == [8, 1, 0]


@pytest.mark.parametrize("name", ["groups", "fixed", "initial"])
def test_a_series_with_the_rows_in_another_order_is_refused(name):
    rows = [f"r{i}" for i in range(6)]
    y = pd.DataFrame(np.eye(6, dtype=int), index=rows)
    values = pd.Series([0, 0, 0, 1, 1, 1], index=rows[::-1])
    with pytest.raises(InputError, match=f"{name} has the rows of y in another order: row 0"):
        stratified_folds(y, 2, **{name: values})
    same = stratified_folds(y, 2, **{name: values.loc[rows]}, random_state=0)
    by_position = stratified_folds(y, 2, **{name: values.loc[rows].to_numpy()}, random_state=0)
    renumbered = values.loc[rows].reset_index(drop=True)
    np.testing.assert_array_equal(same, by_position)
    np.testing.assert_array_equal(
        stratified_folds(y, 2, **{name: renumbered}, random_state=0), by_position
    )


def test_quality_refuses_folds_in_another_order():
    y = pd.DataFrame(np.eye(4, dtype=int))
    with pytest.raises(InputError, match="folds has the rows of y in another order"):
        split_quality(y, pd.Series([0, 1, 0, 1], index=[3, 2, 1, 0]))
    with pytest.raises(InputError, match="groups has the rows of y in another order"):
        split_quality(y, [0, 1, 0, 1], groups=pd.Series([0, 1, 0, 1], index=[3, 2, 1, 0]))
