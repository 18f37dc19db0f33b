"""Files of predictions, truth, accretion and hits: what they may look like, and what not."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cafa.problems import SMALL, SMALL_PREDICTIONS, SMALL_TRUTH
from trueval.cafa import _lines as lines
from trueval.cafa import (
    evaluate,
    read_accretion,
    read_hits,
    read_predictions,
    read_truth,
    write_accretion,
    write_predictions,
    write_truth,
)
from trueval.cafa._lines import read_records
from trueval.core.errors import InputError, InputWarning
from trueval.data import Scores
from trueval.data._source import Source

HEAD = "AUTHOR\tthe team 7\nMODEL 1\nKEYWORDS homolog, 0.5 and more.\nACCURACY 1 PR=0.8; RC=0.5\n"
BODY = "P1\tX:A\t0.5\nP1 X:B   1.0\nP2\tX:A\t1e-3\textra\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="team.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def table(found):
    rows = zip(found.targets[found.rows], found.terms[found.columns], found.scores, strict=True)
    return [(str(a), str(b), float(c)) for a, b, c in rows]


EXPECTED = [("P1", "X:A", 0.5), ("P1", "X:B", 1.0), ("P2", "X:A", 0.001)]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + BODY + "END\n",
        BODY,
        BODY.rstrip("\n"),
        "target\tterm\tscore\n" + BODY,
        "Protein GO_term confidence\n" + BODY,
        "\ufeff" + HEAD + BODY,
        BODY.replace("\n", "\r\n"),
        "\n\n# a comment\n" + BODY + "\n",
    ],
)
def test_forms_of_predictions(file, text):
    found = read_predictions(file(text))
    assert table(found) == EXPECTED
    assert found.counts["lines"] == 3
    assert found.name == "team.txt"
    if "AUTHOR" in text:
        assert found.header == {
            "author": "the team 7",
            "model": "1",
            "keywords": "homolog, 0.5 and more.",
            "accuracy": "1 PR=0.8; RC=0.5",
        }


def test_packed_predictions(tmp_path):
    path = tmp_path / "team.txt.gz"
    path.write_bytes(gzip.compress((HEAD + BODY).encode()))
    assert table(read_predictions(path)) == EXPECTED


def test_words_of_the_format_are_never_predictions(file):
    """AUTHOR with a number in third place would be a prediction by its shape."""
    found = read_predictions(file("AUTHOR team 7\nKEYWORDS a 0.5\n" + BODY))
    assert table(found) == EXPECTED
    assert found.header["author"] == "team 7"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("P1\tX:A\t1.5\n", "line 1: the score is 1.5. A score is above 0 and at most 1. Divide"),
        (BODY + "P1\tX:A\t-0.1\n", "line 4: the score is -0.1"),
        (HEAD + "\n" + BODY + "P1\tX:A\tnan\n", "line 9: the score is nan"),
        ("P1\tX:A\t50\n", "line 1: the score is 50. .* Divide percentages by 100"),
        ("P1\tX:A\thigh\n", "line 1: the score is 'high', not a number"),
        (BODY + "P1\tX:A\n", "line 4: 2 fields, .* has a target, a term and a score"),
        ("P1,X:A,0.5\n", "line 1: 'P1,X:A,0.5' is not separated by tabs"),
        (BODY + "a b c\n", "line 4: the score is 'c'"),
        ("MODEL 1\n" + BODY + "END\nMODEL 2\n", "line 6: the model is '2' here and '1' on line 1"),
        (HEAD + "END\n", "the file has no prediction"),
        (b"P1\tX:A\t0.5\nP\xff\tX:A\t0.5\n", "line 2: .* is not UTF-8"),
        (b"P1\tX:A\t0.5\nP2\0\tX:A\t0.5\n", "line 2: a NUL byte"),
        (b"\xff\xfeP\x001\x00", "UTF-16"),
    ],
)
def test_bad_predictions_are_refused_with_place_and_fix(file, text, words):
    with pytest.raises(InputError, match=words):
        read_predictions(file(text))


def test_zero_scores_and_free_text_are_left_out_and_said(file):
    text = BODY + "P2\tX:B\t0.00\nP2\tText\t0.9\tbinds something\n"
    with pytest.warns(InputWarning, match="1 with a score of 0, .* and 1 in free text") as said:
        found = read_predictions(file(text))
    assert len(said) == 1
    assert table(found) == EXPECTED
    assert found.counts["lines"] == 5


@pytest.mark.parametrize(("how", "score"), [("max", 0.5), ("mean", 0.3)])
def test_duplicates(file, how, score):
    found = read_predictions(file("P1 X:A 0.1\nP1 X:B 0.2\nP1 X:A 0.5\n"), duplicates=how)
    assert found.matrix.toarray().tolist() == [[pytest.approx(score), 0.2]]
    with pytest.raises(InputError, match=r"1 predictions repeat .* P1 with X:A"):
        read_predictions(file("P1 X:A 0.1\nP1 X:B 0.2\nP1 X:A 0.5\n"), duplicates="error")
    with pytest.raises(ValueError, match="'duplicates' parameter"):
        read_predictions(file(BODY), duplicates="sum")


def test_an_ontology_resolves_terms_while_reading(file):
    with pytest.warns(InputWarning, match="1 with terms that the ontology lacks .X:9"):
        found = read_predictions(file(BODY + "P1 X:9 0.4\n"), SMALL)
    assert table(found) == EXPECTED
    assert found.counts["unknown"] == 1
    with pytest.warns(InputWarning), pytest.raises(InputError, match="none of the terms"):
        read_predictions(file("P1 Y:1 0.5\n"), SMALL)


def test_chunks_do_not_matter(file, monkeypatch):
    text = HEAD + "".join(f"P{i % 7}\tX:{i % 11}\t{(i + 1) / 1000!r}\n" for i in range(500))
    whole = table(read_predictions(file(text)))
    for size in (100, 137, 1000):
        monkeypatch.setattr(lines, "_CHUNK", size)
        assert table(read_predictions(file(text))) == whole
        with pytest.raises(InputError, match="line 505: the score is 7"):
            read_predictions(file(text + "P1\tX:1\t7\n"))


word = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=5)
blank = st.sampled_from([" ", "\t", "  ", " \t "])


@given(
    rows=st.lists(
        st.tuples(word, blank, word, blank, st.floats(0, 1)).filter(
            lambda r: not r[0].startswith(("#", "\ufeff"))
        ),
        max_size=30,
    ),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
)
def test_lines_are_split_as_python_splits_them(rows, end, last):
    text = end.join(f"{a}{s}{b}{t}{x!r}" for a, s, b, t, x in rows) + end * last
    if not text:
        return
    other = []
    found = read_records(Source(text.encode(), name="x"), 2, (2,), other.append)
    expected = [line.split()[:3] for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    names = [n[c] for n, c in zip(found.names, found.codes, strict=True)]
    got = [[a, b, x] for a, b, x in zip(*names, found.numbers[:, 0], strict=True)]
    assert not other
    assert got == [[a, b, float(x)] for a, b, x in expected]


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_to_the_last_bit(number):
    source = Source(f"a {number!r}\na +{abs(number)!r}".encode(), name="x")
    found = read_records(source, 1, (1,), lambda line: pytest.fail(line.text))
    assert found.numbers[:, 0].tolist() == [number, abs(number)]


# --- other forms of predictions ---------------------------------------------------------


def test_predictions_in_memory():
    expected = evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, n_resamples=0).to_dict()
    triples = [(p, t, s) for p, own in SMALL_PREDICTIONS.items() for t, s in own.items()]
    columns = {"protein": [r[0] for r in triples], "go": [r[1] for r in triples]}
    columns["score"] = [r[2] for r in triples]
    dense = np.array([[0.9, 0.5, 0], [0, 0, 0.6]])
    named = Scores(dense, np.array(["X:C", "X:B", "X:A"]), np.array(["P1", "P2"]))
    unnamed = pd.DataFrame(columns)
    unnamed.columns = range(3)
    for form in (pd.DataFrame(columns), pl.DataFrame(columns), unnamed, named):
        assert evaluate(form, SMALL_TRUTH, SMALL, n_resamples=0).to_dict() == expected
    with pytest.raises(InputError, match="no names"):
        evaluate(Scores(dense, np.arange(3)), SMALL_TRUTH, SMALL)
    with pytest.raises(InputError, match="in this order"):
        evaluate(pd.DataFrame({"a": ["P1"], "b": ["X:A"]}), SMALL_TRUTH, SMALL)
    with pytest.raises(InputError, match="must be real numbers: 'x' is text"):
        evaluate(pd.DataFrame({"a": ["P1"], "b": ["X:A"], "c": ["x"]}), SMALL_TRUTH, SMALL)


def test_predictions_as_scores(file):
    scores = read_predictions(file(BODY)).to_scores()
    assert scores.index.tolist() == ["P1", "P2"]
    assert scores.matrix.toarray().tolist() == [[0.5, 1.0], [0.001, 0]]


# --- writing ---------------------------------------------------------------------------


def test_predictions_are_written_and_read_back(tmp_path):
    path = tmp_path / "team.txt.gz"
    header = {"author": "team", "model": 2, "keywords": ["a", "b"]}
    write_predictions(path, SMALL_PREDICTIONS, header=header)
    text = gzip.decompress(path.read_bytes()).decode()
    assert text == (
        "AUTHOR\tteam\nMODEL\t2\nKEYWORDS\ta, b.\nP1\tX:C\t0.9\nP1\tX:B\t0.5\nP2\tX:A\t0.6\nEND\n"
    )
    assert table(read_predictions(path)) == [
        ("P1", "X:C", 0.9),
        ("P1", "X:B", 0.5),
        ("P2", "X:A", 0.6),
    ]


def test_digits_and_terms_written(tmp_path):
    path = tmp_path / "p.txt"
    scores = {"P1": {"a": 0.123456, "b": 0.0001234, "c": 0.99999, "d": 1e-9}}
    write_predictions(path, scores)
    assert [line.split()[2] for line in path.read_text().splitlines()] == [
        "1", "0.123", "0.000123", "1e-09",
    ]  # fmt: skip
    assert len(read_predictions(path)) == 4
    write_predictions(path, scores, digits=None, max_terms=2)
    assert path.read_text() == "P1\tc\t0.99999\nP1\ta\t0.123456\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"header": {"team": "x"}}, "'header' parameter must be a mapping with the keys"),
        ({"header": {"author": "a\nb"}}, "one line"),
        ({"digits": 0}, "'digits'"),
        ({"max_terms": 0}, "'max_terms'"),
    ],
)
def test_wrong_ways_to_write(tmp_path, options, words):
    with pytest.raises(ValueError, match=words):
        write_predictions(tmp_path / "p.txt", SMALL_PREDICTIONS, **options)
    assert not (tmp_path / "p.txt").exists()


@pytest.mark.parametrize("name", ["P 1", "", "#P1"])
def test_names_that_a_file_cannot_hold(tmp_path, name):
    with pytest.raises(InputError, match="cannot hold"):
        write_predictions(tmp_path / "p.txt", {name: {"a": 0.5}})


# --- truth -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "P1\tX:A\nP1\tX:B\nP2\tX:A\n",
        "P1 X:A BPO\nP1 X:B BPO\nP2 X:A BPO\nP2 X:A BPO",
        "EntryID\tterm\taspect\nP1\tX:A\tMFO\nP1\tX:B\tMFO\nP2\tX:A\tMFO\n",
        "Target GO_ID\nP1 X:A\nP1 X:B\nP2 X:A\n",
    ],
)
def test_forms_of_truth(file, text):
    found = read_truth(file(text, "truth.tsv"))
    assert found.index.tolist() == ["P1", "P2"]
    assert found.classes.tolist() == ["X:A", "X:B"]
    assert found.toarray().tolist() == [[1, 1], [1, 0]]


def test_a_protein_called_like_a_header_is_kept(file):
    found = read_truth(file("target term\ntarget X:A\n"))
    assert found.index.tolist() == ["target"]
    assert found.shape == (1, 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("P1\tX:A\nP2\n", "line 2: 'P2' is not a target and a term"),
        ("P1,X:A\n", "line 1: .* Replace the commas"),
        ("EntryID\tterm\n", "no annotation"),
    ],
)
def test_bad_truth(file, text, words):
    with pytest.raises(InputError, match=words):
        read_truth(file(text))


def test_truth_of_another_ontology(file):
    with pytest.warns(InputWarning), pytest.raises(InputError, match="no annotation has a term"):
        evaluate(SMALL_PREDICTIONS, file("P1 Y:1\n"), SMALL)


def test_truth_is_written_and_read_back(tmp_path, file):
    first = read_truth(file("P1\tX:A\nP1\tX:B\nP2\tX:A\n"))
    write_truth(tmp_path / "again.tsv.gz", first)
    again = read_truth(tmp_path / "again.tsv.gz")
    assert (again.matrix != first.matrix).nnz == 0
    assert again.index.tolist() == first.index.tolist()


def gaf_line(who, term, code="IDA"):
    cells = ["UniProtKB", who, "", "", term, "PMID:1", code, "", "F", "", "", "protein"]
    return "\t".join([*cells, "taxon:9606", "20140101", "UniProt", "", ""]) + "\n"


def test_truth_from_gaf(file):
    text = "!gaf-version: 2.2\n" + gaf_line("P1", "X:C") + gaf_line("P2", "X:B", "IEA")
    path = file(text, "truth.gaf")
    assert evaluate(SMALL_PREDICTIONS, path, SMALL)["f"].n_proteins == 2
    only = evaluate(SMALL_PREDICTIONS, path, SMALL, evidence="experimental")
    assert only["f"].n_proteins == 1


# --- information accretion and hits ---------------------------------------------------------


def test_accretion_is_written_and_read_back(tmp_path):
    write_accretion(tmp_path / "IA.txt", {"a": 0.1 + 0.2, "b": float("inf"), "c": 0.0})
    again = read_accretion(tmp_path / "IA.txt")
    assert again["term"].tolist() == ["a", "b", "c"]
    assert again["ia"].tolist() == [0.1 + 0.2, float("inf"), 0.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 0.5\nb x\n", "line 2: 'b x' is not a term and its information accretion"),
        ("a 0.5\na 0.6\n", "the term a occurs twice"),
        ("term\tia\n", "no term"),
    ],
)
def test_bad_accretion(file, text, words):
    with pytest.raises(InputError, match=words):
        read_accretion(file(text))


def test_accretion_that_cannot_be_used():
    def run(ia):
        return evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, ia=ia, n_resamples=0)["f"]

    with pytest.raises(InputError, match=r"of X:A is -1\. It cannot be negative"):
        run({"X:A": -1})
    with pytest.raises(InputError, match="no term of the ontology"):
        run({"Y:1": 1})
    with pytest.raises(TypeError, match="'ia' parameter must be"):
        run([1, 2])
    with pytest.warns(InputWarning, match="3 of 4 terms of the ontology have no information"):
        own = run({"X:C": 3})
    assert own.wfmax == pytest.approx(2 * (1 / 3) / (4 / 3))
    # An infinite or missing accretion weighs nothing, as in CAFA-evaluator.
    odd = {"X:R": float("nan"), "X:A": float("inf"), "X:B": 0, "X:C": 3}
    assert run(odd).wfmax == own.wfmax


M8 = "Q1\tP1\t{}\t80\t10\t0\t1\t80\t1\t80\t1e-30\t150\n"


def test_forms_of_hits(file):
    percent = read_hits(file("# BLASTP\n" + M8.format(87.5) + M8.format("1.0")))
    assert percent.identity.tolist() == [0.875, 0.01]
    assert percent.evalue.tolist() == [1e-30] * 2
    assert percent.bits.tolist() == [150] * 2
    fraction = read_hits(file(M8.format(0.875) + M8.format("1.000E+00")))
    assert fraction.identity.tolist() == [0.875, 1.0]
    assert read_hits(file(M8.format(0.5)), identity="percent").identity.tolist() == [0.005]
    short = read_hits(file("Q1 P1 50\n"))
    assert np.isnan(short.bits).all()
    assert repr(short) == "Hits(1 of 1 queries in 1 subjects)"


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (M8.format(120), {}, "line 1: the identity is 120"),
        ("Q1\tP1\n", {}, "line 1: .* not a tabular alignment"),
        ("# nothing\n", {}, "no alignment"),
        (M8.format(50), {"identity": "fraction"}, "an identity of 50 is no fraction"),
    ],
)
def test_bad_hits(file, text, options, words):
    with pytest.raises(InputError, match=words):
        read_hits(file(text), **options)
