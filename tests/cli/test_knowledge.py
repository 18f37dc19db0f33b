"""``trueval cafa --before``: two releases, evaluated by what was known before."""

import pytest

from trueval.cafa import evaluate, write_predictions
from trueval.data import Ontology, write_ontology

GO = Ontology(
    ["X:F", "X:1", "X:2", "X:C", "X:c"],
    [("X:1", "X:F", "is_a"), ("X:2", "X:1", "is_a"), ("X:c", "X:C", "is_a")],
    namespaces=["molecular_function"] * 3 + ["cellular_component"] * 2,
)
BEFORE = {"P2": ["X:c"], "P3": ["X:1"], "P4": ["X:2"]}
AFTER = {"P1": ["X:2"], "P2": ["X:c", "X:1"], "P3": ["X:2"], "P4": ["X:2"]}
PREDICTIONS = {
    "P1": {"X:2": 0.8},
    "P2": {"X:2": 0.6},
    "P3": {"X:2": 0.7, "X:1": 0.9},
    "P4": {"X:2": 0.9},
}
CALL = ("cafa", "team.txt", "--truth", "after.gaf", "--ontology", "go.obo")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_ontology("go.obo", GO)
    write_predictions("team.txt", PREDICTIONS)
    for name, annotations in (("before", BEFORE), ("after", AFTER)):
        text = "!gaf-version: 2.2\n"
        for who, terms in annotations.items():
            for term, code in [*((t, "IDA") for t in terms), ("X:c", "IEA")]:
                cells = ["DB", who, "", "", term, "PMID:1", code, "", "F", "", "", "protein"]
                text += "\t".join([*cells, "taxon:9606", "20140101", "DB", "", ""]) + "\n"
        (tmp_path / f"{name}.gaf").write_text(text)
    return tmp_path


def test_three_kinds_by_hand(call_json):
    found = call_json(*CALL, "--before", "before.gaf", "--benchmarks", "made")
    count = {kind: own["molecular_function"] for kind, own in found["proteins"].items()}
    assert count == {"no": 1, "limited": 1, "partial": 1}
    assert found["proteins"]["no"]["cellular_component"] == 0  # electronic evidence is none
    kinds = {k: own["aspects"]["molecular_function"] for k, own in found["knowledge"].items()}
    # P1: all three terms. P2: X:F and X:1 of three predicted. P3: X:2 alone is new, and right.
    assert kinds["no"]["fmax"] == 1.0
    assert kinds["limited"]["fmax"] == pytest.approx(2 * (2 / 3) * 1 / (2 / 3 + 1))
    assert kinds["partial"]["fmax"] == 1.0
    assert kinds["partial"]["n_proteins"] == 1


def test_the_files_written_are_those_evaluated(call_json, folder):
    found = call_json(*CALL, "--before", "before.gaf", "--benchmarks", "made")
    assert {path.name for path in (folder / "made").iterdir()} == {
        "truth_no.tsv", "truth_limited.tsv", "known_limited.tsv",
        "truth_partial.tsv", "known_partial.tsv",
    }  # fmt: skip
    again = evaluate("team.txt", "made/truth_partial.tsv", "go.obo", known="made/known_partial.tsv")
    own = found["knowledge"]["partial"]["aspects"]["molecular_function"]
    assert own["fmax"] == again["MF"].fmax
    assert own["intervals"]["fmax"] == list(again["MF"].interval("fmax"))


def test_only_the_benchmarks(call, folder):
    args = ("--truth", "after.gaf", "--ontology", "go.obo", "--before", "before.gaf")
    code, out, _ = call("cafa", *args, "--benchmarks", "made")
    assert code == 0
    assert "by what was known before" in out
    assert (folder / "made" / "truth_no.tsv").read_text() == "P1\tX:2\n"


def test_measures_by_kind_in_one_file(call, folder):
    code, out, _ = call(*CALL, "--before", "before.gaf", "-o", "m.tsv", "--resamples", 0)
    assert code == 0
    assert "Limited knowledge" in out
    assert (
        "team.txt (partial knowledge)\tmolecular_function\tfmax" in (folder / "m.tsv").read_text()
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--benchmarks", "made"), "--benchmarks needs --before"),
        (("--before", "before.gaf", "--known", "before.gaf"), "exclude each other"),
        (("--before", "after.gaf"), "no protein has a new annotation"),
        (("--before", "before.gaf", "--since", "2014-01-01"), "--before excludes --since"),
    ],
)
def test_wrong_calls(call, options, words):
    code, _, err = call(*CALL, *options)
    assert code != 0
    assert words in err


def test_predictions_are_needed(call):
    code, _, err = call("cafa", "--truth", "after.gaf", "--ontology", "go.obo")
    assert code == 2
    assert "Missing argument 'PREDICTIONS" in err


def test_days_and_organisms_of_the_truth(call_json, call, folder):
    text = (folder / "after.gaf").read_text()
    lines = text.splitlines(keepends=True)
    lines[1] = lines[1].replace("taxon:9606", "taxon:10090").replace("20140101", "20200101")
    (folder / "after.gaf").write_text("".join(lines))  # the X:2 of P1
    args = (*CALL, "--evidence", "IDA", "--resamples", 0)
    n_proteins = {
        option: call_json(*args, *option)["aspects"]["molecular_function"]["n_proteins"]
        for option in ((), ("--since", "2019-01-01"), ("--until", "20190101"), ("--taxon", "10090"))
    }
    assert list(n_proteins.values()) == [4, 1, 3, 1]
    (folder / "truth.tsv").write_text("P1\tX:2\n")
    for option in (("--evidence", "IDA"), ("--taxon", "9606")):
        code, _, err = call(
            "cafa", "team.txt", "--truth", "truth.tsv", "--ontology", "go.obo", *option
        )
        assert code == 2
        assert f"{option[0]} needs" in err
