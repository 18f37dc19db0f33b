"""What all displays share."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import need_extra
from trueval.core.params import Where

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "COLOURS",
    "DRAWN",
    "MOST_POINTS",
    "Display",
    "colour",
    "legend_above",
    "literal",
    "named",
    "one_or_named",
    "thin",
]

Float = NDArray[np.float64]
Value = TypeVar("Value")
# Colours that are told apart by people who do not see all of them (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MOST_POINTS = 2000  # of a drawn curve


#: Section of every display.
DRAWN = """
Attributes
----------
ax_, figure_ : matplotlib Axes and Figure, once drawn
"""


class Display:
    """What all displays share: an axis to draw on, and the two public attributes."""

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw, on a new figure if no axis is given.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        Display
            Itself.
        """
        pyplot = need_extra("matplotlib.pyplot", "plot", f"{type(self).__name__}.plot")
        if ax is None:
            _, ax = pyplot.subplots(figsize=self._size, layout="constrained")
        assert ax is not None
        self.ax_, self.figure_ = ax, ax.figure
        ax.spines[["top", "right"]].set_visible(False)
        self._draw(ax)
        return self

    @property
    def _size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 6.4, 4.0

    def _draw(self, ax: "Axes") -> None:
        raise NotImplementedError


def colour(place: int) -> str:
    """The colour of the so-manieth of several things."""
    return COLOURS[place % len(COLOURS)]


def literal(name: object) -> str:
    r"""A name as matplotlib shows it unchanged: no mathematics, and in the legend in any case.

    >>> print(literal("US$ to A$"), literal("_p53"))
    US\$ to A\$  _p53
    """
    text = str(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text  # matplotlib leaves out what has none


def legend_above(ax: "Axes", columns: int = 2) -> None:
    """A legend over the picture, where it hides no point."""
    ax.legend(
        frameon=False,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        fontsize="small",
        columnspacing=1.2,
        handletextpad=0.4,
        markerscale=1.5,
    )


def named(values: Value | Mapping[str, Value], name: str) -> dict[str, Value]:
    """Several things by name, or one under the given name."""
    return dict(values) if isinstance(values, Mapping) else {name: values}


def one_or_named(kind: type) -> Where:
    """Constraint: a result of this kind, or several by name."""

    def accepts(value: object) -> bool:
        several = value.values() if isinstance(value, Mapping) else [value]
        return len(several) > 0 and all(isinstance(result, kind) for result in several)

    return Where(accepts, f"a {kind.__name__}, or a mapping of names to them")


def thin(values: Float, most: int) -> NDArray[np.int64]:
    """Places evenly along the values, so that a drawn curve keeps its shape."""
    if len(values) <= most:
        return np.arange(len(values))
    order = np.argsort(values, kind="stable")
    grid = np.linspace(values[order[0]], values[order[-1]], most)
    near = np.minimum(np.searchsorted(values[order], grid), len(values) - 1)
    return np.unique(np.concatenate([order[near], [0, len(values) - 1]]))
