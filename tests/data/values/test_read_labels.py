"""Every format against hand-written files and against the libraries that define it."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import zstandard
from hypothesis import given
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.preprocessing import MultiLabelBinarizer

from tests.strategies import label_arrays
from trueval import InputError, InputWarning
from trueval.data import read_labels
from trueval.data._source import Source

Y = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0], [0, 1, 1]])
IDS = ["p1", "p2", "p3", "p4"]
NAMES = ["a", "b", "c"]

WIDE = "id,a,b,c\np1,1,0,1\np2,0,0,0\np3,1,0,0\np4,0,1,1\n"
LONG = "id,label\np1,a\np1,c\np2,\np3,a\np4,b\np4,c\n"
LIST = "id\tlabels\np1\tc;a\np2\t\np3\ta\np4\tb;c\n"
XMC = "4 5 3\n0,2 0:1 4:0.5\n 1:1\n0 2:1e-3\n1,2 3:-2\n"
SVM = "# a comment\n0,2 0:1 4:0.5\n 1:1\n0 qid:3 2:1e-3 # another\n1,2 3:-2\n"
ARFF = """% comment
@relation 'set: -C 3'
@attribute a {0,1}
@attribute b {0,1}
@attribute c {0,1}
@attribute x numeric
@data
1,0,1,0.5
0,0,0,1
1,0,0,2
0,1,1,3
"""
SPARSE_ARFF = """@relation 'set: -C -3'
@attribute x numeric
@attribute a {0,1}
@attribute b {0,1}
@attribute c {0,1}
@data
{0 0.5, 1 1, 3 1}
{0 1}
{1 1}
{2 1, 3 1}
"""


def check(labels, *, names=True, ids=True):
    assert np.array_equal(labels.toarray(), Y)
    assert labels.matrix.has_canonical_format
    assert (labels.matrix.data == 1).all()
    assert labels.classes.tolist() == (NAMES if names else [0, 1, 2])
    assert (None if labels.index is None else labels.index.tolist()) == (IDS if ids else None)


TEXTS = {
    "wide.csv": (WIDE, {}),
    "wide.tsv": (WIDE.replace(",", "\t"), {}),
    "semicolons.csv": (WIDE.replace(",", ";"), {}),
    "floats.csv": (WIDE.replace(",1", ",1.0"), {}),
    "true.csv": (WIDE.replace(",1", ",True").replace(",0", ",False"), {}),
    "quoted.csv": (WIDE.replace("p1", '"p1"').replace("b,c", '"b",c'), {}),
    "blank_lines.csv": (WIDE + "\n\n", {}),
    "no_suffix": (WIDE, {}),
    "index.csv": (WIDE.replace("id,", ","), {}),
    "unnamed.csv": (WIDE.replace("id,", "Unnamed: 0,"), {}),
    "long.csv": (LONG, {}),
    "long.txt": (LONG, {}),
    "long_no_header.csv": (LONG.split("\n", 1)[1], {}),
    "long_columns.csv": (
        "protein,evidence,term\np1,IDA,a\np1,IEA,c\np2,IEA,\np3,x,a\np4,x,b\np4,,c\n",
        {"ignore": "evidence"},
    ),
    "long_chosen.csv": (
        "one,two,three\nx,p1,a\nx,p1,c\nx,p2,\nx,p3,a\nx,p4,b\nx,p4,c\n",
        {"id_column": "two", "label_column": "three", "ignore": [0]},
    ),
    "long_turned.csv": (
        "term,protein\na,p1\nc,p1\n,p2\na,p3\nb,p4\nc,p4\n",
        {"id_column": 1, "label_column": 0},
    ),
    "list.tsv": (LIST, {}),
    "list_no_header.tsv": (LIST.split("\n", 1)[1], {}),
    "list_bars.csv": (LIST.replace("\t", ",").replace(";", "|"), {}),
    "list_spaces.tsv": (LIST.replace(";", "; "), {}),
    "list_commas.tsv": (LIST.replace(";", ","), {"separator": ","}),
}


@pytest.mark.parametrize("name", TEXTS)
def test_tables_of_text(tmp_path, name):
    text, options = TEXTS[name]
    path = tmp_path / name
    path.write_text(text)
    check(read_labels(path, **options))
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    check(read_labels(path, **options))
    path.write_text(text.rstrip("\n"))
    if "p2" in text.split("\n")[1]:
        check(read_labels(path, **options))


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", zstandard.compress),
    ],
)
@pytest.mark.parametrize("text", ["wide.csv", "long.csv", "list.tsv", "x.txt", "x.svm", "x.npz"])
def test_compression_is_seen_through(tmp_path, suffix, pack, text):
    if text == "x.npz":
        file = io.BytesIO()
        sp.save_npz(file, sp.csr_array(Y))
        data = file.getvalue()
    else:
        data = {"x.txt": XMC, "x.svm": SVM}.get(text, TEXTS.get(text, [""])[0]).encode()
    named = text.startswith(("wide", "long", "list"))
    path = tmp_path / (text + suffix)
    path.write_bytes(pack(data))
    check(read_labels(path), names=named, ids=named)
    path.write_bytes(pack(data[:20]) + pack(data[20:]))  # several streams one after another
    check(read_labels(path), names=named, ids=named)
    hidden = tmp_path / text
    hidden.write_bytes(pack(data))  # by content alone
    check(read_labels(hidden), names=named, ids=named)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32])
def test_npz_of_scipy(tmp_path, form, dtype):
    path = tmp_path / "y.npz"
    for compressed in (True, False):
        sp.save_npz(path, sp.csr_array(Y.astype(dtype)).asformat(form), compressed=compressed)
        check(read_labels(path), names=False, ids=False)
    check(read_labels(path, classes=NAMES, index=IDS))


def test_dense_numpy(tmp_path):
    np.save(tmp_path / "y.npy", Y)
    check(read_labels(tmp_path / "y.npy"), names=False, ids=False)
    np.save(tmp_path / "f.npy", np.asfortranarray(Y.astype(bool)))
    check(read_labels(tmp_path / "f.npy"), names=False, ids=False)
    np.savez(tmp_path / "y.npz", labels=Y, classes=np.array(NAMES), index=np.array(IDS))
    check(read_labels(tmp_path / "y.npz"))


def test_names_from_files(tmp_path):
    np.save(tmp_path / "y.npy", Y)
    (tmp_path / "names.txt").write_text("a\nb\nc\n")
    (tmp_path / "ids.txt").write_text("\n".join(IDS))
    made = read_labels(
        tmp_path / "y.npy", classes=tmp_path / "names.txt", index=tmp_path / "ids.txt"
    )
    check(made)


def test_classes_and_index_order_what_has_names(tmp_path):
    path = tmp_path / "y.csv"
    path.write_text(LONG)
    made = read_labels(path, classes=["c", "z", "a", "b"], index=IDS[::-1])
    assert made.classes.tolist() == ["c", "z", "a", "b"]
    assert made.index.tolist() == IDS[::-1]
    assert made.toarray().tolist() == [[1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 1, 0]]


FRAME = pd.DataFrame(Y, columns=NAMES, index=pd.Index(IDS, name="id"))
LISTS = [["c", "a"], [], ["a"], ["b", "c"]]


def test_parquet_of_pandas_polars_and_arrow(tmp_path):
    path = tmp_path / "y.parquet"
    FRAME.to_parquet(path)
    check(read_labels(path))
    FRAME.astype(bool).reset_index().to_parquet(path, index=False)
    check(read_labels(path))
    FRAME.astype(float).reset_index(drop=True).to_parquet(path)
    check(read_labels(path), ids=False)
    pl.DataFrame({"id": IDS, "labels": LISTS}).write_parquet(path)
    check(read_labels(path))
    long = pd.DataFrame({"id": ["p1", "p1", "p3", "p4", "p4"], "label": ["a", "c", "a", "b", "c"]})
    for frame in (long, long.astype("category")):
        frame.to_parquet(path)
        made = read_labels(path)
        assert np.array_equal(made.toarray(), Y[[0, 2, 3]])
        assert made.index.tolist() == ["p1", "p3", "p4"]


@pytest.mark.parametrize(
    "inner", [pa.string(), pa.large_string(), pa.int8(), pa.int32(), pa.int64()]
)
@pytest.mark.parametrize("outer", [pa.list_, pa.large_list])
@pytest.mark.parametrize("groups", [None, 1, 3])
def test_parquet_list_columns(tmp_path, inner, outer, groups):
    path = tmp_path / "y.parquet"
    number = pa.types.is_integer(inner)
    lists = [[NAMES.index(v) for v in row] for row in LISTS] if number else LISTS
    table = pa.table({"id": IDS, "labels": pa.array(lists, type=outer(inner))})
    pq.write_table(table, path, row_group_size=groups)
    check(read_labels(path), names=not number)
    pq.write_table(table.select(["labels"]), path, row_group_size=groups)
    check(read_labels(path), names=not number, ids=False)


def test_parquet_numbers_far_apart_and_fixed_lists(tmp_path):
    path = tmp_path / "y.parquet"
    pq.write_table(pa.table({"labels": [[5, -(2**40)], [2**50]]}), path)
    made = read_labels(path)
    assert made.classes.tolist() == [-(2**40), 5, 2**50]
    assert made.toarray().tolist() == [[1, 1, 0], [0, 0, 1]]
    fixed = pa.array([[0, 1], [1, 2]], type=pa.list_(pa.int32(), 2))
    pq.write_table(pa.table({"labels": fixed}), path)
    assert read_labels(path).toarray().tolist() == [[1, 1, 0], [0, 1, 1]]


def test_xmc_and_svmlight(tmp_path):
    for name, text in (("y.xmc", XMC), ("y.txt", XMC), ("y.svm", SVM), ("s.txt", SVM)):
        for made in (text, text.replace("\n", "\r\n"), text.rstrip("\n")):
            (tmp_path / name).write_bytes(made.encode())
            check(read_labels(tmp_path / name), names=False, ids=False)
    (tmp_path / "blank.xmc").write_text(XMC + "\n\n")
    check(read_labels(tmp_path / "blank.xmc"), names=False, ids=False)
    (tmp_path / "empty_rows.xmc").write_text("4 5 3\n2,0,2\n\n0\n1,2\n")
    check(read_labels(tmp_path / "empty_rows.xmc"), names=False, ids=False)


def test_xmc_keeps_declared_classes(tmp_path):
    (tmp_path / "y.xmc").write_text("1 0 7\n3\n")
    assert read_labels(tmp_path / "y.xmc").toarray().tolist() == [[0, 0, 0, 1, 0, 0, 0]]


@given(label_arrays())
def test_svmlight_agrees_with_scikit_learn(y):
    features = sp.csr_matrix(np.ones((len(y), 1)))
    file = io.BytesIO()
    dump_svmlight_file(features, y, file, multilabel=True)
    if not y.any():
        with pytest.raises(InputError, match="no row has a label"):
            read_labels(Source(file.getvalue(), name="y.svm"))
        return
    made = read_labels(Source(file.getvalue(), name="y.svm"), "svmlight")
    _, rows = load_svmlight_file(io.BytesIO(file.getvalue()), multilabel=True)
    expected = MultiLabelBinarizer().fit(rows)
    assert np.array_equal(made.toarray(), expected.transform(rows))
    assert made.classes.tolist() == expected.classes_.tolist()


def test_svmlight_signs_and_decimals():
    made = read_labels(Source(b"-1,+3.0 1:1\n2. 2:1\n", name="y.svm"))
    assert made.classes.tolist() == [-1, 2, 3]
    assert made.toarray().tolist() == [[1, 0, 1], [0, 1, 0]]


def test_arff_meka_dense_and_sparse(tmp_path):
    for text in (ARFF, SPARSE_ARFF):
        (tmp_path / "y.arff").write_text(text)
        check(read_labels(tmp_path / "y.arff"), ids=False)
        (tmp_path / "y.txt").write_text(text)
        check(read_labels(tmp_path / "y.txt"), ids=False)


def test_arff_mulan(tmp_path):
    xml = '<?xml version="1.0"?><labels xmlns="http://mulan.sourceforge.net/labels">'
    xml += '<label name="a"/><label name="b"><label name="c"></label></label></labels>'
    plain = ARFF.replace("'set: -C 3'", "set")
    (tmp_path / "y.arff").write_text(plain)
    with pytest.raises(InputError, match="which of the 4 attributes are labels"):
        read_labels(tmp_path / "y.arff")
    for told in (NAMES, 3):
        check(read_labels(tmp_path / "y.arff", label_list=told), ids=False)
    (tmp_path / "y.xml").write_text(xml)
    check(read_labels(tmp_path / "y.arff"), ids=False)
    check(read_labels(tmp_path / "y.arff", label_list=tmp_path / "y.xml"), ids=False)


def test_sparse_arff_leaves_out_the_first_nominal_value(tmp_path):
    text = "@relation 'x: -C 2'\n@attribute a {1,0}\n@attribute b {0,1}\n@data\n{1 1}\n{0 0}\n"
    (tmp_path / "y.arff").write_text(text)
    assert read_labels(tmp_path / "y.arff").toarray().tolist() == [[1, 1], [0, 0]]


def test_h5ad(tmp_path):
    obs = pd.DataFrame({"all": ["c;a", "", "a", "b;c"], **{n: FRAME[n] for n in NAMES}}, index=IDS)
    data = anndata.AnnData(X=np.zeros((4, 2)), obs=obs)
    data.obsm["frame"] = FRAME.set_axis(IDS)
    data.obsm["sparse"] = sp.csr_matrix(Y)
    data.obsm["dense"] = Y
    path = tmp_path / "y.h5ad"
    data.write_h5ad(path)
    check(read_labels(path, key="frame"))
    check(read_labels(path, key="obsm/sparse", classes=NAMES))
    check(read_labels(path, key="dense", classes=NAMES))
    check(read_labels(path, key="all"))
    check(read_labels(path, key=NAMES))
    with pytest.raises(InputError, match="which part holds the labels"):
        read_labels(path)


@pytest.mark.parametrize(
    ("module", "extra", "name", "data"),
    [
        ("pyarrow", "parquet", "y.parquet", b"PAR1xxxxPAR1"),
        ("arff", "arff", "y.arff", ARFF.encode()),
        ("anndata", "h5ad", "y.h5ad", b"\x89HDF\r\n\x1a\n"),
        ("zstandard", "zst", "y.csv.zst", zstandard.compress(WIDE.encode())),
    ],
)
def test_a_missing_extra_is_named(tmp_path, module, extra, name, data):
    (tmp_path / name).write_bytes(data)
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from trueval.data import read_labels\n"
        f"try: read_labels({str(tmp_path / name)!r})\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f'pip install "trueval[{extra}]"' in done.stdout, done.stderr


def test_import_brings_no_extra():
    code = (
        "import sys, trueval.data; "
        "print([m for m in ('pyarrow', 'pandas', 'anndata', 'arff') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_reader_can_unpickle():
    from pathlib import Path

    import trueval.data

    for file in Path(trueval.data.__file__).parent.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert "allow_pickle=True" not in text
        for word in ("import pickle", "import joblib", "pickle.load", "eval(", "exec("):
            assert word not in text, f"{file.name}: {word}"


@pytest.mark.parametrize("cell", ["\"['a', 'b']\"", "[]", '"[""a""]"', '"[3, 17]"', "\"{'a'}\""])
@pytest.mark.parametrize("header", ["id,label", "id,labels"])
def test_a_list_written_as_text_is_no_name(tmp_path, cell, header):
    file = tmp_path / "y.csv"
    file.write_text(f"{header}\np1,a\np2,{cell}\n")
    with pytest.raises(InputError, match=r"line 3: .* is a list written as text"):
        read_labels(file)
    assert read_labels(file, layout="long").n_classes == 2


@pytest.mark.parametrize("text", ["id,a,b\n", ",a,b\n", "patient,a,b\n", "id,label\n", "id,a\n"])
def test_a_header_without_rows_is_said_to_be_one(tmp_path, text):
    file = tmp_path / "y.csv"
    file.write_text(text)
    with pytest.raises(InputError, match="no rows"):
        read_labels(file)


def test_an_unknown_header_above_numbers_is_found(tmp_path):
    file = tmp_path / "y.csv"
    file.write_text("patient,code\n17,flu\n18,cold\n")
    labels = read_labels(file)
    assert labels.index.tolist() == ["17", "18"]
    assert labels.classes.tolist() == ["cold", "flu"]
    file.write_text("patient,code\ns1,250\ns2,401\n")
    assert read_labels(file).classes.tolist() == ["250", "401"]


@pytest.mark.parametrize(
    "rows", ["s0,flu\ns1,cold\ns2,flu\n", "s0,flu;cold\ns1,cold;flu\ns2,flu\n"]
)
def test_an_unknown_header_above_names_is_said(tmp_path, rows):
    file = tmp_path / "y.csv"
    file.write_text(f"patient,icd10\n{rows}")
    with pytest.warns(InputWarning, match="'patient,icd10', is taken as data.*header=True"):
        assert read_labels(file).n_rows == 4
    assert read_labels(file, header=True).index.tolist() == ["s0", "s1", "s2"]
    assert read_labels(file, header=False).n_rows == 4
    file.write_text(rows)  # no header: 'flu' occurs again, or stands in a list
    assert read_labels(file).n_rows == 3


def test_names_in_brackets_are_names(tmp_path):
    file = tmp_path / "y.csv"
    file.write_text("id,label\np1,[2Fe-2S]\np2,[acyl-carrier-protein]\n")
    assert read_labels(file).classes.tolist() == ["[2Fe-2S]", "[acyl-carrier-protein]"]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("y.xlsx", b"PK\x03\x04 and so on", "workbook.* as CSV"),
        ("y.csv.zip", b"PK\x03\x04 and so on", "zip archive. Unzip it"),
        ("y.txt", "id\tlabel\np1\ta\n".encode("utf-16"), "UTF-16. Save it as UTF-8"),
    ],
)
def test_what_is_around_the_data_is_named(tmp_path, name, data, said):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_labels(tmp_path / name)
