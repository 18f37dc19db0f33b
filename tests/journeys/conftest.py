"""A folder of one's own, and the command line in this process."""

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from trueval.cli.app import cli


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def trueval(folder):
    """Run a command as typed; the JSON object where it is asked for, the text otherwise."""

    def run(line, code=0):
        result = CliRunner().invoke(cli, shlex.split(line))
        assert result.exit_code == code, result.output
        # Before click 8.2, output has no errors where these are apart, and they always are.
        return json.loads(result.stdout) if "--json" in line else result.stdout + result.stderr

    return run


@pytest.fixture
def write(folder):
    """Write lines to a file of the folder."""

    def to_file(name, lines):
        Path(folder, name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    return to_file
