"""The rivals that the paper names: half-normal fit, cyclic optimisation, expected F."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import halfnorm, norm
from sklearn.base import BaseEstimator, TransformerMixin

from trueval.core.errors import InputError
from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import (
    CyclicThresholds,
    ExpectedFCut,
    FDRRanker,
    HalfNormalRanker,
    LocalPrecisionRate,
    OptimalThresholds,
    ScoreCut,
    average_precision,
    f_measure,
)
from trueval.rank._expected import expected_f

QUICK = settings(derandomize=True, deadline=None, max_examples=60, database=None)


# --- half-normal null, no labels -------------------------------------------------


SCALE, NULL_SHARE = 0.95258587, 0.83161801
RATES = [
    *(0.80538142, 0.94796897, 1.0, 1.0, 1.0, 1.0, 0.80538142),
    *(0.15669864, 0.15669864, 0.13123275, 0.057692856, 0.023683958, 0.012328914),
    *(1.4253818e-3, 1.2572064e-4, 8.4573498e-6, 4.3380692e-7),
]


def z_scores():
    extreme = [2.5, -2.75, 3, 3.25, -3.5, 4, 4.5, 5, -5.5, 6]
    return np.concatenate([np.round(norm.ppf((np.arange(1, 61) - 0.5) / 60), 6), extreme])


def test_local_rates_are_those_of_fdrtool():
    """fdrtool 1.2.17, statistic="normal", cutoff.method="pct0", pct0=0.75."""
    z = z_scores()[:, None]
    ranker = HalfNormalRanker().fit(z, np.arange(70)[:, None] >= 60)
    assert ranker.scales_[0] == pytest.approx(SCALE, rel=1e-3)
    assert ranker.null_shares_[0] == pytest.approx(NULL_SHARE, rel=1e-3)
    places = [0, 1, 2, 3, 4, 29, 59, *range(60, 70)]
    np.testing.assert_allclose(1 - ranker.transform(z)[places, 0], RATES, atol=2e-3)


def naive_rates(z, scale, null):
    """1 − η0/f by the chords of the distribution of p-values: f is the largest slope ahead."""
    tail = dict(zip(np.abs(z), halfnorm.sf(np.abs(z), scale=scale), strict=True))
    p = np.sort([tail[a] for a in np.abs(z)])
    x = np.concatenate([[0.0], p, [1.0]])
    y = np.concatenate([[0.0], np.arange(1, len(p) + 1) / len(p), [1.0]])
    y = np.minimum(y, 1 - null * (1 - x))
    y[0] = 0.0
    out = []
    for value in (tail[a] for a in np.abs(z)):
        # Slope of the least concave majorant just above the value.
        left, right = x <= value, x > value
        slopes = (y[right][None, :] - y[left][:, None]) / (x[right][None, :] - x[left][:, None])
        out.append(max(slopes.max(axis=1).min(), null))
    return 1 - null / np.array(out)


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(10, 60))
def test_density_is_the_least_concave_majorant(seed, n):
    rng = np.random.default_rng(seed)
    z = np.concatenate([rng.normal(size=n), rng.uniform(2, 5, n // 4)])
    y = np.arange(len(z)) % 2
    ranker = HalfNormalRanker().fit(z[:, None], y[:, None])
    expected = naive_rates(z, ranker.scales_[0], ranker.null_shares_[0])
    np.testing.assert_allclose(
        ranker.transform(z[:, None]).ravel(), np.clip(expected, 0, 1), atol=1e-9
    )


def test_labels_are_not_looked_at():
    scores, y = simulation_one(200, 0.2, random_state=0)
    other = np.roll(y.toarray(), 7, axis=0)
    first = HalfNormalRanker().fit(scores, y).transform(scores)
    np.testing.assert_array_equal(first, HalfNormalRanker().fit(scores, other).transform(scores))


def test_half_normal_fit_is_much_worse():
    """As the paper says of fdrtool, against its own ranker."""
    areas = []
    for seed in range(6):
        scores, y = simulation_one(300, 0.1, random_state=seed)
        new, new_y = simulation_one(300, 0.1, random_state=seed + 50)
        areas.append(
            [
                average_precision(ranker.fit(scores, y).transform(new), new_y)
                for ranker in (HalfNormalRanker(), LocalPrecisionRate(), FDRRanker())
            ]
        )
    half_normal, lpr, fdr = np.mean(areas, axis=0)
    assert half_normal < fdr - 0.1 < lpr - 0.1


@pytest.mark.parametrize("share", [0, 1, True, "most"])
def test_refuses_a_share(share):
    scores, y = simulation_one(50, 0.2, random_state=0)
    with pytest.raises(ValueError, match="null_share"):
        HalfNormalRanker(share).fit(scores, y)


def test_zeros_and_constants_have_a_value():
    scores = np.column_stack([np.zeros(20), np.r_[np.zeros(18), 1.0, 2.0]])
    y = np.zeros((20, 2), dtype=int)
    y[-2:] = 1
    with pytest.warns(UserWarning, match="constant scores"):
        values = HalfNormalRanker().fit(scores, y).transform(scores)
    assert np.isfinite(values).all()
    assert values[0, 0] == pytest.approx(0.1)


# --- cyclic optimisation ---------------------------------------------------------


def naive_cyclic(scores, y, beta):
    """One class after the other tries every threshold, the others fixed."""

    def micro(thresholds):
        return f_measure((scores >= thresholds).astype(int), y, beta=beta)

    thresholds = ScoreCut(beta=beta).fit(scores, y).thresholds_.copy()
    best = micro(thresholds)
    while True:
        before = best
        for k in range(scores.shape[1]):
            for value in [*np.unique(scores[:, k])[::-1], np.inf]:
                trial = thresholds.copy()
                trial[k] = value
                if micro(trial) > best + 1e-12:
                    thresholds, best = trial, micro(trial)
        if best <= before + 1e-12:
            return best


@settings(QUICK, max_examples=25)
@given(seed=st.integers(0, 10**6), beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_cycles_end_where_no_class_improves(seed, beta):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.random((25, 3)), 2)
    y = (rng.random((25, 3)) < scores * [1.0, 0.5, 0.2]).astype(int)
    y[0], y[1] = 1, 0
    cut = CyclicThresholds(beta=beta).fit(scores, y)
    made = f_measure(cut.predict(scores), y, beta=beta)
    assert made == pytest.approx(cut.training_f_)
    assert made == pytest.approx(naive_cyclic(scores, y, beta))
    assert made == pytest.approx(OptimalThresholds(beta=beta).fit(scores, y).training_f_)
    for k in range(3):  # no single threshold improves it
        for value in np.unique(scores[:, k]):
            trial = cut.thresholds_.copy()
            trial[k] = value
            assert f_measure((scores >= trial).astype(int), y, beta=beta) <= made + 1e-12


@settings(QUICK, max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    beta=st.sampled_from([0.5, 1.0, 2.0]),
    start=st.sampled_from(["own", "none", "all"]),
)
def test_every_start_ends_at_the_maximum(seed, beta, start):
    """Brute force over all combinations of thresholds."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.random((9, 3)), 1)
    y = (rng.random((9, 3)) < 0.4).astype(int)
    y[0], y[1] = 1, 0
    cuts = [[*np.unique(scores[:, k]), np.inf] for k in range(3)]
    called = np.array([scores >= cut for cut in product(*cuts)])
    right = (called & (y == 1)).sum(axis=(1, 2))
    best = ((1 + beta**2) * right / (beta**2 * y.sum() + called.sum(axis=(1, 2)))).max()
    cut = CyclicThresholds(beta=beta, start=start).fit(scores, y)
    assert cut.training_f_ == pytest.approx(best)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [({"start": "zero"}, "start"), ({"max_cycles": 0}, "max_cycles"), ({"beta": 0}, "beta")],
)
def test_refuses_cyclic(parameters, said):
    scores, y = simulation_one(50, 0.2, random_state=0)
    with pytest.raises(ValueError, match=said):
        CyclicThresholds(**parameters).fit(scores, y)


# --- expected F ------------------------------------------------------------------


def f_of(truth, called, beta):
    if not truth.any() and not called.any():
        return 1.0
    hits = (truth & called).sum()
    return (1 + beta**2) * hits / (called.sum() + beta**2 * truth.sum())


@settings(QUICK, max_examples=40)
@given(
    chances=st.lists(st.floats(0, 1), min_size=1, max_size=5),
    beta=st.sampled_from([0.5, 1.0, 2.0]),
)
def test_expected_f_is_the_mean_over_all_labels_and_no_set_is_better(chances, beta):
    p = np.sort(np.array(chances))[::-1]
    n = len(p)
    truths = np.array(list(product([False, True], repeat=n)))
    weight = np.prod(np.where(truths, p, 1 - p), axis=1)

    def mean_f(called):
        return sum(w * f_of(t, called, beta) for w, t in zip(weight, truths, strict=True))

    expected = [mean_f(np.arange(n) < k) for k in range(n + 1)]
    got = expected_f(p[None, :], beta)[0]
    np.testing.assert_allclose(got, expected, atol=1e-10)
    best = max(mean_f(np.array(s)) for s in product([False, True], repeat=n))
    assert got.max() == pytest.approx(best, abs=1e-10)


def test_many_labels_are_cut_off_without_loss():
    rng = np.random.default_rng(0)
    chances = np.sort(rng.random((3, 200)) ** 8, axis=1)[:, ::-1]
    got = expected_f(chances, 1.0)
    drawn = rng.random((20_000, 3, 200)) < chances
    for k in (1, 5, 30):
        hits, truths = drawn[:, :, :k].sum(axis=2), drawn.sum(axis=2)
        f = 2 * hits / (k + truths)
        np.testing.assert_allclose(got[:, k], f.mean(axis=0), atol=0.01)


def test_expected_f_beats_one_half_on_objects():
    """With true probabilities, the mean F of objects is above that of the MAP rule."""
    scores, y = simulation_one(3000, 0.3, random_state=1)
    p = true_rates(scores, 0.3)
    truth = y.toarray() > 0

    class Given(TransformerMixin, BaseEstimator):
        def fit(self, scores, y=None):
            return self

        def transform(self, scores):
            return scores

    calls = ExpectedFCut(Given()).fit(p, y).predict(p).toarray() > 0
    expected = expected_f(np.sort(p, axis=1)[:, ::-1])
    best = expected.max(axis=1)
    half = expected[np.arange(3000), (p >= 0.5).sum(axis=1)]
    assert best.mean() > half.mean()
    np.testing.assert_array_equal(best, expected[np.arange(3000), calls.sum(axis=1)])
    measured = np.mean([f_of(t, c, 1.0) for t, c in zip(truth, calls, strict=True)])
    assert measured == pytest.approx(best.mean(), abs=0.02)


def test_sparse_scores_are_decided_on_what_is_stored():
    scores, y = simulation_one(300, 0.3, random_state=2)
    kept = sp.csr_array(np.where(scores > 0.3, scores, 0.0))
    cut = ExpectedFCut().fit(kept, y)
    calls = cut.predict(kept)
    assert calls.nnz > 0
    assert (calls.toarray() <= (kept.toarray() > 0)).all()


def test_refuses_values_that_are_no_probabilities():
    scores, y = simulation_one(60, 0.3, random_state=2)
    with pytest.raises(InputError, match="FDRRanker describe all calls"):
        ExpectedFCut(FDRRanker()).fit(scores, y)
