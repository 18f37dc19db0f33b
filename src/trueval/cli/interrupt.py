"""Ctrl-C, also while a kernel runs.

Python raises KeyboardInterrupt between two of its own steps; a kernel of many seconds
is one step. The C-level signal handler writes to a pipe at once, though, so a thread
that reads the pipe can end the process when the main thread does not answer in time.
It then sits in a kernel, and so in no write: nothing is left half-done.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator

from trueval.cli.interrupt_words import INTERRUPTED, JSON, MESSAGE
from trueval.cli.streams import print_json, say

__all__ = ["interrupted", "interruptible", "left_to_the_search"]

_PATIENCE = 1.0


def interrupted(*, as_json: bool = False) -> int:
    """Say that Ctrl-C has ended the command, to programs too; the exit code."""
    say(MESSAGE)
    if as_json:
        with contextlib.suppress(OSError):  # it is on stderr too
            print_json(JSON)
            sys.stdout.flush()
    return INTERRUPTED


@contextlib.contextmanager
def interruptible(*, as_json: bool = False) -> Iterator[None]:
    """End the process with 130 if Ctrl-C is not answered within a second."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or os.name != "posix" or signal.getsignal(signal.SIGINT) in (None, _ignored()):
        yield
        return
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    answered = threading.Event()
    watcher = threading.Thread(target=_watch, args=(read_end, answered, as_json), daemon=True)
    before = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    watcher.start()
    try:
        yield
    finally:
        answered.set()
        signal.set_wakeup_fd(before)
        os.close(write_end)
        watcher.join()
        os.close(read_end)


@contextlib.contextmanager
def left_to_the_search() -> Iterator[None]:
    """Leave Ctrl-C to the code inside, which answers by itself and goes on."""
    if threading.current_thread() is not threading.main_thread() or os.name != "posix":
        yield
        return
    before = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before, warn_on_full_buffer=False)


def _ignored() -> signal.Handlers:
    return signal.SIG_IGN


def _watch(read_end: int, answered: threading.Event, as_json: bool) -> None:
    while got := os.read(read_end, 1):
        if got[0] == signal.SIGINT and not answered.wait(_PATIENCE):
            with contextlib.suppress(OSError, ValueError):
                say("")  # after what the terminal shows of the key
                interrupted(as_json=as_json)
            os._exit(INTERRUPTED)
