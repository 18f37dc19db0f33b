"""Random sets of pairs, and folds of them."""

import warnings
from itertools import combinations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from trueval.core.errors import InputError
from trueval.pairs import (
    UnscorableFoldWarning,
)

quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def complete(n):
    return np.array(list(combinations(range(n), 2)))


def bipartite(n_drugs=9, n_targets=12):
    return np.array([(f"d{i}", f"t{j}") for i in range(n_drugs) for j in range(n_targets)])


@st.composite
def pair_sets(draw, least=6, most=14):
    """Incomplete pairs with duplicates, mirror images and self pairs, ids as strings."""
    n = draw(st.integers(least, most))
    rows = draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), min_size=5, max_size=50)
    )
    rows += [(o, (o + 1) % n) for o in range(n)]  # every object occurs
    return np.array([(f"o{a:02}", f"o{b:02}") for a, b in rows])


def folds_or_none(cv, pairs, y=None):
    """Folds, or None where a training set would be empty or objects are too few."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnscorableFoldWarning)
        try:
            return list(cv.folds(y=y, groups=pairs))
        except InputError:
            return None
