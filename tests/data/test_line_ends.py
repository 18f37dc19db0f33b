"""Line ends of every reader of text: LF and CRLF are read alike, a lone CR is refused."""

import pytest

from trueval.cafa import Benchmark, read_accretion, read_hits, read_predictions, read_truth
from trueval.core.errors import InputError
from trueval.data import (
    Ontology,
    read_annotations,
    read_fasta,
    read_folds,
    read_labels,
    read_ontology,
    read_pairs,
    read_scores,
    read_similarity,
    read_uniprot,
)

GAF_LINE = "UniProtKB\tP{0}\tG\t\tGO:000000{0}\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:1\t20200101\tU"
ENTRY = "ID   A{0}_HUMAN  Reviewed;  3 AA.\nAC   P{0};\n"
ENTRY += "DR   GO; GO:0005524; F:x; IDA:x.\nSQ   SEQUENCE   3 AA;\n     MKV\n//\n"


def terms_of_interest(path):
    ontology = Ontology(["r", "a", "b"], [("a", "r", "is_a"), ("b", "r", "is_a")])
    benchmark = Benchmark({"P1": ["a", "b"]}, ontology, terms=path)
    return benchmark._wanted(str(path)).nonzero()[0]


#: Reader, text, and how many records it has.
READERS = {
    "predictions": (
        lambda path: read_predictions(path).scores,
        "P1\tGO:1\t0.5\nP2\tGO:2\t0.25\nP3\tGO:3\t1\n",
        3,
    ),
    "truth": (lambda path: read_truth(path).index, "P1\tGO:1\nP2\tGO:2\nP3\tGO:3\n", 3),
    "accretion": (read_accretion, "GO:1\t0.5\nGO:2\t0.25\n", 2),
    "hits": (lambda path: read_hits(path).identity, "A\tP1\t90\nB\tP2\t80\n", 2),
    "terms": (terms_of_interest, "a\nb\n", 2),
    "csv": (lambda path: read_labels(path).classes, "id,a,b\nx,0,1\ny,1,0\n", 2),
    "scores": (lambda path: read_scores(path).index, "id,a,b\nx,0.5,1\ny,1,0\n", 2),
    "folds": (lambda path: read_folds(path).folds, "row,fold\n0,0\n1,1\n", 2),
    "pairs": (lambda path: read_pairs(path).pairs, "a,b,label\nx,y,1\nx,z,0\n", 2),
    "similarity": (
        lambda path: read_similarity(path, ["x", "y", "z"]).matrix.data,
        "a\tb\tsimilarity\nx\ty\t0.5\ny\tz\t0.25\n",
        4,  # both ways
    ),
    "svmlight": (
        lambda path: read_labels(path, format="svmlight").matrix.indptr[1:],
        "1 1:1\n2 1:1\n",
        2,
    ),
    "svmlight with a comment": (
        lambda path: read_labels(path, format="svmlight").matrix.indptr[1:],
        "# made by hand\n1 1:1\n2 1:1\n",
        2,
    ),
    "xmc": (
        lambda path: read_labels(path, format="xmc").matrix.indptr[1:],
        "2 2 2\n0 1:1\n1 1:1\n",
        2,
    ),
    "fasta": (lambda path: read_fasta(path).index, ">x\nMKV\n>y\nMAA\n", 2),
    "uniprot": (
        lambda path: read_uniprot(path).index,
        ENTRY.format(1) + ENTRY.format(2),
        2,
    ),
    "gaf": (
        lambda path: read_annotations(path).index,
        f"!gaf-version: 2.2\n{GAF_LINE.format(1)}\t\t\n{GAF_LINE.format(2)}\t\t\n",
        2,
    ),
    "obo": (
        lambda path: read_ontology(path).terms,
        "format-version: 1.2\n\n[Term]\nid: X:1\nname: r\n\n[Term]\nid: X:2\nis_a: X:1\n",
        2,
    ),
    "edges": (lambda path: read_ontology(path).terms, "child\tparent\na\tr\nb\tr\n", 3),
}


def write(folder, text):
    path = folder / "input.txt"
    path.write_bytes(text.encode())
    return path


@pytest.mark.filterwarnings("ignore::trueval.InputWarning")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "ends",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r\n")[:-1],
    ],
    ids=["LF", "CRLF", "CR at the end of the file"],
)
def test_line_ends_that_are_read(tmp_path, reader, ends):
    read, text, n_records = READERS[reader]
    assert len(read(write(tmp_path, ends(text)))) == n_records


@pytest.mark.parametrize("reader", READERS)
def test_files_with_line_ends_of_cr_only_are_refused(tmp_path, reader):
    read, text, _ = READERS[reader]
    path = write(tmp_path, text.replace("\n", "\r"))
    with pytest.raises(InputError, match="carriage return inside the line") as caught:
        read(path)
    assert caught.value.place.line == 1
    assert str(caught.value).startswith(f"{path}, line 1: ")


@pytest.mark.parametrize("reader", READERS)
def test_a_single_cr_is_refused_on_its_line(tmp_path, reader):
    read, text, _ = READERS[reader]
    head, last = text[:-1].rsplit("\n", 1)
    path = write(tmp_path, f"{head}\n{last}\r{last}\n")
    with pytest.raises(InputError, match="carriage return inside the line") as caught:
        read(path)
    assert caught.value.place.line == text.count("\n")
    assert f"at {len(last) + 1}." in str(caught.value)
