"""Scores carried up: the kernel against the definition."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.cafa import naive
from trueval.cafa._index import TermIndex
from trueval.data import Ontology, simulate


@given(seed=st.integers(0, 2**32 - 1), fill=st.booleans())
def test_equals_the_definition(seed, fill):
    rng = np.random.default_rng(seed)
    ontology = simulate.random_ontology(int(rng.integers(3, 40)), 2, random_state=seed)
    index = TermIndex.of(ontology)
    n_rows = int(rng.integers(1, 6))
    dense = rng.random((n_rows, len(index))).round(2)
    dense[rng.random(dense.shape) < 0.8] = 0
    carried = index.carry_up(sp.csr_array(dense), fill=fill)
    assert carried.has_sorted_indices
    parents, _ = naive.parents_of(ontology)
    carry = naive.carry_fill if fill else naive.carry_max
    for row in range(n_rows):
        own = {index.terms[j]: dense[row, j] for j in np.flatnonzero(dense[row])}
        expected = carry(own, parents)
        got = carried[[row]].tocoo()
        found = dict(zip(index.terms[got.col].tolist(), got.data.tolist(), strict=True))
        assert found == expected


def test_children_come_before_parents():
    ontology = simulate.random_ontology(200, 3, random_state=1)
    index = TermIndex.of(ontology)
    child = np.repeat(np.arange(len(index)), index.n_parents)
    assert (child < index.parents).all()
    expected = ontology.depth(index.terms)
    np.testing.assert_array_equal(index.depth, expected)


def test_obsolete_and_external_terms_are_left_out():
    ontology = Ontology(
        ["a", "b", "c", "d"],
        [("b", "a", "is_a"), ("c", "b", "is_a"), ("d", "a", "is_a")],
        namespaces=["f", "f", "f", "external"],
        obsolete=["b"],
    )
    index = TermIndex.of(ontology)
    assert sorted(index.terms.tolist()) == ["a", "c"]
    assert len(index.parents) == 0
