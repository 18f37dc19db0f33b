"""What splitters share that divide the objects into parts.

They are dataclasses: a parameter is written once, and kept as it is given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.clusters import cluster_codes
from trueval.core.ids import PairIndex
from trueval.pairs._folding import ObjectSplitter, PairFold, check_train, others_seen
from trueval.pairs._parts import object_parts

__all__ = ["PartSplitter"]


@dataclass(eq=False, repr=False, kw_only=True)
class PartSplitter(ObjectSplitter):
    """Parameters of all of them, and their common steps."""

    scheme: str = "strict"
    setting: str = "BB"
    symmetric: bool | Sequence[Any] = True
    clusters: Any = None
    random_state: Any = None
    cold: Any = None
    balance: str = "degrees"
    stratify: bool = False
    weights: Any = None

    def _parts(
        self,
        index: PairIndex,
        shares: NDArray[np.float64],
        y: Any,
        clusters: NDArray[np.int64] | None,
        generator: np.random.Generator,
    ) -> NDArray[np.int32]:
        """Part of each object, of such shares."""
        return object_parts(
            index,
            shares,
            generator,
            y=y,
            clusters=clusters,
            weights=self.weights,
            balance=self.balance,
            stratify=self.stratify,
        )

    def _seen_fold(self, index: PairIndex, number: int, train: NDArray[np.bool_]) -> PairFold:
        """The other pairs of seen objects validated; no object is held out."""
        check_train(self, train, number)
        nothing = np.zeros(index.n_objects, dtype=bool)
        valid = ~train & others_seen(index, train, nothing)
        return PairFold(
            number, np.flatnonzero(train), {"AA": np.flatnonzero(valid)}, index.n_rows, nothing
        )

    def _clusters(self, index: PairIndex) -> NDArray[np.int64] | None:
        return None if self.clusters is None else cluster_codes(self.clusters, index)
