"""Charts of folds, pairs and rankings: builders from plain arrays to a :class:`Chart`.

Charts are Vega-Lite specs, plain dicts that any notebook or browser can draw. No plotting
library is needed, and no network: a page made by :meth:`Chart.to_html` brings Vega along.
Colours come from the page's theme, light or dark, not from the spec.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from trueval.chart import Chart
from trueval.errors import InputError

__all__ = [
    "Chart",
    "auc_by_scheme",
    "class_scatter",
    "deviation_by_folds",
    "fold_sizes",
    "method_measures",
    "pair_blocks",
    "precision_recall",
    "ranker_curve",
    "reliability",
]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
MAX_POINTS = 3000  # of one chart; more make a page slow and show nothing new


def fold_sizes(sizes: Any, wanted: Any = None) -> Chart:
    """Rows of each part as bars, with what was wanted as a line across each.

    Parameters
    ----------
    sizes : array of int
    wanted : array of float, optional

    Returns
    -------
    Chart
    """
    rows: list[dict[str, Any]] = [
        {"part": str(i + 1), "rows": int(n)} for i, n in enumerate(np.asarray(sizes))
    ]
    if wanted is not None:
        for row, target in zip(rows, np.asarray(wanted).tolist(), strict=True):
            row["wanted"] = target
    names = [row["part"] for row in rows]
    x: dict[str, Any] = {"field": "part", "type": "nominal", "sort": names, "title": "part"}
    x["axis"] = {"labelAngle": 0, "labelOverlap": True}
    tallest = max(float(row[key]) for row in rows for key in ("rows", "wanted") if key in row)
    room = {"domainMax": 1.08 * max(tallest, 1.0)}
    tips = [_tip("part", "part"), _tip("rows", "rows", ",d")]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar", "cornerRadiusEnd": 2, "width": {"band": 0.7}},
            "encoding": {"y": _axis("rows", "rows", scale=room, format="~s"), "tooltip": tips},
        }
    ]
    if wanted is not None:
        tips.append(_tip("wanted", "wanted", ",.1f"))
        layers.append(
            {
                "mark": {"type": "tick", "thickness": 2, "width": {"band": 0.9}},
                "encoding": {"y": {"field": "wanted", "type": "quantitative"}},
            }
        )
    return _chart("Rows of each part", rows, 150, layer=layers, encoding={"x": x})


def class_scatter(
    sizes: Any,
    scores: Mapping[str, Any],
    *,
    names: Any = None,
    measure: str = "rLD",
    bound: Any = None,
) -> Chart:
    """Class size against a per-class score, one colour for each method.

    Parameters
    ----------
    sizes : array of int of shape (n_classes,)
    scores : mapping of method name to array of shape (n_classes,)
    names : array of str, optional
        Names of the classes, for the tooltip.
    measure : str, default="rLD"
        What the scores are.
    bound : array of shape (n_classes,), optional
        The least that the score of each class can be.

    Returns
    -------
    Chart
    """
    sizes = np.asarray(sizes)
    names = np.arange(len(sizes)) if names is None else np.asarray(names)
    _limit(len(sizes) * len(scores), "class_scatter")
    own = next(iter(scores), None)
    # What is drawn last lies on top: the first split is the one looked at.
    rows = [
        {"c": str(names[i]), "n": int(sizes[i]), "v": _short(v), "m": method}
        for method, values in sorted(scores.items(), key=lambda item: item[0] == own)
        for i, v in enumerate(np.asarray(values, dtype=float))
        if sizes[i] > 0
    ]
    tips = [_tip("c", "class"), _tip("m", "split"), _tip("n", "members", ",d")]
    points = {
        "mark": {"type": "point", "filled": True, "size": 30},
        "params": [
            {"name": "method", "select": {"type": "point", "fields": ["m"]}, "bind": "legend"}
        ],
        "encoding": {
            "x": _axis("n", "members of the class", scale={"type": "log"}, grid=False, format="~s"),
            "y": _axis("v", measure),
            "color": _colour("m", list(scores)),
            "shape": {"field": "m", "type": "nominal", "sort": list(scores), "title": None},
            "opacity": {
                "condition": {"param": "method", "value": 0.7, "empty": True},
                "value": 0.04,
            },
            "tooltip": [*tips, _tip("v", measure, ".4g")],
        },
    }
    layers = [points]
    if bound is not None:
        least = dict(zip(sizes.tolist(), np.asarray(bound, dtype=float).tolist(), strict=True))
        marks = [{"n": n, "v": _short(v)} for n, v in sorted(least.items()) if n > 0]
        layers.append(
            {
                "data": {"values": marks},
                "mark": {"type": "tick", "orient": "horizontal", "size": 11, "thickness": 2},
                "encoding": {
                    "x": {"field": "n", "type": "quantitative"},
                    "y": {"field": "v", "type": "quantitative"},
                    "tooltip": [_tip("n", "members", ",d"), _tip("v", "bound", ".4g")],
                },
            }
        )
    return _chart(f"Size of each class against its {measure}, by split", rows, 340, layer=layers)


def method_measures(values: Mapping[str, float], bound: float | None = None) -> Chart:
    """One measure of several methods as bars, with the bound that none can pass.

    Parameters
    ----------
    values : mapping of method name to float
    bound : float, optional

    Returns
    -------
    Chart
    """
    rows = [{"method": name, "value": value} for name, value in values.items()]
    encoding = {"y": _names("method", list(values))}
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar", "cornerRadiusEnd": 2, "height": {"band": 0.6}},
            "encoding": {
                "x": _axis("value", None, tickCount=4),
                "opacity": {
                    "condition": {
                        "test": f"datum.method === {json.dumps(next(iter(values)))}",
                        "value": 1,
                    },
                    "value": 0.45,
                },
                "tooltip": [_tip("method", "split"), _tip("value", "value", ".5g")],
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
    return _chart("A measure by method", rows, 26 * len(values), layer=layers, encoding=encoding)


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
            {"ranker": name, "i": i, "recall": _short(recall[j]), "precision": _short(precision[j])}
            for i, j in enumerate(order)
        ]
    line = {
        "mark": {"type": "line", "interpolate": "linear", "strokeWidth": 2},
        "encoding": {
            "color": _colour("ranker", list(curves)),
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
            "tooltip": [_tip("precision", "precision", ".3f"), _tip("recall", "recall", ".3f")]
        },
    }
    encoding = {
        "x": _axis("recall", "recall", scale={"domain": [0, 1]}),
        "y": _axis("precision", "precision", scale={"domain": [0, 1]}),
    }
    said = "Pooled precision against recall by ranker"
    return _chart(said, rows, 340, layer=[line, point], encoding=encoding)


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
        {"ranker": ranker, "score": _short(score), "value": _short(value)}
        for ranker, (scores, values) in curves.items()
        for score, value in zip(np.asarray(scores), np.asarray(values), strict=True)
    ]
    ticks = [{"member": _short(score)} for score in np.asarray(members, dtype=float)]
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "x": _axis("score", "score of the model", scale={"zero": False}),
                "y": _axis("value", "value: share of members", scale={"domain": [0, 1]}),
                "color": _colour("ranker", list(curves)),
            },
        },
        {
            "data": {"values": ticks},
            "mark": {"type": "tick", "orient": "vertical", "size": 12, "opacity": 0.7},
            "encoding": {
                "x": {"field": "member", "type": "quantitative"},
                "y": {"datum": 0},
                "tooltip": [_tip("member", "score of a member", ".4g")],
            },
        },
    ]
    said = "Value of a score" if name is None else f"Value of a score of class {name}"
    return _chart(said, rows, 260, layer=layers)


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
        {"value": _short(p), "share": _short(o), "n": int(n)}
        for p, o, n in zip(predicted, observed, counts, strict=True)
    ]
    layers = [
        {
            "data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
            "mark": {"type": "line", "strokeDash": [4, 3], "strokeWidth": 1, "opacity": 0.6},
            "encoding": {
                "x": _axis("x", "value", scale={"domain": [0, 1]}),
                "y": _axis("y", "share that are members", scale={"domain": [0, 1]}),
            },
        },
        {
            "mark": {"type": "line", "point": {"filled": True, "size": 50}, "strokeWidth": 1.5},
            "encoding": {
                "x": {"field": "value", "type": "quantitative"},
                "y": {"field": "share", "type": "quantitative"},
                "tooltip": [
                    _tip("value", "mean value", ".3f"),
                    _tip("share", "members", ".1%"),
                    _tip("n", "pairs", ",d"),
                ],
            },
        },
    ]
    said = "Reliability" if name is None else f"Reliability of class {name}"
    return _chart(said, rows, 260, layer=layers)


def pair_blocks(blocks: Mapping[str, Any]) -> Chart:
    """Which blocks of objects × objects a fold trains on, validates and drops.

    Parameters
    ----------
    blocks : mapping
        As :func:`trueval.report.blocks_of` makes it: ``rows`` and ``columns`` (names of
        the parts of objects) and ``cells`` with ``row``, ``column``, ``train``, ``test``
        and ``dropped`` counts.

    Returns
    -------
    Chart
    """
    rows = []
    for cell in blocks["cells"]:
        counts = {use: int(cell[use]) for use in ("train", "test", "dropped")}
        most = max(counts, key=lambda use: counts[use])
        rows.append({**cell, "use": _USES[most] if counts[most] else "no pairs"})
    encoding = {
        "x": _names("column", list(blocks["columns"]), orient="top", labelAngle=0),
        "y": _names("row", list(blocks["rows"])),
        "color": {
            "field": "use",
            "type": "ordinal",
            "scale": {"domain": [*_USES.values(), "no pairs"]},
            "legend": {"title": None},
        },
        "tooltip": [
            _tip("row", "objects"),
            _tip("column", "with objects"),
            _tip("train", "trained on", ",d"),
            _tip("test", "validated", ",d"),
            _tip("dropped", "dropped", ",d"),
        ],
    }
    said = "Pairs by the parts of their two objects: trained on, validated or dropped"
    return _chart(said, rows, max(200, 20 * len(blocks["rows"])), mark="rect", encoding=encoding)


_USES = {"train": "trained on", "test": "validated", "dropped": "dropped"}


def auc_by_scheme(schemes: Sequence[Mapping[str, Any]]) -> Chart:
    """Averaged and pooled AUC of each scheme, and what pooling gives without skill.

    Parameters
    ----------
    schemes : sequence of mappings
        With ``name`` and any of ``averaged``, ``pooled`` and ``null_pooled``.

    Returns
    -------
    Chart
    """
    shown = {"averaged": "averaged", "pooled": "pooled", "null_pooled": "pooled, no skill"}
    rows: list[dict[str, Any]] = [
        {"scheme": str(line["name"]), "estimate": said, "auc": float(line[key])}
        for line in schemes
        for key, said in shown.items()
        if line.get(key) is not None
    ]
    low = min([0.5, *(row["auc"] for row in rows)])
    scale = {"domain": [math.floor(low * 10) / 10, 1], "zero": False}
    names = list(dict.fromkeys(str(line["name"]) for line in schemes))
    layers = [
        {
            "mark": {"type": "rule", "strokeDash": [4, 3]},
            "encoding": {
                "x": {"datum": 0.5, "type": "quantitative", "scale": scale, "title": "AUC"},
                "y": {"value": 0},
                "y2": {"value": "height"},
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90},
            "encoding": {
                "x": _axis("auc", "AUC", scale=scale),
                "color": _colour("estimate", list(shown.values())),
                "shape": {
                    "field": "estimate",
                    "type": "nominal",
                    "sort": list(shown.values()),
                    "title": None,
                },
                "tooltip": [
                    _tip("scheme", "scheme"),
                    _tip("estimate", "estimate"),
                    _tip("auc", "AUC", ".4f"),
                ],
            },
        },
    ]
    said = "Averaged and pooled AUC by scheme"
    encoding = {"y": _names("scheme", names)}
    return _chart(said, rows, 30 * len(names), layer=layers, encoding=encoding)


def deviation_by_folds(table: Mapping[str, Any], moment: str = "mean") -> Chart:
    """Deviation of the estimates from the truth, by K or model.

    Parameters
    ----------
    table : mapping of columns
        As ``DeviationStudy.table``: ``scheme``, ``estimate``, ``value`` and the moment.
    moment : str, default="mean"
        A column: ``"mean"``, ``"variance"`` or ``"second_moment"``.

    Returns
    -------
    Chart
    """
    values = list(np.asarray(table["value"]).tolist())
    numeric = all(isinstance(v, int | float) for v in values)
    x: dict[str, Any] = {"field": "value", "type": "quantitative" if numeric else "nominal"}
    x |= {"title": "K" if numeric else "model", "axis": {"labelAngle": 0}}
    rows = [
        {"scheme": str(s), "estimate": str(e), "value": v, moment: float(m)}
        for s, e, v, m in zip(
            table["scheme"], table["estimate"], values, table[moment], strict=True
        )
    ]
    encoding = {
        "x": x,
        "y": _axis(moment, f"{moment.replace('_', ' ')} of estimate − truth"),
        "color": _colour("estimate", list(dict.fromkeys(r["estimate"] for r in rows))),
        "strokeDash": {"field": "scheme", "type": "nominal", "title": None},
        "shape": {"field": "scheme", "type": "nominal", "title": None},
        "tooltip": [
            _tip("scheme", "scheme"),
            _tip("estimate", "estimate"),
            _tip("value", "value"),
            _tip(moment, moment, ".4g"),
        ],
    }
    mark = {"type": "line", "point": True}
    said = f"Deviation of cross-validation from the truth: {moment.replace('_', ' ')}"
    return _chart(said, rows, 300, mark=mark, encoding=encoding)


# --- parts of specs --------------------------------------------------------------------


def thin(x: Any, n: int) -> Any:
    """Places of at most about n values of a monotone array, spread evenly over its range.

    Parameters
    ----------
    x : array of float
        Rising or falling.
    n : int
        At least 2.

    Returns
    -------
    ndarray of int
        The first and the last are among them.

    Examples
    --------
    >>> from trueval.charts import thin
    >>> thin([0.0, 0.1, 0.11, 0.12, 1.0], 3).tolist()
    [0, 1, 4]
    """
    x = np.asarray(x, dtype=float)
    if len(x) <= n:
        return np.arange(len(x))
    span = x[-1] - x[0]
    if span == 0:
        return np.array([0, len(x) - 1])
    # Half of the places by value, half by number: steep and flat stretches both keep theirs.
    share = np.clip((x - x[0]) / span, 0, 1)
    step = np.floor(share * (n // 2 - 1) + 1e-12) if n > 3 else np.floor(share * (n - 1) + 0.95)
    by_value = np.flatnonzero(np.concatenate([[True], step[1:] != step[:-1]]))
    by_place = np.linspace(0, len(x) - 1, n // 2).astype(np.int64) if n > 3 else np.array([0])
    return np.unique(np.concatenate([by_value, by_place, [0, len(x) - 1]]))


def _chart(said: str, rows: list[dict[str, Any]], height: Any, **parts: Any) -> Chart:
    return Chart(
        {
            "$schema": _SCHEMA,
            "description": said,
            "width": "container",
            "height": height,
            "autosize": {"type": "fit-x", "contains": "padding"},
            "data": {"values": rows},
            **parts,
        }
    )


def _axis(
    field: str, title: str | None, *, scale: dict[str, Any] | None = None, **axis: Any
) -> dict[str, Any]:
    out: dict[str, Any] = {"field": field, "type": "quantitative", "title": title}
    if scale is not None:
        out["scale"] = scale
    if axis:
        out["axis"] = axis
    return out


def _names(field: str, order: list[str], **axis: Any) -> dict[str, Any]:
    shown = {"labelLimit": 200, "ticks": False, "domain": False, **axis}
    return {"field": field, "type": "nominal", "sort": order, "title": None, "axis": shown}


def _colour(field: str, order: list[str]) -> dict[str, Any]:
    return {
        "field": field,
        "type": "nominal",
        "sort": order,
        "title": None,
        "scale": {"domain": order},
        "legend": {"columns": 3},
    }


def _tip(field: str, title: str, number: str | None = None) -> dict[str, Any]:
    tip = {"field": field, "title": title, "type": "quantitative" if number else "nominal"}
    return tip | ({"format": number} if number else {})


def _short(value: Any) -> float | None:
    """Five significant digits, enough for any screen."""
    number = float(value)
    return float(f"{number:.5g}") if math.isfinite(number) else None


def _limit(n: int, who: str) -> None:
    if n > 20 * MAX_POINTS:
        raise InputError(
            f"{who} would draw {n:,} points; give it a sample of at most {20 * MAX_POINTS:,}."
        )
