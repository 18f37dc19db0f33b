"""Help is quick, complete and true."""

import json
import subprocess
import sys

import click
import pytest

from trueval import METHODS
from trueval.cli.app import COMMANDS, cli
from trueval.rank import RANKERS


def leaves():
    """Every command that does something, with the words that call it."""
    ctx = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(ctx, name)
        if isinstance(command, click.Group):
            for inner, sub in command.commands.items():
                yield f"{name} {inner}", sub
        else:
            yield name, command


LEAVES = dict(leaves())


@pytest.mark.parametrize(
    "words", [["--help"], ["split", "--help"], ["rank", "--help"], ["--version"]]
)
def test_help_imports_nothing_heavy(words):
    code = (
        "import sys\nfrom trueval.cli.app import cli\n"
        f"try:\n    cli.main({words!r})\nexcept SystemExit:\n    pass\n"
        "heavy = [m for m in ('numpy', 'scipy', 'sklearn', 'rich', 'jinja2') if m in sys.modules]\n"
        "print(heavy, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stderr.strip() == "[]"
    assert result.stdout.startswith(("Usage: trueval", "trueval "))


def test_choices_are_those_of_the_library():
    for command, option, names in (
        ("split", "method", METHODS),
        ("split", "compare", METHODS),
        ("rank", "ranker", RANKERS),
        ("decide", "compare", RANKERS),
    ):
        parameter = next(p for p in LEAVES[command].params if p.name == option)
        assert list(parameter.type.choices) == list(names)


def test_the_old_name_of_a_ranker_is_accepted():
    ranker = next(p for p in LEAVES["rank"].params if p.name == "ranker")
    assert ranker.type.convert("precision", ranker, None) == "calibrated"
    assert ranker.default == "calibrated"
    with pytest.raises(click.BadParameter, match="'calibrated', 'lpr'"):
        ranker.type.convert("best", ranker, None)


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_has_help_with_examples(name, call):
    code, out, err = call(*name.split(), "--help")
    assert code == 0
    assert err == ""
    assert "Example" in out
    for example in LEAVES[name].examples:
        assert example in out
        assert example.startswith(f"trueval {name}")


@pytest.mark.parametrize("name", [n for n in LEAVES if n != "completion"])
def test_every_command_takes_the_shared_options(name):
    names = {option for p in LEAVES[name].params for option in p.opts}
    assert {"--seed", "--jobs", "--json", "--quiet", "--debug"} <= names


@pytest.mark.parametrize("name", LEAVES)
def test_every_option_has_a_help_text(name):
    for parameter in LEAVES[name].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_list_of_commands_is_not_cut(call):
    code, out, _ = call("--help")
    assert code == 0
    assert "..." not in out.partition("Commands:")[2]


def test_a_misspelt_command_is_guessed(call):
    code, _, err = call("spilt")
    assert code == 2
    assert "Did you mean 'split'?" in err


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_scripts(name, call):
    code, out, _ = call("completion", name)
    assert code == 0
    assert "_TRUEVAL_COMPLETE" in out


def test_completion_completes(shell):
    """In bash, with the script it prints: commands, options, choices and names."""
    words = {
        "sp": "split",
        "split --meth": "--method",
        "split --method iter": "iterative iterative2",
        "study 000-figure": "000-figure1 000-figure2 000-figure3",
        "data info bib": "bibtex",
        "data get bib": "bibtex",
    }
    ask = "".join(
        f"COMP_WORDS=(trueval {line}); COMP_CWORD={len(line.split())}; COMPREPLY=();"
        ' _trueval_completion trueval; echo "${COMPREPLY[*]}"\n'
        for line in words
    )
    result = shell(f'eval "$(trueval completion bash)"\n{ask}')
    assert result.stderr == ""
    assert result.stdout.splitlines() == list(words.values())


def test_data_commands(call, call_json):
    names = [entry["name"] for entry in call_json("data", "list")["datasets"]]
    assert "bibtex" in names
    assert call_json("data", "info", "bibtex")["rows"] == 7395
    code, _, err = call("data", "info", "bibtx")
    assert code == 2
    assert "Did you mean 'bibtex'?" in err
    code, out, _ = call("data", "list")
    assert code == 0
    assert "bibtex" in out
    with pytest.raises(json.JSONDecodeError):
        json.loads(out)
