"""Object-level cross-validation as scikit-learn splitters.

One template: a subclass says which objects each fold holds out (O_V of the paper);
the base class says what that makes of every row. With *new* the number of a row's
members that are held out:

=========  =======================  ==========================================
role       members held out         use
=========  =======================  ==========================================
A_tA_t     none                     training
A_tA_v     some                     strict: dropped; relaxed: training
A_vA_v     all                      validation (setting BB)
=========  =======================  ==========================================

The settings AB and AA validate on rows with some or none of their members new.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from trueval.errors import InputError
from trueval.pairs.objects import PairIndex, as_pairs, canonical_members, cluster_codes, number_rows
from trueval.pairs.parts import object_parts
from trueval.random import as_generator

__all__ = [
    "SETTINGS",
    "ObjectKFold",
    "ObjectLeaveTwoOut",
    "ObjectShuffleSplit",
    "PairFold",
    "RepeatedObjectKFold",
    "UnscorableFoldWarning",
]

SETTINGS = ("AA", "AB", "BB")
_SCHEMES = ("strict", "relaxed")
_Indices = NDArray[np.intp]


class UnscorableFoldWarning(UserWarning):
    """Some folds have no pair to validate on."""


@dataclass(frozen=True, eq=False)
class PairFold:
    """One fold and what it lost.

    Attributes
    ----------
    number : int
        Place of the fold, from 0.
    train : ndarray of int
        Rows to train on.
    validation : dict of str to ndarray of int
        Rows to validate on, by setting.
    n_rows : int
        Rows of the data.
    held_out : ndarray of bool
        Which objects the fold holds out.
    """

    number: int
    train: _Indices
    validation: dict[str, _Indices]
    n_rows: int
    held_out: NDArray[np.bool_]

    @property
    def test(self) -> _Indices:
        """Rows to validate on, all settings together, in order."""
        if len(self.validation) == 1:
            return next(iter(self.validation.values()))
        return np.sort(np.concatenate(list(self.validation.values())))

    @property
    def n_dropped(self) -> int:
        """Rows that are neither trained on nor validated."""
        return self.n_rows - len(self.train) - sum(len(v) for v in self.validation.values())

    def __repr__(self) -> str:
        sets = ", ".join(f"{name} {len(rows):,}" for name, rows in self.validation.items())
        return (
            f"PairFold {self.number}: {int(self.held_out.sum()):,} objects held out, train "
            f"{len(self.train):,}, validation {sets}, dropped {self.n_dropped:,}"
        )


class _ObjectSplitter(BaseCrossValidator):
    """From held-out objects to (train, test)."""

    # scikit-learn's metadata routing: the pairs come as groups.
    __metadata_request__split = {"groups": True}  # noqa: RUF012

    scheme: str
    symmetric: bool | Sequence[Any]
    setting: str = "BB"
    cold: Any = None

    def split(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[_Indices, _Indices]]:
        """Generate train and validation rows.

        Parameters
        ----------
        X : array-like, optional
            Only its length is looked at.
        y : array-like, optional
            Labels of the rows; binary ones are balanced over the parts, so that
            parts with y are others than without.
        groups : array-like of shape (n_rows, 2)
            The pairs: ids of the two objects of each row.

        Yields
        ------
        train, test : ndarray of int
        """
        for fold in self.folds(X, y, groups):
            yield fold.train, fold.test

    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[PairFold]:
        """Generate folds that know what they lost.

        Parameters
        ----------
        X, y, groups : array-like
            As in :meth:`split`.

        Yields
        ------
        PairFold
        """
        self._check()
        index = as_pairs(groups, symmetric=self.symmetric, X=X, y=y)
        empty = []
        for fold in self._folds(index, y):
            if not len(fold.test):
                empty.append(fold.number)
            yield fold
        if empty:
            shown = ", ".join(map(str, empty[:5])) + (", …" if len(empty) > 5 else "")
            warnings.warn(
                f"{len(empty)} of {fold.number + 1} folds have no {self.setting} pair to validate "
                f"on (folds {shown}); use fewer parts, overlapping=True or stratify=True.",
                UnscorableFoldWarning,
                stacklevel=2,
            )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y : object
            Ignored, for compatibility.
        groups : array-like of shape (n_rows, 2)
            The pairs; not every splitter needs them to count.

        Returns
        -------
        int
        """
        raise NotImplementedError

    # --- hooks and shared work ---------------------------------------------------

    def _folds(self, index: PairIndex, y: Any) -> Iterator[PairFold]:
        for number, held_out in enumerate(self._held_out(index, y)):
            yield self._fold(index, number, held_out)

    def _held_out(self, index: PairIndex, y: Any) -> Iterator[NDArray[np.bool_]]:
        raise NotImplementedError

    def _check(self) -> None:
        _check_option(self, "scheme", _SCHEMES)
        _check_option(self, "setting", SETTINGS)

    def _cold_columns(self, index: PairIndex) -> list[int]:
        columns = _cold_columns(self.cold, index)
        if self.setting == "AB" and len(columns) == 1:
            raise InputError(
                f"cold={self.cold!r} already validates pairs with one new object; use it with "
                "setting='BB', or setting='AB' with all columns cold."
            )
        return columns

    def _fold(self, index: PairIndex, number: int, held_out: NDArray[np.bool_]) -> PairFold:
        """Roles of all rows when these objects are held out."""
        columns = self._cold_columns(index)
        new = held_out[index.codes[:, columns]].sum(axis=1)
        n_cold = len(columns)
        valid = new == n_cold if self.setting == "BB" else (new > 0) & (new < n_cold)
        train = new == 0 if self.scheme == "strict" else ~valid
        _check_train(self, train, number)
        if self.setting == "AB" or n_cold < index.arity:
            # Members that are not held out must be seen, or the row is newer than it claims.
            valid = valid & _others_seen(index, train, held_out)
        return PairFold(
            number,
            np.flatnonzero(train),
            {self.setting: np.flatnonzero(valid)},
            index.n_rows,
            held_out,
        )


class ObjectKFold(_ObjectSplitter):
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
        (homologues, scaffolds) go to the same part.
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
        _check_count(self, "n_splits", 2)
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
        return len(_part_choices(int(self.n_splits), [kinds[c] for c in cold], True))

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
        self._check()
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
        self._check()
        index = as_pairs(groups, symmetric=self.symmetric, X=X, y=y)
        generator = as_generator(self.random_state)
        parts = self._parts(index, y, generator)
        n = int(self.n_splits)
        pair_part = _pair_parts(index, n, generator)
        columns = self._cold_columns(index)
        for number, held_out in enumerate(self._choices(index, parts)):
            new = held_out[index.codes[:, columns]].sum(axis=1)
            kept_back = (new == 0) & (pair_part == number % n)
            train = (new == 0) & ~kept_back
            _check_train(self, train, number)
            seen = _others_seen(index, train, held_out)
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

    def _check(self) -> None:
        super()._check()
        _check_count(self, "n_splits", 2)
        _check_option(self, "balance", ("pairs", "objects"))

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
        pair_part = _pair_parts(index, n, generator)
        nothing = np.zeros(index.n_objects, dtype=bool)
        for number in range(n):
            train = pair_part != number
            _check_train(self, train, number)
            valid = ~train & _others_seen(index, train, nothing)
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
        choices = _part_choices(int(self.n_splits), kinds, self.overlapping)
        for choice in choices:
            held_out = np.zeros(index.n_objects, dtype=bool)
            for kind, chosen in choice.items():
                held_out |= (index.kind == kind) & np.isin(parts, chosen)
            yield held_out


class RepeatedObjectKFold(_ObjectSplitter):
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
        _check_count(self, "n_repeats", 1)
        return int(self.n_repeats) * self._once().get_n_splits(X, y, groups)

    def _check(self) -> None:
        self._once()._check()
        _check_count(self, "n_repeats", 1)

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


class ObjectLeaveTwoOut(_ObjectSplitter):
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


class ObjectShuffleSplit(_ObjectSplitter):
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
        _check_count(self, "n_splits", 1)
        return int(self.n_splits)

    def _check(self) -> None:
        super()._check()
        _check_count(self, "n_splits", 1)
        _check_option(self, "balance", ("pairs", "objects"))
        size = self.test_size
        whole = isinstance(size, Integral) and not isinstance(size, bool) and size >= 1
        share = isinstance(size, Real) and not isinstance(size, Integral) and 0 < size < 1
        if not whole and not share:
            raise ValueError(
                "The 'test_size' parameter of ObjectShuffleSplit must be a share between 0 and 1 "
                f"or a number of objects of at least 1. Got {size!r} instead."
            )

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
                _check_train(self, train, number)
                valid = ~train & _others_seen(index, train, nothing)
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


def any_split(cv: Any, X: Any, y: Any, pairs: Any) -> Iterator[tuple[_Indices, _Indices]]:
    """Split with any splitter, giving the pairs as groups to those that take groups.

    Parameters
    ----------
    cv : splitter
        Of this room, of scikit-learn, or anything with ``split``.
    X, y, pairs : array-like

    Yields
    ------
    train, test : ndarray of int
    """
    takes_groups = True
    if hasattr(cv, "get_metadata_routing"):
        takes_groups = bool(cv.get_metadata_routing().consumes("split", ["groups"]))
    yield from cv.split(X, y, pairs) if takes_groups else cv.split(X, y)


# --- helpers ---------------------------------------------------------------------


def _check_option(splitter: Any, name: str, options: Sequence[str]) -> None:
    value = getattr(splitter, name)
    if value not in options:
        shown = " or ".join(repr(o) for o in options)
        raise ValueError(
            f"The '{name}' parameter of {type(splitter).__name__} must be {shown}. Got {value!r} "
            "instead."
        )


def _check_count(splitter: Any, name: str, least: int) -> None:
    value = getattr(splitter, name)
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(
            f"The '{name}' parameter of {type(splitter).__name__} must be an int of at least "
            f"{least}. Got {value!r} instead."
        )


def _check_train(splitter: Any, train: NDArray[np.bool_], number: int) -> None:
    if not train.any():
        if isinstance(splitter, ObjectLeaveTwoOut):
            fix = "more pairs that do not share objects, or scheme='relaxed'"
        elif isinstance(splitter, ObjectShuffleSplit):
            fix = "a smaller test_size, or scheme='relaxed'"
        elif getattr(splitter, "overlapping", False):
            fix = "a larger n_splits (with overlapping=True at least 3), or scheme='relaxed'"
        else:
            fix = "a larger n_splits, or scheme='relaxed'"
        raise InputError(
            f"fold {number} of {type(splitter).__name__} has an empty training set: every pair "
            f"has a held-out object under scheme={splitter.scheme!r}; it needs {fix}."
        )


def _cold_columns(cold: Any, index: PairIndex) -> list[int]:
    if cold is None or cold == "both":
        return list(range(index.arity))
    named = {"rows": [0], "columns": [1]}
    if isinstance(cold, str):
        if cold not in named:
            raise ValueError(
                "The 'cold' parameter must be None, 'rows', 'columns', 'both' or column numbers. "
                f"Got {cold!r} instead."
            )
        columns = named[cold]
    else:
        columns = [int(c) for c in np.atleast_1d(cold)]
    if not columns or min(columns) < 0 or max(columns) >= index.arity:
        raise InputError(f"cold={cold!r} names columns outside 0 … {index.arity - 1}.")
    cold_kinds = {index.kind_of_column[c] for c in columns}
    others = {k for c, k in enumerate(index.kind_of_column) if c not in columns}
    if cold_kinds & others:
        raise InputError(
            f"cold={cold!r} holds out the objects of one column that another column of the same "
            "kind also has; that needs symmetric=False, or all columns of the kind."
        )
    return columns


def _part_choices(
    n_parts: int, kinds: Sequence[int], overlapping: bool
) -> list[dict[int, tuple[int, ...]]]:
    """Parts held out of each kind, fold by fold."""
    distinct = sorted(set(kinds))
    if not overlapping:
        return [dict.fromkeys(distinct, (p,)) for p in range(n_parts)]
    # As many parts of a kind as a row has members of it, so that every row is covered.
    each = [list(combinations(range(n_parts), min(kinds.count(k), n_parts))) for k in distinct]
    return [dict(zip(distinct, choice, strict=True)) for choice in product(*each)]


def _pair_parts(
    index: PairIndex, n_parts: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Part of each row by its distinct pair: replicates and mirror images together."""
    if index.n_pairs < n_parts:
        raise InputError(
            f"there are {index.n_pairs} distinct pairs but {n_parts} parts; use "
            f"n_splits={index.n_pairs} or fewer."
        )
    part = np.arange(index.n_pairs) % n_parts
    return generator.permutation(part)[index.pair_number]


def _others_seen(
    index: PairIndex, train: NDArray[np.bool_], held_out: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether all members that are not held out occur in a training row."""
    seen = held_out.copy()
    seen[index.codes[train].reshape(-1)] = True
    known: NDArray[np.bool_] = np.asarray(seen[index.codes].all(axis=1))
    return known
