"""Thresholds and predictions of a dataset are those of one machine."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.distributed.test_rank import data, folds_as_pairs, matrix_of, one_machine, write
from trueval import ParameterError
from trueval.distributed import _scored, decide
from trueval.rank import IsotonicRanker, PrecisionRanker, pick_threshold

pytestmark = [
    pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning"),
    pytest.mark.filterwarnings("ignore::trueval.rank.TargetWarning"),
]
SAME = ("threshold", "precision", "recall", "f", "calls_per_object", "intervals", "message")
TARGETS = [
    {"precision": 0.6},
    {"recall": 0.5},
    {"beta": 1.0},
    {"beta": 1.0, "average": "objects"},
    {"n_calls": 100},
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


def test_what_is_refused(tmp_path):
    files = write(tmp_path, *data())
    for problem, options in (
        ("needs all scores in memory", {"precision": 0.9, "guarantee": "fdr"}),
        ("one number", {"precision": [0.8, 0.9]}),
    ):
        with pytest.raises(ParameterError, match=problem):
            decide(**files, **options)
    assert not files["out"].exists()
