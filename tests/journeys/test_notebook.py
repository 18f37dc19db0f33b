"""An ML engineer: a notebook with scikit-learn, run cell by cell as a kernel would."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, average_precision_score

NOTEBOOK = Path(__file__).with_name("notebook.ipynb")


@pytest.fixture(scope="module")
def notebook():
    """Names that the notebook leaves, and what each cell shows: the value of its last line."""
    names, shown = {}, {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        code = ast.parse("".join(cell["source"]), cell["id"])
        last = code.body.pop() if isinstance(code.body[-1], ast.Expr) else None
        exec(compile(code, cell["id"], "exec"), names)
        if last is not None:
            shown[cell["id"]] = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)
    return names, shown


def test_three_parts_have_their_shares_of_rows_and_classes(notebook):
    names, shown = notebook
    assert shown["c"] == ((180, 15), (60, 4), (60, 4))
    for part in ("Y_val", "Y_test"):
        assert np.abs(names[part].sum(axis=0) - names["Y"].sum(axis=0) / 5).max() <= 1
    rows = [set(map(bytes, names[f"X_{part}"])) for part in ("train", "val", "test")]
    assert len(set.union(*rows)) == sum(map(len, rows))


def test_the_grid_search_has_the_score_of_refits_by_hand(notebook):
    names, shown = notebook
    X, Y, search = names["X_train"], names["Y_train"], names["search"]
    best = clone(names["model"]).set_params(**search.best_params_)
    accuracies = [
        accuracy_score(Y[test], clone(best).fit(X[train], Y[train]).predict(X[test]))
        for train, test in names["cv"].split(X, Y)
    ]
    assert shown["d"] == pytest.approx(np.mean(accuracies), abs=1e-12)


def test_the_measures_of_the_split_are_those_by_hand(notebook):
    names, shown = notebook
    Y, folds = names["Y_train"], names["folds"]
    counts = np.array([Y[folds == fold].sum(axis=0) for fold in range(3)])
    deviations = np.abs(counts / counts.sum(axis=0) - 1 / 3) / (1 / 3)
    assert shown["e"].rld_wanted == pytest.approx(deviations.mean(), abs=1e-12)


def test_a_list_of_probabilities_reaches_the_precision(notebook):
    names, shown = notebook
    Y, choice = names["Y_train"], shown["f"]
    array = np.stack([part[:, 1] for part in names["scores"]], axis=1)
    from trueval.rank import pooled_precision_recall_curve

    curve = pooled_precision_recall_curve(names["scores"], Y)
    expected = average_precision_score(Y.ravel(), array.ravel())
    assert curve.average_precision == pytest.approx(expected, abs=1e-12)
    assert choice.target_reached


def test_results_show_themselves(notebook):
    _, shown = notebook
    for cell in ("e", "f"):
        assert shown[cell]._repr_html_().strip().startswith("<")
    assert shown["g"] == (60, 4)
