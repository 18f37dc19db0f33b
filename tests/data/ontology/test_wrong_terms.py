"""Terms, edges and lists that an ontology cannot be made of, or asked for."""

import pytest

from trueval import InputError, ParameterError
from trueval.data import Ontology

CHAIN = Ontology(["a", "b", "c"], [("b", "a", "is_a"), ["c", "b", "is_a"]])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a", "a\0"],), {}, r"'a\\x00' ends in a NUL character"),
        (("abc",), {}, "the terms are 'abc', one string"),
        ((5,), {}, "the terms must be a list. Got 5"),
        ((["a", "b"], [("b", "a")]), {}, r"edge 0 is \('b', 'a'\); an edge has a child"),
        ((["a", "b"], [("b", "a", "is_a", "x")]), {}, "edge 0 is"),
        ((["a", "b"], [("b", "a", "is_a"), "bar"]), {}, "edge 1 is 'bar'"),
        ((["a", "b"], [3]), {}, "edge 0 is 3"),
        ((["a", "b"], "ba"), {}, "the edges are 'ba', one string"),
        ((["a", "b"],), {"names": "xy"}, "the names are 'xy', one string"),
        ((["a", "b"],), {"obsolete": "a"}, "the obsolete terms are 'a', one string"),
        ((["a", "b"],), {"replaced_by": {"a": "b"}}, "replaced_by of 'a' are 'b', one string"),
        ((["a", "b"],), {"consider": {"a": "b"}}, "consider of 'a' are 'b', one string"),
    ],
)
def test_what_no_ontology_is_made_of(arguments, options, message):
    with pytest.raises(InputError, match=message):
        Ontology(*arguments, **options)


@pytest.mark.parametrize("terms", ["ac", b"ac", 0, None])
def test_parent_edges_are_of_a_list(terms):
    with pytest.raises(ParameterError, match="'terms' parameter of parent_edges must be a list"):
        CHAIN.parent_edges(terms)


@pytest.mark.parametrize("terms", [0, b"a", 1.5])
def test_depth_is_of_terms(terms):
    with pytest.raises(ParameterError, match="'terms' parameter of depth must be a term"):
        CHAIN.depth(terms)


def test_depth_of_no_term_and_of_some():
    assert CHAIN.depth([]).tolist() == []
    assert CHAIN.depth(("c", "a")).tolist() == [2, 0]


def test_relations_that_can_be_read_once_only_are_refused():
    with pytest.raises(ParameterError, match="'relations' parameter of closure"):
        CHAIN.closure(name for name in ["is_a"])
