"""p-values as a common scale: how rarely a non-member scores as high."""

import numpy as np

from trueval.rank._base import Curve, Ranker, flat_curve
from trueval.rank._sample import Sample

__all__ = ["PValueRanker"]


class PValueRanker(Ranker):
    """One minus the empirical p-value: the share of training negatives below a score.

    p is the share of the training negatives at or above the score, negatives without a
    stored score counted. Says how unusual a score is for a non-member, nothing about
    members: a baseline.

    Parameters
    ----------
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    classes_ : ndarray
    absent_values_ : ndarray of shape (n_classes,)
        Share of members among objects without a stored score.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import PValueRanker
    >>> scores = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> ranker = PValueRanker().fit(scores, [[0], [0], [1], [0], [1]])
    >>> ranker.transform([[0.0], [2.5], [4.0], [9.0]]).ravel().round(3).tolist()
    [0.0, 0.667, 0.667, 1.0]
    """

    gives_probabilities = False  # of membership; the value is of negatives alone

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def _fit_class(self, sample: Sample) -> Curve:
        if sample.trouble:
            return flat_curve(sample)
        negatives = sample.size - sample.positives
        total = negatives.sum() + sample.n_absent - sample.absent_positives
        at_or_above = np.cumsum(negatives[::-1])[::-1]
        return Curve(sample.score, 1 - at_or_above / total, mapping="next", above=1.0)
