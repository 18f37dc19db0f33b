"""Gallery scripts that the documentation does not run: what they import, and their output."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NOT_RUN = {"pytorch_pairs.py": "torch", "xgboost_tags.py": "xgboost"}


def test_only_these_are_not_run_by_the_documentation():
    assert {p.name for p in EXAMPLES.glob("*.py") if not p.name.startswith("plot_")} == set(NOT_RUN)


@pytest.mark.parametrize("name", NOT_RUN)
def test_what_they_import_from_trueval_exists(name):
    tree = ast.parse((EXAMPLES / name).read_text(encoding="utf-8"))
    imports = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("trueval")
    ]
    assert imports
    for node in imports:
        module = importlib.import_module(node.module)
        assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []


@pytest.mark.parametrize(("name", "package"), NOT_RUN.items())
def test_they_run_where_their_package_is_installed(name, package):
    pytest.importorskip(package)
    command = [sys.executable, "-W", "error::UserWarning", str(EXAMPLES / name)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr
    assert "averaged AUC" in done.stdout or "average precision" in done.stdout
