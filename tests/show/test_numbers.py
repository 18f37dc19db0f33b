"""Numbers read the same everywhere: in Python, and in the browser."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report import problems
from trueval.report import write_report
from trueval.show import number, plain
from trueval.show._numbers import count, interval, percent, rounded, times


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1234567, "1,234,567"),
        (np.int64(1234), "1,234"),
        (0.0, "0.000"),
        (0.9995, "1.000"),
        (999.9996, "1,000.000"),
        (1000.04, "1,000.0"),
        (0.001, "0.001"),
        (0.0009, "0.0009"),
        (0.00001234, "1.23e-5"),
        (1.5e9, "1.5e+9"),
        (-0.25, "-0.250"),
        (float("-inf"), "−∞"),
        (np.float32(0.5), "0.500"),
        (False, "no"),
        ("12345", "12345"),
    ],
)
def test_numbers_by_hand(value, text):
    assert number(value) == text


@given(st.floats(-1e300, 1e300))
def test_a_number_is_never_shown_as_another(value):
    """What is shown is within half a unit of its last place; only 0 is shown as 0."""
    text = number(value)
    back = float(text.replace(",", ""))
    assert (back == 0) == (value == 0)
    assert math.isclose(back, value, rel_tol=0.006, abs_tol=0.00051)


def test_shares_ratios_intervals_counts():
    assert [percent(x) for x in (0.0, 0.5, 0.1234, 0.00049, 0.0005, 0.99951)] == [
        "0 %", "50 %", "12.3 %", "<0.1 %", "0.1 %", ">99.9 %",
    ]  # fmt: skip
    assert times(1.0) == "1.000 ×"
    assert interval(0.5, None) == "0.500"
    assert interval(0.5, (0.25, 1)) == "0.500 (0.250 to 1.000)"
    assert count(0, "gap") == "0 gaps"
    assert rounded(np.array([[1.234567, 2.0]])) == [[1.2346, 2.0]]


def test_plain_leaves_json_only():
    class Odd:
        def __str__(self):
            return "odd"

    class Rate(float):
        def __repr__(self):
            return "a rate"

    made = plain(
        {"a": (np.int8(1), np.inf, True, None), "b": Odd(), "c": np.array(["x"]), 1: Rate(0.5)}
    )
    assert made == {"a": [1, None, True, None], "b": "odd", "c": ["x"], "1": 0.5}
    assert type(made["1"]) is float


def test_the_page_shows_numbers_as_python_does(open_page, tmp_path):
    generator = np.random.default_rng(0)
    values = [0.0, 0.5, 0.0625, 0.3125, 2.0005, 1.005, 1e-3, 9.99e-4, 1e-4, 1e-7, 999.9996]
    values += [1000.25, 123456.789, 1e9, 2.5e12, -0.75, -1234.5, 999_999_999.96]
    values += (10.0 ** generator.uniform(-9, 11, 400)).tolist()
    values += generator.random(400).tolist()
    page = open_page(write_report(tmp_path / "a.html", [problems.split()]))
    for digits in (1, 3, 4):
        shown = page.evaluate(f"(values) => values.map((x) => number(x, {digits}))", values)
        assert shown == [number(value, digits) for value in values]
    rest = page.evaluate("[number(null), number(NaN), number(1/0), number(true), number('x')]")
    assert rest == ["–", "–", "∞", "yes", "x"]
