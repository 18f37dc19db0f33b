"""``trueval decide``: guarantees, targets that are not reached, groups and costs."""

import numpy as np
import pandas as pd
import pytest

from trueval.cli.decide import TARGET_NOT_REACHED
from trueval.data import read_scores
from trueval.data.simulate import simulation_one
from trueval.rank import PrecisionRanker, average_precision, cross_fit, pick_threshold
from trueval.report import read_stage

LINE = ("decide", "s.csv", "y.csv", "--ranker", "raw")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Scores, labels, new scores and groups of 200 rows."""
    monkeypatch.chdir(tmp_path)
    scores, y = simulation_one(200, 0.2, random_state=0)
    index = pd.Index([f"r{i}" for i in range(200)], name="id")
    tables = {"s.csv": scores, "y.csv": y.toarray(), "new.csv": scores[::-1]}
    for name, table in tables.items():
        pd.DataFrame(table, index, list("abcde")).to_csv(name)
    pd.DataFrame({"group": np.arange(200) // 4}, index).to_csv("g.csv")
    return scores, y


def test_an_unmet_target_predicts_nothing_and_exits_with_3(files, call, call_json):
    line = (*LINE, "--precision", "0.999", "--confidence", "0.95")
    code, out, err = call(*line, "-o", "c.csv", "--save", "d.json", "--report", "p.html")
    assert code == TARGET_NOT_REACHED == 3
    assert "is not reached, so nothing is predicted: the best that can be reached" in " ".join(
        out.split()
    )
    assert "--allow-unmet" in out
    assert "Warning: a precision of 0.999" in err
    assert len(pd.read_csv("c.csv", comment="#")) == 0
    assert read_stage("d.json").data["predictions"]["n_predictions"] == 0
    code, out, _ = call(*line, "--allow-unmet", "-o", "c.csv")
    assert code == 0
    assert len(pd.read_csv("c.csv", comment="#")) > 0
    result = call_json(*line, "--allow-unmet")["rankers"]["raw"]
    assert not result["met"]
    assert not result["abstains"]


@pytest.mark.parametrize(
    ("options", "same"),
    [
        (("--precision", "0.6", "--guarantee", "simultaneous"), {"guarantee": "simultaneous"}),
        (
            ("--precision", "0.6", "--confidence", "0.8", "--for-new", "100"),
            {"confidence": 0.8, "for_new": 100},
        ),
        (("--precision", "0.6", "--confidence", "0.8", "--groups", "g.csv"),
         {"confidence": 0.8, "groups": np.arange(200) // 4}),
    ],
    ids=str,
)  # fmt: skip
def test_options_are_those_of_the_library(options, same, files, call_json):
    result = call_json(*LINE, *options)
    expected = pick_threshold(*files, precision=0.6, **same)
    assert result["threshold"] == expected.threshold
    assert result["rankers"]["raw"]["promise"] == expected.promise


def test_costs_and_map(files, call_json, call):
    assert call_json(*LINE, "--cost-ratio", "3")["threshold"] == 0.75
    assert call_json(*LINE, "--map")["threshold"] == 0.5
    code, _, err = call(*LINE, "--map", "--precision", "0.5")
    assert code == 2
    assert "--precision and --map" in err


def test_fdr_needs_new_rows(files, call, call_json):
    line = (*LINE, "--precision", "0.6", "--guarantee", "fdr")
    code, _, err = call(*line)
    assert code == 2
    assert "--new" in err
    result = call_json(*line, "--new", "new.csv", "-o", "c.csv")
    frame = pd.read_csv("c.csv", comment="#")
    assert len(frame) == result["calls"] > 0
    assert frame["score"].min() == pytest.approx(result["threshold"])
    code, _, err = call(*line, "--new", "new.csv", "--confidence", "0.9")
    assert code == 2
    assert "--confidence must be left out" in err


def test_rank_keeps_groups_together(files, call, call_json):
    scores, y = files
    groups = np.arange(200) // 4
    code, _, _ = call("rank", "s.csv", "y.csv", "--groups", "g.csv", "-o", "v.npz")
    assert code == 0
    expected = cross_fit(PrecisionRanker(), scores, y, groups=groups)
    np.testing.assert_allclose(read_scores("v.npz").matrix, expected)
    assert np.abs(expected - cross_fit(PrecisionRanker(), scores, y)).max() > 1e-3


@pytest.mark.parametrize("command", [("rank",), ("decide", "--beta", "1")], ids=str)
def test_duplicate_scores_are_refused_or_merged(command, files, call):
    scores, _ = files
    rows = [
        (f"r{i}", k, s) for i, line in enumerate(scores) for k, s in zip("abcde", line, strict=True)
    ]
    pd.DataFrame([*rows, ("r0", "a", 5.0)], columns=["id", "label", "score"]).to_csv(
        "long.csv", index=False
    )
    name, *options = command
    code, _, err = call(name, "long.csv", "y.csv", *options)
    assert code == 1
    assert "two scores" in err
    assert "--duplicates max" in err
    code, _, _ = call(name, "long.csv", "y.csv", *options, "--duplicates", "max")
    assert code == 0


@pytest.fixture
def weights(files):
    """Weights of the rows, in a file in another order."""
    values = np.random.default_rng(0).integers(0, 4, 200) / 2
    index = pd.Index([f"r{i}" for i in range(200)], name="id")
    pd.DataFrame({"weight": values}, index)[::-1].to_csv("w.csv")
    return values


def test_weights_are_those_of_the_library(files, weights, call_json, call):
    options = ("--precision", "0.6", "--confidence", "0.8", "--weights", "w.csv")
    result = call_json(*LINE, *options)
    expected = pick_threshold(*files, precision=0.6, confidence=0.8, sample_weight=weights)
    assert result["threshold"] == expected.threshold
    assert result["rankers"]["raw"]["recall"] == expected.recall
    ranked = call_json("rank", "s.csv", "y.csv", "--compare", "raw", "--weights", "w.csv")
    values = cross_fit(PrecisionRanker(), *files, sample_weight=weights)
    area = average_precision(values, files[1], sample_weight=weights)
    assert ranked["average_precision"]["calibrated"] == pytest.approx(area)
    area = average_precision(*files, sample_weight=weights)
    assert ranked["average_precision"]["raw"] == pytest.approx(area)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,weight\nr0,1\n", "row"),
        ("\n".join(["id,weight", "r0,many", *(f"r{i},1" for i in range(1, 200))]), "'many'"),
        ("\n".join(["id,weight", "r0,nan", *(f"r{i},1" for i in range(1, 200))]), "finite"),
        ("\n".join(["id,weight", "r0,-1", *(f"r{i},1" for i in range(1, 200))]), "-1 at row 0"),
    ],
)
def test_wrong_weights_are_refused(text, message, files, call, tmp_path):
    (tmp_path / "w.csv").write_text(text, encoding="utf-8")
    code, _, err = call(*LINE, "--beta", "1", "--weights", "w.csv")
    assert code == 1
    assert message in err


def test_the_best_classes_of_every_row(files, call, call_json):
    line = (*LINE, "--top-k", "2")
    code, out, _ = call(*line, "-o", "c.csv", "--save", "d.json", "--report", "p.html")
    assert code == 0
    assert "The 2 best classes of every row are predicted" in " ".join(out.split())
    calls = pd.read_csv("c.csv", comment="#")
    best = {f"r{i}": {"abcde"[j] for j in np.argsort(-row)[:2]} for i, row in enumerate(files[0])}
    assert calls.groupby("id")["label"].agg(set).to_dict() == best
    result = call_json(*line)
    assert result["threshold"] is None
    assert result["calls"] == 400
    assert read_stage("d.json").data["predictions"]["n_predictions"] == 400


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--top-k 2 --for-new 9", "--for-new must be left out with --top-k 2;"),
        ("--top-k 2 --confidence .9", "--confidence must be left out with --top-k 2;"),
        ("--top-k 2 --average objects", "--average must be 'pairs' with --top-k 2."),
        ("--calls 9 --confidence .9", "--confidence must be left out with --calls 9;"),
        ("--map --guarantee exact", "--guarantee must be left out with --map."),
        ("--map --for-new 9", "--for-new must be left out with --map;"),
        (
            "--beta 1 --average objects --guarantee simultaneous",
            "--average must be 'pairs' with --guarantee simultaneous.",
        ),
        ("--precision .7 --for-new 9", "--for-new must be given with a confidence or a guarantee."),
        (
            "--precision .7 --guarantee fdr --new new.csv --groups g.csv",
            "--groups must be left out with --guarantee fdr,",
        ),
        ("--precision .7 --precision .9", "Give --precision once;"),
        ("--recall .7 --recall .9", "Give --recall once;"),
    ],
)
def test_options_that_do_not_belong_together_are_refused(options, message, files, call):
    code, _, err = call(*LINE, *options.split())
    assert code == 2
    assert message in err


def test_new_rows_that_allow_no_selection_are_not_a_target_reached(files, call, call_json):
    line = (*LINE, "--precision", "0.6", "--guarantee", "fdr", "--new", "one.csv")
    # One row of the lowest scores: whatever is selected may be false.
    pd.DataFrame([[0.01] * 5], pd.Index(["x"], name="id"), list("abcde")).to_csv("one.csv")
    code, out, _ = call(*line, "-o", "c.csv")
    assert code == TARGET_NOT_REACHED
    assert "is not reached, so nothing is predicted" in " ".join(out.split())
    assert "give more of them at once" in out
    assert len(pd.read_csv("c.csv", comment="#")) == 0


@pytest.mark.parametrize("target", ["--top-k 2", "--beta 1 --average objects", "--recall .6"])
def test_groups_and_weights_go_with_every_kind_of_target(target, files, weights, call_json):
    result = call_json(*LINE, *target.split(), "--groups", "g.csv", "--weights", "w.csv")
    same = {
        "--top-k 2": {"top_k": 2},
        "--beta 1 --average objects": {"beta": 1.0, "average": "objects"},
        "--recall .6": {"recall": 0.6},
    }[target]
    groups = np.arange(200) // 4
    expected = pick_threshold(*files, **same, groups=groups, sample_weight=weights)
    fields = result["rankers"]["raw"]
    assert fields["precision"] == pytest.approx(expected.precision)
    assert fields["intervals"]["recall"] == pytest.approx(list(expected.intervals["recall"]))
