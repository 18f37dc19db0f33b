"""Charts of rankings: precision and recall, the value of a score, reliability."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from trueval.show._numbers import rounded
from trueval.show._vega._chart import Chart
from trueval.show._vega._parts import MAX_POINTS, axis, colour, make_chart, thin, tip

__all__ = ["precision_recall", "ranker_curve", "reliability"]


def precision_recall(
    curves: Mapping[str, tuple[Any, Any]], *, now: tuple[float, float] | None = None
) -> Chart:
    """Precision against recall, one line for each ranker."""
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
    return make_chart(said, rows, 340, layer=[line, point], encoding=encoding)


def ranker_curve(
    curves: Mapping[str, tuple[Any, Any]], *, members: Any = (), name: Any = None
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


def reliability(predicted: Any, observed: Any, counts: Any, *, name: Any = None) -> Chart:
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
