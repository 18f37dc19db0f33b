"""Probabilistic thresholds: for each object the calls of highest expected F.

Quevedo, Luaces and Bahamonde (2012) give every object a threshold of its own: from the
probabilities of all its classes follows how good the F of its k most probable classes is
expected to be, and the best k is called.
"""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from trueval.core.labels import Labels
from trueval.core.params import NONE, Constraints, Interval
from trueval.core.scores import Scores
from trueval.rank._bayes import check_probabilities
from trueval.rank._crossfit import RANKER, fitted_on, valued
from trueval.rank._curves import BETA
from trueval.rank._precision import PrecisionRanker
from trueval.rank._sample import Sample
from trueval.rank._thresholds import Decider, as_calls

__all__ = ["ExpectedFCut", "expected_f"]

Float = NDArray[np.float64]
CHUNK = 2_000_000  # numbers held at a time
NEGLIGIBLE = 1e-12  # chance of a number of positives that is left out


class ExpectedFCut(Decider):
    """Call the classes of each object whose expected F-beta is highest.

    Parameters
    ----------
    ranker : ranker, optional
        Turns scores into probabilities; a :class:`PrecisionRanker` by default.
    beta : float, default=1.0
        Weight of recall.
    max_calls : int, optional
        Call at most this many classes of an object.

    Attributes
    ----------
    ranker_ : fitted ranker
    classes_ : ndarray

    Notes
    -----
    This is the F of each *object*, averaged over objects, not the pooled one: an object
    with few probable classes gets a lower threshold than one with many. Classes are taken as
    independent given the scores. An object without positives and without calls has F = 1.

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
    >>> from trueval.rank import ExpectedFCut
    >>> scores, y = simulation_one(400, 0.3, random_state=0)
    >>> calls = ExpectedFCut().fit(scores, y).predict(scores)
    >>> calls.shape
    (400, 5)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "ranker": (NONE, RANKER),
        "beta": BETA,
        "max_calls": (NONE, Interval(int, 1)),
    }

    def __init__(self, ranker: Any = None, beta: float = 1.0, max_calls: int | None = None) -> None:
        self.ranker = ranker
        self.beta = beta
        self.max_calls = max_calls

    def _learn(self, scores: Scores, labels: Labels, samples: list[Sample]) -> None:
        ranker = PrecisionRanker() if self.ranker is None else clone(self.ranker)
        self.ranker_ = fitted_on(ranker, scores, labels)
        check_probabilities(valued(self.ranker_, scores), ranker, "an expected F")

    def _calls(self, scores: Scores) -> sp.csr_array:
        values = valued(self.ranker_, scores)
        rows, classes, value = values.stored
        order = np.lexsort((classes, -value, rows))
        rows, classes, value = rows[order], classes[order], value[order]
        count = np.bincount(rows, minlength=values.n_rows)
        place = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
        n_called = np.zeros(values.n_rows, dtype=np.int64)
        wide = int(count.max(initial=0))
        most = None if self.max_calls is None else self.max_calls + 1
        step = max(1, CHUNK // max(1, wide * min(wide + 1, 64)))
        for first in range(0, values.n_rows, step):
            mine = (rows >= first) & (rows < first + step)
            block = np.zeros((min(step, values.n_rows - first), wide))
            block[rows[mine] - first, place[mine]] = value[mine]
            expected = expected_f(block, self.beta)[:, :most]
            n_called[first : first + step] = np.argmax(expected, axis=1)
        called = place < n_called[rows]
        return as_calls(rows[called], classes[called], values)


def expected_f(chances: Float, beta: float = 1.0) -> Float:
    """Expected F-beta of calling the first k of independent labels, for every k.

    ``chances`` has the shape (n_objects, n_labels) and must fall for the best sets to be among the
    first k; the result has a column for each k from 0 on. No call is right where there is no
    positive.

    >>> import numpy as np
    >>> from trueval.rank._expected import expected_f
    >>> expected_f(np.array([[0.5, 0.0]])).tolist()
    [[0.5, 0.5, 0.3333333333333333]]
    """
    n, n_labels = chances.shape
    size = _most_positives(chances) + 1
    # rest[k]: distribution of the positives among labels k, k + 1, ….
    rest = np.zeros((n_labels + 1, n, size))
    rest[n_labels, :, 0] = 1.0
    for k in range(n_labels - 1, -1, -1):
        rest[k] = _with_label(rest[k + 1], chances[:, k])
    hits = np.zeros((n, size))
    hits[:, 0] = 1.0
    out = np.empty((n, n_labels + 1))
    out[:, 0] = rest[0, :, 0]
    i, j = np.arange(size)[:, None], np.arange(size)[None, :]
    # Invariant: hits[:, i] is the chance of i positives among the first k labels.
    for k in range(1, n_labels + 1):
        hits = _with_label(hits, chances[:, k - 1])
        f = (1 + beta**2) * i / (k + beta**2 * (i + j))
        out[:, k] = np.einsum("ni,ij,nj->n", hits, f, rest[k], optimize=True)
    return out


def _with_label(chance: Float, p: Float) -> Float:
    """Distribution of a count after one more label."""
    out = chance * (1 - p)[:, None]
    out[:, 1:] += chance[:, :-1] * p[:, None]
    return out


def _most_positives(chances: Float) -> int:
    """A number of positives that is exceeded with a negligible chance only."""
    mean = float(chances.sum(axis=1).max(initial=0.0))
    # Chernoff: P(count ≥ x) ≤ exp(x − mean − x·log(x/mean)) above the mean.
    x = np.arange(1.0, chances.shape[1] + 1)
    with np.errstate(divide="ignore"):
        bound = np.where(x > mean, x - mean - x * np.log(x / max(mean, 1e-300)), 0.0)
    enough = np.flatnonzero(bound < np.log(NEGLIGIBLE))
    return int(x[enough[0]]) if len(enough) else chances.shape[1]
