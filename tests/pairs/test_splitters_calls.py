"""Splitters of pairs in scikit-learn, and what they refuse."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueval
import trueval.pairs
from tests.pairs.pair_sets import complete
from trueval.core.errors import InputError
from trueval.pairs import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    ObjectShuffleSplit,
    RepeatedObjectKFold,
)

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
        (ObjectKFold(3, symmetric=False, cold=-1), "'cold' parameter"),
        (ObjectKFold(3, symmetric=False, cold=[0, -1]), "'cold' parameter"),
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
