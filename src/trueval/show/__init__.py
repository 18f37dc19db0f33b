"""What results say: the only package that turns a result into words.

::

    result of stratify, pairs or rank ──► summary ──► Summary: title, verdict, facts, tables, notes
                                                        ├─► to_text   repr
                                                        ├─► to_html   notebooks
                                                        ├─► the terminal, by trueval.cli
                                                        ├─► the page, by trueval.report
                                                        └─► to_dict   --json and saved results

==================  ====================================================================
``_verdicts.py``    what to conclude; the only thresholds of good and poor;
                    ``_rank_verdicts.py`` applies them to rankings and thresholds
``_summary.py``     ``Summary`` and its parts
``_present.py``     ``summary``; that of package P is in ``_P.py``: ``_core.py``,
                    ``_stratify.py``, ``_pairs.py``, ``_rank.py``, ``_distributed.py``
``_values.py``      summaries of values: sizes and first names
``_measures.py``    definitions of measures
``_data.py``        how a file was understood
``_numbers.py``     how numbers read
``_plain.py``       values as JSON can hold them
``_text.py``        a summary as plain text
``_cards.py``       a summary as HTML
``_vega``           private Vega-Lite specs for the report and the studies' figures
==================  ====================================================================
"""

from trueval.show._cards import to_html
from trueval.show._data import reading_line
from trueval.show._numbers import number
from trueval.show._plain import plain
from trueval.show._present import summary, verdict
from trueval.show._summary import Column, Fact, Summary, SummaryTable, Verdict
from trueval.show._text import to_text

__all__ = [
    "Column",
    "Fact",
    "Summary",
    "SummaryTable",
    "Verdict",
    "number",
    "plain",
    "reading_line",
    "summary",
    "to_html",
    "to_text",
    "verdict",
]
