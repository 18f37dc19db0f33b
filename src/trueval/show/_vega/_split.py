"""Charts of a split: part sizes, measures by method, class by class."""

import json
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from trueval.show._numbers import rounded
from trueval.show._vega._chart import Chart, Spec
from trueval.show._vega._parts import (
    axis,
    colour,
    limit,
    make_chart,
    names_axis,
    tip,
)

__all__ = ["class_scatter", "fold_sizes", "method_measures"]


def fold_sizes(sizes: ArrayLike, wanted: ArrayLike | None = None) -> Chart:
    """Rows of each part as bars, with the wanted size as a line across each."""
    rows: list[Spec] = [
        {"part": str(i + 1), "rows": int(n)} for i, n in enumerate(np.asarray(sizes))
    ]
    if wanted is not None:
        for row, target in zip(rows, np.asarray(wanted).tolist(), strict=True):
            row["wanted"] = target
    names = [row["part"] for row in rows]
    x: Spec = {"field": "part", "type": "nominal", "sort": names, "title": "part"}
    x["axis"] = {"labelAngle": 0, "labelOverlap": True}
    tallest = max(float(row[key]) for row in rows for key in ("rows", "wanted") if key in row)
    room = {"domainMax": 1.08 * max(tallest, 1.0)}
    tips = [tip("part", "part"), tip("rows", "rows", ",d")]
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "cornerRadiusEnd": 2, "width": {"band": 0.7}},
            "encoding": {"y": axis("rows", "rows", scale=room, format="~s"), "tooltip": tips},
        }
    ]
    if wanted is not None:
        tips.append(tip("wanted", "wanted", ",.1f"))
        layers.append(
            {
                "mark": {"type": "tick", "thickness": 2, "width": {"band": 0.9}},
                "encoding": {"y": {"field": "wanted", "type": "quantitative"}},
            }
        )
    return make_chart("Rows of each part", rows, 150, layer=layers, encoding={"x": x})


def class_scatter(
    sizes: ArrayLike,
    scores: Mapping[str, ArrayLike],
    *,
    names: ArrayLike | None = None,
    measure: str = "rLD",
    bound: ArrayLike | None = None,
) -> Chart:
    """Class size against a per-class score, one colour for each method."""
    sizes = np.asarray(sizes)
    titles = np.arange(len(sizes)) if names is None else np.asarray(names)
    limit(len(sizes) * len(scores), "class_scatter")
    first = next(iter(scores), None)
    # What is drawn last lies on top: the first split is the one looked at.
    rows = [
        {"c": str(titles[i]), "n": int(sizes[i]), "v": rounded(v), "m": method}
        for method, values in sorted(scores.items(), key=lambda item: item[0] == first)
        for i, v in enumerate(np.asarray(values, dtype=float))
        if sizes[i] > 0
    ]
    tips = [tip("c", "class"), tip("m", "split"), tip("n", "positives", ",d")]
    points = {
        "mark": {"type": "point", "filled": True, "size": 30},
        "params": [
            {"name": "method", "select": {"type": "point", "fields": ["m"]}, "bind": "legend"}
        ],
        "encoding": {
            "x": axis(
                "n", "positives of the class", scale={"type": "log"}, grid=False, format="~s"
            ),
            "y": axis("v", measure),
            "color": colour("m", list(scores)),
            "shape": {"field": "m", "type": "nominal", "sort": list(scores), "title": None},
            "opacity": {
                "condition": {"param": "method", "value": 0.7, "empty": True},
                "value": 0.04,
            },
            "tooltip": [*tips, tip("v", measure, ".4g")],
        },
    }
    layers = [points]
    if bound is not None:
        least = dict(zip(sizes.tolist(), np.asarray(bound, dtype=float).tolist(), strict=True))
        marks = [{"n": n, "v": rounded(v)} for n, v in sorted(least.items()) if n > 0]
        layers.append(
            {
                "data": {"values": marks},
                "mark": {"type": "tick", "orient": "horizontal", "size": 11, "thickness": 2},
                "encoding": {
                    "x": {"field": "n", "type": "quantitative"},
                    "y": {"field": "v", "type": "quantitative"},
                    "tooltip": [tip("n", "positives", ",d"), tip("v", "lower bound", ".4g")],
                },
            }
        )
    return make_chart(
        f"Size of each class against its {measure}, by split", rows, 340, layer=layers
    )


def method_measures(values: Mapping[str, float], bound: float | None = None) -> Chart:
    """One measure of several methods as bars, with the lower bound."""
    rows = [{"method": name, "value": value} for name, value in values.items()]
    encoding = {"y": names_axis("method", list(values))}
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "cornerRadiusEnd": 2, "height": {"band": 0.6}},
            "encoding": {
                "x": axis("value", None, tickCount=4),
                "opacity": {
                    "condition": {
                        "test": f"datum.method === {json.dumps(next(iter(values)))}",
                        "value": 1,
                    },
                    "value": 0.45,
                },
                "tooltip": [tip("method", "split"), tip("value", "value", ".5g")],
            },
        }
    ]
    if bound is not None:
        layers.append(
            {
                "mark": {"type": "rule", "strokeWidth": 2, "strokeDash": [4, 3]},
                "encoding": {"x": {"datum": bound}, "y": {"value": 0}, "y2": {"value": "height"}},
            }
        )
    return make_chart(
        "A measure by method", rows, 26 * len(values), layer=layers, encoding=encoding
    )
