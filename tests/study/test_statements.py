"""The table of statements names only what exists."""

import re
from collections import Counter
from pathlib import Path

import pytest

from trueval.study import STUDIES
from trueval.study._statements import STATEMENTS, Statement, exists, without_study

ROOT = Path(__file__).parents[2]


def test_there_are_sixty_in_all():
    assert Counter(s.paper for s in STATEMENTS) == {"000": 20, "001": 16, "002": 24}
    assert len({(s.paper, s.text) for s in STATEMENTS}) == 60


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: f"{s.paper} {s.text[:40]}")
def test_what_a_statement_names_exists(statement):
    assert statement.where or statement.studies
    for name in statement.where:
        if not name.startswith("tests/"):
            assert exists(name), name
            continue
        path, _, function = name.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not function or re.search(rf"^def {function}\(", text, re.MULTILINE), name
    for study in statement.studies:
        assert study in STUDIES, study


def test_every_study_of_a_statement_or_of_ours():
    """A study that no statement names would be missing from the table."""
    named = {study for s in STATEMENTS for study in s.studies}
    assert {name for name in STUDIES if re.search(r"figure|table|theorem|corollary", name)} <= named


def test_status_follows_what_is_there():
    whole = Statement("000", "table", "Table 9", ("trueval.split_quality",), ("000-table9",))
    assert whole.status({"000-table9"}) == "covered"
    assert whole.status(()) == "partly"
    assert Statement("000", "remark", "", ("trueval.no_such",), ("x",)).status(()) == "not"
    part = Statement("000", "remark", "", ("trueval.split_quality",), (), "an example")
    assert part.status(()) == "partly"


def test_every_figure_and_table_is_listed_or_explained():
    others = without_study(STUDIES)
    for statement in STATEMENTS:
        if statement.kind not in ("figure", "table", "theorem", "corollary"):
            continue
        explained = any(text == statement.text for _, text, _ in others)
        has_study = any(study in STUDIES for study in statement.studies)
        assert has_study or explained, statement.text
    reasons = {text: reason for _, text, reason in others}
    assert reasons == {"Table 1: settings of the simulations": "see 002-table2"}
