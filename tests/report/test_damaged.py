"""Saved results that are damaged: a page, or one clear error; never another exception."""

import copy
import json
import os
import random
import re
from functools import cache

import pytest

from tests.report import problems
from trueval import InputError
from trueval.report import Stage, read_stage, study_stage, write_report, write_stage
from trueval.report._write import _render
from trueval.table import Table

N_CHANGES = int(os.environ.get("TRUEVAL_DAMAGE", "300"))  # of each kind of result
WRONG = [None, True, -1, 0, 3, 10**30, 0.5, float("nan"), "", "text", [], [1], ["a"], {}, {"a": 1}]
WRONG += ["\ud800", {"\ud800": 1}, 1e308, -1e308, float("-inf"), 10**9, -(2**62), 5e-324]


class Study:
    name, title, notes, provenance = "t1", "Table 1", ["a note"], {"seed": 3}
    figure = {"mark": "bar", "data": {"values": [{"a": 1}]}, "encoding": {}}  # noqa: RUF012
    table = Table({"method": ["IS"], "paper": [0.25], "measured": [0.251]})


@cache
def saved(kind):
    """The content of a saved result, as JSON has it."""
    makers = {"split": problems.split, "pairs": problems.pairs, "rank": problems.rank}
    stage = study_stage(Study()) if kind == "study" else makers[kind]()
    return {
        "trueval": "stage",
        "schema": 1,
        "kind": stage.kind,
        "provenance": stage.provenance,
        "data": stage.data,
    }


def nodes(value, place=()):
    """Places of all values, of long lists the first and the last."""
    yield place
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = {0: value[0], len(value) - 1: value[-1]}.items() if value else ()
    else:
        items = ()
    for key, inner in items:
        yield from nodes(inner, (*place, key))


def changed(whole, place, change):
    whole = copy.deepcopy(whole)
    parent = whole
    for key in place[:-1]:
        parent = parent[key]
    change(parent, place[-1])
    return whole


def drop(parent, key):
    del parent[key]


def double(parent, key):
    """A list of another length than those beside it."""
    if isinstance(parent[key], list):
        parent[key] = parent[key] * 2 or [1]
    else:
        parent[key] = [parent[key]]


def put(value):
    def change(parent, key):
        parent[key] = value

    return change


@pytest.mark.parametrize("kind", ["split", "pairs", "rank", "study"])
def test_damage_is_shown_or_named(kind, tmp_path):
    whole = saved(kind)
    chooser = random.Random(0)
    places = [place for place in nodes(whole) if place]
    changes = [(place, drop) for place in places] + [(place, double) for place in places]
    changes += [(place, put(value)) for place in places for value in chooser.sample(WRONG, 4)]
    refused, tried = 0, chooser.sample(changes, min(len(changes), N_CHANGES))
    path = tmp_path / "damaged.json"
    for place, change in tried:
        path.write_text(json.dumps(changed(whole, place, change)), encoding="utf-8")
        try:
            _render([read_stage(path)], "A page").encode()
        except InputError:
            refused += 1
    assert refused > len(tried) / 4


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("sizes",), [1, 2, 3, 4], r"data of split must be lists of one length"),
        (("sizes",), [], r"\['sizes'\] must be a list with items"),
        (("methods", 0, "rld_wanted"), "x", r"\['methods'\]\[0\]\['rld_wanted'\] must be a number"),
        (("n_rows",), 2.5, r"\['n_rows'\] must be a whole number\. Got 2\.5"),
        (("n_rows",), True, r"\['n_rows'\] must be a whole number\. Got True"),
        (("scatter", "scores"), {"a": [1.0]}, r"\['scatter'\] must be lists of one length"),
        (("summary", "verdict", "level"), "superb", r"\['level'\] must be one of good, fair, poor"),
        (("summary", "tables", 0, "rows", 0), ["x"], r"columns, but a row 1 cells"),
    ],
)
def test_the_place_of_the_damage_is_named(place, value, message):
    whole = changed(saved("split"), ("data", *place), put(value))
    with pytest.raises(InputError, match=message):
        Stage("split", whole["data"], {})


@pytest.mark.parametrize(
    ("key", "most"),
    [
        ("averaged", 1),
        ("pooled", 1),
        ("null_pooled", 1),
        ("dropped", 1),
        ("validated", 10**15),
        ("never", 10**15),
    ],
)
@pytest.mark.parametrize("sign", [-1, 1])
def test_areas_shares_and_pairs_have_limits(tmp_path, key, most, sign):
    path = tmp_path / "pairs.json"
    for value in (sign * 1e308, 1.01 * most if sign > 0 else -0.01):
        whole = changed(saved("pairs"), ("data", "schemes", 1, key), put(value))
        path.write_text(json.dumps(whole))
        said = re.escape(f"['schemes'][1]['{key}'] must be a number from 0 to {most:g}. Got")
        with pytest.raises(InputError, match=said):
            read_stage(path)
    for edge in (0, 1, most, None):
        whole = changed(saved("pairs"), ("data", "schemes", 1, key), put(edge))
        path.write_text(json.dumps(whole))
        write_report(tmp_path / "page.html", [read_stage(path)])


def test_results_of_earlier_versions_still_make_a_page(tmp_path):
    """They have no summary: the page then has no verdict, and all the rest."""
    for kind, keys in (("split", ("n_full",)), ("pairs", ()), ("rank", ("predictions",))):
        whole = copy.deepcopy(saved(kind))
        for key in ("summary", *keys):
            del whole["data"][key]
        for choice in whole["data"].get("choices", ()):
            del choice["place"], choice["verdict"]
        for audit in whole["data"].get("audits", ()):
            del audit["verdict"]
        path = tmp_path / f"{kind}.json"
        path.write_text(json.dumps(whole), encoding="utf-8")
        page = write_report(tmp_path / "page.html", [read_stage(path)]).read_text()
        assert 'class="verdict">' in page


def test_a_result_reads_back_as_it_was(tmp_path):
    for kind in ("split", "pairs", "rank", "study"):
        whole = saved(kind)
        stage = Stage(kind, whole["data"], whole["provenance"])
        assert read_stage(write_stage(tmp_path / "a.json", stage)) == stage


def test_what_is_no_file_of_a_result_is_refused(tmp_path):
    (tmp_path / "empty.json").touch()
    (tmp_path / "folder.json").mkdir()
    for name, problem in {
        "none.json": "cannot be read: No such file",
        "folder.json": "cannot be read",
        "empty.json": "not JSON",
    }.items():
        with pytest.raises(InputError, match=problem):
            read_stage(tmp_path / name)
