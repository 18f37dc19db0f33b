"""Jumps of the local precision rate: where a smooth fit from either side would differ.

A jump of the rate is a kink of the precision curve. It is looked for in the labels, by
straight lines fitted to the ranks just below and just above each possible place (one-sided
fits, as McDonald and Owen 1986 and Hall and Titterington 1992 have them).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueval.rank._rate import RateData, Term
from trueval.rank._sample import Sample

__all__ = ["JumpScan", "detect_jumps", "scan_jumps", "scan_width"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
LEAST_PIECE = 8  # objects on either side of a jump
MOST_JUMPS = 8
LEAST_Z = 3.0  # standard errors from which a place is tried
BEYOND_NOISE = 1.5  # standard errors by which the leave-one-label-out error must fall


@dataclass(frozen=True, eq=False)
class JumpScan:
    """Estimated step of the rate at each place where scores differ."""

    rank: Int  # objects below the place
    step: Float  # rate just above less rate just below
    z: Float  # the same in standard errors


def scan_width(n: int) -> int:
    """Ranks on either side that a scan looks at, n^(2/3) and at least 8.

    >>> from trueval.rank._jumps import scan_width
    >>> scan_width(1000), scan_width(10)
    (100, 8)
    """
    return max(round(n ** (2 / 3)), LEAST_PIECE)


def scan_jumps(label: Float, places: Int, width: int) -> JumpScan:
    """Step at each place between two straight lines, of the labels below and above it.

    Labels come by rising score. A place is the rank before which a step may lie, with at least two
    objects on either side; a line is fitted to ``width`` ranks, fewer at the ends.

    >>> import numpy as np
    >>> from trueval.rank._jumps import scan_jumps
    >>> label = np.repeat([0.0, 1.0], 50)
    >>> scan = scan_jumps(label, np.arange(8, 93), 20)
    >>> int(scan.rank[np.argmax(scan.z)]), round(float(scan.step.max()), 6)
    (50, 1.0)
    """
    n = len(label)
    sums = np.concatenate([[0.0], np.cumsum(label)])
    firsts = np.concatenate([[0.0], np.cumsum(label * (np.arange(n) + 0.5))])

    def end_of_line(low: Int, high: Int, sign: float) -> tuple[Float, Float]:
        """Value at the place of the line through low..high, and Σ weight²."""
        k = (high - low).astype(np.float64)
        total = sums[high] - sums[low]
        # Distances from the place are 1/2, 3/2, …: their sums are known.
        moment = sign * (firsts[high] - firsts[low] - places * total)
        s1, s2 = k * k / 2, k * (4 * k * k - 1) / 12
        det = k * s2 - s1 * s1
        return (s2 * total - s1 * moment) / det, s2 / det

    below, w_below = end_of_line(np.maximum(places - width, 0), places, -1.0)
    above, w_above = end_of_line(places, np.minimum(places + width, n), 1.0)
    below, above = np.clip(below, 0.0, 1.0), np.clip(above, 0.0, 1.0)
    # Without a step both sides have one rate; half a label on either side keeps the
    # standard error above zero where all labels are equal.
    rate = (below / w_below + above / w_above) / (1 / w_below + 1 / w_above)
    size = 1 / (w_below + w_above)
    rate = (rate * size + 0.5) / (size + 1)
    step = above - below
    return JumpScan(places, step, step / np.sqrt(rate * (1 - rate) / size))


def places_of(sample: Sample) -> Int:
    """Ranks between different scores, with a piece's fewest objects on either side."""
    first = (np.cumsum(sample.size) - sample.size).astype(np.int64)
    return first[(first >= LEAST_PIECE) & (first <= int(sample.n) - LEAST_PIECE)]


def labels_of(sample: Sample) -> Float:
    """Labels by rank, the mean where scores are tied."""
    return np.repeat(sample.positives / sample.size, sample.size.astype(np.int64))


def detect_jumps(
    data: RateData, kernel: str, bandwidths: Float, *, bandwidth: float
) -> tuple[RateData, float]:
    """Cut the ranks where the rate jumps, as far as that predicts labels better.

    ``bandwidth`` is the best without jumps, ``bandwidths`` are those to choose from for each set of
    jumps. Data in one piece come back in pieces; as they were if no jump helps.

    Places come by falling standardised step, each moved to where two constants fit the
    labels around it best. A jump stays if the squared leave-one-label-out error falls by
    1.5 standard errors of its difference or more: its place was chosen on the same labels.
    """
    places = places_of(data.sample)
    if len(places) == 0:
        return data, bandwidth
    width = scan_width(data.n)
    label = labels_of(data.sample)
    scan = scan_jumps(label, places, width)
    strength = np.abs(scan.z)
    errors = _label_errors(data, kernel, bandwidth)
    while len(data.cuts) < MOST_JUMPS:
        best = int(np.argmax(strength))
        if strength[best] < LEAST_Z:
            break
        middle = int(places[best])
        strength[np.abs(places - middle) < width // 2] = 0.0
        place = _best_split(label, places, middle, width)
        ends = np.array([0, *data.cuts, data.n])
        if np.abs(ends - place).min() < LEAST_PIECE:
            continue
        cut = RateData(data.sample, sorted([*data.cuts, place]))
        h = cut.choose(kernel, bandwidths)[0]
        new = _label_errors(cut, kernel, h)
        if _falls(errors - new, data.sample):
            data, bandwidth, errors = cut, h, new
    return data, bandwidth


def _label_errors(data: RateData, kernel: str, bandwidth: float) -> Float:
    """Squared leave-one-label-out errors of each score: of members, then of others."""
    terms = [Term(kernel, bandwidth, 1.0, 1.0)]
    return np.stack(data.label_errors(data.rates(terms, clip=False), data.own_weights(terms)))


def _falls(drop: Float, sample: Sample) -> bool:
    """Whether the errors of all objects fall beyond the noise of their sum."""
    count = np.stack([sample.positives, sample.size - sample.positives])
    drop = np.where(count > 0, drop, 0.0)
    if not np.isfinite(drop).all():
        return bool(np.sum(count * drop) == np.inf)  # no error was finite before
    total = float((count * drop).sum())
    squares = float((count * drop**2).sum())
    return total > BEYOND_NOISE * np.sqrt(max(squares - total**2 / sample.n, 0.0)) > 0


def _best_split(label: Float, places: Int, middle: int, width: int) -> int:
    """Place near the middle where two constants have the highest likelihood."""
    low, high = max(middle - width, 0), min(middle + width, len(label))
    near = places[(places >= low + 2) & (places <= high - 2)]
    sums = np.concatenate([[0.0], np.cumsum(label)])

    def likelihood(begin: Int | int, end: Int | int) -> Float:
        size = np.asarray(end - begin, dtype=np.float64)
        total = sums[end] - sums[begin]
        rate = np.clip(total / size, 1e-12, 1 - 1e-12)
        return total * np.log(rate) + (size - total) * np.log1p(-rate)

    return int(near[int(np.argmax(likelihood(low, near) + likelihood(near, high)))])
