"""Thresholds by expected F: equal to trying every set of calls, and good for rare classes."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from trueval.core.errors import InputError
from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import (
    ExpectedFCut,
    ExpectedFThresholds,
    IsotonicRanker,
    OptimalThresholds,
    PrecisionRanker,
    PValueRanker,
)
from trueval.rank._plugin import best_expected_f

CHANCES = st.lists(st.floats(0, 1), min_size=1, max_size=8).map(np.array)


@given(CHANCES, st.floats(0, 3), st.sampled_from([0.5, 1.0, 2.0]))
def test_best_expected_f_over_all_sets_of_calls(chances, absent, beta):
    """Every set of calls is tried; the calls from F*/(1 + β²) on are as good as any."""
    total = beta**2 * (chances.sum() + absent)

    def ratio(called):
        return (1 + beta**2) * chances[called].sum() / (called.sum() + total)

    sets = np.array(np.meshgrid(*[[False, True]] * len(chances))).reshape(len(chances), -1).T
    best = max(ratio(called) for called in sets if called.any())
    got = best_expected_f(chances, absent, beta)
    assert got == pytest.approx(best)
    if best > 1e-6:
        called = chances >= got / (1 + beta**2) - 1e-12
        assert ratio(called) == pytest.approx(best)


class Known(IsotonicRanker):
    """Values that are given."""

    def transform(self, scores):
        return np.asarray(scores.matrix, float)


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_thresholds_are_half_the_best_f(average):
    scores, y = simulation_one(200, 0.2, random_state=0)
    chances = true_rates(scores, 0.2)
    cut = ExpectedFThresholds(Known(), average=average).fit(chances, y)
    columns = chances.T if average == "macro" else [chances.ravel()] * 5
    expected = [best_expected_f(column, 0.0, 1.0) / 2 for column in columns]
    assert cut.thresholds_ == pytest.approx(expected)
    calls = cut.predict(chances).toarray()
    assert calls.tolist() == (chances >= cut.thresholds_).astype(int).tolist()


def test_sparse_scores_count_positives_that_are_absent():
    scores, y = simulation_one(300, 0.2, random_state=0)
    stored = sp.csr_array(np.where(scores > 0.3, scores, 0.0))
    cut = ExpectedFThresholds().fit(stored, y)
    values, whole = cut.ranker_.transform(stored), []
    for k in range(5):
        column = values[:, [k]].tocoo().data
        rest = cut.ranker_.absent_values_[k] * (300 - len(column))
        whole.append(best_expected_f(column, rest, 1.0))
    assert cut.expected_f_ == pytest.approx(whole)
    assert cut.ranker_.absent_values_.max() > 0
    assert sp.issparse(cut.predict(stored))


def test_rare_classes_gain_macro_f():
    gain = []
    for seed in range(8):
        (scores, y), (new, truth) = (
            simulation_one(150, 0.05, random_state=2 * seed + i) for i in range(2)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = [
                f1_score(truth, cut.fit(scores, y).predict(new), average="macro", zero_division=0)
                for cut in (ExpectedFThresholds(), OptimalThresholds(average="macro"))
            ]
        gain.append(made[0] - made[1])
    assert np.mean(gain) > 0


def test_at_most_k_classes_of_an_object():
    scores, y = simulation_one(200, 0.4, random_state=0)
    free, two = (ExpectedFCut(max_calls=k).fit(scores, y).predict(scores) for k in (None, 2))
    assert free.sum(axis=1).max() > 2
    assert two.sum(axis=1).max() == 2
    few = free.sum(axis=1) <= 2
    assert (free[few] != two[few]).nnz == 0
    with pytest.raises(ValueError, match="'max_calls' parameter"):
        ExpectedFCut(max_calls=0).fit(scores, y)


def test_values_that_are_no_probabilities_are_refused():
    scores, y = simulation_one(60, 0.3, random_state=0)
    with pytest.raises(InputError, match="an expected F cuts probabilities"):
        ExpectedFThresholds(PValueRanker()).fit(scores, y)
    assert ExpectedFThresholds(PrecisionRanker()).fit(scores, y).thresholds_.shape == (5,)
