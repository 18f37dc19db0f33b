"""Checks of what a splitter accepts and refuses."""

from copy import deepcopy
from typing import Any

import numpy as np
import scipy.sparse as sp

from trueval.testing._problem import (
    N_ROWS,
    assert_same,
    call,
    example_labels,
    folds_of,
    is_partition,
    mean_rld,
    refuses,
)


def check_splitter_unchanged(splitter: Any) -> None:
    """``split`` stores nothing on the splitter."""
    twin = deepcopy(splitter)
    before = {name: repr(value) for name, value in vars(twin).items()}
    list(call(twin, example_labels(), N_ROWS))
    after = {name: repr(value) for name, value in vars(twin).items()}
    assert before == after, f"split changed the splitter from {before} to {after}"


def check_y_unchanged(splitter: Any) -> None:
    """The caller's labels are not modified, dense or sparse."""
    dense = example_labels().toarray()
    original = dense.copy()
    folds_of(splitter, dense)
    assert np.array_equal(dense, original), "dense y was modified"
    sparse = sp.csr_array(dense)
    folds_of(splitter, sparse)
    assert np.array_equal(sparse.toarray(), original), "sparse y was modified"
    assert sparse.nnz == (original != 0).sum(), "the stored entries of sparse y were changed"


def check_read_only_memory(splitter: Any) -> None:
    """Read-only labels are fine."""
    dense = example_labels().toarray()
    dense.flags.writeable = False
    sparse = sp.csr_array(dense)
    for array in (sparse.data, sparse.indices, sparse.indptr):
        array.flags.writeable = False
    assert_same(folds_of(splitter, dense), folds_of(splitter, sparse), "read-only sparse memory")


def check_containers(splitter: Any) -> None:
    """Dense, bool, nested lists and every sparse format give the same splits."""
    dense = example_labels().toarray()
    reference = folds_of(splitter, dense)
    for y in (
        dense.astype(bool),
        dense.astype(float),
        dense.tolist(),
        sp.csr_array(dense),
        sp.csr_matrix(dense),
        sp.csc_array(dense),
        sp.coo_array(dense),
        sp.lil_array(dense),
    ):
        folds = folds_of(splitter, y, n_rows=N_ROWS)
        assert_same(reference, folds, f"{type(y).__name__} in place of an array")


def check_data_frames(splitter: Any) -> None:
    """Frames of pandas and polars, where installed, give the same splits."""
    dense = example_labels().toarray()
    reference = folds_of(splitter, dense)
    names = [f"c{i}" for i in range(dense.shape[1])]
    for library in ("pandas", "polars"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        frame = module.DataFrame({name: dense[:, i] for i, name in enumerate(names)})
        assert_same(reference, folds_of(splitter, frame), f"a {library} frame")


def check_index_type(splitter: Any) -> None:
    """int32 and int64 sparse indices give the same splits."""
    y = example_labels()
    wide = sp.csr_array(y, copy=True)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    narrow = sp.csr_array(y, copy=True)
    narrow.indices, narrow.indptr = y.indices.astype(np.int32), y.indptr.astype(np.int32)
    assert_same(folds_of(splitter, narrow), folds_of(splitter, wide), "the index type")


def check_explicit_zeros_and_duplicates(splitter: Any) -> None:
    """Stored zeros are absent, entries stored twice count once."""
    y = example_labels().tocoo()
    rows = np.concatenate([y.row, y.row[:20], np.arange(20)])
    columns = np.concatenate([y.col, y.col[:20], np.zeros(20, dtype=y.col.dtype)])
    values = np.concatenate([np.ones(y.nnz + 20), np.zeros(20)])
    messy = sp.coo_array((values, (rows, columns)), shape=y.shape)
    assert_same(folds_of(splitter, y.tocsr()), folds_of(splitter, messy), "zeros and duplicates")


def check_empty_class_ignored(splitter: Any) -> None:
    """A class without members changes nothing."""
    y = example_labels()
    padded = sp.hstack([y, sp.csr_array((N_ROWS, 2), dtype=y.dtype)]).tocsr()
    assert_same(folds_of(splitter, y), folds_of(splitter, padded), "an empty class")


def check_class_order_ignored(splitter: Any) -> None:
    """The order of the columns changes nothing."""
    y = example_labels()
    order = np.random.default_rng(1).permutation(y.shape[1])
    assert_same(folds_of(splitter, y), folds_of(splitter, y[:, order]), "the order of classes")


def check_row_order_keeps_quality(splitter: Any) -> None:
    """Sorted rows are split as well as shuffled ones."""
    y = example_labels()
    ordered = y[np.lexsort(y.toarray().T)]
    shuffled, file_order = (
        mean_rld(splitter, folds_of(splitter, labels), labels) for labels in (y, ordered)
    )
    assert file_order <= 1.5 * shuffled + 0.02, (
        f"rLD is {shuffled:.3f} for shuffled rows but {file_order:.3f} for sorted ones"
    )


def check_unusual_labels(splitter: Any) -> None:
    """Rows without labels, a class all rows have, and rare classes are split."""
    dense = example_labels().toarray()
    dense[:40] = 0
    dense[:, 0] = 1
    dense[:, 1] = 0
    dense[50, 1] = 1
    for train, test in folds_of(splitter, dense):
        assert len(train) > 0, "a training set is empty"
        assert len(test) > 0, "a test set is empty"


def check_bad_labels_refused(splitter: Any) -> None:
    """Missing values, class codes, one dimension and no labels at all are errors."""
    dense = example_labels().toarray().astype(float)
    broken = dense.copy()
    broken[3, 2] = np.nan
    codes = dense.copy()
    codes[3, 2] = 2
    for y, what in (
        (broken, "y with NaN"),
        (codes, "y with a value other than 0 and 1"),
        (-dense, "y with negative values"),
        (dense[:, 0], "one-dimensional y"),
        (None, "y=None"),
    ):
        refuses(splitter, y, N_ROWS, what)


def check_broken_sparse_refused(splitter: Any) -> None:
    """An index outside the matrix is an error, never a crash."""
    y = sp.csr_array(example_labels(), copy=True)
    y.indices[5] = 10**6
    refuses(splitter, y, N_ROWS, "a sparse matrix with an index out of range")


def check_lengths_must_agree(splitter: Any) -> None:
    """X and y of different lengths are an error."""
    refuses(splitter, example_labels(), N_ROWS - 1, "X shorter than y")


def check_more_parts_than_rows_refused(splitter: Any) -> None:
    """As many parts as rows at the most."""
    many = deepcopy(splitter)
    if is_partition(splitter):
        many.n_splits = 10
    else:
        many.test_size = 10
    refuses(many, np.ones((5, 2), dtype=int), 5, "more parts than rows")
