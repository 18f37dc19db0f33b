"""Deviation of each class against its size."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from trueval.core.params import NONE, constrained
from trueval.displays.base import COLOURS, Display, legend_above, named
from trueval.stratify.parts import PARTS
from trueval.stratify.quality import SplitQuality, split_quality

__all__ = ["SplitQualityDisplay"]


class SplitQualityDisplay(Display):
    """Relative deviation of each class against its size, with the bound.

    Parameters
    ----------
    qualities : mapping of str to SplitQuality
        By method or whatever is compared; of the same labels.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure, once drawn

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
    def from_quality(cls, quality: SplitQuality | Mapping[str, SplitQuality]) -> Any:
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
    def from_folds(cls, y: Any, folds: Any, *, parts: Any = None) -> Any:
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

    def plot(self, ax: Any = None) -> Any:
        """Draw, on a new figure if no axis is given.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        SplitQualityDisplay
            Itself.
        """
        ax = self._axis(ax)
        low = min(1 / max(q.n_rows, 1) for q in self.qualities.values())
        floor = max(low, 1e-3)  # zeros are drawn at the foot of the logarithmic axis
        for i, (name, quality) in enumerate(self.qualities.items()):
            table = quality.per_class.take(quality.per_class["size"] > 0)
            ax.plot(
                table["size"],
                np.maximum(table["rld_wanted"], floor),
                ".",
                color=COLOURS[i % len(COLOURS)],
                ms=5,
                alpha=0.7,
                mew=0,
                label=f"{name} ({quality.rld_ratio:.2f} × bound)",
            )
        bound = np.maximum(table["rld_bound"], floor)
        ax.plot(table["size"], bound, "_", color="0.45", ms=6, zorder=0, label="bound")
        ax.set(xscale="log", yscale="log", xlabel="members of the class")
        ax.set_ylabel(f"relative deviation (foot: ≤ {floor:.1g})")
        legend_above(ax)
        return self
