"""The documentation names everything that is public."""

import pkgutil
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import trueval

API = Path(__file__).parents[1] / "docs" / "api"
#: Rooms whose names are commands or kernels, not an interface for Python.
NOT_LIBRARY = {"trueval.cli"}


def documented():
    """Objects named in the autosummaries of the API pages."""
    found = []
    for page in sorted(API.glob("*.rst")):
        module, inside = "trueval", False
        for line in page.read_text(encoding="utf-8").splitlines():
            if moved := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = moved[1]
            elif line.startswith(".. autosummary::"):
                inside = True
            elif inside and (entry := re.fullmatch(r" {3}([\w.]+)", line)):
                found.append(resolve(f"{module}.{entry[1]}"))
            elif line.strip() and not line.startswith(" "):
                inside = False
    return found


def resolve(name):
    """The object behind a dotted name."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            thing = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[cut:]:
            thing = getattr(thing, attribute)
        return thing
    raise AssertionError(f"{name} cannot be imported")


def rooms():
    """The package, its rooms, and the simulators."""
    found = ["trueval", "trueval.data.simulate", "trueval.testing", "trueval.table"]
    found += [m.name for m in pkgutil.iter_modules(trueval.__path__, "trueval.") if m.ispkg]
    found = [name for name in found if not name.split(".")[-1].startswith("_")]
    return [name for name in found if name not in NOT_LIBRARY]


@pytest.mark.parametrize("room", rooms())
def test_every_public_name_is_in_the_api_pages(room):
    listed = documented()
    assert len(listed) > 50
    module = import_module(room)
    lacking = [
        name
        for name in module.__all__
        if not name.startswith("__")
        and not isinstance(getattr(module, name), ModuleType)
        and not any(getattr(module, name) is thing for thing in listed)
    ]
    assert lacking == [], f"docs/api lacks {lacking} of {room}"
