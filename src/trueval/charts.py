"""Deprecated: :mod:`trueval.displays` draws results, by matplotlib.

The Vega-Lite builders of earlier versions still work under their names, each with a
``DeprecationWarning`` that says what draws the same.

"""

from importlib import import_module
from typing import Any

from trueval.core.errors import warn_user

_REPORT = "a report (trueval.report.write_report)"

#: Builder, its private module, and what draws the same: a display, unless it says more.
_ALIASES = {
    "Chart": ("_chart", ".plot() of a result"),
    "MAX_POINTS": ("_parts", "the displays, which thin curves themselves"),
    "auc_by_scheme": ("_pairs", _REPORT),
    "class_scatter": ("_split", "SplitQualityDisplay"),
    "deviation_by_folds": ("_pairs", "DeviationDisplay"),
    "fold_sizes": ("_split", _REPORT),
    "fold_uses": ("_pairs", "CoverageDisplay"),
    "method_measures": ("_split", _REPORT),
    "pair_blocks": ("_pairs", "PairBlocksDisplay"),
    "pair_roles": ("_pairs", "PairAuditDisplay"),
    "precision_recall": ("_rank", "PrecisionRecallDisplay"),
    "ranker_curve": ("_rank", "RankerCurveDisplay"),
    "reliability": ("_rank", "ReliabilityDisplay"),
}


def _use(instead: str) -> str:
    """What draws the same, with its module if it is a display."""
    return f"trueval.displays.{instead}" if instead.endswith("Display") else instead


__all__ = list(_ALIASES)
__doc__ = f"{__doc__}" + "".join(
    f"- ``{name}``: {_use(instead)}\n" for name, (_, instead) in _ALIASES.items()
)


def __getattr__(name: str) -> Any:
    if name not in _ALIASES:
        raise AttributeError(f"module 'trueval.charts' has no attribute {name!r}")
    module, instead = _ALIASES[name]
    warn_user(f"trueval.charts.{name} is deprecated; use {_use(instead)}.", DeprecationWarning)
    return getattr(import_module(f"trueval.show._vega.{module}"), name)


def __dir__() -> list[str]:
    return __all__
