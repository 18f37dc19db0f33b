import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from trueval import (
    InputError,
    Labels,
    MultilabelStratifiedGroupKFold,
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RareClassWarning,
    RepeatedMultilabelStratifiedKFold,
    as_labels,
    split_quality,
    train_test_split,
)
from trueval.data import simulate

Y = simulate.label_matrix(300, 6, cardinality=2, tail=0.5, random_state=0)
X = np.random.default_rng(0).normal(size=(300, 4)) + Y.toarray()[:, :4]


def test_cross_val_predict_and_pipeline():
    model = make_pipeline(StandardScaler(), OneVsRestClassifier(LogisticRegression()))
    cv = MultilabelStratifiedKFold(3, random_state=0)
    scores = cross_val_predict(model, X, Y.toarray(), cv=cv, method="predict_proba")
    assert scores.shape == (300, 6)
    assert np.isfinite(scores).all()


def test_grid_search_over_a_pipeline():
    model = make_pipeline(StandardScaler(), OneVsRestClassifier(LogisticRegression()))
    grid = {"onevsrestclassifier__estimator__C": [0.1, 1.0]}
    search = GridSearchCV(model, grid, cv=MultilabelStratifiedKFold(3, random_state=0))
    search.fit(X, Y.toarray())
    assert search.n_splits_ == 3


def test_sparse_y_stays_sparse_in_cross_validate():
    class NoDense(sp.csr_array):
        def toarray(self, *args, **kwargs):
            raise AssertionError("densified")

        todense = toarray

    seen = []
    cv = MultilabelStratifiedKFold(3, random_state=0)
    for train, test in cv.split(X, NoDense(Y)):
        seen.append(len(train) + len(test))
    assert seen == [300, 300, 300]


def test_metadata_routing_of_groups():
    groups = np.arange(300) // 3
    model = RandomForestClassifier(n_estimators=2, random_state=0)
    cv = MultilabelStratifiedGroupKFold(3, random_state=0)
    plain = cross_validate(model, X, Y.toarray(), cv=cv, groups=groups, scoring="f1_micro")
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_validate(
            model, X, Y.toarray(), cv=cv, params={"groups": groups}, scoring="f1_micro"
        )
    np.testing.assert_array_equal(plain["test_score"], routed["test_score"])


def test_shuffling_does_not_spoil_the_folds():
    y = simulate.label_matrix(3000, 100, random_state=1)
    for method in ("anneal", "iterative", "optisplit"):
        quality = {
            shuffle: split_quality(
                y,
                list(
                    MultilabelStratifiedKFold(
                        5, method=method, shuffle=shuffle, random_state=0
                    ).split(y=y)
                ),
            ).rld_wanted
            for shuffle in (True, False)
        }
        assert quality[True] <= 1.3 * quality[False]


def test_repeats_differ_and_partition():
    cv = RepeatedMultilabelStratifiedKFold(3, 4, random_state=0)
    tests = [tuple(test) for _, test in cv.split(y=Y)]
    assert len(set(tests)) == 12
    for repeat in range(4):
        rows = sorted(row for test in tests[3 * repeat : 3 * repeat + 3] for row in test)
        assert rows == list(range(300))


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({}, (270, 30)),
        ({"test_size": 0.25}, (225, 75)),
        ({"train_size": 0.25}, (75, 225)),
        ({"test_size": 60}, (240, 60)),
        ({"train_size": 100, "test_size": 50}, (100, 50)),
        ({"train_size": 0.5, "test_size": 0.1}, (150, 30)),
    ],
)
def test_shuffle_split_sizes(sizes, expected):
    for train, test in MultilabelStratifiedShuffleSplit(3, random_state=0, **sizes).split(y=Y):
        assert (len(train), len(test)) == expected
        assert not set(train) & set(test)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"test_size": 0.0}, "The 'test_size' parameter"),
        ({"test_size": 1.5}, "The 'test_size' parameter"),
        ({"train_size": -3}, "The 'train_size' parameter"),
        ({"test_size": "default"}, "The 'test_size' parameter"),
        ({"test_size": 200, "train_size": 200}, "ask for 200 train and 200 test rows"),
        ({"test_size": 300}, "ask for 0 train and 300 test rows"),
    ],
)
def test_impossible_sizes(sizes, message):
    with pytest.raises(ValueError, match=message):
        next(MultilabelStratifiedShuffleSplit(3, **sizes).split(y=Y))


@pytest.mark.parametrize(
    ("cv", "arguments", "message"),
    [
        (MultilabelStratifiedKFold(1), {}, "'n_splits' parameter of MultilabelStratifiedKFold"),
        (MultilabelStratifiedKFold(2.5), {}, "must be an int of at least 2. Got 2.5"),
        (MultilabelStratifiedKFold(method="x"), {}, "The 'method' parameter"),
        (RepeatedMultilabelStratifiedKFold(3, 0), {}, "The 'n_repeats' parameter"),
        (MultilabelStratifiedKFold(), {"groups": np.zeros(300)}, "does not use groups"),
        (MultilabelStratifiedGroupKFold(), {}, "needs groups"),
        (MultilabelStratifiedKFold(method_params="x"), {}, "must be a dict of options"),
        (MultilabelStratifiedKFold(method_params={"groups": [1]}), {}, "go to split"),
        (MultilabelStratifiedKFold(method_params={"fixed": [0]}), {}, "fixed has 1 entries"),
        (MultilabelStratifiedKFold(), {"X": np.zeros(7)}, "X has 7 rows but y has 300"),
    ],
)
def test_refused(cv, arguments, message):
    with pytest.raises(ValueError, match=message):
        next(cv.split(**{"X": None, "y": Y, **arguments}))


def test_y_is_needed():
    with pytest.raises(InputError, match="needs y, the labels"):
        next(MultilabelStratifiedKFold().split(X))


def test_representation_as_in_scikit_learn():
    assert repr(MultilabelStratifiedKFold(3)) == (
        "MultilabelStratifiedKFold(method='anneal', method_params=None, n_splits=3,\n"
        "             random_state=None, shuffle=True)"
    )


def test_method_options():
    cv = MultilabelStratifiedKFold(
        3, method="optisplit", random_state=0, method_params={"measure": "dcp"}
    )
    assert sum(len(test) for _, test in cv.split(y=Y)) == 300


def test_one_warning_whatever_the_number_of_splits():
    y = np.zeros((40, 2), dtype=int)
    y[:20, 0] = y[:2, 1] = 1
    for cv in (
        MultilabelStratifiedKFold(3, random_state=0),
        RepeatedMultilabelStratifiedKFold(3, 5, random_state=0),
        MultilabelStratifiedShuffleSplit(5, train_size=0.5, test_size=0.3, random_state=0),
    ):
        y[:3, 1] = [1, int(cv.get_n_splits() != 5), 0]  # fewer members than parts, also of two
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            list(cv.split(y=y))
        assert [w.category for w in caught] == [RareClassWarning]


# --- train_test_split --------------------------------------------------------------


def test_train_test_split_returns_what_came_in():
    dense = Y.toarray()
    frame = pd.DataFrame(X, columns=list("abcd"))
    polars = pl.DataFrame(X, schema=list("abcd"))
    names = [f"row{i}" for i in range(300)]
    parts = train_test_split(X, frame, polars, sp.coo_array(X), names, y=dense, random_state=0)
    assert len(parts) == 12
    types = [np.ndarray, pd.DataFrame, pl.DataFrame, sp.csr_array, list, np.ndarray]
    for i, expected in enumerate(types):
        assert isinstance(parts[2 * i], expected)
        assert isinstance(parts[2 * i + 1], expected)
    rows = [int(name[3:]) for name in parts[9]]
    np.testing.assert_array_equal(parts[11], dense[rows])
    np.testing.assert_array_equal(parts[1], X[rows])
    np.testing.assert_array_equal(parts[3].to_numpy(), X[rows])
    np.testing.assert_array_equal(parts[5].to_numpy(), X[rows])
    np.testing.assert_array_equal(parts[7].toarray(), X[rows])
    assert len(parts[0]) == 225


def test_train_test_split_sizes_groups_and_sparse_labels():
    train, test = train_test_split(y=Y, train_size=0.5, test_size=0.25, random_state=0)
    assert (train.shape, test.shape) == ((150, 6), (75, 6))
    assert sp.issparse(train)
    groups = np.arange(300) // 5
    group_train, group_test, _, _ = train_test_split(groups, y=Y, groups=groups, random_state=0)
    assert not set(group_train) & set(group_test)
    assert abs(len(group_test) - 75) <= 5
    labels_train, labels_test = train_test_split(y=as_labels(Y), random_state=0)
    assert isinstance(labels_train, Labels)
    assert labels_test.shape == (75, 6)


def test_train_test_split_of_label_sets():
    sets = [set(np.flatnonzero(row).tolist()) for row in Y.toarray()]
    train, test = train_test_split(y=sets, random_state=0)
    assert len(train) == 225
    assert all(isinstance(row, set) for row in test)


def test_train_test_split_lengths():
    with pytest.raises(InputError, match="array 0 has 3 rows but y has 300"):
        train_test_split([1, 2, 3], y=Y)
