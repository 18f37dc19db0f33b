"""The GitHub Action runs the audit with its arguments, and the hook names the same command."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
if not (ROOT / "action.yml").is_file():
    pytest.skip("the action is not in this copy", allow_module_level=True)


def script():
    """The last step of the action."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    return textwrap.dedent(text.rpartition("run: |\n")[2])


@pytest.mark.parametrize(("require", "code"), [("leaks", 1), ("", 0)])
def test_the_action_reads_its_arguments_as_a_shell_would(tmp_path, require, code):
    rows = ["id,x,split", "a,1.5,train", "b,2.5,train", "a,3.5,test"]
    (tmp_path / "my rows.csv").write_text("\n".join(rows) + "\n")
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "ARGUMENTS": "--rows 'my rows.csv' --split-column split --ignore ''",
        "REQUIRE": require,
        "JUNIT": "audit.xml",
        "SARIF": "audit.sarif",
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "1 test row has a id of training" not in done.stdout
    assert (tmp_path / "audit.xml").is_file()
    assert "trueval/ids" in (tmp_path / "audit.sarif").read_text()


def test_the_hook_calls_the_audit():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert re.search(r"^- id: trueval-audit$", text, re.MULTILINE)
    assert re.search(r"^  entry: trueval audit$", text, re.MULTILINE)
    assert re.search(r"^  pass_filenames: false$", text, re.MULTILINE)
