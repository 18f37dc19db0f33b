"""``check_splitter``: every invariant a multi-label splitter should hold, as checks.

scikit-learn has ``check_estimator``; nobody had the like for splitters. Each check
is a function of the splitter that raises ``AssertionError`` when the invariant is
broken. Run them all with :func:`check_splitter`, or one by one in a parametrised
test with :func:`splitter_checks`.

>>> from trueval import MultilabelStratifiedKFold
>>> from trueval.testing import check_splitter
>>> len(check_splitter(MultilabelStratifiedKFold(3, random_state=0))) > 25
True
"""

import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, cross_validate

from trueval.core.errors import RareClassWarning
from trueval.data import simulate
from trueval.stratify import split_quality, stratified_folds

__all__ = ["check_splitter", "splitter_checks"]

_N_ROWS = 203  # not a multiple of any usual number of folds
_Folds = list[tuple[NDArray[np.intp], NDArray[np.intp]]]
_Check = Callable[[Any], None]

_CHECKS: dict[str, _Check] = {}


def check_splitter(
    splitter: Any, *, expected_failures: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Run every check over a splitter.

    Parameters
    ----------
    splitter : object with ``split(X, y, groups)`` and ``get_n_splits``
        Make it with an integer ``random_state``. It is copied, not changed. A
        splitter that asks for groups by scikit-learn's metadata request gets
        them.
    expected_failures : mapping of str to str, optional
        Names of checks that are known to fail, with the reason. One that passes
        after all is an error, so that the list stays true.

    Returns
    -------
    dict of str to str
        ``"passed"`` or ``"failed as expected: …"`` for each check.

    Raises
    ------
    AssertionError
        Naming the first check that failed.

    Examples
    --------
    >>> from trueval import MultilabelStratifiedKFold
    >>> from trueval.testing import check_splitter
    >>> cv = MultilabelStratifiedKFold(4, method="random", random_state=0)
    >>> reasons = {
    ...     "check_better_than_random": "it is random",
    ...     "check_classes_in_every_test_set": "it is random",
    ... }
    >>> check_splitter(cv, expected_failures=reasons)["check_better_than_random"]
    'failed as expected: it is random'
    """
    if isinstance(splitter, type) or not hasattr(splitter, "split"):
        raise TypeError(
            f"check_splitter takes a splitter, an object with split. Got {splitter!r} instead."
        )
    expected = dict(expected_failures or {})
    if unknown := set(expected) - set(_CHECKS):
        raise ValueError(f"expected_failures names checks that do not exist: {sorted(unknown)}")
    results = {}
    for name, check in splitter_checks():
        try:
            check(splitter)
        except Exception as error:  # whatever a foreign splitter raises is a failed check
            if name not in expected:
                raise AssertionError(f"{name} failed for {splitter!r}: {error}") from error
            results[name] = f"failed as expected: {expected[name]}"
        else:
            if name in expected:
                raise AssertionError(f"{name} was expected to fail for {splitter!r} but passed")
            results[name] = "passed"
    return results


def splitter_checks() -> Iterator[tuple[str, _Check]]:
    """Yield the name and function of every check, for parametrised tests.

    Yields
    ------
    name : str
    check : callable
        ``check(splitter)`` raises AssertionError where the invariant is broken.

    Examples
    --------
    >>> from trueval.testing import splitter_checks
    >>> "check_groups_stay_together" in dict(splitter_checks())
    True
    """
    yield from _CHECKS.items()


def _check(function: _Check) -> _Check:
    _CHECKS[function.__name__] = function
    return function


# --- what the checks are made of ---------------------------------------------------


def _labels(n_rows: int = _N_ROWS, n_classes: int = 12) -> sp.csr_array:
    """Correlated labels, some rows without any, all classes of at least 15 members."""
    y = simulate.label_matrix(n_rows, n_classes, cardinality=2.5, tail=0.5, random_state=7)
    return y[:, y.sum(axis=0) >= 15]


def _takes_groups(splitter: Any) -> bool:
    request = getattr(splitter, "get_metadata_routing", None)
    if request is None:
        return False
    return request().split.requests.get("groups") is True


def _groups(n_rows: int) -> NDArray[np.int64]:
    return np.random.default_rng(3).integers(n_rows // 4, size=n_rows)


def _call(splitter: Any, y: Any, n_rows: int) -> Iterator[Any]:
    """Split as scikit-learn would, with X only for its length."""
    X = np.zeros((n_rows, 1))
    if _takes_groups(splitter):
        return splitter.split(X, y, _groups(n_rows))
    return splitter.split(X, y)


def _split(splitter: Any, y: Any = None, n_rows: int | None = None) -> _Folds:
    y = _labels() if y is None else y
    n_rows = (y.shape[0] if hasattr(y, "shape") else len(y)) if n_rows is None else n_rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RareClassWarning)
        return list(_call(deepcopy(splitter), y, n_rows))


def _assert_same(first: _Folds, second: _Folds, what: str) -> None:
    assert len(first) == len(second), f"{what} changed the number of splits"
    for i, (a, b) in enumerate(zip(first, second, strict=True)):
        for side, x, z in (("train", a[0], b[0]), ("test", a[1], b[1])):
            assert np.array_equal(x, z), f"{what} changed the {side} set of split {i}"


def _is_partition(splitter: Any) -> bool:
    """Whether the test sets of one round should cover all rows."""
    return not hasattr(splitter, "test_size")


def _rounds(splitter: Any, folds: _Folds) -> list[_Folds]:
    per_round = int(splitter.n_splits) if hasattr(splitter, "n_repeats") else len(folds)
    return [folds[i : i + per_round] for i in range(0, len(folds), per_round)]


def _mean_rld(splitter: Any, folds: _Folds, y: Any) -> float:
    """Mean rLD of the test sets; against the rest where they are no partition."""
    if _is_partition(splitter):
        return float(np.mean([split_quality(y, r).rld_wanted for r in _rounds(splitter, folds)]))
    values = []
    for train, test in folds:
        numbers = np.zeros(y.shape[0], dtype=int)
        numbers[test] = 1
        share = [(y.shape[0] - len(test)), len(test)]
        values.append(split_quality(y, numbers, parts=share).rld_wanted)
        del train
    return float(np.mean(values))


def _refuses(splitter: Any, y: Any, n_rows: int, what: str) -> None:
    try:
        list(_call(deepcopy(splitter), y, n_rows))
    except (ValueError, TypeError) as error:
        message = str(error).strip()
    else:
        raise AssertionError(f"{what} is accepted")
    assert message, f"{what} is refused without a message"


# --- form ----------------------------------------------------------------------


@_check
def check_yields_index_arrays(splitter: Any) -> None:
    """Train and test are one-dimensional integer arrays with indices of rows."""
    for train, test in _split(splitter):
        for name, rows in (("train", train), ("test", test)):
            assert isinstance(rows, np.ndarray), f"{name} is a {type(rows).__name__}"
            assert rows.ndim == 1, f"{name} has {rows.ndim} dimensions"
            assert rows.dtype.kind in "iu", f"{name} has dtype {rows.dtype}"
            assert len(rows) > 0, f"{name} is empty"
            assert rows.min() >= 0, f"{name} has negative indices"
            assert rows.max() < _N_ROWS, f"{name} has indices beyond the rows"


@_check
def check_train_and_test_disjoint(splitter: Any) -> None:
    """No row is in train and test of one split."""
    for train, test in _split(splitter):
        assert len(np.intersect1d(train, test)) == 0, "a row is in train and test"


@_check
def check_no_row_twice(splitter: Any) -> None:
    """No row is twice in one set."""
    for train, test in _split(splitter):
        assert len(np.unique(train)) == len(train), "a row is twice in a training set"
        assert len(np.unique(test)) == len(test), "a row is twice in a test set"


@_check
def check_number_of_splits(splitter: Any) -> None:
    """``get_n_splits`` tells how many splits there are."""
    folds, told = _split(splitter), deepcopy(splitter).get_n_splits()
    assert len(folds) == told, f"get_n_splits says {told}, there are {len(folds)}"


@_check
def check_tests_cover_all_rows_once(splitter: Any) -> None:
    """The test sets of a round are a partition of the rows (K-fold like splitters)."""
    if not _is_partition(splitter):
        return
    for folds in _rounds(splitter, _split(splitter)):
        rows = np.sort(np.concatenate([test for _, test in folds]))
        assert np.array_equal(rows, np.arange(_N_ROWS)), "test sets are no partition of the rows"


@_check
def check_train_is_complement(splitter: Any) -> None:
    """Training takes all rows that are not tested (K-fold like splitters)."""
    if not _is_partition(splitter):
        return
    for train, test in _split(splitter):
        assert len(train) + len(test) == _N_ROWS, "rows are neither in train nor in test"


@_check
def check_splits_are_lazy(splitter: Any) -> None:
    """``split`` gives an iterator, so that not all index arrays exist at once."""
    result = _call(deepcopy(splitter), _labels(), _N_ROWS)
    assert iter(result) is iter(result), "split does not return an iterator"


@_check
def check_sizes_exact(splitter: Any) -> None:
    """Test sets differ by at most one row, or have the wanted size."""
    folds = _split(splitter)
    sizes = [len(test) for _, test in folds]
    if _takes_groups(splitter):
        largest = np.bincount(_groups(_N_ROWS)).max()
        assert max(sizes) - min(sizes) <= 2 * largest, f"sizes {sizes} are far from equal"
    elif _is_partition(splitter):
        assert max(sizes) - min(sizes) <= 1, f"sizes {sizes} differ by more than one"
    else:
        assert len(set(sizes)) == 1, f"sizes {sizes} differ"


# --- randomness ------------------------------------------------------------------


@_check
def check_same_seed_same_splits(splitter: Any) -> None:
    """Two copies with one seed, and two calls of one object, agree."""
    twin = deepcopy(splitter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RareClassWarning)
        first = list(_call(twin, _labels(), _N_ROWS))
        again = list(_call(twin, _labels(), _N_ROWS))
    _assert_same(first, again, "a second call")
    _assert_same(first, _split(splitter), "a copy with the same seed")


@_check
def check_other_seed_other_splits(splitter: Any) -> None:
    """The seed matters, where there is one."""
    if not isinstance(getattr(splitter, "random_state", None), Integral):
        return
    other = deepcopy(splitter)
    other.random_state = splitter.random_state + 1
    same = all(
        np.array_equal(a[1], b[1]) for a, b in zip(_split(splitter), _split(other), strict=True)
    )
    assert not same, "another seed gives the same test sets"


@_check
def check_global_random_state_untouched(splitter: Any) -> None:
    """The global random state of numpy is left alone."""
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002
    _split(splitter)
    after = np.random.get_state(legacy=False)["state"]["key"]  # noqa: NPY002
    assert np.array_equal(before, after), "the global random state was advanced"


@_check
def check_threads(splitter: Any) -> None:
    """Splitting in several threads at once gives the same splits."""
    alone = _split(splitter)
    with ThreadPoolExecutor(4) as pool:
        for folds in pool.map(lambda _: _split(splitter), range(4)):
            _assert_same(alone, folds, "running in threads")


@_check
def check_pickle(splitter: Any) -> None:
    """A pickled splitter splits the same."""
    _assert_same(_split(splitter), _split(pickle.loads(pickle.dumps(splitter))), "pickling")


# --- input -----------------------------------------------------------------------


@_check
def check_splitter_unchanged(splitter: Any) -> None:
    """``split`` stores nothing on the splitter."""
    twin = deepcopy(splitter)
    before = {name: repr(value) for name, value in vars(twin).items()}
    list(_call(twin, _labels(), _N_ROWS))
    after = {name: repr(value) for name, value in vars(twin).items()}
    assert before == after, f"split changed the splitter from {before} to {after}"


@_check
def check_y_unchanged(splitter: Any) -> None:
    """The caller's labels are not modified, dense or sparse."""
    dense = _labels().toarray()
    kept = dense.copy()
    _split(splitter, dense)
    assert np.array_equal(dense, kept), "dense y was modified"
    sparse = sp.csr_array(dense)
    _split(splitter, sparse)
    assert np.array_equal(sparse.toarray(), kept), "sparse y was modified"
    assert sparse.nnz == (kept != 0).sum(), "the stored entries of sparse y were changed"


@_check
def check_read_only_memory(splitter: Any) -> None:
    """Read-only labels are fine."""
    dense = _labels().toarray()
    dense.flags.writeable = False
    sparse = sp.csr_array(dense)
    for array in (sparse.data, sparse.indices, sparse.indptr):
        array.flags.writeable = False
    _assert_same(_split(splitter, dense), _split(splitter, sparse), "read-only sparse memory")


@_check
def check_containers(splitter: Any) -> None:
    """Dense, bool, nested lists and every sparse format give the same splits."""
    dense = _labels().toarray()
    reference = _split(splitter, dense)
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
        folds = _split(splitter, y, n_rows=_N_ROWS)
        _assert_same(reference, folds, f"{type(y).__name__} in place of an array")


@_check
def check_data_frames(splitter: Any) -> None:
    """Frames of pandas and polars, where installed, give the same splits."""
    dense = _labels().toarray()
    reference = _split(splitter, dense)
    names = [f"c{i}" for i in range(dense.shape[1])]
    for library in ("pandas", "polars"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        frame = module.DataFrame({name: dense[:, i] for i, name in enumerate(names)})
        _assert_same(reference, _split(splitter, frame), f"a {library} frame")


@_check
def check_index_type(splitter: Any) -> None:
    """int32 and int64 sparse indices give the same splits."""
    y = _labels()
    wide = sp.csr_array(y, copy=True)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    narrow = sp.csr_array(y, copy=True)
    narrow.indices, narrow.indptr = y.indices.astype(np.int32), y.indptr.astype(np.int32)
    _assert_same(_split(splitter, narrow), _split(splitter, wide), "the index type")


@_check
def check_explicit_zeros_and_duplicates(splitter: Any) -> None:
    """Stored zeros are absent, entries stored twice count once."""
    y = _labels().tocoo()
    rows = np.concatenate([y.row, y.row[:20], np.arange(20)])
    columns = np.concatenate([y.col, y.col[:20], np.zeros(20, dtype=y.col.dtype)])
    values = np.concatenate([np.ones(y.nnz + 20), np.zeros(20)])
    messy = sp.coo_array((values, (rows, columns)), shape=y.shape)
    _assert_same(_split(splitter, y.tocsr()), _split(splitter, messy), "zeros and duplicates")


@_check
def check_empty_class_ignored(splitter: Any) -> None:
    """A class without members changes nothing."""
    y = _labels()
    padded = sp.hstack([y, sp.csr_array((_N_ROWS, 2), dtype=y.dtype)]).tocsr()
    _assert_same(_split(splitter, y), _split(splitter, padded), "an empty class")


@_check
def check_class_order_ignored(splitter: Any) -> None:
    """The order of the columns changes nothing."""
    y = _labels()
    order = np.random.default_rng(1).permutation(y.shape[1])
    _assert_same(_split(splitter, y), _split(splitter, y[:, order]), "the order of classes")


@_check
def check_row_order_keeps_quality(splitter: Any) -> None:
    """Sorted rows are split as well as shuffled ones."""
    y = _labels()
    ordered = y[np.lexsort(y.toarray().T)]
    shuffled, file_order = (
        _mean_rld(splitter, _split(splitter, labels), labels) for labels in (y, ordered)
    )
    assert file_order <= 1.5 * shuffled + 0.02, (
        f"rLD is {shuffled:.3f} for shuffled rows but {file_order:.3f} for sorted ones"
    )


@_check
def check_unusual_labels(splitter: Any) -> None:
    """Rows without labels, a class all rows have, and rare classes are split."""
    dense = _labels().toarray()
    dense[:40] = 0
    dense[:, 0] = 1
    dense[:, 1] = 0
    dense[50, 1] = 1
    for train, test in _split(splitter, dense):
        assert len(train) > 0, "a training set is empty"
        assert len(test) > 0, "a test set is empty"


@_check
def check_bad_labels_refused(splitter: Any) -> None:
    """Missing values, class codes, one dimension and no labels at all are errors."""
    dense = _labels().toarray().astype(float)
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
        _refuses(splitter, y, _N_ROWS, what)


@_check
def check_broken_sparse_refused(splitter: Any) -> None:
    """An index outside the matrix is an error, never a crash."""
    y = sp.csr_array(_labels(), copy=True)
    y.indices[5] = 10**6
    _refuses(splitter, y, _N_ROWS, "a sparse matrix with an index out of range")


@_check
def check_lengths_must_agree(splitter: Any) -> None:
    """X and y of different lengths are an error."""
    _refuses(splitter, _labels(), _N_ROWS - 1, "X shorter than y")


@_check
def check_more_parts_than_rows_refused(splitter: Any) -> None:
    """As many parts as rows at the most."""
    many = deepcopy(splitter)
    if _is_partition(splitter):
        many.n_splits = 10
    else:
        many.test_size = 10
    _refuses(many, np.ones((5, 2), dtype=int), 5, "more parts than rows")


# --- quality -----------------------------------------------------------------------


@_check
def check_better_than_random(splitter: Any) -> None:
    """Classes are spread clearly better than by plain random folds, shuffled or not.

    A splitter that permutes the rows and forgets to map the folds back fails here.
    """
    y = _labels(1000)
    ours = _mean_rld(splitter, _split(splitter, y), y)
    n_rows, n_test = y.shape[0], len(_split(splitter, y)[0][1])
    parts = int(splitter.n_splits) if _is_partition(splitter) else [n_rows - n_test, n_test]
    reference = np.mean(
        [
            split_quality(
                y, stratified_folds(y, parts, method="random", random_state=seed), parts=parts
            ).rld_wanted
            for seed in range(10)
        ]
    )
    assert ours < 0.6 * reference, f"rLD {ours:.4f} against {reference:.4f} of random folds"


@_check
def check_classes_in_every_test_set(splitter: Any) -> None:
    """A class with three members for each part, and single-label rows, is in all of them."""
    if not _is_partition(splitter):
        return
    k = int(splitter.n_splits)
    y = np.repeat(np.eye(8, dtype=int), 3 * k, axis=0)
    if _takes_groups(splitter):
        return  # groups may forbid it
    for _, test in _split(splitter, y):
        assert (y[test].sum(axis=0) > 0).all(), "a test set lacks a class that could be in it"


@_check
def check_groups_stay_together(splitter: Any) -> None:
    """A splitter that asks for groups never separates one."""
    if not _takes_groups(splitter):
        return
    groups = _groups(_N_ROWS)
    for train, test in _split(splitter):
        assert not set(groups[train]) & set(groups[test]), "a group is in train and test"


@_check
def check_groups_needed(splitter: Any) -> None:
    """A splitter that asks for groups says so when they are missing."""
    if not _takes_groups(splitter):
        return
    try:
        list(deepcopy(splitter).split(np.zeros((_N_ROWS, 1)), _labels()))
    except ValueError as error:
        message = str(error)
    else:
        raise AssertionError("missing groups are accepted")
    assert "groups" in message, f"the message does not speak of groups: {message}"


# --- scikit-learn --------------------------------------------------------------------


@_check
def check_cross_validate(splitter: Any) -> None:
    """Works in cross_validate and GridSearchCV, with sparse features."""
    y = _labels().toarray()
    X = sp.csr_array(y.astype(float))
    groups = _groups(_N_ROWS) if _takes_groups(splitter) else None
    n_splits = deepcopy(splitter).get_n_splits()
    model = DummyClassifier(strategy="prior")
    result = cross_validate(
        model, X, y, cv=deepcopy(splitter), scoring="f1_micro", **_groups_argument(groups)
    )
    assert len(result["test_score"]) == n_splits, "cross_validate scored another number of splits"
    assert np.isfinite(result["test_score"]).all(), "cross_validate gave scores that are not finite"
    search = GridSearchCV(
        model, {"strategy": ["prior", "uniform"]}, cv=deepcopy(splitter), scoring="f1_micro"
    )
    search.fit(X, y, **({} if groups is None else {"groups": groups}))
    assert search.n_splits_ == n_splits, "GridSearchCV saw another number of splits"


def _groups_argument(groups: NDArray[np.int64] | None) -> dict[str, Any]:
    if groups is None:
        return {}
    # scikit-learn renamed the way in when metadata routing came.
    return {"params": {"groups": groups}} if _routing_enabled() else {"groups": groups}


def _routing_enabled() -> bool:
    import sklearn

    return bool(sklearn.get_config().get("enable_metadata_routing", False))


@_check
def check_repr(splitter: Any) -> None:
    """The representation names the class and its number of splits."""
    text = repr(splitter)
    assert type(splitter).__name__ in text, f"{text!r} does not name the class"
    assert "n_splits" in text, f"{text!r} does not show n_splits"
