"""Empirical precision against rank, with the smooth fit and the place of a jump."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from trueval.core.docs import shared_sections
from trueval.core.params import Interval, constrained
from trueval.displays._base import DRAWN, MOST_POINTS, Display, colour, legend_above, literal
from trueval.rank._examine import PrecisionExamination, examine_precision

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PrecisionRankDisplay"]


@shared_sections(attributes=DRAWN)
class PrecisionRankDisplay(Display):
    """Precision of calling a rank and all above it, its smooth fit, and jumps of the rate.

    Points are the empirical precisions that a local precision rate is fitted to, lines
    the fit. A vertical line marks a rank at which the rate jumps, with its p-value.

    Parameters
    ----------
    examined : PrecisionExamination

    {attributes}

    Examples
    --------
    >>> from trueval.data import simulate
    >>> from trueval.displays import PrecisionRankDisplay
    >>> scores, y = simulate.simulation_one(500, 0.1, random_state=0)
    >>> display = PrecisionRankDisplay.from_scores(scores, y, classes=[0, 4])
    >>> list(display.examined.classes)
    ['0', '4']
    """

    def __init__(self, examined: PrecisionExamination) -> None:
        self.examined = examined

    @classmethod
    @constrained(n_draws=Interval(int, 1))
    def from_scores(
        cls,
        scores: Any,
        y: Any,
        *,
        classes: Sequence[Any] | None = None,
        n_draws: int = 199,
        random_state: Any = 0,
    ) -> Self:
        """From scores and labels, as :func:`~trueval.rank.examine_precision` takes them.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        y : labels in any form :func:`trueval.as_labels` takes
        classes : sequence, optional
        n_draws : int, default=199
        random_state : None, int, Generator or RandomState, default=0

        Returns
        -------
        PrecisionRankDisplay
        """
        return cls(
            examine_precision(
                scores, y, classes=classes, n_draws=n_draws, random_state=random_state
            )
        )

    def _draw(self, ax: "Axes") -> None:
        level = self.examined.level / len(self.examined.classes)
        for i, (name, fitted) in enumerate(self.examined.classes.items()):
            line = colour(i)
            n = len(fitted.rank)
            step = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(int))
            ax.plot(
                fitted.rank[step],
                fitted.precision[step],
                ".",
                ms=2,
                alpha=0.35,
                color=line,
                zorder=1,
            )
            ax.plot(fitted.rank[step], fitted.fit[step], color=line, label=literal(name), zorder=2)
            if fitted.p_value <= level:
                ax.axvline(fitted.jump_rank, color=line, lw=0.9, ls="--", zorder=0)
                ax.annotate(
                    f"{fitted.step:+.2f}, p = {fitted.p_value:.2g}",
                    (fitted.jump_rank, 0.02 + 0.05 * i),
                    color=line,
                    fontsize=7,
                    ha="right",
                )
        ax.set(xlim=(0, 1.01), ylim=(0, 1.02))
        ax.set(xlabel="rank u (share of objects at or below)", ylabel="precision at or above")
        legend_above(ax, 5)
