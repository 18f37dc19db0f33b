"""How far the measures of a ranking vary over resamples of the rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.intervals import percentile_interval
from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.rank._bands import LEVEL, N_DRAWS, RECALLS, ListMeasures, RankedLists
from trueval.rank._by_class import class_means
from trueval.report._schema import Columns, Each, Map, Maybe
from trueval.report._section import Data
from trueval.show._numbers import rounded

__all__ = ["FOLDS", "RESAMPLING", "resampling"]

#: Scores beyond which only the classes that are shown one by one are resampled.
MOST_SCORES = 10_000_000
#: Scores times resamples that are worth the wait, down to the least number of resamples.
WORK, LEAST_DRAWS = 200_000_000, 50

_NO_RECALLS = np.empty(0)
_MEASURES = ("average_precision", "auc")
_NUMBER = Maybe(float)
_BAND = Columns(dict.fromkeys(("precision", "low", "high"), _NUMBER))

_AVERAGES = dict.fromkeys(("micro", "macro"), Each(_NUMBER, least=3))

#: The shape of :func:`resampling`.
RESAMPLING = Maybe(
    {
        "n_draws": int,
        "level": float,
        "averages": Maybe(dict.fromkeys(_MEASURES, _AVERAGES)),
        "recalls": Each(float),
        "pooled": Maybe(Columns({"recall": float, **_BAND.of})),
        "bands": Map(_BAND),
        "classes": Columns(
            {f"{name}_{end}": _NUMBER for name in _MEASURES for end in ("low", "high")}
        ),
    }
)
#: The shape of :func:`trueval.rank._by_class.fold_measures`.
FOLDS = Maybe(
    Columns(
        {
            **dict.fromkeys(("fold", "rows", "positives"), int),
            **dict.fromkeys(("average_precision", "macro_average_precision", "macro_auc"), _NUMBER),
            "predictions": Maybe(int),
            **dict.fromkeys(("precision", "recall"), _NUMBER),
        }
    )
)


def resampling(values: Scores, labels: Labels, chosen: Sequence[int]) -> Data:
    """Intervals of all classes and their averages, and bands of the classes that are shown.

    Averages are (value, low, high). Where there are too many scores, only the classes that are
    shown have an interval.
    """
    small = values.n_stored <= MOST_SCORES
    n_draws = int(np.clip(WORK // max(values.n_stored, 1), LEAST_DRAWS, N_DRAWS))
    classes = np.flatnonzero(labels.class_sizes) if small else np.asarray(chosen, dtype=np.int64)
    by_class = _Resampled(RankedLists(values, labels, classes), n_draws, _NO_RECALLS)
    columns = {}
    for name in _MEASURES:
        for end, interval in zip(("low", "high"), by_class.interval(name), strict=True):
            column = np.full(labels.n_classes, np.nan)
            column[classes] = interval
            columns[f"{name}_{end}"] = rounded(column, 3)
    averages, pooled = None, None
    if small:
        one = _Resampled(RankedLists(values, labels), n_draws, RECALLS)
        averages = {
            name: {"micro": one.average(name), "macro": by_class.average(name)}
            for name in _MEASURES
        }
        pooled = {"recall": rounded(RECALLS), **one.bands()[0]}
    single = _Resampled(RankedLists(values, labels, chosen), n_draws, RECALLS)
    bands = dict(zip(map(str, chosen), single.bands(), strict=True))
    return {
        "n_draws": n_draws,
        "level": LEVEL,
        "averages": averages,
        "recalls": rounded(RECALLS),
        "pooled": pooled,
        "bands": bands,
        "classes": columns,
    }


class _Resampled:
    """The measures of lists, and of resamples of the rows: the same rows for all lists."""

    def __init__(self, lists: RankedLists, n_draws: int, recalls: NDArray[np.float64]) -> None:
        self.lists = lists
        self.value: ListMeasures = lists.measures(np.ones((1, lists.n_rows)), recalls)
        self.draws = lists.draws(n_draws, np.random.default_rng(0), recalls)

    def interval(self, name: str) -> tuple[Any, Any]:
        return self.lists.interval(self.draws, self.value, name)

    def average(self, name: str) -> list[float | None]:
        """The mean of the lists that have the measure, with its interval."""
        value, draws = (class_means(getattr(of, name)) for of in (self.value, self.draws))
        ends = percentile_interval(draws, value[0], LEVEL, n_units=self.lists.n_rows)
        return [rounded(float(x)) for x in (value[0], *ends)]

    def bands(self) -> list[Data]:
        """Precision at each recall, with both ends of its interval."""
        low, high = self.interval("precision")
        names = ("precision", "low", "high")
        arrays = (self.value.precision[0], low, high)
        return [
            {name: rounded(array[k], 3) for name, array in zip(names, arrays, strict=True)}
            for k in range(self.lists.n_lists)
        ]
