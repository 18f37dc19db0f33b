"""The curve of a class between its own and the one that all classes share.

Log-odds are averaged: with m positives, a class's own curve counts for m and the shared one
for c positives. The number c is chosen by the log loss on objects left out one at a time,
which moves both curves by what their standard errors say: the largest c whose loss is not
clearly above the least. Data whose classes have little in common keep their own curves (c = 0),
and data whose scores mean nearly the same in all classes share one (c without end). A class
whose own data clearly contradict the shared curve keeps its own.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from trueval.rank._base import TIE_BREAK, interpolate
from trueval.rank._counts import Counts
from trueval.rank._own import CLEARLY_BETTER, OwnFit
from trueval.rank._probability import ProbabilityCurve
from trueval.rank._shared import Shared, fit_shared, spread_classes

__all__ = ["Blend", "blend", "without_one"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]

CHOICES = np.array([0.0, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, np.inf])
NO_EVIDENCE = 0.5  # standard errors by which a loss may be above the least
FEW_CLASSES = 5  # below which little is known of what classes share: the least loss counts
LEARN_FROM = 1024  # classes that what is common to all is estimated on
COMPARED = 256  # classes that the weight of the shared curve is chosen on
MOST_LEVERAGE = 0.9  # of one object in its own curve
N_GRID = 64  # scores of all classes together that every curve has a value at


@dataclass(frozen=True, eq=False)
class Blend:
    """Curves of all classes, and how far each is its own."""

    curves: list[ProbabilityCurve]
    own_weight: Float  # shape (n_classes,); weight of the class's own curve
    positives: float  # what the shared curve counts for


def blend(fits: list[OwnFit]) -> Blend:
    """Draw the curve of each class towards the one that all classes share.

    ``fits`` is emptied on the way, to save memory.
    """
    counts = Counts.of([fit.counts for fit in fits])
    class_curves = [fit.curve for fit in fits]
    fits.clear()  # the groups are in `counts`
    filled = np.flatnonzero(np.diff(counts.start))
    shared = fit_shared(counts, filled[spread_classes(counts.take(filled), LEARN_FROM)])
    ranked = np.flatnonzero([curve.method != "flat" for curve in class_curves])
    left_out = _LeftOut.of(class_curves, shared, ranked)
    # Isotonic regression is taken only where many positives speak clearly against a smooth curve,
    # and `without_one` does not hold for its steps.
    steps = np.array([class_curves[k].method == "isotonic" for k in ranked], dtype=bool)
    alone = left_out.contradicts | steps
    weight = np.zeros(len(class_curves))
    weight[ranked] = 1.0
    together, positives = ranked[~alone], 0.0
    if len(together):
        compared = spread_classes(counts.take(together), COMPARED)
        positives = left_out.take(np.flatnonzero(~alone)[compared]).shared_positives()
        if positives > 0:
            class_positives = counts.total(counts.positives)[together]
            weight[together] = class_positives / (class_positives + positives)
    grid = shared.grid(N_GRID)
    curves = []
    for k in range(len(class_curves)):
        curve = _blended(class_curves[k], shared, k, float(weight[k]), grid)
        curves.append(curve.finished(counts.groups(k)))
        class_curves[k] = curves[k]  # what is replaced is not kept
    return Blend(curves, weight, positives)


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Log-odds of both curves at the groups of some classes, to leave objects out of."""

    counts: Counts
    # Log-odds and standard errors of the class's own curve and of the shared one
    alone: tuple[Float, Float]
    shared: tuple[Float, Float]

    @classmethod
    def of(cls, class_curves: list[ProbabilityCurve], shared: Shared, classes: Int) -> "_LeftOut":
        counts, fitted = shared.counts.take(classes), shared.at_groups(classes)
        empty = np.empty(0)
        lines: tuple[list[Float], list[Float]] = ([empty], [empty])
        for i, k in enumerate(classes.tolist()):
            curve, score = class_curves[k], counts.groups(i)[0]
            lines[0].append(interpolate(score, curve.score, _log_odds(curve)))
            lines[1].append(interpolate(score, curve.score, np.asarray(curve.error)))
        return cls(counts, (np.concatenate(lines[0]), np.concatenate(lines[1])), fitted)

    def take(self, classes: Int) -> "_LeftOut":
        """Some of the classes, rising."""
        inside = np.isin(self.counts.class_of, classes)
        alone, shared = ((a[inside], b[inside]) for a, b in (self.alone, self.shared))
        return _LeftOut(self.counts.take(classes), alone, shared)

    def losses(self, choices: Float) -> Float:
        """Log loss of every class for each choice, every object left out in turn."""
        counts = self.counts
        positives = counts.total(counts.positives)[counts.class_of]
        loss = np.zeros((counts.n_classes, len(choices)))
        for label, objects in ((0, counts.size - counts.positives), (1, counts.positives)):
            alone, shared = without_one(*self.alone, label), without_one(*self.shared, label)
            remaining = positives - label
            for column, choice in enumerate(choices):
                weight = np.zeros(len(alone))  # that of a class without positives
                np.divide(remaining, remaining + choice, out=weight, where=remaining > 0)
                log_odds = weight * alone + (1 - weight) * shared
                loss[:, column] += counts.total(
                    objects * np.logaddexp(0.0, -log_odds if label else log_odds)
                )
        return loss

    @property
    def contradicts(self) -> NDArray[np.bool_]:
        """Whether the data of a class clearly prefer its own curve to the shared one."""
        alone, shared = self.losses(np.array([0.0, np.inf])).T
        return np.asarray(2 * (shared - alone) > CLEARLY_BETTER)

    def shared_positives(self) -> float:
        """What the shared curve is to count for, one of ``CHOICES``."""
        return float(CHOICES[_choose(self.losses(CHOICES))])


def without_one(log_odds: Float, error: Float, label: int) -> Float:
    """Log-odds at objects with this label if they are left out of the fit, each by itself.

    One step of Newton's method from the fit of all objects, which needs its standard errors
    alone: what is fitted to the others is taken as quadratic.
    """
    chance, variance = expit(log_odds), error**2
    remaining = 1 - np.minimum(variance * chance * (1 - chance), MOST_LEVERAGE)
    return log_odds - variance * (label - chance) / remaining


def _choose(loss: Float) -> int:
    """The most sharing that is not clearly worse than the best, by losses of classes."""
    total = loss.sum(axis=0)
    if len(loss) < FEW_CLASSES:
        return int(np.argmin(total))
    more = loss - loss[:, [int(np.argmin(total))]]
    error = np.sqrt(len(more)) * more.std(axis=0, ddof=1)
    return int(np.flatnonzero(total - total.min() <= NO_EVIDENCE * error)[-1])


def _log_odds(curve: ProbabilityCurve) -> Float:
    """Of the values: those of isotonic blocks are drawn towards one half otherwise."""
    assert curve.log_odds is not None
    return np.asarray(logit(curve.value) if curve.method == "isotonic" else curve.log_odds)


def _blended(
    curve: ProbabilityCurve, shared: Shared, k: int, weight: float, grid: Float
) -> ProbabilityCurve:
    groups, size, _ = shared.counts.groups(k)
    if weight == 1 or len(groups) == 0:
        return curve
    known = curve.score if len(curve.score) else groups
    score = np.union1d(known, grid[:: max(1, len(grid) // (len(known) + 8))])
    log_odds, error = shared.log_odds(k, score)
    freedom = (1 - weight) * shared.freedom(k)
    if weight > 0:
        assert curve.error is not None
        log_odds = weight * interpolate(score, known, _log_odds(curve)) + (1 - weight) * log_odds
        error = weight * interpolate(score, known, curve.error) + (1 - weight) * error
        freedom += weight * curve.freedom
    place = np.arange(len(score)) / len(score)
    return replace(
        curve,
        score=score,
        value=(1 - TIE_BREAK) * expit(log_odds) + TIE_BREAK * place,
        log_odds=log_odds,
        error=error,
        grain=0.5 / float(size.sum()),
        method="shared" if curve.method == "flat" else curve.method,
        freedom=freedom,
    )
