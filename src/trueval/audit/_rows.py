"""``audit_rows``: what a split of rows gives away, whoever made it."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from trueval.audit._columns import PERFECT, numbering_columns, target_columns
from trueval.audit._duplicates import equal_rows
from trueval.audit._inputs import Rows, Target, as_target, read_rows, sampled, times_of
from trueval.audit._neighbours import (
    MOST_QUERIES,
    NEAR,
    Neighbours,
    continuous_columns,
    gap_p_values,
    nearest,
    queries_of,
    space_of,
)
from trueval.audit._overlap import edges_check, shared_check, time_check
from trueval.audit._result import CHECKS, Check, RowAudit
from trueval.audit._shift import auc_with_error, train_test_auc
from trueval.core.arrays import as_rows
from trueval.core.errors import InputError
from trueval.core.folds import as_folds
from trueval.core.groups import group_numbers
from trueval.core.params import RANDOM_STATE, Interval, constrained
from trueval.core.random import as_generator, draw_seed
from trueval.core.similarity import THRESHOLD, as_similarity

__all__ = ["audit_folds", "audit_rows"]

_Ints = NDArray[np.intp]
#: Checks with a probability of an alarm by chance, which share alpha.
_STATISTICAL = ("duplicates", "near_duplicates", "nearness", "target", "order", "shift")
#: AUC below which a difference between training and test is not worth an alarm.
SHIFTED = 0.55
QUANTILES = (0.0, 0.01, 0.1, 0.5, 0.9)
_ALPHA = Interval(float, 0, 0.5, "neither")


@constrained(threshold=THRESHOLD, alpha=_ALPHA, random_state=RANDOM_STATE)
def audit_rows(
    X: Any,
    train: Any,
    test: Any,
    *,
    y: Any = None,
    ids: Any = None,
    groups: Any = None,
    time: Any = None,
    similarity: Any = None,
    threshold: float | None = None,
    alpha: float = 0.001,
    random_state: Any = 0,
) -> RowAudit:
    """Say what a split of rows gives away.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (n_rows, n_columns); or ids
        Features of the rows. One dimension of text or whole numbers is read as ids. Columns of
        text are categories; NaN and None are missing values.
    train, test : array-like of int, or boolean masks
        Rows on either side, each once; some may be on neither.
    y : optional
        Labels of any form that :func:`trueval.as_labels` takes, one class for each row, or a
        number with decimals for each row; for the columns that give it away and the baseline.
    ids : array-like of shape (n_rows,), optional
        What a row is of: a patient, a document. The same id on both sides is a leak.
    groups : array-like of shape (n_rows,), optional
        Groups that the split must not divide.
    time : array-like of shape (n_rows,), optional
        Numbers, dates or ISO text; no training row may be later than a test row.
    similarity : Similarity, sparse matrix or edges, optional
        As :func:`trueval.stratified_folds` takes it.
    threshold : float, optional
        Edges with this similarity or more count; all if not given.
    alpha : float, default=0.001
        Probability at most of a false alarm of the whole audit, where the nulls hold that
        :doc:`/guide/audit` states; the checks share it.
    random_state : int, Generator or RandomState, default=0
        For samples of rows and random hashes.

    Returns
    -------
    RowAudit
        Print it, show it in a notebook, or ask it to ``require`` checks.

    See Also
    --------
    audit_folds : The same for each fold.
    trueval.pairs.audit_pairs : For pairs of objects.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.audit import audit_rows
    >>> X = np.random.default_rng(0).normal(size=(300, 8))
    >>> X[250:260] = X[:10]  # ten test rows are copies of training rows
    >>> audit = audit_rows(X, np.arange(200), np.arange(200, 300))
    >>> [check.name for check in audit.alarms]
    ['duplicates']
    >>> audit.check("duplicates").rows.tolist()
    [250, 251, 252, 253, 254, 255, 256, 257, 258, 259]
    """
    rows = read_rows(X)
    sides = _sides(rows.n_rows, train, test)
    target = None if y is None else as_target(y, rows.n_rows)
    named = _Named(rows, ids, groups, time, similarity, threshold)
    return _audit(rows, *sides, target, named, alpha, draw_seed(as_generator(random_state)))


@constrained(threshold=THRESHOLD, alpha=_ALPHA, random_state=RANDOM_STATE)
def audit_folds(
    X: Any,
    folds: Any,
    *,
    y: Any = None,
    ids: Any = None,
    groups: Any = None,
    time: Any = None,
    similarity: Any = None,
    threshold: float | None = None,
    alpha: float = 0.001,
    random_state: Any = 0,
) -> dict[str, RowAudit]:
    """Audit each fold: its rows are tested by a model of all the others.

    Parameters
    ----------
    X, y, ids, groups, time, similarity, threshold, alpha, random_state
        As :func:`audit_rows` takes them; ``alpha`` is for each fold.
    folds : array-like of int of shape (n_rows,), Folds, or iterable of (train, test)
        Numbers from 0, -1 for a row in no fold. Pairs of row numbers are taken as they are, so
        that training sets may leave rows out.

    Returns
    -------
    dict of str to RowAudit
        By ``"fold 0"``, ``"fold 1"``, ….

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.audit import audit_folds
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> [len(audit.alarms) for audit in audit_folds(X, np.arange(200) % 2).values()]
    [0, 0]
    """
    rows = read_rows(X)
    target = None if y is None else as_target(y, rows.n_rows)
    named = _Named(rows, ids, groups, time, similarity, threshold)
    seed = draw_seed(as_generator(random_state))
    return {
        name: _audit(rows, *_sides(rows.n_rows, *sides), target, named, alpha, seed)
        for name, sides in _splits(folds, rows.n_rows).items()
    }


class _Named:
    """What rows have beside their features, read once for all folds."""

    def __init__(
        self, rows: Rows, ids: Any, groups: Any, time: Any, similarity: Any, threshold: Any
    ) -> None:
        n = rows.n_rows
        if ids is not None and rows.ids is not None:
            raise InputError("X has one dimension, so it is read as ids, and ids are given too.",
                             fix="Give features as X, or leave out ids.")  # fmt: skip
        self.id_values = rows.ids if ids is None else ids
        self.ids = _numbered(self.id_values, n, "ids")
        self.groups = _numbered(groups, n, "groups")
        self.times = None if time is None else times_of(time, n)
        self.graph = None if similarity is None else as_similarity(similarity, n)
        self.threshold = threshold


def _numbered(values: Any, n_rows: int, name: str) -> NDArray[np.int64] | None:
    if values is None:
        return None
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    if len(array) != n_rows:
        raise InputError(f"{name} has {len(array):,} entries but there are {n_rows:,} rows.")
    return group_numbers(array, n_rows)


def _sides(n_rows: int, train: Any, test: Any) -> tuple[_Ints, _Ints]:
    sides = [
        np.sort(as_rows(rows, n_rows, name)) for rows, name in ((train, "train"), (test, "test"))
    ]
    for name, side in zip(("train", "test"), sides, strict=True):
        if not len(side):
            raise InputError(f"{name} has no rows; an audit needs rows on both sides.")
    return sides[0], sides[1]


def _splits(folds: Any, n_rows: int) -> Mapping[str, tuple[Any, Any]]:
    if not hasattr(folds, "__array__") and not hasattr(folds, "folds"):
        folds = list(folds)
        if folds and all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in folds):
            return {f"fold {number}": tuple(pair) for number, pair in enumerate(folds)}
    numbers = as_folds(folds, n_rows, free=True)
    return {
        f"fold {number}": ((numbers != number) & (numbers >= 0), numbers == number)
        for number in np.unique(numbers[numbers >= 0]).tolist()
    }


def _audit(
    rows: Rows,
    train: _Ints,
    test: _Ints,
    target: Target | None,
    named: _Named,
    alpha: float,
    seed: int,
) -> RowAudit:
    both = np.intersect1d(train, test)
    streams = dict(zip(CHECKS, np.random.default_rng(seed).spawn(len(CHECKS)), strict=True))
    alpha_each = alpha / len(_STATISTICAL)
    checks, skipped = _by_name(rows, train, test, both, named)
    result: dict[str, Any] = {}
    if rows.matrix is None:
        skipped |= dict.fromkeys(_STATISTICAL, "X holds ids, no features")
    else:
        only_test = np.setdiff1d(test, both)  # a row on both sides is said, not searched
        more, why, result = _by_features(rows, train, only_test, target, named, streams, alpha_each)
        checks, skipped = checks | more, skipped | why
    return RowAudit(
        len(train),
        len(test),
        len(both),
        tuple(checks[name] for name in CHECKS if name in checks),
        {name: skipped[name] for name in CHECKS if name in skipped},
        alpha,
        categories=[n for n, c in zip(rows.columns, rows.is_category, strict=True) if c],
        **result,
    )


def _by_name(
    rows: Rows, train: _Ints, test: _Ints, both: _Ints, named: _Named
) -> tuple[dict[str, Check], dict[str, str]]:
    """Checks that need no features. A row on both sides counts as an id on both sides."""
    numbers = named.ids
    checks = {}
    if numbers is not None:
        checks["ids"] = shared_check("ids", numbers, train, test)
    elif len(both):
        checks["ids"] = shared_check("ids", np.arange(rows.n_rows), train, test)
    if named.groups is not None:
        checks["groups"] = shared_check("groups", named.groups, train, test)
    if named.times is not None:
        checks["time"] = time_check(named.times, train, test)
    if named.graph is not None:
        checks["similarity"] = edges_check(named.graph, named.threshold, train, test)
    named_checks = ("ids", "groups", "time", "similarity")
    return checks, {name: "not given" for name in named_checks if name not in checks}


def _by_features(
    rows: Rows,
    train: _Ints,
    test: _Ints,
    target: Target | None,
    named: _Named,
    streams: dict[str, np.random.Generator],
    alpha: float,
) -> tuple[dict[str, Check], dict[str, str], dict[str, Any]]:
    checks: dict[str, Check] = {}
    skipped: dict[str, str] = {}
    if not len(test):
        return {}, dict.fromkeys(_STATISTICAL, "all test rows are in training"), {}
    checks["duplicates"], copies = _duplicates(rows, train, test, streams["duplicates"], alpha)
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
    checks["order"] = _order(rows, named, alpha)
    shift = train_test_auc(rows, train, test, named.groups, streams["shift"], alpha)
    if shift is None:
        skipped["shift"] = "there are too few rows or groups"
    else:
        limit = max(shift.limit, SHIFTED)
        detail = {"error": shift.error}
        checks["shift"] = Check("shift", shift.auc > limit, shift.auc, limit, detail=detail)
    return checks, skipped, result


def _duplicates(
    rows: Rows, train: _Ints, test: _Ints, generator: np.random.Generator, alpha: float
) -> tuple[Check, _Ints]:
    same = equal_rows(rows, train, test, generator)
    unlikely = same.beyond_chance(alpha)
    detail = {
        "by_size": [asdict(size) for size in same.by_size],
        "n_empty": same.n_empty,
        "first_train_rows": same.train[:100].tolist(),
    }
    n = len(same.test)
    return Check("duplicates", unlikely is not None, n, 0, n, same.test, detail), same.test


def _near(
    rows: Rows, train: _Ints, n_test: int, searched: list[Neighbours], copies: _Ints, alpha: float
) -> Check:
    """Test rows much nearer to a few training rows than to all others."""
    level = alpha / n_test
    near = np.unique(np.concatenate([_gaps(of, level) for of in searched]))
    near = np.setdiff1d(near, copies)
    if len(near) and not rows.is_sparse:
        near = _confirmed(rows, train, near, level)
    n_searched = len(searched[0].queries)
    detail = {"n_searched": n_searched, "all_searched": n_searched == n_test}
    return Check("near_duplicates", bool(len(near)), len(near), 0, len(near), near, detail)


def _gaps(neighbours: Neighbours, level: float) -> _Ints:
    p, ratio = gap_p_values(neighbours.distances)
    return neighbours.queries[(p < level) & (ratio <= NEAR)]


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
    return np.union1d(_gaps(again, level), equal)


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
        pair = [float(np.mean(np.abs(y[queries] - y[rows]))) for rows in (copied, shuffled)]
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


def _order(rows: Rows, named: _Named, alpha: float) -> Check:
    numbering = numbering_columns(rows, named.id_values, alpha)
    detail = {"columns": [rows.columns[at] for at in numbering]}
    return Check("order", bool(numbering), len(numbering), 0, detail=detail)
