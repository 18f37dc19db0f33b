"""Deviation of each class against its size."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from trueval.core.docs import shared_sections
from trueval.core.params import NONE, constrained
from trueval.displays._base import DRAWN, Display, colour, legend_above, literal, named
from trueval.stratify._parts import PARTS
from trueval.stratify._quality import SplitQuality, split_quality

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SplitQualityDisplay"]


@shared_sections(attributes=DRAWN)
class SplitQualityDisplay(Display):
    """Relative deviation of each class against its size, with the lower bound.

    Parameters
    ----------
    qualities : mapping of str to SplitQuality
        By method or whatever is compared; of the same labels.

    {attributes}

    Examples
    --------
    >>> from trueval import stratified_folds
    >>> from trueval.data import simulate
    >>> from trueval.displays import SplitQualityDisplay
    >>> y = simulate.label_matrix(500, 30, random_state=0)
    >>> folds = {m: stratified_folds(y, 5, method=m, random_state=0) for m in ("random", "anneal")}
    >>> list(SplitQualityDisplay.from_folds(y, folds).qualities)
    ['random', 'anneal']
    """

    def __init__(self, qualities: Mapping[str, SplitQuality]) -> None:
        self.qualities = dict(qualities)

    @classmethod
    def from_quality(cls, quality: SplitQuality | Mapping[str, SplitQuality]) -> Self:
        """From one result of :func:`~trueval.stratify.split_quality`, or several by name.

        Parameters
        ----------
        quality : SplitQuality, or mapping of str to SplitQuality

        Returns
        -------
        SplitQualityDisplay
        """
        return cls(named(quality, "split"))

    @classmethod
    @constrained(parts=(NONE, *PARTS))
    def from_folds(cls, y: Any, folds: Any, *, parts: Any = None) -> Self:
        """From labels and folds, or several folds by name.

        Parameters
        ----------
        y : labels in any form :func:`trueval.as_labels` takes
        folds : folds as ``split_quality`` takes them, or mapping of str to such
        parts : int or sequence of numbers, optional
            The parts that were wanted; equal ones by default.

        Returns
        -------
        SplitQualityDisplay
        """
        several = named(folds, "split")
        return cls({name: split_quality(y, f, parts=parts) for name, f in several.items()})

    def _draw(self, ax: "Axes") -> None:
        low = min(1 / max(q.n_rows, 1) for q in self.qualities.values())
        floor = max(low, 1e-3)  # zeros are drawn at the lower end of the logarithmic axis
        for i, (name, quality) in enumerate(self.qualities.items()):
            table = quality.per_class.take(quality.per_class["size"] > 0)
            ax.plot(
                table["size"],
                np.maximum(table["rld_wanted"], floor),
                ".",
                color=colour(i),
                ms=5,
                alpha=0.7,
                mew=0,
                label=f"{literal(name)} ({quality.rld_ratio:.2f} × lower bound)",
            )
        bound = np.maximum(table["rld_bound"], floor)
        ax.plot(table["size"], bound, "_", color="0.45", ms=6, zorder=0, label="lower bound")
        ax.set(xscale="log", yscale="log", xlabel="positives of the class")
        ax.set_ylabel(f"relative deviation, at least {floor:.1g}")
        legend_above(ax)
