"""``Ontology.propagate``: one behaviour at the command line and in Python, the other by name."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.ontology.test_ontology import expected_closure, random_obo
from trueval import InputWarning, Labels, as_labels
from trueval.data import Ontology, read_annotations
from trueval.data._source import Source
from trueval.data.ontology._obo import parse_obo

CHAIN = Ontology(["a", "b", "c"], [("b", "a", "is_a"), ("c", "b", "is_a")])


@given(st.integers(0, 10_000))
def test_labels_get_every_ancestor(seed):
    text, graph = random_obo(seed, 25)
    ontology = parse_obo(Source(text.encode(), name="random.obo"))
    above = expected_closure(graph, ("is_a", "part_of"), True)
    rng = np.random.default_rng(seed)
    columns = rng.permutation(ontology.terms)[: rng.integers(1, 12)]
    y = (rng.random((8, len(columns))) < 0.2).astype(int)
    y[0, 0] = 1
    closed = ontology.propagate(Labels(y, columns))
    wanted = set(columns.tolist())
    for row in range(8):
        has = set(columns[y[row] == 1].tolist())
        terms = has.union(*(nx.descendants(above, term) for term in has))
        wanted |= terms
        assert set(closed.classes[closed.toarray()[row] == 1].tolist()) == terms
    assert sorted(closed.classes.tolist()) == sorted(wanted)
    assert (closed.class_sizes[~np.isin(closed.classes, columns)] > 0).all()


def test_the_order_of_new_columns():
    assert CHAIN.propagate(as_labels([{"b"}, {"c"}])).classes.tolist() == ["a", "b", "c"]
    unsorted = Labels(np.eye(2, dtype=int), np.array(["c", "b"]))
    assert CHAIN.propagate(unsorted).classes.tolist() == ["c", "b", "a"]
    assert CHAIN.propagate(unsorted, columns="given").classes.tolist() == ["c", "b"]


def test_only_ancestors_of_what_some_row_has():
    labels = Labels(np.array([[1, 0]]), np.array(["a", "c"]))
    assert CHAIN.propagate(labels).classes.tolist() == ["a", "c"]


def test_an_array_keeps_its_columns_and_says_so():
    with pytest.warns(InputWarning, match=r"2 ancestors .* left out: a, b\. Give Labels"):
        matrix = CHAIN.propagate(np.array([[1]]), ["c"])
    assert matrix.toarray().tolist() == [[1]]
    assert CHAIN.propagate(np.array([[1]]), ["c"], columns="given").toarray().tolist() == [[1]]
    assert CHAIN.propagate([[0, 0, 1]], CHAIN.terms).toarray().tolist() == [[1, 1, 1]]


def test_the_same_as_reading_with_propagation(tmp_path):
    def line(who, term):
        cells = ["DB", who, "", "", term, "PMID:1", "IDA", "", "F", "", "", "protein"]
        return "\t".join([*cells, "taxon:9606", "20140101", "DB", "", ""]) + "\n"

    ontology = Ontology(
        ["X:1", "X:2", "X:3", "X:4"],
        [("X:2", "X:1", "is_a"), ("X:4", "X:2", "part_of"), ("X:3", "X:1", "is_a")],
    )
    path = tmp_path / "a.gaf"
    path.write_text("!gaf-version: 2.1\n" + line("P1", "X:4") + line("P2", "X:3"))
    read = read_annotations(path, ontology, propagate=True)
    later = ontology.propagate(read_annotations(path, ontology))
    assert later.classes.tolist() == read.classes.tolist() == ["X:1", "X:2", "X:3", "X:4"]
    assert later.toarray().tolist() == read.toarray().tolist()
