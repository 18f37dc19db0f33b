"""
Real data: are two handwritten digits the same?
===============================================

Verification of faces, signatures or handwriting is a problem of pairs: do two images show the same
thing? This example uses the 1,797 handwritten digits that come with scikit-learn. Most of the
images are set aside, so every estimate can be compared with the result on pairs of images that were
never used.
"""

# sphinx_gallery_thumbnail_number = 1

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold

from trueval.pairs import ObjectKFold, audit_pairs, coverage, pooled_scores

images, digit = load_digits(return_X_y=True)
images = images / 16
order = np.random.default_rng(0).permutation(len(digit))
available, set_aside = order[:80], order[80:300]

# %%
# Pairs of 80 images
# ------------------
# All pairs that show the same digit, and as many pairs of different digits. The features are the
# difference and the product of the two images, so (a, b) and (b, a) are the same pair.


def balanced_pairs(objects, seed):
    pairs = np.array(list(combinations(objects, 2)))
    same = digit[pairs[:, 0]] == digit[pairs[:, 1]]
    different = np.random.default_rng(seed).choice(np.flatnonzero(~same), same.sum(), replace=False)
    rows = np.sort(np.r_[np.flatnonzero(same), different])
    return pairs[rows], same[rows].astype(int)


def features(pairs):
    a, b = images[pairs[:, 0]], images[pairs[:, 1]]
    return np.hstack([abs(a - b), a * b])


pairs, y = balanced_pairs(available, seed=1)
new_pairs, new_y = balanced_pairs(set_aside, seed=1)
print(f"{len(pairs):,} pairs of 80 images; {len(new_pairs):,} pairs of 220 other images")

# %%
# Three ways to cross-validate
# ----------------------------

model = RandomForestClassifier(100, min_samples_leaf=2, random_state=0)
splitters = {
    "random rows": KFold(5, shuffle=True, random_state=0),
    "objects, relaxed": ObjectKFold(5, scheme="relaxed", overlapping=True, random_state=0),
    "objects, strict": ObjectKFold(5, overlapping=True, random_state=0),
}
X = features(pairs)
estimate = {
    name: float(pooled_scores(model, X, y, pairs, cv).averaged_auc())
    for name, cv in splitters.items()
}
truth = roc_auc_score(new_y, model.fit(X, y).predict_proba(features(new_pairs))[:, 1])

fig, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
bars = ax.barh(list(estimate), list(estimate.values()), color=["#d55e00", "#d55e00", "#0072b2"])
ax.bar_label(bars, fmt="%.3f", padding=3)
ax.axvline(truth, color="0.2", lw=1.2)
ax.annotate(f"new images {truth:.3f}", (truth, -0.7), ha="center", annotation_clip=False)
ax.set(xlim=(0.8, 1), xlabel="AUC")
ax.invert_yaxis()

# %%
# Random rows and the relaxed scheme promise more than the model reaches on pairs of new images,
# because the model has seen the tested images in other pairs. The strict scheme is close to the
# result on new images, and slightly below it: its models train on fewer pairs.
#
# The reason, counted
# -------------------
# The audit of one random fold: every test pair consists of two images seen in training.

train, test = next(splitters["random rows"].split(X))
audit_pairs(pairs, train, test, y=y)

# %%
# The strict scheme costs training pairs. ``coverage`` counts them:

print(coverage(splitters["objects, strict"], pairs, y))

# %%
# Conclusion
# ----------
# Use strict object folds if the model will compare images it has not seen. Use random rows only if
# every image it will compare is already in the training data.
