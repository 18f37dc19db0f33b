"""Displays draw what was computed, and say what they lack; results plot themselves by them."""

import builtins
import subprocess
import sys
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold

import trueval
from tests.rankers import CURVED
from trueval.core.errors import InputError, ParameterError
from trueval.data import simulate
from trueval.displays import (
    CoverageDisplay,
    DeviationDisplay,
    PairAuditDisplay,
    PairBlocksDisplay,
    PrecisionRankDisplay,
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
    PrecisionRanker,
    pooled_precision_recall_curve,
)

PAIRS = np.array(list(combinations(range(20), 2)))


def all_displays(scores, y):
    labels = simulate.label_matrix(300, 10, random_state=0)
    folds = np.arange(300) % 5
    return [
        SplitQualityDisplay.from_folds(labels, {"in turn": folds}),
        SplitQualityDisplay.from_quality(trueval.split_quality(labels, folds)),
        PrecisionRecallDisplay.from_values({"raw": scores, "twice": 2 * scores}, y),
        ReliabilityDisplay.from_values(scores, y),
        RankerCurveDisplay.from_ranker(PrecisionRanker().fit(scores, y), scores=scores, y=y),
        PrecisionRankDisplay.from_scores(scores, y, n_draws=19),
        PairBlocksDisplay.from_cv(ObjectKFold(4, random_state=0), PAIRS),
        PairAuditDisplay.from_audits(an_audit()),
        CoverageDisplay.from_coverage(coverage(ObjectKFold(4, random_state=0), PAIRS)),
        DeviationDisplay.from_study(a_study()),
    ]


def an_audit():
    train, test = next(KFold(4, shuffle=True, random_state=0).split(PAIRS))
    return audit_pairs(PAIRS, train, test)


@cache
def a_study():
    proteins = simulate.protein_families(600, random_state=0)
    return deviation_study(
        proteins.features,
        proteins.terms,
        n_objects=30,
        n_repeats=3,
        n_test_pairs=200,
        n_splits=3,
        n_neighbors=[5, 10],
        random_state=0,
    )


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
    assert done.stdout.strip() == "9"


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


@pytest.mark.parametrize("ranker", CURVED)
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


# --- results plot themselves -------------------------------------------------------


@pytest.fixture
def ax():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    yield plt.subplots()[1]
    plt.close("all")


def widths(ax):
    """Widths of the bars, by label and then by bar."""
    return {c.get_label(): [bar.get_width() for bar in c] for c in ax.containers}


def test_a_split_plots_its_classes(ax):
    y = simulate.label_matrix(300, 15, random_state=0)
    quality = trueval.split_quality(y, np.arange(300) % 3)
    display = quality.plot(ax)
    assert isinstance(display, SplitQualityDisplay)
    x, height = display.ax_.lines[0].get_data()
    np.testing.assert_array_equal(x, quality.per_class["size"])
    np.testing.assert_allclose(height, np.maximum(quality.per_class["rld_wanted"], 1 / 300))


def test_an_audit_plots_its_counts(ax):
    audit = an_audit()
    display = audit.plot(ax)
    assert isinstance(display, PairAuditDisplay)
    assert {name[:2]: n for name, (n,) in widths(ax).items()} == audit.counts


def test_coverage_plots_what_folds_do(ax):
    covered = coverage(ObjectKFold(4, random_state=0), PAIRS)
    assert isinstance(covered.plot(ax), CoverageDisplay)
    columns = {"trained on": "train", "validated": "validated", "left out": "dropped"}
    assert widths(ax) == {name: covered.folds[k].tolist() for name, k in columns.items()}


@pytest.mark.parametrize("moment", ["mean", "variance", "second_moment"])
def test_a_study_plots_its_moments(ax, moment):
    study = a_study()
    assert isinstance(study.plot(moment, ax), DeviationDisplay)
    drawn = {c.get_label(): c.lines[0].get_ydata().tolist() for c in ax.containers}
    for estimate in ("averaged", "pooled", "leave-two-out"):
        for scheme in ("relaxed", "strict"):
            expected = [study.moment(moment, scheme, estimate, k) for k in (5, 10)]
            assert drawn[f"{estimate}, {scheme}"] == expected


def test_curves_and_rankers_plot(ax, scored):
    scores, y = scored
    curve = pooled_precision_recall_curve(scores, y)
    display = curve.plot("raw", ax)
    assert isinstance(display, PrecisionRecallDisplay)
    assert list(display.curves) == ["raw"]
    for ranker in (PrecisionRanker(), LocalPrecisionRate(), FDRRanker(), IsotonicRanker()):
        fitted = ranker.fit(scores, y)
        display = fitted.plot(2, ax)
        assert isinstance(display, RankerCurveDisplay)
        assert list(display.curves) == ["2"]
        with pytest.raises(ParameterError, match=r"from 0 to 4\. Got 9 instead"):
            fitted.plot(9)
        assert list(fitted.plot("3", ax).curves) == ["3"]


NAMES = ("US$ to A$", r"A$\foo$", "_hidden", "a_b^c")


def shown(ax):
    """What a legend shows, once drawn; matplotlib takes ``\\$`` for a dollar."""
    ax.figure.canvas.draw()
    return [text.get_text().replace(r"\$", "$").strip() for text in ax.get_legend().get_texts()]


def test_names_are_shown_as_they_are(ax, scored):
    scores, y = scored
    curve = pooled_precision_recall_curve(scores, y)
    PrecisionRecallDisplay.from_curves(dict.fromkeys(NAMES, curve)).plot(ax)
    assert [text.rsplit(" (average", 1)[0].strip() for text in shown(ax)] == list(NAMES)
    quality = trueval.split_quality(y, np.arange(y.shape[0]) % 3)
    ax.clear()
    SplitQualityDisplay.from_quality(dict.fromkeys(NAMES, quality)).plot(ax)
    assert [text.rsplit(" (", 1)[0].strip() for text in shown(ax)] == [*NAMES, "lower bound"]
    frame = pd.DataFrame(scores[:, :3], columns=NAMES[:3])
    three = pd.DataFrame(y[:, [0, 1, 2]].toarray(), columns=NAMES[:3])
    fitted = IsotonicRanker().fit(frame, three)
    ax.clear()
    RankerCurveDisplay.from_ranker(fitted, NAMES[:3]).plot(ax)
    assert shown(ax) == list(NAMES[:3])
    ax.clear()
    PrecisionRankDisplay.from_scores(frame, three).plot(ax)
    assert shown(ax) == list(NAMES[:3])
    ax.clear()
    PairAuditDisplay.from_audits(dict.fromkeys(NAMES[:3], an_audit())).plot(ax)
    ax.figure.canvas.draw()
    ticks = [text.get_text().replace(r"\$", "$").strip() for text in ax.get_yticklabels()]
    assert ticks == list(NAMES[:3])
