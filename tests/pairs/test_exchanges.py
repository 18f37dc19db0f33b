"""Exchanges of members: counts of keys beside a Counter, mending beside looking at all pairs."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval.pairs import _exchanges, _negative_draw
from trueval.pairs._exchanges import KeyCounts
from trueval.pairs._negative_draw import NegativeDraw

KEYS = st.lists(st.integers(0, 6), min_size=1, max_size=12)


@given(KEYS, st.lists(st.tuples(st.integers(0, 11), st.integers(0, 6)), max_size=12))
@pytest.mark.parametrize("many", [0.0, 0.3, 10.0])  # sorted again after every change, or never
def test_counts_after_changes(many, keys, changes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_exchanges, "_MANY", many)
        there, naive = KeyCounts(np.array(keys)), list(keys)
        for place, new in changes:
            old, naive[place % len(naive)] = naive[place % len(naive)], new
            there.replace(np.array([old]), np.array([new]))
            expected = Counter(naive)
            assert there.count(np.arange(8)).tolist() == [expected[key] for key in range(8)]


def test_equal_keys_that_are_gone_together():
    there = KeyCounts(np.array([4, 4, 4, 1]))
    there.replace(np.array([4, 4]), np.array([2, 2]))  # half of all: sorted again
    assert there.count(np.array([1, 2, 3, 4])).tolist() == [1, 2, 0, 1]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.integers(4, 9), st.integers(2, 14))
def test_what_is_still_bad_is_what_all_pairs_say(seed, one_kind, n, m):
    """In every round of mending, and whatever the number of pairs from which choices are cheap."""
    generator = np.random.default_rng(seed)
    shift = np.array([0, 0 if one_kind else n])
    codes = generator.integers(0, n, (m, 2)) + shift
    width = n if one_kind else 2 * n
    forbidden = np.unique(generator.integers(0, width * width, 6))
    draw = NegativeDraw(width, one_kind, forbidden, generator)
    rounds = []

    def checked(codes, bad, there):
        still = NegativeDraw._still_bad(draw, codes, bad, there)
        assert still.tolist() == np.flatnonzero(~draw.allowed(codes)).tolist()
        rounds.append(len(still))
        return still

    start, pairs = np.bincount(codes.ravel(), minlength=width), codes.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_negative_draw, "_ROUNDS", 8)
        patch.setattr(_negative_draw, "_LARGE", seed % 2 * 100)
        patch.setattr(draw, "_still_bad", checked, raising=False)
        draw._mend(pairs)
    assert np.array_equal(np.bincount(pairs.ravel(), minlength=width), start)
    assert rounds == sorted(rounds, reverse=True)  # none of the others becomes bad
