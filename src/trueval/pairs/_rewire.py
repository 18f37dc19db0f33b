"""``rewire_pairs``: the same degrees with other partners, a control without any biology in it.

A model that scores as well after training on rewired positives has learned how often objects occur,
not which belong together (Bernett et al. 2024).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_binary
from trueval.core.errors import InputError, InputWarning, warn_user
from trueval.core.groups import group_numbers
from trueval.core.ids import names_of
from trueval.core.pairs import Pairs
from trueval.core.params import RANDOM_STATE, constrained
from trueval.core.random import as_generator
from trueval.pairs._exchanges import Exchanges, KeyCounts
from trueval.pairs._kinds import KINDS, numbered_by_kind

__all__ = ["rewire_pairs"]

#: Exchanges tried for each positive; about as many are needed to forget the start as to visit
#: every pair a few times.
_ROUNDS = 40
_UNCHANGED = 0.5  # share of positives as before that is worth a word


@constrained(symmetric=KINDS, random_state=RANDOM_STATE)
def rewire_pairs(
    pairs: Any,
    *,
    y: Any = None,
    groups: Any = None,
    symmetric: Any = None,
    random_state: Any = None,
) -> Pairs:
    """Exchange partners of positives at random, so that every object keeps its degree.

    Train your model on the result and score the real test pairs: what it still predicts comes
    from degrees. :func:`audit_pairs` compares the two scores.

    Parameters
    ----------
    pairs : Pairs or array-like of shape (n_pairs, 2)
        All pairs, or positives.
    y : array-like of shape (n_pairs,), optional
        Labels 0/1; those of ``Pairs`` if not given. Without any, all pairs are positives.
    groups : array-like of shape (n_pairs,), optional
        Partners are exchanged inside a group only: give the side of a split, so that no object
        changes sides.
    symmetric : bool or sequence, optional
        Whether both columns hold objects of one kind; see :class:`ObjectKFold`. If not, objects
        keep their column. By default columns without a common object hold two kinds; give
        ``symmetric=False`` where numbers of both kinds begin at 0.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    Pairs
        Rows in the same order with the same labels. Negatives are as they were; no rewired
        positive is a known negative, a self pair, or there twice.

    Warns
    -----
    InputWarning
        If more than half of the positives are still pairs that were positives before.

    Examples
    --------
    >>> from trueval.pairs import rewire_pairs
    >>> pairs = [(f"p{n}", f"p{n + 1}") for n in range(0, 200, 2)]
    >>> rewired = rewire_pairs(pairs, random_state=0)
    >>> len(set(rewired.pairs.ravel().tolist()))  # every object still has one pair
    200
    """
    value = pairs if isinstance(pairs, Pairs) else Pairs(pairs)
    labels = value.y if y is None else y
    index = numbered_by_kind(value, symmetric)
    if index.arity != 2:
        raise InputError(f"rows have {index.arity} objects; only pairs can be rewired.")
    positive = np.ones(len(value), bool) if labels is None else as_binary(labels)
    if len(positive) != len(value):
        raise InputError(f"y has {len(positive):,} labels but pairs has {len(value):,} rows.")
    part = np.zeros(len(value), np.int64)
    if groups is not None:
        part = group_numbers(groups, len(value))
    n = index.n_objects
    a, b = index.canonical[~positive].T
    generator = as_generator(random_state)
    forbidden = np.unique(np.append(a * n + b, -1))
    exchanges = Exchanges(n, index.n_kinds == 1, forbidden, generator)
    rows = np.flatnonzero(positive)
    codes = np.ascontiguousarray(index.codes[rows])
    before = exchanges.keys(codes)
    for _ in range(_ROUNDS):
        if index.n_kinds == 1:  # either member may go
            flip = generator.random(len(codes)) < 0.5
            codes[flip] = codes[flip, ::-1]
        one, two = _couples(part[rows], generator)
        # Not all of them: three pairs of two kinds would always end after an even number of
        # exchanges, and half of the results could not occur.
        wanted = generator.random(len(one)) < 0.9
        exchanges.apply(codes, one, two, wanted, KeyCounts(exchanges.keys(codes)))
    same = int(np.isin(exchanges.keys(codes), before).sum())
    if same > _UNCHANGED * len(codes):
        warn_user(
            f"{same:,} of {len(codes):,} rewired positives are positives as before: their degrees "
            "allow few other pairs.",
            InputWarning,
            fix="Read the comparison with care: this control still holds true pairs.",
        )
    rewired = value.pairs.copy()
    rewired[rows] = names_of(index, codes).astype(rewired.dtype)
    return Pairs(rewired, labels, value.weight)


def _couples(
    groups: NDArray[np.int64], generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows in pairs of one group, drawn at random."""
    order = generator.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    one, two = order[0 : len(order) // 2 * 2 : 2], order[1::2]
    same = groups[one] == groups[two]
    return one[same], two[same]
