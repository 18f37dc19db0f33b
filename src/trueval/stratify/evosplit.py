"""EvoSplit (Florez-Revuelta 2021): a genetic algorithm, its single-objective form.

An individual is the part number of every row, always with the wanted sizes. Children mix two
parents, each the better of two drawn at random, at one point of a random order of the rows; rows of
parts that became too large go, at random, to parts that lack rows; then a few random pairs of
rows change places. The best of parents and children survive, and the search ends after a number
of generations, or when the best has not improved for some.

The author's program was not published. The details of the operators are ours, and so are the
sizes of population and generations and the number of exchanges: up to 2 % of the rows, fewer from
generation to generation. Of the two published forms this is the one with a single objective; the
other looks for trade-offs between LD and LPD.
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
    measure=Choice(("ld", "lpd", "rld", "dcp")),
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
    measure : {"ld", "lpd", "rld", "dcp"}, default="ld"
        What to lower: LD or the label pair distribution, as published; or rLD, or DCP.
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
    score = _score(labels, parts, measure)
    people = [random_folds(labels, parts, random_state=generator) for _ in range(population)]
    costs = np.array([score(folds) for folds in people])
    idle = 0
    for generation in range(generations):
        if idle >= patience:
            break
        exchanged = _MOST_EXCHANGED * labels.n_rows * (1 - generation / generations) ** 2
        for _ in range(population):
            child = _child(people[:population], costs, parts, int(exchanged), generator)
            people.append(child)
        costs = np.concatenate([costs, [score(folds) for folds in people[population:]]])
        best = np.argsort(costs, kind="stable")[:population]
        idle = 0 if best[0] != 0 else idle + 1
        people, costs = [people[i] for i in best], costs[best]
        if progress is not None:
            progress(generation + 1, generations)
    if progress is not None:
        progress(max(generations, 1), max(generations, 1))
    return people[int(np.argmin(costs))]


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
    costs: NDArray[np.float64],
    parts: Parts,
    most_exchanged: int,
    generator: np.random.Generator,
) -> _Folds:
    """Two parents mixed, with the wanted sizes, some rows exchanged."""
    drawn = generator.integers(len(people), size=(2, 2))
    mother, father = (people[a if costs[a] <= costs[b] else b] for a, b in drawn)
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
