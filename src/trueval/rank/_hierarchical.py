"""``HierarchicalRanker``: calibrated scores that use, and obey, a hierarchy of classes."""

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.errors import InputError, ParameterError
from trueval.core.labels import Labels
from trueval.core.params import (
    N_JOBS,
    NONE,
    RANDOM_STATE,
    Choice,
    Constraints,
    Where,
    check_self,
)
from trueval.core.random import as_generator
from trueval.core.scores import Scores, check_pair
from trueval.rank._base import Ranker
from trueval.rank._crossfit import CV, fitted_on, fold_numbers, valued, values_by_fold
from trueval.rank._curves import average_precision
from trueval.rank._hierarchy import CHUNK, Hierarchy, apply_rule, read_hierarchy
from trueval.rank._neighbours import FEATURES, Neighbours, fit_weights, stacked
from trueval.rank._precision import PrecisionRanker
from trueval.rank._warn import OneClassWarning

__all__ = ["HierarchicalRanker"]

Float = NDArray[np.float64]

MOST_VALUES, FEWEST_ROWS = 1 << 21, 64  # pairs that options are compared on, and rows at least
RULES = ("max", "project")  # the simplest first: of equal options the first is taken


class HierarchicalRanker(Ranker):
    """P(class | scores of the class and of its neighbours), parent ≥ child everywhere.

    A ranker calibrates each class by its own scores; then the scores of parents, children and
    siblings are used as far as they help, and the result is made consistent (true-path
    rule). Both are chosen by the pooled average precision on objects that were left out.

    Parameters
    ----------
    hierarchy : Ontology, mapping, sequence of pairs, or array
        As :func:`make_consistent` takes it: ``{child: parents}``, (child, parent) pairs, one
        parent number for each column with −1 for a root, or an
        :class:`~trueval.data.Ontology` whose terms are the classes.
    ranker : ranker, optional
        What calibrates each class; a :class:`PrecisionRanker` by default.
    method : {"stack", "mlpr"}, default="stack"
        ``"stack"`` chooses one of three by cross-fitting: the ranker's values as they are, a
        logistic model of own and neighbours' evidence with weights shared over classes,
        or ``"mlpr"``; neighbours are used only if that is better in every fold.
        ``"mlpr"`` is the published multidimensional local precision rate, which needs scores
        that are independent given the labels.
    consistency : {"auto", "max", "project", "min", "none"}, default="auto"
        Rule of :func:`make_consistent`; ``"auto"`` takes the better of ``"max"`` and
        ``"project"`` by cross-fitting; ``"none"`` leaves values as they are.
    cv : int, splitter or iterable of (train, test), default=3
        Folds of the cross-fitting, as :func:`cross_fit` takes them.
    random_state : None, int, Generator or RandomState, default=0
        Of folds and samples.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    ranker_ : ranker
        Fitted on all objects.
    method_ : {"plain", "stack", "mlpr"}
        What was chosen; ``"plain"`` uses no neighbours.
    rule_ : {"max", "project", "min", "none"}
        Rule of consistency that was chosen; ``"none"`` without edges.
    areas_ : dict of (method, rule) to float
        Cross-fitted pooled average precision of each option; empty if there was no choice.
    weights_ : dict of str to float
        Weights of the logistic model: intercept, log-odds of the prevalence, own evidence and
        that of parents, children and siblings. Empty where it was not fitted.
    hierarchy_ : Hierarchy
        Edges between columns.
    classes_ : ndarray
    curves_ : list
        Of ``ranker_``, before neighbours are used.
    absent_values_ : ndarray of shape (n_classes,)
        Share of positives among objects without a stored score.

    See Also
    --------
    make_consistent : Only the rule, on any values.
    hierarchical_order : The order of pairs that finds most positives first.

    Notes
    -----
    The evidence of a class is the log-odds of its calibrated score less those of its
    prevalence. ``"mlpr"`` is exact if no class has two parents: one pass over the classes
    upwards and one downwards, in logarithms. With several parents it is an approximation by
    the neighbourhood: P(class | scores of the class, its parents and its children), parents
    taken as independent where the class is absent, children where it is present. The
    logistic model has the terms of this approximation, with weights; weights of one are the
    approximation and weights of zero the plain ranker.

    Options are compared by the pooled average precision of out-of-fold values, with weights
    fitted without the fold in question; of large data, on some objects of one fold (about
    two million pairs), in three parts. The best is taken if it is better in every fold than
    the plain ranker with the better rule, which is taken otherwise. So the choice is never
    below the plain ranker with ``"max"`` or ``"project"`` by this criterion.
    Classifiers trained on the same features make errors together; ``"mlpr"`` then counts
    the same evidence several times and loses.

    Labels must obey the hierarchy, as :meth:`trueval.data.Ontology.propagate` makes them. In
    sparse scores, ancestors of stored entries become stored; other absent entries stay absent.

    References
    ----------
    Ye, Ho, Jiang, Lee and Huang, "Ranking hierarchical multi-label classification results
    with mLPRs", arXiv:2205.07833.

    Examples
    --------
    >>> from trueval.data.simulate import simulation_tree
    >>> from trueval.rank import HierarchicalRanker, PrecisionRanker, average_precision
    >>> scores, y, parents = simulation_tree(1500, random_state=0)
    >>> new_scores, new_y, _ = simulation_tree(500, random_state=1)
    >>> ranker = HierarchicalRanker(parents).fit(scores, y)
    >>> ranker.method_
    'mlpr'
    >>> plain = PrecisionRanker().fit(scores, y)
    >>> gain = [average_precision(r.transform(new_scores), new_y) for r in (plain, ranker)]
    >>> bool(gain[1] > gain[0] + 0.05)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "hierarchy": Where(
            lambda value: (
                isinstance(value, Hierarchy)
                or hasattr(value, "__iter__")
                or hasattr(value, "parent_edges")
            ),
            "an Ontology, {child: parents}, (child, parent) pairs or parent numbers",
        ),
        "ranker": (
            NONE,
            Where(
                lambda value: isinstance(value, Ranker) and not hasattr(value, "consistency"),
                "a ranker of single classes, such as PrecisionRanker()",
            ),
        ),
        "method": Choice(("stack", "mlpr")),
        "consistency": Choice(("auto", "max", "project", "min", "none")),
        "cv": CV,
        "random_state": RANDOM_STATE,
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        hierarchy: Any,
        ranker: Any = None,
        method: str = "stack",
        *,
        consistency: str = "auto",
        cv: Any = 3,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.hierarchy = hierarchy
        self.ranker = ranker
        self.method = method
        self.consistency = consistency
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, scores: Any, y: Any = None, sample_weight: Any = None) -> "HierarchicalRanker":
        """Calibrate each class, then choose how neighbours and consistency come in.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
            Scores of objects the model was *not* trained on (out-of-fold).
        y : labels in any form :func:`trueval.as_labels` takes
            They obey the hierarchy.
        sample_weight : None
            Refused otherwise: neighbours are learned from all objects alike.

        Returns
        -------
        self
        """
        check_self(self)
        if sample_weight is not None:
            expected = "left out with a hierarchy, whose neighbours are learned from equal objects"
            raise ParameterError("sample_weight", expected, "weights", "HierarchicalRanker")
        checked, labels = check_pair(scores, y)
        names = labels.names if checked.names is None else checked.names
        self.hierarchy_ = read_hierarchy(self.hierarchy, checked.n_classes, names)
        _check_true_path(labels, self.hierarchy_)
        base = PrecisionRanker(n_jobs=self.n_jobs) if self.ranker is None else clone(self.ranker)
        self.ranker_ = fitted_on(base, checked, labels)
        self.curves_, self.absent_values_ = self.ranker_.curves_, self.ranker_.absent_values_
        self._keep_classes(checked, labels)
        self._neighbours = Neighbours.of(self.hierarchy_, labels)
        self._choose(checked, labels, as_generator(self.random_state))
        return self

    def transform(self, scores: Any) -> Any:
        """Turn scores into consistent values in [0, 1] that compare across classes.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)

        Returns
        -------
        ndarray or scipy.sparse.csr_array
            Sparse for sparse: the stored entries and their ancestors.
        """
        checked = self._check_new(scores)
        values = valued(self.ranker_, checked)
        if self.method_ == "plain" and self.rule_ == "none":
            return values.matrix
        step, parts = max(1, CHUNK // checked.n_classes), []
        for i in range(0, checked.n_rows, step):
            part = values.take(np.arange(i, min(i + step, checked.n_rows)))
            dense = self._by_method(self._dense(part, self.absent_values_), self.method_)
            parts.append(self._ruled(dense, part, self.rule_))
        return sp.vstack(parts, format="csr") if checked.is_sparse else np.vstack(parts)

    def _choose(self, scores: Scores, labels: Labels, generator: np.random.Generator) -> None:
        """Set what is chosen: a method and a rule, and the weights of the logistic model."""
        self.areas_: dict[tuple[str, str], float] = {}
        self.weights_: dict[str, float] = {}
        rules = RULES if self.consistency == "auto" else (self.consistency,)
        methods = ("plain", "stack", "mlpr") if self.method == "stack" else ("mlpr",)
        if self.method == "mlpr" and self.hierarchy_.is_forest and self.consistency == "auto":
            rules = ("max",)  # it is consistent but for rounding
        if len(self.hierarchy_.child) == 0:
            methods, rules = ("plain",), ("none",)
        self.method_, self.rule_ = methods[0], rules[0]
        if len(methods) == len(rules) == 1:
            return
        values, labels, folds = self._held_out(scores, labels, generator)
        dense, by_fold = self._dense(values, self.absent_values_), {}
        for method in methods:
            if method == "stack":
                changed = self._cross_stacked(dense, labels, folds, generator)
            else:
                changed = self._by_method(dense, method)
            for rule in rules:
                option = self._ruled(changed.copy(), values, rule)
                self.areas_[method, rule] = average_precision(option, labels)
                by_fold[method, rule] = _areas_by_fold(option, labels, folds)
        best = max(self.areas_, key=lambda option: self.areas_[option])
        plain = max(
            (option for option in self.areas_ if option[0] == methods[0]),
            key=lambda option: self.areas_[option],
        )
        better = bool((by_fold[best] > by_fold[plain]).all())
        self.method_, self.rule_ = best if better else plain

    def _held_out(
        self, scores: Scores, labels: Labels, generator: np.random.Generator
    ) -> tuple[Scores, Labels, NDArray[np.int32]]:
        """Calibrated scores of objects left out, their labels, and folds of these objects.

        Of all objects, or of some of the first fold where that has pairs enough.
        """
        folds = fold_numbers(self.cv, labels, generator)
        first = folds == folds.min()
        rows, n_rows = np.flatnonzero(first), max(MOST_VALUES // scores.n_classes, FEWEST_ROWS)
        if len(rows) < n_rows:
            values, _ = values_by_fold(clone(self.ranker_), scores, labels, folds)
            return values, labels, folds
        rows, others = generator.permutation(rows)[:n_rows], np.flatnonzero(~first)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)  # said of all objects
            fitted = fitted_on(clone(self.ranker_), scores.take(others), labels.take(others))
        folds = np.arange(n_rows, dtype=np.int32) % 3
        return valued(fitted, scores.take(rows)), labels.take(rows), folds

    def _cross_stacked(
        self, values: Float, labels: Labels, folds: NDArray[np.int32], generator: Any
    ) -> Float:
        """Values of the logistic model, without the fold in question; sets its weights."""
        features = self._neighbours.features(self._neighbours.evidence(values))
        positive = labels.matrix.toarray().T > 0
        result = np.empty(values.shape)
        for fold in np.unique(folds):
            inside = folds == fold
            others = [feature[:, ~inside] for feature in features]
            weights = fit_weights(others, positive[:, ~inside], generator)
            result[inside] = stacked([f[:, inside] for f in features], weights).T
        weights = fit_weights(features, positive, generator)
        self.weights_ = dict(zip(FEATURES, weights.tolist(), strict=True))
        return result

    def _by_method(self, values: Float, method: str) -> Float:
        """Values of a method, from calibrated scores of all classes."""
        if method == "plain":
            return values
        evidence = self._neighbours.evidence(values)
        if method == "mlpr":
            return np.ascontiguousarray(self._neighbours.posterior(evidence).T)
        weights = np.array(list(self.weights_.values()))
        return np.ascontiguousarray(stacked(self._neighbours.features(evidence), weights).T)

    def _ruled(self, dense: Float, values: Scores, rule: str) -> Any:
        """Consistent values; only stored entries and their ancestors if these were sparse."""
        if rule != "none":
            apply_rule(dense, self.hierarchy_, rule, self.n_jobs)
        if not values.is_sparse:
            return dense
        stored = values.matrix.copy()
        stored.data = np.ones(len(stored.data))
        pattern = sp.csr_array(stored @ self.hierarchy_.ancestors)
        pattern.sort_indices()
        rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        return sp.csr_array(
            (dense[rows, pattern.indices], pattern.indices, pattern.indptr), pattern.shape
        )

    @staticmethod
    def _dense(values: Scores, absent: Float) -> Float:
        """Calibrated scores of all classes, absent ones by the rate of the class."""
        if not values.is_sparse:
            return np.array(values.matrix, dtype=np.float64, order="C")
        dense = np.tile(absent, (values.n_rows, 1))
        rows = np.repeat(np.arange(values.n_rows), np.diff(values.matrix.indptr))
        dense[rows, values.matrix.indices] = values.matrix.data
        return dense


def _areas_by_fold(values: Any, labels: Labels, folds: NDArray[np.int32]) -> Float:
    """Average precision of the objects of each fold that has positives."""
    parts = [np.flatnonzero(folds == fold) for fold in np.unique(folds)]
    return np.array(
        [
            average_precision(values[part], labels.take(part))
            for part in parts
            if labels.take(part).nnz
        ]
    )


def _check_true_path(labels: Labels, graph: Hierarchy) -> None:
    """Refuse positives of a class whose parent is not positive in the same row."""
    by_class = sp.csc_array(labels.by_class, dtype=np.int64)
    child, parent = by_class[:, graph.child], by_class[:, graph.parent]
    orphans = np.asarray((child - child.multiply(parent)).sum(axis=0)).ravel()
    if orphans.any():
        k = int(np.argmax(orphans))
        names = [str(labels.classes[edge[k]]) for edge in (graph.child, graph.parent)]
        raise InputError(
            f"y breaks the hierarchy: {int(orphans.sum()):,} positives of a class without a "
            f"parent of it, such as {int(orphans[k]):,} of {names[0]!r} without {names[1]!r}.",
            fix="Give every row the ancestors of its classes, as Ontology.propagate does.",
        )
