"""Random objects held out, again and again."""

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from trueval.core.clusters import cluster_codes
from trueval.core.errors import InputError
from trueval.core.ids import PairIndex
from trueval.core.params import Constraints, Interval, check_self
from trueval.core.random import as_generator
from trueval.pairs._folding import (
    SPLIT,
    ObjectSplitter,
    PairFold,
    check_train,
    others_seen,
)
from trueval.pairs._parts import object_parts

__all__ = ["ObjectShuffleSplit"]


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
        **SPLIT,
        "n_splits": Interval(int, 1),
        "test_size": (Interval(float, 0, 1, "neither"), Interval(int, 1)),
    }
    needs_for_training: ClassVar[str] = "a smaller test_size"

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
            if self.setting_name == "AA":
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
