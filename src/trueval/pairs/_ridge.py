"""Ridge regression under object-level cross-validation, without refitting.

X'X and X'y are sums over rows. Kept for each object, they give the sums of a
leave-two-out training set by two subtractions; what is left is one small linear
system a fold.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.arrays import as_numbers
from trueval.core.errors import InputError
from trueval.core.ids import PairIndex
from trueval.core.pairs import as_pairs
from trueval.core.params import BOOL, Interval, Many, Methods, constrained
from trueval.pairs._each_fold import each_fold
from trueval.pairs._knn_scores import as_target, refuse_large
from trueval.pairs._leave_two_out import ObjectLeaveTwoOut
from trueval.pairs._tasks import Tasks, fold_tasks

__all__ = ["cross_val_scores_ridge", "fold_scores_ridge"]


_ALPHA = Interval(float, 0, closed="neither")


@constrained(
    cv=Methods(("split",), "a splitter"),
    alphas=(
        _ALPHA,
        Many(_ALPHA, "a sequence of them"),
    ),
    fit_intercept=BOOL,
)
def cross_val_scores_ridge(
    X: Any,
    pairs: Any,
    y: Any,
    cv: Any,
    alphas: float | Sequence[float] = 1.0,
    *,
    fit_intercept: bool = True,
) -> NDArray[np.float64]:
    """Out-of-fold scores of ridge regression, equal to refitting on every fold.

    Equal to ``Ridge(alpha, fit_intercept=...)`` of scikit-learn up to rounding.

    Parameters
    ----------
    X : array-like of shape (n_pairs, n_features)
        Features of the pairs. The sums of leave-two-out take n_features² numbers
        for each object.
    pairs : Pairs, PairIndex or array-like of shape (n_pairs, 2)
        Object ids of each row.
    y : array-like of shape (n_pairs,)
        Labels 0/1 or -1/1 (scored as 0/1), bool, or numbers.
    cv : ObjectLeaveTwoOut, or another splitter
        Other splitters are solved fold by fold, as exactly.
    alphas : float or sequence of float, default=1.0
        Penalties, above 0.
    fit_intercept : bool, default=True

    Returns
    -------
    ndarray of shape (n_pairs, n_alphas)
        NaN where a pair is never validated; the mean where several folds validate
        it.

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from trueval.pairs import ObjectLeaveTwoOut, cross_val_scores_ridge
    >>> objects = np.random.default_rng(0).normal(size=(30, 2))
    >>> pairs = np.array(list(combinations(range(30), 2)))
    >>> X = objects[pairs[:, 0]] + objects[pairs[:, 1]]
    >>> y = X.sum(axis=1)
    >>> scores = cross_val_scores_ridge(X, pairs, y, ObjectLeaveTwoOut(), [1e-6, 1.0])
    >>> scores.shape, bool(np.abs(scores[:, 0] - y).max() < 1e-4)
    ((435, 2), True)
    """
    features = as_numbers(X, "X")
    if features.ndim != 2 or not np.isfinite(features).all():
        raise InputError("X must be a table of finite numbers, one row for each pair.")
    target = as_target(y, len(features), "X")
    values = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    index = as_pairs(pairs, symmetric=getattr(cv, "symmetric", True), X=features)
    design, centred, level = _design(features, target, fit_intercept)
    if isinstance(cv, ObjectLeaveTwoOut) and index.arity == 2:
        tasks = fold_tasks(cv, index, y)
        assert tasks is not None
        scores = _leave_two_out(design, features.shape[1], centred, tasks, cv.scheme, values)
    else:
        scores = _fold_by_fold(design, features.shape[1], centred, pairs, y, cv, values, index)
    return scores + level


def _leave_two_out(
    design: NDArray[np.float64],
    n_penalised: int,
    target: NDArray[np.float64],
    tasks: Tasks,
    scheme: str,
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    order = np.argsort(tasks.fold, kind="stable")
    task_row = tasks.row[order]
    fold_start = np.searchsorted(tasks.fold[order], np.arange(tasks.n_folds + 1))
    fold_p, fold_q = tasks.p[order][fold_start[:-1]], tasks.q[order][fold_start[:-1]]
    labels = tasks.labels
    n_labels = int(labels.max()) + 1
    if scheme == "strict":
        n_sums = n_labels * design.shape[1] * (design.shape[1] + 1) * 8
        if n_sums > 8e9:
            raise InputError(
                f"the sums of {n_labels} objects with {design.shape[1]} columns take "
                f"{n_sums / 1e9:.0f} GB; use fewer features or ObjectKFold(overlapping=True)."
            )
    two = labels[task_row, 0] != labels[task_row, 1]
    pair_rows = task_row[two]
    two_before = np.concatenate([[0], np.cumsum(two)])
    pair_start = two_before[fold_start]
    self_rows = np.flatnonzero(labels[:, 0] == labels[:, 1])
    self_rows = self_rows[np.argsort(labels[self_rows, 0], kind="stable")]
    self_start = np.searchsorted(labels[self_rows, 0], np.arange(n_labels + 1))
    _check_sizes(labels, fold_p, fold_q, pair_start, self_start, scheme)
    scores, solved = _kernels.pair_ridge(
        design.shape[1],
        n_penalised,
        design.reshape(-1),
        target,
        np.ascontiguousarray(labels[:, 0]),
        np.ascontiguousarray(labels[:, 1]),
        n_labels,
        np.ascontiguousarray(fold_p),
        np.ascontiguousarray(fold_q),
        pair_start.astype(np.int64),
        pair_rows.astype(np.int32),
        self_start.astype(np.int64),
        self_rows.astype(np.int32),
        fold_start.astype(np.int64),
        task_row.astype(np.int32),
        values,
        scheme == "strict",
    )
    if not solved:
        raise InputError(
            "a fold's linear system is singular to working precision; use a larger alpha."
        )
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return tasks.mean(scores.reshape(-1, len(values))[back])


def _check_sizes(
    labels: NDArray[np.int32],
    fold_p: NDArray[np.int32],
    fold_q: NDArray[np.int32],
    pair_start: NDArray[np.int64],
    self_start: NDArray[np.int64],
    scheme: str,
) -> None:
    n_labels = len(self_start) - 1
    n_self = np.diff(self_start)
    exact = np.diff(pair_start)
    two = fold_p != fold_q
    if scheme == "strict":
        touching = np.bincount(labels.reshape(-1), minlength=n_labels) - n_self
        n_out = touching[fold_p] + np.where(two, touching[fold_q] - exact, 0)
    else:
        n_out = n_self[fold_p] + np.where(two, n_self[fold_q] + exact, 0)
    empty = np.flatnonzero(n_out >= len(labels))
    if len(empty):
        raise InputError(
            f"fold {empty[0]} has an empty training set: every pair has a held-out object under "
            f"scheme={scheme!r}; it needs more pairs that do not share objects, or "
            "scheme='relaxed'."
        )


def _fold_by_fold(
    design: NDArray[np.float64],
    n_penalised: int,
    target: NDArray[np.float64],
    pairs: Any,
    y: Any,
    cv: Any,
    values: NDArray[np.float64],
    index: PairIndex,
) -> NDArray[np.float64]:
    total = np.zeros((len(design), len(values)))
    times = np.zeros(len(design), dtype=np.int64)
    for fold in each_fold(cv, pairs, y, index, design):
        train, test = fold.train, fold.test
        total[test] += _solved(design[train], n_penalised, target[train], design[test], values)
        times[test] += 1
    total[times == 0] = np.nan
    return total / np.maximum(times, 1)[:, None]


def fold_scores_ridge(
    features: NDArray[np.float64],
    target: NDArray[np.float64],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    values: NDArray[np.float64],
    fit_intercept: bool,
) -> NDArray[np.float64]:
    """Scores of the test rows for each penalty; training rows may be repeated."""
    design, centred, level = _design(features, target, fit_intercept)
    n_penalised = features.shape[1]
    return _solved(design[train], n_penalised, centred[train], design[test], values) + level


def _design(
    features: NDArray[np.float64], target: NDArray[np.float64], fit_intercept: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Columns and target about the mean of all rows: better conditioned, the same answers."""
    for numbers, what in ((features, "X"), (target, "y")):
        refuse_large(numbers, 64 * len(features), what)
    shift = features.mean(axis=0) if fit_intercept else np.zeros(features.shape[1])
    level = float(target.mean()) if fit_intercept else 0.0
    columns = [features - shift, np.ones((len(features), int(fit_intercept)))]
    return np.ascontiguousarray(np.hstack(columns)), np.ascontiguousarray(target - level), level


def _solved(
    x: NDArray[np.float64],
    n_penalised: int,
    target: NDArray[np.float64],
    test: NDArray[np.float64],
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Scores of the rows of test, one column for each penalty."""
    penalty = np.zeros(x.shape[1])
    penalty[:n_penalised] = 1.0
    gram, moment = x.T @ x, x.T @ target
    return np.column_stack(
        [test @ np.linalg.solve(gram + np.diag(alpha * penalty), moment) for alpha in values]
    )
