"""What classes share: the score's scale, switched off where it differs, and no positives."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from trueval.rank._counts import Counts
from trueval.rank._shared import fit_shared, spread_classes


def classes(seed, n_classes=30, n=400, expected=4.0, unit=None, shift=2.5):
    """Normal scores whose positives lie higher by a shift; units may differ by class."""
    rng = np.random.default_rng(seed)
    unit = np.ones(n_classes) if unit is None else unit
    found = []
    for k in range(n_classes):
        y = rng.random(n) < expected / n
        score = unit[k] * (rng.normal(size=n) + shift * y)
        order = np.argsort(score)
        found.append((score[order], np.ones(n), y[order].astype(float)))
    return found


def at(shared, k, score):
    return expit(shared.log_odds(k, np.asarray(score, dtype=float))[0])


def test_a_class_without_positives_is_valued_like_the_others():
    found = classes(0)
    score, size, _ = found[0]
    found[0] = (score, size, np.zeros(len(score)))
    shared = fit_shared(Counts.of(found))
    others = np.mean([at(shared, k, [0.0, 3.5]) for k in range(1, 30)], axis=0)
    truth = expit(np.log(0.01 / 0.99) + 2.5 * 3.5 - 2.5**2 / 2)
    assert others[1] == pytest.approx(truth, abs=0.2)
    low, high = at(shared, 0, [0.0, 3.5])
    assert low < others[0] < 0.01
    assert 0.3 * others[1] < high < others[1]


def test_a_large_class_gets_its_own_level():
    found = classes(1)
    rng = np.random.default_rng(0)
    score = np.sort(rng.normal(size=20_000))
    chance = expit(1.5 * score)
    found[0] = (score, np.ones(len(score)), (rng.random(len(score)) < chance).astype(float))
    shared = fit_shared(Counts.of(found))
    np.testing.assert_allclose(at(shared, 0, [-1.0, 0.0, 1.0]), expit([-1.5, 0, 1.5]), atol=0.06)


def test_the_score_counts_for_less_where_its_unit_differs_by_class():
    unit = 10.0 ** np.random.default_rng(0).uniform(-4, 4, 30)
    same, differ = (fit_shared(Counts.of(classes(2, unit=u, expected=20.0))) for u in (None, unit))
    # Coefficients of the score and, of its rank and its distance, together.
    assert same.prior.mean[0, 1] > 0.2
    assert differ.prior.mean[0, 2:4].sum() > 0.8
    assert abs(differ.prior.mean[0, 1]) < 0.5 * same.prior.mean[0, 1]


def test_one_increasing_transform_of_all_scores_changes_nothing():
    found = classes(3, n_classes=15, n=100)
    turned = [(np.exp(s / 3) - 7, n, m) for s, n, m in found]
    one, two = fit_shared(Counts.of(found)), fit_shared(Counts.of(turned))
    for k in (0, 11):
        np.testing.assert_allclose(
            one.log_odds(k, found[k][0])[0], two.log_odds(k, turned[k][0])[0], atol=1e-8
        )


def test_all_groups_at_once_are_those_of_each_class():
    shared = fit_shared(Counts.of(classes(4, n_classes=300, n=40)))
    some = np.array([3, 0, 299])
    values, errors = shared.at_groups(some)
    each = [shared.log_odds(k, shared.counts.groups(k)[0]) for k in some]
    np.testing.assert_allclose(values, np.concatenate([v for v, _ in each]), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(errors, np.concatenate([e for _, e in each]), rtol=1e-6)
    assert [len(a) for a in shared.at_groups(np.arange(300))] == [len(shared.counts.score)] * 2


def test_falls_are_levelled_out_as_by_isotonic_regression():
    shared = fit_shared(Counts.of(classes(4, n_classes=4, expected=1.0)))
    score = np.linspace(-4, 6, 300)
    for k in range(4):
        free, error = shared.log_odds(k, score, rising=False)
        rising, same = shared.log_odds(k, score)
        expected = IsotonicRegression().fit_transform(score, free)
        np.testing.assert_allclose(rising, expected, atol=1e-9)
        np.testing.assert_array_equal(error, same)
        assert (error > 0).all()


def test_freedom_grows_with_the_data():
    found = classes(5)
    nothing = (np.empty(0), np.empty(0), np.empty(0))
    rng = np.random.default_rng(0)
    score = np.sort(rng.normal(size=5000))
    large = (score, np.ones(5000), (rng.random(5000) < expit(score)).astype(float))
    shared = fit_shared(Counts.of([*found, nothing, large]))
    assert shared.freedom(30) == pytest.approx(0.0, abs=1e-6)
    assert 1.0 < shared.freedom(31) < 5.0
    assert shared.freedom(0) < shared.freedom(31)


def test_learning_from_some_classes_serves_all():
    counts = Counts.of(classes(6, n_classes=120, expected=8.0))
    chosen = spread_classes(counts, 60)
    assert len(np.unique(chosen)) == 60
    sizes = counts.total(counts.positives)
    assert abs(np.median(sizes[chosen]) - np.median(sizes)) <= 1
    whole, part = fit_shared(counts), fit_shared(counts, chosen)
    score = np.linspace(-2, 4, 20)
    gaps = [np.abs(at(whole, k, score) - at(part, k, score)).max() for k in range(120)]
    assert np.mean(gaps) < 0.08
    # The order of the classes does not matter to the choice.
    turned = np.random.default_rng(0).permutation(120)
    again = spread_classes(counts.take(turned), 60)
    np.testing.assert_array_equal(np.sort(turned[again]), chosen)


def test_what_is_known_of_a_class_moves_one_without_data():
    rng = np.random.default_rng(0)
    high = np.arange(40) % 2 == 1
    found = []
    for k in range(40):
        score = np.sort(rng.normal(size=300))
        chance = expit(score - (0.0 if high[k] else 4.0))
        found.append((score, np.ones(300), (rng.random(300) < chance).astype(float)))
    empty = (np.array([0.0]), np.zeros(1), np.zeros(1))
    design = np.column_stack([np.ones(42), [*high, False, True]])
    shared = fit_shared(Counts.of([*found, empty, empty]), design=design)
    low, up = (shared.log_odds(k, np.array([0.0]), rising=False)[0][0] for k in (40, 41))
    assert up > low + 2
