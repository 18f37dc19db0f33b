"""Every example of every help text, run as printed where the demo has run."""

import pytest

from tests.cli.test_help import LEAVES
from trueval.cli.demo import demo

EXAMPLES = [example for command in LEAVES.values() for example in command.examples]


@pytest.mark.parametrize("example", [line for line in EXAMPLES if line not in demo.examples])
def test_example_runs_as_printed(example, home, as_printed):
    code, _, err = as_printed(example)
    assert code == 0, err
    assert "Traceback" not in err


def test_examples_of_the_demo_run_as_printed(demo_runs):
    assert list(demo_runs) == list(demo.examples)
    for run in demo_runs.values():
        assert run["code"] == 0, run["err"]
        assert run["err"] == ""
