"""Information accretion: by hand, and by definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cafa import naive
from tests.cafa.problems import SMALL
from trueval.cafa import information_accretion, write_accretion
from trueval.core.errors import InputError
from trueval.data import Ontology, simulate


def values(table):
    return dict(zip(table["term"].tolist(), table["ia"].tolist(), strict=True))


def test_by_hand():
    """Diamond: d below b and c. Of four proteins two have b, two c, one both; one has d.

    One protein with every term is added, so d: 2 of 2 with both parents; b: 3 of 5.
    """
    ontology = Ontology(
        ["a", "b", "c", "d", "e"],
        [("b", "a", "is_a"), ("c", "a", "is_a"), ("d", "b", "is_a"), ("d", "c", "part_of"),
         ("e", "d", "is_a")],
    )  # fmt: skip
    proteins = {"P1": ["a"], "P2": ["b"], "P3": ["c"], "P4": ["d"]}
    table = information_accretion(proteins, ontology)
    found = values(table)
    assert found["a"] == 0
    assert found["b"] == found["c"] == pytest.approx(-math.log2(3 / 5))
    assert found["d"] == 0
    assert found["e"] == pytest.approx(1.0)  # 1 of 2
    assert table["proteins"].tolist() == [4, 2, 2, 1, 0]
    assert table["with_parents"].tolist() == [4, 4, 4, 1, 1]
    plain = values(information_accretion(proteins, ontology, pseudocount=0))
    assert plain["b"] == pytest.approx(1.0)
    assert plain["e"] == math.inf


@given(seed=st.integers(0, 2**32 - 1), pseudocount=st.sampled_from([1, 0, 0.5]))
def test_equals_the_definition(seed, pseudocount):
    rng = np.random.default_rng(seed)
    ontology = simulate.random_ontology(
        int(rng.integers(3, 30)), 2, second_parent=0.6, random_state=seed
    )
    terms = ontology.terms.tolist()
    proteins = {
        f"P{i}": sorted(set(rng.choice(terms, rng.integers(1, 5)).tolist()))
        for i in range(rng.integers(1, 15))
    }
    table = information_accretion(proteins, ontology, pseudocount=pseudocount)
    expected = naive.accretion(proteins, ontology, pseudocount)
    found = values(table)
    assert found.keys() == expected.keys()
    for term, value in expected.items():
        assert found[term] == pytest.approx(value, abs=1e-12)
    if pseudocount == 1:
        assert (table["ia"] >= 0).all()


def test_table_names_its_terms():
    table = information_accretion({"P1": ["X:C"]}, SMALL)
    assert table["term"].tolist() == ["X:R", "X:A", "X:B", "X:C"]
    assert table["name"].tolist() == ["root", "first", "second", "third"]
    assert table["definition"][3] == "A part of the first."
    assert table["aspect"].tolist() == ["f"] * 4


def test_from_files(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_text("P1\tX:A\nP2\tX:C\nP3\tX:R\n")
    table = information_accretion(path, SMALL)
    assert values(table)["X:A"] == pytest.approx(-math.log2(3 / 4))
    write_accretion(tmp_path / "IA.txt", table)
    assert len((tmp_path / "IA.txt").read_text().splitlines()) == 4


def test_wrong_input():
    with pytest.raises(InputError, match=r"one string\. Give a list"):
        information_accretion({"P1": "X:A"}, SMALL)
    with pytest.raises(ValueError, match="'pseudocount'"):
        information_accretion({"P1": ["X:A"]}, SMALL, pseudocount=-1)
    with pytest.raises(InputError, match="have no annotation"):
        information_accretion({"P1": []}, SMALL)
