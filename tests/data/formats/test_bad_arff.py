"""Broken ARFF and label lists of Mulan: each one InputError with place, value and fix."""

import pytest

from tests.data.files import ARFF, PLAIN_ARFF, judge, refuse
from trueval import InputError
from trueval.data import read_labels

LABELS = {
    # --- ARFF
    "arff no labels told": ("y.arff", PLAIN_ARFF + b"1,2\n", "label_list=", {}),
    "arff no data section": ("y.arff", b"@relation x\n@attribute a {0,1}\n", "no @data", {}),
    "arff no rows": ("y.arff", ARFF, "no rows", {}),
    "arff rows before an indented @data": ("y.arff", ARFF + b"\t@data\n", "line 5", {}),
    "arff two @data": ("y.arff", b"\t@data\n1,2\n" + ARFF, "line 1", {}),
    "arff line of no kind": (
        "y.arff",
        ARFF.replace(b"@data", b"@atribute b {0,1}\n@data") + b"{0 1}\n",
        "line 4.*'@atribute b .*' is not @relation",
        {},
    ),
    "arff value": ("y.arff", ARFF + b"1,2\n5,2\n", "line 6", {}),
    "arff missing": ("y.arff", ARFF + b"?,2\n", "line 5, column 'a'.*missing", {}),
    "arff short line": ("y.arff", ARFF + b"1\n", "line 5", {}),
    "arff not a number": ("y.arff", ARFF + b"1,x\n", "line 5", {}),
    "arff bad attribute": ("y.arff", b"@relation x\n@attribute a what\n@data\n1\n", "line 2", {}),
    "arff same attribute": (
        "y.arff",
        b"@relation x\n@attribute a {0,1}\n@attribute a {0,1}\n@data\n1,1\n",
        "line 3",
        {},
    ),
    "arff too many labels": ("y.arff", ARFF.replace(b"-C 1", b"-C 9") + b"1,2\n", "9 label", {}),
    "arff no such label": ("y.arff", ARFF + b"1,2\n", "not attributes: z", {"label_list": ["z"]}),
    "arff numeric label": ("y.arff", ARFF + b"1,2.5\n", "'2.5'", {"label_list": ["x"]}),
    "arff sparse index": ("y.arff", ARFF + b"{7 1}\n", "line 5", {}),
    "arff sparse twice": ("y.arff", ARFF + b"{0 1,1 2, 00 0}\n", "line 5: .*attribute 0 twice", {}),
    "arff sparse twice later": ("y.arff", ARFF + b"1,2\n{0 1,0 1}\n", "line 6: .* twice", {}),
    "arff per cent": ("y.arff", ARFF + b"7%d,2\n", "line 5: Data value 7%d not found", {}),
    "arff sparse broken": ("y.arff", ARFF + b"{0 1\n", "line 5", {}),
    "arff dense after sparse": ("y.arff", ARFF + b"{0 1}\n1,2\n", "line 6", {}),
    "arff Latin-1": ("y.arff", b"% \xe9\n" + ARFF + b"1,2\n", "line 1.*latin-1", {}),
    "arff quote": ("y.arff", ARFF + b"'1,2\n", "line 5", {}),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels(tmp_path, case):
    name, data, message, options = LABELS[case]
    refuse(read_labels, tmp_path / name, data, message, **options)


XML = {
    "empty": (b"", "empty"),
    "no labels": (b"<labels/>", "no <label"),
    "cut": (b"<labels><label name='a'", "cannot be read"),
    "entities": (b'<!DOCTYPE x [<!ENTITY a "b">]><labels/>', "entities"),
    "twice": (b"<labels><label name='a'/><label name='a'/></labels>", "'a'"),
}


@pytest.mark.parametrize("case", XML)
def test_label_list_of_mulan(tmp_path, case):
    data, message = XML[case]
    (tmp_path / "y.arff").write_bytes(PLAIN_ARFF + b"1,2\n")
    (tmp_path / "y.xml").write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_labels(tmp_path / "y.arff")
    judge(caught, tmp_path / "y.xml", message)
