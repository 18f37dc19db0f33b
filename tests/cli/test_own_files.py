"""A user's own files: names that match in part, arrays without names, what is said of them."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from trueval.data import read_scores

IDS = [f"P{row:02d}" for row in range(40)]
MEMBERS = {"a": range(0, 40, 2), "b": range(0, 40, 3)}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Labels as lists: the last row and the class c have no member, the scores have both."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    truth = np.array([[row in MEMBERS.get(name, ()) for name in "abc"] for row in range(40)])
    scores = (truth + generator.normal(0, 0.5, truth.shape)).round(3)
    lines = [f"{IDS[row]},{name}" for name, rows in MEMBERS.items() for row in rows if row in rows]
    Path("long.csv").write_text("\n".join(["id,label", *lines]) + "\n")
    wide = [f"{i},{','.join(map(str, row.astype(int)))}" for i, row in zip(IDS, truth, strict=True)]
    Path("wide.csv").write_text("\n".join(["id,a,b,c", *wide]) + "\n")
    shuffled = generator.permutation(40)
    rows = [f"{IDS[row]},{','.join(map(str, scores[row]))}" for row in shuffled]
    Path("scores.csv").write_text("\n".join(["id,a,b,c", *rows]) + "\n")
    np.save("scores.npy", scores)
    return scores


def test_scores_beyond_the_labels(own, call, call_json):
    code, _, err = call("rank", "scores.csv", "long.csv")
    assert code == 1
    assert "--allow-unlabelled" in err
    found = call_json("rank", "scores.csv", "long.csv", "--allow-unlabelled", "-o", "v.csv")
    assert (found["rows"], found["classes"]) == (40, 3)
    assert found["provenance"]["inputs"][1]["shape"] == [40, 3]
    from sklearn.metrics import average_precision_score

    raw = call_json("rank", "scores.csv", "long.csv", "--allow-unlabelled", "--ranker", "raw")
    truth = np.array([[row in MEMBERS.get(name, ()) for name in "abc"] for row in range(40)])
    expected = average_precision_score(truth.ravel(), own.ravel())
    assert raw["average_precision"]["raw"] == pytest.approx(expected, abs=1e-9)
    assert sorted(read_scores("v.csv").index.tolist()) == IDS
    (said,) = [text for text in found["warnings"] if "likewise" in text]
    assert said.endswith("4 more folds likewise.")
    assert ".;" not in said


def test_an_array_in_the_order_of_the_labels(own, call, call_json):
    code, _, err = call("decide", "scores.npy", "wide.csv", "--calls", 10)
    assert code == 1
    assert "--same-order" in err
    line = ("decide", "wide.csv", "--calls", 10, "--ranker", "raw")
    by_place = call_json(line[0], "scores.npy", *line[1:], "--same-order", "-o", "place.csv")
    by_name = call_json(line[0], "scores.csv", *line[1:], "-o", "name.csv")
    assert by_place["threshold"] == by_name["threshold"]
    out, kept = np.sort(own.ravel())[-11:-9]  # of ten calls, the cut is above the eleventh
    assert out < by_place["threshold"] <= kept
    assert Path("place.csv").read_bytes() == Path("name.csv").read_bytes()
    # Names that are there are used, whatever the order.
    again = call_json(line[0], "scores.csv", *line[1:], "--same-order")
    assert again["threshold"] == by_name["threshold"]


def test_new_objects_without_names(own, call_json):
    line = ("rank", "scores.npy", "wide.csv", "--same-order", "--ranker", "raw")
    found = call_json(*line, "--new", "scores.npy", "-o", "v.npz")
    assert found["new_rows"] == 40
    written = read_scores("v.npz")
    np.testing.assert_array_equal(written.matrix, own)
    assert written.classes.tolist() == ["a", "b", "c"]


def test_swapped_files_name_options_not_parameters(own, call):
    code, _, err = call("rank", "wide.csv", "scores.csv")
    assert code == 1
    assert "Pass --id-column and --label-column" in err
    assert "id_column=" not in err


def test_more_calls_than_pairs(own, call):
    code, out, _ = call("decide", "scores.csv", "wide.csv", "--calls", 100_000)
    assert code == 0
    assert "inf" not in out
    called, classes = re.search(r"in (\d+) of (\d+)", out).groups()
    assert called == classes  # every class has predictions
    n_scores = sum(line.count(",") for line in Path("scores.csv").read_text().splitlines()[1:])
    assert f"{n_scores} predictions in " in out


def test_leave_two_out_promises_no_file(own, call):
    lines = [f"o{a},o{b},{(a + b) % 2}" for a in range(8) for b in range(a)]
    Path("pairs.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    code, out, _ = call("pairs", "pairs.csv", "--leave-two-out")
    assert code == 0
    assert "-o " not in out
    code, out, _ = call("pairs", "pairs.csv", "-k", 2, "--scheme", "relaxed", "--setting", "AA")
    assert code == 0
    assert "No fold leaves out a pair." in out


def test_folds_of_other_labels_are_refused_in_short(own, call):
    assert call("split", "wide.csv", "-k", 2, "-o", "f.csv", "--quiet")[0] == 0
    text = Path("wide.csv").read_text().replace("P01,0,0,0", "P01,1,0,0")
    Path("other.csv").write_text(text)
    code, _, err = call("quality", "other.csv", "f.csv")
    assert code == 1
    assert "other labels" in err
    assert len(err) < 250


def test_unknown_counts_are_not_zero(call, call_json):
    found = {entry["name"]: entry for entry in call_json("data", "list")["datasets"]}
    assert found["bibtex"]["positives"] == 17762
    assert 0 not in [entry["positives"] for entry in found.values()]


@pytest.mark.parametrize(
    "line",
    [
        "split wide.csv -k 2 -o wide.csv",
        "split wide.csv -k 2 --save ./wide.csv",
        "rank scores.csv wide.csv -o scores.csv",
        "quality wide.csv f.csv --report f.csv",
        "split wide.csv -k 2 -o new.csv --save new.csv",
    ],
)
def test_no_input_is_overwritten(line, own, call):
    Path("f.csv").write_text("id,fold\n" + "".join(f"{name},0\n" for name in IDS))
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    code, _, err = call(*line.split())
    assert code == 2
    assert "Choose another name" in err
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_an_old_output_is_replaced(own, call):
    Path("f.csv").write_text("old")
    assert call("split", "wide.csv", "-k", 2, "-o", "f.csv", "--quiet")[0] == 0
    assert Path("f.csv").read_text().startswith("id,fold\n")


def test_the_side_file_of_folds_replaces_nothing(own, call):
    Path("f.csv.json").write_text('{"mine": 1}')
    code, _, err = call("split", "wide.csv", "-k", 2, "-o", "f.csv")
    assert code == 1
    assert "f.csv.json: this file is where the provenance goes" in err
    assert Path("f.csv.json").read_text() == '{"mine": 1}'
    assert not Path("f.csv").exists()
    code, _, err = call("split", "wide.csv", "-k", 2, "-o", "g.csv", "--save", "g.csv.json")
    assert code == 2
    assert "it is written beside g.csv" in err


def test_side_files_of_a_folder_are_no_results(own, call):
    Path("results").mkdir()
    line = "split wide.csv -k 2 -o results/f.csv --save results/s.json --quiet"
    assert call(*line.split())[0] == 0
    assert Path("results/f.csv.json").exists()
    code, out, err = call("report", "results", "-o", "page.html")
    assert (code, err) == (0, "")
    assert "1 result (split)" in out


def test_a_folder_with_other_files_still_makes_a_report(own, call):
    Path("results").mkdir()
    assert call("split", "wide.csv", "-k", 2, "--save", "results/s.json", "--quiet")[0] == 0
    Path("results/package.json").write_text('{"name": "mine"}')
    code, out, err = call("report", "results", "-o", "page.html")
    assert code == 0
    assert "1 result (split)" in out
    assert err.startswith("Warning: results/package.json is left out")
    code, _, err = call("report", "results/package.json", "-o", "page.html")
    assert code == 1


def test_parts_that_do_not_fit_the_folds(own, call):
    assert call("split", "wide.csv", "-k", 4, "-o", "f.csv", "--quiet")[0] == 0
    code, _, err = call("quality", "wide.csv", "f.csv", "--parts", "80,20")
    assert code == 2
    assert "names 2 parts, but f.csv has 4" in err


def test_the_best_f_is_shown(own, call, call_json):
    code, out, _ = call("decide", "scores.csv", "wide.csv", "--beta", 2)
    assert code == 0
    assert "Target: the best F2" in out
    found = call_json("decide", "scores.csv", "wide.csv", "--beta", 2)
    f = found["rankers"][found["ranker"]]["f"]
    assert f"{f:.3f} (" in out


@pytest.fixture
def drugs(tmp_path, monkeypatch):
    """Every drug with every target, and folds of rows: training has seen all objects."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"d{a}", f"t{b}", (a + b) % 2) for a in range(6) for b in range(6)]
    frame = pd.DataFrame(rows, columns=["drug", "target", "y"])
    frame.to_csv("pairs.csv", index=False)
    lines = [f"{row},{(row // 6 + row) % 3}" for row in range(36)]
    Path("folds.csv").write_text("\n".join(["row,fold", *lines]) + "\n")
    return frame


def test_the_index_of_pandas_hides_no_leak(drugs, call_json, call):
    drugs.to_csv("with_index.csv")
    line = ("--folds", "folds.csv", "--bipartite")
    plain = call_json("audit", "pairs.csv", *line)
    found = call_json("audit", "with_index.csv", *line)
    assert found["audits"] == plain["audits"]
    assert [own["counts"]["AA"] for own in found["audits"].values()] == [12, 12, 12]
    assert all(own["identity_auc"] is not None for own in found["audits"].values())
    code, out, _ = call("audit", "with_index.csv", *line, "--require", "AB")
    assert code == 1
    assert "Leak in 3 of 3" in out


@pytest.mark.parametrize("command", ["pairs", "audit"])
def test_a_header_of_pairs_can_be_said(command, drugs, call_json):
    drugs[["drug", "target"]].set_axis(["left", "right"], axis=1).to_csv("own.csv", index=False)
    more = ("-k", 3) if command == "pairs" else ("--folds", "folds.csv")
    line = (command, "own.csv", *more, "--bipartite")
    assert call_json(*line, "--header")["warnings"] == []
    if command == "pairs":  # the folds have one row less
        (said,) = call_json(*line)["warnings"]
        assert "pass --header; if it does not, pass --no-header." in said
        assert "header=" not in said
        found = call_json(*line, "--no-header")
        assert (found["pairs"], found["warnings"]) == (37, [])


@pytest.mark.parametrize("line", ["split codes.csv -k 2", "quality codes.csv f.csv"])
def test_a_header_of_labels_can_be_said(line, tmp_path, monkeypatch, call_json):
    monkeypatch.chdir(tmp_path)
    rows = [f"s{row},{['flu', 'cold'][row % 2]}" for row in range(8)]
    Path("codes.csv").write_text("\n".join(["patient,icd10", *rows]) + "\n")
    folds = [f"s{row},{row // 2 % 2}" for row in range(8)]
    Path("f.csv").write_text("\n".join(["id,fold", *folds]) + "\n")
    found = call_json(*line.split(), "--header")
    assert found["warnings"] == []
    assert found["provenance"]["inputs"][0]["shape"] == [8, 2]
    if line.startswith("split"):
        found = call_json(*line.split())
        assert found["provenance"]["inputs"][0]["shape"] == [9, 3]
        assert any("pass --header;" in text for text in found["warnings"])


def test_replicates_with_different_labels(drugs, call_json):
    twice = pd.concat([drugs, drugs[:2].assign(y=1 - drugs.y[:2])])
    twice.to_csv("twice.csv", index=False)
    found = call_json("pairs", "twice.csv", "-k", 2, "--two-kinds")
    assert found["pairs"] == 38
    assert "2 pairs have rows with different labels" in found["warnings"][0]
    # As sides, the rows have labels of their own: one conflict is across, one inside.
    twice.iloc[[*range(1, 30), 37]].to_csv("train.csv", index=False)
    twice.iloc[[0, *range(30, 37)]].to_csv("test.csv", index=False)
    line = ("audit", "twice.csv", "--train", "train.csv", "--test", "test.csv", "--two-kinds")
    assert call_json(*line)["audits"]["the split"]["n_conflicts"] == 2


def test_affinities_are_audited_without_labels(drugs, call, call_json):
    affinity = drugs.y + np.arange(36) / 100
    drugs.assign(y=affinity).to_csv("affinity.csv", index=False)
    line = ("audit", "affinity.csv", "--folds", "folds.csv", "--two-kinds")
    found = call_json(*line)
    assert [own["counts"]["AA"] for own in found["audits"].values()] == [12, 12, 12]
    (said,) = found["warnings"]
    assert "goes without them" in said
    code, _, err = call(*line, "--label-column", "y")
    assert code == 1
    assert "turn your positive class into 1" in err


def test_settings_by_the_names_of_park_and_marcotte(drugs, call, call_json):
    line = ("audit", "pairs.csv", "--folds", "folds.csv", "--bipartite", "--require")
    assert call(*line, "C1")[0] == 0
    code, out, _ = call(*line, "C2")
    assert (code, out) == call(*line, "AB")[:2]
    assert code == 1
    line = ("pairs", "pairs.csv", "-k", 2, "--bipartite", "--setting")
    assert call_json(*line, "C2")["setting"] == "AB"


def test_what_was_understood_is_said_first(own, call, call_json):
    Path("tags.csv").write_text(
        'doc,tags\nd1,"b,a"\nd2,"c,b"\nd3,"d,c"\nd4,"e,d"\nd5,"a,e"\nd6,a\nd7,c\n'
    )
    code, out, _ = call("split", "tags.csv", "-k", 2)
    assert code == 0
    first = "tags.csv read as csv, list layout: column 'tags', labels separated by commas."
    assert " ".join(out.split()).startswith(f"{first} Classes such as 'a', 'b', 'c'.")
    found = call_json("split", "tags.csv", "-k", 2)
    assert (found["rows"], found["classes"], found["positives"]) == (7, 5, 12)
    assert found["read"]["tags.csv"]["separator"] == ","
    Path("tags.csv").write_text('doc,tags\nd1,"python,pandas"\nd2,python\nd3,pandas\n')
    code, _, err = call("split", "tags.csv", "-k", 2)
    assert code == 1
    assert "Pass --separator , if it is a list, --layout long if it is one class." in err
    assert call("split", "tags.csv", "-k", 2, "--separator", ",")[0] == 0
    Path("tags.csv").write_text("doc,tags\nd1,python pandas\nd2,python\n")
    code, _, err = call("split", "tags.csv", "-k", 2)
    assert code == 1
    assert "Pass --separator ' ' if" in err
