"""Tables and random states."""

import numpy as np
import pytest

from trueval.core.random import as_generator, as_random_state
from trueval.table import Table


def test_columns_of_objects_show_themselves():
    cells = np.array(["a", 1, None, 2.5, ("b", 1)], dtype=object)
    lines = repr(Table({"x": cells, "n": [1, 2, 3, 4, 5]})).splitlines()
    assert [line.split()[0] for line in lines] == ["x", "a", "1", "None", "2.5000", "('b',"]


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
