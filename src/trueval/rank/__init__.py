"""Rank and decide: scores that compare across classes, and calls that keep a promise.

How a call is made::

    out-of-fold scores ─┐
    (dense, or sparse   ├─► ranker.fit ──► one curve for each class: P(class | score)
     top scores)        │                        │
    labels ─────────────┘                        ▼
    new scores ────────────────────► ranker.transform ──► values in [0, 1] that pool
                                                          │
          pooled_precision_recall_curve, average_precision ┤ how well they rank
          make_consistent                                  ┤ parent ≥ child, optionally
          pick_threshold: precision, recall, F or number   ┘──► calls (sparse 0/1); none where
                                                                the target is not met

    cross_fit gives the same values of the training objects, each by a ranker that never
    saw its labels. RankedClassifier does all of it around any scikit-learn classifier.

``_sample.py`` has the scores of one class, ``_base.py`` the template of the rankers, and
each ranker has its own file. ``_smoother.py``,
``_isotonic.py`` and ``_spline.py`` are the three ways from labels to a curve.

The default ranker::

    sample of a class ─► _own.py: its own curve ──────────┬─► _blend.py: their average, its weight
           │                                             │   by cross-fitted log loss
           └─► _counts.py: about 100 groups ─► _shared.py: what all classes share (_prior.py:
                                              coefficients that are normal over classes)

With a hierarchy of classes (:class:`HierarchicalRanker`)::

    values of a ranker ─► _neighbours.py: what scores of neighbours say
                               ├─► _hierarchy.py: parent ≥ child
                               └─► _precedence.py: the order that finds most positives first

``_registry.py`` lists the rankers and the meaning of their values, one record each.

Deciders on raw scores: :class:`OptimalThresholds` (best F-beta over thresholds of all
classes, exactly), :class:`CyclicThresholds` (the same by cycles), :class:`RankCut`,
:class:`ProportionCut` and :class:`ScoreCut`; on probabilities of an object's classes,
:class:`ExpectedFCut`, and of all objects, :class:`ExpectedFThresholds`.
"""

from typing import TYPE_CHECKING

from trueval.core.lazy import loader
from trueval.rank._registry import RANKERS, make_ranker

if TYPE_CHECKING:
    from trueval.rank._choice import ThresholdChoice
    from trueval.rank._classifier import RankedClassifier
    from trueval.rank._crossfit import cross_fit
    from trueval.rank._curves import (
        PrecisionRecallCurve,
        average_precision,
        f_measure,
        pooled_precision_recall_curve,
    )
    from trueval.rank._cuts import ProportionCut, RankCut, ScoreCut
    from trueval.rank._cyclic import CyclicThresholds
    from trueval.rank._examine import PrecisionExamination, examine_precision
    from trueval.rank._expected import ExpectedFCut
    from trueval.rank._fdr import FDRRanker
    from trueval.rank._halfnormal import HalfNormalRanker
    from trueval.rank._hierarchical import HierarchicalRanker
    from trueval.rank._hierarchy import make_consistent
    from trueval.rank._isotonic import IsotonicRanker
    from trueval.rank._lpr import LocalPrecisionRate
    from trueval.rank._ltdr import LocalTrueDiscoveryRate
    from trueval.rank._plugin import ExpectedFThresholds
    from trueval.rank._precedence import hierarchical_fdr, hierarchical_order, hit_curve
    from trueval.rank._precision import PrecisionRanker
    from trueval.rank._pvalue import PValueRanker
    from trueval.rank._target import pick_threshold
    from trueval.rank._thresholds import OptimalThresholds
    from trueval.rank._warn import InSampleWarning, OneClassWarning, TargetWarning

__all__ = [
    "RANKERS",
    "CyclicThresholds",
    "ExpectedFCut",
    "ExpectedFThresholds",
    "FDRRanker",
    "HalfNormalRanker",
    "HierarchicalRanker",
    "InSampleWarning",
    "IsotonicRanker",
    "LocalPrecisionRate",
    "LocalTrueDiscoveryRate",
    "OneClassWarning",
    "OptimalThresholds",
    "PValueRanker",
    "PrecisionExamination",
    "PrecisionRanker",
    "PrecisionRecallCurve",
    "ProportionCut",
    "RankCut",
    "RankedClassifier",
    "ScoreCut",
    "TargetWarning",
    "ThresholdChoice",
    "average_precision",
    "cross_fit",
    "examine_precision",
    "f_measure",
    "hierarchical_fdr",
    "hierarchical_order",
    "hit_curve",
    "make_consistent",
    "make_ranker",
    "pick_threshold",
    "pooled_precision_recall_curve",
]

_RANKERS = [r.path.split(":") for r in RANKERS.values() if r.path is not None]
__all__ += [name for _, name in _RANKERS if name not in __all__]

__getattr__ = loader(
    __name__,
    {
        **{module: (name,) for module, name in _RANKERS},
        "trueval.rank._classifier": ("RankedClassifier",),
        "trueval.rank._crossfit": ("cross_fit",),
        "trueval.rank._curves": (
            "PrecisionRecallCurve",
            "average_precision",
            "f_measure",
            "pooled_precision_recall_curve",
        ),
        "trueval.rank._cuts": ("ProportionCut", "RankCut", "ScoreCut"),
        "trueval.rank._cyclic": ("CyclicThresholds",),
        "trueval.rank._examine": ("PrecisionExamination", "examine_precision"),
        "trueval.rank._expected": ("ExpectedFCut",),
        "trueval.rank._hierarchy": ("make_consistent",),
        "trueval.rank._precedence": ("hierarchical_fdr", "hierarchical_order", "hit_curve"),
        "trueval.rank._plugin": ("ExpectedFThresholds",),
        "trueval.rank._choice": ("ThresholdChoice",),
        "trueval.rank._target": ("pick_threshold",),
        "trueval.rank._thresholds": ("OptimalThresholds",),
        "trueval.rank._warn": ("InSampleWarning", "OneClassWarning", "TargetWarning"),
    },
)
