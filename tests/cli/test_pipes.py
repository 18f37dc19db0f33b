"""Every input of every command may be standard input or a pipe, as ``<(…)`` gives one."""

import json
import os
import threading
from pathlib import Path

import pytest

posix = pytest.mark.skipif(not Path("/dev/fd").exists(), reason="names of open files")

CAFA = "cafa predictions.txt --truth truth.tsv --ontology ontology.obo --resamples 0"
LINES = [
    "split labels.csv -k 3 --groups families.csv",
    "split labels.csv -k 3 --fixed folds3.csv",
    "split labels.csv -k 5 --method optisplit --initial folds.csv",
    "split labels.csv -k 3 --similarity hits.m8",
    "quality labels.csv plain.csv",
    "rank scores.npz labels.csv --ranker raw",
    "rank scores.npz labels.csv --ranker raw --new scores.npz -o new.npz",
    "decide scores.npz labels.csv --calls 50 --ranker raw --folds folds.csv",
    "pairs pairs.csv -k 2 --features features.csv --compare",
    "audit pairs.csv --train train.csv --test test.csv",
    "audit pairs.csv --folds pair_folds.csv",
    "score pairs.csv pair_scores.csv --folds pair_folds.csv --resamples 0",
    f"{CAFA} --ia IA.txt",
    f"{CAFA} --known training.tsv",
    f"{CAFA} --train both.tsv --hits hits.m8",
    "cafa predictions.txt --before training.tsv --truth both.tsv --ontology ontology.obo"
    " --resamples 0",
    "report split.json calls.json -o page.html",
]
CASES = [
    (line, place)
    for line in LINES
    for place, word in enumerate(line.split())
    if "." in word and line.split()[place - 1] != "-o"
]
#: What differs by the name of a file and by the time.
NAMED = ("provenance", "read", "method", "methods", "differences", "warnings", "outputs")
NAMED += ("seconds", "bytes", "verdict")


@pytest.fixture
def inside(home, monkeypatch):
    """The folder of the demo, and some files more."""
    monkeypatch.chdir(home / "trueval-demo")
    Path("plain.csv").write_bytes(Path("folds.csv").read_bytes())  # without a side file
    rows = Path("folds.csv").read_text().splitlines()
    rows = [rows[0], *(row for row in rows[1:] if row.endswith((",0", ",1", ",2")))]
    Path("folds3.csv").write_text("\n".join(rows) + "\n")
    Path("both.tsv").write_text(Path("training.tsv").read_text() + Path("truth.tsv").read_text())
    return home


def said(out):
    return without_names(json.loads(out))


def without_names(value):
    if isinstance(value, dict):
        return {key: without_names(inner) for key, inner in value.items() if key not in NAMED}
    return list(map(without_names, value)) if isinstance(value, list) else value


def pipe_with(content):
    """Name of a pipe that gives some content once, and what to close after."""
    read_end, write_end = os.pipe()

    def feed():
        with os.fdopen(write_end, "wb") as file:
            file.write(content)

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    return read_end, thread


@posix
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("line", "place"), CASES, ids=lambda value: str(value).split()[0])
def test_any_input_may_be_a_pipe_or_standard_input(inside, call, line, place):
    words = line.split()
    content = Path(words[place]).read_bytes()
    _, expected, err = call(*words, "--json")
    expected = said(expected)
    assert "error" not in expected, err

    words[place] = "-"
    _, out, err = call(*words, "--json", data=content)
    assert said(out) == expected, err

    read_end, thread = pipe_with(content)
    try:
        words[place] = f"/dev/fd/{read_end}"
        _, out, err = call(*words, "--json")
    finally:
        os.close(read_end)
        thread.join()
    assert said(out) == expected, err


@posix
def test_standard_input_of_a_process(inside, shell):
    for line in ("cat split.json | trueval report - -o a.html", "trueval report - < split.json"):
        result = shell(line)
        assert result.returncode == 0, result.stderr
        assert "1 result (split)" in result.stdout
    result = shell("trueval report <(cat split.json) <(cat calls.json) -o b.html")
    assert result.returncode == 0, result.stderr
    assert "2 results (split, " in result.stdout


def test_an_ontology_with_loose_ends_is_read_from_a_pipe_too(inside, call, shell):
    """It is read twice: edges to terms that are not there are left out the second time."""
    text = Path("ontology.obo").read_text()
    text += "\n[Term]\nid: X:loose\nis_a: X:nowhere\n"
    Path("loose.obo").write_text(text)
    line = "trueval cafa predictions.txt --truth truth.tsv --resamples 0 --json --ontology"
    first, second = shell(f"{line} loose.obo"), shell(f"{line} <(cat loose.obo)")
    assert first.returncode == second.returncode == 0, second.stderr
    assert said(first.stdout) == said(second.stdout)
