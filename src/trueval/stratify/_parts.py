"""What the parts should be: their shares, and the row counts that follow.

``parts`` is written once by the user (``5``, ``[0.8, 0.1, 0.1]``) and read once,
here; methods and measures see only :class:`Parts`.
"""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import scaled
from trueval.core.errors import InputError, InputWarning, warn_user
from trueval.core.params import Interval, Many, constrained

__all__ = ["PARTS", "Parts", "as_parts", "remaining_parts", "spread"]

PERCENT = 100  # the largest whole number that is a plain share


#: What ``parts`` may be, wherever it is a parameter.
PARTS = (
    Interval(int, 2),
    Many(
        Interval(float, 0, closed="neither"),
        "a list of at least two positive shares such as [0.8, 0.1, 0.1]",
        least=2,
    ),
)


@dataclass(frozen=True, eq=False)
class Parts:
    """Wanted parts of ``n_rows`` rows."""

    n_rows: int
    shares: NDArray[np.float64]  # wanted share of each part, sum 1
    # low, high: A part is as wanted when ``low <= size <= high``. Equal shares leave open which
    # parts get the odd rows; unequal ones are fixed.
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self.shares)

    @property
    def equal(self) -> bool:
        """Whether all parts want the same share."""
        return bool(np.all(self.shares == self.shares[0]))

    def sizes(self, generator: np.random.Generator | None = None) -> NDArray[np.int64]:
        """One exact set of sizes; the odd rows go to random parts if a generator is given."""
        sizes = self.low.copy()
        odd = self.n_rows - int(sizes.sum())
        open_parts = np.flatnonzero(self.high > self.low)
        if generator is not None:
            open_parts = generator.permutation(open_parts)
        sizes[open_parts[:odd]] += 1
        return sizes


@constrained(parts=PARTS)
def as_parts(parts: Any, n_rows: int) -> Parts:
    """Read a number of equal parts, a list of shares, or a list of row counts.

    An int asks for that many equal parts. Floats are shares, scaled to sum 1
    (``[80, 10, 10]`` and ``[0.8, 0.1, 0.1]`` mean the same), unless they are integers that
    add up to ``n_rows``: then they are exact row counts. A warning says how unequal numbers
    were read that sum to neither 1, 100 nor ``n_rows``.

    >>> as_parts([0.8, 0.1, 0.1], 25).sizes()
    array([20,  3,  2])
    >>> as_parts(4, 10).sizes()
    array([3, 3, 2, 2])
    """
    if isinstance(parts, Integral) and not isinstance(parts, bool):
        _check_enough_rows(int(parts), n_rows)
        shares = np.full(int(parts), 1 / int(parts))
        low = np.full(int(parts), n_rows // int(parts), dtype=np.int64)
        return Parts(n_rows, shares, low, low + (n_rows % int(parts) > 0))
    values = np.array([float(part) for part in parts])
    _check_enough_rows(len(values), n_rows)
    if np.all(values == values[0]) and _sum(values) != n_rows:
        equal_parts = as_parts(len(values), n_rows)
        _warn_of_sum(values, equal_parts)
        return equal_parts
    shares = scaled(values)
    shares /= shares.sum()
    low = _largest_remainder(shares, n_rows)
    if (low == 0).any():
        empty = int(np.flatnonzero(low == 0)[0])
        raise InputError(
            f"part {empty} asks for a share of {shares[empty]:.3g} of {n_rows} rows, which is less "
            "than one row. Ask for a larger share or fewer parts."
        )
    equal_parts = Parts(n_rows, shares, low, low)
    _warn_of_sum(values, equal_parts)
    return equal_parts


def _sum(values: NDArray[np.float64]) -> float:
    with np.errstate(over="ignore"):
        return float(values.sum())


def _warn_of_sum(values: NDArray[np.float64], parts: Parts) -> None:
    """Say how parts were read that sum to neither 1, 100 nor the number of rows."""
    total = _sum(values)
    if any(np.isclose(total, whole, rtol=1e-9) for whole in (1, PERCENT, parts.n_rows)):
        return
    counts = values.max() > PERCENT and bool((values == np.floor(values)).all())
    if parts.equal and not counts:  # in equal numbers, whatever the numbers
        return
    more = ", …" if parts.n_parts > 10 else ""
    shares = ", ".join(f"{value:g}" for value in values[:10].tolist()) + more
    if counts:
        rows = ", ".join(str(size) for size in parts.sizes()[:10].tolist()) + more
        text = (
            f"the parts {shares} add up to {total:g}, not to the {parts.n_rows} rows, so they are "
            f"taken as shares: parts of {rows} rows."
        )
        fix = f"Give row counts that add up to {parts.n_rows}, or shares such as 0.8, 0.1, 0.1."
    else:
        read = ", ".join(f"{share:.1%}" for share in parts.shares[:10].tolist()) + more
        text = f"the parts {shares} sum to {total:g}: read as {read}."
        fix = "Give shares that sum to 1 or to 100."
    warn_user(text, InputWarning, fix=fix)


def _check_enough_rows(n_parts: int, n_rows: int) -> None:
    if n_parts > n_rows:
        raise InputError(
            f"cannot divide {n_rows} rows into {n_parts} parts; each part needs at least one row."
        )


def _largest_remainder(shares: NDArray[np.float64], n_rows: int) -> NDArray[np.int64]:
    exact = shares * n_rows
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    order = np.argsort(-(exact - sizes), kind="stable")
    sizes[order[: n_rows - int(sizes.sum())]] += 1
    return sizes


def remaining_parts(parts: Parts, placed: NDArray[np.int64]) -> Parts:
    """Parts that can still be had when some rows are placed already.

    A part that is over-full keeps its rows, the others share what is left, and
    class targets follow the sizes that come out.

    >>> import numpy as np
    >>> from trueval.stratify._parts import as_parts, remaining_parts
    >>> remaining_parts(as_parts(4, 100), np.array([60, 0, 0, 0])).sizes()
    array([60, 14, 13, 13])
    """
    if (placed <= parts.low).all():
        return parts
    free = parts.n_rows - int(placed.sum())
    room = np.maximum(parts.shares * parts.n_rows - placed, 0)
    exact = placed + (free * room / room.sum() if free else 0)
    sizes = np.floor(exact + 1e-9).astype(np.int64)
    odd = np.argsort(-(exact - sizes), kind="stable")[: parts.n_rows - int(sizes.sum())]
    sizes[odd] += 1
    return Parts(parts.n_rows, np.maximum(sizes, 1) / parts.n_rows, sizes, sizes)


def spread(sizes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Part numbers, as many of each as asked, in which every stretch has each part's share.

    >>> spread(np.array([4, 2, 2]))
    array([0, 1, 2, 0, 0, 1, 2, 0], dtype=int32)
    """
    numbers = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    position = np.arange(len(numbers)) - starts
    times = (position + 0.5) / np.repeat(sizes, sizes)
    return numbers[np.argsort(times, kind="stable")]
