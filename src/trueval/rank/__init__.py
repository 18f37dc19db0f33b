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

``sample.py`` has the scores of one class, ``base.py`` the template of the rankers, and
each ranker has its own file. ``smoother.py``,
``isotonic.py`` and ``spline.py`` are the three ways from labels to a curve.

The default ranker::

    sample of a class ─► own.py: its own curve ──────────┬─► blend.py: their average, its weight
           │                                             │   by cross-fitted log loss
           └─► counts.py: about 100 groups ─► shared.py: what all classes share (prior.py:
                                              coefficients that are normal over classes)

======================  =================================================================
ranker                  what a value is
======================  =================================================================
PrecisionRanker         the default: P(class | score) by the class's data and all classes
LocalPrecisionRate      the same from a smoothed precision curve, as published
IsotonicRanker          the same by pool adjacent violators
LocalTrueDiscoveryRate  the same by a ratio of kernel densities
PValueRanker            one minus the share of negatives at or above the score
FDRRanker               precision of calling everything at or above the score
HalfNormalRanker        one minus a local false discovery rate, without labels
======================  =================================================================

Deciders on raw scores: :class:`OptimalThresholds` (best F-beta over thresholds of all
classes, exactly), :class:`CyclicThresholds` (the same by cycles), :class:`RankCut`,
:class:`ProportionCut` and :class:`ScoreCut`; on probabilities of an object's classes,
:class:`ExpectedFCut`, and of all objects, :class:`ExpectedFThresholds`.
"""

from trueval.rank._plugin import ExpectedFThresholds
from trueval.rank.classifier import RankedClassifier
from trueval.rank.crossfit import cross_fit
from trueval.rank.curves import (
    PrecisionRecallCurve,
    average_precision,
    f_measure,
    pooled_precision_recall_curve,
)
from trueval.rank.cuts import ProportionCut, RankCut, ScoreCut
from trueval.rank.cyclic import CyclicThresholds
from trueval.rank.examine import PrecisionExamination, examine_precision
from trueval.rank.expected import ExpectedFCut
from trueval.rank.fdr import FDRRanker
from trueval.rank.halfnormal import HalfNormalRanker
from trueval.rank.hierarchy import make_consistent
from trueval.rank.isotonic import IsotonicRanker
from trueval.rank.lpr import LocalPrecisionRate
from trueval.rank.ltdr import LocalTrueDiscoveryRate
from trueval.rank.precision import PrecisionRanker
from trueval.rank.pvalue import PValueRanker
from trueval.rank.target import ThresholdChoice, pick_threshold
from trueval.rank.thresholds import OptimalThresholds
from trueval.rank.warn import InSampleWarning, OneClassWarning, TargetWarning

__all__ = [
    "CyclicThresholds",
    "ExpectedFCut",
    "ExpectedFThresholds",
    "FDRRanker",
    "HalfNormalRanker",
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
    "make_consistent",
    "pick_threshold",
    "pooled_precision_recall_curve",
]
