"""Folds of any splitter, or of index arrays, in one form."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_rows, is_text
from trueval.core.ids import PairIndex
from trueval.core.pairs import Pairs
from trueval.core.params import Methods, Where

__all__ = ["CV", "AnyFold", "each_fold"]

_Rows = NDArray[np.intp]

#: What ``cv`` may be where folds are only looked at.
CV = (
    Methods(("split",), "a splitter"),
    Where(lambda cv: iter(cv) is not None and not is_text(cv), "(train, test) pairs"),
)


class AnyFold(NamedTuple):
    """Rows of one fold; ``"any"`` is the setting of splitters that know none."""

    train: _Rows
    validation: dict[str, _Rows]
    held_out: NDArray[np.bool_] | None = None

    @property
    def test(self) -> _Rows:
        """Rows to validate on, all settings together, in order."""
        if len(self.validation) == 1:
            return next(iter(self.validation.values()))
        return np.sort(np.concatenate(list(self.validation.values())))


def each_fold(cv: Any, pairs: Any, y: Any, index: PairIndex, X: Any = None) -> Iterator[AnyFold]:
    """Folds of a splitter of this package, of any other, or (train, test) pairs.

    Splitters of this package get the numbered pairs; others the ids as groups, where they
    take groups. Their rows are checked, ours need not be.
    """
    if hasattr(cv, "folds"):
        for fold in cv.folds(X, y, index):
            yield AnyFold(fold.train, fold.validation, fold.held_out)
        return
    for train, test in _splits(cv, pairs, y, index, X):
        rows = as_rows(train, index.n_rows, "train", repeats=True)
        yield AnyFold(rows, {"any": as_rows(test, index.n_rows, "test")})


def _splits(cv: Any, pairs: Any, y: Any, index: PairIndex, X: Any) -> Iterator[tuple[Any, Any]]:
    if not hasattr(cv, "split"):
        return iter(cv)
    takes_groups = True
    if hasattr(cv, "get_metadata_routing"):
        takes_groups = bool(cv.get_metadata_routing().consumes("split", ["groups"]))
    X = np.empty((index.n_rows, 0)) if X is None else X
    if not takes_groups:
        return iter(cv.split(X, y))
    if isinstance(pairs, Pairs):
        pairs = pairs.pairs
    return iter(cv.split(X, y, pairs))
