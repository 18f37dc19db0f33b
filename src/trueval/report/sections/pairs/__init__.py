"""The section of pairs: what folds do, what they test, and what they estimate."""

from trueval.report._schema import Among, Between, Each, Maybe
from trueval.report._section import Data, Section
from trueval.report.sections.pairs._blocks import blocks_of
from trueval.report.sections.pairs._data import pairs_stage, splitters_stage, validation_stage
from trueval.show._front import pairs_about, pairs_headline
from trueval.show._vega._chart import Chart
from trueval.show._vega._pairs import auc_by_scheme, pair_blocks

__all__ = ["SECTION", "blocks_of", "pairs_stage", "splitters_stage", "validation_stage"]

_SHARE = Maybe(Between(0, 1))  # of rows, or an AUC
_PAIRS = Maybe(Between(0, 1e15))  # their number, or their share


def _charts(data: Data) -> dict[str, Chart]:
    charts = {f"blocks-{i}": pair_blocks(b) for i, b in enumerate(data["blocks"])}
    if any(s["averaged"] is not None or s["pooled"] is not None for s in data["schemes"]):
        charts["auc"] = auc_by_scheme(data["schemes"])
    return charts


SECTION = Section(
    kind="pairs",
    order=20,
    build=pairs_stage,
    front=(pairs_about, pairs_headline),
    schema={
        "audits": Each(
            {
                "name": str,
                "setting": str,
                "counts": dict.fromkeys(("AA", "AB", "BB"), int),
                "n_test": int,
                "n_leaked": int,
                "identity_auc": _SHARE,
                "verdict?": {"text": str, "level": Among(("good", "fair", "poor"))},
                "facts": Each(str),
            }
        ),
        "schemes": Each(
            {
                "name": str,
                **dict.fromkeys(("scheme?", "model?"), Maybe(str)),
                **dict.fromkeys(("averaged", "pooled", "null_pooled"), _SHARE),
                **dict.fromkeys(("n_folds", "n_excluded"), Maybe(int)),
                **dict.fromkeys(("validated", "never"), _PAIRS),
                "dropped": _SHARE,
                "fold_auc?": Maybe(Each(_SHARE)),
            }
        ),
        "blocks": Each(
            {
                "name": str,
                "rows": Each(str),
                "columns": Each(str),
                "cells": Each(
                    {
                        **dict.fromkeys(("row", "column"), str),
                        **dict.fromkeys(("train", "test", "dropped"), int),
                    }
                ),
                **dict.fromkeys(("fold", "n_train", "n_test", "n_dropped"), int),
            }
        ),
    },
    charts=_charts,
    measures=("AUC", "pooled AUC, averaged AUC", "null AUC", "identity AUC"),
)
