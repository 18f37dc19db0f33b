"""Deprecated: :mod:`trueval.displays` draws results, by matplotlib.

The Vega-Lite builders of earlier versions still work under their names, each with a
``DeprecationWarning`` that says what draws the same.

"""

from importlib import import_module
from typing import Any

from trueval.core.errors import warn_user

_REPORT = "a report (trueval.report.write_report)"

#: Builder, its private module, and what draws the same.
_ALIASES = {
    "Chart": ("_chart", ".plot() of a result"),
    "MAX_POINTS": ("_parts", "trueval.displays, which draw all points"),
    "auc_by_scheme": ("_pairs", _REPORT),
    "class_scatter": ("_split", "trueval.displays.SplitQualityDisplay"),
    "deviation_by_folds": ("_pairs", "trueval.displays.DeviationDisplay"),
    "fold_sizes": ("_split", _REPORT),
    "fold_uses": ("_pairs", "trueval.displays.CoverageDisplay"),
    "method_measures": ("_split", _REPORT),
    "pair_blocks": ("_pairs", "trueval.displays.PairBlocksDisplay"),
    "pair_roles": ("_pairs", "trueval.displays.PairAuditDisplay"),
    "precision_recall": ("_rank", "trueval.displays.PrecisionRecallDisplay"),
    "ranker_curve": ("_rank", "trueval.displays.RankerCurveDisplay"),
    "reliability": ("_rank", "trueval.displays.ReliabilityDisplay"),
}

__all__ = list(_ALIASES)
__doc__ = f"{__doc__}" + "".join(f"- ``{name}``: {use}\n" for name, (_, use) in _ALIASES.items())


def __getattr__(name: str) -> Any:
    if name not in _ALIASES:
        raise AttributeError(f"module 'trueval.charts' has no attribute {name!r}")
    module, instead = _ALIASES[name]
    warn_user(f"trueval.charts.{name} is deprecated; use {instead}.", DeprecationWarning)
    return getattr(import_module(f"trueval.show._vega.{module}"), name)


def __dir__() -> list[str]:
    return __all__
