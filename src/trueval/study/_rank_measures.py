"""What the studies of rankers share: the rankers, and the best threshold of some data."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from trueval.data.simulate import simulation_two
from trueval.rank import (
    FDRRanker,
    LocalPrecisionRate,
    LocalTrueDiscoveryRate,
    PrecisionRanker,
    PValueRanker,
    pooled_precision_recall_curve,
)
from trueval.study._cells import stream

__all__ = ["OURS", "RANKERS", "best_threshold", "runs_of_two"]

RANKERS: dict[str, Callable[[], Any]] = {
    "LPR": lambda: LocalPrecisionRate("loo-precision", mapping="step"),
    "ltdr": LocalTrueDiscoveryRate,
    "p-value": PValueRanker,
    "FDR": FDRRanker,
    "LPR ours": LocalPrecisionRate,
    "ours": PrecisionRanker,
}
"""The paper's rankers, LPR by its literal rule; then ours: LPR as the package has it (bandwidth by
labels left out, interpolated), and the default."""

OURS = ("LPR ours", "ours")


def runs_of_two(
    seed: int, study: str, M: int, pi1: float, pi2: float, first: int, n: int
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Scores and labels of runs of Simulation II, and those of new data; both have positives."""
    for run in range(first, first + n):
        random = stream(seed, study, M, pi1, pi2, run)
        scores, y = simulation_two(M, pi1, pi2, random_state=random)
        new, new_y = simulation_two(M, pi1, pi2, random_state=random)
        if y.nnz and new_y.nnz:
            yield scores, y, new, new_y


def best_threshold(values: Any, y: Any, beta: float = 1.0) -> tuple[float, float]:
    """Threshold of the best pooled F on some data, midway to the next value, and that F.

    >>> import numpy as np
    >>> from trueval.study._rank_measures import best_threshold
    >>> best_threshold(np.array([[0.9], [0.5], [0.1]]), np.array([[1], [1], [0]]))
    (0.3, 1.0)
    """
    curve = pooled_precision_recall_curve(values, y)
    precision, recall = curve.precision[:-1], curve.recall[:-1]
    weighted = beta**2 * precision + recall
    f = (1 + beta**2) * precision * recall / np.where(weighted > 0, weighted, 1.0)
    at = int(np.argmax(f))
    if at == 0:
        return -np.inf, float(f[0])
    return float(curve.thresholds[at - 1 : at + 1].mean()), float(f[at])
