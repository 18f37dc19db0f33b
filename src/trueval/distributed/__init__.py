"""Datasets that need not fit in memory, on one machine or on many.

How a Parquet dataset is split::

    files ──► count ──► block ──► deal ──► core ──► fill ──► chain ──► row, fold
              class     rows of   equal    the      the      one strict
              sizes     one label rows     rarest   others,  pass, block
                        set in    out to   classes  block by after block,
                        one block parts    together block    exact totals

``_source.py`` reads Parquet, ``_rows.py`` cuts and joins rows, ``_stages.py`` has the stages as
functions of arrays, ``_flow.py`` their order, ``_groups.py`` what comes before them where groups of
rows are the items.

How scores are ranked::

    scores ─┐ by row: labels     by class: distinct   _learn of       values ──► threshold
    labels ─┼─► and fold of ──►  scores, objects, ──► any ranker ──►  of each
    folds ──┘ each score         positives            of classes      score

``_scored.py`` makes scores, labels and classes meet, ``_calibrate.py`` fits and values, and
``_objects.py`` numbers the objects of pairs. An engine only moves inputs and results:
``_engine.py`` is one process with a temporary folder (``engine="stream"``), ``_dask.py`` a Dask
cluster. Both give the same results.
"""

from typing import TYPE_CHECKING

from trueval.core.lazy import loader

if TYPE_CHECKING:
    from trueval.distributed._audit import audit
    from trueval.distributed._decide import decide
    from trueval.distributed._pairs import PairSplit, pairs
    from trueval.distributed._quality import quality
    from trueval.distributed._rank import Ranked, rank
    from trueval.distributed._split import split

__all__ = ["PairSplit", "Ranked", "audit", "decide", "pairs", "quality", "rank", "split"]

__getattr__ = loader(
    __name__,
    {
        "trueval.distributed._audit": ("audit",),
        "trueval.distributed._decide": ("decide",),
        "trueval.distributed._pairs": ("PairSplit", "pairs"),
        "trueval.distributed._quality": ("quality",),
        "trueval.distributed._rank": ("Ranked", "rank"),
        "trueval.distributed._split": ("split",),
    },
)
