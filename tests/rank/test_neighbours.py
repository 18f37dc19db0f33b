"""Posteriors on a hierarchy against sums over all consistent label vectors."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logit

from trueval.rank._hierarchy import as_hierarchy
from trueval.rank._neighbours import LEAST, RIDGE, Neighbours, fit_weights, stacked

QUICK = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def forest(rng, n):
    """Parents of a random forest, numbered at random."""
    parent = np.array([int(rng.integers(-1, k)) if k else -1 for k in range(n)])
    name = rng.permutation(n)
    out = np.full(n, -1)
    out[name] = np.where(parent < 0, -1, name[parent])
    return out


def brute_force(parent, prevalence, given_parent, ratio):
    """P(class | all scores) by adding up every label vector."""
    n = len(parent)
    total, positive = 0.0, np.zeros(n)
    for labels in product((0, 1), repeat=n):
        weight = 1.0
        for k in range(n):
            up = 1 if parent[k] < 0 else labels[parent[k]]
            chance = (prevalence[k] if parent[k] < 0 else given_parent[k]) * up
            weight *= chance * ratio[k] if labels[k] else 1 - chance
        total += weight
        positive += weight * np.array(labels)
    return positive / total


def random_case(seed, n):
    rng = np.random.default_rng(seed)
    parent = forest(rng, n)
    graph = as_hierarchy(parent, n)
    counts = np.zeros(n)
    for k in graph.order[::-1]:
        limit = 50 if parent[k] < 0 else counts[parent[k]]
        counts[k] = rng.integers(0, limit + 1)
    return parent, Neighbours(graph, counts, 50), rng


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(1, 8))
def test_forest_equals_the_sum_over_all_labels(seed, n):
    parent, neighbours, rng = random_case(seed, n)
    evidence = rng.normal(0, 3, (n, 4))
    chance = np.zeros(n)
    chance[neighbours.graph.child] = neighbours.given_parent
    got = neighbours.forest(evidence)
    for j in range(4):
        expected = brute_force(parent, neighbours.prevalence, chance, np.exp(evidence[:, j]))
        np.testing.assert_allclose(got[:, j], expected, rtol=1e-10)
    assert neighbours.graph.violation(got.T) < 1e-12


def test_by_hand():
    # Root with prevalence 10.5/21 = 1/2 and a child with P(child | root) = 5.5/11 = 1/2; the
    # child's score is three times as likely if it is present, the root's says nothing:
    # weights 1/2 (neither), 1/4 (root only), 3/4 (both) of 3/2.
    neighbours = Neighbours(as_hierarchy([-1, 0], 2), np.array([10.0, 5.0]), 20)
    got = neighbours.forest(np.log([[1.0], [3.0]]))
    np.testing.assert_allclose(got[:, 0], [2 / 3, 1 / 2])


def test_extreme_evidence_stays_finite():
    neighbours = Neighbours(as_hierarchy([-1, 0, 1], 3), np.array([5.0, 5.0, 0.0]), 5)
    evidence = np.array([[800.0, -800.0], [-800.0, 800.0], [800.0, 800.0]])
    for got in (neighbours.forest(evidence), neighbours.neighbourhood(evidence)):
        assert np.isfinite(got).all()
        assert ((got >= 0) & (got <= 1)).all()


@QUICK
@given(seed=st.integers(0, 10**6), n_parents=st.integers(0, 3), n_children=st.integers(0, 3))
def test_neighbourhood_equals_the_sum_over_the_neighbours(seed, n_parents, n_children):
    rng = np.random.default_rng(seed)
    n = 1 + n_parents + n_children
    parents, children = range(1, 1 + n_parents), range(1 + n_parents, n)
    edges = [(0, p) for p in parents] + [(c, 0) for c in children]
    counts = np.array([20.0, *rng.integers(20, 51, n_parents), *rng.integers(0, 21, n_children)])
    neighbours = Neighbours(as_hierarchy(edges, n), counts, 50)
    evidence = rng.normal(0, 2, (n, 1))
    share, ratio = (counts + 0.5) / 51, np.exp(evidence[:, 0])
    weight = {}
    for own in (0, 1):  # the class, then every label of its parents and children
        total = 0.0
        for labels in product((0, 1), repeat=n - 1):
            part = (share[0] * ratio[0]) if own else 1 - share[0]
            for k, label in zip((*parents, *children), labels, strict=True):
                if k in parents:
                    chance = 1.0 if own else (share[k] - share[0]) / (1 - share[0])
                else:
                    chance = (counts[k] + 0.5) / 21 if own else 0.0
                part *= chance * ratio[k] if label else 1 - chance
            total += part
        weight[own] = total
    expected = weight[1] / (weight[0] + weight[1])
    got = neighbours.neighbourhood(evidence)[0, 0]
    assert got == pytest.approx(expected, rel=1e-9)


def test_features_by_their_definition():
    # 0 is the parent of 1, 2 and 3; 3 has the parent 4 too, whose other child is 5.
    edges = [(1, 0), (2, 0), (3, 0), (3, 4), (5, 4)]
    counts = np.array([40.0, 10, 20, 5, 30, 8])
    neighbours = Neighbours(as_hierarchy(edges, 6), counts, 60)
    values = np.random.default_rng(0).random((7, 6))
    values[0, 0] = 0.0
    clipped = np.clip(values, LEAST, 1 - LEAST)
    evidence = logit(clipped) - logit((counts + 0.5) / 61)
    got = neighbours.features(neighbours.evidence(values))
    np.testing.assert_allclose(got[2].T, evidence)
    np.testing.assert_allclose(got[5][1], evidence[:, [2, 3]].mean(axis=1))
    np.testing.assert_allclose(got[5][3], evidence[:, [1, 2, 5]].mean(axis=1))
    np.testing.assert_array_equal(got[5][0], 0)
    for got_term, term in zip(got[3:5], neighbours.terms(neighbours.evidence(values)), strict=True):
        np.testing.assert_array_equal(got_term, term)
    # Weights of one are the neighbourhood, weights of zero the calibrated scores.
    ones = stacked(got, np.array([0.0, 1, 1, 1, 1, 0]))
    np.testing.assert_allclose(ones, neighbours.neighbourhood(neighbours.evidence(values)))
    plain = stacked(got, np.array([0.0, 1, 1, 0, 0, 0]))
    np.testing.assert_allclose(plain.T, clipped, rtol=1e-9)


def test_weights_have_the_greatest_likelihood():
    rng = np.random.default_rng(0)
    features = [np.ones((20, 30)), *rng.normal(size=(5, 20, 30))]
    truth = np.array([0.3, 1.0, 0.8, 0.2, -0.3, 0.0])
    positive = rng.random((20, 30)) < stacked(features, truth)
    x = np.stack([f.ravel() for f in features], axis=1)
    start = np.array([0.0, 1, 1, 0, 0, 0])

    def loss(w):
        log_odds = x @ w
        fit = (np.logaddexp(0, log_odds) - positive.ravel() * log_odds).sum()
        return fit + 0.5 * RIDGE * ((w - start) ** 2).sum()

    expected = minimize(loss, start, method="BFGS", options={"gtol": 1e-6}).x
    got = fit_weights(features, positive, np.random.default_rng(0))
    np.testing.assert_allclose(got, expected, atol=1e-4)


def test_weights_from_a_sample_are_near_those_from_all(monkeypatch):
    rng = np.random.default_rng(1)
    features = [np.ones((100, 300)), *rng.normal(size=(5, 100, 300))]
    positive = rng.random((100, 300)) < stacked(features, np.array([-3.0, 1, 1, 0.5, 0, 0]))
    everything = fit_weights(features, positive, rng)
    monkeypatch.setattr("trueval.rank._neighbours.MOST_PAIRS", 12_000)
    np.testing.assert_allclose(fit_weights(features, positive, rng), everything, atol=0.15)
