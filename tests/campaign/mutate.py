"""Mutation testing: the mutants of cosmic-ray, and whether a test notices them.

Tests and package are imported once; each mutant is a child process. In it one function gets the
code of its changed source, so that every reference to the function runs it, and the tests that
call the function run, the quickest first, until one fails. No other test can notice: the mutant is
in this process alone. A change outside of functions (a default, a decorator, a constant) needs the
package to be imported again, and may concern all tests of the module.
"""

import ast
import contextlib
import difflib
import gc
import importlib.util
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.campaign.record import ROOT, Outcome

#: Modules and the tests that must notice.
MODULES = {
    "trueval.stratify.measures": (
        "tests/stratify/test_measures.py", "tests/stratify/test_quality.py",
    ),
    "trueval.stratify._group_bound": (
        "tests/stratify/test_group_bound.py", "tests/stratify/test_group_placement.py",
        "tests/stratify/test_group_problem.py",
    ),
    "trueval.stratify._group_problem": (
        "tests/stratify/test_group_bound.py", "tests/stratify/test_group_problem.py",
    ),
    "trueval.stratify._group_programme": (
        "tests/stratify/test_group_bound.py", "tests/stratify/test_group_programme.py",
    ),
    "trueval.rank._bounds": ("tests/rank/test_bounds.py", "tests/rank/test_guarantee.py"),
    "trueval.rank._thresholds": ("tests/rank/test_thresholds.py", "tests/rank/test_target.py"),
    "trueval.pairs._auc": ("tests/pairs/test_auc.py",),
    "trueval.pairs._folding": (
        "tests/pairs/test_folding.py", "tests/pairs/test_splitters.py", "tests/pairs/test_cover.py",
        "tests/pairs/test_splitters_calls.py", "tests/pairs/test_splitters_balance.py",
    ),
}  # fmt: skip
#: Mutants that change nothing anybody can see, with the reason.
EQUIVALENT = json.loads(Path(__file__).with_name("equivalent.json").read_text())
QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist")
NOT_TRIED = 90
SECONDS = 60  # of CPU time; a mutant that runs longer is noticed
MEMORY = 2**33  # bytes of address space above what there is; so is one that takes more
JOBS = os.cpu_count() or 1
_KERNELS = "trueval._kernels"  # cannot be imported twice


@dataclass(frozen=True)
class Mutant:
    """One change in the source of a module, in the body of a function if it names one."""

    module: str
    function: str
    change: str
    source: str

    @property
    def key(self) -> str:
        """Name that does not change with the lines around it."""
        place = f"{self.module}.{self.function}" if self.function else self.module
        return f"{place}: {self.change}"


def missing() -> str | None:
    """Why there are no mutants here, or None."""
    here = importlib.util.find_spec("cosmic_ray")
    return None if here else "needs pip install cosmic-ray"


def mutants(module: str) -> Iterator[Mutant]:
    """All mutants of a module that are Python, those of its annotations left out."""
    source = source_of(module)
    seen, keys = {source}, Counter[str]()
    for mutated in _mutated(source):
        if mutated in seen or not _compiles(mutated):  # two operators may agree
            continue
        seen.add(mutated)
        mutant = mutant_of(module, source, mutated)
        if mutant is None:
            continue
        keys[mutant.key] += 1
        if (number := keys[mutant.key]) > 1:
            mutant = replace(mutant, change=f"{mutant.change} ({number})")
        yield mutant


def mutant_of(module: str, source: str, mutated: str) -> Mutant | None:
    """The mutant of a changed source; None of a change in an annotation."""
    line, column, change = _difference(source, mutated)
    places = _places(source)
    if places.in_annotation(line, column):
        return None
    return Mutant(module, places.function(line, column), change, mutated)


def source_of(module: str) -> str:
    """The source of a module."""
    return _file(module).read_text(encoding="utf-8")


def _file(module: str) -> Path:
    return Path(str(import_module(module).__file__))


def _mutated(source: str) -> Iterator[str]:
    """Sources with one change each, by all operators of cosmic-ray that need no arguments."""
    import cosmic_ray.plugins as plugins
    from cosmic_ray.mutating import mutate_code

    for name in sorted(plugins.operator_names()):
        operator = plugins.get_operator(name)
        if operator.arguments():
            continue
        for occurrence in count():
            mutated = mutate_code(source, operator(), occurrence)
            if mutated is None:
                break
            yield mutated


def _compiles(source: str) -> bool:
    with warnings.catch_warnings(action="ignore"), contextlib.suppress(SyntaxError):
        compile(source, "mutant", "exec", dont_inherit=True)
        return True
    return False


def _difference(source: str, mutated: str) -> tuple[int, int, str]:
    """Line and column of the first change, and the changed lines before and after."""
    before, after = source.splitlines(), mutated.splitlines()
    line = next(n for n, pair in enumerate(zip(before, after, strict=False)) if len({*pair}) > 1)
    pairs = enumerate(zip(before[line] + "\n", after[line] + "\n", strict=False))
    column = next(n for n, (old, new) in pairs if old != new)
    changed = [
        (before[i:j], after[k:m])
        for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, False).get_opcodes()
        if tag != "equal"
    ]
    old, new = (" ".join(" ".join(part).split()).split(" # ")[0] for part in changed[0])
    return line + 1, column, f"{old} → {new or 'nothing'}"


@cache
def _places(source: str) -> "_Places":
    return _Places(source)


class _Places:
    """What lies where in a source."""

    def __init__(self, source: str) -> None:
        self._functions = list[tuple[str, ast.FunctionDef]]()
        self._annotations = list[ast.expr]()
        for node in ast.walk(tree := ast.parse(source)):
            if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation:
                self._annotations.append(node.annotation)
            elif isinstance(node, ast.FunctionDef) and node.returns:
                self._annotations.append(node.returns)
        for outer in tree.body:
            inner = outer.body if isinstance(outer, ast.ClassDef) else [outer]
            prefix = f"{outer.name}." if isinstance(outer, ast.ClassDef) else ""
            inner = [f for f in inner if isinstance(f, ast.FunctionDef)]
            self._functions += [(prefix + f.name, f) for f in inner]

    def in_annotation(self, line: int, column: int) -> bool:
        """Whether a place is in a type, which is not there to run."""
        return any(
            (at.lineno, at.col_offset) <= (line, column) < (at.end_lineno, at.end_col_offset)
            for at in self._annotations
        )

    def function(self, line: int, column: int) -> str:
        """Function or method whose body has a place, or an empty text."""
        for name, node in self._functions:
            first, last = node.body[0], node.body[-1]
            if (first.lineno, first.col_offset) <= (line, column) and line <= last.end_lineno:
                return name
        return ""


def install(mutant: Mutant) -> bool:
    """Put a mutant into this process; whether something was changed."""
    if not mutant.function:
        _import_again(mutant)
        return True
    file = str(_file(mutant.module))
    code = _codes(compile(mutant.source, file, "exec", dont_inherit=True))[mutant.function]
    place, done = (file, mutant.function), False
    for item in gc.get_objects():
        if isinstance(item, types.FunctionType):
            own = item.__code__
            if (own.co_filename, own.co_qualname) == place:
                item.__code__, done = code, True
    return done


def _codes(code: types.CodeType) -> dict[str, types.CodeType]:
    out = {}
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            out |= {inner.co_qualname: inner, **_codes(inner)}
    return out


def _import_again(mutant: Mutant) -> None:
    """Forget package and tests, and import the module from its changed source."""
    path = str(_file(mutant.module))

    class Loader(SourceFileLoader):
        def get_code(self, fullname: str) -> types.CodeType:
            return compile(mutant.source, path, "exec", dont_inherit=True)

    class Finder:
        @staticmethod
        def find_spec(name: str, *_: object) -> ModuleSpec | None:
            if name != mutant.module:
                return None
            return importlib.util.spec_from_file_location(name, path, loader=Loader(name, path))

    for name in [n for n in sys.modules if n.split(".")[0] in ("trueval", "tests")]:
        if name != _KERNELS:
            del sys.modules[name]
    sys.meta_path.insert(0, Finder())
    import_module(mutant.module)  # now: pytest has a loader of its own for the files it is given


def tests(module: str) -> list[str]:
    """The examples of a module, and its tests."""
    return [str(_file(module)), *MODULES[module]]


class _Watch:
    """Which functions of a file each test calls, and how long it takes."""

    def __init__(self, file: str) -> None:
        self._file, self.calls = file, dict[str, tuple[float, list[str]]]()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        seen, start = set[str](), time.process_time()

        def watch(frame: types.FrameType, event: str, arg: object) -> None:
            if event == "call" and frame.f_code.co_filename == self._file:
                seen.add(frame.f_code.co_qualname.split(".<locals>")[0])

        threading.setprofile(watch)
        sys.setprofile(watch)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            self.calls[item.nodeid] = (time.process_time() - start, sorted(seen))


def covering(module: str) -> dict[str, list[str]]:
    """Tests that call each function of a module, the quickest first; under no name, all tests."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        watch = _Watch(str(_file(module)))
        _silent()
        code = _pytest(*tests(module), plugins=[watch])
        with os.fdopen(write, "w") as file:
            json.dump(watch.calls if code == 0 else {}, file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        calls = json.load(file)
    os.waitpid(pid, 0)
    assert calls, f"the tests of {module} fail without a mutant"
    out: dict[str, list[str]] = {"": sorted(calls, key=lambda name: calls[name][0])}
    for name in out[""]:
        for function in calls[name][1]:
            out.setdefault(function, []).append(name)
    return out


def _pytest(*arguments: str, plugins: list[object] | None = None) -> int:
    """Run tests in this process, whatever options those around it were given."""
    with mock.patch.dict(os.environ):
        os.environ.pop("PYTEST_ADDOPTS", None)
        return int(pytest.main([*QUIET, *arguments], plugins=plugins))


def _silent() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


def _limit() -> None:
    """End with too much CPU time or memory; a busy machine changes neither."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def start(mutant: Mutant, chosen: list[str]) -> int:
    """Begin to run some tests with a mutant in a child process."""
    pid = os.fork()
    if pid == 0:
        code = 1
        with contextlib.suppress(BaseException):
            _limit()
            _silent()
            code = _pytest("-x", *chosen) if install(mutant) else NOT_TRIED
        os._exit(code)
    return pid


def survived(status: int, key: str = "") -> bool:
    """Whether no test noticed, from how the child ended."""
    code = os.waitstatus_to_exitcode(status)
    untried = (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED, NOT_TRIED)
    assert code not in untried, f"its tests did not run (code {code}): {key}"
    return code == 0


def warm(module: str) -> None:
    """Import the tests, so that children need not."""
    with contextlib.redirect_stdout(open(os.devnull, "w")):
        code = _pytest("--collect-only", *tests(module))
    assert code == 0, f"the tests of {module} cannot be collected"


def examine(module: str, seconds: float, skip: int = 0) -> Outcome:
    """Mutants of a module from one on, until there is no more time."""
    os.chdir(ROOT)
    warm(module)
    covers, begin = covering(module), time.monotonic()
    outcome, running = Outcome(0, [], {"killed": 0, "without effect": 0}), dict[int, Mutant]()

    def finish_one() -> None:
        pid, status = os.wait()
        mutant = running.pop(pid)
        if survived(status, mutant.key):
            outcome.failures.append(mutant.key)
            print("survived:", mutant.key, file=sys.stderr, flush=True)
        else:
            outcome.figures["killed"] += 1

    for number, mutant in enumerate(mutants(module)):
        if number < skip:
            continue
        if time.monotonic() - begin > seconds:
            break
        outcome.cases += 1
        if mutant.key in EQUIVALENT:
            outcome.figures["without effect"] += 1
            continue
        if len(running) == JOBS:
            finish_one()
        running[start(mutant, covers.get(mutant.function, covers[""]))] = mutant
    while running:
        finish_one()
    return outcome


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """All mutants of a module."""
    module = list(MODULES)[turn % len(MODULES)]
    command = [sys.executable, "-m", "tests.campaign.mutate", module, str(seconds)]
    settings = {**os.environ, "TRUEVAL_HYPOTHESIS": "brief"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=settings)
    if done.returncode:
        return Outcome(0, [done.stderr[-1000:]])
    found = json.loads(done.stdout.splitlines()[-1])
    killed = found["figures"]["killed"]
    effective = killed + len(found["failures"])
    figures = dict(found["figures"])
    figures[f"{module}: share killed"] = f"{killed / max(effective, 1):.3f}"
    if found["failures"]:
        changes = [key.removeprefix(f"{module}.") for key in found["failures"]]
        figures[f"{module}: survivors"] = "; ".join(changes)
    # Survivors are figures; a share below nine tenths is a failure.
    few = killed < 0.9 * effective
    return Outcome(found["cases"], [f"{module}: {found['failures']}"] if few else [], figures)


if __name__ == "__main__":
    name, limit, *rest = sys.argv[1:]
    result = examine(name, float(limit), int(rest[0]) if rest else 0)
    print(json.dumps(vars(result)))
