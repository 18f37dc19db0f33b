"""What the page shows of single classes: curves, scores of positives, reliability."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.rank._base import Ranker
from trueval.rank._reliability import reliability_bins
from trueval.report._section import Data
from trueval.show._numbers import rounded
from trueval.show._vega._parts import thin

__all__ = ["per_class", "reliability"]

MAX_CURVES = 600  # curves of one class by one ranker
MAX_SINGLE = 300  # classes that can be looked at alone
MAX_TICKS = 60  # scores of positives of one class
CURVE_POINTS = 30

Float = NDArray[np.float64]


def reliability(values: Float, member: NDArray[np.bool_]) -> Data | None:
    """The bins of :class:`~trueval.displays.ReliabilityDisplay`; None of no probabilities."""
    if len(values) == 0 or values.min() < 0 or values.max() > 1:
        return None
    predicted, observed, n = reliability_bins(values, member).T
    return {
        "predicted": rounded(predicted),
        "observed": rounded(observed),
        "n": n.astype(np.int64),
    }


def per_class(
    curves: Mapping[str, Ranker], values: Scores, raw: Scores | None, labels: Labels
) -> Data:
    """Curves, scores of positives and reliability of as many classes as the page holds."""
    chosen = _chosen(labels.class_sizes, min(MAX_SINGLE, MAX_CURVES // max(len(curves), 1)))
    members = labels.by_class
    lines = []
    for k in chosen.tolist():
        mine = members.indices[members.indptr[k] : members.indptr[k + 1]]
        column, rows = values.column(k)
        rows = np.arange(values.n_rows) if rows is None else rows
        lines.append(
            {
                "class": k,
                "curves": {name: _curve(ranker, k) for name, ranker in curves.items()},
                "members": [] if raw is None else _member_scores(raw, k, mine),
                "reliability": reliability(column, np.isin(rows, mine)),
            }
        )
    return {"total": labels.n_classes, "lines": lines, "rankers": [str(name) for name in curves]}


def _chosen(sizes: NDArray[np.int64], cap: int) -> NDArray[np.intp]:
    """Classes shown one by one: all with positives, or the largest and a sample of the rest."""
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    if len(order) <= cap:
        return np.sort(order)
    rest = order[cap // 2 :]
    even = rest[np.linspace(0, len(rest) - 1, cap - cap // 2).astype(np.int64)]
    return np.unique(np.concatenate([order[: cap // 2], even]))


def _curve(ranker: Ranker, k: int) -> list[list[float]]:
    curve = ranker.curves_[k]
    score, value = curve.score, curve.value
    if len(score) == 0:
        return [[], [float(curve.rate)]]
    # Even steps along the line, sideways and upwards: jumps keep both of their ends.
    along = _share(score - score[0]) + _share(np.cumsum(np.abs(np.diff(value, prepend=value[0]))))
    drawn = thin(along, CURVE_POINTS)
    return [rounded(score[drawn]), rounded(value[drawn])]


def _share(x: Float) -> Float:
    return x / x[-1] if x[-1] > 0 else x


def _member_scores(raw: Scores, k: int, mine: NDArray[np.bool_]) -> list[float]:
    column, rows = raw.column(k)
    scores = np.sort(column[mine] if rows is None else column[np.isin(rows, mine)])
    few = scores[thin(np.arange(len(scores)), MAX_TICKS)]
    return list(rounded(few))
