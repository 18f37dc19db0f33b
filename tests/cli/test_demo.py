"""The demo tells its story, and each of its commands repeats its step."""

import json
import re

from trueval.cli.demo import demo, steps
from trueval.data import read_folds, read_labels, read_scores

FIRST, ANOTHER = demo.examples


def test_json_of_the_demo(demo_home, demo_runs):
    told = json.loads(demo_runs[ANOTHER]["out"])
    split = told["steps"]["split"]["methods"]
    assert set(split) == {"anneal", "iterative", "optisplit", "random"}
    assert 1 <= split["anneal"]["rld_ratio"] < split["random"]["rld_ratio"]
    ranked = told["steps"]["rank"]["average_precision"]
    old = ranked.pop("precision")  # the old name, kept for programs
    assert set(ranked) == {"calibrated", "lpr", "fdr", "pvalue", "raw"}
    assert max(ranked, key=ranked.get) == "calibrated"
    assert old == ranked["calibrated"]
    decided = told["steps"]["decide"]["rankers"]["calibrated"]
    low, high = decided["intervals"]["precision"]
    assert low < 0.9 < high
    auc = {
        s["scheme"]: s["pooled"]
        for s in told["steps"]["pairs"]["schemes"]
        if s["model"] == "nearest neighbours"
    }
    assert auc["strict"] < auc["relaxed"]
    assert auc["strict"] < auc["row-wise"]
    assert told["commands"] == [step["command"] for step in steps("another-demo", 0)]
    for path in told["outputs"]:
        assert (demo_home / path).stat().st_size > 0, path


def test_files_agree_with_each_other(demo_home):
    folder = demo_home / "trueval-demo"
    labels = read_labels(folder / "labels.csv")
    folds = read_folds(folder / "folds.csv", labels)
    assert folds.provenance["parameters"]["method"] == "anneal"
    assert read_scores(folder / "scores.npz", labels).shape == labels.shape
    values = read_scores(folder / "values.npz", labels).matrix
    assert values.min() >= 0
    assert values.max() <= 1
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 2_000_000
    assert "trueval split" in page


def test_printed_commands_repeat_their_steps(home, as_printed):
    folder = home / "trueval-demo"
    same = ("folds.csv", "scores.npz", "values.npz", "calls.csv", "pair_folds.csv")
    before = {name: (folder / name).read_bytes() for name in same}
    for step in steps("trueval-demo", 0):
        for path in step["files"]:
            if path != "trueval-demo/model.py":
                (home / path).unlink()
        code, _, err = as_printed(step["command"])
        assert code == 0, (step["command"], err)
        for path in step["files"]:
            assert (home / path).exists(), step["command"]
    assert {name: (folder / name).read_bytes() for name in same} == before


def test_story_is_readable_and_prints_the_commands(demo_runs):
    story = demo_runs[FIRST]["out"]
    printed = re.findall(r"^\$ (.*)$", story, re.MULTILINE)
    assert printed == [step["command"] for step in steps("trueval-demo", 0)]
    assert "trueval-demo/report.html" in story
    assert "\x1b" not in story
    assert len(story.splitlines()) < 100


def test_commands_of_another_seed_and_folder():
    commands = [step["command"].split() for step in steps("there", 1)]
    assert all(words[-2:] == ["--seed", "1"] for words in commands if words[0] == "trueval")
    assert all(any("there" in word for word in words) for words in commands)
