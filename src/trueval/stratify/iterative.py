"""Iterative stratification, of labels (IS) and of label pairs (SOIS).

IS (Sechidis, Tsoumakas and Vlahavas 2011) takes the label with the fewest rows
left, ties at random, and gives each of its rows to the part with the largest
remaining demand for that label, then the largest remaining demand for rows, then
at random. Rows without labels come last.

For the same seed the folds equal those of the PyPI package
``iterative-stratification`` 0.1.9, at O(positives) instead of O(rows · labels²).

SOIS (Szymański and Kajdanowicz 2017) does the same with pairs of labels that
occur together as the labels, each label with itself included; ``order`` takes larger
sets too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.docs import shared_sections
from trueval.core.labels import Labels
from trueval.core.params import BOOL, Interval, constrained
from trueval.core.random import as_random_state
from trueval.stratify._inputs import CLOSE, FOLDS, INPUTS, reads_inputs
from trueval.stratify._label_sets import MAX_PAIRS, label_sets
from trueval.stratify._parts import Parts

__all__ = ["iterative2_folds", "iterative_folds"]


@reads_inputs
@constrained(shuffle=BOOL)
@shared_sections(inputs=INPUTS, returns=CLOSE)
def iterative_folds(
    labels: Labels, parts: Parts, *, random_state: object = None, shuffle: bool = True
) -> NDArray[np.int32]:
    """Iterative stratification (IS).

    {inputs}
        Turned into a legacy RandomState, whose draws the published
        implementation repeats.
    shuffle : bool, default=True
        Visit the rows of a label in random instead of given order.

    {returns}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.iterative import iterative_folds
    >>> labels = np.repeat([[1, 0], [1, 1]], 4, axis=0)
    >>> folds = iterative_folds(labels, 2, random_state=0)
    >>> np.bincount(folds[4:])
    array([2, 2])
    """
    return _stratify(labels.indptr, labels.indices, labels.n_classes, parts, random_state, shuffle)


@reads_inputs
@constrained(shuffle=BOOL, order=Interval(int, 1), max_pairs=Interval(int, 0))
@shared_sections(inputs=INPUTS, returns=FOLDS)
def iterative2_folds(
    labels: Labels,
    parts: Parts,
    *,
    random_state: object = None,
    shuffle: bool = True,
    order: int = 2,
    max_pairs: int = MAX_PAIRS,
) -> NDArray[np.int32]:
    """Second-order iterative stratification (SOIS), or that of any order.

    Costs time and memory in proportion to the number of label sets: for order 2 the sum of
    L(L + 1)/2 over rows with L labels.

    {inputs}
    shuffle : bool, default=True
    order : int, default=2
        Sets of up to so many labels are stratified; 1 is IS.
    max_pairs : int, default=200_000_000
        Refuse data with more label sets; each needs about 80 bytes.

    {returns}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.iterative import iterative2_folds
    >>> labels = np.repeat([[1, 0], [0, 1], [1, 1]], 4, axis=0)
    >>> folds = iterative2_folds(labels, 2, random_state=0)
    >>> np.bincount(folds[8:])
    array([2, 2])
    """
    sets = label_sets(labels, order, max_pairs, f"method 'iterative2' of order {order}").labels
    return _stratify(sets.indptr, sets.indices, sets.n_classes, parts, random_state, shuffle)


def _stratify(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    n_classes: int,
    parts: Parts,
    random_state: object,
    shuffle: bool,
) -> NDArray[np.int32]:
    random = as_random_state(random_state)
    order = np.arange(parts.n_rows)
    if shuffle:
        random.shuffle(order)
    # The kernel continues the caller's Mersenne Twister and hands it back.
    state: dict[str, Any] = random.get_state(legacy=False)
    twister = state["state"]
    twister["key"] = np.array(twister["key"], dtype=np.uint32)
    folds, twister["pos"] = _kernels.iterative_stratification(
        indptr, indices, order, n_classes, parts.shares, twister["key"], int(twister["pos"])
    )
    random.set_state(state)
    return folds
