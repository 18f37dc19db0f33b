"""From held-out objects to rows, on cases small enough to do by hand."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from trueval import InputError
from trueval.core.pairs import as_pairs
from trueval.pairs._folding import (
    ObjectSplitter,
    PairFold,
    UnscorableFoldWarning,
    cold_columns,
    others_seen,
    pair_parts,
    part_choices,
    warn_of_empty,
)

SQUARE = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]


class HoldsOut(ObjectSplitter):
    """Holds out what it is told: names of objects for each fold."""

    _parameter_constraints = {}  # noqa: RUF012

    def __init__(self, *folds, scheme="strict", setting="BB", symmetric=True, cold=None):
        self.names, self.scheme, self.setting = folds, scheme, setting
        self.symmetric, self.cold = symmetric, cold

    def _held_out(self, index, y):
        for names in self.names:
            yield np.array([name in names for name in index.ids])


def rows_of(splitter, pairs=SQUARE):
    return [(train.tolist(), test.tolist()) for train, test in splitter.split(None, None, pairs)]


def test_roles_of_rows():
    """Objects a and b are new: row 0 has two of them, row 2 none, rows 1 and 3 one."""
    assert rows_of(HoldsOut("ab")) == [([2], [0])]
    assert rows_of(HoldsOut("ab", scheme="relaxed")) == [([1, 2, 3], [0])]
    assert rows_of(HoldsOut("ab", setting="AB")) == [([2], [1, 3])]
    # Relaxed AB trains on what it does not validate; then c and d are seen in row 2 alone.
    assert rows_of(HoldsOut("ab", setting="AB", scheme="relaxed")) == [([0, 2], [1, 3])]


def test_rows_whose_other_object_is_not_seen_are_not_validated():
    """Object a is new, and e occurs beside it alone: row (a, e) is newer than AB says."""
    pairs = [*SQUARE, ("a", "e")]
    assert rows_of(HoldsOut("a", setting="AB"), pairs) == [([1, 2], [0, 3])]
    index = as_pairs(pairs, symmetric=True)
    held_out = np.array([name == "a" for name in index.ids])
    train = np.array([False, True, True, False, False])
    assert others_seen(index, train, held_out).tolist() == [True, True, True, True, False]


def test_a_new_row_object_is_validated_with_column_objects_that_are_seen():
    """Row object a is new; of its column objects only x is in a training row."""
    pairs = [("a", "x"), ("a", "y"), ("b", "x")]
    assert rows_of(HoldsOut("a", symmetric=False, cold="rows"), pairs) == [([2], [0])]


@pytest.mark.parametrize("setting", ["AB", "BB"])
@pytest.mark.parametrize("scheme", ["strict", "relaxed"])
def test_options_are_told_by_their_letters(setting, scheme):
    """Also where a text was read from somewhere, and is no constant of the program."""
    read = {"setting": "".join(list(setting)), "scheme": "".join(list(scheme))}
    pairs, same = [*SQUARE, ("a", "e")], {"setting": setting, "scheme": scheme}
    assert rows_of(HoldsOut("ab", **read), pairs) == rows_of(HoldsOut("ab", **same), pairs)
    cold = {"symmetric": False, "cold": "rows", "setting": "".join("AB")}
    with pytest.raises(InputError, match="already validates pairs with one new object"):
        rows_of(HoldsOut("a", **cold))


@pytest.mark.parametrize(
    ("folds", "first"),
    [
        (("a", "ab", "d"), "2 of 3 folds have no BB pair to validate on (folds 0, 2)"),
        (("a", "ab", "d", "ab"), "2 of 4 folds have no BB pair to validate on (folds 0, 2)"),
    ],
)
def test_folds_that_validate_nothing_are_counted_and_named(folds, first):
    with pytest.warns(UnscorableFoldWarning) as caught:
        tests = [test for _, test in rows_of(HoldsOut(*folds))]
    assert tests == [[0] if fold == "ab" else [] for fold in folds]
    assert str(caught[0].message).startswith(first)


@pytest.mark.parametrize(
    ("empty", "listed"),
    [(range(5), "(folds 0, 1, 2, 3, 4)"), (range(6), "(folds 0, 1, 2, 3, 4, …)")],
)
def test_at_most_five_folds_are_named(empty, listed):
    with pytest.warns(UnscorableFoldWarning) as caught:
        warn_of_empty(list(empty), 9, "AB")
    text = str(caught[0].message)
    assert text.startswith(f"{len(empty)} of 9 folds have no AB pair")
    assert listed in text
    assert text.endswith("Use fewer parts, overlapping=True or stratify=True.")


def test_a_fold_with_two_settings_validates_both():
    rows = {"AB": np.array([1, 5]), "BB": np.array([3])}
    fold = PairFold(2, np.array([0, 0, 4]), rows, 8, np.array([True, False]))
    assert fold.test.tolist() == [1, 3, 5]
    assert fold.n_dropped == 3  # 2, 6 and 7
    assert repr(fold) == (
        "PairFold 2: 1 objects held out, train 3, validation AB 2, BB 1, dropped 3"
    )
    one = PairFold(0, np.array([0]), {"BB": np.array([3, 1])}, 4, np.array([True]))
    assert one.test.tolist() == [3, 1]  # as they are


def test_folds_do_not_change_and_are_equal_to_themselves_alone():
    fold = PairFold(0, np.array([0]), {"BB": np.array([1])}, 2, np.array([True, False]))
    assert fold != replace(fold)
    with pytest.raises(FrozenInstanceError):
        fold.number = 1


def test_columns_that_are_held_out():
    index = as_pairs([("drug", "target"), ("drug2", "target2")], symmetric=False)
    for both in (None, "both", "".join("both")):
        assert cold_columns(both, index) == [0, 1]
    assert cold_columns("rows", index) == cold_columns(0, index) == [0]
    assert cold_columns("columns", index) == cold_columns([1], index) == [1]
    for cold in (2, -1, [0, 2], []):
        with pytest.raises(InputError, match="outside 0 … 1"):
            cold_columns(cold, index)
    with pytest.raises(InputError, match="of the same kind"):
        cold_columns("rows", as_pairs(SQUARE, symmetric=True))
    with pytest.raises(InputError, match="outside 0 … 2"):
        cold_columns(3, as_pairs([("drug", "target", "cell")], symmetric=False))


def test_as_many_parts_as_distinct_pairs():
    index = as_pairs([("a", "b"), ("b", "a"), ("c", "d")], symmetric=True)
    parts = pair_parts(index, 2, np.random.default_rng(0))
    assert parts[0] == parts[1] != parts[2]
    with pytest.raises(InputError, match="2 distinct pairs but 3 parts"):
        pair_parts(index, 3, np.random.default_rng(0))


def test_parts_of_pairs_have_equal_sizes():
    pairs = np.array([(f"row {i}", "column") for i in range(8)])
    parts = pair_parts(as_pairs(pairs, symmetric=False), 3, np.random.default_rng(0))
    assert sorted(np.bincount(parts).tolist()) == [2, 3, 3]


def test_choices_of_parts():
    assert part_choices(2, (0, 1), False) == [{0: (0,), 1: (0,)}, {0: (1,), 1: (1,)}]
    # Two members of one kind: every pair of parts. One part alone: itself.
    assert part_choices(3, (0, 0), True) == [{0: (0, 1)}, {0: (0, 2)}, {0: (1, 2)}]
    assert part_choices(1, (0, 0), True) == [{0: (0,)}]
    assert part_choices(2, (0, 1), True) == [
        {0: (0,), 1: (0,)}, {0: (0,), 1: (1,)}, {0: (1,), 1: (0,)}, {0: (1,), 1: (1,)},
    ]  # fmt: skip
