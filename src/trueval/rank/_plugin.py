"""Thresholds on probabilities by the best expected F, pooled or of each class.

On calibrated probabilities the F-beta that a threshold is expected to have needs no labels:
(1 + β²)·(sum of the called probabilities)/(calls + β²·(sum of all)). Its best threshold is
F*/(1 + β²), for F* the best expected F (Lipton, Elkan and Naryanaswamy 2014; Zhao, Edakunni,
Pocock and Brown 2013). Learning F* from probabilities instead of counting labels is what
helps rare classes, whose counts are noise.
"""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.labels import Labels
from trueval.core.params import NONE, Choice, Constraints
from trueval.core.scores import Scores
from trueval.rank._bayes import check_probabilities
from trueval.rank._crossfit import RANKER, fitted_on, valued
from trueval.rank._curves import BETA
from trueval.rank._precision import PrecisionRanker
from trueval.rank._sample import Sample
from trueval.rank._thresholds import Decider, calls_above

__all__ = ["ExpectedFThresholds", "best_expected_f"]

Float = NDArray[np.float64]


class ExpectedFThresholds(Decider):
    """Thresholds on calibrated scores that have the best expected F-beta.

    Parameters
    ----------
    ranker : ranker, optional
        Turns scores into probabilities; a :class:`PrecisionRanker` by default.
    beta : float, default=1.0
        Weight of recall.
    average : {"macro", "micro"}, default="macro"
        Mean of the classes' own F, with a threshold for each class; or F of all pairs
        pooled, with one threshold.

    Attributes
    ----------
    ranker_ : fitted ranker
    thresholds_ : ndarray of shape (n_classes,)
        On calibrated scores.
    expected_f_ : ndarray of shape (n_classes,), or float
        Best expected F-beta, of each class or pooled.
    classes_ : ndarray

    See Also
    --------
    ExpectedFCut : The best expected F of each object.
    OptimalThresholds : The best F on the given labels, which follows noise in rare classes.

    Notes
    -----
    A class none of whose probabilities is above 0 is never called.

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
    >>> from trueval.rank import ExpectedFThresholds
    >>> scores, y = simulation_one(400, 0.3, random_state=0)
    >>> cut = ExpectedFThresholds().fit(scores, y)
    >>> bool((cut.thresholds_ == cut.expected_f_ / 2).all())
    True
    >>> cut.predict(scores).shape
    (400, 5)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "ranker": (NONE, RANKER),
        "beta": BETA,
        "average": Choice(("macro", "micro")),
    }
    thresholds_: Float

    def __init__(self, ranker: Any = None, beta: float = 1.0, average: str = "macro") -> None:
        self.ranker = ranker
        self.beta = beta
        self.average = average

    def _learn(self, scores: Scores, labels: Labels, samples: list[Sample]) -> None:
        ranker = PrecisionRanker() if self.ranker is None else clone(self.ranker)
        self.ranker_ = fitted_on(ranker, scores, labels)
        values = valued(self.ranker_, scores)
        check_probabilities(values, ranker, "an expected F")
        columns = [values.column(k)[0] for k in range(values.n_classes)]
        absent = self._absent(values, columns)
        beta = float(self.beta)
        if self.average == "micro":
            best = best_expected_f(np.concatenate(columns), float(absent.sum()), beta)
            self.expected_f_: Any = best
            bests = np.full(values.n_classes, best)
        else:
            pairs = zip(columns, absent, strict=True)
            bests = np.array([best_expected_f(p, float(rest), beta) for p, rest in pairs])
            self.expected_f_ = bests
        self.thresholds_ = np.where(bests > 0, bests / (1 + beta**2), np.inf)

    def _calls(self, scores: Scores) -> sp.csr_array:
        return calls_above(valued(self.ranker_, scores), self.thresholds_)

    def _absent(self, values: Scores, columns: list[Float]) -> Float:
        """Expected positives among the objects without a stored score, by class."""
        rates = getattr(self.ranker_, "absent_values_", np.zeros(values.n_classes))
        return np.asarray(rates) * (values.n_rows - np.array([len(c) for c in columns]))


def best_expected_f(chances: Float, absent: float, beta: float) -> float:
    """Best expected F-beta over all thresholds on probabilities.

    ``absent`` are the expected positives that cannot be called.

    >>> import numpy as np
    >>> from trueval.rank._plugin import best_expected_f
    >>> round(best_expected_f(np.array([0.5, 0.9, 0.1]), 0.0, 1.0), 6)
    0.8
    """
    falling = np.sort(chances)[::-1]
    hits = np.cumsum(falling)
    positives = beta**2 * (hits[-1] + absent if len(hits) else absent)
    f = (1 + beta**2) * hits / (np.arange(1, len(hits) + 1) + positives)
    return float(f.max(initial=0.0))
