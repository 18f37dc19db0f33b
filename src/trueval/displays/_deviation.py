"""How far cross-validation estimates are from the truth."""

from typing import TYPE_CHECKING, Self

import numpy as np

from trueval.core.docs import shared_sections
from trueval.core.params import Choice, Instance, constrained
from trueval.core.table import Table
from trueval.displays._base import DRAWN, Display, colour, legend_above, literal
from trueval.pairs import DeviationStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DeviationDisplay"]

MOMENTS = ("mean", "variance", "second_moment")


@shared_sections(attributes=DRAWN)
class DeviationDisplay(Display):
    """A moment of the deviations of the estimated AUC from the truth, by K or model.

    Parameters
    ----------
    table : Table
        As ``DeviationStudy.table``.
    moment : {"mean", "variance", "second_moment"}

    {attributes}
    """

    def __init__(self, table: Table, moment: str) -> None:
        self.table, self.moment = table, moment

    @classmethod
    @constrained(study=Instance(DeviationStudy, "a DeviationStudy"), moment=Choice(MOMENTS))
    def from_study(cls, study: DeviationStudy, moment: str = "mean") -> Self:
        """From a result of :func:`~trueval.pairs.deviation_study`.

        Parameters
        ----------
        study : DeviationStudy
        moment : {"mean", "variance", "second_moment"}, default="mean"

        Returns
        -------
        DeviationDisplay
        """
        return cls(study.table, moment)

    def _draw(self, ax: "Axes") -> None:
        table = self.table
        numeric = np.asarray(table["value"]).dtype.kind in "iuf"
        styles = {"relaxed": "--", "strict": "-"}
        for place, estimate in enumerate(dict.fromkeys(table["estimate"].tolist())):
            for scheme, style in styles.items():
                mine = table.take((table["estimate"] == estimate) & (table["scheme"] == scheme))
                if not len(mine):
                    continue
                ax.errorbar(
                    mine["value"] if numeric else [literal(model) for model in mine["value"]],
                    mine[self.moment],
                    yerr=2 * mine[f"{self.moment}_se"],
                    fmt=f"o{style}",
                    ms=4,
                    lw=1.2,
                    color=colour(place),
                    label=f"{estimate}, {scheme}",
                )
        if self.moment == "mean":
            ax.axhline(0, color="0.7", lw=0.8, zorder=0)
        ax.set(xlabel="K" if numeric else "model")
        ax.set_ylabel(f"{self.moment.replace('_', ' ')} of estimate − truth (± 2 standard errors)")
        legend_above(ax, 3)
