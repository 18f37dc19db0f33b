"""Arrays from outside: text is no number, huge numbers keep their ratios."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueval import InputError
from trueval.core.arrays import as_numbers, row_numbers, scaled
from trueval.core.errors import quote


@pytest.mark.parametrize(
    "values",
    ["12", b"12", ["1", "2"], [b"1"], np.array(["1", 2], object), np.array(["1"]), [[1, "2"]]],
)
def test_text_is_no_number(values):
    with pytest.raises(InputError, match=r"weights must be real numbers: .* is text"):
        as_numbers(values, "weights")


@pytest.mark.parametrize("values", [[10**309], [1j], [object()], [None, "x"]])
def test_what_cannot_be_a_number_is_refused(values):
    with pytest.raises(InputError, match="weights must be real numbers"):
        as_numbers(values, "weights")


@given(st.lists(st.floats(0, 1.7e308, allow_subnormal=False), min_size=1, max_size=20))
def test_scaled_numbers_keep_their_ratios(values):
    made = scaled(np.array(values))
    largest = max(values)
    assert np.isfinite(made.sum())
    if largest == 0:
        assert (made == 0).all()
        return
    assert 0.5 <= made.max() < 1
    for value, number in zip(values, made.tolist(), strict=True):
        if number > 1e-300:  # below it, digits are lost
            assert Fraction(number) / Fraction(made.max()) == Fraction(value) / Fraction(largest)


def test_a_number_too_long_for_python_to_write_is_quoted():
    assert quote(10**5000) == "<int>"
    assert quote([10**5000]) == "<list>"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (0, "must be row numbers"),
        ([0.0, 1.0], "must be row numbers"),
        ([[0, 1]], "must be row numbers"),
        ([[0], [1, 2]], "rows is no array"),
        ("01", "must be row numbers"),
        ([-1], "names row -1, outside the rows 0 … 2"),
        ([0, 3], "names row 3, outside the rows 0 … 2"),
        ([2**70], "must be row numbers"),
        ([True, False], "is a mask of shape"),
    ],
)
def test_row_numbers_that_are_none(rows, message):
    with pytest.raises(InputError, match=message):
        row_numbers(rows, 3, "rows")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [([2, 0, 2], [2, 0, 2]), ([True, False, True], [0, 2]), (slice(1, None), [1, 2]), ([], [])],
)
def test_row_numbers(rows, expected):
    assert row_numbers(rows, 3, "rows").tolist() == expected
