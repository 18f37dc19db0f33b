"""Leave-p-out and the bootstrap, on objects."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import comb, prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trueval.core.clusters import cluster_codes
from trueval.core.docs import N_SPLITS, shared_sections
from trueval.core.errors import InputError
from trueval.core.ids import SYMMETRIC, PairIndex
from trueval.core.pairs import as_pairs
from trueval.core.params import RANDOM_STATE, Choice, Constraints, Interval, check_self
from trueval.core.random import as_generator
from trueval.pairs._folding import SCHEME, ObjectSplitter, PairFold
from trueval.pairs._settings import C_NAMES

__all__ = ["ObjectBootstrap", "ObjectLeavePOut"]


@dataclass(eq=False, repr=False, kw_only=True)
class _LabelSplitter(ObjectSplitter):
    """Splitters that hold out objects, or whole clusters of them."""

    scheme: str = "strict"
    setting: str = "BB"
    symmetric: bool | Sequence[Any] = True
    clusters: Any = None

    _parameter_constraints: ClassVar[Constraints] = {
        "scheme": SCHEME,
        "setting": Choice(("AB", "BB", *(name for name, s in C_NAMES.items() if s != "AA"))),
        "symmetric": SYMMETRIC,
    }

    def _labels(self, index: PairIndex) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
        """What is held out together, and which of it each kind of object has."""
        labels = np.arange(index.n_objects)
        if self.clusters is not None:
            labels = cluster_codes(self.clusters, index)
        kinds = range(len(index.first_of_kind) - 1)
        return labels, [np.unique(labels[index.kind == kind]) for kind in kinds]


@dataclass(eq=False, repr=False)
class ObjectLeavePOut(_LabelSplitter):
    """Leave-p-objects-out: one fold for each set of p objects.

    With ``p=2`` the folds are those of :class:`ObjectLeaveTwoOut`, and also the empty ones of
    two objects that have no pair. ``p=1, setting="AB"`` is leave-one-object-out: the validated
    pairs have one object that training has not seen. There are m!/(p!(m−p)!) folds for m
    objects; :class:`ObjectShuffleSplit` with ``test_size=p`` takes a random sample of them.

    Parameters
    ----------
    p : int, default=2
        Objects of a fold; of each kind, where there are several.
    scheme : {"strict", "relaxed"}, default="strict"
        What to train on: pairs of which no member is held out, or all pairs that
        are not validated.
    setting : {"BB", "AB"}, default="BB"
        Validate on pairs of two held-out objects, or of one.
    symmetric : bool or sequence, default=True
        As for :class:`ObjectKFold`.
    clusters : mapping or array, optional
        Cluster of each object: leave p clusters out.

    Examples
    --------
    >>> from itertools import combinations
    >>> import numpy as np
    >>> from trueval.pairs import ObjectLeavePOut
    >>> pairs = np.array(list(combinations("abcde", 2)))
    >>> cv = ObjectLeavePOut(3)
    >>> cv.get_n_splits(groups=pairs)
    10
    >>> next(cv.folds(groups=pairs))
    PairFold 0: 3 objects held out, train 1, validation BB 3, dropped 6
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **_LabelSplitter._parameter_constraints,
        "p": Interval(int, 1),
    }
    needs_for_training: ClassVar[str] = "a smaller p"

    p: int = 2

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of sets of p objects.

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
        check_self(self)
        index = as_pairs(groups, symmetric=self.symmetric)
        return prod(comb(len(has), int(self.p)) for has in self._labels(index)[1])

    def _held_out(self, index: PairIndex, y: Any) -> Iterator[NDArray[np.bool_]]:
        labels, of_kind = self._labels(index)
        fewest = min(map(len, of_kind))
        if self.p >= fewest:
            raise InputError(f"p={self.p} leaves nothing to train on: there are {fewest} objects.")
        chosen = product(*(combinations(has.tolist(), int(self.p)) for has in of_kind))
        for each in chosen:
            yield np.isin(labels, np.concatenate(each))


@dataclass(eq=False, repr=False)
class ObjectBootstrap(_LabelSplitter):
    """Objects drawn with replacement; those that were not drawn are held out.

    A pair of drawn objects is a training row as often as the product of how often each was
    drawn; held-out objects count once, where the relaxed scheme trains on their pairs. About
    37 % of the objects are held out.

    Parameters
    ----------
    n_splits : int, default=50
        Number of bootstrap samples.
    scheme, setting, symmetric, clusters
        As for :class:`ObjectLeavePOut`; with clusters, whole clusters are drawn.
    random_state : None, int, Generator or RandomState

    See Also
    --------
    deviation_study : Also weighs the AUC on held-out objects with that on the training
        pairs, as Efron's .632 rule does.

    Examples
    --------
    >>> from itertools import combinations
    >>> import numpy as np
    >>> from trueval.pairs import ObjectBootstrap
    >>> pairs = np.array(list(combinations("abcdefgh", 2)))
    >>> for train, test in ObjectBootstrap(2, random_state=0).split(groups=pairs):
    ...     print(len(train), len(np.unique(train)), len(test))
    24 10 3
    25 10 3
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **_LabelSplitter._parameter_constraints,
        "n_splits": Interval(int, 1),
        "random_state": RANDOM_STATE,
    }
    needs_for_training: ClassVar[str] = "more objects"

    n_splits: int = 50
    random_state: Any = field(default=None, kw_only=True)

    @shared_sections(sections=N_SPLITS)
    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of bootstrap samples.

        {sections}
        """
        check_self(self)
        return int(self.n_splits)

    def _folds(self, index: PairIndex, y: Any) -> Iterator[PairFold]:
        generator = as_generator(self.random_state)
        labels, of_kind = self._labels(index)
        for number in range(int(self.n_splits)):
            drawn = [generator.choice(has, len(has)) for has in of_kind]
            times = np.bincount(np.concatenate(drawn), minlength=int(labels.max()) + 1)[labels]
            fold = self._fold(index, number, times == 0)
            repeats = np.maximum(times, 1)[index.codes[fold.train]].prod(axis=1)
            train = np.repeat(fold.train, repeats)
            yield PairFold(number, train, fold.validation, fold.n_rows, fold.held_out)
