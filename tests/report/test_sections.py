"""Sections are records in folders: one more folder is one more section, everywhere."""

import json
import shutil
import sys

import pytest
from click.testing import CliRunner

import trueval.report.sections as package
from tests.report import problems
from trueval import InputError
from trueval.cli.app import cli
from trueval.report import Stage, read_stage, write_report, write_stage
from trueval.report._section import sections

SECTION = '''
from trueval.report._schema import Each
from trueval.report._section import Section
from trueval.report._stage import Stage
from trueval.show import Fact, Summary
from trueval.show._vega._split import fold_sizes


def depth_stage(depths):
    """How many predictions there are at each depth of an ontology."""
    summary = Summary("Predictions by depth", None, [Fact("deepest", len(depths) - 1)])
    return Stage("depth", {"depths": list(depths), "summary": summary.to_dict()}, {})


SECTION = Section(
    kind="depth",
    title="Depth",
    order=25,
    build=depth_stage,
    schema={"depths": Each(int, least=1)},
    charts=lambda data: {"depths": fold_sizes(data["depths"])},
    live=("depths",),
    scripts=("section.js",),
)
'''
TEMPLATE = """{% from "parts.html.j2" import chart %}
<p id="{{ key }}-sum">{{ data.depths | sum | number }} predictions</p>
{{ chart(key, "depths", "Predictions at each depth") }}
"""
SCRIPT = """SECTIONS.depth = (key, { depths }) => {
  document.getElementById(`${key}-sum`).dataset.deepest = depths.length - 1;
};
"""


@pytest.fixture
def depth(tmp_path, monkeypatch):
    """A section in a folder of its own; nothing else is changed."""
    folder = tmp_path / "sections" / "depth"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(SECTION, encoding="utf-8")
    (folder / "section.html.j2").write_text(TEMPLATE, encoding="utf-8")
    (folder / "section.js").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder.parent)])
    sections.cache_clear()
    yield sections()["depth"]
    monkeypatch.undo()
    sections.cache_clear()


def test_a_folder_is_a_section(depth, open_page, tmp_path):
    assert list(sections()) == ["split", "rows", "pairs", "depth", "rank", "study"]
    stage = depth.build([5, 1200, 30])
    results = tmp_path / "results"
    results.mkdir()
    assert read_stage(write_stage(results / "b.json", stage)) == stage
    write_stage(results / "a.json", problems.rank())
    write_stage(results / "c.json", problems.split())
    page = tmp_path / "page.html"
    done = CliRunner().invoke(cli, ["report", str(results), "-o", str(page), "--json"])
    assert json.loads(done.stdout)["stages"] == ["split", "depth", "rank"]
    shown = open_page(page)
    assert shown.locator("#s1 .eyebrow").inner_text() == "2 · Depth"
    assert shown.locator("#s1-sum").inner_text() == "1,235 predictions"
    assert shown.locator("#s1-sum").get_attribute("data-deepest") == "2"
    assert shown.locator("#s1 .figure .value").inner_text() == "2"
    assert shown.locator('[data-chart="s1-depths"] svg.marks').count() == 1
    with pytest.raises(InputError, match=r"data of depth\['depths'\]\[0\] must be a whole number"):
        Stage("depth", {"depths": ["deep"]})


def test_a_section_needs_no_template(depth, open_page, tmp_path):
    for name in ("section.html.j2", "section.js"):
        (depth.folder / name).unlink()
    shutil.rmtree(depth.folder / "__pycache__", ignore_errors=True)
    text = SECTION.replace('scripts=("section.js",),', "").replace("    charts=", "    # charts=")
    (depth.folder / "__init__.py").write_text(text, encoding="utf-8")
    del sys.modules["trueval.report.sections.depth"]
    sections.cache_clear()
    page = open_page(write_report(tmp_path / "a.html", [sections()["depth"].build([1, 2])]))
    assert page.locator("#s0-verdict").inner_text() == "Predictions by depth"
    assert page.locator("#s0 .figure .value").inner_text() == "1"


def test_every_section_is_complete():
    for kind, section in sections().items():
        assert section.kind == kind
        assert section.folder.name == kind
        assert section.has_template or not (section.live or section.scripts)
        columns = getattr(section.schema.get("*"), "of", {})
        assert set(section.live) <= {*section.schema, *columns}
        assert {f"{name}?" for name in section.packed} <= {*section.schema}
        for script in section.scripts:
            assert (section.folder / script).is_file()
    scripts = [(s.kind, s.folder / name) for s in sections().values() for name in s.scripts]
    registered = {k for k, file in scripts if f"SECTIONS.{k} = " in file.read_text("utf-8")}
    assert registered == {kind for kind, _ in scripts}
