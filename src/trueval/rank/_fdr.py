"""Tail false discovery rates as a common scale."""

import numpy as np

from trueval.rank._base import Curve, Ranker, flat_curve
from trueval.rank._sample import Sample

__all__ = ["FDRRanker"]


class FDRRanker(Ranker):
    """One minus the false discovery rate of calling everything at or above a score.

    FDR = π0·(1 − F0)/(1 − F): the share of negatives among the training objects at or
    above the score, so that the value is the training precision there. It describes all
    calls above a cutoff, not the next one: a baseline.

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
    >>> from trueval.rank import FDRRanker
    >>> scores = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> ranker = FDRRanker().fit(scores, [[0], [0], [1], [0], [1]])
    >>> ranker.transform([[0.0], [2.5], [4.0], [9.0]]).ravel().round(3).tolist()
    [0.4, 0.667, 0.5, 1.0]
    """

    gives_probabilities = False  # of a call at the score; the value is of all above it

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def _fit_class(self, sample: Sample) -> Curve:
        if sample.trouble:
            return flat_curve(sample)
        members = np.cumsum(sample.positives[::-1])[::-1]
        calls = np.cumsum(sample.size[::-1])[::-1]
        return Curve(sample.score, members / calls, mapping="next")
