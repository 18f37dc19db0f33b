"""How far cross-validation estimates are from the truth: the paper's Section 4.

Draw a small set of objects from a population, cross-validate on its pairs, and
compare with the AUC on pairs of objects the draw did not have. Many repeats give the
mean, the variance and the second moment of the deviation B(Z) = A_CV(Z) − A(f_Z).
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.errors import InputError, ParameterError, quote
from trueval.core.params import (
    BOOL,
    CALLABLE,
    N_JOBS,
    NONE,
    PATH,
    RANDOM_STATE,
    STRING,
    Choice,
    Interval,
    Methods,
    constrained,
)
from trueval.core.presentable import Card, Presentable, draw
from trueval.core.random import as_generator, draw_seed
from trueval.core.table import Table
from trueval.pairs.auc import auc, concordance
from trueval.pairs.checkpoint import repeats_in
from trueval.pairs.knn import N_NEIGHBORS, as_values, as_vectors, masked_scores, query_scores
from trueval.pairs.scores import pooled_scores
from trueval.pairs.splitters import ObjectKFold, ObjectLeaveTwoOut
from trueval.pairs.tasks import Tasks, fold_tasks

__all__ = ["DeviationStudy", "deviation_study"]

_SCHEMES = ("relaxed", "strict")
_ESTIMATES = ("averaged", "pooled", "leave-two-out")


@dataclass(frozen=True, eq=False, repr=False)
class DeviationStudy(Presentable):
    """Estimates and truths of all repeats.

    Attributes
    ----------
    estimates : ndarray of shape (n_repeats, 2, 3, n_values)
        Cross-validation AUC by scheme (relaxed, strict), by way of estimating
        (n-fold averaged, n-fold pooled, leave-two-out pooled), and by K or model.
        NaN where it was not defined or not asked for.
    truths : ndarray of shape (n_repeats, n_values)
        AUC of the model trained on all pairs of the draw, on pairs of new objects.
    nulls : ndarray of shape (n_repeats, 2, 3)
        The estimate that a predictor of the training rate alone would have had.
    excluded : ndarray of shape (n_repeats,)
        Folds of the n-fold that had one class only.
    rates : ndarray of shape (n_repeats,)
        Positive rate of the pairs of each draw.
    values : list
        K, or the name of the model.
    n_splits : int
        Folds of the n-fold.
    """

    estimates: NDArray[np.float64]
    truths: NDArray[np.float64]
    nulls: NDArray[np.float64]
    excluded: NDArray[np.int64]
    rates: NDArray[np.float64]
    values: list[Any]
    n_splits: int

    @property
    def n_repeats(self) -> int:
        """Number of draws."""
        return len(self.truths)

    @property
    def deviations(self) -> NDArray[np.float64]:
        """Estimates minus truths, of the shape of ``estimates``."""
        return self.estimates - self.truths[:, None, None, :]

    @property
    def table(self) -> Table:
        """Moments of the deviations with their standard errors.

        One line for each scheme, estimate and K: ``mean``, ``variance`` and
        ``second_moment`` about zero, each with ``_se``; ``generalization``, the
        mean AUC on new objects; ``null``, what the estimate would be without
        skill; and ``n``, the repeats in which the estimate was defined.
        """
        columns: dict[str, list[Any]] = {}
        deviations = self.deviations
        for s, scheme in enumerate(_SCHEMES):
            for e, estimate in enumerate(_ESTIMATES):
                for v, value in enumerate(self.values):
                    moments = _moments(deviations[:, s, e, v])
                    if moments["n"] == 0:
                        continue
                    line = {"scheme": scheme, "estimate": estimate, "value": value}
                    line |= moments
                    line["generalization"] = float(self.truths[:, v].mean())
                    line["null"] = float(np.nanmean(self.nulls[:, s, e]))
                    for name, cell in line.items():
                        columns.setdefault(name, []).append(cell)
        return Table(columns)

    @constrained(name=STRING, scheme=Choice(_SCHEMES), estimate=Choice(_ESTIMATES))
    def moment(self, name: str, scheme: str, estimate: str, value: Any) -> float:
        """One cell of the table.

        Parameters
        ----------
        name : str
            A column: "mean", "variance", "second_moment", "mean_se" and so on.
        scheme : {"relaxed", "strict"}
        estimate : {"averaged", "pooled", "leave-two-out"}
        value : object
            K, or the name of the model.

        Returns
        -------
        float
        """
        table = self.table
        found = np.flatnonzero(
            (table["scheme"] == scheme)
            & (table["estimate"] == estimate)
            & (table["value"] == value)
        )
        if not len(found):
            raise InputError(
                f"the study has no {scheme} {estimate} estimate for {quote(value)}; values are "
                f"{self.values}."
            )
        return float(table[name][found[0]])

    @constrained(moment=Choice(("mean", "variance", "second_moment")))
    def plot(self, moment: str = "mean") -> Any:
        """Draw a moment of the deviations by scheme, estimate and K.

        Parameters
        ----------
        moment : {"mean", "variance", "second_moment"}, default="mean"

        Returns
        -------
        trueval.charts.Chart
        """
        return draw("deviation_by_folds", self.table, moment)

    def _title(self) -> str:
        return (
            f"DeviationStudy: {self.n_repeats} repeats, {self.n_splits} folds, positive rate "
            f"{self.rates.mean():.3f}, {int(self.excluded.sum())} of "
            f"{self.n_repeats * self.n_splits} folds excluded from averages (one class only)"
        )

    def _shown(self) -> Table:
        table = self.table
        middle = self.values[len(self.values) // 2 - (len(self.values) % 2 == 0)]
        shown = table.take(table["value"] == middle)
        names = ("scheme", "estimate", "value", "mean", "mean_se", "variance", "second_moment")
        return Table({name: shown[name] for name in (*names, "null")})

    def __repr__(self) -> str:
        return f"{self._title()}\n{self._shown()!r}"

    def _verdict(self) -> str:
        shown = self._shown()
        if not len(shown):
            return "No estimate was defined in any repeat."
        shown = shown.take(shown["estimate"] == shown["estimate"][0])
        means = [
            f"the {scheme} scheme promises {abs(mean):.3f} too {'much' if mean > 0 else 'little'}"
            for scheme, mean in zip(shown["scheme"], shown["mean"], strict=True)
        ]
        return f"Of the {shown['estimate'][0]} AUC, {', '.join(means)}."

    def _card(self) -> Card:
        return Card(self._title(), self._verdict(), tables=[self._shown().card_table()])


@constrained(
    n_objects=Interval(int, 4),
    n_repeats=Interval(int, 1),
    first_repeat=Interval(int, 0),
    n_test_pairs=Interval(int, 2),
    n_splits=Interval(int, 2),
    n_neighbors=N_NEIGHBORS,
    estimator=(NONE, Methods(("fit", "get_params"), "a scikit-learn estimator")),
    leave_two_out=(NONE, BOOL),
    random_state=RANDOM_STATE,
    n_jobs=N_JOBS,
    checkpoint=(NONE, PATH),
    progress=(NONE, CALLABLE),
)
def deviation_study(
    objects: Any,
    labels: Any,
    *,
    n_objects: int = 100,
    n_repeats: int = 200,
    first_repeat: int = 0,
    n_test_pairs: int = 10_000,
    n_splits: int = 10,
    n_neighbors: int | Sequence[int] = tuple(range(10, 101, 10)),
    estimator: Any = None,
    leave_two_out: bool | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> DeviationStudy:
    """Measure how far object-level cross-validation is from the truth.

    Test pairs are drawn once; every repeat draws ``n_objects`` others, makes all
    their pairs, cross-validates on them under both schemes, and compares with the
    AUC, on the test pairs, of the model trained on all of them. Parts are random,
    as in the paper.

    Parameters
    ----------
    objects : array-like of shape (n_population, n_features)
        Vectors of the population; a pair is the sum of two.
    labels : sparse matrix of shape (n_population, n_terms), or callable
        A pair is positive when its objects share a term (a column); or a function
        of two arrays of object numbers that gives the labels.
    n_objects : int, default=100
        Objects of a draw.
    n_repeats : int, default=200
        Draws.
    first_repeat : int, default=0
        Number of the first draw. Draws of a seed are the same however they are divided
        among calls, so that a long study can be done in pieces.
    n_test_pairs : int, default=10000
        Pairs of other objects to measure the truth on.
    n_splits : int, default=10
        Parts of the n-fold.
    n_neighbors : int or sequence of int
        Values of K for the default learner, :class:`PairKNNClassifier`.
    estimator : scikit-learn estimator, optional
        Another learner, fitted on the summed vectors; refitted on every fold.
    leave_two_out : bool, optional
        Whether to do leave-two-out as well. Default: yes for KNN, which has the
        fast way, no for another estimator.
    random_state : None, int, Generator or RandomState
        Results depend on it alone, not on ``n_jobs`` or interruptions.
    n_jobs : int, optional
        Repeats at the same time, in threads.
    checkpoint : path, optional
        File to keep finished repeats in. A study with the same arguments and seed
        resumes from it, also towards a larger ``n_repeats``. Needs an int
        ``random_state``.
    progress : callable, optional
        Called as ``progress(done, n_repeats)`` after every repeat.

    Returns
    -------
    DeviationStudy

    Examples
    --------
    >>> from trueval.data import simulate
    >>> from trueval.pairs import deviation_study
    >>> proteins = simulate.protein_families(600, random_state=0)
    >>> study = deviation_study(proteins.features, proteins.terms, n_objects=40, n_repeats=3,
    ...                         n_test_pairs=500, n_splits=4, n_neighbors=10, random_state=0)
    >>> study.deviations.shape
    (3, 2, 3, 1)
    """
    vectors = as_vectors(objects)
    share = _as_labels(labels, len(vectors))
    values: list[Any] = as_values(n_neighbors).tolist()
    if estimator is not None:
        values = [type(estimator).__name__]
    do_lto = estimator is None if leave_two_out is None else leave_two_out
    if checkpoint is not None and not isinstance(random_state, int):
        expected = "an int when there is a checkpoint, or the draws could not be repeated"
        raise ParameterError("random_state", expected, random_state, "deviation_study")
    seed = np.random.SeedSequence(draw_seed(as_generator(random_state)))
    test_pairs, pool = _test_pairs(len(vectors), n_objects, n_test_pairs, seed)
    test_labels = share(test_pairs[:, 0], test_pairs[:, 1])
    if test_labels.all() or not test_labels.any():
        raise InputError(
            f"all {n_test_pairs} test pairs have one label; use more of them, or other labels."
        )

    def one(repeat: int) -> dict[str, Any]:
        # The children of a seed are the same however many are asked for.
        child = np.random.SeedSequence(seed.entropy, spawn_key=(1, repeat))
        generator = np.random.default_rng(child)
        drawn = pool[generator.choice(len(pool), n_objects, replace=False)]
        pairs = np.array(list(combinations(range(n_objects), 2)))
        y = share(drawn[pairs[:, 0]], drawn[pairs[:, 1]])
        part_seed = int(generator.integers(2**32))
        cvs: list[Any] = [ObjectKFold(n_splits, balance="objects", random_state=part_seed)]
        if do_lto:
            cvs.append(ObjectLeaveTwoOut())
        problem = _Problem(vectors, drawn, pairs, y, test_pairs, test_labels, cvs)
        if y.all() or not y.any():
            return problem.undefined(len(values))
        if estimator is None:
            return problem.by_knn(np.asarray(values))
        return problem.by_estimator(estimator)

    parameters = (n_splits, n_objects, do_lto, estimator, random_state)
    done = repeats_in(checkpoint, _digest(vectors, test_pairs, test_labels, values, *parameters))
    wanted = range(first_repeat, first_repeat + n_repeats)
    missing = [r for r in wanted if r not in done.results]
    n_done = n_repeats - len(missing)
    jobs = (delayed(one)(repeat) for repeat in missing)
    parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    try:
        for repeat, result in zip(missing, parallel(jobs), strict=True):
            done.add(repeat, result)
            n_done += 1
            if progress is not None:
                progress(n_done, n_repeats)
    finally:  # an interrupted study keeps what it has
        done.write()
    return _study([done.results[r] for r in wanted], values, n_splits)


def _study(results: list[dict[str, Any]], values: list[Any], n_splits: int) -> DeviationStudy:
    """The repeats, put together."""
    return DeviationStudy(
        estimates=np.array([r["estimates"] for r in results]),
        truths=np.array([r["truths"] for r in results]),
        nulls=np.array([r["nulls"] for r in results]),
        excluded=np.array([r["excluded"] for r in results], dtype=np.int64),
        rates=np.array([r["rate"] for r in results]),
        values=values,
        n_splits=n_splits,
    )


# --- one repeat ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Problem:
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
            for s, scheme in enumerate(_SCHEMES):
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
        own = np.bincount(a[same], weight[same], n_labels)
        # Rows with one label of each are counted with both; take them off once.
        crossing = inside - own[fold_p] - np.where(two, own[fold_q], 0)
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


# --- around the repeats ----------------------------------------------------------


def _test_pairs(
    n_population: int, n_objects: int, n_pairs: int, seed: np.random.SeedSequence
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct test pairs, and the objects that none of them has."""
    generator = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(0,)))
    if n_pairs > n_population * (n_population - 1) // 4:
        raise InputError(
            f"n_test_pairs={n_pairs} is too many for {n_population} objects; use fewer."
        )
    chosen: dict[int, None] = {}
    while len(chosen) < n_pairs:
        a, b = generator.integers(n_population, size=(2, n_pairs))
        keys = np.minimum(a, b) * n_population + np.maximum(a, b)
        for key in keys[a != b].tolist():
            chosen.setdefault(key)
    keys = np.array(list(chosen)[:n_pairs])
    pairs = np.column_stack([keys // n_population, keys % n_population])
    pool = np.setdiff1d(np.arange(n_population), pairs)
    if len(pool) < n_objects:
        raise InputError(
            f"the {n_pairs} test pairs leave {len(pool)} of {n_population} objects to draw "
            f"{n_objects} from; use fewer n_test_pairs or a larger population."
        )
    return pairs, pool


def _as_labels(
    labels: Any, n_population: int
) -> Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]:
    if callable(labels):

        def from_function(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
            values = np.asarray(labels(a, b))
            if values.shape != a.shape:
                raise InputError(
                    f"labels gave shape {values.shape} for {len(a)} pairs; it must give one label "
                    "for each."
                )
            return values > 0

        return from_function
    terms = labels if sp.issparse(labels) else sp.csr_array(np.asarray(labels))
    terms = sp.csr_array(terms)
    if terms.shape[0] != n_population:
        raise InputError(f"labels has {terms.shape[0]} rows but there are {n_population} objects.")

    def share_a_term(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        distinct, numbers = np.unique(np.concatenate([a, b]), return_inverse=True)
        mine = terms[distinct].astype(np.float64)
        left, right = mine[numbers[: len(a)]], mine[numbers[len(a) :]]
        return np.asarray(left.multiply(right).sum(axis=1)).reshape(-1) > 0

    return share_a_term


def _moments(deviation: NDArray[np.float64]) -> dict[str, Any]:
    """Mean, variance and second moment about zero, with standard errors."""
    values = deviation[np.isfinite(deviation)]
    n = len(values)
    if n == 0:
        return {"n": 0}
    mean = float(values.mean())
    variance = float(values.var(ddof=1)) if n > 1 else np.nan
    squares = values**2
    # The variance of a sample variance, from the fourth central moment.
    fourth = float(((values - mean) ** 4).mean())
    spread = (fourth - (n - 3) / (n - 1) * variance**2) / n if n > 1 else np.nan
    return {
        "mean": mean,
        "mean_se": float(np.sqrt(variance / n)),
        "variance": variance,
        "variance_se": float(np.sqrt(max(spread, 0.0))) if n > 1 else np.nan,
        "second_moment": float(squares.mean()),
        "second_moment_se": float(squares.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan,
        "n": n,
    }


def _digest(
    vectors: NDArray[np.float64],
    test_pairs: NDArray[np.int64],
    test_labels: NDArray[np.bool_],
    values: list[Any],
    *parameters: Any,
) -> str:
    """What a checkpoint must agree with."""
    digest = hashlib.sha256()
    for array in (vectors[:: max(1, len(vectors) // 1000)], test_pairs, test_labels):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(json.dumps([values, *map(repr, parameters)]).encode())
    return digest.hexdigest()
