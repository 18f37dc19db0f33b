"""Checks of a split that look at features."""

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from trueval.audit._columns import PERFECT, numbering_columns, target_columns
from trueval.audit._duplicates import Duplicates, equal_rows
from trueval.audit._inputs import Rows, Target, sampled
from trueval.audit._neighbours import (
    COPIES,
    MOST_QUERIES,
    NEAR,
    NEAR_OF_OUTLIERS,
    Neighbours,
    continuous_columns,
    gap_p_values,
    nearest,
    queries_of,
    space_of,
)
from trueval.audit._result import Check
from trueval.audit._shift import auc_with_error, train_test_auc
from trueval.core.arrays import finite_mean

__all__ = ["STATISTICAL", "feature_checks"]

_Ints = NDArray[np.intp]
#: Checks with a probability of an alarm by chance, which share alpha.
STATISTICAL = ("duplicates", "near_duplicates", "nearness", "target", "order", "shift")
#: AUC below which a difference between training and test is not worth an alarm.
SHIFTED = 0.55
QUANTILES = (0.0, 0.01, 0.1, 0.5, 0.9)


def feature_checks(
    rows: Rows,
    train: _Ints,
    test: _Ints,
    target: Target | None,
    ids: Any,
    groups: NDArray[np.int64] | None,
    streams: dict[str, np.random.Generator],
    alpha: float,
) -> tuple[dict[str, Check], dict[str, str], dict[str, Any]]:
    checks: dict[str, Check] = {}
    skipped: dict[str, str] = {}
    if not len(test):
        return {}, dict.fromkeys(STATISTICAL, "all test rows are in training"), {}
    same = equal_rows(rows, train, test, streams["duplicates"])
    checks["duplicates"], copies = _duplicates(same, target, alpha), same.test
    result: dict[str, Any] = {}
    if len(train) < 10 or len(test) < 2:
        skipped |= dict.fromkeys(("near_duplicates", "nearness"), "there are too few rows")
    else:
        generator = streams["near_duplicates"]
        space = space_of(rows, train, generator)
        queries, suspects = queries_of(rows, space, train, test, generator)
        of_test = nearest(space, train, queries)
        searched = [of_test, nearest(space, train, suspects)]
        checks["near_duplicates"] = _near(rows, train, len(test), searched, copies, alpha)
        some = sampled(train, max(MOST_QUERIES, min(len(queries), 5000)), streams["nearness"])
        of_train = nearest(space, train, some, 1)
        checks["nearness"] = _nearness(of_test, of_train, alpha)
        result = {
            "n_queries": len(queries) + len(suspects),
            "distances": {"test": _quantiles(of_test), "train": _quantiles(of_train)},
            "baseline": None if target is None else _baseline(of_test, target, generator),
        }
    if target is None:
        skipped["target"] = "not given"
    else:
        used = np.union1d(train, test)
        checks["target"] = _target(rows, target, used, streams["target"], alpha)
    checks["order"] = _order(rows, ids, alpha)
    shift = train_test_auc(rows, train, test, groups, streams["shift"], alpha)
    if shift is None:
        skipped["shift"] = "there are too few rows or groups"
    else:
        limit = max(shift.limit, SHIFTED)
        detail = {"error": shift.error}
        checks["shift"] = Check("shift", shift.auc > limit, shift.auc, limit, detail=detail)
    return checks, skipped, result


def _duplicates(same: Duplicates, target: Target | None, alpha: float) -> Check:
    unlikely = same.beyond_chance(alpha)
    detail = {
        "by_size": [asdict(size) for size in same.by_size],
        "n_empty": same.n_empty,
        "first_train_rows": same.train[:100].tolist(),
        "other_target": None if target is None else int(_differ(target, same).sum()),
    }
    n = len(same.test)
    return Check("duplicates", unlikely is not None, n, 0, n, same.test, detail)


def _differ(target: Target, same: Duplicates) -> NDArray[np.bool_]:
    """Which of the equal rows have another target than their training row."""
    if target.matrix is None:
        assert target.numbers is not None
        return np.asarray(target.numbers[same.test] != target.numbers[same.train])
    apart = abs(target.matrix[same.test].astype(int) - target.matrix[same.train].astype(int))
    return np.asarray(apart.sum(axis=1)).reshape(-1) > 0


def _near(
    rows: Rows, train: _Ints, n_test: int, searched: list[Neighbours], copies: _Ints, alpha: float
) -> Check:
    """Test rows much nearer to a few training rows than to all others."""
    level = alpha / n_test
    near = np.unique(np.concatenate([_gaps(of, len(train), level) for of in searched]))
    near = np.setdiff1d(near, copies)
    if len(near) and not rows.is_sparse:
        near = _confirmed(rows, train, near, level)
    n_searched = len(searched[0].queries)
    detail = {"n_searched": n_searched, "all_searched": n_searched == n_test}
    return Check("near_duplicates", bool(len(near)), len(near), 0, len(near), near, detail)


def _gaps(neighbours: Neighbours, n_train: int, level: float) -> _Ints:
    """Rows with a gap; outliers, whose density falls too fast for the test, need a larger one."""
    p, ratio = gap_p_values(neighbours.distances, n_train)
    if not len(p):
        return neighbours.queries
    usual = np.median(neighbours.distances[:, min(COPIES, neighbours.distances.shape[1] - 1)])
    limit = np.where(neighbours.distances[:, 0] <= usual, NEAR, NEAR_OF_OUTLIERS)
    return neighbours.queries[(p < level) & (ratio <= limit)]


def _confirmed(rows: Rows, train: _Ints, near: _Ints, level: float) -> _Ints:
    """Those that are near in continuous columns too: rows of a category are near by chance."""
    generator = np.random.default_rng(0)
    continuous = continuous_columns(rows, train, generator)
    if len(continuous) in (0, rows.matrix.shape[1]):
        return near
    part = rows.take(continuous)
    again = nearest(space_of(part, train, generator), train, near)
    same = equal_rows(part, train, near, generator)
    equal = near[:0] if same.beyond_chance(level) is None else same.test
    return np.union1d(_gaps(again, len(train), level), equal)


def _nearness(of_test: Neighbours, of_train: Neighbours, alpha: float) -> Check:
    """Whether test rows are nearer to training rows than these are to each other."""
    distances = np.concatenate([of_test.distances[:, 0], of_train.distances[:, 0]])
    is_test = np.arange(len(distances)) < len(of_test.queries)
    auc, error = auc_with_error(is_test, -distances, np.arange(len(distances)))
    # Neighbours of each other have one distance, which halves what they tell.
    limit = 0.5 + float(norm.isf(alpha)) * error * 2**0.5
    return Check("nearness", auc > limit, auc, limit, detail={"error": error})


def _quantiles(neighbours: Neighbours) -> dict[str, float]:
    return {f"{q:g}": float(np.quantile(neighbours.distances[:, 0], q)) for q in QUANTILES}


def _baseline(
    of_test: Neighbours, target: Target, generator: np.random.Generator
) -> dict[str, Any]:
    """What copying the target of the nearest training row scores, and of a random one."""
    queries, copied = of_test.queries, of_test.rows[:, 0]
    shuffled = generator.permutation(copied)
    if target.matrix is None:
        assert target.numbers is not None
        y = target.numbers
        pair = [finite_mean(np.abs(y[queries] - y[rows])) for rows in (copied, shuffled)]
        measure = "mean absolute error"
    else:
        y = target.matrix
        pair = [_micro_f1(y[queries], y[rows]) for rows in (copied, shuffled)]
        measure = "micro F1"
    return {"measure": measure, "score": pair[0], "chance": pair[1]}


def _micro_f1(truth: Any, predicted: Any) -> float:
    both = float(truth.multiply(predicted).sum())
    total = float(truth.sum() + predicted.sum())
    return 2 * both / total if total else 0.0


def _target(
    rows: Rows, target: Target, used: _Ints, generator: np.random.Generator, alpha: float
) -> Check:
    derived, highest = target_columns(rows, target, used, generator, alpha)
    columns = [
        {"column": rows.columns[d.column], "class": d.class_name, "auc": d.auc} for d in derived
    ]
    detail = {"columns": columns[:100], "n_columns": len({d.column for d in derived})}
    return Check("target", bool(derived), highest, PERFECT, detail=detail)


def _order(rows: Rows, ids: Any, alpha: float) -> Check:
    numbering = numbering_columns(rows, ids, alpha)
    detail = {"columns": [rows.columns[at] for at in numbering]}
    return Check("order", bool(numbering), len(numbering), 0, detail=detail)
