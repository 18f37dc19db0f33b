"""Object-n-fold cross-validation, once or repeated."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError
from trueval.core.ids import PairIndex
from trueval.core.pairs import as_pairs
from trueval.core.params import BOOL, Constraints, Interval, check_self
from trueval.core.random import as_generator
from trueval.pairs._folding import (
    SPLIT,
    PairFold,
    check_train,
    others_seen,
    pair_parts,
    part_choices,
)
from trueval.pairs._part_splitter import PartSplitter

__all__ = ["ObjectKFold", "RepeatedObjectKFold", "kfold_parts"]

_K_FOLD: Constraints = {**SPLIT, "n_splits": Interval(int, 2), "overlapping": BOOL}


@dataclass(eq=False, repr=False)
class ObjectKFold(PartSplitter):
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
        that are both seen in training (Park and Marcotte's C3, C2 and C1, which
        are accepted too). For "AA" the pairs are partitioned, not
        the objects, and pairs with an object that training lacks are left out.
    symmetric : bool or sequence, default=True
        True: one kind of object, (b, a) is (a, b). False: each column its own
        kind, as (drug, target). Or the kind of each column:
        ``("drug", "drug", "cell line")``.
    clusters : mapping, array or Similarity, optional
        Cluster of each object, ``{id: cluster}``; objects of one cluster
        (homologues, scaffolds) go to the same part. Every object needs one. Of a
        :class:`~trueval.data.Similarity` the connected components are clusters:
        ``graph.at_least(0.3)`` for similarities from 0.3.
    random_state : None, int, Generator or RandomState
    cold : None, "rows", "columns", int or sequence of int, default=None
        Columns whose objects are held out; None is all. With "rows" or
        "columns", the objects of the other column are seen in training.
    balance : {"degrees", "pairs", "objects"}, default="degrees"
        "degrees" exchanges objects between equally large random parts until they
        carry like numbers of pairs, and of positives where y is binary: hubs are
        spread. "pairs" exchanges them so that many pairs are inside a part, and
        so are validated, positives and negatives in proportion. Objects of a
        part are then close in the graph of pairs, so that the estimate is for
        pairs within such a neighbourhood; complete sets of pairs gain nothing.
        "objects" stays with the random parts, as in the paper.
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
    needs_for_training: ClassVar[str] = "a larger n_splits (with overlapping=True at least 3)"

    n_splits: int = 10
    overlapping: bool = field(default=False, kw_only=True)

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
        if not self.overlapping or self.setting_name == "AA":
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
        return kfold_parts(self, index, y, as_generator(self.random_state))[index.codes]

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
        parts = kfold_parts(self, index, y, generator)
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
        if self.setting_name == "AA":
            yield from self._seen_folds(index, generator)
            return
        parts = kfold_parts(self, index, y, generator)
        for number, held_out in enumerate(self._choices(index, parts)):
            yield self._fold(index, number, held_out)

    def _seen_folds(self, index: PairIndex, generator: np.random.Generator) -> Iterator[PairFold]:
        """Pairs partitioned, replicates together, only pairs of seen objects validated."""
        n = int(self.n_splits)
        pair_part = pair_parts(index, n, generator)
        for number in range(n):
            yield self._seen_fold(index, number, pair_part != number)

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


def kfold_parts(
    cv: ObjectKFold, index: PairIndex, y: Any, generator: np.random.Generator
) -> NDArray[np.int32]:
    """Part of each object."""
    n = int(cv.n_splits)
    return cv._parts(index, np.full(n, 1.0 / n), y, cv._clusters(index), generator)


@dataclass(eq=False, repr=False)
class RepeatedObjectKFold(PartSplitter):
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

    n_splits: int = 10
    n_repeats: int = 10
    overlapping: bool = field(default=False, kw_only=True)

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
        parameters = {each.name: getattr(self, each.name) for each in fields(ObjectKFold)}
        return ObjectKFold(**{**parameters, "random_state": None})
