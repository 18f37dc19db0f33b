"""A slow disk: a file is read while it is written a few bytes at a time, and writers get Ctrl-C."""

import contextlib
import io
import os
import random
import signal
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from unittest import mock

from tests.campaign.faults import WRITERS, opening
from tests.campaign.outputs import Output, left
from tests.campaign.record import Outcome

PIECES, PAUSE = 100, 0.001  # of a file, and seconds before each
CASES = (1, 4)  # of each kind of output in a batch: in a minute, and in more time
INTERRUPTED = 130


@contextlib.contextmanager
def slow_writes(size: int) -> Iterator[None]:
    """Let the system take a piece at a time and with a pause, as disks on a network may."""

    class Raw(io.FileIO):
        def write(self, data):
            time.sleep(PAUSE)
            return super().write(memoryview(data).cast("B")[: max(1, size // PIECES)])

    with mock.patch.object(Path, "open", opening(Raw)):
        yield


def _write(output: Output, path: Path) -> None:
    """Write in this process, which ends with it."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        with slow_writes(path.stat().st_size):
            output.write(path, 1)
        code = 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        os._exit(code)


def read_meanwhile(folder: Path, output: Output, interrupt_after: float | None) -> Outcome:
    """Read a file as long as another process writes it."""
    path, begin, reads, code = folder / output.name, time.monotonic(), 0, None
    output.write(path, 0)
    failures = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the child takes it
    pid = os.fork()
    if pid == 0:
        _write(output, path)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    while code is None:
        if interrupt_after is not None and time.monotonic() - begin > interrupt_after:
            os.kill(pid, signal.SIGINT)
            interrupt_after = None
        if not output.whole(path):
            failures.append(f"{output.name}: torn while it is written")
        reads += 1
        ended, status = os.waitpid(pid, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if ended else None
    if code not in (0, INTERRUPTED):
        failures.append(f"{output.name}: the writer ended with {code}")
    if not output.whole(path):
        failures.append(f"{output.name}: torn")
    failures += [f"{output.name}: {name} is left" for name in left(folder)]
    figures = {"reads meanwhile": reads, "interrupted by Ctrl-C": int(code == INTERRUPTED)}
    return Outcome(1, failures, figures)


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """Some slow writes of every kind of output."""
    generator = random.Random(turn)
    joined = Outcome(0, [], {})
    for round_, (which, output) in product(range(CASES[seconds > 60]), enumerate(WRITERS)):
        # Half of the writers are interrupted, the others in the next round.
        moment = generator.uniform(0, PIECES * PAUSE) if (turn + round_ + which) % 2 else None
        outcome = read_meanwhile(folder, output, moment)
        joined.cases += outcome.cases
        joined.failures += outcome.failures
        for name, count in outcome.figures.items():
            joined.figures[name] = joined.figures.get(name, 0) + count
    return joined
