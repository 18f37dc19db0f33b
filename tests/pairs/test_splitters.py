"""Splitters of pairs by the definitions of the paper: schemes, settings, kinds of objects."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pairs import naive
from tests.pairs.pair_sets import bipartite, complete, folds_or_none, pair_sets, quick
from trueval.core.errors import InputError
from trueval.pairs import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    ObjectShuffleSplit,
    audit_pairs,
    coverage,
)

# --- the definitions -------------------------------------------------------------


@quick
@given(pair_sets(), st.integers(2, 4), st.sampled_from(["strict", "relaxed"]), st.booleans())
def test_kfold_follows_the_definitions(pairs, n_splits, scheme, overlapping):
    cv = ObjectKFold(n_splits, scheme=scheme, overlapping=overlapping, random_state=0)
    folds = folds_or_none(cv, pairs)
    parts = cv.parts(groups=pairs)
    part_of = {
        o: p for row, ps in zip(pairs, parts, strict=True) for o, p in zip(row, ps, strict=True)
    }
    assert set(part_of) == set(pairs.reshape(-1))
    sizes = np.bincount(list(part_of.values()), minlength=n_splits)
    assert sizes.max() - sizes.min() <= 1
    choices = naive.two_by_two(n_splits) if overlapping else [(p,) for p in range(n_splits)]
    expected = [
        naive.roles(pairs, {o for o, p in part_of.items() if p in choice}, scheme)
        for choice in choices
    ]
    if folds is None:
        assert any(not train for train, _ in expected)
        return
    assert cv.get_n_splits(groups=pairs) == len(folds) == len(choices)
    for fold, (train, valid) in zip(folds, expected, strict=True):
        assert fold.train.tolist() == train
        assert fold.test.tolist() == valid
        assert fold.n_dropped == len(pairs) - len(train) - len(valid)


@quick
@given(pair_sets(), st.sampled_from(["strict", "relaxed"]), st.booleans())
def test_leave_two_out_follows_the_definitions(pairs, scheme, symmetric):
    cv = ObjectLeaveTwoOut(scheme=scheme, symmetric=symmetric)
    named = pairs
    if not symmetric:  # the same id in the other column is another object
        named = np.array([(f"row {a}", f"column {b}") for a, b in pairs])
    expected = [
        naive.roles(named, set(pair), scheme) for pair in sorted({tuple(sorted(p)) for p in named})
    ]
    assert cv.get_n_splits(groups=pairs) == len(expected)
    folds = folds_or_none(cv, pairs)
    if folds is None:
        assert any(not train for train, _ in expected)
        return
    found = sorted((fold.train.tolist(), fold.test.tolist()) for fold in folds)
    assert found == sorted(expected)


def test_figure_2_of_the_paper():
    """Six objects: what 2-fold, 3-fold, overlapping 3-fold and leave-two-out validate."""
    pairs = complete(6)
    two = list(ObjectKFold(2, random_state=0).split(groups=pairs))
    assert [len(test) for _, test in two] == [3, 3]
    three = list(ObjectKFold(3, random_state=0).split(groups=pairs))
    assert [len(test) for _, test in three] == [1, 1, 1]

    overlapping = list(ObjectKFold(3, overlapping=True, random_state=0).split(groups=pairs))
    assert [len(test) for _, test in overlapping] == [6, 6, 6]
    times = np.bincount(np.concatenate([test for _, test in overlapping]), minlength=15)
    assert sorted(times.tolist()) == [1] * 12 + [2] * 3

    leave_two_out = list(ObjectLeaveTwoOut().split(groups=pairs))
    assert len(leave_two_out) == 15
    assert [test.tolist() for _, test in leave_two_out] == [[i] for i in range(15)]
    assert [len(train) for train, _ in leave_two_out] == [6] * 15
    relaxed = ObjectLeaveTwoOut(scheme="relaxed").split(groups=pairs)
    assert [len(train) for train, _ in relaxed] == [14] * 15


def test_sizes_of_the_paper():
    """100 objects, 4950 pairs: ten parts of ten, 45 pairs each, and C(90, 2) to train on."""
    pairs = complete(100)
    strict = list(ObjectKFold(10, random_state=1).split(groups=pairs))
    assert {(len(train), len(test)) for train, test in strict} == {(4005, 45)}
    relaxed = list(ObjectKFold(10, scheme="relaxed", random_state=1).split(groups=pairs))
    assert {(len(train), len(test)) for train, test in relaxed} == {(4905, 45)}
    overlapping = ObjectKFold(10, overlapping=True, random_state=1)
    assert overlapping.get_n_splits() == 45
    cover = coverage(overlapping, pairs)
    assert (cover.counts == 9).sum() == 450
    assert (cover.counts == 1).sum() == 4500


# --- settings --------------------------------------------------------------------


@quick
@given(pair_sets(), st.integers(2, 4), st.sampled_from(["AA", "AB", "BB"]), st.booleans())
def test_each_setting_is_what_the_audit_says(pairs, n_splits, setting, symmetric):
    cv = ObjectKFold(n_splits, setting=setting, symmetric=symmetric, random_state=3)
    for fold in folds_or_none(cv, pairs) or []:
        if len(fold.test):
            audit = audit_pairs(pairs, fold.train, fold.test, symmetric=symmetric)
            assert audit.counts[setting] == len(fold.test)
            assert audit.n_leaked == 0


@quick
@given(pair_sets(least=10), st.integers(2, 3))
def test_one_pass_yields_all_three_settings(pairs, n_splits):
    cv = ObjectKFold(n_splits, random_state=5)
    try:
        folds = list(cv.split_settings(groups=pairs))
    except InputError:
        return
    for fold in folds:
        for name, rows in fold.validation.items():
            assert not np.intersect1d(rows, fold.train).size
            if len(rows):
                audit = audit_pairs(pairs, fold.train, rows)
                assert audit.counts[name] == len(rows)
                assert audit.n_leaked == 0
        assert len(fold.test) == sum(len(rows) for rows in fold.validation.values())


def test_all_settings_at_once_do_not_depend_on_the_setting_of_split():
    made = []
    for setting in ("AA", "BB"):
        cv = ObjectKFold(3, symmetric=False, cold="rows", setting=setting, random_state=0)
        folds = cv.split_settings(groups=bipartite())
        made.append([{name: rows.tolist() for name, rows in f.validation.items()} for f in folds])
    assert made[0] == made[1]


def test_all_three_sets_of_complete_pairs():
    folds = list(ObjectKFold(5, random_state=0).split_settings(groups=complete(25)))
    for fold in folds:
        assert len(fold.validation["BB"]) == 10
        assert len(fold.validation["AB"]) == 5 * 20
        assert len(fold.validation["AA"]) + len(fold.train) == 190
        assert fold.n_dropped == 0
        assert "AB 100" in repr(fold)
    assert sum(len(fold.validation["AA"]) for fold in folds) > 0


def test_replicates_and_mirror_images_stay_together():
    rng = np.random.default_rng(0)
    base = complete(12)
    pairs = np.vstack([base, base[:, ::-1], base[rng.integers(len(base), size=40)]])
    key = [tuple(sorted(p)) for p in pairs.tolist()]
    splitters = [
        ObjectKFold(3, setting=setting, scheme=scheme, random_state=0)
        for setting in ("AA", "AB", "BB")
        for scheme in ("strict", "relaxed")
    ] + [ObjectLeaveTwoOut(scheme="relaxed"), ObjectShuffleSplit(4, setting="AA", random_state=0)]
    for cv in splitters:
        for train, test in cv.split(groups=pairs):
            assert not {key[r] for r in train} & {key[r] for r in test}


# --- bipartite and beyond --------------------------------------------------------


def test_cold_rows_columns_and_both():
    pairs = bipartite()
    drugs, targets = pairs[:, 0], pairs[:, 1]
    for cold, new, seen in (("rows", drugs, targets), ("columns", targets, drugs)):
        cv = ObjectKFold(3, symmetric=False, cold=cold, random_state=0)
        tested = []
        for train, test in cv.split(groups=pairs):
            assert not set(new[train]) & set(new[test])
            assert set(seen[test]) <= set(seen[train])
            tested.extend(test)
        assert sorted(tested) == list(range(len(pairs)))
    for train, test in ObjectKFold(3, symmetric=False, random_state=0).split(groups=pairs):
        assert len(test) == 3 * 4
        assert len(train) == 6 * 8
        assert not set(drugs[train]) & set(drugs[test])
        assert not set(targets[train]) & set(targets[test])


@pytest.mark.parametrize("cold", [0, [0]])
def test_cold_columns_by_number(cold):
    pairs = bipartite()
    named = ObjectKFold(3, symmetric=False, cold="rows", random_state=0).split(groups=pairs)
    cv = ObjectKFold(3, symmetric=False, cold=cold, random_state=0)
    for fold, expected in zip(cv.split(groups=pairs), named, strict=True):
        np.testing.assert_array_equal(fold[0], expected[0])
        np.testing.assert_array_equal(fold[1], expected[1])


def test_overlapping_bipartite_covers_every_pair_once():
    pairs = bipartite()
    cv = ObjectKFold(3, symmetric=False, overlapping=True, random_state=0)
    assert cv.get_n_splits() == 9
    assert coverage(cv, pairs).counts.tolist() == [1] * len(pairs)


def test_one_new_member_by_side():
    pairs = bipartite()
    cv = ObjectKFold(3, symmetric=False, setting="AB", random_state=0)
    for train, test in cv.split(groups=pairs):
        audit = audit_pairs(pairs, train, test, symmetric=False)
        assert audit.counts == {"AA": 0, "AB": 3 * 8 + 6 * 4, "BB": 0}
        assert audit.new_by_column == [3 * 8, 6 * 4]


def test_triples_of_two_drugs_and_a_cell_line():
    rng = np.random.default_rng(0)
    rows = np.array(
        [
            (f"d{a}", f"d{b}", f"c{c}")
            for a, b in complete(8)
            for c in range(6)
            if rng.random() < 0.8
        ]
    )
    kinds = ("drug", "drug", "cell")
    for scheme in ("strict", "relaxed"):
        cv = ObjectKFold(2, symmetric=kinds, scheme=scheme, random_state=0)
        parts = cv.parts(groups=rows)
        for p, fold in enumerate(cv.folds(groups=rows)):
            held = set(rows[parts == p].tolist())
            train, valid = naive.roles(rows, held, scheme)
            assert fold.train.tolist() == train
            assert fold.test.tolist() == valid
    cold = ObjectKFold(3, symmetric=kinds, cold=[0, 1], random_state=0)
    for train, test in cold.split(groups=rows):
        assert not set(rows[train][:, :2].ravel()) & set(rows[test][:, :2].ravel())
        assert set(rows[test][:, 2]) <= set(rows[train][:, 2])
    overlapping = ObjectKFold(4, symmetric=kinds, overlapping=True, random_state=0)
    assert overlapping.get_n_splits(groups=rows) == 6 * 4
    assert coverage(overlapping, rows).share_never == 0
    assert ObjectLeaveTwoOut(symmetric=kinds).get_n_splits(groups=rows) == len(rows)
