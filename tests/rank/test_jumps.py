"""Jumps of the rate: the scan against straight lines, and what is detected."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval.core.errors import InputError
from trueval.data.simulate import simulation_one, true_rates
from trueval.displays import PrecisionRankDisplay
from trueval.rank import LocalPrecisionRate, examine_precision
from trueval.rank._jumps import scan_jumps

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


def test_examination_tells_kinks_from_smooth_curves():
    """Eight data sets: class 1 is smooth, classes 2 and 5 jump at 0.8."""
    smooth = []
    for seed in range(8):
        scores, y = simulation_one(800, 0.1, random_state=seed)
        examined = examine_precision(scores, y, classes=[0, 1, 4], n_draws=99, random_state=seed)
        smooth.append(examined.classes["0"].p_value)
        for k in (1, 4):
            found = examined.classes[str(k)]
            assert found.p_value <= 0.05
            rank = np.searchsorted(np.sort(scores[:, k]), found.jump_score)
            assert abs(rank - (scores[:, k] < 0.8).sum()) <= 0.02 * 800
            assert found.step > 0.4
        assert not examined.smooth or examined.classes["1"].p_value > 0.05 / 3
        assert "jump" in repr(examined)
    assert np.mean(np.array(smooth) <= 0.05) <= 0.25


def test_examination_holds_the_curve_that_is_fitted():
    scores, y = simulation_one(300, 0.2, random_state=0)
    scores[:, 0] = np.round(scores[:, 0], 1)
    examined = examine_precision(scores, y, classes=[0], n_draws=19)
    found = examined.classes["0"]
    ranker = LocalPrecisionRate().fit(scores, y)
    assert found.bandwidth == ranker.bandwidths_[0]
    np.testing.assert_allclose(
        found.rate, ranker.transform(scores)[np.argsort(scores[:, 0], kind="stable"), 0]
    )
    label = y.toarray()[:, 0]
    assert found.precision[0] == pytest.approx(label.mean())
    assert found.precision[-1] == pytest.approx(label[scores[:, 0] == scores[:, 0].max()].mean())
    assert found.fit.shape == found.rank.shape == (300,)
    assert examined.table.n_rows == 1
    assert "Precision against rank" in examined._repr_html_()


def test_examination_refuses():
    scores, y = simulation_one(60, 0.2, random_state=0)
    with pytest.raises(InputError, match="no class 'x'"):
        examine_precision(scores, y, classes=["x"])
    with pytest.raises(ValueError, match="n_draws"):
        examine_precision(scores, y, n_draws=0)
    with pytest.raises(ValueError, match="level"):
        examine_precision(scores, y, level=1)
    none = np.zeros((60, 5), dtype=int)
    with pytest.raises(InputError, match="no class has positives"):
        examine_precision(scores, none)
    with pytest.raises(InputError, match="no positives"):
        examine_precision(scores, none, classes=[0])


def test_a_dozen_objects_cannot_be_tested():
    scores = np.arange(12.0)[:, None]
    examined = examine_precision(scores, (np.arange(12) % 2)[:, None])
    assert np.isnan(examined.classes["0"].p_value)
    assert examined.smooth


def test_display_marks_the_jumps():
    pytest.importorskip("matplotlib").use("Agg")
    scores, y = simulation_one(400, 0.1, random_state=0)
    display = PrecisionRankDisplay.from_scores(scores, y, classes=[0, 4], n_draws=99).plot()
    labels = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert labels == ["0", "4"]
    jumps = [line for line in display.ax_.lines if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in jumps] == [display.examined.classes["4"].jump_rank]
