"""Intervals, bands and folds on the page, and the definitions of measures."""

import csv
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score, precision_score, recall_score, roc_auc_score

from tests.browser import wait_until
from tests.report import problems
from trueval.core.errors import InputError
from trueval.rank import PrecisionRanker, pick_threshold
from trueval.report import rank_stage, read_stage, write_report, write_stage
from trueval.report.sections.rank import _spread
from trueval.show._measures import MEASURES


@cache
def problem():
    """Calibrated scores with folds, a threshold on them, and a class of one positive."""
    generator = np.random.default_rng(0)
    y = (generator.random((150, 4)) < [0.4, 0.2, 0.1, 0.0]).astype(int)
    y[7, 3] = 1
    scores = generator.normal(size=y.shape) + 1.5 * y
    choice = pick_threshold(scores, y, precision=0.7, ranker=PrecisionRanker())
    folds = generator.integers(3, size=150)
    return choice, y, folds


def stage():
    choice, y, folds = problem()
    curves = {"precision": choice.ranker}
    values = {"precision": choice.calibrated_}
    return rank_stage(values, y, choices=[choice], curves=curves, folds=folds)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spread")
    saved = read_stage(write_stage(folder / "rank.json", stage()))
    return write_report(folder / "a.html", [problems.split(), saved])


def test_averages_are_those_of_scikit_learn():
    choice, y, _ = problem()
    values = choice.calibrated_.matrix
    averages = stage().data["resampling"]["averages"]
    for kind in ("micro", "macro"):
        for name, measure in (
            ("average_precision", average_precision_score),
            ("auc", roc_auc_score),
        ):
            value, low, high = averages[name][kind]
            assert value == pytest.approx(measure(y, values, average=kind), rel=1e-4)
            assert low < value < high


def test_folds_are_measured_one_by_one():
    choice, y, folds = problem()
    values, threshold = choice.calibrated_.matrix, choice.calibrated_threshold_
    table = stage().data["folds"]
    assert table["fold"] == [0, 1, 2]
    for place in range(3):
        rows = folds == place
        truth, mine = y[rows], values[rows]
        known = [k for k in range(4) if 0 < truth[:, k].sum() < len(truth)]
        called = mine >= threshold
        expected = {
            "rows": rows.sum(),
            "positives": truth.sum(),
            "average_precision": average_precision_score(truth, mine, average="micro"),
            "macro_average_precision": average_precision_score(truth[:, known], mine[:, known]),
            "macro_auc": roc_auc_score(truth[:, known], mine[:, known]),
            "predictions": called.sum(),
            "precision": precision_score(truth, called, average="micro"),
            "recall": recall_score(truth, called, average="micro"),
        }
        assert {name: table[name][place] for name in expected} == pytest.approx(expected)
    assert sum(table["predictions"]) == stage().data["predictions"]["n_predictions"]


def test_without_a_threshold_or_folds():
    _, y, folds = problem()
    values = np.random.default_rng(1).random(y.shape)
    data = rank_stage({"p": values}, y, folds=folds).data
    assert data["folds"]["precision"] == [None] * 3
    assert rank_stage({"p": values}, y).data["folds"] is None
    with pytest.raises(InputError, match="150"):
        rank_stage({"p": values}, y, folds=folds[1:])


def test_too_many_scores_leave_the_classes_that_are_shown(monkeypatch, open_page, tmp_path):
    monkeypatch.setattr(_spread, "MOST_SCORES", 100)
    choice, y, _ = problem()
    made = rank_stage({"p": choice.calibrated_}, y)
    spread = made.data["resampling"]
    assert spread["averages"] is None
    assert spread["pooled"] is None
    assert set(spread["bands"]) == {"0", "1", "2", "3"}
    page = open_page(write_report(tmp_path / "a.html", [made]))
    assert "too many scores to resample all classes" in page.locator("#s0").inner_text()


def test_resamples_are_fewer_where_scores_are_many(monkeypatch):
    choice, y, _ = problem()
    monkeypatch.setattr(_spread, "WORK", 600 * 70)
    assert rank_stage({"p": choice.calibrated_}, y).data["resampling"]["n_draws"] == 70
    monkeypatch.setattr(_spread, "WORK", 600)
    assert rank_stage({"p": choice.calibrated_}, y).data["resampling"]["n_draws"] == 50


def test_sparse_scores_reach_a_recall_by_predicting_all():
    y = np.array([[1], [1], [0], [0]])
    scores = sp.csr_array(np.array([[0.9], [0.0], [0.8], [0.0]]))
    band = rank_stage({"p": scores}, y).data["resampling"]["bands"]["0"]
    # The first positive is first; the other has no score, so all four rows are predicted.
    assert band["precision"] == [1.0] * 20 + [0.5] * 20


def test_the_curve_of_a_class_has_its_band(open_page, report):
    page = open_page(report)
    page.locator("[data-class=s1]").fill("2")
    wait_until(
        page, "() => document.querySelector('[data-chart=s1-class-pr] svg [aria-label]') !== null"
    )
    data = stage().data
    spread, measures = data["resampling"], data["class_measures"]
    drawn = page.evaluate(
        """() => {
          const one = drawing.extra.get(document.querySelector("[data-chart=s1-class-pr]"));
          return { line: one.data.values, band: one.layer[0].data.values };
        }"""
    )
    band = spread["bands"]["2"]
    assert [point["precision"] for point in drawn["line"]] == band["precision"]
    assert [point["low"] for point in drawn["band"]] == band["low"]
    assert [point["high"] for point in drawn["band"]] == band["high"]
    said = page.locator("[data-class-about=s1]").inner_text()
    low, high = (spread["classes"][f"average_precision_{end}"][2] for end in ("low", "high"))
    value = measures["average_precision"][2]
    assert f"Average precision {value:.3f} ({low:.3f} to {high:.3f})" in said


def test_one_positive_has_a_curve_and_no_interval(open_page, report):
    page = open_page(report)
    page.locator("[data-class=s1]").fill("3")
    said = page.locator("[data-class-about=s1]").inner_text()
    assert " to " not in said
    assert "AUC" in said
    band = "() => drawing.extra.get(document.querySelector('[data-chart=s1-class-pr]'))"
    assert page.evaluate(f"() => ({band})().layer[0].data.values.length") == 0
    assert page.evaluate(f"() => ({band})().data.values.length") == 40


def test_the_table_of_classes_has_intervals_and_so_has_its_file(open_page, report, tmp_path):
    page = open_page(report)
    place = page.locator("[data-table=s1-live-classes]")
    classes = stage().data["resampling"]["classes"]
    row = place.locator("tbody tr", has=page.locator("th", has_text="1")).first
    low, high = (classes[f"auc_{end}"][1] for end in ("low", "high"))
    assert row.locator("td small").last.inner_text() == f"{low:.3f} to {high:.3f}"
    with page.expect_download() as download:
        place.get_by_role("button", name="Download CSV").click()
    download.value.save_as(tmp_path / "classes.csv")
    with open(tmp_path / "classes.csv", newline="") as file:
        lines = {line["class"]: line for line in csv.DictReader(file)}
    assert float(lines["1"]["auc_low"]) == low
    assert lines["3"]["auc_low"] == ""


def test_folds_are_drawn_and_listed(open_page, report):
    page = open_page(report)
    chart = page.locator("[data-chart=s1-folds] svg.marks")
    assert chart.count() == 1
    text = chart.text_content()
    assert "precision at the threshold" in text
    assert "macro AUC" in text
    table = page.get_by_role("table", name="Measures of each fold")
    cells = [row.inner_text().split("\t") for row in table.locator("tbody tr").all()]
    data = stage().data["folds"]
    assert [row[0] for row in cells] == ["0", "1", "2"]
    assert [row[7] for row in cells] == [f"{value:.3f}" for value in data["precision"]]


def test_a_measure_leads_to_its_definition(open_page, report):
    page = open_page(report)
    definition = page.locator("#measure-dcp dd")
    assert not definition.is_visible()
    page.locator("#s0 th a.defined", has_text="DCP").click()
    assert definition.is_visible()
    assert definition.inner_text() == MEASURES["DCP"].text
    shown = [name.inner_text() for name in page.locator("#measures dt").all()]
    # Of the sections on this page alone, in the order of all.
    assert shown == [name for name in MEASURES if "null" not in name and "AUC," not in name
                     and "identity" not in name]  # fmt: skip


def test_every_link_to_a_definition_has_one(open_page, tmp_path):
    stages = [problems.split(), problems.pairs(), problems.rank()]
    page = open_page(write_report(tmp_path / "a.html", stages))
    links = page.locator("a.defined")
    assert links.count() > 10
    for link in links.all():
        assert page.locator(f"[id='{link.get_attribute('href')[1:]}']").count() == 1


def test_paper_has_the_definitions(open_page, report):
    page = open_page(report)
    assert page.locator("#measures details[open]").count() == 0
    page.pdf()
    assert page.locator("#measures details[open]").count() == 1


def test_a_phone_needs_no_sideways_scrolling(open_page, report):
    page = open_page(report, viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
