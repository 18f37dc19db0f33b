"""What similar rows in different parts amount to, and the lower bound of splits without any."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.core.similarity import Similarity, close_edges
from trueval.stratify import measures
from trueval.stratify._group_bound import mean_group_bound, part_limits
from trueval.stratify._parts import Parts

__all__ = ["QUANTILES", "Leakage", "crossing_share", "measure_leakage", "soft_cost"]

#: Of the rows, by their largest similarity to a row of another part.
QUANTILES = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True, eq=False)
class Leakage:
    """Similar rows of a split.

    Attributes
    ----------
    threshold : float or None
        Similarity from which an edge counts; None for all edges.
    n_edges, crossing_edges : int
        Edges that count between rows of the split, and those of them between two parts.
    crossing_share : float
        Share of the similarity of all edges that is between two parts.
    largest : dict of float to float
        Quantiles over rows of the largest similarity to a row of another part, by all edges;
        0 where no edge is known.
    n_components, largest_component : int
        Connected components of the rows of the split, and the rows of the largest.
    rld_bound : float
        Lower bound of the rLD, wanted sizes, of any split of these rows that keeps components
        whole and has no part farther above its wanted size than this split has, or than 5 %
        (:doc:`/guide/similarity`).
    """

    threshold: float | None
    n_edges: int
    crossing_edges: int
    crossing_share: float
    largest: dict[float, float]
    n_components: int
    largest_component: int
    rld_bound: float


def measure_leakage(
    labels: Labels,
    folds: NDArray[np.int32],
    parts: Parts,
    graph: Similarity,
    threshold: float | None,
) -> Leakage:
    """Measure a split of rows that all have a part."""
    close = close_edges(graph, threshold)
    crossing = _crossing(close, folds)
    component = close.components()
    sizes = np.bincount(component)
    row_counts = np.bincount(folds, minlength=parts.n_parts)
    return Leakage(
        threshold,
        close.n_edges,
        int(crossing.sum()) // 2,
        crossing_share(close, folds),
        _largest_elsewhere(graph, folds),
        len(sizes),
        int(sizes.max()),
        mean_group_bound(labels, component, parts.shares, part_limits(row_counts, parts.shares)),
    )


def crossing_share(graph: Similarity, folds: NDArray[np.int32]) -> float:
    """Share of the similarity of all edges that is between two parts."""
    weights = graph._weights.data
    total = float(weights.sum())
    return float(weights[_crossing(graph, folds)].sum()) / total if total else 0.0


def soft_cost(
    labels: Labels,
    folds: NDArray[np.int32],
    parts: Parts,
    graph: Similarity,
    cut_weight: float,
) -> float:
    """What the soft mode lowers: mean rLD plus the weighted share of similarity between parts."""
    counts = measures.class_part_counts(labels, folds, parts.n_parts)
    sizes = labels.class_sizes
    rld = measures.rld_wanted(counts, parts.shares)[(sizes > 0) & (sizes < labels.n_rows)]
    return float(rld.mean() if len(rld) else 0.0) + cut_weight * crossing_share(graph, folds)


def _crossing(graph: Similarity, folds: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which entries of the matrix are between two parts."""
    left = np.repeat(folds, np.diff(graph.matrix.indptr))
    crossing: NDArray[np.bool_] = left != folds[graph.matrix.indices]
    return crossing


def _largest_elsewhere(graph: Similarity, folds: NDArray[np.int32]) -> dict[float, float]:
    values = np.where(_crossing(graph, folds), graph.matrix.data, 0.0)
    largest = np.zeros(graph.n_rows)
    has = np.diff(graph.matrix.indptr) > 0
    if has.any():
        largest[has] = np.maximum.reduceat(values, graph.matrix.indptr[:-1][has])
    return {q: float(np.quantile(largest, q, method="higher")) for q in QUANTILES}
