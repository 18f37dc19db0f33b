"""An ontology written as OBO is read back the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.ontology.examples import SMALL_OBO
from trueval.data import Ontology, read_ontology, simulate, write_ontology
from trueval.data._source import Source
from trueval.data.ontology._obo import parse_obo

text = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12)
words = st.lists(text, min_size=1, max_size=3).map(" ".join)


def same(first, second):
    assert first.terms.tolist() == second.terms.tolist()
    for name in ("names", "namespaces", "definitions", "obsolete"):
        assert getattr(first, name).tolist() == getattr(second, name).tolist(), name
    assert sorted(first.edges) == sorted(second.edges)
    for name in ("alternative", "replaced_by", "consider"):
        assert getattr(first, name) == getattr(second, name), name


def test_example_is_read_back(tmp_path):
    first = parse_obo(Source(SMALL_OBO.encode(), name="small.obo"))
    assert first.definitions[0] == 'What a thing does, with "quotes": and colons.'
    write_ontology(tmp_path / "again.obo.gz", first)
    same(first, read_ontology(tmp_path / "again.obo.gz"))


@given(names=st.lists(words, min_size=2, max_size=4), definition=words, space=text)
def test_any_text_is_read_back(tmp_path_factory, names, definition, space):
    terms = [f"X:{i}" for i in range(len(names))]
    first = Ontology(
        terms,
        [(terms[1], terms[0], "is_a"), (terms[1], terms[0], "part_of")],
        names=names,
        namespaces=[space] * len(terms),
        definitions=[definition, 'with "quotes" and \\'] + [""] * (len(terms) - 2),
        alternative={"X:99": "X:0"},
        obsolete=[terms[-1]],
        replaced_by={terms[-1]: [terms[0]]},
        consider={terms[-1]: [terms[1]]},
    )
    path = tmp_path_factory.mktemp("obo") / "any.obo"
    write_ontology(path, first)
    same(first, read_ontology(path))


@pytest.mark.parametrize("seed", [0, 1])
def test_simulated_is_read_back(tmp_path, seed):
    first = simulate.random_ontology(80, 3, random_state=seed)
    write_ontology(tmp_path / "o.obo", first)
    same(first, read_ontology(tmp_path / "o.obo"))
