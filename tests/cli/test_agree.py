"""The predictions file, the terminal, --json, the saved result and the page say the same."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from trueval.data import simulate, write_labels, write_scores
from trueval.report import read_stage
from trueval.show import number

DEMO = "trueval-demo"
LINE = ("decide", f"{DEMO}/scores.npz", f"{DEMO}/labels.csv")
FEW = ("decide", "scores.npz", "labels.csv", "--same-order")


def island(path):
    """The data of a page."""
    text = Path(path).read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text)[1])


def counts_of(file):
    """Predictions in all, and of each class, in a file of predictions."""
    frame = pd.read_csv(file, comment="#")
    return len(frame), frame["label"].astype(str).value_counts().to_dict()


def of_stage(stage):
    """The same of the saved result: as saved, and as counted at the live threshold."""
    saved, names = stage.data["predictions"], stage.data["classes"]
    by_class = zip(saved["by_class"]["class"], saved["by_class"]["n"], strict=True)
    return saved["n_predictions"], {names[k]: n for k, n in by_class}


@pytest.fixture
def few_rows(tmp_path, monkeypatch):
    """Scores of 150 rows and 12 classes, and their labels: a command takes a second."""
    monkeypatch.chdir(tmp_path)
    y = simulate.label_matrix(150, 12, cardinality=2, random_state=0)
    noise = np.random.default_rng(0).normal(size=y.shape)
    write_labels("labels.csv", y)
    write_scores("scores.npz", y.toarray() * 3.0 + noise)


@pytest.mark.parametrize(
    "target",
    [("--precision", "0.9"), ("--recall", "0.3"), ("--beta", "2"), ("--calls", "150"),
     ("--precision", "0.8", "--ranker", "raw"), ("--precision", "0.8", "--compare", "raw")],
    ids=" ".join,
)  # fmt: skip
def test_one_run_has_one_answer(target, few_rows, call, call_json):
    files = ("-o", "calls.csv", "--save", "decide.json", "--report", "page.html")
    result = call_json(*FEW, *target, *files)
    n, by_class = counts_of("calls.csv")
    assert n > 0
    assert (result["calls"], result["called_classes"]) == (n, len(by_class))
    # The saved result.
    stage = read_stage("decide.json")
    assert of_stage(stage) == (n, by_class)
    assert stage.data["predictions"]["threshold"] == result["threshold"]
    values = pd.read_csv("calls.csv", comment="#")["score"]
    assert values.min() >= result["threshold"]
    # The terminal.
    code, out, _ = call(*FEW, *target)
    assert code == 0
    text = " ".join(out.split())
    assert f"{n:,} predictions in {len(by_class):,} of" in text
    assert f"at least {result['threshold']:.4g}" in text
    # The page of this run, and the page made of the saved result later.
    assert call("report", "decide.json", "-o", "later.html")[0] == 0
    for page in ("page.html", "later.html"):
        shown = island(page)["stages"]["s0"]
        place = shown["choices"][0]["place"]
        assert shown["grid"]["thresholds"][place] == result["threshold"]
        assert shown["grid"]["calls"][place] == n


def test_the_page_of_the_demo_begins_with_its_predictions(demo_home, demo_runs, open_page):
    """What a person reads: the story in the terminal, the file, and the page in a browser."""
    n, by_class = counts_of(demo_home / DEMO / "calls.csv")
    story = " ".join(next(iter(demo_runs.values()))["out"].split())
    assert f"{n:,} predictions in {len(by_class):,} of" in story
    page = open_page(demo_home / DEMO / "report.html")
    section = page.locator("section:has([data-out=calls])").last
    assert section.locator("[data-out=calls]").inner_text() == number(n)
    assert section.locator("[data-out=classes]").inner_text() == number(len(by_class))
    key = section.get_attribute("id")
    shown = page.evaluate(
        """(key) => {
          const { counts, stage, place } = TRUEVAL.live[key];
          return stage.classes.map((name, k) => [name, counts.ofClass(k, place).calls]);
        }""",
        key,
    )
    assert {name: calls for name, calls in shown if calls} == by_class


def test_new_rows_are_counted_as_they_are_written(home, call_json):
    files = ("-o", "new.csv", "--save", "new.json", "--report", "new.html")
    result = call_json(*LINE, "--precision", "0.8", "--new", f"{DEMO}/scores.npz", *files)
    n, by_class = counts_of("new.csv")
    stage = read_stage("new.json")
    assert (result["calls"], result["called_classes"]) == (n, len(by_class))
    assert of_stage(stage) == (n, by_class)
    assert stage.data["predictions"]["new"] is True
    assert stage.data["predictions"]["threshold"] == result["threshold"]


def test_the_page_and_the_terminal_have_the_same_words(home, call):
    line = ("split", f"{DEMO}/labels.csv", "-k", "3", "--compare", "random")
    code, out, _ = call(*line, "--save", "split.json", "--report", "page.html")
    assert code == 0
    verdict = read_stage("split.json").summary.verdict
    assert " ".join(verdict.text.split()) in " ".join(out.split())
    assert verdict.text in Path("page.html").read_text(encoding="utf-8").replace("&#39;", "'")
    assert np.isfinite(read_stage("split.json").data["rld_bound"])
