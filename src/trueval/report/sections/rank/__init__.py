"""The section of rankings: a live threshold, classes, rankers and predictions."""

from trueval.report._schema import Columns, Each, Map, Maybe
from trueval.report._section import Data, Section
from trueval.report._terms import TERMS
from trueval.report.sections.rank._data import rank_stage, ranking_stage
from trueval.report.sections.rank._spread import FOLDS, RESAMPLING
from trueval.show._front import rank_about, rank_headline
from trueval.show._rank import FOLD_MEASURES
from trueval.show._vega._chart import Chart
from trueval.show._vega._rank import (
    class_precision_recall,
    fold_strip,
    precision_recall,
    ranker_curve,
    reliability,
)

__all__ = ["SECTION", "rank_stage", "ranking_stage"]


def _charts(data: Data) -> dict[str, Chart]:
    curves = {line["name"]: (line["precision"], line["recall"]) for line in data["rankers"]}
    spread = data.get("resampling")
    band = None
    if spread is not None and spread["pooled"] is not None:
        band = tuple(spread["pooled"][name] for name in ("recall", "low", "high"))
    charts = {"pr": precision_recall(curves, band=band)}
    if spread is not None and spread["bands"]:
        charts["class-pr"] = class_precision_recall()
    folds = data.get("folds")
    if folds is not None:
        lines = {title: (folds["fold"], folds[key]) for key, title in FOLD_MEASURES.items()}
        known = {t: line for t, line in lines.items() if any(v is not None for v in line[1])}
        charts["folds"] = fold_strip(known)
    bins = data["reliability"]
    if bins is not None:
        charts["reliability"] = reliability(bins["predicted"], bins["observed"], bins["n"])
        charts["class-reliability"] = reliability([], [], [])
    rankers = data["per_class"]["rankers"]
    if rankers:
        charts["class-curve"] = ranker_curve({name: ([], []) for name in rankers})
    return charts


_RELIABILITY = Maybe(Columns({"predicted": float, "observed": float, "n": int}))
_INTERVAL = Each(float, least=2)

SECTION = Section(
    kind="rank",
    title="Rank and decide",
    order=30,
    build=rank_stage,
    front=(rank_about, rank_headline),
    schema={
        **dict.fromkeys(("n_rows", "n_classes", "n_positives", "n_stored"), int),
        "live": str,
        "names_cut": bool,
        "rankers": Each(
            {
                "name": str,
                "average_precision": float,
                "best_f1": float,
                "best_f1_calls": int,
                "macro_average_precision?": float,
                "macro_auc?": Maybe(float),
                "*": Columns({"precision": float, "recall": float}),
            },
            least=1,
        ),
        "grid": {
            "thresholds": Each(float, least=1),
            "*": Columns({"thresholds": float, "calls": int, "hits": int}),
            "n_distinct": int,
            "steps": str,
            "lows": Maybe(str),
        },
        "*": Columns({"classes": str, "class_sizes": int}),
        "choices": Each(
            {
                "target": str,
                "wanted": float,
                "threshold": Maybe(float),
                "precision": Maybe(float),
                **dict.fromkeys(("recall", "f", "calls_per_object"), float),
                "intervals": Map(_INTERVAL),
                "met": bool,
                "message": str,
                "place?": Maybe(int),
                "verdict?": str,
                "level?": float,
            }
        ),
        "predictions?": Maybe(
            {
                "threshold": Maybe(float),
                **dict.fromkeys(("n_rows", "n_classes", "n_predictions"), int),
                "new": bool,
                "by_class": Columns({"class": int, "n": int}),
            }
        ),
        "calls": Columns({"object": str, "class": int, "value": float, "member": int}),
        "terms?": TERMS,
        "class_measures?": Maybe(
            Columns({"average_precision": Maybe(float), "auc": Maybe(float)})
        ),
        "resampling?": RESAMPLING,
        "folds?": FOLDS,
        "reliability": _RELIABILITY,
        "per_class": {
            "total": int,
            "rankers": Each(str),
            "lines": Each(
                {
                    "class": int,
                    "curves": Map(Each(Each(float), least=2)),
                    "members": Each(float),
                    "reliability": _RELIABILITY,
                }
            ),
        },
    },
    charts=_charts,
    live=(
        "n_rows", "n_positives", "live", "grid", "classes", "class_sizes", "choices", "calls",
        "per_class",
    ),
    packed=("terms", "class_measures", "resampling"),
    scripts=("counts.js", "one_class.js", "groups.js", "control.js"),
    measures=(
        "precision, recall, F", "average precision", "AUC", "micro average, macro average",
        "reliability", "interval",
    ),
)  # fmt: skip
