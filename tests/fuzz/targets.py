"""One target for each value and format that holds it, and one for each ontology file.

A target takes bytes: it ends in an InputError, or in a value that holds out. Targets follow the
registry of formats; a format without seeds of its own begins with what it writes itself.
"""

import contextlib
import gzip
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import zstandard

from trueval import InputError, as_labels
from trueval.cafa._accretion import accretion_of
from trueval.cafa._hits import hits_of
from trueval.cafa._read import predictions_of
from trueval.cafa._truth import truth_of
from trueval.core.pairs import Pairs
from trueval.core.scores import Scores
from trueval.data import (
    read_fasta,
    read_folds,
    read_labels,
    read_pairs,
    read_scores,
    read_similarity,
    write_folds,
    write_labels,
    write_scores,
)
from trueval.data._formats import formats, known, output_format, write_raw
from trueval.data._formats.arff import _xml_names
from trueval.data._raw import RawTable
from trueval.data._source import Source
from trueval.data._values.columns import read_column
from trueval.data._values.pair_folds import read_pair_folds, write_pair_folds
from trueval.data.ontology._gaf import parse_gaf
from trueval.data.ontology._obo import parse_obo
from trueval.data.ontology._tables import read_ontology

CAP = 2**22  # bytes a file may ask for
CORPUS = Path(__file__).with_name("corpus.zip")  # see corpus.py
BESIDE = as_labels([{"a"}, {"b"}])
PAIRS = Pairs([("a", "b"), ("c", "d")])


def source(data, name="file"):
    return Source(data, name=name, max_bytes=CAP)


# --- what must hold of a value ----------------------------------------------------------


def check_labels(labels):
    assert labels.matrix.has_canonical_format
    assert (labels.matrix.data == 1).all()
    labels.matrix.check_format(full_check=True)
    assert labels.n_rows > 0
    assert len(labels.classes) == labels.n_classes > 0
    assert len(np.unique(labels.classes)) == labels.n_classes
    assert labels.index is None or len(np.unique(labels.index)) == labels.n_rows


def check_scores(scores):
    values = scores.matrix.data if sp.issparse(scores.matrix) else scores.matrix
    assert np.isfinite(values).all()
    assert scores.shape[1] == len(scores.classes)
    assert scores.index is None or len(scores.index) == scores.shape[0]


def check_pairs(pairs):
    assert pairs.pairs.shape == (len(pairs), 2)
    assert pairs.y is None or np.isfinite(pairs.y).all()
    assert pairs.weight is None or (pairs.weight >= 0).all()


def check_folds(folds):
    assert folds.folds.min() >= -1
    assert folds.index is None or len(folds.index) == len(folds)


# --- readers ------------------------------------------------------------------------------


def labels_target(form, **options):
    return lambda data: check_labels(read_labels(source(data), form, **options))


def scores_target(form):
    return lambda data: check_scores(read_scores(source(data), format=form))


def pairs_target(form):
    return lambda data: check_pairs(read_pairs(source(data), form))


def folds_target(form):
    def target(data):
        check_folds(read_folds(source(data), format=form))
        with contextlib.suppress(InputError):
            read_folds(source(data), BESIDE, form)

    return target


def groups_target(form):
    def target(data):
        column = read_column(source(data, f"file{formats()[form].suffixes[0]}"), ("group",), "it")
        assert column.names is None or len(np.unique(column.names)) == len(column)

    return target


def pair_folds_target(form):
    def target(data):
        folds = read_pair_folds(source(data, f"file{formats()[form].suffixes[0]}"), PAIRS)
        for train, test in folds.values():
            assert not set(train) & set(test)
            assert set(train) | set(test) <= {0, 1}

    return target


#: What is read, the formats that hold it by what these hold, and its reader.
VALUES = {
    "labels": (("labels", "matrix", "table"), labels_target),
    "scores": (("matrix", "table"), scores_target),
    "pairs": (("table",), pairs_target),
    "folds": (("table",), folds_target),
    "groups": (("table",), groups_target),
    "pair_folds": (("table",), pair_folds_target),
}
#: Options without which a file of the format cannot be read.
OPTIONS = {"arff": {"label_list": 1}, "h5ad": {"key": "y"}}


def _gaf(data):
    for line in parse_gaf(source(data)):
        assert line.term


def _fasta(data):
    proteins = read_fasta(source(data))
    assert len(set(proteins.index.tolist())) == len(proteins)
    assert all(letters.isalpha() for letters in proteins.sequences)


def _cafa(data):
    made = predictions_of(source(data, "team.txt"))
    assert ((made.scores > 0) & (made.scores <= 1)).all()
    assert made.matrix.shape == (len(made.targets), len(made.terms))


def _truth(data):
    made = truth_of(source(data, "truth.tsv"))
    made.matrix.check_format(full_check=True)
    assert made.nnz > 0


def _accretion(data):
    made = accretion_of(source(data, "IA.txt"))
    assert len(set(made["term"].tolist())) == made.n_rows > 0


def _hits(data):
    made = hits_of(source(data, "hits.m8"))
    assert ((made.identity >= 0) & (made.identity <= 1)).all()


def _similarity(data):
    graph = read_similarity(source(data, "hits.m8"))
    assert (graph.matrix.data > 0).all()
    assert (graph.matrix != graph.matrix.T).nnz == 0


def _obo(data):
    ontology = parse_obo(source(data))
    assert len(set(ontology.terms)) == len(ontology.terms)


def _edges(data):
    ontology = read_ontology(source(data, "edges.tsv"))
    assert len(set(ontology.terms)) == len(ontology.terms)


def _stage(data):
    """A saved result: its bytes, and as a page."""
    from trueval.report._stage import _parsed
    from trueval.report._write import _render

    stage = _parsed(data)
    assert _render([stage], "A page").encode().rstrip().endswith(b"</html>")


def _xml(data):
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        file.write(data)
        file.flush()
        names = _xml_names(file.name)
    assert len({*names}) == len(names) > 0


TARGETS = {
    f"{value}-{form}": make(form, **(OPTIONS.get(form, {}) if value == "labels" else {}))
    for value, (holds, make) in VALUES.items()
    for form in known(holds)
}
TARGETS |= {
    "labels-wide": labels_target("csv", layout="wide"),
    "labels-long": labels_target("csv", layout="long"),
    "labels-list": labels_target("csv", layout="list"),
    "labels-any": labels_target(None),
    "labels-gz": labels_target(None),
    "labels-zst": labels_target(None),
    "lines-gaf": _gaf,
    "lines-fasta": _fasta,
    "ontology-obo": _obo,
    "ontology-edges": _edges,
    "cafa-predictions": _cafa,
    "cafa-truth": _truth,
    "cafa-accretion": _accretion,
    "cafa-hits": _hits,
    "similarity-hits": _similarity,
    "result-stage": _stage,
    "names-xml": _xml,
}


# --- where each fuzzer begins -------------------------------------------------------------

_WIDE = b"id,a,b\np1,1,0\np2,0,1.0\n"
_LONG = b"id,label\np1,a\np2,\np1,b\n"
_LIST = b"id\tlabels\np1\ta;b\np2\t\n"
_XMC = b"2 4 3\n0,2 1:0.5 3:1\n 2:1e-3\n"
_SVM = b"# c\n1,2 1:0.5 # d\n-3.0 qid:1 2:1\n"
_ARFF = b"% c\n@relation 'x: -C 1'\n@attribute a {0,1}\n@attribute x numeric\n@data\n1,0.5\n"
_SPARSE = b"@relation 'x: -C 1'\n@attribute a {0,1}\n@attribute x numeric\n@data\n{0 1, 1 2}\n{}\n"
_FOLDS = b'# trueval folds {"input": null, "rows": 2, "seed": 1}\nid,fold\np1,0\np2,1\n'
_NPY = (
    b"\x93NUMPY\x01\x00v\x00{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }".ljust(127)
    + b"\n\x01\x00\x00\x01"
)
_OBO = (
    b"format-version: 1.2\n\n[Term]\nid: A:1\nname: root\nnamespace: n\n\n[Term]\nid: A:2\n"
    b"alt_id: A:9\nis_a: A:1 ! root\nrelationship: part_of A:1\n\n[Term]\nid: A:3\n"
    b"is_obsolete: true\nreplaced_by: A:2\n"
)
_GAF = b"!gaf-version: 2.1\n" + (
    b"DB,P1,,,A:2,PMID:1,IDA,,F,,,protein,taxon:9606,20140101,DB,,".replace(b",", b"\t")
)
_UNIPROT = (
    b"ID   A_X   Reviewed;   5 AA.\nAC   P1; Q1;\nDR   GO; GO:0005524; F:ATP binding; IEA:KW.\n"
    b"SQ   SEQUENCE   5 AA;  600 MW;  0 CRC64;\n     MKV LA\n//\n"
)

_CAFA = b"AUTHOR team 7\nMODEL 1\nKEYWORDS a, b.\nP1\tA:1\t0.97\nP2 A:2 0.03\nEND\n"
_HITS = b"# BLASTP\nQ\tP\t87.5\t80\t10\t0\t1\t80\t1\t80\t1e-30\t150\n"


_STAGE = (
    b'{"trueval":"stage","schema":1,"kind":"study","provenance":{"seed":1},"data":{"title":"T",'
    b'"columns":["a"],"rows":[["x"],[0.5]],"notes":["n"]}}'
)
_XML = b'<labels xmlns="x"><label name="a"/><label name="b"/></labels>'


def _h5ad(folder):
    import anndata
    import pandas as pd

    data = anndata.AnnData(X=np.zeros((2, 1)), obs=pd.DataFrame(index=["r1", "r2"]))
    data.obsm["y"] = pd.DataFrame({"a": [0, 1], "b": [1, 1]}, index=["r1", "r2"])
    data.write_h5ad(folder / "seed.h5ad")
    return (folder / "seed.h5ad").read_bytes()


def written(value, form, folder):
    """Files of a value as its writer makes them."""
    path = folder / f"seed{formats()[form].suffixes[0]}"
    if value == "labels":
        write_labels(path, as_labels([{"a", "b"}, {"b"}]), form)
    elif value == "scores":
        dense = Scores(np.array([[0.5, 1.0], [0.1, 0.2]]), np.array(["a", "b"]), np.array([3, 4]))
        write_scores(path, dense, form)
        sparse = Scores(sp.csr_array(dense.matrix), dense.classes, dense.index)
        write_scores(path.with_stem("sparse"), sparse, form)
        return [path.read_bytes(), path.with_stem("sparse").read_bytes()]
    elif value == "folds":
        write_folds(path, [0, 1], form, labels=BESIDE, seed=1)
    elif value == "pair_folds":
        write_pair_folds(path, [("a", "b"), ("c", "d")], [([0], [1]), ([1], [0])])
    else:
        columns = {"id": np.array(["p1", "p2"]), "group": np.array(["x", "y"])}
        if value == "pairs":
            columns = {"a": np.array(["x", "z"]), "b": np.array(["z", "w"]), "y": np.array([0, 1])}
        write_raw(path, output_format(path, form, ("table",)), RawTable(columns))
    return [path.read_bytes()]


#: Seeds by hand: what the writers do not write.
BY_HAND = {
    "labels-wide": [_WIDE, b"\xef\xbb\xbf" + _WIDE.replace(b"\n", b"\r\n"), b"1,0\n0,1\n"],
    "labels-long": [_LONG, b'"p,1","a ""b"""\n'],
    "labels-list": [_LIST.replace(b"\t", b","), b"p1,a|b\n"],
    "labels-csv": [_WIDE, _LONG, _LIST, b"protein;evidence;term\np;IDA;GO:1\n"],
    "labels-svmlight": [_SVM],
    "labels-xmc": [_XMC, b"1 0 1\n0\n\n"],
    "labels-arff": [_ARFF, _SPARSE],
    "labels-npy": [_NPY],
    "labels-gaf": [_GAF],
    "labels-any": [_WIDE, _LIST, _XMC, _SVM, _ARFF, _NPY, _GAF, _UNIPROT],
    "labels-gz": [gzip.compress(_WIDE, mtime=0)],
    "labels-zst": [zstandard.compress(_WIDE), zstandard.compress(_NPY)],
    "scores-csv": [b"id,a,b\np1,0.5,1e-3\n", b"id,label,score\np1,a,0.5\np2,b,1\n"],
    "scores-npy": [_NPY],
    "pairs-csv": [b"a,b,y,weight\nx,z,1,0.5\n", b"x\tz\t1\n"],
    "folds-csv": [_FOLDS, b"row,fold\n0,1\n1,0\n"],
    "lines-gaf": [_GAF],
    "lines-fasta": [b">sp|P1|A_X kinase\nMKV\nLA*\n>P2\r\nma\n"],
    "labels-uniprot": [_UNIPROT],
    "ontology-obo": [_OBO],
    "ontology-edges": [b"child\tparent\trelation\nA:2\tA:1\tis_a\nA:3\tA:1\tpart_of\n"],
    "cafa-predictions": [_CAFA, b"target term score\nP1 A:1 1\n", b"P1\tA:1\t1e-3\r\nP2 A:2 0.5 x"],
    "cafa-truth": [b"EntryID\tterm\taspect\nP1\tA:1\tF\n", b"P1 A:1\nP1 A:1\nP2 A:2"],
    "cafa-accretion": [b"term ia\nA:1\t0.5\nA:2 inf\n"],
    "cafa-hits": [_HITS, b"Q P 0.5\n"],
    "result-stage": [_STAGE, _STAGE.replace(b'"x"', rb'"\ud800"')],
    "names-xml": [_XML, _XML.decode().encode("utf-16")],
    "similarity-hits": [_HITS[9:], b"a,b,similarity\nx,z,0.5\nz,x,0.25\n"],
}


def seeds(name, folder):
    """Where the fuzzer of a target begins; what writers write goes through a folder."""
    value, form = name.split("-")
    found = list(BY_HAND.get(name, ()))
    if name == "labels-h5ad":
        found.append(_h5ad(folder))
    elif value in VALUES and form in formats() and formats()[form].write:
        found += written(value, form, folder)
    assert found, f"give {name} a seed in BY_HAND"
    return found


def corpus(name):
    """Inputs that fuzzers found to be different, those that broke a reader first."""
    with zipfile.ZipFile(CORPUS) as file:
        return [file.read(member) for member in file.namelist() if member.split("/")[0] == name]


def run(name, data):
    """Feed one input; anything but a result or an InputError is a find."""
    if not data:
        return
    message = ""
    try:
        TARGETS[name](data)
    except InputError as error:
        message = str(error)
    assert len(message) < 2000
