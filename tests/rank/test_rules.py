"""Rules, bounds and standard errors against plain loops."""

import numpy as np
import pytest
import scipy.sparse as sp

from trueval.core.scores import check_pair
from trueval.rank import _guarantee as guarantee
from trueval.rank import _resample as resample
from trueval.rank._guarantee import Guarantee
from trueval.rank._moments import measure_of, moments
from trueval.rank._pairs import RankedPairs
from trueval.rank._resample import resampled_sums
from trueval.rank._rules import Rule


def pairs_of(n=40, k=6, seed=0, decimals=2):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, k)) < 0.3).astype(int)
    scores = np.round(rng.random((n, k)) + 0.6 * y, decimals)
    return RankedPairs.of(*check_pair(scores, y)), scores, y


def test_sums_equal_a_loop_over_draws(monkeypatch):
    table = np.random.default_rng(0).random((30, 4)) * (np.arange(30) % 3 == 0)[:, None]
    draws = np.random.default_rng(5).integers(30, size=(7, 30))
    expected = np.array([table[rows].sum(axis=0) for rows in draws])
    for given in (table, sp.csr_array(table)):
        np.testing.assert_allclose(
            resampled_sums(given, np.random.default_rng(5), 7), expected, atol=1e-12
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
