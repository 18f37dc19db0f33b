"""Charts of rankings: precision and recall, the value of a score, reliability."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from trueval.charts.chart import Chart
from trueval.charts.parts import MAX_POINTS, axis, colour, make_chart, short, thin, tip

__all__ = ["precision_recall", "ranker_curve", "reliability"]


def precision_recall(
    curves: Mapping[str, tuple[Any, Any]], *, now: tuple[float, float] | None = None
) -> Chart:
    """Precision against recall, one line for each ranker.

    Parameters
    ----------
    curves : mapping of name to (precision, recall)
    now : (precision, recall), optional
        A point to mark; the report moves it.

    Returns
    -------
    Chart
    """
    rows = []
    for name, (precision, recall) in curves.items():
        order = thin(np.asarray(recall, dtype=float), MAX_POINTS // max(len(curves), 1))
        rows += [
            {"ranker": name, "i": i, "recall": short(recall[j]), "precision": short(precision[j])}
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
    """What a score of one class is worth, with the members' scores as ticks.

    Parameters
    ----------
    curves : mapping of ranker name to (score, value)
    members : array of float, optional
        Scores of the class's members.
    name : str, optional
        The class.

    Returns
    -------
    Chart
    """
    rows = [
        {"ranker": ranker, "score": short(score), "value": short(value)}
        for ranker, (scores, values) in curves.items()
        for score, value in zip(np.asarray(scores), np.asarray(values), strict=True)
    ]
    ticks = [{"member": short(score)} for score in np.asarray(members, dtype=float)]
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "x": axis("score", "score of the model", scale={"zero": False}),
                "y": axis("value", "value of the score", scale={"domain": [0, 1]}),
                "color": colour("ranker", list(curves)),
            },
        },
        {
            "data": {"values": ticks},
            "mark": {"type": "tick", "orient": "vertical", "size": 12, "opacity": 0.7},
            "encoding": {
                "x": {"field": "member", "type": "quantitative"},
                "y": {"datum": 0},
                "tooltip": [tip("member", "score of a member", ".4g")],
            },
        },
    ]
    said = "Value of a score" if name is None else f"Value of a score of class {name}"
    return make_chart(said, rows, 260, layer=layers)


def reliability(predicted: Any, observed: Any, counts: Any, *, name: Any = None) -> Chart:
    """Share of members against the mean value, group by group; the diagonal is honest.

    Parameters
    ----------
    predicted, observed : array of float
        Mean value and share of members of each group of pairs.
    counts : array of int
        Pairs in each group.
    name : str, optional
        The class.

    Returns
    -------
    Chart
    """
    rows = [
        {"value": short(p), "share": short(o), "n": int(n)}
        for p, o, n in zip(predicted, observed, counts, strict=True)
    ]
    layers = [
        {
            "data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
            "mark": {"type": "line", "strokeDash": [4, 3], "strokeWidth": 1, "opacity": 0.6},
            "encoding": {
                "x": axis("x", "value", scale={"domain": [0, 1]}),
                "y": axis("y", "share that are members", scale={"domain": [0, 1]}),
            },
        },
        {
            "mark": {"type": "line", "point": {"filled": True, "size": 50}, "strokeWidth": 1.5},
            "encoding": {
                "x": {"field": "value", "type": "quantitative"},
                "y": {"field": "share", "type": "quantitative"},
                "tooltip": [
                    tip("value", "mean value", ".3f"),
                    tip("share", "members", ".1%"),
                    tip("n", "pairs", ",d"),
                ],
            },
        },
    ]
    said = "Reliability" if name is None else f"Reliability of class {name}"
    return make_chart(said, rows, 260, layer=layers)
