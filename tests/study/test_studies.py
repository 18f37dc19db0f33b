"""Small runs of every study, without any data on the machine."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from trueval.core.errors import InputError
from trueval.data import simulate
from trueval.stratify import measures
from trueval.study import STUDIES, run_study
from trueval.study import _sources as sources
from trueval.study._rcv1 import repaired_halves
from trueval.study._split_measures import one_fold

COLUMNS = {
    "000-figure1": {"split", "fold", "class 1", "class 1 paper", "class 3"},
    "000-models": {"data", "method", "AP bias", "AP bias se", "AP spread", "AUC bias", "undefined"},
    "000-sentences": {"sentence", "data", "figure", "value", "holds", "holds paper"},
    "000-table1": {"name", "acronym", "family", "method", "LD", "LPD", "rLD × bound", "seconds"},
    "000-figure2": {"panel", "share of the fold", "largest class", "says", "says paper"},
    "000-figure3": {"split", "measure", "by design", "median", "says", "says paper"},
    "000-table2": {"data", "rows", "rows paper", "classes", "density", "max"},
    "000-table3": {"data", "method", "ED", "LD", "DCP", "rLD", "rLD se", "rLD paper", "seconds"},
    "001-figure1": {"type", "pairs", "members seen", "members seen paper", "strict trains on"},
    "001-learners": {"data", "learner", "estimate", "relaxed mean", "strict mean se", "AUC"},
    "001-schemes": {"data", "pairs", "estimate", "relaxed mean", "strict mean", "strict variance"},
    "001-skill": {"data", "skill", "estimate", "relaxed mean", "strict mean", "AUC", "AUC se"},
    "001-trends": {"statement", "data", "reading", "holds", "holds paper", "values"},
    "001-figure2": {"way", "pairs validated", "pairs validated paper", "validated twice"},
    "001-table1": {"data", "reading", "scheme", "A-10x", "A-10x se", "A-10x paper", "P-10x", "LTO"},
    "001-table2": {"data", "reading", "scheme", "A-10x", "A-10x se", "A-10x paper", "P-10x", "LTO"},
    "001-variants": {"change", "data", "scheme", "A-10x", "A-10x paper", "LTO"},
    "001-figure3": {"data", "reading", "scheme", "way", "K=10", "K=50", "K=100", "K=50 se"},
    "002-bandwidth": {"class", "M", "loo-precision", "loo", "loo se", "h of loo", "jumps"},
    "002-corollary1": {"what", "class", "M", "h", "u", "measured", "measured paper", "ours"},
    "002-corollary2": {"class", "what", "M=500", "slope", "slope paper", "slope of LPR"},
    "002-hierarchy": {"data", "method", "average precision", "against max or project", "hit area"},
    "002-options": {"M", "π1", "π2", "loo-precision", "loo", "jumps", "gain", "gain se"},
    "002-rivals": {"rival", "data", "measure", "half-normal", "OT", "cyclic from own"},
    "002-theorem1": {"data", "classes", "calls", "best thresholds", "LPR", "u1 of LPR"},
    "002-figure1": {"data", "recall", "raw", "LPR", "ours", "oracle", "LPR, GEO (Table 6)"},
    "002-table2": {"M", "π1", "raw", "raw se", "raw paper", "LPR", "ours", "oracle"},
    "002-table3": {"M", "π1", "LPR", "LPR paper", "OT", "OT paper", "ours honest"},
    "002-table4": {"M", "π1", "π2", "LPR", "LPR paper", "p-value", "ours", "oracle"},
    "002-table5": {"M", "π1", "π2", "LPR", "LPR paper", "OT", "LPR honest"},
    "002-table6": {"data", "recall", "first stage", "two stage paper", "LPR", "LPR paper", "ours"},
    "002-table7": {"data", "method", "F", "F paper", "precision", "recall se"},
    "002-table8": {"data", "folds", "β", "measure", "OT", "OT se", "OT paper", "LPR", "ours"},
}
FIGURES = {
    *("000-figure2", "000-figure3", "001-figure1", "001-figure2", "001-figure3"),
    *("001-skill", "001-trends"),
    *("002-bandwidth", "002-figure1", "002-theorem1"),
}


@pytest.fixture(autouse=True)
def no_data(tmp_path, monkeypatch):
    """Folders without data."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("TRUEVAL_DATA", str(folder))
    monkeypatch.setenv("TRUEVAL_CACHE", str(tmp_path / "cache"))
    sources.label_matrix.cache_clear()
    yield folder
    sources.label_matrix.cache_clear()


def test_every_study_has_its_columns_listed():
    assert set(COLUMNS) == set(STUDIES)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_small_run_has_its_columns(name, tmp_path):
    result = run_study(name, quick=True, repeats=2, out=tmp_path)
    assert COLUMNS[name] <= set(result.table.columns)
    assert result.table.n_rows > 0
    assert result.notes
    assert result.provenance["data"]
    assert (result.figure is not None) == (name in FIGURES)
    if result.figure is not None:
        rows = result.figure["data"]["values"]
        fields = {e["field"] for e in result.figure["encoding"].values() if "field" in e}
        assert rows
        assert all(fields <= set(row) for row in rows)
    assert len((tmp_path / f"{name}.json").read_bytes()) < 200_000
    json.loads((tmp_path / f"{name}.json").read_text(), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("000-table2", "bibtex_Y.npz"),
        ("000-table3", "swissprot_go_2014_labels.tsv.gz"),
        ("001-table1", "swissprot_go_2014_bigrams.npz"),
        ("002-table8", "yeast_X.npz"),
    ],
)
def test_a_full_study_says_which_data_it_lacks(name, file, no_data):
    with pytest.raises(InputError, match="simulated data") as caught:
        run_study(name)
    assert file in str(caught.value)
    assert str(no_data) in str(caught.value)


def test_a_full_study_runs_on_the_data_there_are(no_data):
    y = simulate.label_matrix(300, 20, random_state=0)
    sp.save_npz(no_data / "mediamill_Y.npz", y)
    result = run_study("000-table3", repeats=1)
    assert set(result.table["data"]) == {"mediamill"}
    methods = result.table["method"].tolist()
    assert methods[:2] == ["bound", "anneal"]
    assert len(methods) == 13
    omitted = next(note for note in result.notes if note.startswith("Left out"))
    assert "bibtex" in omitted
    assert "bibtex_Y.npz" in omitted
    random = methods.index("random")
    assert result.table["rLD paper"][random] == 0.1142
    # No split with equal parts is below the bound.
    assert (result.table["rLD × bound"] >= 1 - 1e-12).all()


def test_one_fold_is_one_term_of_the_measures():
    """The other four folds share the rest evenly; the mean over five has them too."""
    ratio, n_rows = 0.3, 100_000
    result = one_fold(0, ratio, 5)
    for i, size in enumerate(result["size"]):
        counts = np.array([[ratio * size, *[(1 - ratio) / 4 * size] * 4]])
        sizes = np.full(5, n_rows // 5)
        others = one_fold(0, (1 - ratio) / 4, 5)
        for name, measure in (("LD", measures.ld), ("rLD", measures.rld)):
            mean = (result[name][i] + 4 * others[name][i]) / 5
            assert measure(counts, sizes)[0] == pytest.approx(mean)


def test_synthetic_scores_are_those_of_the_design():
    """By hand: two folds of ten are 20 % off, or one is empty and nine have a ninth."""
    table = run_study("000-figure3").table
    result = {
        (s, m): v
        for s, m, v in zip(*(table[c] for c in ("split", "measure", "median")), strict=True)
    }
    assert result["difference", "rLD"] == pytest.approx((0.2 + 0.2) / 10, abs=1e-3)
    assert result["difference", "DCP"] == pytest.approx(0.12 - 0.1, abs=1e-3)
    assert result["one missing", "rLD"] == pytest.approx((1 + 9 * (10 / 9 - 1)) / 10, abs=1e-3)
    assert result["one missing", "DCP"] == pytest.approx(1 / 9 - 1 / 10, abs=1e-3)
    assert (table["says"] == table["says paper"]).all()


def test_coverage_is_the_figures():
    table = run_study("001-figure2").table
    assert table["pairs validated"].tolist() == [6, 3, 15, 15]
    assert table["validated twice"].tolist() == [0, 0, 3, 0]


def test_deviations_can_be_done_in_pieces():
    one = run_study("001-table1", quick=True, repeats=3)
    from trueval.study._pair_deviations import deviations

    whole = deviations(0, "simulated", 0, 3, 2000, [50])
    tail = deviations(0, "simulated", 2, 1, 2000, [50])
    assert tail["estimates"] == whole["estimates"][2:]
    relaxed = np.array(whole["estimates"])[:, 0, 0, 0] - np.array(whole["truths"])[:, 0]
    assert one.table["A-10x"][0] == pytest.approx(relaxed.mean(), abs=1e-6)
    block = np.mean(whole["influence"], axis=0)[:, 0]  # the error that all draws share
    variance = relaxed.var(ddof=1) / 3 + 25 / 24 * (block**2).sum()
    assert one.table["A-10x se"][0] == pytest.approx(variance**0.5, abs=1e-6)


def test_simulations_have_the_papers_order():
    """Raw scores are worst, the true rates best, at the larger setting."""
    table = run_study("002-table2", quick=True, repeats=6).table
    at = int(np.flatnonzero(table["M"] == 500)[0])
    names = ("raw", "LPR", "ltdr", "p-value", "FDR", "ours", "oracle")
    areas = {name: table[name][at] for name in names}
    assert max(areas, key=areas.get) == "oracle"
    assert min(areas, key=areas.get) == "raw"
    assert table["LPR paper"][at] == 0.942


def shifted_subset(shift, n=60, n_words=30, n_classes=12, seed=0):
    """Two files of documents whose second has its columns moved by the shift."""
    rng = np.random.default_rng(seed)
    y = (rng.random((2 * n, n_classes)) < np.linspace(0.05, 0.5, n_classes)).astype(float)
    y[0] = y[n] = 1.0
    words = rng.random((n_classes, n_words))
    X = y @ words + rng.random((2 * n, n_words))
    X /= np.sqrt((X**2).sum(axis=1, keepdims=True))
    X[n:, n_words - shift :] = 0.0
    moved_X, moved_y = X.copy(), y.copy()
    moved_X[n:, n_words - shift :] = y[n:, :shift]
    moved_y[n:] = np.hstack([y[n:, shift:], np.zeros((n, shift))])
    return X, y, sp.csr_array(moved_X), sp.csr_array(moved_y)


@pytest.mark.parametrize("shift", [0, 1, 5])
def test_shifted_label_columns_are_put_back(shift):
    X, y, moved_X, moved_y = shifted_subset(shift)
    halves = repaired_halves(moved_X, moved_y, n_rows=60)
    assert halves.shift == (0, shift)
    for half, rows in enumerate((slice(0, 60), slice(60, 120))):
        np.testing.assert_array_equal(halves.y[half].toarray(), y[rows])
        np.testing.assert_allclose(halves.X[half].toarray(), X[rows])
    assert halves.evidence["size correlation after"] > 0.8
    if shift == 5:
        assert halves.evidence["nearest profile before"] < 0.5


def test_a_word_of_its_own_is_no_label():
    """A last feature that also has other values stays one."""
    _, y, moved_X, moved_y = shifted_subset(2)
    dense = moved_X.toarray()
    dense[70, -1] = 0.5
    assert repaired_halves(sp.csr_array(dense), moved_y, n_rows=60).shift == (0, 0)
    # Without empty label columns at the end there is nothing to put back.
    assert repaired_halves(moved_X, sp.csr_array(y), n_rows=60).shift == (0, 0)
