"""How long the searches of ``anneal`` may take: rounds of work, a time limit, Ctrl-C.

Without a time limit the rounds are a list of numbers of label visits, so the folds depend on the
seed alone. With one, the last round is cut to the time that is left, by the speed so far, and the
folds depend on the machine too.
"""

import time
from collections.abc import Callable, Iterator
from itertools import count
from threading import Lock

import numpy as np

from trueval.stratify._items import Items

__all__ = ["BEST", "Budget", "Stopped", "plan"]

BEST = "best"  # the effort that has no end but the time
_SWEEPS = 195  # visits to each item at effort 1; more on small data, where they cost nothing
_SMALL_WORK, _SMALL_SWEEP = 6e8, 1.2e5  # label visits that small data may take
_ROUNDS, _SMALL_ROUNDS = 2, 4  # at effort 1; small data are often done after short ones
_GROWTH = 3  # a round is so many times as long as the one before
_MARGIN = 0.95  # of the time left that the last round is planned for
_SHORTEST = 0.1  # a last round below this share of the one before is left out


class Stopped(Exception):  # noqa: N818 - no error
    """The time is over, or the caller wants no more."""


def plan(items: Items, effort: float, *, extra: bool = True) -> list[int]:
    """Work of each round, in label visits; ``extra`` is what small data may take on top."""
    if items.n_items == 0:
        return []
    packs = min(-(-(items.parts.n_parts + 2) // 8), 3)
    labels = int(np.diff(items.indptr)[items.list_of_item].sum())
    sweep = (labels + 20 * (items.n_items + len(items.class_size))) * packs
    patience = 20.0 if items.unit else 200.0
    small = min(_SMALL_WORK / (1 + sweep / _SMALL_SWEEP), patience * items.n_items * sweep)
    work = max(_SWEEPS * sweep, small if extra else 0)
    n_rounds = _SMALL_ROUNDS if work == small else _ROUNDS
    rounds: list[int] = []
    total = work * effort
    length = work * (_GROWTH - 1) / (_GROWTH**n_rounds - 1)
    while total > 0.001 * work:
        last = len(rounds) >= n_rounds and total < 2 * length
        rounds.append(int(total if last else min(length, total)))
        total -= rounds[-1]
        length *= _GROWTH
    return rounds


class Budget:
    """Rounds of all searches, and how far they are.

    ``rounds`` has the work of each round of a search; where ``endless``, longer rounds follow
    the last one until the ``seconds`` are over. ``progress(done, total)`` is in milliseconds if
    there is a time limit.
    """

    def __init__(
        self,
        rounds: list[int],
        n_searches: int,
        seconds: float | None,
        endless: bool,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._rounds, self._endless, self._progress = rounds, endless, progress
        self._seconds, self._started = seconds, time.monotonic()
        self._total = n_searches * sum(rounds) if seconds is None else round(1000 * seconds)
        self._done, self._stopped, self._lock = 0, False, Lock()

    def rounds(self) -> Iterator[int]:
        """Rounds of one search, which asks for the next when it has done the last."""
        started, done, last = time.monotonic(), 0, 0
        for number in count():
            if number < len(self._rounds):
                work = self._rounds[number]
            elif self._endless and self._rounds:
                work = self._rounds[-1] * _GROWTH ** (number - len(self._rounds) + 1)
            else:
                return
            if self._seconds is not None:
                now = time.monotonic()
                left = self._seconds - (now - self._started)
                if left <= 0:
                    return
                if done:
                    fits = int(_MARGIN * left * done / max(now - started, 1e-6))
                    if fits < _SHORTEST * last:
                        return
                    work = min(work, fits)
            yield work
            done, last = done + work, work

    def step(self, work: int) -> None:
        """Count work done by any search; raises Stopped when there is to be no more."""
        with self._lock:
            elapsed = time.monotonic() - self._started
            self._done = self._done + work if self._seconds is None else round(1000 * elapsed)
            if self._progress is not None:
                self._progress(min(self._done, self._total), self._total)
        if self._stopped or (self._seconds is not None and elapsed >= self._seconds):
            raise Stopped

    def stop(self) -> None:
        """End all searches at their next step."""
        self._stopped = True

    def finish(self) -> None:
        """Tell the caller that all is done."""
        if self._progress is not None:
            self._progress(max(self._total, 1), max(self._total, 1))
