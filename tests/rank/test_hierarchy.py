"""The true-path rule against a general solver and against its definition."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from sklearn.exceptions import ConvergenceWarning

from trueval.core.errors import InputError
from trueval.rank import make_consistent
from trueval.rank._hierarchy import as_hierarchy

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
    # min over z ≥ 0 of |Aᵀz + v|² is a least squares with bounds.
    options = {"method": "bvls", "tol": 1e-14, "max_iter": 5000}
    z = lsq_linear(A.T, -values, bounds=(0, np.inf), **options).x
    return values + A.T @ z


def by_definition(values, edges):
    """Max over upper sets of the min over lower sets of the mean where they meet."""
    k = len(values)
    bits = (np.arange(2**k)[:, None] >> np.arange(k)) & 1 == 1
    upper = np.ones(len(bits), bool)
    for child, parent in edges:
        upper &= ~(bits[:, child] & ~bits[:, parent])
    uppers, lowers = bits[upper], ~bits[upper]
    x = np.empty(k)
    for i in range(k):
        U, L = uppers[uppers[:, i]].astype(float), lowers[lowers[:, i]].astype(float)
        x[i] = (((U * values) @ L.T) / (U @ L.T)).min(axis=1).max()
    return x


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
@given(seed=st.integers(0, 10**6), k=st.integers(2, 9), tied=st.booleans())
def test_dag_projection_by_its_definition(seed, k, tied):
    rng = np.random.default_rng(seed)
    edges = dag(rng, k)
    values = rng.random((2, k))
    if tied:
        values = np.round(values, 1)
    got = make_consistent(values, edges)
    assert consistent(got, edges)
    expected = np.stack([by_definition(row, edges) for row in values])
    np.testing.assert_allclose(got, expected, atol=1e-8)


@QUICK
@given(seed=st.integers(0, 10**6), k=st.integers(3, 40), steep=st.booleans())
def test_dag_projection_is_least_squares(seed, k, steep):
    rng = np.random.default_rng(seed)
    edges = dag(rng, k)
    values = rng.random((2, k))
    if steep:
        values = values**8
    got, gap = make_consistent(values, edges, return_gap=True)
    assert consistent(got, edges)
    expected = np.stack([exact(row, edges) for row in values])
    np.testing.assert_allclose(got, expected, atol=1e-7)
    assert gap.shape == (2,)
    assert gap.max() < 1e-8


@pytest.mark.parametrize("kind", ["uniform", "steep", "rounded", "rising down"])
def test_the_gap_is_a_proof_on_large_graphs(kind):
    """No consistent values lie nearer than the gap allows, least of all those of a friend."""
    rng = np.random.default_rng(0)
    edges = dag(rng, 1500)
    values = {
        "uniform": rng.random((4, 1500)),
        "steep": rng.random((4, 1500)) ** 12,
        "rounded": np.round(rng.random((4, 1500)), 1),
        "rising down": np.linspace(0, 1, 1500) + rng.random((4, 1500)) / 10,
    }[kind]
    got, gap = make_consistent(values, edges, return_gap=True)
    assert consistent(got, edges)
    assert gap.max() < 1e-8
    nearest = ((got - values) ** 2).sum(axis=1)
    for rule in ("max", "min"):
        other = make_consistent(values, edges, rule=rule)
        assert (((other - values) ** 2).sum(axis=1) >= nearest * (1 - 1e-8)).all()
    # Of the projection on a cone: what is left over is orthogonal to it, and leads away
    # from every other point of it.
    np.testing.assert_allclose(((values - got) * got).sum(axis=1), 0, atol=1e-6)
    for rule in ("max", "min"):
        other = make_consistent(rng.random(values.shape), edges, rule=rule)
        assert (((values - got) * other).sum(axis=1) <= 1e-6).all()


def test_a_tree_by_either_way():
    """One more edge to a grandparent changes nothing, but takes the way of graphs."""
    rng = np.random.default_rng(3)
    parent = tree(rng, 400)
    edges = [(c, int(p)) for c, p in enumerate(parent) if p >= 0]
    far = next(c for c, p in edges if parent[p] >= 0)
    values = rng.random((5, 400))
    got = make_consistent(values, [*edges, (far, int(parent[parent[far]]))])
    np.testing.assert_allclose(got, make_consistent(values, parent), atol=1e-9)


@pytest.mark.parametrize("factor", [1e-200, 1e-5, 1e150, 1e300])
def test_any_scale_and_offset(factor):
    rng = np.random.default_rng(4)
    edges = dag(rng, 60)
    values = rng.random((3, 60)) - 0.5
    plain = make_consistent(values, edges)
    got, gap = make_consistent(values * factor, edges, return_gap=True)
    np.testing.assert_allclose(got / factor, plain, atol=1e-9)
    assert gap.max() < 1e-8
    np.testing.assert_allclose(make_consistent(values + 1e6, edges) - 1e6, plain, atol=1e-6)
    assert np.isfinite(make_consistent(np.array([[-1.7e308, 1.7e308, 0]]), {1: [0, 2]})).all()


def test_threads_change_nothing():
    rng = np.random.default_rng(5)
    edges = dag(rng, 80)
    values = rng.random((30, 80))
    for rule in ("project", "max", "min"):
        one = make_consistent(values, edges, rule=rule)
        np.testing.assert_array_equal(one, make_consistent(values, edges, rule=rule, n_jobs=2))
        rows = make_consistent(sp.csr_array(values), edges, rule=rule, n_jobs=2)
        np.testing.assert_array_equal(one, rows.toarray())


def test_given_values_are_not_changed():
    values = np.array([[0.1, 0.9, 0.2]])
    for rule in ("project", "max", "min"):
        for hierarchy in ({1: [0, 2]}, [-1, 0, 0]):
            make_consistent(values, hierarchy, rule=rule)
            assert values.tolist() == [[0.1, 0.9, 0.2]]


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
        ([(0, 1, 2)], {}, r"pairs.* Got \(0, 1, 2\) in it"),
        (np.array([-1.0, 0.0, 0.0]), {}, "one whole parent number.* Got .*-1.0"),
        ([-1, 0, 0.5], {}, "one whole parent number"),
        (None, {}, "the hierarchy must be .* Got None instead"),
        (7, {}, "the hierarchy must be .* Got 7 instead"),
        ("ab", {}, "the hierarchy must be .* Got 'ab' instead"),
        ([None, 0, 0], {}, "Got None in it"),
        (["ab", "bc"], {}, "Got 'ab' in it"),
        ([(1, None)], {}, "names None"),
        ({1: [[0]]}, {}, r"names \[0\]"),
        ({"a": [["b"]]}, {"classes": ["a", "b", "c"]}, r"names \['b'\]"),
        ({"a": "b"}, {"classes": ["a", "b", "a"]}, "classes has 'a' more than once"),
    ],
)
def test_wrong_hierarchies(hierarchy, options, said):
    with pytest.raises(InputError, match=said):
        make_consistent(np.ones((1, 3)), hierarchy, **options)


@pytest.mark.parametrize(
    "options", [{"rule": "mean"}, {"rule": ["max"]}, {"return_gap": True, "rule": "max"}]
)
def test_wrong_options(options):
    with pytest.raises(ValueError, match=f"'{next(iter(options))}' parameter"):
        make_consistent(np.ones((1, 3)), [-1, 0, 0], **options)


def test_numbers_too_small_to_solve_are_said():
    least = 5e-324
    with pytest.warns(ConvergenceWarning, match="rounding left 1 of 2 projections"):
        values, gap = make_consistent(
            np.array([[0.0, least, 0.0], [1.0, 0.5, 1.0]]), {1: [0, 2]}, return_gap=True
        )
    assert values.tolist() == [[least, least, least], [1.0, 0.5, 1.0]]
    assert gap.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("hierarchy", [{1: 0, 2: 0, 3: 0}, {1: [0], 2: [0], 3: [0, 1]}])
def test_sums_beyond_the_largest_float(hierarchy):
    # All four meet at 3 · 1.7e308 / 4, of a tree as of a graph; the sum is no float.
    made = make_consistent([[0, 1.7e308, 1.7e308, 1.7e308]], hierarchy)
    np.testing.assert_allclose(made, np.full((1, 4), 1.275e308), rtol=1e-12)


@pytest.mark.parametrize("n_classes", [3, 7, 40])
def test_a_forest_of_large_values_is_that_of_small_ones(n_classes):
    rng = np.random.default_rng(n_classes)
    parents = tree(rng, n_classes)
    values = rng.choice([-1.0, -0.5, 0.25, 1.0], (50, n_classes))
    large = make_consistent(values * np.finfo(float).max, parents)
    assert np.isfinite(large).all()
    expected = make_consistent(values, parents)
    np.testing.assert_allclose(large / np.finfo(float).max, expected, rtol=1e-12, atol=1e-15)
    assert make_consistent(values * 2.0**900, parents).tolist() == (expected * 2.0**900).tolist()
