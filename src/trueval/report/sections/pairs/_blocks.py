"""``blocks_of``: what one fold does with the pairs of each two parts of objects."""

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, ParameterError
from trueval.core.ids import PairIndex
from trueval.core.pairs import as_pairs
from trueval.core.params import Interval, constrained
from trueval.pairs._each_fold import each_fold
from trueval.report._section import Data

__all__ = ["blocks_of"]

MAX_PARTS = 12  # of the picture
MAX_FOLDS = 100  # looked at to find the parts


@constrained(fold=Interval(int, 0))
def blocks_of(cv: Any, pairs: Any, y: Any = None, *, fold: int = 0) -> Data:
    """Count what one fold does with the pairs of each two parts of objects.

    Parts are objects that are always held out together; with many of them, the ones
    that this fold does not hold out are shown in groups.

    Parameters
    ----------
    cv : splitter, or sequence of (train, test)
    pairs : array-like of shape (n_rows, 2)
    y : array-like, optional
        Labels, if the splitter gets them too.
    fold : int, default=0

    Returns
    -------
    dict
        ``rows`` and ``columns`` (names of the parts), ``cells`` (``row``, ``column``,
        ``train``, ``test``, ``dropped``), ``fold``, ``n_train``, ``n_test``,
        ``n_dropped``.

    Examples
    --------
    >>> from itertools import combinations
    >>> from trueval.pairs import ObjectKFold
    >>> from trueval.report import blocks_of
    >>> pairs = list(combinations(range(9), 2))
    >>> picture = blocks_of(ObjectKFold(3, random_state=0), pairs)
    >>> picture["rows"], picture["n_train"], picture["n_test"], picture["n_dropped"]
    (['held out', 'part 2', 'part 3'], 15, 3, 18)
    """
    index = as_pairs(pairs, symmetric=getattr(cv, "symmetric", True), y=y)
    if index.arity != 2:
        raise InputError(f"blocks_of draws pairs; these rows have {index.arity} members each.")
    held_out, train, test = _look(cv, pairs, y, index, fold)
    part, names = _parts(held_out, fold, index, train, test)
    use = np.zeros(index.n_rows, dtype=np.int64)
    use[train] = 1
    use[test] = 2
    kinds = index.kind_of_column
    sides = index.codes if kinds[0] != kinds[1] else np.sort(part[index.codes], axis=1)
    place = part[sides] if kinds[0] != kinds[1] else sides
    n = len(names)
    counts = np.zeros((n, n, 3), dtype=np.int64)
    np.add.at(counts, (place[:, 0], place[:, 1], use), 1)
    if kinds[0] == kinds[1]:  # a pair has no direction: both halves show it
        lower = np.tril_indices(n, -1)
        counts[lower] = counts[lower[1], lower[0]]
    axes = [np.unique(part[np.unique(index.codes[:, c])]) for c in (0, 1)]
    if kinds[0] == kinds[1]:
        axes = [np.union1d(*axes)] * 2
    cells = [
        {
            "row": names[i],
            "column": names[j],
            "train": int(counts[i, j, 1]),
            "test": int(counts[i, j, 2]),
            "dropped": int(counts[i, j, 0]),
        }
        for i in axes[0]
        for j in axes[1]
    ]
    return {
        "rows": [names[i] for i in axes[0]],
        "columns": [names[j] for j in axes[1]],
        "cells": cells,
        "fold": int(fold),
        "n_train": int((use == 1).sum()),
        "n_test": int((use == 2).sum()),
        "n_dropped": int((use == 0).sum()),
    }


def _look(
    cv: Any, pairs: Any, y: Any, index: PairIndex, fold: int
) -> tuple[NDArray[np.bool_] | None, NDArray[np.intp], NDArray[np.intp]]:
    """Objects each of the first folds holds out (if it knows), and one fold's rows."""
    by_fold: list[NDArray[np.bool_]] = []
    chosen = None
    for number, one in enumerate(islice(each_fold(cv, pairs, y, index), MAX_FOLDS + fold)):
        if one.held_out is not None:
            by_fold.append(one.held_out)
        if number == fold:
            chosen = one
    if chosen is None:
        raise ParameterError("fold", "a fold of the splitter", fold, "blocks_of")
    return (np.array(by_fold) if by_fold else None), chosen.train, chosen.test


def _parts(
    held_out: NDArray[np.bool_] | None,
    fold: int,
    index: PairIndex,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> tuple[NDArray[np.int64], list[str]]:
    """Part of each object and the names of the parts, the held-out ones first."""
    if held_out is None:  # a split of rows: all that can be said is where an object occurs
        seen, tested = np.zeros((2, index.n_objects), dtype=bool)
        seen[index.codes[train].reshape(-1)] = True
        tested[index.codes[test].reshape(-1)] = True
        part = np.where(tested & ~seen, 0, np.where(tested, 1, np.where(seen, 2, 3)))
        return part, ["only in validation", "on both sides", "only in training", "in neither"]
    _, part = np.unique(held_out, axis=1, return_inverse=True)
    part = part.reshape(-1)
    mine = held_out[fold]
    out, rest = np.unique(part[mine]), np.unique(part[~mine])
    new = np.empty(part.max() + 1, dtype=np.int64)
    n_out = min(len(out), MAX_PARTS // 2)
    n_rest = min(len(rest), MAX_PARTS - n_out)
    new[out] = np.arange(len(out)) * n_out // max(len(out), 1)
    new[rest] = n_out + np.arange(len(rest)) * n_rest // max(len(rest), 1)
    names = ["held out"] if n_out == 1 else [f"held out {i + 1}" for i in range(n_out)]
    whole = len(rest) == n_rest
    names += [f"{'part' if whole else 'group'} {n_out + i + 1}" for i in range(n_rest)]
    return new[part], names
