"""Large-margin scores (Section 6 of the local-precision-rate paper), and Platt's method."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.svm import LinearSVC

from trueval.data import simulate
from trueval.rank import LocalPrecisionRate, RankedClassifier, average_precision


@pytest.fixture(scope="module")
def data():
    y = simulate.label_matrix(900, 5, random_state=1).toarray()
    generator = np.random.default_rng(1)
    X = y @ generator.normal(size=(5, 8)) + 1.5 * generator.normal(size=(900, 8))
    return X[:600], y[:600], X[600:], y[600:]


def test_rates_depend_on_ranks_alone_so_platts_sigmoid_changes_nothing(data):
    X, y, new, _ = data
    model = MultiOutputClassifier(LinearSVC()).fit(X, y)
    margins, new_margins = (
        np.column_stack([m.decision_function(rows) for m in model.estimators_]) for rows in (X, new)
    )
    slope, offset = np.linspace(0.5, 3.0, 5), np.linspace(-2.0, 1.0, 5)

    def platt(scores):
        return 1 / (1 + np.exp(-(slope * scores + offset)))

    of_margins = LocalPrecisionRate(mapping="step").fit(margins, y)
    of_chances = LocalPrecisionRate(mapping="step").fit(platt(margins), y)
    np.testing.assert_allclose(
        of_chances.transform(platt(new_margins)), of_margins.transform(new_margins), atol=1e-12
    )


def test_a_calibrated_large_margin_classifier_can_be_ranked(data):
    """As the paper proposes: Platt's method, then LPR."""
    X, y, new, new_y = data
    svm = MultiOutputClassifier(CalibratedClassifierCV(LinearSVC(), method="sigmoid", cv=3))
    areas = {}
    for name, model in (("Platt", svm), ("margins", OneVsRestClassifier(LinearSVC()))):
        ranked = RankedClassifier(model, ranker=LocalPrecisionRate(), target={"precision": 0.7})
        values = ranked.fit(X, y).predict_proba(new)
        assert ((values >= 0) & (values <= 1)).all()
        areas[name] = average_precision(values, new_y)
    assert areas["Platt"] > new_y.mean() + 0.2
    assert areas["Platt"] == pytest.approx(areas["margins"], abs=0.03)
