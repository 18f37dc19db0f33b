"""Precision and recall, reliability, and the curves of a ranker."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import InputError
from trueval.core.params import Interval, Methods, constrained
from trueval.core.scores import check_pair
from trueval.displays._base import (
    DRAWN,
    MOST_POINTS,
    Display,
    colour,
    legend_above,
    literal,
    named,
    one_or_named,
    thin,
)
from trueval.rank._base import Ranker
from trueval.rank._curves import (
    PrecisionRecallCurve,
    average_precision,
    member_mask,
    pooled_precision_recall_curve,
)
from trueval.rank._reliability import N_BINS, reliability_bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PrecisionRecallDisplay", "RankerCurveDisplay", "ReliabilityDisplay"]

Float = NDArray[np.float64]


@shared_sections(attributes=DRAWN)
class PrecisionRecallDisplay(Display):
    """Pooled precision against recall, one line for each ranker.

    Parameters
    ----------
    curves : mapping of str to PrecisionRecallCurve
    areas : mapping of str to float
        Average precision of each.

    {attributes}

    Examples
    --------
    >>> from trueval.data import simulate
    >>> from trueval.displays import PrecisionRecallDisplay
    >>> scores, y = simulate.simulation_one(500, 0.1, random_state=0)
    >>> display = PrecisionRecallDisplay.from_values({"raw": scores}, y)
    >>> 0.6 < display.areas["raw"] < 0.7
    True
    """

    def __init__(
        self, curves: Mapping[str, PrecisionRecallCurve], areas: Mapping[str, float]
    ) -> None:
        self.curves = dict(curves)
        self.areas = dict(areas)

    @classmethod
    def from_values(cls, values: Any, y: Any) -> Self:
        """From values (or raw scores) of one ranker, or of several by name, and labels.

        Parameters
        ----------
        values : array or sparse matrix of shape (n_rows, n_classes), or mapping to such
        y : labels in any form :func:`trueval.as_labels` takes

        Returns
        -------
        PrecisionRecallDisplay
        """
        several = named(values, "values")
        return cls(
            {name: pooled_precision_recall_curve(v, y) for name, v in several.items()},
            {name: average_precision(v, y) for name, v in several.items()},
        )

    @classmethod
    @constrained(curves=one_or_named(PrecisionRecallCurve))
    def from_curves(cls, curves: PrecisionRecallCurve | Mapping[str, PrecisionRecallCurve]) -> Self:
        """From one curve, or several by name.

        Parameters
        ----------
        curves : PrecisionRecallCurve, or mapping of str to PrecisionRecallCurve

        Returns
        -------
        PrecisionRecallDisplay
        """
        several = named(curves, "values")
        return cls(several, {name: curve.average_precision for name, curve in several.items()})

    def _draw(self, ax: "Axes") -> None:
        recall = np.linspace(0.01, 1, 200)
        for f in (0.2, 0.4, 0.6, 0.8):  # lines of equal F1, to read the plot by
            with np.errstate(divide="ignore", invalid="ignore"):
                precision = f * recall / (2 * recall - f)
            seen = (precision > 0) & (precision <= 1)
            ax.plot(recall[seen], precision[seen], color="0.85", lw=0.8, zorder=0)
            ax.annotate(f"F1 {f}", (1.0, f / (2 - f)), color="0.6", fontsize=7, ha="right")
        for i, (name, curve) in enumerate(self.curves.items()):
            step = thin(curve.recall, MOST_POINTS)
            ax.plot(
                curve.recall[step],
                curve.precision[step],
                color=colour(i),
                label=f"{literal(name)} (average precision {self.areas[name]:.3f})",
            )
        ax.set(xlim=(0, 1.01), ylim=(0, 1.02), xlabel="recall", ylabel="precision")
        legend_above(ax, 1)


@shared_sections(attributes=DRAWN)
class ReliabilityDisplay(Display):
    """Share of positives against the calibrated score.

    Parameters
    ----------
    bins : mapping of str to ndarray of shape (n_bins, 3)
        For each bin: mean calibrated score, share of positives, and pairs.

    {attributes}

    Notes
    -----
    Bins hold equal sums of values, not equal numbers of pairs: where classes are
    rare nearly all values are near zero, and bins of equal numbers would show
    nothing else. Bars are two standard errors of a share.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.displays import ReliabilityDisplay
    >>> values = np.array([[0.2, 0.2, 0.2, 0.2, 0.2, 1.0]])
    >>> display = ReliabilityDisplay.from_values(values, [[0, 0, 1, 0, 0, 1]], n_bins=2)
    >>> display.bins["values"].tolist()
    [[0.2, 0.2, 5.0], [1.0, 1.0, 1.0]]
    """

    def __init__(self, bins: Mapping[str, Float]) -> None:
        self.bins = dict(bins)

    @classmethod
    @constrained(n_bins=Interval(int, 1))
    def from_values(cls, values: Any, y: Any, *, n_bins: int = N_BINS) -> Self:
        """From values in [0, 1] of one ranker, or of several by name, and labels.

        Parameters
        ----------
        values : array or sparse matrix of shape (n_rows, n_classes), or mapping to such
            Values of a sparse matrix that are absent are left out.
        y : labels in any form :func:`trueval.as_labels` takes
        n_bins : int, default=10
            At most so many; equal values share a bin.

        Returns
        -------
        ReliabilityDisplay
        """
        return cls({n: _bins(v, y, n_bins) for n, v in named(values, "values").items()})

    @property
    def _size(self) -> tuple[float, float]:
        return (4.6, 4.4)

    def _draw(self, ax: "Axes") -> None:
        ax.plot([0, 1], [0, 1], color="0.6", lw=1, zorder=0)
        for i, (name, bins) in enumerate(self.bins.items()):
            value, share, size = bins.T
            error = 2 * np.sqrt(np.maximum(share * (1 - share), 0) / size)
            ax.errorbar(
                value,
                share,
                yerr=[np.minimum(error, share), np.minimum(error, 1 - share)],
                fmt="o-",
                ms=4,
                lw=1,
                color=colour(i),
                label=literal(name),
            )
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ax.set(xlabel="calibrated score", ylabel="share of positives")
        ax.legend(frameon=False, loc="upper left")


@shared_sections(attributes=DRAWN)
class RankerCurveDisplay(Display):
    """What a score is worth in some classes: the fitted curves of a ranker.

    Parameters
    ----------
    curves : mapping of str to tuple of ndarray
        For each class: scores, values, and lower and upper ends of an interval (the
        values themselves where the ranker has none).
    members : mapping of str to ndarray
        Scores of the members of each class, drawn as ticks; may be empty.

    {attributes}

    Examples
    --------
    >>> from trueval import PrecisionRanker
    >>> from trueval.data import simulate
    >>> from trueval.displays import RankerCurveDisplay
    >>> scores, y = simulate.simulation_one(500, 0.1, random_state=0)
    >>> ranker = PrecisionRanker().fit(scores, y)
    >>> list(RankerCurveDisplay.from_ranker(ranker, [0, 4]).curves)
    ['0', '4']
    """

    def __init__(
        self,
        curves: Mapping[str, tuple[Float, Float, Float, Float]],
        members: Mapping[str, Float],
    ) -> None:
        self.curves = dict(curves)
        self.members = dict(members)

    @classmethod
    @constrained(
        ranker=Methods(("fit", "transform"), "a fitted ranker"),
        confidence=Interval(float, 0, 1, "neither"),
    )
    def from_ranker(
        cls,
        ranker: Ranker,
        classes: Sequence[Any] | None = None,
        *,
        scores: Any = None,
        y: Any = None,
        confidence: float = 0.9,
    ) -> Self:
        """From a fitted ranker.

        Parameters
        ----------
        ranker : fitted ranker
        classes : sequence, optional
            Names of the classes to show; the first four if not given.
        scores, y : as the ranker was fitted on, optional
            Members' scores are drawn as ticks.
        confidence : float, default=0.9
            Of the interval, for rankers that have one.

        Returns
        -------
        RankerCurveDisplay
        """
        place = {name: k for k, name in enumerate(ranker.classes_.tolist())}
        wanted = list(place)[:4] if classes is None else list(classes)
        unknown = [name for name in wanted if name not in place]
        if unknown:
            raise InputError(f"the ranker has no class {unknown[0]!r}; see its classes_.")
        curves, members = {}, {}
        checked = None if scores is None or y is None else check_pair(scores, y)
        for name in wanted:
            curve = ranker.curves_[place[name]]
            at = curve.score[thin(curve.score, MOST_POINTS)]
            low = high = value = curve.at(at)
            if hasattr(curve, "interval"):
                low, high = curve.interval(at, confidence)
            curves[str(name)] = (at, value, low, high)
            if checked is not None:
                column, rows = checked[0].column(place[name])
                mine = checked[1].matrix[:, [place[name]]].toarray().ravel() > 0
                members[str(name)] = column[mine if rows is None else mine[rows]]
        return cls(curves, members)

    def _draw(self, ax: "Axes") -> None:
        for i, (name, (score, value, low, high)) in enumerate(self.curves.items()):
            ax.fill_between(score, low, high, color=colour(i), alpha=0.15, lw=0)
            ax.plot(score, value, color=colour(i), label=literal(name))
            ticks = self.members.get(name, np.empty(0))
            height = np.full(len(ticks), -0.03 - 0.03 * i)
            ax.plot(ticks, height, "|", color=colour(i), ms=5, alpha=0.6)
        ax.set(xlabel="score of the class", ylabel="calibrated score", ylim=(None, 1.02))
        legend_above(ax, 3)


def _bins(values: Any, y: Any, n_bins: int) -> Float:
    checked, labels = check_pair(values, y)
    value = checked.stored[2]
    if len(value) == 0:
        raise InputError("values stores no value at all, so there is nothing to judge.")
    if value.min() < 0 or value.max() > 1:
        raise InputError(
            f"values are probabilities and must lie in [0, 1]. Got {value.min():.4g} to "
            f"{value.max():.4g} instead; transform scores by a ranker first."
        )
    return reliability_bins(value, member_mask(checked, labels), n_bins)
