"""EvoSplit (Florez-Revuelta 2021): a genetic algorithm with one objective or two.

An individual is the part number of every row, always with the wanted sizes. Children mix two
parents, each the better of two drawn at random, at one point of a random order of the rows; rows of
parts that became too large go, at random, to parts that lack rows; then a few random pairs of
rows change places. The best of parents and children survive, and the search ends after a number
of generations, or when the best has not improved for some. With two objectives, LD and LPD, the
best are those that no other beats in both, by the ranks and crowding distances of NSGA-II (Deb and
others 2002); the split with the least sum of the two, each scaled to its range, is returned.

The author's program was not published. The details of the operators are ours, and so are the
sizes of population and generations, which trade-off is taken, and the number of exchanges: up to
2 % of the rows, fewer from generation to generation.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.labels import Labels
from trueval.core.params import Choice, Interval, constrained
from trueval.core.random import as_generator
from trueval.stratify import measures
from trueval.stratify._inputs import FOLDS, INPUTS, reads_inputs
from trueval.stratify._label_sets import MAX_PAIRS, label_sets
from trueval.stratify._parts import Parts
from trueval.stratify.random import random_folds

__all__ = ["evosplit_folds"]

_Folds = NDArray[np.int32]
_MOST_EXCHANGED = 0.02  # of the rows


@reads_inputs
@constrained(
    measure=Choice(("ld", "lpd", "ld+lpd", "rld", "dcp")),
    population=Interval(int, 2),
    generations=Interval(int, 0),
    patience=Interval(int, 1),
)
@shared_sections(inputs=INPUTS, returns=FOLDS)
def evosplit_folds(
    labels: Labels,
    parts: Parts,
    *,
    random_state: object = None,
    measure: str = "ld",
    population: int = 20,
    generations: int = 300,
    patience: int = 25,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.int32]:
    """Fold by the genetic algorithm EvoSplit.

    {inputs}
    measure : {"ld", "lpd", "ld+lpd", "rld", "dcp"}, default="ld"
        What to lower: LD, the label pair distribution, or both as two objectives, as published; or
        rLD, or DCP.
    population : int, default=20
        Individuals that survive, and children of each generation.
    generations : int, default=300
    patience : int, default=25
        Generations without a better individual after which the search ends.
    progress : callable, optional
        Called as ``progress(done, total)`` after each generation.

    {returns}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.evosplit import evosplit_folds
    >>> labels = np.repeat([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 4, axis=0)
    >>> folds = evosplit_folds(labels, 2, random_state=0)
    >>> np.bincount(folds[:4]), np.bincount(folds[4:8])
    (array([2, 2]), array([2, 2]))
    """
    generator = as_generator(random_state)
    scores = [_score(labels, parts, name) for name in measure.split("+")]

    def costs_of(some: list[_Folds]) -> NDArray[np.float64]:
        return np.array([[score(folds) for score in scores] for folds in some])

    people = [random_folds(labels, parts, random_state=generator) for _ in range(population)]
    costs = costs_of(people)
    standing = _standing(costs)
    idle = 0
    for generation in range(generations):
        if idle >= patience:
            break
        exchanged = _MOST_EXCHANGED * labels.n_rows * (1 - generation / generations) ** 2
        children = [
            _child(people, standing, parts, int(exchanged), generator) for _ in range(population)
        ]
        people, costs = people + children, np.concatenate([costs, costs_of(children)])
        standing = _standing(costs)
        best = np.argsort(standing, kind="stable")[:population]
        idle = 0 if best[0] != 0 else idle + 1
        people, costs, standing = [people[i] for i in best], costs[best], standing[best]
        if progress is not None:
            progress(generation + 1, generations)
    if progress is not None:
        progress(max(generations, 1), max(generations, 1))
    return people[_best_trade_off(costs)]


def _standing(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lower is better: the cost itself, or place by front and, within a front, by crowding.

    >>> _standing(np.array([[2.0, 2.0], [0.0, 3.0], [3.0, 3.0], [3.0, 0.0]])).tolist()
    [2.0, 0.0, 3.0, 1.0]
    """
    n, n_objectives = costs.shape
    if n_objectives == 1:
        return costs[:, 0]
    no_worse = (costs[:, None, :] <= costs[None, :, :]).all(axis=2)
    beaten_by = no_worse & ~no_worse.T
    front, left = np.zeros(n, np.int64), np.ones(n, bool)
    number = 0
    while left.any():  # invariant: those left are beaten by all fronts before
        best = left & ~(beaten_by & left[:, None]).any(axis=0)
        front[best] = number
        left, number = left & ~best, number + 1
    crowding = np.zeros(n)
    for f in range(number):
        rows = np.flatnonzero(front == f)
        crowding[rows] = _crowding(costs[rows])
    place = np.empty(n)
    place[np.lexsort((-crowding, front))] = np.arange(n)
    return place


def _crowding(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance between the neighbours on either side, in shares of the range, over objectives."""
    distance = np.zeros(len(costs))
    for values in costs.T:
        order = np.argsort(values, kind="stable")
        gaps = np.diff(values[order]) / max(np.ptp(values), 1e-300)
        distance[order[[0, -1]]] = np.inf
        distance[order[1:-1]] += gaps[:-1] + gaps[1:]
    return distance


def _best_trade_off(costs: NDArray[np.float64]) -> int:
    """Least sum of the costs, each less its least and over its range."""
    scaled = (costs - costs.min(axis=0)) / np.maximum(np.ptp(costs, axis=0), 1e-300)
    return int(np.argmin(scaled.sum(axis=1)))


def _score(labels: Labels, parts: Parts, measure: str) -> Callable[[_Folds], float]:
    """Mean of the measure over classes with positives and negatives, or over label pairs."""
    counted = labels
    chosen = np.ones(labels.n_classes, bool)
    if measure == "lpd":
        sets = label_sets(labels, 2, MAX_PAIRS, "method 'evosplit' with measure 'lpd'")
        counted, chosen = sets.labels, sets.order == 2
    chosen = chosen & (counted.class_sizes > 0) & (counted.class_sizes < labels.n_rows)
    formula = getattr(measures, "ld" if measure == "lpd" else measure)

    def score(folds: _Folds) -> float:
        counts = measures.class_part_counts(counted, folds, parts.n_parts)[chosen]
        sizes = np.bincount(folds, minlength=parts.n_parts)
        return float(formula(counts, parts.shares if measure == "dcp" else sizes).sum())

    return score


def _child(
    people: list[_Folds],
    standing: NDArray[np.float64],
    parts: Parts,
    most_exchanged: int,
    generator: np.random.Generator,
) -> _Folds:
    """Two parents mixed, with the wanted sizes, some rows exchanged."""
    drawn = generator.integers(len(people), size=(2, 2))
    mother, father = (people[a if standing[a] <= standing[b] else b] for a, b in drawn)
    order = generator.permutation(parts.n_rows)
    cut = generator.integers(1, parts.n_rows)
    child = mother.copy()
    child[order[cut:]] = father[order[cut:]]
    _mend_sizes(child, parts, generator)
    pairs = generator.integers(parts.n_rows, size=(generator.integers(1, most_exchanged + 2), 2))
    for a, b in pairs:
        child[a], child[b] = child[b], child[a]
    return child


def _mend_sizes(folds: _Folds, parts: Parts, generator: np.random.Generator) -> None:
    """Random rows of parts that are too large go to parts that lack rows."""
    sizes = np.bincount(folds, minlength=parts.n_parts)
    if ((parts.low <= sizes) & (sizes <= parts.high)).all():
        return
    surplus = sizes - parts.sizes(generator)
    gone = [
        generator.choice(np.flatnonzero(folds == j), surplus[j], replace=False)
        for j in np.flatnonzero(surplus > 0)
    ]
    rows = generator.permutation(np.concatenate(gone))
    folds[rows] = np.repeat(np.arange(parts.n_parts, dtype=np.int32), np.maximum(-surplus, 0))
