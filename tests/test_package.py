"""The package: its names, its imports, where its warnings point."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import cross_validate

import trueval
from trueval import MultilabelStratifiedKFold, RareClassWarning


def test_every_promised_name_is_there():
    for name in trueval.__all__:
        assert getattr(trueval, name) is not None
    assert set(trueval.__all__) <= set(dir(trueval))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        trueval.nothing  # noqa: B018


def test_import_is_cheap():
    code = "import sys, trueval; print('sklearn' in sys.modules, 'scipy' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["False", "False"]


def test_warnings_point_at_the_callers_line_even_through_scikit_learn():
    """Once directly and once through cross_validate: the line is this file's."""
    y = np.zeros((30, 2), dtype=int)
    y[:2, 0] = 1
    y[:15, 1] = 1
    X = np.arange(30.0)[:, None]
    cv = MultilabelStratifiedKFold(n_splits=5, random_state=0)
    with pytest.warns(RareClassWarning) as direct:
        list(cv.split(X, y))
    with pytest.warns(RareClassWarning) as through:
        cross_validate(DummyRegressor(), X, y, cv=cv)
    assert {w.filename for w in [*direct, *through]} == {__file__}
