"""Errors as data: problem, place, fix; one message for people, fields for programs."""

import json
import pickle
import warnings

import pytest

from trueval import InputError, InputWarning, MissingExtra
from trueval.core.errors import Fix, Place, need_extra, quote, shorten, warn_user
from trueval.data._source import Source

FULL = InputError(
    "the value is wrong.",
    place=Place("y.csv", 3, 2, "a b"),
    fix=Fix("Pass {} or {}, or correct it.", "layout", "wide", more=(("id_column", None),)),
    parameter="layout",
)


def test_the_message_reads_place_problem_fix():
    assert str(FULL) == (
        "y.csv, line 3, row 2, column 'a b': the value is wrong. Pass layout='wide' or "
        "id_column=, or correct it."
    )
    assert str(InputError("alone.")) == "alone."
    assert str(InputError("alone.", fix="Do it.")) == "alone. Do it."
    assert str(InputError("it.", place=Place(row=0, column=7))) == "row 0, column 7: it."


def test_fields_survive_pickling_and_json():
    again = pickle.loads(pickle.dumps(FULL))
    assert (str(again), again.place, again.fix) == (str(FULL), FULL.place, FULL.fix)
    fields = json.loads(json.dumps(FULL.to_dict()))
    assert fields["type"] == "InputError"
    assert fields["place"] == {"file": "y.csv", "line": 3, "row": 2, "column": "a b"}
    assert fields["fix"]["parameter"] == "layout"
    assert fields["fix"]["value"] == "wide"
    assert fields["fix"]["more"] == [{"parameter": "id_column", "value": None}]
    assert fields["message"] == str(FULL)
    assert InputError("x").to_dict()["place"] is None


def test_parameters_are_spelt_by_whoever_asks():
    spelt = FULL.message(lambda name, value: f"<{name}={value}>")
    assert "Pass <layout=wide> or <id_column=None>, or correct it." in spelt


def test_braces_of_the_data_are_left_alone():
    assert str(InputError("{x}", fix="Use {y}.")) == "{x} Use {y}."
    assert Fix("Pass {}; not {}.", "a", 1).sentence() == "Pass a=1; not {}."


def test_an_error_gets_its_file_once():
    placed = InputError("bad.", place=Place(row=4)).in_file("a.csv")
    assert str(placed) == "a.csv, row 4: bad."
    assert placed.in_file("b.csv") is placed
    source = Source(b"x", name="c.csv")
    with pytest.raises(InputError) as caught, source.placing():
        raise InputError("bad.", fix=Fix("Pass {}.", "header", True))
    assert str(caught.value) == "c.csv: bad. Pass header=True."
    with pytest.raises(InputError) as caught, source.guard("a table"):
        raise KeyError("x")
    assert caught.value.place.file == "c.csv"
    assert "cannot be read as a table: KeyError" in str(caught.value)


def test_a_missing_extra_is_named():
    with pytest.raises(MissingExtra, match=r'pip install "trueval\[plot\]"') as caught:
        need_extra("no_such_module", "plot", "Drawing")
    assert caught.value.extra == "plot"
    assert isinstance(caught.value, ImportError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.extra) == (str(caught.value), "plot")
    with (
        pytest.raises(MissingExtra),
        Source(b"x", name="x").guard("it"),
    ):
        need_extra("no_such_module", "plot", "Drawing")


def test_warnings_carry_the_same_fields():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_user(
            "doubtful.",
            InputWarning,
            place=Place("y.csv", 1),
            fix=Fix("Pass {}.", "header", False),
        )
        warn_user("plain", UserWarning)
    first, second = (w.message for w in caught)
    assert str(first) == "y.csv, line 1: doubtful. Pass header=False."
    assert first.fix.parameter == "header"
    assert str(second) == "plain"
    assert {w.filename for w in caught} == {__file__}


def test_values_in_messages():
    assert shorten("abcdef", 4) == "abc…"
    assert quote("abcdef", 4) == "'abc…'"
    assert quote({"a": [1,
                        2]}) == "{'a': [1, 2]}"  # fmt: skip
