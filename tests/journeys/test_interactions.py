"""Somebody with protein interactions: one published CSV with a split column, and own scores."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score


@pytest.fixture
def published(write):
    """Pairs of 24 proteins: six held out altogether, six in part; and a model's scores."""
    rng = np.random.default_rng(0)
    names = [f"P{number:02d}" for number in range(24)]
    rows = [(a, b) for a, b in combinations(names, 2) if rng.random() < 0.8]
    held = [sum(name >= "P18" for name in row) for row in rows]
    words = np.array(["train", "test", "test"])[held]
    seen = (words == "train") & (rng.random(len(rows)) < 0.2)
    words = np.where(seen, np.where(rng.random(len(rows)) < 0.5, "valid", "test"), words)
    y = rng.integers(2, size=len(rows))
    score = y + rng.normal(scale=1.5, size=len(rows))
    write("pairs.csv", ["uniprot_a,uniprot_b,interaction,split"] + [
        f"{a},{b},{y[r]},{words[r]}" for r, (a, b) in enumerate(rows)
    ])  # fmt: skip
    write("scores.csv", ["uniprot_b,uniprot_a,probability"] + [
        f"{b},{a},{score[r]:.6f}" for r, (a, b) in enumerate(rows) if words[r] != "train"
    ])  # fmt: skip
    return rows, words, y, np.round(score, 6)


def by_setting(rows, words):
    """Test rows by how many of their proteins occur in training pairs."""
    seen = {name for row, word in zip(rows, words, strict=True) if word == "train" for name in row}
    test = [r for r, word in enumerate(words) if word == "test"]
    known = {r: sum(name in seen for name in rows[r]) for r in test}
    return {s: [r for r in test if known[r] == n] for s, n in (("AA", 2), ("AB", 1), ("BB", 0))}


def test_the_audit_says_what_the_split_tests(published, trueval):
    rows, words, *_ = published
    audit = trueval("audit pairs.csv --split-column split --json")["audits"]["test"]
    assert audit["counts"] == {s: len(own) for s, own in by_setting(rows, words).items()}
    assert audit["n_duplicates"] + audit["n_mirrored"] == 0
    text = trueval("audit pairs.csv --split-column split --require C3", code=1)
    assert "test pairs know more objects than BB allows" in " ".join(text.split())


def test_own_scores_have_the_aucs_of_scikit_learn_with_intervals(published, trueval):
    rows, words, y, score = published
    result = trueval("score pairs.csv scores.csv --split-column split --resamples 200 --json")
    for setting, own in by_setting(rows, words).items():
        line = result["settings"][setting]
        expected = roc_auc_score(y[own], score[own])
        assert line["pooled"]["auc"] == pytest.approx(expected, abs=1e-9)
        assert line["pairs"] == len(own)
        assert line["pooled"]["low"] <= expected <= line["pooled"]["high"]
    text = trueval("score pairs.csv scores.csv --split-column split --resamples 200")
    assert "BB (C3)" in text
    assert "pairs for validation (valid) are not scored" in text
