"""Similarities, weights and limits in any unit: only their ratios count, or they are refused."""

import numpy as np
import pytest

from trueval import InputError, ParameterError, split_quality, stratified_folds
from trueval.data import Similarity
from trueval.stratify import leakage_trade_off, measures

RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(0, 2, (60, 3))
LEFT, RIGHT, VALUES = RANDOM.integers(0, 60, 90), RANDOM.integers(0, 60, 90), RANDOM.random(90)
MODES = pytest.mark.parametrize(
    "options", [{}, {"cut_weight": 1.0}, {"oversized": "cut"}, {"row_weight": np.arange(1, 61)}]
)


def graph(unit=1.0):
    return Similarity.from_edges(LEFT, RIGHT, VALUES * unit, n_rows=60)


def split(unit, options):
    return stratified_folds(Y, 3, similarity=graph(unit), random_state=0, **options)


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@MODES
@pytest.mark.parametrize("unit", [2.0**1023, 2.0**600, 2.0**-600, 2.0**-1000])
def test_folds_and_shares_do_not_depend_on_the_unit(options, unit):
    """Similarities of 1e308 gave other folds, and a crossing_share of NaN."""
    folds = split(unit, options)
    assert folds.tolist() == split(1.0, options).tolist()
    shares = [
        split_quality(Y, np.arange(60) % 3, similarity=graph(u)).leakage.crossing_share
        for u in (unit, 1.0)
    ]
    assert shares[0] == shares[1]


def test_crossing_share_by_hand():
    edges = [(0, 1, 1.5e308), (1, 2, 0.5e308)]  # the second crosses
    quality = split_quality(np.ones((3, 1), int), [0, 0, 1], similarity=edges)
    assert quality.leakage.crossing_share == 0.25


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize("unit", [2.0**1023, 2.0**-1000])
def test_row_weights_in_any_unit(unit):
    weight = np.linspace(1, 1.9, 60)
    folds = [split(1.0, {"row_weight": weight * u}).tolist() for u in (unit, 1.0)]
    assert folds[0] == folds[1]
    assert -1 in folds[0]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (["1"] * 60, "row_weight must be real numbers: '1' is text"),
        ("1" * 60, "row_weight must be real numbers: .* is text"),
        ([1] * 59, "row_weight must be 60 finite numbers"),
        ([np.inf] * 60, "row_weight must be 60 finite numbers"),
        ([10**309] * 60, "row_weight must be real numbers"),
    ],
)
def test_row_weights_that_are_none(weight, message):
    with pytest.raises(InputError, match=message):
        split(1.0, {"row_weight": weight})


@pytest.mark.parametrize("weight", [1e31, 1e308, 10**309, np.inf])
def test_weights_of_costs_can_be_added_up(weight):
    with pytest.raises(ParameterError, match="'cut_weight' parameter of stratified_folds"):
        split(1.0, {"cut_weight": weight})
    with pytest.raises(ParameterError, match="'cut_weights' parameter of leakage_trade_off"):
        leakage_trade_off(Y, 3, similarity=graph(), cut_weights=[0, weight])
    with pytest.raises(ParameterError, match="'measure' parameter of anneal_folds"):
        stratified_folds(Y, 3, measure={"rld": 1, "ld": weight})


@pytest.mark.parametrize("weights", ["12", b"12", {1.0}, []])
def test_cut_weights_are_a_list(weights):
    with pytest.raises(ParameterError, match="'cut_weights' parameter of leakage_trade_off"):
        leakage_trade_off(Y, 3, similarity=graph(), cut_weights=weights)


def test_the_largest_weight():
    for options in ({"cut_weight": 1e30, "similarity": graph()}, {"measure": {"rld": 1e30}}):
        folds = stratified_folds(Y, 3, random_state=0, **options)
        assert np.bincount(folds).tolist() == [20, 20, 20]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"effort": 10**309}, "'effort' parameter .* fit in 64 bits"),
        ({"seconds": 10**309}, "'seconds' parameter .* fit in 64 bits"),
        ({"threshold": 10**309, "similarity": graph()}, "'threshold' parameter .* in 64 bits"),
    ],
)
def test_limits_that_are_none(options, message):
    with pytest.raises(ParameterError, match=message):
        stratified_folds(Y, 3, **options)


@pytest.mark.parametrize("seconds", [1e308, 2**62])
def test_a_limit_beyond_measure_is_none(seconds):
    groups = np.arange(60) // 5
    unlimited = stratified_folds(Y, 3, groups=groups, random_state=0, effort=0.1)
    folds = stratified_folds(Y, 3, groups=groups, random_state=0, effort=0.1, seconds=seconds)
    assert folds.tolist() == unlimited.tolist()


def test_a_decay_that_ends_at_once():
    folds = stratified_folds(Y, 3, method="sampling", decay=1e308, random_state=0)
    assert set(folds.tolist()) == {0, 1, 2}


@pytest.mark.parametrize("n_parts", [2**31, 2**63 - 1, 2**70])
def test_parts_that_cannot_be_numbered(n_parts):
    with pytest.raises(ParameterError, match="'n_parts' parameter of class_part_counts"):
        measures.class_part_counts(Y, np.zeros(60, int), n_parts)
