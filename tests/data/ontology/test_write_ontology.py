"""An ontology written as OBO is read back the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.ontology.examples import SMALL_OBO
from trueval.core.errors import InputError
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


@given(
    ids=st.lists(st.text(max_size=4), min_size=2, max_size=3, unique_by=lambda i: i.rstrip("\0")),
    relation=st.text(min_size=1, max_size=3),
    name=st.text(max_size=6),
    definition=st.text(max_size=6),
)
def test_text_of_any_characters_is_read_back_or_refused(
    tmp_path_factory, ids, relation, name, definition
):
    path = tmp_path_factory.mktemp("obo") / "any.obo"
    try:
        first = Ontology(
            ids,
            [(ids[1], ids[0], relation)],
            names=[name] * len(ids),
            namespaces=[name[::-1]] * len(ids),
            definitions=[definition] * len(ids),
        )
        write_ontology(path, first)
    except InputError:
        assert not path.exists()
    else:
        same(first, read_ontology(path))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"terms": ["X 1", "r"]}, "the id 'X 1' has a blank"),
        ({"terms": ["X\ud800", "r"]}, "the id .* has code points that are no characters"),
        ({"names": ["a\rb", "r"]}, "the name 'a.*b' has a line end"),
        ({"names": ["\u00a0a", "r"]}, "the name .* begins or ends with a blank"),
        ({"definitions": ["a\0b", "r"]}, "the definition .* has a NUL character"),
        ({"namespaces": ["\ud800", "r"]}, "the namespace .* no characters"),
    ],
)
def test_what_a_line_cannot_hold_is_refused(tmp_path, changed, words):
    terms = changed.pop("terms", ["X:1", "r"])
    ontology = Ontology(terms, [(terms[0], "r", "is_a")], **changed)
    with pytest.raises(InputError, match=f"{words}, which an OBO file cannot hold"):
        write_ontology(tmp_path / "o.obo", ontology)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", [0, 1])
def test_simulated_is_read_back(tmp_path, seed):
    first = simulate.random_ontology(80, 3, random_state=seed)
    write_ontology(tmp_path / "o.obo", first)
    same(first, read_ontology(tmp_path / "o.obo"))
