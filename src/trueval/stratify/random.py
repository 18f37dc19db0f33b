"""Random folds: exact sizes, labels ignored. The yardstick for all others."""

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.labels import Labels
from trueval.core.params import constrained
from trueval.core.random import as_generator
from trueval.stratify._inputs import FOLDS, reads_inputs
from trueval.stratify._parts import Parts

__all__ = ["random_folds"]


@reads_inputs
@constrained()
@shared_sections(returns=FOLDS)
def random_folds(
    labels: Labels,
    parts: Parts,
    *,
    random_state: object = None,
    groups: NDArray[np.int64] | None = None,
) -> NDArray[np.int32]:
    """Rows, or whole groups, to parts at random.

    Parameters
    ----------
    labels : labels in any form :func:`trueval.as_labels` takes
        Only its number of rows is used.
    parts : int, or sequence of shares or row counts
        As for :func:`~trueval.stratify.stratified_folds`.
    random_state : None, int, Generator or RandomState
    groups : ndarray of int, optional
        Group number of each row. Groups are dealt in random order, each to the
        part that is furthest from its wanted size.

    {returns}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.random import random_folds
    >>> labels = np.eye(6, dtype=int)
    >>> np.bincount(random_folds(labels, 3, random_state=0))
    array([2, 2, 2])
    """
    generator = as_generator(random_state)
    sizes = parts.sizes(generator)
    if groups is None:
        numbers = np.repeat(np.arange(parts.n_parts, dtype=np.int32), sizes)
        return generator.permutation(numbers)
    group_sizes = np.bincount(groups)
    part_of_group = np.empty(len(group_sizes), dtype=np.int32)
    room = sizes.astype(float)
    for group in generator.permutation(len(group_sizes)):
        part = int(np.argmax(room / sizes))
        part_of_group[group] = part
        room[part] -= group_sizes[group]
    return part_of_group[groups]
