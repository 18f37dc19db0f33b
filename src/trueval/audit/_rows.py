"""``audit_rows``: what a split of rows gives away, whoever made it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.audit._features import STATISTICAL, feature_checks
from trueval.audit._inputs import Rows, Target, as_target, read_rows, times_of
from trueval.audit._overlap import edges_check, shared_check, time_check
from trueval.audit._result import CHECKS, Check, RowAudit
from trueval.core.arrays import as_rows
from trueval.core.errors import InputError
from trueval.core.folds import as_folds
from trueval.core.groups import group_numbers
from trueval.core.params import RANDOM_STATE, Interval, constrained
from trueval.core.random import as_generator, draw_seed
from trueval.core.similarity import THRESHOLD, as_similarity, warn_unreached

__all__ = ["audit_folds", "audit_rows"]

_Ints = NDArray[np.intp]
_ALPHA = Interval(float, 1e-300, 0.5, "left")  # divided by the number of tests, it stays one


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
        if self.graph is not None:
            warn_unreached(self.graph, threshold)
        self.threshold = threshold


def _numbered(values: Any, n_rows: int, name: str) -> NDArray[np.int64] | None:
    if values is None:
        return None
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    if len(array) != n_rows:
        raise InputError(f"{name} has {len(array):,} entries but there are {n_rows:,} rows.")
    return group_numbers(array, n_rows, name)


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
    alpha_each = alpha / len(STATISTICAL)
    checks, skipped = _by_name(rows, train, test, both, named)
    result: dict[str, Any] = {}
    if rows.matrix is None:
        skipped |= dict.fromkeys(STATISTICAL, "X holds ids, no features")
    else:
        only_test = np.setdiff1d(test, both)  # a row on both sides is said, not searched
        beside = (target, named.id_values, named.groups)
        more, why, result = feature_checks(rows, train, only_test, *beside, streams, alpha_each)
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
