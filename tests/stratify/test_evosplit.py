"""The genetic algorithm: it only improves, and finds the best split of few rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueval import split_quality, stratified_folds
from trueval.data import simulate
from trueval.stratify import label_pair_distribution
from trueval.stratify._parts import as_parts
from trueval.stratify.evosplit import _crowding, _mend_sizes, _standing


@pytest.mark.parametrize("measure", ["ld", "rld", "dcp"])
def test_the_best_of_all_splits_is_found(measure):
    y = (np.random.default_rng(1).random((10, 4)) < 0.4).astype(int)
    best = min(
        getattr(split_quality(y, np.isin(np.arange(10), half).astype(int)), measure)
        for half in itertools.combinations(range(10), 5)
    )
    folds = stratified_folds(y, 2, method="evosplit", measure=measure, random_state=0)
    assert getattr(split_quality(y, folds), measure) == pytest.approx(best)


def test_each_generation_is_at_least_as_good():
    y = simulate.label_matrix(300, 20, random_state=0)
    values = [
        split_quality(
            y,
            stratified_folds(
                y, 4, method="evosplit", generations=n, patience=1000, population=6, random_state=0
            ),
        ).ld
        for n in (0, 60)
    ]
    assert values[1] < 0.8 * values[0]


def test_label_pairs_can_be_balanced():
    y = simulate.label_matrix(300, 20, cardinality=4, random_state=0)
    options = {"method": "evosplit", "random_state": 0, "population": 12, "patience": 100}
    pairs = stratified_folds(y, 4, measure="lpd", **options)
    singles = stratified_folds(y, 4, measure="ld", **options)
    assert label_pair_distribution(y, pairs) < label_pair_distribution(y, singles)
    assert split_quality(y, pairs).ld > split_quality(y, singles).ld


def _beats(a, b):
    return all(x <= y for x, y in zip(a, b, strict=True)) and tuple(a) != tuple(b)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12),
)
def test_fronts_are_those_of_the_definition(points):
    """NSGA-II: a front is what nobody left beats; inside it the outermost come first."""
    standing = _standing(np.array(points, dtype=float))
    assert sorted(standing) == list(range(len(points)))
    remaining, place = set(range(len(points))), 0
    while remaining:
        front = {i for i in remaining if not any(_beats(points[j], points[i]) for j in remaining)}
        assert {i for i in remaining if standing[i] < place + len(front)} == front
        remaining, place = remaining - front, place + len(front)


def test_crowding_by_hand():
    costs = np.array([[0.0, 8.0], [1.0, 4.0], [3.0, 2.0], [10.0, 0.0]])
    assert _crowding(costs).tolist() == [np.inf, 0.3 + 0.75, 0.9 + 0.5, np.inf]


def test_both_objectives_are_lowered_together():
    y = simulate.label_matrix(300, 20, cardinality=4, random_state=0)
    options = {"method": "evosplit", "random_state": 0, "population": 12, "patience": 100}
    quality = {}
    for measure in ("ld", "lpd", "ld+lpd"):
        folds = stratified_folds(y, 4, measure=measure, **options)
        assert np.bincount(folds).tolist() == [75] * 4
        quality[measure] = (split_quality(y, folds).ld, label_pair_distribution(y, folds))
    assert quality["ld+lpd"][0] < quality["lpd"][0]
    assert quality["ld+lpd"][1] < quality["ld"][1]


def test_mended_sizes_move_no_more_rows_than_needed():
    parts = as_parts([0.5, 0.3, 0.2], 20)
    folds = np.zeros(20, np.int32)
    _mend_sizes(folds, parts, np.random.default_rng(0))
    assert np.bincount(folds).tolist() == [10, 6, 4]
    before = folds.copy()
    _mend_sizes(folds, parts, np.random.default_rng(1))
    np.testing.assert_array_equal(folds, before)
