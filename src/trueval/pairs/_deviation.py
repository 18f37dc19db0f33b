"""How far cross-validation estimates are from the truth: the paper's Section 4.

Draw a small set of objects from a population, cross-validate on its pairs, and
compare with the AUC on pairs of objects the draw did not have. Many repeats give the
mean, the variance and the second moment of the deviation B(Z) = A_CV(Z) − A(f_Z).
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import NDArray

from trueval.core.errors import InputError, ParameterError
from trueval.core.params import (
    BOOL,
    CALLABLE,
    N_JOBS,
    NONE,
    PATH,
    RANDOM_STATE,
    Interval,
    Methods,
    constrained,
)
from trueval.core.random import as_generator, draw_seed
from trueval.pairs._checkpoint import label_digest, other_study, repeats_in
from trueval.pairs._deviation_draw import Population
from trueval.pairs._deviation_study import DeviationStudy
from trueval.pairs._knn_scores import N_NEIGHBORS, as_values, as_vectors

__all__ = ["deviation_study"]


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
        Its ``table`` has a row for each estimate and number of neighbours.

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
    population = Population(vectors, share, pool, test_pairs, test_labels, seed)

    def one(repeat: int) -> dict[str, Any]:
        draw = population.draw(repeat, n_objects, n_splits, do_lto)
        if draw.y.all() or not draw.y.any():
            return draw.undefined(len(values))
        if estimator is None:
            return draw.by_knn(np.asarray(values))
        return draw.by_estimator(estimator)

    parameters = (n_splits, n_objects, do_lto, estimator, random_state)
    done = repeats_in(checkpoint, _digest(vectors, test_pairs, test_labels, values, *parameters))
    wanted = range(first_repeat, first_repeat + n_repeats)
    for repeat in set(wanted) & set(done.results):
        y = population.draw(repeat, n_objects, n_splits, do_lto).y
        if done.results[repeat]["labels"] != label_digest(y):
            raise other_study(str(checkpoint), "labels")
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


def _digest(
    vectors: NDArray[np.float64],
    test_pairs: NDArray[np.int64],
    test_labels: NDArray[np.bool_],
    values: list[Any],
    *parameters: Any,
) -> str:
    """What a checkpoint must agree with."""
    digest = hashlib.sha256()
    for array in (vectors, test_pairs, test_labels):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(json.dumps([values, *map(repr, parameters)]).encode())
    return digest.hexdigest()
