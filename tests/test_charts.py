"""Charts: specs from plain arrays, safe pages, and objects that plot themselves."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from trueval import InputError, ParameterError, charts, split_quality
from trueval.charts import Chart
from trueval.charts.chart import plain, safe_json
from trueval.charts.parts import thin
from trueval.data import simulate
from trueval.pairs import ObjectKFold, audit_pairs, coverage, deviation_study
from trueval.rank import (
    FDRRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    PrecisionRanker,
    pooled_precision_recall_curve,
)
from trueval.report import blocks_of

PAIRS = np.array(list(combinations(range(12), 2)))


def all_charts():
    """One of each, by name."""
    curve = ([0.0, 0.5, 1.0], [0.1, 0.4, 0.9])
    table = {"scheme": ["strict", "relaxed"], "estimate": ["pooled"] * 2, "value": [10, 10]}
    schemes = [{"name": "strict", "averaged": 0.7, "pooled": 0.6, "null_pooled": 0.45}]
    return {
        "fold_sizes": charts.fold_sizes([10, 9], [9.5, 9.5]),
        "fold_uses": charts.fold_uses([5, 6], [2, 1], [3, 3]),
        "class_scatter": charts.class_scatter(
            [1, 10, 100], {"a": [1.0, 0.5, 0.1], "b": [1.6, 0.7, 0.2]}, bound=[1.0, 0.5, 0.1]
        ),
        "method_measures": charts.method_measures({"a": 0.1, "b": 0.2}, 0.09),
        "precision_recall": charts.precision_recall({"a": curve, "b": curve}, now=(0.5, 0.4)),
        "ranker_curve": charts.ranker_curve({"a": curve}, members=[0.2, 0.8], name="x"),
        "reliability": charts.reliability([0.1, 0.9], [0.2, 0.8], [50, 3]),
        "pair_blocks": charts.pair_blocks(blocks_of(ObjectKFold(3, random_state=0), PAIRS)),
        "pair_roles": charts.pair_roles({"a": {"AA": 3, "AB": 2, "BB": 1}}),
        "auc_by_scheme": charts.auc_by_scheme(schemes),
        "deviation_by_folds": charts.deviation_by_folds({**table, "mean": [0.01, 0.05]}),
    }


def test_every_builder_has_its_chart():
    builders = {name for name in charts.__all__ if callable(getattr(charts, name))} - {"Chart"}
    assert set(all_charts()) == builders


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
    chart = charts.fold_sizes([3, 4])
    bundle = chart._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v6+json"] == chart.spec
    fragment = bundle["text/html"]
    assert 200_000 < len(fragment) < 600_000
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{fragment}", encoding="utf-8")
    page = open_page(path, drawn="iframe")
    page.frame_locator("iframe").locator("svg.marks").wait_for()


def test_notebook_html_can_be_left_away(monkeypatch):
    chart = charts.fold_sizes([3, 4])
    assert "text/html" not in chart._repr_mimebundle_(exclude={"text/html"})
    assert list(chart._repr_mimebundle_(include={"text/plain"})) == ["text/plain"]
    monkeypatch.setattr(Chart, "html_in_notebooks", False)
    assert "text/html" not in chart._repr_mimebundle_()


def test_saving(tmp_path):
    chart = charts.fold_sizes([3, 4])
    assert json.loads(chart.save(tmp_path / "a.json").read_text()) == chart.spec
    assert chart.save(str(tmp_path / "b.HTML")) == Path(tmp_path, "b.HTML")
    with pytest.raises(InputError, match=r"saved as \.json or \.html\. Got 'a\.png'"):
        chart.save(tmp_path / "a.png")
    with pytest.raises(ParameterError, match="must be a Vega-Lite dict"):
        Chart({})


def test_names_cannot_end_a_script():
    chart = charts.class_scatter([5], {"a": [0.1]}, names=["</script><script>alert(1)</script>"])
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
        charts.class_scatter(np.ones(100_000), {"a": np.ones(100_000)})


def test_split_quality_plots_its_classes():
    y = simulate.label_matrix(300, 15, random_state=0)
    quality = split_quality(y, np.arange(300) % 3)
    rows = quality.plot().spec["data"]["values"]
    table = quality.per_class
    for row in rows:
        k = int(row["c"])
        assert row["n"] == table["size"][k]
        assert row["v"] == pytest.approx(table["rld_wanted"][k], rel=1e-4)
    assert len(rows) == 15


def test_pairs_plot_their_counts():
    cv = ObjectKFold(3, random_state=0)
    train, test = next(cv.split(None, None, PAIRS))
    audit = audit_pairs(PAIRS, train, test)
    shown = {r["kind"][:2]: r["n"] for r in audit.plot().spec["data"]["values"]}
    assert shown == audit.counts
    cover = coverage(cv, PAIRS)
    rows = cover.plot().spec["data"]["values"]
    assert [r["n"] for r in rows if r["kind"] == "dropped"] == cover.folds["dropped"].tolist()


def test_study_plots_its_moments():
    objects = np.random.default_rng(0).normal(size=(120, 3))
    terms = (objects > 0.5).astype(int)
    import scipy.sparse as sp

    study = deviation_study(
        objects,
        sp.csr_array(terms),
        n_objects=20,
        n_repeats=3,
        n_test_pairs=20,
        n_splits=4,
        n_neighbors=[3, 5],
        random_state=0,
    )
    rows = study.plot("variance").spec["data"]["values"]
    assert [r["variance"] for r in rows] == study.table["variance"].tolist()


def test_curves_and_rankers_plot():
    scores, y = simulate.simulation_one(200, 0.2, random_state=0)
    curve = pooled_precision_recall_curve(scores, y)
    rows = curve.plot("raw").spec["data"]["values"]
    assert {r["ranker"] for r in rows} == {"raw"}
    for ranker in (PrecisionRanker(), LocalPrecisionRate(), FDRRanker(), IsotonicRanker()):
        ranker.fit(scores, y)
        chart = ranker.plot(2)
        assert chart.title == "Value of a score of class 2"
        assert len(chart.spec["data"]["values"]) > 1
        with pytest.raises(ParameterError, match=r"from 0 to 4\. Got 9 instead"):
            ranker.plot(9)
        assert ranker.plot("3").title.endswith("class 3")
