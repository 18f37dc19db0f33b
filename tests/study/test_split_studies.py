"""Figures of the split studies against independent computations."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.linear_model import Ridge
from sklearn.metrics import average_precision_score, roc_auc_score

from trueval.study import _published_000 as published
from trueval.study._cells import Done
from trueval.study._sentences import NOTHING, SENTENCES, answer_of
from trueval.study._sources import _WITHOUT_ROOT, with_root
from trueval.study._split_models import _RIDGE, _weights, class_scores, models
from trueval.study._split_overview import figure_1_data


@given(st.integers(0, 2**32 - 1))
def test_scores_of_classes_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    y, scores = rng.random((30, 6)) < 0.3, rng.random((30, 6))
    y[:, 0], y[:, 1] = False, True
    ap, auc = class_scores(y, scores)
    assert np.isnan(ap[:2]).all()
    for c in range(2, 6):
        if not y[:, c].any():
            continue
        assert ap[c] == pytest.approx(average_precision_score(y[:, c], scores[:, c]))
        assert auc[c] == pytest.approx(roc_auc_score(y[:, c], scores[:, c]))


def test_the_model_is_ridge_regression():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 8)), rng.random((40, 3)) < 0.4
    x -= x.mean(axis=0)
    new = rng.normal(size=(5, 8))
    ours = new @ x.T @ _weights(x @ x.T, y) + y.mean(axis=0)
    np.testing.assert_allclose(ours, Ridge(alpha=_RIDGE).fit(x, y.astype(float)).predict(new))


def test_bias_and_spread_by_hand():
    result = {"AP": [0.5, 0.7], "AP held out": 0.5, "AUC": [0.8, 0.8], "AUC held out": 0.9}
    result |= {"rLD": [0.1, 0.3], "undefined": [0.0, 0.0]}
    done = [
        Done({"data": "bibtex+X", "method": method}, result, 0.0) for method in ("anneal", "random")
    ]
    table = models(done).table
    assert table["AP bias"].tolist() == pytest.approx([0.1, 0.1])
    assert table["AP spread"].tolist() == pytest.approx([np.sqrt(0.02)] * 2)
    assert table["AUC bias"].tolist() == pytest.approx([-0.1, -0.1])
    assert table["rLD"].tolist() == pytest.approx([0.2, 0.2])


def test_the_root_is_a_class_of_all_annotated_rows():
    terms = sp.csr_array(np.vstack([np.eye(3, dtype=int).repeat(6, axis=0), np.zeros((9, 3), int)]))
    y = with_root(terms, 4)
    assert y.shape == (22, 4)
    assert y.toarray().sum(axis=0).tolist() == [6, 6, 6, 18]
    for name, without in _WITHOUT_ROOT.items():  # Table 2: data size and largest class
        row = published.TABLE_2[(name,)]
        assert row["rows"] - row["max"] == without


def test_figure_1_has_the_sizes_of_the_paper():
    """24 points; ideal folds of six have 2, 1 and 1 positives."""
    y = figure_1_data(0, 0)
    assert y.shape == (24, 3)
    assert (y.sum(axis=0) / 4).tolist() == [2, 1, 1]


def paper(data):
    return {m: dict(row) for (d, m), row in published.TABLE_3.items() if d == data}


def test_sentences_hold_in_the_paper_where_it_says_so():
    answers = {s.text: {d: answer_of(s, paper(d), "") for d in ("bibtex", "MF")} for s in SENTENCES}
    holds = {text: {d: x["holds"] for d, x in by.items()} for text, by in answers.items()}
    assert holds["OptiSplit has a lower rLD than previous methods"]["MF"] == "yes"
    assert holds["OptiSplit for LD has a considerably high ED"] == {"bibtex": "no", "MF": "yes"}
    assert holds["LD prefers PMBSRS to random splits"] == {"bibtex": "no", "MF": "yes"}
    value = answers["Optimising DCP gives nearly as good a rLD"]["MF"]["value"]
    assert value == pytest.approx(0.0252 / 0.0229)
    both = [(row["LD"], row["rLD"]) for row in paper("MF").values()]
    value = answers["LD orders the methods otherwise than rLD"]["MF"]["value"]
    assert value == pytest.approx(spearmanr(*zip(*both, strict=True)).statistic)


def test_a_sentence_without_its_methods_is_not_judged():
    assert {answer_of(s, {}, "")["holds"] for s in SENTENCES} == {NOTHING}
