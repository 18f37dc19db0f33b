"""Displays draw what was computed, and say what they lack; results show themselves as HTML."""

import builtins
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold

import trueval
from trueval import html
from trueval.core.errors import InputError
from trueval.core.presentable import Card, CardTable
from trueval.data import simulate
from trueval.displays import (
    PairBlocksDisplay,
    PrecisionRecallDisplay,
    RankerCurveDisplay,
    ReliabilityDisplay,
    SplitQualityDisplay,
)
from trueval.pairs import ObjectKFold, audit_pairs, coverage, deviation_study
from trueval.rank import (
    FDRRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    LocalTrueDiscoveryRate,
    OneClassWarning,
    PrecisionRanker,
    PValueRanker,
    pick_threshold,
    pooled_precision_recall_curve,
)
from trueval.table import Table

RANKERS = [
    FDRRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    LocalTrueDiscoveryRate,
    PValueRanker,
    PrecisionRanker,
]
NASTY = "<script>alert(1)</script>"
PAIRS = np.array(list(combinations(range(20), 2)))


@pytest.fixture(scope="module")
def scored():
    return simulate.simulation_one(400, 0.2, random_state=0)


def all_displays(scores, y):
    labels = simulate.label_matrix(300, 10, random_state=0)
    folds = np.arange(300) % 5
    return [
        SplitQualityDisplay.from_folds(labels, {"in turn": folds}),
        SplitQualityDisplay.from_quality(trueval.split_quality(labels, folds)),
        PrecisionRecallDisplay.from_values({"raw": scores, "twice": 2 * scores}, y),
        ReliabilityDisplay.from_values(scores, y),
        RankerCurveDisplay.from_ranker(PrecisionRanker().fit(scores, y), scores=scores, y=y),
        PairBlocksDisplay.from_cv(ObjectKFold(4, random_state=0), PAIRS),
    ]


def test_all_draw_on_a_given_axis_or_their_own(scored):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    for display in all_displays(*scored):
        assert display.plot() is display
        assert display.ax_.has_data() or display.ax_.images
        assert display.figure_ is display.ax_.figure
        assert display.ax_.get_xlabel()
        assert display.ax_.get_legend() is not None
        _, ax = plt.subplots()
        assert display.plot(ax).ax_ is ax
        display.figure_.canvas.draw()
    plt.close("all")


def test_without_matplotlib_the_extra_is_named(scored, monkeypatch):
    imported = builtins.__import__

    def blocked(name, *args, **kwargs):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return imported(name, *args, **kwargs)

    displays = all_displays(*scored)
    monkeypatch.setattr(builtins, "__import__", blocked)
    for name in [m for m in sys.modules if m.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    for display in displays:
        with pytest.raises(ImportError, match=r'pip install "trueval\[plot\]"'):
            display.plot()


def test_importing_displays_needs_no_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import trueval.displays as d; print(len(d.__all__))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "5"


def test_no_room_imports_displays():
    package = Path(trueval.__file__).parent
    for file in package.rglob("*.py"):
        if "displays" not in file.parts:
            assert "trueval.displays" not in file.read_text(encoding="utf-8"), file


def test_areas_are_those_of_scikit_learn(scored):
    scores, y = scored
    area = PrecisionRecallDisplay.from_values({"raw": scores}, y).areas["raw"]
    expected = average_precision_score(y.toarray().ravel(), scores.ravel())
    assert area == pytest.approx(expected)


def test_bins_hold_equal_sums_and_true_shares():
    rng = np.random.default_rng(0)
    values = rng.random((500, 4)) ** 3
    y = (rng.random((500, 4)) < values).astype(int)
    bins = ReliabilityDisplay.from_values(values, y, n_bins=8).bins["values"]
    assert bins[:, 2].sum() == 2000
    assert (bins[:, 1] * bins[:, 2]).sum() == pytest.approx(y.sum())
    sums = bins[:, 0] * bins[:, 2]
    assert sums.sum() == pytest.approx(values.sum())
    assert np.abs(sums - values.sum() / 8).max() <= 1 + 1e-9
    # Labels were drawn with these chances, so shares lie within a few standard errors.
    error = np.sqrt(bins[:, 0] * (1 - bins[:, 0]) / bins[:, 2])
    assert (np.abs(bins[:, 1] - bins[:, 0]) < 3.5 * error).all()


def test_bins_of_sparse_values_count_what_is_stored():
    values = sp.csr_array(np.array([[0.5, 0.0], [0.0, 0.25]]))
    bins = ReliabilityDisplay.from_values(values, [[1, 0], [0, 0]], n_bins=3).bins["values"]
    assert bins[:, 2].sum() == 2


def test_values_that_are_no_probabilities_are_refused():
    with pytest.raises(InputError, match=r"must lie in \[0, 1\]"):
        ReliabilityDisplay.from_values(np.array([[2.0], [0.1]]), [[1], [0]])
    with pytest.raises(ValueError, match="'n_bins' parameter"):
        ReliabilityDisplay.from_values(np.array([[0.2], [0.1]]), [[1], [0]], n_bins=0)


@pytest.mark.parametrize("ranker", RANKERS)
def test_curves_are_the_values_of_the_ranker(ranker, scored):
    scores, y = scored
    fitted = ranker().fit(scores, y)
    display = RankerCurveDisplay.from_ranker(fitted, [1], scores=scores, y=y)
    at, value, low, high = display.curves["1"]
    column = np.zeros((len(at), 5))
    column[:, 1] = at
    np.testing.assert_allclose(value, fitted.transform(column)[:, 1])
    assert (low <= value).all()
    assert (value <= high).all()
    members = np.sort(scores[:, 1][y.toarray()[:, 1] > 0])
    np.testing.assert_array_equal(np.sort(display.members["1"]), members)


def test_unknown_class_is_named(scored):
    fitted = IsotonicRanker().fit(*scored)
    with pytest.raises(InputError, match="no class 'nothing'"):
        RankerCurveDisplay.from_ranker(fitted, ["nothing"])


def test_blocks_count_every_pair_once():
    # 20 objects in 4 parts: 10 pairs inside the part, 105 of the others, 75 across.
    for scheme, expected in (("strict", [105, 10, 75]), ("relaxed", [180, 10, 0])):
        cv = ObjectKFold(4, scheme=scheme, random_state=0)
        display = PairBlocksDisplay.from_cv(cv, PAIRS, fold=2)
        assert (display.counts.sum(axis=(0, 1)) / 2).tolist() == expected
        np.testing.assert_array_equal(display.counts, display.counts.transpose(1, 0, 2))
        assert display.held_out == (15, 15)
        # Validated pairs stand in the last corner only.
        assert display.counts[:15, :, 1].sum() == 0


def test_blocks_of_two_kinds_and_of_many_objects():
    grid = np.argwhere(np.ones((6, 450), dtype=bool))
    train = np.flatnonzero(grid[:, 0] < 4)
    test = np.flatnonzero(grid[:, 0] >= 4)
    display = PairBlocksDisplay.from_split(grid, train, test, symmetric=False)
    assert display.counts.shape == (6, 200, 3)
    assert display.counts.sum(axis=(0, 1)).tolist() == [1800, 900, 0]
    assert display.n_objects == (6, 450)


def test_blocks_of_any_splitter_and_wrong_folds():
    display = PairBlocksDisplay.from_cv(KFold(5, shuffle=True, random_state=0), PAIRS)
    assert (display.counts.sum(axis=(0, 1)) / 2).tolist() == [152, 38, 0]
    with pytest.raises(
        ValueError, match=r"'fold' parameter of PairBlocksDisplay\.from_cv must be below 4"
    ):
        PairBlocksDisplay.from_cv(ObjectKFold(4, random_state=0), PAIRS, fold=7)
    with pytest.raises(InputError, match="rows of two objects"):
        PairBlocksDisplay.from_split([(0, 1, 2), (3, 4, 5)], [0], [1])


# --- HTML --------------------------------------------------------------------------


def test_cards_escape_everything():
    table = CardTable([NASTY], [[NASTY]])
    page = html.card(Card(NASTY, verdict=NASTY, tables=[table], notes=[NASTY, NASTY]))
    assert "<script>" not in page
    assert page.count("&lt;script&gt;") == 6


def test_quality_says_whether_it_is_good():
    y = simulate.label_matrix(600, 20, random_state=0)
    good = trueval.split_quality(y, trueval.stratified_folds(y, 5, random_state=0))
    assert "as well as can be" in good._repr_html_()
    assert html._GOOD in good._repr_html_()
    order = np.argsort(np.asarray(y[:, [0]].todense()).ravel(), kind="stable")
    blocks = np.empty(600, dtype=int)
    blocks[order] = np.arange(600) // 120
    poor = trueval.split_quality(y, blocks)._repr_html_()
    assert "times the deviation" in poor
    assert html._POOR in poor
    none = trueval.split_quality(np.zeros((20, 3), dtype=int), [0, 1] * 10)
    assert "nothing to spread" in none._repr_html_()
    whole = np.repeat([[1, 0], [1, 1], [0, 1]], 4, axis=0)
    assert "force none" in trueval.split_quality(whole, [0] * 6 + [1] * 6)._repr_html_()


def test_audit_says_what_is_tested():
    rows = np.array([(0, 1), (2, 3), (4, 5), (6, 7), (0, 4), (1, 0)])
    assert "two new objects" in audit_pairs(rows, [0, 1], [2, 3])._repr_html_()
    assert "mixture" in audit_pairs(rows, [0, 1], [2, 4])._repr_html_()
    assert "Leak: 1 test pairs" in audit_pairs(rows, [0], [5])._repr_html_()
    clusters = {i: i // 5 for i in range(8)}
    assert "by clusters" in audit_pairs(rows, [0, 1], [2], clusters=clusters)._repr_html_()
    nasty = audit_pairs([(NASTY, "b"), ("b", NASTY)], [0], [1], y=[0, 1])
    assert "<script>" not in nasty._repr_html_()


def test_coverage_and_study_say_what_to_conclude():
    # 20 objects in 4 parts: 4 · 10 of 190 pairs are inside a part.
    some = coverage(ObjectKFold(4, random_state=0), PAIRS)
    assert "78.9% of the rows are never validated" in some._repr_html_()
    every = coverage(ObjectKFold(4, overlapping=True, random_state=0), PAIRS)
    assert "Every row is validated" in every._repr_html_()
    proteins = simulate.protein_families(600, random_state=0)
    study = deviation_study(
        proteins.features,
        proteins.terms,
        n_objects=30,
        n_repeats=2,
        n_test_pairs=200,
        n_splits=3,
        n_neighbors=5,
        random_state=0,
    )
    page = study._repr_html_()
    assert "the relaxed scheme promises" in page
    assert "<table" in page


def test_curve_shows_its_area_and_places(scored):
    scores, y = scored
    page = pooled_precision_recall_curve(scores, y)._repr_html_()
    expected = average_precision_score(y.toarray().ravel(), scores.ravel())
    assert f"Average precision {expected:.3f}" in page
    assert "best F1" in page
    assert "precision of 0.9" in page


def test_choice_shows_message_and_intervals(scored):
    choice = pick_threshold(*scored, precision=0.9, ranker=PrecisionRanker())
    page = choice._repr_html_()
    assert "values of PrecisionRanker" in page
    assert f"{choice.precision:.3f}" in page
    low, high = choice.intervals["recall"]
    assert f"{low:.3f} to {high:.3f}" in page


@pytest.mark.parametrize("ranker", RANKERS)
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


def test_table_columns_of_numbers_stand_right():
    page = Table({"name": ["a"], "size": [3]})._repr_html_()
    assert page.index("text-align:left") < page.index("text-align:right")
