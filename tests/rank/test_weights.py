"""Weights of objects: whole ones are repetitions, and bounds know that they are not."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import average_precision_score, precision_recall_curve

from trueval.core.errors import InputError, ParameterError
from trueval.rank import (
    FDRRanker,
    HalfNormalRanker,
    HierarchicalRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    LocalTrueDiscoveryRate,
    PrecisionRanker,
    PValueRanker,
    average_precision,
    cross_fit,
    pick_threshold,
    pooled_precision_recall_curve,
)
from trueval.rank._moments import measure_of, moments

RANKERS = [
    PrecisionRanker(),
    PrecisionRanker(share="none"),
    IsotonicRanker(),
    PValueRanker(),
    FDRRanker(),
    LocalTrueDiscoveryRate(),
    LocalPrecisionRate(),
    HalfNormalRanker(),
]
TARGETS = [
    {"precision": 0.7},
    {"recall": 0.6},
    {"beta": 1.0},
    {"beta": 2.0, "average": "objects"},
    {"n_calls": 150},
    {"top_k": 2},
    {"cost_ratio": 1.0},
]


def problem(seed, n=150, k=4, decimals=2):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, k)) < [0.1, 0.2, 0.3, 0.5][:k]).astype(int)
    scores = np.round(1 / (1 + np.exp(-(rng.normal(size=y.shape) + 1.5 * y))), decimals)
    return scores, y, rng.integers(0, 4, n).astype(float)


def repeated(weights, *arrays):
    rows = np.repeat(np.arange(len(weights)), weights.astype(int))
    return rows, *(array[rows] for array in arrays)


@pytest.mark.parametrize("ranker", RANKERS, ids=repr)
@pytest.mark.parametrize("sparse", [False, True])
def test_whole_weights_are_repetitions(ranker, sparse):
    scores, y, weights = problem(1)
    new = np.linspace(0, 1, 40)[:, None] * np.ones(4)
    _, many_scores, many_y = repeated(weights, scores, y)
    if sparse:
        scores, many_scores = (sp.csr_array(np.where(s > 0.3, s, 0)) for s in (scores, many_scores))
    expected = ranker.fit(many_scores, many_y)
    values, absent = expected.transform(new), expected.absent_values_
    weighted = ranker.fit(scores, y, sample_weight=weights)
    assert_allclose(weighted.transform(new), values, rtol=1e-9, atol=1e-12)
    assert_allclose(weighted.absent_values_, absent)


def test_fractions_of_objects():
    scores, y, weights = problem(2)
    plain = PrecisionRanker().fit(scores, y).transform(scores)
    ones = PrecisionRanker().fit(scores, y, sample_weight=np.ones(len(y))).transform(scores)
    assert_allclose(ones, plain, rtol=1e-12)
    half = PrecisionRanker().fit(scores, y, sample_weight=weights / 2).transform(scores)
    whole = PrecisionRanker().fit(scores, y, sample_weight=weights).transform(scores)
    assert (half != whole).any()  # less data
    isotonic = [
        IsotonicRanker(shrink=False).fit(scores, y, sample_weight=w).transform(scores)
        for w in (weights, weights / 2)
    ]
    assert_allclose(*isotonic)  # rates alone
    for ranker in (LocalPrecisionRate(), HalfNormalRanker()):
        with pytest.raises(ParameterError, match=r"whole numbers.*Got 0.5"):
            ranker.fit(scores, y, sample_weight=weights / 2)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_curves_equal_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    scores, y, _ = problem(seed, 30, 3, decimals=1)
    y[0, 0] = 1
    weights = rng.random(30) + 0.01
    flat = y.ravel(), scores.ravel()
    each = np.repeat(weights, 3)
    curve = pooled_precision_recall_curve(scores, y, sample_weight=weights)
    expected = precision_recall_curve(*flat, sample_weight=each)
    for got, wanted in zip(curve, expected, strict=True):
        assert_allclose(got, wanted, rtol=1e-9)
    area = average_precision_score(*flat, sample_weight=each)
    assert average_precision(scores, y, sample_weight=weights) == pytest.approx(area)


def test_curves_of_sparse_scores_are_those_of_repeated_rows():
    scores, y, weights = problem(3)
    stored = sp.csr_array(np.where(scores > 0.6, scores, 0))
    _, many, many_y = repeated(weights, stored, y)
    got = average_precision(stored, y, sample_weight=weights)
    assert got == pytest.approx(average_precision(many, many_y))
    curve = pooled_precision_recall_curve(stored, y, sample_weight=weights)
    for one, other in zip(curve, pooled_precision_recall_curve(many, many_y), strict=True):
        assert_allclose(one, other)


def test_cross_fit_weighs_the_other_folds():
    scores, y, weights = problem(4)
    folds = [(np.arange(75, 150), np.arange(75)), (np.arange(75), np.arange(75, 150))]
    got = cross_fit(IsotonicRanker(), scores, y, cv=folds, sample_weight=weights)
    for train, test in folds:
        ranker = IsotonicRanker().fit(scores[train], y[train], sample_weight=weights[train])
        assert_array_equal(got[test], ranker.transform(scores[test]))


@pytest.mark.filterwarnings("ignore:exactly:trueval.rank.TargetWarning")
@pytest.mark.filterwarnings("ignore:called from:trueval.rank.TargetWarning")
@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("ranker", [None, PrecisionRanker()], ids=repr)
def test_thresholds_are_those_of_repeated_rows(target, ranker):
    scores, y, weights = problem(5, 300)
    fold = np.random.default_rng(0).integers(0, 3, 300)
    rows, many, many_y = repeated(weights, scores, y)
    if "n_calls" in target:  # as many calls among as many objects
        target = {"n_calls": int(weights.sum() // 2)}

    def pairs(folds):
        return [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(3)]

    got = pick_threshold(scores, y, **target, ranker=ranker, cv=pairs(fold), sample_weight=weights)
    expected = pick_threshold(many, many_y, **target, ranker=ranker, cv=pairs(fold[rows]))
    assert got.threshold == pytest.approx(expected.threshold, nan_ok=True)
    for name in ("precision", "recall", "f", "calls_per_object", "cost"):
        assert getattr(got, name) == pytest.approx(getattr(expected, name), nan_ok=True), name
    # Repetitions are no new objects: the interval is wider than that of the repeated rows.
    width, narrow = (np.diff(c.intervals["recall"])[0] for c in (got, expected))
    assert width > 1.1 * narrow


def test_objects_of_weight_zero_do_not_move_the_threshold():
    """By hand: the threshold is midway between 0.8 and 0.2; 0.7 belongs to nobody that counts."""
    scores, y = np.array([[0.9], [0.8], [0.7], [0.2], [0.1]]), np.array([[1], [1], [0], [0], [1]])
    choice = pick_threshold(scores, y, precision=0.9, cv=2, sample_weight=[1, 1, 0, 1, 1])
    assert choice.threshold == pytest.approx(0.5)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_moments_equal_sums_written_out(seed, grouped):
    rng = np.random.default_rng(seed)
    n_rows, n = 6, 15
    row, hit = rng.integers(0, n_rows, n), rng.random(n) < 0.6
    weight = rng.random(n_rows) * 3
    positives = weight * rng.integers(1, 5, n_rows)
    unit = np.arange(n_rows) // 2 if grouped else np.arange(n_rows)
    of_unit = np.bincount(unit, positives)
    ends = np.array([3, 8, 15])
    got = moments(unit[row], hit, of_unit, ends, weight=weight[row], wn=1.0)
    for i, end in enumerate(ends):
        calls, hits = np.zeros(len(of_unit)), np.zeros(len(of_unit))
        squares = 0.0
        for r, h in zip(row[:end], hit[:end], strict=True):
            calls[unit[r]] += weight[r]
            hits[unit[r]] += weight[r] * h
            squares += weight[r] ** 2
        sums = {
            "hits": hits.sum(),
            "calls": calls.sum(),
            "hh": (hits**2).sum(),
            "hc": (hits * calls).sum(),
            "cc": (calls**2).sum(),
            "hn": (hits * of_unit).sum(),
            "cn": (calls * of_unit).sum(),
            "ww": squares,
        }
        for name, value in sums.items():
            assert getattr(got, name)[i] == pytest.approx(value), name


@pytest.mark.parametrize("guarantee", ["exact", "simultaneous"])
@pytest.mark.parametrize("for_new", [None, 200])
@pytest.mark.parametrize("target", [{"precision": 0.6}, {"recall": 0.5}], ids=str)
def test_equal_weights_promise_what_no_weights_do(guarantee, for_new, target):
    scores, y, _ = problem(6, 400)
    options = {**target, "guarantee": guarantee, "for_new": for_new}
    plain = pick_threshold(scores, y, **options)
    for weight in (0.01, 7.0):
        weighted = pick_threshold(scores, y, **options, sample_weight=np.full(400, weight))
        assert weighted.threshold == pytest.approx(plain.threshold)
        assert weighted.reached == pytest.approx(plain.reached)
        assert weighted.intervals["recall"] == pytest.approx(plain.intervals["recall"])


def test_unequal_weights_cost_evidence():
    weight = np.array([1.0, 1.0, 1.0, 9.0])
    sums = moments(np.arange(4), np.ones(4, bool), weight, np.array([4]), weight=weight, wn=84.0)
    # All right: the four count as Kish's 12² / 84 objects of weight 1.
    effect = sums.design_effect(measure_of("precision", 0.9))
    assert sums.calls / effect == pytest.approx(12**2 / 84)


def draw(rng, n, chance):
    """Objects of two kinds, the second with worse scores and drawn with another chance."""
    kind = rng.random(n) < chance
    y = (rng.random((n, 6)) < 0.3).astype(int)
    noise = np.where(kind[:, None], 1.5, 0.6) * rng.normal(size=y.shape)
    return kind, np.round(2 * y + noise, 3), y


@pytest.mark.filterwarnings("ignore::trueval.rank.TargetWarning")
@pytest.mark.parametrize("guarantee", ["exact", "simultaneous"])
def test_promises_hold_in_the_weighted_population(guarantee):
    """Half of the population is of the hard kind, a tenth of the sample."""
    rng = np.random.default_rng(0)
    _, scores, y = draw(rng, 20_000, 0.5)
    missed = {"weighted": 0, "plain": 0}
    runs = 60
    for run in range(runs):
        kind, given_scores, given_y = draw(np.random.default_rng([3, run]), 300, 0.1)
        weights = np.where(kind, 0.5 / 0.1, 0.5 / 0.9)
        for name, weight in (("weighted", weights), ("plain", None)):
            choice = pick_threshold(
                given_scores,
                given_y,
                precision=0.85,
                guarantee=guarantee,
                sample_weight=weight,
            )
            called = scores >= choice.threshold
            missed[name] += bool(called.any() and y[called].mean() < 0.85)
    assert missed["weighted"] <= 0.1 * runs + 2 * np.sqrt(0.1 * 0.9 * runs)
    assert missed["plain"] > 0.5 * runs  # which is what weights are for


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"shape \(1,\)"),
        ([np.nan] * 150, "nan at row 0"),
        ([1.0] * 149 + [-1.0], "-1 at row 149"),
        ([0.0] * 150, "0 at all rows"),
        (["a"] * 150, "must be real numbers"),
        ([1e308] * 150, r"1e\+308 at row 0; a weight of 2 counts as two objects"),
        ([1.0] * 149 + [1e-320], "at row 149; a weight of 2"),
        (np.ma.array(np.ones(150), mask=np.arange(150) == 3), "row 3: sample_weight has a masked"),
    ],
)
def test_weights_are_checked(weights, message):
    scores, y, _ = problem(7)
    calls = (
        lambda: PrecisionRanker().fit(scores, y, sample_weight=weights),
        lambda: average_precision(scores, y, sample_weight=weights),
        lambda: pick_threshold(scores, y, beta=1.0, sample_weight=weights),
        lambda: cross_fit(PrecisionRanker(), scores, y, sample_weight=weights),
    )
    for call in calls:
        with pytest.raises(InputError, match=message):
            call()


@pytest.mark.parametrize("ranker", [PrecisionRanker(), IsotonicRanker()])
@pytest.mark.parametrize("weight", [1e-9, 1e9])
def test_the_unit_of_weights_means_nothing(ranker, weight):
    scores, y, _ = problem(8)
    weights = np.full(150, weight)
    values = clone(ranker).fit(scores, y, sample_weight=weights).transform(scores)
    assert np.isfinite(values).all()
    if isinstance(ranker, IsotonicRanker):  # means do not change with the unit
        plain = clone(ranker).fit(scores, y).transform(scores)
        assert values == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("ranker", [LocalPrecisionRate(), HalfNormalRanker()])
def test_objects_that_are_repeated_too_often_are_refused(ranker):
    scores, y, _ = problem(8)
    weights = np.ones(150)
    weights[4] = 1e8
    with pytest.raises(InputError, match=r"stands for 100,000,149 objects, and .* takes each"):
        ranker.fit(scores, y, sample_weight=weights)


def test_a_series_in_another_order_is_refused():
    scores, y, weights = problem(9)
    index = [f"r{i}" for i in range(150)]
    frames = pd.DataFrame(scores, index), pd.DataFrame(y, index)
    series = pd.Series(weights, index)
    area = average_precision(*frames, sample_weight=series)
    for same in (weights, list(weights), series.reset_index(drop=True)):
        assert average_precision(*frames, sample_weight=same) == area
    with pytest.raises(InputError, match="row 0 is 'r149' in sample_weight but 'r0' in y"):
        average_precision(*frames, sample_weight=series[::-1])


def test_weights_are_refused_where_they_have_no_meaning():
    scores, y, weights = problem(8)
    with pytest.raises(ParameterError, match="exchangeable"):
        pick_threshold(scores, y, precision=0.5, guarantee="fdr", sample_weight=weights)
    with pytest.raises(ParameterError, match="neighbours"):
        HierarchicalRanker([-1, 0, 1, 2]).fit(scores, y, sample_weight=weights)
    only_zero = np.where(y.any(axis=1), 0.0, 1.0)
    for call in (pooled_precision_recall_curve, average_precision):
        with pytest.raises(InputError, match="weight 0"):
            call(scores, y, sample_weight=only_zero)
    with pytest.raises(InputError, match="weight 0"):
        pick_threshold(scores, y, beta=1.0, sample_weight=only_zero)
