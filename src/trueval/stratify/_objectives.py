"""What a search lowers: rLD, DCP, LD, the label pair distribution (LPD), or a sum of them.

``anneal`` lowers a sum over classes of slope · abs(c − D·w) (see :mod:`._costs`), so a measure is a
weight of each class, in units of what the class counts for in rLD:

- *rLD*: 1.
- *LD*: the odds x/(1 − x) have the slope 1/(1 − d)² at d = D/n, so to first order a class counts
  d/(1 − d)² times what it counts in rLD.
- *LPD*: the same of label pairs, which are classes of their own then.
- *DCP* looks at the fullest part alone, which is no sum. What is lowered is the sum over parts of
  the positives above the least possible maximum, an upper bound of the excess of DCP; both
  are 0 together.

LD and LPD give all small classes the same price, which leaves a search without an order in which
to settle them: alone, it ends higher than with some rLD beside. So where neither rLD nor DCP was
asked for, every class also counts ``_GUIDE`` times the mean of the weights.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import ParameterError
from trueval.core.labels import Labels
from trueval.core.params import Choice, Where
from trueval.stratify._inputs import WEIGHT
from trueval.stratify._items import Ranks, rank_classes
from trueval.stratify._label_sets import MAX_PAIRS, label_sets

__all__ = ["MEASURE", "MEASURES", "objective"]

_GUIDE = 2.0
MEASURES = ("rld", "dcp", "ld", "lpd")
_WORDS = (
    "one of 'rld', 'dcp', 'ld' and 'lpd', or their weights, such as {'rld': 1, 'ld': 10} (a "
    "callable needs method='optisplit')"
)


def _are_weights(measure: Any) -> bool:
    return (
        isinstance(measure, Mapping)
        and len(measure) > 0
        and all(name in MEASURES for name in measure)
        and all(WEIGHT.accepts(weight) for weight in measure.values())
        and any(w > 0 for w in measure.values())
    )


#: What ``measure`` of "anneal" may be.
MEASURE = (
    Choice(MEASURES),
    Where(_are_weights, "a mapping of them to weights up to 1e30 such as {'rld': 1, 'ld': 10}"),
)


def objective(labels: Labels, measure: Any) -> tuple[Labels, Ranks]:
    """Classes that count, label pairs among them for LPD, numbered, with their weights.

    >>> from trueval.core.labels import as_labels
    >>> labels = as_labels(np.array([[1, 0], [1, 1], [0, 0]]))
    >>> _, ranks = objective(labels, {"ld": 1, "rld": 1})
    >>> ranks.size, ranks.weight  # 1 + d/(1 − d)² of 2/3 and 1/3
    (array([2., 1.]), array([7.  , 1.75]))
    """
    if callable(measure):
        raise ParameterError("measure", _WORDS, measure, "anneal_folds")
    weights = {measure: 1.0} if isinstance(measure, str) else measure
    rld, dcp, ld, lpd = (float(weights.get(name, 0.0)) for name in MEASURES)
    n_classes = max(int((labels.class_sizes > 0).sum()), 1)
    single = np.ones(labels.n_classes)
    pairs = 0.0
    if lpd > 0 and labels.nnz:  # without a positive there is no pair, and no class is left
        sets = label_sets(labels, 2, MAX_PAIRS, "measure 'lpd'")
        labels, single = sets.labels, (sets.order == 1).astype(float)
        n_pairs = int((sets.order == 2).sum())
        pairs = lpd * n_classes / max(n_pairs, 1)  # means over classes, and over pairs
    weight = rld * single
    if ld > 0 or pairs > 0:
        counts = _odds_slope(labels) * (ld * single + pairs * (1 - single))
        weight = weight + counts
        if rld == 0 and dcp == 0:
            weight = weight + _GUIDE * counts.mean()
    return labels, rank_classes(labels, weight, dcp * single)


def _odds_slope(labels: Labels) -> NDArray[np.float64]:
    """Relative slope of the odds, d/(1 − d)²; 0 for a class of all rows."""
    size = labels.class_sizes.astype(float)
    rest = labels.n_rows - size
    return np.where(rest > 0, size * labels.n_rows / np.maximum(rest, 1.0) ** 2, 0.0)
