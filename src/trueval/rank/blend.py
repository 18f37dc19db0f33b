"""The curve of a class between its own and the one that all classes share.

Log-odds are averaged: with m positives, a class's own curve counts for m and the shared one
for c positives. The number c is that of least log loss on objects that neither curve was
fitted on, so data whose classes have little in common keep their own curves (c = 0), and
data whose scores mean nearly the same in all classes share one (c without end).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from trueval.rank.base import TIE_BREAK
from trueval.rank.counts import ClassCounts, Counts
from trueval.rank.own import CLEARLY_BETTER, OwnFit, deviance, own_log_odds
from trueval.rank.probability import ProbabilityCurve, neighbours
from trueval.rank.shared import Shared, fit_shared, spread_classes
from trueval.rank.spline import PooledCurve

__all__ = ["Blend", "blend", "fold_counts", "shared_positives"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]

N_FOLDS = 5
CHOICES = np.array([0.0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, np.inf])
LEARN_FROM = 512  # classes that the distribution of the coefficients is estimated on
LEARN_FROM_FOLDS = 256  # the same without a fold
COMPARED = 64  # classes whose own curves are fitted without a fold
N_GRID = 64  # scores of all classes together that every curve has a value at


@dataclass(frozen=True, eq=False)
class Blend:
    """Curves of all classes, and how far each is its own.

    Attributes
    ----------
    curves : list of ProbabilityCurve
    own_weight : ndarray of shape (n_classes,)
        Weight of the class's own curve.
    positives : float
        What the shared curve counts for.
    """

    curves: list[ProbabilityCurve]
    own_weight: Float
    positives: float


def blend(own: list[OwnFit], pooled: PooledCurve | None, shrink: float) -> Blend:
    """Draw the curve of each class towards the one that all classes share.

    Parameters
    ----------
    own : list of OwnFit
    pooled, shrink : as the own curves were fitted with

    Returns
    -------
    Blend
    """
    counts = Counts.of([fit.counts for fit in own])
    filled = np.flatnonzero(np.diff(counts.start))
    shared = fit_shared(counts, filled[spread_classes(counts.take(filled), LEARN_FROM)])
    ranked = np.array([fit.curve.method != "flat" for fit in own])
    alone = np.array([r and _is_clearly_better(f, shared, k) for k, (f, r) in enumerate(zip(own, ranked))])
    weight = ranked.astype(np.float64)
    together = np.flatnonzero(ranked & ~alone)
    positives = 0.0
    if len(together):
        learn_from = together[spread_classes(counts.take(together), LEARN_FROM_FOLDS)]
        positives = shared_positives(counts.take(learn_from), shared, pooled, shrink)
        found = counts.total(counts.positives)[together]
        weight[together] = found / (found + positives)
    grid = shared.grid(N_GRID)
    curves = [_blended(f, shared, k, weight[k], grid) for k, f in enumerate(own)]
    return Blend(curves, weight, positives)


def shared_positives(
    counts: Counts, start: Shared, pooled: PooledCurve | None, shrink: float
) -> float:
    """What the shared curve is to count for, by log loss on objects that were left out.

    Parameters
    ----------
    counts : Counts
        Of classes that can be ranked.
    start : Shared
        The model of all objects, to begin each fit from.
    pooled, shrink : as the own curves were fitted with

    Returns
    -------
    float
        One of ``CHOICES``.
    """
    size, positives = fold_counts(counts)
    compared = spread_classes(counts, COMPARED)
    loss = np.zeros(len(CHOICES))
    for fold in range(N_FOLDS):
        train = Counts(
            counts.score,
            counts.size - size[:, fold],
            counts.positives - positives[:, fold],
            counts.start,
        )
        shared = fit_shared(train, start=start.prior)
        for k in compared:
            part = train.slice(int(k))
            known: ClassCounts = (train.score[part], train.size[part], train.positives[part])
            own = own_log_odds(known, pooled, shrink)
            other, _ = shared.log_odds(int(k), train.score[part])
            weight = _weights(known[2].sum())[:, None]
            log_odds = weight * own + (1 - weight) * other
            left_out = size[part, fold], positives[part, fold]
            loss += left_out[0] @ np.logaddexp(0.0, log_odds).T - left_out[1] @ log_odds.T
    return float(CHOICES[np.argmin(loss)])


def fold_counts(counts: Counts) -> tuple[Float, Float]:
    """Objects and positives of each group in each fold.

    Positives and others are dealt out to the folds in turn, each class for itself, in an order
    that depends on their numbers alone: the order of rows and classes does not matter.

    Parameters
    ----------
    counts : Counts

    Returns
    -------
    size, positives : ndarray of shape (n_groups, N_FOLDS)

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank.blend import fold_counts
    >>> from trueval.rank.counts import Counts
    >>> groups = np.arange(2.0), np.array([30.0, 10.0]), np.array([3.0, 7.0])
    >>> size, positives = fold_counts(Counts.of([groups]))
    >>> positives.sum(axis=0).tolist(), size.sum(axis=1).tolist()
    ([2.0, 2.0, 2.0, 2.0, 2.0], [30.0, 10.0])
    """
    dealt = []
    for number, of_groups in enumerate((counts.size - counts.positives, counts.positives)):
        out = np.zeros((len(of_groups), N_FOLDS))
        for k in range(counts.n_classes):
            part = counts.slice(k)
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


def _is_clearly_better(fit: OwnFit, shared: Shared, k: int) -> bool:
    """Whether the class's own data speak against the shared curve, by AIC."""
    score, size, positives = fit.counts
    own = deviance(np.interp(score, fit.curve.score, _log_odds(fit.curve)), positives, size)
    other = deviance(shared.log_odds(k, score)[0], positives, size)
    freedom = fit.curve.freedom - len(fit.curve.atom_score)
    return own + 2 * freedom + CLEARLY_BETTER < other + 2 * shared.freedom(k)


def _log_odds(curve: ProbabilityCurve) -> Float:
    """Of the values: those of isotonic blocks are drawn towards one half otherwise."""
    assert curve.log_odds is not None
    return logit(curve.value) if curve.method == "isotonic" else curve.log_odds


def _blended(
    fit: OwnFit, shared: Shared, k: int, weight: float, grid: Float
) -> ProbabilityCurve:
    curve = fit.curve
    if weight == 1 or len(fit.counts[0]) == 0:
        return curve
    known = curve.score if len(curve.score) else fit.counts[0]
    score = np.union1d(known, grid)
    log_odds, error = shared.log_odds(k, score)
    freedom = (1 - weight) * shared.freedom(k)
    if weight > 0:
        assert curve.error is not None
        log_odds = weight * np.interp(score, known, _log_odds(curve)) + (1 - weight) * log_odds
        error = weight * np.interp(score, known, curve.error) + (1 - weight) * error
        freedom += weight * curve.freedom
    around = curve.neighbours
    grain = curve.grain
    if curve.method == "flat":
        around = neighbours(fit.counts[2], fit.counts[1], np.arange(len(known)))
        grain = 0.5 / float(fit.counts[1].sum())
    place = np.arange(len(score)) / len(score)
    return replace(
        curve,
        score=score,
        value=(1 - TIE_BREAK) * expit(log_odds) + TIE_BREAK * place,
        log_odds=log_odds,
        error=error,
        neighbours=None if around is None else _around(around, known, score),
        grain=grain,
        method="shared" if curve.method == "flat" else curve.method,
        freedom=freedom,
    )


def _around(around: NDArray[np.float32], known: Float, score: Float) -> NDArray[np.float32]:
    """Neighbours of other scores: those of the next known one below, and of that above."""
    padded = np.pad(around, ((0, 0), (1, 1)))  # nothing below the lowest, above the highest
    below = np.searchsorted(known, score, side="right")
    above = np.searchsorted(known, score, side="left") + 1
    return np.concatenate([padded[:2, below], padded[2:, above]])
