"""Schemes side by side: every figure by hand from the folds, and what must be refused."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from trueval.core.errors import InputError
from trueval.core.pairs import Pairs
from trueval.pairs import compare_schemes, coverage

N = 24


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    objects = rng.normal(size=(N, 2))
    pairs = np.array(list(combinations(range(N), 2)))
    popular = rng.normal(size=N)
    y = objects[pairs].sum(axis=(1, 2)) + popular[pairs].sum(axis=1) > 0
    return objects, pairs, y


def identity(pairs, y, train, test):
    """Positive rates of the two objects in training, the overall rate where they are new."""
    rate = {}
    for o in range(N):
        rows = [r for r in train if o in pairs[r]]
        rate[o] = np.mean(y[rows]) if rows else np.mean(y[train])
    return np.array([rate[a] + rate[b] for a, b in pairs[test]])


def test_every_figure_by_hand(problem):
    objects, pairs, y = problem
    X = objects[pairs].sum(axis=1)
    comparison = compare_schemes(
        pairs, y, features=objects, estimator=LogisticRegression(), X=X, n_splits=3,
        n_neighbors=5, random_state=1,
    )  # fmt: skip
    assert list(comparison.splitters) == ["row-wise", "relaxed", "strict"]
    lines = {(line.scheme, line.model): line for line in comparison.schemes}
    assert len(lines) == 9
    for scheme, cv in comparison.splitters.items():
        folds = list(cv.split(X, y) if scheme == "row-wise" else cv.split(y=y, groups=pairs))
        covered = coverage(cv, pairs, y)
        expected = {"object identity": [], "nearest neighbours": [], "LogisticRegression": []}
        for train, test in folds:
            knn = KNeighborsClassifier(5, weights="distance").fit(X[train], y[train])
            linear = LogisticRegression().fit(X[train], y[train])
            scores = {
                "object identity": identity(pairs, y, train, test),
                "nearest neighbours": knn.predict_proba(X[test])[:, 1],
                "LogisticRegression": linear.decision_function(X[test]),
            }
            for model, values in scores.items():
                expected[model].append(roc_auc_score(y[test], values))
        for model, values in expected.items():
            line = lines[scheme, model]
            assert line.averaged == pytest.approx(np.mean(values))
            assert line.averaged == comparison.auc(scheme, model)
            assert line.n_folds == len(folds)
            assert line.n_excluded == 0
            assert line.never == len(covered.never)
            assert line.dropped == pytest.approx(covered.share_dropped)
    assert lines["strict", "object identity"].averaged == 0.5
    assert lines["row-wise", "object identity"].averaged > 0.7
    table = comparison.table
    assert table["averaged"].dtype == float
    assert len(table) == 9
    assert "row-wise" in repr(comparison)


def test_features_in_any_form_and_labels_of_pairs(problem):
    objects, pairs, y = problem
    names = np.array([f"o{i}" for i in range(N)])
    ids = names[pairs]
    plain = compare_schemes(pairs, y, features=objects, n_splits=3).schemes
    order = np.random.default_rng(0).permutation(N)
    frame = pd.DataFrame(objects[order], index=names[order], columns=["a", "b"])
    for features in (frame, dict(zip(names[order], objects[order], strict=True))):
        by_id = compare_schemes(Pairs(ids, y), features=features, n_splits=3).schemes
        for line, other in zip(plain, by_id, strict=True):
            if line.scheme == "row-wise":
                assert line == other


@pytest.mark.parametrize("setting", ["C1", "AB"])
def test_settings_and_overlapping_reach_the_splitters(problem, setting):
    _, pairs, y = problem
    comparison = compare_schemes(pairs, y, n_splits=3, setting=setting, overlapping=True)
    settings = {line.scheme: line.setting for line in comparison.schemes}
    name = {"C1": "AA", "AB": "AB"}[setting]
    assert settings == {"row-wise": None, "relaxed": name, "strict": name}
    assert comparison.splitters["strict"].overlapping


def test_refused(problem):
    objects, pairs, y = problem
    with pytest.raises(InputError, match="no labels"):
        compare_schemes(pairs)
    with pytest.raises(InputError, match="14 of 24 objects have no features, such as '10'"):
        compare_schemes(pairs, y, features=objects[:10])
    with pytest.raises(InputError, match="come together"):
        compare_schemes(pairs, y, X=objects)
    with pytest.raises(InputError, match="X has 24 rows but there are 276 pairs"):
        compare_schemes(pairs, y, X=objects, estimator=LogisticRegression())
    comparison = compare_schemes(pairs, y, n_splits=3)
    with pytest.raises(InputError, match="there is no 'strict' of 'forest'"):
        comparison.auc("strict", "forest")


def test_a_generator_gives_one_seed_to_all_schemes(problem):
    _, pairs, y = problem
    seen = []
    comparison = compare_schemes(
        pairs, y, n_splits=3, random_state=np.random.default_rng(3),
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    seeds = {cv.random_state for cv in comparison.splitters.values()}
    assert len(seeds) == 1
    assert seen == [(1, 3), (2, 3), (3, 3)]
