"""What training and test share by name: ids, groups, time, edges of a similarity graph."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.audit._result import Check
from trueval.core.similarity import Similarity
from trueval.stratify._leakage import QUANTILES

__all__ = ["edges_check", "shared_check", "time_check"]

_Rows = NDArray[np.intp]


def shared_check(name: str, numbers: NDArray[np.int64], train: _Rows, test: _Rows) -> Check:
    """Values, such as groups, that rows of both sides have."""
    seen = np.zeros(int(numbers.max()) + 1, bool)
    seen[numbers[train]] = True
    rows = test[seen[numbers[test]]]
    shared = len(np.unique(numbers[rows]))
    return Check(name, bool(shared), shared, 0, len(rows), rows, {"shared": shared})


def time_check(times: NDArray[Any], train: _Rows, test: _Rows) -> Check:
    """Training rows that are later than a test row: a model would know the future."""
    last, first = times[train].max(), times[test].min()
    rows = test[times[test] < last]
    later = int((times[train] > first).sum())
    detail = {"last_train": str(last), "first_test": str(first), "n_train_later": later}
    return Check("time", bool(len(rows)), len(rows), 0, len(rows), rows, detail)


def edges_check(graph: Similarity, threshold: float | None, train: _Rows, test: _Rows) -> Check:
    """Test rows with an edge to a training row; quantiles are by all edges."""
    in_train = np.zeros(graph.n_rows, bool)
    in_train[train] = True
    largest = np.zeros(graph.n_rows)
    matrix = graph.matrix
    has = np.flatnonzero(np.diff(matrix.indptr))
    if len(has):
        values = np.where(in_train[matrix.indices], matrix.data, 0.0)
        largest[has] = np.maximum.reduceat(values, matrix.indptr[:-1][has])
    of_test = largest[test]
    limit = 0.0 if threshold is None else threshold
    rows = test[(of_test >= limit) & (of_test > 0)]
    quantiles = {f"{q:g}": float(np.quantile(of_test, q, method="higher")) for q in QUANTILES}
    detail = {"threshold": threshold, "largest": quantiles}
    return Check(
        "similarity", bool(len(rows)), float(of_test.max()), limit, len(rows), rows, detail
    )
