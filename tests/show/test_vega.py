"""Vega-Lite specs from plain arrays, safe pages, and the deprecated names of the builders."""

import json
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import trueval.charts
import trueval.displays
from trueval import InputError, ParameterError
from trueval.pairs import ObjectKFold
from trueval.report import blocks_of
from trueval.show._plain import plain, safe_json
from trueval.show._vega import _pairs, _rank, _split
from trueval.show._vega._chart import Chart
from trueval.show._vega._parts import thin

PAIRS = np.array(list(combinations(range(12), 2)))


def all_charts():
    """One of each, by name."""
    curve = ([0.0, 0.5, 1.0], [0.1, 0.4, 0.9])
    table = {"scheme": ["strict", "relaxed"], "estimate": ["pooled"] * 2, "value": [10, 10]}
    schemes = [{"name": "strict", "averaged": 0.7, "pooled": 0.6, "null_pooled": 0.45}]
    return {
        "fold_sizes": _split.fold_sizes([10, 9], [9.5, 9.5]),
        "fold_uses": _pairs.fold_uses([5, 6], [2, 1], [3, 3]),
        "class_scatter": _split.class_scatter(
            [1, 10, 100], {"a": [1.0, 0.5, 0.1], "b": [1.6, 0.7, 0.2]}, bound=[1.0, 0.5, 0.1]
        ),
        "method_measures": _split.method_measures({"a": 0.1, "b": 0.2}, 0.09),
        "precision_recall": _rank.precision_recall({"a": curve, "b": curve}, now=(0.5, 0.4)),
        "ranker_curve": _rank.ranker_curve({"a": curve}, members=[0.2, 0.8], name="x"),
        "reliability": _rank.reliability([0.1, 0.9], [0.2, 0.8], [50, 3]),
        "pair_blocks": _pairs.pair_blocks(blocks_of(ObjectKFold(3, random_state=0), PAIRS)),
        "pair_roles": _pairs.pair_roles({"a": {"AA": 3, "AB": 2, "BB": 1}}),
        "auc_by_scheme": _pairs.auc_by_scheme(schemes),
        "deviation_by_folds": _pairs.deviation_by_folds({**table, "mean": [0.01, 0.05]}),
    }


def test_every_old_name_is_an_alias_that_names_its_successor():
    names = set(trueval.charts.__all__)
    assert set(all_charts()) == names - {"Chart", "MAX_POINTS"}
    assert names <= set(dir(trueval.charts))
    for name in names:
        deprecated = rf"trueval\.charts\.{name} is deprecated"
        with pytest.warns(DeprecationWarning, match=deprecated) as said:
            value = getattr(trueval.charts, name)
        assert value is not None
        (warning,) = said
        assert warning.filename == __file__
        display = str(warning.message).partition("trueval.displays.")[2].rstrip(".")
        if display:
            assert hasattr(trueval.displays, display)
        assert f"- ``{name}``: " in trueval.charts.__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        trueval.charts.nothing  # noqa: B018


def test_importing_the_old_module_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        import trueval.charts  # noqa: F401


@pytest.mark.parametrize("name", sorted(all_charts()))
def test_specs_are_plain_json(name):
    chart = all_charts()[name]
    assert json.loads(chart.to_json()) == chart.spec
    assert chart.spec["$schema"].endswith("/v6.json")
    assert chart.spec["width"] == "container"
    assert len(chart.title) > 5


@pytest.mark.parametrize("name", sorted(all_charts()))
def test_saved_pages_draw_without_a_word(name, open_page, tmp_path):
    path = all_charts()[name].save(tmp_path / "chart.html")
    page = open_page(path, drawn="svg.marks")
    assert page.locator("svg.marks path").count() > 1


def test_notebook_fallback_draws(open_page, tmp_path):
    chart = _split.fold_sizes([3, 4])
    bundle = chart._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v6+json"] == chart.spec
    fragment = bundle["text/html"]
    assert 200_000 < len(fragment) < 600_000
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{fragment}", encoding="utf-8")
    page = open_page(path, drawn="iframe")
    page.frame_locator("iframe").locator("svg.marks").wait_for()


def test_notebook_html_can_be_omitted(monkeypatch):
    chart = _split.fold_sizes([3, 4])
    assert "text/html" not in chart._repr_mimebundle_(exclude={"text/html"})
    assert list(chart._repr_mimebundle_(include={"text/plain"})) == ["text/plain"]
    monkeypatch.setattr(Chart, "html_in_notebooks", False)
    assert "text/html" not in chart._repr_mimebundle_()


def test_saving(tmp_path):
    chart = _split.fold_sizes([3, 4])
    assert json.loads(chart.save(tmp_path / "a.json").read_text()) == chart.spec
    assert chart.save(str(tmp_path / "b.HTML")) == Path(tmp_path, "b.HTML")
    with pytest.raises(InputError, match=r"saved as \.json or \.html\. Got 'a\.png'"):
        chart.save(tmp_path / "a.png")
    with pytest.raises(ParameterError, match="must be a Vega-Lite dict"):
        Chart({})


def test_names_cannot_end_a_script():
    chart = _split.class_scatter([5], {"a": [0.1]}, names=["</script><script>alert(1)</script>"])
    assert "alert(1)</script>" not in chart.to_html()
    assert json.loads(safe_json(chart.spec)) == chart.spec
    assert safe_json("\u2028") == '"\\u2028"'


def test_plain_leaves_json_only():
    class Odd:
        def __str__(self):
            return "odd"

    made = plain({"a": (np.int8(1), np.inf, True, None), "b": Odd(), "c": np.array(["x"])})
    assert made == {"a": [1, None, True, None], "b": "odd", "c": ["x"]}


def test_thin_keeps_ends_and_its_promise():
    x = np.sort(np.random.default_rng(0).random(10_000) ** 4)
    kept = thin(x, 100)
    assert kept[0] == 0
    assert kept[-1] == 9_999
    assert 50 <= len(kept) <= 104
    assert np.diff(x[kept]).max() < 0.03
    assert thin(np.ones(500), 10).tolist() == [0, 499]
    assert thin(np.arange(3), 10).tolist() == [0, 1, 2]


def test_too_many_points_are_refused():
    with pytest.raises(InputError, match="class_scatter would draw 100,000 points"):
        _split.class_scatter(np.ones(100_000), {"a": np.ones(100_000)})
