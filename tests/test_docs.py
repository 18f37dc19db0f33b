"""The documentation names everything that is public."""

import pkgutil
import re
import subprocess
import sys
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


def run_check(folder):
    script = API.parent / "check_links.py"
    return subprocess.run([sys.executable, script, folder], capture_output=True, text=True)


def test_links_that_lead_nowhere_are_found(tmp_path):
    good = tmp_path / "index.html"
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "index.html").write_text("<h1 id='why'>Why</h1><a href='../'>up</a>")
    good.write_text(
        "<p id=here><a href='guide/'>a</a><a href='guide/index.html#why'>b</a><a href='#here'>c</a>"
        "<a href='https://example.org/x'>d</a><img src='data:,'></p>"
    )
    done = run_check(tmp_path)
    assert done.returncode == 0
    assert "6 links, 0 broken, 1 external" in done.stdout
    good.write_text("<a href='gone.html'>a</a>\n<a href='guide/#gone'>b</a><img src='gone.png'>")
    done = run_check(tmp_path)
    assert done.returncode == 1
    assert "index.html:1: gone.html (no such file)" in done.stdout
    assert "index.html:2: guide/#gone (no such anchor)" in done.stdout
    assert "3 broken" in done.stdout


def test_a_folder_without_pages_is_no_success(tmp_path):
    assert run_check(tmp_path).returncode == 1
    assert run_check(tmp_path / "nothing").returncode == 2
