"""Measure the pairs room: speed against refits, published splits.

Run as ``python -m benchmarks.pairs COMMAND``. Real data are read from the folder in
``TRUEVAL_DATA``. Times are CPU seconds of one thread; ratios are what matters. The paper's
tables are studies: ``trueval.study``.
"""

import argparse
import os
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from trueval.data import simulate
from trueval.pairs import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    audit_pairs,
    coverage,
    cross_val_scores_knn,
    cross_val_scores_ridge,
    pooled_auc,
)


def data_folder() -> Path:
    folder = os.environ.get("TRUEVAL_DATA")
    if not folder or not Path(folder).is_dir():
        sys.exit("Set TRUEVAL_DATA to the folder with the real data.")
    return Path(folder)


# --- speed -----------------------------------------------------------------------


def protein_pairs(n_objects: int, seed: int = 0):
    proteins = simulate.protein_families(n_objects, random_state=seed)
    pairs = np.array(list(combinations(range(n_objects), 2)))
    share = proteins.terms.astype(int) @ proteins.terms.astype(int).T
    y = np.asarray(share[pairs[:, 0], pairs[:, 1]]).reshape(-1) > 0
    return proteins.features, pairs, y


def cpu(work, repeats=1):
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def knn(args):
    from sklearn.neighbors import KNeighborsRegressor

    objects, pairs, y = protein_pairs(args.objects)
    X, target = objects[pairs[:, 0]] + objects[pairs[:, 1]], y.astype(float)
    values = list(range(10, 101, 10))
    fast, both = cpu(
        lambda: cross_val_scores_knn(objects, pairs, y, ObjectLeaveTwoOut(), values, scheme="both"),
        5,
    )
    strict, _ = cpu(lambda: cross_val_scores_knn(objects, pairs, y, ObjectLeaveTwoOut(), values), 5)
    query, _ = cpu(lambda: KNeighborsRegressor(50, weights="distance").fit(X, target).predict(X), 5)
    # Refits: every scheme and K on a sample of folds, fit and predict only.
    spent, n_fits, worst = 0.0, 0, 0.0
    chosen = set(np.random.default_rng(0).choice(len(pairs), args.folds, replace=False).tolist())
    for scheme in ("strict", "relaxed"):
        for number, (train, test) in enumerate(
            ObjectLeaveTwoOut(scheme=scheme).split(groups=pairs)
        ):
            if number not in chosen:
                continue
            for v, k in enumerate(values):
                start = time.process_time()
                model = KNeighborsRegressor(k, weights="distance").fit(X[train], target[train])
                score = model.predict(X[test])
                spent += time.process_time() - start
                n_fits += 1
                worst = max(worst, float(np.abs(score - both[scheme][test, v]).max()))
    refits = spent / n_fits * len(pairs) * 20
    print(f"{args.objects} objects, {len(pairs)} pairs, ten values of K, one thread")
    print(f"strict and relaxed leave-two-out, all K: {fast:.3f} s")
    print(f"refits of KNeighborsRegressor: {refits:.1f} s, from {n_fits} of {20 * len(pairs)} fits")
    print(f"ratio: {refits / fast:.0f}; largest difference {worst:.1e}")
    print(
        f"strict leave-two-out {strict:.3f} s = {strict / query:.2f} plain queries ({query:.3f} s)"
    )


def ridge(args):
    from sklearn.linear_model import Ridge

    objects, pairs, y = protein_pairs(args.objects)
    X, target = objects[pairs[:, 0]] + objects[pairs[:, 1]], y.astype(float)
    for scheme in ("strict", "relaxed"):
        cv = ObjectLeaveTwoOut(scheme=scheme)
        fast, scores = cpu(lambda cv=cv: cross_val_scores_ridge(X, pairs, y, cv, 0.01), 5)
        spent, n_fits, worst = 0.0, 0, 0.0
        for number, (train, test) in enumerate(cv.split(groups=pairs)):
            if number % max(1, len(pairs) // args.folds):
                continue
            start = time.process_time()
            score = Ridge(alpha=0.01).fit(X[train], target[train]).predict(X[test])
            spent += time.process_time() - start
            n_fits += 1
            worst = max(worst, float(np.abs(score - scores[test, 0]).max()))
        refits = spent / n_fits * len(pairs)
        print(
            f"{scheme} leave-two-out of {len(pairs)} pairs: {fast:.3f} s, refits {refits:.1f} s "
            f"(from {n_fits}), ratio {refits / fast:.0f}, largest difference {worst:.1e}"
        )


# --- published splits ------------------------------------------------------------


def audit(args):
    """The audit against the 40 Park-Marcotte splits, whose roles are known."""
    file = np.load(data_folder() / "ppi_park_marcotte_yeast.npz", allow_pickle=False)
    pairs, y = np.column_stack([file["a"], file["b"]]), file["y"]
    role = file["role"]
    name_of = {2: "AA", 3: "AB", 4: "BB"}
    agree, n_rows, seconds = 0, 0, 0.0
    baseline = {name: [] for name in name_of.values()}
    for split in range(role.shape[1]):
        mine = role[:, split]
        train, test = np.flatnonzero(mine == 1), np.flatnonzero(mine >= 2)
        spent, result = cpu(lambda t=train, v=test: audit_pairs(pairs, t, v, y=y))
        seconds += spent
        expected = np.array([name_of[r] for r in mine[test].tolist()])
        wrong = int((result.roles != expected).sum())
        counts = {name: int((expected == name).sum()) for name in ("AA", "AB", "BB")}
        agree += wrong == 0 and result.counts == counts
        n_rows += len(test)
        for name, value in result.identity_auc_by_role.items():
            baseline[name].append(value)
        if wrong:
            print(f"split {split}: {wrong} of {len(test)} test pairs differ")
    print(f"agree: {agree} of {role.shape[1]} splits, {n_rows:,} test pairs, {seconds:.1f} s CPU")
    for name, values in baseline.items():
        print(f"identity-only baseline {name}: mean AUC {np.mean(values):.3f}")
    print(result)
    return 0 if agree == role.shape[1] else 1


def null(args):
    """Pooled AUC of a predictor that outputs its training rate: should be 0.5."""
    _objects, pairs, y = protein_pairs(args.objects)
    splitters = {
        "leave-two-out": (ObjectLeaveTwoOut, {}),
        "10-fold": (ObjectKFold, {"balance": "objects", "random_state": 0}),
        "overlapping 10-fold": (
            ObjectKFold,
            {"overlapping": True, "balance": "objects", "random_state": 0},
        ),
    }
    for name, (splitter, options) in splitters.items():
        for scheme in ("strict", "relaxed"):
            folds, rates = [], []
            for train, test in splitter(scheme=scheme, **options).split(groups=pairs):
                folds.append((y[test], np.zeros(len(test))))
                rates.append(y[train].mean())
            value = pooled_auc(folds, null=True, train_rates=rates)
            print(f"{name}, {scheme}: pooled null {value.null:.3f}")


def split(args):
    """Splitting time and balance on a large incomplete set with hubs."""
    rng = np.random.default_rng(0)
    weight = 1.0 / np.arange(1, 2001) ** 0.7
    pairs = rng.choice(2000, (100_000, 2), p=weight / weight.sum())
    y = rng.random(len(pairs)) < weight[pairs].mean(axis=1) / weight.mean() * 0.1
    for options in ({"balance": "objects"}, {}, {"stratify": True}):
        cv = ObjectKFold(5, random_state=0, **options)
        seconds, folds = cpu(lambda cv=cv: list(cv.folds(y=y, groups=pairs)))
        sizes = [len(f.test) for f in folds]
        rates = [y[f.test].mean() for f in folds]
        print(
            f"{options}: {seconds:.3f} s; validation sizes {min(sizes)} to {max(sizes)}, "
            f"positive rates {min(rates):.3f} to {max(rates):.3f}"
        )
    print(coverage(ObjectKFold(5, stratify=True, random_state=0), pairs, y))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pairs", description=__doc__)
    commands = parser.add_subparsers(required=True)
    for work, defaults in (
        (knn, {"objects": 100, "folds": 60}),
        (ridge, {"objects": 100, "folds": 300}),
        (null, {"objects": 100}),
        (split, {}),
        (audit, {}),
    ):
        command = commands.add_parser(work.__name__, help=work.__doc__)
        for name, value in defaults.items():
            command.add_argument(f"--{name}", type=int, default=value)
        command.set_defaults(work=work)
    args = parser.parse_args()
    return args.work(args) or 0


if __name__ == "__main__":
    sys.exit(main())
