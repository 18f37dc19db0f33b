"""What is written is read back the same, unnamed classes and odd headers included."""

import numpy as np
import pytest

from trueval.data import read_labels, read_scores, write_labels, write_scores


@pytest.mark.parametrize("layout", ["wide", "long", "list"])
@pytest.mark.parametrize("n_classes", [1, 2, 12, 101])
def test_unnamed_labels(tmp_path, layout, n_classes):
    rng = np.random.default_rng(n_classes)
    y = (rng.random((30, n_classes)) < 0.5).astype(int)
    y[:, y.sum(axis=0) == 0] = 1
    y[y.sum(axis=1) == 0, 0] = 1
    for suffix in ("csv", "tsv"):
        path = tmp_path / f"y.{suffix}"
        write_labels(path, y, layout=layout)
        # Of two columns that hold 0 and 1 only, the layout cannot be told; it is refused.
        labels = read_labels(path, layout=layout)
        assert labels.classes.tolist() == [str(c) for c in range(n_classes)]
        np.testing.assert_array_equal(labels.toarray(), y)


def test_unnamed_scores(tmp_path):
    scores = np.random.default_rng(0).random((3, 2))
    write_scores(tmp_path / "s.csv", scores)
    read = read_scores(tmp_path / "s.csv")
    assert [str(name) for name in read.classes] == ["0", "1"]
    np.testing.assert_allclose(np.asarray(read.matrix), scores)
