"""
Real data: which parameters does a function have?
=================================================

The public functions and classes of NumPy, SciPy and scikit-learn are a multi-label data set that
is installed with trueval. A row is a function, its text is the introduction of its documentation,
and its classes are the names of its parameters: ``axis`` and ``dtype`` are frequent, most names are
rare. The task: suggest parameter names from the text.

The rows are read from the installed packages, so other versions give slightly different numbers.
"""

# sphinx_gallery_thumbnail_number = 2

import inspect
from importlib import import_module

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from trueval import (
    MultilabelStratifiedGroupKFold,
    MultilabelStratifiedKFold,
    PrecisionRanker,
    as_labels,
    pick_threshold,
    split_quality,
    stratified_folds,
)
from trueval.displays import PrecisionRecallDisplay, SplitQualityDisplay

# %%
# Read the functions
# ------------------

PACKAGES = {
    "numpy": ". fft linalg ma random",
    "scipy": "cluster.hierarchy fft integrate interpolate linalg ndimage optimize signal sparse "
    "sparse.linalg spatial spatial.distance special stats",
    "sklearn": "cluster covariance datasets decomposition ensemble feature_selection linear_model "
    "manifold metrics model_selection neighbors preprocessing svm tree",
}
texts, parameters, modules, seen = [], [], [], set()
for package, submodules in PACKAGES.items():
    for submodule in submodules.split():
        module = import_module(package if submodule == "." else f"{package}.{submodule}")
        for name in sorted(set(module.__all__) & vars(module).keys()):
            function = getattr(module, name)
            if not callable(function) or id(function) in seen:
                continue
            seen.add(id(function))
            try:
                signature = inspect.signature(function).parameters.values()
            except ValueError:  # compiled, without a signature
                continue
            text = (inspect.getdoc(function) or "").split("Parameters\n---")[0]
            names = {p.name for p in signature if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
            if text and names:
                texts.append(text)
                parameters.append(names)
                modules.append(module.__name__)

labels = as_labels(parameters)
frequent = np.flatnonzero(np.asarray(labels.matrix.sum(axis=0)).ravel() >= 15)
y = labels.matrix[:, frequent]
print(f"{labels.n_rows:,} functions, {labels.n_classes:,} parameter names")
print(f"{len(frequent)} names occur in at least 15 functions")

# %%
# Folds
# -----
# Each dot is a parameter name. The dashes are the lower bound, the smallest deviation that any
# split can reach for a name of that size.

folds = {m: stratified_folds(y, 5, method=m, random_state=0) for m in ("random", "anneal")}
SplitQualityDisplay.from_folds(y, folds).plot()

# %%
split_quality(y, folds["anneal"])

# %%
# Two questions, two answers
# --------------------------
# Functions of one module share their style and their parameters. If modules are divided between
# training and test, the model is asked about new functions of *known* modules. If modules are held
# out as groups, it is asked about new modules.

model = make_pipeline(
    TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2), RidgeClassifier()
)
Y = y.toarray()
scores = {
    "functions of known modules": cross_val_predict(
        model,
        texts,
        Y,
        cv=MultilabelStratifiedKFold(5, random_state=0),
        method="decision_function",
    ),
    "functions of new modules": cross_val_predict(
        model,
        texts,
        Y,
        cv=MultilabelStratifiedGroupKFold(5, random_state=0),
        groups=modules,
        method="decision_function",
    ),
}
PrecisionRecallDisplay.from_values(scores, y).plot()

# %%
# The difference is large. Many functions of NumPy and ``scipy.special`` are universal functions
# with the same parameters (``out``, ``where``, ``casting``): one of them in training is enough to
# know the others. A single number without its split would hide that.
#
# Suggestions that are right four times out of five
# -------------------------------------------------
# For functions of known modules, one threshold on calibrated scores:

choice = pick_threshold(
    scores["functions of known modules"], y, precision=0.8, ranker=PrecisionRanker()
)
choice

# %%
# Conclusion
# ----------
# Decide first which rows the model will meet, then choose groups. Here a precision of 0.8 is
# realistic for known modules and says nothing about a new package.
