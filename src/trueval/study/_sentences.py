"""The sentences of section 5.4 of the OptiSplit paper, as figures that can be computed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import spearmanr

__all__ = ["NOTHING", "SENTENCES", "Scores", "Sentence", "answer_of"]

_ByMethod = Mapping[str, Mapping[str, float]]
#: Measures by data set and method.
Scores = dict[str, dict[str, dict[str, float]]]
NOTHING = "not known"
_OPTISPLIT = ("optisplit-rld", "optisplit-dcp", "optisplit-ld")
_PREVIOUS = ("iterative2", "iterative", "sampling", "pmbsrs", "random")
_PAPERS = (*_OPTISPLIT, *_PREVIOUS)


@dataclass(frozen=True)
class Sentence:
    """A sentence, the figure that decides it, and the test; NaN where a method is missing."""

    text: str
    figure: str
    value: Callable[[_ByMethod], float]
    holds: Callable[[float], bool]


def answer_of(sentence: Sentence, scores: _ByMethod, suffix: str) -> dict[str, Any]:
    """Figure and yes, no or not known, as columns.

    >>> fast = {"random": {"rLD": 0.2}, "optisplit-rld": {"rLD": 0.1}}
    >>> half = Sentence("", "", lambda s: s["optisplit-rld"]["rLD"] / s["random"]["rLD"], _below(1))
    >>> answer_of(half, fast, " paper")
    {'value paper': 0.5, 'holds paper': 'yes'}
    """
    try:
        value = float(sentence.value(scores))
    except (KeyError, ValueError):
        value = np.nan
    finite = np.isfinite(value)
    word = NOTHING if not finite else "yes" if sentence.holds(value) else "no"
    return {f"value{suffix}": value, f"holds{suffix}": word}


def _below(limit: float) -> Callable[[float], bool]:
    return lambda value: value < limit


def _above(limit: float) -> Callable[[float], bool]:
    return lambda value: value > limit


def _least(scores: _ByMethod, measure: str, methods: tuple[str, ...]) -> float:
    values = [scores.get(m, {}).get(measure, np.nan) for m in methods]
    return min(value for value in values if np.isfinite(value))


def _best_against_previous(measure: str) -> Callable[[_ByMethod], float]:
    """The best OptiSplit of rLD and DCP over the best previous method."""
    return lambda s: _least(s, measure, _OPTISPLIT[:2]) / _least(s, measure, _PREVIOUS)


def _ratio(measure: str, first: str, second: str) -> Callable[[_ByMethod], float]:
    return lambda s: s[first][measure] / s[second][measure]


def _correlation(first: str, second: str) -> Callable[[_ByMethod], float]:
    """Rank correlation of two measures over the paper's methods."""

    def value(scores: _ByMethod) -> float:
        pairs = [(scores[m][first], scores[m][second]) for m in _PAPERS if m in scores]
        pairs = [pair for pair in pairs if np.isfinite(pair).all()]
        if len(pairs) < 4:
            return np.nan
        return float(spearmanr(*zip(*pairs, strict=True)).statistic)

    return value


SENTENCES = (
    Sentence(
        "OptiSplit has a lower rLD than previous methods",
        "rLD, best of OptiSplit(rLD, DCP) over best previous method",
        _best_against_previous("rLD"),
        _below(1),
    ),
    Sentence(
        "OptiSplit has a lower DCP than previous methods",
        "DCP, best of OptiSplit(rLD, DCP) over best previous method",
        _best_against_previous("DCP"),
        _below(1),
    ),
    Sentence(
        "Random splits have poor folds",
        "rLD, random over best other previous method",
        lambda s: s["random"]["rLD"] / _least(s, "rLD", _PREVIOUS[:3]),
        _above(1),
    ),
    Sentence(
        "Iterative stratification is much slower than OptiSplit on larger data",
        "seconds, iterative2 over OptiSplit(rLD)",
        _ratio("seconds", "iterative2", "optisplit-rld"),
        _above(1),
    ),
    Sentence(
        "OptiSplit has a higher ED than some other methods",
        "ED, OptiSplit(rLD) minus least of the previous methods",
        lambda s: s["optisplit-rld"]["ED"] - _least(s, "ED", _PREVIOUS),
        _above(0),
    ),
    Sentence(
        "DCP and rLD order the methods alike",
        "rank correlation of DCP and rLD",
        _correlation("DCP", "rLD"),
        _above(0.8),
    ),
    Sentence(
        "Optimising DCP gives nearly as good a rLD",
        "rLD, OptiSplit(DCP) over OptiSplit(rLD)",
        _ratio("rLD", "optisplit-dcp", "optisplit-rld"),
        _below(1.5),
    ),
    Sentence(
        "LD orders the methods otherwise than rLD",
        "rank correlation of LD and rLD",
        _correlation("LD", "rLD"),
        _below(0.8),
    ),
    Sentence(
        "LD prefers PMBSRS to random splits",
        "LD, pmbsrs over random",
        _ratio("LD", "pmbsrs", "random"),
        _below(0.95),
    ),
    Sentence(
        "rLD does not prefer PMBSRS to random splits",
        "rLD, pmbsrs over random",
        _ratio("rLD", "pmbsrs", "random"),
        _above(0.95),
    ),
    Sentence(
        "OptiSplit for LD does not have the lowest LD",
        "LD, OptiSplit(LD) over best other method",
        lambda s: s["optisplit-ld"]["LD"] / _least(s, "LD", (*_OPTISPLIT[:2], *_PREVIOUS)),
        _above(1),
    ),
    Sentence(
        "OptiSplit for LD has a considerably high ED",
        "ED, OptiSplit(LD) over OptiSplit(rLD)",
        _ratio("ED", "optisplit-ld", "optisplit-rld"),
        _above(2),
    ),
)
"""In the paper's order, with the limits that we read into its words."""
