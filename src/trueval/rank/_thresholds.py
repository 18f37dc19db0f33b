"""Per-class thresholds that are best for F-beta, exactly (Pillai, Fumera and Roli 2013).

For micro F-beta the classes meet in one ratio, (1 + β²)·hits/(calls + β²·positives). Its
best thresholds lie on the concave hull of (calls, hits) of each class, which is what
isotonic regression pools; and between classes the steepest steps come first. So one
pooled threshold on the isotonic rates gives the global maximum, for every β from the
same fit. For macro F-beta the classes separate.
"""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from trueval.core.errors import InputError
from trueval.core.labels import Labels
from trueval.core.params import N_JOBS, Choice, Constraints, check_self, constrained
from trueval.core.scores import Scores, check_pair
from trueval.core.sparse import index_type
from trueval.rank._curves import BETA, f_beta
from trueval.rank._fitted import ScoreEstimator
from trueval.rank._isotonic import Blocks, isotonic_blocks
from trueval.rank._sample import Sample, class_sample, per_class
from trueval.rank._warn import warn_of_troubles

__all__ = [
    "Decider",
    "OptimalThresholds",
    "as_calls",
    "calls_above",
    "midpoint_below",
    "own_cut",
]

Float = NDArray[np.float64]


class Decider(ScoreEstimator):
    """Template: a subclass says what it learns, and what it calls if not by thresholds."""

    _parameter_constraints: ClassVar[Constraints]
    # What becomes of a class without positives, negatives or two different scores.
    _fate = "leave no threshold to choose and have all or none of their scores called"
    _needs_positives = False

    n_jobs: int | None = None
    thresholds_: Float

    def fit(self, scores: Any, y: Any = None) -> Self:
        """Learn from scores and labels what to call.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
            Scores of objects the model was *not* trained on.
        y : labels in any form :func:`trueval.as_labels` takes

        Returns
        -------
        self
        """
        check_self(self)
        checked, labels = check_pair(scores, y)
        if self._needs_positives and labels.nnz == 0:
            raise InputError("y has no positives, so no threshold is best.")
        self._keep_classes(checked, labels)
        self.n_positives_ = labels.nnz
        samples = per_class(
            lambda k: class_sample(checked, labels.by_class, k), checked.n_classes, self.n_jobs
        )
        warn_of_troubles([s.trouble for s in samples], labels.classes, self._fate)
        self._learn(checked, labels, samples)
        return self

    def predict(self, scores: Any) -> sp.csr_array:
        """Call (object, class) pairs.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)

        Returns
        -------
        scipy.sparse.csr_array of int64, shape (n_rows, n_classes)
            1 for a pair that is called.
        """
        return self._calls(self._check_new(scores))

    # --- hooks of the template ---

    def _learn(self, scores: Scores, labels: Labels, samples: list[Sample]) -> None:
        """Set what the fit found."""
        raise NotImplementedError

    def _calls(self, scores: Scores) -> sp.csr_array:
        """Call what is at or above the threshold of its class."""
        return calls_above(scores, self.thresholds_)


class OptimalThresholds(Decider):
    """Thresholds of the classes that together maximise F-beta on the given data.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall.
    average : {"micro", "macro"}, default="micro"
        F of all pairs pooled, or the mean of the classes' own F.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_classes,)
        Midway between the lowest called and the next lower training score; ∞ where
        nothing is called, −∞ where all stored scores are.
    training_f_ : float
        F-beta on the training data: the maximum there, hence optimistic elsewhere.
    classes_ : ndarray

    Notes
    -----
    One sort for each class and one of all blocks, O(nK log n). Pairs without a stored
    score are never called, but count as missed where they are positive.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import OptimalThresholds
    >>> scores = np.array([[0.9, 0.4], [0.8, 0.3], [0.3, 0.2], [0.1, 0.1]])
    >>> y = np.array([[1, 1], [0, 1], [0, 0], [0, 0]])
    >>> best = OptimalThresholds().fit(scores, y)
    >>> best.thresholds_.tolist(), best.training_f_
    ([0.8500000000000001, 0.25], 1.0)
    >>> best.predict(scores).toarray().tolist()
    [[1, 1], [0, 1], [0, 0], [0, 0]]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "beta": BETA,
        "average": Choice(("micro", "macro")),
        "n_jobs": N_JOBS,
    }
    _needs_positives = True
    training_f_: float

    def __init__(
        self, beta: float = 1.0, average: str = "micro", n_jobs: int | None = None
    ) -> None:
        self.beta = beta
        self.average = average
        self.n_jobs = n_jobs

    def _learn(self, scores: Scores, labels: Labels, samples: list[Sample]) -> None:
        self._samples = samples
        self._blocks = per_class(
            lambda k: isotonic_blocks(samples[k].positives, samples[k].size),
            len(samples),
            self.n_jobs,
        )
        self.thresholds_, self.training_f_ = self._best(float(self.beta))

    @constrained(beta=BETA)
    def thresholds_for(self, beta: float) -> Float:
        """Best thresholds for another beta, from the same fit.

        Parameters
        ----------
        beta : float

        Returns
        -------
        ndarray of shape (n_classes,)
        """
        check_is_fitted(self, "thresholds_")
        return self._best(float(beta))[0]

    def _best(self, beta: float) -> tuple[Float, float]:
        if self.average == "micro":
            cut, best = _pooled_cut(self._blocks, self.n_positives_, beta)
            firsts = [int(np.searchsorted(b.rate, cut)) for b in self._blocks]
            starts = [
                int(np.append(b.start, b.n)[i]) for b, i in zip(self._blocks, firsts, strict=True)
            ]
        else:
            pairs = [own_cut(s, beta) for s in self._samples]
            starts, best = [i for i, _ in pairs], float(np.mean([f for _, f in pairs]))
        thresholds = [
            midpoint_below(s.score, i) for s, i in zip(self._samples, starts, strict=True)
        ]
        return np.array(thresholds), best


def _pooled_cut(blocks: list[Blocks], n_positives: int, beta: float) -> tuple[float, float]:
    """Least rate that is called, and the F it gives."""
    rate = np.concatenate([b.rate for b in blocks])
    if len(rate) == 0:
        return np.inf, 0.0  # no stored score, so nothing to call
    positives = np.concatenate([b.positives for b in blocks])
    size = np.concatenate([b.size for b in blocks])
    order = np.argsort(-rate, kind="stable")
    rate = rate[order]
    hits, calls = np.cumsum(positives[order]), np.cumsum(size[order])
    # Between blocks of one rate F is between those around them, so the maximum is at a change.
    f = f_beta(hits, calls, float(n_positives), beta)
    at = int(np.argmax(f))
    return (float(rate[at]), float(f[at])) if f[at] > 0 else (np.inf, 0.0)


def own_cut(sample: Sample, beta: float) -> tuple[int, float]:
    """First called score of one class, and the class's F."""
    positives = sample.n_positives + sample.absent_positives
    if sample.n_positives == 0:
        return len(sample.score), 0.0
    hits = np.cumsum(sample.positives[::-1])
    calls = np.cumsum(sample.size[::-1])
    f = f_beta(hits, calls, positives, beta)
    at = int(np.argmax(f))
    return len(sample.score) - 1 - at, float(f[at])


def midpoint_below(score: Float, first: int) -> float:
    """Threshold that calls score[first] and above: midway to the next lower score.

    >>> import numpy as np
    >>> from trueval.rank._thresholds import midpoint_below
    >>> [midpoint_below(np.array([1.0, 3.0]), i) for i in range(3)]
    [-inf, 2.0, inf]
    """
    if first >= len(score):
        return np.inf
    if first == 0:
        return -np.inf
    low, high = float(score[first - 1]), float(score[first])
    middle = low / 2 + high / 2
    # Between two neighbouring floating-point numbers there is no midpoint.
    return middle if low < middle else high


def calls_above(scores: Scores, thresholds: Float | float) -> sp.csr_array:
    """Sparse 0/1 calls: stored scores at or above the threshold of their class."""
    limits = np.broadcast_to(np.asarray(thresholds, dtype=np.float64), (scores.n_classes,))
    called = []
    for k in range(scores.n_classes):
        values, rows = scores.column(k)
        hit = np.flatnonzero(values >= limits[k])
        called.append(hit if rows is None else rows[hit])
    classes = np.repeat(np.arange(scores.n_classes), [len(c) for c in called])
    rows = np.concatenate([*called, np.empty(0, np.int64)])
    return as_calls(rows, classes, scores)


def as_calls(rows: NDArray[Any], classes: NDArray[Any], scores: Scores) -> sp.csr_array:
    """Sparse 0/1 matrix of these pairs, with index and value types that others take."""
    shape = (scores.n_rows, scores.n_classes)
    kind = index_type(max(*shape, len(rows)))
    # scikit-learn counts classes in the type of the values, so int8 is not enough.
    ones = np.ones(len(rows), dtype=np.int64)
    return sp.csr_array((ones, (rows.astype(kind), classes.astype(kind))), shape=shape)
