"""``HierarchicalRanker``: what it chooses, and that its values obey the hierarchy."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from trueval import as_labels
from trueval.core.errors import InputError, ParameterError
from trueval.core.scores import Scores
from trueval.data import Ontology
from trueval.data.simulate import simulation_tree
from trueval.rank import (
    HierarchicalRanker,
    IsotonicRanker,
    PrecisionRanker,
    average_precision,
    cross_fit,
    make_consistent,
)
from trueval.rank._hierarchy import as_hierarchy
from trueval.rank._neighbours import Neighbours

DAG = [(2, 0), (2, 1), (3, 0), (4, 2)]


def dag_problem(seed=0, n=400, shared=0.0):
    """Labels on a small graph, scores with an error that classes share."""
    rng = np.random.default_rng(seed)
    y = rng.random((n, 5)) < [0.6, 0.6, 0.5, 0.4, 0.5]
    for child, parent in DAG:
        y[:, child] &= y[:, parent]
    error = shared * rng.normal(size=(n, 1)) + rng.normal(size=y.shape)
    return error + 1.2 * y, y.astype(int)


def violations(values, edges):
    return max(float((values[:, c] - values[:, p]).max()) for c, p in edges)


@pytest.mark.parametrize("method", ["stack", "mlpr"])
@pytest.mark.parametrize("consistency", ["auto", "max", "project", "min"])
def test_a_parent_is_never_below_its_child(method, consistency):
    scores, y = dag_problem()
    ranker = HierarchicalRanker(DAG, IsotonicRanker(), method, consistency=consistency)
    values = ranker.fit(scores, y).transform(scores)
    assert violations(values, DAG) <= 0
    assert ((values >= 0) & (values <= 1)).all()
    assert ranker.rule_ in (("max", "project") if consistency == "auto" else (consistency,))


def test_the_choice_is_the_best_by_cross_fitting_and_includes_the_plain_ranker():
    scores, y, parents = simulation_tree(600, random_state=0)
    ranker = HierarchicalRanker(parents, IsotonicRanker(), cv=4, random_state=3).fit(scores, y)
    chosen = ranker.areas_[ranker.method_, ranker.rule_]
    assert chosen >= max(ranker.areas_["plain", rule] for rule in ("max", "project"))
    honest = cross_fit(IsotonicRanker(), scores, y, cv=4, random_state=3)
    for rule in ("max", "project"):
        expected = average_precision(make_consistent(honest, parents, rule=rule), y)
        assert ranker.areas_["plain", rule] == pytest.approx(expected, abs=1e-12)


def test_neighbours_are_used_only_if_better_in_every_fold():
    for seed in range(6):
        scores, y = dag_problem(seed, n=120, shared=1.0)
        ranker = HierarchicalRanker(DAG, IsotonicRanker(), cv=[*folds_of(120)]).fit(scores, y)
        honest = cross_fit(IsotonicRanker(), scores, y, cv=[*folds_of(120)])
        plain = max(
            (make_consistent(honest, DAG, rule=rule) for rule in ("max", "project")),
            key=lambda values: average_precision(values, y),
        )
        best = max(ranker.areas_.values())
        chosen = ranker.areas_[ranker.method_, ranker.rule_]
        assert chosen in (best, average_precision(plain, y))
        if ranker.method_ == "mlpr":  # its values can be made by hand here
            graph = as_hierarchy(DAG, 5)
            neighbours = Neighbours.of(graph, as_labels(y))
            values = neighbours.neighbourhood(neighbours.evidence(honest)).T
            values = make_consistent(values, DAG, rule=ranker.rule_)
            for _, test in folds_of(120):
                gain = average_precision(values[test], y[test])
                assert gain > average_precision(plain[test], y[test])


def folds_of(n):
    rows = np.arange(n)
    return [(rows[rows % 3 != f], rows[rows % 3 == f]) for f in range(3)]


def test_independent_scores_prefer_mlpr_and_shared_errors_do_not():
    scores, y, parents = simulation_tree(1500, random_state=0)
    new, new_y, _ = simulation_tree(1500, random_state=1)
    ranker = HierarchicalRanker(parents).fit(scores, y)
    assert ranker.method_ == "mlpr"
    plain = ranker.ranker_.transform(new)
    best = max(
        average_precision(make_consistent(plain, parents, rule=rule), new_y)
        for rule in ("max", "project")
    )
    assert average_precision(ranker.transform(new), new_y) > best + 0.02
    # An error that all classes of an object share is counted once for each class by mLPR.
    scores, y = dag_problem(1, n=1500, shared=3.0)
    ranker = HierarchicalRanker(DAG).fit(scores, y)
    assert ranker.method_ != "mlpr"
    assert ranker.areas_["mlpr", "max"] < ranker.areas_["stack", "max"]


def test_without_edges_it_is_the_ranker():
    scores, y = dag_problem()
    ranker = HierarchicalRanker({}, IsotonicRanker()).fit(scores, y)
    expected = IsotonicRanker().fit(scores, y).transform(scores)
    np.testing.assert_array_equal(ranker.transform(scores), expected)
    assert (ranker.method_, ranker.rule_, ranker.areas_) == ("plain", "none", {})


def test_large_data_are_compared_on_one_fold(monkeypatch):
    scores, y = dag_problem(2)
    monkeypatch.setattr("trueval.rank._hierarchical.MOST_VALUES", 400)
    ranker = HierarchicalRanker(DAG, IsotonicRanker()).fit(scores, y)
    again = HierarchicalRanker(DAG, IsotonicRanker()).fit(scores, y)
    assert ranker.areas_ == again.areas_
    assert len(ranker.areas_) == 6
    assert violations(ranker.transform(scores), DAG) <= 0


@pytest.mark.parametrize("method", ["stack", "mlpr"])
def test_rows_do_not_depend_on_each_other(method, monkeypatch):
    scores, y = dag_problem(3)
    ranker = HierarchicalRanker(DAG, IsotonicRanker(), method).fit(scores, y)
    whole = ranker.transform(scores)
    monkeypatch.setattr("trueval.rank._hierarchical.CHUNK", 35)
    np.testing.assert_allclose(ranker.transform(scores), whole, rtol=1e-13)
    np.testing.assert_allclose(ranker.transform(scores[7:8]), whole[7:8], rtol=1e-13)


def test_sparse_scores_store_ancestors_too():
    scores, y = dag_problem(4)
    keep = np.random.default_rng(0).random(scores.shape) < 0.4
    stored = sp.csr_array(np.where(keep, scores - scores.min() + 1, 0.0))
    ranker = HierarchicalRanker(DAG, IsotonicRanker()).fit(stored, y)
    values = ranker.transform(stored)
    reach = np.eye(5, dtype=bool)
    for child, parent in [*DAG, *DAG]:
        reach[child] |= reach[parent]
    expected = (keep.astype(int) @ reach.astype(int)) > 0
    got = np.zeros(scores.shape, bool)
    got[values.tocoo().row, values.tocoo().col] = True
    np.testing.assert_array_equal(got, expected)
    dense = values.toarray()
    for child, parent in DAG:
        both = got[:, child]
        assert (dense[both, child] <= dense[both, parent]).all()


def test_names_and_ontologies():
    scores, y = dag_problem(5)
    names = list("abcde")
    ontology = Ontology([*names, "x"], [
        ("x", "a", "is_a"), ("c", "x", "is_a"), ("c", "b", "is_a"), ("d", "a", "is_a"),
        ("e", "c", "is_a"), ("e", "a", "is_a"),
    ])  # fmt: skip
    assert ontology.parent_edges(names) == [("c", "a"), ("c", "b"), ("d", "a"), ("e", "c")]
    expected = HierarchicalRanker(DAG, IsotonicRanker()).fit(scores, y).transform(scores)
    frame = pd.DataFrame(scores, columns=names)
    by_name = [(names[c], names[p]) for c, p in DAG]
    for hierarchy in (ontology, by_name):
        got = HierarchicalRanker(hierarchy, IsotonicRanker()).fit(frame, y).transform(frame)
        np.testing.assert_array_equal(got, expected)
    labels = as_labels(pd.DataFrame(y, columns=names))
    fitted = HierarchicalRanker(ontology, IsotonicRanker()).fit(Scores(scores), labels)
    np.testing.assert_array_equal(fitted.transform(scores), expected)
    got = make_consistent(frame, ontology, rule="max").to_numpy()
    np.testing.assert_array_equal(got, make_consistent(scores, DAG, rule="max"))
    with pytest.raises(InputError, match="needs names of the classes"):
        HierarchicalRanker(ontology).fit(scores, y)


def test_refuses_clearly():
    scores, y = dag_problem(6)
    broken = y.copy()
    broken[:3] = [0, 0, 0, 0, 1]
    with pytest.raises(InputError, match=r"y breaks the hierarchy: .*3 of '4' without '2'"):
        HierarchicalRanker(DAG).fit(scores, broken)
    with pytest.raises(ParameterError, match="ranker"):
        HierarchicalRanker(DAG, HierarchicalRanker(DAG)).fit(scores, y)
    with pytest.raises(ParameterError, match="method"):
        HierarchicalRanker(DAG, method="best").fit(scores, y)
    with pytest.raises(ParameterError, match="hierarchy"):
        HierarchicalRanker(None).fit(scores, y)


def test_clone_and_threads():
    scores, y = dag_problem(7)
    ranker = HierarchicalRanker(DAG, PrecisionRanker(), consistency="project")
    one = clone(ranker).fit(scores, y).transform(scores)
    two = clone(ranker).set_params(n_jobs=2).fit(scores, y).transform(scores)
    np.testing.assert_array_equal(one, two)
