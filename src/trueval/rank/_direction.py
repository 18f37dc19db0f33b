"""Which way a class is to be read: positives at its high scores, and the rarer kind.

Curves are fitted where positives are rare and have the higher scores, for the top is where a
class is seen in detail. A class whose positives clearly have the lower scores is read by its
negated scores, and one that clearly has more positives than negatives by its negatives; a
curve is turned back after the fit. Classes share with those that are read in the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from trueval.rank._probability import ProbabilityCurve
from trueval.rank._sample import Sample

__all__ = ["ClassSummary", "Direction", "directions", "rank_sum_score", "summary"]

CLEAR = np.sqrt(12.0)  # standard errors that are clear, as a better curve has to be by AIC


@dataclass(frozen=True)
class Direction:
    """How to read one class: scores negated or not, negatives in place of positives or not."""

    negated: bool = False
    swapped: bool = False

    @property
    def falls(self) -> bool:
        """Whether the positives have the lower scores."""
        return self.negated != self.swapped

    def turn(self, sample: Sample) -> Sample:
        """The sample as it is to be fitted."""
        score, size, positives = sample.score, sample.size, sample.positives
        absent = sample.absent_positives
        if self.swapped:
            positives, absent = size - positives, sample.n_absent - absent
        if self.negated:
            score, size, positives = -score[::-1], size[::-1], positives[::-1]
        if not (self.swapped or self.negated):
            return sample
        return Sample(score, size, positives, sample.n_absent, absent)

    def turn_back(self, curve: ProbabilityCurve) -> ProbabilityCurve:
        """A curve of the turned sample as one of the scores and labels themselves."""
        if self.swapped:
            curve = _of_the_others(curve)
        if not self.negated:
            return curve
        around = curve.neighbours
        assert curve.log_odds is not None
        assert curve.error is not None
        return replace(
            curve,
            score=-curve.score[::-1],
            value=curve.value[::-1],
            log_odds=curve.log_odds[::-1],
            error=curve.error[::-1],
            atom_score=-curve.atom_score[::-1],
            atom_positives=curve.atom_positives[::-1],
            atom_size=curve.atom_size[::-1],
            atom_reach=curve.atom_reach[::-1],
            neighbours=None if around is None else around[:, ::-1],
        )


@dataclass(frozen=True)
class ClassSummary:
    """What the direction of a class is decided by."""

    rank_sum: float  # standard score of the rank sum of its positives
    positives: float
    size: float


def summary(sample: Sample) -> ClassSummary:
    """Sum up one class."""
    return ClassSummary(rank_sum_score(sample), sample.n_positives, sample.n)


def rank_sum_score(sample: Sample) -> float:
    """How far the ranks of the positives are above the mean rank, in standard errors (Wilcoxon).

    >>> import numpy as np
    >>> from trueval.rank._direction import rank_sum_score
    >>> from trueval.rank._sample import Sample
    >>> high = Sample(np.arange(4.0), np.ones(4), np.array([0.0, 0, 0, 1]), 0, 0)
    >>> round(rank_sum_score(high), 4)
    1.3416
    """
    n, m = sample.n, sample.n_positives
    if n <= 1 or not 0 < m < n:
        return 0.0
    away = np.cumsum(sample.size) - sample.size / 2 - n / 2
    variance = m * (n - m) / (n - 1) * float(sample.size @ away**2) / n
    return float(sample.positives @ away / np.sqrt(variance)) if variance > 0 else 0.0


def directions(classes: Sequence[ClassSummary]) -> list[Direction]:
    """How to read each class, by all of them.

    A class falls if its rank sum is clearly negative; the more of the clear classes fall, the
    less is needed, and if most do, a class falls unless it clearly rises. It is read by what most
    classes are read by, positives or negatives, unless these are clearly more than the others.

    >>> from trueval.rank._direction import ClassSummary, directions
    >>> [d.negated for d in directions([ClassSummary(z, 10, 100) for z in (-9, -8, -7, 0, 6)])]
    [True, True, True, True, False]
    """
    score = np.array([c.rank_sum for c in classes])
    more = np.array([(2 * c.positives - c.size) / np.sqrt(max(c.size, 1.0)) for c in classes])
    usual = sum(c.positives for c in classes) > 0.5 * sum(c.size for c in classes)
    swapped = more >= -CLEAR if usual else more > CLEAR  # standard scores of a share of one half
    falling, rising = int((score < -CLEAR).sum()), int((score > CLEAR).sum())
    share = falling / (falling + rising + 1)
    falls = score < -CLEAR * (1 - 2 * share)
    return [
        Direction(negated=fall != swap, swapped=swap)
        for fall, swap in zip(falls.tolist(), swapped.tolist(), strict=True)
    ]


def _of_the_others(curve: ProbabilityCurve) -> ProbabilityCurve:
    """P(not the class) in place of P(class), or the other way round."""
    around = curve.neighbours
    if around is not None:  # a floor of the one is a ceiling of the other
        around = np.stack([around[3] - around[2], around[3], around[1] - around[0], around[1]])
    assert curve.log_odds is not None
    return replace(
        curve,
        value=1 - curve.value,
        rate=curve.rate if len(curve.score) else 1 - curve.rate,
        log_odds=-curve.log_odds,
        atom_positives=curve.atom_size - curve.atom_positives,
        neighbours=around,
    )
