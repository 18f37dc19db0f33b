"""CAFA: evaluate predictions of GO terms as the Critical Assessment of Function Annotation does.

::

    predictions ──► read_predictions ─► Predictions ─┐   (write_predictions back)
    truth, GAF ───► read_truth ───────► Labels ──────┤
    OBO ──────────► data.read_ontology ► Ontology ───┼─► evaluate ─► Evaluation: Fmax, Smin,
    IA ───────────► read_accretion ◄─ information_accretion          AUPR by aspect, intervals,
    known, terms ────────────────────────────────────┘               tables of terms; compare
    training annotations ─► naive_predictions, nearest_predictions (with BLAST hits)
    two releases ─► knowledge_split ─► truth and known of no, limited, partial knowledge

Inside, terms are numbers of a ``TermIndex``, children before parents. Scores are carried up
sparse by one kernel; what each protein contributes at each threshold is counted once, and the
curves, the exact maxima and the resamples of the proteins all come from these contributions.
"""

from trueval.cafa._accretion import information_accretion, read_accretion, write_accretion
from trueval.cafa._baselines import naive_predictions, nearest_predictions
from trueval.cafa._benchmark import Benchmark
from trueval.cafa._curve import Curve
from trueval.cafa._evaluate import evaluate
from trueval.cafa._filters import filter_terms
from trueval.cafa._hits import Hits, read_hits
from trueval.cafa._knowledge import KnowledgeBenchmark, KnowledgeSplit, knowledge_split
from trueval.cafa._measure import Setting
from trueval.cafa._predictions import Predictions
from trueval.cafa._read import read_predictions
from trueval.cafa._result import AspectEvaluation, Evaluation, compare
from trueval.cafa._truth import read_truth, write_truth
from trueval.cafa._write import write_predictions

__all__ = [
    "AspectEvaluation",
    "Benchmark",
    "Curve",
    "Evaluation",
    "Hits",
    "KnowledgeBenchmark",
    "KnowledgeSplit",
    "Predictions",
    "Setting",
    "compare",
    "evaluate",
    "filter_terms",
    "information_accretion",
    "knowledge_split",
    "naive_predictions",
    "nearest_predictions",
    "read_accretion",
    "read_hits",
    "read_predictions",
    "read_truth",
    "write_accretion",
    "write_predictions",
    "write_truth",
]
