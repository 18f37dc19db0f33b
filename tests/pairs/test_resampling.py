"""Leave-p-out and the bootstrap of objects, against their definitions."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from tests.pairs.naive import roles
from trueval.core.errors import InputError
from trueval.pairs import ObjectBootstrap, ObjectLeavePOut, ObjectLeaveTwoOut, coverage

PAIRS = np.array(list(combinations(range(7), 2)))


@pytest.mark.parametrize("scheme", ["strict", "relaxed"])
@pytest.mark.parametrize("p", [2, 3, 4])
def test_every_set_of_p_objects_is_held_out_once(p, scheme):
    cv = ObjectLeavePOut(p, scheme=scheme)
    folds = list(cv.split(groups=PAIRS))
    assert len(folds) == cv.get_n_splits(groups=PAIRS) == comb(7, p)
    for held_out, (train, test) in zip(combinations(range(7), p), folds, strict=True):
        expected = roles(PAIRS.tolist(), held_out, scheme)
        assert (train.tolist(), test.tolist()) == expected
    # A pair is validated with every choice of the other p − 2.
    assert set(coverage(cv, PAIRS).counts.tolist()) == {comb(5, p - 2)}


def test_two_left_out_are_leave_two_out_where_all_pairs_are_there():
    some = ObjectLeavePOut(2).split(groups=PAIRS)
    for mine, other in zip(some, ObjectLeaveTwoOut().split(groups=PAIRS), strict=True):
        assert all((a == b).all() for a, b in zip(mine, other, strict=True))


def test_one_object_left_out_for_pairs_with_one_new_object():
    """Strict and relaxed are the same: one held-out object has no pair with another."""
    for scheme in ("strict", "relaxed"):
        cv = ObjectLeavePOut(1, scheme=scheme, setting="AB")
        for held_out, (train, test) in enumerate(cv.split(groups=PAIRS)):
            has = (held_out == PAIRS).any(axis=1)
            assert train.tolist() == np.flatnonzero(~has).tolist()
            assert test.tolist() == np.flatnonzero(has).tolist()


def test_of_two_kinds_p_objects_each():
    pairs = np.array([(d, t) for d in "abc" for t in "xyz"])
    cv = ObjectLeavePOut(1, symmetric=False)
    folds = list(cv.split(groups=pairs))
    assert cv.get_n_splits(groups=pairs) == len(folds) == 9
    assert [test.tolist() for _, test in folds] == [[row] for row in range(9)]
    assert {len(train) for train, _ in folds} == {4}


def test_clusters_are_left_out_and_drawn_whole():
    clusters = {o: o // 2 for o in range(7)}
    sizes = [int(fold.held_out.sum()) for fold in ObjectLeavePOut(
        1, setting="AB", clusters=clusters).folds(groups=PAIRS)]  # fmt: skip
    assert sizes == [2, 2, 2, 1]
    for fold in ObjectBootstrap(5, clusters=clusters, random_state=0, setting="AB").folds(
        groups=PAIRS
    ):
        assert all(fold.held_out[o] == fold.held_out[o ^ 1] for o in range(6))


@pytest.mark.parametrize("scheme", ["strict", "relaxed"])
def test_bootstrap_rows_are_repeated_as_often_as_their_objects_were_drawn(scheme):
    cv = ObjectBootstrap(6, scheme=scheme, setting="AB", random_state=3)
    generator = np.random.default_rng(3)
    for fold in cv.folds(groups=PAIRS):
        times = np.bincount(generator.choice(7, 7), minlength=7)
        assert fold.held_out.tolist() == (times == 0).tolist()
        expected = []
        for row, (a, b) in enumerate(PAIRS.tolist()):
            new = [times[a], times[b]].count(0)
            if new == 0:
                expected += [row] * int(times[a] * times[b])
            elif new == 2 and scheme == "relaxed":
                expected.append(row)
        assert fold.train.tolist() == expected
        assert fold.n_dropped == 21 - len(set(expected)) - len(fold.test)


def test_the_bootstrap_holds_out_the_share_it_says():
    """(1 − 1/m)^m of the objects, on average; and coverage counts rows once."""
    pairs = np.array(list(combinations(range(20), 2)))
    cv = ObjectBootstrap(400, random_state=0)
    shares = [fold.held_out.mean() for fold in cv.folds(groups=pairs)]
    assert np.mean(shares) == pytest.approx(0.95**20, abs=0.015)
    assert (coverage(cv, pairs).folds["share_trained"] < 1).all()


def test_too_many_left_out():
    with pytest.raises(InputError, match="p=7 leaves nothing to train on: there are 7 objects"):
        next(ObjectLeavePOut(7).split(groups=PAIRS))
    with pytest.raises(ValueError, match="'setting' parameter"):
        next(ObjectLeavePOut(2, setting="AA").split(groups=PAIRS))
