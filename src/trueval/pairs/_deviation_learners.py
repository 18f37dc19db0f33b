"""Learners of a deviation study: scores of some pairs by a model of others.

Pairs are those of the draw, then the test pairs; a pair is the sum of two object vectors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from trueval.pairs._knn_scores import masked_scores, query_scores
from trueval.pairs._leave_two_out import ObjectLeaveTwoOut
from trueval.pairs._ridge import cross_val_scores_ridge, fold_scores_ridge
from trueval.pairs._scores import fit_and_score
from trueval.pairs._tasks import Tasks

__all__ = ["KNN", "AnyModel", "Learner", "RidgeModel", "is_plain_ridge"]

_Rows = NDArray[np.intp]
_Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Learner:
    """A learner that is refitted for every fold."""

    model: Any  # values of K, or an estimator
    vectors: NDArray[np.float64]
    pairs: NDArray[np.int64]
    y: NDArray[np.bool_]

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """Features of all pairs."""
        return self.vectors[self.pairs[:, 0]] + self.vectors[self.pairs[:, 1]]

    def score(self, train: _Rows, test: _Rows) -> _Scores | None:
        """Scores of shape (n_test, n_values), or None where no model can be fitted."""
        raise NotImplementedError

    def from_tasks(self, tasks: Tasks, cvs: Mapping[str, Any]) -> dict[str, _Scores] | None:
        """Scores of all tasks by scheme, without refits; None where there is no such way.

        ``cvs`` are the splitters of which the tasks are, by scheme.
        """
        return None


class KNN(Learner):
    """Nearest neighbours: all folds of a partition are masks of one list."""

    def score(self, train: _Rows, test: _Rows) -> _Scores | None:
        """By one search."""
        pairs, target = self.pairs, self.y[train].astype(np.float64)
        return query_scores(
            self.vectors, pairs[train], target, self.vectors, pairs[test], self.model
        )

    def from_tasks(self, tasks: Tasks, cvs: Mapping[str, Any]) -> dict[str, _Scores] | None:
        """Both schemes in one pass."""
        n = len(tasks.labels)
        target = self.y[:n].astype(np.float64)
        strict, relaxed = masked_scores(
            self.vectors, self.pairs[:n], target, tasks, self.model, True, True
        )
        return {"strict": strict, "relaxed": relaxed}


class RidgeModel(Learner):
    """Ridge regression: one linear system a fold."""

    def score(self, train: _Rows, test: _Rows) -> _Scores | None:
        """From the sums over the training rows."""
        y = self.y.astype(np.float64)
        alphas = np.array([self.model.alpha], dtype=np.float64)
        return fold_scores_ridge(self.features, y, train, test, alphas, self.model.fit_intercept)

    def from_tasks(self, tasks: Tasks, cvs: Mapping[str, Any]) -> dict[str, _Scores] | None:
        """Leave-two-out from sums for each object: every pair has one task."""
        n = len(tasks.labels)
        if not all(isinstance(cv, ObjectLeaveTwoOut) for cv in cvs.values()):
            return None
        X, y, intercept = self.features[:n], self.y[:n], self.model.fit_intercept
        alphas = [self.model.alpha]
        return {
            scheme: cross_val_scores_ridge(
                X, self.pairs[:n], y, cv, alphas, fit_intercept=intercept
            )[tasks.row]
            for scheme, cv in cvs.items()
        }


class AnyModel(Learner):
    """A scikit-learn estimator."""

    def score(self, train: _Rows, test: _Rows) -> _Scores | None:
        """By a refit; None where the training pairs are of one class."""
        methods = ["decision_function", "predict_proba", "predict"]
        result = fit_and_score(self.model, self.features, self.y, train, {"any": test}, methods)
        return None if result[3] else result[2][:, None]


def is_plain_ridge(estimator: Any) -> bool:
    """Whether sums give exactly what this estimator would.

    >>> is_plain_ridge(Ridge()), is_plain_ridge(Ridge(positive=True)), is_plain_ridge(Ridge(0.0))
    (True, False, False)
    """
    plain = type(estimator) is Ridge and not estimator.positive
    return plain and np.ndim(estimator.alpha) == 0 and estimator.alpha > 0
