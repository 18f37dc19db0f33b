"""Charts of pairs: what folds use, what they test, what they estimate."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from trueval.show._vega._chart import Chart, Spec
from trueval.show._vega._parts import axis, colour, make_chart, names_axis, tip

__all__ = ["auc_by_scheme", "deviation_by_folds", "fold_uses", "pair_blocks", "pair_roles"]

_USES = {"train": "trained on", "test": "validated", "dropped": "left out"}


def pair_blocks(blocks: Spec) -> Chart:
    """Which blocks of objects × objects a fold trains on, validates and drops."""
    rows = []
    for cell in blocks["cells"]:
        counts = {use: int(cell[use]) for use in ("train", "test", "dropped")}
        most = max(counts, key=lambda use: counts[use])
        rows.append({**cell, "use": _USES[most] if counts[most] else "no pairs"})
    # The parts of a square picture are named once, on its left.
    square = list(blocks["rows"]) == list(blocks["columns"])
    uses = [*_USES.values(), "no pairs"]
    encoding = {
        "x": names_axis(
            "column", list(blocks["columns"]), orient="top", labels=not square, labelAngle=-40
        ),
        "y": names_axis("row", list(blocks["rows"])),
        "color": {
            "field": "use",
            "type": "ordinal",
            "scale": {"domain": uses if any(r["use"] == uses[-1] for r in rows) else uses[:-1]},
            "legend": {"title": None},
        },
        "tooltip": [
            tip("row", "objects"),
            tip("column", "with objects"),
            tip("train", "trained on", ",d"),
            tip("test", "validated", ",d"),
            tip("dropped", "left out", ",d"),
        ],
    }
    said = "Pairs by the parts of their two objects: trained on, validated or left out"
    return make_chart(
        said, rows, max(200, 20 * len(blocks["rows"])), mark="rect", encoding=encoding
    )


def pair_roles(counts: Mapping[str, Mapping[str, int]]) -> Chart:
    """Test pairs of each split by how many of their objects training knows."""
    meaning = {"AA": "AA: both seen", "AB": "AB: one seen", "BB": "BB: none seen"}
    return _stacked(
        {
            name: {meaning[role]: n for role, n in of_name.items()}
            for name, of_name in counts.items()
        },
        "Test pairs by objects seen in training",
        "test pairs",
    )


def fold_uses(train: Sequence[int], validated: Sequence[int], dropped: Sequence[int]) -> Chart:
    """Rows that each fold trains on, validates and drops."""
    columns = dict(zip(_USES.values(), (train, validated, dropped), strict=True))
    return _stacked(
        {str(i + 1): {use: int(n[i]) for use, n in columns.items()} for i in range(len(train))},
        "Rows that each fold trains on, validates and leaves out",
        "rows",
    )


def auc_by_scheme(schemes: Sequence[Spec]) -> Chart:
    """AUC of each scheme: averaged, pooled, of every fold, and what pooling gives without skill."""
    estimates = {"averaged": "averaged", "pooled": "pooled", "null_pooled": "pooled, no skill"}
    rows: list[Spec] = [
        {"scheme": str(line["name"]), "estimate": said, "auc": float(line[key])}
        for line in schemes
        for key, said in estimates.items()
        if line.get(key) is not None
    ]
    folds = [
        {"scheme": str(line["name"]), "fold": place + 1, "auc": float(value)}
        for line in schemes
        for place, value in enumerate(line.get("fold_auc") or ())
        if value is not None
    ]
    low = min([0.5, *(row["auc"] for row in (*rows, *folds))])
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
            "data": {"values": folds},
            "mark": {
                "type": "tick",
                "orient": "vertical",
                "size": 16,
                "thickness": 2,
                "opacity": 0.6,
            },
            "encoding": {
                "x": {"field": "auc", "type": "quantitative"},
                "tooltip": [
                    tip("scheme", "scheme"),
                    tip("fold", "fold", "d"),
                    tip("auc", "AUC", ".4f"),
                ],
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90},
            "encoding": {
                "x": axis("auc", "AUC", scale=scale),
                "color": colour("estimate", list(estimates.values()), columns=2),
                "shape": {
                    "field": "estimate",
                    "type": "nominal",
                    "sort": list(estimates.values()),
                    "title": None,
                },
                "tooltip": [
                    tip("scheme", "scheme"),
                    tip("estimate", "estimate"),
                    tip("auc", "AUC", ".4f"),
                ],
            },
        },
    ]
    said = "Averaged and pooled AUC by scheme"
    encoding = {"y": names_axis("scheme", names)}
    return make_chart(said, rows, 30 * len(names), layer=layers, encoding=encoding)


def deviation_by_folds(table: Mapping[str, Sequence[float]], moment: str = "mean") -> Chart:
    """Deviation of the estimates from the truth, by K or model."""
    values = list(np.asarray(table["value"]).tolist())
    numeric = all(isinstance(v, int | float) for v in values)
    x: Spec = {"field": "value", "type": "quantitative" if numeric else "nominal"}
    x |= {"title": "K" if numeric else "model", "axis": {"labelAngle": 0}}
    rows = [
        {"scheme": str(s), "estimate": str(e), "value": v, moment: float(m)}
        for s, e, v, m in zip(
            table["scheme"], table["estimate"], values, table[moment], strict=True
        )
    ]
    encoding = {
        "x": x,
        "y": axis(moment, f"{moment.replace('_', ' ')} of estimate − truth"),
        "color": colour("estimate", list(dict.fromkeys(r["estimate"] for r in rows))),
        "strokeDash": {"field": "scheme", "type": "nominal", "title": None},
        "shape": {"field": "scheme", "type": "nominal", "title": None},
        "tooltip": [
            tip("scheme", "scheme"),
            tip("estimate", "estimate"),
            tip("value", "value"),
            tip(moment, moment, ".4g"),
        ],
    }
    mark = {"type": "line", "point": True}
    said = f"Deviation of cross-validation from the truth: {moment.replace('_', ' ')}"
    return make_chart(said, rows, 300, mark=mark, encoding=encoding)


def _stacked(counts: Mapping[str, Mapping[str, int]], said: str, what: str) -> Chart:
    kinds = list(next(iter(counts.values()), {}))
    rows = [
        {"name": name, "kind": kind, "n": int(n), "place": kinds.index(kind)}
        for name, by_kind in counts.items()
        for kind, n in by_kind.items()
    ]
    encoding = {
        "y": names_axis("name", list(counts)),
        "x": axis("n", what, format="~s"),
        "order": {"field": "place", "type": "quantitative"},
        "color": {
            "field": "kind",
            "type": "ordinal",
            "scale": {"domain": kinds},
            "legend": {"title": None},
        },
        "tooltip": [tip("name", "split"), tip("kind", "pairs"), tip("n", "number", ",d")],
    }
    mark = {"type": "bar", "height": {"band": 0.7}}
    height = max(18 * len(counts), 40)
    return make_chart(said, rows, height, mark=mark, encoding=encoding)
