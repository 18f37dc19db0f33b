"""The guide shows the help of every command; the README's first command is the demo."""

import re
from pathlib import Path

import pytest

from tests.cli.test_help import LEAVES

ROOT = Path(__file__).parents[2]


def test_guide_shows_every_command():
    guide = ROOT / "docs" / "guide" / "cli.rst"
    if not guide.exists():
        pytest.skip("no documentation beside the tests")
    shown = re.findall(r"^\.\. trueval-help:: (.+)$", guide.read_text("utf-8"), re.MULTILINE)
    assert sorted(shown) == sorted(LEAVES)


def test_help_in_the_guide_is_what_the_terminal_says(call, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    monkeypatch.setenv("COLUMNS", "80")
    cli_help = pytest.importorskip("cli_help")
    for name in LEAVES:
        _, out, _ = call(*name.split(), "--help")
        assert cli_help.help_of(name.split()).split() == out.split()


def test_readme_runs_the_demo():
    readme = (ROOT / "README.md").read_text("utf-8")
    block = readme.partition("<!-- command: run -->")[2].split("```")[1]
    assert block.strip() == "pip install . && trueval demo"
