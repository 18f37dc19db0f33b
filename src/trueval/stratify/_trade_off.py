"""``leakage_trade_off``: balance of classes against similarity between parts."""

from collections.abc import Sequence
from typing import Any

from trueval.core.labels import as_labels
from trueval.core.params import RANDOM_STATE, Many, constrained
from trueval.core.similarity import THRESHOLD, as_similarity
from trueval.core.table import Table
from trueval.stratify._folds import stratified_folds
from trueval.stratify._inputs import WEIGHT
from trueval.stratify._parts import PARTS
from trueval.stratify._quality import split_quality

__all__ = ["leakage_trade_off"]


@constrained(
    parts=PARTS,
    threshold=THRESHOLD,
    cut_weights=Many(WEIGHT, "a list of numbers from 0 to 1e+30"),
    random_state=RANDOM_STATE,
)
def leakage_trade_off(
    y: Any,
    parts: Any = 5,
    *,
    similarity: Any,
    threshold: float | None = None,
    cut_weights: Sequence[float] = (0.0, 0.01, 0.1, 1.0, 10.0),
    random_state: Any = None,
    **options: Any,
) -> Table:
    """Measure splits that weigh the similarity between parts more and more.

    Parameters
    ----------
    y : array, sparse matrix, DataFrame or sequence of label sets
        Labels, in any form :func:`trueval.as_labels` takes.
    parts : int or sequence of numbers, default=5
    similarity : Similarity, sparse matrix or list of edges
    threshold : float, optional
        Least similarity of an edge that counts.
    cut_weights : sequence of float, default=(0, 0.01, 0.1, 1, 10)
        One split for each; see ``cut_weight`` of :func:`~trueval.stratify.stratified_folds`.
    random_state : None, int, Generator or RandomState
    **options
        Further options of :func:`~trueval.stratify.stratified_folds`.

    Returns
    -------
    Table
        ``cut_weight``, ``rld``, ``crossing_share``, ``crossing_edges`` and ``largest`` (the
        largest similarity of two rows in different parts).

    Examples
    --------
    >>> from trueval.data import simulate
    >>> from trueval.stratify import leakage_trade_off
    >>> y = simulate.label_matrix(300, 10, random_state=0)
    >>> edges = [(row, row + 1, 0.5) for row in range(299)]
    >>> curve = leakage_trade_off(y, 3, similarity=edges, cut_weights=(0, 10), random_state=0)
    >>> bool(curve["crossing_edges"][1] < curve["crossing_edges"][0])
    True
    """
    labels = as_labels(y)
    graph = as_similarity(similarity, labels.n_rows, labels.index)
    rows = []
    for weight in cut_weights:
        folds = stratified_folds(
            labels,
            parts,
            similarity=graph,
            threshold=threshold,
            cut_weight=float(weight),
            random_state=random_state,
            **options,
        )
        quality = split_quality(labels, folds, parts=parts, similarity=graph, threshold=threshold)
        leakage = quality.leakage
        assert leakage is not None
        rows.append(
            (
                float(weight),
                quality.rld_wanted,
                leakage.crossing_share,
                leakage.crossing_edges,
                leakage.largest[1.0],
            )
        )
    names = ("cut_weight", "rld", "crossing_share", "crossing_edges", "largest")
    return Table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
