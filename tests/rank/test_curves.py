"""Pooled curves and F against scikit-learn's micro averages."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, fbeta_score, precision_recall_curve

from trueval.core.errors import InputError
from trueval.rank import average_precision, f_measure, pooled_precision_recall_curve

QUICK = settings(derandomize=True, deadline=None, max_examples=80, database=None)


def problem(seed, n, k, decimals, sparse):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, k)) < 0.3).astype(int)
    y[0, 0] = 1
    scores = np.round(rng.normal(size=(n, k)) + y, decimals)
    if not sparse:
        return scores, scores, y
    rows, columns = np.nonzero(rng.random((n, k)) < 0.5)
    kept = scores[rows, columns]
    filled = np.full((n, k), kept.min(initial=0.0) - 1.0)
    filled[rows, columns] = kept
    return sp.csr_array((kept, (rows, columns)), shape=(n, k)), filled, y


@QUICK
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 30),
    k=st.integers(1, 5),
    decimals=st.sampled_from([0, 1, 12]),
    sparse=st.booleans(),
)
def test_equal_to_scikit_learn(seed, n, k, decimals, sparse):
    scores, filled, y = problem(seed, n, k, decimals, sparse)
    expected = average_precision_score(y.ravel(), filled.ravel())
    assert average_precision(scores, y) == pytest.approx(expected, abs=1e-12)
    precision, recall, thresholds = precision_recall_curve(y.ravel(), filled.ravel())
    curve = pooled_precision_recall_curve(scores, y)
    np.testing.assert_allclose(curve.precision, precision, atol=1e-12)
    np.testing.assert_allclose(curve.recall, recall, atol=1e-12)
    absent = sparse and scores.nnz < y.size
    np.testing.assert_array_equal(curve.thresholds[int(absent) :], thresholds[int(absent) :])
    assert not absent or curve.thresholds[0] == -np.inf


@QUICK
@given(
    seed=st.integers(0, 10**6),
    beta=st.sampled_from([0.25, 0.5, 1.0, 2.0]),
    average=st.sampled_from(["micro", "macro"]),
    sparse=st.booleans(),
)
def test_f_equal_to_scikit_learn(seed, beta, average, sparse):
    rng = np.random.default_rng(seed)
    y, calls = ((rng.random((25, 4)) < 0.4).astype(int) for _ in range(2))
    expected = fbeta_score(y, calls, beta=beta, average=average, zero_division=0)
    made = sp.csc_array(calls) if sparse else calls
    assert f_measure(made, y, beta=beta, average=average) == pytest.approx(expected, abs=1e-12)


@QUICK
@given(seed=st.integers(0, 10**6), threshold=st.floats(-1, 1), sparse=st.booleans())
def test_f_at_a_threshold(seed, threshold, sparse):
    scores, filled, y = problem(seed, 20, 3, 1, sparse)
    calls = filled >= threshold
    if sparse:
        calls &= filled > filled.min()
    expected = fbeta_score(y, calls.astype(int), beta=1, average="micro", zero_division=0)
    if sparse and scores.nnz and (filled > filled.min()).sum() < scores.nnz:
        return  # the lowest stored score ties with the filling
    assert f_measure(scores, y, threshold=threshold) == pytest.approx(expected, abs=1e-12)


def test_no_dense_copy_of_a_wide_problem():
    # 10^12 pairs: impossible if anything were made dense.
    n, K = 10**6, 10**6
    rows, columns = np.arange(1000) * 7, np.arange(1000) * 13
    scores = sp.csr_array((np.linspace(0, 1, 1000), (rows, columns)), shape=(n, K))
    y = sp.csr_array((np.ones(500, np.int8), (rows[500:], columns[500:])), shape=(n, K))
    assert average_precision(scores, y) == 1.0
    assert f_measure(scores, y, threshold=0.5) == 1.0


@pytest.mark.parametrize("work", [average_precision, pooled_precision_recall_curve])
def test_refuses(work):
    with pytest.raises(InputError, match="no positives"):
        work(np.ones((3, 2)), np.zeros((3, 2)))
    with pytest.raises(InputError, match="rows but y has"):
        work(np.ones((3, 2)), np.ones((4, 2)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"beta": 0}, "'beta' parameter"),
        ({"beta": "1"}, "'beta' parameter"),
        ({"average": "weighted"}, "'average' parameter"),
        ({"threshold": np.nan}, "'threshold' parameter"),
    ],
)
def test_wrong_options(options, said):
    with pytest.raises(ValueError, match=said):
        f_measure(np.eye(3), np.eye(3), **options)


def test_shapes_must_match():
    with pytest.raises(InputError, match=r"calls has shape \(3, 3\) but y has \(4, 4\)"):
        f_measure(np.eye(3), np.eye(4))


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), decimals=st.sampled_from([1, 9]))
def test_precision_and_recall_at_given_values(seed, n, decimals):
    """By trying every threshold."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.random((n, 2)), decimals)
    y = rng.integers(0, 2, (n, 2))
    y[0, 0] = 1
    curve = pooled_precision_recall_curve(scores, y)
    tried = []
    for threshold in np.unique(scores):
        calls = scores >= threshold
        hits = (calls & (y == 1)).sum()
        tried.append((threshold, hits / calls.sum(), hits / y.sum()))
    for share in (1e-6, 0.2, 0.5, 0.9, 1.0):
        enough = [t for t in tried if t[2] >= share]
        threshold, precision, reached = max(enough)
        assert curve.precision_at(share) == pytest.approx(precision)
        table = curve.at_recalls([share])
        assert table["threshold"][0] == threshold
        assert table["reached"][0] == pytest.approx(reached)
        recalls = [t[2] for t in tried if t[1] >= share]
        assert curve.recall_at(share) == pytest.approx(max(recalls, default=0.0))
    many = np.array([0.3, 0.7])
    assert curve.precision_at(many).tolist() == [curve.precision_at(r) for r in many]
    assert curve.recall_at(many).tolist() == [curve.recall_at(p) for p in many]


def test_recall_of_pairs_without_a_score():
    """Full recall calls every pair, stored or not."""
    scores = sp.csr_array(np.array([[0.9, 0.0], [0.0, 0.0]]))
    curve = pooled_precision_recall_curve(scores, [[1, 0], [0, 1]])
    assert curve.precision_at(1.0) == 0.5
    assert curve.at_recalls([1.0])["threshold"][0] == -np.inf


@pytest.mark.parametrize("share", [0, -0.1, 1.1, float("nan")])
def test_refuses_shares(share):
    curve = pooled_precision_recall_curve(np.array([[0.9], [0.1]]), [[1], [0]])
    for method in (curve.precision_at, curve.recall_at, curve.at_recalls):
        with pytest.raises(ValueError, match="above 0 and at most 1"):
            method(share)
