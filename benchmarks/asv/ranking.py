"""Rankers, the smoother and the pooled curve."""

import warnings

import numpy as np
import scipy.sparse as sp

from trueval.data.simulate import simulation_two
from trueval.rank import (
    LocalPrecisionRate,
    PrecisionRanker,
    average_precision,
    pooled_precision_recall_curve,
)
from trueval.rank._smoother import choose_bandwidth, local_quadratic

RANKERS = {"PrecisionRanker": PrecisionRanker, "LocalPrecisionRate": LocalPrecisionRate}


class Rankers:
    """Fit and transform, and what they are worth on new data."""

    params = (list(RANKERS), [500, 20_000])
    param_names = ("ranker", "objects")
    SMALL = ("PrecisionRanker", 200)

    def setup(self, ranker: str, objects: int) -> None:
        self.scores, self.y = simulation_two(objects, 0.07, 0.03, random_state=0)
        self.new, self.new_y = simulation_two(objects, 0.07, 0.03, random_state=1)
        self.fitted = RANKERS[ranker]().fit(self.scores, self.y)

    def time_fit(self, ranker: str, objects: int) -> None:
        RANKERS[ranker]().fit(self.scores, self.y)

    def time_transform(self, ranker: str, objects: int) -> None:
        self.fitted.transform(self.new)

    def peakmem_fit_transform(self, ranker: str, objects: int) -> None:
        RANKERS[ranker]().fit(self.scores, self.y).transform(self.new)

    def track_average_precision(self, ranker: str, objects: int) -> float:
        return float(average_precision(self.fitted.transform(self.new), self.new_y))

    track_average_precision.unit = "area"


class Smoother:
    """The local quadratic fit at all points."""

    params = ([10_000, 1_000_000],)
    param_names = ("points",)
    SMALL = (500,)

    def setup(self, points: int) -> None:
        self.u = np.arange(1, points + 1) / points
        self.v = np.random.default_rng(0).random(points)

    def time_local_quadratic(self, points: int) -> None:
        local_quadratic(self.u, self.v, 0.1, even=True)

    def time_choose_bandwidth(self, points: int) -> None:
        choose_bandwidth(self.u, self.v, np.geomspace(0.03, 0.2, 20), even=True)


class PooledCurve:
    """The pooled precision-recall curve of sparse scores."""

    params = ([100_000, 1_000_000],)
    param_names = ("stored",)
    SMALL = (2_000,)

    def setup(self, stored: int) -> None:
        generator = np.random.default_rng(0)
        rows = stored // 20
        pattern = sp.csr_array(sp.random(rows, 200, 0.1, "csr", random_state=generator))
        member = generator.random(pattern.nnz) < 0.3 * pattern.data
        self.scores = pattern
        y = pattern.copy()
        y.data = member.astype(np.int8)
        y.eliminate_zeros()
        self.y = y.astype(np.int8)

    def time_curve(self, stored: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pooled_precision_recall_curve(self.scores, self.y)

    def peakmem_curve(self, stored: int) -> None:
        self.time_curve(stored)
