"""Errors of the command line: options for parameters, exit codes, and JSON."""

import json

import click
import pytest

from trueval import InputError, MissingExtra, ParameterError
from trueval.cli.app import COMMANDS, cli, describe
from trueval.cli.parameters import _FALSE, OPTIONS, message_of, spell
from trueval.core.errors import Fix, InputWarning, Place


def options_of(command):
    """Options of a command, those of its own commands too."""
    if isinstance(command, click.Group):
        names = command.list_commands(click.Context(command))
        inner = (command.get_command(click.Context(command), name) for name in names)
        return set().union(*(options_of(one) for one in inner))
    return {name for p in command.params for name in (*p.opts, *p.secondary_opts)}


def test_every_option_of_the_table_exists():
    known = options_of(cli)
    assert set(COMMANDS) <= set(cli.list_commands(click.Context(cli)))
    assert {*OPTIONS.values(), *_FALSE.values()} <= known


@pytest.mark.parametrize(
    ("parameter", "value", "text"),
    [
        ("id_column", None, "--id-column"),
        ("layout", "wide", "--layout wide"),
        ("n_splits", 3, "-k 3"),
        ("allow_missing", True, "--allow-missing"),
        ("header", True, "--header"),
        ("header", False, "--no-header"),
        ("symmetric", False, "--bipartite"),
        ("encoding", "latin-1", "--encoding latin-1"),
        ("stratify", True, "stratify=True (in Python)"),
    ],
)
def test_parameters_as_options(parameter, value, text):
    assert spell(parameter, value) == text
    error = InputError("bad.", fix=Fix("Pass {}, or else.", parameter, value))
    assert message_of(error) == f"bad. Pass {text}, or else."
    warning = InputWarning("bad.", place=Place("a.csv"), fix=Fix("Pass {}.", parameter, value))
    assert message_of(warning) == f"a.csv: bad. Pass {text}."


@pytest.mark.parametrize(
    ("error", "text", "code"),
    [
        (InputError("no label.", place=Place("y.csv", 3)), "y.csv, line 3: no label.", 1),
        (ParameterError("n_splits", "more", 1, "f"), "-k must be more. Got 1.", 2),
        (
            ParameterError("tail", "a number", "x", "f"),
            "The 'tail' parameter of f must be a number. Got 'x' instead.",
            2,
        ),
        (MissingExtra("X", "m", "plot"), 'X needs m: pip install "trueval[plot]"', 1),
        (FileNotFoundError(2, "gone", "a.csv"), "a.csv: gone.", 1),
        (
            ValueError("odd."),
            "ValueError: odd. This is a defect of trueval; --debug shows where.",
            1,
        ),
        (MemoryError(), "there is not enough memory for this.", 1),
    ],
)
def test_one_line_and_a_code(error, text, code):
    line, found = describe(error)
    assert line.startswith(text)
    assert found == code


@pytest.fixture
def failed(call, tmp_path, monkeypatch):
    """Call a command that fails with --json: code, the error, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code, out, err = call(*arguments, "--json")
        return code, json.loads(out)["error"], err

    return run


def test_data_errors_are_data(failed, tmp_path):
    (tmp_path / "y.csv").write_text("id,kinase,ion\np1,1,0\np2,0,x\n")
    code, error, err = failed("split", "y.csv", "--layout", "wide")
    assert code == error["exit_code"] == 1
    assert error["type"] == "InputError"
    assert error["place"] == {"file": "y.csv", "line": 3, "row": None, "column": "ion"}
    assert "the value 'x' is not 0 or 1" in error["problem"]
    assert error["fix"]["text"] == "Correct it, or drop the row."
    assert err == f"Error: {error['message']}\n"


def test_a_fix_names_its_parameter_and_its_option(failed, tmp_path):
    (tmp_path / "y.csv").write_bytes("id,label\np1,\xe9\n".encode("latin-1"))
    _, error, _ = failed("split", "y.csv")
    assert (error["fix"]["parameter"], error["fix"]["value"]) == ("encoding", "latin-1")
    (tmp_path / "z.csv").write_text("id,label\np1,0\np2,1\n")
    _, error, err = failed("split", "z.csv")
    assert error["fix"]["parameter"] == "layout"
    assert error["fix"]["more"] == [{"parameter": "layout", "value": "long"}]
    assert error["fix"]["text"] == "Pass --layout wide or --layout long."
    assert "Pass --layout wide or --layout long." in err


def test_a_column_of_the_call_is_an_error_of_the_call(failed, tmp_path):
    (tmp_path / "y.csv").write_text("id,label\np1,a\np2,b\n")
    code, error, err = failed("split", "y.csv", "--id-column", "nope")
    assert code == error["exit_code"] == 2
    assert error["parameter"] == "id_column"
    assert error["place"]["file"] == "y.csv"
    assert "Invalid value for --id-column" in err
    assert "no column is named 'nope'" in err
    code, error, err = failed("pairs", "y.csv", "--ids", "id,nope")
    assert (code, error["parameter"]) == (2, "columns")
    assert "Invalid value for --ids" in err


def test_calls_that_are_wrong_are_data_too(failed):
    code, error, err = failed("split")
    assert code == error["exit_code"] == 2
    assert error["type"] == "MissingParameter"
    assert error["message"] in err
    code, error, _ = failed("decide", "none.csv", "none.csv", "--beta", "1")
    assert code == 1
    assert error["place"]["file"] == "none.csv"
    assert error["problem"] == "no such file."


def test_without_json_nothing_is_printed(call, tmp_path):
    code, out, err = call("split", tmp_path / "none.csv")
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")


def test_a_date_is_no_number_of_threads(home, call):
    line = ("rank", "trueval-demo/scores.npz", "trueval-demo/labels.csv", "--jobs", 20200101)
    code, _, err = call(*line)
    assert code == 2
    assert "--jobs must be None or a number of threads up to 65,536. Got 20200101." in err
