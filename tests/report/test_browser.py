"""The page in a browser: no request, no complaint, and numbers equal to Python's."""

import csv
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from tests.browser import wait_until
from tests.report import problems
from trueval.data import simulate
from trueval.rank import (
    PrecisionRanker,
    f_measure,
    pick_threshold,
    pooled_precision_recall_curve,
)
from trueval.report import rank_stage, split_stage, write_report
from trueval.show import number, verdict

HOSTILE = ["<script>alert(1)</script>", "</script><script>alert(2)</script>",
           "<img src=x onerror=alert(3)>", "plain"]  # fmt: skip


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    stages = [problems.split(), problems.pairs(), problems.rank()]
    return write_report(path, stages, title="A test")


def text_of(page, selector):
    return page.locator(selector).inner_text()


def test_all_charts_are_drawn(open_page, report):
    page = open_page(report)
    charts = page.locator("[data-chart]")
    assert charts.count() == 4 + 3 + 5
    for i in range(charts.count()):
        name = charts.nth(i).get_attribute("data-chart")
        assert charts.nth(i).locator("svg.marks").count() == 1, name
        assert charts.nth(i).locator("svg.marks path").count() > 3, name


def test_every_threshold_counts_as_python_does(open_page, report):
    values, y, _, _ = problems.ranked()
    own, truth = values["precision"], y.toarray() == 1
    page = open_page(report)
    made = page.evaluate(
        """() => {
          const { counts } = TRUEVAL.live.s2;
          return Array.from({ length: counts.length }, (_, g) => ({
            ...counts.pooled(g, 2),
            classes: counts.classSizes.map((_, k) => counts.ofClass(k, g)),
          }));
        }"""
    )
    curve = pooled_precision_recall_curve(own, y)
    at = {t: (p, r) for p, r, t in zip(*curve[:2], curve.thresholds, strict=False)}
    assert len(made) == len(curve.thresholds)
    for now in made:
        called = own >= now["threshold"]
        assert now["calls"] == called.sum()
        assert now["hits"] == (called & truth).sum()
        assert (now["precision"], now["recall"]) == at[now["threshold"]]
        assert now["f"] == f_measure(own, y, beta=2.0, threshold=now["threshold"])
        assert [c["calls"] for c in now["classes"]] == called.sum(axis=0).tolist()
        assert [c["hits"] for c in now["classes"]] == (called & truth).sum(axis=0).tolist()
        for k, line in enumerate(now["classes"]):
            scores = values["raw"][called[:, k], k]
            low = None if line["low"] is None else np.float32(line["low"])
            assert low == (np.float32(scores.min()) if len(scores) else None)


def test_a_thinned_grid_is_exact_too(open_page, tmp_path):
    generator = np.random.default_rng(0)
    y = sp.csr_array(sp.random(400, 60, 0.05, random_state=generator) > 0).astype(int)
    values = np.clip(generator.random((400, 60)) ** 3 + 0.3 * y.toarray(), 0, 1)
    stage = rank_stage({"values": values}, y)
    assert len(stage.data["grid"]["thresholds"]) < stage.data["grid"]["n_distinct"]
    page = open_page(write_report(tmp_path / "a.html", [stage]))
    places = list(range(0, len(stage.data["grid"]["thresholds"]), 97))
    made = page.evaluate(
        """(places) => places.map((g) => {
          const { counts } = TRUEVAL.live.s0;
          const classes = counts.classSizes.map((_, k) => counts.ofClass(k, g));
          return { ...counts.pooled(g), classes };
        })""",
        places,
    )
    for now in made:
        called = values >= now["threshold"]
        assert now["calls"] == called.sum()
        assert now["hits"] == called[y.toarray() == 1].sum()
        assert [c["calls"] for c in now["classes"]] == called.sum(axis=0).tolist()


def test_the_slider_changes_what_is_shown(open_page, report):
    values, y, _, _ = problems.ranked()
    own = values["precision"]
    page = open_page(report)
    slider = page.locator("#s2-slider")
    slider.focus()
    before = text_of(page, "[data-out=calls]")
    page.keyboard.press("Home")
    assert text_of(page, "[data-out=calls]") == str((own >= own.max()).sum())
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    threshold = np.unique(own)[::-1][5]
    called, truth = own >= threshold, y.toarray() == 1
    assert text_of(page, "[data-out=calls]") == f"{called.sum():,}" != before
    assert text_of(page, "[data-out=precision]") == f"{truth[called].mean():.3f}"
    assert text_of(page, "[data-out=recall]") == f"{truth[called].sum() / truth.sum():.3f}"
    assert text_of(page, "[data-out=classes]") == str(called.any(axis=0).sum())
    assert f"{called.sum()} predictions" in slider.get_attribute("aria-valuetext")
    gains = page.locator('[data-out="s2-affected"]').inner_text()
    assert gains.startswith("Compared with threshold")
    page.locator("[data-pin=s2]").click()
    assert "Move the threshold" in page.locator('[data-out="s2-affected"]').inner_text()


def python_choice(own, y, target, wanted):
    """Calls of the best threshold, searched in full."""
    truth = y.toarray() == 1
    made = []
    for threshold in np.unique(own)[::-1]:
        called = own >= threshold
        hits = (called & truth).sum()
        made.append((called.sum(), hits / called.sum(), hits / truth.sum(),
                     f_measure(own, y, beta=wanted, threshold=threshold)))  # fmt: skip
    if target == "precision":
        return max(m[0] for m in made if m[1] >= wanted)
    if target == "recall":
        return min(m[0] for m in made if m[2] >= wanted)
    if target == "n_calls":
        return max(m[0] for m in made if m[0] <= wanted)
    return max(made, key=lambda m: m[3])[0]


@pytest.mark.parametrize(
    ("target", "wanted"), [("precision", 0.85), ("recall", 0.6), ("beta", 0.5), ("n_calls", 100)]
)
def test_typing_a_target_finds_it(open_page, report, target, wanted):
    values, y, _, _ = problems.ranked()
    page = open_page(report)
    page.locator(f"[data-target={target}]").fill(str(wanted))
    expected = python_choice(values["precision"], y, target, wanted)
    assert text_of(page, "[data-out=calls]") == f"{expected:,}"
    assert f"{expected:,} predictions" in text_of(page, "#s2-said")
    if target == "beta":
        assert text_of(page, "[data-out=f-name]") == f"F{wanted}"


def test_targets_that_cannot_be(open_page, report):
    page = open_page(report)
    precision = page.locator("[data-target=precision]")
    before = text_of(page, "[data-out=calls]")
    precision.fill("1.5")
    assert text_of(page, "#s2-said") == "A precision is above 0 and at most 1."
    assert precision.get_attribute("aria-invalid") == "true"
    assert text_of(page, "[data-out=calls]") == before
    precision.fill("0.5")
    assert precision.get_attribute("aria-invalid") is None


def test_a_promise_can_be_shown_on_these_data(open_page, report):
    values, y, _, choices = problems.ranked()
    page = open_page(report)
    page.locator('[data-choice="s2-1"]').click()
    expected = python_choice(values["precision"], y, "beta", 2.0)
    assert text_of(page, "[data-out=calls]") == f"{expected:,}"
    assert verdict(choices[1]).text in page.locator("#s2").inner_text()


def test_tables_sort_and_filter(open_page, report):
    page = open_page(report)
    table = page.locator('[data-table="s0-classes"]')
    sizes = np.sort(problems.labels().sum(axis=0))
    table.get_by_role("button", name="positives").click()
    header = table.locator("th", has_text="positives")
    assert header.get_attribute("aria-sort") == "descending"
    shown = [int(t) for t in table.locator("tbody tr td:nth-child(2)").all_inner_texts()]
    assert shown == sizes[::-1].tolist()
    table.get_by_role("button", name="positives").click()
    assert header.get_attribute("aria-sort") == "ascending"
    shown = [int(t) for t in table.locator("tbody tr td:nth-child(2)").all_inner_texts()]
    assert shown == sizes.tolist()
    table.get_by_label("Find a class").fill("11")
    assert table.locator("tbody tr th").all_inner_texts() == ["11"]
    table.get_by_label("Find a class").fill("no such class")
    assert table.locator("tbody").inner_text() == "Nothing to show."


def test_calls_can_be_paged_searched_and_downloaded(open_page, report, tmp_path):
    values, y, _, _ = problems.ranked()
    own, truth = values["precision"], y.toarray()
    page = open_page(report)
    page.locator("[data-target=n_calls]").fill("40")
    table = page.locator('[data-table="s2-calls"]')
    assert table.locator("tbody tr").count() == 15
    table.get_by_role("button", name="Next").click()
    assert "16 to 30 of" in table.locator(".pager").inner_text()
    with page.expect_download() as started:
        table.get_by_role("button", name="Download CSV").click()
    started.value.save_as(tmp_path / "calls.csv")
    with (tmp_path / "calls.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    made = {(int(x["object"]), int(x["class"])): x for x in lines}
    threshold = min(float(x["value"]) for x in lines)
    assert set(made) == {(int(i), int(k)) for i, k in np.argwhere(own >= threshold)}
    for (i, k), line in made.items():
        assert float(line["value"]) == own[i, k]
        assert line["member"] == str(truth[i, k])


def test_one_class_is_chosen_by_name(open_page, report):
    page = open_page(report)
    chart = page.locator('[data-chart="s2-class-curve"]')
    before = chart.locator("svg.marks").inner_html()
    sizes = problems.ranked()[1].sum(axis=0)
    other = int(np.argmin(sizes))  # the page begins with the largest
    page.locator("[data-class=s2]").fill(str(other))
    said = f"{other}: {sizes[other]} positives."
    assert page.locator("[data-class-said=s2]").inner_text() == said
    wait_until(
        page,
        """(before) => {
          const drawn = document.querySelector('[data-chart="s2-class-curve"] svg.marks');
          return drawn && drawn.innerHTML !== before;
        }""",
        arg=before,
    )


def test_a_class_that_is_not_there_leaves_no_picture_of_another(open_page, report):
    page = open_page(report)
    chart = page.locator('[data-chart="s2-class-curve"]')
    assert chart.is_visible()
    page.locator("[data-class=s2]").fill("nonsense")
    assert not chart.is_visible()
    assert page.locator("[data-class-said=s2]").inner_text() == "There is no class “nonsense”."
    page.locator("[data-class=s2]").fill("3")
    assert chart.is_visible()


def test_a_class_beyond_those_kept_says_so(open_page, tmp_path):
    generator = np.random.default_rng(0)
    y = (generator.random((60, 400)) < 0.1).astype(int)
    y[:, 399] = 0
    stage = rank_stage({"values": generator.random((60, 400))}, y)
    kept = {line["class"] for line in stage.data["per_class"]["lines"]}
    left_out = next(k for k in range(399) if k not in kept and y[:, k].any())
    page = open_page(write_report(tmp_path / "a.html", [stage]))
    said = page.locator("[data-class-said=s0]")
    page.locator("[data-class=s0]").fill(str(left_out))
    assert said.inner_text() == (
        f"The page holds no curves of {left_out} ({y[:, left_out].sum()} positives)."
    )
    page.locator("[data-class=s0]").fill("399")
    assert said.inner_text() == "399 has no positives."


def test_the_saved_threshold_has_the_saved_counts(open_page, tmp_path):
    scores, y = simulate.simulation_one(300, 0.2, random_state=0)
    choices = [
        pick_threshold(scores, y, precision=0.85, ranker=PrecisionRanker()),
        pick_threshold(scores, y, recall=0.35, ranker=PrecisionRanker()),
    ]
    stage = rank_stage({"precision": choices[0].calibrated_}, y, choices=choices)
    page = open_page(write_report(tmp_path / "a.html", [stage]))
    for place, choice in enumerate(choices):
        if place:
            page.locator(f'[data-choice="s0-{place}"]').click()
        predicted = choice.predict()
        by_class = np.bincount(predicted.indices, minlength=5)
        assert text_of(page, "#s0-threshold") == f"≥ {number(choice.calibrated_threshold_, 4)}"
        assert text_of(page, "[data-out=calls]") == number(predicted.nnz)
        assert text_of(page, "[data-out=classes]") == number(int((by_class > 0).sum()))
        rows = page.locator('[data-table="s0-live-classes"] tbody tr').all_inner_texts()
        shown = {int(row.split()[0]): int(row.split()[2]) for row in rows}
        assert shown == dict(enumerate(by_class.tolist()))
        hits = predicted.multiply(y).nnz / predicted.nnz
        assert text_of(page, "[data-out=precision]") == number(hits)


def test_the_page_cannot_evaluate_text(browser, report):
    """The policy is in force: a script cannot run a string, nor add a script or a style."""
    page = browser.new_page()
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-drawn]", state="attached")
    violated = page.evaluate(
        """async () => {
          const seen = [];
          const note = (event) => seen.push(event.effectiveDirective);
          document.addEventListener("securitypolicyviolation", note);
          let error = "none";
          // The debugger that runs this may evaluate; what is called later may not.
          setTimeout(() => {
            try { new Function("return 1")(); } catch (raised) { error = raised.name; }
          });
          const script = document.createElement("script");
          script.textContent = "window.added = true";
          document.body.append(script);
          const style = document.createElement("style");
          style.textContent = "body { display: none }";
          document.head.append(style);
          await new Promise((resolve) => setTimeout(resolve, 200));
          return { error, added: window.added ?? false, seen };
        }"""
    )
    assert violated["error"] == "EvalError"
    assert violated["added"] is False
    assert {"script-src-elem", "style-src-elem"} <= set(violated["seen"])
    assert page.locator("h1").is_visible()
    page.close()


def test_hostile_names_are_shown_not_run(open_page, tmp_path):
    import pandas as pd

    frame = pd.DataFrame(np.tile(np.eye(4, dtype=int), (10, 1)), columns=HOSTILE)
    values = np.random.default_rng(0).random((40, 4))
    ids = [HOSTILE[i % 3] + str(i) for i in range(40)]
    provenance = {"command": HOSTILE[1], "versions": {HOSTILE[0]: HOSTILE[2]}}
    stages = [
        split_stage(frame, np.arange(40) % 2, method=HOSTILE[0], provenance=provenance),
        rank_stage({HOSTILE[1]: values}, frame, ids=ids, provenance=provenance),
    ]
    page = open_page(write_report(tmp_path / "a.html", stages, title=HOSTILE[1]))
    assert page.title() == HOSTILE[1]
    assert page.locator("h1").inner_text() == HOSTILE[1]
    for table in ("s0-classes", "s1-live-classes"):
        names = page.locator(f'[data-table="{table}"] tbody th').all_inner_texts()
        assert sorted(names) == sorted(HOSTILE)
    assert page.locator("#s0-command").inner_text() == HOSTILE[1]
    page.locator('[data-chart="s0-scatter"] svg path[aria-label]').first.hover(force=True)
    page.locator("[data-class=s1]").fill(HOSTILE[0])
    assert page.locator("img").count() == 0


def test_dark_and_light(open_page, report):
    page = open_page(report, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(18, 23, 28)"
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.get_by_role("button", name="Switch to the light theme").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    wait_until(
        page,
        "[...document.querySelectorAll('[data-chart=\"s0-sizes\"] svg path')]"
        ".some((p) => p.getAttribute('fill') === '#0a6b73')",
    )
    page = open_page(report, color_scheme="light")
    assert page.locator("html").get_attribute("data-theme") == "light"


def test_a_phone_needs_no_sideways_scrolling(open_page, report):
    page = open_page(report, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    # Only the frames of tables may scroll, and the keyboard reaches them.
    frames = page.locator(".scroll")
    for i in range(frames.count()):
        assert frames.nth(i).get_attribute("tabindex") == "0"


def test_names_for_those_who_do_not_see(open_page, report):
    page = open_page(report)
    nameless = page.evaluate(
        """() => {
          const count = (what, bad) => [...document.querySelectorAll(what)].filter(bad).length;
          const ids = [...document.querySelectorAll("[id]:not(svg [id])")].map((x) => x.id);
          return {
            inputs: count("input", (x) => !x.labels.length),
            buttons: count("button", (x) => !x.textContent.trim()),
            menus: count("summary", (x) => !(x.getAttribute("aria-label") ?? x.textContent.trim())),
            tables: count("table", (x) => !x.caption),
            heads: count("th", (x) => !x.scope),
            charts: count("svg.marks", (x) => !x.querySelector("[aria-label]")),
            twice: ids.length - new Set(ids).size,
          };
        }"""
    )
    assert nameless == dict.fromkeys(nameless, 0)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((h) => +h.tagName[1])"
    )
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_the_command_is_copied(open_page, report):
    page = open_page(report, permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-copy=s0-command]").click()
    wait_until(page, "document.querySelector('[data-copy]').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == problems.PROVENANCE["command"]


def test_it_prints(open_page, report, tmp_path):
    page = open_page(report)
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").read_bytes()[:5] == b"%PDF-"
