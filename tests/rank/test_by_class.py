"""Measures of each class against scikit-learn on dense columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from trueval import as_labels
from trueval.core.scores import as_scores
from trueval.rank._by_class import class_measures


def naive(scores, y):
    """Column by column; absent scores lie below all others."""
    precision, auc = [], []
    for k in range(y.shape[1]):
        some, both = y[:, k].any(), 0 < y[:, k].sum() < len(y)
        precision.append(average_precision_score(y[:, k], scores[:, k]) if some else np.nan)
        auc.append(roc_auc_score(y[:, k], scores[:, k]) if both else np.nan)
    return precision, auc


@given(st.integers(0, 10_000), st.booleans())
def test_against_scikit_learn(seed, sparse):
    generator = np.random.default_rng(seed)
    shape = (int(generator.integers(1, 25)), int(generator.integers(1, 6)))
    y = (generator.random(shape) < generator.random(shape[1])).astype(int)
    scores = generator.integers(0, 6, shape).astype(float)  # many ties
    given_scores = scores
    if sparse:
        stored = generator.random(shape) < 0.5
        rows, columns = np.nonzero(stored)
        given_scores = sp.csr_array((scores[stored], (rows, columns)), shape=shape)
        scores = np.where(stored, scores, -1.0)
    made = class_measures(as_scores(given_scores), as_labels(y))
    for ours, theirs in zip(made, naive(scores, y), strict=True):
        assert ours == pytest.approx(np.array(theirs), abs=1e-12, nan_ok=True)
