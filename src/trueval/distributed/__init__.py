"""Splits of datasets that need not fit in memory, on one machine or on many.

How a Parquet dataset is split::

    files ──► count ──► block ──► deal ──► core ──► fill ──► chain ──► row, fold
              class     rows of   equal    the      the      one strict
              sizes     one label rows     rarest   others,  pass, block
                        set in    out to   classes  block by after block,
                        one block parts    together block    exact totals

``_source.py`` reads Parquet, ``_rows.py`` cuts and joins rows, ``_stages.py`` has the stages as
functions of arrays, ``_flow.py`` their order. An engine only moves inputs and results:
``_engine.py`` is one process with a temporary folder (``engine="stream"``), ``_dask.py`` a Dask
cluster. Both give the same folds.
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
