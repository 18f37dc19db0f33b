"""A folder where the demo has run, once for all workers; and ways to call the command line."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from filelock import FileLock

from trueval.cli.app import cli
from trueval.cli.demo import demo


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory):
    """Folder in which the examples of ``trueval demo`` have run; not to be changed.

    They run once, whatever the number of workers: the first to ask runs them in a folder
    that all see, the others wait.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    home = shared / "demo-home"
    with FileLock(shared / "demo-home.lock"):
        if not (home / "runs.json").exists():
            home.mkdir()
            runs = {example: run_demo(example, home) for example in demo.examples}
            (home / "runs.json").write_text(json.dumps(runs), encoding="utf-8")
    return home


def run_demo(example, home):
    """Run an example of the demo in a shell, as printed; what came of it."""
    result = run_line(example, cwd=home)
    return {"code": result.returncode, "out": result.stdout, "err": result.stderr}


@pytest.fixture(scope="session")
def demo_runs(demo_home):
    """What came of each example of the demo: exit code, stdout, stderr."""
    return json.loads((demo_home / "runs.json").read_text(encoding="utf-8"))


@pytest.fixture
def home(demo_home, tmp_path, monkeypatch):
    """A copy of that folder, to work in."""
    shutil.copytree(demo_home / "trueval-demo", tmp_path / "trueval-demo")
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
def as_printed(call, shell):
    """Run a printed command: (exit code, stdout, stderr).

    In this process where it is a plain call of trueval, which saves the time to import
    everything; in a shell where it has a pipe or is another program.
    """

    def run(line):
        words = shlex.split(line)
        if words[0] == "trueval" and not {"|", ">", "<", "&&"} & set(words):
            return call(*words[1:])
        result = shell(line)
        return result.returncode, result.stdout, result.stderr

    return run


def run_line(line, cwd=None):
    """Run a line in a shell, as printed."""
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=cwd,
        check=False,
    )


@pytest.fixture
def shell():
    """Run a line in a shell, as printed; a failure anywhere in a pipe counts."""
    return run_line
