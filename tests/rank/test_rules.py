"""Rules and bounds against plain loops over resamples."""

import numpy as np
import pytest
import scipy.sparse as sp

from trueval.core.scores import check_pair
from trueval.rank import _resample as resample
from trueval.rank._resample import resampled_sums
from trueval.rank._rules import N_CANDIDATES, RankedPairs, Rule


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
def test_bounds_equal_a_loop_over_resamples(name):
    pairs, scores, y = pairs_of()
    ends = pairs.ends()
    bound = Rule(name, 0.8, 0.9)._resampled(pairs, ends, np.random.default_rng(3))
    drawn = np.random.default_rng(3).integers(len(y), size=(400, len(y)))
    shares = np.empty((400, len(ends)))
    for b, rows in enumerate(drawn):
        for j, value in enumerate(np.unique(scores)[::-1]):
            calls = scores[rows] >= value
            hits = (calls & (y[rows] == 1)).sum()
            below = calls.sum() if name == "precision" else y[rows].sum()
            shares[b, j] = hits / below if below else 0.0
    if name == "recall":  # objects without members are left out of those resamples
        assert np.abs(bound - np.quantile(shares, 0.1, axis=0)).max() < 0.05
    else:
        np.testing.assert_allclose(bound, np.quantile(shares, 0.1, axis=0), atol=1e-12)


@pytest.mark.parametrize("name", ["precision", "recall"])
def test_more_candidates_than_are_tried(name):
    pairs, _, _ = pairs_of(600, 6, decimals=9)
    assert len(pairs.ends()) > 3 * N_CANDIDATES
    plain, _ = Rule(name, 0.75, None).choose(pairs, np.random.default_rng(0))
    sure, met = Rule(name, 0.75, 0.9).choose(pairs, np.random.default_rng(0))
    assert met
    every = Rule(name, 0.75, 0.9)._resampled(pairs, pairs.ends(), np.random.default_rng(1))
    best = np.flatnonzero(every >= 0.75)[-1 if name == "precision" else 0]
    n_calls = int((pairs.value >= sure).sum())
    assert abs(n_calls - pairs.ends()[best]) < 0.03 * len(pairs.value)
    assert (sure > plain) == (name == "precision")
