"""Rewired pairs keep all degrees; AUCs object by object beside loops over pairs."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.audit.naive import auc
from trueval import InputError
from trueval.data import Pairs
from trueval.pairs import audit_pairs, object_auc, rewire_pairs
from trueval.show import summary


@st.composite
def graphs(draw):
    """Distinct pairs of objects with labels, and the side of each."""
    n = draw(st.integers(4, 9))
    possible = list(itertools.combinations(range(n), 2))
    chosen = draw(st.lists(st.sampled_from(possible), min_size=2, max_size=20, unique=True))
    y = draw(st.lists(st.integers(0, 1), min_size=len(chosen), max_size=len(chosen)))
    sides = draw(st.lists(st.integers(0, 1), min_size=len(chosen), max_size=len(chosen)))
    return chosen, np.array(y), np.array(sides), draw(st.integers(0, 1000))


def degrees(pairs, n=20):
    return np.bincount(np.asarray(pairs, dtype=int).reshape(-1), minlength=n).tolist()


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@given(graphs())
def test_degrees_stay_and_no_pair_is_a_negative_or_there_twice(graph):
    pairs, y, sides, seed = graph
    rewired = rewire_pairs(pairs, y=y, groups=sides, random_state=seed)
    new = [tuple(sorted(pair)) for pair in rewired.pairs.tolist()]
    assert rewired.y.tolist() == y.tolist()
    assert [new[row] for row in np.flatnonzero(y == 0)] == [
        pairs[row] for row in np.flatnonzero(y == 0)
    ]
    for side in (0, 1):
        rows = np.flatnonzero((y == 1) & (sides == side))
        assert degrees([new[r] for r in rows]) == degrees([pairs[r] for r in rows])
    assert len(set(new)) == len(pairs)  # so no positive is a negative either
    assert all(a != b for a, b in new)


def test_columns_of_two_kinds_keep_their_objects():
    pairs = [(f"d{n % 7}", f"t{n}") for n in range(40)]
    rewired = rewire_pairs(pairs, symmetric=False, random_state=0).pairs
    for column in (0, 1):
        assert sorted(rewired[:, column]) == sorted(pair[column] for pair in pairs)


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize(
    ("symmetric", "n_graphs", "limit"),
    [
        (True, 15, 40),  # perfect matchings of six objects; 14 degrees of freedom, p 2e-4
        (False, 6, 24),  # of three with three; 5 degrees of freedom, p 2e-4
    ],
)
def test_every_graph_of_the_degrees_is_as_likely(symmetric, n_graphs, limit):
    pairs = [(0, 1), (2, 3), (4, 5)]
    expected = 40
    counts = {}
    for seed in range(expected * n_graphs):
        new = rewire_pairs(pairs, symmetric=symmetric, random_state=seed).pairs.tolist()
        key = frozenset(frozenset(pair) for pair in new)
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == n_graphs
    assert sum((n - expected) ** 2 / expected for n in counts.values()) < limit


def test_the_same_seed_gives_the_same():
    pairs = Pairs([(f"p{n}", f"p{n + 1}") for n in range(50)], y=[1] * 50)
    first, second = (rewire_pairs(pairs, random_state=3).pairs.tolist() for _ in range(2))
    assert first == second
    assert first != pairs.pairs.tolist()


def test_a_graph_that_has_no_other_is_said():
    with pytest.warns(UserWarning, match="3 of 3 rewired positives are positives as before"):
        rewire_pairs([("hub", "a"), ("hub", "b"), ("hub", "c")], random_state=0)


def test_refusals():
    with pytest.raises(InputError, match="only pairs can be rewired"):
        rewire_pairs([("a", "b", "c")])
    with pytest.raises(InputError, match="y has 1 labels"):
        rewire_pairs([("a", "b"), ("c", "d")], y=[1])
    with pytest.raises(InputError, match="scores are given without y"):
        audit_pairs([("a", "b"), ("c", "d")], [0], [1], scores=[0.5])
    with pytest.raises(InputError, match=r"scores have shape \(2,\) but there are 1"):
        audit_pairs([("a", "b"), ("c", "d")], [0], [1], y=[0, 1], scores=[0.5, 0.1])
    with pytest.raises(InputError, match="1 labels and 2 scores for 2 pairs"):
        object_auc([("a", "b"), ("c", "d")], [1], [0.1, 0.2])


@given(graphs())
@settings(max_examples=50)
def test_object_auc_beside_a_loop(graph):
    pairs, y, _, seed = graph
    scores = np.random.default_rng(seed).integers(4, size=len(pairs)).astype(float)
    table = object_auc(pairs, y, scores)
    wanted = {}
    for number in range(10):
        rows = [row for row, pair in enumerate(pairs) if number in pair]
        if len(set(y[rows])) == 2:
            wanted[number] = auc(y[rows] == 1, scores[rows])
    assert table["object"].tolist() == sorted(wanted)
    np.testing.assert_allclose(
        table["auc"].astype(float), [wanted[number] for number in sorted(wanted)]
    )


def test_a_self_pair_counts_once():
    table = object_auc([("a", "a"), ("a", "b")], [1, 0], [1.0, 0.0])
    assert table["positives"].tolist() == [1]


def test_scores_that_are_degrees_are_told():
    generator = np.random.default_rng(0)
    hubs = generator.random(60) < 0.3
    pairs = np.array(list(itertools.combinations(range(60), 2)))
    y = (generator.random(len(pairs)) < np.where(hubs[pairs].any(axis=1), 0.7, 0.05)).astype(int)
    order = generator.permutation(len(pairs))
    train, test = order[:900], order[900:]
    known = np.bincount(pairs[train][y[train] == 1].ravel(), minlength=60)
    scores = known[pairs[test]].sum(axis=1).astype(float)
    rewired = rewire_pairs(Pairs(pairs[train], y[train]), random_state=0)
    again = np.bincount(rewired.pairs[y[train] == 1].ravel(), minlength=60)
    control = again[pairs[test]].sum(axis=1).astype(float)
    audit = audit_pairs(pairs, train, test, y=y, scores=scores, rewired=control)
    assert audit.score_auc == pytest.approx(auc(y[test] == 1, scores))
    assert audit.rewired_auc == audit.score_auc  # degrees are the same
    table = object_auc(pairs[test], y[test], scores)
    assert audit.object_auc == pytest.approx(table["auc"].mean())
    verdict = summary(audit).verdict
    assert "no better than those of a model trained on rewired pairs" in verdict.text
    assert verdict.level == "fair"
    assert "given scores: AUC" in repr(audit)
