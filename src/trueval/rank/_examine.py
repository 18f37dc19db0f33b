"""``examine_precision``: whether the precision curve of each class is smooth.

The paper advises to look at the empirical precision against rank (Section 6). Here that
plot comes with the fit and with a test for jumps of the rate, which are kinks of the curve.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import InputError
from trueval.core.params import RANDOM_STATE, Interval, constrained
from trueval.core.presentable import Presentable
from trueval.core.random import as_generator
from trueval.core.scores import check_pair
from trueval.core.table import Table
from trueval.rank._jumps import detect_jumps, labels_of, places_of, scan_jumps, scan_width
from trueval.rank._rate import RateData, Term, label_grid
from trueval.rank._sample import Sample, class_sample

__all__ = ["ClassPrecision", "PrecisionExamination", "examine_precision"]

Float = NDArray[np.float64]
KERNEL = "epanechnikov"
NULL_WIDTH = 0.7  # bandwidth of the curve without jumps, in widths of the scan


@dataclass(frozen=True, eq=False)
class ClassPrecision:
    """The precision curve of one class, its smooth fit, and the test for a jump.

    Attributes
    ----------
    rank, score : ndarray of float64
        Empirical cdf u of each object, rising, and its score.
    precision, fit : ndarray of float64
        Empirical precision of calling this object and all above it, and G(u) fitted.
    rate : ndarray of float64
        Local precision rate of the fit, P(class | score).
    bandwidth : float
        Of the fit, by labels left out one at a time.
    resolution : float
        Share of the ranks within which a change counts as a jump.
    jump_rank, jump_score, step : float
        Where the largest jump is, the lowest score above it, and the change of the
        rate there.
    p_value : float
        Of that jump, for a rate that is smooth at the resolution; NaN where there are
        too few objects.
    jump_helps : bool
        Whether smoothing the sides of jumps apart predicts labels better.
    """

    rank: Float
    score: Float
    precision: Float
    fit: Float
    rate: Float
    bandwidth: float
    resolution: float
    jump_rank: float
    jump_score: float
    step: float
    p_value: float
    jump_helps: bool


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionExamination(Presentable):
    """What :func:`examine_precision` found, class by class.

    Attributes
    ----------
    classes : dict of str to ClassPrecision
    level : float
        p-value below which a jump is reported, divided by the number of classes.
    """

    classes: Mapping[str, ClassPrecision]
    level: float

    @property
    def table(self) -> Table:
        """One line for each class."""
        examined = list(self.classes.values())
        columns = ("bandwidth", "resolution", "jump_rank", "jump_score", "step", "p_value")
        return Table(
            {
                "class": list(self.classes),
                **{name: [getattr(c, name) for c in examined] for name in columns},
                "jump": [self._jumps(c) for c in examined],
                "jump_helps": [c.jump_helps for c in examined],
            }
        )

    @property
    def smooth(self) -> bool:
        """Whether no class has a jump at the level."""
        return not any(self._jumps(c) for c in self.classes.values())

    def _jumps(self, examined: ClassPrecision) -> bool:
        return bool(examined.p_value <= self.level / len(self.classes))


@constrained(
    n_draws=Interval(int, 1),
    level=Interval(float, 0, 1, "neither"),
    random_state=RANDOM_STATE,
)
def examine_precision(
    scores: Any,
    y: Any,
    *,
    classes: Sequence[Any] | None = None,
    n_draws: int = 199,
    level: float = 0.05,
    random_state: Any = 0,
) -> PrecisionExamination:
    """Fit the precision curve of some classes and test the rate for jumps.

    Parameters
    ----------
    scores : array, DataFrame or sparse matrix of shape (n_rows, n_classes)
        Scores of objects the model was *not* trained on.
    y : labels in any form :func:`trueval.as_labels` takes
    classes : sequence, optional
        Names of classes; those that can be ranked, at most 20, if not given.
    n_draws : int, default=199
        Draws of labels from the smooth fit, for the p-value.
    level : float, default=0.05
        Level of the test over all examined classes.
    random_state : None, int, Generator or RandomState, default=0

    Returns
    -------
    PrecisionExamination
        ``PrecisionRankDisplay`` draws it.

    Notes
    -----
    At each place the rate just below and just above is read off a straight line through
    the labels of M^(2/3) ranks on that side. The statistic is the largest difference in
    standard errors; its distribution without a jump comes from labels drawn from a local
    fit that is smooth at that width. A rate that rises faster than the width can resolve is
    reported like a jump: ``resolution`` says how much of the ranks that is, and
    ``jump_helps`` whether smoothing the two sides apart is worth it.

    Examples
    --------
    >>> from trueval.data.simulate import simulation_one
    >>> from trueval.rank import examine_precision
    >>> scores, y = simulation_one(1000, 0.1, random_state=0)
    >>> examined = examine_precision(scores, y)
    >>> examined.table["jump"].tolist()
    [False, True, False, True, True]
    >>> abs(examined.classes["1"].jump_score - 0.8) < 0.05
    True
    """
    checked, labels = check_pair(scores, y)
    place = {name: k for k, name in enumerate(labels.classes.tolist())}
    unknown = [name for name in classes or () if name not in place]
    if unknown:
        raise InputError(
            f"there is no class {unknown[0]!r}; the {len(place)} classes are "
            f"{_list([str(name) for name in place])}."
        )
    generator = as_generator(random_state)
    examined: dict[str, ClassPrecision] = {}
    for name in place if classes is None else classes:
        sample = class_sample(checked, labels.by_class, place[name])
        if sample.trouble and classes is not None:
            raise InputError(f"class {name!r} has no precision curve: {sample.trouble}.")
        if not sample.trouble and len(examined) < 20:
            examined[str(name)] = _examine(sample, n_draws, generator)
    if not examined:
        raise InputError("no class has positives, negatives and two different scores.")
    return PrecisionExamination(examined, float(level))


def _examine(sample: Sample, n_draws: int, generator: np.random.Generator) -> ClassPrecision:
    data = RateData(sample)
    size = sample.size.astype(np.int64)
    grid = label_grid(data.n)
    h, _ = data.choose(KERNEL, grid)
    terms = [Term(KERNEL, h, 1.0, 1.0)]
    cut, _ = detect_jumps(data, KERNEL, grid, bandwidth=h)
    width = scan_width(data.n)
    rank, step, p = _jump_test(data, width, n_draws, generator)
    score = np.repeat(sample.score, size)
    return ClassPrecision(
        rank=data.u,
        score=score,
        precision=data.v,
        fit=data.fit(KERNEL, h)[0],
        rate=np.repeat(data.rates(terms), size),
        bandwidth=h,
        resolution=width / data.n,
        jump_rank=rank / data.n,
        jump_score=float(score[int(rank)]) if np.isfinite(rank) else np.nan,
        step=step,
        p_value=p,
        jump_helps=bool(cut.cuts),
    )


def _jump_test(
    data: RateData, width: int, n_draws: int, generator: np.random.Generator
) -> tuple[float, float, float]:
    """Rank and size of the largest standardised step, and its p-value by drawn labels."""
    places = places_of(data.sample)
    if len(places) == 0:
        return np.nan, np.nan, np.nan
    scan = scan_jumps(labels_of(data.sample), places, width)
    best = int(np.argmax(np.abs(scan.z)))
    h = min(NULL_WIDTH * width / data.n, 1.0)
    smooth = data.rates([Term(KERNEL, h, 1.0, 1.0)])
    chance = np.repeat(smooth, data.sample.size.astype(np.int64))
    as_large = 0
    for _ in range(n_draws):
        drawn = (generator.random(data.n) < chance).astype(np.float64)
        drawn = np.repeat(data.mean(drawn), data.sample.size.astype(np.int64))
        as_large += bool(np.abs(scan_jumps(drawn, places, width).z).max() >= abs(scan.z[best]))
    return float(places[best]), float(scan.step[best]), (1 + as_large) / (n_draws + 1)


def _list(names: Sequence[str]) -> str:
    first_names = ", ".join(names[:8])
    return first_names if len(names) <= 8 else f"{first_names} and {len(names) - 8} more"
