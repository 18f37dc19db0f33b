"""Options that choose annotations and terms; CAFA files in rank and decide; lists for people."""

import csv
import gzip
import json

import numpy as np
import pytest

from trueval.cafa import write_predictions
from trueval.data import Ontology, read_scores, write_ontology

TERMS = ["X:F", "X:1", "X:2", "X:3", "X:C", "X:c"]
GO = Ontology(
    TERMS,
    [
        ("X:1", "X:F", "is_a"),
        ("X:2", "X:1", "is_a"),
        ("X:3", "X:F", "part_of"),
        ("X:c", "X:C", "is_a"),
    ],
    names=["function", "binding", "ion binding", "transport", "component", "nucleus"],
    namespaces=["molecular_function"] * 4 + ["cellular_component"] * 2,
)
#: Protein, term, evidence, organism, day.
LINES = [
    ("P1", "X:2", "IDA", "9606", "20140101"),
    ("P2", "X:2", "IEA", "9606", "20140101"),
    ("P3", "X:3", "IDA", "10090", "20200101"),
    ("P4", "X:3", "IDA", "9606", "20200101"),
    ("P5", "X:c", "IDA", "9606", "20140101"),
    ("P6", "X:1", "IDA", "10090", "20140101"),
    ("P6", "X:c", "IDA", "10090", "20140101"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_ontology("go.obo", GO)
    text = "!gaf-version: 2.2\n"
    for who, term, code, taxon, day in LINES:
        cells = ["DB", who, "", "", term, "PMID:1", code, "", "F", "", "", "protein"]
        text += "\t".join([*cells, f"taxon:{taxon}", day, "DB", "", ""]) + "\n"
    (tmp_path / "a.gaf").write_text(text)
    return tmp_path


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("options", "rows", "classes", "positives"),
    [
        # P1 and P2 have X:2, X:1, X:F; P3, P4 X:3, X:F; P5 X:c, X:C; P6 X:1, X:F, X:c, X:C.
        ((), 6, 6, 16),
        (("--evidence", "experimental"), 5, 6, 13),
        (("--evidence", "IEA,IDA"), 6, 6, 16),
        (("--until", "2019-12-31"), 4, 5, 12),
        (("--since", "20150101"), 2, 2, 4),
        (("--taxon", "9606"), 4, 6, 10),
        (("--taxon", "9606,taxon:10090"), 6, 6, 16),
        (("--aspect", "MF"), 5, 4, 12),
        (("--aspect", "cc", "--drop-roots"), 2, 1, 2),
        (("--drop-roots",), 6, 4, 9),
        (("--min-positives", "3"), 6, 2, 8),
        (("--min-depth", "2"), 6, 1, 2),
    ],
)
def test_filters(folder, call_json, options, rows, classes, positives):
    found = call_json("split", "a.gaf", "--ontology", "go.obo", "-k", 2, *options)
    assert (found["rows"], found["classes"], found["positives"]) == (rows, classes, positives)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--aspect", "MF"), "--aspect needs --ontology"),
        (("--drop-roots",), "--drop-roots needs --ontology"),
        (("--ontology", "go.obo", "--evidence", "IDX"), "--evidence must be"),
        (("--ontology", "go.obo", "--since", "2014"), "--since must be"),
        (("--ontology", "go.obo", "--taxon", "human"), "--taxon must be"),
        (("--ontology", "go.obo", "--aspect", "BP"), "--aspect must be an aspect"),
        (("--ontology", "go.obo", "--min-positives", "99"), "none of 6 terms passes"),
        (("--min-positives", "99"), "no class has 99 positives; the largest has 2"),
    ],
)
def test_wrong_filters(folder, call, options, words):
    code, _, stderr = call("split", "a.gaf", "-k", 2, *options)
    assert code != 0
    assert words in stderr


def test_filters_of_annotations_need_gaf(folder, call):
    (folder / "y.csv").write_text("id,labels\np1,X:1\np2,X:2\n")
    code, _, stderr = call("split", "y.csv", "-k", 2, "--since", "2014-01-01")
    assert code == 2
    assert "--since needs labels in GAF" in stderr


@pytest.fixture
def scored(folder):
    """Predictions of 40 proteins for three terms and the root, as CAFA has them."""
    rng = np.random.default_rng(0)
    terms = rng.choice(["X:1", "X:2", "X:3"], 40)
    scores = {
        f"Q{i:02d}": {"X:F": 1.0}
        | {t: round(float(rng.uniform(0.5, 1) if t == term else rng.uniform(0.01, 0.5)), 3)
           for t in ("X:1", "X:2", "X:3")}
        for i, term in enumerate(terms)
    }  # fmt: skip
    write_predictions("team.txt", scores, header={"author": "team", "model": 1})
    truth = "".join(f"Q{i:02d}\t{term}\n" for i, term in enumerate(terms))
    (folder / "truth.tsv").write_text(truth)
    return scores, terms


DECIDE = ("decide", "team.txt", "truth.tsv", "--ontology", "go.obo", "--precision", "0.8")


def test_decide_leaves_roots_out(scored, call, call_json):
    code, _, stderr = call(*DECIDE, "-o", "calls.tsv")
    assert code == 0, stderr
    assert "1 of 4 classes (X:F) are left out. Roots are left out by default" in stderr
    assert "Pass --keep-roots to keep them." in stderr
    with open("calls.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert list(rows[0]) == ["id", "label", "score", "name"]
    assert "X:F" not in {row["label"] for row in rows}
    values = [float(row["score"]) for row in rows]
    assert values == sorted(values, reverse=True)
    names = dict(zip(GO.terms.tolist(), GO.names.tolist(), strict=True))
    assert all(row["name"] == names[row["label"]] for row in rows)
    kept = call_json(*DECIDE, "--keep-roots")
    assert kept["calls_by_depth"]["0"] == {"calls": 40, "bits": 0.0, "precision": 1.0}


def test_calls_by_depth_and_information_by_hand(scored, call_json):
    _, terms = scored
    found = call_json(*DECIDE, "-o", "calls.csv")
    with open("calls.csv", newline="") as file:
        calls = [(row["id"], row["label"]) for row in csv.DictReader(file)]
    above = {"X:1": {"X:1"}, "X:2": {"X:1", "X:2"}, "X:3": {"X:3"}}
    truth = {f"Q{i:02d}": above[term] for i, term in enumerate(terms)}
    bits = {
        term: -np.log2(sum(term in own for own in truth.values()) / 40)
        for term in ("X:1", "X:2", "X:3")
    }
    right = [label in truth[who] for who, label in calls]
    weights = np.array([bits[label] for _, label in calls])
    assert found["information_weighted_precision"] == pytest.approx(
        (weights * right).sum() / weights.sum()
    )
    for depth, inside in (("1", ("X:1", "X:3")), ("2", ("X:2",))):
        own = [ok for ok, (_, label) in zip(right, calls, strict=True) if label in inside]
        assert found["calls_by_depth"][depth]["calls"] == len(own)
        assert found["calls_by_depth"][depth]["precision"] == pytest.approx(np.mean(own))


def test_rank_reads_cafa_and_writes_a_sorted_list(scored, call):
    scores, _ = scored
    with open("team.txt", "rb") as file, gzip.open("team.txt.gz", "wb") as packed:
        packed.write(file.read())
    files = ("team.txt.gz", "truth.tsv", "--ontology", "go.obo")
    code, _, stderr = call("rank", *files, "--ranker", "raw", "-o", "list.tsv")
    assert code == 0, stderr
    found = read_scores("list.tsv")
    for row, who in enumerate(found.index.tolist()):
        own = found.matrix.toarray()[row]
        assert dict(zip(found.classes.tolist(), own.tolist(), strict=True)) == scores[who]
    with open("list.tsv") as file:
        lines = file.read().splitlines()
    assert lines[0] == "id\tlabel\tscore\tname"
    assert lines[1] == "Q00\tX:F\t1.0000\tfunction"
    values = [float(line.split("\t")[2]) for line in lines[1:]]
    assert values == sorted(values, reverse=True)


def test_python_names_the_reader_of_cafa_files(scored):
    with pytest.raises(ValueError, match=r"CAFA predictions\. Use trueval\.cafa\.read_predictions"):
        read_scores("team.txt")


@pytest.mark.parametrize("file", ["leaf.csv", "a.gaf"])
def test_given_classes_adds_no_ancestors(folder, call_json, file):
    (folder / "leaf.csv").write_text("id,labels\nP1,X:2\nP2,X:2;X:1\nP3,X:3\n")
    args = ("split", file, "--ontology", "go.obo", "-k", 2)
    wide, narrow = call_json(*args), call_json(*args, "--given-classes")
    sizes = {"leaf.csv": (4, 8, 3, 5), "a.gaf": (6, 16, 4, 9)}
    found = (wide["classes"], wide["positives"], narrow["classes"], narrow["positives"])
    assert found == sizes[file]


def test_small_scores_do_not_become_zero(folder):
    from trueval.cli.ranked import write_ranked
    from trueval.data import Scores

    made = Scores(np.array([[0.25, 1e-7]]), np.array(["a", "b"]), np.array(["p"]))
    write_ranked("x.tsv", made)
    with open("x.tsv") as file:
        assert file.read() == "id\tlabel\tscore\np\ta\t0.2500\np\tb\t1.0e-07\n"


def test_options_are_in_the_provenance(folder, call_json):
    found = call_json("split", "a.gaf", "--ontology", "go.obo", "-k", 2, "--taxon", "9606")
    assert json.dumps(found["provenance"]).count("9606") >= 1
