"""
XGBoost on stratified folds, calibrated across classes
======================================================

One boosted model for each class, out-of-fold scores on stratified folds, and a threshold that
holds for all classes together. XGBoost follows scikit-learn's manner, so ``cross_val_predict``
takes the splitter of trueval as it is.

This script needs ``xgboost``. The documentation shows it and does not run it.
"""

import numpy as np
from sklearn.model_selection import cross_val_predict
from sklearn.multioutput import MultiOutputClassifier
from xgboost import XGBClassifier

from trueval import MultilabelStratifiedKFold, split_quality
from trueval.data import simulate
from trueval.rank import PrecisionRanker, average_precision, cross_fit, pick_threshold

# %%
# Proteins with rare classes
# --------------------------

proteins = simulate.protein_families(1000, random_state=0)
X, y = proteins.features, proteins.terms.toarray()
kept = y.sum(axis=0) >= 10
X, y = np.asarray(X), y[:, kept].astype(int)
sizes = y.sum(axis=0)
print(f"{len(y):,} rows, {len(sizes)} classes of {sizes.min()} to {sizes.max()} positives")

# %%
# Out-of-fold scores
# ------------------
# Every fold has positives of every class, so every model sees both labels.

cv = MultilabelStratifiedKFold(5, shuffle=True, random_state=0)
ratio = split_quality(y, list(cv.split(X, y))).rld_ratio
print(f"rLD: {ratio:.3f} times the lower bound")
model = MultiOutputClassifier(
    XGBClassifier(n_estimators=30, max_depth=3, random_state=0, n_jobs=1, verbosity=0)
)
probabilities = cross_val_predict(model, X, y, cv=cv, method="predict_proba")
scores = np.column_stack([p[:, 1] for p in probabilities])

# %%
# Are the probabilities of the classes comparable?
# ------------------------------------------------
# Each model was trained alone. A ranker, cross-fitted on the out-of-fold scores, puts all
# classes on one scale.

calibrated = cross_fit(PrecisionRanker(), scores, y, random_state=0)
print(f"average precision: raw {average_precision(scores, y):.3f}, "
      f"calibrated {average_precision(calibrated, y):.3f}")  # fmt: skip

# %%
# A threshold for all classes
# ---------------------------

choice = pick_threshold(scores, y, precision=0.8, ranker=PrecisionRanker(), random_state=0)
print(choice)
