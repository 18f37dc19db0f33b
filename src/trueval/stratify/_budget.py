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

__all__ = ["BEST", "Budget", "Stopped", "plan", "sweep_work"]

BEST = "best"  # the effort that has no end but the time
_SWEEPS = 195  # visits to each item at effort 1; more on small data, where they cost nothing
_SMALL_WORK, _SMALL_SWEEP = 6e8, 1.2e5  # label visits that small data may take in few parts
_MOST_PACKS = 3  # packs of parts beyond which more parts get fewer visits
_PATIENCE, _GROUP_PATIENCE = 20, 600  # of these, in sweeps for each item
_ROUNDS, _SMALL_ROUNDS = 2, 4  # at effort 1; small data are often done after short ones
_GROWTH = 3  # a round is so many times as long as the one before
_GROUP_ROUNDS = 120  # of equal length: for few groups new attempts pay more than slow ones
_POLISH, _POLISH_SHARE = 3, 0.1  # passes over all pairs of groups after a round; share of the work
_TIES, _GROUP_TIES = 4, 20  # rounds in a row with the best cost after which more are not worth it
_MOST_ROUNDS = 10_000  # of equal length; with more effort they are longer
_MOST_EFFORT, _MOST_SECONDS = 1e12, 1e9  # of which there is no end
_LEAST = 0.001  # work that is worth a round, as a share of that at effort 1
_MARGIN = 0.95  # of the time left that the last round is planned for
_SHORTEST = 0.1  # a last round below this share of the one before is left out


class Stopped(Exception):  # noqa: N818 - no error
    """The time is over, or the caller wants no more."""


def plan(items: Items, effort: float, *, extra: bool = True) -> list[int]:
    """Work of each round, in label visits; ``extra`` is what small data may take on top."""
    if items.n_items == 0:
        return []
    effort = min(effort, _MOST_EFFORT)
    sweep, labels = sweep_work(items), _n_labels(items)
    patience = _PATIENCE if items.unit else _GROUP_PATIENCE
    packs = _n_packs(items)
    small = packs * _SMALL_WORK / (1 + sweep / packs / _SMALL_SWEEP)
    small = min(small, patience * items.n_items * sweep)
    work = max(_SWEEPS * sweep, small)
    if not extra or work > small:
        return _growing_rounds(_SWEEPS * sweep, effort, _ROUNDS)
    # After a round all pairs of few groups are tried, which must not take longer than the rounds.
    pairs = _POLISH * items.n_items * labels
    n_equal = 0 if items.unit else min(int(_POLISH_SHARE * work / pairs), _GROUP_ROUNDS)
    if n_equal > _SMALL_ROUNDS:
        return _equal_rounds(work, effort, n_equal)
    return _growing_rounds(work, effort, _SMALL_ROUNDS)


def sweep_work(items: Items) -> int:
    """What a visit to every item is taken for, in label visits."""
    return (_n_labels(items) + 20 * (items.n_items + len(items.class_size))) * _n_packs(items)


def _n_packs(items: Items) -> int:
    """What a label costs to look at, by the number of parts."""
    return min(-(-(items.parts.n_parts + 2) // 8), _MOST_PACKS)


def _n_labels(items: Items) -> int:
    return int(np.diff(items.indptr)[items.list_of_item].sum())


def _growing_rounds(work: float, effort: float, n_rounds: int) -> list[int]:
    """Rounds that grow, of ``work`` in all; more effort makes the last one longer."""
    rounds: list[int] = []
    left = work * effort
    length = work * (_GROWTH - 1) / (_GROWTH**n_rounds - 1)
    while left > _LEAST * work and len(rounds) < n_rounds:
        rounds.append(int(min(length, left)))
        left -= rounds[-1]
        length *= _GROWTH
    if left > _LEAST * work:
        rounds[-1] += int(left)
    return rounds


def _equal_rounds(work: float, effort: float, n_rounds: int) -> list[int]:
    """Rounds of the same length, ``work`` in all; more effort makes more of them."""
    most = min(n_rounds * effort, _MOST_ROUNDS)
    rounds = [int(work * effort / most)] * int(most) if most >= 1 else []
    left = int(work * effort) - sum(rounds)
    return [*rounds, left] if left > _LEAST * work else rounds


class Budget:
    """Rounds of all searches, and how far they are.

    ``rounds`` has the work of each round of a search; where ``endless``, more rounds follow
    the last one until the ``seconds`` are over, longer ones unless all are of one length.
    ``progress(done, total)`` is in milliseconds if there is a time limit.
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
        equal = len(rounds) > _SMALL_ROUNDS
        self._growth = 1 if equal else _GROWTH
        #: Rounds in a row with the best cost after which a search ends.
        self.ties = _GROUP_TIES if equal else _TIES
        self._seconds = None if seconds is None else min(seconds, _MOST_SECONDS)
        self._started = time.monotonic()
        self._total = n_searches * sum(rounds)
        if self._seconds is not None:
            self._total = round(1000 * self._seconds)
        self._done, self._stopped, self._lock = 0, False, Lock()

    def rounds(self) -> Iterator[int]:
        """Rounds of one search, which asks for the next when it has done the last."""
        started, done, last = time.monotonic(), 0, 0
        for number in count():
            if number < len(self._rounds):
                work = self._rounds[number]
            elif self._endless and self._rounds:
                work = self._rounds[-1] * self._growth ** (number - len(self._rounds) + 1)
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
                    # One long last round beats two of which neither is.
                    whole = self._endless and fits < work * (1 + self._growth)
                    work = fits if whole else min(work, fits)
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
