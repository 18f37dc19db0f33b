import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueval import InputError, InputWarning, ParameterError, split_quality, stratified_folds
from trueval.core.groups import group_numbers
from trueval.stratify._parts import as_parts, spread


@given(st.integers(2, 500), st.integers(2, 20))
def test_equal_parts(n_rows, k):
    if k > n_rows:
        with pytest.raises(InputError, match=f"cannot divide {n_rows} rows into {k} parts"):
            as_parts(k, n_rows)
        return
    sizes = as_parts(k, n_rows).sizes()
    assert sizes.sum() == n_rows
    assert sizes.max() - sizes.min() <= 1


@given(st.integers(50, 500), st.lists(st.integers(1, 9), min_size=2, max_size=5))
def test_unequal_parts_are_within_one_row_of_their_share(n_rows, weights):
    shares = np.array(weights) / sum(weights)
    parts = as_parts(shares.tolist(), n_rows)
    np.testing.assert_allclose(parts.shares, shares)
    sizes = parts.sizes()
    assert sizes.sum() == n_rows
    assert (np.abs(sizes - shares * n_rows) < 1).all()


def test_row_counts_are_exact():
    assert as_parts([70, 20, 10], 100).sizes().tolist() == [70, 20, 10]
    assert as_parts([50, 50], 100).sizes().tolist() == [50, 50]


@pytest.mark.parametrize(
    ("parts", "sizes"), [([200, 50, 5], "235, 59, 6"), ([200, 200], "150, 150")]
)
def test_row_counts_that_do_not_add_up_are_shares_with_a_warning(parts, sizes):
    said = rf"add up to {sum(parts)}, not to the 300 rows.* as shares: parts of {sizes} rows"
    with pytest.warns(UserWarning, match=said) as caught:
        made = as_parts(parts, 300)
    assert ", ".join(map(str, made.sizes())) == sizes
    assert len(caught) == 1
    with pytest.warns(UserWarning, match=said) as caught:
        folds = stratified_folds(np.ones((300, 1)), parts, random_state=0)
    assert ", ".join(map(str, np.bincount(folds))) == sizes
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "parts", [[80, 10, 10], [0.8, 0.2], [5, 5, 5], [33.3, 33.3, 33.4], [200, 90, 10], 3]
)
def test_plain_shares_and_exact_counts_say_nothing(parts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_parts(parts, 300).sizes().sum() == 300


@pytest.mark.parametrize(
    ("parts", "shares"),
    [
        ([8, 1, 1], "80.0%, 10.0%, 10.0%"),
        ([100, 50], "66.7%, 33.3%"),
        ([150.5, 20], "88.3%, 11.7%"),
    ],
)
def test_shares_that_sum_to_something_else_are_said(parts, shares):
    with pytest.warns(UserWarning, match=f"sum to {sum(parts):g}: read as {shares}") as caught:
        assert as_parts(parts, 300).sizes().sum() == 300
    assert len(caught) == 1


@pytest.mark.parametrize("parts", [0, 1, -3, [1.0], [], [0.5, -0.5], [1, np.nan], "ab", None, True])
def test_nonsense(parts):
    with pytest.raises(ValueError, match="The 'parts' parameter"):
        as_parts(parts, 10)


def test_a_share_below_one_row():
    with pytest.raises(InputError, match=r"part 1 asks for a share of 0\.01 of 10 rows"):
        as_parts([0.99, 0.01], 10)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=6))
def test_spread_has_every_part_everywhere(sizes):
    sizes = np.array(sizes)
    numbers = spread(sizes)
    assert np.bincount(numbers).tolist() == sizes.tolist()
    share = sizes / sizes.sum()
    for stop in range(len(numbers) + 1):
        seen = np.bincount(numbers[:stop], minlength=len(sizes))
        assert (np.abs(seen - share * stop) <= 2).all()


def test_group_numbers():
    assert group_numbers(np.array([5, 3, 5]), 3).tolist() == [0, 1, 0]
    for same in (["b", "a", "b"], np.array(["b", "a", "b"]), pd.Series(["b", "a", "b"])):
        assert group_numbers(same, 3).tolist() == [0, 1, 0]
    assert group_numbers([1, "1", 1], 3).tolist() == [0, 1, 0]  # a number is not its text
    assert group_numbers([("a", 1), ("a", 2), ("a", 1)], 3).tolist() == [0, 1, 0]
    mixed = np.array(["a", 1, "a", (2, 3)], dtype=object)
    assert group_numbers(mixed, 4).tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.zeros((3, 2)), r"Got shape \(3, 2\)"),
        ([1, 2], "groups has 2 entries but y has 3 rows"),
        ([1.0, np.nan, 2.0], "missing value at row 1"),
        (np.array(["a", None, "b"], dtype=object), "missing value at row 1"),
        (["a", np.nan, "b"], "missing value at row 1"),
        (pd.Series(["a", pd.NA, "b"], dtype="string"), "missing value at row 1"),
        (np.array(["2020", "NaT", "2021"], dtype="datetime64[D]"), "missing value at row 1"),
        (np.ma.array([1, 2, 3], mask=[0, 0, 1]), "row 2: groups has a masked value"),
        ([["a"], ["b"], ["a"]], "groups cannot be told apart"),
    ],
)
def test_bad_groups(groups, message):
    with pytest.raises(InputError, match=message):
        group_numbers(groups, 3)


@pytest.mark.parametrize(
    "parts", ["12", b"12", ["1", "2"], {0.8, 0.2}, [10**309] * 2, 10**309, 2**70, [np.inf, 1], []]
)
def test_parts_that_are_none(parts):
    y = np.ones((20, 2), int)
    with pytest.raises(ParameterError, match="'parts' parameter of"):
        stratified_folds(y, parts)
    with pytest.raises(ParameterError, match="'parts' parameter of"):
        split_quality(y, [0, 1] * 10, parts=parts)


@pytest.mark.parametrize(
    "shares", [[1.7e308, 1e308, 0.5e308], [1.7e-300, 1e-300, 0.5e-300], [3.5e-323, 2e-323, 1e-323]]
)
def test_shares_are_ratios_whatever_their_size(shares):
    # 1.7 : 1 : 0.5 of 60 rows are 31.9, 18.8 and 9.4; 7 : 4 : 2, as of the least numbers that
    # there are, 32.3, 18.5 and 9.2.
    expected = [32, 19, 9]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # of the sum
        assert as_parts(shares, 60).sizes().tolist() == expected
        folds = stratified_folds(np.ones((60, 1), int), shares, random_state=0)
    assert np.bincount(folds).tolist() == expected


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 2")
@pytest.mark.parametrize("missing", [np.nan, None])
def test_groups_of_text_of_any_length(missing):
    kind = np.dtypes.StringDType(na_object=missing)
    assert group_numbers(np.array(["b", "a", "b"], dtype=kind), 3).tolist() == [0, 1, 0]
    with pytest.raises(InputError, match="missing value at row 1"):
        group_numbers(np.array(["b", missing, "b"], dtype=kind), 3)
