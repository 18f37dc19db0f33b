"""Stratified multi-label folds: methods, measures, scikit-learn splitters.

How a split is made::

    y ──as_labels──► Labels ─┐
    parts ──as_parts──► Parts ─┤
                               ├─► METHODS[method](labels, parts, …) ──► part number of each row
    groups, fixed, options ────┘        │
                                        ├─► split_quality: LD, ED, rLD, DCP beside their bounds
                                        └─► splitters: lazily made (train, test) indices

``_parts.py`` reads what is wanted, ``measures.py`` has the formulas and bounds,
``_quality.py`` reports them, each method has its own file, ``_folds.py`` runs them by
name; ``_splitters.py`` and ``_train_test.py`` are the scikit-learn side of it.

``_methods.py`` lists the methods, one record each; the command line, the tests and the
documentation read the same list. Listing them imports nothing heavy, so the names below are
loaded on first use.
"""

from typing import TYPE_CHECKING

from trueval.core.lazy import loader
from trueval.stratify._methods import METHODS

if TYPE_CHECKING:
    from trueval.stratify._folds import stratified_folds
    from trueval.stratify._label_sets import label_pair_distribution
    from trueval.stratify._leakage import Leakage
    from trueval.stratify._quality import SplitQuality, split_quality
    from trueval.stratify._similarity_kfold import MultilabelStratifiedSimilarityKFold
    from trueval.stratify._splitters import (
        MultilabelStratifiedGroupKFold,
        MultilabelStratifiedKFold,
        MultilabelStratifiedShuffleSplit,
        RepeatedMultilabelStratifiedKFold,
    )
    from trueval.stratify._trade_off import leakage_trade_off
    from trueval.stratify._train_test import train_test_split

__all__ = [
    "METHODS",
    "Leakage",
    "MultilabelStratifiedGroupKFold",
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "MultilabelStratifiedSimilarityKFold",
    "RepeatedMultilabelStratifiedKFold",
    "SplitQuality",
    "label_pair_distribution",
    "leakage_trade_off",
    "split_quality",
    "stratified_folds",
    "train_test_split",
]

__getattr__ = loader(
    __name__,
    {
        "trueval.stratify._folds": ("stratified_folds",),
        "trueval.stratify._leakage": ("Leakage",),
        "trueval.stratify._trade_off": ("leakage_trade_off",),
        "trueval.stratify._label_sets": ("label_pair_distribution",),
        "trueval.stratify._quality": ("SplitQuality", "split_quality"),
        "trueval.stratify._similarity_kfold": ("MultilabelStratifiedSimilarityKFold",),
        "trueval.stratify._splitters": (
            "MultilabelStratifiedGroupKFold",
            "MultilabelStratifiedKFold",
            "MultilabelStratifiedShuffleSplit",
            "RepeatedMultilabelStratifiedKFold",
        ),
        "trueval.stratify._train_test": ("train_test_split",),
    },
)
