"""Isotonic regression of labels on scores: the monotone maximum-likelihood LPR."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.params import BOOL, N_JOBS, Constraints
from trueval.rank._base import MAPPING, TIE_BREAK, Curve, Ranker, flat_curve
from trueval.rank._sample import Sample

__all__ = ["Blocks", "IsotonicRanker", "isotonic_blocks", "shrunken_isotonic"]

Float = NDArray[np.float64]


class IsotonicRanker(Ranker):
    """P(class | score) by pool adjacent violators, with the score as tie-breaker.

    The slopes of the least concave majorant of the positives against rank. One pooled
    threshold on these values gives the best per-class thresholds for every micro
    F-beta (:class:`~trueval.rank.OptimalThresholds`).

    Parameters
    ----------
    shrink : bool, default=False
        Use block rates (positives + ¼)/(size + ½) and pool again: no rate of 0 or 1
        from a handful of objects.
    tie_break : bool, default=True
        Let the rank decide among pairs of equal value, by a billionth of it.
    mapping : {"interpolate", "step"}, default="interpolate"
        Between two training scores: on the line, or at the lower one.
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
    >>> from trueval.rank import IsotonicRanker
    >>> scores = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> IsotonicRanker().fit_transform(scores, [[0], [1], [0], [1]]).ravel().round(6).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "shrink": BOOL,
        "tie_break": BOOL,
        "mapping": MAPPING,
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        shrink: bool = False,
        tie_break: bool = True,
        mapping: str = "interpolate",
        n_jobs: int | None = None,
    ) -> None:
        self.shrink = shrink
        self.tie_break = tie_break
        self.mapping = mapping
        self.n_jobs = n_jobs

    def _fit_class(self, sample: Sample) -> Curve:
        if sample.trouble:
            return flat_curve(sample)
        blocks = isotonic_blocks(sample.positives, sample.size)
        values = shrunken_isotonic(blocks) if self.shrink else blocks.spread(blocks.rate)
        if self.tie_break:
            rank = (np.cumsum(sample.size) - sample.size / 2) / sample.n
            values = (1 - TIE_BREAK) * values + TIE_BREAK * rank
        return Curve(sample.score, values, mapping=self.mapping)


class Blocks:
    """Neighbouring scores pooled until their rates rise.

    ``start`` is the first of the n scores in each block.
    """

    def __init__(self, start: NDArray[np.int64], positives: Float, size: Float, n: int) -> None:
        self.start = start
        self.positives = positives
        self.size = size
        self.n = n

    @property
    def rate(self) -> Float:
        """Share of members in each block; strictly rising."""
        return self.positives / self.size

    def spread(self, values: Float) -> Float:
        """From one value for each block to one for each score."""
        return np.repeat(values, np.diff(np.append(self.start, self.n)))


def isotonic_blocks(positives: Float, size: Float) -> Blocks:
    """Pool adjacent violators.

    >>> import numpy as np
    >>> from trueval.rank._isotonic import isotonic_blocks
    >>> isotonic_blocks(np.array([0.0, 1, 0, 1]), np.ones(4)).rate.tolist()
    [0.0, 0.5, 1.0]
    """
    start = _kernels.pool_adjacent(positives, size)
    return Blocks(start, np.add.reduceat(positives, start), np.add.reduceat(size, start), len(size))


def shrunken_isotonic(blocks: Blocks) -> Float:
    """Rates drawn towards one half by half an object in each block, then pooled again.

    >>> import numpy as np
    >>> from trueval.rank._isotonic import isotonic_blocks, shrunken_isotonic
    >>> blocks = isotonic_blocks(np.array([0.0, 1.0]), np.array([2.0, 2.0]))
    >>> shrunken_isotonic(blocks).tolist()
    [0.1, 0.5]
    >>> shrunken_isotonic(isotonic_blocks(np.array([0.0, 2.0]), np.array([2.0, 2.0]))).tolist()
    [0.1, 0.9]
    """
    rate = (blocks.positives + 0.25) / (blocks.size + 0.5)
    start = _kernels.pool_adjacent(rate * blocks.size, blocks.size)
    means = np.add.reduceat(rate * blocks.size, start) / np.add.reduceat(blocks.size, start)
    return blocks.spread(np.repeat(means, np.diff(np.append(start, len(rate)))))
