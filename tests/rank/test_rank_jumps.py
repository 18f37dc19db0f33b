"""Jumps of the rate: the scan against straight lines, and what is detected."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval.data.simulate_scores import simulation_one, true_rates
from trueval.rank import LocalPrecisionRate
from trueval.rank.jumps import scan_jumps

QUICK = settings(derandomize=True, deadline=None, max_examples=40, database=None)


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(20, 80), width=st.integers(3, 40))
def test_a_step_is_the_gap_between_two_lines(seed, n, width):
    rng = np.random.default_rng(seed)
    label = (rng.random(n) < np.linspace(0, 1, n)).astype(float)
    places = np.arange(3, n - 2)
    scan = scan_jumps(label, places, width)
    middle = np.arange(n) + 0.5
    for place, step, z in zip(places, scan.step, scan.z, strict=True):
        ends, squares = [], []
        for side in (
            np.arange(max(place - width, 0), place),
            np.arange(place, min(place + width, n)),
        ):
            design = np.column_stack([np.ones(len(side)), middle[side] - place])
            weight = np.linalg.pinv(design)[0]
            ends.append(np.clip(weight @ label[side], 0, 1))
            squares.append(weight @ weight)
        assert step == pytest.approx(ends[1] - ends[0], abs=1e-9)
        rate = np.average(ends, weights=1 / np.array(squares))
        size = 1 / sum(squares)
        rate = (rate * size + 0.5) / (size + 1)
        assert z == pytest.approx(step / np.sqrt(rate * (1 - rate) / size), abs=1e-7)


def test_jumps_are_found_where_they_are():
    """Classes 2 and 5 of Simulation I jump at 0.8; classes 1 and 3 do not jump."""
    scores, y = simulation_one(4000, 0.1, random_state=1)
    smooth = LocalPrecisionRate().fit(scores, y)
    ranker = LocalPrecisionRate(jumps="detect").fit(scores, y)
    assert [len(j) for j in smooth.jumps_] == [0] * 5
    assert len(ranker.jumps_[0]) == len(ranker.jumps_[2]) == 0
    for k in (1, 4):  # hardly an object lies between 0.8 and the place found
        rank = np.searchsorted(np.sort(scores[:, k]), ranker.jumps_[k])
        assert np.abs(rank - (scores[:, k] < 0.8).sum()).min() <= 8
    new, _ = simulation_one(4000, 0.1, random_state=2)
    truth = true_rates(new, 0.1)
    before, after = (
        np.sqrt(((r.transform(new) - truth) ** 2).mean(axis=0)) for r in (smooth, ranker)
    )
    assert (after[[1, 4]] < 0.8 * before[[1, 4]]).all()
    np.testing.assert_array_equal(after[[0, 2]], before[[0, 2]])


def test_no_window_reaches_over_a_jump():
    """Labels on one side of a cut do not change slopes on the other."""
    scores = np.arange(400.0)[:, None]
    y = (np.arange(400) >= 300).astype(int)[:, None]
    ranker = LocalPrecisionRate(0.2, jumps="detect").fit(scores, y)
    assert ranker.jumps_[0].tolist() == [300.0]
    values = ranker.transform(scores).ravel()
    np.testing.assert_allclose(values[300:], 1.0, atol=1e-9)
    assert values[:295].max() < 0.1
    blurred = LocalPrecisionRate(0.2).fit(scores, y).transform(scores).ravel()
    assert blurred[280] > 0.2


def test_few_objects_have_no_place_for_a_jump():
    ranker = LocalPrecisionRate(jumps="detect").fit(
        np.arange(10.0)[:, None], (np.arange(10) > 4).astype(int)[:, None]
    )
    assert len(ranker.jumps_[0]) == 0
