"""Honest evaluation of multi-label and pair-input models.

Data flow, one way through the packages::

    anything you have ─► core ─► stratify ─► folds ─► your model ─► rank ─► predictions
                         │       │
                         │       └► split_quality: how good, and how far from the bound
                         └ Labels, Scores, Folds, Pairs: checked once

- :mod:`trueval.core` owns the values that travel, and what keeps them sound.
- :mod:`trueval.stratify` makes stratified folds, measures them, and offers them
  as scikit-learn splitters.
- :mod:`trueval.pairs` holds out objects for models of pairs, scores and audits.
- :mod:`trueval.audit` finds what a split of rows gives away.
- :mod:`trueval.rank` makes scores of different classes comparable and turns them
  into calls for a wanted precision, recall or F.
- :mod:`trueval.study` runs every table and figure of the papers again.
- :mod:`trueval.data` simulates data for tests and documents.
- :mod:`trueval.testing` checks any splitter, yours included.

The names below are loaded on first use, so that ``import trueval`` stays cheap.
"""

from trueval._version import __version__
from trueval.core.lazy import loader

# Not that of ``typing``, which takes longer to import than all of this. Until here, Ctrl-C at the
# command line still ends in a traceback of Python; :func:`trueval.cli.main` catches it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from trueval.core.errors import (
        InputError,
        InputWarning,
        MissingExtra,
        ParameterError,
        RareClassWarning,
    )
    from trueval.core.labels import Labels, as_labels
    from trueval.core.names import align
    from trueval.pairs import (
        ObjectKFold,
        ObjectLeaveTwoOut,
        ObjectShuffleSplit,
        audit_pairs,
        averaged_auc,
        coverage,
        pooled_auc,
        pooled_scores,
    )
    from trueval.rank import (
        LocalPrecisionRate,
        OptimalThresholds,
        PrecisionRanker,
        RankedClassifier,
        average_precision,
        make_consistent,
        pick_threshold,
        pooled_precision_recall_curve,
    )
    from trueval.stratify import (
        METHODS,
        MultilabelStratifiedGroupKFold,
        MultilabelStratifiedKFold,
        MultilabelStratifiedShuffleSplit,
        MultilabelStratifiedSimilarityKFold,
        RepeatedMultilabelStratifiedKFold,
        SplitQuality,
        split_quality,
        stratified_folds,
        train_test_split,
    )

__all__ = [
    "METHODS",
    "InputError",
    "InputWarning",
    "Labels",
    "LocalPrecisionRate",
    "MissingExtra",
    "MultilabelStratifiedGroupKFold",
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "MultilabelStratifiedSimilarityKFold",
    "ObjectKFold",
    "ObjectLeaveTwoOut",
    "ObjectShuffleSplit",
    "OptimalThresholds",
    "ParameterError",
    "PrecisionRanker",
    "RankedClassifier",
    "RareClassWarning",
    "RepeatedMultilabelStratifiedKFold",
    "SplitQuality",
    "__version__",
    "align",
    "as_labels",
    "audit_pairs",
    "average_precision",
    "averaged_auc",
    "coverage",
    "make_consistent",
    "pick_threshold",
    "pooled_auc",
    "pooled_precision_recall_curve",
    "pooled_scores",
    "split_quality",
    "stratified_folds",
    "train_test_split",
]

__getattr__ = loader(
    __name__,
    {
        "trueval.core.errors": (
            "InputError",
            "InputWarning",
            "MissingExtra",
            "ParameterError",
            "RareClassWarning",
        ),
        "trueval.core.labels": (
            "Labels",
            "as_labels",
        ),
        "trueval.core.names": ("align",),
        "trueval.pairs": (
            "ObjectKFold",
            "ObjectLeaveTwoOut",
            "ObjectShuffleSplit",
            "audit_pairs",
            "averaged_auc",
            "coverage",
            "pooled_auc",
            "pooled_scores",
        ),
        "trueval.rank": (
            "LocalPrecisionRate",
            "OptimalThresholds",
            "PrecisionRanker",
            "RankedClassifier",
            "average_precision",
            "make_consistent",
            "pick_threshold",
            "pooled_precision_recall_curve",
        ),
        "trueval.stratify": (
            "METHODS",
            "MultilabelStratifiedGroupKFold",
            "MultilabelStratifiedKFold",
            "MultilabelStratifiedShuffleSplit",
            "MultilabelStratifiedSimilarityKFold",
            "RepeatedMultilabelStratifiedKFold",
            "SplitQuality",
            "split_quality",
            "stratified_folds",
            "train_test_split",
        ),
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
