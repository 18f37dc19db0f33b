from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier

from tests.pairs import naive
from trueval.core.errors import InputError, ParameterError
from trueval.pairs import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    ObjectShuffleSplit,
    PairKNNClassifier,
    cross_val_scores_knn,
)

quick = settings(max_examples=10, deadline=None, derandomize=True, database=None)


COMPLETE = list(combinations(range(6), 2))


@st.composite
def problems(draw, self_pairs=False):
    """Incomplete pairs without repeats, which would be ties.

    Self pairs are ties as well, (a, a) and (b, b) for the query (a, b), unless the
    fold of (a, b) leaves both out.
    """
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    n = draw(st.integers(8, 11))
    d = draw(st.integers(1, 20))
    offset = draw(st.sampled_from([0.0, 3.0, 30.0]))
    objects = rng.normal(size=(n, d)) + offset
    every = np.array([(a, b) for a in range(n) for b in range(a + (not self_pairs), n)])
    kept = every[rng.random(len(every)) < draw(st.sampled_from([0.7, 1.0]))]
    flip = rng.random(len(kept)) < 0.5
    kept[flip] = kept[flip][:, ::-1]
    return objects, rng.permutation(kept), seed


def close(ours, theirs, tolerance=1e-12):
    assert (np.isnan(ours) == np.isnan(theirs)).all()
    assert np.nanmax(np.abs(ours - theirs), initial=0.0) < tolerance


@quick
@given(problems(), st.sampled_from(["strict", "relaxed"]), st.booleans())
def test_leave_two_out_equals_refits(problem, scheme, symmetric):
    check_leave_two_out(problem, scheme, symmetric)


@quick
@given(problems(self_pairs=True), st.sampled_from(["strict", "relaxed"]))
def test_leave_two_out_with_self_pairs_equals_refits(problem, scheme):
    check_leave_two_out(problem, scheme, symmetric=True)


def check_leave_two_out(problem, scheme, symmetric):
    objects, pairs, seed = problem
    y = np.random.default_rng(seed).random(len(pairs)) < 0.4
    cv = ObjectLeaveTwoOut(scheme=scheme, symmetric=symmetric)
    values = [4, 1, 9]
    theirs = naive.knn_refit(objects, pairs, y, cv.split(groups=pairs), values)
    close(cross_val_scores_knn(objects, pairs, y, cv, values), theirs)


@quick
@given(
    problems(),
    st.sampled_from(["strict", "relaxed"]),
    st.booleans(),
    st.booleans(),
    st.integers(3, 4),
)
def test_n_fold_equals_refits(problem, scheme, overlapping, symmetric, n_splits):
    objects, pairs, seed = problem
    y = np.random.default_rng(seed).normal(size=len(pairs))
    cv = ObjectKFold(
        n_splits, scheme=scheme, overlapping=overlapping, symmetric=symmetric, random_state=seed
    )
    try:
        folds = list(cv.split(groups=pairs, y=y))
    except (InputError, UserWarning):
        return
    if min(len(train) for train, _ in folds) < 5:
        return
    theirs = naive.knn_refit(objects, pairs, y, folds, [1, 5])
    close(cross_val_scores_knn(objects, pairs, y, cv, [1, 5]), theirs)


def test_both_schemes_in_one_pass():
    rng = np.random.default_rng(0)
    objects = rng.random((18, 6))
    pairs = np.array(list(combinations(range(18), 2)))
    y = rng.random(len(pairs)) < 0.3
    both = cross_val_scores_knn(objects, pairs, y, ObjectLeaveTwoOut(), scheme="both")
    for scheme in ("strict", "relaxed"):
        cv = ObjectLeaveTwoOut(scheme=scheme)
        alone = cross_val_scores_knn(objects, pairs, y, cv)
        assert alone.shape == (153, 10)
        assert (both[scheme] == alone).all()
        some = list(cv.split(groups=pairs))[::3]
        theirs = naive.knn_refit(objects, pairs, y, some, [10, 100])
        tested = ~np.isnan(theirs[:, 0])
        close(alone[tested][:, [0, 9]], theirs[tested])


def test_many_features_with_a_large_offset():
    """Where the Gram matrix cancels, distances come from the vectors."""
    rng = np.random.default_rng(0)
    objects = 1000.0 + rng.normal(size=(20, 50)) * np.where(np.arange(20) < 10, 1e-3, 1.0)[:, None]
    pairs = np.array(list(combinations(range(20), 2)))
    y = rng.random(len(pairs)) < 0.5
    cv = ObjectLeaveTwoOut()
    theirs = naive.knn_refit(objects, pairs, y, cv.split(groups=pairs), [7])
    close(cross_val_scores_knn(objects, pairs, y, cv, 7), theirs, 1e-9)


def test_zero_distances_count_alone():
    """Objects with equal vectors make pairs at distance zero, as in scikit-learn."""
    rng = np.random.default_rng(0)
    distinct = rng.integers(-3, 4, size=(7, 3)) + 0.1
    objects = np.vstack([distinct, distinct, distinct[:4]])
    pairs = np.array(list(combinations(range(len(objects)), 2)))
    y = rng.random(len(pairs)) < 0.5
    cv = ObjectLeaveTwoOut()
    X = objects[pairs].sum(axis=1)
    ours = cross_val_scores_knn(objects, pairs, y, cv, len(pairs) // 3)
    checked = 0
    for train, test in cv.split(groups=pairs):
        distance = np.sqrt(((X[train] - X[test[0]]) ** 2).sum(axis=1))
        zero = distance == 0
        if zero.any():
            assert ours[test[0], 0] == pytest.approx(y[train][zero].mean(), abs=1e-15)
            checked += 1
    assert checked > 50


def test_any_other_splitter_fold_by_fold():
    rng = np.random.default_rng(1)
    objects = rng.normal(size=(15, 4))
    pairs = np.array(list(combinations(range(15), 2)))
    y = rng.random(len(pairs)) < 0.5
    for cv in (
        KFold(4),
        ObjectShuffleSplit(5, test_size=0.3, random_state=0),
        ObjectKFold(3, setting="AB", random_state=0),
        ObjectKFold(3, setting="AA", random_state=0),
    ):
        groups = None if isinstance(cv, KFold) else pairs
        theirs = naive.knn_refit(objects, pairs, y, cv.split(pairs, y, groups), [3, 8])
        close(cross_val_scores_knn(objects, pairs, y, cv, [3, 8]), theirs)
    with pytest.raises(InputError, match="set the scheme of the splitter"):
        cross_val_scores_knn(objects, pairs, y, KFold(4), 3, scheme="both")


def test_clusters_of_leave_two_out():
    rng = np.random.default_rng(2)
    objects = rng.normal(size=(18, 4))
    pairs = np.array(list(combinations(range(18), 2)))
    y = rng.random(len(pairs)) < 0.5
    cv = ObjectLeaveTwoOut(clusters=np.arange(18) // 2)
    theirs = naive.knn_refit(objects, pairs, y, cv.split(groups=pairs), [5])
    close(cross_val_scores_knn(objects, pairs, y, cv, 5), theirs)


@quick
@given(problems(), st.integers(2, 3), st.integers(1, 6))
def test_classifier_equals_scikit_learn(problem, n_classes, k):
    objects, pairs, seed = problem
    labels = np.array(["no", "yes", "zz"])[
        np.random.default_rng(seed).integers(n_classes, size=len(pairs))
    ]
    half = len(pairs) // 2
    labels[:n_classes] = ["no", "yes", "zz"][:n_classes]
    X = objects[pairs[:, 0]] + objects[pairs[:, 1]]
    ours = PairKNNClassifier(objects, k).fit(pairs[:half], labels[:half])
    theirs = KNeighborsClassifier(k, weights="distance", algorithm="kd_tree")
    theirs.fit(X[:half], labels[:half])
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    close(ours.predict_proba(pairs[half:]), theirs.predict_proba(X[half:]))


def test_classifier_in_scikit_learn():
    rng = np.random.default_rng(0)
    objects = rng.normal(size=(24, 3))
    pairs = np.array(list(combinations(range(24), 2)))
    y = np.where(objects[pairs].sum(axis=1)[:, 0] > 0, 1, -1)
    model = PairKNNClassifier(objects, 5)
    assert clone(model).get_params()["n_neighbors"] == 5
    cv = ObjectKFold(4, random_state=0, stratify=True)
    result = cross_validate(model, pairs, y, groups=pairs, cv=cv, scoring="roc_auc")
    assert result["test_score"].mean() > 0.8
    search = GridSearchCV(model, {"n_neighbors": [3, 9]}, cv=cv).fit(pairs, y, groups=pairs)
    assert search.best_params_["n_neighbors"] in (3, 9)
    assert set(search.predict(pairs)) <= {-1, 1}


@pytest.mark.parametrize(
    ("objects", "pairs", "y", "k", "message"),
    [
        (np.zeros(3), [[0, 1]], [1], 1, "objects must be of shape"),
        ([[np.nan]], [[0, 0]], [1], 1, "NaN or infinite values, first in row 0"),
        (np.zeros((3, 1)), [[0, 3]], [1], 1, "pairs names object 3"),
        (np.zeros((3, 1)), [["a", "b"]], [1], 1, "must be row numbers"),
        (np.zeros((3, 1)), [[0, 1]], [1, 0], 1, "y has 2 labels but pairs has 1"),
        (np.zeros((3, 1)), np.zeros((0, 2), int), [], 1, "pairs is empty"),
        (np.eye(6), COMPLETE, [0, 1, 1] * 5, 7, "smallest training set has 6"),
    ],
)
def test_bad_input_is_named(objects, pairs, y, k, message):
    with pytest.raises(InputError, match=message):
        cross_val_scores_knn(objects, pairs, y, ObjectLeaveTwoOut(), k)


def test_bad_parameters():
    objects, pairs = np.eye(4), np.array(list(combinations(range(4), 2)))
    y = [0, 1, 0, 1, 0, 1]
    for bad in (0, [], [1.5], "ten"):
        with pytest.raises(ValueError, match="'n_neighbors' parameter"):
            cross_val_scores_knn(objects, pairs, y, ObjectLeaveTwoOut(), bad)
    with pytest.raises(ValueError, match="'scheme' parameter"):
        cross_val_scores_knn(objects, pairs, y, ObjectLeaveTwoOut(), 1, scheme="loose")
    with pytest.raises(InputError, match="n_neighbors=50 but there are 6"):
        PairKNNClassifier(objects).fit(pairs, y)


def test_ties_of_whole_vectors_go_to_earlier_rows():
    """Counts and fingerprints have many equal distances; the order of rows settles them."""
    rng = np.random.default_rng(0)
    objects = rng.integers(0, 2, (20, 8)).astype(float)
    pairs = np.array([(a, b) for a in range(20) for b in range(a)])
    y = rng.integers(0, 2, len(pairs)).astype(float)
    cv = ObjectKFold(4, random_state=0)
    got = cross_val_scores_knn(objects, pairs, y, cv, [5])[:, 0]
    features = objects[pairs[:, 0]] + objects[pairs[:, 1]]
    for train, test in cv.split(None, y, pairs):
        for row in test:
            square = ((features[train] - features[row]) ** 2).sum(axis=1)
            near = np.argsort(square, kind="stable")[:5]
            if square[near[0]] == 0:
                weight = (square[near] == 0).astype(float)
            else:
                weight = 1 / np.sqrt(square[near])
            expected = (weight * y[train][near]).sum() / weight.sum()
            assert got[row] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"y": ["a", "b", "c"]}, "labels y must be real numbers: 'a' is text"),
        ({"y": None}, "y must have rows. Got None instead"),
        ({"y": [1j, 0, 2]}, "labels y must be real numbers: complex"),
        ({"objects": [["a"], ["b"], ["c"]]}, "objects must be real numbers: 'a' is text"),
    ],
)
def test_what_is_no_number_is_named(change, said):
    given = {"objects": np.eye(3), "pairs": [[0, 1], [0, 2], [1, 2]], "y": [0, 1, 1], **change}
    with pytest.raises(InputError, match=said):
        cross_val_scores_knn(**given, cv=ObjectLeaveTwoOut(), n_neighbors=1)


def test_vectors_may_be_as_large_as_their_squares_permit():
    pairs, y = [[0, 1], [1, 2]], [0, 1]
    largest = np.sqrt(np.finfo(float).max / (64 * 3))
    vectors = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 1.0], [1.0, 1.0, -1.0]]) * largest
    chances = PairKNNClassifier(vectors, 1).fit(pairs, y).predict_proba([[0, 1], [2, 1]])
    assert chances.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(InputError, match=r"no finite numbers, first in row 0 .*scale them"):
        PairKNNClassifier(2 * vectors, 1).fit(pairs, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([None] * 3, "row 0: y has a missing label"),
        ([1, np.nan, 1], "row 1: y has a missing label"),
        (np.array([1, "a", 2], object), "the labels y cannot be put in order"),
        ([[1], [0], [1]], "y must be one label for each pair"),
        ([[1], [0, 1], [1]], "y is no array"),
        (None, "y must be one label for each pair"),
        ("101", "y must be one label for each pair"),
        ([1, 0], "X has 3 pairs but y has 2 labels"),
    ],
)
def test_labels_that_are_none(y, message):
    with pytest.raises(InputError, match=message):
        PairKNNClassifier(np.eye(3), 1).fit([[0, 1], [0, 2], [1, 2]], y)


@pytest.mark.parametrize("n_neighbors", [2**70, 10**309, "12", b"12", [1, 2**70], {3}, []])
def test_numbers_of_neighbours_that_are_none(n_neighbors):
    with pytest.raises(ParameterError, match="'n_neighbors' parameter"):
        cross_val_scores_knn(np.eye(4), [[0, 1], [2, 3]], [0, 1], ObjectLeaveTwoOut(), n_neighbors)
