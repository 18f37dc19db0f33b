"""Folds in classifier stacking, the use that Section 1 of the OptiSplit paper names."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from trueval import MultilabelStratifiedKFold
from trueval.data import simulate


def test_the_final_model_of_a_stack_sees_held_out_probabilities():
    y = simulate.label_matrix(300, 6, random_state=0).toarray()
    generator = np.random.default_rng(0)
    X = y @ generator.normal(size=(6, 8)) + generator.normal(size=(300, 8))
    base = RandomForestClassifier(15, min_samples_leaf=5, random_state=0)
    cv = MultilabelStratifiedKFold(4, random_state=0)
    final = MultiOutputClassifier(LogisticRegression())
    stack = StackingClassifier([("forest", base)], final, cv=cv).fit(X, y)

    held_out = np.empty(y.shape)
    for train, test in cv.split(X, y):
        model = RandomForestClassifier(15, min_samples_leaf=5, random_state=0).fit(
            X[train], y[train]
        )
        held_out[test] = np.column_stack([p[:, 1] for p in model.predict_proba(X[test])])
    by_hand = MultiOutputClassifier(LogisticRegression()).fit(held_out, y)
    coefficients = [
        [model.coef_.ravel() for model in outputs.estimators_]
        for outputs in (stack.final_estimator_, by_hand)
    ]
    # scikit-learn gives the final model one column for each class: P(class).
    np.testing.assert_allclose(*coefficients, atol=1e-8)
