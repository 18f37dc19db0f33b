"""What parts of objects balance and keep together; seeds and repeats."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pairs.pair_sets import bipartite, complete, folds_or_none, pair_sets, quick
from trueval.pairs import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    ObjectShuffleSplit,
    RepeatedObjectKFold,
    UnscorableFoldWarning,
    audit_pairs,
    coverage,
)

# --- clusters, balance, stratification -------------------------------------------


@quick
@given(pair_sets(least=10), st.integers(2, 3), st.booleans(), st.integers(0, 3))
def test_clusters_are_never_divided(pairs, n_splits, stratify, seed):
    objects = sorted(set(pairs.reshape(-1)))
    clusters = {o: i % 5 for i, o in enumerate(objects)}
    y = np.arange(len(pairs)) % 2
    cv = ObjectKFold(n_splits, clusters=clusters, stratify=stratify, random_state=seed)
    for fold in folds_or_none(cv, pairs, y) or []:
        if len(fold.test):
            audit = audit_pairs(pairs, fold.train, fold.test, clusters=clusters)
            assert audit.n_shared_clusters == 0
            assert audit.cluster_counts == {"AA": 0, "AB": 0, "BB": len(fold.test)}
    shuffled = ObjectShuffleSplit(2, test_size=0.4, clusters=clusters, random_state=seed)
    for fold in folds_or_none(shuffled, pairs, y) or []:
        if len(fold.test):
            audit = audit_pairs(pairs, fold.train, fold.test, clusters=clusters)
            assert audit.n_shared_clusters == 0


def test_leave_two_clusters_out():
    pairs = complete(9)
    clusters = {o: o // 3 for o in range(9)}
    folds = list(ObjectLeaveTwoOut(clusters=clusters).folds(groups=pairs))
    assert len(folds) == 6  # three pairs of clusters and each cluster by itself
    for fold in folds:
        assert audit_pairs(pairs, fold.train, fold.test, clusters=clusters).n_shared_clusters == 0


def hub_data(seed=0):
    rng = np.random.default_rng(seed)
    weight = 1.0 / np.arange(1, 121)
    pairs = rng.choice(120, (3000, 2), p=weight / weight.sum())
    y = rng.random(len(pairs)) < np.where((pairs % 3 == 0).any(axis=1), 0.5, 0.05)
    return pairs, y


def carried(cv, pairs, y):
    parts = cv.parts(y=y, groups=pairs)
    touches = [(parts == p).any(axis=1) for p in range(cv.n_splits)]
    return np.array([(t.sum(), (t & y).sum()) for t in touches])


def test_hubs_and_positives_are_spread():
    pairs, y = hub_data()
    spread = {}
    for balance in ("objects", "degrees"):
        loads = [
            carried(ObjectKFold(5, balance=balance, random_state=s), pairs, y) for s in range(5)
        ]
        spread[balance] = np.mean([load.std(axis=0) / load.mean(axis=0) for load in loads], axis=0)
    assert (spread["degrees"] < 0.5 * spread["objects"]).all()


def test_weights_count_in_the_balance():
    pairs, _y = hub_data()
    weights = np.where(np.arange(len(pairs)) < 300, 20.0, 1.0)
    spread = {}
    for name, given_weights in (("with", weights), ("without", None)):
        loads = []
        for seed in range(5):
            parts = ObjectKFold(5, weights=given_weights, random_state=seed).parts(groups=pairs)
            loads.append([weights[(parts == p).any(axis=1)].sum() for p in range(5)])
        spread[name] = np.mean(np.std(loads, axis=1))
    assert spread["with"] < spread["without"]


def test_stratify_gives_every_fold_both_classes():
    rng = np.random.default_rng(1)
    pairs = complete(40)
    y = np.zeros(len(pairs), dtype=int)
    y[rng.choice(len(pairs), 60, replace=False)] = 1
    plain = [coverage(ObjectKFold(8, random_state=s), pairs, y).n_unscorable for s in range(6)]
    good = [
        coverage(ObjectKFold(8, stratify=True, random_state=s), pairs, y).n_unscorable
        for s in range(6)
    ]
    assert sum(plain) > 0
    assert good == [0] * 6


def test_folds_without_pairs_are_said():
    pairs = np.array([(0, 1), (2, 3), (0, 2), (1, 3), (4, 5), (4, 0), (5, 1)])
    cv = ObjectKFold(3, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sizes = [len(test) for _, test in cv.split(groups=pairs)]
    assert (0 in sizes) == bool(caught)
    cover = None
    for seed in range(20):  # a seed that leaves a part without an inner pair
        cv = ObjectKFold(3, random_state=seed, balance="objects")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cover = coverage(cv, pairs, np.array([0, 1, 0, 1, 0, 1, 0]))
        if caught:
            assert caught[0].category is UnscorableFoldWarning
            assert "have no BB pair to validate on" in str(caught[0].message)
            assert cover.n_unscorable >= 1
            break
    else:
        pytest.fail("no seed left a part empty")


# --- shuffle, repeats, randomness ------------------------------------------------


def test_shuffle_split_sizes_and_settings():
    pairs = complete(20)
    for scheme, n_train in (("strict", 91), ("relaxed", 175)):
        cv = ObjectShuffleSplit(3, test_size=6, scheme=scheme, random_state=0)
        assert [(len(a), len(b)) for a, b in cv.split(groups=pairs)] == [(n_train, 15)] * 3
    for train, test in ObjectShuffleSplit(3, setting="AB", random_state=0).split(groups=pairs):
        assert audit_pairs(pairs, train, test).setting == "AB"
        assert len(test) == 4 * 16
    cold = ObjectShuffleSplit(2, symmetric=False, cold="rows", test_size=3, random_state=0)
    sides = bipartite()
    for train, test in cold.split(groups=sides):
        assert len(test) == 3 * 12
        assert len(train) == 6 * 12


def test_repeats_differ_and_are_counted():
    pairs = complete(12)
    cv = RepeatedObjectKFold(3, 4, random_state=0)
    folds = list(cv.folds(groups=pairs))
    assert [fold.number for fold in folds] == list(range(12)) == list(range(cv.get_n_splits()))
    assert len({tuple(fold.test) for fold in folds}) > 3
    overlapping = RepeatedObjectKFold(3, 2, overlapping=True, random_state=0)
    assert overlapping.get_n_splits() == len(list(overlapping.split(groups=pairs))) == 6


@pytest.mark.parametrize(
    "cv",
    [
        ObjectKFold(3, random_state=7),
        ObjectKFold(3, random_state=7, stratify=True),
        ObjectShuffleSplit(3, random_state=7),
        RepeatedObjectKFold(3, 2, random_state=7),
    ],
)
def test_a_seed_repeats(cv):
    pairs, y = hub_data()
    once, again = (list(cv.split(y=y, groups=pairs)) for _ in range(2))
    for (a, b), (c, d) in zip(once, again, strict=True):
        assert (a == c).all()
        assert (b == d).all()


def test_parts_do_not_depend_on_the_order_of_members():
    pairs, y = hub_data()
    one = [test for _, test in ObjectKFold(4, random_state=0).split(y=y, groups=pairs)]
    other = [test for _, test in ObjectKFold(4, random_state=0).split(y=y, groups=pairs[:, ::-1])]
    for a, b in zip(one, other, strict=True):
        assert (a == b).all()
