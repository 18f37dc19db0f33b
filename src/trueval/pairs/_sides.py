"""A split that comes as two tables of pairs, as rows of one table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError
from trueval.core.named import as_text
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
    pairs = np.concatenate([as_text(side.pairs) for side in (train, test)])
    _refuse_unknown(known, pairs, symmetric)
    y = None if known.y is None else _labels(known, pairs, train, test, symmetric)
    return Pairs(pairs, y), np.arange(len(train)), np.arange(len(train), len(pairs))


def _refuse_unknown(known: Pairs, pairs: NDArray[np.str_], symmetric: bool) -> None:
    """Refuse pairs that are not among the known ones: other columns, or other names, were read."""
    listed = {(a, b) for a, b in as_text(known.pairs).tolist()}
    if symmetric:
        listed |= {(b, a) for a, b in listed}
    unknown = [(a, b) for a, b in pairs.tolist() if (a, b) not in listed]
    if unknown:
        a, b = unknown[0]
        raise InputError(
            f"{len(unknown):,} of {len(pairs):,} pairs of training and test are not among the "
            f"given pairs, the first {a!r}, {b!r}.",
            fix=Fix("Add them there, or choose the id columns: pass {}.", "columns"),
        )


def _labels(
    known: Pairs, pairs: NDArray[np.str_], train: Pairs, test: Pairs, symmetric: bool
) -> NDArray[Any]:
    """Label of each pair; in either order, if the order means nothing."""
    by_pair: dict[tuple[str, str], set[Any]] = {}
    assert known.y is not None
    for (a, b), label in zip(as_text(known.pairs).tolist(), known.y.tolist(), strict=True):
        by_pair.setdefault((a, b), set()).add(label)
    labels = []
    for a, b in pairs.tolist():
        of_pair = by_pair.get((a, b)) or by_pair[(b, a)]
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
