"""``ThresholdChoice``: a threshold, what it promises and what it may be expected to do."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError
from trueval.core.presentable import Presentable
from trueval.core.scores import Scores, as_scores, check_same_classes
from trueval.rank._conformal import Selection
from trueval.rank._crossfit import valued
from trueval.rank._cuts import best_of_each_row
from trueval.rank._thresholds import as_calls

__all__ = ["ThresholdChoice", "abstaining"]


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdChoice(Presentable):
    """A threshold and what it may be expected to do on new objects.

    Attributes
    ----------
    threshold : float
        Call the pairs whose value is at least this; ∞ calls none. With
        ``guarantee="fdr"`` every new set has its own, and this is that of a new set like
        the given one. NaN with ``top_k``, where every object has its own.
    target : str
        What was asked for, such as ``"precision"``.
    wanted : float
        How much of it (β for F-beta).
    precision, recall, f, calls_per_object : float
        Expected on new objects, by cross-fitting; NaN, 0, 0 and 0 where nothing is called.
    cost : float
        Expected for each object, where a missed positive costs 1, with ``map`` or
        ``cost_ratio``; NaN otherwise.
    intervals : dict of str to (float, float)
        Interval of each of these, at ``level``.
    level : float
        Confidence of the intervals.
    target_reached : bool
        Whether the target was reached on the given data, and the interval on new objects
        does not lie below it. Where the estimate alone does, ``message`` says so.
    met : bool
        The old name of ``target_reached``.
    abstains : bool
        Whether nothing is called because the target is not met.
    reached : float
        What the threshold reaches of the target: the lower bound with a confidence or a
        guarantee, else the estimate on the given objects. Where the target is not met, the
        most that any threshold reaches, or with ``guarantee="simultaneous"`` the bound at the
        threshold tested first. NaN for ``n_calls``, ``map``, ``cost_ratio`` and
        ``guarantee="fdr"``.
    guarantee : {"exact", "simultaneous", "fdr"} or None
    confidence : float or None
        Of the guarantee.
    for_new : int or None
        Objects of the new set that the guarantee is for; None for the population.
    average : {"pairs", "objects"}
        Whether ``f`` is of all pairs together, or the mean over objects.
    promise : str
        What is promised, in one sentence.
    message : str
        One sentence that says all this.
    ranker : fitted ranker or None
        Turns new scores into the values that the threshold cuts.
    calibrated_ : Scores
        Cross-fitted values of the given objects: none by a ranker that saw its labels.
        The scores themselves without a ranker.
    calibrated_threshold_ : float
        The threshold on these, which the given objects are called by. ``threshold`` is
        for other objects: it cuts the values of the ranker of all given objects.
    """

    threshold: float
    target: str
    wanted: float
    precision: float
    recall: float
    f: float
    calls_per_object: float
    intervals: dict[str, tuple[float, float]]
    level: float
    target_reached: bool
    message: str
    n_classes: int
    names: NDArray[Any] | None = None
    ranker: Any = None
    calibrated_: Scores | None = None
    calibrated_threshold_: float = np.nan
    cost: float = np.nan
    abstains: bool = False
    reached: float = np.nan
    guarantee: str | None = None
    confidence: float | None = None
    for_new: int | None = None
    promise: str = ""
    average: str = "pairs"
    _selection: Selection | None = None

    @property
    def met(self) -> bool:
        """The old name of ``target_reached``."""
        return self.target_reached

    def __float__(self) -> float:
        return self.threshold

    def predict(self, scores: Any = None) -> sp.csr_array:
        """Call the pairs at or above the threshold, through the ranker if there is one.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes), optional
            Of other objects. Without scores the given objects are called, by their
            cross-fitted values: the ranker of all objects has seen their labels.

        Returns
        -------
        scipy.sparse.csr_array of int64
        """
        return self._calls_among(*self._values(scores))

    def select(self, scores: Any = None) -> sp.csr_array:
        """The values of the called pairs.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes), optional
            As :meth:`predict` takes them.

        Returns
        -------
        scipy.sparse.csr_array of float64
            Stored where :meth:`predict` calls.
        """
        values, threshold = self._values(scores)
        rows, classes, stored = values.stored
        called = self._called(values, threshold)
        shape = (values.n_rows, values.n_classes)
        return sp.csr_array((stored[called], (rows[called], classes[called])), shape=shape)

    def _calls_among(self, values: Scores, threshold: float) -> sp.csr_array:
        """Call among values that the ranker gave.

        Parameters
        ----------
        values : Scores
        threshold : float
            Ignored with ``top_k``.

        Returns
        -------
        scipy.sparse.csr_array of int64
        """
        rows, classes, _ = values.stored
        called = self._called(values, threshold)
        return as_calls(rows[called], classes[called], values)

    def _called(self, values: Scores, threshold: float) -> NDArray[np.bool_]:
        """Which of the stored values are called."""
        if self.target == "top_k":
            return best_of_each_row(values, int(self.wanted))
        return np.asarray(values.stored[2] >= threshold)

    def _values(self, scores: Any) -> tuple[Scores, float]:
        """Values to cut, and where."""
        if scores is None:
            if self._selection is not None:
                raise InputError(
                    "guarantee='fdr' selects among new objects; the given ones have labels.",
                    fix="Give the scores of the new objects, all of them at once.",
                )
            if self.calibrated_ is None:
                raise InputError(
                    "the values of the given objects were not kept.",
                    fix="Give the scores of the objects to predict.",
                )
            return self.calibrated_, self.calibrated_threshold_
        checked = as_scores(scores)
        check_same_classes(checked, self.n_classes, self.names, "the threshold")
        if self.ranker is not None:
            checked = valued(self.ranker, checked)
        if self._selection is not None and not self.abstains:
            return checked, self._selection.threshold(checked)
        return checked, self.threshold


def abstaining(choice: ThresholdChoice, message: str) -> ThresholdChoice:
    """The choice that calls nothing, since its target is not met."""
    return replace(
        choice,
        precision=np.nan,
        recall=0.0,
        f=0.0,
        calls_per_object=0.0,
        intervals={},
        threshold=np.inf,
        calibrated_threshold_=np.inf,
        target_reached=False,
        abstains=True,
        promise="Nothing is promised, since nothing is called.",
        message=message,
    )
