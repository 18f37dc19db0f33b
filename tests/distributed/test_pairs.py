"""Folds and audits of pairs in Parquet are those of one machine."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trueval import InputError, ParameterError
from trueval.distributed import _flow, audit, pairs
from trueval.pairs import ObjectKFold, UnscorableFoldWarning, audit_pairs

N = 400


def table(seed=0, bipartite=False, numbers=False):
    generator = np.random.default_rng(seed)
    a, b = generator.integers(0, 40, (2, N))
    if numbers:
        return pa.table({"a": a, "b": b + 1000 * bipartite})
    other = "d" if bipartite else "p"
    return pa.table({"a": [f"p{i}" for i in a], "b": [f"{other}{i}" for i in b]})


def write(folder, records, n_files=3):
    folder.mkdir(parents=True)
    bounds = np.linspace(0, len(records), n_files + 1).astype(int)
    for number, (start, end) in enumerate(pairwise(bounds)):
        part = records.slice(start, end - start)
        pq.write_table(part, folder / f"{number}.parquet", row_group_size=37)
    return folder


def table_of(folder):
    return pq.read_table(folder)


def ids(records):
    return np.column_stack([records["a"].to_numpy(), records["b"].to_numpy()])


@pytest.mark.filterwarnings("ignore::trueval.pairs.UnscorableFoldWarning")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scheme": "relaxed"},
        {"setting": "AB"},
        {"setting": "C2", "scheme": "relaxed"},
        {"overlapping": True},
        {"symmetric": False},
        {"symmetric": False, "setting": "AB"},
    ],
)
@pytest.mark.parametrize("numbers", [True, False])
def test_folds_of_one_machine(tmp_path, options, numbers):
    records = table(bipartite="symmetric" in options, numbers=numbers)
    data = write(tmp_path / "data", records)
    out = tmp_path / "folds.parquet"
    result = pairs(data, 4, out=out, random_state=3, **options)
    written = pq.read_table(out)
    assert written["row"].to_pylist() == list(range(N))
    assert (ids(written) == ids(records)).all()
    cv = ObjectKFold(4, balance="objects", random_state=3, **options)
    expected = list(cv.split(groups=ids(records)))
    assert len(expected) == len(written.column_names) - 3 == len(result.train)
    for number, (train, test) in enumerate(expected):
        roles = np.array(written[f"fold_{number}"].to_pylist())
        assert np.flatnonzero(roles == "train").tolist() == train.tolist()
        assert np.flatnonzero(roles == "test").tolist() == test.tolist()
        assert (result.train[number], result.test[number]) == (len(train), len(test))
    assert result.n_pairs == N


@pytest.mark.parametrize("symmetric", [True, False])
def test_audit_of_one_machine(tmp_path, monkeypatch, symmetric):
    monkeypatch.setattr(_flow, "_BUCKET", 50)
    for seed in range(3):
        records = table(seed, bipartite=not symmetric, numbers=seed == 1)
        roles = np.random.default_rng(seed).choice(["train", "test", "valid"], N, p=[0.4, 0.3, 0.3])
        data = write(tmp_path / str(seed), records.append_column("role", pa.array(roles)))
        result = audit(data, split="role", symmetric=symmetric)
        expected = audit_pairs(ids(records), roles == "train", roles == "test", symmetric=symmetric)
        for name in (
            "counts",
            "new_by_column",
            "n_train",
            "n_test",
            "n_objects_train",
            "n_objects_test",
            "shared_objects",
            "n_duplicates",
            "n_mirrored",
            "n_self",
            "setting",
        ):
            assert getattr(result, name) == getattr(expected, name), name
        assert "test" in str(result)


def test_folds_without_a_test_pair_are_said(tmp_path):
    data = write(tmp_path / "data", pa.table({"a": list("abcdef"), "b": list("bcdefa")}))
    with pytest.warns(UnscorableFoldWarning, match=r"of 3 folds have no BB pair"):
        pairs(data, 3, out=tmp_path / "f.parquet", random_state=1)
    with pytest.warns(UnscorableFoldWarning, match=r"of 3 folds have no BB pair"):
        list(ObjectKFold(3, balance="objects", random_state=1).split(groups=ids(table_of(data))))


def test_folds_are_audited(tmp_path):
    data = write(tmp_path / "data", table())
    out = tmp_path / "folds.parquet"
    pairs(data, 4, out=out, random_state=0)
    for fold in range(4):
        audit(out, split=f"fold_{fold}").require("BB")


def test_what_cannot_be_split(tmp_path):
    (tmp_path / "results").mkdir()
    out = tmp_path / "results" / "f.parquet"
    good = table()
    cases = {
        "no column 'a'.*columns=": good.rename_columns(["x", "b"]),
        "an id is missing": good.set_column(1, "b", pa.array([None, *good["b"].to_pylist()[1:]])),
        "ids are large_string in one column and int64": good.set_column(1, "b", pa.array(range(N))),
        "has lists": good.set_column(1, "b", pa.array([["x"]] * N)),
        "there are 2 objects but 5 parts": pa.table({"a": ["x"] * 3, "b": ["y"] * 3}),
    }
    for number, (problem, records) in enumerate(cases.items()):
        data = write(tmp_path / str(number), records, 1)
        with pytest.raises(InputError, match=problem):
            pairs(data, 5, out=out)
        assert list((tmp_path / "results").iterdir()) == []
    data = write(tmp_path / "good", good)
    star = write(tmp_path / "star", pa.table({"a": ["x"] * 9, "b": list("abcdefghi")}))
    with pytest.raises(InputError, match="empty training set"):
        pairs(star, 2, out=out, overlapping=True)
    with pytest.raises(ParameterError, match="two columns"):
        pairs(data, 5, out=out, columns="ab")
    with pytest.raises(InputError, match=r"no such column.*split="):
        audit(data, split="role")
    roles = good.append_column("role", pa.array(["train"] * N))
    with pytest.raises(InputError, match="no pair has the role 'test'"):
        audit(write(tmp_path / "train", roles), split="role")
