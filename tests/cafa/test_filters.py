"""Filters of terms, and of organisms."""

import numpy as np
import pytest

from tests.cafa.problems import SMALL
from trueval import as_labels
from trueval.cafa import filter_terms
from trueval.core.errors import InputError
from trueval.core.labels import Labels
from trueval.data import Ontology, read_annotations

GO = Ontology(
    ["F", "f", "g", "C"],
    [("f", "F", "is_a"), ("g", "f", "is_a")],
    namespaces=["molecular_function"] * 3 + ["cellular_component"],
)
LABELS = as_labels([{"F", "f", "g"}, {"F", "f"}, {"C"}])


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, ["C", "F", "f", "g"]),
        ({"aspect": "MF"}, ["F", "f", "g"]),
        ({"aspect": ["molecular_function", "cco"]}, ["C", "F", "f", "g"]),
        ({"drop_roots": True}, ["f", "g"]),
        ({"min_depth": 2}, ["g"]),
        ({"min_positives": 2}, ["F", "f"]),
        ({"min_positives": 2, "drop_roots": True}, ["f"]),
    ],
)
def test_terms_kept(options, left):
    kept = filter_terms(LABELS, GO, **options)
    assert kept.classes.tolist() == left
    assert kept.n_rows == 3


def test_rows_without_terms():
    kept = filter_terms(LABELS, GO, aspect="F", drop_rows=True)
    assert kept.n_rows == 2
    named = Labels(LABELS.matrix, LABELS.classes, np.array(["a", "b", "c"]))
    assert filter_terms(named, GO, aspect="C", drop_rows=True).index.tolist() == ["c"]


def test_what_cannot_be_filtered():
    with pytest.raises(InputError, match="none of 4 terms passes"):
        filter_terms(LABELS, GO, min_positives=10)
    with pytest.raises(
        InputError, match="4 of 4 classes are not terms in use of the ontology: C, F"
    ):
        filter_terms(LABELS, SMALL)
    with pytest.raises(InputError, match="no names"):
        filter_terms(as_labels([[1, 0], [0, 1]]), GO)
    with pytest.raises(ValueError, match="'aspect' parameter"):
        filter_terms(LABELS, GO, aspect="BP")


def gaf(who, taxon):
    cells = ["UniProtKB", who, "", "", "GO:0003677", "PMID:1", "IDA", "", "F", "", "", "protein"]
    return "\t".join([*cells, taxon, "20140101", "UniProt", "", ""]) + "\n"


def test_organisms(tmp_path):
    path = tmp_path / "a.gaf"
    lines = gaf("P1", "taxon:9606") + gaf("P2", "taxon:10090") + gaf("P3", "taxon:9606|taxon:1280")
    path.write_text("!gaf-version: 2.1\n" + lines)
    human = read_annotations(path, taxon=9606)
    assert human.index.tolist() == ["P1", "P3"]
    assert human.counts["taxon"] == 1
    assert read_annotations(path, taxon=["taxon:9606", "10090"]).n_rows == 3
    with pytest.raises(InputError, match="3 for their organism"):
        read_annotations(path, taxon="7227")
    with pytest.raises(ValueError, match="'taxon' parameter"):
        read_annotations(path, taxon="human")
