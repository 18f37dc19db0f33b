"""GAF through the common door, with an ontology of two levels."""

import numpy as np
import pytest

from trueval import InputError
from trueval.data import read_labels, read_ontology

OBO = """format-version: 1.2

[Term]
id: A:1
name: root
namespace: n

[Term]
id: A:2
name: middle
namespace: n
is_a: A:1

[Term]
id: A:3
name: leaf
namespace: n
is_a: A:2
"""


def line(who, term, qualifier=""):
    cells = ["DB", who, "", qualifier, term, "PMID:1", "IDA", "", "F", "", "", "protein"]
    return "\t".join([*cells, "taxon:9606", "20140101", "DB", "", ""]) + "\n"


@pytest.fixture
def files(tmp_path):
    gaf, obo = tmp_path / "a.gaf", tmp_path / "o.obo"
    gaf.write_text("!gaf-version: 2.1\n" + line("P1", "A:3") + line("P2", "A:2"))
    obo.write_text(OBO)
    return gaf, obo


def test_gaf_alone_has_its_own_terms(files):
    labels = read_labels(files[0])
    assert labels.index.tolist() == ["P1", "P2"]
    assert labels.classes.tolist() == ["A:2", "A:3"]
    assert labels.toarray().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("as_path", [True, False])
def test_gaf_with_an_ontology_goes_up_the_true_path(files, as_path):
    gaf, obo = files
    labels = read_labels(gaf, ontology=obo if as_path else read_ontology(obo))
    order = np.argsort(labels.classes)
    assert labels.classes[order].tolist() == ["A:1", "A:2", "A:3"]
    assert labels.toarray()[:, order].tolist() == [[1, 1, 1], [1, 1, 0]]


def test_an_ontology_is_for_gaf_only(tmp_path, files):
    table = tmp_path / "y.csv"
    table.write_text("id,a\np,1\n")
    with pytest.raises(ValueError, match="left out but for GAF files"):
        read_labels(table, ontology=files[1])


def test_a_broken_line_is_named(tmp_path):
    path = tmp_path / "bad.gaf"
    path.write_text("!gaf-version: 2.1\nDB\tP1\n")
    with pytest.raises(InputError, match=r"bad\.gaf.*line 2"):
        read_labels(path)


def test_a_file_without_lines_is_refused(tmp_path):
    path = tmp_path / "y.txt"
    path.write_text("!gaf-version: 2.2\n")
    with pytest.raises(InputError, match="none of 0 lines gives a positive label"):
        read_labels(path)
