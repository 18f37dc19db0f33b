"""
Drugs and targets: what does a published split test?
=====================================================

A benchmark comes with a training and a test file of (drug, target) pairs. Before using it: which
objects of the test were seen in training, and do the names alone predict the labels?
"""

# sphinx_gallery_thumbnail_number = 2

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from trueval.displays import PairBlocksDisplay
from trueval.pairs import ObjectKFold, audit_pairs, pooled_scores

# %%
# A simulated assay
# -----------------
# 60 drugs, 40 targets, two thirds of all pairs measured. Binding depends on how promiscuous the
# drug and the target are (which their features do not show), and a little on how they fit.

rng = np.random.default_rng(0)
drugs, targets = rng.normal(size=(60, 6)), rng.normal(size=(40, 6))
pairs = np.argwhere(rng.random((60, 40)) < 0.66)
promiscuity = rng.normal(size=60)[pairs[:, 0]] + rng.normal(size=40)[pairs[:, 1]]
fit = (drugs[pairs[:, 0]] * targets[pairs[:, 1]]).sum(axis=1) / np.sqrt(6)
logit = 1.5 * promiscuity + 1.2 * fit - 1.5 + rng.logistic(size=len(pairs)) * 0.5
y = (logit > 0).astype(int)
X = np.hstack([drugs[pairs[:, 0]], targets[pairs[:, 1]], drugs[pairs[:, 0]] * targets[pairs[:, 1]]])
print(f"{len(pairs):,} pairs, {y.mean():.1%} bind")

# %%
# The audit of a split by rows
# ----------------------------
# ``symmetric=False`` says that the two columns are different kinds of objects.

rows = rng.permutation(len(pairs))
train, test = rows[: len(rows) * 4 // 5], rows[len(rows) * 4 // 5 :]
audit = audit_pairs(pairs, train, test, y=y, symmetric=False)
audit

# %%
# Every test pair has a known drug and a known target, and adding up how often each of them binds in
# training, without any feature, already scores well. Such a benchmark can be solved without
# learning anything about fit. ``audit.require("BB")`` would stop a pipeline here:

try:
    audit.require("BB")
except ValueError as error:
    print(error)

# %%
# Four questions
# --------------
# On which pairs will the model be used: known drug and target, a new target, a new drug, or both
# new?

questions = {
    "both known (AA)": ObjectKFold(5, setting="AA", symmetric=False, random_state=0),
    "new target (AB)": ObjectKFold(5, symmetric=False, cold="columns", random_state=0),
    "new drug (AB)": ObjectKFold(5, symmetric=False, cold="rows", random_state=0),
    "both new (BB)": ObjectKFold(5, symmetric=False, overlapping=True, random_state=0),
}
fig, axes = plt.subplots(2, 2, figsize=(9, 9), layout="constrained")
for ax, (name, cv) in zip(axes.flat, questions.items(), strict=True):
    PairBlocksDisplay.from_cv(cv, pairs, y).plot(ax)
    ax.set(xlabel="targets", ylabel="drugs")
    ax.set_title(name, pad=24)

# %%
# One model, four answers. The grey bar is the baseline of the names alone, on the same folds.

forest = RandomForestClassifier(60, min_samples_leaf=3, random_state=0)
model_auc, name_auc = {}, {}
for name, cv in questions.items():
    model_auc[name] = float(pooled_scores(forest, X, y, pairs, cv).averaged_auc())
    audits = [audit_pairs(pairs, tr, te, y=y, symmetric=False) for tr, te in cv.split(X, y, pairs)]
    name_auc[name] = np.mean([a.identity_auc for a in audits if a.identity_auc is not None])

fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
place = np.arange(len(questions))
for shift, colour, label, values in (
    (-0.2, "#0072b2", "model", model_auc),
    (0.2, "0.65", "names alone", name_auc),
):
    bars = ax.bar(place + shift, list(values.values()), width=0.38, color=colour, label=label)
    ax.bar_label(bars, fmt="%.2f", padding=2)
ax.axhline(0.5, color="0.3", lw=1)
ax.set(xticks=place, xticklabels=list(questions), ylim=(0.3, 1), ylabel="averaged AUC")
ax.legend(frameon=False, loc="upper right")

# %%
# Conclusion
# ----------
# A number for one question says little about another: report the setting with the score, and the
# baseline of the names next to it. Do *not* hold out both sides if the model will only be used for
# new drugs on known targets: the estimate would answer a harder question than yours.
