"""No, limited and partial knowledge: by hand, and by the words of CAFA."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cafa import naive
from tests.cafa.test_read import gaf_line
from trueval.cafa import evaluate, knowledge_split, read_truth
from trueval.core.errors import InputError
from trueval.data import Ontology, simulate

#  F ─ f ─ g        C ─ c
#    ╰ h
GO = Ontology(
    ["F:0", "F:f", "F:g", "F:h", "C:0", "C:c"],
    [
        ("F:f", "F:0", "is_a"),
        ("F:g", "F:f", "is_a"),
        ("F:h", "F:0", "is_a"),
        ("C:c", "C:0", "is_a"),
    ],
    namespaces=["function"] * 4 + ["component"] * 2,
)


def as_sets(labels):
    if labels is None:
        return {}
    return {
        str(name): set(labels.classes[labels.matrix[[i]].indices].tolist())
        for i, name in enumerate(labels.index)
    }


def test_by_hand():
    before = {"P2": ["C:c"], "P3": ["F:f"], "P4": ["F:f"], "P5": ["F:0"], "P6": ["F:g"]}
    after = {
        "P1": ["F:g", "C:c"],  # nothing known before: no knowledge in both aspects
        "P2": ["C:c", "F:h"],  # known in the other aspect: limited in function
        "P3": ["F:g"],  # more specific: partial in function
        "P4": ["F:f", "C:c"],  # nothing new in function, limited in component
        "P5": ["F:h"],  # the root is no knowledge
        "P6": ["F:f"],  # less specific than before: nothing new
    }
    split = knowledge_split(before, after, GO)
    assert split["no"].counts == {"component": 1, "function": 2}
    assert as_sets(split["no"].truth) == {"P1": {"F:g", "C:c"}, "P5": {"F:h"}}
    assert split["no"].known is None
    assert as_sets(split["limited"].truth) == {"P2": {"F:h"}, "P4": {"C:c"}}
    assert as_sets(split["limited"].known) == {"P2": {"C:c"}, "P4": {"F:f"}}
    assert as_sets(split["partial"].truth) == {"P3": {"F:g"}}
    assert as_sets(split["partial"].known) == {"P3": {"F:f"}}
    assert (
        repr(split["partial"]) == "KnowledgeBenchmark(partial knowledge: component 0, function 1)"
    )


def test_terms_to_ignore():
    """A protein known by F:h alone had no knowledge, if F:h is none."""
    before, after = {"P1": ["F:h"]}, {"P1": ["F:h", "F:g"]}
    assert knowledge_split(before, after, GO)["partial"].counts["function"] == 1
    split = knowledge_split(before, after, GO, ignore="F:h")
    assert split["no"].counts["function"] == 1
    assert as_sets(split["no"].truth) == {"P1": {"F:g"}}
    with pytest.raises(InputError, match="F:x is not a term"):
        knowledge_split(before, after, GO, ignore=["F:x"])


@given(seed=st.integers(0, 2**32 - 1))
def test_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    ontology = simulate.random_ontology(int(rng.integers(4, 25)), 3, random_state=seed)
    terms = ontology.terms.tolist()

    def annotations(n):
        return {f"P{i}": rng.choice(terms, rng.integers(1, 4)).tolist() for i in range(8)[:n]}

    before = {p: own for p, own in annotations(8).items() if rng.random() < 0.6}
    before = before or {"P9": [terms[0]]}
    after = {
        p: own + (before.get(p, []) if rng.random() < 0.7 else [])
        for p, own in annotations(8).items()
    }
    split = knowledge_split(before, after, ontology)
    expected = naive.knowledge(before, after, ontology)
    parents, space = naive.parents_of(ontology)
    for kind, by_aspect in expected.items():
        assert split[kind].counts == {a: len(own) for a, own in by_aspect.items()}
        wanted = {}
        for own in by_aspect.values():
            for protein, new in own.items():
                wanted.setdefault(protein, set()).update(new)
        truth = as_sets(split[kind].truth)
        assert truth.keys() == wanted.keys()
        known = as_sets(split[kind].known)
        for protein, new in wanted.items():
            closed = {t for t in naive.close(truth[protein], parents) if parents[t]}
            old = {t for t in naive.close(before.get(protein, ()), parents) if parents[t]}
            aspects = {space[t] for t in new}
            assert closed - {t for t in old if space[t] in aspects} == new
            # The most specific terms only: none implies another.
            assert not any(
                a != b and b in naive.ancestors(a, parents)
                for a in truth[protein]
                for b in truth[protein]
            )
            in_known = {t for t in naive.close(known.get(protein, ()), parents) if parents[t]}
            assert in_known == old


def test_files(tmp_path):
    split = knowledge_split({"P1": ["F:f"]}, {"P1": ["F:g"], "P2": ["C:c"]}, GO)
    written = split.write(tmp_path / "benchmarks")
    assert [path.name for path in written] == [
        "truth_no.tsv", "truth_partial.tsv", "known_partial.tsv",
    ]  # fmt: skip
    assert read_truth(written[1]).index.tolist() == ["P1"]
    own = evaluate({"P1": {"F:g": 0.5}}, written[1], GO, known=written[2])["function"]
    # Only g is new for P1, and only g is predicted beyond what is known.
    assert (own.n_proteins, own.fmax) == (1, 1.0)


def test_releases_as_gaf(tmp_path):
    first, second = tmp_path / "t0.gaf", tmp_path / "t1.gaf"
    head = "!gaf-version: 2.2\n"
    first.write_text(head + gaf_line("P1", "F:f") + gaf_line("P2", "F:g", "IEA"))
    second.write_text(first.read_text() + gaf_line("P1", "F:g") + gaf_line("P2", "F:g", "IMP"))
    split = knowledge_split(first, second, GO)
    assert split["partial"].counts["function"] == 1
    assert split["no"].counts["function"] == 1  # what was electronic is no knowledge
    assert "knowledge" in repr(split)
    assert len(split) == 3
