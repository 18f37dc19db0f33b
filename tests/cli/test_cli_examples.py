"""Every example of every help text, run as printed where the demo has run."""

import pytest

from tests.cli.test_cli_help import LEAVES

EXAMPLES = [example for command in LEAVES.values() for example in command.examples]


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_runs_as_printed(example, home, shell):
    if example.startswith("trueval study"):
        pytest.importorskip("trueval.study")
    result = shell(f"set -o pipefail; {example}")
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    if "quiet" not in example and ">" not in example:
        assert result.stdout.strip()
    words = example.split()
    if "-o" in words and words[words.index("-o") + 1] != "-":
        assert (home / words[words.index("-o") + 1]).stat().st_size > 0
