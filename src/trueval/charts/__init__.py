"""Charts of folds, pairs and rankings: builders from plain arrays to a :class:`Chart`.

Charts are Vega-Lite specs, plain dicts that any notebook or browser can draw. No plotting
library is needed, and no network: a page made by :meth:`Chart.to_html` brings Vega along.
Colours come from the page's theme, light or dark, not from the spec.
"""

from trueval.charts.chart import Chart
from trueval.charts.pairs import (
    auc_by_scheme,
    deviation_by_folds,
    fold_uses,
    pair_blocks,
    pair_roles,
)
from trueval.charts.parts import MAX_POINTS
from trueval.charts.rank import precision_recall, ranker_curve, reliability
from trueval.charts.split import class_scatter, fold_sizes, method_measures
from trueval.charts.split import quality_scatter as quality_scatter

__all__ = [
    "MAX_POINTS",
    "Chart",
    "auc_by_scheme",
    "class_scatter",
    "deviation_by_folds",
    "fold_sizes",
    "fold_uses",
    "method_measures",
    "pair_blocks",
    "pair_roles",
    "precision_recall",
    "ranker_curve",
    "reliability",
]
