"""
Tags: coming from iterative-stratification
===========================================

Bookmarks with a few tags each, 160 tags of which many are rare: the shape of the bibtex data set.
You have folds from the package *iterative-stratification*. What changes?
"""

# sphinx_gallery_thumbnail_number = 2

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.multiclass import OneVsRestClassifier

from trueval import METHODS, MultilabelStratifiedKFold, split_quality, stratified_folds
from trueval.data import simulate
from trueval.displays import SplitQualityDisplay

y = simulate.label_matrix(7000, 160, cardinality=2.4, random_state=0)
print(f"{y.shape[0]:,} bookmarks, {y.shape[1]} tags, {y.nnz / y.shape[0]:.2f} tags a bookmark")

# %%
# The same import, the same arguments
# -----------------------------------
# Class names and arguments are those you know; sparse labels need no ``toarray()``. To get the
# folds you already published, ask for ``method="iterative"``: the same seed gives the same folds as
# iterative-stratification 0.1.9, which the tests compare one by one.

cv = MultilabelStratifiedKFold(n_splits=5, method="iterative", shuffle=True, random_state=0)
print([len(test) for _, test in cv.split(y=y)])

# %%
# The default method is another one, and its sizes are exact:

cv = MultilabelStratifiedKFold(n_splits=5, random_state=0)
print([len(test) for _, test in cv.split(y=y)])

# %%
# How good are they?
# ------------------
# Counts are integers: a tag with seven bookmarks cannot be divided into five equal parts, so there
# is a lower bound. Every dot is a tag; dots on the grey dashes cannot be improved.

folds = {
    method: stratified_folds(y, 5, method=method, random_state=0)
    for method in ("random", "iterative", "anneal")
}
SplitQualityDisplay.from_folds(y, folds).plot()

# %%
# All methods in one chart. Here three of them reach the lower bound; on larger and sparser labels
# they differ (the README has a table of public data sets).

ratio = {
    method: split_quality(y, stratified_folds(y, 5, method=method, random_state=0)).rld_ratio
    for method in METHODS
}
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
bars = ax.barh(list(ratio), list(ratio.values()), color="#0072b2")
ax.bar_label(bars, fmt="%.2f", padding=3)
ax.axvline(1, color="0.4", lw=1)
ax.margins(x=0.1)
ax.set(xlabel="deviation of the tags, in units of the lower bound")
ax.invert_yaxis()

# %%
# With a model
# ------------
# A splitter of trueval goes wherever scikit-learn takes one. With stratified folds the score of a
# rare tag does not depend on the luck of the split.

rng = np.random.default_rng(0)
few = y[:1500, :20].toarray()
X = few @ rng.normal(size=(20, 30)) + rng.normal(size=(1500, 30))
model = OneVsRestClassifier(LogisticRegression())
result = cross_validate(model, X, few, cv=cv, scoring="f1_macro")
print("macro F1 of the folds:", result["test_score"].round(3))

# %%
# Conclusion
# ----------
# Keep ``method="iterative"`` where published folds must be repeated, and take the default for new
# work. Do *not* stratify when bookmarks of one user must not be separated without saying so: give
# ``groups``, as in :ref:`sphx_glr_gallery_plot_tags_with_groups.py`.
