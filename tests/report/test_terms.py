"""Classes that are terms of an ontology: names, links, search, unknown classes, the address."""

from functools import cache

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.browser import wait_until
from trueval import as_labels, stratified_folds
from trueval.core.labels import Labels
from trueval.data import Ontology
from trueval.report import rank_stage, read_stage, split_stage, write_report, write_stage

NAMES = ["molecular function", "kinase activity", "protein kinase activity", "binding",
         "lipid kinase activity", "never seen"]  # fmt: skip
IDS = [f"GO:000000{i}" for i in range(6)]
DEPTHS = [0, 1, 2, 1, 2, 1]


@cache
def problem():
    ontology = Ontology(
        IDS,
        [(IDS[1], IDS[0], "is_a"), (IDS[2], IDS[1], "is_a"), (IDS[3], IDS[0], "is_a"),
         (IDS[4], IDS[1], "is_a"), (IDS[5], IDS[0], "is_a")],
        names=NAMES,
        definitions=[f"Definition of <b>{name}</b>." for name in NAMES],
    )  # fmt: skip
    generator = np.random.default_rng(0)
    y = (generator.random((120, 6)) < [0.9, 0.5, 0.3, 0.4, 0.1, 0.0]).astype(int)
    scores = np.clip(generator.normal(0.3 + 0.3 * y, 0.2), 0, 1)
    index = [f"P{i:05d}" for i in range(120)]
    return Labels(y, IDS, index), scores, ontology


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    y, scores, ontology = problem()
    stages = [
        split_stage(y, stratified_folds(y, 3, random_state=0), ontology=ontology),
        rank_stage({"p": scores}, y, ontology=ontology),
    ]
    folder = tmp_path_factory.mktemp("terms")
    saved = [read_stage(write_stage(folder / f"{i}.json", s)) for i, s in enumerate(stages)]
    return write_report(folder / "a.html", saved)


def test_search_by_the_name_of_a_term(open_page, report):
    page = open_page(report)
    for key, expected in (("s0-classes", [1, 2, 4]), ("s1-live-classes", [1, 2, 4])):
        table = page.locator(f'[data-table="{key}"]')
        table.get_by_label("Find a class").fill("Kinase")
        assert sorted(table.locator("tbody th").all_inner_texts()) == [IDS[k] for k in expected]
        assert NAMES[2] in table.inner_text()
        link = table.locator("tbody th a", has_text=IDS[2])
        assert link.get_attribute("href") == f"https://amigo.geneontology.org/amigo/term/{IDS[2]}"
        assert link.get_attribute("rel") == "noopener noreferrer"
    rows = page.locator('[data-table="s1-calls"]')
    rows.get_by_label("Find a row or class").fill("binding")
    assert set(rows.locator("tbody td:nth-child(2)").all_inner_texts()) == {IDS[3]}
    link = rows.locator("tbody th a").first
    assert link.get_attribute("href") == f"https://www.uniprot.org/uniprotkb/{link.inner_text()}"


def test_one_class_by_name_id_and_part_of_a_name(open_page, report):
    y, _, _ = problem()
    sizes = y.class_sizes
    page = open_page(report)
    box, said = page.locator("[data-class=s1]"), page.locator("[data-class-said=s1]")
    about = page.locator("[data-class-about=s1]")
    chart = page.locator('[data-chart="s1-class-reliability"]')
    box.fill("Protein KINASE activity")
    assert said.inner_text() == f"{IDS[2]} {NAMES[2]}: {sizes[2]} positives."
    assert "Definition of <b>protein kinase activity</b>." in about.inner_text()
    assert chart.is_visible()
    box.fill("kinase")
    assert said.inner_text() == "There is no class “kinase”; 3 classes contain it."
    assert not chart.is_visible()
    about.get_by_role("button", name=NAMES[4]).click()
    assert box.input_value() == IDS[4]
    assert said.inner_text() == f"{IDS[4]} {NAMES[4]}: {sizes[4]} positives."
    assert chart.is_visible()
    box.fill("GO:9999999")
    assert said.inner_text() == "There is no class “GO:9999999”."
    assert about.inner_text() == ""
    assert not chart.is_visible()
    box.fill("never seen")
    assert said.inner_text() == f"{IDS[5]} never seen has no positives."
    assert not chart.is_visible()


def test_measures_of_each_class_and_their_means(open_page, report):
    y, scores, _ = problem()
    dense = y.matrix.toarray()
    page = open_page(report)
    rows = page.locator('[data-table="s1-live-classes"] tbody tr')
    shown = {line.split("\t")[0]: line.split("\t")[-2:] for line in rows.all_inner_texts()}
    precision = [average_precision_score(dense[:, k], scores[:, k]) for k in range(5)]
    auc = [roc_auc_score(dense[:, k], scores[:, k]) for k in range(5)]
    for k in range(5):
        values = [float(x.split("\n")[0]) for x in shown[IDS[k]]]
        assert values == pytest.approx([precision[k], auc[k]], abs=6e-4)
    assert shown[IDS[5]] == ["–", "–"]
    line = page.locator('tr.own:has(th:text-is("p"))').last.inner_text().split("\t")
    assert [float(x) for x in line[2:4]] == pytest.approx(
        [np.mean(precision), np.mean(auc)], abs=6e-4
    )


def test_predictions_by_depth(open_page, report):
    y, scores, _ = problem()
    page = open_page(report)
    page.locator("[data-target=n_calls]").fill("100")
    threshold = page.evaluate("TRUEVAL.live.s1.now.threshold")
    called, truth = scores >= threshold, y.matrix.toarray() == 1
    lines = page.locator("[data-groups=s1] tbody tr").all_inner_texts()
    assert [line.split("\t")[0] for line in lines] == ["0", "1", "2"]
    for depth, line in enumerate(lines):
        mine = np.array(DEPTHS) == depth
        own, right = called[:, mine], (called & truth)[:, mine]
        cells = line.split("\t")[1:]
        assert cells[:3] == [str(mine.sum()), str(truth[:, mine].sum()), str(own.sum())]
        assert cells[3] == f"{100 * own.sum() / called.sum():.1f} %"
        if own.sum():
            assert float(cells[4]) == pytest.approx(right.sum() / own.sum(), abs=6e-4)
        assert float(cells[5]) == pytest.approx(right.sum() / truth[:, mine].sum(), abs=6e-4)


def test_without_an_ontology_by_size(open_page, tmp_path):
    y = np.zeros((200, 4), int)
    for k, n in enumerate([1, 4, 5, 150]):
        y[:n, k] = 1
    stage = rank_stage({"x": np.random.default_rng(0).random((200, 4))}, as_labels(y))
    page = open_page(write_report(tmp_path / "a.html", [stage]))
    lines = page.locator("[data-groups=s0] tbody tr").all_inner_texts()
    assert [line.split("\t")[:3] for line in lines] == [
        ["1", "1", "1"], ["2 to 5", "2", "9"], ["101 to 1,000", "1", "150"],
    ]  # fmt: skip
    assert page.locator("a.out").count() == 0


def test_the_address_keeps_what_was_chosen(open_page, report):
    page = open_page(report)
    page.locator("[data-target=precision]").fill("0.7")
    page.locator("[data-class=s1]").fill(IDS[3])
    page.locator('[data-table="s1-live-classes"]').get_by_label("Find a class").fill("kin")
    page.locator('[data-table="s1-live-classes"]').get_by_role("button", name="recall").click()
    calls = page.locator("[data-out=calls]").inner_text()
    page.get_by_role("navigation").get_by_role("link", name="Rank and decide").click()
    wait_until(page, "() => location.hash.includes('s1.precision=0.7') && location.hash[1] === 's'")
    wait_until(page, "() => location.hash.includes('sort=-recall')")
    page.reload()
    page.wait_for_selector("html[data-drawn]", state="attached")
    assert page.locator("[data-target=precision]").input_value() == "0.7"
    assert page.locator("[data-out=calls]").inner_text() == calls
    assert page.locator("[data-class=s1]").input_value() == IDS[3]
    assert NAMES[3] in page.locator("[data-class-said=s1]").inner_text()
    table = page.locator('[data-table="s1-live-classes"]')
    assert table.get_by_label("Find a class").input_value() == "kin"
    assert table.locator("tbody tr").count() == 3
    assert table.locator("th", has_text="recall").get_attribute("aria-sort") == "descending"
    wait_until(
        page, "() => Math.abs(document.getElementById('s1').getBoundingClientRect().y) < 200"
    )
    # The slider takes the place of the target.
    page.locator("#s1-slider").focus()
    page.keyboard.press("Home")
    wait_until(page, "() => location.hash.includes('s1.threshold=')")
    assert "precision" not in page.evaluate("location.hash")


def test_an_address_made_by_others_does_no_harm(open_page, report):
    page = open_page(report)
    text = "s1?s1.precision=%3Cb%3E&s1.threshold=x&s1-calls.sort=%0A&s1.class=%3Cimg src=x%3E"
    with page.expect_event("load"):  # the page loads itself again for another address
        page.evaluate(f"location.hash = {text!r}")
    wait_until(page, "() => document.querySelector('[data-class=s1]').value.includes('img')")
    assert page.locator("img").count() == 0
    assert "There is no class" in page.locator("[data-class-said=s1]").inner_text()


def test_points_of_the_picture_of_classes_have_names():
    y, _, ontology = problem()
    data = split_stage(y, stratified_folds(y, 3, random_state=0), ontology=ontology).data
    # The class without positives is not drawn.
    expected = [f"{i} {name}" for i, name in zip(IDS[:5], NAMES[:5], strict=True)]
    assert data["scatter"]["names"] == expected
