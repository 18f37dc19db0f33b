"""What a measuring process does for the pairs benchmark."""

import importlib
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.process import Meter

__all__ = ["knn", "knn_refits", "knn_searches", "protein_pairs", "ridge", "ridge_refits", "split"]

KS = list(range(10, 101, 10))
ALPHA = 0.01


def protein_pairs(n_objects: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """All pairs of simulated proteins; positive where they share a term."""
    from trueval.data import simulate

    proteins = simulate.protein_families(n_objects, random_state=seed)
    pairs = np.array(list(combinations(range(n_objects), 2)))
    share = proteins.terms.astype(int) @ proteins.terms.astype(int).T
    y = np.asarray(share[pairs[:, 0], pairs[:, 1]]).reshape(-1) > 0
    return proteins.features, pairs, y


def _problem(n_objects: int) -> tuple[Any, Any, Any, Any]:
    objects, pairs, y = protein_pairs(n_objects)
    return objects, pairs, y, objects[pairs[:, 0]] + objects[pairs[:, 1]]


def knn(*, objects: int, out: str) -> Iterator[dict[str, Any]]:
    """Strict and relaxed leave-two-out of KNN for ten K, exact and fast."""
    from trueval.pairs import ObjectLeaveTwoOut, cross_val_scores_knn

    features, pairs, y, _ = _problem(objects)
    meter = Meter()
    scores, cpu = meter.time(
        lambda: cross_val_scores_knn(features, pairs, y, ObjectLeaveTwoOut(), KS, scheme="both"),
        3,
    )
    np.savez(out, **scores)
    yield {"cpu": cpu, "fits": 2 * len(KS) * len(pairs)} | meter.memory()


def knn_refits(*, objects: int, out: str, folds: int) -> Iterator[dict[str, Any]]:
    """The same by refits of scikit-learn, on a sample of folds: one fit for each K."""
    from sklearn.neighbors import KNeighborsRegressor

    def predict(X: Any, y: Any, new: Any) -> Any:
        fitted = (KNeighborsRegressor(k, weights="distance").fit(X, y) for k in KS)
        return np.column_stack([model.predict(new) for model in fitted])

    yield from _refits(objects, out, folds, predict, len(KS))


def knn_searches(*, objects: int, out: str, folds: int) -> Iterator[dict[str, Any]]:
    """The same by one neighbour search of scikit-learn a fold, shared by all K."""
    from sklearn.neighbors import NearestNeighbors

    def predict(X: Any, y: Any, new: Any) -> Any:
        distance, near = NearestNeighbors(n_neighbors=KS[-1]).fit(X).kneighbors(new)
        at_once = distance == 0
        weight = np.where(at_once.any(1)[:, None], at_once, 1 / np.where(at_once, 1.0, distance))
        # Neighbours in order: the first K of the largest K are the K nearest. Where one is at
        # distance 0 only those count, and they come first.
        above, below = np.cumsum(weight * y[near], 1), np.cumsum(weight, 1)
        last = np.array(KS) - 1
        return above[:, last] / below[:, last]

    yield from _refits(objects, out, folds, predict, 1)


def ridge(*, objects: int, out: str) -> Iterator[dict[str, Any]]:
    """Strict and relaxed leave-two-out of ridge regression, exact and fast."""
    from trueval.pairs import ObjectLeaveTwoOut, cross_val_scores_ridge

    _, pairs, y, X = _problem(objects)
    meter, scores, spent = Meter(), {}, 0.0
    for scheme in ("strict", "relaxed"):
        cv = ObjectLeaveTwoOut(scheme=scheme)
        scores[scheme], cpu = meter.time(
            lambda cv=cv: cross_val_scores_ridge(X, pairs, y, cv, ALPHA), 3
        )
        spent += cpu
    np.savez(out, **scores)
    yield {"cpu": spent, "fits": 2 * len(pairs)} | meter.memory()


def ridge_refits(*, objects: int, out: str, folds: int) -> Iterator[dict[str, Any]]:
    """The same by refits of scikit-learn."""
    from sklearn.linear_model import Ridge

    def predict(X: Any, y: Any, new: Any) -> Any:
        return Ridge(alpha=ALPHA).fit(X, y).predict(new)[:, None]

    yield from _refits(objects, out, folds, predict, 1)


def _refits(
    objects: int, out: str, folds: int, predict: Any, n_fits: int
) -> Iterator[dict[str, Any]]:
    """Time of all folds from a sample, fit and predict alone, and the largest difference to ours.

    ``predict`` gives the scores of new rows, a column for each setting, by ``n_fits`` fits.
    """
    from trueval.pairs import ObjectLeaveTwoOut

    _, pairs, y, X = _problem(objects)
    target, ours = y.astype(float), np.load(out)
    chosen = np.random.default_rng(0).choice(len(pairs), min(folds, len(pairs)), replace=False)
    wanted = set(chosen.tolist())
    meter, spent, n_done, worst = Meter(), 0.0, 0, 0.0
    for scheme in ("strict", "relaxed"):
        splits = ObjectLeaveTwoOut(scheme=scheme).split(groups=pairs)
        for number, (train, test) in enumerate(splits):
            if number not in wanted:
                continue
            given = X[train], target[train], X[test]
            score, cpu = meter.time(lambda given=given: predict(*given))
            spent += cpu
            n_done += 1
            worst = max(worst, float(np.abs(score - ours[scheme][test]).max()))
    total = 2 * len(pairs)
    row = {"cpu": spent / n_done * total, "fits": total * n_fits, "sampled": n_done * n_fits}
    yield row | {"difference": worst} | meter.memory()


def split(*, name: str, pairs: str, k: int, symmetric: bool, out: str) -> Iterator[dict[str, Any]]:
    """Split pairs once; the rows of the first fold go to a file for the audit."""
    from benchmarks.pairs_peers import PAIR_SPLITS

    way, table = PAIR_SPLITS[name], np.load(pairs)
    importlib.import_module(way.module)
    meter = Meter()
    (train, test), cpu = meter.steady(lambda: way.split(table, k, symmetric))
    np.savez(Path(out), train=train, test=test)
    yield {"cpu": cpu} | meter.memory()
