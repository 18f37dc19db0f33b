"""The true-path rule against a general solver and against its definition."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from trueval.errors import InputError
from trueval.rank import make_consistent
from trueval.rank.hierarchy import as_hierarchy

QUICK = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def tree(rng, k):
    return np.array([-1, *(int(rng.integers(0, j)) for j in range(1, k))])


def dag(rng, k):
    """Every later column has one to three parents among the earlier ones."""
    edges = []
    for child in range(1, k):
        n = min(child, int(rng.integers(1, 4)))
        edges += [(child, int(p)) for p in rng.choice(child, size=n, replace=False)]
    return edges


def exact(values, edges):
    """Least squares under parent ≥ child through its dual: x = v + Aᵀz, z ≥ 0."""
    A = np.zeros((len(edges), len(values)))
    for row, (child, parent) in enumerate(edges):
        A[row, parent], A[row, child] = 1.0, -1.0
    # min over z ≥ 0 of |Aᵀz + v|² is the residual of a non-negative least squares.
    z, _ = nnls(A.T, -values, maxiter=10_000)
    return values + A.T @ z


def consistent(values, edges):
    return all((values[..., p] >= values[..., c]).all() for c, p in edges)


@QUICK
@given(seed=st.integers(0, 10**6), k=st.integers(1, 30), tied=st.booleans())
def test_tree_projection_is_least_squares(seed, k, tied):
    rng = np.random.default_rng(seed)
    parent = tree(rng, k)
    edges = [(c, int(p)) for c, p in enumerate(parent) if p >= 0]
    values = rng.random((3, k))
    if tied:
        values = np.round(values, 1)
    got = make_consistent(values, parent)
    assert consistent(got, edges)
    if edges:
        expected = np.stack([exact(row, edges) for row in values])
        np.testing.assert_allclose(got, expected, atol=1e-7)


@QUICK
@given(seed=st.integers(0, 10**6), k=st.integers(3, 15))
def test_dag_projection_approaches_least_squares(seed, k):
    rng = np.random.default_rng(seed)
    edges = dag(rng, k)
    values = rng.random((2, k))
    got = make_consistent(values, edges, tol=1e-9, max_iter=20_000)
    assert consistent(got, edges)
    expected = np.stack([exact(row, edges) for row in values])
    np.testing.assert_allclose(got, expected, atol=1e-4)


@QUICK
@given(seed=st.integers(0, 10**6), k=st.integers(2, 20))
def test_max_and_min_by_their_definition(seed, k):
    rng = np.random.default_rng(seed)
    edges = dag(rng, k)
    values = rng.random((3, k))
    above = np.eye(k, dtype=bool)
    for child, parent in edges:  # ancestors of earlier columns are complete
        above[child] |= above[parent]
    for c, p in sorted(edges):
        above[c] |= above[p]
    highest = np.stack([values[:, above[:, j]].max(axis=1) for j in range(k)], axis=1)
    lowest = np.stack([values[:, above[j]].min(axis=1) for j in range(k)], axis=1)
    np.testing.assert_array_equal(make_consistent(values, edges, rule="max"), highest)
    np.testing.assert_array_equal(make_consistent(values, edges, rule="min"), lowest)


@pytest.mark.parametrize("rule", ["project", "max", "min"])
def test_calls_are_consistent_after_any_threshold(rule):
    rng = np.random.default_rng(0)
    edges = dag(rng, 60)
    values = make_consistent(rng.random((40, 60)), edges, rule=rule)
    for threshold in (0.1, 0.5, 0.9, *np.quantile(values, [0.3, 0.7])):
        assert consistent((values >= threshold).astype(int), edges)


@pytest.mark.parametrize("rule", ["project", "max", "min"])
def test_consistent_values_are_left_alone(rule):
    values = np.array([[0.9, 0.5, 0.7, 0.1]])
    np.testing.assert_allclose(
        make_consistent(values, {1: 0, 2: 0, 3: [1, 2]}, rule=rule), values, atol=1e-12
    )


def test_sparse_rows_equal_dense_rows():
    rng = np.random.default_rng(1)
    parent = tree(rng, 50)
    values = rng.random((30, 50)) * (rng.random((30, 50)) < 0.1)
    got = make_consistent(sp.csr_array(values), parent)
    assert sp.issparse(got)
    np.testing.assert_allclose(got.toarray(), make_consistent(values, parent), atol=1e-12)


def test_deep_chains():
    k = 3000
    parent = np.arange(-1, k - 1)
    got = make_consistent(np.linspace(0, 1, k)[None], parent)  # rises all the way down
    np.testing.assert_allclose(got, 0.5, atol=1e-9)


def test_hierarchies_in_all_forms():
    forms = [[-1, 0, 0], {1: 0, 2: [0]}, [(1, 0), (2, 0), (1, 0)], np.array([[1, 0], [2, 0]])]
    for form in forms:
        graph = as_hierarchy(form, 3)
        assert graph.child.tolist() == [1, 2]
        assert graph.parent.tolist() == [0, 0]
        assert graph.is_forest
    assert as_hierarchy(graph, 3) is graph
    assert not as_hierarchy({2: [0, 1]}, 3).is_forest
    assert as_hierarchy([], 3).violation(np.ones((2, 3))) == 0.0


@pytest.mark.parametrize(
    ("hierarchy", "options", "said"),
    [
        ([(0, 1), (1, 2), (2, 0)], {}, "cycle"),
        ([(0, 0)], {}, "cycle"),
        ([(0, 7)], {}, "names 7"),
        ({"a": "z"}, {"classes": ["a", "b", "c"]}, "names 'z', which is not in classes"),
        ({"a": "b"}, {"classes": ["a", "b"]}, "2 names but values has 3"),
        ([-1, 0], {}, "2 parents but values has 3 columns"),
        ([(0, 1, 2)], {}, "pairs"),
    ],
)
def test_wrong_hierarchies(hierarchy, options, said):
    with pytest.raises(InputError, match=said):
        make_consistent(np.ones((1, 3)), hierarchy, **options)


@pytest.mark.parametrize("options", [{"rule": "mean"}, {"tol": 0}, {"max_iter": 0}])
def test_wrong_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        make_consistent(np.ones((1, 3)), [-1, 0, 0], **options)
