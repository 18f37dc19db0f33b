"""Audit of splits of rows: what training and test share, found without a model of yours.

::

    rows, ids, groups, time ──► audit_rows ──► RowAudit: one Check for each kind of leak
                                    │
        ids, groups, time, edges  ──┼─► shared by name          no chance involved
        equal rows                ──┼─► more than coincidence   hashes of rows
        nearest training rows     ──┼─► near duplicates, test nearer than training, a baseline
        single columns            ──┼─► predict the target, or number the rows
        a model of the side       ──┘   tells test from training (no leak, but a shift)

==================  ====================================================================
``_inputs.py``      rows and targets from any container
``_overlap.py``     ids, groups, time and edges on both sides
``_duplicates.py``  equal rows, compared with coincidence
``_candidates.py``  MinHash and random projections: which rows may be near
``_neighbours.py``  nearest training rows, and gaps that chance does not make
``_columns.py``     columns that give the target away, or number the rows
``_shift.py``       AUC of telling test from training, with its error
``_features.py``    the checks that look at features
``_rows.py``        ``audit_rows`` and ``audit_folds``
``_result.py``      ``RowAudit`` and ``Check``
==================  ====================================================================
"""

from typing import TYPE_CHECKING

from trueval.core.lazy import loader

if TYPE_CHECKING:
    from trueval.audit._result import Check, RowAudit, RowLeakError
    from trueval.audit._rows import audit_folds, audit_rows

__all__ = ["Check", "RowAudit", "RowLeakError", "audit_folds", "audit_rows"]

__getattr__ = loader(
    __name__,
    {
        "trueval.audit._result": ("Check", "RowAudit", "RowLeakError"),
        "trueval.audit._rows": ("audit_folds", "audit_rows"),
    },
)
