"""
Medical codes: patients as groups, rare codes, and a promised precision
========================================================================

A visit to hospital gets several diagnosis codes. Most codes are rare, and visits of one patient
are alike. Code suggestions are only accepted if nearly all of them are right.
"""

# sphinx_gallery_thumbnail_number = 2

import warnings

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import PredefinedSplit

from trueval import (
    Labels,
    PrecisionRanker,
    RareClassWarning,
    as_labels,
    pick_threshold,
    split_quality,
    stratified_folds,
)
from trueval.data import simulate
from trueval.displays import RankerCurveDisplay, ReliabilityDisplay, SplitQualityDisplay

warnings.simplefilter("ignore", RareClassWarning)  # reported below, with numbers

# %%
# Visits of patients
# ------------------
# 700 patients with one to six visits. A visit shows most of its patient's codes.

rng = np.random.default_rng(0)
conditions = simulate.label_matrix(700, 250, cardinality=8, tail=1.1, random_state=0)
patient = np.repeat(np.arange(700), rng.integers(1, 7, size=700))
y = sp.csr_array(conditions[patient].multiply(rng.random((len(patient), 250)) < 0.8), dtype=np.int8)
y.eliminate_zeros()
y = Labels(as_labels(y).matrix, np.array([f"C{k:03d}" for k in range(250)]))
print(f"{y.n_rows:,} visits of 700 patients, {y.n_classes} codes, {y.nnz:,} assigned")

# %%
# Visits of a patient stay together
# ---------------------------------
# Split by visit, the classes reach the lower bound, but patients are on both sides and a model can
# remember them. With ``groups`` the patients stay whole. Whole patients are harder to spread, which
# shows as a larger ratio: that is the cost of an honest test, not a fault of the split.

folds = {
    "by visit": stratified_folds(y, 5, random_state=0),
    "by patient": stratified_folds(y, 5, groups=patient, random_state=0),
    "by patient, at random": stratified_folds(
        y, 5, method="random", groups=patient, random_state=0
    ),
}
for name, fold in folds.items():
    torn = sum(len(np.unique(fold[patient == p])) > 1 for p in range(700))
    print(f"{name:22} {torn:4} patients on both sides")
SplitQualityDisplay.from_folds(y, folds).plot()

# %%
split_quality(y, folds["by patient"])

# %%
# Rare codes are reported: a code with fewer patients than folds cannot be in every fold,
# by any method. They are in ``per_class``:

split_quality(y, folds["by patient"]).per_class.sort_by("missing", descending=True).head(5)

# %%
# Calls with a promised precision
# -------------------------------
# Scores of a model, out of fold (here simulated: every code has its own scale and skill). With
# ``confidence=0.9`` the lower bound must reach the wanted precision, not only the estimate. The
# threshold is chosen over the same patient-wise folds. A code with a handful of visits cannot be
# learned; we go on with those that have at least 20.

often = np.flatnonzero(np.asarray(y.matrix.sum(axis=0)).ravel() >= 20)
y = Labels(as_labels(y.matrix[:, often]).matrix, y.classes[often])
print(f"{y.n_classes} codes with at least 20 visits")

# %%
scores = simulate.classifier_scores(y, skill=(1.5, 5.0), random_state=0)
choice = pick_threshold(
    scores,
    y,
    precision=0.9,
    confidence=0.9,
    ranker=PrecisionRanker(),
    cv=PredefinedSplit(folds["by patient"]),
)
choice

# %%
# What a score is worth differs from code to code. A frequent code has a sharp curve, a rare one a
# broad interval, which says how little is known:

by_size = np.argsort(-np.asarray(y.matrix.sum(axis=0)).ravel())
shown = y.classes[by_size[[2, 30, -1]]]
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
RankerCurveDisplay.from_ranker(choice.ranker, shown, scores=scores, y=y).plot(left)
train, test = folds["by patient"] != 0, folds["by patient"] == 0
values = PrecisionRanker().fit(scores[train], y.matrix[train]).transform(scores[test])
ReliabilityDisplay.from_values({"held-out patients": values}, y.matrix[test]).plot(right)

# %%
# Conclusion
# ----------
# The values are what they claim on patients the ranker never saw (right), so one threshold serves
# all codes. The promise above is for new patients like these. It does not hold for a hospital with
# other patients, nor for codes that are not in the data; and if few suggestions reach 0.9, the
# model has to become better: no threshold can do that for it.
