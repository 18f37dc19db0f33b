"""One summary for each result: every surface shows the same words, and text is escaped."""

import json
from itertools import combinations

import numpy as np
import pytest
from rich.console import Console
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import average_precision_score

import trueval
from tests.rankers import CURVED
from trueval import InputError
from trueval.cli.show import of_summary
from trueval.data import simulate
from trueval.data.simulate import true_rates
from trueval.pairs import ObjectKFold, audit_pairs, coverage, deviation_study, pooled_scores
from trueval.rank import (
    HalfNormalRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    OneClassWarning,
    PrecisionRanker,
    TargetWarning,
    examine_precision,
    pick_threshold,
    pooled_precision_recall_curve,
)
from trueval.show import Column, Fact, Summary, SummaryTable, Verdict, summary, to_html, to_text
from trueval.show._cards import COLOURS
from trueval.table import Table

NASTY = "<script>alert(1)</script>"
PAIRS = np.array(list(combinations(range(20), 2)))


def results(scores, y):
    """One of each kind of result that has a summary."""
    labels = simulate.label_matrix(300, 10, random_state=0)
    cv = ObjectKFold(4, random_state=0)
    truth = PAIRS.sum(axis=1) % 2
    train, test = next(cv.split(None, truth, PAIRS))
    return {
        "quality": trueval.split_quality(labels, np.arange(300) % 5),
        "audit": audit_pairs(PAIRS, train, test, y=truth),
        "coverage": coverage(cv, PAIRS, truth),
        "index": trueval.pairs.as_pairs(PAIRS),
        "scores": pooled_scores(_Constant(), PAIRS, truth, PAIRS, cv),
        "choice": pick_threshold(scores, y, precision=0.9, ranker=IsotonicRanker()),
        "least cost": pick_threshold(scores, y, cost_ratio=3, ranker=PrecisionRanker()),
        "jumps": examine_precision(scores, y, n_draws=19),
        "shared": PrecisionRanker().fit(scores, y),
        "curve": pooled_precision_recall_curve(scores, y),
        "ranker": IsotonicRanker().fit(scores, y),
        "table": Table({"name": ["a", "b"], "value": [1.5, np.nan]}),
    }


class _Constant(ClassifierMixin, BaseEstimator):
    """A model that scores a pair by its first object."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X[:, 0].astype(float)


def test_every_surface_shows_the_same_words(scored):
    for name, result in results(*scored).items():
        content = summary(result)
        console = Console(width=4000, highlight=False, emoji=False, record=True, file=None)
        with console.capture() as capture:
            for item in of_summary(content):
                console.print(item, markup=False)
        terminal, text, page = capture.get(), to_text(content), to_html(content)
        words = [content.title, *content.notes]
        if content.verdict is not None:
            words.append(content.verdict.text)
            assert COLOURS[content.verdict.level] in page
        for table in content.tables:
            words += [cell for row in table.cells() for cell in row]
        for word in words:
            assert word in terminal, (name, word)
            assert " ".join(word.split()) in " ".join(text.split()), (name, word)
            assert word.replace("&", "&amp;").replace("'", "&#x27;") in page.replace(
                "&lt;", "<"
            ).replace("&gt;", ">"), (name, word)
        if name not in (
            "curve",
            "ranker",
            "shared",
        ):  # a tuple, estimators
            assert repr(result) == text
        assert page in (result._repr_html_() if hasattr(result, "_repr_html_") else page)


def test_summaries_survive_json(scored):
    for result in results(*scored).values():
        content = summary(result)
        fields = json.loads(json.dumps(content.to_dict(), allow_nan=False))
        again = Summary.from_dict(fields)
        assert to_html(again) == to_html(content)
        assert to_text(again) == to_text(content)


def test_what_has_no_summary_is_refused():
    with pytest.raises(TypeError, match="no summary of a int"):
        summary(3)


def test_rows_have_as_many_cells_as_columns():
    with pytest.raises(InputError, match="2 columns, but a row 1 cells"):
        SummaryTable([Column("a"), Column("b")], [[1]])


def test_units_and_digits():
    assert Fact("share", 0.25, "%").text == "25 %"
    assert Fact("pairs", 25, "%").text == "25"
    assert Fact("rLD", 1.5, "×").text == "1.500 ×"
    assert Fact("rLD", "–", "×").text == "–"
    assert Fact("pairs", 1200, "pairs").text == "1,200 pairs"
    assert Column("value", digits=5).show(0.25) == "0.25000"
    assert Column("value", digits=10**9).show(0.25) == "0.2500000000"


def test_cards_escape_everything():
    table = SummaryTable([Column(NASTY)], [[NASTY]])
    content = Summary(
        NASTY, Verdict(NASTY, NASTY, "good"), [Fact(NASTY, NASTY, "", NASTY)], [table], [NASTY]
    )
    page = to_html(content)
    assert "<script>" not in page
    assert page.count("&lt;script&gt;") == 9


def test_names_from_data_are_escaped():
    nasty = audit_pairs([(NASTY, "b"), ("b", NASTY)], [0], [1], y=[0, 1])
    assert "<script>" not in nasty._repr_html_()
    assert "&lt;b&gt;" in Table({"name": ["<b>"]})._repr_html_()


def test_table_columns_of_numbers_are_flush_right():
    page = Table({"name": ["a"], "size": [3]})._repr_html_()
    assert page.index("text-align:left") < page.index("text-align:right")


def test_a_study_says_what_to_conclude():
    proteins = simulate.protein_families(600, random_state=0)
    sizes = {"n_objects": 30, "n_repeats": 2, "n_test_pairs": 200, "n_splits": 3, "n_neighbors": 5}
    study = deviation_study(proteins.features, proteins.terms, **sizes, random_state=0)
    means = {
        scheme: study.moment("mean", scheme, "averaged", 5) for scheme in ("relaxed", "strict")
    }
    page = study._repr_html_()
    for scheme, mean in means.items():
        side = "over" if mean > 0 else "under"
        assert f"the {scheme} scheme {side}estimates it by {abs(mean):.3f}" in page
    assert "<table" in page


def test_curve_shows_its_area_and_places(scored):
    scores, y = scored
    curve = pooled_precision_recall_curve(scores, y)
    expected = average_precision_score(y.toarray().ravel(), scores.ravel())
    assert curve.average_precision == pytest.approx(expected)
    page = curve._repr_html_()
    assert f"average precision {expected:.3f}" in page
    assert "best F1" in page
    assert "precision of 0.9" in page


def test_choice_shows_its_intervals(scored):
    choice = pick_threshold(*scored, precision=0.9, ranker=PrecisionRanker())
    page = choice._repr_html_()
    assert "scores of PrecisionRanker" in page
    assert f"{choice.precision:.3f}" in page
    low, high = choice.intervals["recall"]
    assert f"{low:.3f} to {high:.3f}" in page


@pytest.mark.parametrize("ranker", [*CURVED, HalfNormalRanker])
def test_rankers_keep_their_diagram_and_add_the_fit(ranker, scored):
    scores, y = scored
    before = ranker()._repr_html_()
    assert "cannot be ranked" not in before
    names = np.array([NASTY, "b", "c", "d", "e"])
    labels = y.toarray()
    labels[:, 0] = 0
    with pytest.warns(OneClassWarning):
        fitted = ranker().fit(scores, trueval.Labels(trueval.as_labels(labels).matrix, names))
    for page in (fitted._repr_html_(), fitted._repr_mimebundle_()["text/html"]):
        assert "sk-" in page
        assert "Fitted on 5 classes, 4 of them with a curve" in page
        assert "1 cannot be ranked" in page
        assert NASTY not in page
    if ranker is LocalPrecisionRate:
        assert "bandwidth: median" in fitted._repr_html_()
    if ranker is PrecisionRanker:
        assert "curves: " in fitted._repr_html_()


def test_thresholds_of_probabilities_say_where_they_cut(scored):
    scores, y = scored
    choice = pick_threshold(scores, y, cost_ratio=3, ranker=PrecisionRanker())
    content = summary(choice)
    assert "Pairs are predicted from a probability of 0.75 on: on new data" in content.verdict.text
    assert content.verdict.level == "good"
    assert "the least cost, 3 for a false prediction and 1 for a miss" in content.title
    assert ["cost per row", f"{choice.cost:.3f}"] in [row[:2] for row in content.tables[0].cells()]
    with pytest.warns(TargetWarning):
        wrong = pick_threshold(true_rates(scores, 0.2) ** 0.2, y, map=True)
    assert "probability of 0.5 on, but the probabilities are not" in summary(wrong).verdict.text
    assert summary(wrong).verdict.level == "poor"


def test_jumps_are_named():
    scores, y = simulate.simulation_one(1000, 0.1, random_state=0)
    content = summary(examine_precision(scores, y, classes=[0, 1], n_draws=99))
    assert "The rate jumps, or rises too fast to tell it from a jump, in 1." in content.verdict.text
    assert [row[0] for row in content.tables[0].rows] == ["0", "1"]
    smooth = summary(examine_precision(scores, y, classes=[0], n_draws=99))
    assert smooth.verdict.level == "good"


def test_rows_are_counted_where_pairs_repeat():
    """Two folds of four objects validate two of six pairs; all pairs but one are there twice."""
    pairs = list(combinations("abcd", 2))
    folds = ObjectKFold(2, random_state=0)
    once = coverage(folds, pairs)
    assert "66.7 % of the pairs are never validated" in repr(once)
    twice = coverage(folds, pairs + pairs[1:])
    n_never = sum(1 + (pairs[row] != ("a", "b")) for row in once.never)
    assert "5 repeated rows" in repr(twice)
    assert f"never validated: {n_never} rows ({100 * n_never / 11:.1f} %)" in repr(twice)
    assert "pairs (" not in repr(twice)
