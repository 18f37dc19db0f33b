"""A folder where the demo has run, once a session; and ways to call the command line."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from trueval.cli import cli


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory):
    """Folder in which ``trueval demo --no-open`` has run; not to be changed."""
    home = tmp_path_factory.mktemp("home")
    before = Path.cwd()
    os.chdir(home)
    try:
        result = CliRunner().invoke(cli, ["demo", "--no-open", "--json"])
    finally:
        os.chdir(before)
    assert result.exit_code == 0, result.output
    (home / "demo.out.json").write_text(result.stdout, encoding="utf-8")
    return home


@pytest.fixture
def home(demo_home, tmp_path, monkeypatch):
    """A copy of that folder, to work in."""
    shutil.copytree(demo_home, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call():
    """Call a command in this process: (exit code, stdout, stderr)."""

    def run(*arguments, data=None):
        result = CliRunner().invoke(cli, list(map(str, arguments)), input=data)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.exit_code, result.stdout, result.stderr

    return run


@pytest.fixture
def call_json(call):
    """Call a command with --json: the object."""

    def run(*arguments, data=None):
        code, out, err = call(*arguments, "--json", data=data)
        assert code == 0, err
        return json.loads(out)

    return run


def environment():
    """Variables under which a shell finds the ``trueval`` of this Python."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return os.environ | {"PATH": path, "COLUMNS": "100"}


@pytest.fixture
def shell():
    """Run a line in a shell, as printed."""

    def run(line):
        return subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, env=environment(), check=False
        )

    return run
