"""Groups stay together, whatever the storage, and are divided as well as by one machine."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.distributed.data import folds_of, ids_of, labels, long, table, write
from trueval import InputError, ParameterError, split_quality, stratified_folds
from trueval.distributed import _groups, split
from trueval.distributed._rows import Rows

pytestmark = pytest.mark.filterwarnings("ignore::trueval.RareClassWarning")
Y = labels()
GROUPS = (np.random.default_rng(0).zipf(1.6, len(Y)) * 7) % 150
SEED = {"random_state": 0}
MANY = {"blocks": 5, "core": 300, "random_state": 3}


def group_table(groups=GROUPS, text=True):
    names = [f"g{group}" for group in groups] if text else [int(group) for group in groups]
    return pa.table({"row": ids_of(len(groups)), "group": names})


def numbers(path):
    folds = folds_of(path)
    assert sorted(folds) == sorted(ids_of(len(Y)))
    return np.array([folds[name] for name in ids_of(len(Y))])


def torn(folds, groups=GROUPS):
    return sum(len(set(folds[groups == group])) > 1 for group in set(groups.tolist()))


@pytest.fixture
def dataset(tmp_path):
    pq.write_table(group_table(), tmp_path / "groups.parquet")
    return write(tmp_path / "data", table(Y), 3)


@pytest.mark.parametrize("options", [{}, MANY, {"blocks": 16, "core": 100}])
@pytest.mark.parametrize("parts", [4, [0.7, 0.2, 0.1]])
def test_groups_are_whole_and_the_quality_is_that_of_the_folds(dataset, tmp_path, options, parts):
    out = tmp_path / "folds.parquet"
    result = split(
        dataset,
        parts,
        out=out,
        groups=tmp_path / "groups.parquet",
        **(SEED | options),
    )
    folds = numbers(out)
    assert torn(folds) == 0
    direct = split_quality(Y, folds, parts=parts)
    assert result.rld_wanted == pytest.approx(direct.rld_wanted, abs=1e-12)
    assert result.sizes.tolist() == direct.sizes.tolist()
    facts = json.loads((tmp_path / "folds.parquet.json").read_text())
    assert facts["parameters"]["group"] == "group"


@pytest.mark.parametrize("blocks", [1, 8])
def test_quality_is_near_that_of_one_machine(dataset, tmp_path, blocks):
    one = split_quality(Y, stratified_folds(Y, 5, groups=GROUPS, random_state=0)).rld_wanted
    by_hash = split_quality(Y, (GROUPS * 7919) % 5).rld_wanted
    options = {"groups": tmp_path / "groups.parquet", "blocks": blocks, "random_state": 0}
    whole = split(dataset, 5, out=tmp_path / "f.parquet", **options)
    assert whole.rld_wanted <= one + 0.01 * (by_hash - one)
    staged = split(dataset, 5, out=tmp_path / "f.parquet", core=800, **options)
    assert staged.rld_wanted <= one + 0.25 * (by_hash - one)


def test_storage_decides_nothing(tmp_path):
    generator = np.random.default_rng(0)
    records, groups = table(Y), group_table()
    with_groups = records.append_column("group", groups["group"])
    order = generator.permutation(len(Y))
    write(tmp_path / "one", records)
    write(tmp_path / "many", records, 7, order, row_group_size=13)
    write(tmp_path / "long", long(records), 3, generator.permutation(len(long(records))))
    write(tmp_path / "itself", with_groups, 4, order)
    write(tmp_path / "g1", groups)
    write(tmp_path / "g2", pa.concat_tables([groups, groups.slice(3, 40)]), 5)
    files = []
    for data, of_rows in (("one", "g1"), ("many", "g2"), ("long", "g1"), ("itself", "itself")):
        out = tmp_path / f"{data}.parquet"
        split(tmp_path / data, 5, out=out, groups=tmp_path / of_rows, **MANY)
        files.append(pq.read_table(out))
    assert all(file.equals(files[0]) for file in files)


def test_the_only_other_column_has_the_groups(dataset, tmp_path):
    groups = group_table().rename_columns(["row", "family"])
    pq.write_table(groups, tmp_path / "g.parquet")
    options = {"groups": tmp_path / "g.parquet", "random_state": 0}
    split(dataset, 5, out=tmp_path / "f.parquet", **options)
    assert torn(numbers(tmp_path / "f.parquet"), GROUPS) == 0
    facts = json.loads((tmp_path / "f.parquet.json").read_text())
    assert facts["parameters"]["group"] == "family"
    pq.write_table(groups.append_column("other", groups["family"]), tmp_path / "g.parquet")
    with pytest.raises(InputError, match=r"no column 'group'\. It has 'row', 'family', 'other'"):
        split(dataset, 5, out=tmp_path / "f.parquet", **options)


def test_single_rows_and_one_giant_group(tmp_path):
    data = write(tmp_path / "d", table(Y))
    alone = np.arange(len(Y))
    pq.write_table(group_table(alone, text=False), tmp_path / "g.parquet")
    out = tmp_path / "f.parquet"
    result = split(data, 5, out=out, groups=tmp_path / "g.parquet", random_state=0)
    assert np.ptp(result.sizes) <= 2
    giant = np.where(alone < 400, 0, alone)
    pq.write_table(group_table(giant), tmp_path / "g.parquet")
    result = split(data, 5, out=out, groups=tmp_path / "g.parquet", **MANY)
    assert torn(numbers(out), giant) == 0
    others = np.sort(result.sizes)[:-1]
    assert others.sum() <= 200
    assert np.ptp(others) <= 8


@given(st.lists(st.tuples(st.integers(0, 4), st.sets(st.integers(0, 3))), min_size=1))
def test_sums_of_groups(rows):
    lists = [sorted(classes) for _, classes in rows]
    indptr = np.cumsum([0, *map(len, lists)])
    indices = np.array([c for row in lists for c in row], np.int32)
    grouped = _groups._Grouped(
        Rows(pa.array(range(len(rows))), indptr, indices), pa.array([group for group, _ in rows])
    )
    (pieces,) = _groups._cut_counts(grouped, 5, 3)
    sums = {}
    for piece in pieces:
        merged = _groups._merged(piece, 5)
        matrix = sp.csr_array((merged.counts, merged.indices, merged.indptr), (len(merged), 5))
        sums |= dict(zip(merged.ids.to_pylist(), matrix.toarray().tolist(), strict=True))
    expected = {}
    for group, classes in rows:
        counts = expected.setdefault(group, [0] * 5)
        counts[0] += 1
        for c in classes:
            counts[c + 1] += 1
    assert sums == expected


def test_what_cannot_be_split(dataset, tmp_path):
    good = group_table()
    few = group_table(GROUPS % 3)
    missing = good.set_column(1, "group", pa.array(["a", None] * (len(Y) // 2)))
    other = pa.concat_tables([good, pa.table({"row": good["row"][:1], "group": ["another"]})])
    cases = {
        "has no group": good.slice(1),
        "has a group but is not in the dataset": pa.concat_tables(
            [good, pa.table({"row": ["new"], "group": ["a"]})]
        ),
        r"has no group \(null\)": missing,
        "is in several groups": other,
        "cannot divide 3 groups into 5 parts": few,
        "no column 'group'.*group=": good.rename_columns(["row", "family"]).append_column(
            "clan", good["group"]
        ),
        "the groups are lists": pa.table({"row": good["row"], "group": [["a"]] * len(Y)}),
        "int64 in the dataset|large_string in the dataset": pa.table(
            {"row": range(len(Y)), "group": good["group"]}
        ),
    }
    (tmp_path / "results").mkdir()
    for problem, groups in cases.items():
        pq.write_table(groups, tmp_path / "g.parquet")
        with pytest.raises(InputError, match=problem):
            split(dataset, 5, out=tmp_path / "results" / "f.parquet", groups=tmp_path / "g.parquet")
        assert list((tmp_path / "results").iterdir()) == []
    with pytest.raises(ParameterError, match="groups"):
        split(dataset, 5, out=tmp_path / "f.parquet", groups=GROUPS)
