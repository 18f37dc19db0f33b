"""What to lower, passes and a start, from the command line."""

import numpy as np
import pytest

from trueval import stratified_folds
from trueval.data import read_folds, read_labels

LABELS = "trueval-demo/labels.csv"


def folds_of(call_json, *options):
    return np.array(call_json("split", LABELS, "--seed", "3", *options)["folds"])


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["--measure", "ld"], {"measure": "ld"}),
        (["--measure", "rld=1,lpd=2.5"], {"measure": {"rld": 1, "lpd": 2.5}}),
        (
            ["--method", "optisplit", "--measure", "dcp", "--max-epochs", "1"],
            {"method": "optisplit", "measure": "dcp", "max_epochs": 1},
        ),
        (
            ["--method", "optisplit", "--initial", "iterative"],
            {"method": "optisplit", "initial": "iterative"},
        ),
    ],
)
def test_options_are_those_of_the_library(home, call_json, options, parameters):
    expected = stratified_folds(read_labels(LABELS), 5, random_state=3, **parameters)
    np.testing.assert_array_equal(folds_of(call_json, *options), expected)


def test_folds_of_a_file_are_a_start(home, call, call_json):
    assert call("split", LABELS, "--method", "random", "-o", "start.csv")[0] == 0
    y = read_labels(LABELS)
    start = read_folds("start.csv", y).folds
    expected = stratified_folds(y, 5, initial=start, random_state=3)
    np.testing.assert_array_equal(folds_of(call_json, "--initial", "start.csv"), expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--measure", "f1"], "--measure must be"),
        (["--measure", "ld=much"], "'ld=much' is no measure with a weight"),
        (["--method", "random", "--measure", "ld"], "--measure needs --method anneal or optisplit"),
        (["--max-epochs", "2"], "--max-epochs needs --method optisplit"),
        (["--initial", "nowhere.csv"], "'nowhere.csv' is neither a file nor one of anneal"),
    ],
)
def test_wrong_options_are_explained(home, call, options, message):
    code, _, error = call("split", LABELS, *options)
    assert code != 0
    assert message in " ".join(error.split())
