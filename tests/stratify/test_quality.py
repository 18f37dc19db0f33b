import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueval import InputError, MultilabelStratifiedKFold, split_quality
from trueval.data import simulate
from trueval.show import summary

Y = simulate.label_matrix(200, 10, random_state=0)


def test_folds_and_index_pairs_agree():
    cv = MultilabelStratifiedKFold(4, random_state=0)
    pairs = list(cv.split(y=Y))
    numbers = np.empty(200, dtype=int)
    for part, (_, test) in enumerate(pairs):
        numbers[test] = part
    a = split_quality(Y, numbers)
    masks = [(numbers != part, numbers == part) for part in range(4)]
    for same in (pairs, [list(pair) for pair in pairs], masks):
        b = split_quality(Y, same)
        assert (a.rld, a.dcp, a.ld, a.ed) == (b.rld, b.dcp, b.ld, b.ed)


def test_nothing_to_measure_is_not_the_worst_score():
    quality = split_quality(np.zeros((20, 3), dtype=int), [0, 1] * 10)
    assert np.isnan(quality.rld_ratio)
    assert quality.n_empty == 3


def test_shown_in_terminal_and_notebook():
    quality = split_quality(Y, np.arange(200) % 4)
    text, page = repr(quality), quality._repr_html_()
    for word in ("rLD", "DCP", "LD", "ED", "fold sizes: 50, 50, 50, 50", "gaps"):
        assert word in text
        assert word in page
    assert f"{quality.rld_bound:.5f}" in text
    assert "<table" in page
    assert max(map(len, text.splitlines())) <= 100


def test_unequal_parts_are_judged_by_their_shares():
    y = np.zeros((10, 1), dtype=int)
    y[4:9] = 1
    folds = [0] * 8 + [1] * 2
    assert split_quality(y, folds, parts=[0.8, 0.2]).rld_wanted == pytest.approx(0)
    assert split_quality(y, folds, parts=[0.8, 0.2]).ed == pytest.approx(0)
    assert split_quality(y, folds).ed == 3


def test_per_class_is_a_table():
    table = split_quality(Y, np.arange(200) % 4).per_class
    assert len(table) == 10
    assert table.to_pandas().shape == (10, 9)
    assert table.to_polars().shape == (10, 9)
    assert table["class"].tolist() == list(range(10))
    worst = table.sort_by("rld_wanted", descending=True).head(1)
    assert worst["rld_wanted"][0] == table["rld_wanted"].max()


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([0, 1], "folds has 2 entries but y has 200 rows"),
        (np.full(200, -2), "row 0: folds has -2"),
        (np.full(200, -1), "every row is in no part"),
        (np.full(200, 0.5), "row 0: folds has 0.5"),
        (np.zeros((200, 2)), r"Got shape \(200, 2\)"),
        (["a"] * 200, "one part number"),
        (
            [(np.arange(100), np.arange(150)), (0, np.arange(100, 200))],
            "repeat 50 of 200 rows, the first row 100",
        ),
        ([(np.arange(100), np.arange(100, 150))], "leave out 150 of 200 rows, the first row 0"),
        ((np.arange(100), np.arange(100, 150)), r"a single \(train, test\) pair.*all pairs, list"),
        ([list(range(75)), list(range(75, 150))], r"a single \(train, test\) pair"),
        ([[0, 1, 2], [3], [4]], "one part number .* or a list of"),
        ([(0, np.array([500]))], "outside the rows 0"),
        ([(0, np.array([0.5]))], "must be row numbers, or a boolean mask"),
    ],
)
def test_bad_folds(folds, message):
    with pytest.raises(InputError, match=message):
        split_quality(Y, folds)


def test_more_part_numbers_than_parts():
    with pytest.raises(InputError, match="part numbers up to 3, but only 2 parts"):
        split_quality(Y, np.arange(200) % 4, parts=2)


def test_classes_without_negatives_are_left_out_of_the_means():
    """Section 5.3 of the OptiSplit paper: a class of all rows changes no figure but the count."""
    rng = np.random.default_rng(0)
    y = (rng.random((40, 6)) < 0.3).astype(int)
    folds = rng.permutation(np.arange(40) % 4)
    plain = split_quality(y, folds)
    wider = split_quality(np.hstack([y, np.ones((40, 2), dtype=int)]), folds)
    for name in ("ld", "rld", "rld_wanted", "rld_bound", "dcp", "dcp_bound", "ed"):
        assert getattr(wider, name) == pytest.approx(getattr(plain, name))
    assert (plain.n_full, wider.n_full, wider.n_empty) == (0, 2, plain.n_empty)
    assert "full: 2 classes have no negative" in str(wider)


def test_the_forced_bound_forgets_classes_without_negatives():
    y = np.eye(10, dtype=int).repeat(7, axis=0)
    folds = np.arange(70) % 10 >= 7
    plain = split_quality(y, folds.astype(int), parts=[0.7, 0.3])
    full = np.ones((70, 3), dtype=int)
    wider = split_quality(np.hstack([full, y]), folds.astype(int), parts=[0.7, 0.3])
    assert plain.rld_bound > plain.per_class["rld_bound"].mean()  # sizes force something
    assert wider.rld_bound == pytest.approx(plain.rld_bound)


def test_only_classes_without_negatives_leave_no_mean():
    quality = split_quality(np.ones((6, 2), dtype=int), [0, 1] * 3)
    assert np.isnan(quality.rld)
    assert quality.n_full == 2


def test_groups_that_force_an_imbalance_are_no_fault_of_the_split():
    """One group has three of four positives: 3 to 1 is all that is possible, rLD 0.5."""
    y, groups = np.array([[1]] * 4 + [[0]] * 4), np.array([0, 0, 0, 1, 1, 2, 3, 4])
    quality = split_quality(y, [0, 0, 0, 1, 1, 1, 0, 1], groups=groups)
    assert (quality.rld_wanted, quality.rld_bound, quality.group_bound) == (0.5, 0, 0.5)
    assert (quality.group_ratio, quality.groups_split, quality.avoidable) == (1, 0, 0)
    assert "Class counts reach the lower bound" in str(quality)
    assert "keep groups together cannot reach less than 0.5000" in summary(quality).verdict.reason


def test_a_perfect_split_is_told_from_rounding():
    """80 of 300 rows are 4/15, which is no float; the bound is 0 to the last bit."""
    y = np.zeros((300, 1), dtype=int)
    y[:150] = 1
    groups = np.repeat(np.arange(4), [40, 110, 40, 110])
    for whole, ratio in (([1, 3], 1), ([0, 3], np.inf)):
        folds = np.isin(groups, whole).astype(int)
        quality = split_quality(y, folds, parts=[4 / 15, 11 / 15], groups=groups)
        assert (quality.rld_bound, quality.group_bound) == (0, 0)
        assert (quality.rld_ratio, quality.group_ratio) == (ratio, ratio)


def test_groups_in_several_parts_are_counted():
    y, groups = np.eye(2, dtype=int)[[0, 1] * 4], list("aabbccdd")
    quality = split_quality(y, [0, 0, 0, 1, 1, 0, 1, -1], groups=groups)
    assert quality.groups_split == 2  # b and c; d has one row in a part
    assert "2 groups have rows in several folds" in str(quality)
    assert summary(quality).verdict.level != "good"
    assert split_quality(y, [0, 1] * 4).groups_split is None


def test_a_class_in_too_few_groups_has_no_avoidable_gap():
    y = np.array([[1, 1]] * 3 + [[0, 1]] * 3)
    groups, folds = [0, 0, 0, 1, 2, 2], [0, 0, 0, 1, 2, 2]
    alone, together = split_quality(y, folds), split_quality(y, folds, groups=groups)
    assert (alone.missing, alone.avoidable) == (2, 2)
    assert (together.missing, together.avoidable) == (2, 0)  # the first class is in one group


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_split_groups_by_sets(seed, k):
    rng = np.random.default_rng(seed)
    groups, folds = rng.integers(6, size=20), rng.integers(k, size=20)
    expected = sum(len({*folds[groups == g].tolist()}) > 1 for g in range(6))
    y = (rng.random((20, 3)) < 0.5).astype(int)
    assert split_quality(y, folds, parts=k, groups=groups).groups_split == expected
