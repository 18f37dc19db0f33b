"""Verdicts: which words and levels follow from which numbers, and where the thresholds are."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import trueval
from trueval import split_quality, stratified_folds
from trueval.data import simulate
from trueval.pairs import audit_pairs
from trueval.show import _rank_verdicts as rank_verdicts
from trueval.show import _verdicts as verdicts
from trueval.show import verdict
from trueval.show._pairs import Scheme

ROOT = Path(trueval.__file__).parent


def quality(ratio, avoidable=0, **more):
    """A split of which only what a verdict looks at is known."""
    fields = {"rld_ratio": ratio, "rld_wanted": 0.1, "rld_bound": 0.08, "avoidable": avoidable}
    shape = {"n_rows": 100, "n_classes": 9, "n_parts": 5, "n_empty": 0, "n_rare": 1}
    similar = dict.fromkeys(
        ("group_ratio", "group_bound", "groups_split", "leakage", "crossing_edges")
    )
    sizes = {"wanted_sizes": np.full(5, 20.0)}
    return SimpleNamespace(**(fields | shape | similar | sizes | more))


@pytest.mark.parametrize(
    ("split", "level", "words"),
    [
        (quality(1.0), "good", "Class counts reach the lower bound: no split is better balanced;"),
        (quality(1.0004), "good", "reach the lower bound"),
        (quality(1.002), "good", "Class counts are 0.2 % above the lower bound;"),
        (quality(1.099), "good", "9.9 % above the lower bound"),
        (quality(1.1), "fair", "10.0 % above the lower bound"),
        (quality(1.99), "fair", "99.0 % above the lower bound"),
        (quality(2.0), "poor", "deviate 2.0 times as much as the lower bound"),
        (quality(8.64), "poor", "deviate 8.6 times as much"),
        (quality(np.inf), "poor", "deviate by 0.1000 (rLD), although a perfect split exists"),
        (quality(np.nan), "poor", "No class has positives and negatives both, so"),
        (quality(1.0), "good", "every class with at least 5 positives appears in every fold."),
        (quality(1.0, 8), "fair", "8 avoidable gaps (a fold lacks a class that has at least 5"),
        (quality(1.0, 1), "fair", "1 avoidable gap ("),
        (quality(1.0, n_rare=9), "good", "no class has the 5 positives it needs to appear"),
        (quality(1.0, wanted_sizes=np.array([80.0, 20])), "good", "appears in every part."),
    ],
)
def test_splits(split, level, words):
    said = verdicts.splits_verdict(split, {})
    assert said.level == level
    assert words in said.text


def test_a_split_is_compared_with_the_best_of_the_others():
    others = {"a": quality(3, rld_wanted=0.3), "b": quality(2, rld_wanted=0.2)}
    said = verdicts.splits_verdict(quality(1.5), others, "mine")
    assert "(mine)" in said.reason
    assert "The best of the other splits, b, has 0.2000." in said.reason


def scheme(name, auc, model="forest", **more):
    return Scheme(scheme=name, averaged=auc, pooled=auc, model=model, **more)


@pytest.mark.parametrize(
    ("rows", "relaxed", "strict", "level", "words"),
    [
        (0.8, 0.7, 0.6, "fair", "expect an AUC of 0.600 (forest), not the 0.800 of validation by"),
        (0.6, 0.7, 0.6, "fair", "not the 0.700 of the relaxed scheme."),
        (0.61, 0.619, 0.6, "good", "about the same as the relaxed scheme."),
        (0.6, 0.6201, 0.6, "fair", "not the 0.620 of"),
    ],
)
def test_schemes(rows, relaxed, strict, level, words):
    schemes = [scheme("row-wise", rows), scheme("relaxed", relaxed), scheme("strict", strict)]
    said = verdicts.schemes_verdict(schemes)
    assert said.level == level
    assert words in said.text


def test_schemes_are_about_the_best_model_and_not_about_identity():
    schemes = [scheme("relaxed", a, m) for a, m in ((0.9, "object identity"), (0.8, "forest"))]
    schemes += [scheme("strict", a, m) for a, m in ((0.7, "object identity"), (0.6, "forest"))]
    said = verdicts.schemes_verdict(schemes)
    assert "0.600 (forest)" in said.text
    assert "Object identity alone, without features, scores 0.900" in said.reason
    alone = verdicts.schemes_verdict([s for s in schemes if s.model == "object identity"])
    assert alone.text == "Object identity alone predicts nothing about held-out objects."
    below = [scheme("relaxed", 0.35, "object identity"), *schemes[1:]]
    assert "below one half it misleads" in verdicts.schemes_verdict(below).reason


def test_schemes_without_anything_to_compare():
    assert verdicts.schemes_verdict([scheme("strict", 0.6)]) is None
    assert verdicts.schemes_verdict([scheme("strict", None), scheme("relaxed", None)]) is None
    pooled = [Scheme(scheme=s, pooled=auc) for s, auc in (("relaxed", 0.9), ("strict", 0.6))]
    assert "(pooled AUC)" in verdicts.schemes_verdict(pooled).reason


def test_audits():
    rows = np.array([(0, 1), (2, 3), (4, 5), (6, 7), (0, 4), (1, 0), (0, 2)])
    held_out = verdict(audit_pairs(rows, [0, 1], [2, 3]))
    assert (held_out.level, held_out.text) == (
        "good",
        "The test pairs consist of held-out objects only.",
    )
    seen = verdict(audit_pairs(rows, [0, 1], [6]))
    assert (seen.level, "says nothing about held-out objects" in seen.text) == ("fair", True)
    mixed = verdict(audit_pairs(rows, [0, 1], [2, 4]))
    assert (mixed.level, mixed.text[:16]) == ("fair", "50 % of the test")
    leak = verdict(audit_pairs(rows, [0], [5]))
    assert (leak.level, leak.text) == ("poor", "Leak: 1 of 1 test pair occurs in training too.")
    near = verdict(audit_pairs(rows, [0, 1], [2], clusters={i: i // 5 for i in range(8)}))
    assert (near.level, "whose cluster was seen in training" in near.text) == ("fair", True)
    y = [1, 0, 0, 1, 1, 1, 0, 1]
    pairs = [(0, 1), (2, 3), (3, 2), (0, 4), (5, 0), (1, 5), (2, 6), (1, 6)]
    told = verdict(audit_pairs(pairs, [0, 1, 3], [4, 5, 6, 7], y=y))
    assert (told.level, "Object identity alone predicts the labels." in told.text) == ("fair", True)


def choice(target="precision", wanted=0.9, reached=True, precision=0.898, recall=0.5, f=0.6):
    values = {"precision": precision, "recall": recall, "f": f}
    intervals = {name: (value - 0.02, value + 0.02) for name, value in values.items()}
    fields = {"target": target, "wanted": wanted, "target_reached": reached, "abstains": False}
    return SimpleNamespace(**fields, average="pairs", intervals=intervals, **values)


@pytest.mark.parametrize(
    ("reached", "words"),
    [
        (0.64, ": the best that can be reached with confidence 0.95 is a precision of 0.640."),
        (0.95, ": it holds on these data, but clearly less is expected on new data."),
        (np.nan, "so nothing is predicted."),
    ],
)
def test_abstention(reached, words):
    silent = choice(reached=False)
    silent.abstains, silent.reached, silent.confidence = True, reached, 0.95
    told = rank_verdicts.choices_verdict("", {"": silent})
    assert told.level == "poor"
    assert told.text.startswith("A precision of 0.9 is not reached, so nothing is predicted")
    assert told.text.endswith(words)


@pytest.mark.parametrize(
    ("made", "level", "words"),
    [
        (
            choice(),
            "good",
            "A precision of 0.9 is nearly reached: on new data expect a precision of 0.89",
        ),
        (choice(precision=0.881), "good", "is nearly reached: on new data"),
        (choice(precision=0.9), "good", "A precision of 0.9 is reached: on new data expect"),
        (choice(precision=0.88), "fair", "is reached on these data but not expected again: on new"),
        (choice(reached=False), "poor", "A precision of 0.9 is not reached:"),
        (
            choice("recall", 0.5, recall=0.47),
            "fair",
            "A recall of 0.5 is reached on these data",
        ),
        (choice("beta", 2.0), "good", "The best F2 is reached: on new data expect an F2 of 0.600."),
        (choice("n_calls", 1500.0), "good", "A total of 1,500 predictions is reached:"),
    ],
)
def test_thresholds(made, level, words):
    said = rank_verdicts.choices_verdict("mine", {"mine": made})
    assert said.level == level
    assert words in said.text


def test_a_ranker_that_does_better_at_the_target_is_named():
    choices = {"mine": choice(recall=0.056), "raw": choice(recall=0.061)}
    choices["mine"].intervals["recall"] = (0.055, 0.058)
    said = rank_verdicts.choices_verdict("mine", choices)
    assert said.level == "fair"
    assert "“raw” has a higher recall at this target: 0.061." in said.text
    choices["mine"].intervals["recall"] = (0.05, 0.062)  # no more than chance
    assert "raw" not in rank_verdicts.choices_verdict("mine", choices).text


@pytest.mark.parametrize(
    ("areas", "level", "words"),
    [
        ({"a": 0.8}, "good", "have an average precision of 0.800."),
        ({"a": 0.8, "raw": 0.7}, "good", "“a” ranks these predictions better than the raw scores:"),
        ({"a": 0.8, "raw": 0.797}, "good", "about as well as the raw scores:"),
        ({"a": 0.8, "raw": 0.806}, "fair", "The raw scores rank these predictions better than “a”"),
        ({"a": 0.8, "b": 0.9, "raw": 0.7}, "fair", "“b” ranks these predictions better than “a”"),
        ({"a": 0.8, "b": 0.7}, "good", "better than “b”: average precision 0.800, against 0.700."),
    ],
)
def test_rankers(areas, level, words):
    said = rank_verdicts.rankers_verdict("a", areas)
    assert said.level == level
    assert words in said.text


def test_coverage_and_deviations():
    covered = SimpleNamespace(share_dropped=0.0, share_never=0.0)
    assert verdicts.coverage_verdict(covered).level == "good"
    some = verdicts.coverage_verdict(SimpleNamespace(share_dropped=0.3, share_never=0.789))
    assert some.level == "fair"
    assert some.text.startswith("78.9 % of the pairs are never validated")
    assert "leaves out 30 % of the pairs" in some.reason
    said = verdicts.deviation_verdict("averaged", {"relaxed": 0.05, "strict": -0.01})
    assert said.level == "fair"
    assert "the relaxed scheme overestimates it by 0.050" in said.text
    assert "the strict scheme underestimates it by 0.010" in said.text
    assert verdicts.deviation_verdict("pooled", {"strict": 0.02}).level == "good"


def test_only_verdicts_has_thresholds_and_levels():
    """No other modules say what is good: none makes a verdict."""
    pattern = re.compile(r"\bVerdict\(")
    deciding = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if pattern.search(path.read_text(encoding="utf-8"))
    }
    assert deciding == {"show/_rank_verdicts.py", "show/_verdicts.py"}


def test_real_splits_get_the_levels_one_expects():
    y = simulate.label_matrix(600, 20, random_state=0)
    assert verdict(split_quality(y, stratified_folds(y, 5, random_state=0))).level == "good"
    order = np.argsort(np.asarray(y[:, [0]].todense()).ravel(), kind="stable")
    blocks = np.empty(600, dtype=int)
    blocks[order] = np.arange(600) // 120
    assert verdict(split_quality(y, blocks)).level == "poor"
