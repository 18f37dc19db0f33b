from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from trueval.core.errors import InputError
from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, coverage

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@quick
@given(st.integers(0, 1000), st.sampled_from(["strict", "relaxed"]), st.booleans())
def test_leave_two_out_by_its_folds(seed, scheme, clustered):
    """The shortcut for leave-two-out gives what its folds give."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(10, size=(40, 2))
    y = rng.integers(2, size=40)
    cv = ObjectLeaveTwoOut(scheme=scheme, clusters=np.arange(10) // 2 if clustered else None)
    cover = coverage(cv, pairs, y)
    try:
        folds = list(cv.folds(groups=pairs))
    except InputError:
        return
    counts = np.zeros(40, dtype=int)
    for number, fold in enumerate(folds):
        counts[fold.test] += 1
        line = {name: cover.folds[name][number] for name in cover.folds}
        assert (line["train"], line["validated"]) == (len(fold.train), len(fold.test))
        assert line["dropped"] == fold.n_dropped
        assert line["positives"] == y[fold.test].sum()
        assert line["scorable"] == (len(set(y[fold.test])) == 2)
    assert cover.counts.tolist() == counts.tolist()
    assert len(cover.folds) == len(folds)


def test_ten_folds_of_the_paper_leave_most_pairs_out():
    pairs = np.array(list(combinations(range(100), 2)))
    cover = coverage(ObjectKFold(10, random_state=0), pairs)
    assert cover.share_never == pytest.approx(1 - 450 / 4950)
    assert len(cover.never) == 4500
    assert cover.share_dropped == pytest.approx(900 / 4950)
    assert cover.weights.sum() == 450
    assert cover.n_unscorable is None


def test_weights_undo_the_repetition():
    pairs = np.array(list(combinations(range(12), 2)))
    cover = coverage(ObjectKFold(4, overlapping=True, random_state=0), pairs)
    assert set(cover.counts.tolist()) == {1, 3}
    assert (cover.weights * cover.counts == 1).all()


def test_any_splitter_and_plain_index_arrays():
    pairs = np.array(list(combinations(range(9), 2)))
    y = np.arange(36) % 2
    cover = coverage(KFold(4), pairs, y)
    assert cover.counts.tolist() == [1] * 36
    assert cover.n_unscorable == 0
    by_hand = coverage([(range(20), range(20, 30)), (np.arange(5), np.arange(5))], pairs, y)
    assert by_hand.folds["dropped"].tolist() == [6, 26]
    assert by_hand.counts.sum() == 15


def test_shown():
    pairs = np.array([(0, 1), (1, 0), (0, 1), (2, 2), (2, 3), (1, 3), (0, 3), (1, 2)])
    cover = coverage(ObjectLeaveTwoOut(scheme="relaxed"), pairs, np.arange(8) % 2)
    text = repr(cover)
    for fact in ("never validated: 0", "mirrored", "1 self pair", "folds without an AUC"):
        assert fact in text
        assert fact in cover._repr_html_()
