"""``balance="pairs"``: many pairs inside parts, with sizes and classes balanced."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pairs import naive
from tests.pairs.pair_sets import kernel_parts
from trueval import InputError
from trueval.data import Similarity
from trueval.pairs import ObjectKFold, coverage


def anneal(row_items, weight, positive, kind_start, size, shares, start, sweeps, seed):
    """Cost and parts after so many sweeps of the kernel."""
    problem = (row_items, weight, positive, kind_start, size)
    return kernel_parts(problem, shares, start, sweeps, seed, keep=True)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([[0.5, 0.5], [0.5, 0.3, 0.2]]),
    st.sampled_from(["pairs", "triples", "two kinds"]),
    st.booleans(),
    st.booleans(),
)
def test_kernel_has_the_cost_of_the_definition(seed, shares, kind, clusters, one_class):
    rng = np.random.default_rng(seed)
    kind_start = np.array([0, 8, 14] if kind == "two kinds" else [0, 14])
    row_items = rng.integers(14, size=(40, 3 if kind == "triples" else 2))
    if kind == "two kinds":
        row_items = np.column_stack([rng.integers(0, 8, 40), rng.integers(8, 14, 40)])
    weight = rng.integers(1, 4, size=40).astype(float)
    positive = np.zeros(40, int) if one_class else rng.integers(2, size=40)
    size = rng.integers(1, 4, size=14).astype(float) if clusters else np.ones(14)
    start = rng.integers(len(shares), size=14).astype(np.int32)
    problem = (weight, positive, kind_start, size, np.array(shares))
    for sweeps in (0, 5):
        cost, part = anneal(row_items, *problem, start, sweeps, seed)
        assert cost == pytest.approx(naive.keep_cost(row_items.tolist(), *problem, part))
    if (size == 1).all():
        for low, high in pairwise(kind_start):
            assert sorted(part[low:high]) == sorted(start[low:high])


def test_near_the_least_cost_of_small_sets():
    """All ways to divide eight objects into two fours; the best of three seeds is the least."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        row_items, positive = rng.integers(8, size=(20, 2)), rng.integers(2, size=20)
        problem = (np.ones(20), positive, np.array([0, 8]), np.ones(8), np.array([0.5, 0.5]))
        start = np.repeat([0, 1], 4).astype(np.int32)
        costs = []
        for first in combinations(range(8), 4):
            part = np.ones(8, int)
            part[list(first)] = 0
            costs.append(naive.keep_cost(row_items.tolist(), *problem, part))
        ours = min(anneal(row_items, *problem, start, 300, s)[0] for s in range(3))
        assert ours == pytest.approx(min(costs))


def modules(n_modules=20, size=10, n_pairs=1500, noise=300, seed=0):
    """Pairs inside modules and some between them, labels at random."""
    rng = np.random.default_rng(seed)
    module = rng.integers(0, n_modules, (n_pairs, 1)) * size
    pairs = module + rng.integers(0, size, (n_pairs, 2))
    pairs = np.concatenate([pairs, rng.integers(0, n_modules * size, (noise, 2))])
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return pairs, rng.integers(0, 2, len(pairs))


@pytest.mark.parametrize("symmetric", [True, False])
def test_more_pairs_with_sizes_and_classes_balanced(symmetric):
    pairs, y = modules()
    spread, kept = (
        ObjectKFold(5, balance=balance, symmetric=symmetric, random_state=0)
        for balance in ("degrees", "pairs")
    )
    few, many = (1 - coverage(cv, pairs, y).share_never for cv in (spread, kept))
    assert few < 0.3
    assert many > 0.75
    parts = kept.parts(y=y, groups=pairs)
    sides = [(pairs, parts)] if symmetric else [(pairs[:, c], parts[:, c]) for c in (0, 1)]
    for ids, numbers in sides:
        part_of_object = dict(zip(ids.ravel().tolist(), numbers.ravel().tolist(), strict=True))
        sizes = np.bincount(list(part_of_object.values()))
        assert sizes.max() - sizes.min() <= 1
    inside = parts[:, 0] == parts[:, 1]
    rates = [y[inside & (parts[:, 0] == p)].mean() for p in range(5)]
    assert np.abs(np.array(rates) - y.mean()).max() < 0.06


def test_positives_in_modules_do_not_raise_the_rate():
    """Without the term for frequencies the validated pairs would be mostly positives."""
    pairs, _ = modules(n_pairs=800, noise=0)
    rng = np.random.default_rng(3)
    pairs = np.concatenate([pairs, rng.integers(0, 200, (800, 2))])
    y = np.repeat([1, 0], [len(pairs) - 800, 800])
    parts = ObjectKFold(5, balance="pairs", random_state=0).parts(y=y, groups=pairs)
    inside = parts[:, 0] == parts[:, 1]
    assert inside.mean() > 0.3
    for p in range(5):
        assert y[inside & (parts[:, 0] == p)].mean() == pytest.approx(y.mean(), abs=0.1)


def test_complete_pairs_gain_nothing_and_seeds_repeat():
    pairs = np.array(list(product(range(10), range(10, 20))))
    y = np.random.default_rng(0).integers(0, 2, len(pairs))
    cv = ObjectKFold(5, balance="pairs", symmetric=False, random_state=4)
    assert coverage(cv, pairs, y).share_never == pytest.approx(0.8)
    assert np.array_equal(cv.parts(y=y, groups=pairs), cv.parts(y=y, groups=pairs))


def test_clusters_of_a_graph_stay_together():
    pairs, y = modules()
    edges = [(i, i + 1, 0.5 if i % 2 else 0.2) for i in range(199)]
    left, right, value = map(list, zip(*edges, strict=True))
    graph = Similarity.from_edges(left, right, value)
    for balance in ("degrees", "pairs"):
        cv = ObjectKFold(4, balance=balance, clusters=graph.at_least(0.3), random_state=0)
        part = dict(zip(pairs.ravel(), cv.parts(y=y, groups=pairs).ravel(), strict=True))
        assert all(part[i] == part[i + 1] for i in range(1, 198, 2))
        same = ObjectKFold(
            4, balance=balance, clusters=graph.components(0.3), random_state=0
        ).parts(y=y, groups=pairs)
        assert np.array_equal(same, cv.parts(y=y, groups=pairs))


def test_clusters_of_a_graph_with_names():
    names = [f"P{i}" for i in range(12)]
    graph = Similarity.from_edges([0, 2], [1, 3], index=names, n_rows=12)
    pairs = np.array(list(combinations(names, 2)))
    parts = ObjectKFold(3, clusters=graph, random_state=0).parts(groups=pairs)
    part = dict(zip(pairs.ravel(), parts.ravel(), strict=True))
    assert part["P0"] == part["P1"]
    assert part["P2"] == part["P3"]
    with pytest.raises(InputError, match="no entry for object 'Q'"):
        ObjectKFold(3, clusters=graph).parts(groups=[*pairs.tolist(), ["P1", "Q"]])


def test_stratify_is_refused():
    with pytest.raises(InputError, match="balances the classes inside every part already"):
        next(
            ObjectKFold(3, balance="pairs", stratify=True).split(
                y=[0, 1] * 9, groups=[[i, i + 1] for i in range(18)]
            )
        )
