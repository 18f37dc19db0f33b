"""The default ranker."""

import warnings

import numpy as np
import pytest

from trueval.data.simulate import simulation_one, simulation_two, true_rates
from trueval.rank import (
    LocalPrecisionRate,
    OneClassWarning,
    PrecisionRanker,
    average_precision,
)


def test_precision_ranker_finds_atoms_that_differ():
    scores, y = simulation_two(500, 0.05, 0.05, random_state=0)
    ranker = PrecisionRanker().fit(scores, y)
    # The value 0.5 is all members in class 5, in the middle of the others.
    assert ranker.n_atoms_[4] == 1
    at = ranker.transform(np.full((1, 5), 0.5))[0, 4]
    beside = ranker.transform(np.full((1, 5), 0.5001))[0, 4]
    assert at > 0.95 > 0.3 > beside


def test_precision_ranker_leaves_rounded_scores_alone():
    counts = []
    for seed in range(10):
        scores, y = simulation_one(500, 0.15, random_state=seed)
        counts.append(PrecisionRanker().fit(np.round(scores, 1), y).n_atoms_.sum())
    assert np.mean(counts) < 1.5  # of about 45 values tested each time


def test_precision_ranker_is_not_forced_to_rise():
    rng = np.random.default_rng(0)
    s = rng.random((3000, 2))
    chance = np.column_stack([np.exp(-(((s[:, 0] - 0.5) / 0.15) ** 2)), s[:, 1]])
    y = (rng.random((3000, 2)) < chance).astype(int)
    ranker = PrecisionRanker().fit(s, y)
    assert ranker.methods_.tolist() == ["free spline", "spline"]
    middle, ends = ranker.transform(np.array([[0.5, 0.5], [0.02, 0.5], [0.98, 0.5]]))[:, 0][[0, 1]]
    assert middle > 0.9
    assert ends < 0.1


def test_precision_ranker_stays_rising_where_the_truth_rises():
    methods = [
        PrecisionRanker().fit(*simulation_one(300, 0.15, random_state=seed)).methods_
        for seed in range(20)
    ]
    assert (np.concatenate(methods) == "free spline").mean() <= 0.02


def test_precision_ranker_takes_isotonic_regression_for_steps():
    rng = np.random.default_rng(0)
    s = rng.random((40_000, 1))
    chance = np.where(s < 0.37, 0.01, np.where(s < 0.83, 0.4, 0.97))
    y = (rng.random(s.shape) < chance).astype(int)
    ranker = PrecisionRanker().fit(s, y)
    assert ranker.methods_[0] == "isotonic"
    assert np.abs(ranker.transform(s) - chance).mean() < 0.01


def test_rare_classes_are_drawn_to_the_pooled_curve():
    rng = np.random.default_rng(0)
    n, K = 2000, 40
    y = np.zeros((n, K), dtype=int)
    for k in range(K):
        y[rng.choice(n, 2 if k else 1, replace=False), k] = 1
    scores = rng.normal(size=(n, K)) + 3 * y
    fresh = (rng.random((n, K)) < 0.001).astype(int)
    new = rng.normal(size=(n, K)) + 3 * fresh
    alone, drawn = (
        PrecisionRanker(shrink=shrink, share="none").fit(scores, y).transform(new)
        for shrink in (0.0, 0.25)
    )
    loss = [-np.log(np.clip(np.where(fresh > 0, v, 1 - v), 1e-6, 1)).mean() for v in (alone, drawn)]
    assert loss[1] < loss[0]


def test_intervals_hold_the_value_and_narrow_with_data():
    widths = []
    for n in (100, 1000):
        scores, y = simulation_one(n, 0.2, random_state=0)
        ranker = PrecisionRanker().fit(scores, y)
        values = ranker.transform(scores)
        low, high = ranker.interval(scores, 0.9)
        assert ((low >= 0) & (low <= values) & (values <= high) & (high <= 1)).all()
        wide = ranker.interval(scores, 0.99)
        assert (wide[0] <= low).all()
        assert (wide[1] >= high).all()
        widths.append((high - low).mean())
    assert widths[1] < 0.6 * widths[0]
    with pytest.raises(ValueError, match="'confidence' parameter of interval"):
        ranker.interval(scores, 1.0)


@pytest.mark.parametrize("pi", [(0.1, 0.0), (0.05, 0.05)])
def test_precision_ranker_beats_the_published_estimator(pi):
    gaps = []
    for seed in range(8):
        scores, y = simulation_two(200, *pi, random_state=seed)
        new, new_y = simulation_two(200, *pi, random_state=1000 + seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)
            areas = [
                average_precision(r.fit(scores, y).transform(new), new_y)
                for r in (PrecisionRanker(), LocalPrecisionRate(mapping="step"))
            ]
        gaps.append(areas[0] - areas[1])
    assert np.mean(gaps) > 0.005


@pytest.mark.slow
@pytest.mark.parametrize("cell", [(200, 0.1), (500, 0.2), (2000, 0.05)])
def test_interval_coverage(cell):
    # Over scores and classes, nine of ten intervals are to hold the true probability.
    held = []
    for seed in range(30):
        scores, y = simulation_one(*cell, random_state=seed)
        low, high = PrecisionRanker().fit(scores, y).interval(scores, 0.9)
        truth = true_rates(scores, cell[1])
        held.append(((low - 1e-9 <= truth) & (truth <= high + 1e-9)).mean())
    assert 0.84 <= np.mean(held) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("cell", [(200, 0.1), (500, 0.2)])
def test_values_are_calibrated_on_new_data(cell):
    values, hits = [], []
    for seed in range(40):
        scores, y = simulation_one(*cell, random_state=seed)
        new, new_y = simulation_one(*cell, random_state=500 + seed)
        values.append(PrecisionRanker().fit(scores, y).transform(new).ravel())
        hits.append(new_y.toarray().ravel())
    values, hits = np.concatenate(values), np.concatenate(hits)
    for low, high in ((0, 0.05), (0.05, 0.3), (0.3, 0.7), (0.7, 0.95), (0.95, 1.01)):
        inside = (values >= low) & (values < high)
        assert abs(values[inside].mean() - hits[inside].mean()) < 0.06
