"""``Pairs`` and ``PairIndex`` go wherever ids go: the same results, numbered once."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from trueval.core import pairs as core_pairs
from trueval.core.pairs import Pairs, as_pairs
from trueval.displays import PairBlocksDisplay
from trueval.pairs import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    ObjectShuffleSplit,
    RepeatedObjectKFold,
    audit_pairs,
    coverage,
    cross_val_scores_knn,
    cross_val_scores_ridge,
    pooled_scores,
)
from trueval.report import blocks_of

RNG = np.random.default_rng(0)
IDS = RNG.integers(0, 15, (120, 2))
Y = RNG.integers(0, 2, 120)
X = RNG.normal(size=(120, 3))
OBJECTS = RNG.normal(size=(15, 2))
K_FOLD = ObjectKFold(3, scheme="relaxed", random_state=0)
SPLITTERS = (
    K_FOLD,
    RepeatedObjectKFold(3, 2, scheme="relaxed", random_state=0),
    ObjectShuffleSplit(2, scheme="relaxed", random_state=0),
    ObjectLeaveTwoOut(scheme="relaxed"),
    ObjectKFold(3, setting="AA", random_state=0),
)


def flat(folds):
    return [rows.tolist() for fold in folds for rows in fold]


USES = {
    **{
        type(cv).__name__ + str(n): lambda pairs, cv=cv: flat(cv.split(X, Y, pairs))
        for n, cv in enumerate(SPLITTERS)
    },
    "parts": lambda pairs: K_FOLD.parts(y=Y, groups=pairs).tolist(),
    "settings": lambda pairs: [f.test.tolist() for f in K_FOLD.split_settings(groups=pairs)],
    "n splits": lambda pairs: ObjectLeaveTwoOut().get_n_splits(groups=pairs),
    "coverage": lambda pairs: coverage(K_FOLD, pairs, Y).counts.tolist(),
    "coverage by rows": lambda pairs: coverage(KFold(3), pairs, Y).counts.tolist(),
    "audit": lambda pairs: repr(audit_pairs(pairs, np.arange(60), np.arange(60, 120), y=Y)),
    "scores": lambda pairs: pooled_scores(LogisticRegression(), X, Y, pairs, K_FOLD).scores.sum(),
    "knn": lambda pairs: np.nansum(cross_val_scores_knn(OBJECTS, pairs, Y, K_FOLD, 3)),
    "knn by rows": lambda pairs: cross_val_scores_knn(OBJECTS, pairs, Y, KFold(3), 3).sum(),
    "ridge": lambda pairs: cross_val_scores_ridge(
        X, pairs, Y, ObjectLeaveTwoOut(scheme="relaxed")
    ).sum(),
    "ridge by parts": lambda pairs: np.nansum(cross_val_scores_ridge(X, pairs, Y, K_FOLD)),
    "blocks": lambda pairs: blocks_of(K_FOLD, pairs, Y),
    "picture": lambda pairs: PairBlocksDisplay.from_cv(K_FOLD, pairs, Y).counts.tolist(),
}


@pytest.mark.parametrize("use", USES)
def test_the_same_from_any_form_and_numbered_once(use, monkeypatch):
    expected = USES[use](IDS)
    index, pairs = as_pairs(IDS), Pairs(IDS, Y)
    pairs.numbered()
    calls = []
    monkeypatch.setattr(core_pairs, "number_ids", lambda *a: calls.append(a))
    for form in (index, pairs):
        found = USES[use](form)
        assert found == expected or np.isclose(found, expected, equal_nan=True)
    assert calls == []


def test_text_ids_of_an_index_are_no_row_numbers():
    index = as_pairs([("a", "b"), ("b", "c")])
    with pytest.raises(ValueError, match="must be row numbers of objects"):
        cross_val_scores_knn(OBJECTS, index, [0, 1], KFold(2), 1)
