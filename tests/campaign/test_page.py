"""The page *Reliability* says what has run, what failed, and what has not run."""

import importlib.util
from functools import cache
from pathlib import Path

from tests.campaign import sources
from tests.campaign.__main__ import told
from tests.campaign.mutate import EQUIVALENT
from tests.campaign.parts import ELSEWHERE, PARTS
from tests.campaign.record import RESULTS, Outcome, Record

DOCS = Path(__file__).resolve().parents[2] / "docs"


@cache
def pages():
    spec = importlib.util.spec_from_file_location("made", DOCS / "make_reliability.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module._sources().ROOT == sources.ROOT
    module._sources = lambda: sources  # the same, with what it has read already
    return module


def test_the_page_says_what_ran_and_what_did_not(tmp_path):
    record = Record(tmp_path / "results.json")
    code = {part.name: part.code for part in PARTS}
    record.add("kills", code["kills"], Outcome(1_008, [], {"swept": 1_234}), 90.0)
    different = Outcome(180, ["a ≠ b"], {"peak over input": 2.5})
    record.add("differences", code["differences"], different, 60.0)
    record.add("numbers", "other", Outcome(10_000), 60.0)
    record.write(**told())
    text = pages().page(record.path)
    assert (
        "   * - Writers killed at any moment\n     - 1,008 kills\n     - 0\n     - complete" in text
    )
    assert "     - 180 files\n     - 1\n     - 180 of 10,000 files" in text
    assert "- swept: 1,234\n" in text
    assert "- peak over input: 2.50\n" in text
    assert "   a ≠ b\n" in text
    rest = text.split("Not run here, or not completely\n")[1]
    assert "(180 of 10,000 files): ``python -m tests.campaign --only differences``" in rest
    assert "(complete, on earlier sources): ``python -m tests.campaign --only numbers``" in rest
    assert "--only kills``" not in rest
    missing = [part.name for part in PARTS if part.name != "kills"]
    assert all(f"--only {name}``" in rest for name in missing)
    assert all(command in rest for command, _ in ELSEWHERE.values())


def test_the_results_of_the_repository_have_a_page():
    text = pages().page(RESULTS)
    assert all(part.title in text for part in PARTS)


def test_survivors_have_their_reasons(tmp_path):
    known = next(key for key in EQUIVALENT if key.startswith("trueval.pairs._auc._rates: "))
    change = known.removeprefix("trueval.pairs._auc.")
    figures = {"killed": 7, "trueval.pairs._auc: survivors": f"{change}; f: 0 → 1"}
    record = Record(tmp_path / "results.json")
    record.add("mutation", "other", Outcome(9, [], figures), 90.0)
    record.write(**told())
    text = pages().page(record.path)
    assert f"  - ``{change}``: {EQUIVALENT[known]}\n" in text
    assert "  - ``f: 0 → 1``: no test noticed it in this run\n" in text
