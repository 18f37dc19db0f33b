"""
Protein pairs: strict, relaxed, and the truth
==============================================

Do two proteins have a function in common? The input is a pair, and every protein is in many
pairs. How good is a model on pairs of proteins that it has never met?
"""

# sphinx_gallery_thumbnail_number = 1

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold

from trueval.data import simulate
from trueval.displays import PairBlocksDisplay
from trueval.pairs import (
    ObjectKFold,
    ObjectLeaveTwoOut,
    PairKNNClassifier,
    coverage,
    cross_val_scores_knn,
    deviation_study,
    pooled_scores,
)

# %%
# A hundred proteins, all pairs
# -----------------------------
# The population has 2,000 simulated proteins in families. A pair is described by the sum of its two
# protein vectors, so that (a, b) is (b, a).

population = simulate.protein_families(2000, random_state=0)
features, terms = population.features, population.terms.toarray()
known, new = np.split(np.random.default_rng(0).permutation(2000)[:400], [100])


def all_pairs(proteins):
    pairs = proteins[np.array(list(combinations(range(len(proteins)), 2)))]
    return pairs, (terms[pairs[:, 0]] & terms[pairs[:, 1]]).any(axis=1)


pairs, y = all_pairs(known)
print(f"{len(pairs):,} pairs, {y.mean():.1%} positive")

# %%
# What a fold holds out
# ---------------------
# Both schemes validate the pairs inside the held-out part (orange). The strict one drops the grey
# pairs, which share a protein with the validated ones; the relaxed one trains on them.

fig, axes = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained")
for scheme, ax in zip(("strict", "relaxed"), axes, strict=True):
    cv = ObjectKFold(5, scheme=scheme, random_state=0)
    PairBlocksDisplay.from_cv(cv, pairs).plot(ax)
    ax.set_title(scheme, pad=24)

# %%
# Plain object folds validate few pairs; ``overlapping=True`` validates all of them, and
# leave-two-out is the end of that road.

coverage(ObjectKFold(5, random_state=0), pairs, y)

# %%
coverage(ObjectKFold(5, overlapping=True, random_state=0), pairs, y)

# %%
# Estimates and the truth
# -----------------------
# The truth is the AUC on pairs of 300 proteins that the model never met. Leave-two-out has 4,950
# folds, which for nearest neighbours need no refits: both schemes come from one sorted list of
# neighbours for each pair.

model = PairKNNClassifier(features, n_neighbors=30)
folds = pooled_scores(model, pairs, y, pairs, KFold(5, shuffle=True, random_state=0))
estimates = {"random rows": float(folds.averaged_auc())}
for scheme in ("relaxed", "strict"):
    cv = ObjectKFold(5, scheme=scheme, overlapping=True, random_state=0)
    folds = pooled_scores(model, pairs, y, pairs, cv)
    estimates[f"object folds, {scheme}"] = float(folds.averaged_auc())
two_out = cross_val_scores_knn(features, pairs, y, ObjectLeaveTwoOut(), 30, scheme="both")
for scheme in ("relaxed", "strict"):
    estimates[f"leave-two-out, {scheme}"] = roc_auc_score(y, two_out[scheme][:, 0])
new_pairs, new_y = all_pairs(new)
truth = roc_auc_score(new_y, model.fit(pairs, y).predict_proba(new_pairs)[:, 1])

fig, ax = plt.subplots(figsize=(6.4, 3), layout="constrained")
honest = ["#0072b2" if "strict" in name else "#d55e00" for name in estimates]
bars = ax.barh(list(estimates), list(estimates.values()), color=honest)
ax.bar_label(bars, fmt="%.3f", padding=3)
ax.axvline(truth, color="0.2", lw=1)
ax.set_title(f"truth, on pairs of new proteins: {truth:.3f} (the line)", fontsize="medium")
ax.set(xlim=(0.4, 1), xlabel="AUC")
ax.invert_yaxis()

# %%
# Is that luck?
# -------------
# ``deviation_study`` repeats the whole experiment on many draws of proteins and reports how far
# each estimate is from its truth, on average.

study = deviation_study(
    features,
    population.terms,
    n_objects=60,
    n_repeats=20,
    n_test_pairs=800,
    n_splits=5,
    n_neighbors=30,
    random_state=0,
)
study

# %%
# Conclusion
# ----------
# Random rows and the relaxed scheme promise what is not there; the strict scheme does not. Pooling
# over folds has a bias of its own, shown as ``null``: what a predictor without any skill would get.
# Do *not* use the strict scheme when new pairs will be made of proteins you already have: then
# ``setting="AA"`` is the question.
