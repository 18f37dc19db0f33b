"""Ctrl-C and a cluster: it is not started or closed by halves, and no Ctrl-C is lost."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

__all__ = ["Interrupts", "undisturbed"]


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C waits for the end of the block, and never reaches processes that the block starts.

    A terminal sends it to all processes of a command. Workers would end with a traceback each, and
    before the process that started them can close them.
    """
    received: list[Any] = []
    in_main = threading.current_thread() is threading.main_thread()
    before: Any = signal.getsignal(signal.SIGINT)
    if in_main:
        signal.signal(signal.SIGINT, lambda *signal_and_frame: received.append(signal_and_frame))
    can_block = hasattr(signal, "pthread_sigmask")  # not on Windows
    if can_block:
        resource_tracker.ensure_running()  # where a process starts it, it lets all signals through
    # Threads and processes that are started have the signals of this thread blocked.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if can_block else set()
    try:
        yield
    finally:
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if in_main:
            signal.signal(signal.SIGINT, before)
        if received and callable(before):
            before(*received[0])


class Interrupts:
    """Remembers Ctrl-C: where it comes in a finalizer, Python prints the exception and drops it.

    It is not printed then, and ``check`` raises it.
    """

    def __init__(self) -> None:
        self._received = False

    def __enter__(self) -> "Interrupts":
        self._in_main = threading.current_thread() is threading.main_thread()
        self._before: Any = signal.getsignal(signal.SIGINT)
        if self._in_main and callable(self._before):
            signal.signal(signal.SIGINT, self._note)
            self._print, sys.unraisablehook = sys.unraisablehook, self._dropped
        return self

    def __exit__(self, *error: object) -> None:
        if self._in_main and callable(self._before):
            signal.signal(signal.SIGINT, self._before)
            sys.unraisablehook = self._print

    def _dropped(self, dropped: "sys.UnraisableHookArgs") -> None:
        if not (self._received and issubclass(dropped.exc_type, KeyboardInterrupt)):
            self._print(dropped)

    def _note(self, *signal_and_frame: Any) -> None:
        self._received = True
        self._before(*signal_and_frame)

    def check(self) -> None:
        """Raise what was dropped."""
        if self._received:
            raise KeyboardInterrupt
