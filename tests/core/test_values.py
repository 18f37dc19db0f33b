"""Labels, Scores, Folds and Pairs of broken arrays: refused, or read as they should be."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from trueval import InputError, Labels, as_labels, split_quality, stratified_folds
from trueval.core.folds import Folds, as_folds
from trueval.core.ids import PairIndex, names_of
from trueval.core.pairs import Pairs, as_pairs
from trueval.core.scores import Scores, as_scores
from trueval.core.similarity import Similarity
from trueval.rank._hierarchy import as_hierarchy

# --- what a sparse matrix means, read one entry at a time -------------------------------


def naive_entries(matrix):
    """Entries (row, column, value) of a CSR or CSC matrix, or None where it is broken."""
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
    major, minor = matrix.shape if matrix.format == "csr" else matrix.shape[::-1]
    if len(indptr) != major + 1 or indptr[0] != 0 or len(indices) != len(data):
        return None
    entries = []
    for line in range(major):
        start, end = int(indptr[line]), int(indptr[line + 1])
        if end < start or end > len(indices):
            return None
        for at in range(start, end):
            if not 0 <= indices[at] < minor:
                return None
            place = (line, int(indices[at]))
            entries.append((*(place if matrix.format == "csr" else place[::-1]), data[at]))
    return entries


BREAKS = ("index high", "index low", "pointer high", "pointer low", "pointer first", "value")
BREAKS += ("zero", "duplicate", "unsorted", "short", "nothing", "long data")


@st.composite
def damaged(draw, values=(1.0,)):
    """A small CSR or CSC matrix with some damage done to its arrays."""
    n_rows, n_classes = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cells = st.lists(st.sampled_from((0.0, *values)), min_size=n_classes, max_size=n_classes)
    dense = np.array(draw(st.lists(cells, min_size=n_rows, max_size=n_rows)))
    matrix = draw(st.sampled_from((sp.csr_array, sp.csc_array, sp.csr_matrix)))(dense)
    kind = draw(st.sampled_from((np.int32, np.int64)))
    matrix.indices, matrix.indptr = matrix.indices.astype(kind), matrix.indptr.astype(kind)
    for damage in draw(st.lists(st.sampled_from(BREAKS), max_size=2)):
        _damage(matrix, damage, draw)
    return matrix


def _damage(matrix, damage, draw):
    n = len(matrix.indices)
    if damage.startswith("pointer"):
        at = {"first": 0}.get(damage.split()[1], draw(st.integers(0, len(matrix.indptr) - 1)))
        matrix.indptr[at] = {"high": 2**30, "low": -3, "first": 1}[damage.split()[1]]
    elif damage == "nothing" or n == 0:
        return
    elif damage == "short":
        matrix.data = matrix.data[:-1]
    elif damage == "long data":
        matrix.data = np.append(matrix.data, 7.0)
    elif damage == "unsorted":
        matrix.indices, matrix.data = matrix.indices[::-1].copy(), matrix.data[::-1].copy()
    elif damage == "duplicate":
        matrix.indices[draw(st.integers(0, n - 1))] = matrix.indices[0]
    elif damage in ("zero", "value"):
        at = min(draw(st.integers(0, n - 1)), len(matrix.data) - 1)
        matrix.data[at] = 0.0 if damage == "zero" else 3.0
    else:
        matrix.indices[draw(st.integers(0, n - 1))] = 2**30 if damage == "index high" else -7


# --- labels -----------------------------------------------------------------------------


@given(damaged())
def test_labels_of_damaged_matrices(matrix):
    entries = naive_entries(matrix)
    good = entries is not None and all(value in (0, 1) for _, _, value in entries)
    dense = np.zeros(matrix.shape, dtype=int)
    for row, column, value in entries if good else ():
        dense[row, column] |= int(value)
    for make in (Labels, as_labels):
        if not good:
            with pytest.raises(InputError):
                make(matrix)
            continue
        labels = make(matrix)
        assert np.array_equal(labels.toarray(), dense)
        assert labels.class_sizes.tolist() == dense.sum(axis=0).tolist()
        assert labels.indices.dtype == np.int32
        assert labels.indptr.dtype == np.int64
        assert labels.matrix.has_canonical_format


@given(st.integers(0, 4), st.sampled_from(("classes", "index")), st.booleans(), st.booleans())
def test_names_must_fit(n, which, square, repeat):
    names = np.array([f"n{i}" for i in range(n)])
    if square:
        names = names.reshape(1, -1)
    if repeat and n:
        names[...] = "same"
    matrix = np.array([[1, 0, 1], [0, 1, 1]])
    wanted = {"classes": 3, "index": 2}[which]
    fits = names.shape == (wanted,) and not (repeat and which == "classes")
    for make in (Labels, Scores):
        if fits:
            assert getattr(make(matrix, **{which: names}), which).tolist() == names.tolist()
        else:
            with pytest.raises(InputError, match=f"{which} (must be|has)"):
                make(matrix, **{which: names})


@pytest.mark.parametrize("make", [Labels, Scores])
@pytest.mark.parametrize(
    "shape", [(0, 3), (3, 0), (3,), (2, 2, 2)], ids=["no rows", "no classes", "flat", "cube"]
)
def test_shapes_that_are_none(make, shape):
    with pytest.raises(InputError):
        make(np.ones(shape))


def test_too_many_classes_are_refused_with_the_figure():
    empty = sp.csr_array((2, 2**31), dtype=np.int8)
    with pytest.raises(InputError, match="2,147,483,648 classes; at most 2,147,483,647"):
        Labels(empty)


def test_explicit_zeros_do_not_count():
    """The defect that was: class sizes [2 2] where there are [1 1]."""
    matrix = sp.csr_array(
        (np.array([1, 0, 1, 0]), np.array([0, 1, 1, 0]), np.array([0, 2, 4])), shape=(2, 2)
    )
    assert Labels(matrix, ["a", "b"]).class_sizes.tolist() == [1, 1]


def test_nobody_changes_labels():
    labels = as_labels(np.eye(4, dtype=int))
    for array in (labels.indices, labels.indptr, labels.matrix.indices, labels.matrix.data):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 3
    with pytest.raises(AttributeError, match="cannot be changed"):
        labels.classes = np.arange(4)
    for again in (pickle.loads(pickle.dumps(labels)), copy.deepcopy(labels), copy.copy(labels)):
        assert np.array_equal(again.toarray(), labels.toarray())
        assert not again.matrix.indices.flags.writeable
        assert not again.indices.flags.writeable


CRASHES = {
    "an index outside": "m.indices[0] = 2**30; stratified_folds(Labels(m, list('abc')), 2)",
    "an index below 0": "m.indices[0] = -5; stratified_folds(Labels(m), 2)",
    "a pointer outside": "m.indptr[-1] = 2**30; stratified_folds(Labels(m), 2)",
    "falling pointers": "m.indptr[2] = -9; split_quality(Labels(m), [0, 1, 0, 1])",
    "missing values": "m.data = m.data[:1]; stratified_folds(Labels(m), 2)",
    "scores outside": "m.indices[0] = 2**30; average_precision(Scores(m), np.eye(4, 3))",
    "scores below 0": "m.indptr[-1] = -9; average_precision(Scores(m), np.eye(4, 3))",
    "pairs outside": "ObjectKFold(2).parts(groups=PairIndex(np.array([[0, 2**40]]), [7, 8], (0, 0),"
    " np.array([0, 2])))",
    "pairs below 0": "ObjectKFold(2).parts(groups=PairIndex(np.array([[0, -1]]), [7, 8], (0, 0),"
    " np.array([0, 2])))",
    "folds outside": "split_quality(m, Folds([0, 1, 2**40, 0]))",
}
CHANGED = {
    "labels": "l = as_labels(m); m.indices[:] = 2**30; m.indptr[:] = -1; stratified_folds(l, 2)",
    "scores": "s = Scores(m.astype(float)); n = s.matrix; m.indices[:] = 2**30; s.by_class",
    "shared scores": "f = m.astype(float); s = Scores(f); f.indices[:] = 2**30; s.by_class",
    "pairs": "c = np.array([[0, 1], [1, 2], [2, 3], [0, 3]]); p = Pairs(c); i = p.numbered(); "
    "c[:] = 2**40; ObjectKFold(2, scheme='relaxed').parts(groups=p)",
    "pair numbers": "c = np.array([[0, 1], [1, 2], [2, 3], [0, 3]]); i = PairIndex(c, list('abcd'),"
    " (0, 0), np.array([0, 4])); c[:] = 2**40; ObjectKFold(2, scheme='relaxed').parts(groups=i)",
    "ids of numbers": "c = np.array([[0, 1], [1, 2], [2, 3], [0, 3]]); o = list('abcd'); "
    "i = PairIndex(c, o, (0, 0), np.array([0, 4])); o += range(10**6); i.ids.extend(range(10**6)); "
    "ObjectKFold(2, scheme='relaxed').parts(groups=i)",
    "numbers behind a view": "c = np.array([[0, 1], [1, 2], [2, 3], [0, 3]]); v = c.view(); "
    "v.flags.writeable = False; i = PairIndex(v, 'abcd', (0, 0), np.array([0, 4])); c[:] = 2**40; "
    "ObjectKFold(2, scheme='relaxed').parts(groups=i)",
    "folds": "a = np.array([0, 1, 0, 1]); f = Folds(a); a[:] = 2**30; split_quality(m, f)",
}
HEAD = """
import numpy as np, scipy.sparse as sp
from trueval import *
from trueval import Labels, ObjectKFold, InputError
from trueval.core.folds import Folds
from trueval.core.ids import PairIndex
from trueval.core.pairs import Pairs
from trueval.core.scores import Scores
m = sp.csr_array(np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]]))
m.indices, m.indptr = m.indices.copy(), m.indptr.copy()
"""


def run_alone(code):
    """Run in a process of its own, which may crash."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", HEAD + code],
        capture_output=True,
        text=True,
        check=False,
    )


def test_broken_arrays_never_reach_a_kernel():
    """All in one process, which a crash would end at the case it printed last."""
    fresh = "m = sp.csr_array(Y); m.indices, m.indptr = m.indices.copy(), m.indptr.copy()"
    lines = ["Y = m.toarray()"]
    for name, code in CRASHES.items():
        lines += [f"print({name!r}, end=': ', flush=True)", fresh, "try:", f"    {code}"]
        lines += ["    print('taken')", "except InputError:", "    print('refused')"]
    result = run_alone("\n".join(lines))
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    assert result.stdout.splitlines() == [f"{name}: refused" for name in CRASHES]


def test_changing_the_arrays_later_does_no_harm():
    fresh = "m = sp.csr_array(Y); m.indices, m.indptr = m.indices.copy(), m.indptr.copy()"
    lines = ["Y = m.toarray()"]
    for name, code in CHANGED.items():
        lines += [f"print({name!r}, end=': ', flush=True)", fresh, code, "print('fine')"]
    result = run_alone("\n".join(lines))
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    assert result.stdout.splitlines() == [f"{name}: fine" for name in CHANGED]


# --- scores -----------------------------------------------------------------------------


@given(damaged(values=(0.5, -2.0, np.nan, np.inf)))
def test_scores_of_damaged_matrices(matrix):
    entries = naive_entries(matrix)
    places = [] if entries is None else [(row, column) for row, column, _ in entries]
    good = (
        entries is not None
        and len(set(places)) == len(places)
        and all(np.isfinite(value) for _, _, value in entries)
    )
    for make in (Scores, as_scores):
        if not good:
            with pytest.raises(InputError):
                make(matrix)
            continue
        scores = make(matrix)
        assert scores.n_stored == len(entries)
        for row, column, value in entries:
            values, rows = scores.column(column)
            assert values[rows == row].tolist() == [value]
        assert scores.matrix.dtype == np.float64


def test_scores_are_converted_and_checked_once(monkeypatch):
    from trueval.core import scores as module
    from trueval.rank import IsotonicRanker, average_precision, cross_fit, pick_threshold

    rng = np.random.default_rng(0)
    sparse = sp.csr_array(rng.random((60, 4)) * (rng.random((60, 4)) < 0.8))
    y = (rng.random((60, 4)) < 0.3).astype(int)
    scores, checks = as_scores(sparse), []
    monkeypatch.setattr(module, "_from_sparse", lambda *_: checks.append(1))
    monkeypatch.setattr(module, "_check_finite", lambda *_: checks.append(1))
    before = scores.by_class
    ranker = IsotonicRanker()
    assert cross_fit(ranker, scores, y).shape == (60, 4)
    choice = pick_threshold(scores, y, beta=1.0, ranker=ranker)
    assert choice.predict(scores).shape == (60, 4)
    assert average_precision(scores, y) > 0
    assert checks == []
    assert scores.by_class.data is before.data


# --- pairs --------------------------------------------------------------------------------


@given(
    st.lists(st.lists(st.integers(-3, 9), min_size=2, max_size=2), min_size=1, max_size=6),
    st.integers(0, 6),
    st.sampled_from((None, 0.0, 1.0, -1.0, np.nan, np.inf)),
)
def test_pair_numbers_are_checked(codes, n_objects, weight):
    codes = np.array(codes)
    good = codes.min() >= 0 and codes.max() < n_objects
    first = np.array([0, n_objects])
    if not good:
        with pytest.raises(InputError):
            PairIndex(codes, list(range(n_objects)), (0, 0), first)
    else:
        index = PairIndex(codes, list(range(n_objects)), (0, 0), first)
        assert np.array_equal(index.codes, codes)
        with pytest.raises(ValueError, match="read-only"):
            index.codes[0, 0] = 99
    weights = None if weight is None else [weight] * len(codes)
    if weight is None or (np.isfinite(weight) and weight >= 0):
        assert len(Pairs(codes, weight=weights)) == len(codes)
    else:
        with pytest.raises(InputError, match="the weight"):
            Pairs(codes, weight=weights)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2]], [0, 1]), "labels of shape"),
        (([[1, 2]], [np.nan]), "row 0: the label is nan"),
        (([[1, 2]], ["x"]), "must be real numbers"),
        (([[1, 2]], None, [1, 2]), "weights of shape"),
        (([1, 2],), "shape"),
        (([],), "empty"),
        (([["a", None]],), "missing ids"),
        (([["a", 1]],), "mixes numbers and text"),
        ((np.ma.array([[1, 2]], mask=[[0, 1]]),), "row 0: pairs has a masked value"),
        (([[1, 2]], np.ma.array([1], mask=[1])), "row 0: labels y has a masked value"),
        (([[1, 2]], None, np.ma.array([1], mask=[1])), "row 0: weights has a masked value"),
    ],
)
def test_pairs_that_are_none(arguments, message):
    with pytest.raises(InputError, match=message):
        Pairs(*arguments).numbered()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codes": np.zeros((2, 3), int)}, "a kind for each column"),
        ({"codes": np.zeros((2, 2))}, "whole numbers"),
        ({"first_of_kind": np.array([0, 3])}, "rise from 0 to the 2 objects"),
        ({"first_of_kind": np.array([2, 0])}, "rise from 0"),
        ({"kind_of_column": (0, 1)}, "a kind that is not there"),
    ],
)
def test_pair_indices_that_are_none(change, message):
    fine = {
        "codes": np.array([[0, 1]]),
        "ids": ["a", "b"],
        "kind_of_column": (0, 0),
        "first_of_kind": np.array([0, 2]),
    }
    assert PairIndex(**fine).n_pairs == 1
    with pytest.raises(InputError, match=message):
        PairIndex(**{**fine, **change})


@pytest.mark.parametrize(
    "value",
    [
        Scores(np.eye(3), ["a", "b", "c"], ["x", "y", "z"]),
        Scores(sp.csr_array(np.eye(3)), ["a", "b", "c"]),
        Labels(np.eye(3, dtype=int), ["a", "b", "c"]),
        Pairs([("a", "b")], [1], [2.0]),
        Folds([0, 1, 0], ["x", "y", "z"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_copies_are_as_read_only_as_their_original(value):
    for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
        assert type(again) is type(value)
        for name, held in vars(again).items():
            for array in (held, *(getattr(held, part, None) for part in ("data", "indices"))):
                assert not (isinstance(array, np.ndarray) and array.flags.writeable), name


def test_pair_numbers_survive_copies_and_stay_read_only():
    index = PairIndex(np.array([[0, 1], [1, 2]]), ["a", ("b", 1), "c"], (0, 0), np.array([0, 3]))
    for again in (pickle.loads(pickle.dumps(index)), copy.deepcopy(index), copy.copy(index)):
        assert again.codes.tolist() == [[0, 1], [1, 2]]
        assert again.ids == ["a", ("b", 1), "c"]
        assert not again.codes.flags.writeable
        assert not again.first_of_kind.flags.writeable
    assert names_of(index, np.array([1, 0])).tolist() == [("b", 1), "a"]
    with pytest.raises(AttributeError, match="cannot be changed"):
        index.codes = np.array([[0, 9]])


def test_pairs_are_numbered_once_for_each_choice_of_kinds():
    pairs = Pairs([("a", "b"), ("b", "a"), ("b", "c")], y=[1.0, 0.0, 1.0])
    assert pairs.y.dtype == np.int64
    assert as_pairs(pairs) is as_pairs(pairs)
    assert as_pairs(pairs).n_objects == 3
    two = as_pairs(pairs, symmetric=False)
    assert two is pairs.numbered(symmetric=False)
    assert two.n_objects == 2 + 3
    assert as_pairs(two) is two
    with pytest.raises(InputError, match="contradicts"):
        as_pairs(pairs.numbered(), symmetric=False)
    assert pairs[[0, 2]].pairs.tolist() == [["a", "b"], ["b", "c"]]
    assert np.array_equal(np.asarray(pairs), pairs.pairs)
    assert pickle.loads(pickle.dumps(pairs)).numbered().n_objects == 3


def test_pairs_go_through_scikit_learn():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_validate

    from trueval import ObjectKFold

    rng = np.random.default_rng(0)
    ids = rng.integers(0, 12, (200, 2))
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    cv = ObjectKFold(3, scheme="relaxed", random_state=0)
    by_ids = cross_validate(LogisticRegression(), X, y, cv=cv, groups=ids)
    for groups in (Pairs(ids), as_pairs(ids)):
        found = cross_validate(LogisticRegression(), X, y, cv=cv, groups=groups)
        assert np.array_equal(found["test_score"], by_ids["test_score"])


# --- folds ----------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from((0, 1, 2, -1, -2, 2**31, 0.5, np.nan)), max_size=6),
    st.booleans(),
    st.sampled_from((None, 2, 3)),
)
def test_part_numbers_are_checked(numbers, free, n_parts):
    lowest = -1 if free else 0
    highest = 2**31 - 1 if n_parts is None else n_parts - 1
    good = len(numbers) > 0 and all(n == n and n % 1 == 0 for n in numbers)
    good = good and all(lowest <= n <= highest for n in numbers)
    if good:
        folds = as_folds(numbers, len(numbers), free=free, n_parts=n_parts)
        assert folds.tolist() == [int(n) for n in numbers]
        assert folds.dtype == np.int32
    else:
        with pytest.raises(InputError):
            as_folds(numbers, len(numbers), free=free, n_parts=n_parts)


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 5), max_size=4), st.lists(st.integers(0, 5), max_size=4)),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
)
def test_pairs_of_rows_are_checked(pairs, partition):
    rows = [row for _, test in pairs for row in test]
    good = sorted(rows) == list(range(6))
    if partition:
        good = good and all(
            sorted(train) == sorted(set(range(6)) - set(test)) for train, test in pairs
        )
    if good:
        folds = as_folds(pairs, 6, partition=partition)
        assert all(folds[row] == n for n, (_, test) in enumerate(pairs) for row in test)
    else:
        with pytest.raises(InputError):
            as_folds(pairs, 6, partition=partition)


def test_folds_know_their_parts_and_are_taken_everywhere():
    folds = Folds([0, 2, 1, 0], list("abcd"), {"seed": 3})
    assert (folds.n_parts, len(folds), repr(folds)) == (3, 4, "Folds(4 rows, 3 folds)")
    with pytest.raises(ValueError, match="read-only"):
        folds.folds[0] = 1
    y = np.array([[1], [1], [0], [1]])
    assert split_quality(y, folds).sizes.tolist() == [2, 1, 1]
    assert split_quality(y, folds).rld == split_quality(y, [0, 2, 1, 0]).rld
    with pytest.raises(InputError, match="4 entries but y has 3 rows"):
        as_folds(folds, 3)
    assert stratified_folds(y, 3, initial=folds, random_state=0).shape == (4,)


@pytest.mark.parametrize("name", ["indices", "indptr", "data"])
@pytest.mark.parametrize(
    "value",
    [
        Labels(np.eye(4, dtype=int)),
        Scores(sp.csr_array(np.eye(4))),
        Similarity(sp.csr_array(np.eye(4, k=1))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_arrays_assigned_to_a_matrix_have_no_effect(value, name):
    """SciPy lets anybody assign them; its conversions and the kernels would trust them."""
    before = value.matrix.toarray()
    setattr(value.matrix, name, np.full(len(getattr(value.matrix, name)), 2**30, np.int32))
    np.testing.assert_array_equal(value.matrix.toarray(), before)


def arrays_of(value, name, depth=0):
    """All arrays that are attributes of a value, or parts of these."""
    if isinstance(value, np.ndarray):
        yield name, value
    elif sp.issparse(value):
        yield from ((f"{name}.{part}", getattr(value, part)) for part in ("indices", "indptr"))
    elif isinstance(value, tuple):
        for number, part in enumerate(value):
            yield from arrays_of(part, f"{name}[{number}]", depth)
    elif depth == 0:
        public = [key for key in dir(type(value)) if not key.startswith("__")]
        for key in {*public, *vars(value)}:
            yield from arrays_of(getattr(value, key), f"{name}.{key}", 1)


@pytest.mark.parametrize(
    "value",
    [
        Labels(np.eye(4, dtype=int), list("abcd"), np.arange(4)),
        Scores(sp.csr_array(np.eye(4)), list("abcd"), np.arange(4)),
        Similarity(sp.csr_array(np.eye(4, k=1))),
        Folds(np.array([0, 1, 0]), np.arange(3)),
        as_pairs([("a", "b"), ("b", "c")]),
        Pairs(np.array([[0, 1], [1, 2]])),
        as_hierarchy([-1, 0, 0], 3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_array_of_a_value_can_be_written_into(value):
    """Kernels take them as they are: sizes of classes that were set to 0 ended the process."""
    arrays = dict(arrays_of(value, type(value).__name__))
    assert arrays
    # What is computed at each call is the caller's.
    again = dict(arrays_of(value, type(value).__name__))
    kept = {name for name, array in arrays.items() if np.shares_memory(array, again[name])}
    assert [name for name in sorted(kept) if arrays[name].flags.writeable] == []


def test_names_are_not_shared_with_the_caller():
    names = np.array(["a", "b"])
    labels = Labels(np.eye(2, dtype=int), names, names)
    names[:] = "x"
    assert labels.classes.tolist() == labels.index.tolist() == ["a", "b"]


# --- arrays that another thread writes ----------------------------------------------------------


class Changing(np.ndarray):
    """Indices that another thread changes as soon as they were looked at."""

    def max(self, *args, **kwargs):
        found = super().max(*args, **kwargs)
        self.view(np.ndarray)[-1:] = 2**30
        return found


def _changing(array):
    return np.array(array).view(Changing)


def test_indices_are_copied_before_they_are_checked():
    whole = sp.csr_array(np.eye(4)[::-1])
    for kind, names in (("csr", ["indices"]), ("csc", ["indices"]), ("coo", ["row", "col"])):
        for read in (as_labels, Scores, Similarity):
            matrix = whole.asformat(kind)
            for name in names:
                setattr(matrix, name, _changing(getattr(matrix, name)))
            value = read(matrix)
            assert value.matrix.indices.max() == 3, (kind, read)


def test_entries_by_class_are_in_a_matrix_of_their_own():
    labels, scores = as_labels(np.eye(4, dtype=int)), Scores(sp.csr_array(np.eye(4)))
    for value in (labels, scores):
        value.by_class.indices = np.full(4, 2**30)
        assert value.by_class.indices.tolist() == [0, 1, 2, 3]
