"""``read_scores`` beside labels: in the same order by word, and beyond the labels by wish."""

import numpy as np
import pytest
import scipy.sparse as sp

from trueval import InputError, Labels, align
from trueval.core.scores import Scores, check_pair
from trueval.data import read_scores, write_scores
from trueval.rank import average_precision

LABELS = Labels(np.array([[1, 0], [0, 1]]), ["b", "a"], ["p1", "p2"])


def written(tmp_path, scores, name="s.npz"):
    write_scores(tmp_path / name, scores)
    return tmp_path / name


def test_the_same_order_is_said_not_guessed(tmp_path):
    np.save(tmp_path / "s.npy", np.array([[0.1, 0.2], [0.3, 0.4]]))
    with pytest.raises(InputError, match="order is not known to agree") as caught:
        read_scores(tmp_path / "s.npy", LABELS)
    assert (caught.value.fix.parameter, caught.value.fix.value) == ("same_order", True)
    found = read_scores(tmp_path / "s.npy", LABELS, same_order=True)
    assert found.matrix.tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert found.classes.tolist() == ["b", "a"]
    assert found.index.tolist() == ["p1", "p2"]


def test_names_win_over_the_same_order(tmp_path):
    file = written(tmp_path, Scores([[0.1, 0.2], [0.3, 0.4]], ["a", "b"], ["p2", "p1"]))
    found = read_scores(file, LABELS, same_order=True)
    assert found.matrix.tolist() == [[0.4, 0.3], [0.2, 0.1]]


def test_the_same_order_needs_the_same_number(tmp_path):
    np.save(tmp_path / "s.npy", np.ones((3, 2)))
    with pytest.raises(InputError, match="3 rows of scores for 2 rows of labels"):
        read_scores(tmp_path / "s.npy", LABELS, same_order=True)
    np.save(tmp_path / "t.npy", np.ones((2, 3)))
    with pytest.raises(InputError, match="scores for 3 classes, labels of 2"):
        read_scores(tmp_path / "t.npy", LABELS, same_order=True)


@pytest.mark.parametrize("sparse", [False, True])
def test_what_only_the_scores_have_is_negative(tmp_path, sparse):
    """Labels of positives only: rows and classes without one are not in them."""
    matrix = np.arange(1.0, 10.0).reshape(3, 3)
    scores = Scores(sp.csr_array(matrix) if sparse else matrix, list("abc"), ["p3", "p2", "p1"])
    file = written(tmp_path, scores)
    with pytest.raises(InputError, match="1 row ids are not among the 2 expected: 'p3'") as caught:
        read_scores(file, LABELS)
    assert caught.value.fix.parameter == "allow_unlabelled"
    assert caught.value.place.file == str(file)
    found = read_scores(file, LABELS, allow_unlabelled=True)
    assert found.index.tolist() == ["p1", "p2", "p3"]
    assert found.classes.tolist() == ["b", "a", "c"]
    dense = found.matrix.toarray() if sparse else found.matrix
    assert dense.tolist() == [[8, 7, 9], [5, 4, 6], [2, 1, 3]]
    labels = align(LABELS, rows=found.index, classes=found.classes, missing="empty")
    assert labels.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert check_pair(found, labels)[1].nnz == 2
    assert average_precision(found, labels) > 0


def test_allowing_more_does_not_allow_less(tmp_path):
    file = written(tmp_path, Scores([[1.0, 2.0]], ["a", "b"], ["p9"]))
    with pytest.raises(InputError, match="2 of the 3 row ids expected are missing: 'p1', 'p2'"):
        read_scores(file, LABELS, allow_unlabelled=True)


def test_rows_without_scores_need_a_word(tmp_path):
    scores = Scores(sp.csr_array([[0.5, 0.0]]), ["a", "b"], ["p2"])
    file = written(tmp_path, scores)
    with pytest.raises(InputError, match="allow_missing=True") as caught:
        read_scores(file, LABELS)
    assert caught.value.fix.parameter == "allow_missing"
    found = read_scores(file, LABELS, allow_missing=True)
    assert found.matrix.toarray().tolist() == [[0, 0], [0, 0.5]]
    assert found.n_stored == 1
