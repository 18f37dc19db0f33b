"""Broken and hostile Parquet: each one InputError with place, value and fix."""

import pyarrow as pa
import pytest

from tests.data.files import COLUMN, arrow, footer, judge
from trueval import InputError
from trueval.data import read_labels

LABELS = {
    # --- Parquet
    "parquet cut": ("y.parquet", arrow({"a": [1, 0]})[:-9], "cannot be read as Parquet", {}),
    "parquet middle cut": (
        "y.parquet",
        (lambda b: b[:20] + b[40:])(arrow({"a": list(range(2)) * 99})),
        "Parquet",
        {},
    ),
    "parquet magic only": ("y.parquet", b"PAR1", "cannot be read as Parquet", {}),
    "parquet footer length": ("y.parquet", b"PAR1\xff\xff\xff\x7fPAR1", "Parquet", {}),
    "parquet no footer": ("y.parquet", b"PAR1" + b"x" * 40, "do not point to a footer", {}),
    "parquet deep footer": ("y.parquet", footer(b"\x1c" * 99), "too deeply", {}),
    "parquet endless number": ("y.parquet", footer(b"\x16" + b"\xff" * 20), "does not end", {}),
    "parquet long list": ("y.parquet", footer(b"\x49\xfc\xff\xff\xff\x0f"), "does not fit", {}),
    "parquet unknown kind": ("y.parquet", footer(b"\x1e\x00"), "unknown kind 14", {}),
    "parquet no groups": ("y.parquet", footer(b"\x16\x02\x00"), "row groups", {}),
    "parquet no column sizes": ("y.parquet", footer(COLUMN % b"\x00"), "its size", {}),
    "parquet negative size": (
        "y.parquet",
        footer(COLUMN % b"\x56\x01\x16\x02\x00"),
        "-1 values",
        {},
    ),
    "parquet huge column": (
        "y.parquet",
        footer(COLUMN % (b"\x56" + b"\xfe" * 8 + b"\x01\x16\x02\x00")),
        "max_bytes",
        {},
    ),
    "parquet no rows": ("y.parquet", arrow({"a": pa.array([], pa.int8())}), "no rows", {}),
    "parquet value": ("y.parquet", arrow({"id": ["p"], "a": [3]}), "column 'a'.*3", {}),
    "parquet NaN": ("y.parquet", arrow({"a": [1.0, float("nan")]}), "row 1, column 'a'.*nan", {}),
    "parquet null": ("y.parquet", arrow({"a": [1, None]}), "row 1, column 'a'.*missing", {}),
    "parquet null list": ("y.parquet", arrow({"l": [["a"], None]}), "row 1, column 'l'", {}),
    "parquet null label": ("y.parquet", arrow({"l": [["a", None]]}), "column 'l'.*null", {}),
    "parquet float labels": ("y.parquet", arrow({"l": [[1.5]]}), "column 'l'.*double", {}),
    "parquet no labels": (
        "y.parquet",
        arrow({"l": pa.array([[]], pa.list_(pa.int8()))}),
        "no row has a label",
        {},
    ),
    "parquet two lists": ("y.parquet", arrow({"l": [[1]], "m": [[1]]}), "label_column=", {}),
    "parquet ids twice": ("y.parquet", arrow({"id": ["p", "p"], "l": [[1], [2]]}), "'p'", {}),
    "parquet dates": ("y.parquet", arrow({"a": pa.array([0], pa.date32())}), "column 'a'", {}),
    "parquet only ids": ("y.parquet", arrow({"id": ["p"]}), "no class column", {}),
    "parquet three texts": (
        "y.parquet",
        arrow({"u": ["a"], "v": ["b"], "w": ["c"]}),
        "id_column= and label_column=",
        {},
    ),
    "parquet no column": ("y.parquet", arrow({"a": [1]}), "'z'", {"label_column": "z"}),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels(tmp_path, case):
    name, data, message, options = LABELS[case]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_labels(path, **options)
    judge(caught, path, message)
