"""Estimates and truths of many draws, and the moments of their difference."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError, quote
from trueval.core.params import (
    STRING,
    Choice,
    constrained,
)
from trueval.core.presentable import Presentable, draw
from trueval.core.table import Table

__all__ = ["ESTIMATES", "SCHEMES", "DeviationStudy"]

SCHEMES = ("relaxed", "strict")

ESTIMATES = ("averaged", "pooled", "leave-two-out")


@dataclass(frozen=True, eq=False, repr=False)
class DeviationStudy(Presentable):
    """Estimates and truths of all repeats.

    Attributes
    ----------
    estimates : ndarray of shape (n_repeats, 2, 3, n_values)
        Cross-validation AUC by scheme (relaxed, strict), by way of estimating
        (n-fold averaged, n-fold pooled, leave-two-out pooled), and by K or model.
        NaN where it was not defined or not asked for.
    truths : ndarray of shape (n_repeats, n_values)
        AUC of the model trained on all pairs of the draw, on pairs of new objects.
    nulls : ndarray of shape (n_repeats, 2, 3)
        The estimate that a predictor of the training rate alone would have had.
    excluded : ndarray of shape (n_repeats,)
        Folds of the n-fold that had one class only.
    rates : ndarray of shape (n_repeats,)
        Positive rate of the pairs of each draw.
    values : list
        K, or the name of the model.
    n_splits : int
        Folds of the n-fold.
    """

    estimates: NDArray[np.float64]
    truths: NDArray[np.float64]
    nulls: NDArray[np.float64]
    excluded: NDArray[np.int64]
    rates: NDArray[np.float64]
    values: list[Any]
    n_splits: int

    @property
    def n_repeats(self) -> int:
        """Number of draws."""
        return len(self.truths)

    @property
    def deviations(self) -> NDArray[np.float64]:
        """Estimates minus truths, of the shape of ``estimates``."""
        return self.estimates - self.truths[:, None, None, :]

    @property
    def table(self) -> Table:
        """Moments of the deviations with their standard errors.

        One line for each scheme, estimate and K: ``mean``, ``variance`` and
        ``second_moment`` about zero, each with ``_se``; ``generalization``, the
        mean AUC on new objects over the draws that have one; ``null``, what the
        estimate would be without skill; and ``n``, the repeats in which the estimate was defined.
        """
        columns: dict[str, list[Any]] = {}
        deviations = self.deviations
        for s, scheme in enumerate(SCHEMES):
            for e, estimate in enumerate(ESTIMATES):
                for v, value in enumerate(self.values):
                    moments = _moments(deviations[:, s, e, v])
                    if moments["n"] == 0:
                        continue
                    line = {"scheme": scheme, "estimate": estimate, "value": value}
                    line |= moments
                    line["generalization"] = float(np.nanmean(self.truths[:, v]))
                    line["null"] = float(np.nanmean(self.nulls[:, s, e]))
                    for name, cell in line.items():
                        columns.setdefault(name, []).append(cell)
        return Table(columns)

    @constrained(name=STRING, scheme=Choice(SCHEMES), estimate=Choice(ESTIMATES))
    def moment(self, name: str, scheme: str, estimate: str, value: Any) -> float:
        """One cell of the table.

        Parameters
        ----------
        name : str
            A column: "mean", "variance", "second_moment", "mean_se" and so on.
        scheme : {"relaxed", "strict"}
        estimate : {"averaged", "pooled", "leave-two-out"}
        value : object
            K, or the name of the model.

        Returns
        -------
        float
        """
        table = self.table
        rows = np.flatnonzero(
            (table["scheme"] == scheme)
            & (table["estimate"] == estimate)
            & (table["value"] == value)
        )
        if not len(rows):
            raise InputError(
                f"the study has no {scheme} {estimate} estimate for {quote(value)}; values are "
                f"{self.values}."
            )
        return float(table[name][rows[0]])

    @constrained(moment=Choice(("mean", "variance", "second_moment")))
    def plot(self, moment: str = "mean", ax: Any = None) -> Any:
        """Draw a moment of the deviations by scheme, estimate and K.

        Parameters
        ----------
        moment : {"mean", "variance", "second_moment"}, default="mean"
        ax : matplotlib Axes, optional
            A new figure if not given.

        Returns
        -------
        trueval.displays.DeviationDisplay
        """
        return draw("DeviationDisplay.from_study", self, moment, ax=ax)


def _moments(deviation: NDArray[np.float64]) -> dict[str, Any]:
    """Mean, variance and second moment about zero, with standard errors."""
    values = deviation[np.isfinite(deviation)]
    n = len(values)
    if n == 0:
        return {"n": 0}
    mean = float(values.mean())
    variance = float(values.var(ddof=1)) if n > 1 else np.nan
    squares = values**2
    # The variance of a sample variance, from the fourth central moment.
    fourth = float(((values - mean) ** 4).mean())
    spread = (fourth - (n - 3) / (n - 1) * variance**2) / n if n > 1 else np.nan
    return {
        "mean": mean,
        "mean_se": float(np.sqrt(variance / n)),
        "variance": variance,
        "variance_se": float(np.sqrt(max(spread, 0.0))) if n > 1 else np.nan,
        "second_moment": float(squares.mean()),
        "second_moment_se": float(squares.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan,
        "n": n,
    }
