"""
Imbalanced tags with groups: authors stay together, rare tags stay testable
============================================================================

Articles are tagged, authors write many of them, and an author's articles are alike. scikit-learn's
``GroupKFold`` keeps authors together and knows no tags; its ``StratifiedGroupKFold`` refuses
multi-label data. So rare tags vanish from test folds, and a macro average is made of whatever is
left.
"""

# sphinx_gallery_thumbnail_number = 2

import warnings

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from trueval import MultilabelStratifiedGroupKFold, RareClassWarning, split_quality
from trueval.data import simulate
from trueval.displays import SplitQualityDisplay

warnings.simplefilter("ignore", RareClassWarning)  # reported below, with numbers

# %%
# Authors with favourite tags
# ---------------------------
# 500 authors, one to forty articles each; an article has some of its author's tags.

rng = np.random.default_rng(1)
favourites = simulate.label_matrix(500, 200, cardinality=6, tail=1.2, random_state=1)
articles = np.minimum(rng.geometric(0.12, size=500), 40)
author = np.repeat(np.arange(500), articles)
y = sp.csr_array(favourites[author].multiply(rng.random((len(author), 200)) < 0.5), dtype=np.int8)
y.eliminate_zeros()
print(f"{y.shape[0]:,} articles of {len(articles)} authors, {y.shape[1]} tags")
try:
    next(StratifiedGroupKFold(5).split(np.zeros(y.shape[0]), y.toarray(), author))
except ValueError as error:
    print("StratifiedGroupKFold:", str(error).split(". ")[0])

# %%
# Two ways to keep authors together
# ---------------------------------

X = np.zeros((y.shape[0], 1))
splits = {
    "GroupKFold": list(GroupKFold(5, shuffle=True, random_state=0).split(X, groups=author)),
    "trueval": list(MultilabelStratifiedGroupKFold(5, random_state=0).split(X, y, author)),
}
for name, split in splits.items():
    torn = sum(len(np.intersect1d(author[train], author[test])) for train, test in split)
    print(f"{name:11} {torn} authors on both sides; folds of {[len(t) for _, t in split]}")
quality = {name: split_quality(y, split) for name, split in splits.items()}
SplitQualityDisplay.from_quality(quality).plot()

# %%
quality["trueval"]

# %%
# Whole authors cannot be spread as finely as articles, so no method reaches the lower
# bound here; the bound ignores groups. What counts is the distance between the two.
#
# Tags that a fold cannot judge
# -----------------------------

lost = {
    name: [int((y[test].sum(axis=0) == 0).sum()) for _, test in split]
    for name, split in splits.items()
}
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for shift, colour, (name, counts) in zip(
    (-0.2, 0.2), ("0.6", "#0072b2"), lost.items(), strict=True
):
    ax.bar(np.arange(5) + shift, counts, width=0.38, color=colour, label=f"{name}: {sum(counts)}")
ax.set(xlabel="fold", ylabel="tags without a test article", xticks=range(5))
ax.margins(y=0.3)
ax.legend(frameon=False, ncols=2)

# %%
# Conclusion
# ----------
# Grouping alone leaves more tags without a test article, and a macro average then changes with the
# luck of the split. Do *not* group when the model will meet the same authors again: then the
# question is another one, and plain stratified folds answer it.
