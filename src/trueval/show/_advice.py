"""What to do next after each verdict."""

__all__ = [
    "ADD_FEATURES",
    "AUDIT",
    "CALIBRATE",
    "CHOOSE_TARGET",
    "CLUSTERS",
    "CONFIDENCE",
    "DEGREES",
    "IDENTITY",
    "KEEP_GROUPS",
    "KEEP_SPLIT",
    "LOWER_TARGET",
    "OVERLAP",
    "REMOVE_LEAK",
    "REMOVE_ROWS",
    "REPORT_STRICT",
    "SHIFT",
    "SPLIT_AGAIN",
    "STATE_CHECKS",
    "use_predictions",
    "use_ranker",
]

KEEP_SPLIT = "Train on these folds, and publish the file of folds with the results."
SPLIT_AGAIN = "Split again with a stratified method (trueval split), unless groups forbid it."
KEEP_GROUPS = "Split again and keep the groups together (trueval split --groups)."

REMOVE_ROWS = (
    "Keep rows that belong together on one side (--groups, --similarity of trueval split), and "
    "drop the columns named, before you report any score."
)
SHIFT = (
    "State how test rows were chosen: scores on them say less about rows like those of training."
)
STATE_CHECKS = "State with the results which checks were made."

REMOVE_LEAK = "Remove the repeated pairs from training or test before you report any score."
CLUSTERS = "Hold out whole clusters of similar objects (trueval pairs --clusters)."
IDENTITY = (
    "Compare every model with object identity alone before you claim that it learns features."
)
DEGREES = (
    "Compare every model with degrees alone, or choose negatives whose objects occur as often as "
    "those of positives."
)
#: By the level of what the test pairs test.
AUDIT = {
    "good": "State with the results which objects were held out.",
    "fair": "To claim performance on held-out objects, split by objects (trueval pairs).",
}
OVERLAP = "Use overlapping folds (--overlapping) to validate every pair."
ADD_FEATURES = "Add features (--features) to see what a model learns beyond object identity."
REPORT_STRICT = "Report the AUC of the strict scheme for held-out objects, and name the scheme."

CHOOSE_TARGET = "Choose a threshold for a target, such as a precision of 0.9 (trueval decide)."
CALIBRATE = "Calibrate the scores with a ranker first."
LOWER_TARGET = "Lower the target, or improve the model: these scores do not allow it."
CONFIDENCE = "Choose the threshold with a confidence of 0.9 (--confidence) to be on the safe side."


def use_ranker(name: str) -> str:
    """Another ranker does better."""
    whose = "the raw scores" if name == "raw" else f"the ranker “{name}”"
    return f"Use {whose} instead (--ranker {name})."


def use_predictions(precision: float) -> str:
    """The threshold does what was asked; how many of its predictions are correct.

    >>> use_predictions(0.899)
    'Use the predictions: of 100, about 90 are expected to be correct.'
    """
    if precision != precision:
        return "Use the predictions."
    return f"Use the predictions: of 100, about {100 * precision:.0f} are expected to be correct."
