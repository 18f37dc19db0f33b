"""What is written is read back the same, or refused at writing with one clear error."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from trueval.cafa import (
    knowledge_split,
    read_accretion,
    read_predictions,
    read_truth,
    write_accretion,
    write_predictions,
    write_truth,
)
from trueval.core.errors import InputError
from trueval.core.labels import Labels
from trueval.data import Ontology

ODD = ["AUTHOR", "END", "Text", "protein", "term", "#P", "P 1", "\ufeffP", "P\r", "\ud800", ""]
NAME = st.one_of(
    st.sampled_from(ODD),
    st.text(max_size=4).map(lambda name: name.rstrip("\0")),  # numpy's texts do not keep these
    st.text("P12:#é\u00a0\ufeff", min_size=1, max_size=4),
)
NAMES = st.lists(NAME, min_size=1, max_size=4, unique=True)


def labels(pairs):
    """Labels of (target, term) pairs, targets in order of first appearance."""
    targets = list(dict.fromkeys(target for target, _ in pairs))
    terms = list(dict.fromkeys(term for _, term in pairs))
    matrix = np.zeros((len(targets), len(terms)), int)
    for target, term in pairs:
        matrix[targets.index(target), terms.index(term)] = 1
    return Labels(sp.csr_array(matrix), np.array(terms, dtype=str), np.array(targets, dtype=str))


def annotations(read):
    rows, columns = read.toarray().nonzero()
    return {
        (str(read.index[row]), str(read.classes[column]))
        for row, column in zip(rows, columns, strict=True)
    }


REFUSED = {
    "P 1": "has a blank or a line end",
    "P\t1": "has a blank or a line end",
    "P1\nP2": "has a blank or a line end",
    "P\r": "has a blank or a line end",
    "P\u00a01": "has a blank",  # programs in Python take it for one
    "": "is empty",
    "#P2": "begins with '#'",
    "\ufeffP1": "begins with a byte-order mark",
    "\ud800": "code points that are no characters",
    "P\0x": "a NUL character",
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("of", ["target", "term"])
def test_names_that_no_file_holds(tmp_path, name, of):
    target, term = (name, "X:1") if of == "target" else ("P1", name)
    path = tmp_path / "file.tsv"
    words = f"the {of} .* {REFUSED[name]}.*cannot hold. Rename it"
    with pytest.raises(InputError, match=words):
        write_truth(path, labels([(target, term)]))
    with pytest.raises(InputError, match=words):
        write_predictions(path, {target: {term: 0.5}})
    if of == "term":
        with pytest.raises(InputError, match=words):
            write_accretion(path, {term: 1.0})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["AUTHOR", "MODEL", "KEYWORDS", "ACCURACY", "END"])
def test_words_of_the_format_are_no_targets(tmp_path, name):
    with pytest.raises(InputError, match=f"the target '{name}' is a word of the format"):
        write_predictions(tmp_path / "p.tsv", {"P1": {"X:1": 0.5}, name: {"X:1": 0.5}})
    write_truth(tmp_path / "t.tsv", labels([("P1", "X:1"), (name, "X:1")]))
    assert annotations(read_truth(tmp_path / "t.tsv")) == {("P1", "X:1"), (name, "X:1")}


def test_free_text_is_no_term_of_a_score(tmp_path):
    with pytest.raises(InputError, match="the term 'Text' stands for predictions in free text"):
        write_predictions(tmp_path / "p.tsv", {"P1": {"Text": 0.5}})


def test_a_first_line_that_reads_as_a_header_is_refused(tmp_path):
    path = tmp_path / "t.tsv"
    with pytest.raises(InputError, match=r"first line, 'protein' and 'term', .* as a header"):
        write_truth(path, labels([("protein", "term"), ("P1", "X:1")]))
    assert not path.exists()
    # No header where the words come again, or later.
    for pairs in (
        [("protein", "term"), ("protein", "X:1")],
        [("protein", "term"), ("P1", "term")],
        [("P1", "X:1"), ("protein", "term")],
    ):
        write_truth(path, labels(pairs))
        assert annotations(read_truth(path)) == set(pairs)


def test_nothing_to_write_is_refused(tmp_path):
    path = tmp_path / "file.tsv"
    empty = Labels(sp.csr_array((1, 1), dtype=int), np.array(["X:1"]), np.array(["P1"]))
    with pytest.raises(InputError, match="no annotation to write"):
        write_truth(path, empty)
    for nothing in ({}, {"P1": {}}, {"P1": {"X:1": 0.0}}):
        with pytest.raises(InputError, match="no prediction to write"):
            write_predictions(path, nothing)
    with pytest.raises(InputError, match="no term to write"):
        write_accretion(path, {})
    with pytest.raises(InputError, match="the term 1 occurs twice"):
        write_accretion(path, {1: 0.5, "1": 0.5})
    assert not path.exists()


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\0b", "\ud800", " ", ""])
def test_a_header_is_one_line_of_text(tmp_path, text):
    with pytest.raises(ValueError, match="a mapping with one line of text for 'author'"):
        write_predictions(tmp_path / "p", {"P1": {"X:1": 0.5}}, header={"author": text})


def test_blanks_around_a_header_are_not_written(tmp_path):
    path = tmp_path / "p.tsv.gz"
    write_predictions(path, {"P1": {"X:1": 0.5}}, header={"author": "  a team "})
    assert gzip.decompress(path.read_bytes()) == b"AUTHOR\ta team\nP1\tX:1\t0.5\nEND\n"
    assert read_predictions(path).header == {"author": "a team"}


def test_benchmarks_are_all_written_or_none(tmp_path):
    ontology = Ontology(
        ["F", "f", "C", "c"],
        [("f", "F", "is_a"), ("c", "C", "is_a")],
        namespaces=["function", "function", "component", "component"],
    )
    split = knowledge_split({"P 2": ["c"]}, {"P1": ["f"], "P 2": ["c", "f"]}, ontology)
    with pytest.raises(InputError, match="the target 'P 2' has a blank"):
        split.write(tmp_path / "bench")
    assert not (tmp_path / "bench").exists()


@given(targets=NAMES, terms=NAMES, data=st.data())
def test_any_truth_is_read_back_or_refused(tmp_path_factory, targets, terms, data):
    pairs = data.draw(
        st.lists(st.sampled_from([(a, b) for a in targets for b in terms]), min_size=1, unique=True)
    )
    path = tmp_path_factory.mktemp("truth") / "t.tsv"
    try:
        write_truth(path, labels(pairs))
    except InputError:
        assert not path.exists()
    else:
        assert annotations(read_truth(path)) == set(pairs)


@given(
    scores=st.dictionaries(
        NAME,
        st.dictionaries(NAME, st.floats(1e-308, 1), max_size=3),
        max_size=3,
    )
)
def test_any_predictions_are_read_back_or_refused(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("predictions") / "p.tsv"
    try:
        write_predictions(path, scores, digits=None)
    except InputError:
        assert not path.exists()
        return
    read = read_predictions(path)
    assert {
        (str(read.targets[row]), str(read.terms[column])): score
        for row, column, score in zip(read.rows, read.columns, read.scores, strict=True)
    } == {(target, term): score for target, own in scores.items() for term, score in own.items()}


@given(ia=st.dictionaries(NAME, st.floats(0), max_size=4))
def test_any_accretion_is_read_back_or_refused(tmp_path_factory, ia):
    path = tmp_path_factory.mktemp("accretion") / "IA.tsv"
    try:
        write_accretion(path, ia)
    except InputError:
        assert not path.exists()
    else:
        read = read_accretion(path)
        assert dict(zip(read["term"].tolist(), read["ia"].tolist(), strict=True)) == ia
