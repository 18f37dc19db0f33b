"""Evaluation: a hand-computed example, the definition in plain Python, and edge cases."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from tests.cafa import naive
from tests.cafa.problems import (
    SMALL,
    SMALL_IA,
    SMALL_PREDICTIONS,
    SMALL_TRUTH,
    make_problem,
    problems,
)
from trueval.cafa import Benchmark, Setting, evaluate
from trueval.cafa import _measure as measure
from trueval.core.errors import InputError, InputWarning
from trueval.data import Ontology

close = pytest.approx


def small(**options):
    options = {"ia": SMALL_IA, "n_resamples": 0} | options
    return evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, **options)["f"]


def test_by_hand():
    """Worked out on paper; the three sets of predictions end at 0.9, 0.6 and 0.5."""
    own = small()
    assert (own.n_proteins, own.n_predicted) == (3, 2)
    assert own.fmax == close(0.6)
    assert own.threshold == close(0.51)
    assert (own.precision, own.recall) == (close(0.75), close(0.5))
    assert own.coverage == close(2 / 3)
    assert own.wfmax == close(0.5)
    assert own.wthreshold == close(0.61)
    assert own.smin == close(1.0)
    assert own.smin_threshold == close(0.61)
    assert (own.misinformation, own.remaining_uncertainty) == (close(0.0), close(1.0))
    assert own.smin_unweighted == close(np.sqrt(10) / 3)
    assert own.fmax_micro == close(2 / 3)
    assert own.aupr == close(1 / 3 + 0.75 / 6)
    assert own.exact["threshold"] == 0.6
    assert own.exact["wthreshold"] == own.wthreshold_exact == 0.9
    assert own.exact["fmax"] == own.fmax_exact == close(0.6)


def test_normalization_by_hand():
    by_predicted = small(normalization="pred")
    assert (by_predicted.precision, by_predicted.recall) == (close(1.0), close(1.0))
    assert by_predicted.threshold == close(0.61)
    assert by_predicted.aupr is None
    by_all = small(normalization="gt")
    # At 0.51: precision (1 + 1/2) / 3, recall (1 + 1/2) / 3.
    assert by_all.fmax == close(0.5)


def test_roots_left_out_by_hand():
    own = small(orphans=False)
    # Without R, at 0.61: P1 {A, C} right; recall 1/3. At 0.51: P2 {A} wrong.
    assert own.fmax == close(0.5)
    assert own.threshold == close(0.61)
    assert own.wfmax == close(0.5)


def test_grid_may_miss_what_is_exact():
    """Scores 0.06 and a threshold of 0.06 that is 0.060000000000000005: none is predicted there."""
    scores = {f"P{i}": {"X:C": 0.06} for i in range(3)} | {"P3": {"X:B": 0.055}}
    truth = {f"P{i}": ["X:C"] for i in range(3)} | {"P3": ["X:C"]}
    own = evaluate(scores, truth, SMALL, n_resamples=0)["f"]
    assert own.exact["threshold"] == 0.06
    assert own.threshold == close(0.01)
    # At 0.06 the three have precision and recall 1, of four proteins; at 0.05 the fourth is in.
    assert own.exact["fmax"] == close(2 * 0.75 / 1.75)
    assert own.fmax < own.exact["fmax"]


@given(
    problem=problems(),
    propagation=st.sampled_from(["max", "fill"]),
    normalization=st.sampled_from(["cafa", "pred", "gt"]),
    orphans=st.booleans(),
    step=st.sampled_from([0.01, 0.05]),
)
def test_equals_the_definition(problem, propagation, normalization, orphans, step):
    options = {
        "ia": problem.ia,
        "propagation": propagation,
        "normalization": normalization,
        "orphans": orphans,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found = evaluate(
            problem.predictions,
            problem.truth,
            problem.ontology,
            grid=step,
            n_resamples=0,
            **options,
        )
    arguments = (problem.truth, problem.predictions, problem.ontology)
    for which, thresholds in (("values", naive.grid(step)), ("exact", None)):
        expected = naive.evaluate(*arguments, thresholds, **options)
        assert list(found) == list(expected)
        for aspect, own in expected.items():
            result = found[aspect]
            assert result.n_proteins == own.pop("n_proteins")
            if normalization == "pred":
                own = {k: v for k, v in own.items() if "aupr" not in k or "micro" in k}
            values = getattr(result, which)
            for name, value in own.items():
                if name in ("threshold", "coverage") and which == "exact":
                    continue  # equal maxima at several scores may differ in the last bit
                assert values[name] == (None if value is None else close(value, abs=1e-9)), name


@given(problem=problems(weighted=True), seed=st.integers(0, 1000), use=st.integers(0, 2))
def test_known_and_terms_of_interest_equal_the_definition(problem, seed, use):
    rng = np.random.default_rng(seed)
    terms = problem.ontology.terms.tolist()
    options = {}
    if use != 1:
        options["known"] = {
            p: rng.choice(terms, rng.integers(1, 3)).tolist() for p in problem.truth
        }
    if use != 0:
        options["terms"] = set(rng.choice(terms, max(1, len(terms) // 2)).tolist())
    arguments = (problem.truth, problem.predictions, problem.ontology)
    expected = naive.evaluate(*arguments, naive.grid(0.01), ia=problem.ia, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        if not expected:
            with pytest.raises(InputError, match="no protein has a term to evaluate"):
                evaluate(problem.predictions, problem.truth, problem.ontology, **options)
            return
        found = evaluate(
            problem.predictions,
            problem.truth,
            problem.ontology,
            ia=problem.ia,
            n_resamples=0,
            **options,
        )
    assert list(found) == list(expected)
    for aspect, own in expected.items():
        assert found[aspect].n_proteins == own.pop("n_proteins")
        for name, value in own.items():
            got = found[aspect].values[name]
            assert got == (None if value is None else close(value, abs=1e-9)), name


def test_known_by_hand():
    """P1 is known to have A; C is new, and only C and B count for it."""
    truth = {"P1": ["X:C"], "P2": ["X:B"]}
    predictions = {"P1": {"X:C": 0.9, "X:B": 0.9}, "P2": {"X:B": 0.9}}
    own = evaluate(predictions, truth, SMALL, known={"P1": ["X:A"]}, n_resamples=0)["f"]
    # P1: predicted {C, B}, true {C}: 1/2, 1. P2: predicted {B, R}, true {B, R}: 1, 1.
    assert (own.precision, own.recall) == (close(0.75), close(1.0))


def test_proteins_without_news_are_left_out():
    truth = {"P1": ["X:C"], "P2": ["X:B"]}
    with pytest.warns(InputWarning, match="1 of 2 proteins have no annotation that is new"):
        own = evaluate({"P2": {"X:B": 0.9}}, truth, SMALL, known={"P1": ["X:C"]}, n_resamples=0)
    assert own["f"].n_proteins == 1


def test_micro_average_precision_is_scikit_learns():
    problem = make_problem(5, weighted=False, most_proteins=30)
    found = evaluate(problem.predictions, problem.truth, problem.ontology, n_resamples=0)
    parents, space = naive.parents_of(problem.ontology)
    for aspect, own in found.items():
        terms = [t for t in parents if space[t] == aspect]
        y, scores = [], []
        for protein, direct in problem.truth.items():
            true = naive.close({t for t in direct if space[t] == aspect}, parents)
            if not true:
                continue
            given_ = {t: s for t, s in problem.predictions.get(protein, {}).items() if t in terms}
            carried = naive.carry_max(given_, parents)
            y += [t in true for t in terms]
            scores += [carried.get(t, 0.0) for t in terms]
        # scikit-learn goes on to the pairs without a score, at precision = share of positives.
        y, scores = np.array(y), np.array(scores)
        last = y.mean() * (y & (scores == 0)).sum() / y.sum()
        assert own.exact["aupr_micro"] == close(average_precision_score(y, scores) - last)


def test_parts_of_the_exact_curve_do_not_matter(monkeypatch):
    problem = make_problem(8, weighted=True, most_proteins=30, digits=4)

    def run():
        found = evaluate(
            problem.predictions, problem.truth, problem.ontology, ia=problem.ia, n_resamples=0
        )
        return {aspect: own.exact for aspect, own in found.items()}

    whole = run()
    for size in (1, 7):
        monkeypatch.setattr(measure, "_THRESHOLDS", size)
        for aspect, values in run().items():
            assert values == close(whole[aspect], abs=1e-12)


# --- edge cases ----------------------------------------------------------------------


def test_an_aspect_without_predictions_is_reported():
    ontology = Ontology(["R", "a", "S"], [("a", "R", "is_a")], namespaces=["f", "f", "g"])
    truth = {"P1": ["a"], "P2": ["S"]}
    found = evaluate({"P1": {"a": 0.5}}, truth, ontology)
    assert list(found) == ["f", "g"]
    none = found["g"]
    assert (none.fmax, none.coverage, none.threshold, none.smin) == (0.0, 0.0, None, None)
    assert none.exact["fmax"] == 0.0
    assert none.exact["threshold"] is None
    assert none.interval("smin") is None
    assert found["f"].fmax == 1.0


def test_an_aspect_without_truth_is_not():
    ontology = Ontology(["R", "S"], [], namespaces=["f", "g"])
    found = evaluate({"P1": {"R": 0.5, "S": 0.9}}, {"P1": ["R"]}, ontology)
    assert list(found) == ["f"]


def test_predictions_of_other_proteins_do_not_count():
    more = SMALL_PREDICTIONS | {"Q1": {"X:B": 0.9}}
    found = evaluate(more, SMALL_TRUTH, SMALL, n_resamples=0)
    assert found.counts["other_proteins"] == 1
    assert found["f"].fmax == close(0.6)


def test_no_protein_in_common_is_said():
    with pytest.warns(InputWarning, match="no prediction is for a protein of the truth"):
        found = evaluate({"Q1": {"X:B": 0.9}}, SMALL_TRUTH, SMALL)
    assert found["f"].fmax == 0.0


def test_equal_scores():
    scores = {p: {"X:C": 0.5, "X:B": 0.5} for p in SMALL_TRUTH}
    own = evaluate(scores, SMALL_TRUTH, SMALL)["f"]
    assert own.exact["threshold"] == 0.5
    assert own.fmax == own.exact["fmax"]
    # All of {R, A, B, C}: precision (3 + 2 + 2) / 12, recall 1.
    assert own.aupr == close(7 / 12)


def test_one_protein():
    own = evaluate({"P1": {"X:C": 0.9}}, {"P1": ["X:C"]}, SMALL)["f"]
    assert own.fmax == 1.0
    assert own.interval("fmax") == (1.0, 1.0)


def test_terms_of_interest_that_do_not_exist():
    with (
        pytest.warns(InputWarning, match="1 with terms that the ontology lacks"),
        pytest.raises(InputError, match="no term of interest is in the ontology"),
    ):
        evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, terms=["X:9"])


def test_unknown_obsolete_and_alternative_terms_are_counted_and_said_once():
    ontology = Ontology(
        ["R", "a", "old", "older"],
        [("a", "R", "is_a")],
        namespaces=["f"] * 4,
        alternative={"b": "a"},
        obsolete=["old", "older"],
        replaced_by={"old": ["a"]},
    )
    predictions = {"P1": {"b": 0.9, "old": 0.8, "older": 0.7, "new": 0.6}, "P2": {"new": 0.1}}
    with pytest.warns(InputWarning, match="2 with terms that the .* and 2 with obsolete") as said:
        found = evaluate(predictions, {"P1": ["a"]}, ontology)
    assert len(said) == 1
    counts = {"lines": 5, "alternative": 1, "obsolete": 2, "unknown": 2}
    assert found.counts.items() >= counts.items()
    assert found["f"].fmax == 1.0
    with pytest.warns(InputWarning, match="1 with obsolete terms \\(older\\)"):
        replaced = evaluate(predictions, {"P1": ["a"]}, ontology, obsolete="replace")
    assert replaced.counts["alternative"] == 2


def test_ontology_without_namespaces_has_one_aspect():
    ontology = Ontology(["R", "a"], [("a", "R", "is_a")])
    assert list(evaluate({"P": {"a": 0.5}}, {"P": ["a"]}, ontology)) == ["all"]


def test_edges_to_terms_that_the_file_lacks(tmp_path):
    path = tmp_path / "part.obo"
    path.write_text("[Term]\nid: X:1\nnamespace: f\nis_a: X:0 ! not here\n")
    with pytest.warns(InputWarning, match="X:1 is_a X:0 names X:0, .* Such edges are left out"):
        found = evaluate({"P": {"X:1": 0.5}}, {"P": ["X:1"]}, path)
    assert found["f"].fmax == 1.0


def test_edges_between_aspects_do_not_carry():
    ontology = Ontology(
        ["F", "f", "C"], [("f", "F", "is_a"), ("f", "C", "part_of")], namespaces=["f", "f", "c"]
    )
    found = evaluate({"P": {"f": 0.5}}, {"P": ["f"], "Q": ["C"]}, ontology)
    assert found["c"].n_proteins == 1
    assert found["c"].fmax == 0.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"propagation": "min"}, "'propagation' parameter of evaluate must be 'max' or 'fill'"),
        ({"normalization": "all"}, "'normalization' parameter"),
        ({"obsolete": "keep"}, "'obsolete' parameter"),
        ({"grid": 1.5}, "'grid' parameter"),
        ({"max_terms": 0}, "'max_terms' parameter"),
        ({"n_resamples": -1}, "'n_resamples' parameter"),
        ({"confidence": 95}, "'confidence' parameter"),
    ],
)
def test_wrong_parameters(options, words):
    with pytest.raises(ValueError, match=words):
        evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, **options)


def test_wrong_kinds_of_input():
    with pytest.raises(TypeError, match="'ontology' parameter"):
        evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, ["X:R"])
    with pytest.raises(TypeError, match="'truth' parameter must be a path"):
        evaluate(SMALL_PREDICTIONS, [["X:R"]], SMALL)
    with pytest.raises(TypeError, match="'predictions' parameter must be a path"):
        evaluate(3, SMALL_TRUTH, SMALL)
    with pytest.raises(InputError, match=r"predictions, row 0: P1, X:A: the score is 2"):
        evaluate({"P1": {"X:A": 2}}, SMALL_TRUTH, SMALL)
    ring = Ontology(["a", "b"], [("a", "b", "is_a"), ("b", "a", "is_a")])
    with pytest.raises(InputError, match="cycle: a → b → a"):
        evaluate({"P": {"a": 1}}, {"P": ["a"]}, ring)


def test_one_benchmark_for_many_methods():
    benchmark = Benchmark(SMALL_TRUTH, SMALL, ia=SMALL_IA, setting=Setting(n_resamples=50))
    first, second = benchmark.evaluate(SMALL_PREDICTIONS), benchmark.evaluate({"P1": {"X:A": 0.3}})
    alone = evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, ia=SMALL_IA, n_resamples=50)
    assert first.to_dict() == alone.to_dict()
    assert second["f"].fmax < first["f"].fmax


# --- tables --------------------------------------------------------------------------


def test_tables_have_names_and_definitions():
    own = small()
    terms = own.terms(0.55).to_dict()
    assert terms["term"] == ["X:R", "X:A", "X:C", "X:B"] or terms["term"][0] == "X:R"
    at = {term: i for i, term in enumerate(terms["term"])}
    assert terms["name"][at["X:C"]] == "third"
    assert terms["definition"][at["X:C"]] == "A part of the first."
    assert [terms["positives"][at[t]] for t in ("X:R", "X:A", "X:B", "X:C")] == [3, 2, 1, 1]
    assert [terms["predicted"][at[t]] for t in ("X:R", "X:A", "X:B", "X:C")] == [2, 2, 0, 1]
    assert [terms["correct"][at[t]] for t in ("X:R", "X:A", "X:B", "X:C")] == [2, 1, 0, 1]
    assert terms["ia"][at["X:C"]] == 3.0
    assert terms["depth"][at["X:C"]] == 2
    proteins = own.proteins(0.55).to_dict()
    assert proteins["protein"] == ["P1", "P2", "P3"]
    assert proteins["correct"] == [3, 1, 0]
    no_root = small(orphans=False).terms(0.55)
    assert "X:R" not in no_root["term"].tolist()
    curve = own.curve(weighted=True)
    assert curve["f"].max() == close(0.5)
    assert curve["threshold"][0] == 0.01


def test_representations():
    found = evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, ia=SMALL_IA, n_resamples=0)
    assert "fmax" in repr(found)
    assert "0.6000" in repr(found)
    assert "<table" in found._repr_html_()
    assert repr(found["f"]) == "AspectEvaluation(f: 3 proteins, fmax=0.6000, smin=1.0000)"
    with pytest.raises(KeyError, match="there are f"):
        found["g"]
    assert found.to_dict()["aspects"]["f"]["fmax_exact"] == close(0.6)
    without = evaluate(SMALL_PREDICTIONS, SMALL_TRUTH, SMALL, n_resamples=0)
    assert without["f"].wfmax is None
    assert without.to_dict()["aspects"]["f"]["wfmax"] is None
    with pytest.raises(AttributeError):
        _ = without["f"].nothing
    with pytest.raises(ValueError, match="needs information accretion"):
        without["f"].curve(weighted=True)


def test_progress_counts_the_aspects():
    benchmark = Benchmark(SMALL_TRUTH, SMALL, setting=Setting(n_resamples=0))
    calls = []
    benchmark.evaluate(SMALL_PREDICTIONS, progress=lambda *call: calls.append(call))
    total = len(benchmark.aspects)
    assert calls == [(done + 1, total) for done in range(total)]
