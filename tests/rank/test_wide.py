"""More than 127 classes: labels and calls go to scikit-learn in a type that counts them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import LabelBinarizer
from sklearn.svm import LinearSVC

from trueval import as_labels
from trueval.data import simulate
from trueval.rank import (
    IsotonicRanker,
    OptimalThresholds,
    ProportionCut,
    RankCut,
    RankedClassifier,
    ScoreCut,
    pick_threshold,
)

N_CLASSES = 140


def _data() -> tuple[np.ndarray, np.ndarray]:
    """Each class has a feature that tells it."""
    generator = np.random.default_rng(0)
    y = generator.random((60, N_CLASSES)) < 0.4
    return np.where(y, 1.0, -1.0) + 0.3 * generator.normal(size=y.shape), y


def test_dense_labels_are_read_right_by_scikit_learn() -> None:
    _, y = _data()
    dense = as_labels(y).toarray()
    np.testing.assert_array_equal(LabelBinarizer().fit_transform(dense), y)


@pytest.mark.filterwarnings("ignore::trueval.rank.InSampleWarning")
@pytest.mark.parametrize(
    "decider", [OptimalThresholds(), RankCut(), ProportionCut(), ScoreCut(), "pick"]
)
def test_calls_are_read_right_by_scikit_learn(decider: object) -> None:
    scores, y = _data()
    if decider == "pick":
        made = pick_threshold(scores, y, beta=1.0, cv=2)
    else:
        made = decider.fit(scores, y)  # type: ignore[attr-defined]
    calls = made.predict(scores)
    assert calls.indices.dtype == np.int32
    assert set(np.unique(calls.data)) == {1}
    expected = calls.toarray() > 0
    for given in (calls, calls.toarray()):
        np.testing.assert_array_equal(LabelBinarizer().fit_transform(given), expected)


@pytest.mark.parametrize(
    ("form", "dtype"), [(np.asarray, np.int8), (sp.csr_array, np.int8), (sp.csr_array, bool)]
)
def test_the_estimator_gets_the_right_classes(form: type, dtype: type) -> None:
    X, y = _data()
    X = X[:, -3:]
    model = OneVsRestClassifier(RidgeClassifier())
    fitted = RankedClassifier(model, ranker=IsotonicRanker(), cv=2).fit(X, form(y.astype(dtype)))
    expected = OneVsRestClassifier(RidgeClassifier()).fit(X, y.astype(np.int64))
    np.testing.assert_array_equal(
        fitted.estimator_.decision_function(X), expected.decision_function(X)
    )
    calls = fitted.predict(X)
    assert calls.dtype == (np.int64 if sp.issparse(calls) else dtype)


def test_simulated_features_go_into_liblinear() -> None:
    proteins = simulate.proteome(60, 6, 30, random_state=0)
    y = proteins.labels.toarray()
    common = int(np.argmin(np.abs(y.mean(axis=0) - 0.5)))
    fitted = LinearSVC(random_state=0).fit(proteins.features, y[:, common])
    assert fitted.coef_.shape == (1, proteins.features.shape[1])
