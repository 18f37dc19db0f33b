"""``RankedClassifier``: out-of-fold scores, a ranker and a threshold in one estimator."""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from trueval._compat import check_method_params, safe_indexing
from trueval.core.errors import InputError, ParameterError
from trueval.core.folds import index_pairs
from trueval.core.labels import Labels, as_labels
from trueval.core.params import (
    BOOL,
    NONE,
    RANDOM_STATE,
    Choice,
    Constraints,
    Methods,
    Where,
    check_self,
)
from trueval.core.probabilities import are_probabilities, positive_probabilities
from trueval.core.random import as_generator
from trueval.core.scores import as_scores
from trueval.rank._crossfit import CV, RANKER, as_splitter, folds_of_pairs
from trueval.rank._precision import PrecisionRanker
from trueval.rank._rules import TARGETS as TARGET_CONSTRAINTS
from trueval.rank._target import pick_threshold
from trueval.stratify import MultilabelStratifiedGroupKFold

__all__ = ["RankedClassifier"]

TARGETS = ("precision", "recall", "beta", "n_calls", "top_k", "map", "cost_ratio")


class RankedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A multi-label classifier that makes its scores comparable and cuts them once.

    ``fit`` scores every object by a copy of the estimator that was trained without it,
    fits the ranker and picks the threshold on these out-of-fold scores, and trains the
    estimator on everything.

    Parameters
    ----------
    estimator : classifier
        Multi-label, with ``predict_proba`` or ``decision_function``.
    ranker : ranker, optional
        A :class:`PrecisionRanker` by default.
    cv : int, splitter or iterable of (train, test), optional
        Five folds by default; an int makes a
        :class:`~trueval.stratify.MultilabelStratifiedKFold`, or with groups a
        :class:`~trueval.stratify.MultilabelStratifiedGroupKFold`.
    target : dict, optional
        What to aim at, as :func:`pick_threshold` takes it: ``{"precision": 0.9}``,
        ``{"recall": 0.8}``, ``{"beta": 2}``, ``{"n_calls": 1000}``, ``{"top_k": 3}``,
        ``{"map": True}`` or ``{"cost_ratio": 3}``; the best F1 by default.
    confidence : float, optional
        Ask that a precision or recall be reached with this confidence.
    random_state : None, int, Generator or RandomState, default=0
        Folds and resampling.
    guarantee : {"exact", "simultaneous"}, optional
        What is promised, as :func:`pick_threshold` takes it.
    allow_unmet : bool, default=False
        Call at the nearest threshold where a wanted precision or recall is not met;
        otherwise nothing is called then.

    Attributes
    ----------
    estimator_ : classifier
        Trained on everything.
    ranker_ : ranker
        Fitted on the out-of-fold scores.
    threshold_ : float
    choice_ : ThresholdChoice
        The threshold with its expected precision, recall and F on new objects.
    classes_ : ndarray, or list of ndarray
        The two labels of a one-dimensional ``y``; of label columns the labels 0 and 1 of
        each, as of scikit-learn's multi-output classifiers. Its scorers would take the names
        of columns for the labels of a single one.
    class_names_ : ndarray
        Names of the columns of ``predict_proba``, whatever their number.
    n_features_in_ : int

    Notes
    -----
    A one-dimensional ``y`` of two labels is one class, the second label in sorted order:
    ``predict`` then gives labels and ``predict_proba`` two columns, as scikit-learn's
    binary classifiers do. One of several classes for each object is refused: there is
    nothing to cut.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.multiclass import OneVsRestClassifier
    >>> from trueval.rank import RankedClassifier
    >>> X, y = make_multilabel_classification(400, n_classes=4, random_state=0)
    >>> model = OneVsRestClassifier(LogisticRegression(max_iter=1000))
    >>> ranked = RankedClassifier(model, target={"precision": 0.8}).fit(X[:300], y[:300])
    >>> ranked.choice_.target_reached, ranked.predict(X[300:]).shape
    (True, (100, 4))
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "estimator": Methods(("fit",), "a classifier"),
        "ranker": (NONE, RANKER),
        "cv": CV,
        "target": (
            NONE,
            Where(
                lambda target: (
                    len(target) == 1
                    and set(target) <= set(TARGETS)
                    and np.ndim(next(iter(target.values()))) == 0
                ),
                f"a dict with one of {', '.join(TARGETS)}, such as {{'precision': 0.9}}",
            ),
        ),
        "confidence": TARGET_CONSTRAINTS["confidence"],
        "guarantee": (NONE, Choice(("exact", "simultaneous"))),
        "allow_unmet": BOOL,
        "random_state": RANDOM_STATE,
    }
    classes_: Any
    # scikit-learn's metadata routing: whoever has groups passes them on.
    __metadata_request__fit = {"groups": True}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        ranker: Any = None,
        cv: Any = None,
        target: dict[str, Any] | None = None,
        confidence: float | None = None,
        random_state: Any = 0,
        guarantee: str | None = None,
        allow_unmet: bool = False,
    ) -> None:
        self.estimator = estimator
        self.ranker = ranker
        self.cv = cv
        self.target = target
        self.confidence = confidence
        self.guarantee = guarantee
        self.allow_unmet = allow_unmet
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any = None, **fit_params: Any) -> "RankedClassifier":
        """Score out of fold, fit the ranker, pick the threshold, train on everything.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_features)
        y : labels in any form :func:`trueval.as_labels` takes, or one of two for each row
        groups : array-like of shape (n_rows,), optional
            Rows that belong together, such as the samples of one patient: folds keep them
            together, and the intervals of ``choice_`` resample whole groups.
        **fit_params
            For the estimator's ``fit``, with one value for each row taken along with it;
            the ranker and the threshold count all rows alike. With scikit-learn's
            ``enable_metadata_routing``, for whoever requested them.

        Returns
        -------
        self
        """
        check_self(self)
        target = {"beta": 1.0} if self.target is None else self.target
        X = _rows(X)
        labels, model_y = self._read(X, y)
        generator = as_generator(self.random_state)
        fit_arguments, split_arguments = self._routed(groups, fit_params)
        cv = as_splitter(self.cv, labels.n_rows, generator, groups)
        splits = index_pairs(cv.split(X, labels.matrix, **split_arguments), labels.n_rows, "cv")
        folds_of_pairs(splits, labels.n_rows, groups)  # before any model is trained
        scores = self._out_of_fold(X, model_y, splits, labels, fit_arguments)
        ranker = PrecisionRanker() if self.ranker is None else self.ranker
        self.choice_ = pick_threshold(
            scores,
            labels,
            **target,
            confidence=self.confidence,
            guarantee=self.guarantee,
            allow_unmet=self.allow_unmet,
            ranker=ranker,
            cv=splits,
            groups=groups,
            random_state=generator,
        )
        self.ranker_ = self.choice_.ranker
        self.threshold_ = self.choice_.threshold
        self.estimator_ = clone(self.estimator).fit(X, model_y, **fit_arguments)
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        return self

    def predict_proba(self, X: Any) -> Any:
        """Comparable values: the estimated probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_features)

        Returns
        -------
        ndarray or scipy.sparse.csr_array of shape (n_rows, n_classes)
        """
        values = self._values(X)
        return np.hstack([1 - values, values]) if self.binary_ else values

    def predict(self, X: Any) -> Any:
        """Calls: 1 where the value reaches the threshold.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_features)

        Returns
        -------
        ndarray or scipy.sparse.csr_array, shape (n_rows, n_classes)
            Sparse if ``y`` was, else of the type of ``y``; one label for each row if ``y``
            was one-dimensional.
        """
        values = as_scores(self._values(X))
        calls = self.choice_._calls_among(values, self.threshold_)
        if self.binary_:
            return self.classes_[calls.toarray()[:, 0]]
        return calls if self.sparse_output_ else calls.toarray().astype(self._dtype)

    def get_metadata_routing(self) -> MetadataRouter:
        """Say to scikit-learn where metadata of ``fit`` go.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        is_splitter = self.cv is not None and hasattr(self.cv, "split")
        splitter = (
            self.cv if is_splitter else MultilabelStratifiedGroupKFold()
        )  # of an int with groups
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=to_fit)
        return router.add(splitter=splitter, method_mapping=to_split)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags

    def _read(self, X: Any, y: Any) -> tuple[Labels, Any]:
        """Labels for the ranker, and as the estimator gets them."""
        if y is None:
            raise InputError("RankedClassifier requires y to be passed, but the target y is None.")
        if np.iscomplexobj(X):
            raise InputError("Complex data not supported: X must hold real numbers.")
        single = _single_column(y)
        self.binary_ = single is not None
        if single is not None:
            self.classes_, codes = _two_labels(single)
            self.class_names_ = self.classes_
            labels, model_y = as_labels(codes[:, None]), codes
            self.sparse_output_ = False
        else:
            labels = as_labels(_plain(y))
            self.class_names_ = labels.classes
            self.classes_ = [np.array([0, 1]) for _ in range(labels.n_classes)]
            self.sparse_output_ = bool(sp.issparse(y)) or isinstance(y, Labels)
            kind = getattr(y, "dtype", None)
            self._dtype = kind if isinstance(kind, np.dtype) and kind.kind in "biuf" else np.int64
            # Of int8 labels scikit-learn takes wrong columns from 128 classes on.
            wide = labels.matrix.astype(np.int64)
            model_y = wide if self.sparse_output_ else wide.toarray()
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if n_rows != labels.n_rows:
            raise InputError(f"X has {n_rows} rows but y has {labels.n_rows}.")
        if n_rows == 1:
            raise InputError("X has n_samples = 1; cross-fitting needs two rows or more.")
        return labels, model_y

    def _routed(
        self, groups: Any, fit_params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What goes to the estimator's fit, and to the splitter's split."""
        if get_config().get("enable_metadata_routing"):
            routed = process_routing(self, "fit", groups=groups, **fit_params)
            return routed.estimator.fit, routed.splitter.split
        return fit_params, {} if groups is None else {"groups": groups}

    def _values(self, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        return self.ranker_.transform(_scores(self.estimator_, X, self.ranker_.n_features_in_))

    def _out_of_fold(
        self, X: Any, y: Any, splits: list[Any], labels: Labels, fit_params: dict[str, Any]
    ) -> Any:
        parts = []
        for train, test in splits:
            fit_arguments = check_method_params(X, fit_params, indices=train)
            model = clone(self.estimator).fit(safe_indexing(X, train), y[train], **fit_arguments)
            parts.append(_scores(model, safe_indexing(X, test), labels.n_classes))
        back = np.argsort(np.concatenate([test for _, test in splits]))
        if sp.issparse(parts[0]):
            return sp.vstack(parts, format="csr")[back]
        return np.vstack(parts)[back]


def _rows(X: Any) -> Any:
    """X in a form whose rows can be taken."""
    return X.tocsr() if sp.issparse(X) else _plain(X)


def _plain(y: Any) -> Any:
    """What only promises to be an array, as an array."""
    known = isinstance(y, list | tuple | np.ndarray | Labels) or sp.issparse(y)
    known = known or hasattr(y, "columns")
    return np.asarray(y) if not known and hasattr(y, "__array__") else y


def _single_column(y: Any) -> NDArray[Any] | None:
    """One label for each row as an array; None for sets of labels and matrices."""
    y = _plain(y)
    if isinstance(y, list | tuple) and len(y) and all(np.isscalar(label) for label in y):
        y = np.asarray(y)
    if not isinstance(y, np.ndarray) or y.ndim != 1 or len(y) == 0:
        return None
    return y if y.dtype != object or all(np.isscalar(label) for label in y) else None


def _two_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The two labels of a one-dimensional y, and which each row has."""
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError("y has NaN or infinite labels; drop these rows.")
    kind = type_of_target(y)
    if kind not in ("binary", "multiclass"):
        raise InputError(f"Unknown label type: {kind}. y must hold 0/1 columns, or two labels.")
    labels, codes = np.unique(y, return_inverse=True)
    if len(labels) == 1:
        raise InputError(f"y has one class only, {labels[0]!s}; two are needed.")
    if len(labels) > 2:
        raise InputError(
            "Only binary classification is supported. The type of the target is multiclass, with "
            f"{len(labels)} labels. For several labels in each row give 0/1 columns; for one of "
            "several there is nothing to cut."
        )
    return labels, codes.astype(np.int64)


def _scores(model: Any, X: Any, n_classes: int) -> Any:
    """Scores of all classes from whatever the model offers."""
    if hasattr(model, "decision_function"):
        scores = model.decision_function(X)
    elif hasattr(model, "predict_proba"):
        scores = model.predict_proba(X)
    else:
        expected = "a classifier with predict_proba or decision_function"
        raise ParameterError("estimator", expected, model, "RankedClassifier")
    if are_probabilities(scores):
        scores = positive_probabilities(scores, getattr(model, "classes_", None))
    if not sp.issparse(scores):
        scores = np.asarray(scores, dtype=np.float64)
        if scores.ndim == 1:
            scores = scores.reshape(-1, 1)
    if n_classes == 1 and scores.shape[1] == 2:
        scores = scores[:, 1:]
    if scores.shape[1] != n_classes:
        raise InputError(
            f"{type(model).__name__} gives scores of {scores.shape[1]} classes, but y has "
            f"{n_classes}."
        )
    return scores
