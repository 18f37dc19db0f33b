"""Guarantees: bounds equal naive ones, promises are kept in their stated sense."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from trueval.core.errors import InputError
from trueval.core.scores import as_scores, check_pair
from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import (
    InSampleWarning,
    PrecisionRanker,
    RankedClassifier,
    TargetWarning,
    pick_threshold,
)
from trueval.rank._bounds import lower_bounds, predictive_share, share_bound, studentised_deviations
from trueval.rank._conformal import Selection, share_used
from trueval.rank._guarantee import order_of_tests
from trueval.rank._moments import Measure, measure_of, moments
from trueval.rank._pairs import RankedPairs
from trueval.rank._rules import read_targets

PRECISION, RECALL, F2 = (measure_of(n, 2.0) for n in ("precision", "recall", "beta"))


def comparable(n, pi, seed):
    scores, y = simulation_one(n, pi, random_state=seed)
    return true_rates(scores, pi), y


def ranked(values, y, group=None):
    return RankedPairs.of(*check_pair(values, y), group)


# --- bounds ---------------------------------------------------------------------------


@st.composite
def lists(draw):
    n_units = draw(st.integers(1, 5))
    unit = draw(st.lists(st.integers(0, n_units - 1), min_size=1, max_size=30))
    hit = draw(st.lists(st.booleans(), min_size=len(unit), max_size=len(unit)))
    unit, hit = np.array(unit), np.array(hit)
    missed = np.array(draw(st.lists(st.integers(0, 4), min_size=n_units, max_size=n_units)))
    positives = np.bincount(unit[hit], minlength=n_units) + missed
    return unit, hit, positives.astype(float)


@given(lists(), st.sampled_from([PRECISION, RECALL, F2, Measure(1.25, 1.0, 0.25)]))
def test_sums_over_units_at_every_length(problem, measure):
    """Ratio, residual variance and effective units, from the definition at each length."""
    unit, hit, positives = problem
    ends = np.arange(1, len(unit) + 1)
    sums = moments(unit, hit, positives, ends)
    for i, end in enumerate(ends):
        h = np.bincount(unit[:end][hit[:end]], minlength=len(positives)).astype(float)
        c = np.bincount(unit[:end], minlength=len(positives)).astype(float)
        size = measure.of_calls * c + measure.of_positives * positives
        if size.sum() == 0:
            continue
        ratio = measure.weight * h.sum() / size.sum()
        error = np.sqrt(((measure.weight * h - ratio * size) ** 2).sum()) / size.sum()
        assert sums.ratio(measure)[i] == pytest.approx(ratio)
        assert sums.standard_error(measure)[i] == pytest.approx(error, abs=1e-6)
        assert sums.units(measure)[i] == pytest.approx(size.sum() ** 2 / (size**2).sum())


@given(st.integers(1, 80), st.data(), st.sampled_from([0.2, 0.1, 0.05, 0.01]))
def test_share_bound_is_that_of_clopper_and_pearson(n, data, tail):
    hits = data.draw(st.integers(0, n))
    test = stats.binomtest(hits, n, alternative="greater")
    expected = test.proportion_ci(confidence_level=1 - tail, method="exact").low
    assert share_bound(np.array([float(hits)]), np.array([float(n)]), tail)[0] == pytest.approx(
        expected, abs=1e-9
    )


@given(st.integers(1, 60), st.data(), st.integers(1, 60), st.sampled_from([0.2, 0.1, 0.02]))
def test_predictive_share_is_a_quantile_of_the_beta_binomial(n, data, new, tail):
    hits = data.draw(st.integers(1, n))
    misses = stats.betabinom.ppf(1 - tail - 1e-12, new, n - hits + 1, hits)
    got = predictive_share(np.array([hits * 1.0]), np.array([n * 1.0]), np.array([new * 1.0]), tail)
    assert got[0] == pytest.approx(1 - misses / new)


def test_many_new_trials_continue_the_exact_share():
    share = [
        predictive_share(np.array([90.0]), np.array([100.0]), np.array([float(m)]), 0.1)[0]
        for m in (1999, 2001)
    ]
    assert share[0] == pytest.approx(share[1], abs=0.003)


def test_twenty_two_hits_of_twenty_two_are_needed_for_nine_in_ten():
    for n, passes in ((15, False), (21, False), (22, True)):
        values = np.linspace(1, 0.5, n + 30)[:, None]
        y = (np.arange(n + 30) < n).astype(int)[:, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            choice = pick_threshold(values, y, precision=0.9, confidence=0.9)
        assert (choice.met, choice.abstains) == (passes, not passes)


def test_groups_of_copies_count_once():
    """Thirty hits in three groups know as much as three hits."""
    unit, hit = np.repeat(np.arange(3), 10), np.ones(30, bool)
    sums = moments(unit, hit, np.full(3, 10.0), np.array([30]), grouped=True)
    bound = lower_bounds(sums, PRECISION, sums.design_effect(PRECISION), stats.norm.ppf(0.9))
    assert bound[0] == pytest.approx(share_bound(np.array([3.0]), np.array([3.0]), 0.1)[0])


def test_largest_deviation_is_the_direct_one():
    """The draws' maxima from the definition: residuals of units times the same multipliers."""
    rng = np.random.default_rng(0)
    unit, hit = rng.integers(0, 20, 60), rng.random(60) < 0.6
    positives = np.bincount(unit[hit], minlength=20) + rng.integers(0, 3, 20).astype(float)
    ends = np.arange(10, 61, 5)
    for measure in (PRECISION, RECALL, F2):
        sums = moments(unit, hit, positives, ends)
        draws = studentised_deviations(
            unit, hit, positives, ends, sums, measure, np.random.default_rng(1)
        ).max(axis=1)
        drawn = np.random.default_rng(1).standard_normal((500, 20))
        expected = np.full(500, -np.inf)
        for end in ends:
            h = np.bincount(unit[:end][hit[:end]], minlength=20)
            size = measure.of_calls * np.bincount(unit[:end], minlength=20)
            size = size + measure.of_positives * positives
            residual = measure.weight * h - measure.weight * h.sum() / size.sum() * size
            z = drawn @ residual / np.sqrt((residual**2).sum())
            expected = np.maximum(expected, z)
        assert draws == pytest.approx(expected)


@settings(derandomize=True, deadline=None, max_examples=30, database=None)
@given(
    seed=st.integers(0, 10**6),
    target=st.sampled_from([("precision", 0.7), ("precision", 0.9), ("recall", 0.5)]),
)
def test_thresholds_are_tested_in_order_until_one_fails(seed, target):
    """By trying one number of predictions after the other, as the docstring says."""
    name, wanted = target
    values, y = comparable(120, 0.2, seed)
    pairs, measure = ranked(values, y), measure_of(name, wanted)
    ends = pairs.ends()
    if name == "precision":
        least = next(n for n in range(1, 99) if wanted**n <= 0.1 + 1e-12)
        ends = ends[(ends >= least) & (ends <= max(y.sum() / wanted, 100))]
        start = []
        for i, n in enumerate(ends):
            mean = (pairs.value[:n].sum() + 0.5) / (n + 1)
            clear = (mean - wanted) / np.sqrt(mean * (1 - mean) / n)
            passing = stats.binom.cdf(np.arange(n), n, 1 - wanted) <= 0.1
            if clear > 0:
                start.append((stats.binom.sf(passing.sum() - 1, n, 1 - mean), -clear, i))
        if not start:
            return
        order = range(min(start)[2], len(ends))
    else:
        order = range(len(ends) - 1, -1, -1)
    sums = moments(pairs.row, pairs.hit, pairs.positives, ends)
    bound = lower_bounds(sums, measure, sums.design_effect(measure), stats.norm.ppf(0.9))
    expected = None
    for i in order:
        if bound[i] < wanted:
            break
        expected = ends[i]
    rule = read_targets(**{name: wanted}, guarantee="simultaneous")[0][0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trueval.rank._guarantee.N_CANDIDATES", 10**6)
        chosen = rule.choose(pairs, np.random.default_rng(0))
    assert chosen.met == (expected is not None)
    if chosen.met:
        assert (pairs.value >= chosen.threshold).sum() == expected


def test_values_that_are_no_probabilities_are_bounded_by_a_band():
    assert order_of_tests(np.array([5, 9]), np.linspace(3, 0.5, 9), "precision", 0.8, 0.9) is None
    assert order_of_tests(np.array([5, 9]), np.linspace(0.5, 0.1, 9), "precision", 0.8, 0.9) is None
    assert order_of_tests(np.array([5, 9]), np.linspace(1, 0.1, 9), "beta", 1.0, 0.9) is None
    values, y = comparable(300, 0.2, 0)
    rules = [read_targets(precision=0.8, guarantee="simultaneous")[0][0]] * 2
    ordered, banded = (
        rule.choose(ranked(v, y), np.random.default_rng(0))
        for rule, v in zip(rules, (values, 10 * values), strict=True)
    )
    assert ordered.met
    assert banded.met
    assert ordered.threshold <= banded.threshold / 10


# --- promises by simulation -----------------------------------------------------------


def population(pi, seed=99):
    """True precision and recall of a threshold on the oracle's values."""
    values, y = comparable(40_000, pi, seed)
    order = np.argsort(-values.ravel())
    hits = np.cumsum(y.toarray().ravel()[order])
    below = -values.ravel()[order]

    def at(threshold):
        k = int(np.searchsorted(below, -threshold, side="right"))
        return (hits[k - 1] / k if k else 1.0), (hits[k - 1] / hits[-1] if k else 0.0)

    return at


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ({"precision": 0.9}, {"confidence": 0.9}),
        ({"precision": 0.9}, {"guarantee": "simultaneous"}),
        ({"recall": 0.6}, {"guarantee": "simultaneous"}),
        ({"beta": 1.0}, {"guarantee": "simultaneous"}),
    ],
    ids=str,
)
def test_population_misses_at_most_one_time_in_ten(target, options):
    truth, missed, n_runs = population(0.1), 0, 60
    for seed in range(n_runs):
        pairs = ranked(*comparable(200, 0.1, seed))
        rule = read_targets(**target, **options)[0][0]
        chosen = rule.choose(pairs, np.random.default_rng(seed))
        precision, recall = truth(chosen.threshold)
        f = 2 * precision * recall / (precision + recall)
        reached = {"precision": precision, "recall": recall, "beta": f}[rule.name]
        wanted = chosen.reached if rule.name == "beta" else rule.wanted
        missed += chosen.met and reached < wanted
    assert missed / n_runs <= 0.1 + 2 * np.sqrt(0.09 / n_runs)


@pytest.mark.parametrize("options", [{"confidence": 0.9}, {"guarantee": "simultaneous"}], ids=str)
def test_one_new_set_misses_at_most_one_time_in_ten(options):
    missed, met, n_runs = 0, 0, 80
    for seed in range(n_runs):
        pairs = ranked(*comparable(300, 0.1, seed))
        rule = read_targets(precision=0.9, **options, for_new=300)[0][0]
        chosen = rule.choose(pairs, np.random.default_rng(seed))
        values, y = comparable(300, 0.1, 10_000 + seed)
        called = values >= chosen.threshold
        met += chosen.met
        missed += chosen.met and y.toarray()[called].mean() < 0.9
    assert met > n_runs / 2
    assert missed / n_runs <= 0.1 + 2 * np.sqrt(0.09 / n_runs)


def test_false_discoveries_average_below_the_rate():
    shares, made = [], 0
    for seed in range(60):
        pairs = ranked(*comparable(300, 0.1, seed))
        values, y = comparable(150, 0.1, 10_000 + seed)
        threshold = Selection(pairs.value, ~pairs.hit, 300, 0.2).threshold(as_scores(values))
        called = values >= threshold
        made += called.any()
        shares.append(1 - y.toarray()[called].mean() if called.any() else 0.0)
    assert made > 40
    error = np.std(shares) / np.sqrt(len(shares))
    assert np.mean(shares) <= 0.2 + 2 * error


def test_false_discoveries_of_objects_whose_pairs_agree():
    """All pairs of an object are right or all are wrong: pairs are no independent evidence."""
    shares = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        right = rng.random(120) < 0.5
        values = np.repeat(rng.normal(2.0 * right)[:, None], 4, axis=1)
        values = values + 1e-9 * rng.random(values.shape)
        labels = np.repeat(right[:, None], 4, axis=1).astype(int)
        pairs = ranked(values[:80], labels[:80])
        threshold = Selection(pairs.value, ~pairs.hit, 80, 0.3).threshold(as_scores(values[80:]))
        called = values[80:] >= threshold
        shares.append(1 - labels[80:][called].mean() if called.any() else 0.0)
    assert np.mean(shares) > 0.02  # some selections were made
    assert np.mean(shares) <= 0.3 + 2 * np.std(shares) / np.sqrt(len(shares))


def test_selection_by_its_definition():
    """The thresholds low and high by trying every value."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, m, rate = 60, 40, 0.4
        y = rng.random((n + m, 3)) < 0.5
        values = np.round(rng.normal(2.5 * y), 1)
        pairs = ranked(values[:n], y[:n].astype(int))
        got = Selection(pairs.value, ~pairs.hit, n, rate).threshold(as_scores(values[n:]))
        a = share_used(n, m) * rate
        low = high = np.inf
        for t in np.unique(values):
            false = ((values[:n] >= t) & ~y[:n]).sum()
            most = (values[n:] >= t).sum(axis=1).max()
            allowed = (n + 1) * a * (values >= t).sum() / (n + m)
            low = min(low, t) if false <= allowed else low
            high = min(high, t) if false + most <= allowed else high
        e_value = (n + m) / (a * (values >= low).sum())
        keep = np.isfinite(high) and e_value >= m / (rate * max((values[n:] >= high).sum(), 1e-9))
        assert got == (high if keep else np.inf)


# --- choices --------------------------------------------------------------------------


def test_an_unmet_target_calls_nothing():
    scores, y = simulation_one(200, 0.1, random_state=0)
    options = {"precision": 0.99, "confidence": 0.95, "ranker": PrecisionRanker()}
    with pytest.warns(TargetWarning, match="highest that can be reached is 0.9.*nothing is called"):
        choice = pick_threshold(scores, y, **options)
    assert choice.abstains
    assert not choice.target_reached
    assert choice.threshold == np.inf
    assert choice.predict().nnz == choice.predict(scores).nnz == choice.select().nnz == 0
    assert np.isnan(choice.precision)
    assert 0.8 < choice.reached < 0.99
    assert "so nothing is predicted: the best that can be reached" in repr(choice)
    with pytest.warns(TargetWarning, match="cannot be met"):
        near = pick_threshold(scores, y, **options, allow_unmet=True)
    assert near.predict().nnz > 0
    assert not near.met
    assert not near.abstains
    assert near.reached == choice.reached


@pytest.mark.parametrize("target", [{"precision": 0.9, "confidence": 0.9}, {"precision": 0.6}])
def test_ten_objects_never_call_everything(target):
    for seed in range(5):
        scores, y = simulation_one(10, 0.3, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            choice = pick_threshold(scores, y, **target, ranker=PrecisionRanker())
        assert choice.threshold > 0
    all_right = np.linspace(0.5, 1, 10)[:, None]
    with pytest.warns(InSampleWarning):
        choice = pick_threshold(all_right, np.ones((10, 1), int), precision=0.9)
    assert choice.threshold == 0.5


def test_each_guarantee_says_what_it_promises():
    values, y = comparable(400, 0.2, 0)
    said = {
        (): "Nothing is promised",
        (("confidence", 0.9),): "in the population is at least 0.85; the bound is of each",
        (("guarantee", "simultaneous"),): "accounts for the choice among thresholds",
        (("confidence", 0.8), ("for_new", 400)): "on one new set of 400 objects is at least 0.85",
        (("guarantee", "fdr"),): "expected share of false ones is at most 0.15",
    }
    thresholds = []
    for options, text in said.items():
        choice = pick_threshold(values, y, precision=0.85, **dict(options))
        assert text in choice.promise
        assert choice.message.endswith(choice.promise)
        thresholds.append(choice.threshold)
    assert thresholds[0] < thresholds[1] <= thresholds[2]


@pytest.mark.parametrize("guarantee", ["exact", "simultaneous"])
def test_nothing_is_promised_that_is_not_reached(guarantee):
    values, y = np.linspace(0, 1, 40)[:, None], (np.arange(40)[:, None] % 2 == 0).astype(int)
    with pytest.warns(TargetWarning, match="highest that can be reached"):
        choice = pick_threshold(values, y, precision=0.9, guarantee=guarantee, allow_unmet=True)
    assert not choice.target_reached
    said = float(re.search(r"is at least ([0-9.]+);", choice.promise).group(1))
    assert choice.reached - 1e-4 < said <= choice.reached < 0.9


def test_several_targets_at_once():
    values, y = comparable(500, 0.2, 0)
    targets = [0.7, 0.8, 0.9]
    choices = pick_threshold(values, y, precision=targets, guarantee="simultaneous")
    assert [choice.wanted for choice in choices] == targets
    assert all("all 3 targets together" in choice.promise for choice in choices)
    thresholds = [choice.threshold for choice in choices]
    assert thresholds == sorted(thresholds)
    each = pick_threshold(values, y, precision=targets, confidence=0.9)
    assert {choice.confidence for choice in each} == {1 - 0.1 / 3}


def test_fdr_selects_among_new_objects():
    values, y = comparable(400, 0.2, 0)
    choice = pick_threshold(values, y, precision=0.8, guarantee="fdr")
    assert choice.met
    new, _ = comparable(300, 0.2, 1)
    expected = Selection(ranked(values, y).value, ~ranked(values, y).hit, 400, 1 - 0.8)
    threshold = expected.threshold(as_scores(new))
    assert choice.predict(new).toarray().tolist() == (new >= threshold).astype(int).tolist()
    with pytest.raises(InputError, match="selects among new objects"):
        choice.predict()
    with pytest.raises(ValueError, match="'groups' parameter"):
        pick_threshold(values, y, precision=0.8, guarantee="fdr", groups=np.arange(400))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"precision": 0.9, "guarantee": "wilson"}, "'guarantee' parameter"),
        ({"precision": 0.9, "guarantee": "fdr", "confidence": 0.9}, "'confidence' parameter"),
        ({"precision": 0.9, "guarantee": "fdr", "for_new": 9}, "'for_new' parameter"),
        ({"recall": 0.9, "guarantee": "fdr"}, "'exact' or 'simultaneous' with recall"),
        ({"beta": 1, "guarantee": "exact"}, "'simultaneous' or left out with beta"),
        ({"n_calls": 5, "guarantee": "exact"}, "left out with n_calls"),
        ({"precision": 0.9, "for_new": 10}, "given with a confidence or a guarantee"),
        ({"precision": 0.9, "for_new": 0, "confidence": 0.9}, "'for_new' parameter"),
        ({"precision": []}, "'precision' parameter"),
        ({"precision": [0.5, 2.0]}, "'precision' parameter"),
    ],
)
def test_what_does_not_belong_together_is_refused(options, said):
    values, y = comparable(60, 0.3, 0)
    with pytest.raises(ValueError, match=said):
        pick_threshold(values, y, **options)


def test_a_classifier_abstains_too():
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), (rng.random((90, 3)) < 0.3).astype(int)
    model = OneVsRestClassifier(LogisticRegression())
    options = {"target": {"precision": 0.95}, "confidence": 0.9}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        silent = RankedClassifier(model, **options, guarantee="simultaneous").fit(X, y)
        near = RankedClassifier(model, **options, allow_unmet=True).fit(X, y)
    assert silent.predict(X).sum() == 0
    assert near.predict(X).sum() > 0


@pytest.mark.filterwarnings("ignore::trueval.rank.InSampleWarning")
@pytest.mark.parametrize("options", [{"precision": 0.5}, {"recall": 0.5}, {"beta": 1.0}], ids=str)
def test_pairs_without_a_miss_have_a_band(options):
    """Scores that say nothing of a success, and labels that do not vary."""
    scores = np.random.default_rng(0).normal(size=(40, 3))
    choice = pick_threshold(scores, np.ones((40, 3), int), **options, guarantee="simultaneous")
    assert choice.target_reached
    assert choice.reached > 0.5
