"""One self-contained HTML page from results: no algorithm, no network.

How a page is made::

    folds, audits, scores ──► split_stage, pairs_stage, rank_stage ──► Stage (small, JSON)
                                                                         │  write_stage
                                                                         ▼  read_stage
                              page/ and sections/ (templates, scripts) ──► write_report ──► one file

==================  ====================================================================
``sections/``       one folder for each kind of result: what it keeps, how it is shown
``_section.py``     ``Section``, the record of such a folder, and the registry
``_stage.py``       ``Stage``: a result condensed for the page, checked, as JSON
``_schema.py``      what saved data must look like
``_write.py``       ``write_report``
``page/``           what all sections share: template, style, scripts
==================  ====================================================================

The stage builders ask ``trueval.stratify``, ``trueval.pairs`` and ``trueval.rank`` for every
number and ``trueval.show`` for every word, and keep what fits on a page, saying what they
left out.
"""

from trueval.report._stage import Stage, read_stage, write_stage
from trueval.report._write import ReportSizeWarning, write_report
from trueval.report.sections.pairs import blocks_of, pairs_stage
from trueval.report.sections.rank import rank_stage
from trueval.report.sections.split import split_stage
from trueval.report.sections.study import study_stage

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
