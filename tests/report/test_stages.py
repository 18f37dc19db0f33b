"""Stages: every number is the library's, JSON keeps it, refusals say what is wrong."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.model_selection import KFold

from tests.report import problems
from trueval import InputError, ParameterError, split_quality, stratified_folds
from trueval.data import simulate
from trueval.displays import ReliabilityDisplay
from trueval.pairs import ObjectKFold, ObjectLeaveTwoOut, audit_pairs, coverage
from trueval.rank import (
    PrecisionRanker,
    average_precision,
    f_measure,
    pick_threshold,
    pooled_precision_recall_curve,
)
from trueval.report import (
    Stage,
    _stage,
    blocks_of,
    pairs_stage,
    rank_stage,
    read_stage,
    split_stage,
    study_stage,
    write_stage,
)
from trueval.show._rank_verdicts import choices_verdict


def test_split_numbers_are_those_of_split_quality():
    y = problems.labels()
    folds = stratified_folds(y, 3, random_state=0)
    other = stratified_folds(y, 3, method="random", random_state=0)
    data = split_stage(y, folds, others={"random": other}).data
    for line, numbers in zip(data["methods"], (folds, other), strict=True):
        quality = split_quality(y, numbers)
        for name in ("rld", "rld_wanted", "dcp", "ld", "ed", "missing", "avoidable"):
            assert line[name] == getattr(quality, name), name
    own = split_quality(y, folds)
    assert data["sizes"] == own.sizes.tolist()
    assert data["rld_bound"] == own.rld_bound
    classes = data["classes"]
    excess = np.array(classes["rld"]) - np.array(classes["bound"])
    assert (np.diff(excess) <= 1e-6).all()
    place = [int(name) for name in classes["name"]]
    assert classes["size"] == own.per_class["size"][place].tolist()
    counts = np.array([np.bincount(folds[y.toarray()[:, k] == 1], minlength=3) for k in place])
    assert classes["counts"] == counts.tolist()


def test_unequal_parts_are_judged_by_what_was_wanted():
    y = problems.labels()
    folds = stratified_folds(y, [0.8, 0.2], random_state=0)
    data = split_stage(y, folds, parts=[0.8, 0.2]).data
    assert data["wanted_sizes"] == [160.0, 40.0]
    quality = split_quality(y, folds, parts=[0.8, 0.2])
    assert data["methods"][0]["rld_ratio"] == quality.rld_ratio
    assert data["rld_bound"] == quality.rld_bound


def test_large_problems_are_sampled_and_keep_the_worst():
    y = simulate.label_matrix(3000, 4000, random_state=0)
    folds = np.random.default_rng(0).permutation(3000) % 5
    data = split_stage(y, folds, method="random").data
    quality = split_quality(y, folds)
    excess = quality.per_class["rld_wanted"] - quality.per_class["rld_bound"]
    worst = set(map(str, np.argsort(-excess, kind="stable")[:50]))
    assert len(data["scatter"]["names"]) <= 1500 < data["scatter"]["total"] == 4000
    assert worst <= set(data["scatter"]["names"])
    assert len(data["classes"]["name"]) == 1000
    assert data["classes"]["name"][0] in worst


def test_split_refuses_two_splits_of_one_name():
    y = problems.labels()
    with pytest.raises(ParameterError, match=r"'others' parameter of split_stage .*'anneal'"):
        split_stage(y, np.arange(200) % 2, others={"anneal": np.arange(200) % 2})


def test_pairs_numbers_are_those_of_the_audit():
    rows = np.array(list(combinations(range(12), 2)))
    train, test = next(ObjectKFold(3, scheme="relaxed", random_state=0).split(None, None, rows))
    audit = audit_pairs(rows, train, test, y=rows.sum(axis=1) % 2)
    data = pairs_stage(audits={"mine": audit}).data["audits"][0]
    assert data["counts"] == audit.counts
    assert data["n_shared_objects"] == audit.n_shared_objects
    assert data["identity_auc"] == audit.identity_auc


@pytest.mark.parametrize("scheme", ["strict", "relaxed"])
@pytest.mark.parametrize("overlapping", [False, True])
def test_blocks_count_every_pair_once(scheme, overlapping):
    rows = np.array(list(combinations(range(20), 2)))
    cv = ObjectKFold(4, scheme=scheme, overlapping=overlapping, random_state=0)
    picture = blocks_of(cv, rows, fold=1)
    fold = list(cv.folds(None, None, rows))[1]
    assert (picture["n_train"], picture["n_test"], picture["n_dropped"]) == (
        len(fold.train),
        len(fold.test),
        fold.n_dropped,
    )
    assert len(picture["rows"]) == 4
    place = {name: i for i, name in enumerate(picture["rows"])}
    for use, total in (("train", "n_train"), ("test", "n_test"), ("dropped", "n_dropped")):
        half = [c[use] for c in picture["cells"] if place[c["row"]] <= place[c["column"]]]
        assert sum(half) == picture[total]
    held = [name for name in picture["rows"] if name.startswith("held out")]
    assert len(held) == (2 if overlapping else 1)
    # No pair of a held-out object with a known one is trained on under the strict scheme.
    across = [c for c in picture["cells"] if (c["row"] in held) != (c["column"] in held)]
    assert (sum(c["train"] for c in across) == 0) == (scheme == "strict")


def test_blocks_of_two_kinds_rows_and_leave_two_out():
    rows = np.array([(d, t) for d in range(8) for t in range(6)])
    cv = ObjectKFold(2, symmetric=False, random_state=0)
    picture = blocks_of(cv, rows)
    assert sum(c["train"] + c["test"] + c["dropped"] for c in picture["cells"]) == 48
    pairs = np.array(list(combinations(range(30), 2)))
    picture = blocks_of(ObjectLeaveTwoOut(), pairs)
    assert picture["n_test"] == 1
    assert len(picture["rows"]) <= 12
    picture = blocks_of(KFold(3, shuffle=True, random_state=0), pairs)
    assert picture["rows"] == ["on both sides"]
    splits = list(KFold(3, shuffle=True, random_state=0).split(pairs))
    assert blocks_of(splits, pairs) == picture


def test_blocks_refusals():
    rows = np.array(list(combinations(range(6), 2)))
    with pytest.raises(ParameterError, match=r"'fold' parameter of blocks_of .* Got 9"):
        blocks_of(ObjectKFold(3, random_state=0), rows, fold=9)
    with pytest.raises(InputError, match="3 members each"):
        blocks_of(ObjectKFold(3, random_state=0), np.arange(18).reshape(6, 3))


def test_pairs_refusals_and_names():
    with pytest.raises(InputError, match="needs audits, schemes or blocks"):
        pairs_stage()
    with pytest.raises(InputError, match=r"schemes\[0\] has the unknown key 'auc'"):
        pairs_stage(schemes=[{"auc": 1}])
    made = pairs_stage(schemes=[{"scheme": "strict", "pooled": 0.7}, {"scheme": "relaxed"}]).data
    assert [line["name"] for line in made["schemes"]] == ["strict", "relaxed"]
    made = pairs_stage(schemes=[{"scheme": "strict"}, {"scheme": "strict"}]).data
    assert len({line["name"] for line in made["schemes"]}) == 2


def test_coverage_shares_travel_unchanged():
    stage = problems.pairs()
    rows = np.array(list(combinations(range(24), 2)))
    cover = coverage(ObjectKFold(4, random_state=0), rows, None)
    assert stage.data["schemes"][0]["never"] == pytest.approx(cover.share_never, abs=0.02)


def test_rank_numbers_are_those_of_the_library():
    values, y, rankers, choices = problems.ranked()
    data = rank_stage(values, y, choices=choices, curves=rankers).data
    for line in data["rankers"]:
        curve = pooled_precision_recall_curve(values[line["name"]], y)
        assert line["average_precision"] == average_precision(values[line["name"]], y)
        exact = {(f"{p:.5g}", f"{r:.5g}") for p, r in zip(*curve[:2], strict=True)}
        shown = zip(line["precision"], line["recall"], strict=True)
        assert {(f"{p:.5g}", f"{r:.5g}") for p, r in shown} <= exact
    own = values["precision"]
    grid = data["grid"]
    best = max(f_measure(own, y, threshold=t) for t in grid["thresholds"])
    assert data["rankers"][0]["best_f1"] == pytest.approx(best, abs=1e-12)
    for choice, told in zip(choices, data["choices"], strict=True):
        assert told["message"] == choice.message
        assert told["precision"] == choice.precision
        assert told["intervals"]["recall"] == list(choice.intervals["recall"])


def test_grid_counts_are_exact():
    values, y, _, _ = problems.ranked()
    grid = rank_stage(values, y).data["grid"]
    own, truth = values["precision"], y.toarray() == 1
    assert grid["n_distinct"] == len(np.unique(own)) == len(grid["thresholds"])
    for threshold, calls, hits in zip(grid["thresholds"], grid["calls"], grid["hits"], strict=True):
        assert calls == (own >= threshold).sum()
        assert hits == truth[own >= threshold].sum()


def test_the_page_and_the_display_have_the_same_reliability_bins():
    values, y, _, _ = problems.ranked()
    data = rank_stage(values, y).data
    display = ReliabilityDisplay.from_values(values["precision"], y)
    drawn = [data["reliability"][name] for name in ("predicted", "observed", "n")]
    np.testing.assert_allclose(np.array(drawn).T, display.bins["values"], rtol=1e-4)
    for line in data["per_class"]["lines"]:
        k = line["class"]
        of_class = values["precision"][:, [k]], y[:, [k]]
        bins = ReliabilityDisplay.from_values(*of_class).bins["values"]
        drawn = [line["reliability"][name] for name in ("predicted", "observed", "n")]
        np.testing.assert_allclose(np.array(drawn).T, bins, rtol=1e-4)
    assert rank_stage({"raw": values["raw"] * 5}, y).data["reliability"] is None


def test_a_stage_holds_what_the_threshold_predicts():
    scores, y = simulate.simulation_one(300, 0.2, random_state=0)
    choices = [
        pick_threshold(scores, y, precision=0.85, ranker=PrecisionRanker()),
        pick_threshold(scores, y, recall=0.3, ranker=PrecisionRanker()),
        pick_threshold(scores, y, beta=2.0),  # on other values, the scores
    ]
    values = {"precision": choices[0].calibrated_, "raw": scores}
    data = rank_stage(values, y, choices=choices).data
    grid = data["grid"]
    for choice, line in zip(choices[:2], data["choices"], strict=False):
        predicted = choice.predict()
        place = line["place"]
        assert grid["thresholds"][place] == choice.calibrated_threshold_
        assert grid["calls"][place] == predicted.nnz
        assert grid["hits"][place] == predicted.multiply(y).nnz
    assert data["choices"][2]["place"] is None
    predicted = choices[0].predict()
    saved = data["predictions"]
    assert saved["threshold"] == choices[0].calibrated_threshold_
    assert (saved["n_predictions"], saved["n_rows"]) == (predicted.nnz, 300)
    counts = np.bincount(predicted.indices, minlength=5)
    assert dict(zip(saved["by_class"]["class"], saved["by_class"]["n"], strict=True)) == {
        k: n for k, n in enumerate(counts) if n
    }
    assert saved["n_classes"] == (counts > 0).sum()
    told = data["summary"]["verdict"]
    assert told["text"] == choices_verdict("", {"": choices[0]}).text
    # Values of other rows: the promise stands, and no prediction is said to be of these.
    other = simulate.simulation_one(150, 0.2, random_state=1)
    data = rank_stage({"precision": other[0]}, other[1], choices=choices).data
    assert [line["place"] for line in data["choices"]] == [None] * 3
    assert data["predictions"] is None


@pytest.mark.parametrize("seed", range(3))
def test_a_chosen_threshold_is_on_every_grid(seed):
    """However coarse the grid must be: the counts at the threshold are exact, class by class."""
    generator = np.random.default_rng(seed)
    y = (generator.random((400, 60)) < 0.05).astype(int)
    scores = np.clip(generator.random((400, 60)) ** 3 + 0.3 * y, 0, 1)
    choice = pick_threshold(scores, y, n_calls=int(generator.integers(1, 3000)))
    data = rank_stage({"raw": scores}, y, choices=[choice]).data
    grid, place = data["grid"], data["choices"][0]["place"]
    assert len(grid["thresholds"]) < grid["n_distinct"]
    assert grid["thresholds"][place] == choice.calibrated_threshold_
    assert grid["calls"][place] == (scores >= choice.calibrated_threshold_).sum()
    assert (np.diff(grid["thresholds"]) < 0).all()


def test_calls_hold_whole_ties_only():
    values = np.repeat([[0.9], [0.5]], [10, 4000], axis=0)
    y = np.zeros((4010, 1), int)
    y[:5] = 1
    calls = rank_stage({"all": values}, y).data["calls"]
    assert calls["value"] == [0.9] * 10
    assert calls["member"] == [1] * 5 + [0] * 5
    assert calls["object"][:3] == ["0", "1", "2"]


def test_rank_refusals():
    values, y, _, _ = problems.ranked()
    with pytest.raises(ParameterError, match="at least one ranker"):
        rank_stage({}, y)
    with pytest.raises(InputError, match="no positives"):
        rank_stage({"a": np.ones((3, 2))}, np.zeros((3, 2), int))
    with pytest.raises(InputError, match="ids has 2 names but y has 150 rows"):
        rank_stage(values, y, ids=["a", "b"])
    with pytest.raises(InputError, match="columns but y has 5 classes"):
        rank_stage({"a": np.ones((150, 2))}, y)


def test_study_stage_says_what_is_missing():
    with pytest.raises(InputError, match="without name"):
        study_stage(object())


@pytest.mark.parametrize("make", [problems.split, problems.pairs, problems.rank])
def test_json_round_trip(make, tmp_path):
    stage = make()
    path = write_stage(tmp_path / "stage.json", stage)
    assert read_stage(path) == stage
    assert stage.provenance == problems.PROVENANCE
    assert make() == stage


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[1]", "JSON but no result of trueval"),
        ('{"trueval": "stage", "schema": 99}', "has schema 99; this trueval reads 1"),
        (
            '{"trueval":"stage","schema":1,"kind":"x","data":{},"provenance":{}}',
            "of kind 'x'; known kinds are split, rows, pairs, rank, study",
        ),
        (
            '{"trueval":"stage","schema":1,"kind":"split","data":[],"provenance":{}}',
            r"\['data'\] must be an object",
        ),
        ('{"trueval": "stage", "schema": 1}', r"\['kind'\] must be given"),
        ("[" * 100_000, "is not JSON"),
        ('{"trueval":"stage","schema":1,"kind":"study","provenance":{},"data":'
         + '{"a":' * 700 + "1" + "}" * 701, "nested deeper than 40 levels"),
    ],
)  # fmt: skip
def test_files_that_are_no_stage(text, message, tmp_path):
    path = tmp_path / "stage.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as refused:
        read_stage(path)
    assert refused.value.place.file == str(path)
    assert "--save" in refused.value.fix.text


def test_a_file_too_large_is_refused_without_reading_it_all(tmp_path, monkeypatch):
    monkeypatch.setattr(_stage, "_MAX_BYTES", 1000)
    path = write_stage(tmp_path / "stage.json", problems.split())
    with pytest.raises(InputError, match="more than 0 MB"):
        read_stage(path)


def test_stage_refuses_what_is_none():
    with pytest.raises(ParameterError, match="'kind' parameter of Stage"):
        Stage("other", {})
    with pytest.raises(
        ParameterError, match=r"'data' parameter of Stage must be a dict\. Got \[\]"
    ):
        Stage("split", [])
    rows = [[np.float64(np.nan), np.int8(2), True]]
    stage = Stage("study", {"title": "t", "columns": ("a", "b", "c"), "rows": rows, "notes": ()})
    assert stage.data["rows"] == [[None, 2, True]]
    assert stage.summary.title == "t"
