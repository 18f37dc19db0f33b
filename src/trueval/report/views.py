"""Charts of a stage, by name: from the condensed data to Vega-Lite specs."""

from typing import Any

from trueval import charts
from trueval.charts import Chart
from trueval.report.stage import Stage

__all__ = ["stage_charts"]


def stage_charts(stage: Stage) -> dict[str, dict[str, Any]]:
    """Specs of all charts of a stage."""
    made = _MAKERS[stage.kind](stage.data)
    return {name: chart.spec for name, chart in made.items()}


def _split(data: dict[str, Any]) -> dict[str, Chart]:
    scatter = data["scatter"]
    made = {
        "sizes": charts.fold_sizes(data["sizes"], data["wanted_sizes"]),
        "scatter": charts.class_scatter(
            scatter["sizes"],
            {name: _floats(values) for name, values in scatter["scores"].items()},
            names=scatter["names"],
            measure="rLD of the class",
            bound=_floats(scatter["bound"]),
        ),
    }
    for name, key in (("rld", "rld_wanted"), ("dcp", "dcp")):
        values = {line["name"]: line[key] for line in data["methods"]}
        made[name] = charts.method_measures(values, data[f"{name}_bound"])
    return made


def _pairs(data: dict[str, Any]) -> dict[str, Chart]:
    made = {f"blocks-{i}": charts.pair_blocks(b) for i, b in enumerate(data["blocks"])}
    if any(s["averaged"] is not None or s["pooled"] is not None for s in data["schemes"]):
        made["auc"] = charts.auc_by_scheme(data["schemes"])
    return made


def _rank(data: dict[str, Any]) -> dict[str, Chart]:
    curves = {line["name"]: (line["precision"], line["recall"]) for line in data["rankers"]}
    made = {"pr": charts.precision_recall(curves)}
    if data["reliability"] is not None:
        made["reliability"] = _reliability(data["reliability"])
        made["class-reliability"] = charts.reliability([], [], [])
    rankers = data["per_class"]["rankers"]
    if rankers:
        made["class-curve"] = charts.ranker_curve({name: ([], []) for name in rankers})
    return made


def _study(data: dict[str, Any]) -> dict[str, Chart]:
    return {"figure": Chart(data["figure"])} if data.get("figure") else {}


def _reliability(groups: dict[str, Any]) -> Chart:
    return charts.reliability(groups["predicted"], groups["observed"], groups["n"])


def _floats(values: list[Any]) -> list[float]:
    return [float("nan") if value is None else value for value in values]


_MAKERS = {"split": _split, "pairs": _pairs, "rank": _rank, "study": _study}
