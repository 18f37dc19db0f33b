"""Optimal thresholds by brute force, and the three cuts by counting."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval import _kernels
from trueval.core.errors import InputError, ParameterError
from trueval.core.scores import Scores
from trueval.rank import (
    IsotonicRanker,
    OneClassWarning,
    OptimalThresholds,
    ProportionCut,
    RankCut,
    ScoreCut,
)
from trueval.rank._thresholds import calls_above, midpoint_below

QUICK = settings(derandomize=True, deadline=None, max_examples=100, database=None)
ONE_CLASS = pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning")
BETAS = (0.25, 0.5, 1.0, 2.0, 4.0)


def problem(seed, n=6, k=3, decimals=1):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, k)) < 0.4).astype(int)
    y[0, 0] = 1
    return np.round(rng.normal(size=(n, k)) + y, decimals), y


def f_of(calls, y, beta, average="micro"):
    """F-beta by its definition; the curves' tests compare it with scikit-learn's."""
    axis = 0 if average == "macro" else None
    hits, made, wanted = ((a * b).sum(axis) for a, b in ((calls, y), (calls, 1), (y, 1)))
    below = made + beta**2 * wanted
    return float(np.mean((1 + beta**2) * hits / np.where(below > 0, below, 1)))


def brute_force(scores, y, beta, average):
    """Best F over all combinations of cutoffs."""
    options = []
    for k in range(y.shape[1]):
        cutoffs = [np.inf, *np.unique(scores[:, k])]
        options.append([(scores[:, k] >= c).astype(int) for c in cutoffs])
    return max(f_of(np.stack(columns, axis=1), y, beta, average) for columns in product(*options))


@ONE_CLASS
@QUICK
@given(
    seed=st.integers(0, 10**6),
    beta=st.sampled_from(BETAS),
    average=st.sampled_from(["micro", "macro"]),
    decimals=st.sampled_from([0, 8]),
)
def test_global_maximum_by_brute_force(seed, beta, average, decimals):
    scores, y = problem(seed, n=5, k=2 if average == "macro" else 3, decimals=decimals)
    best = OptimalThresholds(beta=beta, average=average).fit(scores, y)
    calls = best.predict(scores).toarray()
    assert f_of(calls, y, beta, average) == pytest.approx(best.training_f_, abs=1e-12)
    assert best.training_f_ == pytest.approx(brute_force(scores, y, beta, average), abs=1e-12)


@QUICK
@given(seed=st.integers(0, 10**6), beta=st.sampled_from(BETAS))
def test_one_pooled_threshold_on_isotonic_rates_does_the_same(seed, beta):
    scores, y = problem(seed, n=40, k=4)
    y[0], y[1] = 1, 0
    rates = np.stack(
        [
            IsotonicRanker(tie_break=False).fit_transform(scores[:, [k]], y[:, [k]])[:, 0]
            for k in range(4)
        ],
        axis=1,
    )
    pooled = max(f_of((rates >= r).astype(int), y, beta) for r in np.unique(rates))
    assert OptimalThresholds(beta=beta).fit(scores, y).training_f_ == pytest.approx(pooled)


@QUICK
@given(seed=st.integers(0, 10**6), beta=st.sampled_from(BETAS))
def test_every_beta_from_one_fit(seed, beta):
    scores, y = problem(seed, n=30)
    once = OptimalThresholds().fit(scores, y).thresholds_for(beta)
    np.testing.assert_array_equal(once, OptimalThresholds(beta=beta).fit(scores, y).thresholds_)


@pytest.mark.parametrize("beta", [0, -1, np.nan, "one"])
def test_another_beta_is_above_zero(beta):
    with pytest.raises(ParameterError, match="beta"):
        OptimalThresholds().fit(*problem(0)).thresholds_for(beta)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_averages_are_told_by_their_letters(average):
    """Also where the text was read from somewhere, and is no constant of the program."""
    read = "".join(list(average))
    made = [OptimalThresholds(average=name).fit(*problem(0, n=30)) for name in (read, average)]
    assert made[0].training_f_ == made[1].training_f_


@ONE_CLASS
def test_thresholds_are_midpoints():
    scores = np.array([[1.0], [2.0], [4.0], [8.0]])
    best = OptimalThresholds().fit(scores, [[0], [0], [1], [1]])
    assert best.thresholds_.tolist() == [3.0]
    assert OptimalThresholds().fit(scores, [[1], [1], [1], [1]]).thresholds_[0] == -np.inf
    near = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert midpoint_below(near, 1) == near[1]
    assert midpoint_below(np.arange(300.0), 300) == np.inf  # nothing is called


@ONE_CLASS
def test_sparse_pairs_without_a_score_are_never_called_but_missed():
    scores = sp.csr_array(np.array([[3.0, 0, 0], [2.0, 1.0, 0], [0, 0, 0]]))
    y = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0]])
    best = OptimalThresholds().fit(scores, y)
    assert best.predict(scores).toarray().tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert best.training_f_ == pytest.approx(2 * 1 / (1 + 3))


@QUICK
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 60),
    whole=st.booleans(),
)
def test_pool_adjacent_against_the_definition(seed, n, whole):
    # Minimax formula: fit_i = max over starts a ≤ i of min over ends b ≥ i of mean(a..b).
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 4, size=n).astype(float)
    sums = rng.integers(0, 4, size=n).astype(float) if whole else rng.random(n)
    start = _kernels.pool_adjacent(sums, size)
    means = np.add.reduceat(sums, start) / np.add.reduceat(size, start)
    fit = np.repeat(means, np.diff(np.append(start, n)))
    total, weight = np.append(0, np.cumsum(sums)), np.append(0, np.cumsum(size))
    for i in range(n):
        best = max(
            min((total[b] - total[a]) / (weight[b] - weight[a]) for b in range(i + 1, n + 1))
            for a in range(i + 1)
        )
        assert fit[i] == pytest.approx(best, abs=1e-12)
    assert (np.diff(means) > 0).all()


def test_no_positives_is_refused():
    with pytest.raises(InputError, match="no positives"):
        OptimalThresholds().fit(np.ones((3, 2)), np.zeros((3, 2)))


@ONE_CLASS
@pytest.mark.parametrize("cut", [ProportionCut(), ScoreCut()])
def test_cuts_of_single_classes_need_no_positives(cut):
    assert cut.fit(np.eye(3, 2), np.zeros((3, 2))).predict(np.ones((4, 2))).nnz == 0


# --- cuts -------------------------------------------------------------------------


@QUICK
@given(seed=st.integers(0, 10**6), beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_rank_cut_takes_the_best_k(seed, beta):
    scores, y = problem(seed, n=15, k=4, decimals=6)
    order = np.argsort(-scores, axis=1)
    made = []
    for k in range(1, 5):
        calls = np.zeros_like(y)
        np.put_along_axis(calls, order[:, :k], 1, axis=1)
        made.append(calls)
    best = max(f_of(calls, y, beta) for calls in made)
    cut = RankCut(beta=beta).fit(scores, y)
    calls = cut.predict(scores).toarray()
    np.testing.assert_array_equal(calls, made[cut.k_ - 1])
    assert f_of(calls, y, beta) == pytest.approx(best)


@ONE_CLASS
def test_rank_cut_gives_an_object_what_it_has():
    scores = sp.csr_array(np.array([[3.0, 0, 2.0, 1.0], [0, 0, 0, 5.0]]))
    cut = RankCut(k=2).fit(scores, [[1, 0, 1, 0], [0, 0, 0, 1]])
    assert cut.predict(scores).toarray().tolist() == [[1, 0, 1, 0], [0, 0, 0, 1]]


@QUICK
@given(seed=st.integers(0, 10**6))
def test_proportion_cut_calls_the_classes_share(seed):
    scores, y = problem(seed, n=20, k=3, decimals=6)
    new = np.random.default_rng(seed).normal(size=(40, 3))
    calls = ProportionCut().fit(scores, y).predict(new).toarray()
    np.testing.assert_array_equal(calls.sum(axis=0), 2 * y.sum(axis=0))
    for k in range(3):
        called = calls[:, k] == 1
        if called.any() and not called.all():
            assert new[called, k].min() > new[~called, k].max()


def test_proportion_cut_chooses_its_factor():
    rng = np.random.default_rng(0)
    y = (rng.random((400, 3)) < 0.2).astype(int)
    scores = rng.normal(size=y.shape) + 0.5 * y
    auto = ProportionCut("auto", beta=2.0).fit(scores, y)
    plain = ProportionCut().fit(scores, y)
    assert auto.proportion_ > 1
    assert f_of(auto.predict(scores).toarray(), y, 2.0) >= f_of(
        plain.predict(scores).toarray(), y, 2.0
    )


@QUICK
@given(seed=st.integers(0, 10**6), beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_score_cut_is_best_for_each_class(seed, beta):
    scores, y = problem(seed, n=12, k=3)
    cut = ScoreCut(beta=beta).fit(scores, y)
    calls = cut.predict(scores).toarray()
    for k in range(3):
        tried = [np.inf, *scores[:, k]]
        best = max(f_of((scores[:, k] >= c).astype(int), y[:, k], beta) for c in tried)
        assert f_of(calls[:, k], y[:, k], beta) == pytest.approx(best)
        assert cut.training_f_[k] == pytest.approx(best)


def test_score_cut_fbr():
    scores = np.array([[0.9, 0.1], [0.8, 0.5], [0.1, 0.9]])
    y = np.array([[1, 1], [1, 0], [0, 0]])
    assert ScoreCut(fbr=0.6).fit(scores, y).thresholds_[1] == np.inf
    assert ScoreCut(fbr=0.6, below="top").fit(scores, y).thresholds_[1] == 0.9


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        (OptimalThresholds(beta=-1), "'beta' parameter"),
        (OptimalThresholds(average="samples"), "'average' parameter of OptimalThresholds"),
        (RankCut(k=0), "'k' parameter of RankCut"),
        (RankCut(k="some"), "'k' parameter of RankCut"),
        (ProportionCut(0), "'proportion' parameter of ProportionCut"),
        (ScoreCut(fbr=2), "'fbr' parameter of ScoreCut"),
        (ScoreCut(below="half"), "'below' parameter of ScoreCut"),
    ],
)
def test_wrong_parameters(cut, said):
    with pytest.raises(ValueError, match=said):
        cut.fit(*problem(0))


@pytest.mark.parametrize("cut", [OptimalThresholds(), RankCut(), ProportionCut(), ScoreCut()])
def test_new_scores_must_have_the_same_classes(cut):
    scores, y = problem(0)
    calls = cut.fit(scores, y).predict(scores)
    assert sp.issparse(calls)
    assert calls.dtype == np.int64
    with pytest.raises(InputError, match=r"2 classes but .* was fitted on 3"):
        cut.predict(scores[:, :2])


@pytest.mark.parametrize("make", [OptimalThresholds, ScoreCut, RankCut, ProportionCut])
def test_classes_that_leave_nothing_to_choose_are_said_once(make):
    rng = np.random.default_rng(0)
    y = (rng.random((30, 5)) < 0.4).astype(int)
    scores = rng.random((30, 5)) + y
    y[:, 1], y[:, 2], scores[:, 4] = 0, 1, 0.5
    frame = pd.DataFrame(y, columns=list("abcde"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        calls = make().fit(scores, frame).predict(scores).toarray()
    assert [w.category for w in caught] == [OneClassWarning]
    said = str(caught[0].message)
    assert said.startswith("3 of 5 classes")
    assert "1 with no positives, 1 with no negatives, 1 with constant scores (b, c, e)" in said
    assert caught[0].filename == __file__
    if make is not RankCut:
        assert not calls[:, 1].any()
        assert calls[:, 2].all()


@ONE_CLASS
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_nothing_is_called_where_no_positive_has_a_score(average):
    """The stored scores are all of negatives: any call is wrong, and F is 0."""
    scores = sp.csr_array(np.array([[0.9, 0.0], [0.0, 0.8], [0.0, 0.0]]))
    y = np.array([[0, 1], [1, 0], [1, 1]])
    best = OptimalThresholds(average=average).fit(scores, y)
    assert best.training_f_ == 0.0
    assert best.thresholds_.tolist() == [np.inf, np.inf]
    assert best.predict(scores).nnz == 0


@ONE_CLASS
def test_scores_of_nothing_call_nothing():
    best = OptimalThresholds().fit(sp.csr_array((3, 2)), np.array([[1, 0], [0, 1], [1, 1]]))
    assert best.training_f_ == 0.0
    assert best.thresholds_.tolist() == [np.inf, np.inf]


@ONE_CLASS
def test_positives_without_a_score_are_missed():
    """One class, three positives, of which one has a score: recall 1/3, precision 1, F 1/2."""
    scores = sp.csr_array(np.array([[0.9], [0.2], [0.0], [0.0]]))
    y = np.array([[1], [0], [1], [1]])
    for average in ("micro", "macro"):
        best = OptimalThresholds(average=average).fit(scores, y)
        assert best.training_f_ == pytest.approx(0.5)
        assert best.predict(scores).toarray().ravel().tolist() == [1, 0, 0, 0]


def test_a_score_at_the_threshold_is_called():
    scores = Scores(np.array([[0.5, 0.25], [0.4999, 0.5]]))
    assert calls_above(scores, 0.5).toarray().tolist() == [[1, 0], [0, 1]]
    assert calls_above(scores, np.array([0.6, 0.25])).toarray().tolist() == [[0, 1], [0, 1]]
