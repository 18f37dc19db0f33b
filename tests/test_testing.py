"""Every splitter and method through every check."""

from functools import partial

import numpy as np
import pytest
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold as PeerKFold
from sklearn.model_selection import KFold

from tests.strategies import SHORTER
from trueval.stratify import (
    METHODS,
    MultilabelStratifiedGroupKFold,
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
)
from trueval.stratify._methods import methods_that_take
from trueval.testing import check_splitter, splitter_checks

SIZES = "check_sizes_exact"
ORDER = "check_class_order_ignored"
BETTER = "check_better_than_random"
EVERY = "check_classes_in_every_test_set"

# What fails, and why; each must fail, so that the list stays true.
BY_COLUMN = "ties are settled by the order of the columns"
EXPECTED_FAILURES = {
    ("KFold", "optisplit"): {SIZES: "only rows of one class move at a time", ORDER: BY_COLUMN},
    ("Repeated", "optisplit"): {SIZES: "only rows of one class move at a time"},
    ("ShuffleSplit", "optisplit"): {SIZES: "only rows of one class move at a time"},
    ("KFold", "iterative"): {ORDER: BY_COLUMN},
    ("Repeated", "iterative"): {ORDER: BY_COLUMN},
    ("ShuffleSplit", "iterative"): {SIZES: "labels come before sizes", ORDER: BY_COLUMN},
    ("KFold", "iterative2"): {ORDER: BY_COLUMN},
    ("Repeated", "iterative2"): {ORDER: BY_COLUMN},
    ("ShuffleSplit", "iterative2"): {ORDER: BY_COLUMN},
    ("KFold", "sampling"): {SIZES: "sizes are not controlled"},
    ("Repeated", "sampling"): {SIZES: "sizes are not controlled"},
    ("ShuffleSplit", "sampling"): {SIZES: "sizes are not controlled"},
    ("KFold", "pmbsrs"): {BETTER: "strata of rows, not of classes"},
    ("Repeated", "pmbsrs"): {BETTER: "strata of rows, not of classes"},
    ("ShuffleSplit", "pmbsrs"): {BETTER: "strata of rows, not of classes"},
    ("KFold", "random"): {BETTER: "it is random", EVERY: "it is random"},
    ("Repeated", "random"): {BETTER: "it is random", EVERY: "it is random"},
    ("ShuffleSplit", "random"): {BETTER: "it is random"},
    ("GroupKFold", "random"): {BETTER: "it is random"},
}

SPLITTERS = {
    "KFold": partial(MultilabelStratifiedKFold, 4),
    "Repeated": partial(RepeatedMultilabelStratifiedKFold, 3, 2),
    "ShuffleSplit": partial(MultilabelStratifiedShuffleSplit, 2, test_size=0.3),
    "GroupKFold": partial(MultilabelStratifiedGroupKFold, 4),
}

CASES = [
    (splitter, method, name)
    for splitter in SPLITTERS
    for method in (methods_that_take("groups") if splitter == "GroupKFold" else METHODS)
    for name, _ in splitter_checks()
]


@pytest.mark.parametrize(("splitter", "method", "name"), CASES)
def test_check(splitter, method, name):
    check = dict(splitter_checks())[name]
    cv = SPLITTERS[splitter](method=method, method_params=SHORTER.get(method), random_state=0)
    if name in EXPECTED_FAILURES.get((splitter, method), {}):
        with pytest.raises(AssertionError):
            check(cv)
    else:
        check(cv)


def test_there_are_at_least_25_checks():
    assert len(list(splitter_checks())) >= 25


def test_a_plain_kfold_is_found_out():
    """scikit-learn's KFold ignores labels; the quality checks must notice."""
    with pytest.raises(AssertionError, match=r"check_\w+ failed for KFold"):
        check_splitter(KFold(4, shuffle=True, random_state=0))


def test_a_splitter_that_forgets_to_map_rows_back_is_found_out():
    class Forgetful(MultilabelStratifiedKFold):
        def _folds(self, labels, *args, **kwargs):
            folds = super()._folds(labels, *args, **kwargs)
            return np.random.default_rng(0).permutation(folds)

    check = dict(splitter_checks())[BETTER]
    with pytest.raises(AssertionError, match="of random folds"):
        check(Forgetful(4, random_state=0))


def test_the_peers_known_defects_are_found():
    cv = PeerKFold(4, shuffle=True, random_state=0)
    checks = dict(splitter_checks())
    for name in ("check_bad_labels_refused", "check_explicit_zeros_and_duplicates"):
        with pytest.raises((AssertionError, TypeError)):
            checks[name](cv)


def test_splitters_without_a_seed_are_checked_too():
    results = check_splitter(MultilabelStratifiedKFold(4, shuffle=False))
    assert set(results.values()) == {"passed"}
    with pytest.raises(TypeError, match="takes a splitter"):
        check_splitter(MultilabelStratifiedKFold)


def test_a_foreign_error_is_a_failed_check():
    class Broken(MultilabelStratifiedKFold):
        def _folds(self, *args, **kwargs):
            raise KeyError("oops")

    with pytest.raises(AssertionError, match="check_yields_index_arrays failed"):
        check_splitter(Broken(4, random_state=0))


def test_expected_failures_must_exist_and_fail():
    cv = MultilabelStratifiedKFold(4, random_state=0)
    with pytest.raises(ValueError, match="do not exist"):
        check_splitter(cv, expected_failures={"check_nothing": "no"})
    with pytest.raises(AssertionError, match="was expected to fail"):
        check_splitter(cv, expected_failures={"check_repr": "no reason"})
