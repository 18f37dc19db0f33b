"""Progress on stderr: nothing for quick work, nothing where no terminal looks."""

import sys
import threading
from typing import TYPE_CHECKING

from trueval.cli import streams
from trueval.cli.streams import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Meter", "say"]

_AFTER = 2.0

#: One bar at a time: work inside other work is a part of it.
_SCREEN = threading.Lock()
_bars: "list[Progress]" = []


def say(text: str) -> None:
    """Print a line to stderr, above the bar if there is one."""
    if _bars:
        _bars[-1].console.print(visible(text), markup=False, highlight=False, soft_wrap=True)
    else:
        streams.say(text)


class Meter:
    """A progress bar that appears once its work has taken two seconds.

    It is also the callback that the library takes: ``meter(done, total)``. It never appears if
    it is not enabled, or stderr is no terminal.

    >>> from trueval.cli.meter import Meter
    >>> with Meter("Splitting", enabled=False) as meter:
    ...     meter(1, 2)
    >>> meter.appeared
    False
    """

    def __init__(self, text: str, *, enabled: bool = True) -> None:
        self._text = text
        self._enabled = enabled and sys.stderr.isatty()
        self._lock = threading.Lock()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._timer: threading.Timer | None = None
        self._state: tuple[float, float | None, str] = (0, None, "")
        self.appeared = False

    def __enter__(self) -> "Meter":
        if self._enabled:
            self._timer = threading.Timer(_AFTER, self._appear)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *reason: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._enabled = False
            if self._bar is not None:
                _bars.remove(self._bar)
                self._bar.stop()
                self._bar = None
                _SCREEN.release()

    def __call__(self, done: float, total: float | None = None, message: str = "") -> None:
        """Note how far the work is."""
        with self._lock:
            self._state = (done, total, message)
            self._refresh()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        with self._lock:
            if not self._enabled or not _SCREEN.acquire(blocking=False):
                return
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TaskProgressColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(visible(self._text), total=None)
            self._bar.start()
            _bars.append(self._bar)
            self.appeared = True
            self._refresh()

    def _refresh(self) -> None:
        if self._bar is not None and self._task is not None:
            done, total, message = self._state
            text = f"{self._text}: {message}" if message else self._text
            self._bar.update(self._task, completed=done, total=total, description=visible(text))
