"""Average precision and AUC of every class, from one sort of the stored scores; and of folds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.rank._curves import average_precision, member_mask

__all__ = ["class_means", "class_measures", "fold_measures"]

Float = NDArray[np.float64]


def class_measures(scores: Scores, labels: Labels) -> tuple[Float, Float]:
    """Average precision and area under the ROC curve of each class.

    Rows without a stored score are one tie below all others. A class without positives has
    neither measure, and one without negatives no AUC: NaN.

    Examples
    --------
    >>> from trueval import as_labels
    >>> from trueval.core.scores import as_scores
    >>> scores = as_scores([[0.9, 0.1], [0.4, 0.5], [0.6, 0.2]])
    >>> precision, auc = class_measures(scores, as_labels([[1, 0], [1, 0], [0, 0]]))
    >>> precision.round(3).tolist(), auc.tolist()
    ([0.833, nan], [0.5, nan])
    """
    n, n_classes = scores.shape
    positives = np.asarray(labels.class_sizes, dtype=np.float64)
    negatives = n - positives
    _, classes, values = scores.stored
    order = np.lexsort((-values, classes))
    owner, value = classes[order], values[order]
    hits = np.cumsum(member_mask(scores, labels)[order], dtype=np.float64)
    # Rows of one class and one score are a group; its last place holds the running counts.
    last = np.flatnonzero(
        np.append((np.diff(owner) != 0) | (np.diff(value) != 0), True)[: len(owner)]
    )
    group = owner[last]
    all_hits, all_calls = hits[last], (last + 1).astype(np.float64)
    first = np.searchsorted(group, np.arange(n_classes))  # the first group of each class
    before = np.concatenate([[0.0], all_hits])[first]
    calls_before = np.concatenate([[0.0], all_calls])[first]
    through, calls = all_hits - before[group], all_calls - calls_before[group]
    gained = np.diff(all_hits, prepend=0.0)
    wrong = np.diff(all_calls, prepend=0.0) - gained
    area: Float = np.bincount(group, gained * through / calls, n_classes).astype(np.float64)
    below = negatives[group] - (calls - through)
    wins: Float = np.bincount(group, gained * (below + wrong / 2), n_classes).astype(np.float64)
    missed = positives - np.bincount(group, gained, n_classes)
    unseen = negatives - np.bincount(group, wrong, n_classes)
    area = area + missed * positives / n
    wins = wins + missed * unseen / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(positives > 0, area / positives, np.nan)
        auc = np.where(positives * negatives > 0, wins / (positives * negatives), np.nan)
    return precision, auc


def class_means(table: Float) -> Any:
    """Mean over the last axis, of what is known; NaN where nothing is."""
    known = ~np.isnan(table)
    n = known.sum(axis=-1)
    total = np.where(known, table, 0.0).sum(axis=-1)
    return np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)


_OF_FOLD = (
    *("fold", "rows", "positives", "average_precision", "macro_average_precision", "macro_auc"),
    *("predictions", "precision", "recall"),
)


def fold_measures(
    values: Scores, labels: Labels, folds: NDArray[np.int32], threshold: float | None
) -> dict[str, Any]:
    """Measures of each fold on its own, and of its predictions at a threshold if there is one."""
    lines = []
    for fold in np.unique(folds).tolist():
        rows = np.flatnonzero(folds == fold)
        mine, truth = values.take(rows), labels.take(rows)
        line: dict[str, Any] = dict.fromkeys(_OF_FOLD)
        line |= {"fold": fold, "rows": len(rows), "positives": truth.nnz}
        if truth.nnz:
            areas, auc = class_measures(mine, truth)
            line["average_precision"] = average_precision(mine, truth)
            line["macro_average_precision"] = class_means(areas)
            line["macro_auc"] = class_means(auc)
        if threshold is not None:
            called = mine.stored[2] >= threshold
            hits = int((called & member_mask(mine, truth)).sum())
            line["predictions"] = int(called.sum())
            line["precision"] = hits / line["predictions"] if line["predictions"] else None
            line["recall"] = hits / truth.nnz if truth.nnz else None
        lines.append(line)
    return {name: [line[name] for line in lines] for name in _OF_FOLD}
