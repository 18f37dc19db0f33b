"""PMBSRS (Charte and others 2016): strata of rows with similar label frequencies.

Rows are ordered by the product of the relative frequencies of their labels, the
list is cut into as many strata as parts, and each part takes its share of every
stratum at random.

The product underflows on rows with many labels, so its logarithm is used. The
empty product is 1: rows without labels stand at the common end of the order,
beside rows whose labels nearly everybody has. (Charte's R code puts them at the
other end; within one stratum it makes no difference.)
"""

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.docs import shared_sections
from trueval.core.labels import Labels
from trueval.core.params import constrained
from trueval.core.random import as_generator
from trueval.stratify._inputs import INPUTS, reads_inputs
from trueval.stratify._parts import Parts, spread

__all__ = ["pmbsrs_folds"]


@reads_inputs
@constrained()
@shared_sections(inputs=INPUTS)
def pmbsrs_folds(labels: Labels, parts: Parts, *, random_state: object = None) -> NDArray[np.int32]:
    """Fold by strata of similar label frequency.

    {inputs}

    Returns
    -------
    ndarray of int32
        Part number of each row; sizes are exact.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.pmbsrs import pmbsrs_folds
    >>> labels = np.repeat([[1, 0], [1, 1], [0, 0]], 4, axis=0)
    >>> np.bincount(pmbsrs_folds(labels, 3, random_state=0))
    array([4, 4, 4])
    """
    generator = as_generator(random_state)
    frequency = np.maximum(labels.class_sizes, 1) / labels.n_rows  # empty classes are not used
    score = _kernels.row_sums(labels.indptr, labels.indices, None, np.log(frequency))
    # Rounded, so that the order in which logarithms are added cannot matter.
    order = np.argsort(score.round(9), kind="stable")
    for stratum in np.array_split(np.arange(labels.n_rows), parts.n_parts):
        order[stratum] = generator.permutation(order[stratum])
    folds = np.empty(labels.n_rows, dtype=np.int32)
    folds[order] = spread(parts.sizes(generator))
    return folds
