"""What every ranker keeps, and each against an independent computation."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression

import trueval.rank
from trueval.core.errors import InputError, ParameterError
from trueval.data.simulate import simulation_one, simulation_two, true_rates
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
    average_precision,
    make_ranker,
)
from trueval.rank._base import Ranker


def needed(record):
    """Parameters that a ranker cannot do without: a hierarchy, here one without edges."""
    return {"hierarchy": {}} if record.needs_hierarchy else {}


QUICK = settings(derandomize=True, deadline=None, max_examples=25, database=None)
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


def problem(seed=0, n=80, k=3, decimals=None):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, k)) < 0.3).astype(int)
    y[0], y[1] = 1, 0
    scores = rng.normal(size=(n, k)) + 1.5 * y
    return (scores if decimals is None else np.round(scores, decimals)), y


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


# --- one by one -----------------------------------------------------------------


def test_lpr_follows_algorithm_1_by_hand():
    rng = np.random.default_rng(0)
    s = rng.permutation(40).astype(float)
    y = (rng.random(40) < 0.4).astype(int)
    u = np.array([(s <= x).mean() for x in s])
    v = np.array([y[s >= x].mean() for x in s])
    expected = np.empty(40)
    for i in range(40):
        t = u[i] - u  # the paper's (u - u_i): b1 is minus the slope
        w = np.maximum(1 - (t / 0.25) ** 2, 0)
        design = np.stack([np.ones(40), t, t * t], axis=1)
        b = np.linalg.solve(design.T @ (w[:, None] * design), design.T @ (w * v))
        expected[i] = np.clip(b[0] + (1 - u[i]) * b[1], 0, 1)
    ranker = LocalPrecisionRate(bandwidth=0.25).fit(s[:, None], y[:, None])
    np.testing.assert_allclose(ranker.transform(s[:, None])[:, 0], expected, atol=1e-10)


def test_lpr_mappings():
    s = np.arange(10.0)[:, None]
    y = (np.arange(10) > 5).astype(int)[:, None]
    at = LocalPrecisionRate(bandwidth=0.5).fit(s, y).transform(s)[:, 0]
    new = np.array([[-3.0], [4.25], [8.5], [42.0]])
    line = LocalPrecisionRate(bandwidth=0.5).fit(s, y).transform(new)[:, 0]
    step = LocalPrecisionRate(bandwidth=0.5, mapping="step").fit(s, y).transform(new)[:, 0]
    np.testing.assert_allclose(
        line, [at[0], 0.75 * at[4] + 0.25 * at[5], (at[8] + at[9]) / 2, at[9]]
    )
    np.testing.assert_allclose(step, [at[0], at[4], at[8], at[9]])


def test_lpr_spreads_ties():
    # The paper's scores rounded to one decimal: collapsed ties lose half of the area.
    areas = {"tied": [], "plain": []}
    for seed in range(5):
        scores, y = simulation_one(500, 0.1, random_state=seed)
        new, new_y = simulation_one(500, 0.1, random_state=100 + seed)
        for name, decimals in (("tied", 1), ("plain", 15)):
            ranker = LocalPrecisionRate().fit(np.round(scores, decimals), y)
            areas[name].append(average_precision(ranker.transform(np.round(new, decimals)), new_y))
    assert np.mean(areas["tied"]) > np.mean(areas["plain"]) - 0.06


def test_lpr_monotone_is_the_isotonic_projection_of_the_clipped_values():
    scores, y = problem(7, n=60, k=1, decimals=1)
    free = LocalPrecisionRate(bandwidth=0.15).fit(scores, y).transform(scores)[:, 0]
    rising = LocalPrecisionRate(bandwidth=0.15, monotone=True).fit(scores, y)
    expected = IsotonicRegression().fit_transform(scores[:, 0], free)
    np.testing.assert_allclose(rising.transform(scores)[:, 0], expected, atol=1e-9)
    assert (np.diff(free[np.argsort(scores[:, 0])]) < 0).any()


def test_lpr_keeps_its_choice_for_inspection():
    scores, y = simulation_one(300, 0.2, random_state=0)
    ranker = LocalPrecisionRate().fit(scores, y)
    best = ranker.bandwidth_grid_[np.arange(5), ranker.loo_errors_.argmin(axis=1)]
    np.testing.assert_array_equal(ranker.bandwidths_, best)
    assert (ranker.degrees_of_freedom_ > 3).all()


@pytest.mark.parametrize("ranker", [LocalPrecisionRate(), PrecisionRanker(), IsotonicRanker()])
def test_beta_mixtures_are_recovered(ranker):
    # Closed form: P(class | s) of a mixture of two beta densities.
    scores, y = simulation_one(20_000, 0.2, random_state=0)
    truth = true_rates(scores, 0.2)
    values = clone(ranker).fit(scores, y).transform(scores)
    assert np.abs(values - truth).mean() < 0.02
    p = 0.2 * stats.beta.pdf(0.5, 10, 10)
    q = 0.8 * 1.25 * stats.beta.pdf(0.625, 0.5, 3)
    assert true_rates(np.full((1, 5), 0.5), 0.2)[0, 0] == pytest.approx(p / (p + q))


def test_ltdr_against_densities_by_hand():
    rng = np.random.default_rng(0)
    s, y = rng.normal(size=50), (rng.random(50) < 0.4).astype(int)

    def density(sample, x):
        middle = np.median(sample)
        h = np.median(np.abs(sample - middle)) / 0.6745 * (4 / (3 * len(sample))) ** 0.2
        t = (x[:, None] - sample) / h
        inside = np.maximum(1 - t * t / 5, 0) * 3 / (4 * np.sqrt(5))
        return inside.sum(axis=1) / (len(sample) * h)

    x = np.linspace(-2, 2, 41)
    f0, f = density(s[y == 0], x), density(s, x)
    expected = np.clip(1 - (y == 0).mean() * f0 / f, 0, 1)
    ranker = LocalTrueDiscoveryRate().fit(s[:, None], y[:, None])
    np.testing.assert_allclose(ranker.transform(x[:, None])[:, 0], expected, atol=1e-9)
    # Far from everything: the label of the nearest training score.
    far = ranker.transform(np.array([[-50.0], [50.0]]))[:, 0]
    np.testing.assert_array_equal(far, [y[np.argmin(s)], y[np.argmax(s)]])


@QUICK
@given(seed=st.integers(0, 10**6))
def test_p_values_and_fdr_by_counting(seed):
    scores, y = problem(seed, n=30, k=1, decimals=1)
    s, y = scores[:, 0], y[:, 0]
    new = np.round(np.random.default_rng(seed + 1).normal(size=20), 1)
    p = np.array([(s[y == 0] >= x).mean() for x in new])
    got = PValueRanker().fit(scores, y[:, None]).transform(new[:, None])[:, 0]
    np.testing.assert_allclose(got, 1 - p, atol=1e-12)
    top = s.max()
    fdr = np.array([1 - y[s >= min(x, top)].mean() for x in new])
    got = FDRRanker().fit(scores, y[:, None]).transform(new[:, None])[:, 0]
    np.testing.assert_allclose(got, 1 - fdr, atol=1e-12)


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(5, 60), decimals=st.sampled_from([None, 0, 1]))
def test_isotonic_equals_scikit_learn(seed, n, decimals):
    scores, y = problem(seed, n=n, k=1, decimals=decimals)
    new = np.random.default_rng(seed).normal(size=(30, 1))
    if len(np.unique(scores)) == 1:
        return
    ranker = IsotonicRanker(tie_break=False).fit(scores, y)
    expected = IsotonicRegression(out_of_bounds="clip").fit(scores[:, 0], y[:, 0])
    np.testing.assert_allclose(ranker.transform(new)[:, 0], expected.predict(new[:, 0]), atol=1e-9)


def test_isotonic_breaks_ties_by_rank_only():
    scores, y = problem(5, n=100, k=1)
    plain = IsotonicRanker(tie_break=False).fit_transform(scores, y)[:, 0]
    broken = IsotonicRanker().fit_transform(scores, y)[:, 0]
    assert np.abs(plain - broken).max() < 2e-9
    assert (np.diff(broken[np.argsort(scores[:, 0])]) > 0).all()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: LocalPrecisionRate(bandwidth=0), "'bandwidth' parameter of LocalPrecisionRate"),
        (lambda: LocalPrecisionRate(bandwidth="best"), "bandwidth"),
        (lambda: LocalPrecisionRate(kernel="flat"), "'kernel' parameter of LocalPrecisionRate"),
        (lambda: LocalPrecisionRate(mapping="spline"), "mapping"),
        (lambda: IsotonicRanker(mapping="next"), "'mapping' parameter of IsotonicRanker"),
        (lambda: PrecisionRanker(shrink=-1), "'shrink' parameter of PrecisionRanker"),
        (lambda: PrecisionRanker(shrink=np.nan), "number of at least 0. Got nan"),
        (lambda: PrecisionRanker(shrink=np.inf), "number of at least 0. Got inf"),
        (lambda: PrecisionRanker(share="all"), "'share' parameter of PrecisionRanker"),
    ],
)
def test_wrong_parameters(make, said):
    with pytest.raises(ValueError, match=said):
        make().fit(*problem())


# --- the default ranker -----------------------------------------------------------


def test_precision_ranker_finds_atoms_that_differ():
    scores, y = simulation_two(500, 0.05, 0.05, random_state=0)
    ranker = PrecisionRanker().fit(scores, y)
    # The value 0.5 is all members in class 5, in the middle of the others.
    assert ranker.n_atoms_[4] == 1
    at = ranker.transform(np.full((1, 5), 0.5))[0, 4]
    beside = ranker.transform(np.full((1, 5), 0.5001))[0, 4]
    assert at > 0.95 > 0.3 > beside


def test_precision_ranker_leaves_rounded_scores_alone():
    counts = []
    for seed in range(10):
        scores, y = simulation_one(500, 0.15, random_state=seed)
        counts.append(PrecisionRanker().fit(np.round(scores, 1), y).n_atoms_.sum())
    assert np.mean(counts) < 1.5  # of about 45 values tested each time


def test_precision_ranker_is_not_forced_to_rise():
    rng = np.random.default_rng(0)
    s = rng.random((3000, 2))
    chance = np.column_stack([np.exp(-(((s[:, 0] - 0.5) / 0.15) ** 2)), s[:, 1]])
    y = (rng.random((3000, 2)) < chance).astype(int)
    ranker = PrecisionRanker().fit(s, y)
    assert ranker.methods_.tolist() == ["free spline", "spline"]
    middle, ends = ranker.transform(np.array([[0.5, 0.5], [0.02, 0.5], [0.98, 0.5]]))[:, 0][[0, 1]]
    assert middle > 0.9
    assert ends < 0.1


def test_precision_ranker_stays_rising_where_the_truth_rises():
    methods = [
        PrecisionRanker().fit(*simulation_one(300, 0.15, random_state=seed)).methods_
        for seed in range(20)
    ]
    assert (np.concatenate(methods) == "free spline").mean() <= 0.02


def test_precision_ranker_takes_isotonic_regression_for_steps():
    rng = np.random.default_rng(0)
    s = rng.random((40_000, 1))
    chance = np.where(s < 0.37, 0.01, np.where(s < 0.83, 0.4, 0.97))
    y = (rng.random(s.shape) < chance).astype(int)
    ranker = PrecisionRanker().fit(s, y)
    assert ranker.methods_[0] == "isotonic"
    assert np.abs(ranker.transform(s) - chance).mean() < 0.01


def test_rare_classes_are_drawn_to_the_pooled_curve():
    rng = np.random.default_rng(0)
    n, K = 2000, 40
    y = np.zeros((n, K), dtype=int)
    for k in range(K):
        y[rng.choice(n, 2 if k else 1, replace=False), k] = 1
    scores = rng.normal(size=(n, K)) + 3 * y
    fresh = (rng.random((n, K)) < 0.001).astype(int)
    new = rng.normal(size=(n, K)) + 3 * fresh
    alone, drawn = (
        PrecisionRanker(shrink=shrink, share="none").fit(scores, y).transform(new)
        for shrink in (0.0, 0.25)
    )
    loss = [-np.log(np.clip(np.where(fresh > 0, v, 1 - v), 1e-6, 1)).mean() for v in (alone, drawn)]
    assert loss[1] < loss[0]


def test_intervals_hold_the_value_and_narrow_with_data():
    widths = []
    for n in (100, 1000):
        scores, y = simulation_one(n, 0.2, random_state=0)
        ranker = PrecisionRanker().fit(scores, y)
        values = ranker.transform(scores)
        low, high = ranker.interval(scores, 0.9)
        assert ((low >= 0) & (low <= values) & (values <= high) & (high <= 1)).all()
        wide = ranker.interval(scores, 0.99)
        assert (wide[0] <= low).all()
        assert (wide[1] >= high).all()
        widths.append((high - low).mean())
    assert widths[1] < 0.6 * widths[0]
    with pytest.raises(ValueError, match="'confidence' parameter of interval"):
        ranker.interval(scores, 1.0)


@pytest.mark.parametrize("pi", [(0.1, 0.0), (0.05, 0.05)])
def test_precision_ranker_beats_the_published_estimator(pi):
    gaps = []
    for seed in range(8):
        scores, y = simulation_two(200, *pi, random_state=seed)
        new, new_y = simulation_two(200, *pi, random_state=1000 + seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)
            areas = [
                average_precision(r.fit(scores, y).transform(new), new_y)
                for r in (PrecisionRanker(), LocalPrecisionRate(mapping="step"))
            ]
        gaps.append(areas[0] - areas[1])
    assert np.mean(gaps) > 0.005


@pytest.mark.slow
@pytest.mark.parametrize("cell", [(200, 0.1), (500, 0.2), (2000, 0.05)])
def test_interval_coverage(cell):
    # Over scores and classes, nine of ten intervals are to hold the true probability.
    held = []
    for seed in range(30):
        scores, y = simulation_one(*cell, random_state=seed)
        low, high = PrecisionRanker().fit(scores, y).interval(scores, 0.9)
        truth = true_rates(scores, cell[1])
        held.append(((low - 1e-9 <= truth) & (truth <= high + 1e-9)).mean())
    assert 0.84 <= np.mean(held) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("cell", [(200, 0.1), (500, 0.2)])
def test_values_are_calibrated_on_new_data(cell):
    values, hits = [], []
    for seed in range(40):
        scores, y = simulation_one(*cell, random_state=seed)
        new, new_y = simulation_one(*cell, random_state=500 + seed)
        values.append(PrecisionRanker().fit(scores, y).transform(new).ravel())
        hits.append(new_y.toarray().ravel())
    values, hits = np.concatenate(values), np.concatenate(hits)
    for low, high in ((0, 0.05), (0.05, 0.3), (0.3, 0.7), (0.7, 0.95), (0.95, 1.01)):
        inside = (values >= low) & (values < high)
        assert abs(values[inside].mean() - hits[inside].mean()) < 0.06
