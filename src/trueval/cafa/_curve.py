"""From sums over proteins to the measures of CAFA, for one sample or many resamples at once."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["NORMALIZATIONS", "Curve", "average_precision", "best_place", "make_curve"]

Floats = NDArray[np.float64]

NORMALIZATIONS = ("cafa", "pred", "gt")


@dataclass(frozen=True, eq=False)
class Curve:
    """Measures at each threshold; arrays end in the axis of the thresholds.

    Attributes
    ----------
    thresholds : ndarray
        Ascending.
    n, coverage : ndarray
        Proteins with a prediction, and their share.
    tp, misinformation, remaining_uncertainty : ndarray
        Average weight of right, wrong and missing terms.
    precision, recall, f : ndarray
        Averages over proteins, and their harmonic mean.
    s : ndarray
        Distance of misinformation and remaining uncertainty from (0, 0).
    precision_micro, recall_micro, f_micro : ndarray
        Of all pairs together.
    """

    thresholds: Floats
    n: Floats
    coverage: Floats
    tp: Floats
    misinformation: Floats
    remaining_uncertainty: Floats
    precision: Floats
    recall: Floats
    f: Floats
    s: Floats
    precision_micro: Floats
    recall_micro: Floats
    f_micro: Floats


def make_curve(
    thresholds: Floats, sums: Mapping[str, Floats], n_proteins: int, normalization: str
) -> Curve:
    """Measures of sums over proteins, normalised as CAFA-evaluator does.

    ``sums`` are as :meth:`Entries.sums` gives them, resamples before the axis of thresholds;
    ``normalization`` is ``"cafa"``, ``"pred"`` or ``"gt"``.
    """
    n = sums["n"]
    everyone = np.full(n.shape, float(n_proteins))
    by = dict.fromkeys(("tp", "fp", "fn", "rc"), n if normalization == "pred" else everyone)
    by["pr"] = everyone if normalization == "gt" else n
    mean = {name: _divide(sums[name], by[name]) for name in by}
    micro_pr = _divide(mean["tp"], mean["tp"] + mean["fp"])
    micro_rc = _divide(mean["tp"], mean["tp"] + mean["fn"])
    return Curve(
        thresholds,
        n,
        _divide(n, everyone),
        mean["tp"],
        mean["fp"],
        mean["fn"],
        mean["pr"],
        mean["rc"],
        _harmonic(mean["pr"], mean["rc"]),
        np.sqrt(mean["fn"] ** 2 + mean["fp"] ** 2),
        micro_pr,
        micro_rc,
        _harmonic(micro_pr, micro_rc),
    )


def best_place(
    values: Floats, covered: NDArray[np.bool_], *, smallest: bool = False
) -> NDArray[np.int64]:
    """First place of the best value among covered thresholds, along the last axis.

    A threshold is covered where a protein has a prediction; 0 where none is.
    """
    if smallest:
        return np.where(covered, values, np.inf).argmin(axis=-1)
    return np.where(covered, values, -np.inf).argmax(axis=-1)


def average_precision(precision: Floats, recall: Floats) -> Floats:
    """Area below a curve as the sum of its steps: of recall, times the precision there.

    Thresholds ascend along the last axis, so that recall descends.
    """
    steps = recall - np.concatenate([recall[..., 1:], np.zeros_like(recall[..., :1])], axis=-1)
    return (steps * precision).sum(axis=-1)


def _divide(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole > 0)


def _harmonic(precision: Floats, recall: Floats) -> Floats:
    return _divide(2 * precision * recall, precision + recall)
