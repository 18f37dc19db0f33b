"""Thresholds for a target: what is asked is kept, what is claimed is honest."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    RepeatedKFold,
    cross_val_predict,
)
from sklearn.multiclass import OneVsRestClassifier

from trueval import MultilabelStratifiedGroupKFold
from trueval.core.errors import InputError, ParameterError
from trueval.data.simulate import simulation_one, true_rates
from trueval.rank import (
    InSampleWarning,
    IsotonicRanker,
    OneClassWarning,
    OptimalThresholds,
    PrecisionRanker,
    ScoreCut,
    TargetWarning,
    f_measure,
    pick_threshold,
    pooled_precision_recall_curve,
)


def comparable(n=400, pi=0.2, seed=0):
    scores, y = simulation_one(n, pi, random_state=seed)
    return true_rates(scores, pi), y


def at(values, y, threshold):
    calls = values >= threshold
    members = y.toarray() > 0
    return (
        calls.sum(),
        (calls & members).sum() / max(calls.sum(), 1),
        ((calls & members).sum() / members.sum()),
    )


def best_f(values, y):
    curve = pooled_precision_recall_curve(values, y)
    p, r = curve.precision, curve.recall
    return (2 * p * r / np.maximum(p + r, 1e-12)).max()


def test_precision_target_takes_the_most_calls_that_keep_it():
    values, y = comparable()
    choice = pick_threshold(values, y, precision=0.9)
    n_calls, precision, _ = at(values, y, choice.threshold)
    assert choice.met
    assert precision >= 0.9
    curve = pooled_precision_recall_curve(values, y)
    kept = [at(values, y, t)[0] for t in curve.thresholds if at(values, y, t)[1] >= 0.9]
    assert n_calls == max(kept)


def test_recall_target_takes_the_fewest_calls_that_keep_it():
    values, y = comparable()
    choice = pick_threshold(values, y, recall=0.8)
    n_calls, _, recall = at(values, y, choice.threshold)
    assert recall >= 0.8
    tried = [at(values, y, t) for t in np.unique(values)]
    assert n_calls == min(c for c, _, r in tried if r >= 0.8)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_f_target_is_the_maximum(beta):
    values, y = comparable(200)
    choice = pick_threshold(values, y, beta=beta)
    best = max(f_measure(values, y, threshold=t, beta=beta) for t in np.unique(values))
    assert f_measure(values, y, threshold=choice.threshold, beta=beta) == pytest.approx(best)


def test_number_of_calls():
    values, y = simulation_one(400, 0.2, random_state=0)
    choice = pick_threshold(values, y, n_calls=223)
    assert at(values, y, choice.threshold)[0] == 223
    assert choice.calls_per_object == pytest.approx(223 / 400, rel=0.15)
    assert float(choice) == choice.threshold


def test_threshold_lies_midway():
    values = np.array([[0.9], [0.8], [0.4], [0.1], [0.05], [0.02]])
    choice = pick_threshold(values, [[1], [1], [0], [1], [0], [0]], precision=1.0, cv=3)
    assert choice.threshold == pytest.approx(0.6)


def test_sparse_equals_dense_on_what_is_stored():
    values, y = comparable()
    stored = sp.csr_array(np.where(values > 0.05, values, 0.0))
    dense, sparse = (pick_threshold(v, y, precision=0.85) for v in (values, stored))
    assert sparse.threshold == dense.threshold
    assert sparse.recall == pytest.approx(dense.recall)
    assert sp.issparse(sparse.predict(stored))


def test_target_that_cannot_be_met_is_said():
    rng = np.random.default_rng(0)
    values, y = rng.random((100, 3)), (rng.random((100, 3)) < 0.1).astype(int)
    values[np.argmax(values[:, 0]), 0] = 2.0
    y[np.argmax(values[:, 0]), 0] = 0
    with pytest.warns(TargetWarning, match="a precision of 0.99 cannot be met at any threshold"):
        choice = pick_threshold(values, y, precision=0.99)
    assert not choice.met
    stored = sp.csr_array(values * (values > 0.9))
    with pytest.warns(TargetWarning, match="a recall of 0.9 cannot be met"):
        pick_threshold(stored, y, recall=0.9)
    with pytest.warns(TargetWarning, match="exactly 299 calls cannot be made"):
        pick_threshold(stored, y, n_calls=299)


def test_confidence_is_stricter():
    values, y = comparable()
    plain = pick_threshold(values, y, precision=0.85)
    sure = pick_threshold(values, y, precision=0.85, confidence=0.95)
    assert sure.threshold > plain.threshold
    assert sure.level == 0.95
    low, high = sure.intervals["precision"]
    assert low < sure.precision < high
    loose = pick_threshold(values, y, recall=0.8, confidence=0.95)
    assert loose.threshold < pick_threshold(values, y, recall=0.8).threshold


def test_what_new_objects_will_not_keep_is_said():
    """Whatever is reached on the given objects, the word on new ones comes first."""
    said = {True: 0, False: 0}
    for seed in range(20):
        values, y = comparable(80, 0.2, seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore", InSampleWarning)
            warnings.simplefilter("always", TargetWarning)
            choice = pick_threshold(values, y, precision=0.9)
        below = choice.precision < 0.9 - 1e-9
        told = "less is expected on new ones" in choice.message or "cannot be" in choice.message
        assert told == below or not choice.met
        assert bool(caught) == (not choice.met)
        if choice.intervals["precision"][1] < 0.9 - 1e-9:
            assert not choice.met
        said[below] += 1
    assert min(said.values()) >= 3


def test_a_target_that_holds_in_one_fold_only_is_not_met():
    # Members are the top of one half of the objects and the bottom of the other.
    values = np.concatenate([np.linspace(1, 2, 50), np.linspace(0.5, 1.5, 50)])[:, None]
    y = np.concatenate([np.arange(50) >= 30, np.arange(50) < 12]).astype(int)[:, None]
    cv = PredefinedSplit(np.repeat([0, 1], 50))
    with pytest.warns(TargetWarning, match="clearly less is expected on new ones"):
        choice = pick_threshold(values, y, recall=0.9, cv=cv, allow_unmet=True)
    members = y.ravel() == 1
    assert (values.ravel()[members] >= choice.threshold).mean() >= 0.9
    assert choice.intervals["recall"][1] < 0.9
    assert not choice.met


def test_cross_fitted_claims_are_honest():
    claimed, naive, found = [], [], []
    for seed in range(12):
        scores, y = simulation_one(200, 0.1, random_state=seed)
        new, new_y = simulation_one(200, 0.1, random_state=100 + seed)
        choice = pick_threshold(scores, y, beta=1.0, ranker=IsotonicRanker(shrink=True))
        claimed.append(choice.f)
        own = choice.ranker.transform(scores)
        naive.append(best_f(own, y))
        found.append(f_measure(choice.predict(new), new_y))
    assert np.mean(naive) > np.mean(found) + 0.025
    assert abs(np.mean(claimed) - np.mean(found)) < 0.02


@pytest.mark.parametrize("cv", [KFold(4), 3])
def test_the_same_seed_gives_the_same_choice(cv):
    scores, y = simulation_one(150, 0.2, random_state=0)
    one, two = (
        pick_threshold(scores, y, precision=0.8, ranker=PrecisionRanker(), cv=cv, random_state=3)
        for _ in range(2)
    )
    assert one.threshold == two.threshold
    assert one.intervals == two.intervals


def test_in_sample_scores_are_noticed():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 140)), (rng.random((150, 4)) < 0.3).astype(int)
    model = OneVsRestClassifier(LogisticRegression(C=100.0, max_iter=5000))
    seen = model.fit(X, y).predict_proba(X)
    with pytest.warns(InSampleWarning, match="average precision is"):
        pick_threshold(seen, y, beta=1.0)
    honest = cross_val_predict(model, X, y, method="predict_proba", cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", InSampleWarning)
        pick_threshold(honest, y, beta=1.0)
    scores, y = simulation_one(400, 0.2, random_state=0)
    fitted = IsotonicRanker().fit_transform(scores, y)
    with pytest.warns(InSampleWarning, match="equal the labels' own rates"):
        pick_threshold(fitted, y, beta=1.0)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({}, ValueError, "exactly one of recall, beta, .* Got None"),
        ({"precision": 0.9, "recall": 0.5}, ValueError, "Got 'precision and recall'"),
        ({"precision": 1.2}, ValueError, "'precision' parameter"),
        ({"recall": 0}, ValueError, "'recall' parameter"),
        ({"beta": -1}, ValueError, "'beta' parameter"),
        ({"n_calls": 2.5}, ValueError, "'n_calls' parameter"),
        ({"precision": 0.9, "confidence": 1.0}, ValueError, "'confidence' parameter"),
        ({"beta": 1, "confidence": 0.9}, ValueError, "it belongs to a wanted precision or recall"),
        ({"n_calls": 9, "confidence": 0.9}, ValueError, "left out with n_calls=9; .* Got 0.9"),
        ({"precision": 0.9, "cv": 1}, ValueError, "'cv' parameter"),
        ({"precision": 0.9, "cv": "five"}, TypeError, "'cv' parameter"),
        ({"accuracy": 0.9}, TypeError, "accuracy"),
    ],
)
def test_wrong_targets(options, error, said):
    values, y = comparable(60)
    with pytest.raises(error, match=said):
        pick_threshold(values, y, **options)


def test_nothing_to_choose_from():
    with pytest.raises(InputError, match="no positives"):
        pick_threshold(np.ones((4, 2)), np.zeros((4, 2)), beta=1)
    with pytest.raises(InputError, match="no score at all"):
        pick_threshold(sp.csr_array((4, 2)), np.ones((4, 2)), beta=1)

    class Half(RepeatedKFold):
        def split(self, X, y=None, groups=None):
            return iter([(np.arange(2), np.arange(2, 4))])

    with pytest.raises(InputError, match="leave out 2 of 4 rows"):
        pick_threshold(np.eye(4), np.eye(4), beta=1, cv=Half())


@pytest.mark.slow
def test_promised_precision_is_missed_as_often_as_said():
    # Cross-fitted: about half; with confidence 0.9: clearly less. (Test noise included.)
    missed = {None: [], 0.9: []}
    for seed in range(25):
        scores, y = simulation_one(200, 0.1, random_state=seed)
        new, new_y = simulation_one(2000, 0.1, random_state=1000 + seed)
        for confidence in missed:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", OneClassWarning)
                warnings.simplefilter("ignore", TargetWarning)
                choice = pick_threshold(
                    scores, y, precision=0.9, ranker=PrecisionRanker(), confidence=confidence
                )
            calls = choice.predict(new).toarray() > 0
            hits = (calls & (new_y.toarray() > 0)).sum()
            missed[confidence].append(hits < 0.9 * calls.sum())
    assert 0.2 < np.mean(missed[None]) < 0.65
    assert np.mean(missed[0.9]) < 0.25
    assert np.mean(missed[0.9]) < np.mean(missed[None])


def test_the_number_of_calls_is_kept_by_the_ranker_of_all_rows():
    """Cross-fitted values and those of the final ranker differ; the number of calls may not."""
    made = []
    for seed in range(6):
        scores, y = simulation_one(300, 0.2, random_state=seed)
        choice = pick_threshold(scores, y, n_calls=80, ranker=PrecisionRanker(), random_state=0)
        made.append(choice.predict(scores).sum())
    assert np.abs(np.array(made) - 80).max() <= 8


def test_other_classes_are_refused():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (60, 3))
    frame = pd.DataFrame(rng.random((60, 3)) + 0.5 * y, columns=["a", "b", "c"])
    for made in (
        pick_threshold(frame, y, recall=0.5),
        pick_threshold(frame, y, recall=0.5, ranker=PrecisionRanker()),
        OptimalThresholds().fit(frame, y),
        ScoreCut().fit(frame, y),
    ):
        assert made.predict(frame).shape == (60, 3)
        with pytest.raises(InputError, match="column 0 of scores is 'c' but was 'a'"):
            made.predict(frame[["c", "b", "a"]])
        with pytest.raises(InputError, match="has 2 classes but"):
            made.predict(frame[["a", "b"]].to_numpy())


# --- groups ---------------------------------------------------------------------------


def copies(values, y, times=4):
    """Every object several times, the copies in a group."""
    rows = np.repeat(np.arange(len(values)), times)
    return values[rows], y[rows], rows


@pytest.mark.parametrize("target", [{"precision": 0.85}, {"recall": 0.7}, {"beta": 1.0}])
def test_intervals_of_copies_in_groups_are_those_of_the_objects(target):
    values, y = comparable(150)
    y = y.toarray()
    cv = list(KFold(3, shuffle=True, random_state=0).split(values))
    expected = pick_threshold(values, y, **target, cv=cv)
    many, labels, groups = copies(values, y)
    pairs = [tuple(np.flatnonzero(np.isin(groups, rows)) for rows in pair) for pair in cv]
    got = pick_threshold(many, labels, **target, cv=pairs, groups=groups)
    assert got.threshold == expected.threshold
    for name, interval in expected.intervals.items():
        assert got.intervals[name] == pytest.approx(interval)
    alone = pick_threshold(many, labels, **target, cv=pairs)
    for name in ("precision", "recall", "f"):
        # Four copies without groups: a standard error too small by a factor of two.
        widths = [np.diff(choice.intervals[name])[0] for choice in (alone, got)]
        assert 0.4 < widths[0] / widths[1] < 0.6


@pytest.mark.parametrize("target", [{"precision": 0.85}, {"recall": 0.7}])
def test_confidence_resamples_groups(target):
    values, y = comparable(150)
    many, labels, groups = copies(values, y.toarray())
    cv = list(GroupKFold(3).split(many, groups=groups))
    alone = pick_threshold(many, labels, **target, confidence=0.9, cv=cv)
    whole = pick_threshold(many, labels, **target, confidence=0.9, cv=cv, groups=groups)
    plain = pick_threshold(many, labels, **target, cv=cv)
    # Copies know less than they seem to, so the choice must be more careful.
    if "precision" in target:
        assert whole.threshold > alone.threshold > plain.threshold
    else:
        assert whole.threshold < alone.threshold < plain.threshold


def test_a_number_of_folds_keeps_groups_together():
    values, y = comparable(120)
    groups = np.arange(120) % 30
    number = pick_threshold(values, y, beta=1.0, ranker=IsotonicRanker(), cv=3, groups=groups)
    generator = np.random.default_rng(0)
    cv = MultilabelStratifiedGroupKFold(3, random_state=generator)
    pairs = list(cv.split(values, y, groups))
    made = pick_threshold(
        values,
        y,
        beta=1.0,
        ranker=IsotonicRanker(),
        cv=pairs,
        groups=groups,
        random_state=generator,
    )
    assert number.precision == made.precision
    assert number.intervals == made.intervals
    with pytest.raises(InputError, match=r"separates rows .* one group"):
        pick_threshold(values, y, beta=1.0, cv=KFold(7), groups=groups)


@pytest.mark.parametrize("beta", [1e101, 1e308, 10**309, 0, "1"])
def test_beta_has_a_square(beta):
    scores, y = simulation_one(200, 0.3, random_state=0)
    with pytest.raises(ParameterError, match="'beta' parameter of pick_threshold"):
        pick_threshold(scores, y, beta=beta)


def test_the_largest_beta_calls_every_positive():
    scores, y = simulation_one(200, 0.3, random_state=0)
    choice = pick_threshold(scores, y, beta=1e100)
    assert choice.recall == pytest.approx(1.0)


@pytest.mark.parametrize("precision", ["12", b"12", [0.5, "1"], [10**309], {0.5}])
def test_targets_that_are_no_numbers(precision):
    with pytest.raises(ParameterError, match="'precision' parameter of pick_threshold"):
        pick_threshold(np.eye(2), np.eye(2), precision=precision)
