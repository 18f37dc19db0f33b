"""The front of the page: what a reader with one minute sees, on screen, phone and paper."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.report import problems
from trueval.pairs import audit_pairs
from trueval.rank import pick_threshold
from trueval.report import Stage, pairs_stage, rank_stage, split_stage, write_report
from trueval.show import Summary, Verdict, number
from trueval.show._front import Result, front

A4_HEIGHT = (297 - 2 * 16) / 25.4 * 96  # CSS pixels between the margins of the page


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("front") / "report.html"
    stages = [problems.split(), problems.pairs(), problems.rank()]
    return write_report(path, stages, title="A test")


def result(key, level, advice="", **provenance):
    verdict = None if level is None else Verdict(f"{key} is {level}", "", level, advice)
    return Result(key, key.upper(), "", Summary(f"title of {key}", verdict), None, provenance)


def test_the_three_most_serious_verdicts_in_the_order_of_the_page():
    found = front([
        result("a", "good", "A"), result("b", "fair", "B"), result("c", None),
        result("d", "good", "D"), result("e", "poor", "E"), result("f", "fair", "B"),
    ])  # fmt: skip
    assert [r.key for r in found.verdicts] == ["b", "e", "f"]
    assert found.left_out == 2
    # The most urgent first, and the same advice once.
    assert found.steps == [("e", "E"), ("b", "B"), ("a", "A"), ("d", "D")]
    assert dict(found.about)["Evaluated"][0] == "title of a"


def test_files_and_days():
    labels = {"path": "x/labels.csv", "shape": [2000, 12]}
    found = front([
        result("a", "good", inputs=[labels], started="2026-01-02T03:04:05Z"),
        result("b", "good", inputs=[labels, {"path": "C:\\y\\s.npz"}], started="2026-01-04"),
        result("c", "good", inputs=None, started="yesterday"),
    ])  # fmt: skip
    assert dict(found.about)["Data"] == ["labels.csv (2,000 × 12)", "s.npz"]
    assert dict(found.about)["Date"] == ["2 January 2026 to 4 January 2026"]
    many = front([result("a", "good", inputs=[{"path": f"{i}.csv"} for i in range(9)])])
    assert dict(many.about)["Data"] == ["0.csv", "1.csv", "2.csv", "3.csv", "5 more"]
    assert dict(front([result("a", None)]).about) == {"Evaluated": ["title of a"]}


def headline(stage):
    return stage.section.front[1](stage.data)


def test_recall_at_the_wanted_precision():
    values, y, _, choices = problems.ranked()
    fact = headline(rank_stage(values, y, choices=choices))
    assert fact.name == "recall at a precision of 0.8"
    assert fact.value == choices[0].recall
    low, high = choices[0].intervals["recall"]
    assert f"interval {number(low)} to {number(high)}" in fact.note


def test_recall_at_the_usual_precision_is_counted():
    values, y, _, _ = problems.ranked()
    own, truth = values["precision"], y.toarray() == 1
    fact = headline(rank_stage({"precision": own}, y))
    right = [(own >= t) & truth for t in np.unique(own)]
    share = [
        r.sum() / truth.sum()
        for r, t in zip(right, np.unique(own), strict=True)
        if r.sum() >= 0.9 * (own >= t).sum()
    ]
    assert (fact.name, fact.value) == ("recall at a precision of 0.9", max(share))
    assert "counted on these data" in fact.note
    worthless = rank_stage({"x": 1.0 - y.toarray()}, y)
    assert headline(worthless).text == "–"
    assert "no threshold reaches" in headline(worthless).note


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ({"recall": 0.5}, "precision at a recall of 0.5"),
        ({"beta": 1.0}, "best F1"),
        ({"n_calls": 50}, "precision at a total of 50 predictions"),
    ],
)
def test_other_targets(target, name):
    values, y, _, _ = problems.ranked()
    choice = pick_threshold(values["raw"], y, **target)
    assert headline(rank_stage(values, y, choices=[choice])).name == name


def test_a_target_that_is_missed_is_said():
    stage = problems.rank()
    choices = [{**stage.data["choices"][0], "met": False}]
    fact = headline(replace(stage, data=stage.data | {"choices": choices}))
    assert fact.name == "recall at the threshold closest to a precision of 0.8"
    assert fact.note.endswith("the target is not reached")


def test_pairs_on_the_front():
    stage = problems.pairs()
    assert stage.section.front[0](stage.data) == "Validation of 276 pairs (strict, relaxed)"
    assert headline(stage).value == 0.7
    schemes = [
        {"scheme": "strict", "model": model, "averaged": auc}
        for model, auc in (("object identity", 0.6), ("forest", 0.55), ("ridge", 0.5))
    ]
    fact = headline(pairs_stage(schemes=schemes))
    assert (fact.value, fact.note) == (0.55, "forest, mean over folds; 0.5 is chance")
    audit = audit_pairs([("a", "b"), ("b", "c"), ("d", "e")], [0], [1, 2])
    audited = pairs_stage(audits={"mine": audit})
    assert audited.section.front[0](audited.data) == "Audit of 1 split with 2 test pairs"
    assert (headline(audited).text, headline(audited).note) == ("50 %", "1 of 2 test pairs (BB)")


def test_a_result_of_an_older_version_has_a_front(tmp_path):
    """Saved before verdicts had advice."""
    stage = problems.split()
    data = stage.data | {"summary": {**stage.data["summary"]}}
    data["summary"]["verdict"] = {
        k: v for k, v in data["summary"]["verdict"].items() if k != "advice"
    }
    text = write_report(tmp_path / "a.html", [Stage("split", data)]).read_text()
    assert data["summary"]["verdict"]["text"] in text
    assert "What to do next" not in text


def test_the_front_in_a_browser(open_page, report):
    page = open_page(report, viewport={"width": 1280, "height": 900})
    area = page.locator("#front")
    box = area.bounding_box()
    assert box["y"] + box["height"] < 900  # seen without scrolling
    assert area.locator("h1").inner_text() == "A test"
    about = area.locator(".about").inner_text()
    assert "Split of 200 rows and 12 classes into 3 folds (anneal)" in about
    assert "labels.csv (200 × 12)" in about
    assert "2 January 2026" in about
    signals = area.locator(".signal")
    assert signals.count() == 3
    for i, stage in enumerate([problems.split(), problems.pairs(), problems.rank()]):
        verdict = stage.data["summary"]["verdict"]
        assert verdict["text"] in signals.nth(i).inner_text()
        assert signals.nth(i).locator(".sign").inner_text() == "Good"
        mark = "getComputedStyle(e.querySelector('.sign'), '::before').content"
        assert signals.nth(i).evaluate(f"e => {mark}") == '"✓"'
        assert verdict["advice"] in area.locator(".next").inner_text()
    assert "recall at a precision of 0.8" in area.locator(".figures").inner_text()
    area.locator(".next a").last.click()
    assert page.evaluate("location.hash").startswith("#s2")


@pytest.mark.parametrize(("level", "mark"), [("fair", "!"), ("poor", "✗")])
def test_colour_and_sign_of_each_level(open_page, tmp_path, level, mark):
    y = problems.labels()
    stage = split_stage(y, np.arange(200) % 3)
    summary = stage.data["summary"]
    verdict = {**summary["verdict"], "level": level}
    stage = replace(stage, data=stage.data | {"summary": {**summary, "verdict": verdict}})
    page = open_page(write_report(tmp_path / "a.html", [stage]))
    sign = page.locator(".sign")
    assert sign.inner_text() == {"fair": "Caution", "poor": "Problem"}[level]
    assert sign.evaluate("e => getComputedStyle(e, '::before').content") == f'"{mark}"'
    colour = {"fair": "rgb(128, 86, 10)", "poor": "rgb(168, 50, 26)"}[level]
    assert sign.evaluate("e => getComputedStyle(e).color") == colour


def test_a_phone_shows_all_of_the_navigation(open_page, report):
    page = open_page(report, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    clipped = page.evaluate(
        """() => {
          const box = (e) => e.getBoundingClientRect();
          return [...document.querySelectorAll(".bar a, #theme, .front *, .files *")]
            .filter((e) => !e.closest("[hidden], noscript, thead"))
            .filter((e) => box(e).left < 0 || box(e).right > 390)
            .map((e) => e.textContent);
        }"""
    )
    assert clipped == []
    # A table that is wider than the screen scrolls in its frame, and its row names stay.
    frame = page.locator('[data-table="s0-classes"] .scroll')
    assert frame.evaluate("e => e.scrollWidth > e.clientWidth")
    name = frame.locator("tbody th").first
    before = name.bounding_box()["x"]
    frame.evaluate("e => e.scrollBy(1000, 0)")
    assert name.bounding_box()["x"] == pytest.approx(before, abs=1)


def test_paper_leaves_no_header_alone(open_page, report, tmp_path):
    """Every table is whole on one sheet, and headings stay with what follows them."""
    page = open_page(report, viewport={"width": 688, "height": 1000})  # the width of the sheet
    page.emulate_media(media="print")
    broken = page.evaluate(
        """(height) => {
          const style = (e) => getComputedStyle(e);
          const whole = (e) => e && (style(e).breakInside === "avoid" ? e : whole(e.parentElement));
          const bad = [];
          for (const table of document.querySelectorAll("main table")) {
            const [block, name] = [whole(table), table.caption.textContent];
            if (!block || block.getBoundingClientRect().height > height) bad.push(name);
            if (table.getBoundingClientRect().width > 689) bad.push(`wide: ${name}`);
          }
          for (const heading of document.querySelectorAll("main h2, main h3, main h4")) {
            if (style(heading).breakAfter !== "avoid") bad.push(heading.textContent);
          }
          return bad;
        }""",
        A4_HEIGHT,
    )
    assert broken == []
    # What only works on a screen is not printed, nor an empty column for it.
    for what in (".bar", "button.quiet", 'th:has-text("on these data")'):
        assert not page.locator(what).first.is_visible()
    page.pdf(path=tmp_path / "a.pdf", format="A4")
    pdf = (tmp_path / "a.pdf").read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 4  # the front, and each section
