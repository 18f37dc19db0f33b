"""Vega-Lite specifications of the studies' figures, as plain dicts."""

from collections.abc import Sequence

from trueval.show._numbers import rounded
from trueval.show._vega._chart import Spec
from trueval.show._vega._parts import SCHEMA

__all__ = ["cells_figure", "lines_figure"]


def _field(name: str, kind: str, **more: object) -> Spec:
    return {"field": name, "type": kind, **more}


def _values(rows: Sequence[Spec]) -> list[Spec]:
    return [{k: rounded(v) if isinstance(v, float) else v for k, v in row.items()} for row in rows]


def lines_figure(
    rows: Sequence[Spec],
    x: str,
    y: str,
    *,
    colour: str,
    dash: str | None = None,
    panel: str | None = None,
    points: bool = True,
    log_x: bool = False,
    log_y: bool = False,
    title: str = "",
) -> Spec:
    """Lines of y against x, one for each colour and dash, in panels.

    >>> from trueval.show._vega._study import lines_figure
    >>> spec = lines_figure([{"K": 10, "error": 0.1, "scheme": "strict"}], "K", "error",
    ...                     colour="scheme")
    >>> spec["encoding"]["x"]["field"], spec["mark"]["type"]
    ('K', 'line')
    """
    encoding: Spec = {
        "x": _field(x, "quantitative", scale={"type": "log"} if log_x else {"zero": False}),
        "y": _field(y, "quantitative", scale={"type": "log"} if log_y else {"zero": False}),
        "color": _field(colour, "nominal", sort=None),
        "tooltip": [_field(name, "nominal") for name in rows[0]] if rows else [],
    }
    if dash is not None:
        encoding["strokeDash"] = _field(dash, "nominal")
    if panel is not None:
        encoding["facet"] = _field(panel, "nominal", columns=2, sort=None)
    return {
        "$schema": SCHEMA,
        "title": title,
        "data": {"values": _values(rows)},
        "mark": {"type": "line", "point": points, "clip": True},
        "encoding": encoding,
        "width": 320,
        "height": 220,
        **({"resolve": {"scale": {"y": "independent"}}} if panel is not None else {}),
    }


def cells_figure(
    rows: Sequence[Spec], x: str, y: str, value: str, *, panel: str, title: str = ""
) -> Spec:
    """Squares of x and y, shaded by a value, in panels.

    >>> from trueval.show._vega._study import cells_figure
    >>> row = {"first": "o1", "second": "o2", "times": 1, "way": "2-fold"}
    >>> cells_figure([row], "first", "second", "times", panel="way")["mark"]["type"]
    'rect'
    """
    return {
        "$schema": SCHEMA,
        "title": title,
        "data": {"values": _values(rows)},
        "mark": {"type": "rect", "stroke": "white"},
        "encoding": {
            "x": _field(x, "ordinal"),
            "y": _field(y, "ordinal"),
            "color": _field(value, "ordinal"),
            "facet": _field(panel, "nominal", columns=2, sort=None),
        },
        "width": 160,
        "height": 160,
    }
