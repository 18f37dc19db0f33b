"""What a file could not give back is refused, or said, when it is written."""

import numpy as np
import pytest
import scipy.sparse as sp

from trueval import as_labels
from trueval.core.errors import InputError, InputWarning
from trueval.data import read_labels, read_scores, write_labels, write_scores


@pytest.mark.parametrize("layout", ["long", "list"])
@pytest.mark.parametrize("y", [np.eye(2, dtype=int), np.ones((2, 2), dtype=int)])
def test_classes_named_0_and_1_alone(tmp_path, layout, y):
    path = tmp_path / "y.csv"
    with pytest.raises(InputError, match="named '0' and '1'"):
        write_labels(path, y, layout=layout)
    assert not path.exists()
    write_labels(path, y, layout="wide")
    assert (read_labels(path).matrix.toarray() == y).all()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_sparse_scores_without_a_place_in_a_table(tmp_path, suffix):
    path = tmp_path / f"scores.{suffix}"
    with pytest.raises(InputError, match="no score is stored"):
        write_scores(path, sp.csr_array((3, 2)))
    assert not path.exists()
    scores = sp.csr_array(np.array([[0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.25, 0.0]]))
    with pytest.warns(InputWarning, match="1 of 3 rows and 1 of 3 classes"):
        write_scores(path, scores)
    assert read_scores(path).matrix.toarray().tolist() == [[0.5, 0.0], [0.0, 0.25]]


def test_labels_above_64_bits():
    with pytest.raises(InputError, match="larger than an integer of 64 bits"):
        as_labels([{2**70}, {1}])
