from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from tests.pairs import naive
from trueval.core.errors import InputError, ParameterError
from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, cross_val_scores_ridge

quick = settings(max_examples=12, deadline=None, derandomize=True, database=None)


@quick
@given(
    st.integers(0, 1000),
    st.sampled_from(["strict", "relaxed"]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 7),
)
def test_leave_two_out_equals_refits(seed, scheme, symmetric, fit_intercept, d):
    """Incomplete pairs with replicates, mirror images and self pairs."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(9, size=(60, 2))
    X = rng.normal(size=(60, d)) + 5.0
    y = rng.normal(size=60) if seed % 2 else rng.integers(2, size=60)
    cv = ObjectLeaveTwoOut(scheme=scheme, symmetric=symmetric)
    alphas = [0.1, 10.0]
    theirs = naive.ridge_refit(X, y, cv.split(groups=pairs), alphas, fit_intercept)
    ours = cross_val_scores_ridge(X, pairs, y, cv, alphas, fit_intercept=fit_intercept)
    assert np.abs(ours - theirs).max() < 1e-9


def test_clusters_and_other_splitters():
    rng = np.random.default_rng(0)
    pairs = np.array(list(combinations(range(14), 2)))
    X, y = rng.normal(size=(len(pairs), 3)), rng.normal(size=len(pairs))
    for cv in (
        ObjectLeaveTwoOut(clusters=np.arange(14) // 2),
        ObjectKFold(3, random_state=0),
        ObjectKFold(4, overlapping=True, scheme="relaxed", random_state=0),
        KFold(5),
    ):
        groups = None if isinstance(cv, KFold) else pairs
        theirs = naive.ridge_refit(X, y, cv.split(X, y, groups), [1.0])
        ours = cross_val_scores_ridge(X, pairs, y, cv)
        assert (np.isnan(ours) == np.isnan(theirs)).all()
        assert np.nanmax(np.abs(ours - theirs)) < 1e-9


def test_ids_may_be_strings():
    rng = np.random.default_rng(0)
    pairs = np.array(list(combinations(range(8), 2)))
    X, y = rng.normal(size=(28, 2)), rng.normal(size=28)
    names = np.array([f"protein {i}" for i in range(8)])[pairs]
    cv = ObjectLeaveTwoOut()
    ours = cross_val_scores_ridge(X, names, y, cv)
    assert (ours == cross_val_scores_ridge(X, pairs, y, cv)).all()
    by_name = ObjectLeaveTwoOut(clusters={f"protein {i}": i // 2 for i in range(8)})
    theirs = naive.ridge_refit(X, y, by_name.split(groups=names), [1.0])
    assert np.abs(cross_val_scores_ridge(X, names, y, by_name) - theirs).max() < 1e-9


def test_bad_input_is_named():
    pairs = np.array(list(combinations(range(5), 2)))
    X, y = np.ones((10, 1)), np.arange(10.0)
    with pytest.raises(InputError, match="y has 3 labels but X has 10 rows"):
        cross_val_scores_ridge(X, pairs, y[:3], ObjectLeaveTwoOut())
    with pytest.raises(InputError, match="table of finite numbers"):
        cross_val_scores_ridge(X * np.nan, pairs, y, ObjectLeaveTwoOut())
    with pytest.raises(InputError, match="one finite number"):
        cross_val_scores_ridge(X, pairs, y * np.nan, ObjectLeaveTwoOut())
    with pytest.raises(ValueError, match="'alphas' parameter"):
        cross_val_scores_ridge(X, pairs, y, ObjectLeaveTwoOut(), 0.0)
    star = np.array([(0, i) for i in range(1, 6)])
    with pytest.raises(InputError, match="fold 0 has an empty training set"):
        cross_val_scores_ridge(X[:5], star, y[:5], ObjectLeaveTwoOut())


@pytest.fixture
def summed():
    """Pairs of 20 objects, their summed vectors, and a sum of these to learn."""
    objects = np.random.default_rng(0).normal(size=(20, 2))
    pairs = np.array(list(combinations(range(20), 2)))
    X = objects[pairs[:, 0]] + objects[pairs[:, 1]]
    return X, pairs, X.sum(axis=1)


SPLITTERS = pytest.mark.parametrize("cv", [ObjectLeaveTwoOut(), ObjectKFold(3, random_state=0)])


@SPLITTERS
@pytest.mark.parametrize("large", [1e154, 1e300])
def test_numbers_whose_products_cannot_be_added_up(summed, cv, large):
    """Squares of 1e153 gave scores far off, those of 1e160 gave NaN."""
    X, pairs, y = summed
    with pytest.raises(InputError, match=r"X has numbers whose sums of products .* scale them"):
        cross_val_scores_ridge(X * large, pairs, y, cv)
    with pytest.raises(InputError, match=r"y has numbers whose sums of products .* scale them"):
        cross_val_scores_ridge(X, pairs, y * large, cv)


@SPLITTERS
def test_large_numbers_that_can_be(summed, cv):
    # The model is a sum of two columns: no penalty to speak of gives y itself, in any unit.
    X, pairs, y = summed
    for scores, unit in (
        (cross_val_scores_ridge(X * 1e150, pairs, y, cv), 1.0),
        (cross_val_scores_ridge(X, pairs, y * 1e150, cv, 1e-9), 1e150),
    ):
        some = ~np.isnan(scores[:, 0])
        assert some.sum() > 20
        np.testing.assert_allclose(scores[some, 0] / unit, y[some], atol=1e-6)


@SPLITTERS
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [["1", "2"]] * 190}, "X must be real numbers: '1' is text"),
        ({"X": [[1], [1, 2]] * 95}, "X must be real numbers"),
        ({"y": ["1"] * 190}, "labels y must be real numbers: '1' is text"),
        ({"y": [None] * 190}, "y must be one finite number for each pair"),
        ({"y": None}, "y must have rows"),
        ({"y": "1" * 190}, "y must have rows"),
    ],
)
def test_what_is_no_number(summed, cv, change, message):
    data = dict(zip(("X", "pairs", "y"), summed, strict=True)) | change
    with pytest.raises(InputError, match=message):
        cross_val_scores_ridge(**data, cv=cv)


@pytest.mark.parametrize("alphas", ["12", b"12", [], {1.0}, [1, "2"], 10**309])
def test_alphas_that_are_none(summed, alphas):
    with pytest.raises(ParameterError, match="'alphas' parameter"):
        cross_val_scores_ridge(*summed, ObjectLeaveTwoOut(), alphas)
