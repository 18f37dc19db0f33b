"""Scores of held-out pairs: figures against scikit-learn, resamples against a naive twin."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from benchmarks.pair_intervals import CASES as COVERAGE
from benchmarks.pair_intervals import coverage
from tests.pairs.naive import auc as naive_auc
from trueval.core.errors import InputError
from trueval.core.intervals import draw_counts
from trueval.core.random import as_generator, draw_seed
from trueval.pairs import ObjectKFold, as_pairs, score_pairs
from trueval.pairs import _object_bootstrap as bootstrap
from trueval.pairs._object_bootstrap import (
    Comparison,
    ObjectResamples,
    pair_variance,
    shrinkage,
)


def problem(seed, n_objects=9, n_rows=40, levels=6):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(n_objects, size=(n_rows, 2))  # repeats, mirrors and self pairs too
    y = rng.integers(2, size=n_rows)
    y[:2] = 0, 1
    return pairs, y, rng.integers(levels, size=n_rows) / levels


def copies(pairs, y, score, counts, kinds):
    """Rows of a resample, one by one: a row is there for every draw of each distinct object."""
    labels, scores = [], []
    for row, (a, b) in enumerate(pairs):
        times = counts[kinds[0], a]
        if kinds[0] != kinds[1] or a != b:
            times = times * counts[kinds[1], b]
        labels += [y[row]] * times
        scores += [score[row]] * times
    return labels, scores


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_an_auc_of_a_resample_is_that_of_the_drawn_copies(seed, symmetric):
    pairs, y, score = problem(seed)
    index = as_pairs(pairs, symmetric=symmetric)
    kinds = (0, 0) if symmetric else (0, 1)
    resamples = ObjectResamples(index, np.arange(len(pairs)), as_generator(seed))
    comparison = Comparison(resamples.members(np.arange(len(pairs))), y > 0, score)
    values = resamples.aucs([comparison], 5)[:, 0]

    generator = as_generator(seed)  # the same draws, kind by kind
    drawn = []
    for kind in range(index.n_kinds):
        ids = [index.ids[o] for o in np.flatnonzero(index.kind == kind)]
        counts = draw_counts(len(ids), 5, np.random.default_rng(draw_seed(generator)))
        drawn.append({(kind, name): counts[:, place] for place, name in enumerate(ids)})
    for place, value in enumerate(values):
        counts = {key: int(n[place]) for kind in drawn for key, n in kind.items()}
        expected = naive_auc(*copies(pairs.tolist(), y, score, counts, kinds))
        assert np.isnan(value) if expected is None else value == pytest.approx(expected, abs=1e-12)


def test_blocks_do_not_change_resamples(monkeypatch):
    pairs, y, score = problem(3)
    folds = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    tables = []
    for cells in (1, 200, 1 << 21):
        monkeypatch.setattr(bootstrap, "_CELLS", cells)
        result = score_pairs(pairs, y, score, folds, symmetric=False, n_resamples=50)
        tables.append(result.table.to_dict())
    assert str(tables[0]) == str(tables[1]) == str(tables[2])


def complete(n, seed=0):
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(n), 2)))
    effect = rng.normal(size=n)
    score = effect[pairs].sum(axis=1) + rng.normal(size=len(pairs))
    return pairs, (score + rng.normal(size=len(pairs)) > 0).astype(int), score


def test_figures_of_folds_are_those_of_scikit_learn():
    pairs, y, score = complete(30)
    folds = list(ObjectKFold(3, random_state=0).split(y=y, groups=pairs))
    result = score_pairs(pairs, y, score, folds, n_resamples=0)
    rows = np.concatenate([test for _, test in folds])
    means = [roc_auc_score(y[test], score[test]) for _, test in folds]
    line = result.to_dict()["settings"]["BB"]
    assert line["pooled"]["auc"] == pytest.approx(roc_auc_score(y[rows], score[rows]), abs=1e-12)
    assert line["averaged"]["auc"] == pytest.approx(np.mean(means), abs=1e-12)
    assert line["park_marcotte"] == "C3"
    assert (line["pooled"]["low"], line["averaged"]["folds"]) == (None, 3)
    assert result.folds.take(result.folds["setting"] == "BB")["auc"] == pytest.approx(means)


def test_settings_are_told_apart_by_brute_force():
    pairs, y, score = complete(12)
    rng = np.random.default_rng(1)
    test = rng.permutation(len(pairs))[:40]
    train = [r for r in range(len(pairs)) if r not in set(test) and pairs[r].max() < 9]
    result = score_pairs(pairs, y, score, {"test": (train, test)}, n_resamples=10)
    seen = {o for r in train for o in pairs[r].tolist()}
    for setting, n_known in (("AA", 2), ("AB", 1), ("BB", 0)):
        own = [r for r in test if len(seen & set(pairs[r].tolist())) == n_known]
        line = result.to_dict()["settings"].get(setting)
        assert (line["pairs"] if line else 0) == len(own)
        expected = naive_auc(y[own], score[own])
        if line and expected is not None:
            assert line["pooled"]["auc"] == pytest.approx(expected, abs=1e-12)
            assert line["averaged"]["auc"] == line["pooled"]["auc"]
            assert line["averaged"]["low"] == line["pooled"]["low"]


def test_forms_of_folds_and_scores_agree():
    pairs, y, score = complete(12)
    numbers = np.arange(len(pairs)) % 3
    folds = [(np.flatnonzero(numbers != k), np.flatnonzero(numbers == k)) for k in range(3)]
    lists = [score[test] for _, test in folds]
    texts = {
        str(score_pairs(pairs, y, s, f, n_resamples=20).table.to_dict())
        for s in (score, lists, tuple(lists))
        for f in (numbers, folds, dict(enumerate(folds)))
    }
    assert len(texts) == 1


def test_a_pair_of_training_is_counted_as_a_leak():
    pairs = [("a", "b"), ("c", "d"), ("b", "a"), ("e", "f")]
    result = score_pairs(pairs, [1, 0, 1, 0], [0, 0, 0.2, 0.1], [([0, 1], [2, 3])], n_resamples=0)
    assert result.n_leaked == 1


def test_null_of_pooling_is_that_of_training_rates():
    pairs, y, score = complete(12)
    numbers = np.arange(len(pairs)) % 3
    result = score_pairs(pairs, y, score, numbers, n_resamples=0)
    rates = np.array([y[numbers != k].mean() for k in range(3)])[numbers]
    assert result.table["null"][0] == pytest.approx(naive_auc(y, rates), abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([0.1, np.nan, 0.2, 0.3], "1 of the 2 test rows of fold 0 have no finite score"),
        ([0.1, 0.2], "one for each of the 4 rows"),
        ([[0.1], [0.2, 0.3]], "fold 0 tests 2 rows"),
        ([[0.1, 0.4], [0.2, 0.3]], "2 arrays for 1 folds"),
    ],
)
def test_scores_that_do_not_fit_are_refused(scores, words):
    pairs = [("a", "b"), ("c", "d"), ("a", "c"), ("b", "d")]
    with pytest.raises(InputError, match=words):
        score_pairs(pairs, [0, 1, 0, 1], scores, [([2, 3], [0, 1])])


def test_one_class_has_no_auc_and_no_interval():
    pairs = [("a", "b"), ("c", "d"), ("a", "c"), ("b", "d")]
    result = score_pairs(pairs, [0, 1, 1, 1], [0, 0, 0.1, 0.2], [([0, 1], [2, 3])])
    line = result.to_dict()["settings"]["AA"]
    assert line["pooled"] == {"auc": None, "low": None, "high": None, "null": None}
    assert (line["averaged"]["folds"], line["averaged"]["excluded"]) == (0, 1)


def weighted_auc(y, score, weight):
    """Comparisons one by one, each with the product of two weights."""
    up, down = np.flatnonzero(y > 0), np.flatnonzero(y == 0)
    better = (score[up][:, None] > score[down]) + 0.5 * (score[up][:, None] == score[down])
    each = weight[up][:, None] * weight[down]
    return (better * each).sum() / each.sum()


@given(st.integers(0, 2**32 - 1))
def test_influence_is_the_derivative_of_the_weighted_auc(seed):
    _, y, score = problem(seed, n_rows=12)
    comparison = Comparison(np.arange(24).reshape(12, 2), y > 0, score)
    members, values = comparison.influence()
    step = 1e-6
    for row, value in zip(members[:, 0] // 2, values, strict=True):
        weight = np.ones(12)
        weight[row] += step
        change = weighted_auc(y, score, weight) - naive_auc(y, score)
        assert change / step == pytest.approx(value, abs=1e-4)


def test_variance_of_pairs_is_the_sum_over_distinct_pairs():
    pairs = np.array([[0, 1], [0, 1], [2, 3], [4, 4], [1, 2]])
    y, score = np.array([1, 0, 1, 0, 0]), np.array([3.0, 2.0, 1.0, 2.5, 0.0])
    index = as_pairs(pairs)
    resamples = ObjectResamples(index, np.arange(5), as_generator(0))
    comparison = Comparison(resamples.members(np.arange(5)), y > 0, score)
    # By hand: AUC 4/6; positives (1, 1/3 - ...) below shares 1 and 1/3, above shares 1/2, 1/2, 1.
    d = {0: (1 - 2 / 3) / 2, 2: (1 / 3 - 2 / 3) / 2}
    d |= {1: (1 / 2 - 2 / 3) / 3, 3: (1 / 2 - 2 / 3) / 3, 4: (1 - 2 / 3) / 3}
    expected = (d[0] + d[1]) ** 2 + d[2] ** 2 + d[4] ** 2  # the self pair, row 3, is left out
    assert pair_variance([comparison], index.n_objects) == pytest.approx(expected, abs=1e-12)


def test_resamples_spread_less_by_the_variance_of_pairs():
    draws = np.array([0.4, 0.6, 0.5, 0.5, np.nan])
    assert shrinkage(draws, 0.0) == 1.0
    assert shrinkage(draws, 0.001) == pytest.approx(np.sqrt(0.004 / 0.005))
    assert shrinkage(draws, 0.004) == pytest.approx(np.sqrt(0.004 / 0.005))
    assert shrinkage(np.full(3, 0.5), 0.1) == 1.0


@pytest.mark.parametrize("name", [name for name in COVERAGE if "strong" in name])
def test_intervals_hold_as_often_as_they_say(name):
    share = coverage(COVERAGE[name], n_runs=60, n_resamples=200, seed=0)["covered"]
    assert share >= 0.9  # of 60 runs at 0.95, fewer than 54 has probability 0.03
