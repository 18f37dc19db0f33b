"""Stratified multi-label folds: seven methods, four measures, scikit-learn splitters.

How a split is made::

    y ──as_labels──► Labels ─┐
    parts ──as_parts──► Parts ─┤
                               ├─► METHODS[method](labels, parts, …) ──► part number of each row
    groups, fixed, options ────┘        │
                                        ├─► split_quality: LD, ED, rLD, DCP beside their bounds
                                        └─► splitters: lazily made (train, test) indices

``parts.py`` reads what is wanted, ``measures.py`` has the formulas and bounds,
``quality.py`` shows them, each method has its own file, ``folds.py`` runs them by
name and ``splitters.py`` is the scikit-learn side of it.

=============  ==========================================================================
method         what it does
=============  ==========================================================================
``anneal``     the default: simulated annealing of rLD; exact sizes, groups, fixed rows
``optisplit``  OptiSplit, Algorithm 1 of Tiittanen and others 2022
``iterative``  iterative stratification (IS), Sechidis and others 2011
``iterative2`` the same over label pairs (SOIS), Szymański and Kajdanowicz 2017
``sampling``   stratified sampling (SS), Merrillees and Du 2021
``pmbsrs``     strata of similar label frequency, Charte and others 2016
``random``     labels ignored; the yardstick
=============  ==========================================================================
"""

from trueval.stratify.folds import METHODS, stratified_folds
from trueval.stratify.quality import SplitQuality, split_quality
from trueval.stratify.splitters import (
    MultilabelStratifiedGroupKFold,
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
    train_test_split,
)

__all__ = [
    "METHODS",
    "MultilabelStratifiedGroupKFold",
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "RepeatedMultilabelStratifiedKFold",
    "SplitQuality",
    "split_quality",
    "stratified_folds",
    "train_test_split",
]
