"""Cross-fitted values against a plain loop over the folds."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import KFold, RepeatedKFold

from trueval import MultilabelStratifiedGroupKFold
from trueval.core.errors import InputError
from trueval.data.simulate import simulation_one
from trueval.rank import IsotonicRanker, OneClassWarning, PrecisionRanker, cross_fit

CV = KFold(4, shuffle=True, random_state=2)


def top_scores(scores, share=0.4, seed=0):
    """The same scores with most pairs left out, one stored zero among them."""
    keep = np.random.default_rng(seed).random(scores.shape) < share
    rows, columns = np.nonzero(keep)
    data = scores[rows, columns].copy()
    data[0] = 0.0
    return sp.csr_array((data, (rows, columns)), shape=scores.shape)


@pytest.mark.parametrize("ranker", [IsotonicRanker(), PrecisionRanker()])
@pytest.mark.parametrize("make", [np.asarray, top_scores, pd.DataFrame])
def test_equals_a_loop_over_the_folds(ranker, make):
    scores, y = simulation_one(240, 0.2, random_state=0)
    given, y = make(scores), y.toarray()
    got = cross_fit(ranker, given, y, cv=CV)
    rows_of = given.iloc if isinstance(given, pd.DataFrame) else given
    for train, test in CV.split(scores):
        own = type(ranker)().fit(rows_of[train], y[train])
        expected = own.transform(rows_of[test])
        if sp.issparse(given):
            assert sp.issparse(got)
            assert got.nnz == given.nnz
            np.testing.assert_array_equal(got[test].toarray(), expected.toarray())
        else:
            assert isinstance(got, np.ndarray)
            np.testing.assert_array_equal(got[test], expected)


def test_equals_scikit_learn_isotonic_regression():
    scores, y = simulation_one(200, 0.3, random_state=1)
    y = y.toarray()
    got = cross_fit(IsotonicRanker(tie_break=False), scores, y, cv=CV)
    expected = np.empty_like(got)
    for train, test in CV.split(scores):
        for k in range(scores.shape[1]):
            curve = IsotonicRegression(out_of_bounds="clip").fit(scores[train, k], y[train, k])
            expected[test, k] = curve.predict(scores[test, k])
    np.testing.assert_allclose(got, expected, atol=1e-9)


def test_own_labels_do_not_matter():
    scores, y = simulation_one(200, 0.2, random_state=0)
    y = y.toarray()
    values = cross_fit(IsotonicRanker(), scores, y, cv=CV)
    test = next(CV.split(scores))[1]
    flipped = y.copy()
    flipped[test] = 1 - flipped[test]
    np.testing.assert_array_equal(
        cross_fit(IsotonicRanker(), scores, flipped, cv=CV)[test], values[test]
    )


def test_the_same_seed_gives_the_same_values():
    scores, y = simulation_one(120, 0.2, random_state=0)
    one, two = (cross_fit(IsotonicRanker(), scores, y, cv=3, random_state=4) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    ranker = IsotonicRanker()
    cross_fit(ranker, scores, y, cv=3)
    assert not hasattr(ranker, "classes_")


def test_classes_without_members_are_said_once():
    scores, y = simulation_one(120, 0.2, random_state=0)
    y = y.toarray()
    y[:, 2] = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = cross_fit(IsotonicRanker(), scores, y, cv=CV)
    assert [w.category for w in caught] == [OneClassWarning]
    assert "1 with no positives (2)" in str(caught[0].message)
    assert "3 more folds" in str(caught[0].message)
    assert (values[:, 2] == 0).all()


def test_classes_are_named_where_the_labels_have_names():
    scores, y = simulation_one(120, 0.2, random_state=0)
    names = [f"GO:{k}" for k in range(y.shape[1])]
    frame = pd.DataFrame(y.toarray(), columns=names)
    frame["GO:2"] = 0
    with pytest.warns(OneClassWarning, match=r"1 with no positives \(GO:2\)"):
        cross_fit(IsotonicRanker(), pd.DataFrame(scores, columns=names), frame, cv=CV)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"ranker": "isotonic"}, TypeError, "'ranker' parameter of cross_fit"),
        ({"cv": 1}, ValueError, "'cv' parameter"),
        ({"cv": "five"}, TypeError, "'cv' parameter"),
        ({"cv": 2.5}, TypeError, "'cv' parameter"),
        ({"cv": [([0], [1], [2])]}, InputError, r"\(train, test\) pairs"),
        ({"cv": [([0], range(60))]}, InputError, "one fold only"),
        ({"cv": CV, "groups": np.arange(60) // 3}, InputError, "separates rows .* one group"),
        ({"groups": np.arange(59)}, InputError, "groups has 59 entries but y has 60 rows"),
        ({"cv": RepeatedKFold(n_splits=2, n_repeats=2)}, InputError, "repeat 60 of 60 rows"),
        ({"y": np.ones((3, 5))}, InputError, "scores has 60 rows but y has 3"),
    ],
)
def test_wrong_input(change, error, said):
    scores, y = simulation_one(60, 0.3, random_state=0)
    given = {"ranker": IsotonicRanker(), "scores": scores, "y": y, **change}
    with pytest.raises(error, match=said):
        cross_fit(given.pop("ranker"), given.pop("scores"), given.pop("y"), **given)


def test_groups_are_kept_together():
    scores, y = simulation_one(120, 0.3, random_state=0)
    y, groups = y.toarray(), [f"patient {i % 30}" for i in range(120)]
    values = cross_fit(IsotonicRanker(), scores, y, cv=3, groups=groups)
    flipped = y.copy()
    mine = np.array(groups) == "patient 7"
    flipped[mine] = 1 - flipped[mine]
    # Folds depend on the labels, so they are made before.
    cv = list(MultilabelStratifiedGroupKFold(3, random_state=0).split(scores, y, groups))
    again = cross_fit(IsotonicRanker(), scores, y, cv=cv, groups=groups)
    np.testing.assert_array_equal(values, again)
    other = cross_fit(IsotonicRanker(), scores, flipped, cv=cv, groups=groups)
    np.testing.assert_array_equal(other[mine], values[mine])


@pytest.mark.parametrize("make", [list, iter])
def test_pairs_are_folds(make):
    scores, y = simulation_one(120, 0.3, random_state=0)
    expected = cross_fit(IsotonicRanker(), scores, y, cv=CV)
    got = cross_fit(IsotonicRanker(), scores, y, cv=make(list(CV.split(scores))))
    np.testing.assert_array_equal(got, expected)


def test_too_few_objects_are_named_as_the_reason():
    with pytest.raises(InputError, match="one object only"):
        cross_fit(PrecisionRanker(), [[0.5, 0.1]], [[1, 0]])
    with pytest.raises(InputError, match=r"without fold \d, .* no class can be ranked: .* no pos"):
        cross_fit(PrecisionRanker(), [[0.5, 0.1], [0.2, 0.3]], [[1, 1], [0, 0]], cv=2)
