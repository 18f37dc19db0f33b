"""Pictures by matplotlib, in the manner of scikit-learn's Display objects.

Each class is made by a ``from_…`` constructor, which does the computing, draws itself by
``plot(ax=None)``, and keeps ``ax_`` and ``figure_``. ``.plot()`` of a result returns its
display. matplotlib is in the extra ``plot`` and is imported when something is drawn, not
before.

============================  ==========================================================
display                       shows
============================  ==========================================================
SplitQualityDisplay           deviation of each class against its size, and the lower bound
PrecisionRecallDisplay        pooled precision and recall of one or several rankers
ReliabilityDisplay            whether calibrated scores are probabilities
RankerCurveDisplay            the calibrated score of each score of a class
PrecisionRankDisplay          empirical precision against rank, with the fit and jumps
PairBlocksDisplay             which pairs a fold trains on, validates and leaves out
PairAuditDisplay              test pairs by how many of their objects training has seen
CoverageDisplay               pairs that each fold trains on, validates and leaves out
DeviationDisplay              how far cross-validation estimates are from the truth
============================  ==========================================================
"""

from trueval.displays._deviation import DeviationDisplay
from trueval.displays._pairs import PairBlocksDisplay
from trueval.displays._precision import PrecisionRankDisplay
from trueval.displays._rank import PrecisionRecallDisplay, RankerCurveDisplay, ReliabilityDisplay
from trueval.displays._split import SplitQualityDisplay
from trueval.displays._uses import CoverageDisplay, PairAuditDisplay

__all__ = [
    "CoverageDisplay",
    "DeviationDisplay",
    "PairAuditDisplay",
    "PairBlocksDisplay",
    "PrecisionRankDisplay",
    "PrecisionRecallDisplay",
    "RankerCurveDisplay",
    "ReliabilityDisplay",
    "SplitQualityDisplay",
]
