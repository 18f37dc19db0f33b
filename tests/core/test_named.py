"""Names of rows and classes: text that arrays cannot hold, tuples, and what files make of them."""

import numpy as np
import pandas as pd
import pytest

from trueval import InputError, Labels, as_labels
from trueval.core.named import as_text
from trueval.data import fingerprint, read_folds, read_labels, write_folds, write_labels

NUL = pytest.mark.parametrize(
    "make",
    [
        lambda: as_labels([{"a"}, {"a\0"}, {"b"}]),
        lambda: as_labels(pd.DataFrame(np.eye(2, dtype=int), columns=["a", "a\0"])),
        lambda: Labels(np.eye(2, dtype=int), ["a", "a\0"]),
        lambda: Labels(np.eye(2, dtype=int), None, ["a", "a\0"]),
        lambda: as_text(np.array(["a", "a\0"], object)),
    ],
)


@NUL
def test_names_that_numpy_would_merge_are_refused(make):
    with pytest.raises(InputError, match=r"'a\\x00' ends in a NUL character"):
        make()


@pytest.mark.parametrize("name", ["a.npz", "a.parquet", "a.csv"])
def test_rows_that_a_file_would_merge_are_refused(tmp_path, name):
    y = pd.DataFrame(np.eye(2, dtype=int), index=["a", "a\0"], columns=["x", "y"])
    with pytest.raises(InputError, match=r"'a\\x00'"):
        write_labels(tmp_path / name, y)
    assert list(tmp_path.iterdir()) == []


def test_a_nul_inside_a_name_is_kept():
    assert as_labels([{"a\0b"}, {"a"}]).classes.tolist() == ["a", "a\0b"]


@pytest.mark.parametrize("names", [["1", "20"], [1, 20], [b"1", b"20"]])
def test_text_is_what_numpy_converts_to(names):
    assert as_text(np.array(names)).tolist() == ["1", "20"]


def test_rows_named_by_tuples(tmp_path):
    rows = pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "a"), (2, "b")])
    y = pd.DataFrame(np.eye(4, dtype=int), index=rows, columns=list("wxyz"))
    texts = [str(name) for name in rows.tolist()]
    assert fingerprint(y) == fingerprint(y.set_axis(texts))
    write_folds(tmp_path / "folds.csv", [0, 1, 0, 1], labels=y)
    assert read_folds(tmp_path / "folds.csv").index.tolist() == texts
    write_labels(tmp_path / "y.npz", y)
    assert read_labels(tmp_path / "y.npz").index.tolist() == texts
