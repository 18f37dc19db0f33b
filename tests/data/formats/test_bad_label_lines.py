"""Broken svmlight and extreme-classification text: each one InputError."""

import pytest

from tests.data.files import HUGE, refuse
from trueval.data import read_labels

LABELS = {
    # --- svmlight
    "svm label": ("y.svm", b"1 1:1\nx 1:1\n", "line 2, column 1: 'x'", {}),
    "svm fraction": ("y.svm", b"1.5 1:1\n", "'1.5'", {}),
    "svm comma": ("y.svm", b"1, 1:1\n", "line 1, column 3", {}),
    "svm two commas": ("y.svm", b"1,,2 1:1\n", "line 1, column 3", {}),
    "svm feature": ("y.svm", b"1 1:1\n1 1:\n", "line 2, column 3: '1:'", {}),
    "svm no value": ("y.svm", b"1 1:1 7\n", "'7' is not a feature", {}),
    "svm letters": ("y.svm", b"1 1:1x\n", "'1:1x'", {}),
    "svm negative index": ("y.svm", b"1 -1:1\n", "'-1:1'", {}),
    "svm long number": ("y.svm", b"9" * 40 + b" 1:1\n", "not a list of label numbers", {}),
    "svm only comments": ("y.svm", b"# a\n\n", "no rows", {}),
    "svm no labels": ("y.svm", b" 1:1\n 2:1\n", "no row has a label", {}),
    "svm NUL": ("y.svm", b"1 1:1\0\n", "line 1: a NUL byte at 6", {}),
    "svm Latin-1": ("y.svm", b"\xe9 1:1\n", "not a list of label numbers", {}),
    # --- extreme classification
    "xmc no header": ("y.xmc", b"0,1 1:1\n", "three numbers", {}),
    "xmc short header": ("y.xmc", b"2 3\n0 1:1\n", "three numbers", {}),
    "xmc letters": ("y.xmc", b"2 x 3\n0 1:1\n", "'2 x 3'", {}),
    "xmc too few rows": ("y.xmc", b"3 3 3\n0 1:1\n1 1:1\n", "declares 3 rows, but 2", {}),
    "xmc too many rows": ("y.xmc", b"1 3 3\n0 1:1\n1 1:1\n", "declares 1 rows, but 2", {}),
    "xmc header only": ("y.xmc", b"3 3 3\n", "but 0 follow", {}),
    "xmc label out of range": ("y.xmc", b"2 3 3\n0 1:1\n3 1:1\n", "line 3.*'3'.*0 … 2", {}),
    "xmc negative label": ("y.xmc", b"1 3 3\n-1 1:1\n", "line 2, column 1: '-1'", {}),
    "xmc feature out of range": ("y.xmc", b"1 3 3\n0 3:1\n", "line 2, column 3.*'3:1'", {}),
    "xmc negative rows": ("y.xmc", b"-1 3 3\n0 1:1\n", "-1 rows", {}),
    "xmc no rows": ("y.xmc", b"0 3 3\n", "0 rows", {}),
    "xmc negative labels": ("y.xmc", b"1 3 -3\n0 1:1\n", "-3 labels", {}),
    "xmc negative features": ("y.xmc", b"1 -3 3\n0 1:1\n", "-3 features", {}),
    "xmc huge rows": ("y.xmc", b"%d 3 3\n0 1:1\n" % HUGE, "8,000,000,000,000,000 bytes", {}),
    "xmc huge labels": ("y.xmc", b"1 3 %d\n0 1:1\n" % HUGE, "max_bytes=8000000000000000", {}),
    "xmc 30 digits": ("y.xmc", b"1 3 " + b"9" * 30 + b"\n0 1:1\n", "three numbers", {}),
    "xmc cut": ("y.xmc", b"2 3 3\n0 1:1\n1,", "line 3", {}),
    "xmc cut in a feature": ("y.xmc", b"2 3 3\n0 1:1\n1 2:", "line 3, column 3: '2:'", {}),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels(tmp_path, case):
    name, data, message, options = LABELS[case]
    refuse(read_labels, tmp_path / name, data, message, **options)
