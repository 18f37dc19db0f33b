import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from tests.pairs import naive
from trueval.core.errors import InputError, ParameterError
from trueval.pairs import AUC, ObjectKFold, ObjectLeaveTwoOut, averaged_auc, pooled_auc
from trueval.pairs._auc import AUCWithNull, _rates, _read_folds, auc

quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)
fold = st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=1, max_size=30)


def as_fold(rows):
    return [int(r[0]) for r in rows], [r[1] / 3 for r in rows]


@quick
@given(fold)
def test_auc_is_the_comparison_of_all_pairs(rows):
    y, score = as_fold(rows)
    expected = naive.auc(y, score)
    if expected is None:
        with pytest.raises(InputError, match="one class only"):
            auc(y, score)
        return
    assert auc(y, score) == pytest.approx(expected, abs=1e-15)
    assert auc(y, score) == pytest.approx(roc_auc_score(y, score), abs=1e-12)


@quick
@given(st.lists(fold, min_size=1, max_size=6))
def test_averaged_pooled_and_within(rows):
    folds = [as_fold(r) for r in rows]
    each = [naive.auc(*f) for f in folds]
    defined = [a for a in each if a is not None]
    if defined:
        value = averaged_auc(folds)
        assert value == pytest.approx(np.mean(defined), abs=1e-14)
        assert (value.n_folds, value.n_excluded) == (len(folds), len(folds) - len(defined))
        n = [sum(y) * (len(y) - sum(y)) for y, _ in folds]
        expected = sum(a * k for a, k in zip(each, n, strict=True) if k) / sum(n)
        within = pooled_auc(folds, within=True)
        assert within == pytest.approx(expected, abs=1e-14)
        assert within.n_excluded == len(folds) - len(defined)
    else:
        with pytest.raises(InputError, match=r"none of the .* folds has both"):
            averaged_auc(folds)
        with pytest.raises(InputError, match="none of the"):
            pooled_auc(folds, within=True)
    y = [v for f in folds for v in f[0]]
    score = [v for f in folds for v in f[1]]
    expected = naive.auc(y, score)
    if expected is None:
        with pytest.raises(InputError):
            pooled_auc(folds)
    else:
        assert pooled_auc(folds) == pytest.approx(expected, abs=1e-15)


def test_weights_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    y, score = rng.random(200) < 0.3, rng.integers(20, size=200)
    weight = rng.random(200)
    expected = roc_auc_score(y, score, sample_weight=weight)
    assert auc(y, score, weight) == pytest.approx(expected, abs=1e-12)
    folds = [(y[:90], score[:90], weight[:90]), (y[90:], score[90:], weight[90:])]
    assert pooled_auc(folds) == pytest.approx(expected, abs=1e-12)
    mean = np.mean([roc_auc_score(a, b, sample_weight=c) for a, b, c in folds])
    assert averaged_auc(folds) == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("without", [(), (None,)])
def test_folds_without_weights_weigh_one(without):
    y, score, weight = np.array([0, 1, 0, 1, 1, 0]), np.array([1, 2, 3, 4, 2, 2]), [2.0, 0.5, 3.0]
    folds = [(y[:3], score[:3], *without), (y[3:], score[3:], weight)]
    expected = roc_auc_score(y, score, sample_weight=[1, 1, 1, *weight])
    assert pooled_auc(folds) == pytest.approx(expected, abs=1e-12)
    unweighted = roc_auc_score(y[:3], score[:3])
    assert averaged_auc([folds[0]]) == averaged_auc([(y[:3], score[:3])]) == unweighted


def test_exact_for_large_counts():
    n = 200_000
    y = np.arange(2 * n) % 2
    assert auc(y, np.zeros(2 * n)) == 0.5
    assert auc(y, y) == 1.0


def test_null_by_hand():
    """Two folds, constant rates .7 and .5: 3 positives and 2 negatives, compared by hand."""
    folds = [([0, 1], [0.2, 0.7]), ([0, 1, 1], [0.5, 0.6, 0.4])]
    value = pooled_auc(folds, null=True, train_rates=[0.7, 0.5])
    # positive at .7 against (.7, .5): .5 + 1; positives at .5 against (.7, .5): twice 0 + .5
    assert value.null == pytest.approx((1.5 + 0.5 + 0.5) / 6)
    assert value == pooled_auc(folds)
    assert not value.assumed
    assert list(value) == [float(value), value.null]
    within = pooled_auc(folds, null=True, within=True)
    assert (within.null, within.assumed) == (0.5, False)


def test_null_without_rates_takes_the_other_folds():
    folds = [([0, 1], [0, 1]), ([1, 1, 0], [0, 1, 0]), ([0, 0], [1, 0])]
    value = pooled_auc(folds, null=True)
    assert value.assumed
    rates = [2 / 5, 1 / 4, 3 / 5]
    assert value.null == pooled_auc(folds, null=True, train_rates=rates).null
    assert "all other folds" in repr(value)
    with pytest.raises(InputError, match="needs train_rates"):
        pooled_auc(folds[:1], null=True)
    for rates in ([0.1] * 2, [0.1] * 4):
        with pytest.raises(InputError, match=rf"train_rates has shape \({len(rates)},\) but .* 3"):
            pooled_auc(folds, null=True, train_rates=rates)


def test_pooling_bias_of_a_predictor_without_skill():
    """Issue and paper: far below one half when pooled, one half when averaged or within."""
    rng = np.random.default_rng(0)
    trait = rng.random(60) < 0.5
    pairs = np.array([(i, j) for i in range(60) for j in range(i)])
    y = trait[pairs].all(axis=1)
    nulls = {}
    for name, cv in (
        ("leave-two-out", ObjectLeaveTwoOut()),
        ("relaxed leave-two-out", ObjectLeaveTwoOut(scheme="relaxed")),
        ("ten folds", ObjectKFold(10, balance="objects", random_state=0)),
    ):
        folds, rates = [], []
        for train, test in cv.split(groups=pairs):
            rates.append(y[train].mean())
            folds.append((y[test], np.full(len(test), rates[-1])))
        value = pooled_auc(folds, null=True, train_rates=rates)
        assert value == value.null  # the predictor is the null
        nulls[name] = value.null
        if name == "ten folds":
            assert averaged_auc(folds) == 0.5
            assert pooled_auc(folds, within=True) == 0.5
    assert nulls["relaxed leave-two-out"] == 0.0
    assert nulls["leave-two-out"] < 0.25
    assert 0.15 < nulls["ten folds"] < 0.45


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([([0, 1], [0.1])], "fold 0 has 2 labels but scores of shape"),
        ([([0, 1], [])], r"fold 0 has 2 labels but scores of shape \(0,\)"),
        ([([0, 1], [0.1, 0.2], [])], "fold 0 needs one weight.* of its 2 labels"),
        ([([0, 1], [0.1, np.nan])], r"fold 0 has no score \(NaN\) at position 1"),
        ([([0, 1], [np.nan, np.nan])], r"fold 0 has no score \(NaN\) at position 0"),
        ([([0, 3], [0.1, 0.2])], "y_true of fold 0 must have the labels"),
        ([([0, 1], [0.1, 0.2], [-1, 1])], "one weight, finite and not negative"),
        ([[0, 1, 2, 3]], "must be"),
        ([], "folds is empty; give"),
        (None, "folds must be a sequence .* Got None instead"),
        (5, "folds must be a sequence .* Got 5 instead"),
        ([(None, None)], r"fold 0 must be \(y_true, y_score\)"),
        ([([0, 1], ["x", "y"])], "scores of fold 0 must be real numbers"),
        ([([0, 1], [0.1, 0.2], "ab")], "weights of fold 0 must be real numbers"),
    ],
)
@pytest.mark.parametrize("measure", [averaged_auc, pooled_auc])
def test_bad_folds_are_named(folds, message, measure):
    with pytest.raises(InputError, match=message):
        measure(folds)


def test_an_auc_is_a_float_that_says_more():
    value = averaged_auc([([0, 1], [0, 1]), ([1, 1], [0, 1])])
    assert isinstance(value, float)
    assert isinstance(value, AUC)
    assert repr(value) == "1.0000 (1 of 2 folds excluded: one class only)"
    again = pickle.loads(pickle.dumps(value))
    assert (again, again.n_excluded) == (1.0, 1)
    pooled = pooled_auc([([0, 1], [0, 1]), ([1, 0], [0, 1])], null=True)
    again = pickle.loads(pickle.dumps(pooled))
    assert (again, again.null) == (pooled, pooled.null)


@pytest.mark.parametrize(
    ("kind", "arguments", "said"),
    [
        (AUC, (0.7,), "0.7000 (1 fold)"),
        (AUC, (0.7, 2), "0.7000 (2 folds)"),
        (AUC, (np.nan, 0), "nan (0 folds)"),
        (AUCWithNull, (0.7,), "0.7000 (null 0.5000; 1 fold)"),
    ],
)
def test_an_auc_is_of_one_fold_unless_told(kind, arguments, said):
    value = kind(*arguments)
    assert repr(value) == said
    assert value.n_excluded == 0


def test_options_of_the_pooled_auc_are_named_and_true_or_false():
    folds = [([0, 1], [0.1, 0.2]), ([1, 0], [0.3, 0.1])]
    for name in ("null", "within"):
        with pytest.raises(ParameterError, match=name):
            pooled_auc(folds, **{name: "yes"})
    with pytest.raises(TypeError):
        pooled_auc(folds, True)


def test_rates_and_weights_must_be_numbers_in_range():
    folds = [([0, 1], [0.1, 0.2]), ([1, 0], [0.3, 0.1])]
    with pytest.raises(InputError, match="train_rates has nan for fold 0"):
        pooled_auc(folds, null=True, train_rates=[np.nan, 0.5])
    with pytest.raises(InputError, match="finite and not negative"):
        averaged_auc([([0, 1], [0.1, 0.2], [1.0, np.inf])])


# --- folds and training rates by hand ----------------------------------------------------


@pytest.mark.parametrize(
    "fold",
    [
        ([0, 1], [0.1, 0.2], [1, 1], [1, 1]),
        ([0, 1],),
        np.array([[0, 1], [0.1, 0.2]]),
        (1, [0.5]),
        ([1], 0.5),
    ],
    ids=["four arrays", "one array", "no tuple", "a label", "a score"],
)
def test_what_is_no_fold_is_refused(fold):
    with pytest.raises(InputError, match="fold 1 must be"):
        averaged_auc([([0, 1], [0.1, 0.2]), fold])


def test_an_empty_fold_adds_nothing():
    folds = [([0, 1, 1], [0.3, 0.2, 0.9]), ([], [])]
    assert pooled_auc(folds) == 0.5
    assert pooled_auc(folds).n_folds == 2
    with pytest.raises(InputError, match=r"fold 0 has 0 labels but scores of shape \(1,\)"):
        pooled_auc([([], [0.5])])
    for nothing in (([], []), ([], [], [])):
        with pytest.raises(InputError, match="one class only"):
            auc(*nothing)


def test_the_place_of_a_missing_score_is_said():
    with pytest.raises(InputError, match=r"fold 0 has no score \(NaN\) at position 2"):
        pooled_auc([([0, 1, 1], [0.1, 0.2, np.nan])])


def test_a_weight_of_zero_leaves_a_pair_out():
    y, score = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    assert auc(y, score) == 0.75
    assert auc(y, score, [1, 0, 1, 1]) == 1.0
    for weight in ([1, -1, 1, 1], [1, np.inf, 1, 1], [1, 1, 1], [1, 1, 1, 1, 1]):
        with pytest.raises(InputError, match="fold 0 needs one weight, finite and not negative"):
            auc(y, score, weight)


def test_training_rates_of_a_partition():
    """Of 3 positives in 6 pairs, the other fold has 2 of 3, then 1 of 3."""
    folds = [([0, 1, 0], [0.2, 0.7, 0.1]), ([1, 1, 0], [0.1, 0.2, 0.3])]
    rates, assumed = _rates([*_read_folds(folds)], None)
    assert (rates.tolist(), assumed) == ([2 / 3, 1 / 3], True)
    # One positive and two negatives at 2/3, two and one at 1/3: ties count one half.
    assert pooled_auc(folds, null=True).null == pytest.approx((2 * 0.5 + 1 + 0 + 2 * 0.5) / 9)


@pytest.mark.parametrize("folds", [[([0, 1], [0.2, 0.7])], [([0, 1], [0.2, 0.7]), ([], [])]])
def test_training_rates_need_another_fold(folds):
    with pytest.raises(InputError, match="needs train_rates"):
        pooled_auc(folds, null=True)


@pytest.mark.parametrize("rate", [-0.01, 1.01, np.nan])
def test_training_rates_are_shares(rate):
    folds = [([0, 1], [0.2, 0.7]), ([0, 1], [0.2, 0.7])]
    assert pooled_auc(folds, null=True, train_rates=[0, 1]).null == 0.5
    with pytest.raises(InputError, match=f"train_rates has {rate} for fold 1"):
        pooled_auc(folds, null=True, train_rates=[0.5, rate])
    with pytest.raises(InputError, match=f"train_rates has {rate} for fold 0"):
        pooled_auc(folds, null=True, train_rates=[rate, 2.0])


def test_nothing_to_compare_says_what_helps():
    with pytest.raises(
        InputError, match=r"none of the 2 folds .*stratify=True or overlapping=True"
    ):
        averaged_auc([([1, 1], [0.1, 0.2]), ([0], [0.1])])


def test_weights_are_repetitions_in_the_null_too():
    folds = [
        ([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4], [3, 1, 2, 1]),
        ([0, 1, 1], [0.4, 0.5, 0.6], [5, 4, 1]),
        ([0, 1], [0.4, 0.5], [1, 9]),
    ]
    repeated = [(np.repeat(y, w), np.repeat(score, w)) for y, score, w in folds]
    # Others of the folds: 14 of 20, 12 of 17 and 8 of 17 positives.
    rates = [14 / 20, 12 / 17, 8 / 17]
    expected = pooled_auc(repeated, null=True, train_rates=rates)
    for form in (folds, repeated):
        assert tuple(pooled_auc(form, null=True)) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 1e-9, 7.7e8])
def test_equal_weights_change_no_null(weight):
    """The rates of the training sets are ties where they are equal, whatever sums round to."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 9, 40)
    folds = [(np.r_[0, 1, rng.integers(0, 2, n)], rng.random(n + 2)) for n in sizes]
    weighted = [(y, score, np.full(len(y), weight)) for y, score in folds]
    null = pooled_auc(folds, null=True).null
    assert pooled_auc(weighted, null=True).null == pytest.approx(null, abs=1e-12)


def test_a_heavy_fold_hides_no_light_one():
    folds = [([0, 1], [0.1, 0.2], [1e9, 1e9]), ([0, 1], [0.3, 0.4], [1e-9, 2e-9]),
             ([0, 1], [0.5, 0.6], [2e-9, 1e-9])]  # fmt: skip
    rates = [0.5, (1e9 + 1e-9) / (2e9 + 3e-9), (1e9 + 2e-9) / (2e9 + 3e-9)]
    expected = pooled_auc(folds, null=True, train_rates=np.round(rates, 12)).null
    assert pooled_auc(folds, null=True).null == pytest.approx(expected)
