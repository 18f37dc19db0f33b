"""Groups of neighbouring scores against definitions written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval.rank._counts import Counts, class_counts, rank_groups

QUICK = settings(derandomize=True, deadline=None, max_examples=40, database=None)


def naive_groups(size, one_by_one, per_factor_e):
    """The group of each score by its middle rank, counted one object at a time."""
    groups = []
    for i in range(len(size)):
        rank = sum(size[i + 1 :]) + size[i] / 2
        if rank < one_by_one:
            groups.append(int(rank))
        else:
            groups.append(one_by_one + int(per_factor_e * np.log(rank / one_by_one)))
    return [i for i in range(len(size)) if i == 0 or groups[i] != groups[i - 1]]


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(1, 300), ties=st.integers(1, 9))
def test_groups_are_even_in_the_logarithm_of_the_rank(seed, n, ties):
    size = np.random.default_rng(seed).integers(1, ties + 1, n).astype(float)
    assert rank_groups(size, 5.0, 3.0).tolist() == naive_groups(size.tolist(), 5, 3)


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(1, 2000))
def test_groups_keep_the_sums_and_hold_scores_of_the_class(seed, n):
    rng = np.random.default_rng(seed)
    score, size = np.sort(rng.normal(size=n)), rng.integers(1, 4, n).astype(float)
    positives = np.floor(size * rng.random(n))
    groups = class_counts(score, size, positives)
    assert len(groups[0]) <= max(128, 16 + 12 * np.log(size.sum()))
    assert groups[1].sum() == size.sum()
    assert groups[2].sum() == positives.sum()
    assert np.isin(groups[0], score).all()
    assert (np.diff(groups[0]) > 0).all()
    # The middle object of each group, so that the order of the scores is all that counts.
    turned = class_counts(np.exp(score), size, positives)
    np.testing.assert_array_equal(turned[0], np.exp(groups[0]))


def test_many_classes_together():
    one = (np.array([1.0, 2.0]), np.array([3.0, 2.0]), np.array([1.0, 1.0]))
    none = (np.empty(0), np.empty(0), np.empty(0))
    two = (np.array([0.5]), np.array([4.0]), np.array([0.0]))
    counts = Counts.of([one, none, two])
    assert counts.n_classes == 3
    assert counts.class_of.tolist() == [0, 0, 2]
    assert counts.total(counts.size).tolist() == [5, 0, 4]
    np.testing.assert_allclose(np.exp(counts.log_rank), [3.5, 1.0, 2.0])
    np.testing.assert_array_equal(counts.padded(counts.size), [[3, 2], [0, 0], [4, 0]])
    assert counts.padded(np.ones((3, 2))).shape == (3, 2, 2)
    taken = counts.take(np.array([2, 0]))
    assert taken.score.tolist() == [0.5, 1.0, 2.0]
    assert [a.tolist() for a in taken.groups(1)] == [a.tolist() for a in one]
    assert Counts.of([]).n_classes == 0


@pytest.mark.parametrize("n", [1, 128])
def test_few_scores_stay_as_they_are(n):
    score = np.arange(float(n))
    assert class_counts(score, np.ones(n), np.zeros(n))[0] is score
