"""The curve of a class between its own and the one that all classes share.

Log-odds are averaged: with m positives, a class's own curve counts for m and the shared one
for c positives. The number c is chosen by the log loss on objects that neither curve was
fitted on, the largest whose loss is not clearly above the least: data whose classes have little
in common keep their own curves (c = 0), and data whose scores mean nearly the same in all
classes share one (c without end). A class whose own data clearly contradict the shared curve
keeps its own.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from trueval.rank._base import TIE_BREAK, interpolate
from trueval.rank._counts import Counts
from trueval.rank._own import CLEARLY_BETTER, OwnFit, deviance, own_log_odds
from trueval.rank._probability import ProbabilityCurve
from trueval.rank._shared import Shared, fit_shared, spread_classes
from trueval.rank._spline import PooledCurve

__all__ = ["Blend", "blend", "fold_counts", "shared_positives"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]

N_FOLDS = 5
CHOICES = np.array([0.0, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, np.inf])
NO_EVIDENCE = 0.5  # standard errors by which a loss may be above the least
FEW_CLASSES = 5  # below which little is known of what classes share: the least loss counts
LEARN_FROM = 1024  # classes that what is common to all is estimated on
LEARN_FROM_FOLDS = 256  # the same without a fold
COMPARED = 64  # classes whose own curves are fitted without a fold
N_GRID = 64  # scores of all classes together that every curve has a value at


@dataclass(frozen=True, eq=False)
class Blend:
    """Curves of all classes, and how far each is its own."""

    curves: list[ProbabilityCurve]
    own_weight: Float  # shape (n_classes,); weight of the class's own curve
    positives: float  # what the shared curve counts for


def blend(own: list[OwnFit], pooled: PooledCurve | None, shrink: float) -> Blend:
    """Draw the curve of each class towards the one that all classes share.

    ``own`` is emptied on the way, to save memory.
    """
    counts = Counts.of([fit.counts for fit in own])
    own_curves = [fit.curve for fit in own]
    penalties = np.array([fit.penalty for fit in own])
    own.clear()  # the groups are in `counts`
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
        learn_from = together[spread_classes(counts.take(together), LEARN_FROM_FOLDS)]
        positives = shared_positives(
            counts.take(learn_from), shared, penalties[learn_from], pooled, shrink
        )
        if positives > 0:
            found = counts.total(counts.positives)[together]
            weight[together] = found / (found + positives)
    grid = shared.grid(N_GRID)
    curves = []
    for k in range(len(own_curves)):
        curve = _blended(own_curves[k], shared, k, float(weight[k]), grid)
        curves.append(curve.finished(counts.groups(k)))
        own_curves[k] = curves[k]  # what is replaced is not kept
    return Blend(curves, weight, positives)


def shared_positives(
    counts: Counts, whole: Shared, penalties: Float, pooled: PooledCurve | None, shrink: float
) -> float:
    """What the shared curve is to count for, by log loss on objects that were left out.

    ``whole`` is the shared model of all objects, and ``penalties`` are those of the own curves on
    all objects: how smooth curves are is not chosen again without a fold. The result is one of
    ``CHOICES``.
    """
    size, positives = fold_counts(counts)
    compared = spread_classes(counts, COMPARED)
    loss = np.zeros((len(compared), len(CHOICES)))
    for fold in range(N_FOLDS):
        train = Counts(
            counts.score,
            counts.size - size[:, fold],
            counts.positives - positives[:, fold],
            counts.start,
        )
        shared = fit_shared(train, like=whole)
        for place, k in enumerate(compared):
            part, known = train.part(int(k)), train.groups(int(k))
            own = own_log_odds(known, pooled, shrink, float(penalties[k]))
            other = shared.at_groups[part]
            weight = _weights(float(known[2].sum()))[:, None]
            log_odds = weight * own + (1 - weight) * other
            left_out = size[part, fold], positives[part, fold]
            loss[place] += left_out[0] @ np.logaddexp(0.0, log_odds).T - left_out[1] @ log_odds.T
    return float(CHOICES[_choose(loss)])


def _choose(loss: Float) -> int:
    """The most sharing that is not clearly worse than the best, by losses of classes."""
    total = loss.sum(axis=0)
    if len(loss) < FEW_CLASSES:
        return int(np.argmin(total))
    more = loss - loss[:, [int(np.argmin(total))]]
    error = np.sqrt(len(more)) * more.std(axis=0, ddof=1)
    return int(np.flatnonzero(total - total.min() <= NO_EVIDENCE * error)[-1])


def fold_counts(counts: Counts) -> tuple[Float, Float]:
    """Objects and positives of each group in each fold.

    Positives and others are dealt out to the folds in turn, each class for itself, in an order
    that depends on their numbers alone: the order of rows and classes does not matter.

    Both have the shape (n_groups, N_FOLDS).

    >>> import numpy as np
    >>> from trueval.rank._blend import fold_counts
    >>> from trueval.rank._counts import Counts
    >>> groups = np.arange(2.0), np.array([30.0, 10.0]), np.array([3.0, 7.0])
    >>> size, positives = fold_counts(Counts.of([groups]))
    >>> positives.sum(axis=0).tolist(), size.sum(axis=1).tolist()
    ([2.0, 2.0, 2.0, 2.0, 2.0], [30.0, 10.0])
    """
    dealt = []
    for number, of_groups in enumerate((counts.size - counts.positives, counts.positives)):
        out = np.zeros((len(of_groups), N_FOLDS))
        for k in range(counts.n_classes):
            part = counts.part(k)
            length = of_groups[part].astype(np.int64)
            group = np.repeat(np.arange(len(length)), length)
            order = np.random.default_rng([number, len(group)]).permutation(len(group))
            place = group * N_FOLDS + order % N_FOLDS
            out[part] = np.bincount(place, minlength=out[part].size).reshape(-1, N_FOLDS)
        dealt.append(out)
    return dealt[0] + dealt[1], dealt[1]


def _weights(found: float) -> Float:
    """Weight of the own curve for each choice; a class without positives has none."""
    return found / (found + CHOICES) if found > 0 else np.zeros(len(CHOICES))


def _is_clearly_better(curve: ProbabilityCurve, shared: Shared, k: int) -> bool:
    """Whether the class's own data speak against the shared curve, by AIC."""
    score, size, positives = shared.counts.groups(k)
    own = deviance(interpolate(score, curve.score, _log_odds(curve)), positives, size)
    other = deviance(shared.at_groups[shared.counts.part(k)], positives, size)
    freedom = curve.freedom - len(curve.atom_score)
    return own + 2 * freedom + CLEARLY_BETTER < other + 2 * shared.freedom(k)


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
