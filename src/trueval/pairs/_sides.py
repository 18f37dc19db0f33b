"""A split that comes as two tables of pairs, as rows of one table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError
from trueval.core.pairs import Pairs

__all__ = ["stack_sides"]

_Rows = NDArray[np.intp]


def stack_sides(
    known: Pairs, train: Pairs, test: Pairs, *, symmetric: bool = True
) -> tuple[Pairs, _Rows, _Rows]:
    """Both sides one below the other, with labels looked up among known pairs, and their rows.

    >>> known = Pairs([("a", "b"), ("c", "d")], [1, 0])
    >>> stacked, train, test = stack_sides(known, Pairs([("b", "a")]), Pairs([("c", "d")]))
    >>> stacked.y.tolist(), train.tolist(), test.tolist()
    ([1, 0], [0], [1])
    """
    pairs = np.concatenate([side.pairs.astype(np.str_) for side in (train, test)])
    y = None if known.y is None else _labels(known, pairs, train, test, symmetric)
    return Pairs(pairs, y), np.arange(len(train)), np.arange(len(train), len(pairs))


def _labels(
    known: Pairs, pairs: NDArray[np.str_], train: Pairs, test: Pairs, symmetric: bool
) -> NDArray[Any]:
    """Label of each pair; in either order, if the order means nothing."""
    by_pair: dict[tuple[str, str], set[Any]] = {}
    assert known.y is not None
    for (a, b), label in zip(known.pairs.astype(np.str_).tolist(), known.y.tolist(), strict=True):
        by_pair.setdefault((a, b), set()).add(label)
    labels = []
    for a, b in pairs.tolist():
        of_pair = by_pair.get((a, b)) or (by_pair.get((b, a)) if symmetric else None)
        if of_pair is None:
            raise InputError(
                f"the pair {a!r}, {b!r} is not among the given pairs, so its label is not known.",
                fix="Add it there.",
            )
        if len(of_pair) > 1:  # replicates: only the rows themselves tell which label is whose
            if train.y is None or test.y is None:
                raise InputError(
                    f"the pair {a!r}, {b!r} has several labels among the given pairs, so that "
                    "of its rows in training and test is not known.",
                    fix="Add a column y to both, or give row numbers.",
                )
            return np.concatenate([train.y, test.y])
        labels.append(next(iter(of_pair)))
    return np.array(labels)
