"""Shared sections of docstrings."""

import inspect
import re

import pytest

from tests.api import documented
from trueval.core.docs import shared_sections


def test_a_section_takes_the_place_of_its_line():
    @shared_sections(inputs="\nParameters\n----------\nx : float\n    A \\d number.\n")
    def f(x):
        """Half.

        {inputs}

        Returns
        -------
        float
        """

    expected = "Half.\n\nParameters\n----------\nx : float\n    A \\d number.\n\nReturns"
    assert inspect.getdoc(f).startswith(expected)


def test_a_section_without_a_line_is_refused():
    def f():
        """Half."""

    with pytest.raises(ValueError, match=r"no line \{inputs\}: Half"):
        shared_sections(inputs="x")(f)


def test_no_line_is_left_in_what_users_read():
    things = list(documented().values())
    methods = [m for t in things if inspect.isclass(t) for _, m in inspect.getmembers(t, callable)]
    docs = [d for t in [*things, *methods] if isinstance(d := getattr(t, "__doc__", None), str)]
    assert len(docs) > 400
    assert [d for d in docs if re.search(r"(?m)^ *\{\w+\}$", d)] == []
