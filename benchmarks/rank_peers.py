"""Ways to make scores comparable across classes, and to decide, each behind one function.

A ranker takes training scores, their labels and new scores (all objects × classes) and gives the
values of the new ones. A decider gives calls, 0/1. Times are of the whole call.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["DECIDERS", "RANKERS", "Way"]


@dataclass(frozen=True)
class Way:
    """One way: package and module to import first, and the call."""

    package: str
    module: str
    work: Callable[[Any, Any, Any], Any]
    default: bool = False


def _ours(name: str, **options: Any) -> Callable[[Any, Any, Any], Any]:
    def work(scores: Any, y: Any, new: Any) -> Any:
        import trueval.rank

        ranker = getattr(trueval.rank, name)(n_jobs=1, **options)
        return ranker.fit(scores, sp.csr_array(y)).transform(new)

    return work


def _by_class(fit: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """One binary calibrator a class; a class of one kind only gets that rate."""

    def work(scores: Any, y: Any, new: Any) -> Any:
        values = np.empty(new.shape)
        for k in range(scores.shape[1]):
            own = y[:, k]
            if own.min() == own.max():
                values[:, k] = own[0]
            else:
                values[:, k] = fit(scores[:, k], own, new[:, k])
        return values

    return work


def _isotonic(scores: Any, y: Any, new: Any) -> Any:
    from sklearn.isotonic import IsotonicRegression

    return IsotonicRegression(out_of_bounds="clip").fit(scores, y).predict(new)


def _calibrated(method: str) -> Callable[[Any, Any, Any], Any]:
    def fit(scores: Any, y: Any, new: Any) -> Any:
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.frozen import FrozenEstimator

        model = CalibratedClassifierCV(FrozenEstimator(_given_scores()), method=method)
        return model.fit(scores[:, None], y).predict_proba(new[:, None])[:, 1]

    return fit


def _given_scores() -> Any:
    """A fitted classifier whose decision function is its one feature."""
    from sklearn.base import BaseEstimator, ClassifierMixin

    class GivenScores(ClassifierMixin, BaseEstimator):
        def __init__(self) -> None:
            self.classes_ = np.array([0, 1])

        def __sklearn_is_fitted__(self) -> bool:
            return True

        def fit(self, X: Any, y: Any) -> "GivenScores":
            return self

        def decision_function(self, X: Any) -> Any:
            return X[:, 0]

        def predict(self, X: Any) -> Any:
            return (X[:, 0] > 0).astype(int)

    return GivenScores()


def _beta(scores: Any, y: Any, new: Any) -> Any:
    """Kull, Silva Filho and Flach (2017): logistic in ln s and -ln(1 - s), neither falling."""
    from scipy.special import expit
    from sklearn.linear_model import LogisticRegression

    margins = scores.min() < 0 or scores.max() > 1

    def covariates(values: Any) -> Any:
        share = np.clip(expit(values) if margins else values, 1e-12, 1 - 1e-12)
        return np.column_stack([np.log(share), -np.log1p(-share)])

    used = [0, 1]
    while True:
        model = LogisticRegression(C=1e6, max_iter=1000).fit(covariates(scores)[:, used], y)
        least = int(np.argmin(model.coef_[0]))
        if model.coef_[0][least] >= 0 or len(used) == 1:
            return model.predict_proba(covariates(new)[:, used])[:, 1]
        del used[least]


def _venn_abers(scores: Any, y: Any, new: Any) -> Any:
    from venn_abers import VennAbers

    low, span = scores.min(), np.ptp(scores) or 1.0

    def as_proba(values: Any) -> Any:  # its isotonic fits see the order alone
        share = np.clip((values - low) / span, 0.0, 1.0)
        return np.column_stack([1 - share, share])

    model = VennAbers()
    model.fit(as_proba(scores), y.astype(int))
    proba, _ = model.predict_proba(as_proba(new))
    return proba[:, 1]


def _best_cut(values: Any, y: Any) -> float:
    """The cut of the best pooled F1 on these values."""
    order = np.argsort(-values, axis=None, kind="stable")
    sorted_values, member = values.ravel()[order], y.ravel()[order]
    hits, calls = np.cumsum(member), np.arange(1, len(member) + 1)
    f = 2 * hits / (calls + member.sum())
    ends = np.append(sorted_values[1:] < sorted_values[:-1], True)  # ties are called together
    at = int(np.argmax(np.where(ends, f, -1.0)))
    return float(sorted_values[at])


def _raw_cut(scores: Any, y: Any, new: Any) -> Any:
    return new >= _best_cut(scores, y)


def _ours_cut(scores: Any, y: Any, new: Any) -> Any:
    from trueval.rank import PrecisionRanker, pick_threshold

    choice = pick_threshold(scores, sp.csr_array(y), beta=1.0, ranker=PrecisionRanker(n_jobs=1))
    return choice.predict(new).toarray()


def _decider(name: str, **options: Any) -> Callable[[Any, Any, Any], Any]:
    def work(scores: Any, y: Any, new: Any) -> Any:
        import trueval.rank

        decider = getattr(trueval.rank, name)(**options)
        return decider.fit(scores, sp.csr_array(y)).predict(new).toarray()

    return work


def _tuned(scores: Any, y: Any, new: Any) -> Any:
    """scikit-learn's own tuner, one a class (it takes binary targets only)."""
    from sklearn.model_selection import TunedThresholdClassifierCV

    def fit(own: Any, member: Any, other: Any) -> Any:
        model = TunedThresholdClassifierCV(_given_scores(), scoring="f1", cv="prefit", refit=False)
        return model.fit(own[:, None], member.astype(int)).predict(other[:, None])

    return _by_class(fit)(scores, y, new)


def _xcolumns(calibrate: Callable[[Any, Any, Any], Any], goal: str) -> Callable[..., Any]:
    """Calls from probabilities; it assumes them calibrated and does not calibrate."""

    def work(scores: Any, y: Any, new: Any) -> Any:
        if goal == "macro":
            from xcolumns.block_coordinate import predict_optimizing_macro_f1_score_using_bc

            return predict_optimizing_macro_f1_score_using_bc(
                calibrate(scores, y, new), k=0, seed=0
            )
        from xcolumns.frank_wolfe import find_classifier_using_fw
        from xcolumns.metrics import micro_f1_score_on_conf_matrix

        # find_classifier_optimizing_micro_f1_score_using_fw of 0.0.2 hands its own search a
        # function of other arguments (TypeError); this is the call it means.
        classifier = find_classifier_using_fw(
            y.astype(float),
            calibrate(scores, y, scores),
            micro_f1_score_on_conf_matrix,
            k=0,
            skip_tn=True,
            seed=0,
        )
        return classifier.predict(calibrate(scores, y, new), seed=0)

    return work


_SKLEARN = "scikit-learn"
RANKERS = {
    "raw scores": Way("numpy", "numpy", lambda scores, y, new: new),
    "trueval PrecisionRanker": Way(
        "trueval", "trueval.rank", _ours("PrecisionRanker"), default=True
    ),
    "trueval PrecisionRanker, classes apart": Way(
        "trueval", "trueval.rank", _ours("PrecisionRanker", share="none")
    ),
    "trueval LocalPrecisionRate": Way("trueval", "trueval.rank", _ours("LocalPrecisionRate")),
    "trueval IsotonicRanker, shrunken": Way(
        "trueval", "trueval.rank", _ours("IsotonicRanker", shrink=True)
    ),
    "scikit-learn IsotonicRegression": Way(_SKLEARN, "sklearn.isotonic", _by_class(_isotonic)),
    "scikit-learn CalibratedClassifierCV, isotonic": Way(
        _SKLEARN, "sklearn.calibration", _by_class(_calibrated("isotonic"))
    ),
    "scikit-learn CalibratedClassifierCV, sigmoid": Way(
        _SKLEARN, "sklearn.calibration", _by_class(_calibrated("sigmoid"))
    ),
    "beta calibration": Way(_SKLEARN, "sklearn.linear_model", _by_class(_beta)),
    "venn-abers": Way("venn-abers", "venn_abers", _by_class(_venn_abers)),
}
_OURS = RANKERS["trueval PrecisionRanker"].work
_THEIRS = RANKERS["scikit-learn IsotonicRegression"].work
DECIDERS = {
    "one cut of raw scores": Way("numpy", "numpy", _raw_cut),
    "trueval pick_threshold, PrecisionRanker": Way(
        "trueval", "trueval.rank", _ours_cut, default=True
    ),
    "trueval OptimalThresholds": Way("trueval", "trueval.rank", _decider("OptimalThresholds")),
    "trueval OptimalThresholds, macro": Way(
        "trueval", "trueval.rank", _decider("OptimalThresholds", average="macro")
    ),
    "trueval ExpectedFThresholds, macro": Way(
        "trueval", "trueval.rank", _decider("ExpectedFThresholds")
    ),
    "trueval ScoreCut": Way("trueval", "trueval.rank", _decider("ScoreCut")),
    "scikit-learn TunedThresholdClassifierCV, by class": Way(
        _SKLEARN, "sklearn.model_selection", _tuned
    ),
    "xcolumns macro F1, isotonic of scikit-learn": Way(
        "xcolumns", "xcolumns.block_coordinate", _xcolumns(_THEIRS, "macro")
    ),
    "xcolumns macro F1, PrecisionRanker": Way(
        "xcolumns", "xcolumns.block_coordinate", _xcolumns(_OURS, "macro")
    ),
    "xcolumns micro F1, PrecisionRanker": Way(
        "xcolumns", "xcolumns.frank_wolfe", _xcolumns(_OURS, "micro")
    ),
}
