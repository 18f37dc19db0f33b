"""Scores of three models on real data, for the rank benchmark: train, calibrate and test apart.

The objects of a split are shuffled and cut into thirds: a model learns on the first, a ranker on
the model's scores of the second, and the third judges the ranker.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["MODELS", "SETS", "problem", "split_scores"]

SETS = {
    "bibtex": 6,
    "delicious": 3,
    "yeast": 24,
    "scene": 12,
    "emotions": 24,
    "rcv1sub1": 6,
    "rcv1sub2": 6,
    "rcv1sub3": 6,
    "rcv1sub4": 6,
    "rcv1sub5": 6,
}
"""Data sets and the number of their splits: more where objects are few and noise is large."""

N_TREES = 100


def _logistic(X: Any, y: Any, others: list[Any]) -> list[Any]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    model = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(X, y)
    return [model.predict_proba(other) for other in others]


def _svm(X: Any, y: Any, others: list[Any]) -> list[Any]:
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    model = OneVsRestClassifier(LinearSVC(random_state=0)).fit(X, y)
    return [model.decision_function(other) for other in others]


def _forest(X: Any, y: Any, others: list[Any]) -> list[Any]:
    """A forest, tree by tree: all trees of 983 classes do not fit into memory at once."""
    from sklearn.ensemble import RandomForestClassifier

    sums = [np.zeros((other.shape[0], y.shape[1])) for other in others]
    for seed in range(N_TREES):
        tree = RandomForestClassifier(1, random_state=seed).fit(X, y)
        for total, other in zip(sums, others, strict=True):
            total += np.column_stack([chance[:, 1] for chance in tree.predict_proba(other)])
    return [total / N_TREES for total in sums]


MODELS: dict[str, Callable[[Any, Any, list[Any]], list[Any]]] = {
    "logistic regression": _logistic,
    "linear SVM": _svm,
    "random forest": _forest,
}
"""Probabilities, margins of any scale, and shares of votes with many ties."""


def _load(name: str, folder: Path) -> tuple[sp.csr_array, sp.csr_array]:
    X = sp.csr_array(sp.load_npz(folder / f"{name}_X.npz"))
    y = sp.csr_array(sp.load_npz(folder / f"{name}_Y.npz"))
    if name.startswith("rcv1"):  # the label columns of the other half are in another order
        X, y = X[:3000], y[:3000]
    return X, y


def split_scores(name: str, model: str, split: int, folder: Path) -> dict[str, Any]:
    """Scores and labels of the objects to calibrate on (a, y) and to judge on (b, z).

    Classes without a positive or a negative in the training part are left out: the model has
    nothing to say of them.
    """
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    X, y = _load(name, folder)
    parts = np.array_split(np.random.default_rng([14, split]).permutation(X.shape[0]), 3)
    counts = np.bincount(y[parts[0]].indices, minlength=y.shape[1])
    kept = np.flatnonzero((counts > 0) & (counts < len(parts[0])))
    # scikit-learn reads wrong columns of int8 labels of more than 127 classes.
    truth = [y[part][:, kept].toarray().astype(np.int64) for part in parts]
    dense = X.nnz > 0.5 * X.shape[0] * X.shape[1]
    scaler = StandardScaler() if dense else MaxAbsScaler()
    inputs = [X[part].toarray() if dense else X[part] for part in parts]
    scaler.fit(inputs[0])
    inputs = [scaler.transform(part) for part in inputs]
    a, b = MODELS[model](inputs[0], truth[0], inputs[1:])
    return {"a": a, "b": b} | {k: t.astype(np.int8) for k, t in zip("yz", truth[1:], strict=True)}


def problem(
    name: str, model: str, split: int, folder: Path, kept: Path | None = None
) -> dict[str, Any]:
    """The same, read from the folder of kept scores where it is there, else written to it."""
    path = kept / f"{name}-{model.replace(' ', '_')}-{split}.npz" if kept else None
    if path is not None and path.is_file():
        with np.load(path) as file:
            return {key: file[key] for key in file.files}
    made = split_scores(name, model, split, folder)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **made)
    return made
