"""The picture of a fold of pairs: objects by objects."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_rows
from trueval.core.docs import shared_sections
from trueval.core.errors import InputError, ParameterError
from trueval.core.ids import SYMMETRIC, PairIndex
from trueval.core.pairs import as_pairs
from trueval.core.params import Interval, constrained
from trueval.displays._base import DRAWN, Display, legend_above, literal
from trueval.pairs._each_fold import each_fold

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PairBlocksDisplay"]

MOST_CELLS = 200  # of a side of the picture


@shared_sections(attributes=DRAWN)
class PairBlocksDisplay(Display):
    """Objects by objects: which pairs are trained on, validated, left out.

    Parameters
    ----------
    counts : ndarray of shape (n_cells, n_cells, 3)
        Pairs trained on, validated and dropped between two runs of neighbouring
        objects.
    held_out : tuple of int
        How many objects come before the held-out ones, along each side.
    n_objects : tuple of int
        Objects along each side.
    labels : tuple of str
        Names of the sides.

    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from itertools import combinations
    >>> from trueval.displays import PairBlocksDisplay
    >>> from trueval.pairs import ObjectKFold
    >>> pairs = np.array(list(combinations(range(20), 2)))
    >>> display = PairBlocksDisplay.from_cv(ObjectKFold(4, random_state=0), pairs)
    >>> (display.counts.sum(axis=(0, 1)) // 2).tolist()
    [105, 10, 75]
    """

    def __init__(
        self,
        counts: NDArray[np.int64],
        held_out: tuple[int, int],
        n_objects: tuple[int, int],
        labels: tuple[str, str] = ("objects", "objects"),
    ) -> None:
        self.counts = counts
        self.held_out = held_out
        self.n_objects = n_objects
        self.labels = labels

    @classmethod
    @constrained(fold=Interval(int, 0))
    def from_cv(cls, cv: Any, pairs: Any, y: Any = None, *, fold: int = 0) -> Self:
        """From a splitter and one of its folds; objects that the fold tests come last.

        Parameters
        ----------
        cv : splitter
            Of :mod:`trueval.pairs`, or any of scikit-learn.
        pairs : array-like of shape (n_rows, 2)
        y : array-like, optional
            Labels, for splitters that balance them.
        fold : int, default=0
            Which fold.

        Returns
        -------
        PairBlocksDisplay
        """
        index = as_pairs(pairs, symmetric=getattr(cv, "symmetric", True), y=y)
        for number, one in enumerate(each_fold(cv, pairs, y, index)):
            if number == fold:
                return cls._from_rows(index, one.train, one.test)
        raise ParameterError("fold", f"below {number + 1}", fold, "PairBlocksDisplay.from_cv")

    @classmethod
    @constrained(symmetric=SYMMETRIC)
    def from_split(
        cls, pairs: Any, train: Any, test: Any, *, symmetric: bool | Sequence[Any] = True
    ) -> Self:
        """From the rows of any split, as :func:`~trueval.pairs.audit_pairs` takes them.

        Parameters
        ----------
        pairs : array-like of shape (n_rows, 2)
        train, test : array-like of int, or boolean masks
        symmetric : bool or sequence, default=True
            Whether both columns hold objects of one kind.

        Returns
        -------
        PairBlocksDisplay
        """
        index = as_pairs(pairs, symmetric=symmetric)
        train, test = (
            as_rows(rows, index.n_rows, name) for rows, name in ((train, "train"), (test, "test"))
        )
        return cls._from_rows(index, train, test)

    @classmethod
    def _from_rows(cls, index: PairIndex, train: NDArray[np.intp], test: NDArray[np.intp]) -> Self:
        if index.codes.shape[1] != 2:
            raise InputError("the picture of blocks is for rows of two objects.")
        role = np.full(index.n_rows, 2)
        role[train], role[test] = 0, 1
        tested, trained = (np.zeros(index.n_objects, dtype=bool) for _ in range(2))
        tested[index.codes[test].reshape(-1)] = True
        trained[index.codes[train].reshape(-1)] = True
        one_kind = index.kind_of_column[0] == index.kind_of_column[1]
        sides, first_out, sizes = [], [], []
        for column in (0, 1):
            mine = np.unique(index.codes if one_kind else index.codes[:, column])
            # Objects of the test that training lacks come last; then the merely tested.
            key = tested[mine].astype(int) + (tested[mine] & ~trained[mine])
            order = np.argsort(key, kind="stable")
            place = np.zeros(index.n_objects, dtype=np.int64)
            place[mine[order]] = np.arange(len(mine))
            cells = min(len(mine), MOST_CELLS)
            sides.append(place * cells // len(mine))
            first_out.append(int((key < (2 if (key == 2).any() else 1)).sum()))
            sizes.append(len(mine))
        shape = tuple(min(n, MOST_CELLS) for n in sizes)
        counts = np.zeros((*shape, 3), dtype=np.int64)
        a, b = sides[0][index.codes[:, 0]], sides[1][index.codes[:, 1]]
        np.add.at(counts, (a, b, role), 1)
        if one_kind:
            np.add.at(counts, (b, a, role), 1)
        labels = ("objects", "objects") if one_kind else ("first objects", "second objects")
        return cls(counts, (first_out[0], first_out[1]), (sizes[0], sizes[1]), labels)

    @property
    def _size(self) -> tuple[float, float]:
        return (4.6, 4.6)

    def _draw(self, ax: "Axes") -> None:
        # Blue is trained on, orange validated, light grey dropped, white no pair.
        colours = np.array([[0.55, 0.73, 0.88], [0.84, 0.37, 0.0], [0.88, 0.88, 0.88]])
        total = self.counts.sum(axis=2, keepdims=True)
        mixed = self.counts @ colours
        picture = np.where(total > 0, mixed / np.maximum(total, 1), 1.0)
        rows, columns = self.n_objects
        ax.imshow(picture, extent=(0, columns, rows, 0), interpolation="nearest", aspect="auto")
        if self.held_out[0] < rows:
            ax.axhline(self.held_out[0], color="0.2", lw=0.8)
        if self.held_out[1] < columns:
            ax.axvline(self.held_out[1], color="0.2", lw=0.8)
        pairs = self.counts.sum(axis=(0, 1)) // (2 if self.labels[0] == self.labels[1] else 1)
        for name, colour, n in zip(
            ("trained on", "validated", "left out"), colours, pairs, strict=True
        ):
            ax.plot([], [], "s", color=colour, label=f"{name} ({n:,})")
        ax.set(xlabel=literal(self.labels[1]), ylabel=literal(self.labels[0]))
        legend_above(ax, 3)
