from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from joblib import parallel_config
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from trueval.core.errors import InputError
from trueval.pairs import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    PairKNNClassifier,
    averaged_auc,
    cross_val_scores_knn,
    pooled_auc,
    pooled_scores,
)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    objects = rng.normal(size=(24, 3))
    pairs = np.array(list(combinations(range(24), 2)))
    X = objects[pairs[:, 0]] + objects[pairs[:, 1]]
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    return objects, pairs, X, y


def test_scores_of_each_fold_by_hand(problem):
    _, pairs, X, y = problem
    cv = ObjectKFold(4, overlapping=True, random_state=0)
    result = pooled_scores(LogisticRegression(), X, y, pairs, cv)
    total, times = np.zeros(len(y)), np.zeros(len(y), dtype=int)
    folds, rates = [], []
    for number, (train, test) in enumerate(cv.split(X, y, pairs)):
        score = LogisticRegression().fit(X[train], y[train]).decision_function(X[test])
        folds.append((y[test], score))
        rates.append(y[train].mean())
        total[test] += score
        times[test] += 1
        mine = result.table.take(result.table["fold"] == number)
        assert mine["row"].tolist() == test.tolist()
        assert np.allclose(mine["score"], score)
        assert result.train_sizes[number] == len(train)
    assert (result.times == times).all()
    assert np.allclose(result.scores, total / times)
    assert np.allclose(result.train_rates, rates)
    assert averaged_auc(result) == pytest.approx(averaged_auc(folds))
    value = pooled_auc(result, null=True)
    assert value == pytest.approx(pooled_auc(folds))
    assert value.null == pooled_auc(folds, null=True, train_rates=rates).null
    same_part = int(np.flatnonzero(times == 3)[0])
    assert len(result.folds_of(same_part)) == 3


def test_equal_to_cross_val_predict_where_that_works(problem):
    _, pairs, X, y = problem
    ours = pooled_scores(LogisticRegression(), X, y, pairs, KFold(5), method="predict_proba")
    theirs = cross_val_predict(LogisticRegression(), X, y, cv=KFold(5), method="predict_proba")
    assert np.allclose(ours.scores, theirs[:, 1])
    with pytest.raises(ValueError, match="only works for partitions"):
        cross_val_predict(LogisticRegression(), X, y, groups=pairs, cv=ObjectKFold(4))


def test_the_fast_way_is_the_same(problem):
    objects, pairs, _, y = problem
    cv = ObjectLeaveTwoOut()
    slow = pooled_scores(PairKNNClassifier(objects, 7), pairs, y, pairs, cv)
    fast = cross_val_scores_knn(objects, pairs, y, cv, 7)
    assert np.abs(slow.scores - fast[:, 0]).max() < 1e-12
    assert "averaged AUC: not defined" in repr(slow)


def test_three_settings_apart(problem):
    _, pairs, X, y = problem
    result = pooled_scores(
        LogisticRegression(), X, y, pairs, ObjectKFold(4, random_state=0), settings=True
    )
    assert set(result.table["setting"]) == {"AA", "AB", "BB"}
    assert len(result.only("BB").table) == 4 * 15
    assert len(result.only("AB").table) == 4 * 6 * 18
    for name in ("AA", "AB", "BB"):
        assert result.only(name).pooled_auc() > 0.6
        assert f"{name} pooled AUC" in repr(result)
    with pytest.raises(InputError, match="split_settings"):
        pooled_scores(LogisticRegression(), X, y, pairs, KFold(3), settings=True)


@pytest.mark.parametrize("make", [sp.csr_matrix, pd.DataFrame])
def test_other_containers(problem, make):
    _, pairs, X, y = problem
    cv = ObjectKFold(4, random_state=0)
    ours = pooled_scores(LogisticRegression(), make(X), y, pairs, cv)
    theirs = pooled_scores(LogisticRegression(), X, y, pairs, cv)
    assert np.allclose(ours.scores, theirs.scores, atol=1e-4, equal_nan=True)


def test_folds_without_scores_are_counted(problem):
    _, pairs, X, y = problem
    rare = np.zeros(len(y), dtype=int)
    rare[(pairs == 0).any(axis=1)] = 1
    result = pooled_scores(LogisticRegression(), X, rare, pairs, ObjectKFold(4, random_state=0))
    assert list(result.skipped.values()) == ["all training pairs are of one class"]
    assert result.n_folds == 4
    assert len(result.used) == 3
    assert "1 fold without scores" in repr(result)
    assert "1 fold without scores" in result._repr_html_()


def test_jobs_do_not_matter(problem):
    _, pairs, X, y = problem
    cv = ObjectKFold(4, random_state=0)
    one = pooled_scores(DecisionTreeClassifier(random_state=0), X, y, pairs, cv)
    with parallel_config(backend="threading"):
        two = pooled_scores(DecisionTreeClassifier(random_state=0), X, y, pairs, cv, n_jobs=2)
    assert (one.table["score"] == two.table["score"]).all()


def test_regressors_and_numbers(problem):
    _, pairs, X, _ = problem
    y = X.sum(axis=1)
    result = pooled_scores(Ridge(), X, y, pairs, ObjectKFold(4, random_state=0))
    assert np.nanmax(np.abs(result.scores - y)) < 0.5
    assert np.isnan(result.train_rates).all()


def test_bad_input_is_named(problem):
    _, pairs, X, y = problem
    with pytest.raises(InputError, match="X has 276 rows but y has 3"):
        pooled_scores(Ridge(), X, y[:3], pairs, ObjectKFold(4))
    with pytest.raises(InputError, match="has none of the methods"):
        pooled_scores(Ridge(), X, y, pairs, ObjectKFold(4), method="predict_proba")
    with pytest.raises(InputError, match="none of the 4 folds could be scored"):
        pooled_scores(DummyClassifier(), X, np.ones(len(y)), pairs, ObjectKFold(4))
