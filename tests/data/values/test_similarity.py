"""``read_similarity``: tabular hits of the three search tools, tables, matrices."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from trueval import InputError, as_labels
from trueval.core.errors import InputWarning
from trueval.core.similarity import close_edges
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


ROWS = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\t1e-50\nc\td\t1e-5\n", "may be e-values"),
        ("x\ty\tdistance\na\tb\t0.1\n", "'distance' is no similarity"),
        ("query,target,evalue\na,b,1e-9\n", "'evalue' is no similarity"),
        ("a\tb\t100\nc\td\t0.9\n", "from 0.9 to 100: fractions or per cent"),
        ("a\tb\tinf\nc\td\t0.9\n", "must be a number"),
    ],
)
def test_numbers_that_may_be_something_else_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        read_similarity(text.encode(), ROWS)


def test_what_was_refused_can_be_said():
    assert read_similarity(b"a\tb\t1e-5\n", ROWS, column=2).edges()[2].tolist() == [1e-5]
    mixed = read_similarity(b"a\tb\t100\nc\td\t0.9\n", ROWS, unit="percent")
    assert mixed.edges()[2] == pytest.approx([1.0, 0.009])


def test_cosines_that_rounding_raised_above_one_are_fractions():
    graph = read_similarity(b"a\tb\t1.0000001\nc\td\t0.9\n", ROWS)
    assert graph.edges()[2].tolist() == [1.0000001, 0.9]


def test_rows_without_any_hit_are_told_where_others_hit_themselves():
    with pytest.warns(InputWarning, match="2 of 4 rows are in no hit"):
        read_similarity(b"a\ta\t1\nb\tb\t1\na\tb\t0.5\n", ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_similarity(b"a\tb\t0.5\n", ROWS)  # without hits of rows with themselves
        read_similarity(b"a\ta\t1\na\tb\t0.5\n", ROWS)  # b does not hit itself
        read_similarity(b"a\ta\t1\nb\tb\t1\n")  # rows are those of the file


@pytest.mark.parametrize(("threshold", "fix"), [(30, "30 % is 0.3"), (0.95, "Lower threshold")])
def test_a_threshold_that_nothing_reaches_is_told(threshold, fix):
    graph = read_similarity(b"a\tb\t0.9\nc\td\t0.4\n", ROWS)
    with pytest.warns(InputWarning, match=f"the largest is 0.9.*{fix}"):
        assert close_edges(graph, threshold).n_edges == 0
    assert close_edges(graph, 0.9).n_edges == 1
