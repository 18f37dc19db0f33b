"""Every splitter and method through every check."""

import numpy as np
import pytest
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold as PeerKFold
from sklearn.model_selection import KFold

from trueval.stratify import (
    METHODS,
    MultilabelStratifiedGroupKFold,
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
)
from trueval.testing import check_splitter, splitter_checks

SIZES = "check_sizes_exact"
ORDER = "check_class_order_ignored"
BETTER = "check_better_than_random"
EVERY = "check_classes_in_every_test_set"

# What a method does not promise, and why.
NOT_PROMISED = {
    "anneal": {},
    "optisplit": {
        SIZES: "only rows of the balanced class move",
        ORDER: "equal scores are taken in column order",
    },
    "iterative": {
        SIZES: "labels come before sizes",
        ORDER: "ties are drawn among columns, as the peer does",
    },
    "iterative2": {
        SIZES: "labels come before sizes",
        ORDER: "ties are drawn among columns, as the peer does",
    },
    "sampling": {SIZES: "sizes are not controlled"},
    "pmbsrs": {BETTER: "as the notes on the field say, it is random for single classes"},
    "random": {BETTER: "it is random", EVERY: "it is random"},
}

SPLITTERS = {
    "KFold": lambda method: MultilabelStratifiedKFold(4, method=method, random_state=0),
    "Repeated": lambda method: RepeatedMultilabelStratifiedKFold(
        3, 2, method=method, random_state=0
    ),
    "ShuffleSplit": lambda method: MultilabelStratifiedShuffleSplit(
        2, test_size=0.3, method=method, random_state=0
    ),
    "GroupKFold": lambda method: MultilabelStratifiedGroupKFold(4, method=method, random_state=0),
}

CASES = [
    (splitter, method, name)
    for splitter in SPLITTERS
    for method in (("anneal", "random") if splitter == "GroupKFold" else METHODS)
    for name, _ in splitter_checks()
]


@pytest.mark.parametrize(("splitter", "method", "name"), CASES)
def test_check(splitter, method, name):
    check = dict(splitter_checks())[name]
    if name not in NOT_PROMISED[method]:
        check(SPLITTERS[splitter](method))
        return
    # Not promised: it must fail with a clean assertion or happen to hold.
    try:
        check(SPLITTERS[splitter](method))
    except AssertionError as error:
        assert str(error)


def test_there_are_at_least_25_checks():
    assert len(list(splitter_checks())) >= 25


def test_a_plain_kfold_is_found_out():
    """scikit-learn's KFold ignores labels; the quality checks must notice."""
    with pytest.raises(AssertionError, match="check_bad_labels_refused|check_.* failed for KFold"):
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


def test_expected_failures_must_exist_and_fail():
    cv = MultilabelStratifiedKFold(4, random_state=0)
    with pytest.raises(ValueError, match="do not exist"):
        check_splitter(cv, expected_failures={"check_nothing": "no"})
    with pytest.raises(AssertionError, match="was expected to fail"):
        check_splitter(cv, expected_failures={"check_repr": "no reason"})
