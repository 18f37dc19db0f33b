"""What every ranker keeps."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import trueval.rank
from tests.rank.problems import QUICK, problem
from trueval.core.errors import InputError, ParameterError
from trueval.data.simulate import simulation_one
from trueval.rank import RANKERS as RECORDS
from trueval.rank import (
    FDRRanker,
    HalfNormalRanker,
    HierarchicalRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    LocalTrueDiscoveryRate,
    OneClassWarning,
    PrecisionRanker,
    PValueRanker,
    make_ranker,
)
from trueval.rank._base import Ranker


def needed(record):
    """Parameters that a ranker cannot do without: a hierarchy, here one without edges."""
    return {"hierarchy": {}} if record.needs_hierarchy else {}


RANKERS = [
    PrecisionRanker(),
    PrecisionRanker(shrink=0),
    PrecisionRanker(share="none"),
    LocalPrecisionRate(),
    LocalPrecisionRate(mapping="step", monotone=True, kernel="tricube"),
    LocalPrecisionRate(bandwidth=0.3, kernel="gaussian"),
    LocalPrecisionRate(bandwidth="loo-precision"),
    LocalPrecisionRate(jumps="detect", derivative_bandwidth="loo"),
    LocalTrueDiscoveryRate(),
    PValueRanker(),
    FDRRanker(),
    IsotonicRanker(),
    IsotonicRanker(shrink=True, tie_break=False, mapping="step"),
    HalfNormalRanker(),
]
# Every ranker with a record is here with its default parameters.
RANKERS += [
    make_ranker(name, **needed(record))
    for name, record in RECORDS.items()
    if record.path is not None and not any(type(r) is record.kind for r in RANKERS)
]
BY_RANK = [r for r in RANKERS if not isinstance(r, LocalTrueDiscoveryRate | HalfNormalRanker)]
EVERY = pytest.mark.parametrize("ranker", RANKERS, ids=repr)


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_true(name):
    record = RECORDS[name]
    if record.path is None:
        assert make_ranker(name) is None
        return
    assert type(make_ranker(name, **needed(record))) is record.kind
    assert getattr(trueval.rank, record.kind.__name__) is record.kind
    assert record.kind.__name__ in trueval.rank.__all__


def test_every_ranker_that_is_exported_has_a_record():
    exported = [getattr(trueval.rank, name) for name in trueval.rank.__all__]
    rankers = {kind for kind in exported if isinstance(kind, type) and issubclass(kind, Ranker)}
    assert rankers == {record.kind for record in RECORDS.values() if record.path is not None}


def test_old_names_of_rankers():
    assert type(make_ranker("precision", shrink=0)) is PrecisionRanker
    assert make_ranker("precision", shrink=0).shrink == 0
    with pytest.raises(ParameterError, match="must be one of 'calibrated', 'lpr'"):
        make_ranker("best")


@EVERY
def test_values_lie_in_the_unit_interval_and_inputs_are_left_alone(ranker):
    scores, y = problem()
    before = scores.copy()
    values = clone(ranker).fit(scores, y).transform(3 * scores)
    assert values.shape == scores.shape
    assert ((values >= 0) & (values <= 1)).all()
    np.testing.assert_array_equal(scores, before)


@EVERY
def test_larger_means_more_likely(ranker):
    scores, y = simulation_one(400, 0.3, random_state=0)
    values = clone(ranker).fit(scores, y).transform(scores)
    members = y.toarray() > 0
    assert values[members].mean() > values[~members].mean() + 0.3


@EVERY
def test_threads_do_not_change_anything(ranker):
    scores, y = problem(k=7)
    one = clone(ranker).fit(scores, y).transform(scores)
    two = clone(ranker).set_params(n_jobs=2).fit(scores, y).transform(scores)
    np.testing.assert_array_equal(one, two)


@EVERY
@pytest.mark.parametrize("decimals", [None, 1])
def test_order_of_rows_and_classes_does_not_matter(ranker, decimals):
    scores, y = problem(3, decimals=decimals)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(y)), np.array([2, 0, 1])
    plain = clone(ranker).fit(scores, y).transform(scores)
    turned = clone(ranker).fit(scores[rows][:, columns], y[rows][:, columns])
    np.testing.assert_allclose(
        turned.transform(scores[:, columns]), plain[:, columns], rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("ranker", BY_RANK, ids=repr)
@QUICK
@given(seed=st.integers(0, 10**6), decimals=st.sampled_from([None, 1]))
def test_increasing_transforms_change_nothing(ranker, seed, decimals):
    scores, y = problem(seed, n=40, decimals=decimals)
    stretched = np.exp(scores) * 3 - 7
    plain = clone(ranker).fit(scores, y).transform(scores)
    other = clone(ranker).fit(stretched, y).transform(stretched)
    np.testing.assert_allclose(other, plain, rtol=0, atol=1e-9)


@EVERY
@pytest.mark.parametrize("factor", [1e-200, 1e-30, 1e30, 1e200])
def test_the_unit_of_the_scores_does_not_matter(ranker, factor):
    scores, y = problem(4, n=150)
    new = np.random.default_rng(1).normal(size=(50, 3)) * 3
    plain = clone(ranker).fit(scores, y).transform(new)
    other = clone(ranker).fit(scores * factor, y)
    np.testing.assert_allclose(other.transform(new * factor), plain, rtol=0, atol=1e-9)
    far = other.transform(np.array([[-1e308] * 3, [1e308] * 3]))
    assert np.isfinite(far).all()
    np.testing.assert_allclose(
        far[1], clone(ranker).fit(scores, y).transform(np.full((1, 3), 1e6))[0], atol=1e-9
    )


@EVERY
@pytest.mark.parametrize("far", [(1.7e308,), (-1.7e308,), (-1.7e308, 1.7e308)])
def test_scores_far_from_all_others_give_no_warning(ranker, far):
    scores, y = problem(4, n=150)
    scores[: 5 * len(far)] = np.repeat(far, 5)[:, None]
    ranked = clone(ranker).fit(scores, y)
    for new in (scores, np.array([[-1.7e308] * 3, [0] * 3, [5e-324] * 3, [1.7e308] * 3])):
        assert np.isfinite(ranked.transform(new)).all()


def test_densities_beside_a_far_score_are_labels():
    # In units of 1.7e308 no score is in reach of another, and each has its own label.
    scores = np.array([1, 2, 3, 4, 1.7e308])[:, None]
    ranker = LocalTrueDiscoveryRate().fit(scores, np.array([0, 1, 0, 1, 1])[:, None])
    assert ranker.transform([[4], [2], [1.7e308]]).ravel().tolist() == [1, 1, 1]
    assert ranker.transform([[1], [3]]).ravel().tolist() == [0, 0]


@pytest.mark.parametrize("ranker", [PValueRanker(), FDRRanker(), IsotonicRanker(tie_break=False)])
@QUICK
@given(seed=st.integers(0, 10**6), times=st.integers(2, 4))
def test_duplicated_rows_change_nothing(ranker, seed, times):
    scores, y = problem(seed, n=30, decimals=1)
    once = clone(ranker).fit(scores, y).transform(scores)
    often = clone(ranker).fit(np.tile(scores, (times, 1)), np.tile(y, (times, 1)))
    np.testing.assert_allclose(often.transform(scores), once, rtol=0, atol=1e-12)


@EVERY
def test_sparse_with_everything_stored_equals_dense(ranker):
    scores, y = problem(1)
    dense = clone(ranker).fit(scores, y).transform(scores)
    stored = sp.csr_array(
        (scores.ravel(), np.tile(np.arange(3), len(y)), np.arange(0, 3 * len(y) + 1, 3)),
        shape=scores.shape,
    )
    values = clone(ranker).fit(stored, sp.csr_array(y)).transform(stored)
    assert sp.issparse(values)
    np.testing.assert_allclose(values.toarray(), dense, rtol=0, atol=1e-12)


@EVERY
def test_absent_stays_absent_and_stored_zeros_stay_stored(ranker):
    rng = np.random.default_rng(2)
    scores, y = problem(2, n=200)
    rows, columns = np.nonzero(rng.random(scores.shape) < 0.4)
    data = scores[rows, columns]
    data[:5] = 0.0
    stored = sp.csr_array((data, (rows, columns)), shape=scores.shape)
    fitted = clone(ranker).fit(stored, y)
    values = fitted.transform(stored)
    assert values.nnz == stored.nnz
    np.testing.assert_array_equal(values.indices, stored.indices)
    absent = np.ones(scores.shape, bool)
    absent[rows, columns] = False
    expected = [y[absent[:, k], k].mean() for k in range(3)]
    np.testing.assert_allclose(fitted.absent_values_, expected)


@EVERY
def test_classes_that_cannot_be_ranked_are_handled_and_said(ranker):
    scores, y = problem(4, k=4)
    y[:, 0], y[:, 1], scores[:, 2] = 0, 1, 5.0
    with pytest.warns(OneClassWarning, match=r"3 of 4 classes.*1 with no positives") as caught:
        fitted = clone(ranker).fit(scores, y)
    assert len(caught) == 1
    values = fitted.transform(scores)
    # Where classes share what they know, one without positives is not at zero.
    shares = isinstance(ranker, HierarchicalRanker) or getattr(ranker, "share", "") == "auto"
    unsure = 0.1 if shares else 0.01
    assert values[:, 0].max() < unsure
    assert values[:, 1].min() > 1 - unsure
    np.testing.assert_allclose(values[:, 2], y[:, 2].mean(), atol=0.02)


@EVERY
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s, y: (np.where(s > 2, np.nan, s), y), r"row \d+, column \d+: .*NaN"),
        (lambda s, y: (np.where(s > 2, np.inf, s), y), "infinite"),
        (lambda s, y: (s[:-1], y), "79 rows but y has 80"),
        (lambda s, y: (s[:, :2], y), "2 columns but y has 3 classes"),
        (lambda s, y: (s[:, 0], y), "two-dimensional"),
        (lambda s, y: (s.astype(str), None), "missing"),
        (lambda s, y: (np.full(s.shape, "a"), y), "numbers"),
        (lambda s, y: (s, np.zeros_like(y)), "no class can be ranked.*no positives"),
        (lambda s, y: (np.zeros_like(s), y), "constant scores"),
    ],
)
def test_refuses_clearly(ranker, change, said):
    scores, y = change(*problem())
    with pytest.raises(InputError, match=said):
        clone(ranker).fit(scores, y)


def test_names_must_match():
    scores, y = problem()
    frame, labels = pd.DataFrame(scores, columns=list("abc")), pd.DataFrame(y, columns=list("acb"))
    with pytest.raises(InputError, match="column 1 is 'b' in scores but 'c' in y"):
        IsotonicRanker().fit(frame, labels)
    fitted = IsotonicRanker().fit(frame, labels[["a", "c", "b"]].set_axis(list("abc"), axis=1))
    with pytest.raises(InputError, match="column 0 of scores is 'b' but was 'a'"):
        fitted.transform(frame[["b", "a", "c"]])
    with pytest.raises(InputError, match="2 classes but IsotonicRanker was fitted on 3"):
        fitted.transform(scores[:, :2])
    assert fitted.get_feature_names_out().tolist() == ["a", "b", "c"]


def test_two_scores_in_one_place_are_refused():
    twice = sp.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [0, 0, 1])), shape=(3, 2)).tocsr()
    twice = sp.csr_array(
        (np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3, 3])), shape=(3, 2)
    )
    with pytest.raises(InputError, match="row 0, column 0: scores stores two values"):
        IsotonicRanker().fit(twice, [[1, 0], [0, 1], [0, 0]])
