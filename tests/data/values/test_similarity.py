"""``read_similarity``: tabular hits of the three search tools, tables, matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

from trueval import InputError, as_labels
from trueval.core.errors import InputWarning
from trueval.data import read_similarity
from trueval.data._values.similarity import read_similarity_with_reading

IDS = ["P1", "P2", "P3"]
REST = "80\t10\t0\t1\t80\t1\t80\t1e-30\t150"


def hits(*lines):
    return "".join(f"{a}\t{b}\t{value}\t{REST}\n" for a, b, value in lines).encode()


def dense(graph):
    return graph.matrix.toarray().round(9).tolist()


@pytest.mark.parametrize(
    ("file", "unit", "column"),
    [
        (hits(("P1", "P1", "1.000"), ("P1", "P2", "0.875"), ("P2", "P1", "0.85")), "fraction", 2),
        (hits(("P1", "P1", "100"), ("P1", "P2", "87.5"), ("P2", "P1", "85.0")), "percent", 2),
        (b"query\ttarget\tfident\nP1\tP2\t0.875\n", "fraction", "fident"),
        (b"query\ttarget\tevalue\tpident\nP1\tP2\t1e-9\t87.5\n", "percent", "pident"),
        (b"a,b,similarity\nP1,P2,0.875\n", "as given", "similarity"),
    ],
)
def test_unit_and_column(file, unit, column):
    graph, reading = read_similarity_with_reading(file, IDS)
    assert dense(graph) == [[0, 0.875, 0], [0.875, 0, 0], [0, 0, 0]]
    assert (reading.unit, reading.column, reading.n_edges) == (unit, column, 1)


def test_another_column_is_taken_as_given():
    graph, reading = read_similarity_with_reading(hits(("P1", "P2", "87.5")), IDS, column=11)
    assert (graph.matrix[0, 1], reading.unit) == (150, "as given")
    assert read_similarity(b"P1\tP2\t30\n", IDS, unit="as given").matrix[0, 1] == 30
    with pytest.raises(InputError, match=r"87.5 is no fraction. Pass unit='percent'"):
        read_similarity(hits(("P1", "P2", "87.5")), IDS, unit="fraction")


def test_order_of_appearance_without_rows():
    graph = read_similarity(b"b\ta\t0.5\na\tc\t0.25\n")
    assert graph.index.tolist() == ["b", "a", "c"]
    assert dense(graph) == [[0, 0.5, 0], [0.5, 0, 0.25], [0, 0.25, 0]]


def test_rows_without_ids_are_numbered():
    labels = as_labels(np.ones((3, 1), int))
    assert read_similarity(b"0\t2\t0.5\n", labels).matrix[0, 2] == 0.5


def test_unknown_ids_are_told():
    with pytest.warns(InputWarning, match="1 of 2 hits have an id that no row has, such as 'Q'"):
        graph = read_similarity(b"P1\tP2\t0.5\nP1\tQ\t0.5\n", IDS)
    assert graph.n_edges == 1
    with pytest.raises(InputError, match=r"no row has the id 'sp\|P1'"):
        read_similarity(b"sp|P1\tsp|P2\t0.5\n", IDS)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"P1\tP2\n", "two columns of ids and one of numbers"),
        (b"P1\tP2\t0.5\nP1\tP2\tx\n", "line 2"),
        (b"P1\tP2\t0.5\nP1\t\t0.5\n", "an id is empty"),
        (b"P1\tP2\t-0.5\nP1\tP3\t0.1\n", "finite number from 0"),
    ],
)
def test_broken(broken, message):
    with pytest.raises(InputError, match=message):
        read_similarity(broken, IDS)


def test_matrix(tmp_path):
    file = tmp_path / "graph.npz"
    sp.save_npz(file, sp.csr_matrix(np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])))
    assert dense(read_similarity(file, IDS)) == [[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]]
