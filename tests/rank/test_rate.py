"""The rate as a linear map of labels, against matrices written from the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from tests.rank.kernels import kernel_weight
from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import LocalPrecisionRate
from trueval.rank._lpr import _wilson
from trueval.rank._rate import RateData, Smoothing, Term, label_grid
from trueval.rank._sample import Sample

QUICK = settings(derandomize=True, deadline=None, max_examples=40, database=None)


def precision_matrix(n):
    """Row m turns labels by rank into the precision of calling rank m and above."""
    return np.triu(np.ones((n, n))) / np.arange(n, 0, -1)[:, None]


def naive_weights(n, kernel, h, pieces):
    """Rows turn precisions into LPR = G − (1 − u)·G′ at each rank, by least squares."""
    u = np.arange(1, n + 1) / n
    out = np.zeros((n, n))
    for begin, end in pieces:
        for i in range(begin, end):
            t = (u - u[i]) / h
            w = kernel_weight(kernel, t)
            w[:begin] = w[end:] = 0.0
            near = np.flatnonzero(w > 0)
            degree = min(len(near) - 1, 2)
            root = np.sqrt(w[near])
            design = np.vander(t[near], degree + 1, increasing=True) * root[:, None]
            solve = np.linalg.pinv(design) * root
            out[i, near] = solve[0]
            if degree:
                out[i, near] -= (1 - u[i]) * solve[1] / h
    return out


def label_weights(size, kernel, h, pieces):
    """Square matrix by distinct score: change of a rate by one label of another score."""
    n = int(size.sum())
    member = np.repeat(np.eye(len(size)), size.astype(int), axis=0)  # ranks by scores
    to_rate = member.T / size[:, None]  # mean over the ranks of a score
    from_label = member / size  # one more positive among the tied
    return to_rate @ naive_weights(n, kernel, h, pieces) @ precision_matrix(n) @ from_label


def draw(seed, n, decimals):
    rng = np.random.default_rng(seed)
    score = np.sort(np.round(rng.random(n), decimals))
    value, size = np.unique(score, return_counts=True)
    label = rng.random(n) < score
    first = np.cumsum(size) - size
    return Sample(value, size.astype(float), np.add.reduceat(label, first).astype(float), 0, 0)


@QUICK
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(12, 70),
    decimals=st.sampled_from([1, 2, 9]),
    kernel=st.sampled_from(["epanechnikov", "tricube", "gaussian"]),
    h=st.floats(0.08, 1.0),
    n_cuts=st.integers(0, 2),
)
def test_rates_and_own_weights_are_those_of_the_definition(seed, n, decimals, kernel, h, n_cuts):
    sample = draw(seed, n, decimals)
    first = RateData(sample).first
    rng = np.random.default_rng(seed)
    inner = first[(first >= 4) & (first <= n - 4)]
    cuts = sorted(rng.choice(inner, min(n_cuts, len(inner)), replace=False).tolist())
    data = RateData(sample, cuts)
    terms = [Term(kernel, h, 1.0, 1.0)]
    matrix = label_weights(sample.size, kernel, h, data.pieces)
    np.testing.assert_allclose(data.rates(terms, clip=False), matrix @ sample.positives, atol=1e-8)
    np.testing.assert_allclose(data.own_weights(terms), np.diag(matrix), atol=1e-8)
    if sample.size.max() <= 8:  # larger ties are computed at eight of their ranks
        squares = (matrix**2 * sample.size).sum(axis=1)
        sizes = data.effective_sizes(terms, np.arange(len(sample.score)))
        np.testing.assert_allclose(sizes, 1 / squares, rtol=1e-6)


def test_own_weights_of_a_thousand_ranks():
    """Where the interior has its own formula."""
    n, h = 1000, 0.05
    sample = Sample(np.arange(float(n)), np.ones(n), (np.arange(n) % 3 == 0) * 1.0, 0, 0)
    data = RateData(sample, [400])
    matrix = naive_weights(n, "epanechnikov", h, data.pieces) @ precision_matrix(n)
    terms = [Term("epanechnikov", h, 1.0, 1.0)]
    np.testing.assert_allclose(data.own_weights(terms), np.diag(matrix), atol=1e-9)
    at = np.array([0, 3, 399, 400, 700, 999])
    np.testing.assert_allclose(
        data.effective_sizes(terms, at), 1 / (matrix[at] ** 2).sum(axis=1), rtol=1e-7
    )


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(15, 50), decimals=st.sampled_from([1, 9]))
def test_an_error_is_that_of_a_rate_made_without_the_label(seed, n, decimals):
    """Left out means: replaced by what the others say of it."""
    sample = draw(seed, n, decimals)
    data, terms = RateData(sample), [Term("epanechnikov", 0.5, 1.0, 1.0)]
    matrix = label_weights(sample.size, "epanechnikov", 0.5, data.pieces)
    rates = matrix @ sample.positives
    errors = data.label_errors(data.rates(terms, clip=False), data.own_weights(terms))
    total = 0.0
    for k in range(len(sample.score)):
        for label, error, count in (
            (1.0, errors[0][k], sample.positives[k]),
            (0.0, errors[1][k], sample.size[k] - sample.positives[k]),
        ):
            guess = 0.5
            for _ in range(2000):  # to the fixed point; own weights are below one
                guess = rates[k] + matrix[k, k] * (guess - label)
            if abs(matrix[k, k]) < 0.95:
                assert error == pytest.approx((label - guess) ** 2, rel=1e-6, abs=1e-9)
            total += count * error
    assert data.loo_error(terms) == pytest.approx(total / n)


def test_a_label_that_decides_its_own_rate_cannot_be_left_out():
    sample = draw(0, 30, 9)
    assert RateData(sample).loo_error([Term("epanechnikov", 2 / 30, 1.0, 1.0)]) == np.inf


def test_the_grid_depends_on_the_number_of_objects():
    for n in (100, 10_000):
        grid = label_grid(n)
        assert grid[0] == pytest.approx(3 / n)
        assert grid[-1] == 1.0
    assert (label_grid(2) == 1.0).all()


def test_bias_correction_cancels_the_square_of_the_bandwidth():
    smoothing = Smoothing("epanechnikov", 0.2, "tricube", 0.1)
    terms = smoothing.corrected_terms(1000)
    for name in ("value", "slope"):
        assert sum(getattr(t, name) for t in terms) == pytest.approx(1.0)
        assert sum(getattr(t, name) * t.bandwidth**2 for t in terms) == pytest.approx(0.0)
    assert smoothing.corrected_terms(20) == smoothing.terms()  # h/√2 has too few ranks


def test_wilson_is_the_score_interval():
    low, high = _wilson(np.array([0.3]), np.array([40.0]), 1.6)
    for end in (low[0], high[0]):
        assert abs(0.3 - end) == pytest.approx(1.6 * np.sqrt(end * (1 - end) / 40))


def rmse(M, seed, **parameters):
    """Error to the true rate of each class of Simulation I on new scores, and the ranker."""
    scores, y = simulation_one(M, 0.1, random_state=seed)
    new, _ = simulation_one(5000, 0.1, random_state=seed + 1000)
    ranker = LocalPrecisionRate(**parameters).fit(scores, y)
    error = ranker.transform(new) - true_rates(new, 0.1)
    return np.sqrt((error**2).mean(axis=0)), ranker


def test_the_rate_converges_with_the_default_rule():
    """At least as fast as M^(−2/7) where the true rate does not jump (classes 1, 3, 4)."""
    means = []
    for M in (2000, 32_000):
        runs = [rmse(M, seed) for seed in range(4)]
        means.append(np.mean([error[[0, 2, 3]].mean() for error, _ in runs]))
        for _, ranker in runs:
            h, grid = ranker.bandwidths_, ranker.bandwidth_grid_
            assert (h > grid[:, 0]).all()
            assert (h < grid[:, -1]).all()
    slope = np.log(means[0] / means[1]) / np.log(16)
    assert slope >= 2 / 7


def test_the_papers_rule_takes_the_lowest_of_its_grid():
    for M in (500, 8000):
        _, ranker = rmse(M, 0, bandwidth="loo-precision")
        assert ranker.bandwidth_grid_[0] == pytest.approx(np.geomspace(0.03, 0.2, 8))
        assert (ranker.bandwidths_ == ranker.bandwidth_grid_[:, 0]).all()


def test_default_rule_beats_the_papers():
    ours, theirs = (
        np.mean([rmse(8000, seed, bandwidth=rule)[0] for seed in range(3)], axis=0)
        for rule in ("loo", "loo-precision")
    )
    assert ours.mean() < 0.7 * theirs.mean()


def test_intervals_hold_the_truth():
    """Of 90 % intervals, at least 88 % where the rate is neither near 0 nor near 1."""
    held, inner = [], []
    for seed in range(12):
        scores, y = simulation_one(1000, 0.2, random_state=seed)
        new, _ = simulation_one(400, 0.2, random_state=seed + 500)
        truth = true_rates(new, 0.2)
        ranker = LocalPrecisionRate().fit(scores, y)
        low, high = ranker.interval(new, confidence=0.9)
        values = ranker.transform(new)
        assert ((low <= values) & (values <= high)).all()
        assert ((low >= 0) & (high <= 1)).all()
        smooth = np.array([0, 2, 3])  # classes without a jump
        right = ((low <= truth) & (truth <= high))[:, smooth]
        held.append(right.mean())
        between = (truth > 0.1) & (truth < 0.9)
        inner.append(right[between[:, smooth]])
        narrow = ranker.interval(new, confidence=0.5)
        assert (narrow[1] - narrow[0]).mean() < (high - low).mean()
    assert np.mean(held) >= 0.9
    assert np.concatenate(inner).mean() >= 0.88


def test_interval_of_a_class_that_cannot_be_ranked():
    scores = np.column_stack([np.arange(40.0), np.zeros(40)])
    y = np.zeros((40, 2), dtype=int)
    y[30:] = 1
    with pytest.warns(UserWarning, match="cannot be ranked"):
        ranker = LocalPrecisionRate().fit(scores, y)
    low, high = ranker.interval(scores, 0.9)
    z = norm.ppf(0.95)
    for end in (low[0, 1], high[0, 1]):
        assert abs(0.25 - end) == pytest.approx(z * np.sqrt(end * (1 - end) / 40))


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"bandwidth": "cv"}, "'loo' or 'loo-precision' or a number"),
        ({"bandwidth": 0}, "bandwidth"),
        ({"derivative_bandwidth": "loo-precision"}, "derivative_bandwidth"),
        ({"derivative_kernel": "box"}, "derivative_kernel"),
        ({"jumps": True}, "jumps"),
        ({"jumps": "detect", "bandwidth": "loo-precision"}, "jumps go with 'loo' or a number"),
    ],
)
def test_refuses_parameters(parameters, said):
    scores, y = simulation_one(50, 0.2, random_state=0)
    with pytest.raises(ValueError, match=said):
        LocalPrecisionRate(**parameters).fit(scores, y)


def test_refuses_a_confidence():
    scores, y = simulation_one(100, 0.2, random_state=0)
    ranker = LocalPrecisionRate().fit(scores, y)
    with pytest.raises(ValueError, match="confidence"):
        ranker.interval(scores, 1.0)


def test_separate_bandwidths_are_two_fits():
    scores, y = simulation_one(300, 0.2, random_state=3)
    ranker = LocalPrecisionRate(0.3, derivative_bandwidth=0.1, derivative_kernel="tricube").fit(
        scores[:, :1], y[:, [0]]
    )
    label = y.toarray()[np.argsort(scores[:, 0]), 0].astype(float)
    u, n = np.arange(1, 301) / 300, 300
    v = precision_matrix(n) @ label
    both = []
    for kernel, h in (("epanechnikov", 0.3), ("tricube", 0.1)):
        fits = []
        for x in u:
            root = np.sqrt(kernel_weight(kernel, (u - x) / h))
            design = np.vander(u - x, 3, increasing=True) * root[:, None]
            fits.append(np.linalg.lstsq(design, root * v, rcond=None)[0])
        both.append(np.array(fits))
    expected = np.clip(both[0][:, 0] - (1 - u) * both[1][:, 1], 0, 1)
    got = ranker.transform(np.sort(scores[:, :1], axis=0)).ravel()
    np.testing.assert_allclose(got, expected, atol=1e-8)
    assert ranker.bandwidths_.tolist() == [0.3]
    assert ranker.derivative_bandwidths_.tolist() == [0.1]


def test_a_chosen_derivative_bandwidth_is_the_best_of_the_grid():
    scores, y = simulation_one(400, 0.2, random_state=3)
    ranker = LocalPrecisionRate(derivative_bandwidth="loo").fit(scores, y)
    k = 1
    order = np.argsort(scores[:, k])
    sample = Sample(scores[order, k], np.ones(400), y.toarray()[order, k].astype(float), 0, 0)
    data, h = RateData(sample), float(ranker.bandwidths_[k])
    errors = [
        data.loo_error(Smoothing("epanechnikov", h, "epanechnikov", float(g)).terms())
        for g in label_grid(400)
    ]
    assert ranker.derivative_bandwidths_[k] == label_grid(400)[int(np.argmin(errors))]
