"""Random objects held out, again and again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from trueval.core.docs import N_SPLITS, shared_sections
from trueval.core.errors import InputError
from trueval.core.ids import PairIndex
from trueval.core.params import Constraints, Interval, check_self
from trueval.core.random import as_generator
from trueval.pairs._folding import SPLIT, PairFold
from trueval.pairs._part_splitter import PartSplitter

__all__ = ["ObjectShuffleSplit"]


@dataclass(eq=False, repr=False)
class ObjectShuffleSplit(PartSplitter):
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

    n_splits: int = 10
    test_size: float | int = field(default=0.2, kw_only=True)

    @shared_sections(sections=N_SPLITS)
    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        {sections}
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
        clusters = self._clusters(index)
        for number in range(int(self.n_splits)):
            if self.setting_name == "AA":
                share = self._share(index.n_pairs, "distinct pairs")
                n_test = max(1, round(share * index.n_pairs))
                chosen = generator.permutation(index.n_pairs) < n_test
                yield self._seen_fold(index, number, ~chosen[index.pair_number])
                continue
            n_least = int(np.diff(index.first_of_kind).min())
            share = self._share(n_least, "objects")
            parts = self._parts(index, np.array([1 - share, share]), y, clusters, generator)
            held_out = parts == 1
            columns = self._cold_columns(index)
            kinds = [index.kind_of_column[c] for c in columns]
            yield self._fold(index, number, held_out & np.isin(index.kind, kinds))
