"""Honest validation of models whose inputs are pairs of objects.

Two rows that share an object are not independent; so objects are held out, not rows::

    pairs ──as_pairs──► PairIndex (ids numbered once; duplicates, mirrors, self pairs counted)
                          │
    clusters, y ──► parts of objects ──► splitters: strict | relaxed, BB | AB | AA
                          │                │
                          │                ├─► coverage: what is never validated, what is lost
                          │                ├─► pooled_scores: any model ───────┐
                          │                ├─► cross_val_scores_knn, _ridge: ──┴─► averaged_auc,
                          │                │   exact, without refits               pooled_auc + null
                          │                └─► deviation_study: how far from the truth
                          └─► audit_pairs: what somebody else's split really tests

=================  ==================================================================
``parts.py``       objects into parts that carry like numbers of pairs and positives
``folding.py``     what holding out objects makes of every row
``splitters.py``   the scikit-learn classes, lazy index arrays
``cover.py``       how often each pair is validated, and what each fold drops
``auc.py``         averaged and pooled AUC, the null value of pooling
``scores.py``      out-of-fold scores for folds that are no partition
``audit.py``       AA, AB, BB, duplicates, leaks, the identity-only baseline
``tasks.py``       folds that hold out whole labels, as masks, for knn.py and ridge.py
``knn.py``         K nearest neighbours of pairs, all K and schemes from one list
``ridge.py``       ridge regression from sums kept for each object
``deviation.py``   mean and variance of estimate minus truth, over many draws
``checkpoint.py``  its finished repeats in a file
=================  ==================================================================
"""

from trueval.core.ids import PairIndex
from trueval.core.pairs import as_pairs
from trueval.pairs.auc import AUC, AUCWithNull, averaged_auc, pooled_auc
from trueval.pairs.audit import PairAudit, PairLeakError, audit_pairs, identity_scores
from trueval.pairs.cover import Coverage, coverage
from trueval.pairs.deviation import DeviationStudy, deviation_study
from trueval.pairs.folding import PairFold, UnscorableFoldWarning
from trueval.pairs.knn import PairKNNClassifier, cross_val_scores_knn
from trueval.pairs.ridge import cross_val_scores_ridge
from trueval.pairs.scores import PooledScores, pooled_scores
from trueval.pairs.splitters import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    ObjectShuffleSplit,
    RepeatedObjectKFold,
)

__all__ = [
    "AUC",
    "AUCWithNull",
    "Coverage",
    "DeviationStudy",
    "ObjectKFold",
    "ObjectLeaveTwoOut",
    "ObjectShuffleSplit",
    "PairAudit",
    "PairFold",
    "PairIndex",
    "PairKNNClassifier",
    "PairLeakError",
    "PooledScores",
    "RepeatedObjectKFold",
    "UnscorableFoldWarning",
    "as_pairs",
    "audit_pairs",
    "averaged_auc",
    "coverage",
    "cross_val_scores_knn",
    "cross_val_scores_ridge",
    "deviation_study",
    "identity_scores",
    "pooled_auc",
    "pooled_scores",
]
