"""What builds the pages: charts of benchmarks, names of studies, the embedded report, the words."""

import importlib.util
import os
import re
import sys
from xml.etree import ElementTree as ET

import pytest

from benchmarks.record import Column, Table, load
from tests.api import API
from tests.test_docs import pages
from trueval.show._measures import MEASURES
from trueval.study import STUDIES

DOCS = API.parent
RESULTS = DOCS.parent / "benchmarks" / "results"
COLUMNS = [Column("method", "method"), Column("size", "rows"), Column("cpu", "CPU s", ".3g", "low")]


def script(name):
    """A module of the folder docs, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def charts():
    return script("benchmark_charts")


def growth(sizes):
    rows = [{"method": "a", "size": size, "cpu": size / 1e4, "kind": "ours"} for size in sizes]
    return Table("Rows", "", COLUMNS, rows)


def test_the_columns_of_a_table_decide_its_chart(charts):
    assert charts.kind(growth([10, 100, 1000])) == "lines"
    assert charts.kind(growth([10, 100])) == "dots"
    assert charts.kind(growth([10])) is None
    shares = [Column(key, key) for key in ("method", "BB", "AB", "AA")]
    assert charts.kind(Table("Pairs", "", shares, [{"method": "a", "BB": 1.0}])) == "shares"
    words = [Column("method", "method"), Column("claim", "claim")]
    rows = [{"method": "a", "claim": "b"}, {"method": "c", "claim": "d"}]
    assert charts.kind(Table("Known behaviour", "", words, rows)) is None


def test_every_method_is_named_in_its_chart(charts, tmp_path):
    pytest.importorskip("matplotlib")
    import matplotlib as mpl

    table = next(t for t in load(RESULTS / "split-large.json")["tables"] if charts.kind(t))
    assert any(row.get("problem") for row in table.rows)
    with mpl.rc_context({"svg.fonttype": "none"}):
        charts.draw(table, tmp_path / "chart.svg")
    text = "\n".join(ET.parse(tmp_path / "chart.svg").getroot().itertext())
    assert [row["method"] for row in table.rows if row["method"] not in text] == []
    problems = {row["problem"] for row in table.rows if row.get("problem")}
    assert all(problem[:20] in text for problem in problems)


def test_every_section_of_the_benchmarks_has_a_chart(charts):
    for file in RESULTS.glob("*.json"):
        tables = load(file)["tables"]
        measured = [t for t in tables if {column.key for column in t.columns} & set(charts.PANELS)]
        alone = measured and all(len(table.rows) == 1 for table in measured)  # nothing to compare
        assert alone or any(charts.kind(table) for table in tables), file.name


def test_every_study_has_a_name_that_says_what_it_shows():
    shows = script("make_studies").SHOWS
    assert shows.keys() <= STUDIES.keys()
    names = [shows.get(name, study.title) for name, study in STUDIES.items()]
    assert len(set(names)) == len(names)
    assert not [name for name in names if re.match(r"(table|figure) ?\d", name.lower())]


def test_the_report_is_made_again_when_the_package_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    stale = script("make_report").stale
    report, package = tmp_path / "report.html", tmp_path / "package"
    package.mkdir()
    (package / "module.py").write_text("")
    assert stale(report, package)
    report.write_text("")
    os.utime(package / "module.py", (1000, 1000))
    os.utime(report, (2000, 2000))
    assert not stale(report, package)
    os.utime(package / "module.py", (3000, 3000))
    assert stale(report, package)


@pytest.mark.parametrize(
    ("link", "right"),
    [
        ("pairs.as_pairs.html#t.data.as_pairs", "pairs.as_pairs.html#pairs.as_pairs"),
        ("pairs.Index.html#t.data.Index.take", "pairs.Index.html#pairs.Index.take"),
        ("pairs.Index.html#pairs.Index.take", "pairs.Index.html#pairs.Index.take"),
        ("pairs.Index.html#elsewhere", "pairs.Index.html#elsewhere"),
    ],
)
def test_source_pages_link_to_the_anchor_of_the_api_page(link, right):
    repair = script("source_links").repair
    assert repair(f'<a href="../api/generated/{link}">') == f'<a href="../api/generated/{right}">'


#: Metaphors and turns of phrase that readers stumbled over.
ODD = r"\b(rooms?|doors?|houses?|anybody|whoever|gladly|dearer|breathe)\b|What lies|See it lie"


def test_pages_use_plain_words():
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages()}
    texts.pop("CHANGELOG.md")  # a record of the past
    texts |= {file.name: file.read_text() for file in (DOCS.parent / "examples").glob("*.py")}
    assert len(texts) > 20
    found = [(name, match[0]) for name, text in texts.items() for match in re.finditer(ODD, text)]
    assert found == []


def test_the_glossary_defines_the_words_of_the_tables():
    text = (DOCS / "glossary.rst").read_text(encoding="utf-8")
    assert ".. include:: generated/measures.inc" in text
    lines = [*re.findall(r"^   (\S.*)$", text, re.M), *MEASURES]
    terms = {term.strip() for line in lines for term in line.split(",")}
    wanted = {"row", "class", "positive", "fold", "part", "split", "score", "calibrated score"}
    wanted |= {"prediction", "lower bound", "object", "rLD", "DCP", "LD", "ED", "AA", "AB", "BB"}
    assert wanted - terms == set()
