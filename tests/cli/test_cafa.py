"""``trueval cafa``: the fixed form of its JSON, equal to cafaeval; files in and out."""

import csv
import json
import logging

import numpy as np
import pandas as pd
import pytest
from cafaeval.evaluation import cafa_eval

from tests.cafa.problems import SMALL, SMALL_IA, SMALL_PREDICTIONS, SMALL_TRUTH, make_problem
from trueval.cafa import write_accretion, write_predictions
from trueval.data import write_ontology

logging.getLogger().setLevel(logging.ERROR)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder with the hand-computed example."""
    monkeypatch.chdir(tmp_path)
    write_ontology("go.obo", SMALL)
    write_predictions("team.txt", SMALL_PREDICTIONS, header={"author": "team", "model": 1})
    rows = [f"{p}\t{t}\tMFO\n" for p, own in SMALL_TRUTH.items() for t in own]
    (tmp_path / "truth.tsv").write_text("EntryID\tterm\taspect\n" + "".join(rows))
    write_accretion("IA.txt", SMALL_IA)
    (tmp_path / "train.tsv").write_text("T1\tX:C\nT2\tX:B\nT3\tX:R\nT4\tX:A\n")
    return tmp_path


CALL = ("cafa", "team.txt", "--truth", "truth.tsv", "--ontology", "go.obo")


def test_json_by_hand(small, call_json):
    found = call_json(*CALL, "--ia", "IA.txt")
    own = found["aspects"]["f"]
    assert list(own)[:5] == ["fmax", "threshold", "coverage", "smin", "wfmax"]
    expected = [0.6, 0.51, 2 / 3, 1.0, 0.5]
    assert list(own.values())[:5] == pytest.approx(expected)
    assert own["threshold_exact"] == 0.6
    assert own["n_proteins"] == 3
    low, high = own["intervals"]["fmax"]
    assert low <= 0.6 <= high
    assert [i["path"] for i in found["provenance"]["inputs"]] == [
        "truth.tsv", "go.obo", "IA.txt", "team.txt",
    ]  # fmt: skip
    assert found["counts"]["lines"] == 3
    without = call_json(*CALL)["aspects"]["f"]
    assert without["wfmax"] is None
    assert without["smin"] == pytest.approx(np.sqrt(10) / 3)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning")
def test_json_equals_cafaeval(tmp_path, call_json, seed):
    problem = make_problem(seed, weighted=True, most_proteins=30, most_terms=60)
    ontology, path, truth, ia = problem.write(tmp_path)
    frame, best = cafa_eval(str(ontology), str(path.parent), str(truth), ia=str(ia))
    where = ("--truth", truth, "--ontology", ontology, "--ia", ia, "--resamples", 0)
    for given in (path, path.parent):  # a file, or the folder that cafaeval takes
        found = call_json("cafa", given, *where)["aspects"]
        for (_, aspect, tau), row in best["f"].iterrows():
            own = found[aspect]
            assert own["fmax"] == pytest.approx(row["f"], abs=1e-6)
            assert own["threshold"] == pytest.approx(tau, abs=1e-6)
            assert own["coverage"] == pytest.approx(row["cov"], abs=1e-6)
            rows = frame.xs(aspect, level="ns")
            assert own["wfmax"] == pytest.approx(rows["f_w"].max(), abs=1e-6)
            assert own["smin"] == pytest.approx(rows["s_w"].min(), abs=1e-6)
            assert own["smin_unweighted"] == pytest.approx(rows["s"].min(), abs=1e-6)
            assert own["fmax_micro"] == pytest.approx(rows["f_micro"].max(), abs=1e-6)


def test_several_methods(small, call_json, call):
    write_predictions("other.txt", {"P1": {"X:A": 0.3}})
    found = call_json("cafa", "team.txt", "other.txt", *CALL[2:])
    assert set(found["methods"]) == {"team.txt", "other.txt"}
    assert "aspects" not in found
    (small / "all").mkdir()
    (small / "all" / "team.txt").write_bytes((small / "team.txt").read_bytes())
    (small / "all" / "more").mkdir()
    (small / "all" / "more" / "other.txt").write_bytes((small / "other.txt").read_bytes())
    folder = call_json("cafa", "all", *CALL[2:])
    assert set(folder["methods"]) == {"team.txt", "more_other.txt"}
    assert folder["methods"]["team.txt"]["aspects"] == found["methods"]["team.txt"]["aspects"]
    code, _, err = call("cafa", "team.txt", "all", *CALL[2:])
    assert code == 1
    assert "a second file named team.txt" in err
    (small / "empty").mkdir()
    code, _, err = call("cafa", "empty", *CALL[2:])
    assert code == 1
    assert "no file of predictions" in err


def test_shown_to_people(small, call):
    code, out, err = call(*CALL, "--ia", "IA.txt", "--train", "train.tsv")
    assert (code, err) == (0, "")
    assert "0.600" in out
    assert "naive" in out
    words = " ".join(out.split())
    assert "Smin is weighted by information accretion" in words
    assert "team.txt, f: not clearly different from the naive baseline, Fmax" in words
    code, out, _ = call(*CALL, "--train", "train.tsv", "--resamples", "0")
    assert code == 0
    assert "from that of the naive baseline (no interval)" in " ".join(out.split())


def test_baselines(small, call_json, call):
    row = "{}\t{}\t{}\t80\t9\t0\t1\t80\t1\t80\t1e-9\t90\n"
    hits = row.format("P1", "T1", 90) + row.format("P3", "T4", 50)
    (small / "hits.m8").write_text(hits)
    found = call_json(*CALL, "--train", "train.tsv", "--hits", "hits.m8")
    methods = found["methods"]
    # Naive: R 1, A 1/2, B and C 1/4 for everyone; nearest: P1 like T1 (C), P3 like T4 (A).
    assert methods["naive"]["aspects"]["f"]["coverage"] == 1.0
    assert methods["nearest"]["aspects"]["f"]["coverage"] == pytest.approx(2 / 3)
    assert methods["nearest"]["aspects"]["f"]["precision"] == 1.0
    assert found["aspects"] == methods["team.txt"]["aspects"]
    fmax = next(r for r in found["differences"]["team.txt"] if r["measure"] == "fmax")
    expected = found["aspects"]["f"]["fmax"] - methods["naive"]["aspects"]["f"]["fmax"]
    assert fmax["difference"] == pytest.approx(expected)
    code, _, err = call(*CALL, "--hits", "hits.m8")
    assert code == 2
    assert "--hits needs --train" in err


def test_files_written(small, call):
    written = ("-o", "all.csv", "--per-term", "terms.tsv", "--curves", "curves.csv.gz")
    code, _, err = call(*CALL, "--ia", "IA.txt", *written)
    assert (code, err) == (0, "")
    measures = pd.read_csv("all.csv").set_index("measure")
    assert measures.loc["fmax", "value"] == pytest.approx(0.6)
    assert measures.loc["threshold", "exact"] == 0.6
    assert measures.loc["fmax", "low"] <= 0.6 <= measures.loc["fmax", "high"]
    with open("terms.tsv", newline="") as file:
        rows = {row["term"]: row for row in csv.DictReader(file, delimiter="\t")}
    assert rows["X:C"]["name"] == "third"
    assert rows["X:C"]["definition"] == "A part of the first."
    curves = pd.read_csv("curves.csv.gz")
    assert set(curves["weights"]) == {"unweighted", "weighted"}
    assert curves.loc[curves["weights"] == "unweighted", "f"].max() == pytest.approx(0.6)


@pytest.mark.parametrize("option", ["-o", "--per-term", "--curves"])
def test_inputs_are_not_overwritten(small, call, option):
    before = (small / "team.txt").read_bytes()
    (small / "all").mkdir()
    (small / "all" / "team.txt").write_bytes(before)
    for call_, path in ((CALL, "truth.tsv"), (("cafa", "all", *CALL[2:]), "all/team.txt")):
        code, _, err = call(*call_, option, path)
        assert code == 2
        assert "is an input, which would be lost" in err
    assert (small / "all" / "team.txt").read_bytes() == before
    code, _, err = call(*CALL, "-o", "x.csv", "--curves", "x.csv")
    assert code == 2
    assert "another output" in err


def test_standard_input(small, call):
    text = (small / "team.txt").read_text()
    code, out, _ = call("cafa", "-", *CALL[2:], "--json", data=text)
    assert code == 0
    assert json.loads(out)["aspects"]["f"]["fmax"] == pytest.approx(0.6)
    truth = (small / "truth.tsv").read_text()
    line = ("cafa", "team.txt", "--truth", "-", "--ontology", "go.obo", "--json")
    code, out, _ = call(*line, data=truth)
    assert code == 0
    assert json.loads(out)["aspects"]["f"]["fmax"] == pytest.approx(0.6)
    code, _, err = call("cafa", "-", *line[2:], data=truth)
    assert code == 2
    assert "Only one input can be '-'" in err


def test_options_are_those_of_the_library(small, call_json):
    (small / "known.tsv").write_text("P1\tX:A\n")
    (small / "terms.txt").write_text("X:C\nX:B\n")
    options = ("--known", "known.tsv", "--terms", "terms.txt", "--propagation", "fill")
    options += ("--normalization", "gt", "--no-orphans", "--max-terms", "5", "--grid", "0.05")
    found = call_json(*CALL, *options)
    # P3 has neither B nor C: left out, and said. P1: {C, B}, true {C}; P2: nothing, true {B}.
    assert len(found["warnings"]) == 1
    own = found["aspects"]["f"]
    assert own["n_proteins"] == 2
    assert own["fmax"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("team.txt", "P1\tX:A\thigh\n"), "team.txt, line 1: the score is 'high'"),
        (("truth.tsv", "P1\n"), "truth.tsv, line 1: 'P1' is not a target and a term"),
        (("IA.txt", "X:A\n"), "IA.txt, line 1: 'X:A' is not a term and its information"),
        (("truth.tsv", "P1\tY:1\n"), "truth.tsv: no annotation has a term of the ontology"),
    ],
)
def test_bad_files(small, call, change, words):
    name, text = change
    (small / name).write_text(text)
    code, _, err = call(*CALL, "--ia", "IA.txt")
    assert code == 1
    assert words in err
    assert "Traceback" not in err


def test_evidence_of_gaf_truth(small, call_json):
    from tests.cafa.test_read import gaf_line

    lines = gaf_line("P1", "X:C") + gaf_line("P2", "X:B", "IEA")
    (small / "truth.gaf").write_text("!gaf-version: 2.2\n" + lines)
    where = ("cafa", "team.txt", "--truth", "truth.gaf", "--ontology", "go.obo")
    assert call_json(*where)["aspects"]["f"]["n_proteins"] == 2
    own = call_json(*where, "--evidence", "experimental,TAS")["aspects"]["f"]
    assert own["n_proteins"] == 1
