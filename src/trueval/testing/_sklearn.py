"""Checks of a splitter inside scikit-learn."""

from copy import deepcopy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, cross_validate

from trueval.testing._problem import N_ROWS, example_groups, example_labels, takes_groups


def check_cross_validate(splitter: Any) -> None:
    """Works in cross_validate and GridSearchCV, with sparse features."""
    y = example_labels().toarray()
    X = sp.csr_array(y.astype(float))
    groups = example_groups(N_ROWS) if takes_groups(splitter) else None
    n_splits = deepcopy(splitter).get_n_splits()
    model = DummyClassifier(strategy="prior")
    result = cross_validate(
        model, X, y, cv=deepcopy(splitter), scoring="f1_micro", **groups_argument(groups)
    )
    assert len(result["test_score"]) == n_splits, "cross_validate scored another number of splits"
    assert np.isfinite(result["test_score"]).all(), "cross_validate gave scores that are not finite"
    search = GridSearchCV(
        model, {"strategy": ["prior", "uniform"]}, cv=deepcopy(splitter), scoring="f1_micro"
    )
    search.fit(X, y, **({} if groups is None else {"groups": groups}))
    assert search.n_splits_ == n_splits, "GridSearchCV saw another number of splits"


def groups_argument(groups: NDArray[np.int64] | None) -> dict[str, Any]:
    if groups is None:
        return {}
    # scikit-learn renamed the way in when metadata routing came.
    return {"params": {"groups": groups}} if routing_enabled() else {"groups": groups}


def routing_enabled() -> bool:
    import sklearn

    return bool(sklearn.get_config().get("enable_metadata_routing", False))


def check_repr(splitter: Any) -> None:
    """The representation names the class and its number of splits."""
    text = repr(splitter)
    assert type(splitter).__name__ in text, f"{text!r} does not name the class"
    assert "n_splits" in text, f"{text!r} does not show n_splits"
