"""Classes whose positives have the lower scores, and data with more positives than negatives."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import mannwhitneyu, norm

from trueval.rank import PrecisionRanker
from trueval.rank._direction import CLEAR, ClassSummary, Direction, directions, rank_sum_score
from trueval.rank._sample import Sample


def _problem(seed, n=400, n_classes=8, rate=0.1, away=2.0, decimals=3):
    """Normal scores, higher for positives; rounded, so that some are equal."""
    rng = np.random.default_rng(seed)
    y = (rng.random((n, n_classes)) < rate).astype(np.int8)
    return np.round(rng.normal(size=y.shape) + away * y, decimals), y


def _sample(scores, y):
    score, place, size = np.unique(scores, return_inverse=True, return_counts=True)
    return Sample(score, size.astype(float), np.bincount(place, weights=y), 0, 0)


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_rank_sum_equals_scipy(decimals):
    scores, y = _problem(1, 80, 1, 0.2, 0.4, decimals)
    z = rank_sum_score(_sample(scores[:, 0], y[:, 0]))
    groups = scores[y == 1], scores[y == 0]
    test = mannwhitneyu(*groups, alternative="greater", method="asymptotic", use_continuity=False)
    assert norm.sf(z) == pytest.approx(test.pvalue, rel=1e-9)


@pytest.mark.parametrize("share", ["auto", "none"])
def test_negated_scores_change_nothing(share):
    scores, y = _problem(2)
    new = _problem(3)[0]
    ranker = PrecisionRanker(share=share).fit(scores, y)
    negated = PrecisionRanker(share=share).fit(-scores, y)
    assert not ranker.falling_.any()
    assert negated.falling_.all()
    np.testing.assert_allclose(negated.transform(-new), ranker.transform(new), rtol=1e-12)
    for end, other in zip(negated.interval(-new), ranker.interval(new), strict=True):
        np.testing.assert_allclose(end, other, rtol=1e-12)


def test_negatives_are_as_good_as_positives():
    """P(class | score) of many positives is one less P(not the class | negated score)."""
    scores, y = _problem(4, rate=0.12)
    new = _problem(5)[0]
    rare, common = PrecisionRanker().fit(scores, y), PrecisionRanker().fit(-scores, 1 - y)
    assert not common.falling_.any()
    np.testing.assert_allclose(1 - common.transform(-new), rare.transform(new), atol=1e-12)
    low, high = rare.interval(new)
    np.testing.assert_allclose(1 - common.interval(-new)[1], low, atol=1e-6)
    np.testing.assert_allclose(1 - common.interval(-new)[0], high, atol=1e-6)
    falling = PrecisionRanker().fit(scores, 1 - y)
    assert falling.falling_.all()
    np.testing.assert_allclose(1 - falling.transform(new), rare.transform(new), atol=1e-12)


def test_atoms_of_negated_scores():
    rng = np.random.default_rng(6)
    y = (rng.random((500, 4)) < 0.1).astype(np.int8)
    scores = rng.normal(size=y.shape) + 2 * y
    atom = rng.random(y.shape) < 0.1
    scores[atom] = 0.3
    y[atom] = rng.random(atom.sum()) < 0.8
    ranker, negated = PrecisionRanker().fit(scores, y), PrecisionRanker().fit(-scores, y)
    assert ranker.n_atoms_.all()
    assert negated.falling_.all()
    single = np.full((1, 4), -0.3, dtype=np.float32)
    np.testing.assert_allclose(negated.transform(single), ranker.transform(-single), rtol=1e-12)
    common = PrecisionRanker().fit(-scores, 1 - y)
    np.testing.assert_allclose(1 - common.transform(single), ranker.transform(-single), atol=1e-12)


def test_falling_classes_share_with_each_other():
    scores, y = _problem(7, 600)
    new = _problem(8)[0]
    some = np.array([0, 3, 5])
    scores[:, some], new[:, some] = -scores[:, some], -new[:, some]
    ranker = PrecisionRanker(shrink=0).fit(scores, y)
    assert np.flatnonzero(ranker.falling_).tolist() == some.tolist()
    values = ranker.transform(new)
    others = np.setdiff1d(np.arange(8), some)
    for classes, sign in ((some, -1), (others, 1)):
        alone = PrecisionRanker(shrink=0).fit(sign * scores[:, classes], y[:, classes])
        expected = alone.transform(sign * new[:, classes])
        np.testing.assert_allclose(values[:, classes], expected, rtol=1e-12)
        np.testing.assert_array_equal(ranker.own_weight_[classes], alone.own_weight_)


def test_common_classes_are_read_by_their_negatives_and_share_apart():
    """Beside rare classes, common ones get what they get among themselves, negatives first."""
    scores, y = _problem(10, 600)
    new = _problem(11)[0]
    some = np.array([1, 2, 6])
    scores[:, some], new[:, some], y[:, some] = -scores[:, some], -new[:, some], 1 - y[:, some]
    ranker = PrecisionRanker(shrink=0).fit(scores, y)
    assert not ranker.falling_.any()
    values = ranker.transform(new)
    rare = PrecisionRanker(shrink=0).fit(-scores[:, some], 1 - y[:, some])
    expected = 1 - rare.transform(-new[:, some])
    np.testing.assert_allclose(values[:, some], expected, atol=1e-12)
    np.testing.assert_array_equal(ranker.own_weight_[some], rare.own_weight_)


@pytest.mark.parametrize(
    ("positives", "swapped"),
    [
        # √12 standard errors of a share of one half, 100 objects: 17.3 positives more than 50.
        ([50, 67, 68, 0], [False, False, True, False]),
        ([50, 33, 32, 80], [False, False, False, True]),
        ([99, 33, 32, 100], [True, True, False, True]),
    ],
)
def test_which_classes_are_read_by_their_negatives(positives, swapped):
    turns = directions([ClassSummary(9.0, m, 100) for m in positives])
    assert [turn.swapped for turn in turns] == swapped
    assert [turn.negated for turn in turns] == swapped
    assert not any(turn.falls for turn in turns)


def test_rare_reversed_classes_are_not_worse_than_prevalence_or_the_truth():
    """Rare classes that all fall: most of what can be known of them is learned."""
    rng = np.random.default_rng(9)
    rate, away, n = 0.02, 2.0, 300
    y = (rng.random((n + 4000, 40)) < rate).astype(np.int8)
    scores = -(rng.normal(size=y.shape) + away * y)
    truth = expit(logit(rate) - away * scores - away**2 / 2)[n:]
    values = PrecisionRanker().fit(scores[:n], y[:n]).transform(scores[n:])

    def loss(chance):
        return float(-np.where(y[n:] > 0, np.log(chance), np.log1p(-chance)).mean())

    best, constant = loss(truth), loss(np.full_like(truth, rate))
    assert best < loss(values) < best + 0.1 * (constant - best)


@pytest.mark.parametrize(
    ("scores", "falls"),
    [
        ([0.0], [False]),
        ([-CLEAR - 0.1], [True]),
        ([-CLEAR + 0.1, 5, 9], [False, False, False]),
        ([-9, -8, -7, 0, 2, 9], [True, True, True, True, False, False]),
    ],
)
def test_which_classes_fall(scores, falls):
    """By hand: with f of c clear classes falling, below −√12 (1 − 2 f / (c + 1)) it falls."""
    turns = directions([ClassSummary(z, 5, 100) for z in scores])
    assert [turn.negated for turn in turns] == falls
    assert not any(turn.swapped for turn in turns)


def test_usual_direction_leaves_a_sample_alone():
    sample = Sample(np.arange(3.0), np.ones(3), np.array([0.0, 0, 1]), 2, 1)
    assert Direction().turn(sample) is sample
    swapped = Direction(negated=True, swapped=True).turn(sample)
    assert swapped.score.tolist() == [-2, -1, 0]
    assert swapped.positives.tolist() == [0, 1, 1]
    assert (swapped.n_absent, swapped.absent_positives) == (2, 1)
