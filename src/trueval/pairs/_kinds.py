"""Whether the columns of pairs hold objects of one kind, for functions that make new pairs."""

from typing import Any

import numpy as np

from trueval.core.ids import SYMMETRIC, PairIndex
from trueval.core.pairs import Pairs, as_pairs
from trueval.core.params import NONE

__all__ = ["KINDS", "numbered_by_kind"]

#: ``symmetric`` of functions that make pairs: None reads the kinds from the columns.
KINDS = (NONE, *SYMMETRIC)


def numbered_by_kind(value: Pairs, symmetric: Any) -> PairIndex:
    """Number the objects; None finds out whether the columns hold one kind.

    New pairs of drugs and targets read as one kind would join drugs with drugs.
    """
    if symmetric is not None:
        return as_pairs(value, symmetric=symmetric)
    index = as_pairs(value)
    first = np.zeros(index.n_objects, dtype=bool)
    first[index.codes[:, 0]] = True
    if index.arity != 2 or first[index.codes[:, 1]].any():
        return index
    return as_pairs(value, symmetric=False)
