"""How far a class keeps its own curve, and what that does to small classes."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit

from trueval.data.simulate import simulation_one, simulation_two
from trueval.rank import OneClassWarning, PrecisionRanker, average_precision
from trueval.rank import _blend as blend
from trueval.rank._base import interpolate
from trueval.rank._counts import Counts, class_counts
from trueval.rank._prior import Prior, Problem, modes
from trueval.rank._probability import atom_reach, neighbours

QUICK = settings(derandomize=True, deadline=None, max_examples=25, database=None)


def small_classes(seed, expected, n_classes=60, n=500, n_new=2000):
    """Normal scores; classes differ a little in shift, unit and distance of the positives."""
    rng = np.random.default_rng([5, seed])
    shift, unit = rng.normal(0, 0.3, n_classes), np.exp(rng.normal(0, 0.15, n_classes))
    away = np.maximum(rng.normal(2.8, 0.3, n_classes), 0.2)

    def draw(rows):
        y = rng.random((rows, n_classes)) < expected / n
        z = rng.normal(size=y.shape) + away * y
        rates = expit(logit(expected / n) + away * z - away**2 / 2)
        return shift + unit * z, y.astype(int), rates

    return *draw(n)[:2], *draw(n_new)


def quiet_fit(ranker, scores, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        return ranker.fit(scores, y)


# --- leaving out and the choice --------------------------------------------------------


@QUICK
@given(seed=st.integers(0, 10**6), n=st.integers(30, 120))
def test_objects_are_left_out_as_by_fitting_again(seed, n):
    """Against fits without each object, of a logistic model with a normal prior."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=n)])
    y = (rng.random(n) < expit(1.5 * x[:, 1] - 1)).astype(float)
    prior = Prior(np.zeros((1, 2)), 4 * np.eye(2))

    def fit(kept):
        problem = Problem(x[None], kept[None].astype(float), (kept * y)[None], np.ones((1, 1)))
        return modes(problem, prior)

    whole = fit(np.ones(n))
    error = np.sqrt(((x @ whole.covariance[0]) * x).sum(axis=1))
    log_odds = x @ whole.coef[0]
    found = np.where(
        y > 0, blend.without_one(log_odds, error, 1), blend.without_one(log_odds, error, 0)
    )
    again = np.array([x[i] @ fit(np.arange(n) != i).coef[0] for i in range(n)])
    moved = np.abs(again - log_odds)
    assert (np.abs(found - again) <= 0.02 + 0.25 * moved).all()
    assert np.abs(found - again).sum() <= 0.1 * moved.sum()


def test_losses_of_objects_left_out_by_hand():
    """Each object by itself, with the weight that the others leave to its class's own curve."""
    counts = Counts.of(
        [
            (np.array([0.0, 1.0, 2.0]), np.array([5.0, 3.0, 2.0]), np.array([1.0, 1.0, 2.0])),
            (np.array([0.5, 1.5]), np.array([4.0, 3.0]), np.array([0.0, 1.0])),
        ]
    )
    rng = np.random.default_rng(0)
    own, other = ((rng.normal(size=5), rng.uniform(0.1, 0.9, 5)) for _ in range(2))
    choices = np.array([0.0, 4.0, np.inf])
    expected = np.zeros((2, 3))
    for k, groups in enumerate([range(3), range(3, 5)]):
        m = sum(counts.positives[g] for g in groups)
        for g in groups:
            for label in (0, 1):
                n = counts.positives[g] if label else counts.size[g] - counts.positives[g]
                left = [blend.without_one(a[g], e[g], label) for a, e in (own, other)]
                # The only positive of a class leaves none behind: the shared curve alone.
                shares = [(m - label) / (m - label + c) if m > label else 0.0 for c in choices]
                for j, w in enumerate(shares):
                    chance = expit(w * left[0] + (1 - w) * left[1])
                    expected[k, j] -= n * np.log(chance if label else 1 - chance)
    losses = blend._LeftOut(counts, own, other).losses(choices)
    np.testing.assert_allclose(losses, expected, rtol=1e-12)
    both = blend._LeftOut(counts, own, other)
    np.testing.assert_allclose(both.take(np.array([1])).losses(choices), expected[1:], rtol=1e-12)


def test_the_most_sharing_that_is_not_clearly_worse():
    def chosen(total, spread=0.0, n=20):
        loss = np.tile(np.asarray(total, dtype=float) / n, (n, 1))
        loss[: n // 2, -1] += spread
        loss[n // 2 :, -1] -= spread
        return blend._choose(loss)

    assert chosen([5.0, 0.0, 3.0]) == 1
    assert chosen([5.0, 0.0, 3.0], spread=1.0) == 1
    assert chosen([5.0, 0.0, 3.0], spread=2.0) == 2  # within half a standard error
    assert chosen([5.0, 0.0, 3.0], spread=2.0, n=4) == 1  # of few classes the least loss


def test_classes_that_are_alike_share_and_one_that_is_not_keeps_its_own():
    rng = np.random.default_rng(0)
    s = rng.normal(size=(1500, 12))
    chance = expit(2 * s - 3)
    chance[:, 0] = 0.9 * np.exp(-(((s[:, 0] + 0.5) / 0.4) ** 2))  # a bump
    y = (rng.random(s.shape) < chance).astype(int)
    ranker = PrecisionRanker().fit(s, y)
    assert ranker.own_weight_[0] == 1
    assert ranker.methods_[0] == "free spline"
    assert (ranker.own_weight_[1:] < 0.8).all()
    assert ranker.shared_positives_ >= 50
    assert np.abs(ranker.transform(s) - chance).mean() < 0.02
    m = y.sum(axis=0)[1:]
    np.testing.assert_allclose(ranker.own_weight_[1:], m / (m + ranker.shared_positives_))


def test_weights_without_sharing():
    scores, y, *_ = small_classes(0, 5.0)
    ranker = quiet_fit(PrecisionRanker(share="none"), scores, y)
    assert (ranker.own_weight_ == 1).all()
    assert ranker.shared_positives_ == 0
    assert set(ranker.methods_) <= {"spline", "free spline", "flat"}


def test_class_by_class_transforms_change_nothing_without_sharing():
    scores, y, *_ = small_classes(1, 8.0, n_classes=5, n=100)
    turned = np.sign(scores) * np.abs(scores) ** np.array([1, 3, 1, 0.5, 2]) * 10.0 ** np.arange(5)
    one, two = (
        quiet_fit(PrecisionRanker(share="none"), s, y).transform(s) for s in (scores, turned)
    )
    np.testing.assert_allclose(one, two, atol=1e-9)


# --- small classes ---------------------------------------------------------------------


@pytest.mark.parametrize(("expected", "apart", "share"), [(1.0, 0.5, 0.85), (5.0, 0.9, 0.94)])
def test_small_classes_come_near_the_true_rates(expected, apart, share):
    areas = []
    for seed in range(4):
        scores, y, new, new_y, rates = small_classes(seed, expected)
        values = [
            quiet_fit(PrecisionRanker(share=s), scores, y).transform(new) for s in ("auto", "none")
        ]
        areas.append([average_precision(v, new_y) for v in (*values, rates)])
    auto, none, best = np.mean(areas, axis=0)
    assert auto > share * best
    assert none < apart * best


def test_values_of_small_classes_are_reliable():
    hits, sure = {1: [], 2: [], 5: []}, {1: 0, 2: 0, 5: 0}
    for seed in range(6):
        for expected in (1.5, 5.0):
            scores, y, new, new_y, _ = small_classes(10 + seed, expected)
            values = quiet_fit(PrecisionRanker(), scores, y).transform(new)
            for m in hits:
                inside = (values >= 0.8) & (y.sum(axis=0) == m)
                hits[m].append(new_y[inside].sum())
                sure[m] += inside.sum()
    for m, found in hits.items():
        assert sure[m] >= 20
        assert np.sum(found) / sure[m] > 0.75


def test_classes_without_positives_compare_with_the_others():
    scores, y, new, new_y, _ = small_classes(3, 3.0)
    y[:, :20] = 0
    with pytest.warns(OneClassWarning, match="are valued by the other classes.*no positives"):
        ranker = PrecisionRanker().fit(scores, y)
    values = ranker.transform(new)
    assert set(ranker.methods_[:20]) == {"shared"}
    assert (ranker.own_weight_[:20] == 0).all()
    alone = average_precision(values[:, :20], new_y[:, :20])
    assert alone > 0.6 * average_precision(values[:, 20:], new_y[:, 20:])
    with pytest.warns(OneClassWarning, match="get one value each"):
        flat = PrecisionRanker(share="none").fit(scores, y)
    assert (np.ptp(flat.transform(new)[:, :20], axis=0) == 0).all()


def test_scores_above_all_of_a_class_are_told_by_the_others():
    rng = np.random.default_rng(0)
    y = (rng.random((800, 30)) < 0.05).astype(int)
    scores = rng.normal(size=y.shape) + 3 * y
    y[:, 0], scores[:, 0] = 0, np.minimum(scores[:, 0], 1.0)
    with pytest.warns(OneClassWarning):
        ranker = PrecisionRanker().fit(scores, y)
    values = ranker.transform(np.full((1, 30), 1.0)), ranker.transform(np.full((1, 30), 4.0))
    assert values[1][0, 0] > 2 * values[0][0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("expected", [1.0, 3.0, 20.0])
def test_intervals_of_small_classes_hold_the_true_rates(expected):
    held, width = [], []
    for seed in range(8):
        scores, y, new, _, rates = small_classes(20 + seed, expected)
        low, high = quiet_fit(PrecisionRanker(), scores, y).interval(new, 0.9)
        held.append(((low - 1e-9 <= rates) & (rates <= high + 1e-9)).mean())
        width.append((high - low)[rates > 0.3].mean())
    assert 0.85 <= np.mean(held) <= 1.0
    assert np.mean(width) < 0.9


# --- containers ------------------------------------------------------------------------


def test_sparse_top_scores_of_many_classes_with_one_to_three_positives():
    rng = np.random.default_rng(0)
    n, k, top = 600, 1500, 20
    rows = np.repeat(np.arange(n), top)
    columns = np.concatenate([rng.choice(k, top, replace=False) for _ in range(n)])
    chance = rng.beta(0.3, 3.0, size=len(rows))
    member = rng.random(len(rows)) < chance
    y = sp.csr_array((np.ones(member.sum(), int), (rows[member], columns[member])), shape=(n, k))
    scores = sp.csr_array((chance + rng.normal(0, 0.05, len(rows)), (rows, columns)), shape=(n, k))
    ranker = quiet_fit(PrecisionRanker(), scores, y)
    values = ranker.transform(scores)
    assert values.nnz == scores.nnz
    # Here a score means the same in every class, so raw scores cannot be beaten by much.
    plain = quiet_fit(PrecisionRanker(share="none"), scores, y).transform(scores)
    fresh = rng.random(len(rows)) < chance
    z = sp.csr_array((np.ones(fresh.sum(), int), (rows[fresh], columns[fresh])), shape=(n, k))
    shared, apart, raw = (average_precision(v, z) for v in (values, plain, scores))
    assert shared > apart + 0.1
    assert shared > 0.97 * raw


@pytest.mark.parametrize("kinds", [(np.float64, np.float32), (np.float32, np.float64)])
def test_atoms_are_found_in_the_other_precision(kinds):
    scores, y = simulation_two(500, 0.05, 0.05, random_state=0)
    new, new_y = simulation_two(500, 0.05, 0.05, random_state=1)
    new[new == 0.5], scores[scores == 0.5] = 0.3, 0.3  # not the same in single precision
    same, other = (
        average_precision(PrecisionRanker().fit(scores.astype(kinds[0]), y).transform(n), new_y)
        for n in (new.astype(kinds[0]), new.astype(kinds[1]))
    )
    assert other == pytest.approx(same, abs=0.002)


def test_an_atom_reaches_no_other_score():
    score = np.array([1.0, 1.0 + 1e-9, 2.0, 2.0 + 1e-3])
    reach = atom_reach(score, np.array([True, False, True, False]))
    assert reach[0] < 0.5e-9
    assert reach[1] == pytest.approx(2.4e-7)


def test_neighbours_by_counting():
    rng = np.random.default_rng(0)
    score, size = np.sort(rng.normal(size=60)), rng.integers(1, 4, 60).astype(float)
    positives = np.floor(size * rng.random(60))
    at = np.concatenate([[-9.0], np.sort(rng.normal(size=9)), score[::7], [9.0]])
    found = neighbours((score, size, positives), np.sort(at)).T
    below, above = max(positives.sum() / 4, 3), max((size.sum() - positives.sum()) / 6, 3)
    for s, (m_below, n_below, m_above, n_above) in zip(np.sort(at), found, strict=True):
        under, over = np.flatnonzero(score <= s)[::-1], np.flatnonzero(score >= s)
        for groups, limit, m, n in (
            (under, below, m_below, n_below),
            (over, above, m_above, n_above),
        ):
            total = np.cumsum(size[groups])
            # Whole groups until the window is full.
            enough = min(int(np.searchsorted(total, limit)) + 1, len(groups))
            assert n == size[groups[:enough]].sum()
            assert m == positives[groups[:enough]].sum()


def test_thinned_curves_are_those_of_all_scores():
    rng = np.random.default_rng(0)
    s = rng.normal(size=(6000, 2))
    y = (rng.random(s.shape) < expit(2 * s - 3)).astype(int)
    ranker = PrecisionRanker().fit(s, y)
    assert max(len(c.score) for c in ranker.curves_) < 300
    assert np.abs(ranker.transform(s) - expit(2 * s - 3)).mean() < 0.02
    assert len(class_counts(np.sort(s[:, 0]), np.ones(6000), np.zeros(6000))[0]) < 100


@settings(derandomize=True, deadline=None, max_examples=200, database=None)
@given(
    st.lists(st.integers(-(2**53), 2**53), min_size=2, max_size=6, unique=True),
    st.sampled_from([0, -900, -1060, -1074]),
    st.integers(0, 2**32 - 1),
)
def test_interpolation_is_on_the_line_however_near_the_places_are(places, power, seed):
    """Against exact fractions: slopes between subnormal places overflow, values do not."""
    rng = np.random.default_rng(seed)
    at = np.sort(np.unique(np.ldexp(np.array(places, dtype=float) % 2**20, power)))
    at = np.append(at, at[-1] + 1.0)
    values = rng.normal(size=len(at))
    asked = np.concatenate([at, rng.choice(at, 5), np.ldexp(rng.integers(0, 2**20, 5), power)])
    expected = []
    for x in asked.tolist():
        j = min(max(int(np.searchsorted(at, x, side="right")) - 1, 0), len(at) - 2)
        low, high = Fraction(at[j]), Fraction(at[j + 1])
        share = min(max((Fraction(x) - low) / (high - low), Fraction(0)), Fraction(1))
        expected.append(float(Fraction(values[j]) + share * Fraction(values[j + 1] - values[j])))
    np.testing.assert_allclose(interpolate(asked, at, values), expected, rtol=1e-9, atol=1e-9)


def test_subnormal_scores_are_ranked_like_others():
    scores, y = simulation_one(200, 0.2, random_state=0)
    whole = np.round(scores * 2**20)
    usual = PrecisionRanker().fit(whole, y).transform(whole)
    tiny = np.ldexp(whole, -1074)
    np.testing.assert_allclose(PrecisionRanker().fit(tiny, y).transform(tiny), usual, atol=1e-6)


@settings(derandomize=True, deadline=None, max_examples=60, database=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(3, 12), st.integers(1, 4), st.sampled_from([2, 3, 50])
)
def test_very_few_objects_give_probabilities_that_rise(seed, n, k, kinds):
    """Classes of one positive, repeated scores and atoms only: values stay finite, in order."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, kinds, (n, k)) / kinds
    y = rng.random((n, k)) < 0.4
    scores[0], scores[1], y[0], y[1] = 0.0, 1.0, False, True
    ranker = quiet_fit(PrecisionRanker(), scores, y)
    values = ranker.transform(scores)
    assert np.isfinite(values).all()
    assert ((values >= 0) & (values <= 1)).all()
    assert ((ranker.own_weight_ >= 0) & (ranker.own_weight_ <= 1)).all()
    for j in np.flatnonzero((ranker.methods_ == "spline") & (ranker.n_atoms_ == 0)):
        order = np.argsort(scores[:, j], kind="stable")
        assert (np.diff(values[order, j]) >= 0).all()
