"""The k best classes of every object, against loops over objects."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from trueval.core.errors import ParameterError
from trueval.rank import PrecisionRanker, RankedClassifier, pick_threshold


def best(matrix, stored, k):
    """Calls of each row by sorting its classes: higher scores first, then earlier classes."""
    calls = np.zeros(matrix.shape, dtype=int)
    for i, row in enumerate(matrix):
        order = sorted(np.flatnonzero(stored[i]).tolist(), key=lambda j: (-row[j], j))
        calls[i, order[:k]] = 1
    return calls


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_top_k_equals_a_loop_over_objects(seed, k, sparse):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (12, 5)) / 4  # many ties
    y = (rng.random((12, 5)) < 0.4).astype(int)
    y[0, 0], y[1, 1] = 1, 0
    stored = rng.random((12, 5)) < 0.7 if sparse else np.ones((12, 5), bool)
    stored[0, 0] = True
    given_scores = scores
    if sparse:
        rows, columns = np.nonzero(stored)
        given_scores = sp.csr_array((scores[stored], (rows, columns)), shape=scores.shape)
    choice = pick_threshold(given_scores, y, top_k=k, cv=2)
    calls = best(scores, stored, k)
    assert_array_equal(choice.predict().toarray(), calls)
    assert_array_equal(choice.predict(given_scores).toarray(), calls)
    selected = choice.select(given_scores)
    assert selected.nnz == calls.sum()
    assert choice.precision == pytest.approx(y[calls > 0].mean())
    assert choice.recall == pytest.approx(calls[y > 0].mean())
    assert choice.calls_per_object == pytest.approx(calls.sum() / 12)
    assert np.isnan(choice.threshold)
    assert choice.target_reached
    assert not choice.abstains


def test_top_k_by_a_ranker():
    rng = np.random.default_rng(0)
    y = (rng.random((300, 4)) < 0.25).astype(int)
    scores = (rng.normal(size=y.shape) + 2 * y) * [1, 10, 0.1, 3]  # not comparable
    raw, ranked = (pick_threshold(scores, y, top_k=1, ranker=r) for r in (None, PrecisionRanker()))
    assert ranked.precision > raw.precision + 0.05
    assert_array_equal(ranked.predict().toarray(), best(ranked.calibrated_.matrix, y >= 0, 1))
    assert "Nothing is promised" in ranked.message
    assert "4 best" not in repr(ranked)
    assert "The best class of every row is predicted" in repr(ranked)
    assert "The 2 best classes of every row are predicted" in repr(
        pick_threshold(scores, y, top_k=2)
    )


def test_top_k_of_a_classifier():
    rng = np.random.default_rng(1)
    y = (rng.random((120, 3)) < 0.4).astype(int)
    X = y @ rng.normal(size=(3, 5)) + rng.normal(size=(120, 5))
    model = RankedClassifier(OneVsRestClassifier(LogisticRegression()), target={"top_k": 2})
    model.fit(X, y)
    values = model.predict_proba(X)
    assert_array_equal(model.predict(X), best(values, values >= 0, 2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top_k": 0}, "at least 1"),
        ({"top_k": 1.5}, "top_k"),
        ({"top_k": 1, "beta": 1.0}, "beta and top_k"),
        ({"top_k": 1, "confidence": 0.9}, "left out with top_k=1"),
        ({"top_k": 1, "guarantee": "fdr"}, "left out with top_k=1"),
        ({"top_k": 1, "average": "objects"}, "must be 'pairs' with top_k=1"),
    ],
    ids=str,
)
def test_top_k_refuses_what_does_not_belong_to_it(options, message):
    with pytest.raises(ParameterError, match=message):
        pick_threshold([[0.1], [0.7], [0.4]], [[0], [1], [1]], cv=2, **options)
