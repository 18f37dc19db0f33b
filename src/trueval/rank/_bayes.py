"""Thresholds that need no labels: on probabilities, decision theory says where to cut.

A call of probability p is right with chance p. If a false call costs c times a missed
positive, calling costs c·(1 − p) and not calling costs p, so that a pair is called from
p = c/(1 + c) on. With equal costs that is 1/2, the maximum a posteriori (MAP) rule of
Section 2.3 of the local-precision-rate paper.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import norm

from trueval.core.errors import InputError
from trueval.core.scores import Scores

__all__ = ["bayes_cut", "check_probabilities", "cost_message", "judged_cost"]


def bayes_cut(cost_ratio: float) -> float:
    """Probability from which a call costs less than no call.

    ``cost_ratio`` is the cost of a false call in units of a missed positive.

    >>> from trueval.rank._bayes import bayes_cut
    >>> bayes_cut(1.0), bayes_cut(3.0)
    (0.5, 0.75)
    """
    return cost_ratio / (1.0 + cost_ratio)


def check_probabilities(values: Scores, ranker: Any, asked: str) -> None:
    """Refuse values that are not estimates of P(class | score)."""
    fix = "Use a ranker that estimates P(class | score), such as PrecisionRanker."
    if not getattr(ranker, "gives_probabilities", True):
        raise InputError(
            f"{asked} cuts probabilities, but values of {type(ranker).__name__} describe all calls "
            "above a score, not the call itself.",
            fix=fix,
        )
    low, high = values.range
    if low < 0 or high > 1:
        what = "the scores" if ranker is None else f"values of {type(ranker).__name__}"
        raise InputError(
            f"{asked} cuts probabilities, but {what} go from {low:.4g} to {high:.4g}.", fix=fix
        )


def judged_cost(
    cut: float,
    claimed: float,
    nothing: float,
    expected: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    level: float,
) -> tuple[bool, str]:
    """Whether the probabilities of the calls are calibrated, and a sentence on the cost.

    ``claimed`` is their mean, NaN without calls, ``nothing`` the cost of calling nothing;
    ``intervals`` of what is ``expected`` have the confidence ``level``.
    """
    low, high = intervals["precision"]
    error = (high - low) / (2 * norm.ppf(0.5 + level / 2))
    # Three errors: probabilities that are right should hardly ever be accused.
    calibrated = bool(np.isnan(claimed) or abs(claimed - expected["precision"]) <= 3 * error)
    text = cost_message(cut, expected["cost"], nothing, claimed, expected["precision"], calibrated)
    return calibrated, text


def cost_message(
    cut: float, cost: float, nothing: float, claimed: float, precision: float, calibrated: bool
) -> str:
    """What the cut means, what it costs, and whether the probabilities keep their word.

    Costs are expected ones for each object. ``claimed`` is the mean probability of the calls and
    ``precision`` the share of them expected to be right, NaN without calls; ``kept`` says that they
    agree within three standard errors.

    >>> from trueval.rank._bayes import cost_message
    >>> cost_message(0.5, 0.21, 0.3, 0.8, 0.79, True)
    'called from a probability of 0.5 on; expected cost 0.21 for each object (0.3 if nothing ...'
    """
    text = (
        f"called from a probability of {cut:.4g} on; expected cost {cost:.3g} for each object "
        f"({nothing:.3g} if nothing is called), where a missed positive costs 1"
    )
    if np.isnan(claimed):
        return text
    if calibrated:
        return f"{text}; the probabilities of the calls average {claimed:.3f}, as they should"
    return (
        f"{text}; the probabilities of the calls average {claimed:.3f}, but {precision:.3f} of "
        "them are right: they are not calibrated, so this threshold does not give the least cost"
    )
