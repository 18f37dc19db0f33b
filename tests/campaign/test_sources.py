"""The fingerprint of a part has the sources that it runs, found by letting it run."""

import os
import sys
from pathlib import Path

import pytest

from tests.campaign import differences, memory, numbers, soak
from tests.campaign.outputs import OUTPUTS
from tests.campaign.parts import PARTS
from tests.campaign.sources import ROOT, closure, digest, kernel_home, path_of, sources
from tests.fuzz import targets
from trueval import _kernels

PART = {part.name: part for part in PARTS}
SRC = str(ROOT / "src")


def read_seeds(folder):
    for name in targets.TARGETS:
        for seed in targets.seeds(name, folder):
            targets.run(name, seed)


def write_and_read(folder):
    for output in OUTPUTS:
        output.write(folder / output.name, 1)
        assert output.whole(folder / output.name)


def compare(folder):
    differences.batch(0, folder, 1.0)


def compare_numbers(folder):
    numbers.batch(0, folder, 1.0)


def measure_calls(folder):
    for call in memory.CALLS:
        memory.measure(call, memory.SIZES[0], folder)


def work_for_long(folder):
    for turn, _ in enumerate(OUTPUTS):
        soak.one_round(folder, turn)


#: Parts that leave out what they only import.
RUNS = {
    "fuzz": read_seeds,
    "memory": compare,
    "kills": write_and_read,
    "differences": compare,
    "numbers": compare_numbers,
    "memory-calls": measure_calls,
    "soak": work_for_long,
}


def files_of(run, folder):
    """Files of trueval with a function that a run calls."""
    files = set[str]()

    def watch(frame, event, arg):
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    sys.setprofile(watch)
    try:
        run(folder)
    finally:
        sys.setprofile(None)
    return {Path(file) for file in files if file.startswith(SRC)}


@pytest.fixture
def kernels(monkeypatch):
    """Names of kernels that are called."""
    called = set[str]()

    def watched(name, kernel):
        def call(*args, **options):
            called.add(name)
            return kernel(*args, **options)

        return call

    for name, kernel in vars(_kernels).items():
        if callable(kernel) and not name.startswith("_"):
            monkeypatch.setattr(_kernels, name, watched(name, kernel))
    return called


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(os.name != "posix", reason="the parts need POSIX files")
@pytest.mark.parametrize("name", RUNS)
def test_what_runs_is_in_the_fingerprint(name, tmp_path, kernels):
    part = PART[name]
    RUNS[name](tmp_path)  # what is imported on first use
    files, exercised = files_of(RUNS[name], tmp_path), {*sources(part.exercises, part.apart)}
    assert len(files) > 20
    assert files <= exercised
    assert kernels
    for kernel in kernels:
        assert kernel_home(kernel) <= exercised


def test_all_parts_that_leave_out_something_are_let_run():
    codes = {PART[name].code for name in RUNS}
    assert all(part.code in codes for part in PARTS if part.apart)


def test_parts_that_write_the_same_outputs_have_one_fingerprint():
    assert PART["kills"].code == PART["faults"].code == PART["disks"].code


def test_names_of_lazy_packages_lead_to_their_homes():
    found = closure(["tests.campaign.numbers"])
    assert {"trueval.rank._isotonic", "trueval.pairs._auc", "trueval.core.labels"} <= found
    assert not any(module.startswith(("trueval.cli", "trueval.report")) for module in found)


def test_registries_bring_all_their_modules():
    found = closure(["trueval.data"])
    assert {"trueval.data._formats.xmc", "trueval.data._formats.parquet"} <= found
    assert "trueval.report.sections.rank" in closure(["trueval.report"])


def test_templates_and_kernels_count():
    names = {path.name for path in sources(["tests.fuzz.targets"])}
    assert {"page.html.j2", "style.css", "section.js", "fields.hpp", "lines.hpp"} <= names
    assert "trueval.rank" in closure(["tests.campaign.soak"])


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_change_of_any_source_changes_the_fingerprint(part, monkeypatch):
    chosen = sources(part.exercises, part.apart)[:3] if part.exercises else [path_of("trueval")]
    before, read = digest(part.exercises, part.apart), Path.read_bytes
    changed = set[Path]()
    monkeypatch.setattr(Path, "read_bytes", lambda p: read(p) + b"#" * (p in changed))
    for path in chosen:
        changed = {path}
        assert digest(part.exercises, part.apart) != before
