"""Charts of rankings: precision and recall, the value of a score, reliability."""

import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trueval.show._numbers import rounded
from trueval.show._vega._chart import Chart, Spec
from trueval.show._vega._parts import (
    MAX_POINTS,
    axis,
    colour,
    make_chart,
    names_axis,
    thin,
    tip,
)

__all__ = [
    "class_precision_recall",
    "fold_strip",
    "precision_recall",
    "ranker_curve",
    "reliability",
]

Numbers = Sequence[float] | NDArray[np.float64]


def precision_recall(
    curves: Mapping[str, tuple[Numbers, Numbers]],
    *,
    now: tuple[float, float] | None = None,
    band: tuple[Numbers, ...] | None = None,
) -> Chart:
    """Precision against recall, one line for each ranker; a band of the first one.

    The band is (recall, low, high).
    """
    rows = []
    for name, (precision, recall) in curves.items():
        order = thin(np.asarray(recall, dtype=float), MAX_POINTS // max(len(curves), 1))
        rows += [
            {
                "ranker": name,
                "i": i,
                "recall": rounded(recall[j]),
                "precision": rounded(precision[j]),
            }
            for i, j in enumerate(order)
        ]
    line = {
        "mark": {"type": "line", "interpolate": "linear", "strokeWidth": 2},
        "encoding": {
            "color": colour("ranker", list(curves)),
            "order": {"field": "i", "type": "quantitative"},
            "strokeWidth": {
                "condition": {
                    "test": f"datum.ranker === {json.dumps(next(iter(curves), ''))}",
                    "value": 3,
                },
                "value": 1.5,
            },
        },
    }
    point = {
        "data": {
            "name": "now",
            "values": [{"precision": now[0], "recall": now[1]}] if now else [],
        },
        "mark": {"type": "point", "filled": True, "size": 130, "strokeWidth": 2},
        "encoding": {
            "tooltip": [tip("precision", "precision", ".3f"), tip("recall", "recall", ".3f")]
        },
    }
    encoding = {
        "x": axis("recall", "recall", scale={"domain": [0, 1]}),
        "y": axis("precision", "precision", scale={"domain": [0, 1]}),
    }
    said = "Pooled precision against recall by ranker"
    layers = [line, point] if band is None else [_band(*band), line, point]
    return make_chart(said, rows, 340, layer=layers, encoding=encoding)


def _band(recall: Numbers, low: Numbers, high: Numbers) -> Spec:
    """The area between two precisions at each recall."""
    values = [{"recall": r, "low": a, "high": b} for r, a, b in zip(recall, low, high, strict=True)]
    return {
        "data": {"name": "band", "values": values},
        "mark": {"type": "area", "opacity": 0.18, "interpolate": "linear"},
        "encoding": {
            "x": {"field": "recall", "type": "quantitative"},
            "y": {"field": "low", "type": "quantitative", "title": "precision"},
            "y2": {"field": "high"},
        },
    }


def class_precision_recall() -> Chart:
    """Precision at each recall of one class with its band; the page fills it."""
    line = {
        "mark": {"type": "line", "strokeWidth": 2, "interpolate": "linear"},
        "encoding": {
            "tooltip": [
                tip("recall", "recall", ".3f"),
                tip("precision", "precision", ".3f"),
                tip("low", "interval from", ".3f"),
                tip("high", "to", ".3f"),
            ],
            "y": axis("precision", "precision", scale={"domain": [0, 1]}),
        },
    }
    encoding = {"x": axis("recall", "recall", scale={"domain": [0, 1]})}
    said = "Precision against recall of one class"
    return make_chart(said, [], 260, layer=[_band([], [], []), line], encoding=encoding)


def fold_strip(measures: Mapping[str, tuple[Numbers, Numbers]]) -> Chart:
    """Values of each measure in each fold: (folds, values) by name, and their mean."""
    rows = [
        {"measure": name, "fold": int(fold), "value": rounded(value)}
        for name, (folds, values) in measures.items()
        for fold, value in zip(folds, values, strict=True)
        if value is not None
    ]
    mean = {"aggregate": "mean", "field": "value", "type": "quantitative"}
    layers = [
        {
            "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.5},
            "encoding": {
                "x": {"aggregate": "min", "field": "value", "type": "quantitative"},
                "x2": {"aggregate": "max", "field": "value"},
            },
        },
        {
            "mark": {"type": "tick", "orient": "vertical", "size": 22, "thickness": 2},
            "encoding": {"x": mean, "tooltip": [{**mean, "title": "mean", "format": ".3f"}]},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 0.7},
            "encoding": {
                "x": axis("value", "value in a fold", scale={"zero": False}, tickCount=8),
                "tooltip": [
                    tip("measure", "measure"),
                    tip("fold", "fold", "d"),
                    tip("value", "value", ".3f"),
                ],
            },
        },
    ]
    encoding = {"y": names_axis("measure", list(measures))}
    said = "Measures of each fold; the long tick is the mean"
    return make_chart(said, rows, 42 * len(measures), layer=layers, encoding=encoding)


def ranker_curve(
    curves: Mapping[str, tuple[Numbers, Numbers]], *, members: Numbers = (), name: str | None = None
) -> Chart:
    """What a score of one class is worth, with the members' scores as ticks."""
    rows = [
        {"ranker": ranker, "score": rounded(score), "value": rounded(value)}
        for ranker, (scores, values) in curves.items()
        for score, value in zip(np.asarray(scores), np.asarray(values), strict=True)
    ]
    ticks = [{"member": rounded(score)} for score in np.asarray(members, dtype=float)]
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "x": axis("score", "score of the model", scale={"zero": False}),
                "y": axis("value", "calibrated score", scale={"domain": [0, 1]}),
                "color": colour("ranker", list(curves)),
            },
        },
        {
            "data": {"values": ticks},
            "mark": {"type": "tick", "orient": "vertical", "size": 12, "opacity": 0.7},
            "encoding": {
                "x": {"field": "member", "type": "quantitative"},
                "y": {"datum": 0},
                "tooltip": [tip("member", "score of a positive", ".4g")],
            },
        },
    ]
    said = (
        "Calibrated score of a score"
        if name is None
        else f"Calibrated score of a score of class {name}"
    )
    return make_chart(said, rows, 260, layer=layers)


def reliability(
    predicted: Numbers, observed: Numbers, counts: Numbers, *, name: str | None = None
) -> Chart:
    """Share of members against the mean value, group by group; the diagonal is honest."""
    rows = [
        {"value": rounded(p), "share": rounded(o), "n": int(n)}
        for p, o, n in zip(predicted, observed, counts, strict=True)
    ]
    layers = [
        {
            "data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
            "mark": {"type": "line", "strokeDash": [4, 3], "strokeWidth": 1, "opacity": 0.6},
            "encoding": {
                "x": axis("x", "calibrated score", scale={"domain": [0, 1]}),
                "y": axis("y", "share of positives", scale={"domain": [0, 1]}),
            },
        },
        {
            "mark": {"type": "line", "point": {"filled": True, "size": 50}, "strokeWidth": 1.5},
            "encoding": {
                "x": {"field": "value", "type": "quantitative"},
                "y": {"field": "share", "type": "quantitative"},
                "tooltip": [
                    tip("value", "mean calibrated score", ".3f"),
                    tip("share", "positives", ".1%"),
                    tip("n", "pairs", ",d"),
                ],
            },
        },
    ]
    said = "Reliability" if name is None else f"Reliability of class {name}"
    return make_chart(said, rows, 260, layer=layers)
