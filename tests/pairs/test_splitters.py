import tracemalloc
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueval
import trueval.pairs
from tests.pairs import naive
from trueval.core.errors import InputError
from trueval.pairs import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    ObjectShuffleSplit,
    RepeatedObjectKFold,
    UnscorableFoldWarning,
    audit_pairs,
    coverage,
)

quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def complete(n):
    return np.array(list(combinations(range(n), 2)))


@st.composite
def pair_sets(draw, least=6, most=14):
    """Incomplete pairs with duplicates, mirror images and self pairs, ids as strings."""
    n = draw(st.integers(least, most))
    rows = draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), min_size=5, max_size=50)
    )
    rows += [(o, (o + 1) % n) for o in range(n)]  # every object occurs
    return np.array([(f"o{a:02}", f"o{b:02}") for a, b in rows])


def folds_or_none(cv, pairs, y=None):
    """Folds, or None where a training set would be empty or objects are too few."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnscorableFoldWarning)
        try:
            return list(cv.folds(y=y, groups=pairs))
        except InputError:
            return None


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


def bipartite(n_drugs=9, n_targets=12):
    return np.array([(f"d{i}", f"t{j}") for i in range(n_drugs) for j in range(n_targets)])


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


# --- scikit-learn ----------------------------------------------------------------


def small_problem():
    rng = np.random.default_rng(0)
    objects = rng.normal(size=(20, 3))
    pairs = complete(20)
    X = objects[pairs[:, 0]] + objects[pairs[:, 1]]
    return X, (X[:, 0] > 0).astype(int), np.array([f"o{i}" for i in range(20)])[pairs]


@pytest.mark.parametrize(
    "cv",
    [
        ObjectKFold(4, random_state=0, stratify=True),
        ObjectKFold(4, overlapping=True, random_state=0),
        RepeatedObjectKFold(4, 2, random_state=0, stratify=True),
        ObjectShuffleSplit(3, test_size=0.4, random_state=0, stratify=True),
    ],
)
def test_cross_validate_and_grid_search(cv):
    X, y, pairs = small_problem()
    result = cross_validate(LogisticRegression(), X, y, groups=pairs, cv=cv, scoring="roc_auc")
    assert len(result["test_score"]) == cv.get_n_splits(groups=pairs)
    assert np.nanmean(result["test_score"]) > 0.9
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=cv)
    assert search.fit(X, y, groups=pairs).best_score_ > 0.8


def test_groups_are_routed():
    X, y, pairs = small_problem()
    with config_context(enable_metadata_routing=True):
        result = cross_validate(
            make_pipeline(StandardScaler(), LogisticRegression()),
            X,
            y,
            params={"groups": pairs},
            cv=ObjectKFold(4, random_state=0),
        )
    assert len(result["test_score"]) == 4


def test_leave_two_out_in_scikit_learn():
    X, y, pairs = small_problem()
    cv = ObjectLeaveTwoOut()
    result = cross_validate(DummyClassifier(), X, y, groups=pairs, cv=cv)
    assert len(result["test_score"]) == 190 == cv.get_n_splits(groups=pairs)
    assert cross_val_predict(DummyClassifier(), X, y, groups=pairs, cv=cv).shape == (190,)


def test_newcomers_find_the_names_at_the_top():
    for name in ("ObjectKFold", "ObjectLeaveTwoOut", "audit_pairs", "coverage", "pooled_auc"):
        assert getattr(trueval, name) is getattr(trueval.pairs, name)


def test_parameters_are_kept_and_shown():
    clusters = {"a": 1}
    cv = ObjectKFold(7, scheme="relaxed", clusters=clusters)
    assert cv.clusters is clusters
    assert "n_splits=7" in repr(cv)


def test_leave_two_out_is_lazy():
    pairs = complete(120)  # 7140 pairs: a list of all training sets takes 390 MB
    tracemalloc.start()
    splits = ObjectLeaveTwoOut().split(groups=pairs)
    for _ in range(50):
        next(splits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


# --- errors ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (ObjectKFold(1), "'n_splits' parameter of ObjectKFold must be an int of at least 2"),
        (
            ObjectKFold(3, scheme="loose"),
            "'scheme' parameter .* Got 'loose'",
        ),
        (ObjectKFold(3, setting="CC"), "'setting' parameter .* Got 'CC'"),
        (ObjectKFold(3, balance="none"), "'balance' parameter"),
        (ObjectKFold(3, symmetric=False, cold="top"), "'cold' parameter"),
        (ObjectShuffleSplit(test_size=1.5), "'test_size' parameter"),
        (RepeatedObjectKFold(3, 0), "'n_repeats' parameter"),
    ],
)
def test_bad_parameters(cv, message):
    with pytest.raises(ValueError, match=message):
        list(cv.split(groups=complete(9)))


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (ObjectKFold(10), "there are 6 objects but 10 parts; .* Use n_splits=6 or fewer"),
        (ObjectKFold(2, overlapping=True), r"fold 0 .* empty training set.*at least 3"),
        (ObjectKFold(3, cold="rows"), "needs symmetric=False"),
        (ObjectKFold(3, symmetric=False, cold="rows", setting="AB"), "already validates pairs"),
        (ObjectKFold(3, symmetric=False, cold=5), "columns outside 0 … 1"),
        (ObjectKFold(3, stratify=True), "stratify=True needs y"),
        (ObjectKFold(3, weights=[1.0]), "weights has shape"),
        (ObjectShuffleSplit(test_size=6), "leaves nothing to train on: there are 6 objects"),
        (ObjectKFold(5, clusters=[0, 0, 1, 1, 2, 2]), "there are 3 clusters but 5 parts"),
    ],
)
def test_impossible_requests_name_the_fix(cv, message):
    with pytest.raises(InputError, match=message):
        list(cv.split(groups=complete(6)))


def test_a_star_has_no_strict_leave_two_out():
    star = np.array([(0, i) for i in range(1, 6)])
    with pytest.raises(InputError, match=r"empty training set.*scheme='relaxed'"):
        list(ObjectLeaveTwoOut().split(groups=star))
    assert len(list(ObjectLeaveTwoOut(scheme="relaxed").split(groups=star))) == 5


def test_lengths_of_x_and_y():
    cv, pairs = ObjectKFold(3), complete(9)
    with pytest.raises(InputError, match="X has 5 rows but groups has 36"):
        list(cv.split(np.zeros((5, 1)), groups=pairs))
    with pytest.raises(InputError, match="y has 5 rows but groups has 36"):
        list(cv.split(y=np.zeros(5), groups=pairs))
    with pytest.raises(InputError, match="groups is missing"):
        list(cv.split(np.zeros((5, 1))))


@pytest.mark.parametrize(("name", "setting"), [("C1", "AA"), ("C2", "AB"), ("C3", "BB")])
def test_settings_by_the_names_of_park_and_marcotte(name, setting):
    pairs = list(combinations(range(12), 2))
    for kind in (ObjectKFold, ObjectShuffleSplit, RepeatedObjectKFold):
        cv = kind(3, setting=name, random_state=0)
        assert cv.get_params()["setting"] == name if hasattr(cv, "get_params") else True
        assert cv.setting == name
        expected = list(kind(3, setting=setting, random_state=0).folds(groups=pairs))
        for fold, same in zip(cv.folds(groups=pairs), expected, strict=True):
            assert list(fold.validation) == [setting]
            np.testing.assert_array_equal(fold.test, same.test)
            np.testing.assert_array_equal(fold.train, same.train)
