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
                          ├─► score_pairs: AUC of somebody's scores, with intervals
                          └─► audit_pairs: what somebody else's split really tests

=======================  ==============================================================
``_settings.py``         AA, AB and BB: what training has seen of a validated pair
``_parts.py``            objects into parts that carry like numbers of pairs and positives
``_folding.py``          what holding out objects makes of every row
``_kfold.py``            and ``_leave_two_out.py``, ``_shuffle_split.py``, ``_resampling.py``: the
                         splitters
``_each_fold.py``        folds of any splitter, or of index arrays, in one form
``_cover.py``            how often each pair is validated, and what each fold drops
``_auc.py``              averaged and pooled AUC, the null value of pooling
``_scores.py``           out-of-fold scores for folds that are no partition
``_score.py``            AUC of given scores by setting, with intervals over objects
``_object_bootstrap.py`` AUCs of many resamples of objects at once
``_compare.py``          one model by rows, relaxed and strict, side by side
``_audit.py``            AA, AB, BB, duplicates, leaks, what baselines and controls score
``_baselines.py``        scores by object identity and by degree; AUC object by object
``_rewire.py``           positives with other partners and the same degrees
``_tasks.py``            folds that hold out whole labels, as masks
``_knn.py``              K nearest neighbours of pairs, all K and schemes from one list
``_ridge.py``            ridge regression from sums kept for each object
``_deviation.py``        mean and variance of estimate minus truth, over many draws
``_checkpoint.py``       its finished repeats in a file
=======================  ==============================================================
"""

from typing import TYPE_CHECKING

from trueval.core.lazy import loader

if TYPE_CHECKING:
    from trueval.core.ids import PairIndex
    from trueval.core.pairs import as_pairs
    from trueval.pairs._auc import AUC, AUCWithNull, averaged_auc, pooled_auc
    from trueval.pairs._audit import PairAudit, PairLeakError, audit_pairs
    from trueval.pairs._baselines import identity_scores, object_auc
    from trueval.pairs._compare import Scheme, SchemeComparison, compare_schemes
    from trueval.pairs._cover import Coverage, coverage
    from trueval.pairs._deviation import deviation_study
    from trueval.pairs._deviation_study import DeviationStudy
    from trueval.pairs._folding import PairFold, UnscorableFoldWarning
    from trueval.pairs._kfold import ObjectKFold, RepeatedObjectKFold
    from trueval.pairs._knn import PairKNNClassifier, cross_val_scores_knn
    from trueval.pairs._leave_two_out import ObjectLeaveTwoOut
    from trueval.pairs._negatives import SampledPairs, sample_negatives
    from trueval.pairs._resampling import ObjectBootstrap, ObjectLeavePOut
    from trueval.pairs._rewire import rewire_pairs
    from trueval.pairs._ridge import cross_val_scores_ridge
    from trueval.pairs._score import PairScores, score_pairs
    from trueval.pairs._scores import PooledScores, pooled_scores
    from trueval.pairs._shuffle_split import ObjectShuffleSplit

__all__ = [
    "AUC",
    "AUCWithNull",
    "Coverage",
    "DeviationStudy",
    "ObjectBootstrap",
    "ObjectKFold",
    "ObjectLeavePOut",
    "ObjectLeaveTwoOut",
    "ObjectShuffleSplit",
    "PairAudit",
    "PairFold",
    "PairIndex",
    "PairKNNClassifier",
    "PairLeakError",
    "PairScores",
    "PooledScores",
    "RepeatedObjectKFold",
    "SampledPairs",
    "Scheme",
    "SchemeComparison",
    "UnscorableFoldWarning",
    "as_pairs",
    "audit_pairs",
    "averaged_auc",
    "compare_schemes",
    "coverage",
    "cross_val_scores_knn",
    "cross_val_scores_ridge",
    "deviation_study",
    "identity_scores",
    "object_auc",
    "pooled_auc",
    "pooled_scores",
    "rewire_pairs",
    "sample_negatives",
    "score_pairs",
]

__getattr__ = loader(
    __name__,
    {
        "trueval.core.ids": ("PairIndex",),
        "trueval.core.pairs": ("as_pairs",),
        "trueval.pairs._compare": ("Scheme", "SchemeComparison", "compare_schemes"),
        "trueval.pairs._auc": (
            "AUC",
            "AUCWithNull",
            "averaged_auc",
            "pooled_auc",
        ),
        "trueval.pairs._audit": (
            "PairAudit",
            "PairLeakError",
            "audit_pairs",
        ),
        "trueval.pairs._baselines": ("identity_scores", "object_auc"),
        "trueval.pairs._cover": (
            "Coverage",
            "coverage",
        ),
        "trueval.pairs._deviation": (
            "DeviationStudy",
            "deviation_study",
        ),
        "trueval.pairs._folding": (
            "PairFold",
            "UnscorableFoldWarning",
        ),
        "trueval.pairs._knn": (
            "PairKNNClassifier",
            "cross_val_scores_knn",
        ),
        "trueval.pairs._resampling": ("ObjectBootstrap", "ObjectLeavePOut"),
        "trueval.pairs._negatives": ("SampledPairs", "sample_negatives"),
        "trueval.pairs._rewire": ("rewire_pairs",),
        "trueval.pairs._ridge": ("cross_val_scores_ridge",),
        "trueval.pairs._score": ("PairScores", "score_pairs"),
        "trueval.pairs._scores": (
            "PooledScores",
            "pooled_scores",
        ),
        "trueval.pairs._kfold": ("ObjectKFold", "RepeatedObjectKFold"),
        "trueval.pairs._leave_two_out": ("ObjectLeaveTwoOut",),
        "trueval.pairs._shuffle_split": ("ObjectShuffleSplit",),
    },
)
