"""Random groups, parts with room for them, and groups that are placed already."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from trueval.stratify._group_problem import Problem

SHARES = st.sampled_from([[0.5, 0.5], [0.8, 0.2], [1 / 3] * 3, [0.6, 0.3, 0.1], [0.3, 0.3, 0.4]])


@st.composite
def placements(draw):
    """Groups in given numbers, limits of parts, and parts of some groups that are placed."""
    shares = np.array(draw(SHARES))
    n_groups, n_classes = draw(st.integers(2, 6)), draw(st.integers(1, 5))
    rows = np.array(draw(st.lists(st.integers(1, 9), min_size=n_groups, max_size=n_groups)))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    members = generator.binomial(rows[:, None], generator.random(n_classes), (n_groups, n_classes))
    members[draw(st.integers(0, n_groups - 1)), members.sum(axis=0) == 0] = 1
    limits = np.full(len(shares), rows.sum())
    if draw(st.booleans()):
        limits = np.ceil(shares * rows.sum()).astype(np.int64) + draw(st.integers(0, 6))
    order = generator.permutation(n_groups)
    n_placed = draw(st.integers(0, n_groups))
    assignment = tuple(generator.integers(len(shares), size=n_placed).tolist())
    return members, rows, shares, limits, order, assignment


def problem_of(rows, members, shares, limits):
    """Groups of so many rows, what they have of each class, and parts with so much space."""
    members = np.array(members)
    return Problem(
        sp.csc_array(members), np.array(rows), members.sum(axis=0), np.array(shares),
        np.array(limits),
    )  # fmt: skip
