"""Out-of-fold scores for splitters whose validation sets are no partition."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from trueval._compat import safe_indexing
from trueval.core.arrays import as_binary, is_binary, n_rows_of
from trueval.core.errors import InputError
from trueval.core.pairs import as_pairs
from trueval.core.params import BOOL, N_JOBS, STRING, Interval, Methods, Where, constrained
from trueval.core.presentable import Presentable
from trueval.core.table import Table
from trueval.core.threads import workers
from trueval.pairs._auc import AUC, averaged_auc, pooled_auc
from trueval.pairs._each_fold import each_fold
from trueval.pairs._folding import SETTING
from trueval.pairs._settings import SETTINGS, setting_name

__all__ = ["PooledScores", "fit_and_score", "pooled_scores"]


@dataclass(frozen=True, eq=False, repr=False)
class PooledScores(Presentable):
    """Every score that a model gave to a pair it had not been trained on.

    Iterates over folds as (y_true, y_score), so that it can be given to
    :func:`averaged_auc` and :func:`pooled_auc`.

    Attributes
    ----------
    table : Table
        One line for each validation: ``fold``, ``row``, ``setting``, ``score``.
    y : ndarray
        Labels of all rows.
    n_rows : int
        Rows of the data.
    train_sizes, train_rates : ndarray
        Rows and positive rate of each fold's training set; rates are NaN when y
        is not binary.
    skipped : dict of int to str
        Folds that could not be fitted or had nothing to validate, and why.
    """

    table: Table
    y: NDArray[Any]
    n_rows: int
    train_sizes: NDArray[np.int64]
    train_rates_all: NDArray[np.float64]
    skipped: dict[int, str]

    @property
    def n_folds(self) -> int:
        """Folds of the splitter, the skipped ones included."""
        return len(self.train_sizes)

    @property
    def used(self) -> list[int]:
        """Folds that have scores."""
        return [f for f in range(self.n_folds) if f not in self.skipped]

    @property
    def train_rates(self) -> NDArray[np.float64]:
        """Positive rate of the training set of each fold that has scores."""
        return self.train_rates_all[self.used]

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        return np.searchsorted(self.table["fold"], np.arange(self.n_folds + 1))

    def __iter__(self) -> Iterator[tuple[NDArray[Any], NDArray[np.float64]]]:
        for fold in self.used:
            part = slice(self._starts[fold], self._starts[fold + 1])
            yield self.y[self.table["row"][part]], self.table["score"][part]

    @constrained(setting=SETTING)
    def only(self, setting: str) -> "PooledScores":
        """Keep the validations of one setting: "AA", "AB" or "BB" (or "C1", "C2", "C3")."""
        setting = setting_name(setting)
        table = self.table.take(self.table["setting"] == setting)
        lacking = set(range(self.n_folds)) - set(table["fold"].tolist()) - set(self.skipped)
        skipped = self.skipped | dict.fromkeys(lacking, f"no {setting} pair to validate on")
        return PooledScores(
            table, self.y, self.n_rows, self.train_sizes, self.train_rates_all, skipped
        )

    @cached_property
    def times(self) -> NDArray[np.int64]:
        """How often each row was scored."""
        return np.bincount(self.table["row"], minlength=self.n_rows)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Mean score of each row over its folds, NaN where it was never validated."""
        total = np.bincount(self.table["row"], self.table["score"], minlength=self.n_rows)
        return np.divide(total, self.times, out=np.full(self.n_rows, np.nan), where=self.times > 0)

    @constrained(row=Interval(int, 0))
    def folds_of(self, row: int) -> NDArray[np.int64]:
        """Folds that validated a row."""
        return self.table["fold"][self.table["row"] == row]

    def averaged_auc(self) -> AUC:
        """Mean AUC over folds; see :func:`trueval.pairs.averaged_auc`."""
        value = averaged_auc(self)
        return AUC(float(value), self.n_folds, value.n_excluded + len(self.skipped))

    @constrained(within=BOOL)
    def pooled_auc(self, *, within: bool = False) -> Any:
        """Pooled AUC with its null value; see :func:`trueval.pairs.pooled_auc`."""
        return pooled_auc(self, null=True, within=within)


@constrained(
    estimator=Methods(("fit", "get_params"), "a scikit-learn estimator"),
    cv=Methods(("split",), "a splitter"),
    settings=BOOL,
    method=(STRING, Where(lambda names: all(isinstance(n, str) for n in names), "several")),
    n_jobs=N_JOBS,
)
def pooled_scores(
    estimator: Any,
    X: Any,
    y: Any,
    pairs: Any,
    cv: Any,
    *,
    settings: bool = False,
    method: str | Sequence[str] = ("decision_function", "predict_proba", "predict"),
    n_jobs: int | None = None,
) -> PooledScores:
    """Out-of-fold scores, whatever the folds.

    ``cross_val_predict`` of scikit-learn refuses validation sets that are no
    partition; these are kept apart here, fold by fold.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Cloned and fitted on the training rows of each fold.
    X : array-like
        Features, one row for each pair.
    y : array-like
        Labels.
    pairs : Pairs, PairIndex or array-like of shape (n_rows, 2)
        Object ids of each row.
    cv : splitter
        One of this package, or any scikit-learn splitter.
    settings : bool, default=False
        Score the three settings AA, AB and BB of each fold apart, from one
        fitted model (:meth:`ObjectKFold.split_settings`).
    method : str or sequence of str
        Method that gives the scores; the first of them that the estimator has.
        Of two columns of probabilities, the second is taken.
    n_jobs : int, optional
        Folds fitted at the same time; results do not depend on it.

    Returns
    -------
    PooledScores

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from sklearn.linear_model import LogisticRegression
    >>> from trueval.pairs import ObjectKFold, pooled_scores
    >>> rng = np.random.default_rng(0)
    >>> objects = rng.normal(size=(40, 3))
    >>> pairs = np.array(list(combinations(range(40), 2)))
    >>> X = objects[pairs[:, 0]] + objects[pairs[:, 1]]
    >>> y = X[:, 0] + rng.normal(size=len(X)) > 0
    >>> result = pooled_scores(LogisticRegression(), X, y, pairs, ObjectKFold(4, random_state=0))
    >>> result.scores.shape, int(result.times.sum())
    ((780,), 180)
    >>> value, null = result.pooled_auc()
    >>> value > null
    True
    """
    labels = np.asarray(y)
    n_rows = n_rows_of(X, "X")
    if len(labels) != n_rows:
        raise InputError(f"X has {n_rows} rows but y has {len(labels)}.")
    if settings and not hasattr(cv, "split_settings"):
        raise InputError(
            f"settings=True needs a splitter with split_settings, such as ObjectKFold; got "
            f"{type(cv).__name__}."
        )
    methods = [method] if isinstance(method, str) else list(method)
    positive = as_binary(labels) if is_binary(labels) else None

    index = as_pairs(pairs, symmetric=getattr(cv, "symmetric", True), X=X, y=y)
    folds = cv.split_settings(X, y, index) if settings else each_fold(cv, pairs, y, index, X)
    results = workers(n_jobs)(
        delayed(fit_and_score)(estimator, X, labels, fold.train, fold.validation, methods)
        for fold in folds
    )
    columns: dict[str, list[Any]] = {"fold": [], "row": [], "setting": [], "score": []}
    sizes, rates, skipped = [], [], {}
    for number, (train, sets, scores, problem) in enumerate(results):
        sizes.append(train[0])
        rates.append(train[1] if positive is not None else np.nan)
        if problem:
            skipped[number] = problem
            continue
        for name, rows in sets.items():
            columns["fold"].append(np.full(len(rows), number))
            columns["row"].append(rows)
            columns["setting"].append(np.full(len(rows), name, dtype="<U3"))
        columns["score"].append(scores)
    if not columns["score"]:
        reason = skipped.get(0, "there are no folds")
        raise InputError(f"none of the {len(results)} folds could be scored; fold 0: {reason}")
    table = Table({name: np.concatenate(values) for name, values in columns.items()})
    return PooledScores(
        table, labels, n_rows, np.asarray(sizes), np.asarray(rates, dtype=float), skipped
    )


def fit_and_score(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    train: NDArray[np.intp],
    sets: dict[str, NDArray[np.intp]],
    methods: list[str],
) -> tuple[tuple[int, float], dict[str, NDArray[np.intp]], NDArray[np.float64], str]:
    """Size and rate of the training set, rows validated, their scores, and what prevented it."""
    y_train = y[train]
    rate = float(np.mean(y_train > 0)) if y.dtype.kind in "biuf" else np.nan
    nothing = np.zeros(0)
    test = np.concatenate([sets[name] for name in (s for s in (*SETTINGS, "any") if s in sets)])
    ordered = {name: sets[name] for name in (*SETTINGS, "any") if name in sets}
    if not len(test):
        return (len(train), rate), ordered, nothing, "no pair to validate on"
    if is_classifier(estimator) and (y_train == y_train[0]).all():
        return (len(train), rate), ordered, nothing, "all training pairs are of one class"
    model = clone(estimator).fit(safe_indexing(X, train), y_train)
    name = next((m for m in methods if hasattr(model, m)), None)
    if name is None:
        raise InputError(f"{type(model).__name__} has none of the methods {methods}.")
    scores = np.asarray(getattr(model, name)(safe_indexing(X, test)), dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, 1]
    if scores.ndim != 1:
        raise InputError(
            f"{type(model).__name__}.{name} gave shape {scores.shape}; one score for each pair is "
            "needed."
        )
    return (len(train), rate), ordered, scores, ""
