"""``trueval pairs``: how objects are divided, and clusters from hits."""

import numpy as np
import pytest


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)


def write_modules(path="modules.csv"):
    """Pairs inside modules of ten objects, as a file."""
    generator = np.random.default_rng(0)
    pairs = generator.integers(0, 10, (400, 1)) * 10 + generator.integers(0, 10, (400, 2))
    lines = [
        f"P{a},P{b},{y}" for (a, b), y in zip(pairs, generator.integers(0, 2, 400), strict=True)
    ]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(["a,b,y", *lines]) + "\n")
    return path


def test_more_pairs_are_validated(here, call_json):
    path = write_modules()
    few, many = (
        call_json("pairs", path, "-k", "5", "--balance", balance)
        for balance in ("degrees", "pairs")
    )
    assert call_json("pairs", path, "-k", "5")["validated"] == few["validated"]
    assert few["validated"] < 150
    assert many["validated"] > 300
    assert many["validated"] + many["never_validated"] == 400


def test_hits_make_clusters(here, call_json):
    """One chain of hits joins all but three objects, so no three parts can be made of more."""
    path = write_modules()
    with open("hits.tsv", "w", encoding="utf-8") as file:
        file.writelines(f"P{i}\tP{i + 1}\t{0.9 if i < 96 else 0.2}\n" for i in range(99))
    options = ("--similarity", "hits.tsv", "--threshold", "0.3")
    alone = call_json("pairs", path, "-k", "4")
    joined = call_json("pairs", path, "-k", "4", *options)
    assert joined["validated"] > 2 * alone["validated"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--leave-two-out", "--balance", "pairs"), "goes without --balance"),
        (("--threshold", "0.3"), "--threshold needs --similarity"),
    ],
)
def test_options_that_clash(here, call, options, message):
    result = call("pairs", write_modules(), *options)
    assert result.exit_code == 2
    assert message in result.output
