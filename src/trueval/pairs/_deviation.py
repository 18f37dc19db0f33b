"""How far cross-validation estimates are from the truth: the paper's Section 4.

Draw a small set of objects from a population, cross-validate on its pairs, and
compare with the AUC on pairs of objects the draw did not have. Many repeats give the
mean, the variance and the second moment of the deviation B(Z) = A_CV(Z) − A(f_Z).
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import delayed
from numpy.typing import NDArray

from trueval.core.errors import InputError, ParameterError
from trueval.core.object_pairs import distinct_pairs, share_a_term
from trueval.core.params import (
    BOOL,
    CALLABLE,
    N_JOBS,
    NONE,
    PATH,
    RANDOM_STATE,
    Interval,
    Methods,
    Where,
    constrained,
)
from trueval.core.random import as_generator, draw_seed
from trueval.core.threads import threads
from trueval.pairs._checkpoint import label_digest, other_study, repeats_in
from trueval.pairs._deviation_draw import N_BLOCKS, Population, TruthPairs, estimate_names, n_folds
from trueval.pairs._deviation_learners import KNN, AnyModel, RidgeModel, is_plain_ridge
from trueval.pairs._deviation_study import DeviationStudy
from trueval.pairs._folding import SETTING
from trueval.pairs._kfold import ObjectKFold
from trueval.pairs._knn_scores import N_NEIGHBORS, as_values, as_vectors
from trueval.pairs._leave_two_out import ObjectLeaveTwoOut
from trueval.pairs._resampling import ObjectLeavePOut
from trueval.pairs._settings import setting_name

__all__ = ["deviation_study"]

_SPLITTER = Methods(("split", "get_n_splits"), "a splitter")
_SPLITTERS = Where(
    lambda cvs: (
        len(cvs) > 0
        and all(isinstance(name, str) and _SPLITTER.accepts(cv) for name, cv in cvs.items())
    ),
    "splitters by name",
)


@constrained(
    n_objects=Interval(int, 4),
    n_repeats=Interval(int, 1),
    first_repeat=Interval(int, 0),
    n_test_pairs=Interval(int, 2),
    cv=(NONE, _SPLITTER, _SPLITTERS),
    setting=SETTING,
    density=Interval(float, 0, 1, "right"),
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
    cv: Any = None,
    setting: str = "BB",
    density: float = 1.0,
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

    Test pairs are drawn once; every repeat draws ``n_objects`` others, makes
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
        Pairs to measure the truth on; with ``setting="AB"`` those of a drawn object and a
        new one, drawn for each repeat from the same new objects.
    cv : splitter, or dict of str to splitter, optional
        What to measure, by name, under both schemes in turn, whatever ``scheme`` each has; its
        ``random_state`` is drawn anew for each repeat. A splitter that has no scheme is said to be
        relaxed: it trains on all it does not validate. Estimates are the averaged and the
        pooled AUC, of :class:`ObjectLeaveTwoOut` the pooled one only, of
        :class:`ObjectBootstrap` also ``.632``: 0.368 times the AUC on the training pairs plus
        0.632 times the averaged one.
        Default: object-n-fold and, for the fast learners, leave-two-out; in the setting AB both
        adapted to it (one object left out).
    setting : {"BB", "AB", "AA"}, default="BB"
        Pairs that the model is for, on which the truth is measured: of two new objects, of a
        drawn and a new object, or of drawn objects whose pair is missing (needs
        ``density`` below 1). What a splitter validates is its own ``setting``.
    density : float, default=1.0
        Share of the pairs of the drawn objects that are known; a random choice.
    n_splits : int, default=10
        Parts of the n-fold, where there is no ``cv``.
    n_neighbors : int or sequence of int
        Values of K for the default learner, :class:`PairKNNClassifier`.
    estimator : scikit-learn estimator, optional
        Another learner, fitted on the summed vectors; refitted on every fold. ``Ridge`` of
        scikit-learn is solved from sums instead, with the same result.
    leave_two_out : bool, optional
        Whether to do leave-two-out (in the setting AB leave-one-out) as well, where there is no
        ``cv``. Default: yes for KNN and ``Ridge``, which have a fast way, no for another estimator.
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

    Pairs of a known and a new object, of which a third is known, by overlapping folds:

    >>> from trueval.pairs import ObjectKFold
    >>> study = deviation_study(proteins.features, proteins.terms, n_objects=40, n_repeats=2,
    ...                         n_test_pairs=500, cv=ObjectKFold(4, overlapping=True, setting="AB"),
    ...                         setting="AB", density=1 / 3, n_neighbors=10, random_state=0)
    >>> study.estimate_names
    ['averaged', 'pooled']
    """
    vectors = as_vectors(objects)
    share = _as_labels(labels, len(vectors))
    values: list[Any] = as_values(n_neighbors).tolist()
    if estimator is not None:
        values = [type(estimator).__name__]
    fast = estimator is None or is_plain_ridge(estimator)
    setting = setting_name(setting)
    if setting == "AA" and density == 1:
        expected = "below 1 in the setting AA, whose test pairs are those that are not known"
        raise ParameterError("density", expected, density, "deviation_study")
    cvs = _splitters(cv, setting, n_splits, fast if leave_two_out is None else leave_two_out)
    if checkpoint is not None and not isinstance(random_state, int):
        expected = "an int when there is a checkpoint, or the draws could not be repeated"
        raise ParameterError("random_state", expected, random_state, "deviation_study")
    seed = np.random.SeedSequence(draw_seed(as_generator(random_state)))
    test, pool = _test_set(len(vectors), n_objects, n_test_pairs, seed, share)
    if setting == "BB" and (test.labels.all() or not test.labels.any()):
        raise InputError(
            f"all {n_test_pairs} test pairs have one label; use more of them, or other labels."
        )
    learner: Any = partial(KNN, np.asarray(values))
    if estimator is not None:
        learner = partial(RidgeModel if fast else AnyModel, estimator)
    population = Population(vectors, share, pool, test, seed, learner, cvs, setting, density)

    def one(repeat: int) -> dict[str, Any]:
        return population.draw(repeat, n_objects).result(len(values))

    parameters = (n_objects, cvs, setting, density, estimator, random_state)
    done = repeats_in(checkpoint, _digest(vectors, test, values, *parameters))
    wanted = range(first_repeat, first_repeat + n_repeats)
    for repeat in set(wanted) & set(done.results):
        y = population.draw(repeat, n_objects).y
        if done.results[repeat]["labels"] != label_digest(y):
            raise other_study(str(checkpoint), "labels")
    missing = [r for r in wanted if r not in done.results]
    n_done = n_repeats - len(missing)
    jobs = (delayed(one)(repeat) for repeat in missing)
    parallel = threads(n_jobs, len(missing), return_as="generator")
    try:
        for repeat, result in zip(missing, parallel(jobs), strict=True):
            done.add(repeat, result)
            n_done += 1
            if progress is not None:
                progress(n_done, n_repeats)
    finally:  # an interrupted study keeps what it has
        done.write()
    return _study([done.results[r] for r in wanted], values, cvs, n_objects, setting)


def _splitters(cv: Any, setting: str, n_splits: int, leave_out: bool) -> dict[str, Any]:
    """Splitters by name; the estimates of one without a name are only called by their way."""
    if cv is not None:
        return dict(cv) if isinstance(cv, Mapping) else {"": cv}
    cvs: dict[str, Any] = {"": ObjectKFold(n_splits, setting=setting, balance="objects")}
    if leave_out and setting == "BB":
        cvs["leave-two-out"] = ObjectLeaveTwoOut()
    elif leave_out and setting == "AB":
        cvs["leave-one-out"] = ObjectLeavePOut(1, setting="AB")
    return cvs


def _study(
    results: list[dict[str, Any]],
    values: list[Any],
    cvs: dict[str, Any],
    n_objects: int,
    setting: str,
) -> DeviationStudy:
    """The repeats, put together."""
    return DeviationStudy(
        **{
            name: np.array([r[name] for r in results])
            for name in ("estimates", "truths", "nulls", "influence")
        },
        excluded=np.array([r["excluded"] for r in results], dtype=np.int64),
        rates=np.array([r["rate"] for r in results]),
        values=values,
        n_splits=n_folds(cvs, np.array(list(combinations(range(n_objects), 2)))),
        estimate_names=estimate_names(cvs),
        setting=setting,
    )


def _test_set(
    n_population: int,
    n_objects: int,
    n_pairs: int,
    seed: np.random.SeedSequence,
    share: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]],
) -> tuple[TruthPairs, NDArray[np.int64]]:
    """Distinct test pairs, and the objects that none of them has."""
    generator = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(0,)))
    pairs = distinct_pairs(n_population, n_pairs, generator)
    pool = np.setdiff1d(np.arange(n_population), pairs)
    if len(pool) < n_objects:
        raise InputError(
            f"the {n_pairs} test pairs leave {len(pool)} of {n_population} objects to draw "
            f"{n_objects} from; use fewer n_test_pairs or a larger population."
        )
    block = np.arange(n_pairs) % N_BLOCKS
    return TruthPairs(pairs, share(pairs[:, 0], pairs[:, 1]), block), pool


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
    return partial(share_a_term, terms)


def _digest(
    vectors: NDArray[np.float64],
    test: TruthPairs,
    values: list[Any],
    *parameters: Any,
) -> str:
    """What a checkpoint must agree with."""
    digest = hashlib.sha256()
    for array in (vectors, *test):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(json.dumps([values, *map(repr, parameters)]).encode())
    return digest.hexdigest()
