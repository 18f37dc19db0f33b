"""The section of splits: every class, other splits, and the lower bound."""

from trueval.report._schema import Columns, Each, Map, Maybe
from trueval.report._section import Data, Section
from trueval.report._terms import TERMS
from trueval.report.sections.split._data import comparison_stage, split_stage
from trueval.show._front import split_about, split_headline
from trueval.show._vega._chart import Chart
from trueval.show._vega._split import class_scatter, fold_sizes, method_measures

__all__ = ["SECTION", "comparison_stage", "split_stage"]

_NUMBER = Maybe(float)


def _charts(data: Data) -> dict[str, Chart]:
    scatter = data["scatter"]
    charts = {
        "sizes": fold_sizes(data["sizes"], data["wanted_sizes"]),
        "scatter": class_scatter(
            scatter["sizes"],
            {name: _floats(values) for name, values in scatter["scores"].items()},
            names=scatter["names"],
            measure="rLD of the class",
            bound=_floats(scatter["bound"]),
        ),
    }
    for name, key in (("rld", "rld_wanted"), ("dcp", "dcp")):
        values = {line["name"]: line[key] for line in data["methods"]}
        charts[name] = method_measures(values, data[f"{name}_bound"])
    return charts


def _floats(values: list[float | None]) -> list[float]:
    return [float("nan") if value is None else value for value in values]


_MEASURES = ("rld_wanted", "rld", "dcp", "ld", "ed", "rld_ratio", "dcp_ratio")

SECTION = Section(
    kind="split",
    order=10,
    build=split_stage,
    front=(split_about, split_headline),
    schema={
        "method": str,
        "methods": Each(
            {
                "name": str,
                **dict.fromkeys(_MEASURES, _NUMBER),
                "missing": int,
                "avoidable": int,
            },
            least=1,
        ),
        **dict.fromkeys(
            ("n_rows", "n_classes", "n_parts", "n_cells", "n_empty", "missing", "avoidable"), int
        ),
        "n_full?": int,
        "sizes": Each(int, least=1),
        "*": Columns({"sizes": int, "wanted_sizes": float}),
        "rld_bound": _NUMBER,
        "dcp_bound": _NUMBER,
        "scatter": {
            "total": int,
            "*": Columns({"names": str, "sizes": int, "bound": _NUMBER, "scores": Map(_NUMBER)}),
        },
        "terms?": TERMS,
        "classes": {
            "total": int,
            "*": Columns(
                {
                    "name": str,
                    **dict.fromkeys(("size", "missing", "avoidable"), int),
                    **dict.fromkeys(("rld", "bound", "dcp"), _NUMBER),
                    "counts": Each(int),
                },
                maybe=("counts",),
            ),
        },
    },
    charts=_charts,
    live=("classes", "n_parts"),
    packed=("terms",),
    scripts=("section.js",),
    measures=("rLD", "DCP", "LD, ED", "lower bound", "gap, avoidable gap"),
)
