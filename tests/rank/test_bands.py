"""Measures of resampled lists: equal to those of repeated rows, and intervals that cover."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from trueval.core.labels import Labels
from trueval.core.scores import Scores, as_scores
from trueval.rank import average_precision
from trueval.rank._bands import LEVEL, RankedLists
from trueval.rank._by_class import class_measures

RECALLS = np.array([0.1, 1 / 3, 0.5, 0.7, 1.0])


def naive(values, truth):
    """The three measures of one list of values, from their definitions."""
    positives = truth.sum()
    if positives == 0:
        return np.nan, np.nan, np.full(len(RECALLS), np.nan)
    auc = roc_auc_score(truth, values) if positives < len(truth) else np.nan
    best = []
    for recall in RECALLS:
        for threshold in np.unique(values)[::-1]:
            called = values >= threshold
            if truth[called].sum() >= recall * positives - 1e-9:
                best.append(truth[called].mean())
                break
    return average_precision_score(truth, values), auc, best


def problem(seed, sparse, n=25, n_classes=4):
    generator = np.random.default_rng(seed)
    truth = (generator.random((n, n_classes)) < [0.5, 0.2, 0.04, 1.0]).astype(int)
    values = generator.integers(1, 8, size=truth.shape) / 8 + 0.3 * truth
    stored = generator.random(truth.shape) < 0.6
    if not sparse:
        return Scores(values), Labels(truth), values, truth
    # A pair without a score is below all others.
    scores = Scores(sp.csr_array(np.where(stored, values, 0.0)))
    return scores, Labels(truth), np.where(stored, values, -1.0), truth


@pytest.mark.parametrize("sparse", [False, True])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_resample_is_the_list_with_its_rows_repeated(sparse, seed):
    scores, labels, values, truth = problem(seed, sparse)
    weights = np.random.default_rng(seed + 1).integers(0, 3, size=(3, len(truth))).astype(float)
    chosen = [2, 0, 3]
    for classes in (chosen, None):
        found = RankedLists(scores, labels, classes).measures(weights, RECALLS)
        for d, weight in enumerate(weights.astype(int)):
            again = np.repeat(np.arange(len(truth)), weight)
            columns = [np.s_[again, k] for k in chosen] if classes else [np.s_[again]]
            for k, part in enumerate(columns):
                expected = naive(values[part].ravel(), truth[part].ravel())
                got = found.average_precision[d, k], found.auc[d, k], found.precision[d, k]
                for mine, theirs in zip(got, expected, strict=True):
                    np.testing.assert_allclose(mine, theirs, atol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_as_they_are_have_the_measures_of_the_library(sparse):
    scores, labels, _, _ = problem(0, sparse, n=200)
    once = np.ones((1, 200))
    by_class = RankedLists(scores, labels, range(4)).measures(once)
    areas, auc = class_measures(scores, labels)
    np.testing.assert_allclose(by_class.average_precision[0], areas, atol=1e-12)
    np.testing.assert_allclose(by_class.auc[0], auc, atol=1e-12)
    pooled = RankedLists(scores, labels).measures(once)
    assert pooled.average_precision[0, 0] == pytest.approx(average_precision(scores, labels))
    assert by_class.precision.shape == (1, 4, 40)


def test_draws_do_not_depend_on_how_many_are_held(monkeypatch):
    scores, labels, _, _ = problem(1, True)
    lists = RankedLists(scores, labels, [0, 1])
    whole = lists.draws(20, np.random.default_rng(0))
    monkeypatch.setattr("trueval.rank._bands.CHUNK", 60)
    few = lists.draws(20, np.random.default_rng(0))
    for name in ("average_precision", "auc", "precision"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(few, name))


def test_a_class_of_one_positive_has_no_interval():
    truth = np.zeros((30, 1), dtype=int)
    truth[3] = 1
    lists = RankedLists(as_scores(np.arange(30.0)[:, None]), Labels(truth), [0])
    draws = lists.draws(50, np.random.default_rng(0))
    value = lists.measures(np.ones((1, 30)))
    for name in ("average_precision", "auc", "precision"):
        assert np.isnan(lists.interval(draws, value, name)).all()


@pytest.mark.parametrize("n_positives", [12, 50])
def test_intervals_cover_the_measures_of_the_population(n_positives):
    """Of 90 % intervals, about 90 % hold the truth: normal scores, of which it is known."""
    n, shift, n_times = 200, 1.0, 300
    generator = np.random.default_rng(0)
    rate = n_positives / n
    # The truth from a million rows.
    many = generator.random(1_000_000) < rate
    big = generator.normal(size=1_000_000) + shift * many
    truth = {
        "average_precision": average_precision_score(many, big),
        "auc": roc_auc_score(many, big),
    }
    covered = dict.fromkeys(truth, 0)
    for _ in range(n_times // 50):
        # Fifty classes at a time; each with rows of its own kind, so they are independent.
        y = (generator.random((n, 50)) < rate).astype(int)
        lists = RankedLists(
            as_scores(generator.normal(size=y.shape) + shift * y), Labels(y), range(50)
        )
        draws = lists.draws(200, generator, np.empty(0))
        value = lists.measures(np.ones((1, n)), np.empty(0))
        for name, true in truth.items():
            low, high = lists.interval(draws, value, name)
            covered[name] += int(((low <= true) & (true <= high)).sum())
    shares = {name: count / n_times for name, count in covered.items()}
    # Three standard errors of 300 tries are 0.052.
    assert all(LEVEL - 0.052 < share < LEVEL + 0.052 for share in shares.values()), shares
