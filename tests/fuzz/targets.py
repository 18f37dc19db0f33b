"""One function for each reader: bytes in, an InputError or a result that holds out."""

import numpy as np
import scipy.sparse as sp
from trueval.data.folds import folds_of
from trueval.data.labels import labels_of
from trueval.data.obo import parse_obo
from trueval.data.pairs import pairs_of
from trueval.data.scores import scores_of
from trueval.data.source import Source

from trueval import InputError, as_labels
from trueval.data.annotations import parse_gaf

CAP = 2**22  # bytes a file may ask for


def _labels(name, form, **options):
    def target(data):
        labels = labels_of(Source(name, data=data, max_bytes=CAP), form, **options)
        assert labels.matrix.has_canonical_format
        assert (labels.matrix.data == 1).all()
        labels.matrix.check_format(full_check=True)
        assert labels.n_rows > 0
        assert len(labels.classes) == labels.n_classes > 0
        assert len(np.unique(labels.classes)) == labels.n_classes
        assert labels.index is None or len(np.unique(labels.index)) == labels.n_rows

    return target


def _scores(data):
    made = scores_of(Source("s.csv", data=data, max_bytes=CAP), form="csv")
    values = made.matrix.data if sp.issparse(made.matrix) else made.matrix
    assert np.isfinite(values).all()
    assert made.shape[1] == len(made.classes)
    assert made.index is None or len(made.index) == made.shape[0]


def _pairs(data):
    made = pairs_of(Source("p.csv", data=data, max_bytes=CAP), "csv")
    assert made.pairs.shape == (len(made), 2)
    assert made.y is None or np.isfinite(made.y).all()
    assert made.weight is None or (made.weight >= 0).all()


BESIDE = as_labels([{"a"}, {"b"}])


def _folds(data):
    made = folds_of(Source("f.csv", data=data, max_bytes=CAP), form="csv")
    assert made.folds.min() >= 0
    assert made.index is None or len(made.index) == len(made)
    folds_of(Source("f.csv", data=data, max_bytes=CAP), BESIDE, "csv")


def _any(data):
    labels_of(Source("y", data=data, max_bytes=CAP))


def _obo(data):
    ontology = parse_obo(data.split(b"\n"), "o.obo")
    assert len(set(ontology.terms)) == len(ontology.terms)


def _gaf(data):
    for line in parse_gaf(data.split(b"\n"), "a.gaf"):
        assert line.term


#: Reader name: target.
TARGETS = {
    "wide": _labels("y.csv", "csv", layout="wide"),
    "long": _labels("y.csv", "csv", layout="long"),
    "list": _labels("y.csv", "csv", layout="list"),
    "csv": _labels("y.csv", "csv"),
    "svmlight": _labels("y.svm", "svmlight"),
    "xmc": _labels("y.xmc", "xmc"),
    "arff": _labels("y.arff", "arff", label_list=1),
    "scores": _scores,
    "pairs": _pairs,
    "folds": _folds,
    "npy": _labels("y.npy", "npy"),
    "any": _any,
    "obo": _obo,
    "gaf": _gaf,
}

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
    b"DB,P1,,NOT,A:2,PMID:1,IDA,,F,,,protein,taxon:9606,20140101,DB,,".replace(b",", b"\t")
)

#: Where each fuzzer begins.
SEEDS = {
    "wide": [_WIDE, b"\xef\xbb\xbf" + _WIDE.replace(b"\n", b"\r\n"), b"1,0\n0,1\n"],
    "long": [_LONG, b'"p,1","a ""b"""\n'],
    "list": [_LIST, b"p1,a|b\n"],
    "csv": [_WIDE, _LONG, _LIST, b"protein;evidence;term\np;IDA;GO:1\n"],
    "svmlight": [_SVM],
    "xmc": [_XMC, b"1 0 1\n0\n\n"],
    "arff": [_ARFF, _SPARSE],
    "scores": [b"id,a,b\np1,0.5,1e-3\n", b"id,label,score\np1,a,0.5\np2,b,1\n"],
    "pairs": [b"a,b,y,weight\nx,z,1,0.5\n", b"x\tz\t1\n"],
    "folds": [_FOLDS, b"row,fold\n0,1\n1,0\n"],
    "npy": [_NPY],
    "any": [_WIDE, _LIST, _XMC, _SVM, _ARFF, _NPY],
    "obo": [_OBO],
    "gaf": [_GAF],
}


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
