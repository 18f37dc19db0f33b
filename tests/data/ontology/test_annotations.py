import datetime as dt
import gzip

import numpy as np
import pytest

from tests.data.ontology.examples import SMALL_OBO, gaf_line
from trueval import InputError, as_labels
from trueval.data import read_annotations, read_ontology
from trueval.data.annotations import EVIDENCE

LINES = [
    "!gaf-version: 2.2",
    "! made by hand",
    gaf_line("P1", "F:4", "IDA", date="20100101"),
    gaf_line("P1", "F:4", "IMP", date="20120101"),  # a duplicate of the pair
    gaf_line("P1", "C:1", "IEA", date="20130101"),
    gaf_line("P2", "F:20", "HDA", "enables", date="20131231"),  # alternative id of F:2
    gaf_line("P2", "F:5", "IDA", "NOT|enables", date="20140101"),
    gaf_line("P3", "F:3", "IEA", date="20140102"),
    gaf_line("P3", "F:3", "IDA", "NOT", date="20140102"),  # contradicts the line before
    gaf_line("P4", "F:9", "TAS", date="20150101"),  # obsolete, replaced by F:4
    gaf_line("P5", "F:3", "IDA", "colocalizes_with", date="20160101"),
]


@pytest.fixture(scope="module")
def ontology():
    return read_ontology(SMALL_OBO.encode())


def write(tmp_path, lines, name="a.gaf"):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n")
    return path


def pairs(labels, matrix=None):
    coo = (labels.matrix if matrix is None else matrix).tocoo()
    return {
        (str(labels.index[i]), str(labels.classes[j]))
        for i, j in zip(coo.row, coo.col, strict=True)
    }


def test_all_lines(tmp_path):
    labels = read_annotations(write(tmp_path, LINES))
    assert pairs(labels) == {
        ("P1", "F:4"), ("P1", "C:1"), ("P2", "F:20"), ("P4", "F:9"), ("P5", "F:3"),
    }  # fmt: skip
    assert labels.index.tolist() == ["P1", "P2", "P4", "P5"]
    assert labels.classes.tolist() == ["C:1", "F:20", "F:3", "F:4", "F:9"]
    assert labels.counts == {
        "lines": 9, "evidence": 0, "date": 0, "taxon": 0, "unknown": 0, "negated": 2,
        "duplicates": 1, "contradicted": 1,
    }  # fmt: skip
    assert as_labels(labels) is labels
    assert labels.matrix.has_canonical_format
    assert "5 positives" in repr(labels)


def test_contradicted_pairs_by_choice(tmp_path):
    labels = read_annotations(write(tmp_path, LINES), contradicted="keep")
    assert ("P3", "F:3") in pairs(labels)
    assert pairs(labels, labels.negatives) == {("P3", "F:3")}  # P2's F:5 has no column


def test_experimental_preset(tmp_path):
    labels = read_annotations(write(tmp_path, LINES), evidence="experimental")
    assert pairs(labels) == {("P1", "F:4"), ("P2", "F:20"), ("P5", "F:3")}
    assert labels.counts["evidence"] == 3
    six = read_annotations(write(tmp_path, LINES), evidence="low_throughput")
    assert pairs(six) == {("P1", "F:4"), ("P5", "F:3")}
    mixed = read_annotations(write(tmp_path, LINES), evidence=["TAS", "electronic"])
    assert pairs(mixed) == {("P1", "C:1"), ("P3", "F:3"), ("P4", "F:9")}
    assert {"EXP", "IDA", "IPI", "IMP", "IGI", "IEP", "HTP", "HDA", "HMP", "HGI", "HEP"} == (
        EVIDENCE["experimental"]
    )


@pytest.mark.parametrize("last", ["2013-12-31", "20131231", dt.date(2013, 12, 31)])
def test_date_cut(tmp_path, last):
    labels = read_annotations(write(tmp_path, LINES), until=last)
    assert pairs(labels) == {("P1", "F:4"), ("P1", "C:1"), ("P2", "F:20")}
    after = read_annotations(write(tmp_path, LINES), since="2014-01-03")
    assert pairs(after) == {("P4", "F:9"), ("P5", "F:3")}
    assert after.counts["date"] == 7


def test_ids_are_resolved_with_an_ontology(tmp_path, ontology):
    labels = read_annotations(write(tmp_path, LINES), ontology)
    assert pairs(labels) == {
        ("P1", "F:4"), ("P1", "C:1"), ("P2", "F:2"), ("P4", "F:4"), ("P5", "F:3"),
    }  # fmt: skip


def test_propagated_columns(tmp_path, ontology):
    labels = read_annotations(
        write(tmp_path, LINES), ontology, evidence="experimental", propagate=True
    )
    assert labels.classes.tolist() == ["F:1", "F:2", "F:3", "F:4"]
    assert labels.index.tolist() == ["P1", "P2", "P5"]
    assert labels.toarray().tolist() == [[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0]]


def test_objects_of_two_databases(tmp_path):
    path = write(tmp_path, [gaf_line("1", "F:1"), gaf_line("1", "F:2", database="MGI")])
    with pytest.raises(InputError, match="line 2: the id 1 is of MGI here and of UniProtKB before"):
        read_annotations(path)
    labels = read_annotations(path, ids="database:identifier")
    assert labels.index.tolist() == ["UniProtKB:1", "MGI:1"]


def test_unknown_terms(tmp_path, ontology):
    path = write(tmp_path, [gaf_line(term="F:1"), gaf_line(term="F:77")])
    with pytest.raises(InputError, match="line 2: the term F:77 is not in the ontology"):
        read_annotations(path, ontology)
    labels = read_annotations(path, ontology, unknown="drop")
    assert pairs(labels) == {("P1", "F:1")}
    assert labels.counts["unknown"] == 1


def test_packed_and_with_fewer_columns(tmp_path):
    path = tmp_path / "a.gaf.gz"
    short = "\t".join(gaf_line("P1", "F:1").split("\t")[:15])
    path.write_bytes(gzip.compress(("\ufeff!gaf-version: 2.0\r\n" + short + "\r\n").encode()))
    assert pairs(read_annotations(path)) == {("P1", "F:1")}


def cell(number, value):
    cells = gaf_line().split("\t")
    cells[number - 1] = value
    return "\t".join(cells)


BAD = {
    "comments only": ("!gaf-version: 2.1", "none of 0 lines"),
    "version 1": ("!gaf-version: 1.0\n" + gaf_line(), "line 1: the file is GAF version '1.0'"),
    "version none": ("!gaf-version:\n" + gaf_line(), "line 1: the file is GAF version ''"),
    "version 3": ("!gaf-version: 22\n" + gaf_line(), "line 1: the file is GAF version '22'"),
    "text": ("hello", "line 1: 1 columns"),
    "GPAD": ("\t".join("abcdefghijkl"), "line 1: 12 columns"),
    "commas": (gaf_line().replace("\t", ","), "line 1: 1 columns"),
    "18 columns": (gaf_line() + "\tx", "line 1: 18 columns"),
    "second line": (gaf_line() + "\n" + "x\ty", "line 2: 2 columns"),
    "no database": (cell(1, ""), "line 1: the database is ''"),
    "no object": (cell(2, " "), "line 1: the object id is ''"),
    "long object": (cell(2, "P" * 500), "line 1: the object id is 'P"),
    "no term": (cell(5, ""), "line 1: column 5 is '', not a term"),
    "odd term": (cell(5, "8150"), "line 1: column 5 is '8150'"),
    "blank term": (cell(5, "GO:1 2"), "line 1: column 5"),
    "no code": (cell(7, ""), "line 1: column 7 is ''"),
    "odd code": (cell(7, "ida"), "line 1: column 7 is 'ida'"),
    "no date": (cell(14, ""), "line 1: column 14 is ''"),
    "dashes": (cell(14, "2014-01-01"), "line 1: column 14 is '2014-01-01'"),
    "month 13": (cell(14, "20141301"), "line 1: column 14 is '20141301', no day"),
    "year 0": (cell(14, "00000101"), "line 1: column 14"),
    "other digits": (cell(14, "٢٠١٤٠١٠١"), "line 1: column 14"),
    "all NOT": (cell(4, "NOT"), "none of 1 lines.*1 say NOT"),
    "nul": (cell(2, "P\x00"), "line 1: .*NUL"),
    "latin-1": (cell(10, "x").encode() + b"\xe9", "line 1: byte 0xe9"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_gaf(tmp_path, name):
    text, message = BAD[name]
    path = tmp_path / "a.gaf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message) as caught:
        read_annotations(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"evidence": "IDX"}, "'evidence'.*'IDX'"),
        ({"until": "yesterday"}, "'until'.*'yesterday'"),
        ({"since": 2014}, "'since'.*2014"),
        ({"contradicted": "x"}, "'contradicted'"),
        ({"unknown": "x"}, "'unknown'"),
        ({"ids": "x"}, "'ids'"),
        ({"propagate": True}, "given with propagate=True"),
    ],
)
def test_bad_parameters(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        read_annotations(write(tmp_path, LINES), **options)


def test_size_cap(tmp_path):
    with pytest.raises(InputError, match="max_bytes=200"):
        read_annotations(write(tmp_path, LINES), max_bytes=200)


def test_damaged_lines_give_input_errors_only():
    rng = np.random.default_rng(1)
    start = "\n".join(LINES).encode()
    outcomes = set()
    for _ in range(600):
        data = bytearray(start)
        for _ in range(rng.integers(1, 4)):
            a = int(rng.integers(len(data)))
            if rng.random() < 0.5:
                data[a] = rng.integers(256)
            else:
                del data[a : a + int(rng.integers(30))]
        try:
            read_annotations(bytes(data))
            outcomes.add("read")
        except InputError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_an_empty_file(tmp_path):
    (tmp_path / "a.gaf").write_bytes(b"")
    with pytest.raises(InputError, match=r"a\.gaf: the file is empty"):
        read_annotations(tmp_path / "a.gaf")
