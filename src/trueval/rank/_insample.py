"""Scores of objects that a model was trained on, and how to notice them.

Two signs: a ranking that is nearly perfect, and values that equal the labels' own rates.
On Yeast an F of 0.95 claimed on such scores became 0.61 on new objects.
"""

import numpy as np

from trueval.core.errors import warn_user
from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.rank._curves import average_precision, member_mask
from trueval.rank._warn import InSampleWarning

__all__ = ["warn_in_sample"]

TOO_GOOD = 0.97  # pooled average precision from which scores look in-sample


def warn_in_sample(values: Scores, labels: Labels) -> None:
    """Warn when the values know these labels too well."""
    why = None
    if _repeats_labels(values, labels):
        why = "they equal the labels' own rates, value by value"
    elif (area := average_precision(values, labels)) >= TOO_GOOD:
        why = f"their average precision is {area:.3f}"
    if why:
        warn_user(
            f"the scores look in-sample: {why}. A threshold from scores of objects that the model "
            "or ranker was trained on promises too much; use out-of-fold scores (cross_val_predict)"
            " and give the ranker to pick_threshold unfitted. If the model is that good, ignore "
            "this.",
            InSampleWarning,
        )


def _repeats_labels(values: Scores, labels: Labels) -> bool:
    """Whether groups of equal values in a class have just that share of members."""
    _, classes, value = values.stored
    if value.min() < 0 or value.max() > 1:
        return False  # no rates
    hit = member_mask(values, labels)
    key = np.round(value, 6)
    order = np.lexsort((key, classes))
    key, classes, hit = key[order], classes[order], hit[order]
    new = (key[1:] != key[:-1]) | (classes[1:] != classes[:-1])
    first = np.flatnonzero(np.concatenate([[True], new]))
    size = np.diff(np.append(first, len(key)))
    rate = np.add.reduceat(hit.astype(np.float64), first) / size
    inner = (rate > 0) & (rate < 1) & (size >= 3)
    if inner.sum() < 3:
        return False
    agree = np.abs(rate - key[first]) < 2e-6
    return bool(size[inner & agree].sum() > 0.9 * size[inner].sum())
