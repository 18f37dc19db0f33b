"""``take`` and ``column`` of public values: what is no row or class is refused."""

import numpy as np
import pytest
import scipy.sparse as sp

from trueval import InputError, Labels, ParameterError
from trueval.core.scores import Scores
from trueval.core.similarity import Similarity
from trueval.table import Table

DENSE = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
VALUES = {
    "labels": Labels(DENSE > 0.25, index=["a", "b", "c"]),
    "dense": Scores(DENSE, index=["a", "b", "c"]),
    "sparse": Scores(sp.csr_array(DENSE), index=["a", "b", "c"]),
}
WRONG = [0, [-1], [3], [0.0], [[0, 1]], "01", None, [True], [2**70]]


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("rows", [*WRONG, [], np.zeros(3, bool)])
def test_rows_that_cannot_be_taken(kind, rows):
    with pytest.raises(InputError, match="rows"):
        VALUES[kind].take(rows)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize(
    ("rows", "expected"), [([2, 0, 0], [2, 0, 0]), ([False, True, True], [1, 2])]
)
def test_rows_are_taken_in_order(kind, rows, expected):
    value = VALUES[kind].take(rows)
    whole = VALUES[kind].matrix
    matrix, whole = (m.toarray() if sp.issparse(m) else m for m in (value.matrix, whole))
    np.testing.assert_array_equal(matrix, whole[expected])
    assert value.index.tolist() == [["a", "b", "c"][row] for row in expected]
    assert not value.index.flags.writeable
    assert value._repr_html_()


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("k", [-1, 2, None, 0.0, True, "0", [0], 2**70])
def test_a_column_that_is_none(kind, k):
    with pytest.raises(ParameterError, match="'k' parameter of column must be a class number"):
        VALUES[kind].column(k)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_column(kind):
    assert VALUES[kind].column(np.int8(1))[0].tolist() == [0.2, 0.4, 0.6]


@pytest.mark.parametrize("rows", [*WRONG, [1, 1]])
def test_rows_that_a_similarity_does_not_have(rows):
    graph = Similarity.from_edges([0], [1], n_rows=3)
    with pytest.raises(InputError, match="rows"):
        graph.take(rows)


def test_rows_of_a_similarity():
    graph = Similarity.from_edges([0, 1], [1, 2], [0.5, 0.9], n_rows=3)
    assert graph.take([2, 1]).matrix.toarray().tolist() == [[0, 0.9], [0.9, 0]]
    assert graph.take([True, False, True]).n_edges == 0


@pytest.mark.parametrize("rows", WRONG)
def test_rows_that_a_table_does_not_have(rows):
    with pytest.raises(InputError, match="rows"):
        Table({"a": [1, 2, 3]}).take(rows)
