"""Rules, bounds and standard errors against plain loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score

from tests import naive
from trueval.core.scores import check_pair
from trueval.rank import _guarantee as guarantee
from trueval.rank import _resample as resample
from trueval.rank import pick_threshold
from trueval.rank._guarantee import Guarantee
from trueval.rank._moments import measure_of, moments
from trueval.rank._pairs import RankedPairs
from trueval.rank._resample import resampled_sums
from trueval.rank._rules import Rule, read_targets


def pairs_of(n=40, k=6, seed=0, decimals=2):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, k)) < 0.3).astype(int)
    scores = np.round(rng.random((n, k)) + 0.6 * y, decimals)
    return RankedPairs.of(*check_pair(scores, y)), scores, y


def test_sums_equal_a_loop_over_draws(monkeypatch):
    table = np.random.default_rng(0).random((30, 4)) * (np.arange(30) % 3 == 0)[:, None]
    draws = np.random.default_rng(5).integers(30, size=(7, 30))
    expected = np.array([table[rows].sum(axis=0) for rows in draws])
    for either in (table, sp.csr_array(table)):
        np.testing.assert_allclose(
            resampled_sums(either, np.random.default_rng(5), 7), expected, atol=1e-12
        )
    monkeypatch.setattr(resample, "CHUNK", 60)  # two draws at a time
    np.testing.assert_allclose(
        resampled_sums(table, np.random.default_rng(5), 7), expected, atol=1e-12
    )


@pytest.mark.parametrize("name", ["precision", "recall"])
def test_standard_errors_are_those_of_resamples(name):
    """The linearised standard error against the spread over resampled objects."""
    pairs, _, _ = pairs_of(400, 6)
    ends = np.array([150, 400, 800])
    measure = measure_of(name, 0.8)
    error = moments(pairs.row, pairs.hit, pairs.positives, ends).standard_error(measure)
    for end, expected in zip(ends, error, strict=True):
        hits = np.bincount(pairs.row[:end], weights=pairs.hit[:end], minlength=400)
        calls = np.bincount(pairs.row[:end], minlength=400)
        below = calls if name == "precision" else pairs.positives
        sums = resampled_sums(np.column_stack([hits, below]), np.random.default_rng(0), 2000)
        assert np.std(sums[:, 0] / sums[:, 1]) == pytest.approx(expected, rel=0.1)


@settings(derandomize=True, deadline=None, max_examples=50, database=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    n_units=st.integers(1, 8),
    weighted=st.booleans(),
    dtype=st.sampled_from([np.int32, np.int64]),
)
def test_sums_over_units_are_those_of_their_definition(seed, n, n_units, weighted, dtype):
    rng = np.random.default_rng(seed)
    unit, hit = rng.integers(0, n_units, n).astype(dtype), rng.random(n) < 0.5
    weight = rng.integers(0, 5, n) / 4 if weighted else None
    positives = rng.integers(0, 4, n_units).astype(np.float64)
    ends = np.flatnonzero(rng.random(n) < 0.4) + 1
    sums = moments(unit, hit, positives, ends, weight=weight)
    for at, end in enumerate(ends):
        assert naive.unit_moments(unit, hit, weight, positives, end) == pytest.approx(
            [
                getattr(sums, name)[at]
                for name in ("hits", "calls", "hh", "hc", "cc", "hn", "cn", "ww")
            ]
        )


@pytest.mark.parametrize("name", ["precision", "recall"])
def test_more_candidates_than_are_tried(name, monkeypatch):
    pairs, _, _ = pairs_of(600, 6, decimals=9)
    rule = Rule(name, 0.75, Guarantee("exact", 0.9, lowest=0.75))
    plain = Rule(name, 0.75).choose(pairs, np.random.default_rng(0))
    assert len(pairs.ends()) > 3 * guarantee.N_CANDIDATES
    sure = rule.choose(pairs, np.random.default_rng(0))
    monkeypatch.setattr(guarantee, "N_CANDIDATES", 10**9)  # all are tried
    every = rule.choose(pairs, np.random.default_rng(0))
    assert (sure.met, every.met) == (True, True)
    n_calls = [(pairs.value >= chosen.threshold).sum() for chosen in (sure, every)]
    assert abs(n_calls[0] - n_calls[1]) < 0.01 * len(pairs.value)
    assert (sure.threshold > plain.threshold) == (name == "precision")


@pytest.mark.parametrize(("name", "wanted"), [("recall", 0.75), ("beta", 1.0)])
def test_long_lists_have_sums_at_some_of_their_places(name, wanted, monkeypatch):
    pairs, _, _ = pairs_of(600, 6, decimals=9)
    kind = "exact" if name == "recall" else "simultaneous"
    rule = Rule(name, wanted, Guarantee(kind, 0.9))
    every = rule.choose(pairs, np.random.default_rng(0))
    monkeypatch.setattr(guarantee, "MOST_ENDS", 1200)
    some = rule.choose(pairs, np.random.default_rng(0))
    assert some.met
    assert every.met
    n_calls = [(pairs.value >= chosen.threshold).sum() for chosen in (some, every)]
    assert abs(n_calls[0] - n_calls[1]) <= 0.02 * len(pairs.value)
    assert some.reached == pytest.approx(every.reached, abs=0.01)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_the_mean_f_of_objects_is_that_of_scikit_learn(beta):
    for seed in range(10):
        pairs, scores, y = pairs_of(seed=seed)
        rule = read_targets(beta=beta, average="objects")[0][0]
        chosen = rule.choose(pairs, np.random.default_rng(0))
        means = [
            fbeta_score(y, scores >= t, beta=beta, average="samples", zero_division=0)
            for t in np.unique(scores)
        ]
        assert chosen.reached == pytest.approx(max(means))
        called = scores >= chosen.threshold
        got = fbeta_score(y, called, beta=beta, average="samples", zero_division=0)
        assert got == pytest.approx(max(means))


def test_the_mean_f_of_objects_is_what_is_expected():
    rng = np.random.default_rng(0)
    y = (rng.random((300, 5)) < 0.3).astype(int)
    scores = y + rng.normal(size=y.shape)
    choice = pick_threshold(scores, y, beta=1.0, average="objects")
    called = choice.predict(scores).toarray()
    mean = fbeta_score(y, called, beta=1.0, average="samples", zero_division=0)
    assert choice.f == pytest.approx(mean, abs=0.02)
    assert choice.intervals["f"][0] < mean < choice.intervals["f"][1]
    assert "mean F1 of objects" in choice.message
    with pytest.raises(ValueError, match="'average' parameter"):
        pick_threshold(scores, y, precision=0.9, average="objects")
    with pytest.raises(ValueError, match="'average' parameter"):
        pick_threshold(scores, y, beta=1.0, guarantee="simultaneous", average="objects")
