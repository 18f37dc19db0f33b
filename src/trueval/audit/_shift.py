"""Can a model tell test rows from training rows? An AUC with its error where none can."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import rankdata, t

from trueval.audit._inputs import Rows, sampled

__all__ = ["Shift", "auc_with_error", "train_test_auc"]

_SAMPLE = 10_000  # rows of each side
_CELLS = 5_000_000  # of the table that the model sees
_FEWEST = 5  # groups of each side in each half


@dataclass(frozen=True)
class Shift:
    """How well a model tells test rows from training rows.

    Attributes
    ----------
    auc : float
        Mean over two halves, each scored by a model of the other.
    error : float
        Standard error of the half with the larger one, where groups count as one.
    limit : float
        AUC that a split at random exceeds with probability alpha at most.
    """

    auc: float
    error: float
    limit: float


def train_test_auc(
    rows: Rows,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    groups: NDArray[np.int64] | None,
    generator: np.random.Generator,
    alpha: float,
) -> Shift | None:
    """AUC of a model that predicts the side of held-out rows; None with too few rows or groups."""
    most = int(min(_SAMPLE, max(200, _CELLS // (2 * min(rows.matrix.shape[1], 1000)))))
    used = np.concatenate([sampled(train, most, generator), sampled(test, most, generator)])
    side = np.isin(used, test)
    cluster = used if groups is None else groups[used]
    numbers = np.unique(cluster, return_inverse=True)[1]
    half = generator.permutation(int(numbers.max()) + 1)[numbers] % 2 == 1
    table, model = _model(rows, used, generator)
    results = []
    fewest = np.inf
    for held_out in (half, ~half):
        sizes = [len(np.unique(numbers[held_out & of])) for of in (side, ~side)]
        fewest = min(fewest, *sizes)
        if fewest < _FEWEST or len(np.unique(side[~held_out])) < 2:
            return None
        learnt = table[~held_out]
        columns = np.arange(table.shape[1])
        if not rows.is_sparse:  # scikit-learn 1.9 cannot bin a column without any value
            columns = columns[~np.isnan(learnt).all(axis=0)]
        if not len(columns):
            return None
        model.fit(learnt[:, columns], side[~held_out])
        scores = model.predict_proba(table[held_out][:, columns])[:, 1]
        results.append(auc_with_error(side[held_out], scores, numbers[held_out]))
    auc = float(np.mean([auc for auc, _ in results]))
    # The halves are not independent, so the mean is taken to be as uncertain as one of them.
    error = max(error for _, error in results)
    return Shift(auc, error, 0.5 + float(t.isf(alpha, fewest - 1)) * error)


def _model(rows: Rows, used: NDArray[np.intp], generator: np.random.Generator) -> tuple[Any, Any]:
    """Rows as a table for a model, and the model: trees, or a linear one of sparse rows."""
    if rows.is_sparse:
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import MaxAbsScaler

        table = MaxAbsScaler().fit_transform(sp.csr_matrix(rows.matrix[used]))
        return table, LogisticRegression(solver="liblinear", random_state=0)
    from sklearn.ensemble import HistGradientBoostingClassifier

    columns = np.arange(rows.matrix.shape[1])
    columns = sampled(columns, 1000, generator)
    table = rows.matrix[used][:, columns].astype(np.float64)
    model = HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=15, early_stopping=False, random_state=0
    )
    return table, model


def auc_with_error(
    positive: NDArray[np.bool_], scores: NDArray[np.float64], clusters: NDArray[np.intp]
) -> tuple[float, float]:
    """AUC, and its standard error where scores of a cluster belong together.

    By placements of each score among those of the other class (DeLong et al. 1988), summed over
    clusters (Obuchowski 1997); never below that of scores without any relation.
    """
    n_pos, n_neg = int(positive.sum()), int((~positive).sum())
    ranks = rankdata(scores)
    placement = np.empty(len(scores))
    placement[positive] = (ranks[positive] - rankdata(scores[positive])) / n_neg
    placement[~positive] = 1 - (ranks[~positive] - rankdata(scores[~positive])) / n_pos
    auc = float(placement[positive].mean())
    residual = (placement - auc) / np.where(positive, n_pos, n_neg)
    of_cluster = np.bincount(clusters, residual)
    n = len(np.unique(clusters))
    variance = float((of_cluster**2).sum()) * n / max(n - 1, 1)
    unrelated = (n_pos + n_neg + 1) / (12 * n_pos * n_neg)
    return auc, float(np.sqrt(max(variance, unrelated)))
