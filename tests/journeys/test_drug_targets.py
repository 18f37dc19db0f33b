"""Somebody with drugs and targets: folds of both, a model of their own, its scores judged."""

import csv

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score


@pytest.fixture
def measured(write):
    """Binding of 18 drugs and 15 targets; some ids occur in both columns."""
    rng = np.random.default_rng(0)
    drugs, targets = [f"D{n}" for n in range(17)] + ["X1"], [f"T{n}" for n in range(14)] + ["X1"]
    effects = rng.normal(size=(18, 2)), rng.normal(size=(15, 2))
    rows = [(d, t) for d in range(18) for t in range(15) if rng.random() < 0.9]
    X = np.array([[*effects[0][d], *effects[1][t]] for d, t in rows])
    X = np.column_stack([X, X[:, 0] * X[:, 2], X[:, 1] * X[:, 3]])
    y = (X[:, 4] + X[:, 5] + rng.normal(size=len(rows)) > 0).astype(int)
    write("binding.tsv", ["drug\ttarget\tlabel"] + [
        f"{drugs[d]}\t{targets[t]}\t{label}" for (d, t), label in zip(rows, y, strict=True)
    ])  # fmt: skip
    return rows, X, y


def test_a_model_of_new_drugs_and_new_targets_is_judged_by_its_scores(measured, write, trueval):
    rows, X, y = measured
    trueval("pairs binding.tsv --bipartite -k 3 -o folds.csv")
    with open("folds.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    names = [name for name in table[0] if name.startswith("fold_")]
    scores, aucs = {}, []
    for name in names:
        train = [r for r, line in enumerate(table) if line[name] == "train"]
        test = [r for r, line in enumerate(table) if line[name] == "test"]
        # New drugs and new targets, by brute force; X1 is a drug and, apart from it, a target.
        assert not {rows[r][0] for r in train} & {rows[r][0] for r in test}
        assert not {rows[r][1] for r in train} & {rows[r][1] for r in test}
        values = LogisticRegression().fit(X[train], y[train]).decision_function(X[test])
        scores |= dict(zip(test, values, strict=True))
        aucs.append(roc_auc_score(y[test], values))
    write("scores.csv", ["row,score", *(f"{row},{value:.17g}" for row, value in scores.items())])
    line = "score binding.tsv scores.csv --folds folds.csv --bipartite --resamples 200 --json"
    result = trueval(line)
    assert set(result["settings"]) == {"all", "BB"}
    averaged, pooled = (result["settings"]["BB"][name] for name in ("averaged", "pooled"))
    assert averaged["auc"] == pytest.approx(np.mean(aucs), abs=1e-9)
    tested = list(scores)
    assert pooled["auc"] == pytest.approx(
        roc_auc_score(y[tested], [scores[row] for row in tested]), abs=1e-9
    )
    assert averaged["low"] < averaged["auc"] < averaged["high"]
