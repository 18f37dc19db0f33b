"""An audit does not depend on units; what it cannot read is called by its name."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from trueval import InputError, ParameterError
from trueval.audit import audit_rows

TRAIN, TEST = np.arange(200), np.arange(200, 300)


def planted(sparse=False):
    """Clean rows with ten near duplicates of training rows in test."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 6))
    X[290:] = X[:10] + generator.normal(scale=1e-4, size=(10, 6))
    return sp.csr_array(X * (generator.random(X.shape) < 0.9)) if sparse else X


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("unit", [2.0**600, 2.0**1000, 2.0**-600])
def test_near_duplicates_in_any_unit(sparse, unit):
    X = planted(sparse)
    audits = [audit_rows(rows, TRAIN, TEST, random_state=0) for rows in (X, X * unit)]
    near = [audit.check("near_duplicates") for audit in audits]
    assert near[0].alarm
    assert near[0].rows.tolist() == near[1].rows.tolist()
    assert audits[0].distances == audits[1].distances


@pytest.mark.parametrize("unit", [1.0, 1e155, 1e300, 1e-300])
def test_a_target_that_is_a_column_in_any_unit(unit):
    X = planted()
    check = audit_rows(X, TRAIN, TEST, y=X[:, 2] * unit).check("target")
    assert check.alarm
    assert check.detail["columns"] == [{"column": "2", "class": "", "auc": pytest.approx(1.0)}]


def test_the_baseline_of_large_numbers():
    # Equal features: the nearest row of each test row is one of 200 with the target 1.5e308.
    y = np.full(300, 1.5e308)
    y[TEST] = 0.5e308
    baseline = audit_rows(planted(), TRAIN, TEST, y=y).baseline
    assert baseline["score"] == baseline["chance"] == pytest.approx(1e308)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([np.inf, 0.5], "row 0: y has an infinite value"),
        ([1.0, -np.inf], "row 1: y has an infinite value"),
        ([1.0, np.nan], "row 1: y has a missing value"),
        (["a", None], "row 1: y has a missing value"),
        ([1.7e308, -1.7e308], "their difference is too large for a float"),
    ],
)
def test_a_target_that_is_none(y, message):
    with pytest.raises(InputError, match=message):
        audit_rows(planted(), TRAIN, TEST, y=y * 150)


@pytest.mark.parametrize("name", ["ids", "groups"])
@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_names_are_called_what_they_are(name, missing):
    values = ["a"] * 299 + [missing]
    with pytest.raises(InputError, match=f"{name} has a missing value at row 299"):
        audit_rows(planted(), TRAIN, TEST, **{name: values})


def test_ids_beyond_64_bits_are_ids():
    X = planted()
    assert audit_rows(X, TRAIN, TEST, ids=[10**309 + row for row in range(300)]).check("ids")


def test_repeated_columns_are_of_x():
    with pytest.raises(InputError, match="X has several columns of one name"):
        audit_rows(pd.DataFrame(planted(), columns=list("aabcde")), TRAIN, TEST)


@pytest.mark.parametrize("time", [2**70, 10**309])
def test_times_beyond_64_bits(time):
    with pytest.raises(InputError, match=r"time must be numbers.*64 bits"):
        audit_rows(planted(), TRAIN, TEST, time=[time] * 300)


@pytest.mark.parametrize("alpha", [5e-324, 0, 0.5])
def test_alpha_can_be_divided(alpha):
    with pytest.raises(ParameterError, match="'alpha' parameter of audit_rows must be a number"):
        audit_rows(planted(), TRAIN, TEST, alpha=alpha)
    assert audit_rows(planted(), TRAIN, TEST, y=TRAIN.repeat(2)[:300] % 2, alpha=1e-300) is not None


def test_large_numbers_give_no_warning():
    X = np.where(np.random.default_rng(0).random((300, 3)) < 0.5, -0.8e308, 0.8e308)
    X[:, 0] *= np.linspace(0.1, 1, 300)
    assert not audit_rows(X, TRAIN, TEST, y=X[:, 1]).check("order").alarm
