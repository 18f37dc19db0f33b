"""Values of a dataset are those of one machine, to the last bit."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from trueval import InputError, ParameterError
from trueval.core.labels import Labels
from trueval.core.scores import Scores
from trueval.distributed import _scored, rank
from trueval.rank import (
    HierarchicalRanker,
    IsotonicRanker,
    LocalPrecisionRate,
    PrecisionRanker,
    average_precision,
    cross_fit,
)

pytestmark = pytest.mark.filterwarnings("ignore::trueval.rank.OneClassWarning")
N_ROWS, N_CLASSES = 240, 9
IDS = [f"r{i:04d}" for i in range(N_ROWS)]
NAMES = [f"c{k}" for k in range(N_CLASSES)]
FOLDS = np.random.default_rng(5).integers(0, 3, N_ROWS)


def data(share=1.0, seed=0):
    """Scores with ties, labels with a class without positives, and which scores are stored."""
    generator = np.random.default_rng(seed)
    y = (generator.random((N_ROWS, N_CLASSES)) < np.linspace(0.05, 0.5, N_CLASSES)).astype(int)
    y[:, 3] = 0
    scores = np.round(y * 0.8 + generator.normal(size=y.shape), 1)
    return scores, y, generator.random(y.shape) < share


def write(folder, scores, y, stored, lists=False, n_files=1, order=None):
    """Scores, labels and folds as Parquet."""
    rows, classes = np.nonzero(stored)
    if order is not None:
        rows, classes = rows[order], classes[order]
    table = pa.table(
        {
            "row": [IDS[i] for i in rows],
            "class": [NAMES[k] for k in classes],
            "score": scores[rows, classes],
        }
    )
    if lists:
        grouped = table.group_by("row").aggregate([("class", "list"), ("score", "list")])
        table = pa.table(
            {"row": grouped["row"], "class": grouped["class_list"], "score": grouped["score_list"]}
        )
    (folder / "scores").mkdir(parents=True)
    for number in range(n_files):
        part = table.take(np.arange(number, len(table), n_files))
        pq.write_table(part, folder / "scores" / f"{number}.parquet")
    known = [[NAMES[k] for k in np.flatnonzero(row)] for row in y]
    pq.write_table(pa.table({"row": IDS, "class": known}), folder / "labels.parquet")
    pq.write_table(pa.table({"row": IDS[::-1], "fold": FOLDS[::-1]}), folder / "folds.parquet")
    return {
        "scores": folder / "scores",
        "labels": folder / "labels.parquet",
        "folds": folder / "folds.parquet",
        "out": folder / "values.parquet",
    }


def one_machine(scores, y, stored):
    """Scores and labels in memory."""
    places = np.nonzero(stored)
    matrix = scores if stored.all() else sp.csr_array((scores[places], places), shape=y.shape)
    return Scores(matrix, NAMES), Labels(y, NAMES)


def matrix_of(path, column="value"):
    table = pq.read_table(path)
    values = np.full((N_ROWS, N_CLASSES), np.nan)
    rows = [int(name[1:]) for name in table["row"].to_pylist()]
    classes = [int(name[1:]) for name in table["class"].to_pylist()]
    values[rows, classes] = table[column].to_numpy()
    return values


def folds_as_pairs():
    return [(np.flatnonzero(fold != FOLDS), np.flatnonzero(fold == FOLDS)) for fold in range(3)]


@pytest.mark.parametrize("share", [1.0, 0.4])
@pytest.mark.parametrize(
    "ranker",
    [PrecisionRanker(), IsotonicRanker(), LocalPrecisionRate(), PrecisionRanker(share="none")],
)
def test_cross_fitted_values(tmp_path, monkeypatch, share, ranker):
    monkeypatch.setattr(_scored, "_BUCKET", 500)
    scores, y, stored = data(share)
    files = write(tmp_path, scores, y, stored, n_files=3)
    result = rank(**files, ranker=ranker)
    in_memory, labels = one_machine(scores, y, stored)
    expected = cross_fit(ranker, in_memory, labels, cv=folds_as_pairs())
    dense = expected if share == 1 else np.where(stored, expected.toarray(), np.nan)
    assert np.array_equal(matrix_of(files["out"]), dense, equal_nan=True)
    assert result.average_precision == average_precision(expected, labels)
    assert (result.n_rows, result.n_classes, result.n_positives) == (N_ROWS, N_CLASSES, y.sum())
    assert result.n_scores == stored.sum()
    whole = type(ranker)(**ranker.get_params()).fit(in_memory, labels)
    ours, theirs = result.ranker.transform(in_memory), whole.transform(in_memory)
    assert (abs(ours - theirs)).sum() == 0
    assert np.array_equal(result.ranker.absent_values_, whole.absent_values_)
    assert json.loads((tmp_path / "values.parquet.json").read_text())["parameters"]["engine"] == (
        "stream"
    )


@pytest.mark.parametrize("ranker", [PrecisionRanker(), LocalPrecisionRate()])
def test_new_rows_and_intervals(tmp_path, ranker):
    scores, y, stored = data(0.6)
    files = write(tmp_path, scores, y, stored)
    del files["folds"]
    other, _, kept = data(0.5, seed=1)
    new = write(tmp_path / "new", other, y, kept)["scores"]
    rank(**files, new=new, ranker=ranker, confidence=0.8)
    in_memory, labels = one_machine(scores, y, stored)
    fresh, _ = one_machine(other, y, kept)
    fitted = ranker.fit(in_memory, labels)
    low, high = fitted.interval(fresh, confidence=0.8)
    for column, expected in (("value", fitted.transform(fresh)), ("low", low), ("high", high)):
        dense = np.where(kept, expected.toarray(), np.nan)
        assert np.array_equal(matrix_of(files["out"], column), dense, equal_nan=True)


def test_storage_decides_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(_scored, "_BUCKET", 300)
    scores, y, stored = data(0.7)
    order = np.random.default_rng(1).permutation(stored.sum())
    tables = []
    for number, options in enumerate(({}, {"lists": True}, {"n_files": 5, "order": order})):
        files = write(tmp_path / str(number), scores, y, stored, **options)
        rank(**files)
        tables.append(pq.read_table(files["out"]))
    assert tables[1].equals(tables[0])
    assert tables[2].equals(tables[0])


def test_what_cannot_be_ranked(tmp_path):
    scores, y, stored = data()
    files = write(tmp_path, scores, y, stored)
    good = pq.read_table(files["scores"])
    odd = good.slice(0, 1)
    cases = {
        "two scores of one class": pa.concat_tables([good, odd]),
        "has a score but no labels": good.set_column(
            0, "row", pa.array(["x", *good["row"].to_pylist()[1:]])
        ),
        "infinite": good.set_column(2, "score", pa.array([np.inf, *good["score"].to_pylist()[1:]])),
        "missing": good.set_column(2, "score", pa.array([None, *good["score"].to_pylist()[1:]])),
        "no such column": good.rename_columns(["row", "class", "p"]),
        "has type string": good.set_column(2, "score", good["score"].cast(pa.string())),
        "int64 in the scores": good.set_column(0, "row", pa.array(range(len(good)))),
    }
    for problem, table in cases.items():
        pq.write_table(table, files["scores"] / "0.parquet")
        with pytest.raises(InputError, match=problem):
            rank(**files)
        assert not files["out"].exists()
    pq.write_table(good, files["scores"] / "0.parquet")
    with pytest.raises(InputError, match="flatter"):
        rank(**(files | {"folds": None}))
    with pytest.raises(ParameterError, match="no intervals"):
        rank(**files, ranker=IsotonicRanker(), confidence=0.9)
    with pytest.raises(ParameterError, match="separate classes"):
        rank(**files, ranker=HierarchicalRanker({"c1": ["c0"]}))
    pq.write_table(odd.set_column(1, "class", pa.array(["other"])), tmp_path / "new.parquet")
    with pytest.raises(InputError, match="'other' was not ranked"):
        rank(**(files | {"folds": None}), new=tmp_path / "new.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "folds.parquet",
        "labels.parquet",
        "new.parquet",
        "scores",
    ]


def test_labels_and_scores_without_a_common_class(tmp_path):
    rows = list(range(8))
    scores = pa.table({"row": rows, "class": ["a", "b"] * 4, "score": rows})
    labels = pa.table({"row": rows, "class": ["a;b", None] * 4})
    folds = pa.table({"row": rows, "fold": [0, 1, 1, 0] * 2})
    files = {}
    for name, records in {"scores": scores, "labels": labels, "folds": folds}.items():
        files[name] = tmp_path / f"{name}.parquet"
        pq.write_table(records, files[name])
    with pytest.raises(InputError, match="no class of the labels, such as 'a;b', is among"):
        rank(**files, out=tmp_path / "values.parquet")
