"""What every method promises."""

import warnings
from inspect import signature

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import SHORTER, labels_and_parts
from trueval import InputError, RareClassWarning, as_labels, split_quality, stratified_folds
from trueval.data import simulate
from trueval.stratify import METHODS
from trueval.stratify._parts import as_parts

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")
ALL = list(METHODS)
BALANCED = [name for name, method in METHODS.items() if method.balances_classes]


def test_names():
    published = {"optisplit", "iterative", "iterative2", "sampling", "pmbsrs", "random"}
    assert ALL[0] == "anneal"
    assert published < set(ALL)


@pytest.mark.parametrize("method", METHODS.values(), ids=ALL)
def test_records_are_true(method):
    keywords = signature(method.function).parameters.values()
    options = {p.name for p in keywords if p.kind is p.KEYWORD_ONLY}
    assert options == {"random_state", *method.takes}
    assert method.function.__name__ == f"{method.name}_folds"
    assert method.summary[0].islower() or method.summary.startswith("OptiSplit")


@pytest.mark.parametrize("method", METHODS.values(), ids=ALL)
def test_methods_take_labels_and_parts_in_any_form(method):
    y = simulate.label_matrix(60, 5, random_state=0)
    by_name = stratified_folds(y, 3, method=method.name, random_state=0)
    np.testing.assert_array_equal(method.function(y, 3, random_state=0), by_name)
    labels, parts = as_labels(y), as_parts(3, 60)
    np.testing.assert_array_equal(method(labels, parts, random_state=0), by_name)
    with pytest.raises(InputError, match="cannot divide 60 rows into 100 parts"):
        method(y, 100)
    if "groups" in method.takes:
        with pytest.raises(InputError, match="groups has 2 entries but y has 60 rows"):
            method(y, 3, groups=[0, 1])


@pytest.mark.parametrize("method", ALL)
@given(problem=labels_and_parts(), seed=st.integers(0, 2**32 - 1))
def test_part_numbers(method, problem, seed):
    y, parts = problem
    options = {"method": method, "random_state": seed, **SHORTER.get(method, {})}
    folds = stratified_folds(y, parts, **options)
    wanted = as_parts(parts, len(y))
    assert folds.shape == (len(y),)
    assert folds.dtype == np.int32
    assert folds.min() >= 0
    assert folds.max() < wanted.n_parts
    again = stratified_folds(sp.csc_array(y), parts, **options)
    np.testing.assert_array_equal(folds, again)
    sizes = np.bincount(folds, minlength=wanted.n_parts)
    if METHODS[method].exact_sizes:
        assert (sizes >= wanted.low).all()
        assert (sizes <= wanted.high).all()
    if method == "sampling":
        assert (sizes > 0).all()


@pytest.mark.parametrize("method", BALANCED)
def test_better_than_random_on_realistic_labels(method):
    y = simulate.label_matrix(3000, 150, random_state=0)
    ours = split_quality(y, stratified_folds(y, 5, method=method, random_state=0)).rld_wanted
    plain = split_quality(y, stratified_folds(y, 5, method="random", random_state=0)).rld_wanted
    assert ours < 0.9 * plain


@pytest.mark.parametrize("seed", range(3))
def test_anneal_beats_all_others(seed):
    y = simulate.label_matrix(3000, 150, random_state=seed)
    values = {
        method: split_quality(
            y, stratified_folds(y, 5, method=method, random_state=seed)
        ).rld_wanted
        for method in ALL
    }
    assert min(values, key=values.__getitem__) == "anneal"


def test_generators_and_random_states_are_accepted():
    y = simulate.label_matrix(100, 10, random_state=0)
    for method in ALL:
        options = {"method": method, **SHORTER.get(method, {})}
        for make in (np.random.default_rng, np.random.RandomState, np.random.SeedSequence):
            a = stratified_folds(y, 3, random_state=make(5), **options)
            b = stratified_folds(y, 3, random_state=make(5), **options)
            np.testing.assert_array_equal(a, b)
        assert len(stratified_folds(y, 3, **options)) == 100


def test_rare_classes_warn_once_with_the_count():
    y = np.zeros((50, 4), dtype=int)
    y[:20, 0] = 1
    y[:3, 1] = 1
    y[5, 2] = 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stratified_folds(y, 5, random_state=0)
    assert [str(w.message) for w in caught] == [
        "2 of 4 classes have fewer members than the 5 parts, so some parts must lack them."
    ]
    assert caught[0].category is RareClassWarning
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "best"}, ValueError, "The 'method' parameter"),
        ({"parts": 100}, InputError, "cannot divide 20 rows into 100 parts"),
        ({"random_state": -1}, ValueError, "The 'random_state' parameter"),
        ({"random_state": "x"}, ValueError, "The 'random_state' parameter"),
        ({"random_state": "x", "method": "iterative"}, ValueError, "'random_state' parameter"),
        ({"effort": -1}, ValueError, "The 'effort' parameter"),
        ({"n_starts": 0}, ValueError, "The 'n_starts' parameter"),
        (
            {"method": "iterative", "effort": 2},
            ValueError,
            "does not take 'effort', which is for 'anneal'",
        ),
        ({"method": "iterative", "groups": [0] * 20}, ValueError, "does not take 'groups'"),
        ({"method": "random", "fixed": [0] * 20}, ValueError, "does not take 'fixed'"),
        ({"swaps": 1}, TypeError, "unexpected option 'swaps'; method 'anneal' takes"),
        ({"fixed": [0]}, InputError, "fixed has 1 entries but y has 20 rows"),
        ({"fixed": [9] * 20}, InputError, "row 0: fixed has 9; .* -1 for a free row"),
        ({"fixed": [0.5] * 20}, InputError, "row 0: fixed has 0.5; a part number must be whole"),
        ({"initial": [7] * 20}, InputError, "row 0: initial has 7"),
        ({"initial": "best"}, ValueError, "The 'initial' parameter"),
        ({"method": ["anneal"]}, ValueError, "The 'method' parameter"),
        ({"effort": np.inf}, ValueError, "The 'effort' parameter"),
        ({"n_starts": 1.5}, ValueError, "The 'n_starts' parameter"),
        ({"method": "optisplit", "measure": "x"}, ValueError, "The 'measure' parameter"),
        ({"method": "optisplit", "max_epochs": 0}, ValueError, "The 'max_epochs' parameter"),
        ({"method": "sampling", "swap_probability": 2}, ValueError, "'swap_probability' parameter"),
        ({"method": "sampling", "decay": -1}, ValueError, "The 'decay' parameter"),
        ({"method": "iterative2", "max_pairs": 1}, ValueError, "more than max_pairs=1"),
        ({"groups": [0] * 20}, InputError, "groups has one value for all rows"),
        ({"groups": [0] * 19}, InputError, "groups has 19 entries but y has 20 rows"),
    ],
)
def test_refused(arguments, error, message):
    y = np.tile([[1, 1], [0, 1]], (10, 1))
    with pytest.raises(error, match=message):
        stratified_folds(y, **{"parts": 4, **arguments})


def test_pmbsrs_does_not_underflow():
    # 400 labels of frequency 1/2 each: the product is 2^-400 for some rows and 2^-200 for
    # others, beyond what a product of floats could tell apart at 2^-1074 for more labels.
    rng = np.random.default_rng(0)
    rare = np.zeros((200, 4000), dtype=np.int8)
    rare[np.arange(4000) % 200, np.arange(4000)] = 1  # frequency 1/200 each, 20 a row
    rare[:100, :2000] |= (rng.random((100, 2000)) < 0.5).astype(np.int8)
    heavy = rare.sum(axis=1) > 500
    assert heavy.sum() == 100
    folds = stratified_folds(rare, 2, method="pmbsrs", random_state=0)
    # Rows with many labels form one stratum, half of which goes to each part.
    assert np.bincount(folds[heavy]).tolist() == [50, 50]


def test_sampling_survives_what_broke_the_published_code():
    y = sp.csr_array((np.random.default_rng(0).random((60, 300)) < 0.01).astype(float))
    folds = stratified_folds(y, 10, method="sampling", random_state=0)
    assert set(folds) == set(range(10))
