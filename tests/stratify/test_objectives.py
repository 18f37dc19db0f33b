"""The weights of classes against the measures they stand for, and what anneal reaches with them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.strategies import label_arrays, labels_and_parts
from tests.stratify.test_costs import PARTS, dcp
from trueval import split_quality, stratified_folds
from trueval.core.labels import as_labels
from trueval.data import simulate
from trueval.stratify import label_pair_distribution
from trueval.stratify._costs import class_costs
from trueval.stratify._items import row_items
from trueval.stratify._objectives import objective
from trueval.stratify._parts import as_parts

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")
N_ROWS = 40


def prices(size, parts, measure):
    """Price of every division of one class, and the shares."""
    y = np.zeros((N_ROWS, 1), dtype=int)
    y[:size] = 1
    wanted = as_parts(parts, N_ROWS)
    labels, ranks = objective(as_labels(y), measure)
    costs = class_costs(row_items(labels, wanted, ranks, None, None))
    slope, dip, whole = (
        np.broadcast_to(x, wanted.n_parts).tolist() for x in (costs.slope, costs.dip, costs.whole)
    )
    price = {}
    for division in naive.all_divisions(size, wanted.n_parts):
        above = [n - w for n, w in zip(division, whole, strict=True)]
        price[tuple(division)] = sum(
            s * abs(d) - (g if d > 0 else 0) for s, g, d in zip(slope, dip, above, strict=True)
        )
    assert costs.least.tolist() == [min(price.values())]
    return price, wanted.shares


def excess_positives(size, shares, divisions):
    """Positives above what the least possible DCP allows each part."""
    least = min(dcp(d, shares) for d in divisions)
    allowed = [np.floor(size * (least + w) + 1e-9) for w in shares]
    return {
        d: sum(max(n - a, 0) for n, a in zip(d, allowed, strict=True)) / size for d in divisions
    }


def same_up_to_scale(price, expected, tolerance):
    low, high = min(price.values()), max(price.values())
    span = max(expected.values()) - min(expected.values())
    if span == 0 or high == low:
        return
    for division, value in price.items():
        share = (expected[division] - min(expected.values())) / span
        assert (value - low) / (high - low) == pytest.approx(share, abs=tolerance)


@given(st.integers(1, 12), PARTS)
def test_the_price_of_dcp_is_that_of_positives_above_the_least_maximum(size, parts):
    price, shares = prices(size, parts, "dcp")
    expected = excess_positives(size, shares, list(price))
    same_up_to_scale(price, expected, 0.02)
    for division in (d for d in price if expected[d] == 0):
        assert dcp(division, shares) == pytest.approx(min(dcp(d, shares) for d in price))


@given(st.integers(1, 12), PARTS, st.floats(0.1, 5), st.floats(0.1, 5))
def test_a_weighted_sum_is_the_sum_of_prices(size, parts, rld_weight, dcp_weight):
    price, shares = prices(size, parts, {"rld": rld_weight, "dcp": dcp_weight})
    above = excess_positives(size, shares, list(price))
    rld = {
        d: np.mean([abs(n / (size * w) - 1) for n, w in zip(d, shares, strict=True)]) for d in price
    }
    expected = {d: rld_weight * rld[d] + dcp_weight * above[d] for d in price}
    same_up_to_scale(price, expected, 0.02)


@given(st.integers(1, 500))
def test_ld_counts_as_its_odds_rise(size):
    """One positive more in one of two equal parts of many rows, by the formula of LD."""
    n_rows = 1000
    y = np.zeros((n_rows, 1), dtype=int)
    y[:size] = 1
    _, ranks = objective(as_labels(y), {"ld": 1.0, "dcp": 1e-9})
    step = 1e-4
    odds = [x / (n_rows / 2 - x) for x in (size / 2, size / 2 + step)]
    rld_of_step = step / (size / 2)
    assert ranks.weight[0] == pytest.approx((odds[1] - odds[0]) / rld_of_step, rel=1e-3)


def test_the_classes_of_rld_are_the_smallest_first_and_count_alike():
    labels = as_labels(simulate.label_matrix(300, 30, random_state=0))
    _, ranks = objective(labels, "rld")
    assert (np.diff(ranks.size) >= 0).all()
    assert (ranks.weight == 1).all()
    assert (ranks.dcp_weight == 0).all()


def test_each_measure_is_lowest_where_it_was_asked_for():
    y = simulate.label_matrix(2000, 150, cardinality=12, random_state=3)
    found = {}
    for measure in ("rld", "dcp", "ld", "lpd"):
        folds = stratified_folds(y, 5, measure=measure, random_state=0)
        quality = split_quality(y, folds)
        assert quality.sizes.tolist() == [400] * 5
        lpd = label_pair_distribution(y, folds)
        found[measure] = {"rld": quality.rld, "dcp": quality.dcp, "ld": quality.ld, "lpd": lpd}
    for measure, values in found.items():
        others = [v[measure] for name, v in found.items() if name != measure]
        assert values[measure] <= min(others) * (1 + 1e-9), measure


@given(labels_and_parts(max_rows=30), st.sampled_from(["dcp", "ld", "lpd", {"rld": 1, "lpd": 2}]))
def test_sizes_are_exact_with_any_measure(problem, measure):
    y, parts = problem
    wanted = as_parts(parts, len(y))
    sizes = np.bincount(stratified_folds(y, parts, measure=measure), minlength=wanted.n_parts)
    assert ((wanted.low <= sizes) & (sizes <= wanted.high)).all()


def test_the_best_ld_of_all_splits_is_found():
    rng = np.random.default_rng(1)
    y = (rng.random((10, 4)) < 0.4).astype(int)
    y[:, 0] = 1
    y[0, 0] = 0
    best = min(
        split_quality(y, np.isin(np.arange(10), half).astype(int)).ld
        for half in itertools.combinations(range(10), 5)
    )
    folds = stratified_folds(y, 2, measure="ld", random_state=0)
    assert split_quality(y, folds).ld == pytest.approx(best)


def test_groups_stay_together_with_other_measures():
    y = simulate.label_matrix(600, 40, random_state=0)
    groups = np.arange(600) // 3
    start = stratified_folds(y, 5, method="random", groups=groups, random_state=0)
    value = {
        "dcp": lambda folds: split_quality(y, folds).dcp,
        "ld": lambda folds: split_quality(y, folds).ld,
        "lpd": lambda folds: label_pair_distribution(y, folds),
    }
    other = stratified_folds(y, 5, groups=groups, random_state=0)  # by rLD
    for measure, of in value.items():
        folds = stratified_folds(y, 5, measure=measure, groups=groups, random_state=0)
        assert (folds.reshape(-1, 3) == folds[::3, None]).all()
        assert of(folds) < 0.8 * of(start)
        assert of(folds) < of(other)


@pytest.mark.parametrize("measure", ["f1", {}, {"rld": -1}, {"rld": 0}, {"auc": 1}, 3])
def test_unknown_measures_are_refused(measure):
    with pytest.raises(ValueError, match=r"'measure' parameter .*'rld', 'dcp', 'ld'"):
        stratified_folds(np.eye(4, dtype=int), 2, measure=measure)


def test_a_callable_needs_optisplit():
    with pytest.raises(ValueError, match="a callable needs method='optisplit'"):
        stratified_folds(np.eye(4, dtype=int), 2, measure=lambda labels, folds: [0])


@given(label_arrays(max_rows=20, max_classes=5), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_label_pair_distribution_by_its_definition(y, k, seed):
    if len(y) < k:
        return
    folds = np.random.default_rng(seed).permutation(np.arange(len(y)) % k)
    values = []
    for a, b in itertools.combinations(range(y.shape[1]), 2):
        has = (y[:, a] & y[:, b]).astype(bool)
        if not has.any() or has.all():
            continue
        odds = has.sum() / (len(y) - has.sum())
        of_fold = [has[folds == j] for j in range(k)]
        values.append(np.mean([abs(f.sum() / max((~f).sum(), 0.5) - odds) for f in of_fold]))
    found = label_pair_distribution(y, folds)
    assert found == pytest.approx(np.mean(values)) if values else np.isnan(found)


@pytest.mark.parametrize("measure", ["ld", "lpd"])
def test_labels_without_positives(measure):
    folds = stratified_folds(np.zeros((4, 1), int), 2, measure=measure, random_state=0)
    assert np.bincount(folds).tolist() == [2, 2]
