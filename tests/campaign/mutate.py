"""Mutation testing: change one operator or constant, and see whether a test notices.

Tests and package are imported once; each mutant is a child process in which one function gets the
code of its changed source, so that every reference to the function runs it. Each child runs the
tests that call the function, the quickest first, and ends with the first that fails. No other test
can notice: the mutant is in this process alone.
"""

import ast
import contextlib
import copy
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
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
_SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.USub: ast.UAdd, ast.Not: ast.UAdd,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change in one function of a module."""

    module: str
    function: str
    line: int
    change: str
    code: types.CodeType

    @property
    def key(self) -> str:
        """Name that does not change with the lines around it."""
        return f"{self.module}.{self.function}: {self.change}"


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            other = copy.deepcopy(node)
            other.ops[at] = _SWAPS[type(op)]()
            yield other
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.UnaryOp) and type(node.op) in _SWAPS:
        other = copy.deepcopy(node)
        other.op = _SWAPS[type(node.op)]()
        if isinstance(node.op, ast.Not):
            other = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
        yield other
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)


def _sites(function: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Places in a function where a node may be exchanged; not in errors, types or documents."""
    for node in ast.walk(function):
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "exc", "msg", "decorator_list"):
                continue
            for at, item in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(item, ast.AST):
                    yield node, field, at


def _skipped(function: ast.AST) -> set[int]:
    """Nodes inside of messages and of annotations."""
    inside = set()
    for node in ast.walk(function):
        parts: list[Any] = []
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
            parts = [node]
        elif isinstance(node, ast.AnnAssign) or (isinstance(node, ast.arg) and node.annotation):
            parts = [node.annotation]
        elif isinstance(node, ast.FunctionDef):
            # Defaults and decorators belong to the function, not to its code.
            defaults = [*node.args.defaults, *node.args.kw_defaults]
            parts = [node.returns, *defaults, *node.decorator_list]
        inside |= {id(inner) for part in parts if part is not None for inner in ast.walk(part)}
    return inside


def mutants(module: str) -> Iterator[Mutant]:
    """All mutants of the functions and methods of a module."""
    file = str(import_module(module).__file__)
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    functions = [(f.name, f) for f in tree.body if isinstance(f, ast.FunctionDef)]
    for outer in tree.body:
        if isinstance(outer, ast.ClassDef):
            functions += [
                (f"{outer.name}.{f.name}", f) for f in outer.body if isinstance(f, ast.FunctionDef)
            ]
    for name, function in functions:
        skipped, seen = _skipped(function), dict[str, int]()
        for parent, field, at in list(_sites(function)):
            place = getattr(parent, field)
            node = place if at is None else place[at]
            if id(node) in skipped:
                continue
            for other in _changes(node):
                change = f"{ast.unparse(node)} → {ast.unparse(other)}"
                seen[change] = seen.get(change, 0) + 1
                change += f" ({seen[change]})" if seen[change] > 1 else ""
                _put(parent, field, at, ast.fix_missing_locations(ast.copy_location(other, node)))
                code = _codes(compile(tree, file, "exec", dont_inherit=True))[name]
                _put(parent, field, at, node)
                yield Mutant(module, name, node.lineno, change, code)


def _put(parent: ast.AST, field: str, at: int | None, node: ast.AST) -> None:
    if at is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


def _codes(code: types.CodeType) -> dict[str, types.CodeType]:
    out = {}
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            out |= {inner.co_qualname: inner, **_codes(inner)}
    return out


def install(mutant: Mutant) -> int:
    """Give the function its changed code, wherever it is referred to; how many were found."""
    file, count = mutant.code.co_filename, 0
    for item in gc.get_objects():
        if not isinstance(item, types.FunctionType):
            continue
        if (item.__code__.co_filename, item.__code__.co_qualname) == (file, mutant.function):
            item.__code__ = mutant.code
            count += 1
    return count


def tests(module: str) -> list[str]:
    """The examples of a module, and its tests."""
    return [str(import_module(module).__file__), *MODULES[module]]


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
    """Tests that call each function of a module, the quickest first."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        watch = _Watch(str(import_module(module).__file__))
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
    out: dict[str, list[str]] = {}
    for name, (_, functions) in sorted(calls.items(), key=lambda item: item[1][0]):
        for function in functions:
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


def survives(mutant: Mutant, chosen: list[str]) -> bool:
    """Run some tests with a mutant; whether none noticed."""
    pid = os.fork()
    if pid == 0:
        code = 1
        with contextlib.suppress(BaseException):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)  # CPU time: a busy machine kills none
            _silent()
            code = _pytest("-x", *chosen) if install(mutant) else NOT_TRIED
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code not in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED, NOT_TRIED)
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
    covers, every = covering(module), tests(module)
    outcome, begin = Outcome(0, [], {"killed": 0, "without effect": 0}), time.monotonic()
    for number, mutant in enumerate(mutants(module)):
        if number < skip:
            continue
        if mutant.key in EQUIVALENT:
            outcome.figures["without effect"] += 1
        elif survives(mutant, covers.get(mutant.function, every)):
            outcome.failures.append(mutant.key)
            print("survived:", mutant.key, file=sys.stderr, flush=True)
        else:
            outcome.figures["killed"] += 1
        outcome.cases += 1
        if time.monotonic() - begin > seconds:
            break
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
