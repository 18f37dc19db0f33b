"""Lists of probabilities, one array a class, as scikit-learn's multi-output classifiers give."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.multioutput import MultiOutputClassifier

from trueval import pick_threshold
from trueval.core.errors import InputError
from trueval.core.scores import as_scores
from trueval.data import Scores
from trueval.rank import PrecisionRanker, pooled_precision_recall_curve

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = (X[:, :2] + RNG.normal(size=(120, 2)) > 0).astype(int)
MODEL = MultiOutputClassifier(LogisticRegression())


def test_a_list_is_the_array_of_its_second_columns():
    scores = cross_val_predict(MODEL, X, Y, method="predict_proba")
    assert isinstance(scores, list)
    array = np.stack([part[:, 1] for part in scores], axis=1)
    np.testing.assert_array_equal(as_scores(scores).matrix, array)
    np.testing.assert_array_equal(Scores(tuple(scores), ["a", "b"]).matrix, array)
    mine, theirs = (pick_threshold(s, Y, precision=0.7) for s in (scores, array))
    assert mine.threshold == theirs.threshold
    ranker = PrecisionRanker().fit(scores, Y)
    np.testing.assert_array_equal(ranker.transform(scores), ranker.transform(array))
    mine, theirs = (pooled_precision_recall_curve(s, Y) for s in (scores, array))
    assert mine.average_precision == theirs.average_precision


def test_columns_in_another_order_are_found_by_their_labels():
    model = RandomForestClassifier(5, random_state=0).fit(X, Y)
    scores = model.predict_proba(X)
    turned = [part[:, ::-1] for part in scores]
    labels = [own[::-1] for own in model.classes_]
    expected = Scores.from_probabilities(scores, model.classes_).matrix
    np.testing.assert_array_equal(Scores.from_probabilities(turned, labels).matrix, expected)
    np.testing.assert_array_equal(as_scores(scores).matrix, expected)


def test_a_class_of_one_label_needs_the_labels_and_is_said():
    y = Y.copy()
    y[:, 1] = 1
    model = RandomForestClassifier(3, random_state=0).fit(X, y)
    scores = model.predict_proba(X)
    assert scores[1].shape == (120, 1)
    with pytest.raises(InputError, match=r"array 1 of scores has one column.*from_probabilities"):
        as_scores(scores)
    with pytest.warns(UserWarning, match=r"1 of 2 classes have one label .* class 1 \(1\)"):
        checked = Scores.from_probabilities(scores, model.classes_)
    assert (checked.matrix[:, 1] == 1).all()
    with pytest.warns(UserWarning, match=r"class 0 \(0\)"):
        assert (Scores.from_probabilities([np.ones((4, 1))], [[0]]).matrix == 0).all()


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([np.array([[0.4, 0.9]]), np.array([[0.5, 0.5]])], "do not sum to 1"),
        ([np.array([[-0.5, 1.5]])], "do not sum to 1"),
        ([np.full((2, 3), 1 / 3)], r"array 0 of scores has shape \(2, 3\)"),
        ([np.full((2, 2), 0.5), np.full((3, 2), 0.5)], "2 to 3 rows"),
        (np.full((2, 5, 2), 0.5), "as a list with an array"),
    ],
)
def test_lists_that_may_mean_something_else_are_refused(scores, words):
    with pytest.raises(InputError, match=words):
        as_scores(scores)


def test_labels_that_do_not_fit_are_refused():
    half = np.full((2, 2), 0.5)
    for labels, words in (([[0, 1]] * 2, "1 arrays of scores"), ([["a", "b"]], "must be 0 and 1")):
        with pytest.raises(InputError, match=words):
            Scores.from_probabilities([half], labels)
    with pytest.raises(InputError, match="must be a list of two-dimensional arrays"):
        Scores.from_probabilities(half)


def test_plain_lists_of_rows_are_scores_as_before():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(as_scores([[0.2, 0.8], [0.5, 0.5]]).matrix[:, 1], [0.8, 0.5])
