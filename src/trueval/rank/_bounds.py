"""Lower bounds of precision, recall and F-beta: exact binomial, and studentised by objects.

Pairs of one object are not independent, and a list of nothing but hits shows no variance. So
two bounds are taken and the smaller one counts: the estimate less some standard errors
between objects (or groups), by the t distribution of their effective number; and the exact
bound of a binomial share (Clopper and Pearson 1934) at the effective number of pairs (Korn
and Graubard 1998).
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy import special

from trueval.rank._moments import FEW_MISSES, Measure, Moments

__all__ = ["lower_bounds", "predictive_share", "share_bound", "studentised_deviations"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
N_DRAWS = 500
CHUNK = 4_000_000  # multipliers held at a time
MOST_TERMS = 2_000  # of a sum over counts; larger counts are taken as continuous


def lower_bounds(
    moments: Moments,
    measure: Measure,
    effect: Float,
    critical: float,
    new_share: float | None = None,
) -> Float:
    """Lower bound of a measure at each number of predictions.

    Parameters
    ----------
    moments : Moments
    measure : Measure
    effect : ndarray of float64
        Design effect at each.
    critical : float
        Number of standard errors, as of a normal distribution.
    new_share : float, optional
        Bound the measure on one new set of objects, this many times as many as the given
        ones; without it, the measure in the population.

    Returns
    -------
    ndarray of float64
    """
    tail = float(special.ndtr(-critical))
    freedom = np.maximum(moments.units(measure) - 1, 1.0)
    quantile = special.stdtrit(freedom, 1 - tail)
    spread = 1.0 if new_share is None else np.sqrt(1 + 1 / new_share)
    by_units = moments.ratio(measure) - quantile * spread * moments.standard_error(measure)
    trials = moments.trials(measure) / effect
    hits = moments.hits / effect
    if new_share is None:
        share = share_bound(hits, trials, tail)
    else:
        share = predictive_share(hits, trials, new_share * trials, tail)
    return np.maximum(np.minimum(by_units, _measure_at(share, moments, measure)), 0.0)


def share_bound(hits: Float, trials: Float, tail: float) -> Float:
    """Exact lower bound of a binomial share, missed with a chance of at most ``tail``.

    >>> import numpy as np
    >>> from trueval.rank._bounds import share_bound
    >>> share_bound(np.array([21.0, 22.0]), np.array([21.0, 22.0]), 0.1).round(4).tolist()
    [0.8962, 0.9006]
    """
    some = hits > 0
    bound = special.betaincinv(np.where(some, hits, 1.0), trials - hits + 1, tail)
    return np.where(some, bound, 0.0)


def predictive_share(hits: Float, trials: Float, new_trials: Float, tail: float) -> Float:
    """Exact lower bound of the share of hits among new trials (Thatcher 1964).

    >>> import numpy as np
    >>> from trueval.rank._bounds import predictive_share
    >>> predictive_share(np.array([40.0]), np.array([40.0]), np.array([20.0]), 0.1).tolist()
    [0.9]
    """
    out = np.zeros(len(hits))
    for i, (hit, n, new) in enumerate(zip(hits, trials, np.rint(new_trials), strict=True)):
        if hit <= 0 or new < 1:
            continue
        a, b = n - hit + 1, hit  # of a miss
        if new > MOST_TERMS:
            mean = a / (a + b)
            variance = mean * (1 - mean) * (a + b + new) / (new * (a + b + 1))
            known = mean * (1 - mean) / variance - 1
            out[i] = 1 - special.betaincinv(mean * known, (1 - mean) * known, 1 - tail)
            continue
        k = np.arange(new)
        logs = special.gammaln(new + 1) - special.gammaln(k + 1) - special.gammaln(new - k + 1)
        chance = np.exp(logs + special.betaln(k + a, new - k + b) - special.betaln(a, b))
        misses = np.searchsorted(np.cumsum(chance), 1 - tail - 1e-12)
        out[i] = 1 - misses / new
    return out


def _measure_at(share: Float, moments: Moments, measure: Measure) -> Float:
    """The measure where hits have this share of the trials."""
    if measure.is_share:
        return share
    false, missed = moments.calls - moments.hits, moments.positives - moments.hits
    b, d = measure.of_calls, measure.of_positives
    # Of few misses it is not known whether they are of the dear kind.
    misses = np.maximum(false + missed, FEW_MISSES)
    mean = (b * false + d * missed) / misses
    cost = np.where(false + missed < FEW_MISSES, max(b, d), mean)
    gain = measure.weight * share
    return gain / (gain + cost * (1 - share))


def studentised_deviations(
    unit: NDArray[np.integer],
    hit: NDArray[np.bool_],
    positives: Float,
    ends: Int,
    moments: Moments,
    measure: Measure,
    generator: np.random.Generator,
    weight: Float | None = None,
) -> Float:
    """Studentised deviations at all numbers of predictions, one row for each of many draws.

    Multiplier bootstrap: every unit's residual is multiplied by a standard normal number. A row's
    maximum is distributed as the largest error of an estimate anywhere on the list, in standard
    errors.
    """
    n, size = int(ends[-1]), len(ends)
    bins = np.searchsorted(ends, np.arange(1, n + 1))
    unit, hit = unit[:n], hit[:n]
    counts = np.ones(n) if weight is None else weight[:n]
    hits = _table(unit[hit], bins[hit], counts[hit], (len(positives), size))
    calls = _table(unit, bins, counts, (len(positives), size))
    some = np.flatnonzero((np.diff(calls.indptr) > 0) | (positives > 0))
    columns = sp.csr_array(sp.hstack([hits, calls], format="csr")[some].T)
    positives = positives[some]
    ratio = moments.ratio(measure)
    scale = moments.standard_error(measure) * (
        measure.of_calls * moments.calls + measure.of_positives * moments.positives
    )
    varies = scale > 1e-9
    parts = []
    step = max(1, CHUNK // len(some))
    for first in range(0, N_DRAWS, step):
        count = min(step, N_DRAWS - first)
        drawn = generator.standard_normal((count, len(some)))
        sums = np.asarray(columns @ drawn.T).T
        drawn_hits = np.cumsum(sums[:, :size], axis=1)
        drawn_calls = np.cumsum(sums[:, size:], axis=1)
        other = measure.of_positives * (drawn @ positives)[:, None]
        process = measure.weight * drawn_hits - ratio * (measure.of_calls * drawn_calls + other)
        parts.append(np.where(varies, process / np.where(varies, scale, 1.0), -np.inf))
    return np.concatenate(parts)


def _table(
    unit: NDArray[np.integer], bins: Int, counts: Float, shape: tuple[int, int]
) -> sp.csr_array:
    """How many pairs of each unit lie between one number of predictions and the next."""
    return sp.csr_array(sp.coo_array((counts, (unit, bins)), shape=shape))
