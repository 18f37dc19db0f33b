"""Table, random states, the package's door."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import cross_validate

import trueval
from trueval import MultilabelStratifiedKFold, RareClassWarning
from trueval.random import as_generator, as_random_state
from trueval.table import Table


def test_table_columns_must_agree():
    with pytest.raises(ValueError, match="must have one length"):
        Table({"a": [1], "b": [1, 2]})


def test_table_is_cut_and_escaped():
    table = Table({"name": ["<b>"] * 30, "value": np.arange(30) / 7})
    assert "… 10 more rows" in repr(table)
    page = table._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert table.take([3])["value"][0] == 3 / 7
    assert list(table) == ["name", "value"]
    assert table.shape == (30, 2)


def test_table_sorting_is_stable_both_ways():
    table = Table({"key": [2, 1, 2, 1], "place": [0, 1, 2, 3]})
    assert table.sort_by("key")["place"].tolist() == [1, 3, 0, 2]
    assert table.sort_by("key", descending=True)["place"].tolist() == [0, 2, 1, 3]


def test_random_states():
    state = np.random.RandomState(0)
    assert as_random_state(state) is state
    generator = np.random.default_rng(0)
    assert as_generator(generator) is generator
    assert as_random_state(5).randint(1000) == np.random.RandomState(5).randint(1000)
    for bad in (-1, 2.5, "seed", [1, 2]):
        with pytest.raises(ValueError, match="'random_state' parameter"):
            as_generator(bad)
        with pytest.raises(ValueError, match="'random_state' parameter"):
            as_random_state(bad)


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


ROOMS = {
    "study": {"cli", "report", "testing"},
    "stratify": {"data", "cli", "report", "study", "testing", "pairs", "rank"},
    "rank": {"data", "cli", "report", "study", "testing", "pairs"},
    "pairs": {"data", "cli", "report", "study", "testing", "rank"},
    "cafa": {"cli", "report", "study", "testing", "pairs", "rank", "stratify", "charts"},
    "charts": {"data", "cli", "report", "study", "testing", "rank", "pairs", "stratify"},
    "report": {"cli", "study", "testing"},
}


@pytest.mark.parametrize("room", ROOMS)
def test_data_flows_one_way(room):
    """A room imports only from rooms to its left and from the shared core."""
    from pathlib import Path

    folder = Path(trueval.__file__).parent / room
    for file in folder.glob("*.py"):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith(("from trueval.", "import trueval.")):
                other = line.split()[1].split(".")[1]
                assert other not in ROOMS[room], f"{file.name}: {line}"


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
