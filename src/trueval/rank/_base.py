"""What all rankers share: fit a curve for each class, read new scores off it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from trueval.core.errors import ParameterError
from trueval.core.params import N_JOBS, Choice, Constraints, Interval, check_self, constrained
from trueval.core.presentable import card_html, draw
from trueval.core.scores import check_pair
from trueval.rank._fitted import ScoreEstimator
from trueval.rank._sample import Sample, Samples, each_class, per_class
from trueval.rank._warn import warn_of_troubles
from trueval.rank._weights import row_weights, whole_weights

__all__ = [
    "ATTRIBUTES",
    "BASELINE",
    "MAPPING",
    "TIE_BREAK",
    "Curve",
    "IntervalRanker",
    "Ranker",
    "flat_curve",
    "interpolate",
]

Float = NDArray[np.float64]
MAPPING = Choice(("interpolate", "step"))
#: Sections of rankers without other parameters and results.
ATTRIBUTES = """
Attributes
----------
classes_ : ndarray
absent_values_ : ndarray of shape (n_classes,)
    Share of members among objects without a stored score.
"""
BASELINE = f"""
Parameters
----------
n_jobs : int, optional
    Threads.
{ATTRIBUTES}"""
TIE_BREAK = 1e-9  # share of the rank in a tie-broken value; below any two block rates


@dataclass(frozen=True, eq=False)
class Curve:
    """Value of a class at its training scores, and the way to others."""

    # score, value: distinct training scores, rising, and the value at each
    score: Float
    value: Float
    rate: float = 0.0  # value where there is no curve
    # {"interpolate", "step", "next"}; between two training scores: on the line, at the lower, or at
    # the upper one
    mapping: str = "interpolate"
    above: float | None = None  # with ``"next"``, the value above all training scores

    def at(self, scores: Float, values: Float | None = None) -> Float:
        """Values at any scores; of another function on the same training scores if given."""
        y = self.value if values is None else values
        if len(self.score) == 0:
            return np.full(len(scores), self.rate)
        if self.mapping == "interpolate":
            return interpolate(scores, self.score, y)
        if self.mapping == "step":
            return y[np.maximum(np.searchsorted(self.score, scores, side="right") - 1, 0)]
        place = np.searchsorted(self.score, scores, side="left")
        above = y[-1] if self.above is None else self.above
        return np.concatenate([y, [above]])[place]


def interpolate(at: Float, places: Float, values: Float) -> Float:
    """Values on the line between rising places; beyond the ends, those of the ends.

    >>> import numpy as np
    >>> from trueval.rank._base import interpolate
    >>> places = np.array([0.0, 2e-320, 1.0])
    >>> interpolate(np.array([1e-320, 0.5]), places, np.array([0.0, 1.0, 2.0])).round(3).tolist()
    [0.5, 1.5]
    """
    result = np.interp(at, places, values)
    steep = np.flatnonzero(~np.isfinite(result))
    if len(steep):
        # The slope between places next to zero overflows; the share of the way does not.
        low = np.clip(np.searchsorted(places, at[steep], side="right") - 1, 0, len(places) - 2)
        share = (at[steep] - places[low]) / (places[low + 1] - places[low])
        result[steep] = values[low] + share * (values[low + 1] - values[low])
    return result


class Ranker(OneToOneFeatureMixin, TransformerMixin, ScoreEstimator):
    """Template: a subclass turns the sorted sample of one class into its curve."""

    _parameter_constraints: ClassVar[Constraints] = {"n_jobs": N_JOBS}
    n_jobs: int | None
    _by_objects: ClassVar[bool] = False  # whether each object has a rank, so that none is half

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, scores: Any, y: Any = None, sample_weight: Any = None) -> "Ranker":
        """Learn what a score of each class is worth.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
            Scores of objects the model was *not* trained on (out-of-fold). In a
            sparse matrix an absent entry lies below everything stored.
        y : labels in any form :func:`trueval.as_labels` takes
        sample_weight : array-like of shape (n_rows,), optional
            How much each object counts: one of weight 2 as two equal objects, one of weight 0
            as none. Rankers that go by single objects take whole numbers only.

        Returns
        -------
        self
        """
        check_self(self)
        checked, labels = check_pair(scores, y)
        weights = row_weights(sample_weight, labels.n_rows, labels.index)
        if self._by_objects:
            whole_weights(weights, type(self).__name__)
        self._learn(Samples(checked, labels, weights), labels.classes)
        self._keep_classes(checked, labels)
        self._after()
        return self

    def _learn(self, samples: Samples, classes: Any) -> None:
        """Fit the curves to samples of the classes, wherever they come from."""
        self.curves_ = self._fit_classes(samples)
        warn_of_troubles(samples.troubles, classes, self._fate, needs_some=True)
        self.absent_values_ = samples.absent_rates

    def transform(self, scores: Any) -> Any:
        """Turn scores into values in [0, 1] that compare across classes.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)

        Returns
        -------
        ndarray or scipy.sparse.csr_array
            Sparse for sparse; absent stays absent (its value: ``absent_values_``).
        """
        checked = self._check_new(scores)
        return checked.like(
            each_class(
                lambda k: self.curves_[k].at(checked.column(k)[0]), checked.n_classes, self.n_jobs
            )
        )

    def plot(self, k: Any = 0, ax: Any = None) -> Any:
        """Draw what a score of one class is worth.

        Parameters
        ----------
        k : int or str, default=0
            Place of the class, or its name.
        ax : matplotlib Axes, optional
            A new figure if not given.

        Returns
        -------
        trueval.displays.RankerCurveDisplay
        """
        check_is_fitted(self, "n_features_in_")
        named = np.flatnonzero(self.classes_.astype(str) == str(k))
        if isinstance(k, str) and len(named):
            k = int(named[0])
        if not isinstance(k, int | np.integer) or not 0 <= k < self.n_features_in_:
            expected = f"a class name or from 0 to {self.n_features_in_ - 1}"
            raise ParameterError("k", expected, k, f"{type(self).__name__}.plot")
        return draw("RankerCurveDisplay.from_ranker", self, [self.classes_[k]], ax=ax)

    # scikit-learn's diagram of the parameters, and below it what the fit found.

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._fit_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._fit_html()
        return bundle

    def _fit_html(self) -> str:
        return card_html(self) if hasattr(self, "classes_") else ""

    # --- hooks of the template ---

    @property
    def _fate(self) -> str:
        """What becomes of classes that leave nothing to learn."""
        return "cannot be ranked and get one value each"

    def _fit_classes(self, samples: Samples) -> list[Curve]:
        """One curve for each class."""
        return per_class(lambda k: self._fit_class(samples[k]), len(samples), self.n_jobs)

    def _fit_class(self, sample: Sample) -> Curve:
        raise NotImplementedError

    def _after(self) -> None:
        """Set public attributes of the fit."""


class IntervalRanker(Ranker):
    """A ranker whose curves have intervals."""

    @constrained(confidence=Interval(float, 0, 1, "neither"))
    def interval(self, scores: Any, confidence: float = 0.9) -> tuple[Any, Any]:
        """Interval for P(class | score) at each score.

        Parameters
        ----------
        scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        confidence : float, default=0.9
            Share of intervals that are to hold the true probability, over scores
            and classes together.

        Returns
        -------
        low, high : ndarray or scipy.sparse.csr_array
        """
        checked = self._check_new(scores)
        curves: Any = self.curves_
        both = per_class(
            lambda k: curves[k].interval(checked.column(k)[0], float(confidence)),
            checked.n_classes,
            self.n_jobs,
        )
        return checked.like([low for low, _ in both]), checked.like([high for _, high in both])


def flat_curve(sample: Sample) -> Curve:
    """One value for a class that cannot be ranked: its share of members."""
    n = sample.n + sample.n_absent
    rate = (sample.n_positives + sample.absent_positives) / n
    if sample.n:
        rate = sample.n_positives / sample.n
    return Curve(np.empty(0), np.empty(0), rate)
