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
from trueval.rank._own import CLEARLY_BETTER, OwnFit, deviance
from trueval.rank._probability import ProbabilityCurve
from trueval.rank._shared import Shared, fit_shared, spread_classes

__all__ = ["Blend", "blend", "shared_positives", "without_one"]

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
    own_curves = [fit.curve for fit in fits]
    fits.clear()  # the groups are in `counts`
    filled = np.flatnonzero(np.diff(counts.start))
    shared = fit_shared(counts, filled[spread_classes(counts.take(filled), LEARN_FROM)])
    ranked = np.array([curve.method != "flat" for curve in own_curves])
    alone = np.zeros(len(ranked), dtype=bool)
    for class_ in np.flatnonzero(ranked).tolist():
        alone[class_] = _is_clearly_better(own_curves[class_], shared, class_)
    weight = ranked.astype(np.float64)
    together = np.flatnonzero(ranked & ~alone)
    positives = 0.0
    if len(together):
        compared = together[spread_classes(counts.take(together), COMPARED)]
        positives = shared_positives(own_curves, shared, compared)
        if positives > 0:
            class_positives = counts.total(counts.positives)[together]
            weight[together] = class_positives / (class_positives + positives)
    grid = shared.grid(N_GRID)
    curves = []
    for k in range(len(own_curves)):
        curve = _blended(own_curves[k], shared, k, float(weight[k]), grid)
        curves.append(curve.finished(counts.groups(k)))
        own_curves[k] = curves[k]  # what is replaced is not kept
    return Blend(curves, weight, positives)


def shared_positives(own_curves: list[ProbabilityCurve], shared: Shared, classes: Int) -> float:
    """What the shared curve is to count for, by log loss on objects that were left out.

    By the curves of these classes; the result is one of ``CHOICES``.
    """
    return float(CHOICES[_choose(np.stack([_left_out(own_curves[k], shared, k) for k in classes]))])


def _left_out(curve: ProbabilityCurve, shared: Shared, k: int) -> Float:
    """Log loss of one class for each choice, every object left out in turn."""
    score, size, positives = shared.counts.groups(k)
    class_fit = (
        interpolate(score, curve.score, _log_odds(curve)),
        interpolate(score, curve.score, np.asarray(curve.error)),
    )
    other = shared.log_odds(k, score)
    loss = np.zeros(len(CHOICES))
    for label, objects in ((0, size - positives), (1, positives)):
        weight = _weights(float(positives.sum()) - label)[:, None]
        log_odds = weight * without_one(*class_fit, label) + (1 - weight) * without_one(
            *other, label
        )
        loss += np.logaddexp(0.0, -log_odds if label else log_odds) @ objects
    return loss


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


def _weights(positives: float) -> Float:
    """Weight of the own curve for each choice; a class without positives has none."""
    return positives / (positives + CHOICES) if positives > 0 else np.zeros(len(CHOICES))


def _is_clearly_better(curve: ProbabilityCurve, shared: Shared, k: int) -> bool:
    """Whether the class's own data speak against the shared curve, by AIC.

    Isotonic regression is taken only for many positives that speak clearly against a smooth
    curve, and :func:`without_one` does not hold for its steps.
    """
    if curve.method == "isotonic":
        return True
    score, size, positives = shared.counts.groups(k)
    class_deviance = deviance(interpolate(score, curve.score, _log_odds(curve)), positives, size)
    shared_deviance = deviance(shared.log_odds(k, score)[0], positives, size)
    freedom = curve.freedom - len(curve.atom_score)
    return class_deviance + 2 * freedom + CLEARLY_BETTER < shared_deviance + 2 * shared.freedom(k)


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
