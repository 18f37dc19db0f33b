"""The recipe of the guide: a search inside cross-validation, objects held out at both levels."""

from itertools import combinations

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, KFold, cross_validate

from trueval.pairs import ObjectKFold

PAIRS = np.array(list(combinations(range(30), 2)))
Y = np.random.default_rng(0).integers(2, size=len(PAIRS))


class MetNone(ClassifierMixin, BaseEstimator):
    """A model that refuses to score a pair of objects that it met in training."""

    def __init__(self, constant=0.0):
        self.constant = constant

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.met_ = np.unique(X)
        self.n_trained_ = len(X)
        return self

    def decision_function(self, X):
        assert not np.isin(X, self.met_).any(), "an object of the pair was met in training"
        return X.sum(axis=1) + self.constant


def nested(inner, outer):
    search = GridSearchCV(
        MetNone(), {"constant": [0.0, 1.0]}, cv=inner, scoring="roc_auc", error_score="raise"
    )
    with sklearn.config_context(enable_metadata_routing=True):
        return cross_validate(
            search,
            PAIRS,
            Y,
            params={"groups": PAIRS},
            cv=outer,
            scoring="roc_auc",
            return_estimator=True,
            error_score="raise",
        )


def test_no_model_scores_an_object_that_it_met():
    result = nested(ObjectKFold(3, random_state=0), ObjectKFold(5, random_state=0))
    assert len(result["test_score"]) == 5
    for search in result["estimator"]:
        # 24 objects of 30 are trained on outside; the inner folds divide their 276 pairs.
        assert search.best_estimator_.n_trained_ == 276
        assert search.n_splits_ == 3


def test_rows_inside_are_found_out():
    with pytest.raises(AssertionError, match="met in training"):
        nested(KFold(3), ObjectKFold(5, random_state=0))


def test_without_ids_the_inner_folds_say_what_is_missing():
    search = GridSearchCV(MetNone(), {"constant": [0.0]}, cv=ObjectKFold(3, random_state=0))
    with pytest.raises(ValueError, match="groups is missing"):
        search.fit(PAIRS, Y)
