"""Stratified sampling (SS, Merrillees and Du 2021) for very many labels.

A train/test method: start at random, score each label by how far its test share
is from the target, each row by the sum over its labels, and let rows with high
scores change sides with a probability that decays over the epochs. k parts come
by recursion, as in Section 5.2 of the OptiSplit paper: part 0 is split off all
rows, part 1 off the rest, and so on. Sizes follow from the labels and are not
controlled; the recursion stops short of emptying the rest, which is where the
published program divided by zero.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.labels import Labels
from trueval.core.params import Interval, constrained
from trueval.core.random import as_generator
from trueval.stratify._inputs import FOLDS, INPUTS, reads_inputs
from trueval.stratify._parts import Parts

__all__ = ["sampling_folds"]

_MOST_LOG = 700  # exp of it is a float


@reads_inputs
@constrained(
    swap_probability=Interval(float, 0, 1),
    threshold_proportion=Interval(float, 0, 1),
    decay=Interval(float, 0),
    epochs=Interval(int, 0),
)
@shared_sections(inputs=INPUTS, returns=FOLDS)
def sampling_folds(
    labels: Labels,
    parts: Parts,
    *,
    random_state: object = None,
    swap_probability: float = 0.1,
    threshold_proportion: float = 0.1,
    decay: float = 0.1,
    epochs: int = 50,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.int32]:
    """Fold by stratified sampling.

    {inputs}
    swap_probability : float, default=0.1
        Chance that a row above the threshold changes sides in the first epoch.
    threshold_proportion : float, default=0.1
        Share of rows above the threshold in the first epoch.
    decay : float, default=0.1
        Both fall by the factor 1 / (1 + decay) from epoch to epoch.
    epochs : int, default=50
    progress : callable, optional
        Called as ``progress(done, total)`` after each part.

    {returns}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.sampling import sampling_folds
    >>> labels = np.repeat([[1, 0], [0, 1]], 50, axis=0)
    >>> folds = sampling_folds(labels, 4, random_state=0)
    >>> sorted(set(folds.tolist()))
    [0, 1, 2, 3]
    """
    generator = as_generator(random_state)
    folds = np.full(labels.n_rows, parts.n_parts - 1, dtype=np.int32)
    rest = np.arange(labels.n_rows)
    for part in range(parts.n_parts - 1):
        share = parts.shares[part] / parts.shares[part:].sum()
        in_test = _split_off(
            labels.matrix[rest],
            share,
            generator,
            swap_probability,
            threshold_proportion,
            decay,
            epochs,
        )
        # Every later part keeps at least one row.
        most = len(rest) - (parts.n_parts - 1 - part)
        in_test = _between(in_test, 1, most, generator)
        folds[rest[in_test]] = part
        rest = rest[~in_test]
        if progress is not None:
            progress(part + 1, parts.n_parts - 1)
    return folds


def _split_off(
    matrix: Any,
    share: float,
    generator: np.random.Generator,
    swap_probability: float,
    threshold_proportion: float,
    decay: float,
    epochs: int,
) -> NDArray[np.bool_]:
    """Test mask of one train/test split; O(epochs · positives)."""
    n_rows = matrix.shape[0]
    sizes = np.asarray(matrix.sum(axis=0)).ravel()
    mean_labels = sizes.sum() / n_rows
    in_test = generator.random(n_rows) < share
    for epoch in range(epochs):
        row_score = _row_scores(matrix, sizes, in_test, share, mean_labels)
        # Rows of badly placed labels change sides eagerly …
        far = row_score >= max(mean_labels, 1e-12)
        swap = far & (generator.random(n_rows) < 0.25 / 1.05**epoch)
        # … of the others, only those in the top proportion, and rarely.
        fade = (1 + decay) ** epoch if epoch * math.log1p(decay) < _MOST_LOG else math.inf
        others = row_score[~far]
        if len(others):
            level = max(0.0, float(np.quantile(others, 1 - threshold_proportion / fade)))
            top = ~far & (row_score > level)
            swap |= top & (generator.random(n_rows) < swap_probability / fade)
        in_test ^= swap
    return in_test


def _row_scores(
    matrix: Any,
    sizes: NDArray[np.int64],
    in_test: NDArray[np.bool_],
    share: float,
    mean_labels: float,
) -> NDArray[np.float64]:
    """How much each row's labels want it on the other side."""
    tested = in_test.astype(np.float64) @ matrix
    with np.errstate(divide="ignore", invalid="ignore"):
        test_share = np.where(sizes > 0, tested / np.maximum(sizes, 1), share)
    excess = test_share - share
    score = np.where(excess >= 0, excess / (1 - share), excess / share)
    score += np.where(test_share > 0.999, mean_labels, 0.0)
    score -= np.where(test_share < 0.001, mean_labels, 0.0)
    score[sizes <= 1] = 0.0  # a single member is on one side whatever we do
    row_score = matrix @ score
    return np.where(in_test, row_score, -row_score)


def _between(
    mask: NDArray[np.bool_], least: int, most: int, generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Flip random entries until the number of true ones is within bounds."""
    count = int(mask.sum())
    if count < least or count > most:
        from_true = count > most
        pool = generator.permutation(np.flatnonzero(mask == from_true))
        mask[pool[: count - most if from_true else least - count]] = not from_true
    return mask
