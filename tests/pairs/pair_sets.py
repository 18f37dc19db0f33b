"""Random sets of pairs, and folds of them."""

import warnings
from itertools import combinations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from trueval import _kernels
from trueval.core.errors import InputError
from trueval.pairs import UnscorableFoldWarning
from trueval.pairs._parts import _incidence

quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def kernel_parts(problem, shares, start, sweeps, seed, *, stratify=False, keep=False, moves=None):
    """Cost and parts after so many sweeps of the kernel; ``keep`` is for many pairs inside."""
    row_items, weight, positive, kind_start, size = problem
    part, touch = start.copy(), _incidence(row_items, len(start))
    degrees = (touch @ weight, touch @ (weight * positive))
    cost = _kernels.balance_parts(
        touch.indptr.astype(np.int64),
        touch.indices.astype(np.int32),
        row_items.astype(np.int32).reshape(-1),
        weight,
        positive.astype(np.uint8),
        kind_start.astype(np.int64),
        size,
        *((np.zeros(len(start)),) * 2 if keep else degrees),
        shares,
        stratify,
        keep,
        bool((size != size[0]).any()) if moves is None else moves,
        sweeps,
        4,
        *((3.0, 0.15) if keep else (1.0, 1.0)),
        seed,
        part,
    )
    return cost, part


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
