"""Shared sections of docstrings."""

import inspect
import re
import subprocess
import sys

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

    with pytest.raises(ValueError, match=r"no line \{inputs\}: 'Half"):
        shared_sections(inputs="x")(f)


def test_no_line_is_left_in_what_users_read():
    things = list(documented().values())
    methods = [m for t in things if inspect.isclass(t) for _, m in inspect.getmembers(t, callable)]
    docs = [d for t in [*things, *methods] if isinstance(d := getattr(t, "__doc__", None), str)]
    assert len(docs) > 400
    assert [d for d in docs if re.search(r"(?m)^ *\{\w+\}$", d)] == []


def test_all_modules_load_without_docstrings():
    """As with ``python -OO``, where dataclasses have their signature in place of one."""
    code = """
import importlib, pkgutil, trueval
names = [m.name for m in pkgutil.walk_packages(trueval.__path__, "trueval.")]
modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
print(len(modules), all(getattr(trueval, name) is not None for name in trueval.__all__))
"""
    command = [sys.executable, "-OO", "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    count, complete = done.stdout.split() or (0, done.stderr)
    assert int(count) > 200
    assert complete == "True"
