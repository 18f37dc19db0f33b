"""Thresholds and predictions of a dataset are those of one machine."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.distributed.test_rank import data, folds_as_pairs, matrix_of, one_machine, write
from trueval import InputError, ParameterError
from trueval.distributed import _flow, _scored, decide, rank
from trueval.rank import IsotonicRanker, PrecisionRanker, pick_threshold

pytestmark = [
    pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning"),
    pytest.mark.filterwarnings("ignore::trueval.rank.TargetWarning"),
]
SAME = ("threshold", "precision", "recall", "f", "calls_per_object", "intervals", "message")
SAME += ("target_reached", "abstains", "guarantee", "promise")
TARGETS = [
    {"precision": 0.6},
    {"recall": 0.5},
    {"beta": 1.0},
    {"beta": 1.0, "average": "objects"},
    {"n_calls": 100},
    {"top_k": 1},
    {"top_k": 3},
    {"top_k": 50},
    {"map": True},
    {"cost_ratio": 2.0},
    {"precision": 0.4, "confidence": 0.9},
    {"precision": 0.4, "guarantee": "simultaneous"},
    {"precision": 0.999},
    {"precision": 0.999, "allow_unmet": True},
]


@pytest.mark.parametrize("share", [1.0, 0.4])
@pytest.mark.parametrize("ranker", [PrecisionRanker(), IsotonicRanker()])
def test_the_threshold_of_one_machine(tmp_path, monkeypatch, share, ranker):
    monkeypatch.setattr(_scored, "_BUCKET", 400)
    scores, y, stored = data(share)
    files = write(tmp_path, scores, y, stored, n_files=3)
    in_memory, labels = one_machine(scores, y, stored)
    for target in TARGETS:
        choice = decide(**files, ranker=ranker, **target)
        expected = pick_threshold(in_memory, labels, ranker=ranker, cv=folds_as_pairs(), **target)
        for name in SAME:
            assert repr(getattr(choice, name)) == repr(getattr(expected, name)), (target, name)
        chosen = expected.select().toarray()
        predicted = np.nan_to_num(matrix_of(files["out"]))
        assert np.array_equal(predicted, chosen), target


def test_new_rows(tmp_path):
    scores, y, stored = data(0.6)
    files = write(tmp_path, scores, y, stored)
    other, _, kept = data(0.5, seed=1)
    new = write(tmp_path / "new", other, y, kept)["scores"]
    decide(**files, new=new, beta=1.0)
    in_memory, labels = one_machine(scores, y, stored)
    expected = pick_threshold(
        in_memory, labels, ranker=PrecisionRanker(), cv=folds_as_pairs(), beta=1.0
    )
    fresh, _ = one_machine(other, y, kept)
    predicted = np.nan_to_num(matrix_of(files["out"]))
    assert np.array_equal(predicted, expected.select(fresh).toarray())
    assert len(pq.read_table(files["out"])) > 0


NEW_TARGETS = [
    {"top_k": 2},
    *({"precision": precision, "guarantee": "fdr"} for precision in (0.2, 0.5, 0.7, 0.999)),
    {"precision": 0.999, "guarantee": "fdr", "allow_unmet": True},
]


@pytest.mark.parametrize("ranker", [PrecisionRanker(), IsotonicRanker()])
def test_best_classes_and_selections_of_new_rows(tmp_path, monkeypatch, ranker):
    monkeypatch.setattr(_scored, "_BUCKET", 400)
    monkeypatch.setattr(_flow, "_BUCKET", 300)
    scores, y, stored = data(0.7)
    files = write(tmp_path, scores, y, stored, n_files=2)
    other, _, kept = data(0.9, seed=1)
    assert kept.any(axis=1).all()
    new = write(tmp_path / "new", other, y, kept)["scores"]
    in_memory, labels = one_machine(scores, y, stored)
    fresh, _ = one_machine(other, y, kept)
    n_selected = 0
    for target in NEW_TARGETS:
        choice = decide(**files, new=new, ranker=ranker, **target)
        expected = pick_threshold(in_memory, labels, ranker=ranker, cv=folds_as_pairs(), **target)
        for name in SAME:
            assert repr(getattr(choice, name)) == repr(getattr(expected, name)), (target, name)
        chosen = expected.select(fresh).toarray()
        predicted = matrix_of(files["out"])
        assert np.array_equal(np.nan_to_num(predicted), chosen), target
        assert np.array_equal(choice.select(fresh).toarray(), chosen), target
        n_selected += "guarantee" in target and bool(chosen.any())
    assert n_selected > 0


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_best_of_each_row_by_a_naive_count(tmp_path, monkeypatch, k):
    monkeypatch.setattr(_flow, "_BUCKET", 300)
    scores, y, stored = data(0.5)
    files = write(tmp_path, np.round(scores), y, stored, n_files=3)
    decide(**files, top_k=k, ranker=IsotonicRanker())
    called = ~np.isnan(matrix_of(files["out"]))
    rank(**files | {"out": tmp_path / "all.parquet"}, ranker=IsotonicRanker())
    values = matrix_of(tmp_path / "all.parquet")
    for row, of_row in enumerate(values):
        best = sorted(np.flatnonzero(~np.isnan(of_row)), key=lambda c: (-of_row[c], c))[:k]
        assert set(np.flatnonzero(called[row])) == set(best)


def test_what_is_refused(tmp_path):
    files = write(tmp_path, *data())
    for error, problem, options in (
        (InputError, "selects among new rows", {"precision": 0.9, "guarantee": "fdr"}),
        (ParameterError, "one number", {"precision": [0.8, 0.9]}),
        (ParameterError, "left out with top_k=2", {"top_k": 2, "confidence": 0.9}),
        (ParameterError, "at least 1", {"top_k": 0}),
    ):
        with pytest.raises(error, match=problem):
            decide(**files, **options)
    assert not files["out"].exists()


def test_predictions_need_scores(tmp_path):
    choice = decide(**write(tmp_path, *data()), beta=1.0)
    with pytest.raises(InputError, match="were not kept"):
        choice.predict()
