"""The parts that specs are put together from."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueval.core.errors import InputError
from trueval.show._vega._chart import Chart, Spec

__all__ = [
    "MAX_POINTS",
    "axis",
    "colour",
    "limit",
    "make_chart",
    "names_axis",
    "thin",
    "tip",
]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
MAX_POINTS = 3000  # of one chart; more make a page slow and show nothing new


def thin(x: ArrayLike, n: int) -> NDArray[np.int64]:
    """Places of at most about n values of a monotone array, spread evenly over its range.

    >>> from trueval.show._vega._parts import thin
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


def make_chart(said: str, rows: list[Spec], height: float, **parts: object) -> Chart:
    """Put a spec together: as wide as its place, with a name for screen readers."""
    return Chart(
        {
            "$schema": SCHEMA,
            "description": said,
            "width": "container",
            "height": height,
            "autosize": {"type": "fit-x", "contains": "padding"},
            "data": {"values": rows},
            **parts,
        }
    )


def axis(field: str, title: str | None, *, scale: Spec | None = None, **axis: object) -> Spec:
    """Encode a number on an axis."""
    out: Spec = {"field": field, "type": "quantitative", "title": title}
    if scale is not None:
        out["scale"] = scale
    if axis:
        out["axis"] = axis
    return out


def names_axis(field: str, order: list[str], **axis: object) -> Spec:
    """Encode names on an axis, in a given order."""
    style = {"labelLimit": 200, "ticks": False, "domain": False, **axis}
    return {"field": field, "type": "nominal", "sort": order, "title": None, "axis": style}


def colour(field: str, order: list[str], columns: int = 3) -> Spec:
    """Encode names by colour, in a given order."""
    return {
        "field": field,
        "type": "nominal",
        "sort": order,
        "title": None,
        "scale": {"domain": order},
        "legend": {"columns": columns},
    }


def tip(field: str, title: str, number: str | None = None) -> Spec:
    """Describe a field of a tooltip."""
    tip = {"field": field, "title": title, "type": "quantitative" if number else "nominal"}
    return tip | ({"format": number} if number else {})


def limit(n: int, who: str) -> None:
    """Refuse what no browser draws well."""
    if n > 20 * MAX_POINTS:
        raise InputError(
            f"{who} would draw {n:,} points; give it a sample of at most {20 * MAX_POINTS:,}."
        )
