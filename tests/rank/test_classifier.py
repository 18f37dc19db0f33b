"""The meta-estimator, and scikit-learn's conventions for everything in the room."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    get_scorer,
    precision_score,
    roc_auc_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import estimator_checks

from trueval import MultilabelStratifiedGroupKFold, MultilabelStratifiedKFold
from trueval.core.errors import InputError
from trueval.rank import (
    FDRRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    LocalTrueDiscoveryRate,
    OptimalThresholds,
    PrecisionRanker,
    ProportionCut,
    PValueRanker,
    RankCut,
    RankedClassifier,
    ScoreCut,
)

LINEAR = OneVsRestClassifier(LogisticRegression(C=0.1, max_iter=200))
ESTIMATORS = [
    FDRRanker(),
    IsotonicRanker(),
    LocalPrecisionRate(),
    LocalTrueDiscoveryRate(),
    OptimalThresholds(),
    PrecisionRanker(),
    ProportionCut(),
    PValueRanker(),
    RankCut(),
    ScoreCut(),
    RankedClassifier(LINEAR),
]
# scikit-learn's checks that do not need a one-dimensional y. The others feed class
# codes to fit, which is not what rankers and cuts are for: scores and y have one shape.
CHECKS = [
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_set_params,
    estimator_checks.check_estimator_cloneable,
    estimator_checks.check_estimator_repr,
    estimator_checks.check_estimator_tags_renamed,
    estimator_checks.check_valid_tag_types,
    estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
    estimator_checks.check_mixin_order,
]


# The cut is where the target wants it, which is not where a probability passes one half.
HALF = "wants calls where the probability is above one half; the threshold follows the target"
EXPECTED_FAILURES = {"check_classifier_multioutput": HALF}
RANKED = RankedClassifier(
    OneVsRestClassifier(LogisticRegression(C=0.1, max_iter=500)), ranker=IsotonicRanker(), cv=3
)


@pytest.fixture(scope="module")
def data():
    X, y = make_multilabel_classification(
        500, n_features=15, n_classes=4, allow_unlabeled=True, random_state=0
    )
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[:300], y[:300], X[300:], y[300:]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
def test_scikit_learn_checks(estimator, check):
    before = repr(estimator.get_params())
    check(type(estimator).__name__, clone(estimator))
    assert repr(estimator.get_params()) == before


@pytest.mark.filterwarnings("ignore")
@estimator_checks.parametrize_with_checks(  # strict, as the settings of pytest say
    [RANKED], expected_failed_checks=lambda _: EXPECTED_FAILURES
)
def test_check_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("names", [[0, 1], [3, 7], ["no", "yes"], [False, True]])
def test_one_dimensional_labels_are_one_class(data, names):
    X, y, new, _ = data
    named = np.array(names)[y[:, 1]]
    ranked = RankedClassifier(LogisticRegression(C=0.1), ranker=IsotonicRanker(), cv=3)
    ranked.fit(X, named)
    assert ranked.classes_.tolist() == names
    column = clone(ranked).set_params(estimator=LINEAR).fit(X, y[:, [1]])
    values = ranked.predict_proba(new)
    np.testing.assert_allclose(values.sum(axis=1), 1)
    np.testing.assert_allclose(values[:, [1]], column.predict_proba(new), atol=1e-6)
    calls = ranked.predict(new)
    assert calls.dtype == named.dtype
    np.testing.assert_array_equal(calls == names[1], values[:, 1] >= ranked.threshold_)
    again = clone(ranked).fit(X, named.tolist()).predict(new)
    np.testing.assert_array_equal(again, calls)
    np.testing.assert_array_equal(clone(ranked).fit(X, pd.Series(named)).predict(new), calls)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (np.arange(300) % 3, "Only binary classification is supported.* with 3 labels"),
        (np.zeros(300), "y has one class only, 0.0"),
        (np.linspace(0, 1, 300), "Unknown label type: continuous"),
        (np.where(np.arange(300) == 7, np.nan, 1.0), "NaN or infinite labels"),
        (None, "requires y to be passed"),
    ],
)
def test_wrong_one_dimensional_labels(data, y, said):
    with pytest.raises(InputError, match=said):
        RankedClassifier(LINEAR).fit(data[0], y)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_fitting_keeps_parameters_and_pickles(estimator, data):
    X, y, new, _ = data
    scores = X if isinstance(estimator, RankedClassifier) else X[:, :4]
    unseen = new if isinstance(estimator, RankedClassifier) else new[:, :4]
    made = clone(estimator)
    params = {k: repr(v) for k, v in made.get_params(deep=False).items()}
    assert made.fit(scores, y) is made
    assert {k: repr(v) for k, v in made.get_params(deep=False).items()} == params
    use = "predict" if hasattr(made, "predict") else "transform"
    again = pickle.loads(pickle.dumps(made))
    one, two = getattr(made, use)(unseen), getattr(again, use)(unseen)
    if sp.issparse(one):
        one, two = one.toarray(), two.toarray()
    np.testing.assert_array_equal(one, two)
    with pytest.raises(Exception, match="not fitted"):
        getattr(clone(estimator), use)(unseen)


def test_target_is_kept_on_new_objects(data):
    X, y, new, new_y = data
    ranked = RankedClassifier(LINEAR, target={"precision": 0.85}).fit(X, y)
    calls = ranked.predict(new)
    assert isinstance(calls, np.ndarray)
    assert ranked.choice_.met
    assert precision_score(new_y, calls, average="micro") > 0.78
    values = ranked.predict_proba(new)
    np.testing.assert_array_equal(calls, values >= ranked.threshold_)
    best = RankedClassifier(LINEAR).fit(X, y).predict(new)
    plain = clone(LINEAR).fit(X, y).predict(new)
    assert f1_score(new_y, best, average="micro") >= f1_score(new_y, plain, average="micro") - 0.02


def test_same_as_by_hand(data):
    X, y, new, _ = data
    cv = KFold(4, shuffle=True, random_state=1)
    ranked = RankedClassifier(LINEAR, ranker=IsotonicRanker(), cv=cv).fit(X, y)
    scores = cross_val_predict(LINEAR, X, y, method="decision_function", cv=cv)
    by_hand = IsotonicRanker().fit(scores, y)
    fresh = clone(LINEAR).fit(X, y).decision_function(new)
    np.testing.assert_allclose(ranked.predict_proba(new), by_hand.transform(fresh), atol=1e-12)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array])
def test_sparse_labels_give_sparse_calls(data, make):
    X, y, new, _ = data
    sparse = RankedClassifier(LINEAR).fit(X, make(y)).predict(new)
    assert sp.issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), RankedClassifier(LINEAR).fit(X, y).predict(new))


def test_lists_of_probabilities_and_frames(data):
    X, y, new, _ = data
    forest = RandomForestClassifier(20, random_state=0)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(15)])
    labels = pd.DataFrame(y, columns=list("abcd"))
    ranked = RankedClassifier(forest, cv=3).fit(frame, labels)
    assert ranked.class_names_.tolist() == list("abcd")
    assert [labels.tolist() for labels in ranked.classes_] == [[0, 1]] * 4
    assert ranked.predict(pd.DataFrame(new, columns=frame.columns)).shape == (200, 4)


def test_inside_a_grid_search(data):
    X, y, _, _ = data
    search = GridSearchCV(
        RankedClassifier(LINEAR, cv=3),
        {"estimator__estimator__C": [0.1, 1.0]},
        cv=2,
        scoring="f1_micro",
    )
    assert search.fit(X, y).best_score_ > 0.5


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_deciders_follow_cross_val_predict(data, method):
    X, y, new, new_y = data
    scores = cross_val_predict(LINEAR, X, y, method=method, cv=3)
    fresh = getattr(clone(LINEAR).fit(X, y), method)(new)
    for decider in (OptimalThresholds(), ScoreCut(), RankCut(), ProportionCut("auto")):
        calls = decider.fit(scores, y).predict(fresh)
        assert f1_score(new_y, calls, average="micro") > 0.6


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"target": {"accuracy": 1}}, ValueError, "'target' parameter of RankedClassifier"),
        ({"target": {"beta": 1, "recall": 1}}, ValueError, "'target' parameter"),
        ({"target": {"precision": 7}}, ValueError, "'precision' parameter"),
        ({"cv": ShuffleSplit(3, random_state=0)}, InputError, "each row must be in exactly one"),
        ({"estimator": sp.csr_array}, TypeError, "Cannot clone|estimator"),
        ({"cv": "five"}, TypeError, r"a splitter or an iterable of \(train, test\)"),
        ({"cv": 1}, ValueError, "an int of at least 2, a splitter"),
        ({"cv": np.arange(300) % 3}, InputError, r"\(train, test\) pairs .* number 0 is "),
        ({"cv": [(range(300), [0.5])]}, InputError, "pair 0 of cv must be row numbers"),
        (
            {"cv": [(range(300), [300])]},
            InputError,
            "pair 0 of cv names row 300, outside the rows 0 … 299",
        ),
        ({"cv": []}, InputError, "cv is empty"),
    ],
)
def test_wrong_parameters(data, options, error, said):
    X, y, _, _ = data
    with pytest.raises(error, match=said):
        RankedClassifier(**{"estimator": LINEAR, **options}).fit(X, y)


def test_wrong_shapes(data):
    X, y, _, _ = data
    with pytest.raises(InputError, match="X has 299 rows but y has 300"):
        RankedClassifier(LINEAR).fit(X[1:], y)
    with pytest.raises(InputError, match="n_samples = 1"):
        RankedClassifier(LINEAR).fit(X[:1], y[:1])
    with pytest.raises(InputError, match="Complex data not supported"):
        RankedClassifier(LINEAR).fit(X * 1j, y)


# --- groups and other folds -----------------------------------------------------------


class Noting(ClassifierMixin, BaseEstimator):
    """Scores by one feature; keeps which rows, by another feature, and weights it was given."""

    seen = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.arange(y.shape[1])
        self.seen.append((X[:, 0].astype(int), sample_weight))
        return self

    def predict_proba(self, X):
        return 1 / (1 + np.exp(-X[:, 1:]))


@pytest.fixture
def grouped():
    """Objects in groups of five, features of which the first is the row number."""
    generator = np.random.default_rng(0)
    y = (generator.random((200, 4)) < 0.4).astype(int)
    X = np.column_stack([np.arange(200), y + generator.normal(size=y.shape)])
    groups = np.array([f"patient {i // 5}" for i in range(200)])
    Noting.seen.clear()
    return X, y, groups


def assert_whole_groups(groups, n_folds=3):
    """Folds and the final fit were trained on whole groups, and every row was left out once."""
    *folds, (everything, _) = Noting.seen
    assert len(folds) == n_folds
    assert len(everything) == len(groups)
    left_out = np.concatenate([np.setdiff1d(everything, train) for train, _ in folds])
    assert sorted(left_out) == sorted(everything)
    for train, _ in folds:
        assert not set(groups[train]) & set(groups[np.setdiff1d(everything, train)])


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("cv", [3, MultilabelStratifiedGroupKFold(3), GroupKFold(3)])
def test_groups_reach_the_folds(grouped, cv, routing):
    X, y, groups = grouped
    with config_context(enable_metadata_routing=routing):
        ranked = RankedClassifier(Noting(), ranker=IsotonicRanker(), cv=cv)
        ranked.fit(X, y, groups=groups)
    assert_whole_groups(groups)
    assert ranked.predict(X).shape == y.shape


def test_groups_reach_the_folds_through_cross_validate(grouped):
    X, y, groups = grouped
    with config_context(enable_metadata_routing=True):
        ranked = RankedClassifier(Noting(), ranker=IsotonicRanker(), cv=2)
        cv = MultilabelStratifiedGroupKFold(2, random_state=0)
        cross_validate(
            ranked, X, y, cv=cv, params={"groups": groups}, scoring="f1_micro", error_score="raise"
        )
    assert len(Noting.seen) == 6  # two outer folds, in each two inner ones and the final fit
    for outer in (Noting.seen[:3], Noting.seen[3:]):
        *inner, (everything, _) = outer
        for train, _ in inner:
            assert not set(groups[train]) & set(groups[np.setdiff1d(everything, train)])


@pytest.mark.parametrize("routing", [False, True])
def test_weights_reach_the_estimator(grouped, routing):
    X, y, groups = grouped
    with config_context(enable_metadata_routing=routing):
        estimator = Noting().set_fit_request(sample_weight=True) if routing else Noting()
        ranked = RankedClassifier(estimator, ranker=IsotonicRanker(), cv=3)
        ranked.fit(X, y, groups=groups, sample_weight=np.arange(200) / 7)
    assert_whole_groups(groups)
    for train, weights in Noting.seen:
        np.testing.assert_array_equal(weights, train / 7)


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize(
    "cv",
    [
        KFold(3, shuffle=True, random_state=0),
        MultilabelStratifiedKFold(3, random_state=0),
        list(KFold(3, shuffle=True, random_state=0).split(np.zeros(200))),
    ],
    ids=["KFold", "MultilabelStratifiedKFold", "pairs"],
)
def test_folds_that_separate_groups_are_refused(grouped, cv, routing):
    X, y, groups = grouped
    with config_context(enable_metadata_routing=routing):
        ranked = RankedClassifier(Noting(), cv=cv)
        with pytest.raises(InputError, match=r"separate.* group") as caught:
            ranked.fit(X, y, groups=groups)
    assert "MultilabelStratifiedGroupKFold" in str(caught.value)
    assert Noting.seen == []


def test_a_splitter_that_lacks_groups_says_how_to_give_them(grouped):
    X, y, _ = grouped
    with pytest.raises(InputError, match="Pass groups= to what calls it"):
        RankedClassifier(Noting(), cv=MultilabelStratifiedGroupKFold(3)).fit(X, y)


@pytest.mark.parametrize("make", [list, iter, tuple])
@pytest.mark.parametrize("masks", [False, True])
def test_pairs_are_folds(data, make, masks):
    X, y, new, _ = data
    cv = KFold(3, shuffle=True, random_state=1)
    pairs = list(cv.split(X))
    if masks:
        rows = np.arange(len(X))
        pairs = [(np.isin(rows, train), np.isin(rows, test)) for train, test in pairs]
    one = RankedClassifier(LINEAR, ranker=IsotonicRanker(), cv=cv).fit(X, y)
    two = RankedClassifier(LINEAR, ranker=IsotonicRanker(), cv=make(pairs)).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(new), two.predict_proba(new))
    assert one.threshold_ == two.threshold_
    assert one.choice_.intervals == two.choice_.intervals


def test_long_values_are_cut_in_messages(data):
    X, y, _, _ = data
    with pytest.raises(InputError) as caught:
        RankedClassifier(LINEAR, cv=[list(range(1000))]).fit(X, y)
    assert len(str(caught.value)) < 250


# --- scikit-learn's scorers -----------------------------------------------------------

SCORERS = {
    "average_precision": average_precision_score,
    "roc_auc": roc_auc_score,
    "roc_auc_ovr": roc_auc_score,
    "f1_micro": lambda y, calls: f1_score(y, calls, average="micro"),
}


@pytest.mark.parametrize(
    ("n_columns", "form"),
    # One sparse column is more than OneVsRestClassifier takes.
    [(n, f) for f in ("array", "sparse", "frame") for n in (1, 2, 3, 5) if (n, f) != (1, "sparse")],
)
def test_scorers_take_any_number_of_columns(n_columns, form):
    X, y = make_multilabel_classification(150, n_features=8, n_classes=5, random_state=0)
    y = y[:, :n_columns]
    names = list("abcde")[:n_columns]
    given = {"array": y, "sparse": sp.csr_array(y), "frame": pd.DataFrame(y, columns=names)}[form]
    linear = OneVsRestClassifier(LogisticRegression(C=0.1))
    ranked = RankedClassifier(linear, ranker=IsotonicRanker(), cv=3).fit(X, given)
    assert list(ranked.class_names_) == (names if form == "frame" else list(range(n_columns)))
    values, calls = ranked.predict_proba(X), ranked.predict(X)
    calls = calls.toarray() if sp.issparse(calls) else calls
    for name, score in SCORERS.items():
        expected = score(y, calls if name == "f1_micro" else values)
        truth = y if form == "sparse" and name != "f1_micro" else given
        assert get_scorer(name)(ranked, X, truth) == pytest.approx(expected)


@pytest.mark.parametrize("form", ["array", "frame"])
@pytest.mark.parametrize("scoring", ["average_precision", "roc_auc", "f1_micro"])
def test_two_columns_in_cross_validation(data, form, scoring):
    X, y, _, _ = data
    two = y[:, :2] if form == "array" else pd.DataFrame(y[:, :2], columns=["kinase", "ion"])
    ranked = RankedClassifier(LINEAR, ranker=IsotonicRanker(), cv=2)
    cv = list(KFold(2).split(X))
    got = cross_validate(ranked, X, two, scoring=scoring, cv=cv, error_score="raise")
    expected = []
    for train, test in cv:
        own = clone(ranked).fit(X[train], y[train, :2])
        made = own.predict(X[test]) if scoring == "f1_micro" else own.predict_proba(X[test])
        expected.append(SCORERS[scoring](y[test, :2], made))
    np.testing.assert_allclose(got["test_score"], expected)


def test_log_loss_of_two_columns_counts_both(data):
    # Taken for a binary target, the second column alone would be judged.
    X, y, _, _ = data
    one_each = np.column_stack([y[:, 0], 1 - y[:, 0]])
    ranked = RankedClassifier(LINEAR, ranker=IsotonicRanker(), cv=3).fit(X, one_each)
    values = ranked.predict_proba(X)
    share = (values / values.sum(axis=1, keepdims=True)).clip(1e-15, 1)
    expected = np.log(share[one_each > 0]).mean()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows of a multi-label problem do not sum to one
        assert get_scorer("neg_log_loss")(ranked, X, one_each) == pytest.approx(expected)
