"""Let the n-th operation of a writer fail, for every n: the old file or the new one, none left.

In the manner of SQLite: a write of bytes, an fsync or a rename fails with an error of the disk, a
lack of memory or Ctrl-C; and in processes of their own, the n-th allocation of Python fails.
"""

import contextlib
import errno
import faulthandler
import io
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from tests.campaign.outputs import OUTPUTS, Output, left
from tests.campaign.record import Outcome

ERRORS: list[Callable[[], BaseException]] = [
    lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    lambda: OSError(errno.EIO, os.strerror(errno.EIO)),
    lambda: OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
    MemoryError,
    KeyboardInterrupt,
]
OPERATIONS = ("write", "fsync", "replace")
ALLOCATIONS = 40  # in a batch
WRITERS = [output for output in OUTPUTS if output.name != "download.bin"]


def opening(raw: type[io.FileIO]) -> Callable[..., Any]:
    """A ``Path.open`` by which new files are written through another raw file."""
    opened = Path.open

    def open_(self, mode="r", *args, **options):
        if mode == "xb":
            return io.BufferedWriter(raw(self, mode))
        return opened(self, mode, *args, **options)

    return open_


@contextlib.contextmanager
def nth_fails(operation: str, n: int, error: Callable[[], BaseException]) -> Iterator[list[int]]:
    """Let the n-th operation fail; yields a list with how many were called."""
    calls = [0]

    def count() -> None:
        calls[0] += 1
        if calls[0] == n:
            raise error()

    class Raw(io.FileIO):
        def write(self, data):
            count()
            return super().write(data)

    def failing(function):
        def call(*args, **options):
            count()
            return function(*args, **options)

        return call

    if operation == "write":
        patch = mock.patch.object(Path, "open", opening(Raw))
    else:
        patch = mock.patch.object(os, operation, failing(getattr(os, operation)))
    with patch:
        yield calls


def inject(folder: Path, output: Output, operation: str, error: Callable) -> Outcome:
    """Let every operation of a kind fail, one after the other."""
    path, failures, n = folder / output.name, [], 0
    output.write(path, 0)
    while True:
        n += 1
        place = f"{output.name}, {operation} {n}, {error().__class__.__name__}"
        with nth_fails(operation, n, error) as calls, contextlib.suppress(type(error())):
            output.write(path, n)
        if not output.whole(path):
            failures.append(f"{place}: the file is torn")
        failures += [f"{place}: {name} is left" for name in left(folder)]
        if calls[0] < n:  # it was not reached: all have failed once
            return Outcome(n - 1, failures, {f"{operation} failed": n - 1})


def starve(folder: Path, output: Output, n_tries: int, seed: int) -> Outcome:
    """Let one allocation fail, in a process that may die of it."""
    try:
        from _testcapi import set_nomemory
    except ImportError:
        return Outcome(0, [], {"allocations": "this Python has no _testcapi"})
    generator, path, failures = random.Random(seed), folder / output.name, []
    output.write(path, 0)
    figures = {"allocation failed": n_tries, "of these, the writer raised": 0, "died": 0}
    for turn in range(1, n_tries + 1):
        n = int(10 ** generator.uniform(1, 4.5))
        pid = os.fork()
        if pid == 0:
            signal.alarm(60)
            faulthandler.disable()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                set_nomemory(n, n + 1)
                output.write(path, turn)
            except BaseException:
                os._exit(1)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        figures["of these, the writer raised"] += status == 1
        figures["died"] += status < 0
        if status == -signal.SIGALRM:
            failures.append(f"{output.name}, allocation {n}: hangs")
        if not output.whole(path):
            failures.append(f"{output.name}, allocation {n}: the file is torn")
    output.write(path, 1)
    failures += [f"{output.name}: {name} is left" for name in left(folder)]
    return Outcome(n_tries, failures, figures)


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """Faults of every kind in the writer of one kind of output, by turns."""
    round_, which = divmod(turn, len(WRITERS))
    output = WRITERS[which]
    outcomes = [
        inject(folder, output, operation, ERRORS[(round_ + number) % len(ERRORS)])
        for number, operation in enumerate(OPERATIONS)
    ]
    outcomes.append(starve(folder, output, ALLOCATIONS, turn))
    return Outcome(
        sum(outcome.cases for outcome in outcomes),
        [failure for outcome in outcomes for failure in outcome.failures],
        {name: value for outcome in outcomes for name, value in outcome.figures.items()},
    )
