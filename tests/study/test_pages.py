"""The documentation's pages are made of the results."""

import importlib.util
from pathlib import Path

import pytest

from trueval.study import run_study

DOCS = Path(__file__).parents[2] / "docs"


def load_maker():
    spec = importlib.util.spec_from_file_location("make_studies", DOCS / "make_studies.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_show_what_the_results_hold(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    (tmp_path / "results").mkdir()
    for name in ("001-figure2", "000-figure3"):
        run_study(name, quick=True, out=tmp_path / "results")
    load_maker().make(tmp_path)
    page = (tmp_path / "generated" / "001.rst").read_text()
    assert '"overlapping-object-3-fold","15","15","3","3","0"' in page
    assert "No result is stored here; ``run_study('001-table1')`` computes one." in page
    assert (tmp_path / "generated" / "001-figure2.svg").stat().st_size > 1000
    assert (tmp_path / "generated" / "000-figure3.svg").stat().st_size > 1000
    summary = (tmp_path / "generated" / "summary.inc").read_text()
    assert ":ref:`study-001-figure2`" in summary
    assert "quick, 0 s" in summary
    assert "not public" in (tmp_path / "generated" / "002.rst").read_text()


def test_signs_are_made_plain():
    assert load_maker()._escape("a*b_c|d`e") == r"a\*b\_c\|d\`e"


def test_kept_results_are_whole_and_small():
    """Every committed result can be read, belongs to a study, and is under 200 kB."""
    from tests.study.test_studies import COLUMNS
    from trueval.study import STUDIES, StudyResult

    for path in (DOCS / "studies" / "results").glob("*.json"):
        if path.name.startswith("."):
            continue
        result = StudyResult.from_json(path.read_bytes())
        assert result.name == path.stem
        assert result.name in STUDIES
        assert COLUMNS[result.name] <= set(result.table.columns), "computed by older code"
        assert path.stat().st_size < 200_000
        assert path.with_suffix(".md").read_text() == result.to_markdown()
