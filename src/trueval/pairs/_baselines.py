"""Scores of pairs without features, and AUCs of scores object by object."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_binary, as_numbers
from trueval.core.errors import InputError
from trueval.core.ids import SYMMETRIC, PairIndex, names_of
from trueval.core.pairs import as_pairs
from trueval.core.params import constrained
from trueval.core.table import Table

__all__ = ["degree_scores", "identity_scores", "object_auc", "object_aucs"]


def identity_scores(
    index: PairIndex, y: NDArray[np.bool_], train: NDArray[np.intp], test: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Score test rows by the positive rates of their members in training.

    A member that training lacks has the rate of all training rows, so that rows
    of new objects all score the same.

    Parameters
    ----------
    index : PairIndex
    y : ndarray of bool
        Label of each row.
    train, test : ndarray of int
        Rows.

    Returns
    -------
    ndarray of float
        The sum of the members' rates.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.pairs import as_pairs, identity_scores
    >>> index = as_pairs([("a", "b"), ("a", "c"), ("d", "c"), ("a", "d"), ("e", "f")])
    >>> y = np.array([True, True, False, True, False])
    >>> identity_scores(index, y, np.array([0, 1, 2]), np.array([3, 4])).round(2).tolist()
    [1.0, 1.33]
    """
    members, first = _members(index, train)
    flat = members[first]
    label = np.broadcast_to(y[train][:, None], members.shape)[first]
    rows = np.bincount(flat, minlength=index.n_objects)
    positives = np.bincount(flat, label, minlength=index.n_objects)
    rate = np.divide(
        positives, rows, out=np.full(index.n_objects, float(y[train].mean())), where=rows > 0
    )
    return rate[index.canonical[test]].sum(axis=1)


def degree_scores(index: PairIndex, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Score rows by the product of their members' degrees among these rows.

    A row that has one object twice counts once for it.

    >>> index = as_pairs([("a", "b"), ("a", "c"), ("d", "e")])
    >>> degree_scores(index, np.arange(3)).tolist()
    [2.0, 2.0, 1.0]
    """
    members, first = _members(index, rows)
    degree = np.bincount(members[first], minlength=index.n_objects).astype(np.float64)
    return degree[members].prod(axis=1)


def _members(
    index: PairIndex, rows: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Members of rows, and which of them count: an object that a row has twice counts once."""
    members = np.sort(index.codes[rows], axis=1)
    first = np.ones(members.shape, dtype=bool)
    first[:, 1:] = members[:, 1:] != members[:, :-1]
    return members, first


@constrained(symmetric=SYMMETRIC)
def object_auc(pairs: Any, y: Any, scores: Any, *, symmetric: Any = True) -> Table:
    """AUC of scores among the pairs of each object.

    A model that scores objects with many positives high, whatever their partner, has a high AUC
    over all pairs, and one half for each object.

    Parameters
    ----------
    pairs : Pairs, PairIndex or array-like of shape (n_rows, 2)
    y : array-like of shape (n_rows,)
        Labels 0/1, -1/1 or bool.
    scores : array-like of shape (n_rows,)
    symmetric : bool or sequence, default=True
        Whether both columns hold objects of one kind; see :class:`ObjectKFold`.

    Returns
    -------
    Table
        ``object``, ``positives``, ``negatives``, ``auc`` of objects with both classes, in the
        order of their numbers. A pair counts for both of its objects.

    Examples
    --------
    >>> from trueval.pairs import object_auc
    >>> pairs = [("a", "b"), ("a", "c"), ("d", "b"), ("d", "c")]
    >>> object_auc(pairs, [1, 0, 0, 1], [0.9, 0.8, 0.2, 0.1])
    object  positives  negatives     auc
    a               1          1  1.0000
    b               1          1  1.0000
    c               1          1  0.0000
    d               1          1  0.0000
    """
    index = as_pairs(pairs, symmetric=symmetric)
    labels, values = as_binary(y), as_numbers(scores, "scores")
    if not len(labels) == len(values) == index.n_rows:
        raise InputError(
            f"{len(labels):,} labels and {len(values):,} scores for {index.n_rows:,} pairs."
        )
    objects, positives, negatives, auc = object_aucs(index, np.arange(index.n_rows), labels, values)
    ids = names_of(index, objects)
    columns = {"object": ids, "positives": positives, "negatives": negatives, "auc": auc}
    return Table(columns)


def object_aucs(
    index: PairIndex, rows: NDArray[np.intp], y: NDArray[np.bool_], scores: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Objects with both classes among these rows, their positives, negatives and AUC."""
    members, first = _members(index, rows)
    of_row = np.broadcast_to(np.arange(len(rows))[:, None], members.shape)[first]
    objects = members[first]
    order = np.lexsort((scores[of_row], objects))
    objects, score, label = objects[order], scores[of_row][order], y[of_row][order]
    new = np.ones(len(order), bool)  # where another score, or object, begins
    new[1:] = (objects[1:] != objects[:-1]) | (score[1:] != score[:-1])
    start = np.flatnonzero(new)
    length = np.diff(np.append(start, len(order)))
    rank = np.repeat(start + (length - 1) / 2, length)  # ties have their mean
    n = index.n_objects
    total = np.bincount(objects, minlength=n)
    before = np.cumsum(total) - total
    positives = np.bincount(objects, label, minlength=n).astype(np.int64)
    negatives = total - positives
    ranks = np.bincount(objects, label * (rank - before[objects]), minlength=n)
    both = np.flatnonzero((positives > 0) & (negatives > 0))
    pos, neg = positives[both], negatives[both]
    return both, pos, neg, (ranks[both] - pos * (pos - 1) / 2) / (pos * neg)
