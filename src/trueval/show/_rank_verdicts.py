"""What to conclude from rankings and thresholds, by the limits of :mod:`trueval.show._verdicts`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trueval.show import _advice as advice
from trueval.show._numbers import count, number
from trueval.show._summary import Level, Verdict
from trueval.show._verdicts import SAME_AVERAGE_PRECISION, SAME_RATE, sentence

if TYPE_CHECKING:
    from trueval.rank import ThresholdChoice

__all__ = [
    "choices_verdict",
    "f_name",
    "fit_verdict",
    "jumps_verdict",
    "rankers_verdict",
    "target_name",
    "target_of",
]


def rankers_verdict(ranker: str, areas: Mapping[str, float], reason: str = "") -> Verdict:
    """On the average precision of one or several rankers, the first of them chosen."""
    best = max(areas, key=lambda name: areas[name])
    area = areas[ranker]
    if len(areas) == 1:
        text = f"All predictions ranked in one list have an average precision of {number(area)}."
        return Verdict(text, reason, "good", advice.CHOOSE_TARGET)
    if areas[best] - area > SAME_AVERAGE_PRECISION:
        name = "The raw scores rank" if best == "raw" else f"“{best}” ranks"
        text = (
            f"{name} these predictions better than “{ranker}”: average precision "
            f"{number(areas[best])}, against {number(area)}."
        )
        return Verdict(text, reason, "fair", advice.use_ranker(best))
    rest = {name: value for name, value in areas.items() if name != ranker}
    near = "raw" if "raw" in rest else max(rest, key=lambda name: rest[name])
    whose = "the raw scores" if near == "raw" else f"“{near}”"
    if abs(area - rest[near]) <= SAME_AVERAGE_PRECISION:
        text = f"“{ranker}” ranks these predictions about as well as {whose}"
    else:
        text = f"“{ranker}” ranks these predictions better than {whose}"
    text += f": average precision {number(area)}, against {number(rest[near])}."
    return Verdict(text, reason, "good", advice.CHOOSE_TARGET)


#: What makes one choice better than another for the same target.
_GAIN = {"precision": "recall", "recall": "precision", "beta": "f"}


def choices_verdict(
    ranker: str, choices: Mapping[str, "ThresholdChoice"], reason: str = ""
) -> Verdict:
    """On a threshold for a target, next to other rankers at the same target."""
    choice = choices[ranker]
    if choice.abstains:
        return _abstention(choice, reason)
    names = ("f",) if choice.target == "beta" else ("precision", "recall")
    expected = " and ".join(
        f"{'an' if name == 'f' else 'a'} {_NAMES[name](choice)} of "
        f"{number(float(getattr(choice, name)))}"
        for name in names
    )
    level: Level = "good"
    next_step = advice.use_predictions(choice.precision)
    if choice.target in ("map", "cost_ratio"):
        text = f"Pairs are predicted from a probability of {choice.threshold:.4g} on"
        if not choice.target_reached:
            text += ", but the probabilities are not calibrated"
            level, next_step = "poor", advice.CALIBRATE
    elif choice.target == "top_k":
        verb = "is" if choice.wanted == 1 else "are"
        text = f"{sentence(target_of(choice))} {verb} predicted"
    elif not choice.target_reached:
        text = f"{sentence(target_of(choice))} is not reached"
        level, next_step = "poor", advice.LOWER_TARGET
    elif _falls_short(choice):
        text = f"{sentence(target_of(choice))} is reached on these data but not expected again"
        level, next_step = "fair", advice.CONFIDENCE
    else:
        # "0.9 is reached: expect 0.898" would contradict itself.
        nearly = "nearly " if _shortfall(choice) > 0 else ""
        text = f"{sentence(target_of(choice))} is {nearly}reached"
    text += f": on new data expect {expected}."
    rival = _rival(ranker, choices)
    if rival is not None:
        name, gain = rival
        label = _NAMES[gain](choice)
        text += (
            f" “{name}” has a higher {label} at this target: "
            f"{number(float(getattr(choices[name], gain)))}."
        )
        level = "fair" if level == "good" else level
        next_step = advice.use_ranker(name)
    return Verdict(text, reason, level, next_step)


def _abstention(choice: "ThresholdChoice", reason: str) -> Verdict:
    """On a target that is not reached, so that nothing is predicted."""
    text = f"{sentence(target_of(choice))} is not reached, so nothing is predicted"
    sure = "" if choice.confidence is None else f" with confidence {choice.confidence:g}"
    reached = choice.reached
    if reached < choice.wanted:  # not so where new data alone fall short, nor for NaN
        text += f": the best that can be reached{sure} is a {choice.target} of {number(reached)}"
    elif reached >= choice.wanted:
        text += ": it holds on these data, but clearly less is expected on new data"
    return Verdict(f"{text}.", reason, "poor")


def f_name(choice: "ThresholdChoice") -> str:
    """Name of the F-beta of a choice."""
    name = f"F{choice.wanted:g}" if choice.target == "beta" else "F1"
    return f"mean {name} of rows" if choice.average == "objects" else name


_NAMES = {
    "precision": lambda choice: "precision",
    "recall": lambda choice: "recall",
    "f": f_name,
}


def target_of(choice: "ThresholdChoice") -> str:
    """What a threshold was chosen for."""
    if choice.average == "objects":
        return f"the best {f_name(choice)}"
    return target_name(choice.target, choice.wanted)


def target_name(target: str, wanted: float) -> str:
    """A target in words.

    >>> target_name("precision", 0.9), target_name("n_calls", 500.0)
    ('a precision of 0.9', 'a total of 500 predictions')
    """
    names = {
        "precision": f"a precision of {wanted:g}",
        "recall": f"a recall of {wanted:g}",
        "beta": f"the best F{wanted:g}",
        "n_calls": f"a total of {wanted:,.0f} predictions",
        "top_k": "the best class of every row"
        if wanted == 1
        else f"the {wanted:g} best classes of every row",
        "map": "the least number of errors",
        "cost_ratio": f"the least cost, {wanted:g} for a false prediction and 1 for a miss",
    }
    return names.get(target, f"{target} {wanted:g}")


def _falls_short(choice: "ThresholdChoice") -> bool:
    """Whether clearly less than asked is expected, though the interval reaches it."""
    return _shortfall(choice) >= SAME_RATE


def _shortfall(choice: "ThresholdChoice") -> float:
    """How much less than asked is expected, with the three decimals that are shown."""
    if choice.target not in ("precision", "recall"):
        return 0.0
    return round(choice.wanted - float(getattr(choice, choice.target)), 3)


def _rival(ranker: str, choices: Mapping[str, "ThresholdChoice"]) -> tuple[str, str] | None:
    """Another ranker that does more at the same target: outside of the chosen one's interval."""
    choice = choices[ranker]
    gain = _GAIN.get(choice.target)
    if gain is None or gain not in choice.intervals:
        return None
    best = max(choices, key=lambda name: getattr(choices[name], gain))
    return (best, gain) if getattr(choices[best], gain) > choice.intervals[gain][1] else None


def jumps_verdict(jumping: Sequence[str], helped: Sequence[str]) -> Verdict:
    """On the classes whose rate jumps, and those that jumps='detect' helps."""
    if not jumping:
        return Verdict("No jump was found: smooth precision curves fit these classes.", "", "good")
    text = f"The rate jumps, or rises too fast to tell it from a jump, in {_first(jumping)}."
    if helped:
        text += f" jumps='detect' predicts labels better in {_first(helped)}."
    return Verdict(text, "", "poor")


def _first(names: Sequence[str], most: int = 8) -> str:
    """Names in a list, the first of them if there are many."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def fit_verdict(n_classes: int, n_flat: int) -> Verdict:
    """On the fit of a ranker."""
    text = f"Fitted on {count(n_classes, 'class', 'classes')}"
    if n_flat == 0:
        return Verdict(f"{text}.", "", "good")
    n_fitted = n_classes - n_flat
    return Verdict(f"{text}, {n_fitted:,} of them with a curve of their own.", "", "fair")
