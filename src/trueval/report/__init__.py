"""One self-contained HTML page from results: no algorithm, no network.

How a page is made::

    folds, audits, values ──► split_stage, pairs_stage, rank_stage ──► Stage (small, JSON)
                                                                         │  write_stage
                                                                         ▼  read_stage
                              page/ (template, style, scripts) ──► write_report ──► one file

The stage builders ask ``trueval.stratify``, ``trueval.pairs`` and ``trueval.rank`` for every
number and keep what fits on a page, saying what they left out. ``live.py`` packs the counts
behind the live control, ``words.py`` says what to conclude, ``views.py`` draws.
"""

from trueval.report.pairs import blocks_of, pairs_stage
from trueval.report.rank import rank_stage
from trueval.report.split import split_stage
from trueval.report.stage import Stage, read_stage, write_stage
from trueval.report.study import study_stage
from trueval.report.write import ReportSizeWarning, write_report

__all__ = [
    "ReportSizeWarning",
    "Stage",
    "blocks_of",
    "pairs_stage",
    "rank_stage",
    "read_stage",
    "split_stage",
    "study_stage",
    "write_report",
    "write_stage",
]
