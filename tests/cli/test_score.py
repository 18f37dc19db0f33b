"""``trueval score``: the figures of scikit-learn, in every form of input; errors with a fix."""

import json
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import roc_auc_score

from trueval.cli.app import cli


def run(*arguments):
    result = CliRunner().invoke(cli, ["score", *map(str, arguments), "--resamples", "50"])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Pairs of 20 proteins with a split column: the last eight are held out together."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    pairs = np.array(list(combinations(range(20), 2)))
    score = rng.normal(size=len(pairs))
    y = (score + rng.normal(size=len(pairs)) > 0).astype(int)
    held = (pairs >= 12).sum(axis=1)
    split = np.where(held == 0, np.where(rng.random(len(pairs)) < 0.8, "train", "valid"), "test")
    names = [f"P{n}" for n in range(20)]
    rows = [(names[a], names[b]) for a, b in pairs]
    lines = [f"{a},{b},{y[r]},{split[r]}" for r, (a, b) in enumerate(rows)]
    write("pairs.csv", ["protein_a,protein_b,y,split", *lines])
    test = split == "test"
    return {
        "rows": rows,
        "y": y,
        "score": score,
        "split": split,
        "expected": {
            "all": roc_auc_score(y[test], score[test]),
            "AB": roc_auc_score(y[held == 1], score[held == 1]),
            "BB": roc_auc_score(y[held == 2], score[held == 2]),
        },
    }


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def with_header(header, lines):
    return [header, *lines]


FORMS = {
    "ids": lambda f: with_header(
        "protein_a,protein_b,prob",
        [f"{a},{b},{s}" for (a, b), s in zip(f["rows"], f["score"], strict=True)],
    ),
    "mirrored, shuffled, other names": lambda f: with_header(
        "x,y,score",
        [f"{b},{a},{s}" for (a, b), s in list(zip(f["rows"], f["score"], strict=True))[::-1]],
    ),
    "spaces, no header": lambda f: [
        f"{a} {b} {s}" for (a, b), s in zip(f["rows"], f["score"], strict=True)
    ],
    "rows": lambda f: with_header("row,score", [f"{r},{s}" for r, s in enumerate(f["score"])]),
    "order": lambda f: [str(s) for s in f["score"]],
    "order, named": lambda f: with_header("prediction", [str(s) for s in f["score"]]),
    "test pairs only": lambda f: with_header(
        "protein_a,protein_b,score",
        [
            f"{a},{b},{s}"
            for (a, b), s, part in zip(f["rows"], f["score"], f["split"], strict=True)
            if part == "test"
        ],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_settings_have_the_aucs_of_scikit_learn(files, form):
    write("scores.csv", FORMS[form](files))
    result = run("pairs.csv", "scores.csv", "--split-column", "split", "--json")
    assert result.exit_code == 0, result.output
    settings = json.loads(result.stdout)["settings"]
    assert set(settings) == set(files["expected"])
    for name, value in files["expected"].items():
        line = settings[name]["pooled"]
        assert line["auc"] == pytest.approx(value, abs=1e-9)
        assert line["low"] < value < line["high"]


def test_scores_of_folds_are_kept_apart(files):
    n = len(files["rows"])
    folds = np.arange(n) % 2
    write("folds.csv", ["row,fold_0,fold_1", *(f"{r},train,test" for r in range(n))])
    roles = [("test", "train") if f == 0 else ("train", "test") for f in folds]
    roles[0] = ("test", "test")  # as overlapping folds have it
    roles[1] = ("test", "test")
    write("folds.csv", ["row,fold_0,fold_1", *(f"{r},{a},{b}" for r, (a, b) in enumerate(roles))])
    rng = np.random.default_rng(1)
    own = {(r, f): rng.normal() for r in range(n) for f in (0, 1) if roles[r][f] == "test"}
    write("scores.csv", ["row,fold,score", *(f"{r},{f},{s}" for (r, f), s in own.items())])
    result = run("pairs.csv", "scores.csv", "--folds", "folds.csv", "--json")
    assert result.exit_code == 0, result.output
    y = files["y"]
    by_fold = [
        roc_auc_score(*zip(*[(y[r], s) for (r, g), s in own.items() if g == f], strict=True))
        for f in (0, 1)
    ]
    line = json.loads(result.stdout)["settings"]["all"]
    assert line["averaged"]["auc"] == pytest.approx(np.mean(by_fold), abs=1e-12)
    assert line["pairs"] == len(own)


def test_one_score_in_several_folds_is_said(files):
    n = len(files["rows"])
    write("folds.csv", ["row,fold_0,fold_1", *(f"{r},{'test' if r else 'train'},"
          f"{'test' if r > 1 else 'train'}" for r in range(n))])  # fmt: skip
    write("scores.csv", FORMS["order"](files))
    result = run("pairs.csv", "scores.csv", "--folds", "folds.csv")
    assert result.exit_code == 0, result.output
    assert "tested by a further fold" in result.stderr


def test_the_pairs_may_have_the_scores_themselves(files):
    with open("pairs.csv", encoding="utf-8") as file:
        header, *lines = file.read().splitlines()
    lines = [f"{line},{s}" for line, s in zip(lines, files["score"], strict=True)]
    write("all.csv", [f"{header},my_model", *lines])
    result = run(
        *("all.csv", "all.csv", "--split-column", "split", "--score-column", "my_model", "--json")
    )
    assert result.exit_code == 0, result.output
    auc = json.loads(result.stdout)["settings"]["BB"]["pooled"]["auc"]
    assert auc == pytest.approx(files["expected"]["BB"], abs=1e-9)


def test_output_is_a_plain_table(files):
    write("scores.csv", FORMS["ids"](files))
    result = run("pairs.csv", "scores.csv", "--split-column", "split", "-o", "figures.csv")
    assert result.exit_code == 0, result.output
    with open("figures.csv", encoding="utf-8") as file:
        header, *lines = file.read().splitlines()
    assert header.startswith("setting,pairs,positives,pooled,pooled_low,pooled_high,null,averaged")
    bb = dict(zip(header.split(","), lines[-1].split(","), strict=True))
    assert bb["setting"] == "BB"
    assert float(bb["pooled"]) == pytest.approx(files["expected"]["BB"], abs=1e-9)


def test_text_names_both_notations_and_what_was_left_out(files):
    write("scores.csv", FORMS["ids"](files))
    text = run("pairs.csv", "scores.csv", "--split-column", "split").stdout
    assert "BB (C3)" in text
    assert "pairs for validation (valid) are not scored" in text
    assert "scores in column 'prob', matched to pairs by columns" in " ".join(text.split())


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["protein_a,protein_b,score", "P1,Q9,0.5"], "1 of 1 lines are not among the pairs"),
        (["protein_a,protein_b,score", "P1,P2,0.5", "P2,P1,0.6"], "in another line"),
        (["protein_a,protein_b,score", "P1,P2,0.5"], "test rows of test have no finite score"),
        (["0.5", "0.6"], "2 scores for 190 pairs"),
        (["row,score", "999,0.5"], "row 999 is beyond the 190 pairs"),
        (["protein_a,protein_b,prob,score", "P1,P2,0.5,1"], "--score-column"),
        (["protein_a,protein_b,m1,m2", "P1,P2,0.5,1"], "--score-column"),
    ],
)
def test_scores_that_do_not_fit_are_refused_with_the_fix(files, lines, words):
    write("scores.csv", lines)
    result = run("pairs.csv", "scores.csv", "--split-column", "split")
    assert result.exit_code == 1, result.output
    assert words in result.stderr


def test_labels_are_needed(files):
    write("plain.csv", ["a,b,split", "P1,P2,train", "P3,P4,test"])
    write("scores.csv", ["0.1", "0.2"])
    result = run("plain.csv", "scores.csv", "--split-column", "split")
    assert result.exit_code == 1
    assert "the pairs have no label" in result.stderr
    assert run("plain.csv", "scores.csv").exit_code == 2
