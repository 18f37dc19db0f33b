"""Folds that keep similar rows together: strict, soft, fixed rows, groups, unequal parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.stratify import naive_graph as naive
from trueval import (
    InputError,
    InputWarning,
    MultilabelStratifiedSimilarityKFold,
    ParameterError,
    split_quality,
    stratified_folds,
)
from trueval.audit import audit_rows
from trueval.core.labels import as_labels
from trueval.core.similarity import Similarity
from trueval.data import read_folds, simulate, write_folds
from trueval.stratify import leakage_trade_off
from trueval.stratify._leakage import soft_cost

N = 400
Y = simulate.label_matrix(N, 15, random_state=0)


def families(n=N, size=4, seed=0, bridges=0):
    """Chains of similar rows, and edges between chains that make one component of many."""
    generator = np.random.default_rng(seed)
    rows = np.arange(n - 1)
    left = rows[rows % size < size - 1]
    more = generator.integers(0, n, (bridges, 2))
    a, b = np.concatenate([left, more[:, 0]]), np.concatenate([left + 1, more[:, 1]])
    keep = a != b
    return Similarity.from_edges(a[keep], b[keep], generator.uniform(0.3, 1, keep.sum()), n_rows=n)


def crossing(graph, folds, threshold=0.0):
    a, b, values = graph.edges()
    apart = (folds[a] != folds[b]) & (folds[a] >= 0) & (folds[b] >= 0)
    return int((apart & (values >= threshold)).sum())


@pytest.mark.filterwarnings("ignore:part . has")
@pytest.mark.parametrize("parts", [5, [0.7, 0.2, 0.1]])
@pytest.mark.parametrize("method", ["anneal", "random"])
def test_components_are_groups(parts, method):
    graph = families()
    options = {"method": method, "random_state": 3}
    folds = stratified_folds(Y, parts, similarity=graph, threshold=0.5, tolerance=1.0, **options)
    groups = graph.components(0.5)
    assert np.array_equal(folds, stratified_folds(Y, parts, groups=groups, **options))
    assert crossing(graph, folds, 0.5) == 0


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 120), st.sampled_from([3, [0.6, 0.4]]))
def test_nothing_crosses_and_nothing_overfills(seed, bridges, parts):
    graph = families(200, 4, seed, bridges)
    folds = stratified_folds(
        Y[:200], parts, similarity=graph, threshold=0.3, effort=0.05, random_state=seed
    )
    assert crossing(graph, folds) == 0
    sizes = np.bincount(folds[folds >= 0])
    shares = np.full(3, 1 / 3) if parts == 3 else np.array(parts)
    assert (np.abs(sizes - shares * sizes.sum()) <= 0.05 * shares * sizes.sum() + 8).all()
    assert (folds < 0).sum() <= 0.2 * len(folds)


@pytest.mark.filterwarnings("ignore:part . has")
def test_rows_left_out_are_named_and_few():
    graph = families(bridges=90)
    assert np.bincount(graph.components()).max() > N / 4
    with pytest.warns(InputWarning, match=r"rows are in no part \(-1\)"):
        folds = stratified_folds(Y, 4, similarity=graph, random_state=0)
    again = stratified_folds
    with pytest.warns(InputWarning):
        assert np.array_equal(again(Y, 4, similarity=graph, random_state=0), folds)
    assert crossing(graph, folds) == 0
    assert 0 < (folds < 0).sum() <= 40
    # Each row that is left out has neighbours in two parts, or there is no room where they are.
    quality = split_quality(Y, folds, similarity=graph)
    assert (quality.n_dropped, quality.crossing_edges) == ((folds < 0).sum(), 0)
    assert quality.n_rows == N - quality.n_dropped


def test_dear_rows_are_kept():
    graph = families(bridges=90)
    with pytest.warns(InputWarning):
        cheap = stratified_folds(Y, 4, similarity=graph, random_state=0)
    weight = np.where(cheap < 0, 50.0, 1.0)
    with pytest.warns(InputWarning):
        folds = stratified_folds(Y, 4, similarity=graph, row_weight=weight, random_state=0)
    assert (folds[cheap < 0] < 0).sum() < (cheap < 0).sum() / 2
    with pytest.raises(InputError, match="row_weight must be 400 finite numbers"):
        stratified_folds(Y, 4, similarity=graph, row_weight=[1.0])


@pytest.mark.filterwarnings("ignore:part . has")
def test_cut_keeps_all_rows():
    graph = families(bridges=90)
    folds = stratified_folds(Y, 4, similarity=graph, oversized="cut", random_state=0)
    assert (folds >= 0).all()
    random = stratified_folds(Y, 4, random_state=0)
    assert 0 < crossing(graph, folds) < crossing(graph, random) / 4


def test_fixed_rows_stay_and_their_neighbours_follow():
    graph = families()
    fixed = np.full(N, -1)
    fixed[[0, 40, 80]] = 0, 1, 2
    folds = stratified_folds(Y, 4, similarity=graph, fixed=fixed, random_state=0)
    assert folds[[0, 40, 80]].tolist() == [0, 1, 2]
    assert crossing(graph, folds) == 0


def test_one_component_fixed_to_two_parts_loses_what_connects_them():
    graph = Similarity.from_edges([0, 1, 2, 3], [1, 2, 3, 4], n_rows=N)
    fixed = np.full(N, -1)
    fixed[0], fixed[4] = 0, 1
    with pytest.warns(InputWarning, match="1 of 400 rows"):
        folds = stratified_folds(Y, 4, similarity=graph, fixed=fixed, random_state=0)
    assert folds[[0, 4]].tolist() == [0, 1]
    assert (folds[1:4] < 0).sum() == 1
    fixed[1] = 1
    with pytest.raises(InputError, match=r"row 0 \(part 0\) and row 1 \(part 1\)"):
        stratified_folds(Y, 4, similarity=graph, fixed=fixed)


@pytest.mark.filterwarnings("ignore:part . has")
def test_groups_and_edges_together():
    graph = families()
    groups = np.arange(N) // 6
    folds = stratified_folds(Y, 4, similarity=graph, groups=groups, random_state=0)
    assert crossing(graph, folds) == 0
    assert all(len(set(folds[groups == g])) == 1 for g in set(groups))


def test_soft_weighs_one_against_the_other():
    graph = families(bridges=90)
    curve = leakage_trade_off(
        Y, 4, similarity=graph, cut_weights=(0, 0.1, 10), random_state=0, effort=0.3
    )
    assert (np.diff(curve["crossing_share"]) < 0).all()
    assert (np.diff(curve["rld"]) > -1e-9).all()
    assert curve["crossing_share"][2] < 0.1
    assert curve["rld"][0] == pytest.approx(
        split_quality(Y, stratified_folds(Y, 4, random_state=0)).rld_wanted, rel=0.05
    )


@pytest.mark.parametrize("groups", [None, np.arange(N) // 2])
def test_soft_with_fixed_rows_and_groups(groups):
    fixed = np.where(np.arange(N) < 100, np.arange(N) // 2 % 4, -1)
    graph = families(bridges=30)
    folds = stratified_folds(
        Y, 4, similarity=graph, cut_weight=1.0, fixed=fixed, groups=groups, random_state=0
    )
    assert np.array_equal(folds[:100], fixed[:100])
    free = stratified_folds(Y, 4, fixed=fixed, groups=groups, random_state=0)
    assert crossing(graph, folds) < crossing(graph, free)
    if groups is not None:
        assert (folds[::2] == folds[1::2]).all()


@given(st.integers(0, 10_000), st.sampled_from([[0.5, 0.5], [0.7, 0.3]]))
def test_soft_cost_by_its_definition(seed, shares):
    generator = np.random.default_rng(seed)
    y = (generator.random((12, 3)) < 0.4).astype(int)
    dense = np.triu(generator.random((12, 12)) * (generator.random((12, 12)) < 0.3), 1)
    folds = generator.integers(0, 2, 12).astype(np.int32)
    a, b = np.nonzero(dense)
    graph = Similarity.from_edges(a, b, dense[a, b], n_rows=12)
    from trueval.stratify._parts import as_parts

    parts = as_parts(shares, 12)
    ours = soft_cost(as_labels(y), folds, parts, graph, 0.7)
    assert ours == pytest.approx(naive.soft_cost(y, dense + dense.T, folds, parts.shares, 0.7))


def test_soft_is_near_the_least_cost_on_tiny_data():
    """Every assignment of eight rows to two parts of four."""
    from itertools import combinations

    from trueval.stratify._parts import as_parts

    parts, ours, best = as_parts(2, 8), 0.0, 0.0
    for seed in range(10):
        generator = np.random.default_rng(seed)
        y = (generator.random((8, 3)) < 0.5).astype(int)
        y[0] = 1
        a, b = np.triu_indices(8, 1)
        some = generator.random(len(a)) < 0.3
        some[0] = True
        graph = Similarity.from_edges(a[some], b[some], generator.random(some.sum()), n_rows=8)
        folds = stratified_folds(y, 2, similarity=graph, cut_weight=0.5, random_state=0)
        costs = []
        for chosen in combinations(range(8), 4):
            tried = np.zeros(8, np.int32)
            tried[list(chosen)] = 1
            costs.append(soft_cost(as_labels(y), tried, parts, graph, 0.5))
        ours += soft_cost(as_labels(y), folds, parts, graph, 0.5)
        best += min(costs)
    assert best - 1e-9 <= ours <= 1.05 * best


def test_quantiles_of_the_largest_similarity():
    graph = Similarity.from_edges([0, 0, 2], [1, 2, 3], [0.9, 0.4, 0.6], n_rows=5)
    y = np.ones((5, 1), int)
    quality = split_quality(y, [0, 0, 1, 0, 1], similarity=graph, threshold=0.5)
    # Rows 0 and 2 have 0.4 and 0.6 elsewhere, row 3 has 0.6, rows 1 and 4 nothing.
    assert quality.leakage.largest == {0.5: 0.4, 0.9: 0.6, 0.99: 0.6, 1.0: 0.6}
    assert (quality.crossing_edges, quality.leakage.n_edges) == (1, 2)
    assert quality.leakage.crossing_share == pytest.approx(0.6 / 1.5)
    assert (quality.leakage.n_components, quality.leakage.largest_component) == (3, 2)


def test_a_threshold_in_another_unit_is_told():
    """0.9 is no 30 %: without the warning all rows would seem to be unlike each other."""
    y, edges = np.arange(8)[:, None] % [2, 4] == 0, [(0, 1, 0.9), (2, 3, 0.8)]
    with pytest.warns(InputWarning, match=r"threshold of 30; the largest is 0\.9.*30 % is 0\.3"):
        folds = stratified_folds(y, 2, similarity=edges, threshold=30, random_state=0)
    with pytest.warns(InputWarning, match="threshold of 30"):
        assert split_quality(y, folds, similarity=edges, threshold=30).leakage.n_edges == 0
    with pytest.warns(InputWarning, match="threshold of 30"):
        audit_rows(y.astype(float), [0, 2, 4, 6], [1, 3, 5, 7], similarity=edges, threshold=30)


def test_splitter_leaves_dropped_rows_out(tmp_path):
    graph = families(bridges=90)
    cv = MultilabelStratifiedSimilarityKFold(4, threshold=0.3, random_state=0)
    with pytest.warns(InputWarning):
        splits = list(clone(cv, safe=False).split(y=Y, similarity=graph))
    for train, test in splits:
        assert graph.at_least(0.3).matrix[train][:, test].nnz == 0
    tested = np.concatenate([test for _, test in splits])
    assert len(np.unique(tested)) == len(tested) < N
    with pytest.warns(InputWarning):
        folds = stratified_folds(Y, 4, similarity=graph, threshold=0.3, random_state=0)
    for part, (_, test) in enumerate(splits):
        assert np.array_equal(np.flatnonzero(folds == part), test)
    write_folds(tmp_path / "folds.csv", folds)
    assert np.array_equal(read_folds(tmp_path / "folds.csv").folds, folds)


def test_cross_validation_passes_the_similarity():
    import sklearn

    graph, X = families(), np.random.default_rng(0).normal(size=(N, 3))
    cv = MultilabelStratifiedSimilarityKFold(3, threshold=0.3, random_state=0)
    model = MultiOutputClassifier(DecisionTreeClassifier(max_depth=1))
    with sklearn.config_context(enable_metadata_routing=True):
        result = cross_validate(
            model, X, Y.toarray(), cv=cv, scoring="accuracy", params={"similarity": graph}
        )
    assert len(result["test_score"]) == 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"threshold": 0.3}, ParameterError, "similarity"),
        ({"similarity": [(0, 1, 0.5)], "method": "iterative"}, ValueError, "'anneal' and 'random'"),
        ({"similarity": [(0, 1)], "method": "random", "cut_weight": 1}, ValueError, "'anneal'"),
        ({"similarity": [(0, 1)], "threshold": -1}, ParameterError, "threshold"),
        ({"similarity": [(0, 1)], "oversized": "split"}, ParameterError, "oversized"),
        ({"similarity": [(0, 400)]}, InputError, "row 400"),
    ],
)
def test_refused(options, error, message):
    with pytest.raises(error, match=message):
        stratified_folds(Y, 4, **options)
