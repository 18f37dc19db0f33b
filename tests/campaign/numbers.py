"""The same numbers by trueval and by another library."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.campaign.differences import Compare, Found, compared
from tests.campaign.record import Outcome
from trueval import stratified_folds
from trueval.pairs import averaged_auc
from trueval.rank import IsotonicRanker, average_precision
from trueval.stratify import measures


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


def _labels(rng: np.random.Generator, n_parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and folds; every class has positives, and negatives in every part."""
    n_rows = int(rng.integers(8 * n_parts, 90))
    y = (rng.random((n_rows, int(rng.integers(2, 9)))) < rng.uniform(0.05, 0.6)).astype(int)
    folds = rng.permutation(np.arange(n_rows) % n_parts)
    for part in range(n_parts):
        y[np.flatnonzero(folds == part)[0]] = 0
    y[np.flatnonzero(folds == 0)[1]] = 1
    return y, folds


def _measures(rng: np.random.Generator, path: Path) -> Found:
    from optisplit import cv_balance as other

    n_parts = int(rng.integers(2, 6))
    y, folds = _labels(rng, n_parts)
    counts, sizes = measures.class_part_counts(y, folds, n_parts), np.bincount(folds)
    shares = np.full(n_parts, 1 / n_parts)
    ours = measures.ld(counts, sizes), measures.rld(counts, sizes), measures.dcp(counts, shares)
    parts = [
        (np.flatnonzero(folds != part), np.flatnonzero(folds == part)) for part in range(n_parts)
    ]
    theirs = other.ld(parts, y), other.rld(parts, y), other.dcp(parts, y)
    return np.round(ours, 12).tolist(), np.round(theirs, 12).tolist()


def _iterative(rng: np.random.Generator, path: Path) -> Found:
    n_parts, seed = int(rng.integers(2, 6)), int(rng.integers(2**31))
    y, _ = _labels(rng, n_parts)
    ours = stratified_folds(y, n_parts, method="iterative", random_state=seed)
    peer = MultilabelStratifiedKFold(n_parts, shuffle=True, random_state=seed)
    theirs = np.empty(len(y), int)
    for part, (_, rows) in enumerate(peer.split(y, y)):
        theirs[rows] = part
    return ours.tolist(), theirs.tolist()


KINDS: dict[str, Compare] = {
    "AUC and average precision as by scikit-learn": _auc,
    "isotonic regression as by scikit-learn": _isotonic,
    "folds as by iterative-stratification": _iterative,
}
PEER = "measures as by optisplit"


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """Some samples of each kind."""
    if find_spec("optisplit"):
        return compared({**KINDS, PEER: _measures}, turn, folder)
    outcome = compared(KINDS, turn, folder)
    outcome.figures[PEER] = "not installed: pip install optisplit"
    return outcome
