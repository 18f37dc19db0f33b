"""``trueval study``: every number can be read, however narrow the screen."""

import json

import pytest

from trueval.study._published_002 import TABLE_4


@pytest.mark.parametrize("width", [60, 110])
def test_no_number_is_cut(home, call, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = call("study", "002-table4", "--quick", "--repeats", "2")
    assert code == 0
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= width
    cells = out.split()
    for name in ("raw", "LPR", "ltdr", "p-value", "FDR"):
        assert f"{TABLE_4['500', '0.07', '0.03'][name]:.4g}" in cells


def test_a_study_has_a_name_that_says_what_it_shows(call):
    code, out, _ = call("study", "pair-coverage", "--json")
    assert code == 0
    assert json.loads(out)["name"] == "001-figure2"
    _, listed, _ = call("study", "list")
    (line,) = [line for line in listed.splitlines() if line.startswith("pair-coverage ")]
    assert "001-figure2" in line


def test_a_first_column_of_words_has_no_mark():
    from trueval.cli.show import table

    assert [str(column.header) for column in table(["<data", "<folds", "F"], []).columns] == [
        "data",
        "folds",
        "F",
    ]
