"""``audit_rows``: every form of input, every check, and refusals."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from trueval import InputError, ParameterError
from trueval.audit import RowLeakError, audit_folds, audit_rows
from trueval.audit._result import CHECKS, LEAKS
from trueval.show import summary

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 6))
X[290:] = X[:10]
TRAIN, TEST = np.arange(200), np.arange(200, 300)


def names(audit):
    return [check.name for check in audit.alarms]


@pytest.mark.parametrize(
    "form",
    [
        lambda X: X,
        lambda X: X.astype(object),
        lambda X: X.tolist(),
        lambda X: np.asfortranarray(X),
        lambda X: sp.csr_matrix(X),
        lambda X: sp.csc_array(X),
        lambda X: sp.coo_array(X),
        lambda X: pd.DataFrame(X, columns=list("abcdef")),
        lambda X: pl.DataFrame(X, schema=list("abcdef")),
    ],
    ids=["array", "objects", "lists", "fortran", "csr", "csc", "coo", "pandas", "polars"],
)
def test_copies_are_found_in_every_container(form):
    given_rows = form(X)
    audit = audit_rows(given_rows, TRAIN, TEST)
    check = audit.check("duplicates")
    assert check.alarm
    assert check.rows.tolist() == list(range(290, 300))
    assert check.detail["first_train_rows"] == list(range(10))
    assert (audit.n_train, audit.n_test) == (200, 100)


@pytest.mark.parametrize("numbers", [False, True])
def test_copies_with_another_target_are_counted(numbers):
    """Rows 290 to 299 are copies of rows 0 to 9; three of them get another target."""
    y = np.random.default_rng(0).integers(0, 2, 300)
    y[290:] = y[:10]
    y[290:293] = 1 - y[290:293]
    check = audit_rows(X, TRAIN, TEST, y=y + 0.25 if numbers else y).check("duplicates")
    assert check.detail["other_target"] == 3
    assert str(check).endswith("3 have another target than that row.")
    without = audit_rows(X, TRAIN, TEST).check("duplicates")
    assert without.detail["other_target"] is None
    assert str(without).endswith("which chance does not explain.")


def test_words_do_not_tell_where_a_row_stands():
    """Training rows first, then test rows, as files are joined: nothing else differs."""
    generator = np.random.default_rng(0)
    words = np.array(["".join(row) for row in generator.choice(list("abcdefgh"), (400, 8))])
    columns = pd.DataFrame({"name": words, "value": generator.normal(size=400)})
    audit = audit_rows(columns, np.arange(250), np.arange(250, 400))
    assert names(audit) == []
    assert audit.check("shift").value == pytest.approx(0.5, abs=0.1)


def test_masks_and_row_numbers_in_any_order_give_the_same():
    mask = np.zeros(300, bool)
    mask[TEST] = True
    one = audit_rows(X, ~mask, mask).to_dict()
    other = audit_rows(X, TRAIN[::-1], np.random.default_rng(1).permutation(TEST)).to_dict()
    assert json.dumps(one) == json.dumps(other)


def test_the_same_seed_gives_the_same_audit():
    y = (X[:, 0] > 0).astype(int)
    first, second = (json.dumps(audit_rows(X, TRAIN, TEST, y=y).to_dict()) for _ in range(2))
    assert first == second


def test_folds():
    numbers = np.arange(300) % 3
    audits = audit_folds(X, numbers)
    assert list(audits) == ["fold 0", "fold 1", "fold 2"]
    one = audit_rows(X, numbers != 1, numbers == 1)
    assert json.dumps(audits["fold 1"].to_dict()) == json.dumps(one.to_dict())
    pairs = [(np.flatnonzero(numbers == 0), np.flatnonzero(numbers == 2))]  # leaves rows out
    assert audit_folds(X, pairs)["fold 0"].n_train == 100
    assert audit_folds(X, np.where(numbers == 2, -1, numbers))["fold 0"].n_train == 100


def test_ids_alone():
    audit = audit_rows(["a", "b", "c", "a"], [0, 1], [2, 3])
    assert names(audit) == ["ids"]
    assert audit.check("ids").rows.tolist() == [3]
    assert audit.skipped["duplicates"] == "X holds ids, no features"
    with pytest.raises(InputError, match="read as ids, and ids are given too"):
        audit_rows(["a", "b"], [0], [1], ids=["a", "b"])
    with pytest.raises(InputError, match="ids of rows, or one column of features"):
        audit_rows([0.5, 1.5], [0], [1])


@given(st.lists(st.integers(0, 5), min_size=4, max_size=12), st.data())
@settings(max_examples=30)
def test_groups_by_sets(groups, data):
    n = len(groups)
    test = data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=n - 1))
    train = set(range(n)) - test
    audit = audit_rows([str(row) for row in range(n)], sorted(train), sorted(test), groups=groups)
    shared = {groups[row] for row in train} & {groups[row] for row in test}
    check = audit.check("groups")
    assert (check.value, check.alarm) == (len(shared), bool(shared))
    assert check.rows.tolist() == sorted(row for row in test if groups[row] in shared)


@pytest.mark.parametrize(
    "times",
    [
        [1, 2, 3, 4],
        ["2024-01-01", "2024-01-02", "2024-02-01", "2024-02-02"],
        pd.Series(pd.date_range("2024-01-01", periods=4)),
        np.array([0.5, 0.6, 0.7, 0.8]),
    ],
)
def test_time(times):
    rows = ["a", "b", "c", "d"]
    assert names(audit_rows(rows, [0, 1], [2, 3], time=times)) == []
    audit = audit_rows(rows, [0, 2], [1, 3], time=times)
    assert names(audit) == ["time"]
    assert audit.check("time").rows.tolist() == [1]
    assert audit.check("time").detail["n_train_later"] == 1


def test_equal_times_are_no_leak():
    assert names(audit_rows(["a", "b"], [0], [1], time=[5, 5])) == []


def test_similar_rows():
    edges = [(0, 1, 0.9), (0, 2, 0.4), (1, 3, 0.7)]
    audit = audit_rows(list("abcd"), [0, 1], [2, 3], similarity=edges, threshold=0.5)
    assert audit.check("similarity").rows.tolist() == [3]
    assert audit.check("similarity").value == 0.7
    assert audit.check("similarity").detail["largest"] == {
        "0.5": 0.7, "0.9": 0.7, "0.99": 0.7, "1": 0.7,
    }  # fmt: skip
    assert audit_rows(list("abcd"), [0, 1], [2, 3], similarity=edges, threshold=0.8).alarms == ()
    assert (
        audit_rows(list("abcd"), [0, 1], [2, 3], similarity=edges).check("similarity").n_rows == 2
    )


def test_rows_on_both_sides_are_said():
    audit = audit_rows(X[:290], np.arange(150), np.arange(149, 290))
    assert audit.n_shared_rows == 1
    assert names(audit) == ["ids"]
    assert audit.check("ids").rows.tolist() == [149]
    assert "rows on both sides: 1" in repr(audit)


def test_few_levels_are_equal_by_chance():
    levels = np.random.default_rng(0).integers(2, size=(500, 6)).astype(float)
    check = audit_rows(levels, np.arange(400), np.arange(400, 500)).check("duplicates")
    assert check.n_rows > 90
    assert not check.alarm
    assert "do so by chance" in repr(check)


def test_text_columns_are_categories_and_said():
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "word": np.where(X[:, 2] > 0, "up", "down")})
    audit = audit_rows(frame, TRAIN, TEST)
    assert audit.categories == ["word"]
    assert names(audit) == ["duplicates"]
    assert "read as categories: 'word'" in repr(audit)


@pytest.mark.parametrize(
    "columns",
    [None, [None, "a", "b"], [("a", 1), ("a", 2), ("b", 1)], [2, 1, 0]],
    ids=["default", "a missing name", "tuples", "numbers"],
)
def test_columns_of_frames_may_have_any_names(columns):
    """The ten copies are found by column, whatever numbers the columns are called."""
    frame = pd.DataFrame(X[:, :3], columns=columns)
    assert audit_rows(frame, TRAIN, TEST).check("duplicates").rows.tolist() == (
        audit_rows(X[:, :3], TRAIN, TEST).check("duplicates").rows.tolist()
    )


def test_columns_without_a_value():
    rows = np.random.default_rng(0).normal(size=(300, 3))
    rows[:, 1] = np.nan
    assert audit_rows(rows, np.arange(200), np.arange(200, 300)).alarms == ()
    rows[:200, 0] = np.nan  # there are values in the test rows alone
    assert names(audit_rows(rows, np.arange(200), np.arange(200, 300))) == ["shift"]


@pytest.mark.parametrize("what", ["X", "y", "time", "groups"])
def test_masked_values_are_refused(what):
    rows, more = np.random.default_rng(0).normal(size=(6, 2)), {}
    masked = np.ma.array(np.arange(6), mask=np.arange(6) == 2)
    if what == "X":
        rows = np.ma.array(rows, mask=[[0, row == 2] for row in range(6)])
    else:
        more = {what: masked}
    with pytest.raises(InputError, match=f"row 2: {what} has a masked value"):
        audit_rows(rows, [0, 1, 2], [3, 4, 5], **more)


def test_baseline_of_the_nearest_row():
    centers = np.eye(4) * 30
    kind = np.arange(200) % 4
    rows = centers[kind] + np.random.default_rng(0).normal(size=(200, 4))
    audit = audit_rows(rows, np.arange(100), np.arange(100, 200), y=kind)
    assert audit.baseline["measure"] == "micro F1"
    assert audit.baseline["score"] == 1.0  # every neighbour is of the same class
    assert 0.1 < audit.baseline["chance"] < 0.45
    audit = audit_rows(rows, np.arange(100), np.arange(100, 200), y=kind + 0.25)
    assert audit.baseline["measure"] == "mean absolute error"
    assert audit.baseline["score"] == 0.0


def test_require():
    audit = audit_rows(X, TRAIN, TEST)
    with pytest.raises(RowLeakError, match="10 test rows equal a training row"):
        audit.require()
    with pytest.raises(RowLeakError):
        audit.require("all")
    with pytest.raises(RowLeakError):
        audit.require(["near-duplicates", "duplicates"])
    assert audit.require("near_duplicates,order") is audit
    with pytest.raises(InputError, match="no check 'groups': not given"):
        audit.require("groups")
    with pytest.raises(InputError, match=r"no check 'copies'.*duplicates"):
        audit.require("copies")


def test_a_shift_is_no_leak():
    shifted = np.random.default_rng(1).normal(size=(400, 4))
    shifted[300:] += 3
    audit = audit_rows(shifted, np.arange(300), np.arange(300, 400))
    assert names(audit) == ["shift"]
    assert audit.require("leaks") is audit
    with pytest.raises(RowLeakError, match="A model tells test rows"):
        audit.require("all")
    assert summary(audit).verdict.level == "fair"
    assert set(LEAKS) == set(CHECKS) - {"shift"}


def test_the_result_shows_itself():
    audit = audit_rows(X, TRAIN, TEST, y=np.arange(300) % 2)
    assert summary(audit).verdict.text == "Leak: duplicates."
    assert summary(audit).verdict.level == "poor"
    assert "duplicates" in audit._repr_html_()
    assert json.loads(json.dumps(audit.to_dict()))["alarms"] == ["duplicates"]
    clean = audit_rows(X[:290], np.arange(200), np.arange(200, 290))
    assert summary(clean).verdict.text == "No leak was found."


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        (np.zeros((4, 0)), {}, "must have rows and columns"),
        (np.zeros((2, 2, 2)), {}, "must have rows and columns"),
        ([[1, 2], [3]], {}, "differ in length"),
        (np.array([[1.0], [np.inf], [2.0], [3.0]]), {}, "infinite value"),
        (np.array([[1], [2**60], [3], [4]]), {}, "above 2\\*\\*53"),
        (np.ones((4, 1)) * 1j, {}, "must be real numbers"),
        (sp.csr_array(np.array([[np.nan]] * 4)), {}, "must have finite values"),
        (np.ones((4, 2)), {"groups": [1, 2]}, "groups has 2 entries but there are 4 rows"),
        (np.ones((4, 2)), {"groups": [1, 2, None, 3]}, "missing value at row 2"),
        (np.ones((4, 2)), {"y": [0, 1]}, "y has 2 rows but X has 4"),
        (np.ones((4, 2)), {"time": ["a", "b", "c", "d"]}, "numbers, dates or text in ISO form"),
        (np.ones((4, 2)), {"time": [1.0, np.nan, 2.0, 3.0]}, "time has a missing value"),
        (np.ones((4, 2)), {"similarity": [(0, 9, 1.0)]}, "an edge has row 9"),
    ],
)
def test_refusals(rows, more, message):
    with pytest.raises(InputError, match=message):
        audit_rows(rows, [0, 1], [2, 3], **more)


def test_empty_sides_and_bad_parameters_are_refused():
    with pytest.raises(InputError, match="test has no rows"):
        audit_rows(X, TRAIN, [])
    with pytest.raises(InputError, match="outside the rows"):
        audit_rows(X, TRAIN, [300])
    with pytest.raises(ParameterError, match="alpha"):
        audit_rows(X, TRAIN, TEST, alpha=0.0)


@pytest.mark.parametrize("n", [2, 3, 5, 12])
def test_tiny_splits(n):
    rows = np.random.default_rng(n).normal(size=(n, 2))
    audit = audit_rows(rows, np.arange(n - 1), [n - 1], y=np.arange(n) % 2)
    assert audit.alarms == ()


@pytest.mark.parametrize(("far", "alarm"), [(125.0, False), (100.5, True)])
def test_two_outliers_are_no_copies_unless_they_are_very_near(far, alarm):
    # One training row lies at (100, 0). A test row at (125, 0) is five times nearer to it than to
    # all others, as outliers are; one at (100.5, 0) is 200 times nearer.
    X = np.random.default_rng(0).normal(size=(600, 2))
    X[0], X[400] = (100.0, 0.0), (far, 0.0)
    audit = audit_rows(X, np.arange(400), np.arange(400, 600))
    assert ("near_duplicates" in names(audit)) == alarm
