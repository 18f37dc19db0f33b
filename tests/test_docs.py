"""The documentation names everything that is public, and nothing that does not exist."""

import ast
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import trueval
from tests.api import API, documented
from trueval.study import STUDIES

#: Packages whose names are commands or parts of others, not an interface for Python.
NOT_LIBRARY = {"trueval.cli", "trueval.core", "trueval.show"}


def packages():
    """The package, those inside, and the simulators."""
    found = ["trueval", "trueval.data.simulate", "trueval.testing", "trueval.table"]
    found += [m.name for m in pkgutil.iter_modules(trueval.__path__, "trueval.") if m.ispkg]
    found = [name for name in found if not name.split(".")[-1].startswith("_")]
    return [name for name in found if name not in NOT_LIBRARY]


@pytest.mark.parametrize("package", packages())
def test_every_public_name_is_in_the_api_pages(package):
    listed = documented().values()
    assert len(listed) > 50
    module = import_module(package)
    lacking = [
        name
        for name in module.__all__
        if not name.startswith("__")
        and not isinstance(getattr(module, name), ModuleType)
        and not any(getattr(module, name) is thing for thing in listed)
    ]
    assert lacking == [], f"docs/api lacks {lacking} of {package}"


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


# --- commands that the text cites ---------------------------------------------------

ROOT = API.parents[1]
BENCHMARKS = ROOT / "benchmarks"


def pages():
    """README and the like, and every page of the documentation that is not made by it."""
    found = [*ROOT.glob("*.md"), BENCHMARKS / "README.md"]
    found += [*API.parent.rglob("*.rst"), *API.parent.rglob("*.md")]
    made = {"_build", "generated", "gallery"}
    return sorted(page for page in found if page.is_file() and not made & set(page.parts))


def cited(text, start):
    """Commands of a page that begin so: literals, which may go over lines, and whole lines."""
    prose = re.sub(r"(?ms)^```.*?^```", "", text)
    literals = [" ".join(span.split()) for span in re.findall(r"`+([^`]+)`+", prose)]
    lines = [line.split(" #")[0].strip() for line in text.splitlines() if "`" not in line]
    for command in literals + lines:
        if found := re.search(rf"(?:^|[ $=]){start}\b(.*)", command):
            yield found[1]


def options_of(module):
    """Options of a benchmark, each with whether a value follows, read from its source."""
    found = {}
    for file in (BENCHMARKS / "command.py", module):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "add_argument":
                keywords = {k.arg: getattr(k.value, "value", None) for k in call.keywords}
                name = call.args[0].value
                found[name] = keywords.get("action") != "store_true"
    return found


def assigned(module, name):
    """The names in a tuple, or the keys of a dict, that a module assigns; None without it."""
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            value = node.value
            entries = value.keys if isinstance(value, ast.Dict) else value.elts
            return {entry.value for entry in entries}
    return None


def wrong_in(command):
    """What ``python -m benchmarks`` with these words has not got; None if all is well."""
    module, _, rest = command.partition(" ")
    if module and not re.fullmatch(r"\.\w+", module):
        return f"no module benchmarks{module}"
    file = BENCHMARKS / f"{module[1:] or '__main__'}.py"
    if not file.is_file():
        return f"no module benchmarks{module}"
    names = assigned(file, "TABLES" if module else "NAMES")
    options, words = options_of(file), rest.split()
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            if names is None or word not in names:
                return f"no {word} in benchmarks{module}"
        elif word.split("=")[0] not in options:
            return f"no option {word} of benchmarks{module}"
        elif options[word.split("=")[0]] and "=" not in word:
            while words and not words[0].startswith("-"):
                words.pop(0)
    return None


@pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="the benchmarks are not in this copy")
def test_benchmarks_that_are_cited_exist():
    commands = [
        (page.name, command)
        for page in pages()
        for command in cited(page.read_text(encoding="utf-8"), "python -m benchmarks")
    ]
    assert len(commands) > 10
    wrong = [(page, said) for page, command in commands if (said := wrong_in(command))]
    assert wrong == []
    assert wrong_in(".rank --honesty") == "no option --honesty of benchmarks.rank"
    assert wrong_in(".rank truth") == "no truth in benchmarks.rank"
    assert wrong_in(".ranks") == "no module benchmarks.ranks"
    assert wrong_in(" split --out folder rank") is None
    assert wrong_in(" splits") == "no splits in benchmarks"


def test_studies_that_are_cited_exist():
    known = {"list", *STUDIES}
    names = [
        (page.name, command.split()[0])
        for page in pages()
        for command in cited(page.read_text(encoding="utf-8"), "trueval study")
        if command.strip()
    ]
    assert names
    assert [(page, name) for page, name in names if name not in known] == []
