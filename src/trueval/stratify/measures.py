"""LD, ED, rLD and DCP (eqs. 3.1 to 3.4 of the OptiSplit paper) and their bounds.

All take ``counts`` (classes × parts: members of class i in part j) and give one
value per class; the paper's figures are their means over non-empty classes.

Bounds
------
A class of D members can only be divided in whole members, so rLD and DCP have
a floor that no split can pass.

*rLD against the wanted sizes* is Σ_j |c_j − D·w_j| / (k·w_j·D), a separable convex
function of the integers c_j ≥ 0 with Σ c_j = D. Each part's price is piecewise
linear with slope −f_j up to ⌊D·w_j⌋, f_j(1 − 2φ_j) over the one member that crosses
the target (φ_j the fractional part of D·w_j), and +f_j after it, where
f_j = 1/(k·w_j·D). Slopes never fall, so handing out D members in order of slope is
optimal. With equal shares this gives 2r(k − r)/(kD), r = D mod k.

*DCP* is max_j (c_j/D − w_j). With r = D − Σ⌊D·w_j⌋ members left over after rounding
down, r parts must be rounded up; taking those with the largest φ leaves the
largest excess (1 − φ_(r))/D, φ_(r) the r-th largest. With equal shares this gives
(k − r)/(kD), and 0 where r = 0.

*Sizes* can force more. Parts of wanted sizes hold at least the positives of the rows with
the fewest labels, at most those of the rows with the most. Where the best division of every
class gives a part a number of positives outside that range, as with 1,000 classes of 7 rows
each in parts of 70 and 30 %, some classes must do worse; the cheapest are counted.
:func:`forced_rld` takes the part for which that costs most.

rLD *as printed* divides by the actual part sizes, so unequal parts can push it
below the floor; :func:`trueval.stratify.split_quality` shows both.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.docs import shared_sections
from trueval.core.errors import InputError
from trueval.core.labels import as_labels
from trueval.core.params import Interval, constrained

__all__ = [
    "class_part_counts", "dcp", "dcp_bound", "ed", "forced_rld", "ld", "rld", "rld_bound",
    "rld_wanted",
]  # fmt: skip

_MOST_PARTS = 20  # of forced_rld, whose work grows with their square

_Counts = NDArray[np.int64]
_Floats = NDArray[np.float64]


def _sections(first: str, second: str) -> str:
    """Parameters and result of a measure of each class."""
    return f"""
Parameters
----------
{first}
{second}

Returns
-------
ndarray of shape (n_classes,)
    NaN for classes without members.
"""


_COUNTS = "counts : ndarray of shape (n_classes, n_parts)"
_SHARES = "shares : ndarray of shape (n_parts,)"
_OF_SIZES = _sections(_COUNTS, "sizes : ndarray of shape (n_parts,)\n    Rows in each part.")
_OF_SHARES = _sections(_COUNTS, _SHARES)
_OF_CLASSES = _sections("class_sizes : ndarray of shape (n_classes,)", _SHARES)


@constrained(n_parts=Interval(int, 1, 2**31 - 1))
def class_part_counts(labels: Any, folds: Any, n_parts: int) -> _Counts:
    """Positives of each class in each part.

    Parameters
    ----------
    labels : labels in any form :func:`trueval.as_labels` takes
    folds : array-like of int of shape (n_rows,)
        Part number of each row; rows with a negative number are left out.
    n_parts : int

    Returns
    -------
    ndarray of int64, shape (n_classes, n_parts)

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.measures import class_part_counts
    >>> y = np.array([[1, 0], [1, 1], [1, 0]])
    >>> class_part_counts(y, np.array([0, 1, 1]), 2)
    array([[1, 2],
           [0, 1]])
    """
    # A copy: what is checked stays so, whatever another thread writes.
    labels, numbers = as_labels(labels), np.array(folds)
    if numbers.shape != (labels.n_rows,) or numbers.dtype.kind not in "iu":
        raise InputError(
            f"folds must be one whole number for each of the {labels.n_rows} rows. Got shape "
            f"{numbers.shape}, dtype {numbers.dtype} instead."
        )
    if len(numbers) and numbers.max() >= n_parts:
        raise InputError(f"folds has part {numbers.max()}, but there are {n_parts} parts.")
    flat = _kernels.part_counts(
        labels.indptr,
        labels.indices,
        np.ascontiguousarray(numbers.astype(np.int64).clip(-1), dtype=np.int32),
        labels.n_classes,
        n_parts,
    )
    return flat.view(np.int64).reshape(labels.n_classes, n_parts)


@shared_sections(sections=_OF_SIZES)
def ld(counts: _Counts, sizes: NDArray[np.int64]) -> _Floats:
    """Labels distribution of each class, eq. 3.1: mean difference of odds, part to all.

    Odds are positives over negatives, with the negatives taken as at least one
    half, so a part in which every row has the class has large but finite odds. A
    class that every row has cannot be split badly and gets 0.

    {sections}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.measures import ld
    >>> ld(np.array([[2, 4]]), np.array([10, 10]))  # odds 1/4, 2/3; all: 3/7
    array([0.20833333])
    """
    n_rows = sizes.sum()
    total = counts.sum(axis=1)
    odds = counts / np.maximum(sizes - counts, 0.5)
    odds_all = total / np.maximum(n_rows - total, 0.5)
    result = np.abs(odds - odds_all[:, None]).mean(axis=1)
    result[total == n_rows] = 0.0
    return _without_empty(result, total)


def ed(sizes: NDArray[np.int64], shares: _Floats) -> float:
    """Examples distribution, eq. 3.2: mean distance of part sizes from the wanted.

    Parameters
    ----------
    sizes : ndarray of shape (n_parts,)
    shares : ndarray of shape (n_parts,)

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.measures import ed
    >>> ed(np.array([6, 4]), np.array([0.5, 0.5]))
    1.0
    """
    return float(np.abs(sizes - shares * sizes.sum()).mean())


@shared_sections(sections=_OF_SIZES)
def rld(counts: _Counts, sizes: NDArray[np.int64]) -> _Floats:
    """Relative labels distribution of each class, eq. 3.3: mean of abs(d − p_j) / d.

    An empty part has no frequency; its p counts as 0.

    {sections}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.measures import rld
    >>> rld(np.array([[2, 4]]), np.array([10, 10]))  # d = 0.3; p = 0.2, 0.4
    array([0.33333333])
    """
    total = counts.sum(axis=1)
    frequency = counts / np.maximum(sizes, 1)
    overall = np.maximum(total, 1) / sizes.sum()
    return _without_empty(np.abs(frequency / overall[:, None] - 1).mean(axis=1), total)


@shared_sections(sections=_OF_SHARES)
def rld_wanted(counts: _Counts, shares: _Floats) -> _Floats:
    """Return rLD with the wanted in place of the actual part sizes; what ``anneal`` lowers.

    Never below :func:`rld_bound`.

    {sections}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.measures import rld_wanted
    >>> rld_wanted(np.array([[2, 4]]), np.array([0.5, 0.5]))
    array([0.33333333])
    """
    total = counts.sum(axis=1)
    expected = np.maximum(total, 1)[:, None] * shares
    return _without_empty(np.abs(counts / expected - 1).mean(axis=1), total)


@shared_sections(sections=_OF_SHARES)
def dcp(counts: _Counts, shares: _Floats) -> _Floats:
    """Delta-class proportion of each class, eq. 3.4: max_j (share of members in j − w_j).

    {sections}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.measures import dcp
    >>> dcp(np.array([[2, 4]]), np.array([0.5, 0.5]))
    array([0.16666667])
    """
    total = counts.sum(axis=1)
    excess = counts / np.maximum(total, 1)[:, None] - shares
    return _without_empty(excess.max(axis=1), total)


@shared_sections(sections=_OF_CLASSES)
def rld_bound(class_sizes: NDArray[np.int64], shares: _Floats) -> _Floats:
    """Least possible rLD (wanted sizes) of each class; see the module's notes.

    {sections}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.measures import rld_bound
    >>> rld_bound(np.array([7, 10]), np.full(5, 0.2))  # 2·2·3 / (5·7), 0
    array([0.34285714, 0.        ])
    """
    k = len(shares)
    sizes, inverse = np.unique(class_sizes, return_inverse=True)
    bound = np.full(len(sizes), np.nan)
    has = sizes > 0
    D = sizes[has].astype(float)[:, None]
    whole, fraction = _whole_and_fraction(D, shares)
    price = 1 / (k * shares * D)
    slopes = np.concatenate([-price, price * (1 - 2 * fraction), price], axis=1)
    room = np.concatenate([whole, np.ones_like(whole), np.broadcast_to(D, whole.shape)], axis=1)
    # A part's second segment must come before its third and after its first; a
    # stable sort keeps that also where their slopes are equal.
    order = np.argsort(slopes, axis=1, kind="stable")
    slopes = np.take_along_axis(slopes, order, axis=1)
    room = np.take_along_axis(room, order, axis=1)
    before = np.cumsum(room, axis=1) - room
    taken = np.clip(D - before, 0, room)
    least = 1 + (slopes * taken).sum(axis=1)
    bound[has] = np.where(least < 1e-12, 0.0, least)
    return bound[inverse]


def forced_rld(
    class_sizes: NDArray[np.int64],
    row_lengths: NDArray[np.int64],
    shares: _Floats,
    part_sizes: NDArray[np.int64],
) -> float:
    """Sum over classes of the rLD above :func:`rld_bound` that exact part sizes force.

    0 for equal shares, where every number of positives near the share is as good, and for
    more than 20 parts; the lower bound is then that of single classes.

    Parameters
    ----------
    class_sizes : ndarray of shape (n_classes,)
    row_lengths : ndarray of shape (n_rows,)
        Labels of each row.
    shares : ndarray of shape (n_parts,)
    part_sizes : ndarray of shape (n_parts,)
        Rows of each part.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.measures import forced_rld
    >>> sizes = np.array([49, 21])  # one of ten classes cannot be divided 5 to 2
    >>> round(forced_rld(np.full(10, 7), np.ones(70, int), np.array([0.7, 0.3]), sizes), 6)
    0.272109
    """
    k = len(shares)
    if np.all(shares == shares[0]) or k > _MOST_PARTS:
        return 0.0
    sizes, number = np.unique(class_sizes[class_sizes > 0], return_counts=True)
    cumulated = np.concatenate([[0], np.cumsum(np.sort(row_lengths))])
    worst = 0.0
    for part in range(k):
        fewest = cumulated[part_sizes[part]]
        most = cumulated[-1] - cumulated[len(row_lengths) - part_sizes[part]]
        slope, length = _part_slopes(sizes.astype(float)[:, None], shares, part)
        length = length * number[:, None]
        # Slopes rise with the positives that a class has in the part; it costs least where
        # they turn from negative to positive.
        falling, rising = slope < -1e-12, slope > 1e-12
        up = _cheapest(slope[rising], length[rising], fewest - length[~rising].sum())
        down = _cheapest(-slope[falling], length[falling], length[falling].sum() - most)
        worst = max(worst, up, down)
    return worst


def _part_slopes(D: _Floats, shares: _Floats, part: int) -> tuple[_Floats, _Floats]:
    """Change of a class's least rLD with its positives in one part: slopes and lengths."""
    whole, fraction = _whole_and_fraction(D, shares)
    price = 1 / (len(shares) * shares * D)
    rest = np.arange(len(shares)) != part
    # What the last positive in the other parts costs, by how many they have.
    p, w, f = price[:, rest], whole[:, rest], fraction[:, rest]
    slopes = np.concatenate([-p, p * (1 - 2 * f), p], axis=1)
    room = np.concatenate([w, np.ones_like(w), np.broadcast_to(D, w.shape)], axis=1)
    order = np.argsort(slopes, axis=1, kind="stable")
    slopes = np.take_along_axis(slopes, order, axis=1)
    filled = np.cumsum(np.take_along_axis(room, order, axis=1), axis=1)
    count, w = whole[:, [part]], price[:, [part]]
    breaks = np.concatenate([np.zeros_like(D), count, count + 1, D - filled, D], axis=1)
    breaks = np.sort(np.clip(breaks, 0, D), axis=1)
    start = breaks[:, :-1]
    slope = np.where(
        start < count, -w, np.where(start > count, w, w * (1 - 2 * fraction[:, [part]]))
    )
    last = (filled[:, None, :] < (D - start)[:, :, None]).sum(axis=2)  # filled ends at D or more
    return slope - np.take_along_axis(slopes, last, axis=1), np.diff(breaks, axis=1)


def _cheapest(slope: _Floats, length: _Floats, needed: float) -> float:
    """Least cost of ``needed`` units, if any, each from one of the segments."""
    order = np.argsort(slope, kind="stable")
    before = np.cumsum(length[order]) - length[order]
    return float((slope[order] * np.clip(needed - before, 0, length[order])).sum())


@shared_sections(sections=_OF_CLASSES)
def dcp_bound(class_sizes: NDArray[np.int64], shares: _Floats) -> _Floats:
    """Least possible DCP of each class; see the module's notes.

    {sections}

    Examples
    --------
    >>> import numpy as np
    >>> from trueval.stratify.measures import dcp_bound
    >>> dcp_bound(np.array([7, 10]), np.full(5, 0.2))  # 3 / (5·7), 0
    array([0.08571429, 0.        ])
    """
    sizes, inverse = np.unique(class_sizes, return_inverse=True)
    bound = np.full(len(sizes), np.nan)
    has = sizes > 0
    D = sizes[has].astype(float)
    whole, fraction = _whole_and_fraction(D[:, None], shares)
    left = np.rint(D - whole.sum(axis=1)).astype(int)
    descending = -np.sort(-fraction, axis=1)
    last_up = descending[np.arange(len(left)), left - 1]
    bound[has] = np.where(left > 0, (1 - last_up) / D, 0.0)
    return bound[inverse]


def _whole_and_fraction(D: _Floats, shares: _Floats) -> tuple[_Floats, _Floats]:
    target = D * shares
    whole = np.floor(target + 1e-9)  # 0.1 · 10 is meant to be 1
    return whole, np.maximum(target - whole, 0.0)


def _without_empty(values: _Floats, total: NDArray[np.int64]) -> _Floats:
    return np.where(total > 0, values, np.nan)
