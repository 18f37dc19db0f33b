"""
Gene Ontology terms: families, folds, ranks and the true path
==============================================================

Proteins carry terms of an ontology, most terms are rare, and proteins come in families that
look alike. Two common practices mislead: random folds lose rare terms, and folds that separate
relatives of one family ask a question that is too easy.
"""

# sphinx_gallery_thumbnail_number = 2

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_predict

from trueval import (
    MultilabelStratifiedGroupKFold,
    MultilabelStratifiedKFold,
    PrecisionRanker,
    average_precision,
    make_consistent,
    pick_threshold,
    split_quality,
    stratified_folds,
)
from trueval.data import simulate
from trueval.displays import PrecisionRecallDisplay, SplitQualityDisplay
from trueval.rank import cross_fit

proteins = simulate.proteome(800, 60, 150, mutation=0.3, change=0.25, random_state=0)
proteins

# %%
# Propagate first, then split
# ---------------------------
# A protein with a term has all ancestors of the term. ``proteins.direct`` holds the terms as they
# were given; ``propagate`` adds the ancestors. Splitting must see the propagated labels, because
# they are what the model learns. (From files: :func:`~trueval.data.read_ontology` and
# :func:`~trueval.data.read_annotations`.)

labels = proteins.ontology.propagate(proteins.direct)
frequent = np.flatnonzero(np.asarray(labels.matrix.sum(axis=0)).ravel() >= 10)
y = labels.matrix[:, frequent]
terms = labels.classes[frequent]
print(f"{proteins.direct.nnz:,} terms given, {labels.nnz:,} with ancestors; {len(terms)} frequent")

# %%
# Stratified folds reach the lower bound, random ones do not:

folds = {
    method: stratified_folds(y, 5, method=method, random_state=0) for method in ("random", "anneal")
}
SplitQualityDisplay.from_folds(y, folds).plot()

# %%
split_quality(y, folds["anneal"])

# %%
# Which question do you ask?
# --------------------------
# One model, two splits. In the first a test protein usually has a cousin in training; in the second
# whole families are held out.

model = RidgeClassifier(alpha=0.01)
X, Y = proteins.features.toarray(), y.toarray()
scores = {
    "new proteins of known families": cross_val_predict(
        model, X, Y, cv=MultilabelStratifiedKFold(5, random_state=0), method="decision_function"
    ),
    "proteins of new families": cross_val_predict(
        model,
        X,
        Y,
        cv=MultilabelStratifiedGroupKFold(5, random_state=0),
        groups=proteins.family,
        method="decision_function",
    ),
}
PrecisionRecallDisplay.from_values(scores, y).plot()

# %%
# Neither curve is wrong; they answer different questions. Here the model recognises families and
# has learned nothing that carries over to a new one. A report must say which split it used.
#
# Comparable scores, then one threshold
# -------------------------------------
# We go on with proteins of known families. A ranker turns the score of each term into
# P(term | score), learned on out-of-fold scores only, and ``pick_threshold`` says what a wanted
# precision will cost.

out_of_fold = scores["new proteins of known families"]
choice = pick_threshold(out_of_fold, y, precision=0.9, confidence=0.9, ranker=PrecisionRanker())
choice

# %%
# A call without its parent contradicts the ontology. ``make_consistent`` moves the values as little
# as possible (in squares) so that no child is above a parent; the ontology goes in with the names
# of the columns. To judge the values on these labels, each protein is valued by a copy of the
# ranker that did not see its labels (``cross_fit``); new proteins go to ``choice.predict``.

values = cross_fit(PrecisionRanker(), out_of_fold, y)
parents = [
    (child, parent)
    for child, parent, _ in proteins.ontology.edges
    if child in set(terms) and parent in set(terms)
]
consistent = make_consistent(values, parents, classes=terms)


def orphans(v):
    place = {term: k for k, term in enumerate(terms)}
    called = v >= choice.threshold
    return sum(int((called[:, place[c]] & ~called[:, place[p]]).sum()) for c, p in parents)


fig, ax = plt.subplots(figsize=(5, 2.6), layout="constrained")
bars = ax.barh(["as ranked", "consistent"], [orphans(values), orphans(consistent)], color="#0072b2")
ax.bar_label(bars, padding=3)
ax.margins(x=0.1)
ax.set(xlabel="calls of a term without its parent")
ax.invert_yaxis()
for name, v in (("as ranked", values), ("consistent", consistent)):
    print(f"average precision {average_precision(v, y):.3f} {name}")

# %%
# Consistency is not free: values of rare children and of their parents meet halfway, and the
# ranking loses a little. Pay it where contradicting calls would be refused.
#
# Conclusion
# ----------
# Propagate, then stratify; hold out families if new families are the question; rank out-of-fold
# scores before cutting them; make the calls obey the ontology last. Do *not* use family groups when
# the model will only ever see members of known families: the estimate would be too low.
