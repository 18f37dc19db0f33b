"""Estimates and truths of many draws, and the moments of their difference."""

from dataclasses import dataclass, field
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
    estimates : ndarray of shape (n_repeats, 2, n_estimates, n_values)
        Cross-validation AUC by scheme (relaxed, strict), by way of estimating
        (``estimate_names``), and by K or model.
        NaN where it was not defined or not asked for.
    truths : ndarray of shape (n_repeats, n_values)
        AUC of the model trained on all pairs of the draw, on the test pairs.
    nulls : ndarray of shape (n_repeats, 2, n_estimates)
        The estimate that a predictor of the training rate alone would have had.
    excluded : ndarray of shape (n_repeats,)
        Folds of the first splitter that had one class only.
    rates : ndarray of shape (n_repeats,)
        Positive rate of the pairs of each draw.
    values : list
        K, or the name of the model.
    n_splits : int
        Folds of the first splitter.
    influence : ndarray of shape (n_repeats, n_blocks, n_values)
        What each block of test pairs adds to the truth, to first order. All draws are measured
        on the same test pairs, or on the same new objects, so that their error does not
        average out; :attr:`test_variance` is made of it.
    estimate_names : list of str
        Ways of estimating.
    setting : {"AA", "AB", "BB"}
        Pairs that the truth is measured on.
    """

    estimates: NDArray[np.float64]
    truths: NDArray[np.float64]
    nulls: NDArray[np.float64]
    excluded: NDArray[np.int64]
    rates: NDArray[np.float64]
    values: list[Any]
    n_splits: int
    influence: NDArray[np.float64]
    estimate_names: list[str] = field(default_factory=lambda: list(ESTIMATES))
    setting: str = "BB"

    @property
    def n_repeats(self) -> int:
        """Number of draws."""
        return len(self.truths)

    @property
    def deviations(self) -> NDArray[np.float64]:
        """Estimates minus truths, of the shape of ``estimates``."""
        return self.estimates - self.truths[:, None, None, :]

    @property
    def test_variance(self) -> NDArray[np.float64]:
        """Variance of the mean truth of each value over test sets.

        The standard errors of the means include it. Test pairs are taken as independent, which
        holds where the population is much larger than the test set. NaN for draws without
        a truth are left out.
        """
        defined = np.isfinite(self.truths).all(axis=1)
        if not defined.any():
            return np.full(len(self.values), np.nan)
        block = self.influence[defined].mean(axis=0)
        n_blocks = len(block)
        return np.asarray(n_blocks / (n_blocks - 1) * (block**2).sum(axis=0))

    @property
    def table(self) -> Table:
        """Moments of the deviations with their standard errors.

        One line for each scheme, estimate and K: ``mean``, ``variance`` and
        ``second_moment`` about zero, each with ``_se``; ``generalization``, the
        mean truth over the draws that have one, with ``_se``; ``null``, what the
        estimate would be without skill; and ``n``, the repeats in which the estimate was defined.
        Standard errors are over draws and over test sets (:attr:`test_variance`).
        """
        columns: dict[str, list[Any]] = {}
        deviations, shared = self.deviations, self.test_variance
        truths = [_moments(self.truths[:, v], shared[v]) for v in range(len(self.values))]
        for s, scheme in enumerate(SCHEMES):
            for e, estimate in enumerate(self.estimate_names):
                for v, value in enumerate(self.values):
                    moments = _moments(deviations[:, s, e, v], shared[v])
                    if moments["n"] == 0:
                        continue
                    line = {"scheme": scheme, "estimate": estimate, "value": value}
                    line |= moments
                    line["generalization"] = truths[v]["mean"]
                    line["generalization_se"] = truths[v]["mean_se"]
                    line["null"] = float(np.nanmean(self.nulls[:, s, e]))
                    for name, cell in line.items():
                        columns.setdefault(name, []).append(cell)
        return Table(columns)

    @constrained(name=STRING, scheme=Choice(SCHEMES), estimate=STRING)
    def moment(self, name: str, scheme: str, estimate: str, value: Any) -> float:
        """One cell of the table.

        Parameters
        ----------
        name : str
            A column: "mean", "variance", "second_moment", "mean_se" and so on.
        scheme : {"relaxed", "strict"}
        estimate : str
            One of ``estimate_names``: "averaged", "pooled", "leave-two-out" and so on.
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
                f"{self.values}, estimates {', '.join(self.estimate_names)}."
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


def _moments(deviation: NDArray[np.float64], shared: float) -> dict[str, Any]:
    """Mean, variance and second moment about zero, with standard errors.

    ``shared`` is the variance of an error that all values have in common.
    """
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
        "mean_se": float(np.sqrt(variance / n + shared)),
        "variance": variance,
        "variance_se": float(np.sqrt(max(spread, 0.0))) if n > 1 else np.nan,
        "second_moment": float(squares.mean()),
        # A common shift d moves the second moment by 2 · mean · d.
        "second_moment_se": float(np.sqrt(squares.var(ddof=1) / n + 4 * mean**2 * shared))
        if n > 1
        else np.nan,
        "n": n,
    }
