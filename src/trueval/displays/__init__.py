"""Pictures by matplotlib, in the manner of scikit-learn's Display objects.

Each class is made by a ``from_…`` constructor, which does the computing, draws itself by
``plot(ax=None)``, and keeps ``ax_`` and ``figure_``. matplotlib is in the extra
``plot`` and is imported when something is drawn, not before.

============================  ==========================================================
display                       shows
============================  ==========================================================
SplitQualityDisplay           deviation of each class against its size, beside the bound
PrecisionRecallDisplay        pooled precision and recall of one or several rankers
ReliabilityDisplay            whether values are what they claim: P(class | score)
RankerCurveDisplay            what a score of a class is worth
PrecisionRankDisplay          empirical precision against rank, with the fit and jumps
PairBlocksDisplay             which pairs a fold trains on, validates and drops
============================  ==========================================================
"""

from trueval.displays.pairs import PairBlocksDisplay
from trueval.displays.precision import PrecisionRankDisplay
from trueval.displays.rank import PrecisionRecallDisplay, RankerCurveDisplay, ReliabilityDisplay
from trueval.displays.split import SplitQualityDisplay

__all__ = [
    "PairBlocksDisplay",
    "PrecisionRankDisplay",
    "PrecisionRecallDisplay",
    "RankerCurveDisplay",
    "ReliabilityDisplay",
    "SplitQualityDisplay",
]
