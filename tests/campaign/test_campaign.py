"""A batch of every quick part, and whether the parts notice what they look for."""

import contextlib
import importlib
import os
import tempfile
from pathlib import Path

import pytest

from tests.campaign import disks, faults, memory, mutate, soak
from tests.campaign.__main__ import finished, run
from tests.campaign.outputs import OUTPUTS, Output, left
from tests.campaign.parts import ELSEWHERE, PARTS, Part
from tests.campaign.record import ROOT, Outcome, Record
from trueval import InputError
from trueval.pairs import _auc

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs fork and POSIX files")
QUICK = [part for part in PARTS if part.quick and part.name != "kills"]  # these: core/test_files


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", QUICK, ids=lambda part: part.name)
def test_a_batch(part, tmp_path):
    outcome = part.batch(0, tmp_path, 1.0)
    assert outcome.failures == []
    assert outcome.cases >= len(faults.WRITERS)


@pytest.mark.skipif(disks.missing() is not None, reason=str(disks.missing()))
def test_one_size_of_a_disk():
    with tempfile.TemporaryDirectory() as folder:  # other users see nothing of tmp_path
        outcome = disks.meet(Path(folder), [20])
    assert outcome.failures == []
    assert all(outcome.figures[name] > 0 for name in disks.MET.values())


@pytest.mark.parametrize(("batch", "turn"), [(memory.files, 1), (memory.calls, 0)])
def test_memory_of_a_small_input(batch, turn, tmp_path):
    outcome = batch(turn, tmp_path, 1.0)
    assert outcome.failures == []
    assert all(0 < share < 30 for share in outcome.figures.values())


@pytest.mark.filterwarnings("ignore")
def test_rounds_of_the_soak_leave_no_file_open(tmp_path):
    soak.one_round(tmp_path, 0)
    before = len(os.listdir("/proc/self/fd"))
    for turn in range(1, len(OUTPUTS)):
        soak.one_round(tmp_path, turn)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.name)
def test_a_whole_file_is_told_from_a_torn_one(output, tmp_path):
    path = tmp_path / output.name
    output.write(path, 3)
    assert output.whole(path)
    assert left(tmp_path) == []
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    try:
        whole = output.whole(path)
    except (InputError, OSError, EOFError):
        whole = False
    assert not whole


def careless(path: Path, turn: int) -> None:
    """A writer as most are."""
    with path.open("wb") as file:
        os.fsync(file.fileno())
        file.write(b"x" * 100)


def test_a_careless_writer_is_noticed(tmp_path):
    output = Output("a", careless, lambda path: path.stat().st_size == 100)
    assert faults.inject(tmp_path, output, "fsync", faults.ERRORS[0]).failures == [
        "a, fsync 1, OSError: the file is torn"
    ]


def test_every_operation_fails_once(tmp_path):
    output = OUTPUTS[0]
    found = faults.inject(tmp_path, output, "replace", faults.ERRORS[1])
    assert found == Outcome(2, [], {"replace failed": 2})  # the table, and what is beside it


def test_a_run_goes_on_and_other_code_begins_anew(tmp_path):
    path, calls = tmp_path / "results.json", []

    def batch(turn, folder, seconds):
        calls.append(turn)
        return Outcome(10, ["bad"] if turn == 1 else [], {"n": 10, "most": float(turn), "t": "x"})

    part = Part("toy", "A toy", "toys", batch, goal=40)
    assert run(part, Record(path), 100, batches=2) == 1
    assert not finished(part, Record(path))
    assert run(part, Record(path), 100) == 0
    assert calls == [0, 1, 2, 3]
    known = Record(path).of("toy", part.code)
    assert (known["cases"], known["failures"]) == (40, ["bad"])
    assert known["figures"] == {"n": 40, "most": 3.0, "t": "x"}
    other = Part("toy", "A toy", "toys", batch, goal=40, exercises=("trueval.core.files",))
    assert not finished(other, Record(path))


def test_parts_that_run_at_the_same_time_keep_each_other(tmp_path):
    path = tmp_path / "results.json"
    one, two = Record(path), Record(path)
    one.add("one", "code", Outcome(1), 1.0)
    one.write()
    two.add("two", "code", Outcome(2), 1.0)
    two.write()
    one.add("one", "code", Outcome(3), 1.0)
    one.write()
    stored = Record(path).parts
    assert {name: part["cases"] for name, part in stored.items()} == {"one": 4, "two": 2}


def test_what_is_missing_is_said(tmp_path, capsys):
    part = Part("toy", "A toy", "toys", pytest.fail, goal=1, missing=lambda: "needs a moon")
    assert run(part, Record(tmp_path / "results.json"), 1) == 0
    assert "not run, it needs a moon" in capsys.readouterr().out
    assert not (tmp_path / "results.json").exists()


def test_disks_that_cannot_be_mounted_are_said(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "right to mount" in disks.missing()


def in_child(work):
    """Whether a call in a process of its own gives True."""
    pid = os.fork()
    if pid == 0:
        code = 1
        with contextlib.suppress(BaseException):
            code = 0 if work() is True else 1
        os._exit(code)
    return os.waitpid(pid, 0)[1] == 0


def changed(module, old, new):
    """The mutant of a module with one text exchanged."""
    source = mutate.source_of(module)
    assert source.count(old) == 1
    return mutate.mutant_of(module, source, source.replace(old, new))


def test_a_mutant_of_a_function_is_installed_and_noticed():
    mutant = changed("trueval.pairs._auc", "return doubled / 2, int", "return doubled * 2, int")
    assert mutant.key.startswith("trueval.pairs._auc.concordance: return doubled / 2, ")
    before = _auc.auc([0, 1], [0, 1])
    assert in_child(lambda: mutate.install(mutant) and _auc.auc([0, 1], [0, 1]) == 4 * before)
    tests = f"{ROOT}/tests/pairs/test_auc.py"
    unaware = mutate.start(mutant, [f"{tests}::test_rates_and_weights_must_be_numbers_in_range"])
    assert mutate.survived(os.waitpid(unaware, 0)[1])
    aware = mutate.start(mutant, [f"{tests}::test_exact_for_large_counts"])
    assert not mutate.survived(os.waitpid(aware, 0)[1])


def test_a_mutant_outside_of_functions_is_imported():
    mutant = changed("trueval.pairs._auc", "null: float = 0.5,", "null: float = 1.5,")
    assert mutant.function == ""

    def null():
        mutate.install(mutant)
        return importlib.import_module("trueval.pairs").AUCWithNull(0.3).null == 1.5

    assert in_child(null)
    assert _auc.AUCWithNull(0.3).null == 0.5


def test_mutants_in_annotations_are_left_out():
    module = "trueval.pairs._auc"
    assert (
        changed(module, "values: list[float | None] = []", "values: list[float + None] = []")
        is None
    )
    assert changed(module, "def auc(y_true: Any,", "def auc(y_true: 1,") is None


def test_continuous_integration_runs_all_parts():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    lists = text.split("        parts:\n")[1].split("    steps:")[0]
    assert sorted(lists.replace("- ", "").split()) == sorted(part.name for part in PARTS)


def test_names_are_unique():
    assert len({part.name for part in PARTS}) == len(PARTS)
    assert all(command and where for command, where in ELSEWHERE.values())
