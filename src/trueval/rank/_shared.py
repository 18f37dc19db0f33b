"""What all classes together say of a score: an empirical-Bayes logistic model of each class.

A score is seen in three ways, each turned into log-odds by one rising curve for all classes:

- the score itself, which says most where scores mean the same in every class;
- its rank in its class, which says most where they mean different things;
- its distance from the mean of its class in standard deviations, between the two: classes
  that differ by a shift and a unit.

The log-odds of a class are a line in these three (:mod:`trueval.rank._prior`): how much each
counts, and how far classes differ, is learned from all classes. A class with many positives
gets coefficients of its own, one without any those of the typical class. Only the order of
all scores, taken together, is used: a transform of all scores by one increasing function
changes nothing.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from trueval import _kernels
from trueval.rank._base import interpolate
from trueval.rank._counts import Counts, sums
from trueval.rank._prior import Modes, Prior, Problem, fit_prior, modes
from trueval.rank._spline import fit_spline, spline_bins

__all__ = ["PooledLine", "Shared", "fit_shared", "spread_classes"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]

N_COEF = 5  # the level, three ways to see a score, and a bend
BEND = 0.1  # of a squared log-odds, which brings it to the size of the others
CLASS_POSITIVES = 20.0  # no class weighs more than this many positives in a common curve
MOST_KNOTS = 2048  # of a common curve
LIKE_ALL = 3.0  # positives spread evenly over a common curve, so that few data make no step of it
LIKE_OTHERS = 4.0  # objects that the typical mean and variance count for in a class's own
TOGETHER = 256  # classes whose modes are found at once


@dataclass(frozen=True, eq=False)
class PooledLine:
    """Log-odds of all classes together on one scale."""

    # key, log_odds: places, rising, and log-odds at them, which do not fall
    key: Float
    log_odds: Float

    def at(self, key: Float) -> Float:
        """Log-odds at any places; beyond the ends, that of the end."""
        return interpolate(key, self.key, self.log_odds)


@dataclass(frozen=True, eq=False)
class _Scales:
    """The three ways to see a score."""

    score: PooledLine
    normal: Float  # normal score of each key of `score`, by its rank among all scores
    rank: PooledLine
    distance: PooledLine
    mean: Float  # of the normal scores of each class
    deviation: Float
    centre: Float  # of the covariates, at the positives

    def normal_scores(self, score: Float) -> Float:
        """Normal quantile of the share of all objects below each score."""
        return interpolate(score, self.score.key, self.normal)

    def covariates(self, score: Float, log_rank: Float, classes: Int) -> Float:
        """A one, three log-odds and the square of the first, for each score."""
        distance = (self.normal_scores(score) - self.mean[classes]) / self.deviation[classes]
        seen = (self.score.at(score), self.rank.at(-log_rank), self.distance.at(distance))
        x = np.column_stack([np.ones(len(score)), *seen, BEND * seen[0] ** 2])
        x[:, 1:] -= self.centre
        return x


@dataclass(frozen=True, eq=False)
class Shared:
    """The model of every class."""

    counts: Counts  # what it was fitted on
    prior: Prior  # distribution of the coefficients over classes
    modes: Modes  # coefficients of each class
    _scales: _Scales

    def log_odds(self, k: int, score: Float, *, rising: bool = True) -> tuple[Float, Float]:
        """Log-odds of a class at rising scores, and their standard errors.

        ``rising`` levels out falls.
        """
        part, scales = self.counts.part(k), self._scales
        # Between two scores of the class by the order of all scores, not by their unit.
        known, normal = scales.normal_scores(self.counts.score[part]), scales.normal_scores(score)
        log_rank = np.interp(normal, known, self.counts.log_rank[part])
        x = scales.covariates(score, log_rank, np.full(len(score), k))
        value = x @ self.modes.coef[k]
        error = np.sqrt(((x @ self.modes.covariance[k]) * x).sum(axis=1))
        return _levelled(value) if rising else value, error

    def at_groups(self, classes: Int) -> tuple[Float, Float]:
        """The same at all groups of some classes, one class after the other."""
        part = self.counts.take(classes)
        values, errors = np.empty((2, len(part.score)))
        for first in range(0, len(classes), TOGETHER):
            some = np.arange(first, min(first + TOGETHER, len(classes)))
            groups = slice(int(part.start[some[0]]), int(part.start[some[-1] + 1]))
            owner = classes[part.class_of[groups]]
            x = self._scales.covariates(part.score[groups], part.log_rank[groups], owner)
            values[groups] = np.einsum("ij,ij->i", x, self.modes.coef[owner])
            variance = np.einsum("ij,ijk,ik->i", x, self.modes.covariance[owner], x)
            errors[groups] = np.sqrt(variance)
            for k in some.tolist():
                values[part.part(k)] = _levelled(values[part.part(k)])
        return values, errors

    def freedom(self, k: int) -> float:
        """Effective number of parameters that the data of one class decide."""
        return float(N_COEF - np.trace(self.modes.covariance[k] @ self._precision))

    @cached_property
    def _precision(self) -> Float:
        return np.asarray(np.linalg.inv(self.prior.covariance), dtype=np.float64)

    def grid(self, n: int) -> Float:
        """About n scores, spread evenly over the common curve of the scores."""
        key = self._scales.score.key
        return key[np.unique(np.linspace(0, len(key) - 1, n).astype(np.int64))]


def _levelled(value: Float) -> Float:
    """Without falls: each becomes the mean of what falls."""
    if len(value) <= 1:
        return value
    start = _kernels.pool_adjacent(value, np.ones(len(value)))
    length = np.diff(np.append(start, len(value)))
    return np.repeat(np.add.reduceat(value, start) / length, length)


def spread_classes(counts: Counts, most: int) -> Int:
    """Classes to learn from: all, or as many as are allowed, of all sizes alike.

    Rising. The order of the classes does not matter to the choice.
    """
    if counts.n_classes <= most:
        return np.arange(counts.n_classes)
    depth = (
        counts.total(counts.size * counts.log_rank),
        counts.total(counts.positives * counts.log_rank),
    )
    order = np.lexsort((*depth, counts.total(counts.size), counts.total(counts.positives)))
    return np.sort(order[np.linspace(0, len(order) - 1, most).astype(np.int64)])


def fit_shared(
    counts: Counts,
    learn_from: Int | None = None,
    design: Float | None = None,
) -> Shared:
    """Learn what classes have in common, then the coefficients of each.

    What is common is estimated on ``learn_from``, all classes if not given. ``design``, of shape
    (n_classes, n_features), is what is known of each class beside its scores, such as its place in
    a hierarchy: the centre of its coefficients is a line in these. The first column is all ones,
    and the only one if not given.

    >>> import numpy as np
    >>> from trueval.rank._counts import Counts, sums
    >>> from trueval.rank._shared import fit_shared
    >>> score, size = np.arange(5.0), np.full(5, 100.0)
    >>> some = (score, size, np.array([0.0, 1, 4, 20, 60]))
    >>> none = (score, size, np.zeros(5))
    >>> shared = fit_shared(Counts.of([some, some, some, none]))
    >>> log_odds, error = shared.log_odds(3, score)  # learned from the others alone
    >>> bool((np.diff(log_odds) > 0).all()), bool((log_odds < shared.log_odds(0, score)[0]).all())
    (True, True)
    """
    chosen = np.arange(counts.n_classes) if learn_from is None else learn_from
    scales = _scales(counts, counts if learn_from is None else counts.take(learn_from))
    known = np.ones((counts.n_classes, 1)) if design is None else design
    mean = np.zeros((known.shape[1], N_COEF))
    mean[0] = [float(scales.centre[:3].mean()), 1 / 3, 1 / 3, 1 / 3, 0.0]
    start = Prior(mean, 0.25 * np.eye(N_COEF))
    prior = fit_prior(_problem(counts, scales, chosen, known), start)
    blocks = np.array_split(np.arange(counts.n_classes), -(-counts.n_classes // TOGETHER))
    posteriors = [modes(_problem(counts, scales, block, known), prior) for block in blocks]
    joined = (
        np.concatenate([getattr(m, name) for m in posteriors]) for name in vars(posteriors[0])
    )
    return Shared(counts, prior, Modes(*joined), scales)


def _problem(counts: Counts, scales: _Scales, classes: Int, design: Float) -> Problem:
    part = counts.take(classes)
    x = scales.covariates(part.score, part.log_rank, classes[part.class_of])
    return Problem(
        part.padded(x), part.padded(part.size), part.padded(part.positives), design[classes]
    )


def _scales(counts: Counts, some: Counts) -> _Scales:
    """Common curves of some classes, mean and deviation of each of all."""
    weight = np.minimum(1.0, CLASS_POSITIVES / np.maximum(some.total(some.positives), 1.0))
    weight = weight[some.class_of]
    size, positives = weight * some.size, weight * some.positives
    score = _pooled_line(some.score, size, positives)
    normal = _normal_scores(score.key, some.score, size)
    normal_score = interpolate(some.score, score.key, normal)
    typical = _typical(some, normal_score)
    mean, deviation = _location(some, normal_score, typical)
    distance = (normal_score - mean[some.class_of]) / deviation[some.class_of]
    rank = _pooled_line(-some.log_rank, size, positives)
    line = _pooled_line(distance, size, positives)
    seen = [score.at(some.score), rank.at(-some.log_rank), line.at(distance)]
    seen.append(BEND * seen[0] ** 2)
    total = max(float(positives.sum()), 1e-9)
    centre = np.array([float((positives * s).sum()) / total for s in seen])
    if some is not counts:
        mean, deviation = _location(counts, interpolate(counts.score, score.key, normal), typical)
    return _Scales(score, normal, rank, line, mean, deviation, centre)


def _pooled_line(key: Float, size: Float, positives: Float) -> PooledLine:
    """One rising curve of all groups, over the logarithm of the rank from the top."""
    places, inverse = np.unique(key, return_inverse=True)
    size = sums(inverse, size)
    positives = sums(inverse, positives)
    total = float(size.sum())
    from_top = total - np.cumsum(size) + size / 2
    depth = np.log1p(np.maximum(from_top, 0.0) / max(float(positives.sum()), 0.5))
    x = 1 - depth / max(float(depth[0]), 1e-9)  # zero without any objects
    n_positives = float(positives.sum())
    share = LIKE_ALL / n_positives if n_positives else 0.0
    evened = positives + share * size * n_positives / max(total, 1e-9)
    fit = fit_spline(*spline_bins(x, (1 + share) * size, evened), monotone=True)
    if len(x) > MOST_KNOTS:
        knots = np.diff(np.floor(x * MOST_KNOTS), prepend=-1.0) > 0
        knots[-1] = True
        places, x = places[knots], x[knots]
    # Nothing is surer than half an object in all the data.
    most = np.log(2 * total + 1)
    return PooledLine(places, np.clip(fit.at(x)[0], -most, most))


def _normal_scores(places: Float, score: Float, size: Float) -> Float:
    """Normal quantile of the share of objects below each place, half of its own included."""
    at, inverse = np.unique(score, return_inverse=True)
    size = sums(inverse, size)
    share = (np.cumsum(size) - size / 2) / size.sum()
    return ndtri(np.clip(share[np.searchsorted(at, places)], 1e-12, 1 - 1e-12))


def _typical(counts: Counts, value: Float) -> tuple[float, float]:
    """Mean over all classes, and variance within them."""
    n = counts.total(counts.size)
    everything = max(float(n.sum()), 1e-9)
    mean = (counts.total(counts.size * value) / np.maximum(n, 1e-9))[counts.class_of]
    within = float((counts.size * (value - mean) ** 2).sum()) / everything
    return float((counts.size * value).sum()) / everything, max(within, 1e-6)


def _location(counts: Counts, value: Float, typical: tuple[float, float]) -> tuple[Float, Float]:
    """Mean and standard deviation of each class, drawn a little towards the typical ones."""
    n = counts.total(counts.size)
    mean = (counts.total(counts.size * value) + LIKE_OTHERS * typical[0]) / (n + LIKE_OTHERS)
    squares = counts.total(counts.size * (value - mean[counts.class_of]) ** 2)
    return mean, np.sqrt((squares + LIKE_OTHERS * typical[1]) / (n + LIKE_OTHERS))
