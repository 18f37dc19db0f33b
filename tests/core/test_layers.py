"""Packages import only what is to their left: one ordered list, all imports, lazy ones too."""

import ast
import re
from pathlib import Path

import pytest

import trueval

ROOT = Path(trueval.__file__).parent

#: From the left to the right; a package imports those before it, unless APART says otherwise.
ORDER = [
    "_version",
    "_kernels",
    "_compat",
    "core",
    "table",
    "data",
    "stratify",
    "pairs",
    "rank",
    "audit",
    "cafa",
    "distributed",
    "show",
    "charts",
    "displays",
    "study",
    "report",
    "testing",
    "cli",
    "__main__",
    "__init__",
]

#: What a package must not import although it is to its left.
COMPUTING = {"stratify", "pairs", "rank"}
APART = {
    "stratify": {"data", "table"},
    "pairs": {"data", "table", "stratify"},
    "rank": {"data", "table", "pairs"},
    "data": {"_compat", "table"},
    "show": {"data", "table"},
    "charts": {*COMPUTING, "data", "table"},
    "displays": {"data", "table", "show", "charts"},
    "study": {"displays", "testing", "charts"},
    "report": {"data", "displays", "study", "testing", "charts"},
    "cli": {"displays", "charts"},
}

#: The one inversion: results find what shows them by name, when they are shown.
INVERSIONS = {("core/presentable.py", "show"), ("core/presentable.py", "displays")}

_MODULE = re.compile(r"trueval(?:\.\w+)+(?::\w+)?")


def package(path):
    """Package of a file, or the module itself where it is in none."""
    inside = path.relative_to(ROOT)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imported(tree):
    """Packages that a module imports, wherever in it, with the line."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative imports hide their package"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif (
            isinstance(node, ast.Constant)
            and id(node) not in docstrings
            and _MODULE.fullmatch(str(node.value))
        ):  # names for importlib, and homes of names that are loaded on first use
            names = [node.value]
        for name in names:
            parts = name.split(":")[0].split(".")
            if parts[0] == "trueval" and len(parts) > 1:
                yield parts[1], node.lineno


FILES = sorted(path for path in ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_data_flows_one_way(path):
    mine = package(path)
    assert mine in ORDER, f"give {mine} its place in ORDER"
    here = str(path.relative_to(ROOT))
    for other, line in imported(ast.parse(path.read_text(encoding="utf-8"))):
        if other == mine or other not in ORDER or (here, other) in INVERSIONS:
            continue  # a name of the package itself, such as trueval.InputError
        left = ORDER.index(other) < ORDER.index(mine)
        assert left, f"{here}, line {line}: {mine} imports {other}, which is to its right"
        assert other not in APART.get(mine, set()), f"{here}, line {line}: {mine} imports {other}"


def test_the_core_imports_nothing_but_the_version_and_the_kernels():
    others = set()
    for path in (ROOT / "core").glob("*.py"):
        for other, _ in imported(ast.parse(path.read_text(encoding="utf-8"))):
            if (f"core/{path.name}", other) not in INVERSIONS:
                others.add(other)
    assert others <= {"core", "_version", "_kernels"}


def test_every_kind_of_import_is_seen():
    code = """
import trueval.data.catalogue
from trueval import charts, InputError
def lazy():
    from trueval.report import write
    return import_module("trueval.cli.app:cli")
"""
    assert {name for name, _ in imported(ast.parse(code))} == {
        "data", "charts", "InputError", "report", "cli",
    }  # fmt: skip


PRIVATE = re.compile(r"\b_[a-z]\w*")


def test_private_names_of_scikit_learn_are_in_one_file():
    for path in FILES:
        if path.name == "_compat.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                names = [*node.module.split("."), *(alias.name for alias in node.names)]
                private = [name for name in names if PRIVATE.fullmatch(name)]
                assert not private, f"{path.name}, line {node.lineno}: {private}"


def test_modules_and_functions_stay_small():
    """At most 400 lines a module, and 70 a function without its docstring."""
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        here = str(path.relative_to(ROOT))
        assert text.count("\n") <= 400, f"{here} has {text.count(chr(10))} lines"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                documented = ast.get_docstring(node, clean=False)
                lines = node.end_lineno - node.lineno + 1
                lines -= documented.count("\n") + 1 if documented else 0
                assert lines <= 70, f"{node.name} in {here} has {lines} lines"
