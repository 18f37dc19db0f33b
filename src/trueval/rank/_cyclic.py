"""Per-class thresholds by cyclic optimisation (Fan and Lin 2007)."""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.params import Choice, Constraints, Interval
from trueval.rank._curves import BETA, f_beta
from trueval.rank._sample import Sample
from trueval.rank._thresholds import Decider, calls_above, midpoint_below, own_cut

__all__ = ["CyclicThresholds"]

Float = NDArray[np.float64]


class CyclicThresholds(Decider):
    """Thresholds of the classes by improving micro F-beta one class at a time.

    From a start, the threshold of one class after the other is set to where micro F-beta
    is best while the others stay, until a whole cycle improves nothing. For this measure the
    end is the global maximum, as :class:`OptimalThresholds` finds it in one pass and for every
    beta at once.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall.
    start : {"own", "none", "all"}, default="own"
        First thresholds: each class's best for its own F-beta, no calls, or all.
    max_cycles : int, default=100

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_classes,)
        Midway between the lowest called and the next lower training score; ∞ where
        nothing is called, −∞ where all stored scores are.
    training_f_ : float
        F-beta on the training data, hence optimistic elsewhere.
    n_cycles_ : int
        Cycles until nothing improved, the last one included.
    classes_ : ndarray

    Notes
    -----
    Why greedy is enough: let F/(1 + β²) = H/D with H = Σ h_k the hits and D = Σ c_k + β²·P,
    and let no class be able to improve it, (H − h_k + h)/(D − c_k + c) ≤ H/D for every other
    (h, c) of class k. Then h − (H/D)·c ≤ h_k − (H/D)·c_k, and the sum over the classes says
    that no combination of thresholds has a larger ratio.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import CyclicThresholds
    >>> scores = np.array([[0.9, 0.4], [0.8, 0.3], [0.3, 0.2], [0.1, 0.1]])
    >>> cut = CyclicThresholds().fit(scores, [[1, 1], [0, 1], [0, 0], [0, 0]])
    >>> cut.thresholds_.tolist(), cut.training_f_
    ([0.8500000000000001, 0.25], 1.0)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "beta": BETA,
        "start": Choice(("own", "none", "all")),
        "max_cycles": Interval(int, 1),
    }
    _needs_positives = True
    thresholds_: Float
    training_f_: float
    n_cycles_: int

    def __init__(self, beta: float = 1.0, start: str = "own", max_cycles: int = 100) -> None:
        self.beta = beta
        self.start = start
        self.max_cycles = max_cycles

    def fit(self, scores: Any, y: Any = None) -> "CyclicThresholds":
        """Find the thresholds.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
            Scores of objects the model was *not* trained on.
        y : labels in any form :func:`trueval.as_labels` takes

        Returns
        -------
        self
        """
        _, samples = self._read(scores, y, None)
        starts, self.training_f_, self.n_cycles_ = self._cycle(samples)
        pairs = zip(samples, starts, strict=True)
        self.thresholds_ = np.array([midpoint_below(s.score, len(s.score) - i) for s, i in pairs])
        return self

    def predict(self, scores: Any) -> sp.csr_array:
        """Call the pairs at or above the threshold of their class.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)

        Returns
        -------
        scipy.sparse.csr_array of int64, shape (n_rows, n_classes)
        """
        return calls_above(self._check_new(scores), self.thresholds_)

    def _cycle(self, samples: list[Sample]) -> tuple[list[int], float, int]:
        """How many of its highest distinct scores each class calls, F, and the cycles."""
        beta, positives = float(self.beta), float(self.n_positives_)
        # Hits and calls of a class with its j highest distinct scores called.
        hits = [np.concatenate([[0.0], np.cumsum(s.positives[::-1])]) for s in samples]
        calls = [np.concatenate([[0.0], np.cumsum(s.size[::-1])]) for s in samples]
        chosen = [self._first(s, beta) for s in samples]
        total_hits = sum(float(h[i]) for h, i in zip(hits, chosen, strict=True))
        total_calls = sum(float(c[i]) for c, i in zip(calls, chosen, strict=True))
        best = float(f_beta(total_hits, total_calls, positives, beta))
        cycle, before = 0, -1.0
        while best > before and cycle < int(self.max_cycles):
            cycle, before = cycle + 1, best
            for k in range(len(samples)):
                rest_hits = total_hits - hits[k][chosen[k]]
                rest_calls = total_calls - calls[k][chosen[k]]
                f = f_beta(rest_hits + hits[k], rest_calls + calls[k], positives, beta)
                at = int(np.argmax(f))
                if f[at] > best:
                    chosen[k], best = at, float(f[at])
                    total_hits, total_calls = rest_hits + hits[k][at], rest_calls + calls[k][at]
        return chosen, best, cycle

    def _first(self, sample: Sample, beta: float) -> int:
        if self.start == "none":
            return 0
        n = len(sample.score)
        return n if self.start == "all" else n - own_cut(sample, beta)[0]
