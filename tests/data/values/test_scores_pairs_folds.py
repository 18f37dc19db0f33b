"""Scores beside labels by name; pairs; folds with their provenance."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

import trueval
from trueval import InputError, InputWarning, as_labels
from trueval.data import (
    fingerprint,
    read_folds,
    read_labels,
    read_pairs,
    read_scores,
    write_folds,
    write_labels,
    write_scores,
)
from trueval.pairs import as_pairs, audit_pairs

FRAME = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]}, index=["p1", "p2", "p3"])
LABELS = as_labels(FRAME)
# In the order of LABELS.
DENSE = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.25]])
TEXT = "id,b,a\np3,0.25,0.5\np1,0.2,0.1\np2,0.4,0.3\n"
TOP = "id,label,score\np3,b,0.25\np1,b,0.2\np2,a,0.3\np3,a,0\n"


def test_dense_scores_are_aligned_by_name(tmp_path):
    (tmp_path / "s.csv").write_text(TEXT)
    assert np.array_equal(read_scores(tmp_path / "s.csv", LABELS).matrix, DENSE)
    (tmp_path / "s.tsv").write_text(TEXT.replace(",", "\t"))
    assert np.array_equal(read_scores(tmp_path / "s.tsv", LABELS).matrix, DENSE)
    frame = pd.DataFrame(DENSE, columns=["a", "b"], index=pd.Index(["p1", "p2", "p3"], name="id"))
    frame.iloc[::-1, ::-1].to_parquet(tmp_path / "s.parquet")
    assert np.array_equal(read_scores(tmp_path / "s.parquet", LABELS).matrix, DENSE)
    names = {"classes": np.array(["b", "a"]), "index": np.array(["p2", "p1", "p3"])}
    np.savez(tmp_path / "s.npz", scores=DENSE[[1, 0, 2]][:, ::-1], **names)
    found = read_scores(tmp_path / "s.npz", LABELS)
    assert np.array_equal(found.matrix, DENSE)
    assert found.classes.tolist() == ["a", "b"]
    assert found.index.tolist() == ["p1", "p2", "p3"]
    alone = read_scores(tmp_path / "s.csv")
    assert alone.classes.tolist() == ["b", "a"]
    assert alone.index.tolist() == ["p3", "p1", "p2"]
    assert repr(alone) == "Scores(3 rows × 2 classes, dense)"


def test_top_k_scores_are_aligned_by_name(tmp_path):
    (tmp_path / "s.csv").write_text(TOP)
    pd.read_csv(tmp_path / "s.csv").to_parquet(tmp_path / "s.parquet")
    for name in ("s.csv", "s.parquet"):
        found = read_scores(tmp_path / name, LABELS).matrix
        assert found.toarray().tolist() == [[0, 0.2], [0.3, 0], [0, 0.25]]
        assert found.nnz == 4  # a score of 0 is a score
    (tmp_path / "s.csv").write_text("id,label,score\np3,b,0.25\n")
    with pytest.raises(InputError, match="2 of the 3 row ids expected are missing: 'p1', 'p2'"):
        read_scores(tmp_path / "s.csv", LABELS)
    found = read_scores(tmp_path / "s.csv", LABELS, allow_missing=True).matrix
    assert found.toarray().tolist() == [[0, 0], [0, 0], [0, 0.25]]


def test_nameless_scores_need_a_word(tmp_path):
    np.save(tmp_path / "s.npy", DENSE)
    with pytest.raises(InputError, match=r"same_order=True"):
        read_scores(tmp_path / "s.npy", LABELS)
    with pytest.raises(InputError, match=r"no class names.*same_order=True"):
        read_scores(tmp_path / "s.npy", LABELS, index=LABELS.index)
    names = {"index": LABELS.index, "classes": LABELS.classes}
    assert np.array_equal(read_scores(tmp_path / "s.npy", LABELS, **names).matrix, DENSE)
    sp.save_npz(tmp_path / "s.npz", sp.csr_array(DENSE))
    assert np.array_equal(read_scores(tmp_path / "s.npz", LABELS, **names).matrix.toarray(), DENSE)
    nameless = as_labels(FRAME.to_numpy())
    assert np.array_equal(read_scores(tmp_path / "s.npy", nameless).matrix, DENSE)
    (tmp_path / "s.csv").write_text(TEXT)
    with pytest.raises(InputError, match="names of its own"):
        read_scores(tmp_path / "s.csv", index=LABELS.index)


@pytest.mark.parametrize("name", ["s.npz", "s.csv", "s.tsv.gz", "s.csv.zst", "s.parquet"])
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_scores_come_back(tmp_path, name, kind):
    write_scores(tmp_path / name, kind(DENSE), labels=LABELS)
    found = read_scores(tmp_path / name, LABELS).matrix
    assert np.array_equal(found.toarray() if sp.issparse(found) else found, DENSE)


PAIRS = [["x", "y"], ["x", "z"], ["z", "x"]]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a,b,y,weight\nx,y,1,0.5\nx,z,0,1\nz,x,0,2\n", {}),
        ("protein_a;protein_b;label;weight\nx;y;1;0.5\nx;z;0;1\nz;x;0;2\n", {}),
        ("x\ty\t1\t0.5\nx\tz\t0\t1\nz\tx\t0\t2\n", {}),
        (
            "w,l,one,two\n0.5,1,x,y\n1,0,x,z\n2,0,z,x\n",
            {"columns": ("one", "two"), "label_column": "l", "weight_column": "w"},
        ),
    ],
)
def test_pairs_of_text(tmp_path, text, options):
    (tmp_path / "p.txt").write_text(text)
    found = read_pairs(tmp_path / "p.txt", **options)
    assert found.pairs.tolist() == PAIRS
    assert found.y.tolist() == [1, 0, 0]
    assert found.y.dtype.kind == "i"
    assert found.weight.tolist() == [0.5, 1, 2]


def test_pairs_of_arrays_and_parquet(tmp_path):
    np.savez(tmp_path / "p.npz", a=[0, 0], b=[1, 2], y=[0.5, 1.5])
    found = read_pairs(tmp_path / "p.npz")
    assert found.pairs.tolist() == [[0, 1], [0, 2]]
    assert found.y.tolist() == [0.5, 1.5]
    assert found.weight is None
    frame = pd.DataFrame(PAIRS, columns=["u", "v"]).assign(interaction=[1, 0, 0])
    frame.to_parquet(tmp_path / "p.parquet")
    found = read_pairs(tmp_path / "p.parquet")
    assert found.pairs.tolist() == PAIRS
    assert found.y.tolist() == [1, 0, 0]
    assert repr(found) == "Pairs(3 pairs, y)"


DRUGS = pd.DataFrame(
    {"drug": ["d1", "d1", "d2"], "target": ["t1", "t2", "t1"], "y": [1, 0, 1]},
)


@pytest.mark.parametrize(
    "frame",
    [
        DRUGS,
        DRUGS.rename_axis("index"),
        DRUGS.rename_axis("Unnamed: 0"),
        DRUGS.rename(columns={"target": "cell"}),  # that column has no known name
        DRUGS.set_axis(["r1", "r2", "r3"]),
        pd.concat([DRUGS[:2], DRUGS[2:].reset_index(drop=True)]),  # 0, 1, 0
        DRUGS.assign(weight=1.0),
    ],
    ids=["plain", "index", "Unnamed", "cell", "names", "repeats", "more columns"],
)
def test_the_row_numbers_that_pandas_writes_are_no_ids(tmp_path, frame):
    frame.to_csv(tmp_path / "p.csv")
    found = read_pairs(tmp_path / "p.csv")
    assert found.pairs.tolist() == [["d1", "t1"], ["d1", "t2"], ["d2", "t1"]]
    assert found.y.tolist() == [1, 0, 1]


def test_row_numbers_in_parquet_are_no_ids(tmp_path):
    DRUGS.reset_index(names="Unnamed: 0").to_parquet(tmp_path / "p.parquet")
    found = read_pairs(tmp_path / "p.parquet")
    assert found.pairs.tolist() == [["d1", "t1"], ["d1", "t2"], ["d2", "t1"]]
    assert found.y.tolist() == [1, 0, 1]
    DRUGS.assign(label=0).to_parquet(tmp_path / "p.parquet")
    with pytest.raises(InputError, match="'y' and 'label'"):
        read_pairs(tmp_path / "p.parquet")


def test_row_and_column_numbers_that_are_ids(tmp_path):
    (tmp_path / "p.csv").write_text("row,column,y\n0,5,1\n1,6,0\n")
    assert read_pairs(tmp_path / "p.csv").pairs.tolist() == [["0", "5"], ["1", "6"]]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("target,y", [1, 0]),
        ("Label,target", [5, 6]),
        ("target,affinity", [1, 0]),
        ("y,value", [5, 6]),
        ("target,other", [5, 6]),
    ],
)
def test_the_surest_name_is_the_label(tmp_path, names, expected):
    (tmp_path / "p.csv").write_text(f"a,b,{names}\nx,z,5,1\nx,v,6,0\n")
    unread = next(
        name for name, y in zip(names.split(","), ([5, 6], [1, 0]), strict=True) if y != expected
    )
    with pytest.warns(InputWarning, match=f"not read: '{unread}'"):
        assert read_pairs(tmp_path / "p.csv").y.tolist() == expected


@pytest.mark.parametrize(
    "text",
    [
        "molecule,gene\nx,y\nx,z\nz,x\n",  # known words
        "first,gene_id\nx,y\nx,z\nz,x\n",  # one of them
        "first,second,y\nx,y,1\nx,z,0\nz,x,0\n",  # a column of numbers
        "x,y\nx,z\nz,x\n",  # none: x occurs again
        "x,y,1\nx,z,0\nz,x,0\n",
    ],
)
def test_a_header_is_told_from_data(tmp_path, text):
    (tmp_path / "p.csv").write_text(text)
    assert read_pairs(tmp_path / "p.csv").pairs.tolist() == PAIRS


def test_numbers_that_are_not_read_tell_a_header():
    with pytest.warns(InputWarning, match="not read: 'third'"):
        found = read_pairs(b"first,second,third\nx,y,1\nx,z,0\nz,x,nan\n")
    assert (found.pairs.tolist(), found.y) == (PAIRS, None)


def test_numbers_for_ids_tell_a_header(tmp_path):
    (tmp_path / "p.csv").write_text("left,right\n7,8\n9,7\n")
    assert read_pairs(tmp_path / "p.csv").pairs.tolist() == [["7", "8"], ["9", "7"]]


def test_a_header_that_cannot_be_told_is_said(tmp_path):
    (tmp_path / "p.csv").write_text("left,right\nx,y\nx,z\nz,x\n")
    with pytest.warns(InputWarning, match=r"line 1: no known header.*'left,right'.*header=True"):
        found = read_pairs(tmp_path / "p.csv")
    assert found.pairs.tolist() == [["left", "right"], *PAIRS]
    assert read_pairs(tmp_path / "p.csv", header=True).pairs.tolist() == PAIRS
    assert len(read_pairs(tmp_path / "p.csv", header=False)) == 4


def test_conflicting_labels_are_kept_and_counted(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("a,b,y\nx,z,1\nq,v,1\nx,z,0\nv,q,0\nx,z,1\nq,r,1\nq,r,1\n")
    with pytest.warns(InputWarning) as said:
        found = read_pairs(path)
    assert found.y.tolist() == [1, 1, 0, 0, 1, 1, 1]
    (text,) = [str(warning.message) for warning in said]
    assert "2 pairs have rows with different labels" in text
    assert "'x', 'z': 1 in row 0 and 0 in row 2" in text
    assert "1 of them only mirrored" in text
    train, test = [0, 1, 5], [2, 3, 4, 6]
    assert audit_pairs(found.pairs, train, test, y=found.y).n_conflicts == 2


def test_replicates_of_an_affinity_are_read(tmp_path):
    DRUGS.assign(y=[5.5, 7.25, 6.0]).pipe(lambda f: pd.concat([f, f.assign(y=f.y + 0.1)])).to_csv(
        tmp_path / "p.csv", index=False
    )
    with pytest.warns(InputWarning, match="3 pairs have rows with different labels"):
        found = read_pairs(tmp_path / "p.csv")
    np.testing.assert_allclose(found.y, [5.5, 7.25, 6.0, 5.6, 7.35, 6.1])
    np.savez(tmp_path / "p.npz", a=[1, 1], b=[2, 2], y=[0.5, 0.25])
    with pytest.warns(InputWarning, match="'1', '2': 0.5 in row 0 and 0.25 in row 1"):
        assert read_pairs(tmp_path / "p.npz").y.tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    "ids", [(2**60 + 1, 2**60 + 2), (2**63 + 1, 5), (2**63 + 1, -5)], ids=["int", "uint", "both"]
)
def test_integer_ids_of_two_types_keep_their_digits(tmp_path, ids):
    a, b = np.array(ids[:1], np.uint64), np.array(ids[1:], np.int64)
    np.savez(tmp_path / "p.npz", a=a, b=b)
    pd.DataFrame({"a": a, "b": b}).to_parquet(tmp_path / "p.parquet")
    for name in ("p.npz", "p.parquet"):
        found = read_pairs(tmp_path / name)
        assert found.pairs.tolist() == [list(ids)]
        assert as_pairs(found.pairs).ids == sorted(ids)


NAMES = ["f.csv", "f.tsv", "f.csv.gz", "f.parquet", "f.npz"]


@pytest.mark.parametrize("name", NAMES)
def test_folds_come_back_with_their_provenance(tmp_path, name):
    path = tmp_path / name
    write_folds(path, [2, 0, 1], labels=LABELS, parameters={"method": "anneal"}, seed=3)
    found = read_folds(path)
    assert found.folds.tolist() == [2, 0, 1]
    assert found.index.tolist() == ["p1", "p2", "p3"]
    assert found.provenance == {
        "input": fingerprint(LABELS),
        "rows": 3,
        "parameters": {"method": "anneal"},
        "seed": 3,
        "version": trueval.__version__,
    }
    turned = as_labels(FRAME.iloc[[2, 0, 1], ::-1])
    assert read_folds(path, turned).folds.tolist() == [1, 2, 0]
    with pytest.raises(InputError, match="fingerprint"):
        read_folds(path, as_labels(1 - FRAME))
    with pytest.raises(InputError, match="'q'"):
        read_folds(path, as_labels(FRAME.rename(index={"p1": "q"})))
    first = path.read_bytes()
    write_folds(path, [2, 0, 1], labels=LABELS, parameters={"method": "anneal"}, seed=3)
    assert path.read_bytes() == first


@pytest.mark.parametrize("name", NAMES)
def test_folds_without_names(tmp_path, name):
    write_folds(tmp_path / name, np.array([1, 0, 1], np.int8))
    found = read_folds(tmp_path / name)
    assert found.folds.tolist() == [1, 0, 1]
    assert found.folds.dtype == np.int32
    assert found.index is None
    assert found.provenance["input"] is None
    assert read_folds(tmp_path / name, FRAME.to_numpy()).folds.tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="order is not known"):
        read_folds(tmp_path / name, LABELS)
    with pytest.raises(InputError, match="3 folds for 2 rows"):
        read_folds(tmp_path / name, np.eye(2))


def test_fold_files_are_open_to_other_tools(tmp_path):
    write_folds(tmp_path / "f.csv", [2, 0, 1], labels=LABELS, seed=3)
    frame = pd.read_csv(tmp_path / "f.csv", comment="#")
    assert frame.to_dict("list") == {"id": ["p1", "p2", "p3"], "fold": [2, 0, 1]}
    write_folds(tmp_path / "f.parquet", [2, 0, 1], labels=LABELS, seed=3)
    table = pq.read_table(tmp_path / "f.parquet")
    assert table.to_pydict() == {"id": ["p1", "p2", "p3"], "fold": [2, 0, 1]}
    assert json.loads(table.schema.metadata[b"trueval_folds"])["seed"] == 3
    frame.to_csv(tmp_path / "other.csv", index=False)  # made without us
    assert read_folds(tmp_path / "other.csv", LABELS).folds.tolist() == [2, 0, 1]


def test_folds_that_are_none():
    for bad in ([0.5], [-2], [], [[0, 1]], ["a"], [2**31]):
        with pytest.raises(InputError, match="fold"):
            write_folds("never.csv", bad)
    with pytest.raises(InputError, match="2 entries but y has 3 rows"):
        write_folds("never.csv", [0, 1], labels=LABELS)


def test_fingerprint_is_of_the_content():
    other = [
        as_labels(FRAME.rename(columns={"a": "c"})),
        as_labels(FRAME.rename(index={"p1": "q"})),
        as_labels(FRAME.to_numpy()),
        as_labels(1 - FRAME),
    ]
    assert len({fingerprint(x) for x in [LABELS, *other]}) == 5
    assert fingerprint(LABELS) == fingerprint(FRAME.iloc[::-1, ::-1])


@pytest.mark.parametrize("layout", ["wide", "long", "list"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".tsv.bz2", ".csv.xz", ".csv.zst"])
def test_labels_come_back_from_text(tmp_path, layout, suffix):
    frame = pd.DataFrame(
        {'a "say"': [1, 0, 1, 0], "b, c": [0, 0, 1, 0], "é\u2028é": [1, 0, 0, 0]},
        index=["p,1", 'p"2', "p3", "# p4"],
    )
    write_labels(tmp_path / f"y{suffix}", frame, layout=layout)
    found = read_labels(tmp_path / f"y{suffix}")
    assert np.array_equal(found.toarray(), frame.to_numpy())
    assert found.classes.tolist() == list(frame.columns)
    assert found.index.tolist() == list(frame.index)


@pytest.mark.parametrize("name", ["y.npz", "y.parquet"])
def test_labels_come_back_from_arrays(tmp_path, name):
    for labels in (LABELS, as_labels(FRAME.to_numpy())):
        write_labels(tmp_path / name, labels)
        found = read_labels(tmp_path / name)
        assert np.array_equal(found.toarray(), FRAME.to_numpy())
        assert found.classes.tolist() == labels.classes.tolist()
    if name == "y.npz":
        assert np.array_equal(sp.load_npz(tmp_path / name).toarray(), FRAME.to_numpy())


def test_what_would_not_come_back_is_refused(tmp_path):
    empty = FRAME.assign(z=0)
    for layout in ("long", "list"):
        with pytest.raises(InputError, match="1 classes have no positive, the first 'z'"):
            write_labels(tmp_path / "y.csv", empty, layout=layout)
    write_labels(tmp_path / "y.csv", empty, layout="wide")
    for name, why in (("a;b", "';'"), ("a\nb", "n'"), (" a", "space"), ("", "empty")):
        with pytest.raises(InputError, match=why):
            write_labels(tmp_path / "z.csv", FRAME.rename(columns={"a": name}))
    for path, options in (("y.xls", {}), ("y.npz.gz", {}), ("y.parquet", {"layout": "wide"})):
        with pytest.raises(ValueError, match=r"ends in|compressed|layout"):
            write_labels(tmp_path / path, FRAME, **options)
    with pytest.raises(InputError, match="NaN"):
        write_scores(tmp_path / "s.csv", np.array([[np.nan]]))
    assert [p.name for p in tmp_path.iterdir()] == ["y.csv"]


def test_lines_of_id_name_and_number_are_scores(tmp_path):
    file = tmp_path / "predictions.tsv"
    file.write_text("p2\tGO:1\t0.9\np1\tGO:2\t0.25\n")
    found = read_scores(file)
    assert found.index.tolist() == ["p2", "p1"]
    assert found.classes.tolist() == ["GO:1", "GO:2"]
    assert found.matrix.toarray().tolist() == [[0.9, 0], [0, 0.25]]


def test_lines_of_three_numbers_are_not_guessed(tmp_path):
    file = tmp_path / "predictions.tsv"
    file.write_text("1\t17\t0.9\n2\t3\t0.25\n")
    with pytest.raises(InputError, match="pass layout='long'"):
        read_scores(file)
    assert read_scores(file, layout="long").matrix.nnz == 2


def test_blocks_of_scores_outside_the_matrix_are_refused(tmp_path):
    matrix = sp.bsr_array(np.eye(4))
    matrix.indices[0] = 10**6
    parts = {"indices": matrix.indices, "indptr": matrix.indptr, "data": matrix.data}
    np.savez(tmp_path / "s.npz", format=b"bsr", shape=(4, 4), **parts)
    with pytest.raises(InputError, match="10000"):
        read_scores(tmp_path / "s.npz")


def test_pairs_apart_by_spaces_are_read(tmp_path):
    file = tmp_path / "links.txt"
    file.write_text("protein1 protein2 combined_score\n9.A 9.B 490\n9.A 9.C 198\n")
    found = read_pairs(file, weight_column="combined_score")
    assert found.pairs.tolist() == [["9.A", "9.B"], ["9.A", "9.C"]]
    assert found.weight.tolist() == [490.0, 198.0]
