import json
from pathlib import Path

import pytest

from tests.golden.cases import cases, digest

HASHES = json.loads(Path(__file__).with_name("hashes.json").read_text())
CASES = cases()


def test_every_case_is_pinned():
    assert set(HASHES) == set(CASES)
    assert len(HASHES) >= 40


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(CASES))
def test_folds_are_the_pinned_ones(name):
    assert digest(CASES[name]()) == HASHES[name]


def test_containers_agree_with_the_dense_array():
    expected = HASHES["anneal, parts 5, seed 0"]
    containers = {name: value for name, value in HASHES.items() if name.startswith("container")}
    assert len(containers) == 4
    assert set(containers.values()) == {expected}
