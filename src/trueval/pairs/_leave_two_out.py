"""One fold for each pair of objects."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trueval.core.clusters import cluster_codes
from trueval.core.ids import SYMMETRIC, PairIndex, canonical_members, number_rows
from trueval.core.pairs import as_pairs
from trueval.core.params import Constraints
from trueval.pairs._folding import (
    SCHEME,
    ObjectSplitter,
)

__all__ = ["ObjectLeaveTwoOut", "held_out_labels", "labels_of"]


class ObjectLeaveTwoOut(ObjectSplitter):
    """Object-leave-two-out: one fold for each pair of objects that has an instance.

    The index arrays of a fold are made when it is asked for; a list of all of them
    takes rows² numbers, so loop over :meth:`split` and keep nothing, or use
    :func:`pooled_scores`.

    Parameters
    ----------
    scheme : {"strict", "relaxed"}, default="strict"
        What to train on: pairs of which no member is held out, or all pairs that
        are not validated.
    symmetric : bool or sequence, default=True
        True: one kind of object, (b, a) is (a, b). False: each column its own
        kind, as (drug, target).
    clusters : mapping or array, optional
        Cluster of each object: leave two clusters out.

    Notes
    -----
    A fold validates all rows inside its two objects: the pair, its replicates and
    mirror images, and self pairs (o, o) of the two. A self pair also has a fold of
    its own, with one object held out. Without self pairs, every row is validated
    exactly once.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.pairs import ObjectLeaveTwoOut
    >>> pairs = np.array([("a", "b"), ("b", "c"), ("c", "d"), ("b", "a")])
    >>> for train, test in ObjectLeaveTwoOut(scheme="relaxed").split(groups=pairs):
    ...     print(train, test)
    [1 2] [0 3]
    [0 2 3] [1]
    [0 1 3] [2]
    """

    _parameter_constraints: ClassVar[Constraints] = {"scheme": SCHEME, "symmetric": SYMMETRIC}
    needs_for_training: ClassVar[str] = "more pairs that do not share objects"

    def __init__(
        self,
        *,
        scheme: str = "strict",
        symmetric: bool | Sequence[Any] = True,
        clusters: Any = None,
    ) -> None:
        self.scheme = scheme
        self.symmetric = symmetric
        self.clusters = clusters

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of pairs of objects that have an instance.

        Parameters
        ----------
        X, y : object
            Ignored, for compatibility.
        groups : array-like of shape (n_rows, 2)
            The pairs.

        Returns
        -------
        int
        """
        index = as_pairs(groups, symmetric=self.symmetric)
        return len(held_out_labels(index, labels_of(self, index)))

    def _held_out(self, index: PairIndex, y: Any) -> Iterator[NDArray[np.bool_]]:
        labels = labels_of(self, index)
        for chosen in held_out_labels(index, labels):
            held_out = labels == chosen[0]
            for label in chosen[1:]:
                held_out |= labels == label
            yield held_out


def labels_of(cv: ObjectLeaveTwoOut, index: PairIndex) -> NDArray[np.int64]:
    """What is left out together: the cluster of each object, or the object."""
    if cv.clusters is None:
        return np.arange(index.n_objects)
    return cluster_codes(cv.clusters, index)


def held_out_labels(index: PairIndex, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Labels held out together in each fold, one row for each fold."""
    members = canonical_members(labels[index.codes], index.kind_of_column)
    first = np.unique(number_rows(members), return_index=True)[1]
    return members[first]
