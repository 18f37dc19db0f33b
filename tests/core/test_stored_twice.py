"""A place that a sparse matrix stores twice: refused for scores, the larger of two similarities.

SciPy adds them up where COO and BSR become CSR.
"""

import io

import numpy as np
import pytest
import scipy.sparse as sp

from trueval import InputError
from trueval.core.sparse import uncombined
from trueval.data import Scores, Similarity, read_scores, read_similarity

# (0, 1) twice: 0.4 and 0.25.
COO = sp.coo_array(([0.4, 0.25, 0.5], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
CSR = sp.csr_array((np.array([0.4, 0.25, 0.5]), np.array([1, 1, 0]), np.array([0, 2, 3])))
BSR = sp.bsr_array((CSR.data.reshape(3, 1, 1), CSR.indices, CSR.indptr), shape=(2, 2))
FORMS = {"coo": COO, "csr": CSR, "csc": CSR.tocsc(), "bsr": BSR}


def file_of(matrix):
    """What scipy.sparse.save_npz writes, which keeps both."""
    file = io.BytesIO()
    sp.save_npz(file, matrix)
    return file.getvalue()


@pytest.mark.parametrize("form", FORMS)
def test_scores(form):
    for read in (Scores, lambda matrix: read_scores(file_of(matrix))):
        with pytest.raises(InputError, match="stores two values here") as caught:
            read(FORMS[form])
        assert (caught.value.place.row, caught.value.place.column) == (0, 1)


@pytest.mark.parametrize("form", FORMS)
def test_similarities(form):
    for read in (Similarity, lambda matrix: read_similarity(file_of(matrix))):
        graph = read(FORMS[form])
        assert graph.matrix.toarray().tolist() == [[0, 0.5], [0.5, 0]]


def test_row_numbers_whose_product_needs_64_bits():
    n, far = 100_000, 99_999
    rows, columns = (np.array(side, np.int32) for side in ([far, far, 5], [1, 1, 2]))
    matrix = sp.coo_array(([0.4, 0.25, 0.5], (rows, columns)), shape=(n, n))
    assert matrix.row.dtype == np.int32
    graph = Similarity(matrix)
    a, b, values = graph.edges()
    assert list(zip(a.tolist(), b.tolist(), values.tolist(), strict=True)) == [
        (1, far, 0.4),
        (2, 5, 0.5),
    ]


def test_values_stay_in_the_order_they_are_stored_in():
    rng = np.random.default_rng(0)
    rows, columns, values = rng.integers(0, 4, 30), rng.integers(0, 3, 30), rng.random(30)
    csr = uncombined(sp.coo_array((values, (rows, columns)), shape=(4, 3)))
    for row in range(4):
        span = slice(csr.indptr[row], csr.indptr[row + 1])
        wanted = sorted(
            ((c, n) for n, (r, c) in enumerate(zip(rows, columns, strict=True)) if r == row)
        )
        assert csr.indices[span].tolist() == [c for c, _ in wanted]
        assert csr.data[span].tolist() == [values[n] for _, n in wanted]
