"""Few objects: calibrated scores are not surer than the data, whatever the labels look like."""

import numpy as np
import pytest
from scipy.special import expit, logit

from trueval.rank import PrecisionRanker


def _log_loss(chance, y):
    bounded = np.clip(chance, 1e-6, 1 - 1e-6)
    return float(-np.where(y > 0, np.log(bounded), np.log1p(-bounded)).mean())


def _fit_and_judge(seed, n, n_classes, rate, away):
    """Log losses on new objects: of the ranker, and of the share of positives of each class."""
    rng = np.random.default_rng([20, seed])
    y = (rng.random((n + 2000, n_classes)) < rate).astype(np.int8)
    scores = rng.normal(size=y.shape) + away * y
    values = PrecisionRanker().fit(scores[:n], y[:n]).transform(scores[n:])
    constant = np.broadcast_to((y[:n].sum(axis=0) + 0.5) / (n + 1), values.shape)
    truth = expit(logit(rate) + away * scores[n:] - away**2 / 2)
    return [_log_loss(chance, y[n:]) for chance in (values, constant, truth)]


@pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning")
@pytest.mark.parametrize(
    ("n_classes", "rate", "away"), [(10, 0.5, 0.3), (6, 0.5, 0.0), (10, 0.1, 0.0)]
)
def test_scores_that_say_little_of_forty_objects(n_classes, rate, away):
    """No curve through single objects: not worse than a constant by more than noise."""
    losses = np.array([_fit_and_judge(seed, 40, n_classes, rate, away) for seed in range(8)])
    more = losses[:, 0] - losses[:, 1]
    assert more.mean() < 2 * more.std(ddof=1) / np.sqrt(len(more)) + 0.002
    assert more.max() < 0.05


def test_few_positives_make_no_step():
    """Two classes of forty objects: most of what the scores say is learned, in every draw."""
    losses = np.array([_fit_and_judge(seed, 40, 2, 0.25, 1.5) for seed in range(8)])
    values, constant, truth = losses.mean(axis=0)
    assert truth < values < constant
    assert (losses[:, 0] < losses[:, 1] + 0.1).all()


@pytest.mark.parametrize("n_classes", [1, 3])
def test_three_objects(n_classes):
    scores = np.tile([[0.1], [0.4], [0.9]], n_classes)
    y = np.tile([[0], [0], [1]], n_classes)
    ranker = PrecisionRanker().fit(scores, y)
    values = ranker.transform(np.tile([[-5.0], [0.1], [0.5], [0.9], [7.0]], n_classes))
    assert np.isfinite(values).all()
    assert (np.diff(values, axis=0) >= 0).all()
    assert values.min() > 0
    assert values.max() < 1
    low, high = ranker.interval(scores, confidence=0.9)
    assert (low < 0.5).all()  # three objects make nothing sure
    assert (high > 0.5).all()
