"""The default ranker: P(class | score) by the class's own data and by all classes together."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.rank.base import Curve, Ranker
from trueval.rank.blend import blend
from trueval.rank.own import own_fit
from trueval.rank.sample import Samples, per_class
from trueval.rank.spline import pooled_curve, pooled_part

__all__ = ["PrecisionRanker"]

Float = NDArray[np.float64]
SHARES = ("auto", "none")


class PrecisionRanker(Ranker):
    """x."""

    def __init__(
        self, shrink: float = 0.25, share: str = "auto", n_jobs: int | None = None
    ) -> None:
        self.shrink = shrink
        self.share = share
        self.n_jobs = n_jobs

    def interval(self, scores: Any, confidence: float = 0.9) -> tuple[Any, Any]:
        if not isinstance(confidence, Real) or not 0 < float(confidence) < 1:
            raise ValueError(
                "The 'confidence' parameter of interval must be between 0 and 1. "
                f"Got {confidence!r} instead."
            )
        checked = self._check_new(scores)
        both = per_class(
            lambda k: self._curves[k].interval(checked.column(k)[0], float(confidence)),
            checked.n_classes,
            self.n_jobs,
        )
        return checked.like([low for low, _ in both]), checked.like([high for _, high in both])

    def _check_params(self) -> None:
        self._one_of("share", SHARES)
        number = isinstance(self.shrink, Real) and not isinstance(self.shrink, bool)
        if not number or not 0 <= float(self.shrink) < np.inf:
            raise ValueError(
                "The 'shrink' parameter of PrecisionRanker must be a finite number of positives, at "
                f"least 0. Got {self.shrink!r} instead."
            )

    def _fit_classes(self, samples: Samples) -> list[Curve]:
        pooled, shrink, n = None, float(self.shrink), len(samples)
        if shrink > 0 and n > 1:
            pooled = pooled_curve(per_class(lambda k: pooled_part(samples[k]), n, self.n_jobs))
        own = per_class(lambda k: own_fit(samples[k], pooled, shrink), n, self.n_jobs)
        self.own_weight_ = np.ones(n)
        self.shared_positives_ = 0.0
        if self.share == "none" or all(samples.troubles):
            return [fit.curve.finished(fit.counts) for fit in own]
        made = blend(own, pooled, shrink)
        self.own_weight_, self.shared_positives_ = made.own_weight, made.positives
        return list(made.curves)

    def _after(self) -> None:
        curves: Any = self._curves
        self.methods_ = np.array([c.method for c in curves])
        self.n_atoms_ = np.array([len(c.atom_score) for c in curves])
        self.degrees_of_freedom_ = np.array([c.freedom for c in curves])
