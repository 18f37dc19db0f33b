"""What a command does once: parse its scores, number its ids, measure, fit."""

from pathlib import Path

import numpy as np
import pytest

import trueval
from trueval.core import pairs
from trueval.data import read_scores, write_scores
from trueval.data._values import scores
from trueval.rank import PrecisionRanker
from trueval.stratify import _quality as quality


@pytest.fixture
def count(monkeypatch):
    """Count the calls of functions, as their modules know them."""

    def counted(*places):
        calls = []
        for module, name in places:
            function = getattr(module, name)

            def wrapper(*args, _function=function, _name=name, **kwargs):
                calls.append(_name)
                return _function(*args, **kwargs)

            monkeypatch.setattr(module, name, wrapper)
        return calls

    return counted


READERS = [(scores, "read_raw")]


@pytest.mark.parametrize("command", ["rank", "decide"])
@pytest.mark.parametrize("suffix", ["npz", "npy", "csv"])
def test_scores_are_parsed_once(home, call_json, count, command, suffix):
    found = read_scores("trueval-demo/scores.npz")
    file = f"mine.{suffix}"
    if suffix == "npy":
        np.save(file, found.matrix)
    else:
        write_scores(file, found)
    parsed = count(*READERS)
    target = ("--beta", "1") if command == "decide" else ()
    options = ("--same-order", "--allow-unlabelled", "--ranker", "raw", *target)
    result = call_json(command, file, "trueval-demo/labels.csv", *options)
    assert result["rows"] == found.n_rows
    assert len(parsed) == 1, parsed


def test_the_ids_of_pairs_are_numbered_once(home, call_json, count):
    numbered = count((pairs, "number_ids"))
    demo = "trueval-demo"
    result = call_json(
        "pairs", f"{demo}/pairs.csv", "-k", "3", "--compare", "--features", f"{demo}/features.csv",
        "-o", "folds.csv", "--save", "pairs.json", "--report", "page.html",
    )  # fmt: skip
    assert {scheme["scheme"] for scheme in result["schemes"]} == {"row-wise", "relaxed", "strict"}
    assert numbered == ["number_ids"]


def test_an_audit_numbers_the_ids_once_for_all_folds(home, call_json, count):
    demo = "trueval-demo"
    numbered = count((pairs, "number_ids"))
    result = call_json(
        "audit", f"{demo}/pairs.csv", "--folds", f"{demo}/pair_folds.csv", "--save", "audit.json"
    )
    assert len(result["audits"]) == 5
    assert numbered == ["number_ids"]


def test_nobody_else_numbers_ids():
    """The counters above see every numbering of pairs; scores of pairs are matched to them."""
    root = Path(trueval.__file__).parent
    calling = [path for path in root.rglob("*.py") if "number_ids(" in path.read_text("utf-8")]
    assert sorted(str(path.relative_to(root)) for path in calling) == [
        "core/ids.py",
        "core/pairs.py",
        "data/_values/pair_rows.py",
    ]


@pytest.mark.parametrize(
    ("line", "n"),
    [
        ("split {labels} -k 3 --compare random --save s.json --report s.html", 2),
        ("split {labels} -k 3 --save s.json --report s.html", 1),
        ("quality {labels} trueval-demo/folds.csv --save q.json --report q.html", 1),
        ("quality {labels} trueval-demo/folds.csv", 1),
    ],
)
def test_quality_is_computed_once_for_each_split(home, call_json, monkeypatch, line, n):
    labels = "trueval-demo/labels.csv"
    computed = counted_calls(monkeypatch, quality.SplitQuality, "__init__")
    call_json(*line.format(labels=labels).split())
    assert len(computed) == n


@pytest.mark.parametrize(
    ("line", "n"),
    [
        ("decide {files} --precision 0.9 --save d.json --report d.html", 6),
        ("decide {files} --precision 0.9 --compare raw --save d.json", 6),
        ("decide {files} --precision 0.9 --new trueval-demo/scores.npz --save d.json", 6),
        ("rank {files} --compare raw --save r.json --report r.html", 6),
    ],
)
def test_a_ranker_is_fitted_once_for_each_fold_and_once_on_all_rows(
    home, call_json, monkeypatch, line, n
):
    files = "trueval-demo/scores.npz trueval-demo/labels.csv"
    fitted = counted_calls(monkeypatch, PrecisionRanker, "fit")
    call_json(*line.format(files=files).split())
    assert len(fitted) == n


def counted_calls(monkeypatch, owner, name):
    """Calls of a method from now on."""
    calls, method = [], getattr(owner, name)

    def wrapper(self, *args, **kwargs):
        calls.append(name)
        return method(self, *args, **kwargs)

    monkeypatch.setattr(owner, name, wrapper)
    return calls
