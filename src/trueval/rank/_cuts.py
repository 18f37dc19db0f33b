"""The three classic cuts of text categorisation (Yang 2001), as baselines."""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError
from trueval.core.labels import Labels
from trueval.core.params import N_JOBS, Choice, Constraints, Interval
from trueval.core.scores import Scores
from trueval.rank._curves import BETA, f_beta, member_mask
from trueval.rank._sample import Sample
from trueval.rank._thresholds import Decider, as_calls, midpoint_below, own_cut

__all__ = ["ProportionCut", "RankCut", "ScoreCut", "best_of_each_row"]

Float = NDArray[np.float64]


class RankCut(Decider):
    """R-cut: every object gets its k highest-scoring classes.

    Parameters
    ----------
    k : int or "auto", default="auto"
        Classes for each object; ``"auto"`` takes the k of the best micro F-beta on
        the training data.
    beta : float, default=1.0
        Weight of recall in that choice.

    Attributes
    ----------
    k_ : int
    classes_ : ndarray

    Notes
    -----
    Raw scores of different classes are compared here, which is fair only for comparable
    ones: use a ranker first. Among equal scores of one object the earlier class wins.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import RankCut
    >>> scores = np.array([[0.9, 0.4, 0.1], [0.2, 0.3, 0.8], [0.1, 0.7, 0.3]])
    >>> cut = RankCut().fit(scores, [[1, 0, 0], [0, 0, 1], [0, 1, 0]])
    >>> cut.k_, cut.predict(scores).toarray().tolist()
    (1, [[1, 0, 0], [0, 0, 1], [0, 1, 0]])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "k": (Choice(("auto",)), Interval(int, 1)),
        "beta": BETA,
    }
    _fate = "cannot be learnt from, and are called by rank like the others"

    def __init__(self, k: Any = "auto", beta: float = 1.0) -> None:
        self.k = k
        self.beta = beta

    def _learn(self, scores: Scores, labels: Labels, samples: list[Sample]) -> None:
        if not isinstance(self.k, str):
            self.k_ = int(self.k)
            return
        place = _places(scores, by_class=False)
        hit = member_mask(scores, labels)
        calls = np.cumsum(np.bincount(place, minlength=1)[1:])
        hits = np.cumsum(np.bincount(place, weights=hit, minlength=1)[1:])
        if len(calls) == 0:
            raise InputError("scores stores no score at all, so no k can be chosen.")
        self.k_ = 1 + int(np.argmax(f_beta(hits, calls, float(self.n_positives_), self.beta)))

    def _calls(self, scores: Scores) -> sp.csr_array:
        return _keep(scores, best_of_each_row(scores, self.k_))


class ProportionCut(Decider):
    """P-cut: every class calls objects in proportion to its share in training.

    Class j calls its round(x·share_j·n) best of n new objects.

    Parameters
    ----------
    proportion : float or "auto", default=1.0
        The factor x; ``"auto"`` takes that of the best micro F-beta on the training
        data.
    beta : float, default=1.0
        Weight of recall in that choice.

    Attributes
    ----------
    shares_ : ndarray of shape (n_classes,)
        Share of members of each class in training.
    proportion_ : float
    classes_ : ndarray

    Notes
    -----
    Decides on a batch: the calls of an object depend on the others given with it, and a
    batch with more or fewer members than the training data is served badly. Among equal
    scores of one class the earlier object wins.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import ProportionCut
    >>> scores = np.array([[0.9], [0.2], [0.8], [0.1]])
    >>> cut = ProportionCut().fit(scores, [[1], [0], [0], [0]])
    >>> cut.predict(scores).toarray().ravel().tolist()
    [1, 0, 0, 0]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "proportion": (Choice(("auto",)), Interval(float, 0, 1e9, "right")),
        "beta": BETA,
    }
    _fate = "cannot be learnt from, and are called by their share of members alone"

    def __init__(self, proportion: Any = 1.0, beta: float = 1.0) -> None:
        self.proportion = proportion
        self.beta = beta

    def _learn(self, scores: Scores, labels: Labels, samples: list[Sample]) -> None:
        members = np.array([s.n_positives + s.absent_positives for s in samples])
        self.shares_ = members / scores.n_rows
        if not isinstance(self.proportion, str):
            self.proportion_ = float(self.proportion)
            return
        place = _places(scores, by_class=True)
        hit = member_mask(scores, labels)
        classes = scores.stored[1]
        tried = np.geomspace(0.1, 10.0, 81)
        f = []
        for factor in tried:
            called = place <= _round(factor * members)[classes]
            f.append(f_beta(hit[called].sum(), called.sum(), float(self.n_positives_), self.beta))
        self.proportion_ = float(tried[int(np.argmax(f))])

    def _calls(self, scores: Scores) -> sp.csr_array:
        wanted = _round(self.proportion_ * self.shares_ * scores.n_rows)
        return _keep(scores, _places(scores, by_class=True) <= wanted[scores.stored[1]])


class ScoreCut(Decider):
    """S-cut: every class has the threshold that is best for its own F-beta.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall.
    fbr : float, default=0.0
        Classes whose best training F is below this are judged not worth a tuned
        threshold and get what ``below`` says (Yang's SCutFBR).
    below : {"none", "top"}, default="none"
        No calls, or only scores as high as the highest training score.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_classes,)
    training_f_ : ndarray of shape (n_classes,)
        Best F-beta of each class on the training data; optimistic elsewhere.
    classes_ : ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import ScoreCut
    >>> cut = ScoreCut().fit(np.array([[0.9], [0.7], [0.2]]), [[1], [1], [0]])
    >>> cut.thresholds_.round(2).tolist()
    [0.45]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "beta": BETA,
        "fbr": Interval(float, 0, 1),
        "below": Choice(("none", "top")),
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        beta: float = 1.0,
        fbr: float = 0.0,
        below: str = "none",
        n_jobs: int | None = None,
    ) -> None:
        self.beta = beta
        self.fbr = fbr
        self.below = below
        self.n_jobs = n_jobs

    def _learn(self, scores: Scores, labels: Labels, samples: list[Sample]) -> None:
        thresholds: list[float] = []
        values: list[float] = []
        for sample in samples:
            first, f = own_cut(sample, float(self.beta))
            threshold = midpoint_below(sample.score, first)
            if f < self.fbr:
                top = self.below == "top" and len(sample.score) > 0
                threshold = float(sample.score[-1]) if top else np.inf
            thresholds.append(threshold)
            values.append(f)
        self.thresholds_ = np.array(thresholds)
        self.training_f_ = np.array(values)


def _places(scores: Scores, *, by_class: bool) -> NDArray[np.int64]:
    """Rank of every stored pair, 1 for the highest, within its object or its class."""
    rows, classes, values = scores.stored
    group, other = (classes, rows) if by_class else (rows, classes)
    order = np.lexsort((other, -values, group))
    starts = np.searchsorted(group[order], np.arange(int(group.max(initial=-1)) + 1))
    place = np.empty(len(values), dtype=np.int64)
    place[order] = 1 + np.arange(len(values)) - starts[group[order]]
    return place


def best_of_each_row(scores: Scores, k: int) -> NDArray[np.bool_]:
    """Which stored pairs are among the k highest of their row; of equal ones the earlier class."""
    return _places(scores, by_class=False) <= k


def _keep(scores: Scores, called: NDArray[np.bool_]) -> sp.csr_array:
    rows, classes, _ = scores.stored
    return as_calls(rows[called], classes[called], scores)


def _round(values: Float) -> NDArray[np.int64]:
    return np.floor(values + 0.5).astype(np.int64)
