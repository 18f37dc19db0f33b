"""Scores of objects that a model was trained on, and how to notice them.

Two signs: a ranking that is nearly perfect, and values that equal the labels' own rates.
On Yeast an F of 0.95 claimed on such scores became 0.61 on new objects.
"""

import numpy as np
import scipy.sparse as sp

from trueval.core.errors import warn_user
from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.rank._warn import InSampleWarning

__all__ = ["repeats_labels", "warn_in_sample"]

TOO_GOOD = 0.97  # pooled average precision from which scores look in-sample


def warn_in_sample(repeats: bool, area: float) -> None:
    """Warn when values repeat the labels, or have too good an average precision."""
    why = None
    if repeats:
        why = "they equal the labels' own rates, value by value"
    elif area >= TOO_GOOD:
        why = f"their average precision is {area:.3f}"
    if why:
        warn_user(
            f"the scores look in-sample: {why}. A threshold from scores of objects that the model "
            "or ranker was trained on promises too much; use out-of-fold scores (cross_val_predict)"
            " and give the ranker to pick_threshold unfitted. If the model is that good, ignore "
            "this.",
            InSampleWarning,
        )


def repeats_labels(values: Scores, labels: Labels) -> bool:
    """Whether groups of equal values in a class have just that share of members."""
    low, high = values.range
    if low < 0 or high > 1:
        return False  # no rates
    n_groups, n_inside, n_agreeing = 0, 0.0, 0.0
    columns = sp.csc_array(values.matrix) if values.is_sparse else None  # not kept
    for k in range(values.n_classes):
        members = labels.by_class.indices[slice(*labels.by_class.indptr[[k, k + 1]])]
        if columns is None:
            value, rows = values.matrix[:, k], np.arange(values.n_rows)
        else:
            part = slice(*columns.indptr[[k, k + 1]])
            value, rows = columns.data[part], columns.indices[part]
        key, inverse, size = np.unique(np.round(value, 6), return_inverse=True, return_counts=True)
        rate = np.bincount(inverse[np.isin(rows, members)], minlength=len(key)) / size
        inner = (rate > 0) & (rate < 1) & (size >= 3)
        n_groups += int(inner.sum())
        n_inside += float(size[inner].sum())
        n_agreeing += float(size[inner & (np.abs(rate - key) < 2e-6)].sum())
    return n_groups >= 3 and n_agreeing > 0.9 * n_inside
