"""The format of benchmark results, the limits of a case, and the page made from results."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
if not (ROOT / "benchmarks").is_dir():
    pytest.skip("the benchmarks are not in this copy", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from benchmarks.command import Run, parser  # noqa: E402
from benchmarks.process import Limits, run  # noqa: E402
from benchmarks.record import (  # noqa: E402
    Column,
    Record,
    Table,
    ahead,
    load,
    markdown,
    slope,
    text,
)
from benchmarks.search import _least_dcp  # noqa: E402
from benchmarks.search import main as search  # noqa: E402

COLUMNS = [
    Column("method", "method"),
    Column("error", "error", ".2f", "low"),
    Column("area", "area", ".1f", "high"),
]
ROWS = [
    {"method": "own", "kind": "ours", "default": True, "error": 0.5, "area": 0.9},
    {"method": "other", "kind": "peer", "error": 0.25, "area": 0.8},
    {"method": "equal as shown", "kind": "peer", "error": 0.499, "area": 0.9},
    {"method": "broken", "kind": "peer", "problem": "not installed"},
]


def table():
    return Table("A title", "About it.", COLUMNS, [dict(row) for row in ROWS], ["A note."])


def test_a_peer_that_wins_is_said():
    assert ahead(table()) == "Peers ahead of own: error other (0.25)."


def test_no_peer_ahead_is_said_too():
    made = table()
    made.rows = [made.rows[0], made.rows[3]]
    assert ahead(made) == "No peer is ahead of own in any column."


def test_best_values_and_problems_are_shown():
    shown = text(table()).splitlines()
    assert shown[0] == "A title"
    assert "0.25*" in shown[4]
    assert "0.9*" in shown[3]
    assert shown[6].split() == ["broken", "not", "installed"]
    assert "| other | **0.25** | 0.8 |" in markdown(table())
    assert "| broken | not installed |" in markdown(table())


def test_slope_of_a_known_power():
    sizes = [10, 100, 1000]
    assert slope(sizes, [3 * s**1.5 for s in sizes]) == pytest.approx(1.5)


def test_record_comes_back_as_written(tmp_path):
    record = Record("made", "Made", "python -m benchmarks.made", tables=[table()])
    record.save(tmp_path)
    back = load(tmp_path / "made.json")
    assert back["tables"] == [table()]
    assert back["command"] == "python -m benchmarks.made"
    assert set(back["machine"]) >= {"processor", "cores", "system", "python"}
    assert list(tmp_path.iterdir()) == [tmp_path / "made.json"]


def test_unknown_schema_is_refused(tmp_path):
    (tmp_path / "old.json").write_text('{"schema": 0}')
    with pytest.raises(ValueError, match="schema 0"):
        load(tmp_path / "old.json")


def test_folders_stay_out_of_the_command(tmp_path):
    given = ["--quick", "--out", str(tmp_path), f"--peer-env={tmp_path}"]
    made = Run.start("x", "X", parser("x", "").parse_args(given), given)
    assert made.record.command == "python -m benchmarks.x --quick --out DIR --peer-env=DIR"


def test_the_least_dcp_of_divisions_with_the_least_rld():
    """By hand. 7 in 60/20/20: one is left for any part at the same rLD, 2 of 1.4 is the least.

    4 in 80/10/10: rLD gives the one that is left to the first part (4 of 3.2), DCP would not.
    """
    assert _least_dcp(7, np.array([0.6, 0.2, 0.2])) == pytest.approx(0.6 / 7)
    assert _least_dcp(4, np.array([0.8, 0.1, 0.1])) == pytest.approx(0.8 / 4)
    assert _least_dcp(10, np.array([0.8, 0.1, 0.1])) == pytest.approx(0)


def test_the_search_benchmark_prints_its_bars(capsys):
    assert search(["many", "--quick", "--no-peers"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"(PASS|MISS): 500 parts take [\d.]+ × the CPU of 50 parts, bar 10\.", text)


def test_a_case_that_fails_says_why():
    outcome = run("rank_cases:smooth", {"method": "unheard of", "size": 10}, Limits(60, 0))
    assert outcome.rows == []
    assert outcome.problem == "KeyError: 'unheard of'"


def test_a_case_over_its_limit_says_so():
    order = {"method": "NumPy, the sums written out", "size": 10**6}
    outcome = run("rank_cases:smooth", order, Limits(2, 0))
    assert outcome.rows == []
    assert outcome.problem == "over 2 s of CPU time"


def test_a_case_gives_figures():
    order = {"method": "trueval local_quadratic", "size": 2000}
    (row,) = run("rank_cases:smooth", order, Limits(60, 0)).rows
    assert row["cpu"] > 0
    # 200 points of noise 0.3 in a window: the error is far below the noise.
    assert 0 < row["rmse"] < 0.1


def page():
    spec = importlib.util.spec_from_file_location("made", ROOT / "docs" / "make_benchmarks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.page


def test_page_holds_every_table_of_the_results(tmp_path):
    Record("split", "Splitting", "python -m benchmarks.split", tables=[table()]).save(tmp_path)
    Record("split-large", "Splitting", "c", tables=[table()]).save(tmp_path)
    shown = page()(tmp_path)
    assert shown.count(".. tab-item:: A title") == 2
    assert shown.count(".. dropdown:: Show the table") == 2
    assert "Splitting (large)\n---------" in shown
    assert "- **0.25**" in shown
    assert "- broken *(not installed)*" in shown


def test_committed_results_can_be_shown():
    results = ROOT / "benchmarks" / "results"
    shown = page()(results)
    for file in results.glob("*.json"):
        for made in load(file)["tables"]:
            group, _, rest = made.title.rpartition(": ")
            assert f".. tab-item:: {rest.replace('_', chr(92) + '_')}\n" in shown
            assert not group or f"\n{group}\n~" in shown
            assert made.rows


def test_every_stage_of_a_split_is_timed(tmp_path):
    pytest.importorskip("pyarrow")
    from benchmarks.distributed_stages import STAGES, timed_stages
    from tests.distributed.data import folds_of, labels, table, write
    from trueval.distributed import split

    options = {"blocks": 3, "core": 60, "random_state": 0}
    source, plain, timed = (tmp_path / name for name in ("data", "a.parquet", "b.parquet"))
    write(source, table(labels(300, 20)), 2)
    split(source, 4, out=plain, **options)
    with timed_stages() as spent:
        split(source, 4, out=timed, **options)
    assert list(spent) == list(STAGES)
    assert all(spent[stage] > 0 for stage in ("count", "deal", "core", "fill", "chain", "finish"))
    assert folds_of(timed) == folds_of(plain)
