"""MAP rule and costs: thresholds that decision theory gives on probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval.core.errors import InputError
from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import (
    FDRRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    LocalTrueDiscoveryRate,
    PrecisionRanker,
    PValueRanker,
    RankedClassifier,
    TargetWarning,
    pick_threshold,
)
from trueval.rank._bayes import bayes_cut

QUICK = settings(derandomize=True, deadline=None, max_examples=100, database=None)


@QUICK
@given(
    chances=st.lists(st.floats(0, 1), min_size=1, max_size=8),
    cost_ratio=st.floats(0.05, 20),
)
def test_no_set_of_calls_costs_less(chances, cost_ratio):
    """Brute force over all sets of calls, with known probabilities."""
    p = np.array(chances)
    chosen = p >= bayes_cut(cost_ratio)

    def cost(called):
        return np.sum(np.where(called, cost_ratio * (1 - p), p))

    least = min(
        cost(np.array([(number >> i) & 1 for i in range(len(p))], dtype=bool))
        for number in range(2 ** len(p))
    )
    assert cost(chosen) == pytest.approx(least, abs=1e-9)


def test_map_is_half_and_costs_are_counted():
    scores, y = simulation_one(400, 0.2, random_state=0)
    p = true_rates(scores, 0.2)
    choice = pick_threshold(p, y, map=True)
    assert choice.threshold == 0.5
    assert choice.target == "map"
    dense = y.toarray() > 0
    called = p >= 0.5
    assert choice.predict(p).toarray().tolist() == called.astype(int).tolist()
    wrong = (called != dense).sum()
    assert choice.cost == pytest.approx(wrong / 400)
    assert choice.precision == pytest.approx(dense[called].mean())
    low, high = choice.intervals["cost"]
    assert low < choice.cost < high
    assert f"expected cost {choice.cost:.3g}" in choice.message
    assert "cost per row" in choice._repr_html_()
    dear = pick_threshold(p, y, cost_ratio=4)
    assert dear.threshold == pytest.approx(0.8)
    called = p >= 0.8
    assert dear.cost == pytest.approx((4 * (called & ~dense).sum() + (~called & dense).sum()) / 400)
    assert np.isnan(pick_threshold(p, y, precision=0.9).cost)


def test_expected_cost_holds_on_new_objects():
    """The mean of the expected costs over data sets is that of new ones, within three errors."""
    expected, measured = [], []
    for seed in range(12):
        scores, y = simulation_one(300, 0.2, random_state=seed)
        choice = pick_threshold(scores, y, cost_ratio=2, ranker=PrecisionRanker())
        new, new_y = simulation_one(2000, 0.2, random_state=seed + 100)
        called, truth = choice.predict(new).toarray() > 0, new_y.toarray() > 0
        expected.append(choice.cost)
        measured.append((2 * (called & ~truth).sum() + (~called & truth).sum()) / 2000)
    gap = np.array(expected) - np.array(measured)
    assert abs(gap.mean()) < 3 * gap.std(ddof=1) / np.sqrt(12)


@pytest.mark.parametrize("ranker", [PrecisionRanker(), LocalPrecisionRate(), IsotonicRanker()])
def test_rankers_of_probabilities_are_taken(ranker):
    scores, y = simulation_one(300, 0.2, random_state=1)
    choice = pick_threshold(scores, y, map=True, ranker=ranker)
    values = choice.ranker.transform(scores)
    assert choice.predict(scores).toarray().tolist() == (values >= 0.5).astype(int).tolist()


@pytest.mark.parametrize("ranker", [PValueRanker(), FDRRanker()])
def test_rankers_of_tails_are_refused(ranker):
    scores, y = simulation_one(100, 0.2, random_state=1)
    for target in ({"map": True}, {"cost_ratio": 2}):
        with pytest.raises(InputError, match=f"{type(ranker).__name__} describe all calls"):
            pick_threshold(scores, y, ranker=ranker, **target)
    assert pick_threshold(scores, y, beta=1, ranker=ranker).threshold < 1


def test_density_ratios_are_probabilities_but_not_calibrated():
    """Both densities are smoothed over their jump at 0.8, so that rates near it are too low."""
    scores, y = simulation_one(300, 0.2, random_state=1)
    with pytest.warns(TargetWarning, match="not calibrated"):
        choice = pick_threshold(scores, y, map=True, ranker=LocalTrueDiscoveryRate())
    assert choice.threshold == 0.5


def test_scores_beyond_the_unit_interval_are_refused():
    scores, y = simulation_one(100, 0.2, random_state=1)
    with pytest.raises(InputError, match=r"the scores go from .* to .*\. Use a ranker"):
        pick_threshold(4 * scores - 1, y, map=True)


def test_probabilities_that_promise_too_much_are_named():
    scores, y = simulation_one(500, 0.2, random_state=1)
    with pytest.warns(TargetWarning, match="not calibrated"):
        choice = pick_threshold(true_rates(scores, 0.2) ** 0.2, y, map=True)
    assert not choice.met


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"map": True, "cost_ratio": 2}, "exactly one of .* Got 'map and cost_ratio'"),
        ({"map": False}, "exactly one of .* map and cost_ratio. Got None"),
        ({"map": 1}, "'map' parameter"),
        ({"cost_ratio": 0}, "'cost_ratio' parameter"),
        ({"cost_ratio": True}, "'cost_ratio' parameter"),
        ({"map": True, "confidence": 0.9}, "'confidence' parameter"),
    ],
)
def test_refuses(target, said):
    scores, y = simulation_one(60, 0.2, random_state=1)
    with pytest.raises(ValueError, match=said):
        pick_threshold(scores, y, **target)


def test_ranked_classifier_takes_costs():
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    scores, y = simulation_one(300, 0.3, random_state=2)
    model = RankedClassifier(
        OneVsRestClassifier(LogisticRegression()), target={"cost_ratio": 1.5}
    ).fit(scores, y)
    assert model.choice_.threshold == pytest.approx(0.6)
