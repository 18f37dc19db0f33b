"""Pooled precision, recall and F: all (object, class) pairs as one list.

Everything comes from two plain sorts, of the scores of members and of all pairs; no
n × K array is made. Pairs without a stored score are one tie below all others.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import InputError
from trueval.core.labels import Labels, as_labels
from trueval.core.params import NONE, Choice, Interval, Where, constrained
from trueval.core.scores import Scores, as_scores, check_pair
from trueval.rank._pooled import PrecisionRecallCurve
from trueval.rank._weights import row_weights

__all__ = [
    "BETA",
    "PrecisionRecallCurve",
    "average_precision",
    "f_beta",
    "f_measure",
    "pooled_precision_recall_curve",
    "pooled_values",
]

Float = NDArray[np.float64]

#: What ``beta`` may be, wherever it is a parameter.
BETA = Interval(float, 0, 1e100, "right")  # its square is a float
_INPUTS = """
Parameters
----------
scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
y : labels in any form :func:`trueval.as_labels` takes
sample_weight : array-like of shape (n_rows,), optional
    How often the pairs of each object count.
"""


@shared_sections(inputs=_INPUTS)
def pooled_precision_recall_curve(
    scores: Any, y: Any, *, sample_weight: Any = None
) -> PrecisionRecallCurve:
    """Precision and recall of one threshold over all classes (micro average).

    {inputs}

    Returns
    -------
    PrecisionRecallCurve
        ``precision, recall, thresholds``, equal to
        ``sklearn.metrics.precision_recall_curve`` on the flattened arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import pooled_precision_recall_curve
    >>> scores = np.array([[0.9, 0.2], [0.4, 0.8]])
    >>> curve = pooled_precision_recall_curve(scores, [[1, 0], [0, 0]])
    >>> curve.thresholds.tolist(), curve.precision.round(2).tolist()
    ([0.2, 0.4, 0.8, 0.9], [0.25, 0.33, 0.5, 1.0, 1.0])
    """
    checked, labels = check_pair(scores, y)
    if labels.nnz == 0:
        raise InputError("y has no positives, so recall is undefined.")
    weights = row_weights(sample_weight, labels.n_rows, labels.index)
    if weights is not None:
        return _weighted_curve(checked, labels, weights)
    values, member_values = pooled_values(checked, labels)
    thresholds, first = np.unique(values, return_index=True)
    calls = (len(values) - first).astype(np.float64)
    hits = (len(member_values) - np.searchsorted(member_values, thresholds)).astype(np.float64)
    n_pairs = checked.n_rows * checked.n_classes
    if len(values) < n_pairs:
        thresholds = np.concatenate([[-np.inf], thresholds])
        calls = np.concatenate([[float(n_pairs)], calls])
        hits = np.concatenate([[float(labels.nnz)], hits])
    precision = np.append(hits / calls, 1.0)
    recall = np.append(hits / labels.nnz, 0.0)
    return PrecisionRecallCurve(precision, recall, thresholds)


@shared_sections(inputs=_INPUTS)
def average_precision(scores: Any, y: Any, *, sample_weight: Any = None) -> float:
    """Area under the pooled precision-recall curve, as a sum of steps.

    {inputs}

    Returns
    -------
    float
        Equal to ``sklearn.metrics.average_precision_score(average="micro")``.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.rank import average_precision
    >>> average_precision(np.array([[0.9, 0.2], [0.4, 0.8]]), [[1, 0], [1, 0]])
    0.8333333333333333
    """
    checked, labels = check_pair(scores, y)
    if labels.nnz == 0:
        raise InputError("y has no positives, so the average precision is undefined.")
    weights = row_weights(sample_weight, labels.n_rows, labels.index)
    if weights is not None:
        return _weighted_curve(checked, labels, weights).average_precision
    values, member_values = pooled_values(checked, labels)
    distinct, first, count = np.unique(member_values, return_index=True, return_counts=True)
    hits = len(member_values) - first
    calls = len(values) - np.searchsorted(values, distinct)
    area = float(np.sum(count * (hits / calls)))
    n_missed = labels.nnz - len(member_values)
    if n_missed:
        area += n_missed * labels.nnz / (checked.n_rows * checked.n_classes)
    return area / labels.nnz


def _weighted_curve(scores: Scores, labels: Labels, weights: Float) -> PrecisionRecallCurve:
    """The curve where the pairs of an object count as often as its weight says."""
    rows, _, values = scores.stored
    order = np.argsort(values)[::-1]
    counted = order[weights[rows[order]] > 0]
    weight, value = weights[rows[counted]], values[counted]
    ends = np.flatnonzero(np.append(value[1:] != value[:-1], True)[: len(value)])
    calls = np.cumsum(weight)[ends]
    hits = np.cumsum(weight * member_mask(scores, labels)[counted])[ends]
    thresholds = value[ends]
    total = float(weights @ np.diff(labels.indptr))
    if total == 0:
        raise InputError("all positives of y are of objects with weight 0.")
    if len(values) < scores.n_rows * scores.n_classes:
        thresholds = np.append(thresholds, -np.inf)
        calls = np.append(calls, weights.sum() * scores.n_classes)
        hits = np.append(hits, total)
    precision, recall = hits / calls, hits / total
    return PrecisionRecallCurve(
        np.append(precision[::-1], 1.0), np.append(recall[::-1], 0.0), thresholds[::-1]
    )


@constrained(
    beta=BETA,
    threshold=(NONE, Where(lambda t: t == t and float(t) == t, "a number")),
    average=Choice(("micro", "macro")),
)
def f_measure(
    calls: Any, y: Any, *, beta: float = 1.0, threshold: float | None = None, average: str = "micro"
) -> float:
    """F-beta of calls, pooled over classes or as the mean of the classes.

    Parameters
    ----------
    calls : array or sparse matrix of shape (n_rows, n_classes)
        0/1 calls; or, with ``threshold``, scores.
    y : labels in any form :func:`trueval.as_labels` takes
    beta : float, default=1.0
        Weight of recall: (1 + β²)/(1/precision + β²/recall).
    threshold : float, optional
        Call the pairs whose score is at least this.
    average : {"micro", "macro"}, default="micro"

    Returns
    -------
    float
        Equal to ``sklearn.metrics.fbeta_score``; 0 where nothing is called and
        nothing is to be found.

    Examples
    --------
    >>> from trueval.rank import f_measure
    >>> f_measure([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.8
    >>> f_measure([[0.9, 0.1], [0.6, 0.7]], [[1, 0], [0, 1]], threshold=0.5)
    0.8
    """
    labels = as_labels(y)
    predicted = as_labels(calls).matrix if threshold is None else _at_least(calls, threshold)
    if predicted.shape != labels.shape:
        raise InputError(
            f"calls has shape {tuple(predicted.shape)} but y has {tuple(labels.shape)}; they must "
            "be the same objects and classes."
        )
    right = predicted.multiply(labels.matrix)
    sums = [
        np.asarray(m.sum(axis=0)).ravel().astype(float) for m in (right, predicted, labels.matrix)
    ]
    if average == "micro":
        sums = [np.array([s.sum()]) for s in sums]
    return float(np.mean(f_beta(sums[0], sums[1], sums[2], beta)))


def f_beta(hits: Any, calls: Any, positives: Any, beta: float) -> Float:
    """F-beta from counts: (1 + β²)·hits/(calls + β²·positives), 0 for 0/0.

    >>> from trueval.rank._curves import f_beta
    >>> float(f_beta(2.0, 3.0, 2.0, 1.0))
    0.8
    """
    below = np.asarray(calls + beta**2 * positives, dtype=np.float64)
    return np.where(below > 0, (1 + beta**2) * hits / np.where(below > 0, below, 1.0), 0.0)


def pooled_values(scores: Scores, labels: Labels) -> tuple[Float, Float]:
    """Sorted values of all stored pairs, and of the members among them."""
    if not scores.is_sparse:
        coo = labels.matrix.tocoo()
        members = scores.matrix[coo.row, coo.col]
        return np.sort(scores.matrix, axis=None), np.sort(members)
    data = scores.by_class.data
    return np.sort(data), np.sort(data[member_mask(scores, labels)])


def member_mask(scores: Scores, labels: Labels) -> NDArray[np.bool_]:
    """Which of the stored pairs are members, in the order of ``scores.stored``."""
    members = labels.by_class
    if not scores.is_sparse:
        flat = np.zeros(scores.n_rows * scores.n_classes, dtype=bool)
        columns = np.repeat(np.arange(scores.n_classes), np.diff(members.indptr))
        flat[columns * scores.n_rows + members.indices] = True
        return flat
    mask = np.zeros(scores.matrix.nnz, dtype=bool)
    pointers, rows = scores.by_class.indptr, scores.by_class.indices
    for k in range(scores.n_classes):
        mine = rows[pointers[k] : pointers[k + 1]]
        theirs = members.indices[members.indptr[k] : members.indptr[k + 1]]
        if len(mine) and len(theirs):
            at = np.searchsorted(theirs, mine)
            at[at == len(theirs)] = 0
            mask[pointers[k] : pointers[k + 1]] = theirs[at] == mine
    return mask


def _at_least(scores: Any, threshold: float) -> sp.csr_array:
    checked = as_scores(scores)
    rows, classes, values = checked.stored
    called = values >= threshold
    ones = np.ones(int(called.sum()), dtype=np.int32)
    shape = (checked.n_rows, checked.n_classes)
    return sp.csr_array((ones, (rows[called], classes[called])), shape=shape)
