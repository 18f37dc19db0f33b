"""``Similarity``: any form gives the same symmetric graph; what is broken is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from trueval import InputError, ParameterError
from trueval.core.similarity import Similarity, as_similarity

EDGES = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([0.0, 0.2, 0.5, 0.9])),
    max_size=20,
)


def naive_graph(edges, n):
    """Largest similarity of each two different rows."""
    dense = np.zeros((n, n))
    for a, b, value in edges:
        if a != b:
            dense[a, b] = dense[b, a] = max(dense[a, b], value)
    return dense


def naive_components(dense, threshold):
    """Sets of rows that paths connect."""
    left, components = set(range(len(dense))), []
    while left:
        reached, stack = set(), [min(left)]
        while stack:
            row = stack.pop()
            if row not in reached:
                reached.add(row)
                stack += np.flatnonzero((dense[row] > 0) & (dense[row] >= threshold)).tolist()
        components.append(frozenset(reached))
        left -= reached
    return set(components)


@given(EDGES)
def test_forms_agree(edges):
    dense = naive_graph(edges, 8)
    listed = as_similarity(np.array(edges).reshape(-1, 3), 8)
    a, b, values = (list(column) for column in zip(*edges, strict=True)) if edges else ([], [], [])
    graphs = [
        listed,
        Similarity(sp.coo_array(dense)),
        Similarity(sp.csr_array(np.triu(dense))),
        Similarity.from_edges(np.array(a, int), np.array(b, int), values, n_rows=8),
        as_similarity(pd.DataFrame(edges, columns=["a", "b", "s"], dtype=float), 8),
        pickle.loads(pickle.dumps(listed)),
    ]
    for graph in graphs:
        assert np.array_equal(graph.matrix.toarray(), dense)
        assert graph.n_edges == (np.triu(dense) > 0).sum()
        assert graph.matrix.has_sorted_indices


@given(EDGES, st.sampled_from([0.0, 0.2, 0.3, 0.5, 1.0]))
def test_components(edges, threshold):
    dense = naive_graph(edges, 8)
    graph = Similarity(sp.csr_array(dense))
    numbers = graph.components(threshold)
    sets = {frozenset(np.flatnonzero(numbers == c).tolist()) for c in set(numbers.tolist())}
    assert sets == naive_components(dense, threshold)
    kept = np.where(dense >= threshold, dense, 0)
    assert np.array_equal(graph.at_least(threshold).matrix.toarray(), kept)
    rows = np.array([5, 1, 0])
    assert np.array_equal(graph.take(rows).matrix.toarray(), dense[np.ix_(rows, rows)])
    a, b, values = graph.edges()
    assert (a < b).all()
    assert np.array_equal(dense[a, b], values)


def test_neighbours_without_a_row_are_left_out():
    graph = Similarity.from_neighbors([[1, 2], [0, -1], [-1, -1]], [[0.5, 0.1], [0.7, 9], [9, 9]])
    assert graph.matrix.toarray().tolist() == [[0, 0.7, 0.1], [0.7, 0, 0], [0.1, 0, 0]]


def test_rows_are_matched_by_name():
    graph = Similarity.from_edges([0], [1], [0.5], n_rows=3, index=["a", "b", "c"])
    moved = as_similarity(graph, 3, np.array(["c", "b", "a"]))
    assert moved.matrix.toarray()[1, 2] == 0.5
    with pytest.raises(InputError, match="no row named 'd'"):
        as_similarity(graph, 3, np.array(["a", "b", "d"]))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (np.eye(5), "scipy.sparse.csr_array"),
        (sp.csr_array((4, 5)), "square"),
        (sp.csr_array((4, 4)), "4 rows but there are 5"),
        ([(0, 9, 0.5)], "row 9"),
        ([(0, 1.5, 0.5)], "whole numbers"),
        ([(0, -1, 0.5)], "row -1"),
        ([(0, 1, -0.5)], "-0.5; it must be a finite number"),
        ([(0, 1, np.nan)], "nan"),
    ],
)
def test_broken(broken, message):
    with pytest.raises(InputError, match=message):
        as_similarity(broken, 5)


def test_cannot_be_changed():
    graph = Similarity.from_edges([0], [1])
    with pytest.raises(ValueError, match="read-only"):
        graph.matrix.data[0] = 2
    with pytest.raises(AttributeError):
        graph.matrix = None


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ([0], [2**33], "edge 0 has row 8589934592; rows are whole numbers"),
        ([0, 0], [1, -1], "edge 1 has row -1"),
        (np.array([0], np.uint64), np.array([2**64 - 1], np.uint64), f"row {2**64 - 1}"),
        ([0], [2**31 - 1], "edge 0 has row 2147483647"),
        ([0], [10**8], r"an edge has row 100000000, so that 1 edges .* pass n_rows=100000001"),
        ([0], [0.5], "edge 0 has row 0.5"),
        ([0], [[1], [2, 3]], "the list of edges is no array"),
        ([0], [2**70], "row numbers in one dimension"),
        ("0", "1", "row numbers in one dimension"),
    ],
)
def test_rows_of_edges_that_are_none(left, right, message):
    with pytest.raises(InputError, match=message):
        Similarity.from_edges(left, right)


@pytest.mark.parametrize(
    ("edge", "said"), [((0, 1e300), "1e[+]300"), ((0, np.inf), "inf"), ((0, -1), "-1")]
)
def test_rows_of_listed_edges_that_are_none(edge, said):
    with pytest.raises(InputError, match=f"edge 1 has row {said}; rows are whole numbers"):
        as_similarity([(0, 1), edge], 4)


def test_as_many_rows_as_are_asked_for():
    assert Similarity.from_edges([0], [9_999_999]).n_rows == 10**7
    assert Similarity.from_edges([0], [10**7], n_rows=10**7 + 1).n_rows == 10**7 + 1
    with pytest.raises(ParameterError, match="'n_rows' parameter of from_edges"):
        Similarity.from_edges([0], [1], n_rows=2**31)


@pytest.mark.parametrize("neighbors", [[[2**64 - 1], [0]], [[1.5], [0]], [[1], [0, 1]]])
def test_neighbours_that_are_none(neighbors):
    with pytest.raises(InputError, match=r"edge 0 has row|neighbors is no array"):
        Similarity.from_neighbors(neighbors, [[1.0], [1.0]])
