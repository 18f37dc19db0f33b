import copy
import itertools
import pickle

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.data.ontology.examples import ANCESTORS, SMALL_OBO, expected_closure, random_obo
from trueval import InputError, Labels, as_labels
from trueval.data import Ontology, read_ontology

CHAIN = Ontology(["a", "b", "c"], [("b", "a", "is_a"), ("c", "b", "part_of")])


@pytest.fixture(scope="module")
def small():
    return read_ontology(SMALL_OBO.encode())


def test_terms_names_and_namespaces(small):
    assert small.terms.tolist() == list(ANCESTORS)
    assert small.names[2] == "transport ! of things"
    assert small.namespaces.tolist() == ["function"] * 5 + ["component"] * 4 + ["function"] * 2
    assert small.relations == ("is_a", "part_of", "regulates")
    assert small.terms[small.obsolete].tolist() == ["F:9", "F:8"]
    assert dict(small.alternative) == {"F:20": "F:2", "F:21": "F:2"}
    assert dict(small.replaced_by) == {"F:9": ("F:4",)}
    assert dict(small.consider) == {"F:9": ("F:5",)}
    assert repr(small) == "Ontology(11 terms, 2 obsolete, 11 edges: is_a 7, part_of 3, regulates 1)"


@pytest.mark.parametrize("term", ANCESTORS)
def test_ancestors_and_descendants_by_hand(small, term):
    if term != "F:9":  # an obsolete term with one heir means the heir
        assert small.ancestors(term) == ANCESTORS[term]
        below = [other for other, above in ANCESTORS.items() if term in above]
        assert small.descendants(term) == below


def test_relations_by_choice_and_across_namespaces(small):
    assert small.ancestors("F:4", ["regulates"]) == ["F:2"]
    assert small.ancestors("C:4", "is_a") == ["C:1", "C:2"]
    assert small.ancestors("C:4", ["part_of"]) == ["C:1", "C:3"]
    assert small.ancestors("F:5", within_namespace=False) == ["F:1", "F:3", "C:1", "C:3"]
    assert small.ancestors("F:4", None) == ["F:1", "F:2", "F:3"]
    with pytest.raises(ValueError, match="'has_part'"):
        small.ancestors("F:4", ["has_part"])


def test_resolve(small):
    assert small.resolve("F:21") == "F:2"
    assert small.resolve("F:9") == "F:4"
    assert small.resolve("F:8") == "F:8"
    with pytest.raises(InputError, match="'F:99' is not a term"):
        small.resolve("F:99")


def test_replacements_that_go_round_end():
    ring = Ontology(["a", "b"], obsolete=["a", "b"], replaced_by={"a": ["b"], "b": ["a"]})
    assert ring.resolve("a") in ("a", "b")
    lost = Ontology(["a"], obsolete=["a"], replaced_by={"a": ["gone"]})
    assert lost.resolve("a") == "a"


def test_depth_by_hand(small):
    longest = {"F:1": 0, "F:2": 1, "F:3": 1, "F:4": 2, "F:5": 2, "C:1": 0, "C:4": 2, "F:8": -1}
    for term, depth in longest.items():
        assert small.depth(term) == depth
    assert small.depth(["C:4", "F:20"]).tolist() == [2, 1]
    detour = Ontology(list("abc"), [("b", "a", "is_a"), ("c", "b", "is_a"), ("c", "a", "part_of")])
    assert detour.depth("c") == 2
    assert detour.depth("c", kind="shortest") == 1
    assert detour.depth("c", relations=["part_of"]) == 1
    with pytest.raises(ValueError, match="'kind'"):
        small.depth(kind="mean")


def test_propagate_by_hand(small):
    terms = ["F:1", "F:4", "F:5", "C:1", "C:4", "F:20", "F:9"]
    y = np.zeros((4, 7), int)
    y[0, 1] = 1  # F:4: gives F:1, F:2 (column F:20) and F:9, which means F:4
    y[1, 2] = 1  # F:5: gives F:1, not C:1 (another namespace)
    y[2, 4] = 1  # C:4: gives C:1 though C:2 and C:3 have no column
    expected = [
        [1, 1, 0, 0, 0, 1, 1],
        [1, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 1, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
    ]
    assert small.propagate(sp.csr_array(y), terms, columns="given").toarray().tolist() == expected
    across = small.propagate(y, terms, within_namespace=False, columns="given").toarray()
    assert across[1].tolist() == [1, 0, 1, 1, 0, 0, 0]
    only_part_of = small.propagate(y, terms, relations=["part_of"], columns="given").toarray()
    assert only_part_of[2].tolist() == [0, 0, 0, 1, 1, 0, 0]
    assert only_part_of[0].tolist() == [0, 1, 0, 0, 0, 0, 1]


def test_propagate_keeps_the_form_given(small):
    labels = as_labels([{"F:4", "C:1"}, {"F:1"}])
    closed = small.propagate(labels, columns="given")
    assert isinstance(closed, Labels)
    assert closed.classes.tolist() == ["C:1", "F:1", "F:4"]
    assert closed.toarray().tolist() == [[1, 1, 1], [0, 1, 0]]
    sparse = small.propagate(labels.matrix, labels.classes, columns="given")
    assert isinstance(sparse, sp.csr_array)
    assert sparse.dtype == np.int32
    assert sparse.has_canonical_format
    assert (sparse.data == 1).all()


def test_more_than_255_paths_do_not_wrap_round():
    """Sums of int8 would come back to zero after 256 descendants."""
    leaves = [f"leaf{i}" for i in range(256)]
    wide = Ontology(["root", *leaves], [(leaf, "root", "is_a") for leaf in leaves])
    y = np.ones((1, 257), int)
    y[0, 0] = 0
    assert wide.propagate(y, wide.terms).toarray().sum() == 257
    assert wide.most_specific(np.ones((1, 257)), wide.terms).toarray()[0, 0] == 0


def test_most_specific_by_hand(small):
    terms = ["F:1", "F:2", "F:3", "F:4", "F:5", "C:1"]
    y = [[1, 1, 1, 1, 0, 1], [1, 0, 1, 0, 1, 0], [1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]
    expected = [[0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0], [0] * 6]
    assert small.most_specific(y, terms).toarray().tolist() == expected


def test_information_content_by_hand(small):
    terms = ["F:1", "F:2", "F:3", "C:1", "C:2"]
    y = [[0, 1, 0, 0, 0], [0, 1, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 1, 0]]
    # Function: 4 rows have any term; F:2 has 2 of 4, F:3 2 of 4. Component: 2 rows.
    content = small.information_content(y, terms)
    assert content.tolist() == [0.0, 1.0, 1.0, 0.0, np.inf]


@given(st.integers(0, 10_000), st.integers(1, 60), st.booleans())
def test_closure_against_networkx(seed, n, within):
    text, nxgraph = random_obo(seed, n)
    ontology = read_ontology(text.encode())
    for relations in (("is_a", "part_of"), ("is_a",), ("regulates", "is_a")):
        if not set(relations) <= set(ontology.relations) | {"is_a", "part_of"}:
            continue
        chosen = expected_closure(nxgraph, relations, within)
        closure = ontology.closure(relations, within_namespace=within).toarray()
        shortest = ontology.depth(relations=relations, within_namespace=within, kind="shortest")
        roots = [term for term in chosen if chosen.out_degree(term) == 0]
        distance = nx.multi_source_dijkstra_path_length(chosen.reverse(), roots)
        for i, term in enumerate(ontology.terms.tolist()):
            above = nx.descendants(chosen, term) | {term}
            assert set(ontology.terms[closure[i]].tolist()) == above
            assert shortest[i] == distance[term]
        longest = ontology.depth(relations=relations, within_namespace=within)
        assert longest.max() == nx.dag_longest_path_length(chosen)


@given(st.integers(0, 10_000))
def test_propagate_and_back_against_sets(seed):
    text, nxgraph = random_obo(seed, 25)
    ontology = read_ontology(text.encode())
    chosen = expected_closure(nxgraph, ("is_a", "part_of"), True)
    rng = np.random.default_rng(seed)
    columns = rng.permutation(ontology.terms)[:18]
    y = rng.random((12, 18)) < 0.15
    y[0, 0] = True
    closed = ontology.propagate(y, columns, columns="given")
    back = ontology.most_specific(closed, columns)
    for row in range(12):
        has = set(columns[y[row]].tolist())
        all_of = has.union(*(nx.descendants(chosen, term) for term in has))
        assert set(columns[closed.toarray()[row] == 1].tolist()) == all_of & set(columns.tolist())
        implied = set().union(*(nx.descendants(chosen, term) for term in has))
        assert set(columns[back.toarray()[row] == 1].tolist()) == has - implied
    assert (ontology.propagate(closed, columns, columns="given") != closed).nnz == 0
    assert (ontology.propagate(back, columns, columns="given") != closed).nnz == 0


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14))
def test_cycles_against_networkx(pairs):
    terms = [f"t{i}" for i in range(8)]
    edges = [(terms[a], terms[b], "is_a") for a, b in pairs]
    ontology = Ontology(terms, edges)
    digraph = nx.DiGraph([(a, b) for a, b, _ in edges])
    found = ontology.cycles()
    for cycle in found:
        for child, parent in itertools.pairwise([*cycle, cycle[0]]):
            assert digraph.has_edge(child, parent)
        assert len(set(cycle)) == len(cycle)
    tangles = [
        c for c in nx.strongly_connected_components(digraph)
        if len(c) > 1 or digraph.has_edge(*(list(c) * 2))
    ]  # fmt: skip
    assert sorted(min(c) for c in found) == sorted(min(c) for c in tangles)
    if tangles:
        with pytest.raises(InputError, match="cycle: t"):
            ontology.closure()
    else:
        assert ontology.closure().diagonal().all()


def test_a_cycle_is_named():
    ring = Ontology(
        ["a", "b", "c", "d"],
        [("a", "b", "is_a"), ("b", "c", "part_of"), ("c", "a", "is_a"), ("d", "a", "is_a")],
    )
    assert ring.cycles() == [["a", "b", "c"]]
    assert ring.cycles(["is_a"]) == []
    for use in (ring.closure, ring.depth, lambda: ring.ancestors("d")):
        with pytest.raises(InputError, match="a → b → c → a"):
            use()
    assert ring.ancestors("d", ["is_a"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ontology(["a", "a"]), "'a' is given twice"),
        (lambda: Ontology(["a"], [("a", "z", "is_a")]), "'z' is not a term"),
        (lambda: Ontology(["a", ""]), "must be a string"),
        (lambda: Ontology(["a", 3]), "must be a string"),
        (lambda: Ontology(["a" * 1000]), "1 to 200 characters"),
        (lambda: Ontology(["a"], names=["x", "y"]), "1 terms but 2 names"),
        (lambda: Ontology(["a"], alternative={"b": "c"}), "'c', which is no term"),
        (lambda: Ontology(["a"], obsolete=["c"]), "'c' is not a term"),
        (lambda: CHAIN.propagate([[1, 0]], ["a", "z"]), r"1 of 2 columns.*'z' \(column 1\)"),
        (lambda: CHAIN.propagate([[1, 0]], ["a"]), "must name each of the 2 columns"),
        (lambda: CHAIN.propagate(np.array([[1, 0]])), "carry no names"),
        (lambda: CHAIN.propagate([[2, 0]], ["a", "b"]), "0 or 1"),
        (lambda: CHAIN.ancestors("z"), "'z' is not a term"),
    ],
)
def test_bad_use(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_absurd_closure_is_refused(monkeypatch):
    monkeypatch.setattr("trueval.data.ontology._graph.MAX_CLOSURE", 100)
    terms = [f"t{i}" for i in range(50)]
    deep = Ontology(terms, [(a, b, "is_a") for a, b in itertools.pairwise(terms)])
    with pytest.raises(InputError, match="more than 100 pairs"):
        deep.closure()


def test_an_ontology_can_go_to_other_processes(small):
    small.closure()
    for twin in (copy.deepcopy(small), pickle.loads(pickle.dumps(small))):
        assert twin.edges == small.edges
        assert twin.ancestors("F:4") == ["F:1", "F:2", "F:3"]
        assert twin.resolve("F:20") == "F:2"


def test_the_kept_closure_cannot_be_spoilt(small):
    with pytest.raises(ValueError, match="read-only"):
        small.closure().data[:] = False
    assert small.ancestors("F:2") == ["F:1"]
