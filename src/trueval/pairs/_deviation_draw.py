"""One draw of a deviation study: all pairs of some objects, validated by both schemes."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.errors import InputError
from trueval.pairs._auc import auc, concordance
from trueval.pairs._checkpoint import label_digest
from trueval.pairs._deviation_study import SCHEMES
from trueval.pairs._kfold import ObjectKFold
from trueval.pairs._knn_scores import masked_scores, query_scores
from trueval.pairs._leave_two_out import ObjectLeaveTwoOut
from trueval.pairs._scores import pooled_scores
from trueval.pairs._tasks import Tasks, fold_tasks

__all__ = ["Draw", "Population"]


@dataclass(frozen=True, eq=False)
class Population:
    """What all draws share: the objects, their labels, and the pairs to measure the truth on."""

    vectors: NDArray[np.float64]
    share: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
    pool: NDArray[np.int64]
    test_pairs: NDArray[np.int64]
    test_labels: NDArray[np.bool_]
    seed: np.random.SeedSequence

    def draw(self, repeat: int, n_objects: int, n_splits: int, leave_two_out: bool) -> "Draw":
        """The draw of this number; the same however many are asked for."""
        child = np.random.SeedSequence(self.seed.entropy, spawn_key=(1, repeat))
        generator = np.random.default_rng(child)
        drawn = self.pool[generator.choice(len(self.pool), n_objects, replace=False)]
        pairs = np.array(list(combinations(range(n_objects), 2)))
        y = self.share(drawn[pairs[:, 0]], drawn[pairs[:, 1]])
        part_seed = int(generator.integers(2**32))
        cvs: list[Any] = [ObjectKFold(n_splits, balance="objects", random_state=part_seed)]
        if leave_two_out:
            cvs.append(ObjectLeaveTwoOut())
        return Draw(self.vectors, drawn, pairs, y, self.test_pairs, self.test_labels, cvs)


@dataclass(frozen=True, eq=False)
class Draw:
    """All pairs of some objects, and how to validate models on them."""

    vectors: NDArray[np.float64]
    drawn: NDArray[np.int64]
    pairs: NDArray[np.int64]
    y: NDArray[np.bool_]
    test_pairs: NDArray[np.int64]
    test_labels: NDArray[np.bool_]
    cvs: list[Any]

    def undefined(self, n_values: int) -> dict[str, Any]:
        """A draw of one class has no estimate."""
        return {
            "estimates": np.full((2, 3, n_values), np.nan),
            "truths": np.full(n_values, np.nan),
            "nulls": np.full((2, 3), np.nan),
            "excluded": self.cvs[0].n_splits,
            "rate": float(self.y.mean()),
            "labels": label_digest(self.y),
        }

    def by_knn(self, values: NDArray[np.int64]) -> dict[str, Any]:
        objects, target = self.vectors[self.drawn], self.y.astype(np.float64)
        out = self.undefined(len(values))
        for c, cv in enumerate(self.cvs):
            tasks = fold_tasks(cv, self.pairs, self.y)
            assert tasks is not None
            both = masked_scores(objects, self.pairs, target, tasks, values, True, True)
            row, order = tasks.row, np.argsort(tasks.fold, kind="stable")
            y = self.y[row][order]
            bounds = np.searchsorted(tasks.fold[order], np.arange(tasks.n_folds + 1))
            for s, scores in enumerate((both[1], both[0])):
                rates = _train_rates(self.y, tasks, strict=s == 1)
                constant = rates[tasks.fold][order]
                for v in range(len(values)):
                    ranked = scores[order, v]
                    if c == 0:
                        mean, n_excluded = _mean_auc(y, ranked, bounds)
                        out["estimates"][s, 0, v] = mean
                        out["excluded"] = n_excluded
                    out["estimates"][s, c + 1, v] = _auc_or_nan(y, ranked)
                out["nulls"][s, c + 1] = _auc_or_nan(y, constant)
            out["nulls"][:, 0] = 0.5
        scores = query_scores(objects, self.pairs, target, self.vectors, self.test_pairs, values)
        out["truths"] = np.array([auc(self.test_labels, column) for column in scores.T])
        return out

    def by_estimator(self, estimator: Any) -> dict[str, Any]:
        out = self.undefined(1)
        X = self._features(self.drawn[self.pairs])
        out["nulls"][:, 0] = 0.5
        for c, cv in enumerate(self.cvs):
            for s, scheme in enumerate(SCHEMES):
                scored = pooled_scores(estimator, X, self.y, self.pairs, _with_scheme(cv, scheme))
                if c == 0:
                    folds = list(scored)
                    y = np.concatenate([f[0] for f in folds])
                    score = np.concatenate([f[1] for f in folds])
                    bounds = np.cumsum([0, *(len(f[0]) for f in folds)])
                    mean, n_excluded = _mean_auc(y, score, bounds)
                    out["estimates"][s, 0, 0] = mean
                    out["excluded"] = n_excluded + len(scored.skipped)
                try:
                    value = scored.pooled_auc()
                except InputError:
                    continue
                out["estimates"][s, c + 1, 0] = float(value)
                out["nulls"][s, c + 1] = value.null
        model = clone(estimator).fit(X, self.y)
        name = next(
            m for m in ("decision_function", "predict_proba", "predict") if hasattr(model, m)
        )
        scores = np.asarray(getattr(model, name)(self._features(self.test_pairs)), dtype=float)
        out["truths"] = np.array(
            [auc(self.test_labels, scores[:, 1] if scores.ndim == 2 else scores)]
        )
        return out

    def _features(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.vectors[pairs[:, 0]] + self.vectors[pairs[:, 1]]


def _with_scheme(cv: Any, scheme: str) -> Any:
    if isinstance(cv, ObjectLeaveTwoOut):
        return ObjectLeaveTwoOut(scheme=scheme)
    return ObjectKFold(cv.n_splits, scheme=scheme, balance=cv.balance, random_state=cv.random_state)


def _train_rates(y: NDArray[np.bool_], tasks: Tasks, *, strict: bool) -> NDArray[np.float64]:
    """Positive rate of each fold's training set, from sums for each label."""
    n_labels = int(tasks.labels.max()) + 1
    a, b = tasks.labels[:, 0].astype(np.int64), tasks.labels[:, 1].astype(np.int64)
    fold_p = np.empty(tasks.n_folds, dtype=np.int64)
    fold_q = np.empty(tasks.n_folds, dtype=np.int64)
    fold_p[tasks.fold], fold_q[tasks.fold] = tasks.p, tasks.q
    two = fold_p != fold_q

    def held(weight: NDArray[np.float64]) -> NDArray[Any]:
        inside = np.bincount(tasks.fold, weight[tasks.row], minlength=tasks.n_folds)
        if not strict:
            return inside
        same = a == b
        touch = np.bincount(a, weight, n_labels) + np.bincount(b[~same], weight[~same], n_labels)
        inside_one = np.bincount(a[same], weight[same], n_labels)
        # Rows with one label of each are counted with both; take them off once.
        crossing = inside - inside_one[fold_p] - np.where(two, inside_one[fold_q], 0)
        return touch[fold_p] + np.where(two, touch[fold_q] - crossing, 0)

    rows = len(y) - held(np.ones(len(y)))
    return (y.sum() - held(y.astype(np.float64))) / np.maximum(rows, 1)


def _mean_auc(
    y: NDArray[np.bool_], scores: NDArray[np.float64], bounds: NDArray[np.intp]
) -> tuple[float, int]:
    values = []
    for low, high in pairwise(bounds):
        concordant, comparisons = concordance(y[low:high], scores[low:high], None)
        if comparisons:
            values.append(concordant / comparisons)
    return (float(np.mean(values)) if values else np.nan), len(bounds) - 1 - len(values)


def _auc_or_nan(y: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    concordant, comparisons = concordance(y, scores, None)
    return concordant / comparisons if comparisons else np.nan
