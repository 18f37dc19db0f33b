"""Resamples of the proteins: what they are, that they do not depend on how, and their worth."""

from statistics import NormalDist

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.cafa import naive
from tests.cafa.problems import SMALL, SMALL_IA, SMALL_PREDICTIONS, SMALL_TRUTH, make_problem
from trueval.cafa import _entries as entries
from trueval.cafa import _measure as measure
from trueval.cafa import compare, evaluate
from trueval.cafa._resample import interval_of
from trueval.core.intervals import draw_counts
from trueval.core.labels import Labels
from trueval.data import Scores


@given(seed=st.integers(0, 10_000))
@pytest.mark.filterwarnings("ignore::trueval.core.errors.InputWarning")
def test_a_resample_is_the_evaluation_of_the_drawn_proteins(seed):
    """Each drawn protein as a protein of its own, evaluated anew, gives the resample's values."""
    problem = make_problem(seed, weighted=True, most_proteins=8)
    found = evaluate(
        problem.predictions, problem.truth, problem.ontology, ia=problem.ia, n_resamples=3
    )
    for aspect, own in found.items():
        names = own.proteins()["protein"].tolist()
        counts = resampled_counts(found, aspect, 3)
        _, space = naive.parents_of(problem.ontology)
        for draw in range(3):
            truth, predictions = {}, {}
            for name, often in zip(names, counts[draw], strict=True):
                for copy in range(often):
                    truth[f"{name}-{copy}"] = [t for t in problem.truth[name] if space[t] == aspect]
                    predictions[f"{name}-{copy}"] = problem.predictions.get(name, {})
            expected = naive.evaluate(
                truth, predictions, problem.ontology, naive.grid(0.01), ia=problem.ia
            )[aspect]
            assert expected.pop("n_proteins") == own.n_proteins
            for name, value in expected.items():
                got = own.resamples[name][draw]
                if value is None:
                    assert np.isnan(got), name
                elif name not in ("threshold", "coverage"):  # of equal maxima, either
                    assert got == pytest.approx(value, abs=1e-9), name


def resampled_counts(found, aspect, n):
    """The draws of evaluate, from its seed."""
    from trueval.core.random import as_generator, draw_seed

    number = list(found).index(aspect)
    generator = np.random.default_rng([draw_seed(as_generator(0)), number])
    return draw_counts(found[aspect].n_proteins, n, generator)


def test_blocks_and_batches_do_not_matter(monkeypatch):
    problem = make_problem(3, weighted=True, most_proteins=60)

    def run():
        found = evaluate(
            problem.predictions, problem.truth, problem.ontology, ia=problem.ia, n_resamples=40
        )
        return {a: {k: v.tolist() for k, v in own.resamples.items()} for a, own in found.items()}

    whole = run()
    monkeypatch.setattr(entries, "_CELLS", 700)
    assert repr(run()) == repr(whole)
    monkeypatch.setattr(measure, "_COUNTS", 100)
    assert repr(run()) == repr(whole)


def test_seeds():
    def low(seed):
        found = evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, random_state=seed, n_resamples=30)
        return found["f"].resamples["fmax"].tolist()

    assert low(1) == low(1)
    assert low(1) != low(2)


def test_intervals_contain_the_value_and_follow_the_confidence():
    own = {
        confidence: evaluate(
            SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, ia=SMALL_IA, confidence=confidence
        )["f"]
        for confidence in (0.5, 0.99)
    }
    for measure_ in ("fmax", "wfmax", "smin", "coverage", "aupr"):
        narrow, wide = own[0.5].interval(measure_), own[0.99].interval(measure_)
        assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
        assert wide[0] <= own[0.99].values[measure_] <= wide[1]
    assert own[0.5].to_dict()["intervals"]["fmax"] == list(own[0.5].interval("fmax"))


def test_no_resamples_no_intervals():
    own = evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, n_resamples=0)["f"]
    assert own.interval("fmax") is None
    assert own.to_dict()["intervals"] == {}


def test_comparison_is_paired():
    """A method and itself with one worse protein: every difference is of one sign."""
    problem = make_problem(11, weighted=False, most_proteins=40)
    good = evaluate(problem.predictions, problem.truth, problem.ontology)
    same = compare(good, good).to_dict()
    assert set(same["difference"]) == set(same["low"]) == set(same["high"]) == {0.0}
    few = dict(list(problem.predictions.items())[:1])
    table = compare(good, evaluate(few, problem.truth, problem.ontology))
    rows = [i for i, m in enumerate(table["measure"]) if m == "fmax"]
    assert (table["difference"][rows] >= 0).all()
    assert (table["low"][rows] >= 0).all()
    other = evaluate({"P1": {"X:A": 0.5}}, SMALL_TRUTH, SMALL)
    small = evaluate({"P1": {"X:A": 0.5}}, {"P1": ["X:A"]}, SMALL)
    with pytest.raises(ValueError, match="not of one benchmark"):
        compare(other, small)


def test_bias_is_corrected_by_hand():
    """Of 9 resamples 6 are below the value: ends move by 2 Φ⁻¹(6.5 / 10)."""
    draws = np.arange(9.0)
    low, high = interval_of(draws, 5.5, 0.5, corrected=True)
    normal = NormalDist()
    shift = 2 * normal.inv_cdf(0.65)
    shares = [normal.cdf(shift + normal.inv_cdf(end)) for end in (0.25, 0.75)]
    assert [low, high] == pytest.approx([8 * share for share in shares])
    assert interval_of(draws, 5.5, 0.5, corrected=False) == (2.0, 6.0)
    assert interval_of(np.full(3, np.nan), 1.0, 0.5, corrected=True) is None


@pytest.mark.slow
@pytest.mark.parametrize("n_proteins", [60, 300])
def test_intervals_cover_the_population(n_proteins):
    """Of 95% intervals, about 95% hold the measure of the population that was drawn from.

    The share over 200 samples has a standard error of 0.015; what is asked for is 0.905 to 0.99.
    """
    rng = np.random.default_rng(0)
    n = 20_000
    kind, hits = rng.integers(0, 3, n), rng.random(n)
    other = rng.beta(2, 2, (n, 2)).round(3) + 0.0005
    terms = np.array(["X:A", "X:B", "X:C"])
    truth = np.zeros((n, 3), dtype=np.int32)
    truth[np.arange(n), kind] = 1
    scores = np.zeros((n, 3))
    scores[np.arange(n), kind] = np.where(hits < 0.7, np.minimum(1, 0.3 + other[:, 0]), 0.01)
    scores[np.arange(n), (kind + 1) % 3] = other[:, 1]
    ids = np.array([f"P{i}" for i in range(n)])

    def run(rows, n_resamples, seed=0):
        labels = Labels(sp.csr_array(truth[rows]), terms, ids[rows])
        given_ = Scores(sp.csr_array(scores[rows]), terms, ids[rows])
        return evaluate(
            given_, labels, SMALL, ia=SMALL_IA, n_resamples=n_resamples, random_state=seed
        )["f"]

    names = ("fmax", "wfmax", "smin", "fmax_micro", "aupr", "aupr_micro", "precision")
    whole = run(np.arange(n), 0)
    inside = dict.fromkeys(names, 0)
    for draw in range(200):
        own = run(rng.choice(n, n_proteins, replace=False), 300, draw)
        for name in names:
            low, high = own.interval(name)
            inside[name] += low <= whole.values[name] <= high
    shares = {name: n_inside / 200 for name, n_inside in inside.items()}
    assert all(0.905 <= share <= 0.99 for share in shares.values()), shares
