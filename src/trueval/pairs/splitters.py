"""Object-level cross-validation as scikit-learn splitters.

One template, :class:`~trueval.pairs.folding.ObjectSplitter`: a subclass here says
which objects each fold holds out, the template what that makes of every row.
"""

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trueval.core.clusters import cluster_codes
from trueval.core.errors import InputError
from trueval.core.ids import SYMMETRIC, PairIndex, canonical_members, number_rows
from trueval.core.pairs import as_pairs
from trueval.core.params import BOOL, RANDOM_STATE, Choice, Constraints, Interval, check_self
from trueval.core.random import as_generator
from trueval.pairs.folding import (
    COLD,
    SCHEME,
    SETTING,
    ObjectSplitter,
    PairFold,
    check_train,
    others_seen,
    pair_parts,
    part_choices,
)
from trueval.pairs.parts import object_parts

__all__ = ["ObjectKFold", "ObjectLeaveTwoOut", "ObjectShuffleSplit", "RepeatedObjectKFold"]

_SPLIT: Constraints = {
    "scheme": SCHEME,
    "setting": SETTING,
    "symmetric": SYMMETRIC,
    "random_state": RANDOM_STATE,
    "cold": COLD,
    "balance": Choice(("pairs", "objects")),
    "stratify": BOOL,
}
_K_FOLD: Constraints = {**_SPLIT, "n_splits": Interval(int, 2), "overlapping": BOOL}


class ObjectKFold(ObjectSplitter):
    """Object-n-fold cross-validation: the objects are partitioned, not the pairs.

    Parameters
    ----------
    n_splits : int, default=10
        Number of parts of the objects.
    scheme : {"strict", "relaxed"}, default="strict"
        What to train on: pairs of which no member is held out, or all pairs that
        are not validated. The relaxed scheme shows the model pairs that share an
        object with the validation pairs; its estimates are too good for pairs of
        new objects.
    overlapping : bool, default=False
        Hold out every two of the parts, in n(n−1)/2 folds, so that all pairs are
        validated; those inside a part n−1 times. With several kinds of objects,
        every combination of one part of each kind: n² folds for (drug, target),
        and every pair once.
    setting : {"BB", "AB", "AA"}, default="BB"
        Validate on pairs of two new objects, of one new object, or of objects
        that are both seen in training. For "AA" the pairs are partitioned, not
        the objects, and pairs with an object that training lacks are left out.
    symmetric : bool or sequence, default=True
        True: one kind of object, (b, a) is (a, b). False: each column its own
        kind, as (drug, target). Or the kind of each column:
        ``("drug", "drug", "cell line")``.
    clusters : mapping or array, optional
        Cluster of each object, ``{id: cluster}``; objects of one cluster
        (homologues, scaffolds) go to the same part. Every object needs one.
    random_state : None, int, Generator or RandomState
    cold : None, "rows", "columns", int or sequence of int, default=None
        Columns whose objects are held out; None is all. With "rows" or
        "columns", the objects of the other column are seen in training.
    balance : {"pairs", "objects"}, default="pairs"
        "pairs" exchanges objects between equally large random parts until they
        carry like numbers of pairs, and of positives where y is binary: hubs are
        spread. "objects" stays with the random parts, as in the paper.
    stratify : bool, default=False
        Also spread positives and negatives over the pairs *inside* each part, so
        that no validation set has one class only if that can be avoided.
    weights : array-like of shape (n_rows,), optional
        Weight of each row when parts are balanced.

    See Also
    --------
    coverage : What a splitter validates, and what it never does.
    pooled_scores : Out-of-fold scores for folds that are no partition.

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from trueval.pairs import ObjectKFold
    >>> pairs = np.array(list(combinations("abcdef", 2)))
    >>> cv = ObjectKFold(3, random_state=0)
    >>> for fold in cv.folds(groups=pairs):
    ...     print(fold)
    PairFold 0: 2 objects held out, train 6, validation BB 1, dropped 8
    PairFold 1: 2 objects held out, train 6, validation BB 1, dropped 8
    PairFold 2: 2 objects held out, train 6, validation BB 1, dropped 8
    """

    _parameter_constraints: ClassVar[Constraints] = _K_FOLD
    needs_for_training = "a larger n_splits (with overlapping=True at least 3)"

    def __init__(
        self,
        n_splits: int = 10,
        *,
        scheme: str = "strict",
        overlapping: bool = False,
        setting: str = "BB",
        symmetric: bool | Sequence[Any] = True,
        clusters: Any = None,
        random_state: Any = None,
        cold: Any = None,
        balance: str = "pairs",
        stratify: bool = False,
        weights: Any = None,
    ) -> None:
        self.n_splits = n_splits
        self.scheme = scheme
        self.overlapping = overlapping
        self.setting = setting
        self.symmetric = symmetric
        self.clusters = clusters
        self.random_state = random_state
        self.cold = cold
        self.balance = balance
        self.stratify = stratify
        self.weights = weights

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y : object
            Ignored, for compatibility.
        groups : array-like of shape (n_rows, 2), optional
            The pairs. Only needed with ``overlapping=True`` when rows have more
            than two members or kinds are named; otherwise two members are taken.

        Returns
        -------
        int
        """
        check_self(self)
        if not self.overlapping or self.setting == "AA":
            return int(self.n_splits)
        if groups is None:
            kinds: tuple[int, ...] = (0, 0) if self.symmetric is True else (0, 1)
            cold = [0, 1]
            if self.cold is not None or not isinstance(self.symmetric, bool):
                raise InputError("get_n_splits needs groups=pairs to count overlapping folds.")
        else:
            index = as_pairs(groups, symmetric=self.symmetric)
            kinds, cold = index.kind_of_column, self._cold_columns(index)
        return len(part_choices(int(self.n_splits), [kinds[c] for c in cold], True))

    def parts(self, X: Any = None, y: Any = None, groups: Any = None) -> NDArray[np.int32]:
        """Part of each member of each row, as the folds of :meth:`split` hold them out.

        Parameters
        ----------
        X, y, groups : array-like
            As in :meth:`split`.

        Returns
        -------
        ndarray of int32 of shape (n_rows, 2)
        """
        check_self(self)
        index = as_pairs(groups, symmetric=self.symmetric, X=X, y=y)
        return self._parts(index, y, as_generator(self.random_state))[index.codes]

    def split_settings(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[PairFold]:
        """Generate folds with all three validation sets, from one training set each.

        As Park and Marcotte did: objects are held out as in :meth:`split` with the
        strict scheme, and of the pairs without a held-out member one part in
        ``n_splits`` is kept from training. These give AA, pairs with some held-out
        members AB and those with nothing else BB. Pairs whose other members do
        not occur in training are in none of them.

        Parameters
        ----------
        X, y, groups : array-like
            As in :meth:`split`.

        Yields
        ------
        PairFold
            ``fold.validation["AA"]``, ``["AB"]`` and ``["BB"]``.
        """
        check_self(self)
        index = as_pairs(groups, symmetric=self.symmetric, X=X, y=y)
        generator = as_generator(self.random_state)
        parts = self._parts(index, y, generator)
        n = int(self.n_splits)
        pair_part = pair_parts(index, n, generator)
        columns = self._cold_columns(index)
        for number, held_out in enumerate(self._choices(index, parts)):
            new = held_out[index.codes[:, columns]].sum(axis=1)
            kept_back = (new == 0) & (pair_part == number % n)
            train = (new == 0) & ~kept_back
            check_train(self, train, number)
            seen = others_seen(index, train, held_out)
            sets = {
                "AA": kept_back & seen,
                "AB": (new > 0) & (new < len(columns)) & seen,
                "BB": (new == len(columns)) & seen,
            }
            yield PairFold(
                number,
                np.flatnonzero(train),
                {name: np.flatnonzero(rows) for name, rows in sets.items()},
                index.n_rows,
                held_out,
            )

    def _folds(self, index: PairIndex, y: Any) -> Iterator[PairFold]:
        yield from self._folds_from(index, y, as_generator(self.random_state))

    def _folds_from(
        self, index: PairIndex, y: Any, generator: np.random.Generator
    ) -> Iterator[PairFold]:
        if self.setting == "AA":
            yield from self._seen_folds(index, generator)
            return
        parts = self._parts(index, y, generator)
        for number, held_out in enumerate(self._choices(index, parts)):
            yield self._fold(index, number, held_out)

    def _seen_folds(self, index: PairIndex, generator: np.random.Generator) -> Iterator[PairFold]:
        """Pairs partitioned, replicates together, only pairs of seen objects validated."""
        n = int(self.n_splits)
        pair_part = pair_parts(index, n, generator)
        nothing = np.zeros(index.n_objects, dtype=bool)
        for number in range(n):
            train = pair_part != number
            check_train(self, train, number)
            valid = ~train & others_seen(index, train, nothing)
            yield PairFold(
                number, np.flatnonzero(train), {"AA": np.flatnonzero(valid)}, index.n_rows, nothing
            )

    def _parts(self, index: PairIndex, y: Any, generator: np.random.Generator) -> NDArray[np.int32]:
        n = int(self.n_splits)
        clusters = None if self.clusters is None else cluster_codes(self.clusters, index)
        return object_parts(
            index,
            np.full(n, 1.0 / n),
            generator,
            y=y,
            clusters=clusters,
            weights=self.weights,
            balance=self.balance,
            stratify=self.stratify,
        )

    def _choices(self, index: PairIndex, parts: NDArray[np.int32]) -> Iterator[NDArray[np.bool_]]:
        """Held-out objects of each fold."""
        cold = self._cold_columns(index)
        kinds = [index.kind_of_column[c] for c in cold]
        choices = part_choices(int(self.n_splits), kinds, self.overlapping)
        for choice in choices:
            held_out = np.zeros(index.n_objects, dtype=bool)
            for kind, chosen in choice.items():
                held_out |= (index.kind == kind) & np.isin(parts, chosen)
            yield held_out


class RepeatedObjectKFold(ObjectSplitter):
    """Object-n-fold cross-validation, repeated with different parts.

    Parameters
    ----------
    n_splits : int, default=10
        Number of parts of the objects.
    n_repeats : int, default=10
        How often the parts are made anew.
    scheme, overlapping, setting, symmetric, clusters, random_state, cold, balance, stratify, \
weights
        As for :class:`ObjectKFold`.

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from trueval.pairs import RepeatedObjectKFold
    >>> pairs = np.array(list(combinations(range(12), 2)))
    >>> cv = RepeatedObjectKFold(3, 4, random_state=0)
    >>> cv.get_n_splits(), len(list(cv.split(groups=pairs)))
    (12, 12)
    """

    _parameter_constraints: ClassVar[Constraints] = {**_K_FOLD, "n_repeats": Interval(int, 1)}

    def __init__(
        self,
        n_splits: int = 10,
        n_repeats: int = 10,
        *,
        scheme: str = "strict",
        overlapping: bool = False,
        setting: str = "BB",
        symmetric: bool | Sequence[Any] = True,
        clusters: Any = None,
        random_state: Any = None,
        cold: Any = None,
        balance: str = "pairs",
        stratify: bool = False,
        weights: Any = None,
    ) -> None:
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.scheme = scheme
        self.overlapping = overlapping
        self.setting = setting
        self.symmetric = symmetric
        self.clusters = clusters
        self.random_state = random_state
        self.cold = cold
        self.balance = balance
        self.stratify = stratify
        self.weights = weights

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds of all repeats.

        Parameters
        ----------
        X, y : object
            Ignored, for compatibility.
        groups : array-like of shape (n_rows, 2), optional
            As in :meth:`ObjectKFold.get_n_splits`.

        Returns
        -------
        int
        """
        check_self(self)
        return int(self.n_repeats) * self._once().get_n_splits(X, y, groups)

    def _folds(self, index: PairIndex, y: Any) -> Iterator[PairFold]:
        once, generator, number = self._once(), as_generator(self.random_state), 0
        for _ in range(self.n_repeats):
            for fold in once._folds_from(index, y, generator):
                yield PairFold(number, fold.train, fold.validation, fold.n_rows, fold.held_out)
                number += 1

    def _once(self) -> ObjectKFold:
        return ObjectKFold(
            self.n_splits,
            scheme=self.scheme,
            overlapping=self.overlapping,
            setting=self.setting,
            symmetric=self.symmetric,
            clusters=self.clusters,
            cold=self.cold,
            balance=self.balance,
            stratify=self.stratify,
            weights=self.weights,
        )


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
    needs_for_training = "more pairs that do not share objects"

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
        return len(self._held_out_labels(index, self._labels(index)))

    def _labels(self, index: PairIndex) -> NDArray[np.int64]:
        """What is left out together: the cluster of each object, or the object."""
        if self.clusters is None:
            return np.arange(index.n_objects)
        return cluster_codes(self.clusters, index)

    def _held_out_labels(self, index: PairIndex, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Labels held out together in each fold, one row for each fold."""
        members = canonical_members(labels[index.codes], index.kind_of_column)
        first = np.unique(number_rows(members), return_index=True)[1]
        return members[first]

    def _held_out(self, index: PairIndex, y: Any) -> Iterator[NDArray[np.bool_]]:
        labels = self._labels(index)
        for chosen in self._held_out_labels(index, labels):
            held_out = labels == chosen[0]
            for label in chosen[1:]:
                held_out |= labels == label
            yield held_out


class ObjectShuffleSplit(ObjectSplitter):
    """Random objects held out, again and again.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits.
    test_size : float or int, default=0.2
        Objects to hold out: a share of each kind, or a number of objects of the
        smallest kind (others then hold out the same share). Of all pairs of n
        objects, the share that is validated is about its square.
    scheme, setting, symmetric, clusters, random_state, cold, balance, stratify, weights
        As for :class:`ObjectKFold`. For ``setting="AA"``, ``test_size`` is that of
        the distinct pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from trueval.pairs import ObjectShuffleSplit
    >>> pairs = np.array(list(combinations(range(20), 2)))
    >>> cv = ObjectShuffleSplit(3, test_size=0.3, random_state=0)
    >>> [(len(train), len(test)) for train, test in cv.split(groups=pairs)]
    [(91, 15), (91, 15), (91, 15)]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **_SPLIT,
        "n_splits": Interval(int, 1),
        "test_size": (Interval(float, 0, 1, "neither"), Interval(int, 1)),
    }
    needs_for_training = "a smaller test_size"

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | int = 0.2,
        scheme: str = "strict",
        setting: str = "BB",
        symmetric: bool | Sequence[Any] = True,
        clusters: Any = None,
        random_state: Any = None,
        cold: Any = None,
        balance: str = "pairs",
        stratify: bool = False,
        weights: Any = None,
    ) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.scheme = scheme
        self.setting = setting
        self.symmetric = symmetric
        self.clusters = clusters
        self.random_state = random_state
        self.cold = cold
        self.balance = balance
        self.stratify = stratify
        self.weights = weights

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored, for compatibility.

        Returns
        -------
        int
        """
        check_self(self)
        return int(self.n_splits)

    def _share(self, n: int, what: str) -> float:
        if not isinstance(self.test_size, Integral):
            return float(self.test_size)
        if self.test_size >= n:
            raise InputError(
                f"test_size={self.test_size} leaves nothing to train on: there are {n} {what}."
            )
        return float(self.test_size) / n

    def _folds(self, index: PairIndex, y: Any) -> Iterator[PairFold]:
        generator = as_generator(self.random_state)
        clusters = None if self.clusters is None else cluster_codes(self.clusters, index)
        nothing = np.zeros(index.n_objects, dtype=bool)
        for number in range(int(self.n_splits)):
            if self.setting == "AA":
                share = self._share(index.n_pairs, "distinct pairs")
                n_test = max(1, round(share * index.n_pairs))
                chosen = generator.permutation(index.n_pairs) < n_test
                train = ~chosen[index.pair_number]
                check_train(self, train, number)
                valid = ~train & others_seen(index, train, nothing)
                yield PairFold(
                    number,
                    np.flatnonzero(train),
                    {"AA": np.flatnonzero(valid)},
                    index.n_rows,
                    nothing,
                )
                continue
            n_least = int(np.diff(index.first_of_kind).min())
            share = self._share(n_least, "objects")
            parts = object_parts(
                index,
                np.array([1 - share, share]),
                generator,
                y=y,
                clusters=clusters,
                weights=self.weights,
                balance=self.balance,
                stratify=self.stratify,
            )
            held_out = parts == 1
            columns = self._cold_columns(index)
            kinds = [index.kind_of_column[c] for c in columns]
            yield self._fold(index, number, held_out & np.isin(index.kind, kinds))
