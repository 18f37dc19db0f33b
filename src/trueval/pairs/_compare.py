"""One model validated by rows, by the relaxed and by the strict scheme, side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from trueval.core.arrays import as_binary, n_rows_of
from trueval.core.errors import Fix, InputError
from trueval.core.ids import SYMMETRIC, PairIndex
from trueval.core.names import places
from trueval.core.pairs import Pairs, as_pairs
from trueval.core.params import (
    BOOL,
    CALLABLE,
    N_JOBS,
    NONE,
    RANDOM_STATE,
    STRING,
    Choice,
    Interval,
    Methods,
    constrained,
)
from trueval.core.presentable import Presentable
from trueval.core.random import as_generator, draw_seed
from trueval.core.scores import as_scores
from trueval.core.table import Table
from trueval.pairs._auc import averaged_auc, fold_aucs, pooled_auc
from trueval.pairs._baselines import identity_scores
from trueval.pairs._cover import Coverage, coverage
from trueval.pairs._each_fold import each_fold
from trueval.pairs._folding import BALANCE, SETTING
from trueval.pairs._kfold import ObjectKFold
from trueval.pairs._knn import PairKNNClassifier
from trueval.pairs._scores import pooled_scores
from trueval.pairs._settings import BASELINE, setting_name

__all__ = ["Scheme", "SchemeComparison", "compare_schemes", "scheme_splitters"]

_KNN = "nearest neighbours"


@dataclass(frozen=True)
class Scheme:
    """One model under one way of validating; what is not known is None.

    Attributes
    ----------
    scheme, setting, model : str or None
    overlapping : bool or None
    n_folds, n_excluded : int or None
        Folds, and those without an AUC.
    averaged, pooled, null_pooled : float or None
        AUC, and the pooled AUC of a model without skill.
    validated, never : int, float or None
        Pairs, or their share, that are validated, and that never are.
    dropped : float or None
        Mean share of the pairs that a fold neither trains on nor validates.
    fold_auc : tuple of float or None, or None
        AUC of each fold that validates a pair.
    """

    scheme: str | None = None
    setting: str | None = None
    overlapping: bool | None = None
    n_folds: int | None = None
    n_excluded: int | None = None
    averaged: float | None = None
    pooled: float | None = None
    null_pooled: float | None = None
    validated: float | None = None
    never: float | None = None
    dropped: float | None = None
    model: str | None = None
    fold_auc: tuple[float | None, ...] | None = None

    @classmethod
    def of(cls, scheme: "Scheme | Mapping[str, Any]", place: int = 0) -> "Scheme":
        """From a mapping with some of the fields."""
        if isinstance(scheme, Scheme):
            return scheme
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(scheme) - set(known))
        if unknown:
            raise InputError(
                f"schemes[{place}] has the unknown key {unknown[0]!r}; keys are {', '.join(known)}."
            )
        return cls(**scheme)

    @classmethod
    def of_coverage(cls, coverage: Coverage, **more: Any) -> "Scheme":
        """What is validated and lost, with further fields."""
        return cls(
            n_folds=len(coverage.folds),
            validated=int((coverage.counts > 0).sum()),
            never=int((coverage.counts == 0).sum()),
            dropped=coverage.share_dropped,
            **more,
        )


@dataclass(frozen=True, eq=False, repr=False)
class SchemeComparison(Presentable):
    """AUC of models validated by rows, by the relaxed and by the strict scheme.

    Attributes
    ----------
    schemes : list of Scheme
        A line for each scheme and model: ``scheme`` (``"row-wise"``, ``"relaxed"``,
        ``"strict"``), ``model``, ``averaged``, ``pooled``, ``null_pooled`` (pooled AUC
        without skill), and what the scheme validates and drops.
    splitters : dict of str to splitter
        The splitter of each scheme.
    """

    schemes: list[Scheme]
    splitters: dict[str, Any]

    @property
    def table(self) -> Table:
        """The lines as a table, NaN where an AUC is not defined."""
        lines = [asdict(scheme) for scheme in self.schemes]
        numbers = ("averaged", "pooled", "null_pooled")
        return Table(
            {
                name: np.array(
                    [line[name] for line in lines], dtype=float if name in numbers else None
                )
                for name in lines[0]
            }
        )

    @constrained(scheme=STRING, model=STRING, kind=Choice(("averaged", "pooled", "null_pooled")))
    def auc(self, scheme: str, model: str = BASELINE, kind: str = "averaged") -> float | None:
        """AUC of a model under a scheme; None where it is not defined.

        Parameters
        ----------
        scheme : {"row-wise", "relaxed", "strict"}
        model : str, default="object identity"
        kind : {"averaged", "pooled", "null_pooled"}, default="averaged"

        Returns
        -------
        float or None
        """
        for line in self.schemes:
            if (line.scheme, line.model) == (scheme, model):
                value: float | None = getattr(line, kind)
                return value
        names = sorted({f"{line.scheme}, {line.model}" for line in self.schemes})
        raise InputError(f"there is no {scheme!r} of {model!r}; there are {'; '.join(names)}.")


def scheme_splitters(
    n_splits: int,
    *,
    setting: str = "BB",
    overlapping: bool = False,
    symmetric: bool | Sequence[Any] = True,
    clusters: Any = None,
    balance: str = "degrees",
    random_state: Any = 0,
) -> dict[str, Any]:
    """Three ways to validate, by name."""
    seed = random_state
    if not isinstance(seed, int):  # one seed for all three
        seed = draw_seed(as_generator(random_state)) % 2**32
    schemes = {
        scheme: ObjectKFold(
            n_splits,
            scheme=scheme,
            setting=setting,
            overlapping=overlapping,
            symmetric=symmetric,
            clusters=clusters,
            balance=balance,
            random_state=seed,
        )
        for scheme in ("relaxed", "strict")
    }
    return {"row-wise": KFold(n_splits, shuffle=True, random_state=seed), **schemes}


@constrained(
    estimator=(NONE, Methods(("fit", "get_params"), "a scikit-learn estimator")),
    n_splits=Interval(int, 2),
    setting=SETTING,
    overlapping=BOOL,
    symmetric=SYMMETRIC,
    balance=BALANCE,
    n_neighbors=Interval(int, 1),
    random_state=RANDOM_STATE,
    n_jobs=N_JOBS,
    progress=(NONE, CALLABLE),
)
def compare_schemes(
    pairs: Any,
    y: Any = None,
    *,
    features: Any = None,
    estimator: Any = None,
    X: Any = None,
    n_splits: int = 5,
    setting: str = "BB",
    overlapping: bool = False,
    symmetric: bool | Sequence[Any] = True,
    clusters: Any = None,
    balance: str = "degrees",
    n_neighbors: int = 10,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SchemeComparison:
    """Validate models by rows, by the relaxed and by the strict scheme.

    The difference between validation by rows and the strict scheme is what a model owes to
    objects it has seen. The baseline that knows nothing but the names of the objects is always
    among the models.

    Parameters
    ----------
    pairs : Pairs, PairIndex or array-like of shape (n_rows, 2)
        Object ids of each row.
    y : array-like of shape (n_rows,), optional
        Labels 0/1, -1/1 or bool. Default: those of ``Pairs``.
    features : mapping, DataFrame, Scores or array, optional
        Vector of each object, by id; an array has a row for each object number. They are
        validated with a nearest-neighbour model, :class:`PairKNNClassifier`.
    estimator : scikit-learn estimator, optional
        A model of your own, fitted on ``X``.
    X : array-like of shape (n_rows, n_features), optional
        Features of the pairs for ``estimator``.
    n_splits : int, default=5
        Parts of the objects, or of the rows.
    setting : {"BB", "AB", "AA"}, default="BB"
        What to validate on, as for :class:`ObjectKFold`.
    overlapping : bool, default=False
        As for :class:`ObjectKFold`.
    symmetric : bool or sequence, default=True
        As for :class:`ObjectKFold`.
    clusters : mapping, array or Similarity, optional
        As for :class:`ObjectKFold`.
    balance : {"degrees", "pairs", "objects"}, default="degrees"
        As for :class:`ObjectKFold`.
    n_neighbors : int, default=10
        Of the nearest-neighbour model.
    random_state : None, int, Generator or RandomState, default=0
    n_jobs : int, optional
        Folds fitted at the same time.
    progress : callable, optional
        Called as ``progress(done, 3)`` after each scheme.

    Returns
    -------
    SchemeComparison

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from trueval.pairs import compare_schemes
    >>> rng = np.random.default_rng(0)
    >>> pairs = np.array(list(combinations(range(30), 2)))
    >>> popular = rng.random(30)
    >>> y = rng.random(len(pairs)) < popular[pairs].mean(axis=1)
    >>> comparison = compare_schemes(pairs, y, n_splits=3)
    >>> comparison.auc("row-wise") > 0.6, comparison.auc("strict")
    (True, 0.5)
    """
    if y is None and isinstance(pairs, Pairs):
        y = pairs.y
    if y is None:
        raise InputError(
            "the pairs have no labels, so there is no AUC to compare.",
            fix=Fix("Add a column named 'y', or name it with {}.", "label_column"),
        )
    index = as_pairs(pairs, symmetric=symmetric, y=y)
    models = _models(index, features, estimator, X, n_neighbors)
    splitters = scheme_splitters(
        n_splits,
        setting=setting,
        overlapping=overlapping,
        symmetric=symmetric,
        clusters=clusters,
        balance=balance,
        random_state=random_state,
    )
    schemes = []
    for done, (name, cv) in enumerate(splitters.items(), 1):
        by_rows = name == "row-wise"
        covered = coverage(cv, pairs, y)
        aucs = {BASELINE: _identity(cv, pairs, index, y)}
        for model, (learner, data) in models.items():
            scores = pooled_scores(learner, data, y, pairs, cv, n_jobs=n_jobs)
            aucs[model] = _aucs(list(scores), scores.train_rates.tolist())
        schemes += [
            Scheme.of_coverage(
                covered,
                scheme=name,
                setting=None if by_rows else setting_name(setting),
                overlapping=False if by_rows else overlapping,
                model=model,
                **auc,
            )
            for model, auc in aucs.items()
        ]
        if progress is not None:
            progress(done, len(splitters))
    return SchemeComparison(schemes, splitters)


def _models(
    index: PairIndex, features: Any, estimator: Any, X: Any, n_neighbors: int
) -> dict[str, tuple[Any, Any]]:
    """Each model besides the baseline, with its features."""
    models: dict[str, tuple[Any, Any]] = {}
    if features is not None:
        vectors, rows = _vectors(index, features)
        models[_KNN] = (PairKNNClassifier(vectors, n_neighbors=n_neighbors), rows)
    if (estimator is None) != (X is None):
        raise InputError("estimator and X, the features of the pairs, come together.")
    if estimator is not None:
        if (n_rows := n_rows_of(X, "X")) != index.n_rows:
            raise InputError(f"X has {n_rows} rows but there are {index.n_rows} pairs.")
        models[type(estimator).__name__] = (estimator, X)
    return models


def _vectors(index: PairIndex, features: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Vectors of objects, and the row of each member of each pair in them."""
    if isinstance(features, Mapping):
        names, matrix = np.array([str(name) for name in features]), np.array([*features.values()])
    else:
        checked = as_scores(features)
        matrix = np.asarray(checked.matrix)
        names = np.arange(len(matrix)) if checked.index is None else checked.index
    ids = np.array([str(name) for name in index.names])
    names = np.array([str(name) for name in names])
    rows = places(ids, names, "object", missing="empty", extra="drop")
    lacking = ids[rows < 0]
    if len(lacking):
        raise InputError(
            f"{len(lacking):,} of {len(ids):,} objects have no features, such as "
            f"{str(lacking[0])!r}.",
            fix="Add their rows, or leave their pairs out.",
        )
    return matrix, rows[index.codes]


def _identity(cv: Any, pairs: Any, index: PairIndex, y: Any) -> dict[str, Any]:
    positive = as_binary(y)
    folds, rates = [], []
    for fold in each_fold(cv, pairs, y, index):
        if len(fold.test):
            scores = identity_scores(index, positive, fold.train, fold.test)
            folds.append((positive[fold.test], scores))
            rates.append(float(positive[fold.train].mean()))
    return _aucs(folds, rates)


def _aucs(folds: list[Any], rates: list[float]) -> dict[str, Any]:
    try:
        averaged = averaged_auc(folds)
    except InputError:  # no fold has both classes
        averaged = None
    pooled: Any = pooled_auc(folds, null=True, train_rates=rates)
    return {
        "averaged": None if averaged is None else float(averaged),
        "pooled": float(pooled),
        "null_pooled": pooled.null,
        "n_excluded": len(folds) if averaged is None else averaged.n_excluded,
        "fold_auc": tuple(fold_aucs(folds)),
    }
