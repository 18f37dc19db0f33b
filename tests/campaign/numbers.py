"""The same numbers by trueval and by another library."""

from pathlib import Path

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.campaign.differences import Compare, Found, compared
from tests.campaign.record import Outcome
from trueval.pairs import averaged_auc
from trueval.rank import IsotonicRanker, average_precision


def _auc(rng: np.random.Generator, path: Path) -> Found:
    y = rng.integers(0, 2, 50)
    y[:2] = 0, 1
    scores = rng.integers(0, rng.integers(2, 200), 50) / 7
    ours = (float(averaged_auc([(y, scores)])), average_precision(scores[:, None], y[:, None]))
    other = (roc_auc_score(y, scores), average_precision_score(y, scores))
    return np.round(ours, 12).tolist(), np.round(other, 12).tolist()


def _isotonic(rng: np.random.Generator, path: Path) -> Found:
    y, scores = rng.integers(0, 2, 60), np.round(rng.normal(size=60), int(rng.integers(0, 4)))
    y[:2] = 0, 1
    ours = IsotonicRanker().fit(scores[:, None], y[:, None]).transform(scores[:, None])[:, 0]
    other = IsotonicRegression(increasing=True).fit(scores, y).predict(scores)
    # Ties in value are broken by rank: the order and the value to nine digits are compared.
    return np.round(ours, 6).tolist(), np.round(other, 6).tolist()


KINDS: dict[str, Compare] = {
    "AUC and average precision as by scikit-learn": _auc,
    "isotonic regression as by scikit-learn": _isotonic,
}


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """Some samples of each kind."""
    return compared(KINDS, turn, folder)
