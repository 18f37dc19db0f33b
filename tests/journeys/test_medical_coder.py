"""A medical coder: discharge letters with codes, several of one patient, a precision to reach."""

import csv

import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score

CODES = ["E11.9", "I10", "I25.1", "J44.9", "N18.3", "Z79.4"]


@pytest.fixture
def letters(write):
    rng = np.random.default_rng(0)
    n = 400
    patients = rng.integers(150, size=n)
    y = (rng.random((n, len(CODES))) < [0.3, 0.5, 0.2, 0.2, 0.15, 0.25]).astype(int)
    scores = 1 / (1 + np.exp(-(4 * y - 2 + 1.5 * rng.normal(size=y.shape))))
    scores = np.round(scores, 5)
    ids = [f"letter{row:03d}" for row in range(n)]
    write("codes.csv", ["letter_id,codes"] + [
        f"{name},{';'.join(code for code, has in zip(CODES, row, strict=True) if has)}"
        for name, row in zip(ids, y, strict=True)
    ])  # fmt: skip
    write("patients.csv", ["letter_id,group"] + [
        f"{name},patient {patient}" for name, patient in zip(ids, patients, strict=True)
    ])  # fmt: skip
    write("scores.csv", [",".join(["letter_id", *CODES])] + [
        ",".join([name, *map(str, row)]) for name, row in zip(ids, scores.tolist(), strict=True)
    ])  # fmt: skip
    return ids, patients, y


def test_letters_of_one_patient_stay_in_one_fold(letters, trueval):
    _, patients, y = letters
    split = trueval("split codes.csv --groups patients.csv -k 5 --json")
    assert split["positives"] == y.sum()
    folds = np.array(split["folds"])
    assert all(len(set(folds[patients == patient])) == 1 for patient in np.unique(patients))


def test_predictions_have_the_precision_that_is_said(letters, trueval):
    ids, _, y = letters
    result = trueval("decide scores.csv codes.csv --precision 0.9 -o calls.csv --json")
    with open("calls.csv", encoding="utf-8", newline="") as file:
        calls = [
            (ids.index(line["id"]), CODES.index(line["label"])) for line in csv.DictReader(file)
        ]
    predicted = np.zeros_like(y)
    predicted[tuple(np.array(calls).T)] = 1
    own = result["rankers"]["calibrated"]
    assert result["calls"] == len(calls)
    assert own["target_reached"]
    precision = precision_score(y.ravel(), predicted.ravel())
    assert precision >= 0.88
    low, high = own["intervals"]["precision"]
    assert low - 0.02 <= precision <= high + 0.02
    assert recall_score(y.ravel(), predicted.ravel()) == pytest.approx(own["recall"], abs=0.05)
