"""Neighbours of pairs in blocks of queries: the same scores, and no matrix of all objects."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest

from trueval.core.errors import InputError
from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, PairKNNClassifier, cross_val_scores_knn
from trueval.pairs import _knn_scores as knn

RNG = np.random.default_rng(0)
OBJECTS = RNG.normal(size=(16, 3))
PAIRS = np.array(list(combinations(range(16), 2)))
Y = RNG.integers(2, size=len(PAIRS))


@pytest.mark.parametrize("cells", [1, 100, 200])
@pytest.mark.parametrize(
    "cv",
    [
        ObjectLeaveTwoOut(),
        ObjectKFold(4, random_state=0),
        ObjectKFold(4, overlapping=True, random_state=0),
        ObjectKFold(4, setting="AB", random_state=0),
    ],
)
@pytest.mark.parametrize("counts", [False, True])
def test_blocks_give_the_scores_of_all_at_once(monkeypatch, cells, cv, counts):
    objects = np.rint(3 * OBJECTS) if counts else OBJECTS
    whole = cross_val_scores_knn(objects, PAIRS, Y, cv, [3, 5])
    monkeypatch.setattr(knn, "_CELLS", cells)
    np.testing.assert_allclose(
        cross_val_scores_knn(objects, PAIRS, Y, cv, [3, 5]), whole, atol=1e-12
    )


def test_blocks_of_new_pairs(monkeypatch):
    model = PairKNNClassifier(OBJECTS, n_neighbors=4).fit(PAIRS[:60], Y[:60])
    whole = model.predict_proba(PAIRS[60:])
    monkeypatch.setattr(knn, "_CELLS", 50)
    np.testing.assert_allclose(model.predict_proba(PAIRS[60:]), whole, atol=1e-12)


def test_too_few_neighbours_are_refused_in_blocks_too(monkeypatch):
    monkeypatch.setattr(knn, "_CELLS", 20)
    with pytest.raises(InputError, match="smallest training set"):
        cross_val_scores_knn(OBJECTS, PAIRS, Y, ObjectLeaveTwoOut(), 100)


def test_many_objects_need_no_matrix_of_all(monkeypatch):
    objects = RNG.normal(size=(3000, 2))
    pairs = np.column_stack([np.arange(0, 3000, 2), np.arange(1, 3000, 2)])
    y = RNG.integers(2, size=len(pairs))
    monkeypatch.setattr(knn, "_CELLS", 1 << 17)  # 1 MiB, where all objects need 69
    tracemalloc.start()
    scores = cross_val_scores_knn(objects, pairs, y, ObjectKFold(3, random_state=0), 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.isfinite(scores).any()
    assert peak < 10 * 2**20
