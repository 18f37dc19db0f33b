"""What every estimator on scores keeps of a fit: the classes, and the check of new scores."""

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from trueval.core.labels import Labels
from trueval.core.scores import Scores, as_scores, check_same_classes

__all__ = ["ScoreEstimator"]


class ScoreEstimator(BaseEstimator):
    """Rankers and cuts: one column of scores for each class."""

    def _keep_classes(self, scores: Scores, labels: Labels) -> None:
        self.classes_ = labels.classes
        self.n_features_in_ = scores.n_classes
        if scores.names is not None:
            self.feature_names_in_ = scores.names.astype(object)

    def _check_new(self, scores: Any) -> Scores:
        check_is_fitted(self, "n_features_in_")
        checked = as_scores(scores)
        names = getattr(self, "feature_names_in_", None)
        check_same_classes(checked, self.n_features_in_, names, type(self).__name__)
        return checked
